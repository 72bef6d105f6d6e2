// SPDX-License-Identifier: Apache-2.0
/// Assembles the pressure equation of flow/pressure.h as a linear system. A tile whose faces are
/// all open, have beta = 1 and join two unknowns needs no row of coefficients.
#include "flow/pressure_side.h"

/// Face neighbours in the neighbour table of sp_tiles, in the order of sides.
static const int beside[6] = {SP_TILES_SELF - 1, SP_TILES_SELF + 1, SP_TILES_SELF - 3,
                              SP_TILES_SELF + 3, SP_TILES_SELF - 9, SP_TILES_SELF + 9};

/// ---- State of each tile ------------------------------------------------------------------------

/// Bits of `state`; bits 0 to 5: all voxels along a side (SP_SIDE_...) are unknowns.
enum { ALL_UNKNOWN = 64, ANY_UNKNOWN = 128 };

static uint8_t state_of(const float *restrict level)
{
    uint8_t state = ALL_UNKNOWN | 63;
    int any = 0;
    for (int k = 0; k < SP_TILE; ++k)
        for (int j = 0; j < SP_TILE; ++j) {
            const float *row = level + 8 * j + 64 * k;
            int whole = 1;
            for (int i = 0; i < SP_TILE; ++i) {
                whole &= row[i] < 0.0f;
                any |= row[i] < 0.0f;
            }
            if (!(row[0] < 0.0f)) state &= (uint8_t) ~(1 << SP_SIDE_LEFT);
            if (!(row[7] < 0.0f)) state &= (uint8_t) ~(1 << SP_SIDE_RIGHT);
            if (whole) continue;
            state &= (uint8_t)~ALL_UNKNOWN;
            if (j == 0) state &= (uint8_t) ~(1 << SP_SIDE_BOTTOM);
            if (j == 7) state &= (uint8_t) ~(1 << SP_SIDE_TOP);
            if (k == 0) state &= (uint8_t) ~(1 << SP_SIDE_BACK);
            if (k == 7) state &= (uint8_t) ~(1 << SP_SIDE_FRONT);
        }
    return any ? state | ANY_UNKNOWN : 0;
}

static uint32_t solid_row(const sp_flow_equation *e, size_t t)
{
    return e->solids ? e->solids->row[t] : SP_FLOW_TILE_OPEN;
}

static void find_states(void *arg, size_t begin, size_t end)
{
    const sp_flow_system *y = arg;
    const sp_flow_equation *e = &y->equation;
    for (size_t t = begin; t < end; ++t)
        y->state[t] =
            solid_row(e, t) == SP_FLOW_TILE_SOLID ? 0 : state_of(e->level + t * SP_TILE_VOXELS);
}

/// Whether the low faces of a tile are open and have beta = 1.
static bool has_plain_faces(const sp_flow_equation *e, uint32_t t)
{
    return solid_row(e, t) == SP_FLOW_TILE_OPEN &&
           (!e->beta[0] || (e->beta_is_one && e->beta_is_one[t]));
}

/// Whether all faces of a tile's voxels are open, have beta = 1 and unknowns on both sides.
static bool is_full(const sp_flow_system *y, uint32_t t)
{
    const sp_flow_equation *e = &y->equation;
    if (!(y->state[t] & ALL_UNKNOWN) || !has_plain_faces(e, t)) return false;
    for (int side = 0; side < 6; ++side) {
        const uint32_t there = e->tiles->around[t][beside[side]];
        if (there == SP_NO_TILE || !(y->state[there] >> (side ^ 1) & 1)) return false;
        if (side % 2 == 1 && !has_plain_faces(e, there)) return false;
    }
    return true;
}

static void number_rows(sp_flow_system *y)
{
    y->rows = 0;
    for (size_t t = 0; t < y->equation.tiles->count; ++t)
        y->row[t] = !y->state[t]              ? SP_POISSON_EMPTY
                    : is_full(y, (uint32_t)t) ? SP_POISSON_FULL
                                              : (uint32_t)y->rows++;
}

