// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POND_WATER_WATER_AT_POINTS_H
#define SP_POND_WATER_WATER_AT_POINTS_H

/// Water at a point: bilinear samples of the staggered grid, inlined because every particle uses
/// them. internal.h includes this file at its end, after the types.

/// A position between two nodes of one axis, clamped to [0, last].
typedef struct pond_between {
    int32_t low;
    float share;
} pond_between;

SP_INLINE pond_between pond_locate(float at, int32_t last)
{
    const float clamped = sp_clamp(at, 0.0f, (float)last);
    int32_t low = (int32_t)clamped;
    low = low < last ? low : last - 1;
    return (pond_between){low, clamped - (float)low};
}

SP_INLINE float pond_blend(const float *at, size_t stride, float sx, float sy)
{
    const float low = at[0] + (at[1] - at[0]) * sx;
    const float high = at[stride] + (at[stride + 1] - at[stride]) * sx;
    return low + (high - low) * sy;
}

/// Bilinear in quanta. Differences to one corner are exact integers, so only these are blended. `up`
/// is the stride of b.
SP_INLINE float pond_blend_quanta(const int32_t *q, const int32_t *b, size_t stride, size_t up,
                                  float sx, float sy)
{
    const int32_t base = q[0] + b[0];
    const float e = (float)(q[1] + b[1] - base), n = (float)(q[stride] + b[up] - base);
    const float d = (float)(q[stride + 1] + b[up + 1] - base);
    const float low = e * sx, high = n + (d - n) * sx;
    return (float)base + (low + (high - low) * sy);
}

SP_INLINE float pond_blend_bed(const int32_t *b, size_t stride, float sx, float sy)
{
    const float west = (float)b[0], east = (float)b[1], north_west = (float)b[stride],
                north_east = (float)b[stride + 1];
    const float low = west + (east - west) * sx, high = north_west + (north_east - north_west) * sx;
    return low + (high - low) * sy;
}

SP_INLINE float pond_level_at(const pond_water *w, float x, float y)
{
    const pond_between i = pond_locate(x * w->per_dx - 0.5f, w->nx - 1),
                       j = pond_locate(y * w->per_dx - 0.5f, w->ny - 1);
    const size_t c = pond_cell(w, i.low, j.low);
    return pond_blend_quanta(w->q + c, w->b + c, w->stride, w->stride, i.share, j.share) *
           w->quantum;
}

SP_INLINE pond_flow pond_flow_at(const pond_water *w, float x, float y)
{
    const float fx = x * w->per_dx, fy = y * w->per_dx;
    const pond_between i = pond_locate(fx - 0.5f, w->nx - 1), j = pond_locate(fy - 0.5f, w->ny - 1);
    const pond_between iu = pond_locate(fx, w->nx), jv = pond_locate(fy, w->ny);
    const size_t c = pond_cell(w, i.low, j.low);
    return (pond_flow){
        .level = pond_blend_quanta(w->q + c, w->b + c, w->stride, w->stride, i.share, j.share) *
                 w->quantum,
        .bed = pond_blend_bed(w->b + c, w->stride, i.share, j.share) * w->quantum,
        .vx = pond_blend(w->u + pond_cell(w, iu.low, j.low), w->stride, iu.share, j.share),
        .vy = pond_blend(w->v + pond_cell(w, i.low, jv.low), w->stride, i.share, jv.share),
        .eta_dot = pond_blend(w->eta_dot + c, w->stride, i.share, j.share),
    };
}

#endif
