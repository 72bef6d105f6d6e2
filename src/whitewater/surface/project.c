// SPDX-License-Identifier: Apache-2.0
/// Onto the surface: Newton's method along the normal, at most `max_correction` away. What a bubble keeps of its
/// velocity then (W30), with T(w) = w - (w.n) n:
///
///     v' = min(zeta |v|/|T(v)|, max_gain) T(v),     or T(u) where |T(v)| < 1e-6 m/s
///
/// The part along the normal becomes the water's, for foam is carried by it.
#include "whitewater/surface/internal.h"

#define STEEP 0.04 // slope squared below which Newton's steps are not trusted
#define FLAT 1e-6  // m/s

enum { NEWTON = 6 };

/// The water at one point.
typedef struct place {
    double x[3], gradient[3], u[3], phi, steep;
} place;

static void look(const surface_deciding *d, place *p)
{
    float phi, gradient[3], u[3];
    const sp_bulk_query query = {.n = 1,
                                 .x = &p->x[0],
                                 .y = &p->x[1],
                                 .z = &p->x[2],
                                 .phi = &phi,
                                 .gradient = {&gradient[0], &gradient[1], &gradient[2]},
                                 .u = {&u[0], &u[1], &u[2]}};
    sp_bulk_look(&d->water, &query, 0, 1);
    p->phi = (double)phi;
    for (int a = 0; a < 3; ++a) {
        p->gradient[a] = (double)gradient[a];
        p->u[a] = (double)u[a];
    }
    p->steep = sp_dot3(p->gradient, p->gradient);
}

bool surface_project(const surface_deciding *d, size_t i, double normal[3], double u[3])
{
    const sp_foam_def *def = &d->s->foam_def;
    const double near = fmin((double)def->tolerance, 0.02 * (double)d->set->radius[i]),
                 most = (double)def->max_correction;
    place p = {.x = {d->set->x[0][i], d->set->x[1][i], d->set->x[2][i]}};
    for (int n = 0;; ++n) {
        double off = 0.0;
        look(d, &p);
        if (!(p.steep > STEEP)) return false;
        if (fabs(p.phi) <= near) break;
        if (n == NEWTON) return false;
        for (int a = 0; a < 3; ++a) {
            p.x[a] -= p.phi * p.gradient[a] / p.steep;
            off += (p.x[a] - d->set->x[a][i]) * (p.x[a] - d->set->x[a][i]);
        }
        if (!(off <= most * most)) return false;
    }
    for (int a = 0; a < 3; ++a) {
        d->set->x[a][i] = p.x[a];
        normal[a] = p.gradient[a] / sqrt(p.steep);
        u[a] = p.u[a];
    }
    return true;
}

void surface_keep_bubble(const sp_floating_def *def, const double normal[3], const double u[3],
                         double v[3])
{
    const double speed = sqrt(sp_dot3(v, v)), along = sp_dot3(v, normal), lift = sp_dot3(u, normal);
    double tangent[3], length;
    for (int a = 0; a < 3; ++a)
        tangent[a] = v[a] - along * normal[a];
    length = sqrt(sp_dot3(tangent, tangent));
    const double gain =
        length < FLAT ? 0.0 : fmin((double)def->keep * speed / length, (double)def->max_gain);
    for (int a = 0; a < 3; ++a)
        v[a] = length < FLAT ? u[a] : gain * tangent[a] + lift * normal[a];
}