/// ---- Coefficients ------------------------------------------------------------------------------

/// One side of a tile's voxels: the values of the neighbours, and of the faces between.
typedef struct one_side {
    float level[SP_TILE_VOXELS], fixed[SP_TILE_VOXELS], jump[SP_TILE_VOXELS];
    float open[SP_TILE_VOXELS], beta[SP_TILE_VOXELS], flux[SP_TILE_VOXELS];
    const float *coefficient; ///< `open`, or `beta` holding open times beta
} one_side;

static void look_across(const sp_flow_equation *e, uint32_t t, int axis, int step, one_side *out)
{
    sp_tiles_shift(e->tiles, e->level, t, axis, step, e->level_outside, out->level);
    if (e->fixed)
        sp_tiles_shift(e->tiles, e->fixed, t, axis, step, 0.0f, out->fixed);
    else
        memset(out->fixed, 0, sizeof out->fixed);
    if (e->jump) sp_tiles_shift(e->tiles, e->jump, t, axis, step, 0.0f, out->jump);
}

/// Coefficients of a side: its open fractions, times beta if given.
static void find_coefficients(const sp_flow_equation *e, uint32_t t, int axis, bool is_high,
                              one_side *side)
{
    side->coefficient = side->open;
    if (!e->beta[axis]) return;
    if (is_high)
        sp_tiles_shift(e->tiles, e->beta[axis], t, axis, 1, e->beta_outside, side->beta);
    else
        memcpy(side->beta, e->beta[axis] + (size_t)t * SP_TILE_VOXELS, sizeof side->beta);
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        side->beta[n] *= side->open[n];
    side->coefficient = side->beta;
}

/// Open fractions and fluxes of the low and high faces along an axis.
static void find_fluxes(const sp_flow_equation *e, uint32_t t, int axis, one_side *low,
                        one_side *high)
{
    sp_flow_load_flux(e, e->flux[axis], t, axis, low->flux, high->flux);
    if (!sp_flow_load_fractions(e, t, axis, low->open, high->open)) return;
    float slow[SP_TILE_VOXELS] = {0}, shigh[SP_TILE_VOXELS] = {0};
    sp_flow_solid_velocity(e->solids, e->tiles, t, axis, slow, shigh);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        low->flux[n] = low->open[n] * low->flux[n] + (1.0f - low->open[n]) * slow[n];
        high->flux[n] = high->open[n] * high->flux[n] + (1.0f - high->open[n]) * shigh[n];
    }
}

/// Adds the terms of faces to fixed cells: `extra` on the diagonal, the known x on the right side.
static void add_fixed(const sp_flow_equation *e, const float *restrict level,
                      const float *restrict jump, const one_side *restrict side,
                      float *restrict extra, float *restrict b)
{
    const float scale = e->jump_scale, *restrict coefficient = side->coefficient;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float c = level[n], m = side->level[n];
        const bool fixed = (c < 0.0f) & (m >= 0.0f) & (m < INFINITY);
        const float theta = sp_flow_theta(c, m), a = fixed ? coefficient[n] / theta : 0.0f;
        const float between = jump ? jump[n] + theta * (side->jump[n] - jump[n]) : 0.0f;
        extra[n] += a;
        b[n] += fixed ? a * (side->fixed[n] + scale * between) : 0.0f;
    }
}

static void begin_b(const sp_flow_equation *e, uint32_t t, float *b)
{
    if (e->source)
        memcpy(b, e->source + (size_t)t * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *b);
    else
        memset(b, 0, SP_TILE_VOXELS * sizeof *b);
}

