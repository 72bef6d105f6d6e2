// SPDX-License-Identifier: Apache-2.0
/// Finds velocities that are not finite. The check runs once, at the end of a substep. If it fails,
/// the fields of the earlier stages show where the first bad value appeared.
#include "liquid/internal.h"

typedef struct finding {
    const float *values;
    uint8_t *bad; ///< by tile
} finding;

static void look_for_nan(void *arg, size_t begin, size_t end)
{
    const finding *f = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *restrict x = f->values + t * SP_TILE_VOXELS;
        int bad = 0;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            bad |= !(fabsf(x[n]) < INFINITY);
        f->bad[t] = (uint8_t)bad;
    }
}

/// The first value that is not a number: its tile, and its voxel in *place; SP_NO_TILE: none.
static uint32_t find_in(const sp_tiles *tiles, const float *values, uint8_t *bad, int *place)
{
    finding f = {values, bad};
    sp_tiles_parallel(tiles, look_for_nan, &f);
    for (size_t t = 0; t < tiles->count; ++t)
        for (int n = 0; bad[t] && n < SP_TILE_VOXELS; ++n)
            if (!(fabsf(values[t * SP_TILE_VOXELS + (size_t)n]) < INFINITY)) {
                *place = n;
                return (uint32_t)t;
            }
    return SP_NO_TILE;
}

/// The first stage whose field holds a value that is not a number, and where that value is.
static int find_stage(const liquid *s, uint8_t *bad, uint32_t *tile, int *place)
{
    const struct {
        const float *values;
        int stage;
    } looks[] = {{s->grid.phi, SP_LIQUID_STAGE_SURFACE},
                 {s->grid.u_unforced[0], SP_LIQUID_STAGE_SPLAT},
                 {s->grid.u_unforced[1], SP_LIQUID_STAGE_SPLAT},
                 {s->grid.u_unforced[2], SP_LIQUID_STAGE_SPLAT},
                 {liquid_latest_q(s), SP_LIQUID_STAGE_PROJECT}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; ++i) {
        uint32_t there;
        int n;
        if (!looks[i].values) continue;
        there = find_in(&s->grid.tiles, looks[i].values, bad, &n);
        if (there == SP_NO_TILE) continue;
        *tile = there;
        *place = n;
        if (looks[i].stage == SP_LIQUID_STAGE_SPLAT && !liquid_has_particles(&s->def))
            return SP_LIQUID_STAGE_ADVECT;
        return looks[i].stage;
    }
    return SP_LIQUID_STAGE_EXTRAPOLATE;
}

static sp_status say(const liquid *s, uint8_t *bad, uint32_t tile, int place, sp_error *err)
{
    const int stage = find_stage(s, bad, &tile, &place);
    const int32_t *at = s->grid.tiles.at[tile];
    double p[3];
    liquid_voxel_center(&s->grid, tile, place, p);
    return sp_fail(err, SP_DIVERGED,
                   "liquid: step %d of the frame, t = %.5g s, stage '%s': not a number at voxel "
                   "(%d, %d, %d), (%.4g, %.4g, %.4g) m; check what emits and moves there",
                   s->frame_steps, s->time, sp_liquid_stage_name(stage),
                   SP_TILE * at[0] + (place & 7), SP_TILE * at[1] + (place >> 3 & 7),
                   SP_TILE * at[2] + (place >> 6), p[0], p[1], p[2]);
}

sp_status liquid_check_finite(liquid *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    uint8_t *bad = sp_scratch_array(&s->scratch, uint8_t, s->grid.tiles.count);
    sp_status status = SP_OK;
    for (int a = 0; bad && a < 3 && status == SP_OK; ++a) {
        int place;
        const uint32_t tile = find_in(&s->grid.tiles, s->grid.u[a], bad, &place);
        if (tile != SP_NO_TILE) status = say(s, bad, tile, place, err);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
