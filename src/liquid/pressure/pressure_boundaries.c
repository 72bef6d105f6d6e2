// SPDX-License-Identifier: Apache-2.0
/// Classifies voxels for the pressure equation: water, air, beyond an open side, or pinned.
#include "liquid/pressure/pressure_boundaries.h"

typedef struct marking {
    const liquid_equation_def *d;
    float *level;
    float *fixed; ///< NULL: 0 everywhere
} marking;

/// ---- Open sides --------------------------------------------------------------------------------

/// Speed of the water that enters through the side right beside a voxel, m/s.
static double inflow_at(const liquid_grid *g, uint32_t tile, int place, const int first[3],
                        const int last[3])
{
    static const int step[3] = {1, 8, 64},
                     above[3] = {SP_TILES_SELF + 1, SP_TILES_SELF + 3, SP_TILES_SELF + 9};
    const int at[3] = {place & 7, place >> 3 & 7, place >> 6};
    const size_t here = (size_t)tile * SP_TILE_VOXELS;
    double most = 0.0;
    for (int a = 0; a < 3; a += 2) { // not through the bottom or the top
        const uint32_t next = g->tiles.around[tile][above[a]];
        const bool inside = at[a] < 7;
        if (at[a] == last[a] + 1) most = fmax(most, -(double)g->u[a][here + (size_t)place]);
        if (at[a] + 1 != first[a] || (!inside && next == SP_NO_TILE)) continue;
        const size_t high = inside ? here + (size_t)(place + step[a])
                                   : (size_t)next * SP_TILE_VOXELS + (size_t)(place - 7 * step[a]);
        most = fmax(most, (double)g->u[a][high]);
    }
    return most;
}

/// q at a voxel's centre beyond an open side: that of water at rest, 0 above the level. Entering
/// water was at rest outside, so its pressure is lower by u^2/2 (Bernoulli). Without that term it
/// would add energy, and a basin beside a level would oscillate for ever.
static float q_outside(const liquid_equation_def *d, uint32_t tile, int place, double inflow)
{
    double p[3], g = 0.0;
    liquid_voxel_center(d->grid, tile, place, p);
    for (int a = 0; a < 3; ++a)
        g += (double)d->gravity[a] * (double)d->gravity[a];
    const double depth = (double)d->def->sides.level - p[1];
    const double head = sqrt(g) * depth - 0.5 * inflow * inflow;
    return depth > 0.0 ? (float)(head * d->dt / (double)d->grid->voxel) : 0.0f;
}

static void mark_beyond(const marking *m, uint32_t t)
{
    const liquid_grid *g = m->d->grid;
    int first[3], last[3];
    if (!liquid_inside_span(g, m->d->def, t, first, last)) return;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        if (!liquid_is_beyond(n, first, last)) continue;
        const size_t v = (size_t)t * SP_TILE_VOXELS + (size_t)n;
        m->level[v] = 0.0f;
        if (m->fixed) m->fixed[v] = q_outside(m->d, t, n, inflow_at(g, t, n, first, last));
    }
}

/// ---- All of it ---------------------------------------------------------------------------------

static void mark_pinned(const marking *m, uint32_t t)
{
    const uint64_t *pinned = m->d->grid->pinned[t];
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        if (sp_tile_mask_has(pinned, n))
            m->level[(size_t)t * SP_TILE_VOXELS + (size_t)n] = INFINITY;
}

static void mark_tiles(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    const size_t bytes = SP_TILE_VOXELS * sizeof(float);
    for (size_t t = begin; t < end; ++t) {
        memcpy(m->level + t * SP_TILE_VOXELS, m->d->grid->phi + t * SP_TILE_VOXELS, bytes);
        if (m->fixed) memset(m->fixed + t * SP_TILE_VOXELS, 0, bytes);
        mark_beyond(m, (uint32_t)t);
        if (m->d->pins) mark_pinned(m, (uint32_t)t);
    }
}

sp_status liquid_equation_make(const liquid_equation_def *d, sp_scratch *scratch,
                               sp_flow_equation *equation, sp_error *err)
{
    const liquid_grid *g = d->grid;
    const sp_liquid_def *def = d->def;
    const size_t voxels = g->tiles.count * SP_TILE_VOXELS;
    const bool still = liquid_has_level(def), bends = def->surface_tension > 0.0f;
    marking m = {.d = d, .level = sp_scratch_array(scratch, float, voxels)};
    if (still) m.fixed = sp_scratch_array(scratch, float, voxels);
    float *kappa = bends ? sp_scratch_array(scratch, float, voxels) : NULL;
    if (!m.level || (still && !m.fixed) || (bends && !kappa))
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the pressure of %zu tiles",
                       g->tiles.count);
    if (kappa) sp_levelset_curvature(&g->tiles, g->phi, g->band, 1.0f, kappa);
    sp_tiles_parallel(&g->tiles, mark_tiles, &m);
    const double tension = (double)def->surface_tension, density = (double)def->density;
    *equation =
        (sp_flow_equation){.tiles = &g->tiles,
                           .solids = d->solids,
                           .level = m.level,
                           .level_outside = g->band,
                           .fixed = m.fixed,
                           .jump = kappa,
                           .jump_scale = (float)(tension * d->dt / (density * (double)g->voxel)),
                           .flux = {g->u[0], g->u[1], g->u[2]}};
    return SP_OK;
}
