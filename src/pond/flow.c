// SPDX-License-Identifier: Apache-2.0
/// The water as a particle sees it (P3): bilinear samples of the staggered grid.
#include "pond/internal.h"

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
