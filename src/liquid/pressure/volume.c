// SPDX-License-Identifier: Apache-2.0
/// Measures the volume of water, compares it with the wanted volume, and moves the surface to
/// match.
///
/// Spray that lands changes the volume of phi within a step, faster than a divergence could correct
/// invisibly. Where nothing flows in or out the volume is known, and with volume_correction the
/// surface is moved along its normal until phi has that volume. Without particles this restores
/// what is lost in sheets that are too thin for the grid.
#include "liquid/pressure/volume.h"

/// ---- Shares of voxels --------------------------------------------------------------------------

/// Open share of a voxel from its corners: the mean of two cuts across z, at Gauss points, so that
/// a wall that coincides with a side removes nothing.
static float open_volume(const float *corner)
{
    static const int eight[8] = {0, 1, 9, 10, 81, 82, 90, 91};
    int open = 0, closed = 0;
    for (int c = 0; c < 8; ++c) {
        open += corner[eight[c]] > 0.0f;
        closed += corner[eight[c]] < 0.0f;
    }
    if (open == 8 || closed == 8) return open ? 1.0f : 0.0f;
    static const float place[2] = {0.21132487f, 0.78867513f};
    static const int around[4] = {0, 1, 10, 9};
    float sum = 0.0f;
    for (int cut = 0; cut < 2; ++cut) {
        float psi[4];
        for (int c = 0; c < 4; ++c)
            psi[c] = sp_mix(corner[around[c]], corner[around[c] + 81], place[cut]);
        sum += 0.5f * sp_face_open(psi[0], psi[1], psi[2], psi[3]);
    }
    return sum;
}

/// Water beyond an open side does not count: particles that enter it are removed.
static void leave_out_beyond(const liquid_grid *g, const sp_liquid_def *def, size_t t,
                             float share[SP_TILE_VOXELS])
{
    int first[3], last[3];
    if (!liquid_inside_span(g, def, t, first, last)) return;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        if (liquid_is_beyond(n, first, last)) share[n] = 0.0f;
}

void liquid_find_shares(const liquid_grid *g, const sp_flow_solids *solids,
                        const sp_liquid_def *def, size_t t, float share[SP_TILE_VOXELS])
{
    const float *phi = g->phi + t * SP_TILE_VOXELS, per_voxel = 1.0f / g->voxel;
    const uint32_t row = solids->row[t];
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        share[n] =
            row == SP_FLOW_TILE_SOLID ? 0.0f : sp_clamp(0.5f - phi[n] * per_voxel, 0.0f, 1.0f);
    for (int n = 0; n < SP_TILE_VOXELS && sp_flow_is_row(row); ++n) {
        if (share[n] == 0.0f) continue;
        const float *corner = solids->tile[row].psi + (n & 7) + 9 * (n >> 3 & 7) + 81 * (n >> 6);
        share[n] *= open_volume(corner);
    }
    leave_out_beyond(g, def, t, share);
}

/// ---- How much there should be ------------------------------------------------------------------

bool liquid_is_closed(const sp_liquid_def *def, size_t emitters, size_t sinks)
{
    int kind[6];
    liquid_side_kinds(&def->sides, kind);
    bool closed = emitters == 0 && sinks == 0;
    for (int side = 0; side < 6; ++side)
        closed &= kind[side] != SP_LIQUID_OPEN || side == SP_SIDE_TOP;
    return closed;
}

double liquid_wanted_volume(const sp_liquid_def *def, const sp_liquid_figures *f)
{
    const double went = (double)(f->drained + f->left + f->stuck);
    return f->start_volume - f->outflow + f->air_volume +
           ((double)f->emitted - went) * liquid_voxel_volume(def) / (double)def->particles_per_cell;
}

double liquid_volume_rate(const sp_liquid_def *def, double missing)
{
    const double time = 0.05, most = 0.5; // s to correct it in; 1/s, more would be visible
    return fmin(most, fmax(-most, (double)def->volume_correction * missing / time));
}

/// ---- How much there is -------------------------------------------------------------------------

typedef struct summing {
    const liquid_grid *grid;
    const sp_flow_solids *solids;
    const sp_liquid_def *def;
    double (*sum)[2]; ///< by tile: voxels of water, and how many a shift by a voxel would add
} summing;

static void sum_shares(void *arg, size_t begin, size_t end)
{
    const summing *h = arg;
    const float per_voxel = 1.0f / h->grid->voxel;
    float share[SP_TILE_VOXELS];
    for (size_t t = begin; t < end; ++t) {
        const float *phi = h->grid->phi + t * SP_TILE_VOXELS;
        double sum[2] = {0};
        liquid_find_shares(h->grid, h->solids, h->def, t, share);
        for (int v = 0; v < SP_TILE_VOXELS; ++v) {
            const float full = 0.5f - phi[v] * per_voxel; // of a voxel without solids
            sum[0] += (double)share[v];
            sum[1] += full > 0.0f && full < 1.0f ? (double)(share[v] / full) : 0.0;
        }
        memcpy(h->sum[t], sum, sizeof sum);
    }
}

/// Voxels of water, and how many more if the surface moves out by a voxel. False: no memory.
static bool measure(const liquid_grid *g, const sp_flow_solids *solids, const sp_liquid_def *def,
                    sp_scratch *scratch, double *voxels, double *rim)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    summing h = {g, solids, def, sp_scratch_take(scratch, g->tiles.count, sizeof *h.sum)};
    *voxels = *rim = 0.0;
    if (h.sum) {
        sp_tiles_parallel(&g->tiles, sum_shares, &h);
        *voxels = sp_exact_total(h.sum[0], g->tiles.count, 2);
        *rim = sp_exact_total(h.sum[0] + 1, g->tiles.count, 2);
    }
    sp_scratch_rewind(scratch, mark);
    return h.sum != NULL;
}

double liquid_missing(const liquid_grid *g, const sp_flow_solids *solids, const sp_liquid_def *def,
                      const sp_liquid_figures *figures, sp_scratch *scratch)
{
    double voxels, rim;
    if (def->volume_correction <= 0.0f || !measure(g, solids, def, scratch, &voxels, &rim) ||
        voxels <= 0.0)
        return 0.0;
    return liquid_wanted_volume(def, figures) / (voxels * liquid_voxel_volume(def)) - 1.0;
}

/// ---- The surface moved -------------------------------------------------------------------------

typedef struct shifting {
    liquid_grid *grid;
    float by; ///< m
} shifting;

static void shift_tiles(void *arg, size_t begin, size_t end)
{
    const shifting *h = arg;
    const float band = h->grid->band;
    float *phi = h->grid->phi;
    for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
        phi[i] = fmaxf(-band, fminf(phi[i] - h->by, band));
}

sp_status liquid_correct_volume(liquid_grid *g, const sp_flow_solids *solids,
                                const sp_liquid_def *def, const sp_liquid_figures *figures,
                                bool closed, sp_scratch *scratch, sp_error *err)
{
    double voxels, rim;
    if (def->volume_correction <= 0.0f || !closed) return SP_OK;
    if (!measure(g, solids, def, scratch, &voxels, &rim))
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to correct the volume");
    if (rim <= 0.0) return SP_OK;
    const double wanted = liquid_wanted_volume(def, figures) / liquid_voxel_volume(def);
    const double farthest = 0.25; // voxels: more would be visible
    const double by = (double)def->volume_correction * (wanted - voxels) / rim;
    shifting h = {g, g->voxel * (float)fmin(farthest, fmax(-farthest, by))};
    sp_tiles_parallel(&g->tiles, shift_tiles, &h);
    return SP_OK;
}
