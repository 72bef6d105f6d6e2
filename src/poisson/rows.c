// SPDX-License-Identifier: Apache-2.0
/// Converts the caller's low faces to coefficients by colour.
#include "core/numbers/lanes.h"
#include "poisson/internal.h"

/// Low faces of a tile, and the adjacent 64 low faces of the next tiles in x, y, z.
typedef struct around {
    const float *low[3];
    float next[3][64];
} around;

static void gather_faces(const poisson_level *l, size_t t, around *to)
{
    static const size_t across[3][2] = {{8, 64}, {1, 64}, {1, 8}};
    for (int a = 0; a < 3; ++a) {
        to->low[a] = l->face[a] + (size_t)l->row[t] * SP_TILE_VOXELS;
        const size_t next = l->near[t][2 * a + 1];
        const uint32_t row = next == l->count ? SP_POISSON_EMPTY : l->row[next];
        const bool there = row != SP_POISSON_EMPTY && row != SP_POISSON_FULL;
        const float *low = l->face[a] + (there ? (size_t)row * SP_TILE_VOXELS : 0);
        for (size_t v = 0; v < 8; ++v)
            for (size_t u = 0; u < 8; ++u)
                to->next[a][u + 8 * v] = there ? low[u * across[a][0] + v * across[a][1]]
                                               : (float)(row == SP_POISSON_FULL);
    }
}

/// Whether every coefficient is 0 or 1.
static bool fits_in_bits(const around *f)
{
    bool other = false;
    for (int a = 0; a < 3; ++a) {
        for (int c = 0; c < SP_TILE_VOXELS; ++c)
            other |= f->low[a][c] != 0.0f && f->low[a][c] != 1.0f;
        for (int c = 0; c < 64; ++c)
            other |= f->next[a][c] != 0.0f && f->next[a][c] != 1.0f;
    }
    return !other;
}

typedef struct six {
    float face[2][POISSON_FACES][POISSON_HALF];
    float extra[2][POISSON_HALF];
} six;

/// Splits one row of eight voxels along x by colour. A high face is the low face of the next voxel.
static void split_row(const around *f, const float *extra, int j, int k, six *to)
{
    const int row = 8 * j + 64 * k, s = (j + k) & 1, at = 4 * j + 32 * k;
    const float *y = f->low[1] + row, *z = f->low[2] + row,
                *above_y = j < 7 ? y + 8 : f->next[1] + 8 * k,
                *above_z = k < 7 ? z + 64 : f->next[2] + 8 * j;
    float(*even)[POISSON_HALF] = to->face[s], (*odd)[POISSON_HALF] = to->face[1 - s], x[9];
    memcpy(x, f->low[0] + row, 8 * sizeof *x);
    x[8] = f->next[0][j + 8 * k];
    poisson_split_row(x, even[POISSON_XO] + at, even[POISSON_XS] + at);
    poisson_split_row(x + 1, odd[POISSON_XS] + at, odd[POISSON_XO] + at);
    poisson_split_row(y, even[POISSON_YL] + at, odd[POISSON_YL] + at);
    poisson_split_row(above_y, even[POISSON_YH] + at, odd[POISSON_YH] + at);
    poisson_split_row(z, even[POISSON_ZL] + at, odd[POISSON_ZL] + at);
    poisson_split_row(above_z, even[POISSON_ZH] + at, odd[POISSON_ZH] + at);
    poisson_split_row(extra + row, to->extra[s] + at, to->extra[1 - s] + at);
}

/// Fills the list described in internal.h, split into halves.
static void pack(const six *from, poisson_faces *to)
{
    float list[POISSON_PACKED];
    const float(*own)[POISSON_HALF] = from->face[0], (*other)[POISSON_HALF] = from->face[1];
    const size_t half = sizeof *own, plane = POISSON_PLANE * sizeof(float), row = 4 * sizeof(float);
    memcpy(list + POISSON_AT_XS, own[POISSON_XS], half);
    memcpy(list + POISSON_AT_XO, own[POISSON_XO], half);
    memcpy(list + POISSON_AT_YL, own[POISSON_YL], half);
    memcpy(list + POISSON_AT_YH, own[POISSON_YH], half);
    memcpy(list + POISSON_AT_ZL, own[POISSON_ZL], half);
    memcpy(list + POISSON_AT_ZH, own[POISSON_ZH], half);
    memcpy(list + POISSON_AT_BELOW, other[POISSON_ZL], plane);
    memcpy(list + POISSON_AT_ABOVE, other[POISSON_ZH] + POISSON_HALF - POISSON_PLANE, plane);
    for (int k = 0; k < 8; ++k) {
        const int first = POISSON_PLANE * k;
        memcpy(list + POISSON_AT_BEFORE + 4 * k, other[POISSON_YL] + first, row);
        memcpy(list + POISSON_AT_AFTER + 4 * k, other[POISSON_YH] + first + POISSON_PLANE - 4, row);
        for (int j = 0; j < 8; ++j)
            list[POISSON_AT_SIDE + 8 * k + j] =
                other[POISSON_XO][first + 4 * j + ((j + k) & 1 ? 0 : 3)];
    }
    for (int i = 0; i < POISSON_PACKED; ++i) {
        uint32_t bits;
        memcpy(&bits, &list[i], sizeof bits);
        to->upper[i] = (uint16_t)(bits >> 16);
        to->lower[i] = (uint16_t)bits;
    }
}

