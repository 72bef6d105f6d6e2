// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLIDS_SOLID_BOX_HOLLOW_H
#define SP_SHAPES_SOLIDS_SOLID_BOX_HOLLOW_H

/// Hollows along the axes, the domain's and those of containers: what they leave open of a face is
/// known in closed form, a rectangle, and the outside of a container's wall is another. Out of
/// distances at corners it would be a triangle in every inner edge: where two walls meet, three
/// corners of a face lie on walls and one does not, which looks like a slope.

#include "shapes/solids/solid_bodies.h"

/// Open is what lies within the hollow or outside the shell; sides may be at infinity.
typedef struct solid_room {
    double hollow[2][3], shell[2][3]; ///< m, low and high
} solid_room;

/// The walls of the domain.
solid_room solid_room_of_walls(const sp_solids *solids);
/// True, with the room, when a body is a container along the axes that rests.
bool solid_room_of_body(const solid_body *body, solid_room *room);
/// Multiplies the open shares of a tile's low faces, whose first corner is at `corner`, with what a
/// room leaves: where others cut the same face, shares are taken as independent.
void solid_room_close(const solid_room *room, const double corner[3], double voxel,
                      float open[3][SP_TILE_VOXELS]);

#endif
