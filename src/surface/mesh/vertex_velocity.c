// SPDX-License-Identifier: Apache-2.0
/// Velocity of vertices from particles: the weighted mean of the eight nearest.
#include "surface/internal.h"

#include <string.h>

enum { NEAREST = 8, VERTICES_A_TASK = 512 };

typedef struct carrying {
    sp_mesh *mesh;
    const surface_points *points;
    const sp_cells *cells;
    const float *velocity; ///< three per particle
    float search;
} carrying;

/// The nearest particles so far, by ascending distance; ties keep the order in which they were
/// found.
typedef struct nearest {
    float d2[NEAREST];
    uint32_t point[NEAREST];
} nearest;

static void insert(nearest *n, float d2, uint32_t point)
{
    int k = NEAREST - 1;
    for (; k > 0 && n->d2[k - 1] > d2; --k) {
        n->d2[k] = n->d2[k - 1];
        n->point[k] = n->point[k - 1];
    }
    n->d2[k] = d2;
    n->point[k] = point;
}

/// Searches a run of points, one register at a time.
static void look_through(nearest *n, const surface_points *p, const float x[3], sp_cell_run run)
{
    for (uint32_t i = run.begin; i < run.end; i += SP_PART) {
        const sp_part dx = sp_part_load(p->x + i) - x[0], dy = sp_part_load(p->y + i) - x[1],
                      dz = sp_part_load(p->z + i) - x[2];
        const sp_part d2 = dx * dx + dy * dy + dz * dz;
        if (!sp_flags_any((sp_flags)(d2 < n->d2[NEAREST - 1]))) continue;
        for (uint32_t l = 0; l < SP_PART && i + l < run.end; ++l)
            if (d2[l] < n->d2[NEAREST - 1]) insert(n, d2[l], i + l);
    }
}

static void mean_velocity(const carrying *c, const nearest *n, float v[3])
{
    const float cubed = 1.0f / (c->search * c->search * c->search);
    float sum[3] = {0.0f, 0.0f, 0.0f}, all = 0.0f;
    for (int k = 0; k < NEAREST && n->d2[k] < INFINITY; ++k) {
        // Beyond the search the weight is tiny but not 0, so that an isolated particle still
        // counts.
        const float w = fmaxf(1.0f - n->d2[k] * sqrtf(n->d2[k]) * cubed, 1e-6f);
        const float *from = c->velocity + 3 * (size_t)c->points->from[n->point[k]];
        for (int a = 0; a < 3; ++a)
            sum[a] += w * from[a];
        all += w;
    }
    for (int a = 0; a < 3; ++a)
        v[a] = all > 0.0f ? sum[a] / all : 0.0f;
}

/// The runs of the 27 cells around a vertex. Successive vertices are mostly in the same cell.
typedef struct surroundings {
    bool known;
    int32_t at[3];
    sp_cell_run run[SP_AROUND];
} surroundings;

static void go_to(surroundings *s, const sp_cells *cells, const float x[3])
{
    const sp_lattice *l = &cells->lattice;
    int32_t at[3];
    for (int a = 0; a < 3; ++a) // vertices may lie outside all cells
        at[a] = (int32_t)floor((double)x[a] / l->anchored) - l->from[a];
    if (s->known && memcmp(at, s->at, sizeof at) == 0) return;
    s->known = true;
    memcpy(s->at, at, sizeof at);
    for (int r = 0; r < SP_AROUND; ++r)
        s->run[r] = sp_cells_run(cells, at[0] - 1, at[0] + 1, at[1] + r % 3 - 1, at[2] + r / 3 - 1);
}

static void carry(void *arg, size_t begin, size_t end)
{
    const carrying *c = arg;
    surroundings around = {.known = false};
    for (size_t v = begin; v < end; ++v) {
        const float *x = c->mesh->x[v];
        nearest n;
        for (int k = 0; k < NEAREST; ++k)
            n.d2[k] = INFINITY;
        go_to(&around, c->cells, x);
        for (int r = 0; r < SP_AROUND; ++r)
            look_through(&n, c->points, x, around.run[r]);
        mean_velocity(c, &n, c->mesh->v[v]);
    }
}

sp_status surface_carry_velocity(sp_mesh *mesh, const surface_points *points, const sp_cells *cells,
                                 const float *velocity, float search, sp_error *err)
{
    mesh->v = sp_allocate(mesh->host, mesh->vertex_count, sizeof *mesh->v);
    if (!mesh->v)
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu velocities",
                       mesh->vertex_count);
    carrying c = {mesh, points, cells, velocity, search};
    sp_parallel(mesh->host, mesh->vertex_count, VERTICES_A_TASK, carry, &c);
    return SP_OK;
}
