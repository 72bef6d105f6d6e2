// SPDX-License-Identifier: Apache-2.0
/// Water at particles (P3): bilinear samples of the staggered grid.
#include "pond/internal.h"

/// ---- Many points -------------------------------------------------------------------------------

enum { SOME = 64 }; ///< points in one batch

/// pond_locate() for many points along one axis; the first node is `offset` cells from the wall.
static void locate_some(size_t n, float per_dx, float offset, int32_t last, const float *restrict x,
                        int32_t *restrict low, float *restrict share)
{
    const float most = (float)last;
    for (size_t i = 0; i < n; ++i) {
        const float at = x[i] * per_dx - offset, floored = at > 0.0f ? at : 0.0f,
                    inside = floored < most ? floored : most;
        const int32_t whole = (int32_t)inside, node = whole < last ? whole : last - 1;
        low[i] = node;
        share[i] = inside - (float)node;
    }
}

/// Positions are located in vectors. The loads are scalar, because gather loads are no faster. Level
/// ground is not read; `level` is a constant wherever this is inlined.
SP_INLINE void flow_some(const pond_water *w, bool level, size_t n, const float *x, const float *y,
                         const uint32_t *to, pond_flows out)
{
    const int32_t ground = w->b[pond_cell(w, 0, 0)];
    const int32_t here[2] = {ground, ground};
    int32_t i[SOME], j[SOME], iu[SOME], jv[SOME];
    float si[SOME], sj[SOME], siu[SOME], sjv[SOME];
    locate_some(n, w->per_dx, 0.5f, w->nx - 1, x, i, si);
    locate_some(n, w->per_dx, 0.5f, w->ny - 1, y, j, sj);
    locate_some(n, w->per_dx, 0.0f, w->nx, x, iu, siu);
    locate_some(n, w->per_dx, 0.0f, w->ny, y, jv, sjv);
    for (size_t k = 0; k < n; ++k) {
        const size_t c = pond_cell(w, i[k], j[k]), p = to[k];
        const int32_t *b = level ? here : w->b + c;
        const size_t up = level ? 0 : w->stride; // to the next row of the ground
        out.level[p] = pond_blend_quanta(w->q + c, b, w->stride, up, si[k], sj[k]) * w->quantum;
        out.bed[p] = (level ? (float)ground : pond_blend_bed(b, up, si[k], sj[k])) * w->quantum;
        out.vx[p] = pond_blend(w->u + pond_cell(w, iu[k], j[k]), w->stride, siu[k], sj[k]);
        out.vy[p] = pond_blend(w->v + pond_cell(w, i[k], jv[k]), w->stride, si[k], sjv[k]);
        out.eta_dot[p] = pond_blend(w->eta_dot + c, w->stride, si[k], sj[k]);
    }
}

/// Samples in cell order, so that neighbouring samples share cache lines of the grid.
void pond_flow_many(const pond_water *w, const sp_cells *cells, size_t begin, size_t end,
                    const float *x, const float *y, pond_flows out)
{
    for (size_t at = begin; at < end; at += SOME) {
        const size_t n = end - at < SOME ? end - at : SOME;
        const uint32_t *order = cells->order + at;
        float sorted_x[SOME], sorted_y[SOME];
        for (size_t k = 0; k < n; ++k) {
            sorted_x[k] = x[order[k]];
            sorted_y[k] = y[order[k]];
        }
        if (w->level_ground)
            flow_some(w, true, n, sorted_x, sorted_y, order, out);
        else
            flow_some(w, false, n, sorted_x, sorted_y, order, out);
    }
}

/// ---- One point ---------------------------------------------------------------------------------

/// T07 scales velocities down exponentially below the surface without a length scale, and uses
/// metres as a vertical velocity. Here E = exp(-depth / depth_decay). The vertical velocity is that
/// of the surface times E and the relative height above the bed, so that nothing flows through the
/// floor.
sp_vec3 pond_velocity_at(const sp_pond *pond, const pond_flow *flow, float z)
{
    const float below = flow->level - z, decay = pond->def.depth_decay;
    const float e = decay > 0.0f && below > 0.0f ? sp_expf(-below / decay) : 1.0f;
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
