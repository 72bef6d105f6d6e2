// SPDX-License-Identifier: Apache-2.0
/// Assembles the pressure equation (L5, L6). With q = p dt/(density*voxel), in m/s, each voxel c of
/// water asks for
///
///     sum over faces to water of w (q_c - q_n) + sum over faces to air of w (q_c - q_I)/theta
///         = sum over low faces of flux - sum over high faces of flux,   flux = w u + (1 - w) u_s
///
/// w is the open share of a face, u_s the solid's velocity, theta how far away the surface is.
#include "liquid/system.h"

/// Neighbours in the table of sp_tiles that share a face, in the order of sides.
static const int beside[6] = {SP_TILES_SELF - 1, SP_TILES_SELF + 1, SP_TILES_SELF - 3,
                              SP_TILES_SELF + 3, SP_TILES_SELF - 9, SP_TILES_SELF + 9};

/// ---- What each voxel is ------------------------------------------------------------------------

/// How fast water comes in through the side that a voxel lies right behind, m/s.
static double inflow_at(const liquid *s, uint32_t tile, int place, const int first[3],
                        const int last[3])
{
    static const int step[3] = {1, 8, 64},
                     above[3] = {SP_TILES_SELF + 1, SP_TILES_SELF + 3, SP_TILES_SELF + 9};
    const int at[3] = {place & 7, place >> 3 & 7, place >> 6};
    double most = 0.0;
    for (int a = 0; a < 3; a += 2) { // across the level nothing rests
        const uint32_t next = s->tiles.around[tile][above[a]];
        if (at[a] == last[a] + 1)
            most = fmax(most, -(double)s->u[a][(size_t)tile * SP_TILE_VOXELS + (size_t)place]);
        if (at[a] + 1 == first[a] && (at[a] < 7 || next != SP_NO_TILE))
            most = fmax(
                most,
                (double)
                    s->u[a][at[a] < 7
                                ? (size_t)tile * SP_TILE_VOXELS + (size_t)(place + step[a])
                                : (size_t)next * SP_TILE_VOXELS + (size_t)(place - 7 * step[a])]);
    }
    return most;
}

/// q at a voxel's centre beyond an open side: that of water at rest, 0 above the level. Water that
/// comes in was at rest out there, and what it has gained in speed it has lost in pressure: u^2/2
/// (Bernoulli). Without that it would bring energy in, and a basin would swing beside a level for
/// ever.
static float q_outside(const liquid_system *y, uint32_t tile, int place, double inflow)
{
    const liquid *s = y->s;
    double p[3], g = 0.0;
    liquid_voxel_center(s, tile, place, p);
    for (int a = 0; a < 3; ++a)
        g += (double)s->gravity[a] * (double)s->gravity[a];
    const double depth = (double)s->def.sides.level - p[1];
    const double head = sqrt(g) * depth - 0.5 * inflow * inflow;
    return depth > 0.0 ? (float)(head * y->dt / (double)s->voxel) : 0.0f;
}

static void mark_beyond(const liquid_system *y, uint32_t t)
{
    int first[3], last[3];
    bool any = false;
    for (int a = 0; a < 3; ++a)
        any |= liquid_inside_span(y->s, t, a, &first[a], &last[a]);
    for (int n = 0; any && n < SP_TILE_VOXELS; ++n) {
        const int at[3] = {n & 7, n >> 3 & 7, n >> 6};
        bool out = false;
        for (int a = 0; a < 3; ++a)
            out |= at[a] < first[a] || at[a] > last[a];
        if (!out) continue;
        const size_t v = (size_t)t * SP_TILE_VOXELS + (size_t)n;
        y->cell[v] = 0.0f;
        if (y->outside) y->outside[v] = q_outside(y, t, n, inflow_at(y->s, t, n, first, last));
    }
}

static void mark_pinned(const liquid_system *y, uint32_t t)
{
    const uint64_t *mask = y->s->pinned[t];
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        if (liquid_mask_has(mask, n)) y->cell[(size_t)t * SP_TILE_VOXELS + (size_t)n] = INFINITY;
}

static uint8_t state_of(const float *restrict cell)
{
    uint8_t state = LIQUID_ALL_WET | 63;
    int any = 0;
    for (int k = 0; k < SP_TILE; ++k)
        for (int j = 0; j < SP_TILE; ++j) {
            const float *row = cell + 8 * j + 64 * k;
            int wet = 1;
            for (int i = 0; i < SP_TILE; ++i) {
                wet &= row[i] < 0.0f;
                any |= row[i] < 0.0f;
            }
            if (!(row[0] < 0.0f)) state &= (uint8_t) ~(1 << SP_SIDE_LEFT);
            if (!(row[7] < 0.0f)) state &= (uint8_t) ~(1 << SP_SIDE_RIGHT);
            if (wet) continue;
            state &= (uint8_t)~LIQUID_ALL_WET;
            if (j == 0) state &= (uint8_t) ~(1 << SP_SIDE_BOTTOM);
            if (j == 7) state &= (uint8_t) ~(1 << SP_SIDE_TOP);
            if (k == 0) state &= (uint8_t) ~(1 << SP_SIDE_BACK);
            if (k == 7) state &= (uint8_t) ~(1 << SP_SIDE_FRONT);
        }
    return any ? state | LIQUID_ANY_WET : 0;
}

