// SPDX-License-Identifier: Apache-2.0
/// W6  The bulk's surface is a wall that moves with u_B: of each low face, the part below the surface that solids
/// leave open is open. At the border of the tiles the bulk's flow is given (W5), so faces there are closed as well.
#include "bubbles/guided/internal.h"

enum { EDGE = SP_TILE + 2, LAYERS = 3 }; ///< faces in air and solids that interpolation reads

typedef struct opening {
    bubbles_guide *g;
    uint8_t *closed; ///< by tile: some face is not known
} opening;

/// ---- The surface -------------------------------------------------------------------------------

/// Distances at the corners of a tile's voxels, positive in water. False: they are in water all over.
static bool find_corners(const bubbles_guide *g, size_t t, float corner[SP_TILE_CORNERS])
{
    float block[SP_TILE_BLOCK], least = INFINITY;
    sp_tiles_block(&g->bulk.tiles, g->bulk.phi, g->wide[t], INFINITY, block);
    for (int n = 0; n < SP_TILE_CORNERS; ++n) {
        const float *p = block + n % 9 + EDGE * (n / 9 % 9) + EDGE * EDGE * (n / 81);
        const float *above = p + EDGE * EDGE;
        corner[n] = -0.125f * (((p[0] + p[1]) + (p[EDGE] + p[EDGE + 1])) +
                               ((above[0] + above[1]) + (above[EDGE] + above[EDGE + 1])));
        least = fminf(least, corner[n]);
    }
    return !(least > 0.0f);
}

/// ---- Solids ------------------------------------------------------------------------------------

/// Multiplies by what solids leave open; false where that is all.
static bool close_in_solids(const bubbles *s, size_t t, float *const open[3])
{
    if (!s->has_solids || s->solids.row[t] == SP_FLOW_TILE_OPEN) return false;
    const bool cut = sp_flow_is_cut(&s->solids, t);
    for (int a = 0; a < 3; ++a) {
        const float *by = cut ? s->solids.tile[s->solids.row[t]].open[a] : NULL;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            open[a][n] *= by ? by[n] : 0.0f;
    }
    return true;
}

/// ---- The border --------------------------------------------------------------------------------

static bool close_at_border(const sp_tiles *tiles, size_t t, float *const open[3])
{
    static const int beside[3] = {1, 3, 9}, step[3] = {1, SP_TILE, SP_TILE * SP_TILE};
    bool any = false;
    for (int a = 0; a < 3; ++a) {
        const int b = step[(a + 1) % 3], c = step[(a + 2) % 3];
        if (tiles->around[t][SP_TILES_SELF - beside[a]] != SP_NO_TILE) continue;
        any = true;
        for (int n = 0; n < SP_TILE * SP_TILE; ++n)
            open[a][n % SP_TILE * b + n / SP_TILE * c] = 0.0f;
    }
    return any;
}

/// ---- Tiles -------------------------------------------------------------------------------------

static bool note_known(float *const open[3], sp_tile_mask *const known[3], size_t t)
{
    bool all = true;
    for (int a = 0; a < 3; ++a) {
        for (int k = 0; k < SP_TILE; ++k) {
            uint64_t bits = 0;
            for (int b = 0; b < 64; ++b)
                bits |= (uint64_t)(open[a][64 * k + b] > 0.0f) << b;
            known[a][t][k] = bits;
        }
        all &= sp_tile_mask_all(known[a][t]);
    }
    return all;
}

static void open_tiles(void *arg, size_t begin, size_t end)
{
    const opening *o = arg;
    bubbles_guide *g = o->g;
    for (size_t t = begin; t < end; ++t) {
        const size_t first = t * SP_TILE_VOXELS;
        float corner[SP_TILE_CORNERS], *const open[3] = {g->open[0] + first, g->open[1] + first,
                                                         g->open[2] + first};
        bool some = find_corners(g, t, corner);
        for (int a = 0; a < 3; ++a)
            sp_tile_fill(open[a], 1.0f);
        if (some) {
            float surface[3][SP_TILE_VOXELS];
            sp_tiles_open_faces(corner, surface);
            for (int a = 0; a < 3; ++a)
                memcpy(open[a], surface[a], sizeof surface[a]);
        }
        some |= close_in_solids(g->s, t, open);
        o->closed[t] = !note_known(open, g->known, t);
        some |= close_at_border(&g->s->grid.tiles, t, open);
        g->whole[t] = !some;
    }
}

static sp_status no_memory(const bubbles_guide *g, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu tiles",
                   g->s->grid.tiles.count);
}

