// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_MAC_H
#define SP_TILES_MAC_H

/// Staggered fields: velocities live on faces, and a tile owns the low faces of its voxels.

#include "tiles/tiles.h"

/// A bit a voxel: bit i + 8j of word k.
typedef uint64_t sp_tile_mask[SP_TILE];
static inline bool sp_tile_mask_has(const sp_tile_mask mask, int place)
{
    return mask[place >> 6] >> (place & 63) & 1;
}
static inline void sp_tile_mask_add(sp_tile_mask mask, int place)
{
    mask[place >> 6] |= (uint64_t)1 << (place & 63);
}

/// ---- Tiles around water (tiles_around_voxels.c) ------------------------------------------------

/// Which of the 27 tiles around have a voxel within `voxels` (0 to 8) of a wet one: bit n for the
/// tile at offset n of `around`.
uint32_t sp_tile_mask_around(const sp_tile_mask wet, int voxels);
/// The topology of a step to come: every tile that has a voxel within `voxels` voxels of a wet one
/// of `from` (the largest of the three differences counts; 0 asks for wet tiles alone), and every
/// tile that `reach` marks: bit n of reach[t] asks for the tile at offset n of `around` of t. wet
/// NULL: all voxels of `from` are wet; reach NULL: nothing more. Tiles outside low ... high (both
/// included) are left out, but along axes on which `from` is periodic, as `out` will be. Beyond 8
/// voxels marked tiles count as wet. Cheap when little changes; when nothing does `out` is a copy
/// (sp_tiles_same tells). On failure `out` is zeroed.
sp_status sp_tiles_near(sp_tiles *out, const sp_tiles *from, const sp_tile_mask *wet,
                        const uint32_t *reach, int voxels, const int32_t low[3],
                        const int32_t high[3], sp_error *err);

/// ---- Faces cut by solids (face_fractions.c) ----------------------------------------------------

/// Corners of a tile's voxels: i + 9j + 81k for i, j, k = 0 ... 8.
enum { SP_TILE_CORNERS = 729 };

/// Open share of a square whose corners, in order around it, have these distances to a solid
/// (negative inside; 0 counts as solid, so that a wall in the plane of a face closes it). Distances
/// are taken as linear along edges; where opposite corners agree and the others differ, the mean of
/// all four decides whether the open corners are joined.
float sp_face_open(float a, float b, float c, float d);
/// Shares below 0.01 become 0 and above 0.999 1: slivers make pressure stiff and let nothing
/// through.
SP_INLINE float sp_share_cut(float share)
{
    return share < 0.01f ? 0.0f : share > 0.999f ? 1.0f : share;
}
/// Open shares of the low faces of a tile's voxels, each cut as above.
void sp_tiles_open_faces(const float psi[SP_TILE_CORNERS], float open[3][SP_TILE_VOXELS]);

/// ---- Values for faces that have none (extrapolate.c) -------------------------------------------

/// Gives values to voxels that are not known, outward from known ones, a layer of voxels at a time:
/// each takes the mean of those of its six neighbours that the layer before knew. `known` grows
/// with them. Neighbours in tiles that do not exist are unknown. A pass reads what the one before
/// wrote, so the result does not depend on threads.
sp_status sp_tiles_extrapolate(const sp_tiles *tiles, float *values, sp_tile_mask *known,
                               int layers, sp_error *err);
/// The same of three components at once, each by its own mask: fewer waits for other threads.
sp_status sp_tiles_extrapolate_faces(const sp_tiles *tiles, float *const u[3],
                                     sp_tile_mask *const known[3], int layers, sp_error *err);

#endif
