// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_LANES_H
#define SP_CORE_NUMBERS_LANES_H

/// Vectors of sixteen floats. The types are the compiler's vector extension, so + - * / and
/// comparisons are plain C. They compile to the registers of the machine (one of 512, two of 256 or
/// four of 128 bits, WebAssembly included) with the same bits everywhere: a sum over particles runs
/// in these sixteen lanes and ends with one fixed tree, so 4-, 8- and 16-wide builds agree.
///
/// A long loop body on sixteen lanes needs too many registers on a narrow machine: four per value,
/// so everything is spilled (WebAssembly took five times as long for the vortices). Such a loop
/// works on one register at a time, a part, and keeps its sums in all sixteen lanes:
///
///     lanes   0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 14 15     sp_f16
///     parts      0    |    1    |     2     |      3          sp_part: SP_PART lanes, 4, 8 or 16
///
/// What the extension lacks (square root, minimum, select) is an intrinsic with a scalar fallback.

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif
#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // all of this is inlined: no ABI to worry about
#endif

#if defined(__AVX512F__)
#define SP_PART 16
#elif defined(__AVX2__)
#define SP_PART 8
#else
#define SP_PART 4
#endif
enum { SP_LANES = 16, SP_PARTS = SP_LANES / SP_PART };

typedef float sp_f16 __attribute__((vector_size(4 * SP_LANES)));
typedef int32_t sp_i16 __attribute__((vector_size(4 * SP_LANES))); ///< also a mask: 0 or -1 a lane
typedef float sp_part __attribute__((vector_size(4 * SP_PART)));
typedef int32_t sp_flags __attribute__((vector_size(4 * SP_PART))); ///< whole numbers or a mask

#define SP_INLINE static inline __attribute__((always_inline))

/// Put before a loop whose iterations do not touch each other's data. `restrict` would say the
/// same, but compilers ignore it for pointers read from a struct and give up after ten overlap
/// checks.
#if defined(__clang__)
#define SP_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define SP_VECTOR_LOOP _Pragma("GCC ivdep")
#endif

/// ---- One register ------------------------------------------------------------------------------

SP_INLINE sp_part sp_part_load(const float *p) ///< p may be unaligned
{
    sp_part v;
    memcpy(&v, p, sizeof v);
    return v;
}
SP_INLINE void sp_part_store(float *p, sp_part v)
{
    memcpy(p, &v, sizeof v);
}
SP_INLINE sp_flags sp_flags_load(const float *p) ///< integers stored in an array of floats
{
    sp_flags v;
    memcpy(&v, p, sizeof v);
    return v;
}
SP_INLINE sp_part sp_part_all(float x)
{
    return x - (sp_part){0}; // this form keeps -0
}

/// Lane by lane, mask ? a : b.
SP_INLINE sp_part sp_part_select(sp_flags mask, sp_part a, sp_part b)
{
#if defined(__AVX512F__)
    return (sp_part)_mm512_mask_blend_ps(_mm512_test_epi32_mask((__m512i)mask, (__m512i)mask),
                                         (__m512)b, (__m512)a);
#elif defined(__AVX2__)
    return (sp_part)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#elif defined(__wasm_simd128__)
    return (sp_part)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)mask);
#else
    return (sp_part)((mask & (sp_flags)a) | (~mask & (sp_flags)b));
#endif
}

/// The lanes of a where the mask is set, 0 elsewhere.
SP_INLINE sp_part sp_part_keep(sp_flags mask, sp_part a)
{
    return (sp_part)(mask & (sp_flags)a);
}

SP_INLINE sp_part sp_part_sqrt(sp_part a)
{
#if defined(__AVX512F__)
    return (sp_part)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX2__)
    return (sp_part)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__)
    return (sp_part)_mm_sqrt_ps((__m128)a);
#elif defined(__wasm_simd128__)
    return (sp_part)wasm_f32x4_sqrt((v128_t)a);
#else
    for (int l = 0; l < SP_PART; ++l)
        a[l] = sqrtf(a[l]);
    return a;
#endif
}

/// a < b ? a : b, and a > b ? a : b: the rule of x86, so NaN in either argument gives b.
/// WebAssembly's pmin and pmax follow the same rule with the arguments swapped.
SP_INLINE sp_part sp_part_min(sp_part a, sp_part b)
{
#if defined(__AVX512F__)
    return (sp_part)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (sp_part)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (sp_part)_mm_min_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
    return (sp_part)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
#else
    return sp_part_select(a < b, a, b);
#endif
}
SP_INLINE sp_part sp_part_max(sp_part a, sp_part b)
{
#if defined(__AVX512F__)
    return (sp_part)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (sp_part)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (sp_part)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
    return (sp_part)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
    return sp_part_select(a > b, a, b);
#endif
}

/// Whether any lane of a mask is set.
SP_INLINE int sp_flags_any(sp_flags mask)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_ps((__m256)mask) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask) != 0;
#elif defined(__wasm_simd128__)
    return wasm_v128_any_true((v128_t)mask);
#else
    int32_t any = 0;
    for (int l = 0; l < SP_PART; ++l)
        any |= mask[l];
    return any != 0;
#endif
}

