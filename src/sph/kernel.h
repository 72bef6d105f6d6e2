// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SPH_KERNEL_H
#define SP_SPH_KERNEL_H

/// The cubic spline with support h (Monaghan 1992), in lanes. Its two branches are one expression,
/// with a = max(0, 1 - q), b = max(0, 1/2 - q), q = r/h:
///
///     W      = s (2 a^3 - 8 b^3)                 s = 8/(pi h^3)
///     W'/r   = (6 s/h) (4 b^2 - a^2) / r
///
/// so that no branches have to be blended. Beyond the support both are 0. Square roots and divisions are exact,
/// not approximations, so that all machines give the same bits.

#include "sph/internal.h"

typedef struct sph_lanes { ///< constants of a loop
    sp_part inv_h, h, tiny;
} sph_lanes;

SP_INLINE sph_lanes sph_lanes_for(float h)
{
    return (sph_lanes){sp_part_all(1.0f / h), sp_part_all(h), sp_part_all(1e-6f * h)};
}

SP_INLINE sp_part sph_square(sp_part x, sp_part y, sp_part z)
{
    return sp_part_fma(z, z, sp_part_fma(y, y, x * x));
}

/// W/s from r^2.
SP_INLINE sp_part sph_w(sp_part r2, const sph_lanes *k)
{
    const sp_part zero = sp_part_all(0.0f), q = sp_part_sqrt(r2) * k->inv_h;
    const sp_part a = sp_part_max(sp_part_all(1.0f) - q, zero),
                  b = sp_part_max(sp_part_all(0.5f) - q, zero);
    const sp_part b2 = b * b, a2 = a * a;
    return sp_part_fma(a2, a + a, b2 * b * -8.0f);
}

/// W/s at one distance, in supports.
static inline float sph_w_at(float q)
{
    const float a = fmaxf(1.0f - q, 0.0f), b = fmaxf(0.5f - q, 0.0f);
    return 2.0f * a * a * a - 8.0f * b * b * b;
}

/// W/s and W'/r/(6 s/h) together: they share the square root. The slope is negative; times x_ij it is
/// the gradient, and at r = 0 that is 0.
SP_INLINE sp_part sph_slope_and_w(sp_part r2, const sph_lanes *k, sp_part *w)
{
    const sp_part zero = sp_part_all(0.0f), r = sp_part_max(sp_part_sqrt(r2), k->tiny),
                  q = r * k->inv_h;
    const sp_part a = sp_part_max(sp_part_all(1.0f) - q, zero),
                  b = sp_part_max(sp_part_all(0.5f) - q, zero);
    const sp_part a2 = a * a, b2 = b * b;
    *w = sp_part_fma(a2, a + a, b2 * b * -8.0f);
    return sp_part_fma(b2, sp_part_all(4.0f), a2 * -1.0f) / r;
}

SP_INLINE sp_part sph_slope(sp_part r2, const sph_lanes *k)
{
    sp_part w;
    return sph_slope_and_w(r2, k, &w);
}

/// The spiky kernel's S'/r divided by 45/(pi h^4): negative. a^2 is (h - r)^2/h^2.
SP_INLINE sp_part sph_spiky(sp_part r2, const sph_lanes *k)
{
    const sp_part r = sp_part_max(sp_part_sqrt(r2), k->tiny),
                  a = sp_part_max(sp_part_all(1.0f) - r * k->inv_h, sp_part_all(0.0f));
    return a * a * -1.0f / r;
}

/// Scale factors of sph_w, sph_slope and sph_spiky.
static inline float sph_w_scale(float h)
{
    return 8.0f / (SP_PI * h * h * h);
}
static inline float sph_slope_scale(float h)
{
    return 48.0f / (SP_PI * h * h * h * h);
}
static inline float sph_spiky_scale(float h)
{
    return 45.0f / (SP_PI * h * h * h * h);
}

/// Sum of W/s over a list; `weighted`: times the fourth number of each particle.
SP_INLINE float sph_sum_w(const float *at, const float *x, const uint32_t *index, size_t count,
                          bool weighted, const sph_lanes *k)
{
    sp_lanes sum = {0};
    const sp_part xi = sp_part_all(x[0]), yi = sp_part_all(x[1]), zi = sp_part_all(x[2]);
    for (size_t n = 0; n < count; n += SP_PART) {
        const sp_quad q = sp_quad_take(at, index + n);
        const sp_part w = sph_w(sph_square(xi - q.x, yi - q.y, zi - q.z), k);
        sp_lanes_add(&sum, n, sp_part_keep(sp_flags_below(n, count), weighted ? w * q.w : w));
    }
    return sp_lanes_sum(sum);
}

/// Density (D) at x from the neighbours of a place; their positions are in `at` and `walls`.
SP_INLINE float sph_density_at(const sph_phase *phase, const float *walls, const float *at,
                               const float *x, size_t place, const sp_row *wall, const sph_lanes *k,
                               float scale)
{
    const sp_neighbour_list list = phase->lists.list[place];
    const float own =
        1.0f + sph_sum_w(at, x, phase->lists.index + list.start, list.count, false, k);
    float rho = phase->mass * scale * own;
    if (wall)
        rho += phase->rest * scale *
               sph_sum_w(walls, x, phase->walls.index + wall->start, wall->count, true, k);
    return rho;
}

/// Three sums of sixteen lanes each.
typedef struct sph_sum3 {
    sp_lanes x, y, z;
} sph_sum3;

SP_INLINE void sph_sum3_add(sph_sum3 *sum, size_t k, sp_part f, sp_part x, sp_part y, sp_part z)
{
    const size_t part = k / SP_PART % SP_PARTS;
    sum->x.part[part] = sp_part_fma(f, x, sum->x.part[part]);
    sum->y.part[part] = sp_part_fma(f, y, sum->y.part[part]);
    sum->z.part[part] = sp_part_fma(f, z, sum->z.part[part]);
}

SP_INLINE sp_vec3 sph_sum3_total(const sph_sum3 *sum)
{
    return (sp_vec3){sp_lanes_sum(sum->x), sp_lanes_sum(sum->y), sp_lanes_sum(sum->z)};
}

#endif
