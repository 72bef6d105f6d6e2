// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_LANES_H
#define SP_CORE_LANES_H

/// Sixteen floats at a time. The type is the compiler's own vector extension, so + - * / and
/// comparisons are plain C and lower to whatever the machine has (one 512-bit, two 256-bit or four
/// 128-bit registers, WebAssembly included) with the same bits everywhere: a sum over particles
/// runs in these sixteen lanes and is closed by one fixed tree, so 4-, 8- and 16-wide builds agree.
/// What the extension lacks (square root, minimum, select) is an intrinsic with a scalar twin.

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif
#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // all of this is inlined: no ABI to worry about
#endif

enum { SP_LANES = 16 };

typedef float sp_f16 __attribute__((vector_size(64)));
typedef int32_t sp_i16 __attribute__((vector_size(64))); ///< also a mask: 0 or -1 a lane

#define SP_INLINE static inline __attribute__((always_inline))

/// Before a loop whose iterations do not touch each other's data. `restrict` would say the same, but
/// compilers forget it of pointers that come out of a struct and give up after ten overlap checks.
#if defined(__clang__)
#define SP_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define SP_VECTOR_LOOP _Pragma("GCC ivdep")
#endif

SP_INLINE sp_f16 sp_f16_load(const float *p) ///< no alignment asked
{
    sp_f16 v;
    memcpy(&v, p, sizeof v);
    return v;
}
SP_INLINE void sp_f16_store(float *p, sp_f16 v)
{
    memcpy(p, &v, sizeof v);
}
SP_INLINE sp_i16 sp_i16_load(const int32_t *p)
{
    sp_i16 v;
    memcpy(&v, p, sizeof v);
    return v;
}
SP_INLINE void sp_i16_store(int32_t *p, sp_i16 v)
{
    memcpy(p, &v, sizeof v);
}
SP_INLINE sp_f16 sp_f16_all(float x)
{
    return (sp_f16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}
SP_INLINE sp_i16 sp_i16_all(int32_t x)
{
    return (sp_i16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}
SP_INLINE sp_i16 sp_i16_count(void) ///< 0, 1, ... 15
{
    return (sp_i16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

/// Lane by lane, mask ? a : b.
SP_INLINE sp_f16 sp_f16_select(sp_i16 mask, sp_f16 a, sp_f16 b)
{
#if defined(__AVX512F__)
    return (sp_f16)_mm512_mask_blend_ps(_mm512_test_epi32_mask((__m512i)mask, (__m512i)mask),
                                        (__m512)b, (__m512)a);
#else
    return (sp_f16)((mask & (sp_i16)a) | (~mask & (sp_i16)b));
#endif
}

/// The lanes of a where the mask is set, 0 elsewhere.
SP_INLINE sp_f16 sp_f16_keep(sp_i16 mask, sp_f16 a)
{
    return (sp_f16)(mask & (sp_i16)a);
}

SP_INLINE sp_f16 sp_f16_sqrt(sp_f16 a)
{
#if defined(__AVX512F__)
    return (sp_f16)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX2__)
    union {
        sp_f16 v;
        __m256 half[2];
    } u = {a};
    u.half[0] = _mm256_sqrt_ps(u.half[0]);
    u.half[1] = _mm256_sqrt_ps(u.half[1]);
    return u.v;
#else
    for (int l = 0; l < SP_LANES; ++l)
        a[l] = sqrtf(a[l]);
    return a;
#endif
}

/// a < b ? a : b, and a > b ? a : b: the rule of x86, so NaN in either gives b.
SP_INLINE sp_f16 sp_f16_min(sp_f16 a, sp_f16 b)
{
#if defined(__AVX512F__)
    return (sp_f16)_mm512_min_ps((__m512)a, (__m512)b);
#else
    return sp_f16_select(a < b, a, b);
#endif
}
SP_INLINE sp_f16 sp_f16_max(sp_f16 a, sp_f16 b)
{
#if defined(__AVX512F__)
    return (sp_f16)_mm512_max_ps((__m512)a, (__m512)b);
#else
    return sp_f16_select(a > b, a, b);
#endif
}

/// The fixed tree: halves onto halves, 16 to 8 to 4 to 2 to 1.
SP_INLINE float sp_f16_sum(sp_f16 a)
{
#if defined(__AVX2__)
    union {
        sp_f16 v;
        __m256 half[2];
    } u = {a};
    const __m256 eight = _mm256_add_ps(u.half[0], u.half[1]);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    float x[SP_LANES];
    sp_f16_store(x, a);
    for (int width = SP_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l)
            x[l] += x[l + width];
    return x[0];
#endif
}

/// exp(x) for x clamped to [-87, 0], good to 3e-7: n halvings and a polynomial of degree 6 on what is left,
/// which is at most ln(2)/2 either way.
SP_INLINE sp_f16 sp_f16_fade(sp_f16 x)
{
    x = sp_f16_min(sp_f16_max(x, sp_f16_all(-87.0f)), sp_f16_all(0.0f));
    const sp_i16 n =
        __builtin_convertvector(x * 1.44269504f - 0.5f, sp_i16); // truncation rounds negatives
    const sp_f16 whole = __builtin_convertvector(n, sp_f16);
    const sp_f16 r = (x - whole * 0.693145752f) - whole * 1.42860677e-6f;
    const sp_f16 p =
        1.0f +
        r * (1.0f +
             r * (0.5f + r * (0.166666672f +
                              r * (0.0416666679f + r * (0.00833333377f + r * 0.00138888892f)))));
    return p * (sp_f16)((n + 127) * (1 << 23));
}

/// sin(x) for 0 <= x <= 2 pi, good to 2e-6: half a turn is taken off, then a polynomial on [-pi/2, pi/2].
SP_INLINE sp_f16 sp_f16_sine(sp_f16 x)
{
    const sp_f16 pi = sp_f16_all(3.14159274f), quarter = sp_f16_all(1.57079637f);
    const sp_f16 y = pi - x; // sin(x) = sin(pi - x), and y is in [-pi, pi]
    const sp_f16 folded =
                     sp_f16_select(y > quarter, pi - y, sp_f16_select(y < -quarter, -pi - y, y)),
                 q = folded * folded;
    return folded * (1.0f + q * (-0.166666672f + q * (0.00833333377f +
                                                      q * (-1.98412701e-4f + q * 2.75573188e-6f))));
}

/// Whether any lane of a mask is set.
SP_INLINE int sp_i16_any(sp_i16 mask)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#else
    int32_t any = 0;
    for (int l = 0; l < SP_LANES; ++l)
        any |= mask[l];
    return any != 0;
#endif
}

/// How many entries an array must have so that whole vectors cover n of them.
SP_INLINE size_t sp_pad16(size_t n)
{
    return (n + SP_LANES - 1) / SP_LANES * SP_LANES;
}

#endif
