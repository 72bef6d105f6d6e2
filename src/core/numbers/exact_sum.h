// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_NUMBERS_EXACT_SUM_H
#define SP_CORE_NUMBERS_EXACT_SUM_H

/// Sums of doubles that do not depend on the order of adding. A loop sums a tile or a block in its
/// lanes and a fixed tree; those partial sums are added here without rounding, and the total is
/// rounded once. So the total has the same bits for any number of threads or machines, and on any
/// device.
///
/// The accumulator is a fixed-point number as wide as the range of double (Kulisch 1971):
///
///     bin            67   66   65  ...   1    0
///     its weight   2^1070           2^-1042  2^-1074      (2^(32 bin - 1074))
///
/// A bin is 64 bits wide and a number adds at most 32 bits to each of three bins, so carries are
/// needed only after 2^30 numbers.

#include <stddef.h>
#include <stdint.h>

enum { SP_EXACT_BINS = 68 };

/// Starts as {0}.
typedef struct sp_exact_sum {
    int64_t bin[SP_EXACT_BINS];
    double not_finite; ///< sum of the infinities and NaNs, 0 without any
    uint32_t added;    ///< numbers added since the last carry
} sp_exact_sum;

void sp_exact_add(sp_exact_sum *sum, double x); ///< about 3 ns
/// Adds the sum of another accumulator.
void sp_exact_join(sp_exact_sum *sum, const sp_exact_sum *other);
/// The double nearest to the sum, ties to even; infinite beyond the range of double.
double sp_exact_round(const sp_exact_sum *sum);

/// The sum of x[0], x[stride], ... x[(count - 1) stride].
double sp_exact_total(const double *x, size_t count, size_t stride);

#endif