/// A number, or its upper half: see poisson_faces.
static float masked(float x, uint32_t mask)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= mask;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint16_t positive16(const float v[16])
{
#if defined(__AVX512F__)
    return (uint16_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(v), _mm512_setzero_ps(), _CMP_GT_OQ);
#else
    uint32_t bits = 0;
    for (int i = 0; i < 16; ++i)
        bits |= (uint32_t)(v[i] > 0.0f) << i;
    return (uint16_t)bits;
#endif
}

/// Diagonals, bits, and the unknowns of a colour, one bit each; `mask` rounds faces for the cycle.
static void fill_colour(const six *f, int c, uint32_t mask, poisson_diagonal *diagonal,
                        poisson_open *open, poisson_row *kind, uint16_t unknowns[16])
{
    float sums[POISSON_HALF], all[POISSON_HALF], traces[16] = {0};
    for (int i = 0; i < POISSON_HALF; ++i) {
        float sum = 0.0f, known = 0.0f;
        for (int n = 0; n < POISSON_FACES; ++n) {
            const float face = f->face[c][n][i];
            sum += face;
            known += masked(face, mask);
        }
        sums[i] = sum;
        all[i] = sum + f->extra[c][i];
        known += f->extra[c][i];
        diagonal->inverse[c][i] = known > 0.0f ? 1.0f / known : 0.0f;
    }
    memcpy(diagonal->extra[c], f->extra[c], sizeof diagonal->extra[c]);
    for (int q = 0; q < 16; ++q) {
        for (int n = 0; n < POISSON_FACES; ++n)
            open->bits[c][n][q] = positive16(&f->face[c][n][16 * q]);
        unknowns[q] = positive16(all + 16 * q);
        kind->cells += (uint32_t)__builtin_popcount(unknowns[q]);
        kind->has_extra |= positive16(&f->extra[c][16 * q]) != 0;
        for (int i = 0; i < 16; ++i)
            traces[i] += sums[16 * q + i];
    }
    for (int i = 0; i < 16; ++i)
        kind->trace += traces[i];
}

/// The unknowns in the caller's order: rows of both colours, four bits each, interleaved.
static void interlace(uint16_t unknowns[2][16], uint64_t *active)
{
    for (int k = 0; k < 8; ++k) {
        active[k] = 0;
        for (int j = 0; j < 8; ++j) {
            const int s = (j + k) & 1, q = 2 * k + j / 4, shift = 4 * (j & 3);
            const uint32_t even = unknowns[s][q] >> shift, odd = unknowns[1 - s][q] >> shift;
            for (int m = 0; m < 4; ++m)
                active[k] |= (uint64_t)((even >> m & 1) | (odd >> m & 1) << 1) << (8 * j + 2 * m);
        }
    }
}

static void fill_row(const poisson_level *l, size_t t, uint64_t *active)
{
    const uint32_t row = l->row[t];
    poisson_row *kind = &l->kind[row];
    const bool bits = kind->faces == UINT32_MAX;
    around f;
    six all;
    uint16_t unknowns[2][16];
    gather_faces(l, t, &f);
    for (int k = 0; k < 8; ++k)
        for (int j = 0; j < 8; ++j)
            split_row(&f, l->extra + (size_t)row * SP_TILE_VOXELS, j, k, &all);
    kind->cells = 0;
    kind->has_extra = false;
    kind->trace = 0.0f;
    for (int c = 0; c < 2; ++c)
        fill_colour(&all, c, bits ? UINT32_MAX : 0xffff0000u, &l->diagonal[row], &l->open[row],
                    kind, unknowns[c]);
    if (!bits) pack(&all, &l->faces[kind->faces]);
    if (active) interlace(unknowns, active);
}

typedef struct filling {
    const poisson_level *level;
    sp_tile_mask *active;
} filling;

static void classify_rows(void *arg, size_t begin, size_t end)
{
    const filling *w = arg;
    const poisson_level *l = w->level;
    for (size_t t = begin; t < end; ++t) {
        if (l->row[t] == SP_POISSON_FULL) continue;
        around f;
        gather_faces(l, t, &f);
        l->kind[l->row[t]].faces = fits_in_bits(&f) ? UINT32_MAX : 0;
    }
}

static void fill_rows(void *arg, size_t begin, size_t end)
{
    const filling *w = arg;
    const poisson_level *l = w->level;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t row = l->row[t];
        if (row == SP_POISSON_FULL) continue;
        fill_row(l, t, w->active ? w->active[row] : NULL);
    }
}

sp_status poisson_fill_rows(sp_poisson *s, poisson_level *l, sp_tile_mask *active, sp_error *err)
{
    if (!poisson_reserve(s, &l->kind, l->rows, sizeof *l->kind) ||
        !poisson_reserve(s, &l->open, l->rows, sizeof *l->open) ||
        !poisson_reserve(s, &l->diagonal, l->rows, sizeof *l->diagonal))
        return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for %zu rows", l->rows);
    filling work = {l, active};
    sp_parallel(s->host, l->count, POISSON_GRAIN, classify_rows, &work);
    uint32_t general = 0;
    for (size_t t = 0; t < l->count; ++t)
        if (l->row[t] != SP_POISSON_FULL && l->kind[l->row[t]].faces != UINT32_MAX)
            l->kind[l->row[t]].faces = general++;
    if (!poisson_reserve(s, &l->faces, general, sizeof *l->faces))
        return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for %u rows", general);
    sp_parallel(s->host, l->count, POISSON_GRAIN, fill_rows, &work);
    return SP_OK;
}
