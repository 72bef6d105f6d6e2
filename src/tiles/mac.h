// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_MAC_H
#define SP_TILES_MAC_H

/// Staggered (MAC) fields: velocities are on faces, and a tile owns the low faces of its voxels.

#include "tiles/tiles.h"

/// One bit per voxel: bit i + 8j of word k.
typedef uint64_t sp_tile_mask[SP_TILE];
static inline bool sp_tile_mask_has(const sp_tile_mask mask, int place)
{
    return mask[place >> 6] >> (place & 63) & 1;
}
static inline void sp_tile_mask_add(sp_tile_mask mask, int place)
{
    mask[place >> 6] |= (uint64_t)1 << (place & 63);
}

static inline bool sp_tile_mask_any(const sp_tile_mask mask)
{
    uint64_t any = 0;
    for (int k = 0; k < SP_TILE; ++k)
        any |= mask[k];
    return any != 0;
}
static inline bool sp_tile_mask_all(const sp_tile_mask mask)
{
    uint64_t all = ~(uint64_t)0;
    for (int k = 0; k < SP_TILE; ++k)
        all &= mask[k];
    return all == ~(uint64_t)0;
}

/// A tile and its six face neighbours, in the order x-, x+, y-, y+, z-, z+, self.
enum { SP_TILE_ITSELF = 6, SP_TILE_SIDES };
/// Voxels of a tile that are not in the mask and have a face neighbour that is. `masks` of tiles
/// that do not exist are NULL.
void sp_tile_mask_layer(const uint64_t *const masks[SP_TILE_SIDES], sp_tile_mask layer);

/// ---- Tiles around water (tiles_around_voxels.c) ------------------------------------------------

/// Which of the 27 tiles of `around` have a voxel within `voxels` (0 to 8) of a wet voxel: bit n
/// for the tile at offset n.
uint32_t sp_tile_mask_around(const sp_tile_mask wet, int voxels);
/// The topology of the next step. It holds every tile that has a voxel within `voxels` voxels of a
/// wet voxel of `from` (maximum norm; 0: wet tiles alone), and every tile that `reach` marks: bit n
/// of reach[t] marks the tile at offset n of around[t]. wet NULL: all voxels of `from` are wet;
/// reach NULL: no marks. Tiles outside low ... high (both included) are left out, except along
/// periodic axes; `out` is periodic as `from` is. If `voxels` exceeds 8, marked tiles count as wet.
/// Cheap when little changes; when nothing changes `out` is a copy of `from` (see sp_tiles_same).
/// On failure `out` is zeroed.
sp_status sp_tiles_near(sp_tiles *out, const sp_tiles *from, const sp_tile_mask *wet,
                        const uint32_t *reach, int voxels, const int32_t low[3],
                        const int32_t high[3], sp_error *err);

/// ---- Faces cut by solids (face_fractions.c) ----------------------------------------------------

/// Corners of a tile's voxels: i + 9j + 81k for i, j, k = 0 ... 8.
enum { SP_TILE_CORNERS = 729 };

/// Open fraction of a square face from the distances of its corners to a solid, in order around the
/// face (negative inside; 0 counts as solid, so that a wall in the plane of a face closes it).
/// Distances are linear along edges. Where opposite corners have equal signs and adjacent ones
/// differ, the mean of all four decides whether the open corners are joined.
float sp_face_open(float a, float b, float c, float d);
/// Fractions below 0.01 become 0 and above 0.999 become 1: slivers make the pressure system stiff
/// and let almost no water through.
SP_INLINE float sp_share_cut(float share)
{
    return share < 0.01f ? 0.0f : share > 0.999f ? 1.0f : share;
}
/// Open fractions of the low faces of a tile's voxels, each passed through sp_share_cut().
void sp_tiles_open_faces(const float psi[SP_TILE_CORNERS], float open[3][SP_TILE_VOXELS]);

/// ---- Extrapolation (extrapolate.c) -------------------------------------------------------------

/// Extrapolates from known voxels outward, one layer of voxels per pass: each new voxel takes the
/// mean of those of its six neighbours that were known before the pass. The new voxels are added
/// to `known`. Neighbours in tiles that do not exist are unknown. A pass reads only values of
/// earlier passes, so the result does not depend on threads.
sp_status sp_tiles_extrapolate(const sp_tiles *tiles, float *values, sp_tile_mask *known,
                               int layers, sp_error *err);
/// The same for three components at once, each with its own mask: threads wait less often.
sp_status sp_tiles_extrapolate_faces(const sp_tiles *tiles, float *const u[3],
                                     sp_tile_mask *const known[3], int layers, sp_error *err);

#endif
