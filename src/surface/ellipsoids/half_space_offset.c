// SPDX-License-Identifier: Apache-2.0
/// Height at which ellipsoids put the surface of a half-space of particles. Its last layer is half
/// a spacing below the true surface. The height of the ellipsoids depends only on spacing, search
/// and lambda, so it is found once on a small lattice and subtracted everywhere.
#include "surface/internal.h"

enum {
    MARGIN = 3, ///< layers and columns whose ellipsoids reach a sample
    SAMPLES = 4,
    HALVINGS = 24,
};

/// A block of lattice points, its top layer at y = 0 and its middle column at x = z = 0.
static sp_status fill_lattice(surface_points *p, const sp_host *host, float spacing, int half,
                              int depth, sp_error *err)
{
    const int side = 2 * half + 1;
    *p = (surface_points){.host = host, .n = (size_t)(side * side * depth)};
    p->x = sp_allocate(host, p->n + SP_LANES, sizeof *p->x);
    p->y = sp_allocate(host, p->n + SP_LANES, sizeof *p->y);
    p->z = sp_allocate(host, p->n + SP_LANES, sizeof *p->z);
    if (!p->x || !p->y || !p->z) {
        surface_points_close(p);
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for a lattice");
    }
    for (int k = 0; k < (int)p->n; ++k) {
        p->x[k] = spacing * (float)(k % side - half);
        p->z[k] = spacing * (float)(k / side % side - half);
        p->y[k] = -spacing * (float)(k / side / side);
    }
    return SP_OK;
}

static float value_at(const surface_ellipsoid *all, size_t n, const float x[3])
{
    float least = INFINITY;
    for (size_t k = 0; k < n; ++k)
        least = fminf(least, surface_ellipsoid_value(&all[k], x));
    return least;
}

/// Height of the surface over one column, by bisection.
static float height_at(const surface_ellipsoid *all, size_t n, float x, float z, float spacing)
{
    float low = -1.5f * spacing, high = 3.0f * spacing;
    for (int k = 0; k < HALVINGS; ++k) {
        const float middle = 0.5f * (low + high);
        const float p[3] = {x, middle, z};
        if (value_at(all, n, p) < 0.0f)
            low = middle;
        else
            high = middle;
    }
    return 0.5f * (low + high);
}

/// Keeps the ellipsoids that can reach the samples: near the top and near the middle column.
static size_t keep_near(surface_ellipsoid *all, size_t n, float spacing)
{
    const float far = ((float)MARGIN + 0.75f) * spacing;
    size_t kept = 0;
    for (size_t k = 0; k < n; ++k)
        if (fabsf(all[k].center[0]) < far && fabsf(all[k].center[2]) < far &&
            all[k].center[1] > -far)
            all[kept++] = all[k];
    return kept;
}

static float mean_height(surface_ellipsoid *all, size_t n, float spacing)
{
    n = keep_near(all, n, spacing);
    float sum = 0.0f;
    for (int k = 0; k < SAMPLES * SAMPLES; ++k) {
        const float x = ((float)(k % SAMPLES) + 0.5f) / SAMPLES * spacing;
        const float z = ((float)(k / SAMPLES) + 0.5f) / SAMPLES * spacing;
        sum += height_at(all, n, x, z, spacing);
    }
    return sum / (SAMPLES * SAMPLES);
}

sp_status surface_half_space(const surface_shape *shape, const sp_host *host, float *height,
                             sp_error *err)
{
    const int reach = (int)ceilf(shape->search / shape->spacing) + MARGIN;
    surface_shape alike = *shape;
    alike.vary = false;
    surface_points points;
    sp_cells cells = {0};
    surface_ellipsoid *all = NULL;
    size_t count = 0;
    SP_TRY(fill_lattice(&points, host, shape->spacing, reach + 1, reach, err));
    sp_status status = surface_points_sort(&points, shape->search, &cells, err);
    if (status == SP_OK)
        status = surface_ellipsoids(&alike, &points, &cells, NULL, &all, &count, err);
    if (status == SP_OK) *height = mean_height(all, count, shape->spacing);
    sp_release(host, all);
    sp_cells_close(&cells);
    surface_points_close(&points);
    return status;
}
