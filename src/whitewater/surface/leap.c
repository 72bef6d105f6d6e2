// SPDX-License-Identifier: Apache-2.0
/// Foam leaves the surface where the water drops away from it faster than it can follow.
///
/// Foam is held by little: once the water below it accelerates away, it would fly on its own. So a particle's velocity
/// along the normal keeps what free flight would have made of it,
///
///     s = (v + dt g - u').n'        with v from before the step, and u', n' after it
///     v' = T(v') + (u'.n' + max(s, 0)) n'
///
/// and it leaps, with that velocity, once s is more than `crest`. While the water pushes, s < 0 and nothing is kept:
/// for water whose pressure rises inwards, (g - Du/Dt).n < 0, whatever its motion. So still pools, and waves however
/// steep that do not break, throw nothing. From step to step the sum telescopes to the water's velocity when foam
/// lost its hold, less that now, and gravity: it does not depend on the length of steps or on the voxel, and noise
/// does not add up. Motion along the surface (src/foam) makes no use of the part along the normal.
#include "whitewater/surface/internal.h"

#define CLEAR 2.0 // radii; how far above the surface a drop begins

void surface_load(float *const from[3], size_t i, double to[3])
{
    for (int a = 0; a < 3; ++a)
        to[a] = (double)from[a][i];
}

void surface_store(float *const to[3], size_t i, const double from[3])
{
    for (int a = 0; a < 3; ++a)
        to[a][i] = (float)from[a];
}

/// s, m/s
static double parting(const surface_deciding *d, size_t i, const double n[3], double lift)
{
    const whitewater_world *w = d->world;
    double along = -lift;
    for (int a = 0; a < 3; ++a)
        along += ((double)d->before[a][i] + w->dt * (double)w->gravity[a]) * n[a];
    return along;
}

bool surface_leaps(const surface_deciding *d, size_t i)
{
    const sp_spray_def *def = &d->s->spray;
    double n[3], u[3], v[3];
    surface_load(d->gradient, i, n);
    surface_load(d->u, i, u);
    surface_load(d->set->v, i, v);
    if (!(sp_dot3(n, n) > 1e-12) || i >= d->moved) return false;
    sp_unit3(n);
    const double lift = sp_dot3(u, n), along = sp_dot3(v, n),
                 s = def->on ? fmax(0.0, parting(d, i, n, lift)) : 0.0;
    const bool leaps = s > (double)def->crest;
    for (int a = 0; a < 3; ++a) {
        v[a] += (lift + s - along) * n[a];
        if (leaps) d->set->x[a][i] += CLEAR * (double)d->set->radius[i] * n[a];
    }
    surface_store(d->set->v, i, v);
    return leaps;
}
