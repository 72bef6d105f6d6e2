// SPDX-License-Identifier: Apache-2.0
/// Finds velocities that are not finite at the end of a substep, before anything moves with them, and the
/// speed of the fastest particle.
#include "bubbles/internal.h"

#include <inttypes.h>

typedef struct looking {
    const bubbles *s;
    float *fastest; ///< by block of particles, m/s; NaN where a velocity is not finite
} looking;

static void look_at(void *arg, size_t begin, size_t end)
{
    const looking *l = arg;
    const float *restrict x = l->s->particles.v[0], *restrict y = l->s->particles.v[1],
                          *restrict z = l->s->particles.v[2];
    float most = 0.0f;
    int bad = 0;
    for (size_t i = begin; i < end; ++i) {
        const float speed = fmaxf(fmaxf(fabsf(x[i]), fabsf(y[i])), fabsf(z[i]));
        const float sum = fabsf(x[i]) + fabsf(y[i]) + fabsf(z[i]); // NaN if one of them is
        most = speed > most ? speed : most;
        bad |= !(sum < INFINITY);
    }
    l->fastest[begin / BUBBLES_GRAIN] = bad ? NAN : most;
}

static sp_status name_particle(const bubbles *s, sp_error *err)
{
    const bubbles_particles *p = &s->particles;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            const float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
            double at[3];
            if (fabsf(p->v[0][i]) + fabsf(p->v[1][i]) + fabsf(p->v[2][i]) < INFINITY) continue;
            bubbles_point(&s->grid, t, x, at);
            return sp_fail(err, SP_DIVERGED,
                           "bubbles: the velocity of particle %" PRIu64
                           " became infinite at t = %.4g s "
                           "near (%.3g, %.3g, %.3g) m; try more substeps, now %d",
                           p->id[i], s->time, at[0], at[1], at[2], s->def.substeps);
        }
    return sp_fail(
        err, SP_DIVERGED,
        "bubbles: the water's velocity became infinite at t = %.4g s; try more substeps, "
        "now %d",
        s->time, s->def.substeps);
}

sp_status bubbles_check_finite(bubbles *s, sp_error *err)
{
    const size_t n = s->particles.set.count, blocks = (n + BUBBLES_GRAIN - 1) / BUBBLES_GRAIN;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    looking l = {s, sp_scratch_array(&s->scratch, float, blocks + 1)};
    if (!l.fastest) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu particles", n);
    memset(l.fastest, 0, (blocks + 1) * sizeof *l.fastest); // one thread takes all blocks as one
    sp_parallel(s->host, n, BUBBLES_GRAIN, look_at, &l);
    double most = 0.0;
    bool bad = !(s->water_speed < (double)INFINITY);
    for (size_t b = 0; b < blocks; ++b) {
        bad |= !(l.fastest[b] < INFINITY);
        most = fmax(most, (double)l.fastest[b]);
    }
    s->figures.fastest = fmax(most, s->water_speed);
    sp_scratch_rewind(&s->scratch, mark);
    return bad ? name_particle(s, err) : SP_OK;
}