static bool take_fields(bubbles_guide *g)
{
    sp_scratch *scratch = &g->s->scratch;
    const size_t tiles = g->s->grid.tiles.count, voxels = tiles * SP_TILE_VOXELS;
    g->wide = sp_scratch_array(scratch, uint32_t, tiles + 1);
    g->whole = sp_scratch_array(scratch, uint8_t, tiles + 1);
    g->ready = sp_scratch_array(scratch, uint8_t, tiles + 1);
    g->ones = sp_scratch_array(scratch, uint8_t, tiles + 1);
    g->fixed = NULL;
    bool good = g->wide && g->whole && g->ready && g->ones;
    for (int a = 0; a < 3; ++a) {
        g->fall[a] = sp_scratch_array(scratch, float, voxels + 1);
        g->open[a] = sp_scratch_array(scratch, float, voxels + 1);
        g->change[a] = sp_scratch_array(scratch, float, voxels + 1);
        g->known[a] = sp_scratch_array(scratch, sp_tile_mask, tiles + 1);
        good = good && g->fall[a] && g->open[a] && g->change[a] && g->known[a];
    }
    return good;
}

sp_status guided_find_openings(bubbles_guide *g, sp_error *err)
{
    const sp_tiles *tiles = &g->s->grid.tiles;
    opening o = {g, NULL};
    if (!take_fields(g)) return no_memory(g, err);
    const sp_scratch_mark mark = sp_scratch_here(&g->s->scratch);
    o.closed = sp_scratch_array(&g->s->scratch, uint8_t, tiles->count + 1);
    if (!o.closed) return no_memory(g, err);
    memset(g->ready, 0, tiles->count);
    for (size_t t = 0; t < tiles->count; ++t)
        g->wide[t] = sp_tiles_find(&g->bulk.tiles, tiles->at[t]);
    sp_tiles_parallel(tiles, open_tiles, &o);
    g->any_closed = sp_next_marked(o.closed, 0, tiles->count) < tiles->count;
    sp_scratch_rewind(&g->s->scratch, mark);
    return SP_OK;
}

/// ---- Faces without water -----------------------------------------------------------------------

sp_status guided_extend(bubbles_guide *g, float *const field[3], sp_error *err)
{
    const sp_tiles *tiles = &g->s->grid.tiles;
    sp_tile_mask *known[3];
    if (!g->any_closed) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&g->s->scratch);
    for (int a = 0; a < 3; ++a) {
        known[a] = sp_scratch_array(&g->s->scratch, sp_tile_mask, tiles->count + 1);
        if (!known[a]) return no_memory(g, err);
        memcpy(known[a], g->known[a], tiles->count * sizeof *known[a]);
    }
    const sp_status status = sp_tiles_extrapolate_faces(tiles, field, known, LAYERS, err);
    sp_scratch_rewind(&g->s->scratch, mark);
    return status;
}

/// ---- The bulk's own divergence (W7) ------------------------------------------------------------

typedef struct measuring {
    const bubbles_guide *g;
    double (*sum)[2]; ///< by tile: of squares, 1/s2, and cells
} measuring;

/// Into `change`, which is free before the first solve.
static void find_flow(void *arg, size_t begin, size_t end)
{
    const bubbles_guide *g = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *open = bubbles_guide_open(g, t, a), *u = bubbles_guide_velocity(g, t, a);
            float *out = g->change[a] + t * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                out[n] = open ? open[n] * u[n] : u[n];
        }
}

/// Only cells whose six faces are on the tiles and not at their border: those there count as closed.
static void sum_divergence(void *arg, size_t begin, size_t end)
{
    const measuring *m = arg;
    const sp_tiles *tiles = &m->g->s->grid.tiles;
    const double per_voxel = 1.0 / (double)tiles->voxel;
    for (size_t t = begin; t < end; ++t) {
        float div[SP_TILE_VOXELS] = {0}, high[SP_TILE_VOXELS];
        m->sum[t][0] = m->sum[t][1] = 0.0;
        for (int a = 0; a < 3; ++a) {
            const float *low = m->g->change[a] + t * SP_TILE_VOXELS;
            sp_tiles_shift(tiles, m->g->change[a], (uint32_t)t, a, 1, NAN, high);
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                div[n] += high[n] - low[n];
        }
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const double d = (double)div[n] * per_voxel;
            bool inner = d == d;
            for (int a = 0; a < 3; ++a) {
                const float *open = bubbles_guide_open(m->g, t, a);
                inner = inner && (!open || open[n] > 0.0f);
            }
            m->sum[t][0] += inner ? d * d : 0.0;
            m->sum[t][1] += inner;
        }
    }
}

sp_status guided_measure_divergence(bubbles_guide *g, double *divergence, sp_error *err)
{
    const sp_tiles *tiles = &g->s->grid.tiles;
    const sp_scratch_mark mark = sp_scratch_here(&g->s->scratch);
    measuring m = {g, sp_scratch_take(&g->s->scratch, tiles->count + 1, sizeof *m.sum)};
    if (!m.sum) return no_memory(g, err);
    sp_tiles_parallel(tiles, find_flow, g);
    sp_tiles_parallel(tiles, sum_divergence, &m);
    const double cells = sp_exact_total(m.sum[0] + 1, tiles->count, 2);
    *divergence = cells > 0.0 ? sqrt(sp_exact_total(m.sum[0], tiles->count, 2) / cells) : 0.0;
    sp_scratch_rewind(&g->s->scratch, mark);
    return SP_OK;
}
