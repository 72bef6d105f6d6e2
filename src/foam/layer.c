// SPDX-License-Identifier: Apache-2.0
/// The densest layer of equal balls: each touches six others. Its density, summed with the kernel, is what the
/// pressure takes for full.
#include "foam/kernel.h"

#include <math.h>

double sp_foam_layer_density(double support)
{
    const int reach = (int)ceil(support) + 1;
    double sum = 0.0;
    for (int j = -reach; j <= reach; ++j)
        for (int i = -2 * reach; i <= 2 * reach; ++i) {
            const double x = 2.0 * i + (j & 1), y = sqrt(3.0) * j; // in radii
            sum += foam_omega_of(2.0 * sqrt(x * x + y * y) / support);
        }
    return 4.0 / 3.0 * SP_PI_D * 8.0 / (support * support * support) * sum;
}

double sp_foam_layer_count(double support)
{
    return SP_PI_D / (2.0 * sqrt(3.0)) * support * support;
}
