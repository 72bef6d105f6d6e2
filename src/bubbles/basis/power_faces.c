// SPDX-License-Identifier: Apache-2.0
/// Trilinear weights N between faces and t-cells; each function is the transpose of the other:
///
///     bubbles_power_prolong     values at cells from values at faces, along x, then y, then z
///     bubbles_power_restrict    sums at faces from values at cells, along z, then y, then x
///
/// Along the axis of the faces, cells have their centres at 1/4 and 3/4 between two faces. Along other
/// axes faces are at the centres of voxels, and cells are 1/4 before and after:
///
///     along      | a   b | c   d |        a = 3/4 |0 + 1/4 |1     |1 = (a + d)/4 + 3/4 (b + c)
///                0       1       2        b = 1/4 |0 + 3/4 |1
///     across     a . b | c . d | e        b = 3/4 .0 + 1/4 .1     .1 = (b + e)/4 + 3/4 (c + d)
///                  0       1              c = 1/4 .0 + 3/4 .1
///
/// Face w of a cube is that of voxel w - 2, and has its first cell at 2 w.
#include "bubbles/basis/power_kernel.h"

/// Cells of a row: three registers.
enum { PARTS = POWER_EDGE / POWER_ROW };

/// ---- From faces to cells -----------------------------------------------------------------------

/// The patch's index of the first of the two faces around cell b of the cube.
SP_INLINE int patch_index(int b, bool along)
{
    return along ? b / 2 + 1 : (b + 1) / 2;
}
/// Its weight; the other face has the rest.
SP_INLINE float first_share(int b, bool along)
{
    return (b & 1) == along ? 0.25f : 0.75f;
}

/// Along x: sixteen cells from cell 2 e on.
SP_INLINE void prolong_cells(const float *face, int e, bool along, power_row cell[2])
{
    const power_row before = power_load(face + e), here = power_load(face + e + 1),
                    after = power_load(face + e + 2);
    if (along)
        power_zip(0.75f * here + 0.25f * after, 0.25f * here + 0.75f * after, cell);
    else
        power_zip(0.25f * before + 0.75f * here, 0.75f * here + 0.25f * after, cell);
}

static void prolong_row(const float *face, bool along, float cell[POWER_EDGE])
{
    power_row low[2], high[2];
    prolong_cells(face, 0, along, low);
    prolong_cells(face, POWER_ROW, along, high);
    power_store(cell, low[0]);
    power_store(cell + POWER_ROW, low[1]);
    power_store(cell + 2 * POWER_ROW, high[0]);
}

/// One layer of faces: the cells of rows low ... high - 1 of the box.
static void prolong_plane(const power_patch *faces, int k, int axis, const power_box *box,
                          float (*cell)[POWER_EDGE])
{
    _Alignas(64) float wide[POWER_PATCH][POWER_EDGE];
    for (int j = 0; j < POWER_PATCH; ++j)
        prolong_row(faces->face[k][j], axis == 0, wide[j]);
    for (int j = box->low[1]; j < box->high[1]; ++j) {
        const float *low = wide[patch_index(j, axis == 1)], *high = low + POWER_EDGE;
        const float a = first_share(j, axis == 1);
        for (int i = 0; i < PARTS * POWER_ROW; i += POWER_ROW)
            power_store(cell[j] + i, a * power_load(low + i) + (1.0f - a) * power_load(high + i));
    }
}

void bubbles_power_prolong(const power_patch *faces, int axis, const power_cube *t,
                           const power_box *box, power_cube *cells)
{
    _Alignas(64) float plane[POWER_PATCH][POWER_EDGE][POWER_EDGE];
    const int last = patch_index(box->high[2] - 1, axis == 2) + 1;
    for (int k = patch_index(box->low[2], axis == 2); k <= last; ++k)
        prolong_plane(faces, k, axis, box, plane[k]);
    for (int k = box->low[2]; k < box->high[2]; ++k) {
        const int first = patch_index(k, axis == 2);
        const float a = first_share(k, axis == 2);
        for (int j = box->low[1]; j < box->high[1]; ++j)
            for (int i = box->low[0]; i < box->high[0]; i += POWER_ROW) {
                const power_row value = a * power_load(&plane[first][j][i]) +
                                        (1.0f - a) * power_load(&plane[first + 1][j][i]);
                power_store(&cells->cell[k][j][i], value * power_load(&t->cell[k][j][i]));
            }
    }
}

/// ---- From cells to faces -----------------------------------------------------------------------

