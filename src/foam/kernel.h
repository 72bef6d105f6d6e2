// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FOAM_KERNEL_H
#define SP_FOAM_KERNEL_H

/// The cubic spline, of the distance over half the support:
///
///     pi omega(q) = 1 - 1.5 q^2 + 0.75 q^3 (q <= 1),   (2 - q)^3/4 (q <= 2),   0 beyond
///     W(d, h) = 8/h^3 omega(2 d/h), whose integral over space is 1
///
/// As printed, without the 8, it integrates to an eighth. Cohesion keeps the printed one, so that the paper's
/// values of C mean what they mean there.

#include "core/core.h"
#include "foam/foam.h"

/// In double, for the perfect layer.
static inline double foam_omega_of(double q)
{
    const double rest = 2.0 - q;
    if (q >= 2.0) return 0.0;
    return (q <= 1.0 ? 1.0 - q * q * (1.5 - 0.75 * q) : 0.25 * rest * rest * rest) / SP_PI_D;
}

/// omega at SP_PART distances.
SP_INLINE sp_part foam_omega(sp_part q)
{
    const sp_part rest = sp_part_max(2.0f - q, sp_part_all(0.0f));
    const sp_part near = 1.0f - q * q * (1.5f - 0.75f * q), far = 0.25f * rest * rest * rest;
    return (1.0f / SP_PI) * sp_part_select(q < 1.0f, near, far);
}

/// Its derivative by q, which is not above 0.
SP_INLINE sp_part foam_omega_slope(sp_part q)
{
    const sp_part rest = sp_part_max(2.0f - q, sp_part_all(0.0f));
    const sp_part near = q * (2.25f * q - 3.0f), far = -0.75f * rest * rest;
    return (1.0f / SP_PI) * sp_part_select(q < 1.0f, near, far);
}

#endif
