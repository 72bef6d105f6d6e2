// SPDX-License-Identifier: Apache-2.0
/// Steps of the caller, in substeps in which no bubble moves more than `cfl` voxels.
#include "bubbles/guided/internal.h"

enum { MOST_SUBSTEPS = 64 }; ///< a step

typedef struct measuring {
    const bubbles_guide *g;
    float *most; ///< by block of particles, m/s
} measuring;

static void measure_block(void *arg, size_t begin, size_t end)
{
    const measuring *m = arg;
    const sp_guided_particles *p = m->g->particles;
    float most = 0.0f;
    for (size_t i = begin; i < end; ++i)
        for (int a = 0; a < 3; ++a)
            if (!m->g->lost[i]) most = fmaxf(most, fabsf(p->v[a][i]));
    m->most[begin / BUBBLES_GRAIN] = most;
}

/// m/s; the largest component of a bubble's velocity.
static sp_status find_fastest(bubbles_guide *g, double *fastest, sp_error *err)
{
    const size_t n = g->particles->count, blocks = (n + BUBBLES_GRAIN - 1) / BUBBLES_GRAIN;
    sp_scratch *scratch = &g->s->scratch;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    measuring m = {g, sp_scratch_array(scratch, float, blocks + 1)};
    if (!m.most) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu bubbles", n);
    memset(m.most, 0, (blocks + 1) * sizeof *m.most); // one thread takes all blocks as one
    sp_parallel(g->s->host, n, BUBBLES_GRAIN, measure_block, &m);
    *fastest = 0.0;
    for (size_t b = 0; b < blocks; ++b)
        *fastest = fmax(*fastest, (double)m.most[b]);
    sp_scratch_rewind(scratch, mark);
    return SP_OK;
}

/// The end of the next substep: the rest of the step is divided evenly.
static sp_status choose_end(bubbles_guide *g, double end, sp_error *err)
{
    const bubbles *s = g->s;
    const double rest = end - s->time;
    double fastest;
    SP_TRY(find_fastest(g, &fastest, err));
    const double reach = (double)s->def.cfl * (double)s->grid.voxel;
    double n = fmax(1.0, ceil(fastest * rest / reach - 1e-9));
    n = fmin(n, fmax(1.0, MOST_SUBSTEPS - g->figures.substeps));
    g->until = n > 1.0 ? s->time + rest / n : end;
    return SP_OK;
}

/// ---- Substeps ----------------------------------------------------------------------------------

static void warn_of_pocket(bubbles_guide *g)
{
    const sp_poisson_report *r = &g->s->solved;
    const bubbles_grid *grid = &g->s->grid;
    if (g->warned_pocket || !(g->figures.pocket_flow > 0.0) ||
        !(r->incompatible > 1e-2 * r->start * (double)r->worst_piece_cells))
        return;
    g->warned_pocket = true;
    sp_log(g->s->host, SP_LOG_WARNING,
           "whitewater: closed pocket (no free horizontal boundary) of %zu voxels near (%.3g, "
           "%.3g, %.3g) m: volume error %.2g m3/s removed (said once)",
           r->worst_piece_cells,
           grid->origin[0] + (double)grid->voxel * ((double)r->worst_piece[0] + 0.5),
           grid->origin[1] + (double)grid->voxel * ((double)r->worst_piece[1] + 0.5),
           grid->origin[2] + (double)grid->voxel * ((double)r->worst_piece[2] + 0.5),
           g->figures.pocket_flow);
}

static sp_status take_substep(bubbles_guide *g, sp_error *err)
{
    bubbles *s = g->s;
    SP_TRY(bubbles_substep(s, g->until - s->time, err));
    s->time = s->figures.time = g->until; // assigned, so that rounding does not accumulate
    ++g->figures.substeps;
    g->figures.newton += s->figures.newton;
    warn_of_pocket(g);
    guided_write_back(g);
    return SP_OK;
}

static sp_status take_substeps(bubbles_guide *g, double end, sp_error *err)
{
    do {
        SP_TRY(choose_end(g, end, err));
        SP_TRY(take_substep(g, err));
    } while (g->until < end);
    return SP_OK;
}

/// ---- The step ----------------------------------------------------------------------------------

static void note(bubbles_guide *g, uint64_t failures)
{
    const bubbles *s = g->s;
    sp_guided_figures *f = &g->figures;
    f->tiles = s->grid.tiles.count;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        f->busy_tiles += s->grid.busy[t] != 0;
    f->failures = s->figures.failures - failures;
    f->residual = s->figures.residual;
    f->newton_change = s->figures.newton_change;
    f->fastest = s->figures.fastest;
}

static void choose_up(bubbles_guide *g)
{
    const float *gravity = g->world->gravity;
    g->up = 1; // any will do without gravity
    for (int a = 0; a < 3; ++a)
        if (fabsf(gravity[a]) > fabsf(gravity[g->up])) g->up = a;
    memcpy(g->s->gravity, gravity, sizeof g->s->gravity);
    g->s->grid.closed_sides = (uint8_t)(7 & ~(1 << g->up));
}

sp_status sp_guided_step(sp_guided *guided, const sp_guided_world *world,
                         const sp_guided_particles *particles, uint8_t *lost, double t, double dt,
                         sp_guided_figures *figures, sp_error *err)
{
    bubbles_guide *g = &guided->guide;
    bubbles *s = &guided->s;
    const uint64_t failures = s->figures.failures;
    g->world = world;
    g->particles = particles;
    g->lost = lost;
    g->figures = (sp_guided_figures){0};
    s->frame_seconds = dt;
    s->frame_substeps = 0;
    if (particles->count > 0) memset(lost, 0, particles->count);
    if (!(fabs(s->time - t) <= 1e-9 * fmax(dt, fabs(t)))) s->time = t; // else what is known serves
    choose_up(g);
    double end = t + dt;
    if (end > world->bulk->last && end - world->bulk->last < 1e-6 * dt) end = world->bulk->last;
    SP_TRY(take_substeps(g, end, err));
    note(g, failures);
    *figures = g->figures;
    return SP_OK;
}
