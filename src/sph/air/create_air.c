// SPDX-License-Identifier: Apache-2.0
/// Creates air: trapped where fast water meets slow water, or from seeders.
///
/// Few water particles ("parents") create air in a step. Each chunk of places counts its parents, and a second
/// pass lists them. Parents are then sorted by id, so that the ids of the new air do not depend on the order of
/// places.
#include "sph/internal.h"

#include <stdlib.h>

enum { CHUNKS = 4 }; // per task

typedef struct sph_parent {
    uint64_t id;
    size_t particle;
} sph_parent;

typedef struct trapping {
    const sph *s;
    double dt;
    sph_parent *out; ///< NULL: count only
} trapping;

/// ---- Parents -----------------------------------------------------------------------------------

/// vdiff/v_t minus the number of air neighbours: above 0, the paper's rule creates air.
static float missing_air(const sph *s, size_t k, float vdiff, size_t *next)
{
    const sp_rows *rows = &s->air_data.reaction;
    const sp_row *row = sph_row_at(rows, next, k);
    uint32_t n = 0;
    for (size_t e = 0; row && e < row->count; ++e)
        n += sph_near(s->liquid.at + 4 * k, s->air.at + 4 * (size_t)rows->index[row->start + e],
                      s->h);
    return vdiff / s->def.trapped.v_diff - (float)n;
}

static bool makes_air(const trapping *t, size_t k, size_t *next)
{
    const sph *s = t->s;
    const sp_sph_trapped_def *def = &s->def.trapped;
    const float vdiff = s->liquid.ahead[4 * k + 3], *v = s->liquid.vel + 4 * k;
    if (!(vdiff > def->v_diff)) return false;
    if (!(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > def->v_min * def->v_min)) return false;
    const uint32_t tag = sph_tag(&s->liquid, k), age = tag >> SPH_AGE_SHIFT & 0xffu;
    if (tag & SPH_PINNED || age < 3 || (def->surface_only && !(tag & SPH_SURFACE))) return false;
    const float more = missing_air(s, k, vdiff, next);
    if (!(more > 0.0f)) return false;
    if (def->rule == SP_SPH_SATURATE) return true;
    const uint64_t id = s->liquid.id[s->liquid.cells.order[k]];
    const sp_random4 random = sp_random(s->seed, SPH_RANDOM_RATE, id, (uint32_t)s->steps, 0);
    return sp_unit(random.x[0]) < 1.0f - sp_expf(-(float)t->dt * def->rate * more);
}

/// First pass (out is NULL): counts the parents of each chunk. Second pass: lists them; parents_of has each
/// chunk's first index.
static void find_parents(void *arg, size_t begin, size_t end)
{
    const trapping *t = arg;
    const sph *s = t->s;
    const size_t count = s->liquid.cells.count;
    for (size_t chunk = begin; chunk < end; ++chunk) {
        const size_t first = chunk * SPH_CHUNK,
                     last = first + SPH_CHUNK < count ? first + SPH_CHUNK : count;
        uint32_t *to = &s->air_data.parents_of[chunk];
        if (t->out && to[0] == to[1]) continue;
        size_t next = sp_rows_from(&s->air_data.reaction, first), found = t->out ? to[0] : 0;
        for (size_t k = first; k < last; ++k) {
            if (!makes_air(t, k, &next)) continue;
            const size_t i = s->liquid.cells.order[k];
            if (t->out) t->out[found] = (sph_parent){s->liquid.id[i], i};
            ++found;
        }
        if (!t->out) *to = (uint32_t)found;
    }
}

static int by_id(const void *a, const void *b)
{
    const uint64_t x = ((const sph_parent *)a)->id, y = ((const sph_parent *)b)->id;
    return (x > y) - (x < y);
}

/// Writes the parents, in order of ids, to air_data.parent.
static sp_status collect_parents(sph *s, double dt, size_t *count, sp_error *err)
{
    sph_air *data = &s->air_data;
    const size_t chunks = (s->liquid.cells.count + SPH_CHUNK - 1) / SPH_CHUNK;
    if (!sph_grow(s, (void **)&data->parents_of, &data->chunks, chunks + 1, sizeof(uint32_t)))
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory to look for trapped air");
    trapping t = {s, dt, NULL};
    sp_parallel(s->host, chunks, CHUNKS, find_parents, &t);
    data->parents_of[chunks] = 0;
    *count = sp_scan(data->parents_of, chunks + 1);
    if (!sph_grow(s, (void **)&data->parent, &data->parents, *count, sizeof *data->parent))
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu new particles of air", *count);
    t.out = data->parent;
    sp_parallel(s->host, chunks, CHUNKS, find_parents, &t);
    if (*count > 0) qsort(data->parent, *count, sizeof *data->parent, by_id);
    return SP_OK;
}

