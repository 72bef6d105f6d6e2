// SPDX-License-Identifier: Apache-2.0
/// Model of the memory traffic of an iteration: each pass reads its inputs once and writes its
/// outputs once. Neighbours of tiles that were just visited are still in a cache, except in passes
/// over one colour of tiles, which also fetch the other colour.
#include "poisson/internal.h"

/// Bytes of a tile's coefficients, for each kind of pass.
typedef struct row_bytes {
    double smooth, restrict_after, apply;
} row_bytes;

static row_bytes bytes_of_row(const poisson_level *l, size_t t)
{
    if (l->row[t] == SP_POISSON_FULL) return (row_bytes){0};
    const poisson_row *kind = &l->kind[l->row[t]];
    const bool bits = kind->faces == UINT32_MAX;
    const double known = bits ? sizeof(poisson_open) : sizeof(poisson_faces) / 2, // upper halves
        exact = bits ? sizeof(poisson_open) : sizeof(poisson_faces),
                 one = sizeof(poisson_diagonal) / 2, extra = kind->has_extra ? one : 0.0;
    return (row_bytes){
        .smooth = known + one, .restrict_after = known + extra, .apply = exact + extra};
}

/// One visit of a level by the cycle; `tile` is the size of one tile of a vector.
static double visit(const poisson_level *l, double tile, bool zero)
{
    const double down = zero ? 2.5 : 4.0, // b, x written, half of x; else x twice, b, x written
        restricted = 1.5, up = 4.0;       // x, half of b; x twice, b, x written
    double bytes = (double)l->count * tile * (down + restricted + up);
    for (size_t t = 0; t < l->count; ++t) {
        const row_bytes row = bytes_of_row(l, t);
        bytes += 2.0 * row.smooth + 0.5 * row.restrict_after;
    }
    return bytes;
}

double poisson_bytes_of_iteration(const sp_poisson *s)
{
    const double tile = (double)(SP_TILE_VOXELS * s->real);
    double bytes = 0.0, visits = 1.0;
    for (int n = 0; n < s->levels; ++n) {
        bytes += visit(&s->level[n], tile, true);
        bytes += (visits - 1.0) * visit(&s->level[n], tile, false);
        if (s->def.cycle == SP_POISSON_W && n + 2 < s->levels && !s->level[n + 1].loses_period)
            visits *= 2.0;
    }
    // p = z + p: 3; p'Ap: 1; d += p, r -= Ap: 5
    const poisson_level *l = &s->level[0];
    bytes += 9.0 * tile * (double)l->count;
    for (size_t t = 0; t < l->count; ++t)
        bytes += 2.0 * bytes_of_row(l, t).apply;
    return bytes;
}
