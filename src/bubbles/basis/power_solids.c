// SPDX-License-Identifier: Apache-2.0
/// Cells of the t-grid inside solids: those where the distance at the corners of voxels, interpolated to
/// the cell's centre, is not positive. Centres are a quarter of a voxel from the middle, so that
/// interpolation is by 3/4 and 1/4 along each axis.
#include "bubbles/basis/power_state.h"

enum { CELLS = 2 * SP_TILE, CORNERS = SP_TILE + 1 };

/// Weight of the low corner for a cell of a voxel.
SP_INLINE float low_share(int cell)
{
    return cell & 1 ? 0.25f : 0.75f;
}

/// Bits of a row of a tile's cells.
static uint32_t solid_row(const float *psi, int j, int k)
{
    const float wy = low_share(j), wz = low_share(k);
    const float *corner = psi + CORNERS * (j >> 1) + CORNERS * CORNERS * (k >> 1);
    float line[CORNERS];
    for (int i = 0; i < CORNERS; ++i) {
        const float *c = corner + i, *high = c + CORNERS * CORNERS;
        const float low = wy * c[0] + (1.0f - wy) * c[CORNERS];
        line[i] = wz * low + (1.0f - wz) * (wy * high[0] + (1.0f - wy) * high[CORNERS]);
    }
    uint32_t bits = 0;
    for (int i = 0; i < SP_TILE; ++i) {
        const float a = 0.75f * line[i] + 0.25f * line[i + 1],
                    b = 0.25f * line[i] + 0.75f * line[i + 1];
        bits |= (uint32_t)((a <= 0.0f) | (b <= 0.0f) << 1) << 2 * i;
    }
    return bits;
}

/// Cells of a cube that belong to a tile at offset -1, 0, 1, and the cube's index of the first cell of
/// that tile.
static const struct span {
    int low, high, first;
} spans[3] = {{0, POWER_PAD, POWER_PAD - CELLS},
              {POWER_PAD, POWER_PAD + CELLS, POWER_PAD},
              {POWER_PAD + CELLS, POWER_EDGE, POWER_PAD + CELLS}};

/// Cells of a tile's cube that are in the neighbour n. psi: its distances, or NULL where all is solid.
static void close_neighbour(const float *psi, int n, const power_box *box, power_closed *closed)
{
    const struct span x = spans[n % 3], y = spans[n / 3 % 3], z = spans[n / 9];
    const uint32_t here = (1u << x.high) - (1u << x.low);
    for (int k = z.low; k < z.high; ++k)
        for (int j = y.low; j < y.high; ++j) {
            if (k < box->low[2] || k >= box->high[2] || j < box->low[1] || j >= box->high[1])
                continue;
            uint32_t bits = here;
            if (psi) {
                const uint32_t row = solid_row(psi, j - y.first, k - z.first);
                bits &= x.first < 0 ? row >> -x.first : row << x.first;
            }
            closed->row[k][j] |= bits;
            closed->any |= bits != 0;
        }
}

void bubbles_power_close_cells(const bubbles *s, const power_tile *tile, power_closed *closed)
{
    const sp_flow_solids *solids = &s->solids;
    memset(closed, 0, sizeof *closed);
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = s->grid.tiles.around[tile->tile][n];
        if (there == SP_NO_TILE || solids->row[there] == SP_FLOW_TILE_OPEN) continue;
        const float *psi =
            sp_flow_is_cut(solids, there) ? solids->tile[solids->row[there]].psi : NULL;
        close_neighbour(psi, n, &tile->box, closed);
    }
}
