// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLIDS_SOLID_FIELD_H
#define SP_SHAPES_SOLIDS_SOLID_FIELD_H

/// The distance to a shape on tiles, for shapes that are slow to evaluate (meshes). It is computed
/// once. Within `band` of the surface it is the shape's distance, farther away +-band; tiles
/// farther from the surface than a tile's diagonal do not exist.

#include "shapes/internal.h"

enum { FIELD_BAND = 4 }; ///< voxels

typedef struct solid_field {
    sp_tiles tiles; ///< no tiles: there is no field
    float *phi;     ///< m, at the centres of voxels
    float band;     ///< m
    double origin[3];
} solid_field;

/// The space of a field: the body's, or world space if the body never moves.
typedef struct solid_field_def {
    const sp_shape *shape;
    shape_moment moment; ///< the body's pose in that space
    float voxel;
    double origin[3];       ///< low corner of voxel (0, 0, 0)
    double low[3], high[3]; ///< the field is needed only in this box
} solid_field_def;

/// Leaves the field empty (and returns SP_OK) when it would need more than FIELD_MOST tiles, or
/// voxel coordinates that overflow. Then the shape itself must be evaluated.
enum { FIELD_MOST = 1 << 17 };
sp_status solid_field_open(solid_field *field, const solid_field_def *def, sp_error *err);
void solid_field_close(solid_field *field);

/// Distance at a point; +band without a tile. `gradient` (may be NULL) is that of the interpolant.
float solid_field_sample(const solid_field *field, const double p[3], float gradient[3]);
/// Distances at the centres of voxels 8*at ... 8*at + 8, nine along each axis; +band without a
/// tile.
void solid_field_block(const solid_field *field, const int32_t at[3], float *phi);

#endif
