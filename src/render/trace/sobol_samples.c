// SPDX-License-Identifier: Apache-2.0
/// Samples: the first two Sobol dimensions, a (0,2)-sequence, used repeatedly as independent pairs.
/// Each pair of each pixel shuffles the order of the points and scrambles both coordinates by
/// hashing (Owen's nested scrambling after Laine and Karras 2011, Burley 2020). There are no tables
/// and no state: a sample is a function of (seed, pixel, pair, index), so it does not depend on
/// tiling, threads or resuming.
#include "render/trace/tracing.h"

static inline uint32_t reverse_bits(uint32_t x)
{
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return (x >> 16) | (x << 16);
}

/// Owen scrambling of a number with its first digit in the lowest bit: each bit is flipped by a
/// hash of the lower bits. Multiplications by even numbers do this.
static inline uint32_t owen_scramble(uint32_t x, uint32_t key)
{
    x += key;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

/// Second Sobol dimension, first digit lowest. Its matrix is Pascal's triangle modulo two. Entry
/// (k, j) is one exactly when the bits of k are a subset of the bits of j (Lucas). Hence five
/// steps, one for each bit of k, instead of a table of 32 numbers.
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
    const uint32_t key = trace_mix(pixel_key + pair * 0x9e3779b9u);
    const uint32_t i = reverse_bits(owen_scramble(reverse_bits(index), key));
    const uint32_t a = reverse_bits(owen_scramble(i, trace_mix(key ^ 0xa511e9b3u)));
    const uint32_t b =
        reverse_bits(owen_scramble(second_dimension(i), trace_mix(key ^ 0x63d83595u)));
    return (trace_pair){sp_unit(a), sp_unit(b)};
}

void trace_sample_disc(trace_pair u, float *x, float *y)
{
    const float a = 2.0f * u.a - 1.0f, b = 2.0f * u.b - 1.0f;
    if (a == 0.0f && b == 0.0f) {
        *x = *y = 0.0f;
        return;
    }
    const bool wide = fabsf(a) > fabsf(b); // concentric squares become concentric circles
    const float r = wide ? a : b;
    const float angle = wide ? 0.25f * SP_PI * (b / a) : 0.5f * SP_PI - 0.25f * SP_PI * (a / b);
    *x = r * sp_cosf(angle);
    *y = r * sp_sinf(angle);
}

sp_vec3 trace_sample_cosine(sp_vec3 n, trace_pair u)
{
    float x, y;
    sp_vec3 s, t;
    trace_sample_disc(u, &x, &y);
    trace_basis(n, &s, &t);
    const float z = sqrtf(fmaxf(0.0f, 1.0f - x * x - y * y));
    return sp_normalize(sp_madd(sp_madd(sp_scale(s, x), t, y), n, z), n);
}