/// ---- Trapped air -------------------------------------------------------------------------------

/// Lowers n to what max_air allows, and reserves room for n.
static sp_status limit_new_air(sph *s, size_t *n, sp_error *err)
{
    const uint64_t most = s->def.trapped.max_air, now = s->air.set.count;
    const uint64_t left = now < most ? most - now : 0;
    if (*n > left) {
        *n = (size_t)left;
        if (!s->warned_limit)
            sp_log(s->host, SP_LOG_WARNING,
                   "sph: air particle limit %llu reached at t = %.4g s; no more air is created",
                   (unsigned long long)most, s->time);
        s->warned_limit = true;
    }
    return *n > 0 ? sph_phase_reserve(&s->air, s->air.set.count + *n, err) : SP_OK;
}

/// Adds air within a ball of radius d/4 around the parent: two particles at one point would never
/// separate.
static void add_trapped(sph *s, size_t parent)
{
    const sph_phase *water = &s->liquid;
    const sp_random4 random =
        sp_random(s->seed, SPH_RANDOM_JITTER, s->next_id, (uint32_t)s->steps, 0);
    const sp_vec3 way = sph_direction(random.x[0], random.x[1]);
    const float far = 0.25f * s->d * (float)sp_cbrt((double)sp_unit(random.x[2]));
    const float x[3] = {water->x[0][parent] + far * way.x, water->x[1][parent] + far * way.y,
                        water->x[2][parent] + far * way.z};
    const float v[3] = {water->v[0][parent], water->v[1][parent], water->v[2][parent]};
    const uint32_t from = water->tag[parent] >> SPH_SOURCE_SHIFT & 0xffu;
    if (from > 0 && from <= s->emitters) ++s->emitter[from - 1].air;
    sph_phase_add(s, &s->air, x, v, from << SPH_SOURCE_SHIFT);
}

sp_status sph_trap_air(sph *s, double dt, sp_error *err)
{
    if (!s->def.air.enabled || !s->def.trapped.enabled) return SP_OK;
    size_t n = 0;
    SP_TRY(collect_parents(s, dt, &n, err));
    SP_TRY(limit_new_air(s, &n, err));
    for (size_t k = 0; k < n; ++k)
        add_trapped(s, s->air_data.parent[k].particle);
    s->figures.created += n;
    return SP_OK;
}

/// ---- Seeders -----------------------------------------------------------------------------------

/// Particles that a seeder created until t, plus a constant: only differences between two times are
/// used.
static double seeded_until(const sp_sph_seeder_def *seeder, double t)
{
    const double from = (double)seeder->start, to = (double)seeder->stop;
    const double within = t < from ? from : t > to ? to : t;
    return floor((double)seeder->rate * within);
}

static void add_seeded(sph *s, const sp_sph_seeder_def *seeder)
{
    const sp_random4 random =
        sp_random(s->seed, SPH_RANDOM_SEEDER, s->next_id, (uint32_t)s->steps, 0);
    const float still[3] = {0.0f, 0.0f, 0.0f};
    float x[3];
    for (int c = 0; c < 3; ++c)
        x[c] = sp_mix(seeder->min[c], seeder->max[c], sp_unit(random.x[c]));
    sph_phase_add(s, &s->air, x, still, 0);
}

/// The step goes from s->time to s->time + dt.
sp_status sph_seed_air(sph *s, double dt, sp_error *err)
{
    for (size_t i = 0; s->def.air.enabled && i < s->def.seeder_count; ++i) {
        const sp_sph_seeder_def *seeder = &s->seeder[i];
        size_t n = (size_t)(seeded_until(seeder, s->time + dt) - seeded_until(seeder, s->time));
        SP_TRY(limit_new_air(s, &n, err));
        for (size_t k = 0; k < n; ++k)
            add_seeded(s, seeder);
        s->figures.seeded += n;
    }
    return SP_OK;
}