/// exp(x) for x clamped to [-87, 0], accurate to 3e-7: 2^n times a polynomial of degree 6 in the
/// remainder r, |r| <= ln(2)/2.
SP_INLINE sp_part sp_part_exp(sp_part x)
{
    x = sp_part_min(sp_part_max(x, sp_part_all(-87.0f)), sp_part_all(0.0f));
    const sp_flags n =
        __builtin_convertvector(x * 1.44269504f - 0.5f, sp_flags); // truncation rounds negatives
    const sp_part whole = __builtin_convertvector(n, sp_part);
    const sp_part r = (x - whole * 0.693145752f) - whole * 1.42860677e-6f;
    const sp_part p =
        1.0f +
        r * (1.0f +
             r * (0.5f + r * (0.166666672f +
                              r * (0.0416666679f + r * (0.00833333377f + r * 0.00138888892f)))));
    return p * (sp_part)((n + 127) * (1 << 23));
}

/// sin(x) for 0 <= x <= 2 pi, accurate to 2e-6: x is reduced by half a turn, then a polynomial on
/// [-pi/2, pi/2].
SP_INLINE sp_part sp_part_sine(sp_part x)
{
    const sp_part pi = sp_part_all(3.14159274f), quarter = sp_part_all(1.57079637f);
    const sp_part y = pi - x; // sin(x) = sin(pi - x), and y is in [-pi, pi]
    const sp_part folded =
                      sp_part_select(y > quarter, pi - y, sp_part_select(y < -quarter, -pi - y, y)),
                  q = folded * folded;
    return folded * (1.0f + q * (-0.166666672f + q * (0.00833333377f +
                                                      q * (-1.98412701e-4f + q * 2.75573188e-6f))));
}

/// ---- Sixteen lanes -----------------------------------------------------------------------------

typedef union sp_lanes {
    sp_f16 all;
    sp_part part[SP_PARTS];
} sp_lanes;

SP_INLINE sp_f16 sp_f16_load(const float *p) ///< p may be unaligned
{
    sp_f16 v;
    memcpy(&v, p, sizeof v);
    return v;
}
SP_INLINE void sp_f16_store(float *p, sp_f16 v)
{
    memcpy(p, &v, sizeof v);
}
SP_INLINE sp_f16 sp_f16_all(float x)
{
    return x - (sp_f16){0};
}
SP_INLINE sp_i16 sp_i16_all(int32_t x)
{
    return x - (sp_i16){0};
}

SP_INLINE sp_f16 sp_f16_min(sp_f16 a, sp_f16 b) ///< as sp_part_min()
{
    sp_lanes x = {a}, y = {b};
    for (int p = 0; p < SP_PARTS; ++p)
        x.part[p] = sp_part_min(x.part[p], y.part[p]);
    return x.all;
}
SP_INLINE sp_f16 sp_f16_max(sp_f16 a, sp_f16 b)
{
    sp_lanes x = {a}, y = {b};
    for (int p = 0; p < SP_PARTS; ++p)
        x.part[p] = sp_part_max(x.part[p], y.part[p]);
    return x.all;
}

/// Sum of a register by a fixed tree: the upper half is added to the lower, 16 to 8 to 4 to 2 to 1.
SP_INLINE float sp_part_sum(sp_part a)
{
#if defined(__AVX2__)
    union {
        sp_part v;
        __m256 half[SP_PART / 8];
    } u = {a};
    const __m256 eight =
        SP_PART == 16 ? _mm256_add_ps(u.half[0], u.half[SP_PART / 8 - 1]) : u.half[0];
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#elif defined(__SSE2__)
    const __m128 four = (__m128)a, two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
#elif defined(__wasm_simd128__)
    const v128_t four = (v128_t)a,
                 two = wasm_f32x4_add(four, wasm_i32x4_shuffle(four, four, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(two, 0) + wasm_f32x4_extract_lane(two, 1);
#else
    float x[SP_PART];
    sp_part_store(x, a);
    for (int width = SP_PART / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l)
            x[l] += x[l + width];
    return x[0];
#endif
}

/// The same tree over all parts.
SP_INLINE float sp_lanes_sum(sp_lanes x)
{
    for (int width = SP_PARTS / 2; width > 0; width /= 2)
        for (int p = 0; p < width; ++p)
            x.part[p] += x.part[p + width];
    return sp_part_sum(x.part[0]);
}
SP_INLINE float sp_f16_sum(sp_f16 a)
{
    return sp_lanes_sum((sp_lanes){a});
}

/// Sixteen sums in double, added by the same tree.
typedef double sp_d16 __attribute__((vector_size(8 * SP_LANES), aligned(64)));
SP_INLINE double sp_d16_sum(sp_d16 sum)
{
    for (int width = SP_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l)
            sum[l] += sum[l + width];
    return sum[0];
}

/// Adds values of the entries k ... k + SP_PART - 1 of a list: entry k belongs to lane k mod 16.
SP_INLINE void sp_lanes_add(sp_lanes *sum, size_t k, sp_part x)
{
    sum->part[k / SP_PART % SP_PARTS] += x;
}

/// n rounded up to whole vectors of sixteen.
SP_INLINE size_t sp_pad16(size_t n)
{
    return (n + SP_LANES - 1) / SP_LANES * SP_LANES;
}

#endif
