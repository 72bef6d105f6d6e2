// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_SOLIDS_H
#define SP_FLOW_SOLIDS_H

/// Solids on tiles. Most tiles are fully open or fully solid; each tile that solids cut has a row
/// with distances at corners, open fractions of faces and velocities (sp_solid_tile). A row is
/// computed when its tile appears and again when a body moves through it.

#include "shapes/solids.h"
#include "tiles/mac.h"

/// `row` of a tile that is not cut.
#define SP_FLOW_TILE_OPEN UINT32_MAX
#define SP_FLOW_TILE_SOLID (UINT32_MAX - 1)

/// Faces with an open fraction below this are slits. The flow through them hardly affects the
/// pressure, so their velocity is limited by that of neighbouring faces (sp_flow_limit_slits).
#define SP_FLOW_SLIT 0.25f

/// Displacements that move the voxels of a cut tile away from solids.
typedef struct sp_flow_escape {
    /// Displacement in voxels along each axis, from a voxel's centre to a point at least a voxel
    /// away from all solids. 0 if the centre is such a point, or is more than a voxel inside
    /// solids.
    float displacement[3][SP_TILE_VOXELS];
    /// Voxels where a body may reach beyond the interpolated distance, as the edge of a blade does.
    sp_tile_mask may_contain_edge;
} sp_flow_escape;

/// Zeroed except for `bodies` and `origin`, it has no tiles yet.
typedef struct sp_flow_solids {
    sp_solids *bodies;      ///< the solids; owned by the caller
    double origin[3];       ///< m; low corner of voxel (0, 0, 0)
    uint32_t *row;          ///< by tile: SP_FLOW_TILE_..., or an index of `tile`; NULL: all is open
    sp_solid_tile *tile;    ///< by row: the cut tiles
    sp_flow_escape *escape; ///< by row
    uint32_t *spare;        ///< rows that are free
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

/// Drops all tiles and releases their memory; `bodies` and `origin` stay.
void sp_flow_solids_clear(sp_flow_solids *solids, const sp_host *host);
/// Recomputes all tiles (`all`), or only those through which bodies have moved. Fails if memory is
/// short; some tiles are then not up to date.
sp_status sp_flow_solids_update(sp_flow_solids *solids, const sp_tiles *tiles, bool all,
                                sp_scratch *scratch, sp_error *err);
/// Moves rows from the topology `from` (may be empty) to `to` and computes the new tiles. Fails if
/// memory is short; rows are then undefined.
sp_status sp_flow_solids_retile(sp_flow_solids *solids, const sp_tiles *from, const sp_tiles *to,
                                sp_scratch *scratch, sp_error *err);

/// ---- Faces and distances (solids_at_tile.c) -------------------------------------------------------

/// Open fractions of a tile's low and high faces along an axis. False when all are 1; then nothing
/// is written.
bool sp_flow_open_fractions(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                            int axis, float low[SP_TILE_VOXELS], float high[SP_TILE_VOXELS]);
/// Velocity of solids at the same faces, along the axis, m/s. False when it is 0 everywhere; then
/// nothing is written.
bool sp_flow_solid_velocity(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                            int axis, float low[SP_TILE_VOXELS], float high[SP_TILE_VOXELS]);
/// The flow that solids push into each voxel of a tile beyond what its open faces can take, m/s
/// (volume rate over the area of a voxel's face). False when nothing moves there; then nothing is
/// written.
bool sp_flow_solid_excess(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                          float excess[SP_TILE_VOXELS]);
/// Distance to solids at the centre of voxel (i, j, k) of a cut tile, m.
static inline float sp_flow_solid_depth(const sp_solid_tile *tile, int i, int j, int k)
{
    const float *c = tile->psi + i + 9 * j + 81 * k;
    return 0.125f * (((c[0] + c[1]) + (c[9] + c[10])) + ((c[81] + c[82]) + (c[90] + c[91])));
}
/// Directions of its gradient at the centres of all voxels (unit vectors, or 0).
void sp_flow_solid_normals(const sp_solid_tile *tile, float normal[3][SP_TILE_VOXELS]);
/// Exact distance to the bodies at a point of a tile (voxels from its low corner), m, where they
/// may reach beyond psi interpolated between corners; INFINITY elsewhere. `normal` points out of
/// the body, `who` is the body; both may be NULL.
double sp_flow_body_distance(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                             const float x[3], double normal[3], int *who);
/// World position of a point of a tile (voxels from its low corner), m.
static inline void sp_flow_point(const sp_tiles *tiles, const double origin[3], size_t tile,
                                 const float x[3], double p[3])
{
    for (int a = 0; a < 3; ++a)
        p[a] = origin[a] +
               (double)tiles->voxel * (SP_TILE * (double)tiles->at[tile][a] + (double)x[a]);
}
/// World position of a voxel's centre, m; `place` is the voxel's place in the tile.
void sp_flow_voxel_center(const sp_tiles *tiles, const double origin[3], uint32_t tile, int place,
                          double p[3]);

#endif
