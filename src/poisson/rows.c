// SPDX-License-Identifier: Apache-2.0
/// Coefficients by colour: six a voxel, each face twice, so that a sweep reads straight on.
#include "poisson/internal.h"

#include <string.h>

/// Values of a tile's own low faces along an axis; a FULL tile has ones and a missing one zeros.
static float low_face(const poisson_level *l, size_t tile, int axis, size_t place)
{
    if (tile == l->count) return 0.0f;
    const uint32_t row = l->row[tile];
    return row == SP_POISSON_FULL ? 1.0f : l->face[axis][(size_t)row * SP_TILE_VOXELS + place];
}

/// High faces of a tile's voxels: the low ones of the next voxels, the last of the next tile.
static void high_faces(const poisson_level *l, size_t t, int axis, float high[SP_TILE_VOXELS])
{
    static const size_t stride[3] = {1, 8, 64}, across[3][2] = {{8, 64}, {1, 64}, {1, 8}};
    const float *low = l->face[axis] + (size_t)l->row[t] * SP_TILE_VOXELS;
    const size_t step = stride[axis], next = l->near[t][2 * axis + 1];
    memcpy(high, low + step, (SP_TILE_VOXELS - step) * sizeof *high);
    for (size_t v = 0; v < 8; ++v)
        for (size_t u = 0; u < 8; ++u) {
            const size_t first = u * across[axis][0] + v * across[axis][1];
            high[first + 7 * step] = low_face(l, next, axis, first);
        }
}

static uint32_t fill_row(const poisson_level *l, size_t t, uint64_t *active)
{
    poisson_row *row = &l->coefficient[l->row[t]];
    float high[3][SP_TILE_VOXELS];
    const float *low[3], *extra = l->extra + (size_t)l->row[t] * SP_TILE_VOXELS;
    for (int a = 0; a < 3; ++a) {
        low[a] = l->face[a] + (size_t)l->row[t] * SP_TILE_VOXELS;
        high_faces(l, t, a, high[a]);
    }
    uint32_t cells = 0;
    for (int c = 0; c < SP_TILE_VOXELS; ++c) {
        const int i = c & 7, j = c >> 3 & 7, k = c >> 6;
        const size_t to = poisson_place(i, j, k) % POISSON_HALF;
        const int colour = (i + j + k) & 1, odd = i & 1;
        float(*face)[POISSON_HALF] = row->face[colour];
        face[POISSON_XS][to] = odd ? low[0][c] : high[0][c];
        face[POISSON_XO][to] = odd ? high[0][c] : low[0][c];
        face[POISSON_YL][to] = low[1][c];
        face[POISSON_YH][to] = high[1][c];
        face[POISSON_ZL][to] = low[2][c];
        face[POISSON_ZH][to] = high[2][c];
        row->extra[colour][to] = extra[c];
        const float sum = ((low[0][c] + high[0][c]) + (low[1][c] + high[1][c])) +
                          ((low[2][c] + high[2][c]) + extra[c]);
        row->inverse[colour][to] = sum > 0.0f ? 1.0f / sum : 0.0f;
        cells += sum > 0.0f;
        if (active && sum > 0.0f) active[c >> 6] |= (uint64_t)1 << (c & 63);
    }
    return cells;
}

typedef struct filling {
    const poisson_level *level;
    sp_tile_mask *active;
} filling;

static void fill_rows(void *arg, size_t begin, size_t end)
{
    const filling *w = arg;
    const poisson_level *l = w->level;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t row = l->row[t];
        if (row == SP_POISSON_FULL) continue;
        if (w->active) memset(w->active[row], 0, sizeof *w->active);
        l->cells[row] = fill_row(l, t, w->active ? w->active[row] : NULL);
    }
}

void poisson_fill_rows(const sp_host *host, poisson_level *level, sp_tile_mask *active)
{
    filling work = {level, active};
    sp_parallel(host, level->count, POISSON_GRAIN, fill_rows, &work);
}
