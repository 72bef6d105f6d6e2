// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_SHAPES_PROOFS_H
#define SP_VALIDATE_SHAPES_PROOFS_H

/// Sample shapes for checks and tests.

#include "shapes/internal.h"
#include "validate/validate.h"

/// A shape of known volume.
typedef struct shape_sample {
    const char *name;
    sp_collider_def def;
    double volume; ///< m^3; 0: infinite
    bool round;    ///< its mesh converges to it, with normals
} shape_sample;

extern const shape_sample shape_samples[];
extern const size_t shape_sample_count;
/// A test motion: spin about a tilted axis, and keys that move and rotate the body.
extern const sp_motion_def shape_sample_motion, shape_sample_smooth_motion;

/// Uniform in [0, 1): number k of draw n.
double shape_sample_unit(uint64_t n, uint32_t k);
/// A random point of the cube that contains every sample, from -1.5 to 1.5 m.
void shape_sample_point(uint64_t n, double p[3]);

sp_proof shape_prove_shares, shape_prove_solids; // solids.c

#endif
