// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_EIGHT_H
#define SP_LIQUID_EIGHT_H

/// Registers of eight floats, one row of a tile, and shifts of their lanes.

#include "core/numbers/lanes.h"

enum { SP_EIGHT = 8 };
typedef float sp_eight __attribute__((vector_size(4 * SP_EIGHT)));

SP_INLINE sp_eight sp_eight_load(const float *p)
{
    sp_eight v;
    memcpy(&v, p, sizeof v);
    return v;
}
SP_INLINE void sp_eight_store(float *p, sp_eight v)
{
    memcpy(p, &v, sizeof v);
}

#if defined(__clang__) || __GNUC__ >= 12

/// Shifts lanes one up, and one down; 0 enters.
SP_INLINE sp_eight sp_eight_up(sp_eight v)
{
    return __builtin_shufflevector(v, (sp_eight){0}, 8, 0, 1, 2, 3, 4, 5, 6);
}
SP_INLINE sp_eight sp_eight_down(sp_eight v)
{
    return __builtin_shufflevector(v, (sp_eight){0}, 1, 2, 3, 4, 5, 6, 7, 8);
}

/// Transposes: lane l of row m goes to lane m of row l.
SP_INLINE void sp_eight_turn(sp_eight row[SP_EIGHT])
{
    sp_eight pair[SP_EIGHT], four[SP_EIGHT];
    for (int n = 0; n < SP_EIGHT; n += 2) {
        pair[n] = __builtin_shufflevector(row[n], row[n + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pair[n + 1] = __builtin_shufflevector(row[n], row[n + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int n = 0; n < SP_EIGHT; n += 4)
        for (int h = 0; h < 2; ++h) {
            const sp_eight a = pair[n + h], b = pair[n + 2 + h];
            four[n + 2 * h] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
            four[n + 2 * h + 1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int n = 0; n < 4; ++n) {
        row[n] = __builtin_shufflevector(four[n], four[n + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        row[n + 4] = __builtin_shufflevector(four[n], four[n + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#else

SP_INLINE sp_eight sp_eight_up(sp_eight v)
{
    for (int l = SP_EIGHT - 1; l > 0; --l)
        v[l] = v[l - 1];
    v[0] = 0.0f;
    return v;
}
SP_INLINE sp_eight sp_eight_down(sp_eight v)
{
    for (int l = 0; l < SP_EIGHT - 1; ++l)
        v[l] = v[l + 1];
    v[SP_EIGHT - 1] = 0.0f;
    return v;
}
SP_INLINE void sp_eight_turn(sp_eight row[SP_EIGHT])
{
    for (int m = 0; m < SP_EIGHT; ++m)
        for (int l = 0; l < m; ++l) {
            const float lane = row[m][l];
            row[m][l] = row[l][m];
            row[l][m] = lane;
        }
}

#endif

#endif
