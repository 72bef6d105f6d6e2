// SPDX-License-Identifier: Apache-2.0
#ifndef SP_PARTICLES_CANDIDATES_H
#define SP_PARTICLES_CANDIDATES_H

/// Tests sixteen neighbour candidates at a time and lists those within reach. Each vector function
/// has a scalar version in plain C, and tests compare the two.

#include "core/core.h"

/// Bit l is set where fma(dz, dz, fma(dy, dy, dx*dx)) < limit.
SP_INLINE uint32_t sp_near_plain(sp_f16 dx, sp_f16 dy, sp_f16 dz, float limit)
{
    uint32_t mask = 0;
    for (int l = 0; l < SP_LANES; ++l)
        mask |= (uint32_t)(fmaf(dz[l], dz[l], fmaf(dy[l], dy[l], dx[l] * dx[l])) < limit) << l;
    return mask;
}

/// Writes index[l] for each set bit l of mask, in order, and returns how many. May overwrite up to
/// sixteen entries of `out`, whatever the mask.
SP_INLINE uint32_t sp_compress_plain(uint32_t *out, uint32_t mask, const uint32_t *index)
{
    uint32_t count = 0;
    for (int l = 0; l < SP_LANES; ++l) {
        out[count] = index[l];
        count += mask >> l & 1u;
        if (count == SP_LANES) break; // `out` has no entry 16
    }
    return count;
}

#if defined(__AVX512F__)

SP_INLINE uint32_t sp_near(sp_f16 dx, sp_f16 dy, sp_f16 dz, float limit)
{
    const __m512 x = (__m512)dx, y = (__m512)dy, z = (__m512)dz;
    const __m512 r2 = _mm512_fmadd_ps(z, z, _mm512_fmadd_ps(y, y, _mm512_mul_ps(x, x)));
    return _mm512_cmp_ps_mask(r2, _mm512_set1_ps(limit), _CMP_LT_OQ);
}

// Compressed in a register and stored whole: compressing straight to memory is microcode on Zen 4
// and takes about a hundred cycles.
SP_INLINE uint32_t sp_compress(uint32_t *out, uint32_t mask, const uint32_t *index)
{
    const __m512i all = _mm512_loadu_si512(index);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)mask, all));
    return (uint32_t)__builtin_popcount(mask);
}

#elif defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__) && defined(__x86_64__)

SP_INLINE uint32_t sp_near_half(__m256 x, __m256 y, __m256 z, __m256 limit)
{
    const __m256 r2 = _mm256_fmadd_ps(z, z, _mm256_fmadd_ps(y, y, _mm256_mul_ps(x, x)));
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(r2, limit, _CMP_LT_OQ));
}

SP_INLINE uint32_t sp_near(sp_f16 dx, sp_f16 dy, sp_f16 dz, float limit)
{
    union {
        sp_f16 v;
        __m256 half[2];
    } x = {dx}, y = {dy}, z = {dz};
    const __m256 limits = _mm256_set1_ps(limit);
    return sp_near_half(x.half[0], y.half[0], z.half[0], limits) |
           sp_near_half(x.half[1], y.half[1], z.half[1], limits) << 8;
}

/// Eight lanes: expands the mask to bytes, which select lane numbers out of 0...7.
SP_INLINE uint32_t sp_compress_half(uint32_t *out, uint32_t mask, const uint32_t *index)
{
    const uint64_t bytes = _pdep_u64(mask, 0x0101010101010101u) * 0xffu;
    const uint64_t lanes = _pext_u64(0x0706050403020100u, bytes);
    const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes));
    const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)index);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_permutevar8x32_epi32(all, order));
    return (uint32_t)__builtin_popcount(mask);
}

SP_INLINE uint32_t sp_compress(uint32_t *out, uint32_t mask, const uint32_t *index)
{
    const uint32_t first = sp_compress_half(out, mask & 0xffu, index);
    return first + sp_compress_half(out + first, mask >> 8, index + 8);
}

#else

SP_INLINE uint32_t sp_near(sp_f16 dx, sp_f16 dy, sp_f16 dz, float limit)
{
    return sp_near_plain(dx, dy, dz, limit);
}
SP_INLINE uint32_t sp_compress(uint32_t *out, uint32_t mask, const uint32_t *index)
{
    return sp_compress_plain(out, mask, index);
}

#endif

#endif
