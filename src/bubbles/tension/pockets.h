// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_POCKETS_H
#define SP_BUBBLES_POCKETS_H

/// Where air is: the tiles near it, its faces and cells, and the regions that it forms ("pockets").
/// A face is open if it has air, phi_b > 0.
///
/// Bubbles are often in few of many tiles. So the tiles near air are numbered ("rows"), and what is
/// computed here is stored by row. All memory is from the solver's scratch, and lasts until the
/// caller rewinds it.

#include "bubbles/internal.h"

/// ---- Masks of a tile (near_air.c) --------------------------------------------------------------

/// The voxels where |v| > least.
void bubbles_mask_above(const float v[SP_TILE_VOXELS], float least, sp_tile_mask mask);
/// A mask moved by one voxel: out has v where the mask has v + step*e_axis, with step 1 or -1.
/// There is nothing outside the tiles.
void bubbles_mask_shift(const sp_tiles *tiles, sp_tile_mask *masks, uint32_t tile, int axis,
                        int step, sp_tile_mask out);
/// Sets values outside a mask to 0.
void bubbles_mask_keep(const sp_tile_mask mask, float v[SP_TILE_VOXELS]);

/// ---- Tiles near air (near_air.c) ---------------------------------------------------------------

#define BUBBLES_NO_ROW UINT32_MAX

/// Rows are the busy tiles and all tiles that touch them, in the order of the tiles.
typedef struct bubbles_air {
    const bubbles_grid *grid;
    /// The rows as a topology. Only host, voxel, count and around are set: enough for
    /// sp_tiles_parallel(), sp_tiles_shift() and sp_tiles_patch().
    sp_tiles rows;
    uint32_t *tile;        ///< by row
    uint32_t *row;         ///< by tile; BUBBLES_NO_ROW: no air is near
    sp_tile_mask *open[3]; ///< by row: low faces with air
    sp_tile_mask *cells;   ///< by row: cells that have an open face
} bubbles_air;

sp_status bubbles_find_air(bubbles *s, bubbles_air *air, sp_error *err);
/// Neighbour of a row: the one before it or after it along an axis, or SP_NO_TILE.
static inline uint32_t bubbles_row_beside(const bubbles_air *air, uint32_t row, int axis, int step)
{
    static const int stride[3] = {1, 3, 9};
    return air->rows.around[row][SP_TILES_SELF + step * stride[axis]];
}

/// Whether a row has cells with air.
static inline bool bubbles_is_near(const bubbles_air *air, size_t row)
{
    return sp_tile_mask_any(air->cells[row]);
}

/// ---- Pockets (pockets.c) -----------------------------------------------------------------------

/// Regions of cells that open faces join. They are numbered in the order of their first cells.
typedef struct bubbles_pockets {
    const bubbles_air *air;
    uint16_t (*part)[SP_TILE_VOXELS]; ///< by row: of each cell with air, its part of the tile
    uint32_t
        *first; ///< by row, and one more: its parts are nodes first[row] ... first[row + 1] - 1
    uint32_t *pocket; ///< by node
    double *volume;   ///< by pocket: its air, voxels
    bool *large;      ///< by pocket: it has pocket_min_voxels of air
    size_t nodes, count, large_count;
} bubbles_pockets;

sp_status bubbles_find_pockets(bubbles *s, const bubbles_air *air, bubbles_pockets *pockets,
                               sp_error *err);
/// The node of a cell that has air.
static inline uint32_t bubbles_node_of(const bubbles_pockets *p, uint32_t row, int place)
{
    return p->first[row] + p->part[row][place];
}
/// The pocket of any cell; BUBBLES_NO_POCKET: it has no air.
static inline uint32_t bubbles_pocket_of(const bubbles_pockets *p, uint32_t row, int place)
{
    if (!sp_tile_mask_has(p->air->cells[row], place)) return BUBBLES_NO_POCKET;
    return p->pocket[bubbles_node_of(p, row, place)];
}
/// Whether all air of a row is one part.
static inline bool bubbles_is_one_part(const bubbles_pockets *p, size_t row)
{
    return p->first[row + 1] - p->first[row] == 1;
}

/// The first voxel of a word of a mask that is not empty, as a place in the tile.
static inline int bubbles_first_place(int word, uint64_t bits)
{
    return 64 * word + __builtin_ctzll(bits);
}

#endif
