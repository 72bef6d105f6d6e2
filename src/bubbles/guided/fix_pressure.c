// SPDX-License-Identifier: Apache-2.0
/// The boundary that WFS22 section 4 prints: weight acts on the water, and cells at the border along gravity have the
/// pressure rho_w |g| depth, with the depth below the bulk's surface. Less that of still water with its surface at
/// the height 0 this is
///
///     q = dt |g| height of the surface above the cell's column/h.
///
/// What the motion of the bulk adds to its pressure is missing there, so the water drifts from the bulk (`spume
/// validate whitewater/guided_still`). It is here to be compared with ours.
#include "bubbles/guided/internal.h"

typedef struct fixing {
    bubbles_guide *g;
    sp_bulk_view view;
    float per_height; ///< 1/s; from height to q
    double top;       ///< m; along `up`, where the search ends
    double sign;      ///< of up along its axis
} fixing;

static float distance_at(const fixing *f, const double p[3])
{
    float phi = 0.0f;
    const sp_bulk_query q = {.n = 1, .x = &p[0], .y = &p[1], .z = &p[2], .phi = &phi};
    sp_bulk_look(&f->view, &q, 0, 1);
    return phi;
}

/// The height of the surface above a point, along `up` from the origin, m. Steps of the distance to the surface never
/// pass it.
static double find_surface(const fixing *f, const double from[3])
{
    const bubbles_guide *g = f->g;
    const double h = (double)g->s->grid.voxel;
    double p[3] = {from[0], from[1], from[2]};
    for (;;) {
        const double height = f->sign * p[g->up], phi = (double)distance_at(f, p);
        if (phi >= 0.0 || height > f->top) return height - fmax(phi, 0.0);
        p[g->up] += f->sign * fmax(-phi, 0.1 * h);
    }
}

static void fix_tiles(void *arg, size_t begin, size_t end)
{
    const fixing *f = arg;
    const bubbles_grid *grid = &f->g->s->grid;
    for (size_t t = begin; t < end; ++t)
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const size_t at = t * SP_TILE_VOXELS + (size_t)n;
            double p[3];
            f->g->fixed[at] = 0.0f;
            if (grid->level[at] < 0.0f) continue;
            sp_flow_voxel_center(&grid->tiles, grid->origin, (uint32_t)t, n, p);
            f->g->fixed[at] = f->per_height * (float)find_surface(f, p);
        }
}

sp_status guided_fix_pressure(bubbles_guide *g, double dt, sp_error *err)
{
    bubbles *s = g->s;
    const bubbles_grid *grid = &s->grid;
    const double weight = (double)s->gravity[g->up];
    fixing f = {.g = g,
                .per_height = (float)(dt * fabs(weight) / (double)grid->voxel),
                .sign = weight > 0.0 ? -1.0 : 1.0};
    g->fixed = sp_scratch_array(&s->scratch, float, grid->tiles.count *SP_TILE_VOXELS + 1);
    if (!g->fixed)
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu tiles", grid->tiles.count);
    f.top = f.sign * (f.sign > 0.0 ? g->world->bulk->high : g->world->bulk->low)[g->up];
    SP_TRY(sp_bulk_view_at(g->world->bulk, g->until, &f.view, err));
    sp_tiles_parallel(&grid->tiles, fix_tiles, &f);
    return SP_OK;
}
