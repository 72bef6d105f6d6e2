// SPDX-License-Identifier: Apache-2.0
/// The surface between samples, as cubic B-splines, and the inverse of its horizontal displacement. A plane holds
/// spline coefficients, so one formula gives values and their exact derivatives, and the surface has continuous
/// curvature:
///
///     f(i + s) = sum over m = 0 ... 3 of w_m(s) c_(i-1+m)     along each axis
///
/// Four neighbours along x are one vector, so a value is four loads, a weighted sum and a dot product.
#include "ocean/internal.h"

typedef float four __attribute__((vector_size(16)));

SP_INLINE four load(const float *p)
{
    four v;
    memcpy(&v, p, sizeof v);
    return v;
}

SP_INLINE float dot(four a, four b)
{
    const four p = a * b;
    return (p[0] + p[1]) + (p[2] + p[3]);
}

/// Where a point lies between samples along an axis.
typedef struct place {
    size_t at; ///< of the first of four
    four w, slope;
} place;

SP_INLINE place place_of(double x, double per_metre, int32_t n)
{
    const double s = x * per_metre, low = floor(s);
    const float f = (float)(s - low);
    const four one = {1.0f / 6.0f, 4.0f / 6.0f, 1.0f / 6.0f, 0.0f}, x1 = {-0.5f, 0.0f, 0.5f, 0.0f},
               x2 = {0.5f, -1.0f, 0.5f, 0.0f}, x3 = {-1.0f / 6.0f, 0.5f, -0.5f, 1.0f / 6.0f};
    return (place){.at = (size_t)(((int64_t)low - 1) & (n - 1)),
                   .w = one + f * (x1 + f * (x2 + f * x3)),
                   .slope = x1 + f * (2.0f * x2 + f * (3.0f * x3))};
}

typedef struct stencil {
    place x, z;
    size_t at, stride;
    float per_metre;
} stencil;

SP_INLINE stencil stencil_of(const ocean_cascade *c, int group, double x, double z)
{
    const int32_t n = c->size[group];
    const double per_metre = (double)n / c->length;
    stencil s = {place_of(x, per_metre, n), place_of(z, per_metre, n), 0, ocean_stride(n),
                 (float)per_metre};
    s.at = s.z.at * s.stride + s.x.at;
    return s;
}

/// The four columns of a plane, summed over rows with weights w.
SP_INLINE four columns(const stencil *s, const float *plane, four w)
{
    const float *p = plane + s->at;
    return (w[0] * load(p) + w[1] * load(p + s->stride)) +
           (w[2] * load(p + 2 * s->stride) + w[3] * load(p + 3 * s->stride));
}

SP_INLINE float value(const stencil *s, const float *plane)
{
    return dot(columns(s, plane, s->z.w), s->x.w);
}

/// The value is added to *sum, its derivatives to *by_x and *by_z.
SP_INLINE void value_and_slopes(const stencil *s, const float *plane, float *sum, float *by_x,
                                float *by_z)
{
    const four across = columns(s, plane, s->z.w), along = columns(s, plane, s->z.slope);
    *sum += dot(across, s->x.w);
    *by_x += s->per_metre * dot(across, s->x.slope);
    *by_z += s->per_metre * dot(along, s->x.w);
}

void ocean_point_at(const ocean *o, double rest_x, double rest_z, ocean_point *p)
{
    float moved[3] = {0};
    *p = (ocean_point){.rest = {rest_x, rest_z}, .by_x = {1.0f, 0, 0}, .by_z = {0, 0, 1.0f}};
    for (int k = 0; k < o->cascades; ++k) {
        const stencil s = stencil_of(&o->cascade[k], 0, rest_x, rest_z);
        for (int a = 0; a < 3; ++a)
            value_and_slopes(&s, o->now->plane[k][0][a], &moved[a], &p->by_x[a], &p->by_z[a]);
    }
    p->x = rest_x + (double)moved[0];
    p->y = o->def.level + (double)moved[1];
    p->z = rest_z + (double)moved[2];
}

float ocean_point_jacobian(const ocean_point *p)
{
    return p->by_x[0] * p->by_z[2] - p->by_x[2] * p->by_z[0];
}

/// ---- The inverse -------------------------------------------------------------------------------

/// Horizontal displacement at a place at rest.
SP_INLINE void shift_of(const ocean *o, const double rest[2], double out[2])
{
    float x = 0.0f, z = 0.0f;
    for (int k = 0; k < o->cascades; ++k) {
        const stencil s = stencil_of(&o->cascade[k], 0, rest[0], rest[1]);
        x += value(&s, o->now->plane[k][0][0]);
        z += value(&s, o->now->plane[k][0][2]);
    }
    out[0] = (double)x;
    out[1] = (double)z;
}

/// A step of Newton for rest + D(rest) = (x, z). Near a fold its matrix has no inverse to speak of; the step is then
/// that of the fixed point.
static void newton(const ocean_point *p, double x, double z, double rest[2])
{
    const double off[2] = {x - p->x, z - p->z}, a = (double)p->by_x[0], b = (double)p->by_z[0],
                 c = (double)p->by_x[2], d = (double)p->by_z[2], det = a * d - b * c;
    const bool sound = det > 0.02;
    rest[0] += sound ? (d * off[0] - b * off[1]) / det : off[0];
    rest[1] += sound ? (a * off[1] - c * off[0]) / det : off[1];
}

/// Within 0 ... length.
static double in_patch(double x, double length)
{
    const double s = x - length * floor(x / length);
    return s >= 0.0 && s <= length ? s : 0.0; // 0 where x is not finite
}

void ocean_point_above(const ocean *o, double x, double z, ocean_point *p)
{
    enum { FIXED = 4, NEWTON = 2 };
    // 1e-5 of a sample: below the rounding of displacements that are large against it
    const double close = 1e-5 * o->cascade[o->cascades - 1].length / (double)o->def.grid;
    double rest[2] = {x = in_patch(x, o->def.patch), z = in_patch(z, o->def.patch)};
    bool near = false;
    for (int n = 0; n < FIXED && !near; ++n) {
        double shift[2];
        shift_of(o, rest, shift);
        near = fabs(rest[0] + shift[0] - x) + fabs(rest[1] + shift[1] - z) < close;
        rest[0] = x - shift[0];
        rest[1] = z - shift[1];
    }
    ocean_point_at(o, rest[0], rest[1], p);
    for (int n = 0; n < NEWTON && fabs(p->x - x) + fabs(p->z - z) >= close; ++n) {
        newton(p, x, z, rest);
        ocean_point_at(o, rest[0], rest[1], p);
    }
    p->off[0] = x - p->x;
    p->off[1] = z - p->z;
}

/// ---- Velocity ----------------------------------------------------------------------------------

void ocean_velocity(const ocean *o, int group, const double rest[2], float u[3])
{
    u[0] = u[1] = u[2] = 0.0f;
    for (int k = 0; k < o->cascades; ++k) {
        if (group >= o->cascade[k].groups) continue;
        const stencil s = stencil_of(&o->cascade[k], group, rest[0], rest[1]);
        for (int a = 0; a < 3; ++a)
            u[a] += value(&s, o->now->plane[k][group][a]);
    }
}
