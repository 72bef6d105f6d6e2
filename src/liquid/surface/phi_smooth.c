// SPDX-License-Identifier: Apache-2.0
/// Removes the roughness of particles from phi, where there is a narrow band.
///
/// With particles at random places, a surface from the particles within two voxels has a roughness
/// of 0.05 voxel rms and 0.2 at most, whatever the formula: they hold no more information. Two more
/// facts are known.
///
/// 1. The surface is smooth. phi, once redistanced, is replaced by the value of the parabolas that
/// fit it best along nine voxels of each axis (Savitzky and Golay 1964),
///
///     S = S_x S_y S_z,
///     S_x f = (59 f_0 + 54 (f_-1 + f_1) + 39 (f_-2 + f_2) + 14 (f_-3 + f_3) - 21 (f_-4 + f_4))/231,
///
/// which keep planes and balls in place: the error is of fourth order. (Means with positive weights
/// that smooth as much would shrink a ball of radius 8 by 0.06 voxel or more.) Half of the
/// roughness is left.
///
/// 2. The surface was advected. The phi that the grid advected has none of the roughness; particles
/// outvote it within 0.2 s. (S is not applied to the advected phi: its small errors would add up. A
/// wave of 32 voxels became 6 % slower.)
///
/// Walls are no surface, and phi in them is little more than a guess: S is not applied within two
/// voxels of walls.
///
/// Thin, small or sudden features are no roughness. Four voxels away along the axes there must be
/// water on one side and air on the other. Changes above a quarter of a voxel are reduced, and
/// changes above half a voxel are not made.
#include "liquid/internal.h"

enum { PAD = 4, EDGE = SP_TILE + 2 * PAD };

static const float fade = 0.5f;                 // voxels
static const float small = 0.25f, large = 0.5f; // voxels: changes made in full; not at all
static const double memory = 0.2;               // s

/// The fit at n consecutive places; neighbours are `step` apart.
static void fit(const float *restrict f, int step, int n, float *restrict out)
{
    for (int i = 0; i < n; ++i) {
        const float *c = f + i;
        const float first = c[-step] + c[step], second = c[-2 * step] + c[2 * step],
                    third = c[-3 * step] + c[3 * step], last = c[-4 * step] + c[4 * step];
        out[i] =
            ((59.0f * c[0] + 54.0f * first) + (39.0f * second + 14.0f * third) - 21.0f * last) *
            (1.0f / 231.0f);
    }
}

/// S of a tile, from a patch around it.
static void fit_tile(const float *patch, float out[SP_TILE_VOXELS])
{
    float z[EDGE * EDGE * SP_TILE], y[EDGE * SP_TILE * SP_TILE];
    fit(patch + PAD * EDGE * EDGE, EDGE * EDGE, EDGE * EDGE * SP_TILE, z);
    for (int k = 0; k < SP_TILE; ++k)
        fit(z + EDGE * (PAD + EDGE * k), EDGE, EDGE * SP_TILE, y + EDGE * SP_TILE * k);
    for (int row = 0; row < SP_TILE * SP_TILE; ++row)
        fit(y + PAD + EDGE * row, 1, SP_TILE, out + SP_TILE * row);
}

static float between_0_and_1(float x)
{
    return fminf(fmaxf(x, 0.0f), 1.0f);
}

/// The share of a change (voxels) that is made.
static float share_of(float change)
{
    return between_0_and_1((large - fabsf(change)) / (large - small));
}

/// Whether there are both water and air four voxels away, 0 to 1; c is a voxel in a patch.
static float breadth_of(const float *c, float per_voxel)
{
    static const int step[3] = {PAD, PAD * EDGE, PAD * EDGE * EDGE};
    float least = INFINITY, most = -INFINITY;
    for (int a = 0; a < 3; ++a) {
        least = fminf(least, fminf(c[-step[a]], c[step[a]]));
        most = fmaxf(most, fmaxf(c[-step[a]], c[step[a]]));
    }
    return between_0_and_1(2.0f * fminf(-least, most) * per_voxel - 0.5f);
}

