// SPDX-License-Identifier: Apache-2.0
/// Samples: Sobol's first two dimensions, which form a (0,2)-sequence, used again and again as
/// independent pairs. Each pair of each pixel shuffles the order of the points and scrambles both
/// coordinates by hashing (Owen's nested scrambling after Laine and Karras 2011, Burley 2020). No
/// tables and no state: a sample is a function of (seed, pixel, pair, index), so any tiling, any
/// number of threads and any resumption give the same numbers.
#include "render/trace/tracing.h"

static inline uint32_t reversed(uint32_t x)
{
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return (x >> 16) | (x << 16);
}

static inline uint32_t mixed(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

/// Owen's scrambling of a number written with its first digit in the lowest bit: each bit is
/// flipped by a hash of the bits below it, which is what multiplications by even numbers do.
static inline uint32_t scrambled(uint32_t x, uint32_t key)
{
    x += key;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

/// Sobol's second dimension, first digit lowest. Its matrix is Pascal's triangle modulo two, whose
/// entry (k, j) is one exactly when the bits of k are among those of j (Lucas); hence five steps,
/// one a bit of k, instead of a table of 32 numbers.
static inline uint32_t second_dimension(uint32_t i)
{
    i ^= (i >> 1) & 0x55555555u;
    i ^= (i >> 2) & 0x33333333u;
    i ^= (i >> 4) & 0x0f0f0f0fu;
    i ^= (i >> 8) & 0x00ff00ffu;
    return i ^ ((i >> 16) & 0x0000ffffu);
}

uint32_t trace_pixel_key(uint64_t seed, uint32_t pixel)
{
    return (uint32_t)(sp_mix64(sp_mix64(seed) ^ pixel) >> 32);
}

trace_pair trace_sample(uint32_t pixel_key, uint32_t pair, uint32_t index)
{
    const uint32_t key = mixed(pixel_key + pair * 0x9e3779b9u);
    const uint32_t i = reversed(scrambled(reversed(index), key));
    const uint32_t a = reversed(scrambled(i, mixed(key ^ 0xa511e9b3u)));
    const uint32_t b = reversed(scrambled(second_dimension(i), mixed(key ^ 0x63d83595u)));
    return (trace_pair){sp_unit(a), sp_unit(b)};
}

void trace_disc(trace_pair u, float *x, float *y)
{
    const float a = 2.0f * u.a - 1.0f, b = 2.0f * u.b - 1.0f;
    if (a == 0.0f && b == 0.0f) {
        *x = *y = 0.0f;
        return;
    }
    const bool wide = fabsf(a) > fabsf(b); // rings of the square become rings of the disc
    const float r = wide ? a : b;
    const float angle = wide ? 0.25f * SP_PI * (b / a) : 0.5f * SP_PI - 0.25f * SP_PI * (a / b);
    *x = r * sp_cosf(angle);
    *y = r * sp_sinf(angle);
}

sp_vec3 trace_cosine(sp_vec3 n, trace_pair u)
{
    float x, y;
    sp_vec3 s, t;
    trace_disc(u, &x, &y);
    trace_basis(n, &s, &t);
    const float z = sqrtf(fmaxf(0.0f, 1.0f - x * x - y * y));
    return sp_normalize(sp_madd(sp_madd(sp_scale(s, x), t, y), n, z), n);
}