static void mark_cells(void *arg, size_t begin, size_t end)
{
    const liquid_system *y = arg;
    for (size_t t = begin; t < end; ++t) {
        float *cell = y->cell + t * SP_TILE_VOXELS;
        memcpy(cell, y->s->phi + t * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *cell);
        if (y->outside) memset(y->outside + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof(float));
        mark_beyond(y, (uint32_t)t);
        if (y->s->emitters > 0) mark_pinned(y, (uint32_t)t);
        y->state[t] = state_of(cell);
        if (y->s->solid.row[t] == LIQUID_TILE_SOLID) y->state[t] = 0;
    }
}

/// Whether all faces of a tile's voxels are open and have water on both sides.
static bool is_full(const liquid_system *y, uint32_t t)
{
    const liquid *s = y->s;
    if (!(y->state[t] & LIQUID_ALL_WET) || s->solid.row[t] != LIQUID_TILE_OPEN) return false;
    for (int side = 0; side < 6; ++side) {
        const uint32_t there = s->tiles.around[t][beside[side]];
        if (there == SP_NO_TILE || !(y->state[there] >> (side ^ 1) & 1)) return false;
        if (side % 2 == 1 && s->solid.row[there] != LIQUID_TILE_OPEN) return false;
    }
    return true;
}

static void number_rows(liquid_system *y)
{
    y->rows = 0;
    for (size_t t = 0; t < y->s->tiles.count; ++t)
        y->row[t] = !y->state[t]              ? SP_POISSON_EMPTY
                    : is_full(y, (uint32_t)t) ? SP_POISSON_FULL
                                              : (uint32_t)y->rows++;
}

/// ---- Coefficients ------------------------------------------------------------------------------

/// One side of a tile's voxels: what lies there, how open it is, and the flux through it.
typedef struct one_side {
    float cell[SP_TILE_VOXELS], open[SP_TILE_VOXELS], flux[SP_TILE_VOXELS];
    float outside[SP_TILE_VOXELS], kappa[SP_TILE_VOXELS];
} one_side;

static void look_across(const liquid_system *y, uint32_t t, int axis, int step, one_side *out)
{
    const sp_tiles *tiles = &y->s->tiles;
    sp_tiles_shift(tiles, y->cell, t, axis, step, y->s->band, out->cell);
    if (y->outside)
        sp_tiles_shift(tiles, y->outside, t, axis, step, 0.0f, out->outside);
    else
        memset(out->outside, 0, sizeof out->outside);
    if (y->kappa) sp_tiles_shift(tiles, y->kappa, t, axis, step, 0.0f, out->kappa);
}

/// Shares and fluxes of the low and high faces along an axis.
static void find_fluxes(const liquid_system *y, uint32_t t, int axis, one_side *low, one_side *high)
{
    const liquid *s = y->s;
    const float *u = s->u[axis];
    memcpy(low->flux, u + (size_t)t * SP_TILE_VOXELS, sizeof low->flux);
    sp_tiles_shift(&s->tiles, u, t, axis, 1, 0.0f, high->flux);
    if (!liquid_open_shares(s, t, axis, low->open, high->open)) {
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            low->open[n] = high->open[n] = 1.0f;
        return;
    }
    float slow[SP_TILE_VOXELS] = {0}, shigh[SP_TILE_VOXELS] = {0};
    liquid_solid_velocity(s, t, axis, slow, shigh);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        low->flux[n] = low->open[n] * low->flux[n] + (1.0f - low->open[n]) * slow[n];
        high->flux[n] = high->open[n] * high->flux[n] + (1.0f - high->open[n]) * shigh[n];
    }
}

/// Adds what faces to air bring: extra on the left and their pressure on the right.
static void add_air(const liquid_system *y, const float *restrict cell, const float *restrict kappa,
                    const one_side *restrict side, float *restrict extra, float *restrict b)
{
    const float tension = y->tension;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float c = cell[n], m = side->cell[n];
        const bool air = (c < 0.0f) & (m >= 0.0f) & (m < INFINITY);
        const float theta = liquid_theta(c, m), e = air ? side->open[n] / theta : 0.0f;
        const float bend = kappa ? kappa[n] + theta * (side->kappa[n] - kappa[n]) : 0.0f;
        extra[n] += e;
        b[n] += air ? e * (side->outside[n] + tension * bend) : 0.0f;
    }
}

