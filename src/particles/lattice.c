// SPDX-License-Identifier: Apache-2.0
/// Divides a box into cells, with room for rounding.
#include "particles/particles.h"

/// Most cells along an axis; up to here a float distinguishes adjacent cells.
#define MOST_ALONG 0x1p20

/// Cells along an axis of `length`; at least one.
static double cells_along(double length, double edge)
{
    const double n = ceil(length / edge);
    return n > 1.0 ? n : 1.0;
}

/// Whether cells of this edge fit; sets their number along each axis.
static bool cells_fit(sp_lattice *lattice, const double length[3], double edge, size_t most)
{
    double product = 1.0;
    for (int a = 0; a < 3; ++a) {
        const double n = cells_along(length[a], edge);
        if (n > MOST_ALONG) return false;
        product *= n;
        lattice->n[a] = (int32_t)n;
    }
    return product <= (double)most;
}

void sp_lattice_shape(sp_lattice *lattice, int dims, const float low[3], const float high[3],
                      float edge, size_t most)
{
    SP_ASSERT((dims == 2 || dims == 3) && edge > 0.0f);
    *lattice = (sp_lattice){.dims = dims};
    double length[3] = {0.0, 0.0, 0.0}, longest = 0.0;
    for (int a = 0; a < dims; ++a) {
        lattice->low[a] = low[a];
        length[a] = (double)high[a] - (double)low[a];
        longest = length[a] > longest ? length[a] : longest;
    }
    // A cell coordinate is rounded twice, by up to 2^-24 of itself each time. Without this slack
    // two particles one edge apart could end up two cells apart.
    const double along = cells_along(longest, (double)edge);
    double wide = (double)edge * (1.0 + 0x1p-21 * (along < MOST_ALONG ? along : MOST_ALONG));
    while (!cells_fit(lattice, length, wide, most))
        wide *= 1.03125; // pow() would be faster, but differs between libms
    lattice->edge = (float)wide;
}

void sp_lattice_anchor(sp_lattice *lattice, int dims, const float low[3], const float high[3],
                       float edge)
{
    SP_ASSERT((dims == 2 || dims == 3) && edge > 0.0f);
    // The rounding of a quotient in double is far below the millionth that is added.
    *lattice = (sp_lattice){.dims = dims, .n = {1, 1, 1}, .anchored = (double)edge * 1.000001};
    for (int a = 0; a < dims; ++a) {
        const double first = floor((double)low[a] / lattice->anchored),
                     last = floor((double)high[a] / lattice->anchored);
        SP_ASSERT(fabs(first) <= SP_LATTICE_REACH && fabs(last) <= SP_LATTICE_REACH);
        lattice->from[a] = (int32_t)first;
        lattice->n[a] = (int32_t)(last - first) + 1;
    }
}