static void assemble_row(const sp_flow_system *y, uint32_t t)
{
    const sp_flow_equation *e = &y->equation;
    const size_t first = (size_t)t * SP_TILE_VOXELS, row = (size_t)y->row[t] * SP_TILE_VOXELS;
    const float *restrict level = e->level + first, *jump = e->jump ? e->jump + first : NULL;
    float *restrict b = y->b + first, *restrict extra = y->extra + row;
    memset(extra, 0, SP_TILE_VOXELS * sizeof *extra);
    begin_b(e, t, b);
    one_side low, high;
    for (int axis = 0; axis < 3; ++axis) {
        float *restrict face = y->face[axis] + row;
        look_across(e, t, axis, -1, &low);
        look_across(e, t, axis, 1, &high);
        find_fluxes(e, t, axis, &low, &high);
        find_coefficients(e, t, axis, false, &low);
        find_coefficients(e, t, axis, true, &high);
        const float *restrict coefficient = low.coefficient;
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            face[n] = ((level[n] < 0.0f) & (low.level[n] < 0.0f)) ? coefficient[n] : 0.0f;
            b[n] += low.flux[n] - high.flux[n];
        }
        add_fixed(e, level, jump, &low, extra, b);
        add_fixed(e, level, jump, &high, extra, b);
    }
    float excess[SP_TILE_VOXELS];
    if (e->solids && sp_flow_solid_excess(e->solids, e->tiles, t, excess))
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            b[n] -= excess[n];
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        b[n] = level[n] < 0.0f ? b[n] : 0.0f;
}

static void assemble_full(const sp_flow_system *y, uint32_t t)
{
    const sp_flow_equation *e = &y->equation;
    float *restrict b = y->b + (size_t)t * SP_TILE_VOXELS;
    begin_b(e, t, b);
    for (int axis = 0; axis < 3 && e->flux[axis]; ++axis) {
        float high[SP_TILE_VOXELS];
        const float *restrict low = e->flux[axis] + (size_t)t * SP_TILE_VOXELS;
        sp_tiles_shift(e->tiles, e->flux[axis], t, axis, 1, 0.0f, high);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            b[n] += low[n] - high[n];
    }
}

static void assemble(void *arg, size_t begin, size_t end)
{
    const sp_flow_system *y = arg;
    for (size_t t = begin; t < end; ++t) {
        if (y->row[t] == SP_POISSON_EMPTY)
            memset(y->b + t * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof *y->b);
        else if (y->row[t] == SP_POISSON_FULL)
            assemble_full(y, (uint32_t)t);
        else
            assemble_row(y, (uint32_t)t);
    }
}

/// ---- Assembly ----------------------------------------------------------------------------------

static sp_status no_memory(const sp_tiles *tiles, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "flow: no memory for the pressure of %zu tiles",
                   tiles->count);
}

sp_status sp_flow_system_make(const sp_flow_equation *equation, sp_scratch *scratch,
                              sp_flow_system *system, sp_error *err)
{
    const sp_tiles *tiles = equation->tiles;
    sp_flow_system *y = system;
    *y = (sp_flow_system){.equation = *equation};
    y->b = sp_scratch_array(scratch, float, tiles->count *SP_TILE_VOXELS);
    y->state = sp_scratch_array(scratch, uint8_t, tiles->count);
    y->row = sp_scratch_array(scratch, uint32_t, tiles->count);
    if (!y->b || !y->state || !y->row) return no_memory(tiles, err);
    sp_tiles_parallel(tiles, find_states, y);
    number_rows(y);
    const size_t values = y->rows * SP_TILE_VOXELS;
    y->extra = sp_scratch_array(scratch, float, values);
    for (int a = 0; a < 3; ++a)
        y->face[a] = sp_scratch_array(scratch, float, values);
    if (!y->extra || !y->face[0] || !y->face[1] || !y->face[2]) return no_memory(tiles, err);
    sp_tiles_parallel(tiles, assemble, y);
    return SP_OK;
}

sp_status sp_flow_system_solve(const sp_flow_system *system, sp_poisson *poisson, float *x,
                               sp_poisson_report *report, sp_error *err)
{
    const sp_poisson_system taken = {.tiles = system->equation.tiles,
                                     .row = system->row,
                                     .rows = system->rows,
                                     .face = {system->face[0], system->face[1], system->face[2]},
                                     .extra = system->extra};
    SP_TRY(sp_poisson_build(poisson, &taken, err));
    return sp_poisson_solve(poisson, system->b, x, report, err);
}