static void assemble_row(const liquid_system *y, uint32_t t)
{
    const size_t first = (size_t)t * SP_TILE_VOXELS, row = (size_t)y->row[t] * SP_TILE_VOXELS;
    const float *restrict cell = y->cell + first, *kappa = y->kappa ? y->kappa + first : NULL;
    float *restrict b = y->b + first, *restrict extra = y->extra + row;
    memset(extra, 0, SP_TILE_VOXELS * sizeof *extra);
    memcpy(b, y->source + first, SP_TILE_VOXELS * sizeof *b);
    one_side low, high;
    for (int axis = 0; axis < 3; ++axis) {
        float *restrict face = y->face[axis] + row;
        look_across(y, t, axis, -1, &low);
        look_across(y, t, axis, 1, &high);
        find_fluxes(y, t, axis, &low, &high);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            face[n] = ((cell[n] < 0.0f) & (low.cell[n] < 0.0f)) ? low.open[n] : 0.0f;
            b[n] += low.flux[n] - high.flux[n];
        }
        add_air(y, cell, kappa, &low, extra, b);
        add_air(y, cell, kappa, &high, extra, b);
    }
    float excess[SP_TILE_VOXELS];
    if (liquid_squeezed(y->s, t, excess))
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            b[n] -= excess[n];
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        b[n] = cell[n] < 0.0f ? b[n] : 0.0f;
}

static void assemble_full(const liquid_system *y, uint32_t t)
{
    const liquid *s = y->s;
    float *restrict b = y->b + (size_t)t * SP_TILE_VOXELS;
    memcpy(b, y->source + (size_t)t * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *b);
    for (int axis = 0; axis < 3; ++axis) {
        float high[SP_TILE_VOXELS];
        const float *restrict low = s->u[axis] + (size_t)t * SP_TILE_VOXELS;
        sp_tiles_shift(&s->tiles, s->u[axis], t, axis, 1, 0.0f, high);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            b[n] += low[n] - high[n];
    }
}

static double sum_asked(const liquid_system *y, size_t t)
{
    const float *cell = y->cell + t * SP_TILE_VOXELS, *source = y->source + t * SP_TILE_VOXELS;
    double sum = 0.0;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        sum += cell[n] < 0.0f ? (double)fabsf(source[n]) : 0.0;
    return sum;
}

static void assemble(void *arg, size_t begin, size_t end)
{
    const liquid_system *y = arg;
    for (size_t t = begin; t < end; ++t) {
        y->asked[t] = sum_asked(y, t);
        if (y->row[t] == SP_POISSON_EMPTY)
            memset(y->b + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof *y->b);
        else if (y->row[t] == SP_POISSON_FULL)
            assemble_full(y, (uint32_t)t);
        else
            assemble_row(y, (uint32_t)t);
    }
}

/// ---- All of it ---------------------------------------------------------------------------------

static sp_status no_memory(const liquid *s, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the pressure of %zu tiles",
                   s->tiles.count);
}

static bool take_memory(liquid *s, liquid_system *y)
{
    const size_t tiles = s->tiles.count, voxels = tiles * SP_TILE_VOXELS;
    const bool level = s->def.sides.level > -1e8f, bends = s->def.surface_tension > 0.0f;
    y->cell = sp_scratch_array(&s->scratch, float, voxels);
    y->b = sp_scratch_array(&s->scratch, float, voxels);
    y->source = sp_scratch_array(&s->scratch, float, voxels);
    y->outside = level ? sp_scratch_array(&s->scratch, float, voxels) : NULL;
    y->kappa = bends ? sp_scratch_array(&s->scratch, float, voxels) : NULL;
    y->state = sp_scratch_array(&s->scratch, uint8_t, tiles);
    y->row = sp_scratch_array(&s->scratch, uint32_t, tiles);
    y->asked = sp_scratch_array(&s->scratch, double, tiles);
    y->most = sp_scratch_array(&s->scratch, double, tiles);
    y->leftover = sp_scratch_array(&s->scratch, double, tiles);
    return y->cell && y->b && y->source && (y->outside || !level) && (y->kappa || !bends) &&
           y->state && y->row && y->asked && y->most && y->leftover;
}

sp_status liquid_system_make(liquid *s, double dt, liquid_system *system, sp_error *err)
{
    liquid_system *y = system;
    *y = (liquid_system){.s = s, .dt = dt};
    if (!take_memory(s, y)) return no_memory(s, err);
    y->tension =
        (float)((double)s->def.surface_tension * dt / ((double)s->def.density * (double)s->voxel));
    if (!liquid_wanted_divergence(s, y->source)) return no_memory(s, err);
    if (y->kappa) sp_levelset_curvature(&s->tiles, s->phi, s->band, y->kappa);
    sp_tiles_parallel(&s->tiles, mark_cells, y);
    number_rows(y);
    const size_t values = y->rows * SP_TILE_VOXELS;
    y->extra = sp_scratch_array(&s->scratch, float, values);
    for (int a = 0; a < 3; ++a)
        y->face[a] = sp_scratch_array(&s->scratch, float, values);
    if (!y->extra || !y->face[0] || !y->face[1] || !y->face[2]) return no_memory(s, err);
    sp_tiles_parallel(&s->tiles, assemble, y);
    return SP_OK;
}
