// SPDX-License-Identifier: Apache-2.0
/// Adds and removes particles, tile by tile, from one set of columns into the spare one. Runs of
/// particles that stay are copied column by column; an unchanged tile is one run.
#include "liquid/particles/seed.h"
#include "liquid/particles/velocity_at.h"

typedef struct exchanging {
    const liquid_seeder *s;
    const liquid_arrivals *arrivals;
    const uint8_t *gone;
    const float *v;
    uint32_t *start; ///< of the new order
} exchanging;

/// ---- Velocities from the grid ------------------------------------------------------------------

float liquid_block_value(const float block[SP_TILE_BLOCK], const float at[3], float gradient[3])
{
    const int i = (int)at[0], j = (int)at[1], k = (int)at[2];
    const float f[3] = {at[0] - (float)i, at[1] - (float)j, at[2] - (float)k};
    const float *corner = block + i + 10 * (j + 10 * k);
    float value = 0.0f;
    memset(gradient, 0, 3 * sizeof *gradient);
    for (int c = 0; c < 8; ++c) {
        const float u = corner[(c & 1) + 10 * (c >> 1 & 1) + 100 * (c >> 2)];
        float w[3], slope[3];
        for (int b = 0; b < 3; ++b) {
            w[b] = c >> b & 1 ? f[b] : 1.0f - f[b];
            slope[b] = c >> b & 1 ? u : -u;
        }
        value += w[0] * w[1] * w[2] * u;
        gradient[0] += w[1] * w[2] * slope[0];
        gradient[1] += w[2] * w[0] * slope[1];
        gradient[2] += w[0] * w[1] * slope[2];
    }
    return value;
}

/// The three components around a tile.
typedef struct tile_flow {
    float u[3][SP_TILE_BLOCK];
} tile_flow;

/// Gives particle `to` of the spare set, at x, the velocity of the grid or v.
static void set_velocity(const exchanging *g, const tile_flow *flow, const float x[3],
                         const liquid_particles *p, uint32_t to)
{
    for (int a = 0; a < 3; ++a) {
        float at[3], gradient[3] = {0}, u = g->v ? g->v[a] : 0.0f;
        for (int b = 0; b < 3; ++b)
            at[b] = x[b] + (b == a ? 1.0f : 0.5f); // faces of other axes sit half a voxel up
        if (!g->v) u = liquid_block_value(flow->u[a], at, gradient);
        p->v[a][to] = u;
        for (int b = 0; p->c[0] && b < 3; ++b)
            p->c[3 * a + b][to] = gradient[b] / g->s->grid->voxel;
    }
}

/// ---- Tiles -------------------------------------------------------------------------------------

static void copy_run(const sp_particles *from, sp_particles *to, size_t first, size_t place,
                     size_t n)
{
    for (int c = 0; c < from->column_count; ++c) {
        const size_t size = sp_kind_size(from->def[c].kind);
        memcpy((char *)to->data[c] + place * size, (const char *)from->data[c] + first * size,
               n * size);
    }
}

/// Index of the first removed particle of first ... last - 1, or last.
static uint32_t next_gone(const uint8_t *gone, uint32_t first, uint32_t last)
{
    const uint8_t *there = gone ? memchr(gone + first, 1, last - first) : NULL;
    return there ? (uint32_t)(there - gone) : last;
}

/// Copies the particles of first ... last - 1 that stay to `to`; returns the index behind them.
static uint32_t copy_staying(const exchanging *g, uint32_t first, uint32_t last, uint32_t to)
{
    liquid_particles *p = g->s->particles;
    while (first < last) {
        const uint32_t end = next_gone(g->gone, first, last);
        if (end > first) copy_run(&p->set, &p->spare, first, to, end - first);
        to += end - first;
        first = end + 1;
    }
    return to;
}

static void exchange_tile(const exchanging *g, size_t t, const liquid_particles *spare)
{
    const liquid_seeder *s = g->s;
    const liquid_arrivals *a = g->arrivals;
    uint32_t here = s->particles->start[t], to = g->start[t];
    if (a->count[t] > 0) {
        liquid_voxels first;
        tile_flow flow;
        liquid_voxels_of(s->particles, t, first);
        for (int c = 0; !g->v && c < 3; ++c)
            sp_tiles_block(&s->grid->tiles, s->grid->u[c], (uint32_t)t, 0.0f, flow.u[c]);
        for (uint32_t n = a->start[t]; n < a->start[t] + a->count[t]; ++n) {
            const float x[3] = {a->x[0][n], a->x[1][n], a->x[2][n]};
            const uint32_t behind = first[sp_point_voxel(x[0], x[1], x[2]) + 1];
            to = copy_staying(g, here, behind, to);
            here = behind;
            for (int b = 0; b < 3; ++b)
                spare->x[b][to] = x[b];
            spare->id[to] = a->id[n];
            set_velocity(g, &flow, x, spare, to++);
        }
    }
    to = copy_staying(g, here, s->particles->start[t + 1], to);
    SP_ASSERT(to == g->start[t + 1]);
}

static void exchange_tiles(void *arg, size_t begin, size_t end)
{
    const exchanging *g = arg;
    liquid_particles spare = {.set = g->s->particles->spare};
    liquid_particles_point(&spare);
    for (size_t t = begin; t < end; ++t)
        exchange_tile(g, t, &spare);
}

/// ---- All ---------------------------------------------------------------------------------------

static void count_tiles(void *arg, size_t begin, size_t end)
{
    const exchanging *g = arg;
    const uint32_t *start = g->s->particles->start;
    for (size_t t = begin; t < end; ++t) {
        uint32_t count = g->arrivals->count[t] + start[t + 1] - start[t];
        for (uint32_t n = start[t]; n < start[t + 1]; ++n) {
            n = next_gone(g->gone, n, start[t + 1]);
            count -= n < start[t + 1];
        }
        g->start[t] = count;
    }
}

static sp_status exchange(exchanging *g, sp_error *err)
{
    const liquid_seeder *s = g->s;
    liquid_particles *p = s->particles;
    g->start = sp_scratch_array(s->scratch, uint32_t, s->grid->tiles.count + 1);
    if (!g->start) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to sort particles in");
    sp_tiles_parallel(&s->grid->tiles, count_tiles, g);
    uint64_t total = 0;
    for (size_t t = 0; t < s->grid->tiles.count; ++t)
        total += g->start[t];
    SP_TRY(liquid_spare_reserve(p, total, err));
    g->start[s->grid->tiles.count] = sp_scan(g->start, s->grid->tiles.count);
    sp_tiles_parallel(&s->grid->tiles, exchange_tiles, g);
    liquid_spare_use(p, total, g->start, s->grid->tiles.count);
    return SP_OK;
}

sp_status liquid_exchange(const liquid_seeder *s, const liquid_arrivals *arrivals,
                          const uint8_t *gone, const float v[3], sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(s->scratch);
    exchanging g = {.s = s, .arrivals = arrivals, .gone = gone, .v = v};
    const sp_status status = exchange(&g, err);
    sp_scratch_rewind(s->scratch, mark);
    return status;
}
