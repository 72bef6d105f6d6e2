// SPDX-License-Identifier: Apache-2.0
/// Opens and closes the water of a scene with `bubbles.liquid`, and runs its frames.
#include "bubbles/in_liquid/in_liquid.h"

/// ---- What the water asks of the bubbles --------------------------------------------------------

static double longest_substep(void *arg)
{
    bubbles *s = arg;
    return bubbles_longest_substep(s);
}

typedef struct measuring {
    const bubbles *s;
    double *sum; ///< by tile; voxels of air
} measuring;

static void measure_tiles(void *arg, size_t begin, size_t end)
{
    const measuring *m = arg;
    const bubbles_grid *g = &m->s->grid;
    for (size_t t = begin; t < end; ++t) {
        float *fraction = g->fraction + t * SP_TILE_VOXELS;
        bubbles_mean_of_faces(&g->tiles, g->share, (uint32_t)t, fraction);
        m->sum[t] = 0.0;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            m->sum[t] += (double)fraction[n];
    }
}

sp_status bubbles_tell_share(bubbles *s, sp_error *err)
{
    const bubbles_grid *g = &s->grid;
    const double h = (double)g->voxel;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    measuring m = {s, sp_scratch_array(&s->scratch, double, g->tiles.count + 1)};
    if (!m.sum) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to measure their air");
    sp_tiles_parallel(&g->tiles, measure_tiles, &m);
    s->phase.share = g->fraction;
    s->phase.volume = h * h * h * sp_exact_total(m.sum, g->tiles.count, 1);
    sp_scratch_rewind(&s->scratch, mark);
    return SP_OK;
}

typedef struct returning {
    const bubbles *s;
    sp_liquid_water water;
} returning;

/// Other faces keep what the water has there: the velocity of an emitter.
static void return_faces(void *arg, size_t begin, size_t end)
{
    const returning *r = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *restrict u = r->s->grid.u[a] + t * SP_TILE_VOXELS;
            float *restrict to = r->water.u[a] + t * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                to[n] = sp_tile_mask_has(r->water.known[a][t], n) ? u[n] : to[n];
        }
}

static sp_status couple(void *arg, double dt, sp_error *err)
{
    bubbles *s = arg;
    SP_TRY(bubbles_substep(s, dt, err));
    SP_TRY(bubbles_tell_share(s, err));
    returning r = {s, sp_liquid_now(s->water)};
    sp_tiles_parallel(&s->grid.tiles, return_faces, &r);
    return SP_OK;
}

/// ---- Opening -----------------------------------------------------------------------------------

static void lay_grid(bubbles_grid *g, const sp_liquid_water *w)
{
    memcpy(g->origin, w->origin, sizeof g->origin);
    memcpy(g->domain, w->domain, sizeof g->domain);
    memcpy(g->low, w->low, sizeof g->low);
    memcpy(g->high, w->high, sizeof g->high);
    memcpy(g->period, w->period, sizeof g->period);
    g->in_liquid = true;
}

sp_status bubbles_open_liquid(bubbles *s, const sp_setup *setup, sp_error *err)
{
    const sp_bubbles_def *def = setup->def;
    sp_setup of_water = *setup;
    void *water;
    of_water.def = def->liquid;
    s->def.liquid = NULL; // the scene's
    SP_TRY(sp_liquid_solver.open(&of_water, s->host, &water, err));
    s->water = water;
    const sp_liquid_water now = sp_liquid_now(s->water);
    lay_grid(&s->grid, &now);
    s->solids = *now.solids;
    s->has_solids = true;
    s->phase = (sp_liquid_phase){.arg = s, .longest = longest_substep, .couple = couple};
    sp_liquid_set_phase(s->water, &s->phase);
    return SP_OK;
}

void bubbles_close_liquid(bubbles *s)
{
    if (!s->water) return;
    s->solids = (sp_flow_solids){0}; // they are the water's
    sp_liquid_solver.close(s->water);
    s->water = NULL;
}
