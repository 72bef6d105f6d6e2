// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_POWER_KERNEL_H
#define SP_BUBBLES_POWER_KERNEL_H

/// The kernel K between particles and cells: tables for a batch of particles, sums over the cells of
/// a particle, and additions to them. K is a product of three tables of six values, so a particle costs
/// 18 exponentials and works on 36 rows of cells along x, each in a register of eight lanes. The
/// tables of a batch are cheaper to compute again than to store.
///
/// A product is rounded before it is added (no fused operations), and every lane of a machine's
/// register computes the same, so no result depends on the machine.

#include "bubbles/basis/power_state.h"

typedef float power_row __attribute__((vector_size(4 * POWER_ROW)));

SP_INLINE power_row power_load(const float *p)
{
    power_row v;
    memcpy(&v, p, sizeof v);
    return v;
}
SP_INLINE void power_store(float *p, power_row v)
{
    memcpy(p, &v, sizeof v);
}
/// By a tree: lane l + 4 is added to lane l, then l + 2, then l + 1.
SP_INLINE float power_sum(power_row v)
{
    typedef float four __attribute__((vector_size(16)));
    union {
        power_row all;
        four half[2];
    } u = {v};
    const four sum = u.half[0] + u.half[1];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

#if defined(__clang__) || __GNUC__ >= 12

/// Sixteen floats as those with even and those with odd indices.
SP_INLINE void power_split(const float *p, power_row *even, power_row *odd)
{
    const power_row a = power_load(p), b = power_load(p + POWER_ROW);
    *even = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    *odd = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
/// The reverse: the first and the last eight of sixteen.
SP_INLINE void power_zip(power_row even, power_row odd, power_row half[2])
{
    half[0] = __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
    half[1] = __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
}

#else

SP_INLINE void power_split(const float *p, power_row *even, power_row *odd)
{
    power_row a = {0}, b = {0};
    for (int l = 0; l < POWER_ROW; ++l) {
        a[l] = p[2 * l];
        b[l] = p[2 * l + 1];
    }
    *even = a;
    *odd = b;
}
SP_INLINE void power_zip(power_row even, power_row odd, power_row half[2])
{
    float both[2 * POWER_ROW];
    for (int l = 0; l < POWER_ROW; ++l) {
        both[2 * l] = even[l];
        both[2 * l + 1] = odd[l];
    }
    half[0] = power_load(both);
    half[1] = power_load(both + POWER_ROW);
}

#endif

/// K of a particle: the factors at six cells from the first on along y and z, and at eight along x,
/// of which six are not 0.
typedef struct power_taps {
    float x[POWER_ROW], y[POWER_ROW], z[POWER_ROW];
} power_taps;

typedef struct power_batch {
    _Alignas(64) power_taps taps[POWER_BATCH];
    float from[POWER_BATCH][3]; ///< centre of the first cell less the particle's place, t-cells
    uint32_t at[POWER_BATCH];   ///< the first cell's index in the cube
} power_batch;

/// The first cell that a place (voxels from the tile's low corner, 0 <= x < 8) reaches: 1 ... 17.
SP_INLINE int power_first(float x)
{
    return (int)(2.0f * x + ((float)POWER_PAD - 2.5f));
}
/// The first cell of its row along x: a row of eight cells must end within the cube.
SP_INLINE int power_first_in_row(int first)
{
    return first < POWER_EDGE - POWER_ROW ? first : POWER_EDGE - POWER_ROW;
}

/// 0, 1, 2, ... 7
SP_INLINE power_row power_lanes(void)
{
    return (power_row){0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f};
}
/// Squared distances from a place to the cells from the first on, t-cells^2, along an axis. Returns
/// the distance to the first.
SP_INLINE float power_distances(float x, int first, float d2[POWER_ROW])
{
    const float from = ((float)first + 0.5f) - (2.0f * x + (float)POWER_PAD);
    const power_row d = power_lanes() + from;
    power_store(d2, d * d);
    return from;
}

/// Kernels of the particles first ... first + n - 1, 1 <= n <= POWER_BATCH, at the places in the state.
SP_INLINE void power_kernels(const power_state *p, size_t first, int n, power_batch *batch)
{
    const int padded = n + (n & 1); // whole registers, also of sixteen lanes
    for (int q = 0; q < padded; ++q) {
        const size_t i = first + (size_t)(q < n ? q : n - 1);
        const float x = p->x[0][i], y = p->x[1][i], z = p->x[2][i];
        const int a = power_first_in_row(power_first(x)), b = power_first(y), c = power_first(z);
        batch->from[q][0] = power_distances(x, a, batch->taps[q].x);
        batch->from[q][1] = power_distances(y, b, batch->taps[q].y);
        batch->from[q][2] = power_distances(z, c, batch->taps[q].z);
        batch->at[q] = (uint32_t)(a + POWER_EDGE * (b + POWER_EDGE * c));
    }
    float *k = batch->taps[0].x;
    for (int l = 0; l < padded * 3 * POWER_ROW; l += SP_PART) {
        const sp_part d2 = sp_part_load(k + l);
        sp_part_store(k + l, sp_part_keep(d2 < p->limit, sp_part_exp(-p->rate * d2)));
    }
}

/// A particle's first cell.
SP_INLINE const float *power_cells(const power_cube *cube, uint32_t at)
{
    return &cube->cell[0][0][0] + at;
}

/// Sum over a particle's cells of K_qj cells_j.
SP_INLINE float power_gather(const float *cells, const power_taps *k)
{
    power_row sum = {0};
    for (int d = 0; d < POWER_TAPS; ++d) {
        const float *layer = cells + d * POWER_EDGE * POWER_EDGE;
        power_row part = {0};
        for (int c = 0; c < POWER_TAPS; ++c)
            part += k->y[c] * power_load(layer + c * POWER_EDGE);
        sum += k->z[d] * part;
    }
    return power_sum(sum * power_load(k->x));
}

/// Adds K_qj value[f] to a particle's cells in each of `fields` cubes.
SP_INLINE void power_splat(power_cube *const *cubes, int fields, uint32_t at, const power_taps *k,
                           const float *value)
{
    for (int d = 0; d < POWER_TAPS; ++d) {
        const power_row layer = k->z[d] * power_load(k->x);
        for (int c = 0; c < POWER_TAPS; ++c) {
            const power_row kernel = k->y[c] * layer;
            const size_t row = at + (size_t)(POWER_EDGE * (c + POWER_EDGE * d));
            for (int f = 0; f < fields; ++f) {
                float *cell = &cubes[f]->cell[0][0][0] + row;
                power_store(cell, power_load(cell) + value[f] * kernel);
            }
        }
    }
}

/// Particles of the batch that begins at `first`, of those up to `end`.
SP_INLINE int power_batch_size(size_t first, size_t end)
{
    return end - first < POWER_BATCH ? (int)(end - first) : POWER_BATCH;
}

#endif
