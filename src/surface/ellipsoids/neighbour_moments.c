// SPDX-License-Identifier: Apache-2.0
/// Weighted mean and covariance of the neighbours of a particle (Yu and Turk 2013, section 4):
///
///     w_ij = 1 - (|x_j - x_i|/r_i)^3          x_i^w = sum w x_j / sum w
///     C_i = sum w (x_j - x_i^w)(x_j - x_i^w)^T / sum w
///
/// Relative to x_i, both come from ten sums of one pass: C = sum w d d^T / sum w - m m^T with
/// d = x_j - x_i and m their mean. d is at most r_i, so cancellation is harmless. The points of 27
/// cells are copied to contiguous arrays once per cell and tested sixteen at a time for each of its
/// particles. They are read only once, so there are no neighbour lists: those of a million
/// particles would take 260 MB.
#include "surface/internal.h"

#include <string.h>

/// A position in the runs of points around a cell.
typedef struct walk {
    const sp_around *around;
    int runs; ///< begun
    sp_cell_run left;
} walk;

/// Moves to the next run when this one is used up; false after the last.
static bool walk_on(walk *w)
{
    while (w->left.begin == w->left.end) {
        if (w->runs == w->around->runs) return false;
        w->left = w->around->run[w->runs++];
    }
    return true;
}

/// Copies whole vectors; the next run overwrites what is too much at the end.
static void copy_run(float *restrict to, const float *restrict from, size_t n)
{
    for (size_t k = 0; k < n; k += SP_LANES)
        memcpy(to + k, from + k, sizeof(sp_f16));
}

/// Fills the arrays of candidates; false when no points are left.
static bool gather_on(surface_candidates *candidates, walk *w, const surface_points *p)
{
    candidates->n = 0;
    while (candidates->n < SURFACE_CANDIDATES && walk_on(w)) {
        const size_t from = w->left.begin, left = w->left.end - from,
                     room = SURFACE_CANDIDATES - candidates->n, n = left < room ? left : room;
        copy_run(candidates->x + candidates->n, p->x + from, n);
        copy_run(candidates->y + candidates->n, p->y + from, n);
        copy_run(candidates->z + candidates->n, p->z + from, n);
        if (p->r) copy_run(candidates->r + candidates->n, p->r + from, n);
        candidates->n += n;
        w->left.begin += (uint32_t)n;
    }
    // The last vector ends far away. All its offsets are finite: an infinite one, or what memory held
    // before, times a weight of zero could be NaN.
    sp_f16_store(candidates->x + candidates->n, sp_f16_all(1e18f));
    sp_f16_store(candidates->y + candidates->n, sp_f16_all(0.0f));
    sp_f16_store(candidates->z + candidates->n, sp_f16_all(0.0f));
    return candidates->n > 0;
}

void surface_candidates_gather(surface_candidates *candidates, const surface_points *points,
                               const sp_around *around)
{
    walk w = {.around = around};
    gather_on(candidates, &w, points);
    candidates->whole = !walk_on(&w);
}

/// Sums over neighbours, candidate k in lane k mod 16.
typedef struct sums {
    sp_lanes n, w, x, y, z, xx, yy, zz, xy, xz, yz;
} sums;

SP_INLINE void add_candidates(sums *total, const surface_candidates *c, const float x[3],
                              float reach)
{
    sums s = *total;
    const float limit = reach * reach, cubed = 1.0f / (limit * reach);
    for (size_t k = 0; k < c->n; k += SP_PART) {
        const sp_part dx = sp_part_load(c->x + k) - x[0], dy = sp_part_load(c->y + k) - x[1],
                      dz = sp_part_load(c->z + k) - x[2];
        const sp_part d2 = dx * dx + dy * dy + dz * dz;
        const sp_flags near = (sp_flags)(d2 < limit);
        if (!sp_flags_any(near)) continue;
        const sp_part w = sp_part_keep(near, 1.0f - d2 * sp_part_sqrt(d2) * cubed);
        const sp_part wx = w * dx, wy = w * dy, wz = w * dz;
        sp_lanes_add(&s.n, k, sp_part_keep(near, sp_part_all(1.0f)));
        sp_lanes_add(&s.w, k, w);
        sp_lanes_add(&s.x, k, wx);
        sp_lanes_add(&s.y, k, wy);
        sp_lanes_add(&s.z, k, wz);
        sp_lanes_add(&s.xx, k, wx * dx);
        sp_lanes_add(&s.yy, k, wy * dy);
        sp_lanes_add(&s.zz, k, wz * dz);
        sp_lanes_add(&s.xy, k, wx * dy);
        sp_lanes_add(&s.xz, k, wx * dz);
        sp_lanes_add(&s.yz, k, wy * dz);
    }
    *total = s;
}

/// Adds radii of neighbours to `w` and their number to `n`.
static void add_radii(sums *s, const surface_candidates *c, const float x[3], float reach)
{
    for (size_t k = 0; k < c->n; k += SP_PART) {
        const sp_part dx = sp_part_load(c->x + k) - x[0], dy = sp_part_load(c->y + k) - x[1],
                      dz = sp_part_load(c->z + k) - x[2];
        const sp_flags near = (sp_flags)(dx * dx + dy * dy + dz * dz < reach * reach);
        sp_lanes_add(&s->n, k, sp_part_keep(near, sp_part_all(1.0f)));
        sp_lanes_add(&s->w, k, sp_part_keep(near, sp_part_load(c->r + k)));
    }
}

/// Sums over the candidates, or, if they are only a part, over all parts in turn.
static sums sum_all(surface_candidates *candidates, const surface_points *points,
                    const sp_around *around, const float x[3], float reach, bool radii)
{
    sums s = {0};
    walk w = {.around = around};
    do {
        if (!candidates->whole && !gather_on(candidates, &w, points)) break;
        if (radii)
            add_radii(&s, candidates, x, reach);
        else
            add_candidates(&s, candidates, x, reach);
    } while (!candidates->whole);
    return s;
}

void surface_moments_of(surface_candidates *candidates, const surface_shape *shape,
                        const surface_points *points, const sp_around *around, size_t point,
                        surface_moments *out)
{
    const float x[3] = {points->x[point], points->y[point], points->z[point]};
    out->scale = 1.0f;
    if (shape->vary) {
        const sums s = sum_all(candidates, points, around, x, shape->search, true);
        out->scale = sp_clamp(points->r[point] * sp_lanes_sum(s.n) / sp_lanes_sum(s.w),
                              1.0f / SURFACE_SCALE_MOST, SURFACE_SCALE_MOST);
    }
    const sums s = sum_all(candidates, points, around, x, shape->search * out->scale, false);
    const double all = 1.0 / (double)sp_lanes_sum(s.w); // at least 1: the particle itself
    const double m[3] = {(double)sp_lanes_sum(s.x) * all, (double)sp_lanes_sum(s.y) * all,
                         (double)sp_lanes_sum(s.z) * all};
    out->count = (uint32_t)sp_lanes_sum(s.n);
    memcpy(out->mean, m, sizeof m);
    out->c[0] = (double)sp_lanes_sum(s.xx) * all - m[0] * m[0];
    out->c[1] = (double)sp_lanes_sum(s.yy) * all - m[1] * m[1];
    out->c[2] = (double)sp_lanes_sum(s.zz) * all - m[2] * m[2];
    out->c[3] = (double)sp_lanes_sum(s.xy) * all - m[0] * m[1];
    out->c[4] = (double)sp_lanes_sum(s.xz) * all - m[0] * m[2];
    out->c[5] = (double)sp_lanes_sum(s.yz) * all - m[1] * m[2];
}
