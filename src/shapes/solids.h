// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_SOLIDS_H
#define SP_SHAPES_SOLIDS_H

/// All solids of a scene on one grid: the union of the colliders and the walls of the domain, as
/// signed distance psi (m, negative inside solids), open fractions of faces, and velocity of the
/// nearest solid. Voxel (0, 0, 0) has its low corner at `origin`.

#include "shapes/world.h"
#include "tiles/mac.h"

typedef struct sp_solids sp_solids;

/// Sides of a box: 2*axis for the low side, one more for the high side.
enum { SP_SIDE_LEFT, SP_SIDE_RIGHT, SP_SIDE_BOTTOM, SP_SIDE_TOP, SP_SIDE_BACK, SP_SIDE_FRONT };

typedef struct sp_solids_def {
    const sp_collider_def *colliders;
    size_t count;
    float voxel;            ///< m
    double origin[3];       ///< m
    double low[3], high[3]; ///< m; the domain
    uint8_t walls;          ///< one bit per side (1 << SP_SIDE_...): solid beyond it
} sp_solids_def;

/// Meshes become level sets in their own space, once; their distance is then looked up through the
/// body's pose. (Meshes of more than 131,072 tiles are evaluated directly, which is slow.) Warns,
/// once per collider, if it is thinner than a voxel or a mesh with holes. On failure *out is NULL.
sp_status sp_solids_open(const sp_solids_def *def, const sp_host *host, sp_solids **out,
                         sp_error *err);
void sp_solids_close(sp_solids *solids); ///< NULL is allowed
/// Moves all bodies to time t, reading files of meshes that deform. All queries below are at that
/// time. On failure err names the file, and some bodies have moved.
sp_status sp_solids_move(sp_solids *solids, double t, sp_error *err);
bool sp_solids_moving(const sp_solids *solids); ///< whether anything ever moves
/// The shapes in the scene's order, for publishing poses, without the walls of the domain.
size_t sp_solids_count(const sp_solids *solids);
const sp_shape *sp_solids_shape(const sp_solids *solids, size_t i);
/// The highest speed of any solid within the domain at this time, m/s.
double sp_solids_speed(const sp_solids *solids);

typedef enum sp_solidity {
    SP_TILE_IS_OPEN,  ///< nothing solid at any corner of its voxels
    SP_TILE_IS_SOLID, ///< all corners are inside solids, none on a surface
    SP_TILE_IS_CUT,
} sp_solidity;

enum { SP_SOLID_WALL = UINT16_MAX }; ///< in `who`: a wall of the domain

/// Solids in a tile that they cut.
typedef struct sp_solid_tile {
    /// m, at corners of voxels. Distances to meshes may be reported as 4 voxels where they are
    /// larger; for a mesh that rotates they are interpolated between voxels.
    float psi[SP_TILE_CORNERS];
    uint16_t who[SP_TILE_CORNERS];     ///< index of the nearest collider, or SP_SOLID_WALL
    float open[3][SP_TILE_VOXELS];     ///< open fractions of the low faces
    float velocity[3][SP_TILE_VOXELS]; ///< along the axis, of the solid nearest to the face, m/s
    float slip[3][SP_TILE_VOXELS];     ///< of that solid: 0 sticks, 1 slides; walls slide
    bool moves;                        ///< some velocity is not zero
    bool sticks;                       ///< some slip is less than 1
} sp_solid_tile;

/// Classifies tile `at`; *tile is filled only when it is cut. psi closer to 0 than a ten-thousandth
/// of a voxel is set to 0. Meshes and height fields at rest are known only within two tiles of the
/// domain: do not query others. Thread-safe.
sp_solidity sp_solids_classify_tile(const sp_solids *solids, const int32_t at[3],
                                    sp_solid_tile *tile);
/// Whether the result of sp_solids_classify_tile() for a tile may differ from that before the last move.
bool sp_solids_changed(const sp_solids *solids, const int32_t at[3]);

/// Signed distance at a point of the world, m; `normal` (may be NULL) points out of the solid,
/// `who` (may be NULL) is the nearest solid. For single points: emitters, seeding, stuck particles.
double sp_solids_distance(const sp_solids *solids, const double p[3], double normal[3], int *who);
/// Whether a solid can reach further into a voxel than linear interpolation between the corners
/// shows. True for all but walls, planes, containers along the axes and level sets at rest.
bool sp_solids_bends(const sp_solids *solids, int who);
/// Velocity of solid `who` at a point, m/s. For a mesh that deforms it is the velocity of the
/// surface, extended without divergence within two voxels, so that the body pushes the volume by
/// which it grows.
void sp_solids_velocity(const sp_solids *solids, int who, const double p[3], double velocity[3]);

#endif
