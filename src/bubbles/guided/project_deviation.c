// SPDX-License-Identifier: Apache-2.0
/// h  The pressure of the mixture where the bulk's flow is given around it. The mixture shall have the divergence
/// that the bulk has on the same faces and openings w (W7), so
///
///     div(w beta grad q) = div(w (flux - u_B))
///
/// and faces that the surface, solids or the border close drop out: they keep u_B (W5, W6). Cells at the border
/// along gravity have q = 0, the bulk's pressure. Pieces of water without such cells are singular; what flows into
/// them is removed evenly (W8).
#include "bubbles/guided/internal.h"

/// ---- The equation ------------------------------------------------------------------------------

/// Faces that are closed move with the bulk, before the solve and after it.
static void change_axis(const bubbles_guide *g, size_t t, int axis, bool busy)
{
    const bubbles_grid *grid = &g->s->grid;
    const size_t first = t * SP_TILE_VOXELS;
    const float *restrict end = bubbles_guide_velocity(g, t, axis), *restrict open =
                                                                        bubbles_guide_open(g, t,
                                                                                           axis);
    float *restrict flux = grid->flux[axis] + first, *restrict u = grid->u[axis] + first,
                    *restrict beta = grid->beta[axis] + first,
                    *restrict change = g->change[axis] + first;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        change[n] = flux[n] - end[n];
    for (int n = 0; open && n < SP_TILE_VOXELS; ++n) {
        const bool closed = !(open[n] > 0.0f);
        change[n] = closed ? 0.0f : open[n] * change[n];
        beta[n] *= open[n];
        flux[n] = closed ? end[n] : flux[n];
        u[n] = closed && busy ? end[n] : u[n];
    }
}

static void change_tiles(void *arg, size_t begin, size_t end)
{
    bubbles_guide *g = arg;
    for (size_t t = begin; t < end; ++t) {
        const bool busy = bubbles_is_busy(&g->s->grid, t);
        if (g->ready[t]) continue; // water alone, in the iterations after the first
        for (int a = 0; a < 3; ++a)
            change_axis(g, t, a, busy);
        g->ones[t] = g->whole[t] && !busy;
        g->ready[t] = !busy;
    }
}

static sp_status solve(bubbles_guide *g, double dt, sp_error *err)
{
    const bubbles_grid *grid = &g->s->grid;
    const sp_flow_equation equation = {
        .tiles = &grid->tiles,
        .level = grid->level,
        .level_outside = INFINITY, // no flow but the bulk's
        .fixed = g->fixed,
        .beta = {grid->beta[0], grid->beta[1], grid->beta[2]},
        .beta_is_one = g->ones,
        .flux = {g->change[0], g->change[1], g->change[2]},
    };
    return bubbles_solve_pressure(g->s, &equation, dt, err);
}

/// ---- What the solve leaves without a value -----------------------------------------------------

/// q of fixed cells, which the solver leaves 0.
static void restore_fixed(void *arg, size_t begin, size_t end)
{
    const bubbles_guide *g = arg;
    const bubbles_grid *grid = &g->s->grid;
    for (size_t n = begin * SP_TILE_VOXELS; n < end * SP_TILE_VOXELS; ++n)
        grid->q[n] = grid->level[n] < 0.0f ? grid->q[n] : g->fixed[n];
}

/// The outermost low faces across gravity take the bulk's velocity, and what the next face inward has beyond it.
static void let_through(void *arg, size_t begin, size_t end)
{
    static const int beside[3] = {1, 3, 9}, step[3] = {1, SP_TILE, SP_TILE * SP_TILE};
    const bubbles_guide *g = arg;
    const bubbles_grid *grid = &g->s->grid;
    const int axis = g->up, b = step[(axis + 1) % 3], c = step[(axis + 2) % 3];
    for (size_t t = begin; t < end; ++t) {
        float *u = grid->u[axis] + t * SP_TILE_VOXELS;
        const float *bulk = bubbles_guide_velocity(g, t, axis);
        if (grid->tiles.around[t][SP_TILES_SELF - beside[axis]] != SP_NO_TILE) continue;
        for (int n = 0; n < SP_TILE * SP_TILE; ++n) {
            const int at = n % SP_TILE * b + n / SP_TILE * c, inward = at + step[axis];
            u[at] = bulk[at] + (u[inward] - bulk[inward]);
        }
    }
}

sp_status bubbles_extend_gradient_guided(bubbles *s, sp_error *err)
{
    bubbles_copy_outward(s, s->grid.gradient);
    return guided_extend(s->guide, s->grid.gradient, err);
}

/// ---- All of it ---------------------------------------------------------------------------------

/// Flow that was removed from closed pieces, m3/s; b of the solve is in m/s per cell.
static void note_pockets(bubbles_guide *g)
{
    const sp_poisson_report *r = &g->s->solved;
    const double h = (double)g->s->grid.voxel;
    g->figures.iterations += r->iterations;
    g->figures.pockets = r->singular;
    g->figures.pocket_flow = r->incompatible * h * h;
}

static sp_status project(bubbles *s, float *const loose[3], double dt, sp_error *err)
{
    bubbles_guide *g = s->guide;
    sp_tiles_parallel(&s->grid.tiles, change_tiles, g);
    SP_TRY(solve(g, dt, err));
    note_pockets(g);
    if (g->fixed) sp_tiles_parallel(&s->grid.tiles, restore_fixed, g);
    bubbles_find_gradient(s);
    return bubbles_update_velocity(s, loose, err);
}

sp_status bubbles_project_guided(bubbles *s, float *const loose[3], double dt, sp_error *err)
{
    SP_TRY(bubbles_timed(s, SP_BUBBLES_STAGE_PRESSURE, project(s, loose, dt, err)));
    bubbles_follow(s);
    sp_tiles_parallel(&s->grid.tiles, let_through, s->guide);
    SP_TRY(bubbles_extend_gradient_guided(s, err));
    return bubbles_timed(s, SP_BUBBLES_STAGE_FACES, SP_OK);
}
