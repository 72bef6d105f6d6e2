// SPDX-License-Identifier: Apache-2.0
/// The water as a particle sees it (P3): bilinear samples of the staggered grid.
#include "pond/internal.h"

/// Where a sample sits between two nodes of one axis, clamped to [0, last].
typedef struct between {
    int32_t low;
    float share;
} between;

static inline between locate(float at, int32_t last)
{
    const float clamped = sp_clamp(at, 0.0f, (float)last);
    int32_t low = (int32_t)clamped;
    low = low < last ? low : last - 1;
    return (between){low, clamped - (float)low};
}

static inline float blend(const float *at, size_t stride, float sx, float sy)
{
    const float low = at[0] + (at[1] - at[0]) * sx;
    const float high = at[stride] + (at[stride + 1] - at[stride]) * sx;
    return low + (high - low) * sy;
}

/// Differences of quanta are exact integers, so the blend starts from one corner.
static inline float blend_quanta(const int32_t *q, const int32_t *b, size_t stride, float sx,
                                 float sy)
{
    const int32_t base = q[0] + b[0];
    const float e = (float)(q[1] + b[1] - base), n = (float)(q[stride] + b[stride] - base);
    const float d = (float)(q[stride + 1] + b[stride + 1] - base);
    const float low = e * sx, high = n + (d - n) * sx;
    return (float)base + (low + (high - low) * sy);
}

float pond_level_at(const pond_water *w, float x, float y)
{
    const between i = locate(x / w->dx - 0.5f, w->nx - 1), j = locate(y / w->dx - 0.5f, w->ny - 1);
    const size_t c = pond_cell(w, i.low, j.low);
    return blend_quanta(w->q + c, w->b + c, w->stride, i.share, j.share) * w->quantum;
}

pond_flow pond_flow_at(const pond_water *w, float x, float y)
{
    const float fx = x / w->dx, fy = y / w->dx;
    const between i = locate(fx - 0.5f, w->nx - 1), j = locate(fy - 0.5f, w->ny - 1);
    const between iu = locate(fx, w->nx), jv = locate(fy, w->ny);
    const size_t c = pond_cell(w, i.low, j.low);
    const int32_t b = w->b[c]; // the bed only bounds the flow from below: its cell value will do
    return (pond_flow){
        .level = blend_quanta(w->q + c, w->b + c, w->stride, i.share, j.share) * w->quantum,
        .bed = (float)b * w->quantum,
        .vx = blend(w->u + pond_cell(w, iu.low, j.low), w->stride, iu.share, j.share),
        .vy = blend(w->v + pond_cell(w, i.low, jv.low), w->stride, i.share, jv.share),
        .eta_dot = blend(w->eta_dot + c, w->stride, i.share, j.share),
    };
}

/// T07 scales velocities down exponentially below the surface without a length, and takes metres
/// for a vertical velocity. Here: E = exp(-depth / depth_decay), and the surface's own speed times
/// E and the height above the bed, so that nothing flows through the floor.
sp_vec3 pond_velocity_at(const sp_pond *pond, const pond_flow *flow, float z)
{
    const float below = flow->level - z, decay = pond->def.depth_decay;
    const float e = decay > 0.0f ? sp_fade(-below / decay) : 1.0f;
    const float depth = flow->level - flow->bed;
    const float up = depth > 1e-6f ? sp_clamp((z - flow->bed) / depth, 0.0f, 1.0f) : 0.0f;
    return (sp_vec3){flow->vx * e, flow->vy * e, flow->eta_dot * e * up};
}

void sp_pond_sample(const sp_pond *pond, size_t n, const float *xy, sp_pond_flow *out)
{
    for (size_t k = 0; k < n; ++k) {
        const pond_flow flow = pond_flow_at(&pond->water, xy[2 * k], xy[2 * k + 1]);
        const float depth = flow.level - flow.bed;
        out[k] =
            (sp_pond_flow){flow.level, depth > 0.0f ? depth : 0.0f, flow.vx, flow.vy, flow.eta_dot};
    }
}
