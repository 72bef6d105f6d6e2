// SPDX-License-Identifier: Apache-2.0
/// 6  Crowded particles take a share of the grid's velocity of particles,
///
///     v += pic (1 - phi_w) o (ub(x_q) - v).
///
/// Nothing else damps motion within a large bubble that the grid does not resolve. Lone bubbles, with
/// water all around, are left alone.
#include "bubbles/internal.h"

typedef struct calming {
    bubbles *s;
    float *ub[3]; ///< m/s; at particles
} calming;

static void calm_particles(void *arg, size_t begin, size_t end)
{
    const calming *c = arg;
    const bubbles *s = c->s;
    const float pic = s->def.pic;
    for (int a = 0; a < 3; ++a) {
        float *restrict v = s->particles.v[a];
        const float *restrict share = s->at.share[a], *restrict ub = c->ub[a];
        for (size_t i = begin; i < end; ++i)
            v[i] += pic * (1.0f - share[i]) * (ub[i] - v[i]);
    }
}

/// Faces outside busy tiles have no velocity of particles.
static void clear_idle(void *arg, size_t begin, size_t end)
{
    const bubbles_grid *g = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; !bubbles_is_busy(g, t) && a < 3; ++a)
            sp_tile_fill(g->ub[a] + t * SP_TILE_VOXELS, 0.0f);
}

sp_status bubbles_damp_noise(bubbles *s, sp_error *err)
{
    const size_t n = s->particles.set.count;
    if (!(s->def.pic > 0.0f)) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    calming c = {.s = s};
    for (int a = 0; a < 3; ++a)
        c.ub[a] = sp_scratch_array(&s->scratch, float, n + SP_LANES);
    sp_status status = c.ub[0] && c.ub[1] && c.ub[2]
                           ? SP_OK
                           : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu particles", n);
    sp_tiles_parallel(&s->grid.tiles, clear_idle, &s->grid);
    if (status == SP_OK) status = s->basis->interpolate(s, s->grid.ub, c.ub, err);
    if (status == SP_OK) sp_parallel(s->host, n, BUBBLES_GRAIN, calm_particles, &c);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
