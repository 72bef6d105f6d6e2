// SPDX-License-Identifier: Apache-2.0
/// Drops in the air, as spheres of water. Their drag is that of Abraham (1970), within a few percent of measured
/// spheres up to Reynolds numbers of 6000:
///
///     C(Re) = C_oo (1 + delta/sqrt(Re))^2,   C_oo = 0.2924,   delta = 9.06     (C_oo delta^2 = 24: Stokes)
///
/// With S = |e| the speed through the air and y = sqrt(S), its force over the drop's volume is K S (y + q)^2, where
/// K = 3 chi rho_a C_oo/(8 r) and q = delta sqrt(mu_a/(2 r rho_a)). Backward Euler reads
///
///     (rho_d/dt + K (y + q)^2) e = b,   b = rho_d (v - wind)/dt + (rho_d - rho_a) g
///
/// so that F(y) = rho_d/dt y^2 + K y^2 (y + q)^2 - |b| is 0. F is convex and rises, so Newton's method falls to the
/// root from any start above it. The place changes by the mean of both velocities: arcs without drag are exact.
#include "whitewater/surface/internal.h"

#define AIR_VISCOSITY 1.81e-5 // Pa s, at 15 degrees
#define C_OO 0.2924
#define DELTA 9.06

enum { NEWTON = 30 }; ///< at most; four or five are usual

typedef struct flying {
    const whitewater_surface *s;
    const whitewater_world *world;
    whitewater_set *set;
    float *fastest; ///< m2/s2; by block
} flying;

/// sqrt(S), from sums of forces.
static double root_of_speed(double stiff, double drag, double q, double size)
{
    if (!(size > 0.0)) return 0.0;
    double y = sqrt(size / stiff);
    if (drag > 0.0) y = fmin(y, sqrt(sqrt(size / drag)));
    for (int n = 0; n < NEWTON; ++n) {
        const double z = y + q, excess = y * y * (stiff + drag * z * z) - size,
                     slope = 2.0 * y * (stiff + drag * z * (z + y));
        const double next = y - excess / slope;
        if (!(next < y)) break; // rounding is all that is left
        y = next;
    }
    return y;
}

/// The velocity after the step.
static void brake(const flying *f, double radius, double v[3])
{
    const whitewater_world *w = f->world;
    const double rho = (double)w->density, air = (double)w->density_air, stiff = rho / w->dt,
                 share = (double)f->s->spray.wind_share;
    const double drag = 0.375 * C_OO * (double)f->s->spray.drag_scale * air / radius,
                 q = DELTA * sqrt(AIR_VISCOSITY / (2.0 * radius * fmax(air, 1e-9)));
    double b[3];
    for (int a = 0; a < 3; ++a)
        b[a] = stiff * (v[a] - share * (double)w->wind[a]) + (rho - air) * (double)w->gravity[a];
    const double z = root_of_speed(stiff, drag, q, sqrt(sp_dot3(b, b))) + q;
    for (int a = 0; a < 3; ++a)
        v[a] = share * (double)w->wind[a] + b[a] / (stiff + drag * z * z);
}

static void fly(void *arg, size_t begin, size_t end)
{
    const flying *f = arg;
    float fastest = 0.0f;
    for (size_t i = begin; i < end; ++i) {
        double x[3], v[3], before[3];
        const double radius = (double)f->set->radius[i];
        surface_load(f->set->v, i, before);
        sp_copy3(v, before);
        brake(f, radius, v);
        for (int a = 0; a < 3; ++a)
            x[a] = f->set->x[a][i] + 0.5 * f->world->dt * (before[a] + v[a]);
        surface_leave_solids(f->world, x, v, radius); // what is too deep goes later
        fastest = fmaxf(fastest, (float)sp_dot3(v, v));
        surface_store(f->set->v, i, v);
        for (int a = 0; a < 3; ++a)
            f->set->x[a][i] = x[a];
    }
    f->fastest[begin / SURFACE_GRAIN] = fastest;
}

sp_status surface_fly(whitewater_surface *s, const whitewater_world *world, whitewater_set *spray,
                      whitewater_surface_figures *figures, sp_error *err)
{
    const size_t n = surface_count_old(spray), blocks = n / SURFACE_GRAIN + 1;
    flying f = {.s = s, .world = world, .set = spray};
    f.fastest = sp_scratch_array(&s->scratch, float, blocks);
    if (!f.fastest) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu drops", n);
    memset(f.fastest, 0, blocks * sizeof *f.fastest);
    sp_parallel(world->host, n, SURFACE_GRAIN, fly, &f);
    for (size_t b = 0; b < blocks; ++b)
        figures->fastest_spray = fmax(figures->fastest_spray, sqrt((double)f.fastest[b]));
    return SP_OK;
}
