// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLIDS_SOLID_FIELD_H
#define SP_SHAPES_SOLIDS_SOLID_FIELD_H

/// A shape's distance on tiles, for shapes that are slow to ask (meshes): made once, looked up ever
/// after. Within `band` of the surface it is the shape's own, farther away it is +-band; tiles
/// farther from the surface than a tile's diagonal do not exist.

#include "shapes/internal.h"

enum { FIELD_BAND = 4 }; ///< voxels

typedef struct solid_field {
    sp_tiles tiles; ///< none: there is no field
    float *phi;     ///< m, at the centres of voxels
    float band;     ///< m
    double origin[3];
} solid_field;

/// Where a field is made: in the body's space, or in the world where the body never moves.
typedef struct solid_field_def {
    const sp_shape *shape;
    shape_moment moment; ///< where the body is in that space
    float voxel;
    double origin[3];       ///< low corner of voxel (0, 0, 0)
    double low[3], high[3]; ///< the box outside of which nobody asks
} solid_field_def;

/// Leaves no field (and SP_OK) when it would take more than FIELD_MOST tiles or voxels too far from
/// the origin to be counted: then the shape itself has to be asked.
enum { FIELD_MOST = 1 << 17 };
sp_status solid_field_open(solid_field *field, const solid_field_def *def, sp_error *err);
void solid_field_close(solid_field *field);

/// At a point; +band where there is no tile. `gradient` (may be NULL) is that of the interpolant.
float solid_field_sample(const solid_field *field, const double p[3], float gradient[3]);
/// At the centres of voxels 8*at ... 8*at + 8, that is nine along each axis; +band where there is
/// no tile.
void solid_field_block(const solid_field *field, const int32_t at[3], float *phi);

#endif
