// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLIDS_H
#define SP_SHAPES_SOLIDS_H

/// All solids of a scene as one, on a grid: the union of the colliders and of the walls around the
/// domain, as signed distance psi (m, negative inside solids), open shares of faces and the
/// velocity of whatever is solid there. Voxel (0, 0, 0) has its low corner at `origin`.

#include "shapes/world.h"
#include "tiles/mac.h"

typedef struct sp_solids sp_solids;

/// Sides of a box: 2*axis, and 1 more for the high one.
enum { SP_SIDE_LEFT, SP_SIDE_RIGHT, SP_SIDE_BOTTOM, SP_SIDE_TOP, SP_SIDE_BACK, SP_SIDE_FRONT };

typedef struct sp_solids_def {
    const sp_collider_def *colliders;
    size_t count;
    float voxel;            ///< m
    double origin[3];       ///< m
    double low[3], high[3]; ///< m; the domain
    uint8_t walls;          ///< a bit a side (1 << SP_SIDE_...): solid beyond it
} sp_solids_def;

/// Meshes become level sets at rest, once: their distance is looked up through the body's pose
/// (those of more than 131,072 tiles are asked themselves, which is slow). Warns, once a collider,
/// of what is thinner than a voxel and of meshes with holes. On failure *out is NULL.
sp_status sp_solids_open(const sp_solids_def *def, const sp_host *host, sp_solids **out,
                         sp_error *err);
void sp_solids_close(sp_solids *solids); ///< NULL is welcome
/// Brings all bodies to time t, reading files where meshes change their shape. Everything below is
/// at that time. On failure err names the file, and some bodies have moved.
sp_status sp_solids_move(sp_solids *solids, double t, sp_error *err);
bool sp_solids_moving(const sp_solids *solids); ///< whether anything ever moves
/// The shapes in the scene's order, for publishing poses; the walls of the domain are none of them.
size_t sp_solids_count(const sp_solids *solids);
const sp_shape *sp_solids_shape(const sp_solids *solids, size_t i);
size_t sp_solids_bytes(const sp_solids *solids); ///< what the level sets of meshes hold
/// The fastest that any solid within the domain moves now, m/s.
double sp_solids_speed(const sp_solids *solids);

typedef enum sp_solidity {
    SP_TILE_IS_OPEN,  ///< nothing solid at any corner of its voxels
    SP_TILE_IS_SOLID, ///< within solids at all of them: not even a surface there
    SP_TILE_IS_CUT,
} sp_solidity;

enum { SP_SOLID_WALL = UINT16_MAX }; ///< in `who`: a wall of the domain

/// What is known of a tile that solids cut.
typedef struct sp_solid_tile {
    /// m, at corners of voxels. Of meshes it is at least 4 voxels where it is more; between the
    /// voxels of one that turns it is interpolated.
    float psi[SP_TILE_CORNERS];
    uint16_t who[SP_TILE_CORNERS];     ///< the collider that is nearest there, or SP_SOLID_WALL
    float open[3][SP_TILE_VOXELS];     ///< open shares of the low faces
    float velocity[3][SP_TILE_VOXELS]; ///< along the axis, of the solid nearest to the face, m/s
    float slip[3][SP_TILE_VOXELS];     ///< of that solid: 0 sticks, 1 slides; walls slide
    bool moves;                        ///< some velocity is not zero
    bool sticks;                       ///< some slip is less than 1
} sp_solid_tile;

/// Looks at tile `at`; *tile means something only when it is cut. psi nearer to 0 than a
/// ten-thousandth of a voxel is 0. Meshes and height fields that rest are known only within two
/// tiles of the domain: ask for no others. Thread-safe.
sp_solidity sp_solids_look(const sp_solids *solids, const int32_t at[3], sp_solid_tile *tile);
/// Whether what sp_solids_look says of a tile may differ from what it said before the last move.
bool sp_solids_changed(const sp_solids *solids, const int32_t at[3]);

/// Signed distance at a point of the world, m; `normal` (may be NULL) points out of the solid,
/// `who` (may be NULL) is the nearest solid. For single points: emitters, seeding, what is stuck.
double sp_solids_distance(const sp_solids *solids, const double p[3], double normal[3], int *who);
/// Whether a solid can reach further between the corners of a voxel than what is linear between
/// them tells: all do but walls, planes, containers along the axes and fields that rest.
bool sp_solids_bends(const sp_solids *solids, int who);
/// Velocity of solid `who` at a point, m/s. That of a mesh that changes its shape is its own at the
/// surface, and has no divergence within two voxels of it: the body pushes what it grows by.
void sp_solids_velocity(const sp_solids *solids, int who, const double p[3], double velocity[3]);

#endif
