// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_TRACE_H
#define SP_FLOW_TRACE_H

/// Traces points along a velocity in the patches around a tile, one register of voxels at a time
/// (maccormack.c).

#include "flow/advect.h"
#include "tiles/patch.h"

enum { CELLS = SP_FLOW_CELLS }; ///< places 0, 1, 2 are faces

/// The patches of u around a tile, and the step. Patches are as wide along each axis as water moves
/// along it. Coordinates begin `pad` voxels before the tile along every axis, as in a patch that is
/// equally wide everywhere: rounding then does not depend on the shape.
typedef struct trace_patch {
    const float *u[3];
    sp_patch_box box;
    int edge, pad, place;
    int stride[3];
    int shift; ///< index in such a cube less index in the box
    float per_step, reach;
} trace_patch;

/// The spot in the box of a point in coordinates.
SP_INLINE sp_patch_spot find_spot(const trace_patch *w, sp_part x, sp_part y, sp_part z)
{
    sp_patch_spot s = sp_patch_find(w->edge, w->stride[2], x, y, z);
    s.at -= w->shift;
    return s;
}

/// ---- Tracing -----------------------------------------------------------------------------------

/// u at the positions of the field's values: each component is the mean of the nearest faces.
SP_INLINE void velocity_here(const trace_patch *w, int at, sp_part v[3])
{
    for (int b = 0; b < 3; ++b) {
        const float *p = w->u[b] + at;
        v[b] = sp_patch_rows(p, w->edge);
        if (b == w->place) continue;
        v[b] += sp_patch_rows(p + w->stride[b], w->edge);
        if (w->place == CELLS) {
            v[b] *= 0.5f;
        } else {
            p -= w->stride[w->place];
            v[b] += sp_patch_rows(p, w->edge) + sp_patch_rows(p + w->stride[b], w->edge);
            v[b] *= 0.25f;
        }
    }
}

/// Interpolation weights of the values along an axis.
typedef struct taps {
    int first, count;
    sp_part weight[3];
} taps;

/// For a point at `d` along an axis. With `off` (1 or -1: values sit half a voxel before or after):
/// the two values around it (|d| < 1/2); else the middle one and one to each side (|d| < 1).
SP_INLINE taps taps_of(sp_part d, int off)
{
    const sp_part zero = sp_part_all(0.0f), ahead = sp_part_max(d, zero),
                  behind = sp_part_max(-d, zero);
    if (off) return (taps){off > 0 ? 0 : -1, 2, {0.5f - d, 0.5f + d, zero}};
    return (taps){-1, 3, {behind, 1.0f - (ahead + behind), ahead}};
}

SP_INLINE sp_part row_of(const float *p, int edge, const taps *x)
{
    sp_part sum = x->weight[0] * sp_patch_rows(p, edge) + x->weight[1] * sp_patch_rows(p + 1, edge);
    if (x->count == 3) sum += x->weight[2] * sp_patch_rows(p + 2, edge);
    return sum;
}

SP_INLINE sp_part plane_of(const float *p, int edge, const taps *x, const taps *y)
{
    sp_part sum = y->weight[0] * row_of(p, edge, x) + y->weight[1] * row_of(p + edge, edge, x);
    if (y->count == 3) sum += y->weight[2] * row_of(p + 2 * edge, edge, x);
    return sum;
}

/// Values of a patch at `d` from the field's positions. |d| is less than a voxel, so values are
/// loaded directly instead of gathered. Unrolled by hand: compilers that do not unroll it take four
/// times as long.
SP_INLINE sp_part value_near(const float *patch, const trace_patch *w, const sp_part d[3],
                             int off_x, int off_y, int off_z)
{
    const taps x = taps_of(d[0], off_x), y = taps_of(d[1], off_y), z = taps_of(d[2], off_z);
    const int edge = w->edge, stride = w->stride[2];
    const float *p = patch + x.first + y.first * edge + z.first * stride;
    sp_part sum =
        z.weight[0] * plane_of(p, edge, &x, &y) + z.weight[1] * plane_of(p + stride, edge, &x, &y);
    if (z.count == 3) sum += z.weight[2] * plane_of(p + 2 * stride, edge, &x, &y);
    return sum;
}

