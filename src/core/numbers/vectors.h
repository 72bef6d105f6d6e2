// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_VECTORS_H
#define SP_CORE_NUMBERS_VECTORS_H

#include <math.h>

#define SP_PI 3.14159265358979323846f
#define SP_PI_D 3.14159265358979323846

typedef struct sp_vec3 {
    float x, y, z;
} sp_vec3;

static inline sp_vec3 sp_add(sp_vec3 a, sp_vec3 b)
{
    return (sp_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline sp_vec3 sp_sub(sp_vec3 a, sp_vec3 b)
{
    return (sp_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline sp_vec3 sp_scale(sp_vec3 a, float s)
{
    return (sp_vec3){a.x * s, a.y * s, a.z * s};
}
static inline sp_vec3 sp_madd(sp_vec3 a, sp_vec3 b, float s) ///< a + b*s
{
    return sp_add(a, sp_scale(b, s));
}
static inline float sp_dot(sp_vec3 a, sp_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline sp_vec3 sp_cross(sp_vec3 a, sp_vec3 b)
{
    return (sp_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float sp_length(sp_vec3 a)
{
    return sqrtf(sp_dot(a, a));
}
/// A vector too short to have a direction gives `fallback`.
static inline sp_vec3 sp_normalize(sp_vec3 a, sp_vec3 fallback)
{
    const float length = sp_length(a);
    return length > 1e-20f ? sp_scale(a, 1.0f / length) : fallback;
}
/// ---- Three doubles -----------------------------------------------------------------------------

static inline double sp_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void sp_cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}
static inline void sp_copy3(double out[3], const double a[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[k];
}
static inline void sp_unit3(double a[3]) ///< the length is not 0
{
    const double length = sqrt(sp_dot3(a, a));
    for (int k = 0; k < 3; ++k)
        a[k] /= length;
}
static inline void sp_sub3(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] - b[k];
}

/// ---- Numbers -----------------------------------------------------------------------------------

static inline float sp_clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}
static inline float sp_mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

/// ---- Signed distance ---------------------------------------------------------------------------

/// What is known about a point near the next one that is asked for: its sign holds as far as the
/// point is clear of the surface. Starts as {0}.
typedef struct sp_distance_hint {
    double at[3], clear, sign;
} sp_distance_hint;

#endif
