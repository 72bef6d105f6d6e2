// SPDX-License-Identifier: Apache-2.0
/// What a vector differs from its mean over the 5x5x5 voxels around, of those that are known.
#include "bulk/internal.h"
#include "tiles/patch.h"

#include <string.h>

enum { REACH = 2, EDGE = SP_TILE + 2 * REACH, PATCH = EDGE * EDGE * EDGE };

/// Sums of 2 REACH + 1 values along each axis in turn, at the middle of the patch. Changes `values`.
static void sum_box(float values[PATCH], float out[SP_TILE_VOXELS])
{
    static const int stride[3] = {1, EDGE, EDGE * EDGE};
    float other[PATCH] = {0}, *from = values, *to = other;
    for (int axis = 0; axis < 3; ++axis) {
        const int reach = REACH * stride[axis];
        for (int n = reach; n < PATCH - reach; ++n) { // sums across the ends of rows are not used
            float sum = 0.0f;
            for (int step = -REACH; step <= REACH; ++step)
                sum += from[n + step * stride[axis]];
            to[n] = sum;
        }
        float *last = from;
        from = to;
        to = last;
    }
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        out[n] = from[(n & 7) + REACH + EDGE * ((n >> 3 & 7) + REACH) +
                      EDGE * EDGE * ((n >> 6) + REACH)];
}

typedef struct averaging {
    const sp_tiles *tiles;
    const float *from;
    float *out;
} averaging;

static void subtract_mean(void *arg, size_t begin, size_t end)
{
    const averaging *a = arg;
    float values[PATCH], known[PATCH], sum[SP_TILE_VOXELS], count[SP_TILE_VOXELS];
    for (size_t t = begin; t < end; ++t) {
        const float *from = a->from + t * SP_TILE_VOXELS;
        float *out = a->out + t * SP_TILE_VOXELS;
        sp_tiles_patch(a->tiles, a->from, (uint32_t)t, REACH, NAN, values);
        for (int n = 0; n < PATCH; ++n) {
            known[n] = isnan(values[n]) ? 0.0f : 1.0f;
            values[n] = isnan(values[n]) ? 0.0f : values[n];
        }
        sum_box(values, sum);
        sum_box(known, count);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            out[n] = from[n] - sum[n] / fmaxf(count[n], 1.0f);
    }
}

sp_status bulk_subtract_local_mean(const sp_tiles *tiles, float *const vector[3], sp_error *err)
{
    float *copy = sp_tiles_field(tiles, 0.0f);
    if (!copy) return sp_fail(err, SP_NO_MEMORY, "bulk: no memory for %zu tiles", tiles->count);
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(copy, vector[axis], tiles->count * SP_TILE_VOXELS * sizeof *copy);
        sp_tiles_parallel(tiles, subtract_mean, &(averaging){tiles, copy, vector[axis]});
    }
    sp_release(tiles->host, copy);
    return SP_OK;
}
