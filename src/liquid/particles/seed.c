// SPDX-License-Identifier: Apache-2.0
/// Fills voxels with particles, at jittered places of a lattice of 1, 2^3 or 3^3 a voxel.
///
/// Each place has an id, whether it is used or not. So an id follows from the number of places
/// before it, jitter follows from the id, and nothing depends on threads. Ids of unused places are
/// never given out.
#include "liquid/particles/seed.h"

/// Largest displacement of a place, as a share of the distance between places. With 0.5 nothing
/// would be left of the lattice, but neighbours might meet; with 0.4 they stay 0.2 apart, and a
/// quarter of the lattice's wave is left (sin(0.8 pi)/(0.8 pi)). A flat surface of 8 a voxel then
/// has a roughness of 0.060 voxel, against 0.083 with 0.25 and 0.053 with 0.5.
#define JITTER 0.4f

void liquid_seed_place(const liquid_seeder *s, uint64_t id, int n, int voxel, float x[3])
{
    const int edge = liquid_seed_edge(s->def);
    const int in[3] = {voxel % 8, voxel / 8 % 8, voxel / 64};
    const int sub[3] = {n % edge, n / edge % edge, n / (edge * edge)};
    const sp_random4 random = sp_random(s->seed, LIQUID_RANDOM_SEED, id, 0, 0);
    for (int a = 0; a < 3; ++a) {
        const float off = JITTER * (2.0f * sp_unit(random.x[a]) - 1.0f);
        x[a] = (float)in[a] + ((float)sub[a] + 0.5f + off) / (float)edge;
    }
}

void liquid_seed_spread(const liquid_grid *g, const sp_liquid_def *def, const double p[3],
                        double even[3])
{
    const double edge = liquid_seed_edge(def), cube = (double)g->voxel / edge;
    for (int a = 0; a < 3; ++a) {
        const double x = (p[a] - g->origin[a]) / cube, middle = floor(x) + 0.5;
        even[a] = g->origin[a] + cube * (middle + (x - middle) / (2.0 * (double)JITTER));
    }
}

/// psi at a place in a tile that is cut, m; trilinear between corners of voxels.
static float solid_distance(const sp_solid_tile *tile, const float x[3])
{
    const int i = (int)x[0], j = (int)x[1], k = (int)x[2];
    const float fx = x[0] - (float)i, fy = x[1] - (float)j, fz = x[2] - (float)k;
    const float *corner = tile->psi + i + 9 * j + 81 * k;
    float plane[2];
    for (int n = 0; n < 2; ++n) {
        const float *c = corner + 81 * n;
        const float low = c[0] + fx * (c[1] - c[0]), high = c[9] + fx * (c[10] - c[9]);
        plane[n] = low + fy * (high - low);
    }
    return plane[0] + fz * (plane[1] - plane[0]);
}

/// Whether a place lies beyond an open side of the domain: a particle there would leave at once.
static bool is_beyond(const liquid_seeder *s, size_t tile, const float x[3])
{
    int kind[6];
    bool beyond = false;
    liquid_side_kinds(&s->def->sides, kind);
    double p[3];
    sp_flow_point(&s->grid->tiles, s->grid->origin, tile, x, p);
    for (int a = 0; a < 3; ++a) {
        beyond |= kind[2 * a] == SP_LIQUID_OPEN && p[a] < s->grid->domain[0][a];
        beyond |= kind[2 * a + 1] == SP_LIQUID_OPEN && p[a] > s->grid->domain[1][a];
    }
    return beyond;
}

bool liquid_is_open(const liquid_seeder *s, size_t tile, const float x[3])
{
    if (is_beyond(s, tile, x)) return false;
    const uint32_t row = s->solids->row ? s->solids->row[tile] : SP_FLOW_TILE_OPEN;
    if (row == SP_FLOW_TILE_OPEN) return true;
    if (row == SP_FLOW_TILE_SOLID) return false;
    return solid_distance(&s->solids->tile[row], x) > 0.0f &&
           sp_flow_body_distance(s->solids, &s->grid->tiles, (uint32_t)tile, x, NULL, NULL) >= 0.0;
}

