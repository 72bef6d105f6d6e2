// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLID_BODIES_H
#define SP_SHAPES_SOLID_BODIES_H

/// What the files behind solids.h share: solids.c opens and moves the bodies, solid_tile.c looks at
/// tiles.

#include "shapes/internal.h"
#include "shapes/solids.h"

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

/// Distance to the box around a body: never more than that to the body.
double solid_box_distance(const solid_place *place, const double p[3]);
/// Distance to a body at a place of its; beyond `reach` only the sign of a mesh is right. `hint`
/// may be NULL, n may not.
double solid_body_distance(const solid_body *body, const solid_place *place, const double p[3],
                           double reach, shape_hint *hint, double n[3]);
void solid_body_velocity(const solid_body *body, const double p[3], double velocity[3]);
/// Distance to the walls of the domain; HUGE_VAL where there are none. In solids it is that to the
/// nearest plane behind the farthest, which has the right sign and changes no faster than p.
double solid_walls_distance(const sp_solids *solids, const double p[3], int *side);

#endif
