// SPDX-License-Identifier: Apache-2.0
/// How many bytes an iteration moves between memory and cores, by counting: each pass reads what it
/// reads once and writes what it writes once, and neighbours of tiles that were just visited are
/// still in a cache, but for passes over one colour of tiles, which fetch the other colour too.
#include "poisson/internal.h"

/// Of a tile's coefficients: for smoothing, and for applying the operator.
static void row_bytes(const poisson_level *l, size_t t, double *smooth, double *apply)
{
    *smooth = *apply = 0.0;
    if (l->row[t] == SP_POISSON_FULL) return;
    const poisson_row *kind = &l->kind[l->row[t]];
    const double faces = kind->faces == UINT32_MAX ? sizeof(poisson_open) : sizeof(poisson_faces),
                 one = sizeof(poisson_diagonal) / 2;
    *smooth = faces + one;
    *apply = faces + (kind->tied ? one : 0.0);
}

/// One visit of a level by the cycle: `tile` is a tile of a vector.
static double visit(const poisson_level *l, double tile, bool zero)
{
    const double down = zero ? 2.5 : 4.0, // b, x written, half of x; else x twice, b, x written
        restricted = 1.5, up = 4.0;       // x, half of b; x twice, b, x written
    double bytes = (double)l->count * tile * (down + restricted + up);
    for (size_t t = 0; t < l->count; ++t) {
        double smooth, apply;
        row_bytes(l, t, &smooth, &apply);
        bytes += 2.0 * smooth + 0.5 * apply;
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
        if (s->def.cycle == SP_POISSON_W && n + 2 < s->levels && !s->level[n + 1].torn)
            visits *= 2.0;
    }
    // p = z + p: 3; p'Ap: 1; d += p, r -= Ap: 5
    const poisson_level *l = &s->level[0];
    bytes += 9.0 * tile * (double)l->count;
    for (size_t t = 0; t < l->count; ++t) {
        double smooth, apply;
        row_bytes(l, t, &smooth, &apply);
        bytes += 2.0 * apply;
    }
    return bytes;
}
