// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLIDS_SOLID_BODIES_H
#define SP_SHAPES_SOLIDS_SOLID_BODIES_H

/// Shared by the files behind solids.h: solids.c opens and moves all bodies, solid_body.c handles
/// one body, solid_thickness.c measures its thickness, solid_tile_faces.c fills tiles, solid_box_hollow.c
/// handles hollow boxes along the axes.

#include "shapes/solids.h"
#include "shapes/solids/solid_field.h"

#define SOLID_SNAP 1e-4 ///< voxels; points closer to a surface are on it

/// Pose and bounds of a body at one time.
typedef struct solid_place {
    shape_moment moment;
    double low[3], high[3]; ///< m, in world space; may be infinite
} solid_place;

typedef struct solid_body {
    sp_shape *shape;
    bool travels; ///< whether it ever moves; a constant pose does not count
    bool moved;   ///< whether the last move changed its pose
    solid_place now, before;
    float slip;
    /// Distance field of a mesh. For a moving body in its own space; otherwise in world space, with
    /// voxel centres at the corners of the grid.
    solid_field field;
} solid_body;

struct sp_solids {
    const sp_host *host;
    float voxel;
    double origin[3], low[3], high[3];
    uint8_t walls;
    double time;
    bool moving;
    solid_body *bodies;
    size_t count;
};

solid_place solid_place_at(const sp_shape *shape, double t);
/// Distance to the bounding box of a body: a lower bound of the distance to the body.
double solid_box_distance(const solid_place *place, const double p[3]);
/// Distance to a body at a given place. For a mesh only the sign is right beyond `reach`, which
/// saves time. n may not be NULL.
double solid_body_distance(const solid_body *body, const solid_place *place, const double p[3],
                           double reach, double n[3]);
/// Distances at the corners of a tile's voxels; the first corner is at `corner`. Distances to a
/// mesh are right within FIELD_BAND voxels and at least that beyond.
void solid_body_corners(const sp_solids *solids, const solid_body *body, const int32_t at[3],
                        const double corner[3], float psi[SP_TILE_CORNERS]);
/// The same for simple shapes that are not containers, at points start + i step[0] + j step[1] + k
/// step[2] of the body's space. False for other shapes.
bool solid_corners_simple(const sp_shape *shape, const double start[3], const double step[3][3],
                          float psi[SP_TILE_CORNERS]);
/// Builds the distance field of a mesh.
sp_status solid_body_open_field(const sp_solids *solids, solid_body *body, sp_error *err);

/// Thickness of the thin parts of a body, m; HUGE_VAL where it is undefined. For a mesh it is the
/// lower quartile. Values beyond four voxels are not needed and may be cut off.
double solid_thickness(const sp_shape *shape, double voxel);

/// Distance to the walls of the domain; HUGE_VAL without walls. Inside the walls it is minus the
/// depth behind the deepest plane, which has the right sign and Lipschitz constant 1.
double solid_walls_distance(const sp_solids *solids, const double p[3], int *side);

#endif
