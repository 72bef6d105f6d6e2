// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_GATHER_QUADS_H
#define SP_CORE_NUMBERS_GATHER_QUADS_H

/// Gathers four floats per particle, stored side by side, for one register of particles at a time.
/// One 16-byte load fetches all four values of a neighbour, and a few shuffles transpose particles
/// into lanes. On Zen 4 gathering a single component costs as much as all four components this way.

#include "core/numbers/lanes.h"

typedef struct sp_quad {
    sp_part x, y, z, w;
} sp_quad;

/// base[4*index[l] + 0...3] for each lane l, in plain C.
SP_INLINE sp_quad sp_quad_take_plain(const float *base, const uint32_t *index)
{
    sp_quad q = {{0}, {0}, {0}, {0}};
    for (int l = 0; l < SP_PART; ++l) {
        const float *p = base + 4 * (size_t)index[l];
        q.x[l] = p[0];
        q.y[l] = p[1];
        q.z[l] = p[2];
        q.w[l] = p[3];
    }
    return q;
}

#if defined(__AVX2__)

/// Four floats of a particle. The index is kept in a general register: otherwise clang loads
/// sixteen indices into a vector, and extracting them one by one costs twice as much as loading
/// them.
SP_INLINE __m128 sp_quad_one(const float *base, const uint32_t *index)
{
    size_t i = *index;
    __asm__("" : "+r"(i));
    return _mm_loadu_ps(base + 4 * i);
}

#endif

#if defined(__AVX512F__)

/// Particles l, l + 4, l + 8 and l + 12, one in each 128-bit quarter.
SP_INLINE __m512 sp_quad_row(const float *base, const uint32_t *index)
{
    const __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(sp_quad_one(base, index + 0)),
                                            sp_quad_one(base, index + 4), 1);
    const __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(sp_quad_one(base, index + 8)),
                                             sp_quad_one(base, index + 12), 1);
    return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)),
                                               _mm256_castps_pd(high), 1));
}

SP_INLINE sp_quad sp_quad_take(const float *base, const uint32_t *index)
{
    const __m512 a = sp_quad_row(base, index), b = sp_quad_row(base, index + 1),
                 c = sp_quad_row(base, index + 2), d = sp_quad_row(base, index + 3);
    const __m512d ab_low = _mm512_castps_pd(_mm512_unpacklo_ps(a, b)),
                  ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b)),
                  cd_low = _mm512_castps_pd(_mm512_unpacklo_ps(c, d)),
                  cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    return (sp_quad){(sp_part)_mm512_unpacklo_pd(ab_low, cd_low),
                     (sp_part)_mm512_unpackhi_pd(ab_low, cd_low),
                     (sp_part)_mm512_unpacklo_pd(ab_high, cd_high),
                     (sp_part)_mm512_unpackhi_pd(ab_high, cd_high)};
}

#elif defined(__AVX2__)

SP_INLINE __m256 sp_quad_row(const float *base, const uint32_t *index)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(sp_quad_one(base, index + 0)),
                                sp_quad_one(base, index + 4), 1);
}

SP_INLINE sp_quad sp_quad_take(const float *base, const uint32_t *index)
{
    const __m256 a = sp_quad_row(base, index), b = sp_quad_row(base, index + 1),
                 c = sp_quad_row(base, index + 2), d = sp_quad_row(base, index + 3);
    const __m256d ab_low = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)),
                  ab_high = _mm256_castps_pd(_mm256_unpackhi_ps(a, b)),
                  cd_low = _mm256_castps_pd(_mm256_unpacklo_ps(c, d)),
                  cd_high = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    return (sp_quad){(sp_part)_mm256_unpacklo_pd(ab_low, cd_low),
                     (sp_part)_mm256_unpackhi_pd(ab_low, cd_low),
                     (sp_part)_mm256_unpacklo_pd(ab_high, cd_high),
                     (sp_part)_mm256_unpackhi_pd(ab_high, cd_high)};
}

#else

SP_INLINE sp_quad sp_quad_take(const float *base, const uint32_t *index)
{
    return sp_quad_take_plain(base, index);
}

#endif

/// a*b + c, rounded once, on every machine.
SP_INLINE sp_part sp_part_fma(sp_part a, sp_part b, sp_part c)
{
#if defined(__AVX512F__)
    return (sp_part)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__) && defined(__FMA__)
    return (sp_part)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (int l = 0; l < SP_PART; ++l)
        c[l] = fmaf(a[l], b[l], c[l]);
    return c;
#endif
}

/// Mask for entries k, k + 1, ... of a list of `count` entries: set for entries below count.
SP_INLINE sp_flags sp_flags_below(size_t k, size_t count)
{
    sp_flags lane = {0};
    for (int l = 0; l < SP_PART; ++l)
        lane[l] = l;
    return lane < (int32_t)(count - k < SP_PART ? count - k : SP_PART);
}

#endif
