// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLIDS_SOLID_BODIES_H
#define SP_SHAPES_SOLIDS_SOLID_BODIES_H

/// What the files behind solids.h share: solids.c opens and moves them, solid_body.c knows one of
/// them, solid_thickness.c how thick it is, solid_tile.c looks at tiles, solid_box_hollow.c at
/// hollows along the axes.

#include "shapes/solids.h"
#include "shapes/solids/solid_field.h"

#define SOLID_SNAP 1e-4 ///< voxels; nearer to a surface than that is on it

/// Where a body is at one moment.
typedef struct solid_place {
    shape_moment moment;
    double low[3], high[3]; ///< m, in the world; sides may lie at infinity
} solid_place;

typedef struct solid_body {
    sp_shape *shape;
    bool travels; ///< ever; a body that only has a pose does not
    bool moved;   ///< by the last move
    solid_place now, before;
    float slip;
    /// Of meshes. Of a body that travels, in its own space; else in the world, with the centres of
    /// its voxels at the corners of the grid's.
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
/// Distance to the box around a body: never more than that to the body.
double solid_box_distance(const solid_place *place, const double p[3]);
/// Distance to a body at a place of its; of a mesh only the sign is right beyond `reach`, which
/// spares time. n may not be NULL.
double solid_body_distance(const solid_body *body, const solid_place *place, const double p[3],
                           double reach, double n[3]);
/// Distances at the corners of a tile's voxels, the first of which is at `corner`. Those to a mesh
/// are right within FIELD_BAND voxels and at least that beyond.
void solid_body_corners(const sp_solids *solids, const solid_body *body, const int32_t at[3],
                        const double corner[3], float psi[SP_TILE_CORNERS]);
/// The same for simple shapes that are no containers, else false: points start + i step[0] + j
/// step[1] + k step[2] of the body's space.
bool solid_corners_simple(const sp_shape *shape, const double start[3], const double step[3][3],
                          float psi[SP_TILE_CORNERS]);
/// Makes the field of a mesh.
sp_status solid_body_open_field(const sp_solids *solids, solid_body *body, sp_error *err);

/// How thick a body is where it is thin, m; HUGE_VAL where that means nothing. Of a mesh a quarter
/// is thinner than that; beyond four voxels nobody needs to know.
double solid_thickness(const sp_shape *shape, double voxel);

/// Distance to the walls of the domain; HUGE_VAL where there are none. In solids it is that to the
/// nearest plane behind the farthest, which has the right sign and changes no faster than p.
double solid_walls_distance(const sp_solids *solids, const double p[3], int *side);

#endif
