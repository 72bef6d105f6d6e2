// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_GROUND_GROUND_H
#define SP_SHAPES_GROUND_GROUND_H

/// Ground from heights on a lattice: ground_distance.c opens it and computes distances,
/// ground_mesh.c makes triangles.
///
/// Every cell of the lattice is two triangles that share the diagonal from its low corner to its
/// high one. Beyond the lattice the ground continues at the height of its border, because water
/// that ends at a wall there needs ground behind the wall too. So a ring of long cells surrounds
/// the lattice. Corner indices include that ring: 0 and columns + 1 are its outer corners.

#include "shapes/internal.h"

enum { GROUND_BLOCK = 4, GROUND_LEVELS = 16 };

/// Lowest and highest height of a square of cells.
typedef struct ground_range {
    float low, high;
} ground_range;

struct shape_ground {
    const sp_host *host;
    size_t columns, rows; ///< of the lattice, at least two: along x, along z
    double start[2], step[2], end[2];
    double ring; ///< m, width of the ring
    float *y;    ///< m, by rows
    /// Min-max pyramid: blocks of 4 x 4 cells, then twice as many along each side; the last is one
    /// block.
    ground_range *range;
    size_t wide[GROUND_LEVELS], high[GROUND_LEVELS], first[GROUND_LEVELS];
    int levels;
};

/// A corner by its number along x and along z.
double ground_corner(const shape_ground *ground, int axis, size_t i);
double ground_height(const shape_ground *ground, size_t i, size_t j);
/// How high the ground is straight above or below a point.
double ground_height_at(const shape_ground *ground, double x, double z);

#endif
