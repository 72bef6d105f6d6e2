// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POISSON_FACES_H
#define SP_POISSON_FACES_H

/// Coefficients of a tile where bits will not do, as its voxels want them: six for each. Colour 0
/// has them in the list as they are, and so has colour 1 along z, one plane further, and along x
/// towards the voxel at the same place. What it has along y and towards the other side in x is what
/// colour 0 has a row or a place away, and at the rim what the list keeps for it alone:
///
///     colour 1, YL    [ before row 0 | colour 0's YH of rows 0 ... 6 ]     in every plane
///     colour 1, YH    [ colour 0's YL of rows 1 ... 7 | after row 7 ]
///     colour 1, XO    colour 0's XO a place to the left or to the right, from row to row in turns
///
/// This is done once a visit, in the first-level cache, in a fraction of the time that memory would
/// need for the other half.
#include "core/numbers/lanes.h"
#include "poisson/internal.h"

enum {
    FACES_XO = POISSON_PACKED, ///< colour 1's, after the list
    FACES_YL = FACES_XO + POISSON_HALF,
    FACES_YH = FACES_YL + POISSON_HALF,
    FACES_ALL = FACES_YH + POISSON_HALF,
};

typedef struct unpacked {
    _Alignas(64) float face[FACES_ALL];
} unpacked;

/// Where the coefficients of a colour begin.
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

/// Rows of four in turns: moved to the left with a value of the side behind, or to the right with
/// one before; `odd` begins with the latter.
SP_INLINE sp_f16 aside(sp_f16 own, const float side[4], int odd)
{
    sp_f16 end = {0};
    memcpy(&end, side, 4 * sizeof *side);
    if (odd)
        return __builtin_shufflevector(own, end, 16, 0, 1, 2, 5, 6, 7, 17, 18, 8, 9, 10, 13, 14, 15,
                                       19);
    return __builtin_shufflevector(own, end, 1, 2, 3, 16, 17, 4, 5, 6, 9, 10, 11, 18, 19, 12, 13,
                                   14);
}

/// `exact`: from both halves of the floats, else from the upper ones.
static void unpack(const poisson_faces *from, bool exact, unpacked *to)
{
    enum { ROWS = POISSON_PLANE - 4 }; ///< of a plane, all but one
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
                         k & 1 ? aside(own, side, 1) : aside(own, side, 0));
        }
    }
}

#endif
