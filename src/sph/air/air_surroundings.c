// SPDX-License-Identifier: Apache-2.0
/// The neighbourhood of air particles: air neighbours, share of water, and whether water lies above.
#include "sph/kernel.h"

/// ---- Memory ------------------------------------------------------------------------------------

sp_status sph_air_reserve(sph *s, size_t n, sp_error *err)
{
    sph_air *e = &s->air_data;
    e->liquid.host = e->reaction.host = s->host;
    if (n <= e->room) return SP_OK;
    sp_arena_close(s->host, &e->arrays); // they hold nothing between steps
    e->room = 0;
    const size_t room = n + n / 8 + 64;
    e->count = sp_arena_take(s->host, &e->arrays, room, sizeof *e->count);
    e->phi = sp_arena_take(s->host, &e->arrays, room, sizeof *e->phi);
    e->buoyancy = sp_arena_take(s->host, &e->arrays, room, sizeof *e->buoyancy);
    e->covered = sp_arena_take(s->host, &e->arrays, room, sizeof *e->covered);
    e->next = sp_arena_take(s->host, &e->arrays, room, sizeof *e->next);
    e->life = sp_arena_take(s->host, &e->arrays, room, sizeof *e->life);
    e->group_age = sp_arena_take(s->host, &e->arrays, room, sizeof *e->group_age);
    if (e->count && e->phi && e->buoyancy && e->covered && e->next && e->life && e->group_age) {
        e->room = room;
        return SP_OK;
    }
    sp_arena_close(s->host, &e->arrays);
    return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu particles of air", n);
}

void sph_air_close(sph *s)
{
    sph_air *e = &s->air_data;
    if (!s->host) return;
    sp_arena_close(s->host, &e->arrays);
    sp_rows_close(&e->liquid);
    sp_rows_close(&e->reaction);
    sp_release(s->host, e->parent);
    sp_release(s->host, e->parents_of);
    *e = (sph_air){0};
}

size_t sph_air_bytes(const sph *s)
{
    const sph_air *e = &s->air_data;
    const size_t a_place = sizeof *e->count + sizeof *e->phi + sizeof *e->buoyancy +
                           sizeof *e->covered + sizeof *e->next + sizeof *e->life +
                           sizeof *e->group_age;
    return e->room * a_place + e->parents * 2 * sizeof(uint64_t) +
           e->chunks * sizeof *e->parents_of + sp_rows_bytes(&e->liquid) +
           sp_rows_bytes(&e->reaction);
}

sp_vec3 sph_direction(uint32_t height, uint32_t turn)
{
    const float z = 2.0f * sp_unit(height) - 1.0f, angle = 2.0f * SP_PI * sp_unit(turn);
    const float across = sqrtf(1.0f - z * z);
    return (sp_vec3){across * sp_cosf(angle), across * sp_sinf(angle), z};
}

/// ---- Neighbourhood ----------------------------------------------------------------------------

typedef struct surroundings {
    const sph *s;
    sp_vec3 down; ///< unit vector; 0 without gravity
    bool gravity;
} surroundings;

/// (F1), and whether a water neighbour lies more than h/10 above.
static float water_around(const surroundings *l, size_t k, const sp_row *row, bool *above)
{
    const sph *s = l->s;
    const float *own = s->air.at + 4 * k, limit = s->h * s->h, higher = 0.1f * s->h;
    const uint32_t *index = s->air_data.liquid.index + row->start;
    const sph_lanes kernel = sph_lanes_for(s->h);
    sp_lanes sum = {0};
    sp_flags over = {0};
    for (size_t e = 0; e < row->count; e += SP_PART) {
        const sp_quad other = sp_quad_take(s->liquid.at, index + e);
        const sp_part x = own[0] - other.x, y = own[1] - other.y, z = own[2] - other.z;
        const sp_part r2 = sph_square(x, y, z);
        const sp_flags near = sp_flags_below(e, row->count) & (r2 < limit);
        sp_lanes_add(&sum, e, sp_part_keep(near, sph_w(r2, &kernel)));
        over |= near & (l->down.x * x + l->down.y * y + l->down.z * z > higher);
    }
    *above = sp_flags_any(over);
    return s->liquid.mass / s->liquid.rest * sph_w_scale(s->h) * sp_lanes_sum(sum);
}

/// The share of walls. It counts as water: air held against the floor is not foam.
static float walls_around(const sph *s, size_t k, const sp_row *row)
{
    const sph_lanes kernel = sph_lanes_for(s->h);
    return sph_w_scale(s->h) * sph_sum_w(s->walls.at, s->air.at + 4 * k,
                                         s->air.walls.index + row->start, row->count, true,
                                         &kernel);
}

static void find_neighbourhood(void *arg, size_t begin, size_t end)
{
    const surroundings *l = arg;
    const sph *s = l->s;
    const sph_air *data = &s->air_data;
    const float *at = s->air.at;
    size_t next = sp_rows_from(&data->liquid, begin),
           next_wall = sp_rows_from(&s->air.walls, begin);
    for (size_t k = begin; k < end; ++k) {
        const sp_neighbour_list list = s->air.lists.list[k];
        uint32_t n = 0;
        for (size_t e = 0; e < list.count; ++e)
            n += sph_near(at + 4 * k, at + 4 * (size_t)s->air.lists.index[list.start + e], s->h);
        data->count[k] = n;
        const sp_row *row = sph_row_at(&data->liquid, &next, k);
        bool above = false;
        data->phi[k] = row ? water_around(l, k, row, &above) : 0.0f;
        const sp_row *wall = sph_row_at(&s->air.walls, &next_wall, k);
        if (wall && data->phi[k] > 0.0f) data->phi[k] += walls_around(s, k, wall);
        data->covered[k] = above || !l->gravity; // without gravity phi alone decides
    }
}

/// n^ and B(n^) (10'). With its own n instead of n^, a bubble's rim would lag behind its core.
static void find_buoyancy(void *arg, size_t begin, size_t end)
{
    const surroundings *l = arg;
    const sph *s = l->s;
    const sph_air *data = &s->air_data;
    const float *at = s->air.at, most = s->def.air.buoyancy_max;
    const bool around = s->def.air.buoyancy_count == SP_SPH_COUNT_MAX;
    for (size_t k = begin; k < end; ++k) {
        const sp_neighbour_list list = s->air.lists.list[k];
        uint32_t n = data->count[k];
        for (size_t e = 0; around && e < list.count; ++e) {
            const size_t j = s->air.lists.index[list.start + e];
            if (data->count[j] > n && sph_near(at + 4 * k, at + 4 * j, s->h)) n = data->count[j];
        }
        data->buoyancy[k] = most - (most - 1.0f) * sp_expf(-0.1f * (float)n);
    }
}

void sph_find_air_surroundings(sph *s)
{
    const sp_vec3 g = {s->gravity[0], s->gravity[1], s->gravity[2]};
    surroundings l = {s, sp_normalize(g, (sp_vec3){0}), sp_length(g) > 0.0f};
    sp_parallel(s->host, s->air.cells.count, SPH_CHUNK, find_neighbourhood, &l);
    sp_parallel(s->host, s->air.cells.count, SPH_CHUNK, find_buoyancy, &l);
}