int liquid_voxel_is_open(const liquid_seeder *s, size_t tile, int voxel)
{
    static const int corner[8] = {0, 1, 9, 10, 81, 82, 90, 91};
    const float at[3] = {(float)(voxel % 8), (float)(voxel / 8 % 8), (float)(voxel / 64)};
    const float low[3] = {at[0] + 0.25f, at[1] + 0.25f, at[2] + 0.25f};
    const float high[3] = {at[0] + 0.75f, at[1] + 0.75f, at[2] + 0.75f};
    const uint32_t row = s->solids->row ? s->solids->row[tile] : SP_FLOW_TILE_OPEN;
    if (row == SP_FLOW_TILE_SOLID) return 0;
    if (sp_flow_is_row(row)) {
        const float *psi = s->solids->tile[row].psi + voxel % 8 + 9 * (voxel / 8 % 8);
        int open = 0;
        for (int c = 0; c < 8; ++c)
            open += psi[81 * (voxel / 64) + corner[c]] > 0.0f;
        if (open == 0) return 0;
        if (open < 8 || sp_tile_mask_has(s->solids->escape[row].may_contain_edge, voxel)) return -1;
    }
    return is_beyond(s, tile, low) || is_beyond(s, tile, high) ? -1 : 1;
}

typedef struct seeding {
    const liquid_seeder *s;
    const sp_tile_mask *wanted;
    liquid_keep *keep;
    const void *arg;
    liquid_arrivals arrivals;
} seeding;

static bool is_kept(const seeding *g, size_t t, const float x[3])
{
    const liquid_seeder *s = g->s;
    if (!liquid_is_open(s, t, x)) return false;
    if (!g->keep) return true;
    double p[3];
    sp_flow_point(&s->grid->tiles, s->grid->origin, t, x, p);
    return g->keep(g->arg, p);
}

static void seed_tile(const seeding *g, size_t t)
{
    const int32_t per_cell = g->s->def->particles_per_cell;
    const liquid_arrivals *a = &g->arrivals;
    const uint64_t next_id = g->s->particles->next_id;
    uint32_t place = a->start[t], to = place;
    for (int v = 0; v < SP_TILE_VOXELS; ++v) {
        if (!(g->wanted[t][v / 64] >> v % 64 & 1)) continue;
        for (int n = 0; n < per_cell; ++n, ++place) {
            float x[3];
            liquid_seed_place(g->s, next_id + place, n, v, x);
            if (!is_kept(g, t, x)) continue;
            for (int b = 0; b < 3; ++b)
                a->x[b][to] = x[b];
            a->id[to++] = next_id + place;
        }
    }
    a->count[t] = to - a->start[t];
}

static void seed_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        seed_tile(arg, t);
}

/// Gives each tile its range; returns the number of places in total.
static uint64_t lay_out(const seeding *g)
{
    const size_t tiles = g->s->grid->tiles.count;
    uint64_t total = 0;
    for (size_t t = 0; t <= tiles; ++t) {
        g->arrivals.start[t] = (uint32_t)total;
        for (int k = 0; t < tiles && k < SP_TILE; ++k)
            total += (uint64_t)__builtin_popcountll(g->wanted[t][k]) *
                     (uint64_t)g->s->def->particles_per_cell;
    }
    return total;
}

/// False: no memory.
static bool allocate(const sp_host *host, void **memory, uint64_t places, liquid_arrivals *a)
{
    bool all = places < UINT32_MAX;
    for (int b = 0; all && b < 3; ++b)
        all = (a->x[b] = sp_arena_take(host, memory, places, sizeof *a->x[b])) != NULL;
    return all && (a->id = sp_arena_take(host, memory, places, sizeof *a->id)) != NULL;
}

sp_status liquid_seed(const liquid_seeder *s, const sp_tile_mask *wanted, const float v[3],
                      liquid_keep *keep, const void *arg, uint64_t *count, sp_error *err)
{
    seeding g = {.s = s, .wanted = wanted, .keep = keep, .arg = arg};
    liquid_arrivals *a = &g.arrivals;
    const sp_host *host = s->particles->set.host;
    const size_t tiles = s->grid->tiles.count;
    // The arrays belong to the call and not to the solver's scratch: at the start all water is
    // seeded at once, and the scratch would stay that large.
    void *memory = NULL;
    *count = 0;
    a->start = sp_arena_take(host, &memory, tiles + 1, sizeof *a->start);
    a->count = sp_arena_take(host, &memory, tiles, sizeof *a->count);
    const uint64_t places = a->start && a->count ? lay_out(&g) : 0;
    sp_status status = SP_OK;
    if (a->start && a->count && allocate(host, &memory, places, a)) {
        sp_tiles_parallel(&s->grid->tiles, seed_tiles, &g);
        const size_t before = s->particles->set.count;
        status = liquid_exchange(s, a, NULL, v, err);
        if (status == SP_OK) {
            *count = s->particles->set.count - before;
            s->particles->next_id += places;
        }
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "liquid: no memory to seed %llu particles",
                         (unsigned long long)places);
    }
    sp_arena_close(host, &memory);
    return status;
}