/// Four rows of cells around face w of a cube, from cell 2 w - 2 on (along) or 2 w - 1 (across), of
/// `rows` with `stride` floats from one to the next. Those outside low ... high - 1 are `zeros`.
/// False: all are.
SP_INLINE bool four_rows(const float *rows, size_t stride, int w, bool along, int low, int high,
                         const float *row[4])
{
    static const float zeros[POWER_EDGE] = {0};
    const int first = 2 * w - (along ? 2 : 1);
    for (int n = 0; n < 4; ++n) {
        const bool inside = first + n >= low && first + n < high;
        row[n] = inside ? rows + (size_t)(first + n) * stride : zeros;
    }
    return first + 4 > low && first < high;
}

SP_INLINE void restrict_rows(const float *const row[4], float out[POWER_EDGE])
{
    for (int i = 0; i < PARTS * POWER_ROW; i += POWER_ROW) {
        const power_row outer = power_load(row[0] + i) + power_load(row[3] + i),
                        inner = power_load(row[1] + i) + power_load(row[2] + i);
        power_store(out + i, 0.25f * outer + 0.75f * inner);
    }
}

/// Along x: the cells of a row with even and with odd indices, and zeros before and after.
typedef struct row_halves {
    float even[4 * POWER_ROW], odd[4 * POWER_ROW]; ///< of cells 2 n - 16 and 2 n - 15
} row_halves;

static void restrict_row(row_halves *h, const float cell[2 * POWER_FACE_ROW], bool along,
                         float face[POWER_FACE_ROW])
{
    for (int i = 0; i < 2; ++i) {
        power_row even, odd;
        power_split(cell + 2 * POWER_ROW * i, &even, &odd);
        power_store(h->even + POWER_ROW * (i + 1), even);
        power_store(h->odd + POWER_ROW * (i + 1), odd);
    }
    for (int i = 0; i < POWER_FACE_ROW; i += POWER_ROW) {
        const float *even = h->even + POWER_ROW + i, *odd = h->odd + POWER_ROW + i;
        const power_row outer = along ? power_load(even - 1) + power_load(odd)
                                      : power_load(odd - 1) + power_load(even + 1),
                        inner = along ? power_load(odd - 1) + power_load(even)
                                      : power_load(even) + power_load(odd);
        power_store(face + i, 0.25f * outer + 0.75f * inner);
    }
}

/// One layer of faces from its rows of cells low ... high - 1.
static void restrict_plane(const float *rows, const power_box *box, int axis,
                           float (*face)[POWER_FACE_ROW])
{
    _Alignas(64) float sum[2 * POWER_FACE_ROW] = {0}; // zeros after 24 cells
    row_halves halves = {{0}, {0}};
    for (int w = 0; w < POWER_FACES; ++w) {
        const float *row[4];
        if (!four_rows(rows, POWER_EDGE, w, axis == 1, box->low[1], box->high[1], row)) continue;
        restrict_rows(row, sum);
        restrict_row(&halves, sum, axis == 0, face[w]);
    }
}

/// cells *= t, and 0 in what the box lacks of its rows.
static void times_t(power_cube *cells, const power_cube *t, const power_box *box)
{
    const power_row zero = {0};
    for (int k = box->low[2]; k < box->high[2]; ++k)
        for (int j = box->low[1]; j < box->high[1]; ++j) {
            float *cell = cells->cell[k][j];
            for (int i = 0; i < POWER_EDGE; i += POWER_ROW) {
                const bool inside = i >= box->low[0] && i < box->high[0];
                const power_row value =
                    inside ? power_load(cell + i) * power_load(&t->cell[k][j][i]) : zero;
                power_store(cell + i, value);
            }
        }
}

void bubbles_power_restrict(power_cube *cells, const power_cube *t, const power_box *box, int axis,
                            power_faces *faces)
{
    _Alignas(64) float plane[POWER_EDGE][POWER_EDGE];
    memset(faces, 0, sizeof *faces);
    times_t(cells, t, box);
    for (int w = 0; w < POWER_FACES; ++w) {
        bool any = false;
        for (int j = box->low[1]; j < box->high[1]; ++j) {
            const float *row[4];
            any = four_rows(cells->cell[0][j], POWER_EDGE * POWER_EDGE, w, axis == 2, box->low[2],
                            box->high[2], row);
            if (any) restrict_rows(row, plane[j]);
        }
        if (any) restrict_plane(plane[0], box, axis, faces->face[w]);
    }
}
