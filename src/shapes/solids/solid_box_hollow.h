// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLIDS_SOLID_BOX_HOLLOW_H
#define SP_SHAPES_SOLIDS_SOLID_BOX_HOLLOW_H

/// Hollow boxes along the axes: the domain and box containers. The open fraction of a face is known
/// in closed form, as a rectangle, and the outside of a container's wall is another rectangle.
/// Distances at corners would leave a closed triangle in every inner edge: where two walls meet,
/// three corners of a face lie on walls and one does not, which looks like a slope.

#include "shapes/solids/solid_bodies.h"

/// Open is what lies inside the hollow or outside the shell; sides may be at infinity.
typedef struct solid_hollow {
    double hollow[2][3], shell[2][3]; ///< m, low and high
} solid_hollow;

/// The walls of the domain.
solid_hollow solid_hollow_of_walls(const sp_solids *solids);
/// True, and fills *box, when a body is a box container along the axes at rest.
bool solid_hollow_of_body(const solid_body *body, solid_hollow *box);
/// Multiplies the open fractions of a tile's low faces, whose first corner is at `corner`, by the
/// fractions that a hollow box leaves. Where other solids cut the same face, fractions are treated
/// as independent.
void solid_hollow_close_faces(const solid_hollow *box, const double corner[3], double voxel,
                              float open[3][SP_TILE_VOXELS]);

#endif
