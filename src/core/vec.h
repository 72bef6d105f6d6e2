// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_VEC_H
#define SP_CORE_VEC_H

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
static inline float sp_clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}
static inline float sp_mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

#endif
