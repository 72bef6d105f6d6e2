// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POISSON_FACES_H
#define SP_POISSON_FACES_H

/// Expands the stored coefficients of a tile to six per voxel, for tiles where bits are not enough.
/// Colour 0 reads them from the list directly. So does colour 1 along z, one plane further, and
/// along x towards the voxel at the same place. Along y and towards the other side in x colour 1
/// uses the coefficients of colour 0 one row or one place away, and at the border of the tile its
/// own:
///
///     colour 1, YL    [ before row 0 | YH of colour 0, rows 0 ... 6 ]     in every plane
///     colour 1, YH    [ YL of colour 0, rows 1 ... 7 | after row 7 ]
///     colour 1, XO    XO of colour 0 one place left or right, alternating from row to row
///
/// This runs once per visit of a tile, in the L1 cache, and takes a fraction of the time that
/// reading the other half from memory would.
#include "core/numbers/lanes.h"
#include "poisson/internal.h"

enum {
    FACES_XO = POISSON_PACKED, ///< of colour 1, after the list
    FACES_YL = FACES_XO + POISSON_HALF,
    FACES_YH = FACES_YL + POISSON_HALF,
    FACES_ALL = FACES_YH + POISSON_HALF,
};

typedef struct unpacked {
    _Alignas(64) float face[FACES_ALL];
} unpacked;

/// Start of the coefficients `which` of a colour.
SP_INLINE const float *faces_of(const unpacked *u, int colour, int which)
{
    static const int at[2][POISSON_FACES] = {
        {POISSON_AT_XS, POISSON_AT_XO, POISSON_AT_YL, POISSON_AT_YH, POISSON_AT_ZL, POISSON_AT_ZH},
        {POISSON_AT_XS, FACES_XO, FACES_YL, FACES_YH, POISSON_AT_BELOW,
         POISSON_AT_ZL + POISSON_PLANE},
    };
    return u->face + at[colour][which];
}

typedef uint16_t halves16 __attribute__((vector_size(32)));

SP_INLINE sp_i16 widen(const uint16_t *p)
{
    halves16 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, sp_i16);
}

/// Shifts rows of four alternately left and right and fills the gap from `side`. With `odd` the
/// first row shifts right.
SP_INLINE sp_f16 shift_face_rows(sp_f16 own, const float side[4], int odd)
{
    sp_f16 end = {0};
    memcpy(&end, side, 4 * sizeof *side);
    if (odd)
        return __builtin_shufflevector(own, end, 16, 0, 1, 2, 5, 6, 7, 17, 18, 8, 9, 10, 13, 14, 15,
                                       19);
    return __builtin_shufflevector(own, end, 1, 2, 3, 16, 17, 4, 5, 6, 9, 10, 11, 18, 19, 12, 13,
                                   14);
}

/// `exact`: use both halves of the floats, else only the upper ones.
static void unpack(const poisson_faces *from, bool exact, unpacked *to)
{
    enum { ROWS = POISSON_PLANE - 4 }; ///< values of a plane without one row
    for (int i = 0; i < POISSON_PACKED; i += 16) {
        sp_i16 bits = widen(from->upper + i) << 16;
        if (exact) bits |= widen(from->lower + i);
        memcpy(to->face + i, &bits, sizeof bits);
    }
    for (int k = 0; k < 8; ++k) {
        float *face = to->face + POISSON_PLANE * k;
        const float *before = to->face + POISSON_AT_BEFORE + 4 * k,
                    *after = to->face + POISSON_AT_AFTER + 4 * k;
        memcpy(face + FACES_YL, before, 4 * sizeof *face);
        memcpy(face + FACES_YL + 4, face + POISSON_AT_YH, ROWS * sizeof *face);
        memcpy(face + FACES_YH, face + POISSON_AT_YL + 4, ROWS * sizeof *face);
        memcpy(face + FACES_YH + ROWS, after, 4 * sizeof *face);
        for (int h = 0; h < 2; ++h) {
            const sp_f16 own = sp_f16_load(face + POISSON_AT_XO + 16 * h);
            const float *side = to->face + POISSON_AT_SIDE + 8 * k + 4 * h;
            sp_f16_store(face + FACES_XO + 16 * h,
                         k & 1 ? shift_face_rows(own, side, 1) : shift_face_rows(own, side, 0));
        }
    }
}

#endif
