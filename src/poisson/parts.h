// SPDX-License-Identifier: Apache-2.0
/// Subtracts means over singular pieces. In exact arithmetic residuals have no mean; the mean from
/// rounding grows from cycle to cycle until nothing converges.
#include "poisson/block.h"

/// Sums over the parts of a tile.
static void sum_parts(const sp_poisson *s, size_t t, const vec value[32])
{
    const poisson_pieces *p = &s->pieces;
    for (size_t n = p->node[t]; n < p->node[t + 1]; ++n)
        p->sum[n] = 0.0;
    if (p->node[t] == p->node[t + 1] || !poisson_touches_singular(s, t)) return;
    if (p->label[t] == UINT32_MAX) {
        sp_d16 sum = {0};
        for (int i = 0; i < 32; ++i)
            sum += __builtin_convertvector(value[i], sp_d16);
        p->sum[p->node[t]] = sp_d16_sum(sum);
        return;
    }
    for (size_t c = 0; c < SP_TILE_VOXELS; ++c) {
        const uint32_t part = p->part[p->label[t]][poisson_caller_place(c)];
        if (part != UINT16_MAX) p->sum[p->node[t] + part] += (double)value[c / 16][c % 16];
    }
}

/// For a tile that lies entirely in one piece.
SP_INLINE void subtract_mean(const poisson_diagonal *diagonal, vec *value, REAL mean)
{
    for (int i = 0; i < 32; ++i) {
        vec off = vec_all(mean);
        if (diagonal) { // only in unknowns
            const vec inverse = vec_of_floats(&diagonal->inverse[i / 16][16 * (i % 16)]);
            off = (vec)((ivec)off & (ivec)(inverse > 0));
        }
        value[i] -= off;
    }
}

/// Subtracts from a tile the means of its pieces.
static void subtract_means(const sp_poisson *s, size_t t, const double *mean, vec value[32])
{
    const poisson_pieces *p = &s->pieces;
    const uint32_t node = p->node[t], label = p->label[t];
    if (node == p->node[t + 1] || !poisson_touches_singular(s, t)) return;
    if (label == UINT32_MAX) {
        subtract_mean(diagonal_of(&s->level[0], t), value, (REAL)mean[p->piece[node]]);
        return;
    }
    for (size_t c = 0; c < SP_TILE_VOXELS; ++c) {
        const uint32_t part = p->part[label][poisson_caller_place(c)];
        if (part != UINT16_MAX) value[c / 16][c % 16] -= (REAL)mean[p->piece[node + part]];
    }
}
