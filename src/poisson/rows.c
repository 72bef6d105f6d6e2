// SPDX-License-Identifier: Apache-2.0
/// Coefficients by colour: six a voxel, each face twice, so that a sweep reads straight on.
#include "poisson/internal.h"

#include <string.h>

/// All six faces of a tile's voxels, as a caller has them: low x y z, then high.
typedef struct around {
    const float *low[3];
    float high[3][SP_TILE_VOXELS];
} around;

/// Low face of a voxel of any tile; a FULL tile has ones and a missing one zeros.
static float low_face(const poisson_level *l, size_t tile, int axis, size_t place)
{
    if (tile == l->count) return 0.0f;
    const uint32_t row = l->row[tile];
    return row == SP_POISSON_FULL ? 1.0f : l->face[axis][(size_t)row * SP_TILE_VOXELS + place];
}

/// High faces are the low ones of the next voxels, the last those of the next tile.
static void look_around(const poisson_level *l, size_t t, around *to)
{
    static const size_t stride[3] = {1, 8, 64}, across[3][2] = {{8, 64}, {1, 64}, {1, 8}};
    for (int a = 0; a < 3; ++a) {
        const float *low = l->face[a] + (size_t)l->row[t] * SP_TILE_VOXELS;
        const size_t step = stride[a], next = l->near[t][2 * a + 1];
        to->low[a] = low;
        memcpy(to->high[a], low + step, (SP_TILE_VOXELS - step) * sizeof *low);
        for (size_t v = 0; v < 8; ++v)
            for (size_t u = 0; u < 8; ++u) {
                const size_t first = u * across[a][0] + v * across[a][1];
                to->high[a][first + 7 * step] = low_face(l, next, a, first);
            }
    }
}

/// Whether every face is either closed or conducts 1.
static bool bits_will_do(const around *f)
{
    bool other = false;
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < SP_TILE_VOXELS; ++c) {
            const float low = f->low[a][c], high = f->high[a][c];
            other |= (low != 0.0f && low != 1.0f) || (high != 0.0f && high != 1.0f);
        }
    return !other;
}

/// The six coefficients of a caller's voxel in our order.
static void six_of(const around *f, int c, float face[POISSON_FACES])
{
    const bool odd = c & 1;
    face[POISSON_XS] = odd ? f->low[0][c] : f->high[0][c];
    face[POISSON_XO] = odd ? f->high[0][c] : f->low[0][c];
    face[POISSON_YL] = f->low[1][c];
    face[POISSON_YH] = f->high[1][c];
    face[POISSON_ZL] = f->low[2][c];
    face[POISSON_ZH] = f->high[2][c];
}

static void fill_row(const poisson_level *l, size_t t, uint64_t *active)
{
    const uint32_t row = l->row[t];
    poisson_row *kind = &l->kind[row];
    poisson_diagonal *diagonal = &l->diagonal[row];
    poisson_open *open = &l->open[row];
    poisson_faces *faces = kind->faces == UINT32_MAX ? NULL : &l->faces[kind->faces];
    const float *extra = l->extra + (size_t)row * SP_TILE_VOXELS;
    around f;
    look_around(l, t, &f);
    memset(open, 0, sizeof *open);
    kind->cells = 0;
    kind->tied = false;
    kind->trace = 0.0f;
    for (int c = 0; c < SP_TILE_VOXELS; ++c) {
        const int i = c & 7, j = c >> 3 & 7, k = c >> 6, colour = (i + j + k) & 1;
        const size_t to = poisson_place(i, j, k) % POISSON_HALF;
        float face[POISSON_FACES], sum = 0.0f;
        six_of(&f, c, face);
        for (int n = 0; n < POISSON_FACES; ++n) {
            sum += face[n];
            open->bits[colour][n][to / 16] |= (uint16_t)((face[n] > 0.0f) << to % 16);
            if (faces) faces->face[colour][n][to] = face[n];
        }
        kind->trace += sum;
        sum += extra[c];
        diagonal->extra[colour][to] = extra[c];
        diagonal->inverse[colour][to] = sum > 0.0f ? 1.0f / sum : 0.0f;
        kind->cells += sum > 0.0f;
        kind->tied |= extra[c] > 0.0f;
        if (active && sum > 0.0f) active[k] |= (uint64_t)1 << (c & 63);
    }
}

typedef struct filling {
    const poisson_level *level;
    sp_tile_mask *active;
} filling;

static void judge_rows(void *arg, size_t begin, size_t end)
{
    const filling *w = arg;
    const poisson_level *l = w->level;
    for (size_t t = begin; t < end; ++t) {
        if (l->row[t] == SP_POISSON_FULL) continue;
        around f;
        look_around(l, t, &f);
        l->kind[l->row[t]].faces = bits_will_do(&f) ? UINT32_MAX : 0;
    }
}

static void fill_rows(void *arg, size_t begin, size_t end)
{
    const filling *w = arg;
    const poisson_level *l = w->level;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t row = l->row[t];
        if (row == SP_POISSON_FULL) continue;
        if (w->active) memset(w->active[row], 0, sizeof *w->active);
        fill_row(l, t, w->active ? w->active[row] : NULL);
    }
}

sp_status poisson_fill_rows(const sp_host *host, poisson_level *l, sp_tile_mask *active,
                            sp_error *err)
{
    l->kind = poisson_hold(host, &l->store[POISSON_KIND], l->rows, sizeof *l->kind);
    l->open = poisson_hold(host, &l->store[POISSON_OPEN], l->rows, sizeof *l->open);
    l->diagonal = poisson_hold(host, &l->store[POISSON_DIAGONAL], l->rows, sizeof *l->diagonal);
    if (!l->kind || !l->open || !l->diagonal)
        return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for %zu rows", l->rows);
    filling work = {l, active};
    sp_parallel(host, l->count, POISSON_GRAIN, judge_rows, &work);
    uint32_t general = 0;
    for (size_t t = 0; t < l->count; ++t)
        if (l->row[t] != SP_POISSON_FULL && l->kind[l->row[t]].faces != UINT32_MAX)
            l->kind[l->row[t]].faces = general++;
    l->faces = poisson_hold(host, &l->store[POISSON_GENERAL], general, sizeof *l->faces);
    if (!l->faces) return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for %u rows", general);
    sp_parallel(host, l->count, POISSON_GRAIN, fill_rows, &work);
    return SP_OK;
}
