// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_POWER_STATE_H
#define SP_BUBBLES_POWER_STATE_H

/// Data of the power basis (WSB25 section 5.1.1; Qu et al. 2022), and the functions that its files
/// share.
///
/// A particle's volume V_q is spread over the cells j of a transport grid, the t-grid, whose cells are
/// half a voxel wide and have the volume h_t^3:
///
///     T_qj = h_t^3 s_q K_qj t_j,    K_qj = exp(-|x_q - x_j|^2/eps),    t_j = 1/max(1, Z_j),
///     Z_j = sum over q of s_q K_qj,     sum over j of T_qj = V_q,
///     w_qf = sum over j of T_qj N_f(x_j)/V_q,    N_f trilinear, 1 at face f and 0 at the next ones.
///
/// Z above 1 means that particles compete for a cell, and t shares it out: no cell holds more than its
/// volume, and so no face. Particles alone keep their kernel. The cut-off of K is a cube and not a
/// ball: K is then a product of three factors of one coordinate each, and all that the corners add
/// is below exp(-cut^2/eps) = 2e-9.
///
/// The weights w (28; some 125 faces per axis) are never formed. N is applied once to each tile and K
/// once to each particle: from faces to t-cells to particles, or back.
///
/// Everything is keyed to the tile that a particle is in when the weights are computed. A tile with
/// particles has a cube of t-cells that reaches two voxels beyond the tile. Along each axis:
///
///     cell of the cube   0   1   2   3 | 4   5   6   7  ...  18  19| 20  21  22  23
///     voxel               -2      -1   |   0       1    ...     7  |   8       9
///
/// A particle reaches six cells along each axis, and of 24 cells the first and the last never. Its
/// position in the cube is y = 2 x + 4; cell b has its centre at b + 1/2.

#include "bubbles/internal.h"

enum {
    POWER_EDGE = 24,
    POWER_PAD = 4,    ///< cells of the cube before the tile's first
    POWER_TAPS = 6,   ///< cells that a particle reaches along an axis
    POWER_ROW = 8,    ///< lanes of a register of cells in a row
    POWER_BATCH = 16, ///< particles whose kernels are computed together
};
/// Voxels; the largest cut-off.
#define POWER_MOST_CUT 1.5f
/// Voxels^2; the smallest eps. The cell nearest to a particle may be 0.43 voxels away: K is 7e-9 there,
/// and must not vanish in float.
#define POWER_LEAST_EPS 0.01f
/// t of cells inside solids, times that of open cells: as good as nothing beside open cells, but a
/// particle with solid cells alone still has weights.
#define POWER_CLOSED 1e-9f
/// The largest s_q.
#define POWER_MOST_SCALE 1e6f

typedef struct power_cube {
    _Alignas(64) float cell[POWER_EDGE][POWER_EDGE][POWER_EDGE]; ///< z, y, x
} power_cube;

/// Which cells of a cube have values: low ... high - 1. The others are not set. Along x both are
/// multiples of 8, so that rows are whole registers.
typedef struct power_box {
    int low[3], high[3];
} power_box;

/// A tile with particles.
typedef struct power_tile {
    uint32_t tile;  ///< its index in the topology
    uint32_t reach; ///< bit n: some particle reaches faces of the tile at offset n of `around`
    power_box box;  ///< cells that its particles reach
} power_tile;

/// Valid from prepare to the end of the substep. Arrays grow as needed.
typedef struct power_state {
    const sp_host *host;
    size_t count;     ///< tiles with particles
    power_tile *tile; ///< in the order of the topology
    power_cube *t;    ///< by such a tile: t_j, set within its box
    uint32_t *of;     ///< by tile of the topology: its index here, or SP_NO_TILE
    float *x[3];      ///< by particle: where it was when the weights were computed, voxels
    float *norm;      ///< by particle: 1/(sum over j of K_qj t_j)
    size_t tile_room, cube_room, of_room, place_room[4];
    float rate, limit; ///< K = exp(-rate d^2) for d^2 < limit, d in t-cells along an axis
    int iterations;    ///< of the last prepare
    float error;       ///< largest |s_q m_q/V_q - 1| of the last iteration
} power_state;

/// Computes s_q and t (power_sinkhorn.c).
sp_status bubbles_power_balance(bubbles *s, power_state *p, sp_error *err);
/// Finds norm, and moves particles to the centres of their weights (power_centres.c).
void bubbles_power_centre(bubbles *s, power_state *p);

/// ---- Solids (power_solids.c) -------------------------------------------------------------------

/// By cell of a cube, bit x of row (z, y): set inside solids.
typedef struct power_closed {
    uint32_t row[POWER_EDGE][POWER_EDGE];
    bool any;
} power_closed;
void bubbles_power_close_cells(const bubbles *s, const power_tile *tile, power_closed *closed);

/// ---- From faces to cells and back (power_faces.c) ----------------------------------------------

/// Faces that a cube's cells reach: voxels -2 ... 10 along the axis of the faces, -2 ... 9 along
/// others. A row holds 13 of them and unused ones.
enum { POWER_FACES = 13, POWER_FACE_ROW = 16, POWER_FIRST_FACE = -2 };
typedef struct power_faces {
    _Alignas(64) float face[POWER_FACES][POWER_FACES][POWER_FACE_ROW]; ///< z, y, x
} power_faces;
/// A tile's faces with a halo of three.
enum { POWER_PATCH_PAD = 3, POWER_PATCH = SP_TILE + 2 * POWER_PATCH_PAD };
typedef struct power_patch {
    float face[POWER_PATCH][POWER_PATCH][POWER_PATCH]; ///< z, y, x
    float spare[POWER_ROW]; ///< so that a register may be loaded at any face
} power_patch;

/// cells_j = t_j times the sum over faces of N_f(x_j) value_f, within the box.
void bubbles_power_prolong(const power_patch *faces, int axis, const power_cube *t,
                           const power_box *box, power_cube *cells);
/// faces_f = sum over cells of N_f(x_j) t_j value_j. Changes `cells`.
void bubbles_power_restrict(power_cube *cells, const power_cube *t, const power_box *box, int axis,
                            power_faces *faces);

sp_status bubbles_power_rasterise(bubbles *s, const bubbles_raster *raster, uint8_t *reached,
                                  sp_error *err);
sp_status bubbles_power_interpolate(bubbles *s, float *const field[3], float *const out[3],
                                    sp_error *err);

/// ---- Threads -----------------------------------------------------------------------------------

/// Calls body for each tile with particles, in any order.
typedef void power_tile_body(void *arg, size_t index, void *work);
/// `work` is work_size bytes for each of power_threads(s) threads, or NULL.
void bubbles_power_each_tile(const bubbles *s, const power_state *p, power_tile_body *body,
                             void *arg, void *work, size_t work_size);
static inline size_t power_threads(const bubbles *s)
{
    return s->host->threads > 1 ? (size_t)s->host->threads : 1;
}

#endif