/// u at `d` from the field's positions: each component sits half a voxel off along its own axis and
/// along that of the field's faces.
SP_INLINE void velocity_near(const trace_patch *w, int at, const sp_part d[3], int place,
                             sp_part v[3])
{
    const int x = place == 0 ? -1 : 0, y = place == 1 ? -1 : 0, z = place == 2 ? -1 : 0;
    v[0] = value_near(w->u[0] + at, w, d, x ? 0 : 1, x ? 0 : y, x ? 0 : z);
    v[1] = value_near(w->u[1] + at, w, d, y ? 0 : x, y ? 0 : 1, y ? 0 : z);
    v[2] = value_near(w->u[2] + at, w, d, z ? 0 : x, z ? 0 : y, z ? 0 : 1);
}

/// The same for any distance; g are the field's positions in its patch.
SP_INLINE void velocity_far(const trace_patch *w, const sp_part g[3], const sp_part d[3],
                            sp_part v[3])
{
    for (int b = 0; b < 3; ++b) {
        sp_part x[3] = {g[0] + d[0], g[1] + d[1], g[2] + d[2]}; // in the patch of component b
        if (b != w->place) {
            x[b] += 0.5f;
            if (w->place != CELLS) x[w->place] -= 0.5f;
        }
        v[b] = sp_patch_sample(w->u[b], w->edge, w->stride[2], find_spot(w, x[0], x[1], x[2]));
    }
}

SP_INLINE sp_part limited(sp_part v, float factor, float reach)
{
    const sp_part most = sp_part_all(reach);
    return sp_part_min(sp_part_max(v * factor, -most), most);
}

/// A displacement, and its end point in q's patch.
typedef struct displacement {
    sp_part d[3];
    sp_patch_spot end;
} displacement;

/// Departure point (sign -1) or arrival point (+1) of g in a step; g is in voxels of q's patch.
SP_INLINE displacement trace(const trace_patch *w, int at, const sp_part g[3], float sign)
{
    displacement to;
    sp_part v[3], half[3];
    velocity_here(w, at, v);
    for (int a = 0; a < 3; ++a)
        half[a] = limited(v[a], 0.5f * sign * w->per_step, 0.5f * w->reach);
    if (w->reach >= 1.0f)
        velocity_far(w, g, half, v);
    else if (w->place == 0) // a constant place: unrolled code for each
        velocity_near(w, at, half, 0, v);
    else if (w->place == 1)
        velocity_near(w, at, half, 1, v);
    else if (w->place == 2)
        velocity_near(w, at, half, 2, v);
    else
        velocity_near(w, at, half, CELLS, v);
    for (int a = 0; a < 3; ++a)
        to.d[a] = limited(v[a], sign * w->per_step, w->reach);
    to.end = find_spot(w, g[0] + to.d[0], g[1] + to.d[1], g[2] + to.d[2]);
    return to;
}

/// The value of a patch at the end of a displacement.
SP_INLINE sp_part value_at(const float *patch, const trace_patch *w, int at, const displacement *to)
{
    return w->reach < 1.0f ? value_near(patch + at, w, to->d, 0, 0, 0)
                           : sp_patch_sample(patch, w->edge, w->stride[2], to->end);
}

/// Index of a register's first value in a patch, and the coordinates of all its values.
SP_INLINE int locate(const trace_patch *w, int first, sp_part g[3])
{
    const int i = first % 8 + w->pad, j = first / 8 % 8 + w->pad, k = first / 64 + w->pad;
    sp_patch_voxels(first, g);
    for (int a = 0; a < 3; ++a)
        g[a] += (float)w->pad;
    return i + w->edge * j + w->stride[2] * k - w->shift;
}

/// Lowest and highest of the eight values around.
SP_INLINE void range_of(const sp_patch_corners *c, sp_part *low, sp_part *high)
{
    *low = *high = c->value[0];
    for (int n = 1; n < 8; ++n) {
        *low = sp_part_min(*low, c->value[n]);
        *high = sp_part_max(*high, c->value[n]);
    }
}

#endif
