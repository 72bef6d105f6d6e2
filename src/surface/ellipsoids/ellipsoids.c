// SPDX-License-Identifier: Apache-2.0
/// Fits an ellipsoid to the neighbourhood of each particle (Yu and Turk 2013).
#include "surface/internal.h"

enum { CELLS_A_TASK = 64 };
static const double axis_least = 0.5, axis_most = 1.5; // of R0

surface_shape surface_shape_of(const sp_surface_def *def, float spacing)
{
    const double bulk = 4.0 / 3.0 * SP_PI_D * pow((double)def->search, 3.0); // neighbours inside
    return (surface_shape){
        .spacing = spacing,
        .search = def->search * spacing,
        .radius = sqrtf(3.0f) * spacing,
        .smooth = def->smooth_centers,
        .stretch = def->stretch,
        .isolated = def->isolated_scale,
        .min_neighbours =
            def->min_neighbours > 0 ? (uint32_t)def->min_neighbours : (uint32_t)ceil(0.1 * bulk),
    };
}

static void ball(float radius, const float x[3], surface_ellipsoid *out)
{
    *out = (surface_ellipsoid){.thin = radius};
    for (int k = 0; k < 3; ++k) {
        out->center[k] = x[k];
        out->half[k] = radius;
        out->a[k] = 1.0f / (radius * radius);
    }
}

/// Axes are proportional to variances, not to their roots, as in the paper; the paper's k_s is a
/// unit, which cancels in the division by the geometric mean.
static void axes_of(const surface_shape *shape, double scale, const double variance[3],
                    double axis[3])
{
    double kept[3];
    for (int k = 0; k < 3; ++k)
        kept[k] = fmax(variance[k], variance[0] / (double)shape->stretch);
    const double mean = sp_cbrt(kept[0] * kept[1] * kept[2]);
    for (int k = 0; k < 3; ++k)
        axis[k] = (double)shape->radius * scale * fmin(fmax(kept[k] / mean, axis_least), axis_most);
}

void surface_ellipsoid_of(const surface_shape *shape, const float x[3], const surface_moments *m,
                          const surface_axes *axes, surface_ellipsoid *out)
{
    const double(*v)[3] = axes->vector;
    double axis[3];
    // Coincident points have no directions. 4 spacings^2 are one voxel^2.
    const double spread = m->c[0] + m->c[1] + m->c[2];
    if (m->count < shape->min_neighbours ||
        !(spread > 4e-12 * (double)shape->spacing * (double)shape->spacing)) {
        ball(shape->isolated * shape->radius * m->scale, x, out);
        return;
    }
    axes_of(shape, (double)m->scale, axes->value, axis);
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; ++e) {
        double sum = 0.0;
        for (int k = 0; k < 3; ++k)
            sum += v[row[e]][k] * v[column[e]][k] / (axis[k] * axis[k]);
        out->a[e] = (float)sum;
    }
    for (int c = 0; c < 3; ++c) {
        double sum = 0.0;
        for (int k = 0; k < 3; ++k)
            sum += v[c][k] * v[c][k] * axis[k] * axis[k];
        out->half[c] = (float)sqrt(sum);
        out->center[c] = (float)((double)x[c] + (double)shape->smooth * m->mean[c]);
    }
    out->thin = (float)axis[2];
}

float surface_ellipsoid_value(const surface_ellipsoid *e, const float x[3])
{
    const float d[3] = {x[0] - e->center[0], x[1] - e->center[1], x[2] - e->center[2]};
    const float y[3] = {e->a[0] * d[0] + e->a[3] * d[1] + e->a[4] * d[2],
                        e->a[3] * d[0] + e->a[1] * d[1] + e->a[5] * d[2],
                        e->a[4] * d[0] + e->a[5] * d[1] + e->a[2] * d[2]};
    const float q = sqrtf(y[0] * d[0] + y[1] * d[1] + y[2] * d[2]);
    const float slope = sqrtf(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]); // |grad q| q
    return q < 0.05f ? -e->thin : (q * q - q) / slope;
}

typedef struct shaping {
    const surface_shape *shape;
    const surface_points *points;
    const sp_cells *cells;
    const uint8_t *wanted;
    const uint32_t *first; ///< first ellipsoid of each cell
    surface_ellipsoid *out;
} shaping;

static bool is_wanted(const uint8_t *wanted, size_t i)
{
    return !wanted || wanted[i];
}

/// Moments of up to SURFACE_EIGEN points, turned into ellipsoids in one batch.
typedef struct waiting {
    size_t n;
    float x[SURFACE_EIGEN][3];
    surface_moments moments[SURFACE_EIGEN];
} waiting;

static surface_ellipsoid *shape_waiting(const surface_shape *shape, waiting *w,
                                        surface_ellipsoid *out)
{
    surface_axes axes[SURFACE_EIGEN];
    surface_eigen_many(w->n, w->moments, axes);
    for (size_t k = 0; k < w->n; ++k)
        surface_ellipsoid_of(shape, w->x[k], &w->moments[k], &axes[k], out++);
    w->n = 0;
    return out;
}

static void shape_cells(void *arg, size_t begin, size_t end)
{
    const shaping *s = arg;
    const surface_points *p = s->points;
    const uint32_t *start = s->cells->start;
    surface_ellipsoid *out = s->out + s->first[begin];
    surface_candidates candidates;
    sp_around around;
    waiting w = {.n = 0};
    sp_around_from(&around, s->cells, s->cells->key[begin]);
    for (size_t cell = begin; cell < end; ++cell) {
        if (s->first[cell] == s->first[cell + 1]) continue;
        sp_around_to(&around, s->cells, s->cells->key[cell]);
        surface_candidates_gather(&candidates, p, &around);
        for (size_t i = start[cell]; i < start[cell + 1]; ++i) {
            if (!is_wanted(s->wanted, i)) continue;
            w.x[w.n][0] = p->x[i];
            w.x[w.n][1] = p->y[i];
            w.x[w.n][2] = p->z[i];
            surface_moments_of(&candidates, s->shape, p, &around, i, &w.moments[w.n++]);
            if (w.n == SURFACE_EIGEN) out = shape_waiting(s->shape, &w, out);
        }
    }
    shape_waiting(s->shape, &w, out);
}

sp_status surface_ellipsoids(const surface_shape *shape, const surface_points *points,
                             const sp_cells *cells, const uint8_t *wanted, surface_ellipsoid **out,
                             size_t *count, sp_error *err)
{
    const size_t n = cells->cells;
    uint32_t *first = sp_allocate(points->host, n + 1, sizeof *first);
    *out = NULL;
    *count = 0;
    if (first) {
        for (size_t cell = 0; cell < n; ++cell)
            for (size_t i = cells->start[cell]; i < cells->start[cell + 1]; ++i)
                first[cell] += is_wanted(wanted, i);
        *count = sp_scan(first, n + 1);
        *out = sp_allocate(points->host, *count, sizeof **out);
    }
    if (!*out) {
        sp_release(points->host, first);
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu ellipsoids", *count);
    }
    shaping s = {shape, points, cells, wanted, first, *out};
    sp_parallel(points->host, n, CELLS_A_TASK, shape_cells, &s);
    sp_release(points->host, first);
    return SP_OK;
}