/// Whether voxels of a tile are away from solids, 0 to 1.
static void look_for_walls(const sp_flow_solids *solids, float voxel, size_t t,
                           float open[SP_TILE_VOXELS])
{
    const uint32_t row = solids->row ? solids->row[t] : SP_FLOW_TILE_OPEN;
    const float per_voxel = 1.0f / voxel;
    if (!sp_flow_is_row(row)) {
        sp_tile_fill(open, row == SP_FLOW_TILE_OPEN ? 1.0f : 0.0f);
        return;
    }
    const sp_solid_tile *solid = &solids->tile[row];
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        open[n] = between_0_and_1(
            sp_flow_solid_depth(solid, n & 7, n >> 3 & 7, n >> 6) * per_voxel - 1.0f);
}

typedef struct smoothing {
    liquid_grid *grid;
    const sp_flow_solids *solids;
    float *out;
    bool *near;  ///< by tile: the surface is near, and `out` holds the new phi
    float reach; ///< voxels: phi is smoothed within this distance of the surface
    float kept;  ///< share of the advected phi
} smoothing;

static void smooth_tile(const smoothing *m, size_t t)
{
    const liquid_grid *g = m->grid;
    const float *restrict phi = g->phi + t * SP_TILE_VOXELS;
    const float *restrict carried = g->phi_advected + t * SP_TILE_VOXELS;
    float *restrict out = m->out + t * SP_TILE_VOXELS;
    const float per_voxel = 1.0f / g->voxel;
    float nearest = g->band, patch[EDGE * EDGE * EDGE], fitted[SP_TILE_VOXELS],
          open[SP_TILE_VOXELS];
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        nearest = fminf(nearest, fabsf(phi[n]));
    m->near[t] = nearest * per_voxel < m->reach + fade;
    if (!m->near[t]) return;
    sp_tiles_patch(&g->tiles, g->phi, (uint32_t)t, PAD, g->band, patch);
    fit_tile(patch, fitted);
    look_for_walls(m->solids, g->voxel, t, open);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float *c =
            patch + ((n & 7) + PAD) + EDGE * (((n >> 3 & 7) + PAD) + EDGE * ((n >> 6) + PAD));
        const float near = between_0_and_1((m->reach + fade - fabsf(phi[n]) * per_voxel) / fade) *
                           breadth_of(c, per_voxel);
        const float smoother = fitted[n] - phi[n];
        const float smoothed = phi[n] + near * open[n] * share_of(smoother * per_voxel) * smoother;
        const float back = carried[n] - smoothed;
        out[n] = smoothed + near * share_of(back * per_voxel) * m->kept * back;
    }
}

static void smooth_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        smooth_tile(arg, t);
}

static void write_back(void *arg, size_t begin, size_t end)
{
    const smoothing *m = arg;
    for (size_t t = begin; t < end; ++t)
        if (m->near[t])
            memcpy(m->grid->phi + t * SP_TILE_VOXELS, m->out + t * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof *m->out);
}

sp_status liquid_phi_smooth(liquid_grid *g, const sp_flow_solids *solids, double dt,
                            sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    smoothing m = {.grid = g,
                   .solids = solids,
                   .out = sp_scratch_array(scratch, float, g->tiles.count *SP_TILE_VOXELS),
                   .near = sp_scratch_array(scratch, bool, g->tiles.count),
                   .kept = sp_expf((float)(-dt / memory))};
    // Half a voxel beyond this, the fit would read too much of phi clamped to the band. (One voxel
    // would be enough to find the surface, but not for the phi that is advected.)
    m.reach = fminf(g->band / g->voxel - (float)PAD + 0.5f, 1.5f);
    const bool enough = m.out && m.near;
    if (enough) {
        sp_tiles_parallel(&g->tiles, smooth_tiles, &m);
        sp_tiles_parallel(&g->tiles, write_back, &m);
    }
    sp_scratch_rewind(scratch, mark);
    return enough ? SP_OK : sp_fail(err, SP_NO_MEMORY, "liquid: no memory to smooth the surface");
}
