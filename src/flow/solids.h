// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_SOLIDS_H
#define SP_FLOW_SOLIDS_H

/// What solids make of each tile. Most tiles are open or solid all over; those that solids cut have
/// a row with distances at corners, open shares of faces and velocities (sp_solid_tile). Rows are
/// made when a tile appears and made again when a body moves through it.

#include "shapes/solids.h"
#include "tiles/mac.h"

/// `row` of a tile that is not cut.
#define SP_FLOW_TILE_OPEN UINT32_MAX
#define SP_FLOW_TILE_SOLID (UINT32_MAX - 1)

/// Faces that are open by less than this share are slits. Pressure hardly feels what flows through
/// them, so that their velocity is limited by that of faces around (sp_flow_limit_slits).
#define SP_FLOW_SLIT 0.25f

/// How voxels of a cut tile get away from solids.
typedef struct sp_flow_way_out {
    /// Voxels along each axis, from a voxel's centre to where all solids are at least a voxel away.
    /// 0 where they are anyway, and more than a voxel inside solids.
    float by[3][SP_TILE_VOXELS];
    sp_tile_mask bent; ///< voxels where a body may reach further than distances at corners tell
} sp_flow_way_out;

/// Zeroed but for `bodies` and `origin`, it knows no tile yet.
typedef struct sp_flow_solids {
    sp_solids *bodies;    ///< the solids themselves; they belong to the caller
    double origin[3];     ///< m; low corner of voxel (0, 0, 0)
    uint32_t *row;        ///< by tile: SP_FLOW_TILE_..., or an index of `tile`; NULL: all is open
    sp_solid_tile *tile;  ///< those that are cut
    sp_flow_way_out *way; ///< of the same
    uint32_t *spare;      ///< indices of `tile` that are free
    size_t row_room, rows, room, spares;
} sp_flow_solids;

static inline bool sp_flow_is_row(uint32_t row)
{
    return row < SP_FLOW_TILE_SOLID;
}
static inline bool sp_flow_is_cut(const sp_flow_solids *solids, size_t tile)
{
    return sp_flow_is_row(solids->row[tile]);
}
static inline bool sp_flow_is_solid(const sp_flow_solids *solids, size_t tile)
{
    return solids->row[tile] == SP_FLOW_TILE_SOLID;
}

/// ---- Rows (solids.c) ---------------------------------------------------------------------------

/// Forgets all tiles and releases their memory; `bodies` and `origin` stay.
void sp_flow_solids_clear(sp_flow_solids *solids, const sp_host *host);
/// Looks again at all tiles (`all`), or only at those through which bodies have moved. Fails for
/// want of memory; some tiles are then still as they were.
sp_status sp_flow_solids_look(sp_flow_solids *solids, const sp_tiles *tiles, bool all,
                              sp_scratch *scratch, sp_error *err);
/// Carries rows from the topology `from` (an empty one: there are none yet) to `to` and looks at
/// tiles that are new. Fails for want of memory; rows are then worth nothing.
sp_status sp_flow_solids_retile(sp_flow_solids *solids, const sp_tiles *from, const sp_tiles *to,
                                sp_scratch *scratch, sp_error *err);

/// ---- Faces and places (solid_faces.c) ----------------------------------------------------------

/// Open shares of a tile's low and high faces along an axis. False when all are 1; then nothing is
/// written.
bool sp_flow_open_shares(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                         int axis, float low[SP_TILE_VOXELS], float high[SP_TILE_VOXELS]);
/// Velocity of solids at the same faces, along the axis, m/s. False when it is 0 everywhere; then
/// nothing is written.
bool sp_flow_solid_velocity(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                            int axis, float low[SP_TILE_VOXELS], float high[SP_TILE_VOXELS]);
/// What solids push into each voxel of a tile beyond what its open faces can take, m/s (volume over
/// the area of a voxel's face). False when nothing moves there; then nothing is written.
bool sp_flow_solid_excess(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                          float excess[SP_TILE_VOXELS]);
/// Distance to solids at the centre of voxel (i, j, k) of a cut tile, m, and where it grows (a unit
/// vector, or 0).
float sp_flow_solid_depth(const sp_solid_tile *tile, int i, int j, int k, float normal[3]);
/// Distance at a place of a tile (voxels from its low corner) to the bodies themselves, m, where
/// they may reach further than psi between corners of voxels tells; INFINITY elsewhere. `normal`
/// points out of the body, `who` is the body; both may be NULL.
double sp_flow_body_distance(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                             const float x[3], double normal[3], int *who);
/// Centre of a voxel (its place in the tile) in the world, m.
void sp_flow_voxel_center(const sp_tiles *tiles, const double origin[3], uint32_t tile, int place,
                          double p[3]);

#endif
