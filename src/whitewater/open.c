// SPDX-License-Identifier: Apache-2.0
/// Opens and closes the solver.
#include "whitewater/internal.h"

#include <string.h>

void whitewater_close(whitewater *s)
{
    if (!s) return;
    whitewater_publish_close(s);
    whitewater_set_close(&s->bubbles);
    whitewater_set_close(&s->arrivals.set);
    sp_release(s->host, s->arrivals.step);
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        whitewater_set_close(&s->second[k]);
    whitewater_emission_close(s->emission);
    whitewater_surface_close(s->surface);
    sp_guided_close(s->guided);
    whitewater_close_water(&s->water);
    sp_solids_close(s->solids);
    sp_release(s->host, s);
}

static sp_status no_memory(sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for the solver");
}

/// The scene's domain, or all of the water with as much air above it as it is high, and half of that around.
static void find_domain(whitewater *s, const sp_domain_def *domain)
{
    const sp_bulk *b = &s->water.bulk;
    double most = 0.0;
    for (int a = 0; a < 3; ++a)
        most = fmax(most, b->high[a] - b->low[a]);
    for (int a = 0; a < 3; ++a) {
        s->domain[0][a] = domain ? (double)domain->min[a] : b->low[a] - 0.5 * most;
        s->domain[1][a] =
            domain ? (double)domain->max[a] : b->high[a] + (a == 1 ? 1.0 : 0.5) * most;
    }
}

/// The origin of the first moment's grid. An ocean has no grid.
static sp_status find_origin(whitewater *s, sp_error *err)
{
    const sp_bulk *b = &s->water.bulk;
    const sp_bulk_moment *before, *after;
    memcpy(s->origin, s->domain[0], sizeof s->origin);
    if (b->answer) return SP_OK;
    SP_TRY(b->bracket(b->user, b->first, &before, &after, err));
    memcpy(s->origin, before->origin, sizeof s->origin);
    return SP_OK;
}

/// Solids of the scene, or of the one that makes the water, and its walls.
static sp_status open_solids(whitewater *s, sp_error *err)
{
    const sp_world_def *world = s->water.world;
    sp_solids_def def = {.colliders = world->colliders,
                         .count = world->collider_count,
                         .voxel = s->def.guide.voxel_ratio * s->water.bulk.voxel,
                         .walls = s->water.walls};
    if (def.count == 0 && def.walls == 0) return SP_OK;
    memcpy(def.origin, s->origin, sizeof def.origin);
    memcpy(def.low, s->domain[0], sizeof def.low);
    memcpy(def.high, s->domain[1], sizeof def.high);
    SP_TRY(sp_solids_open(&def, s->host, &s->solids, err));
    return sp_solids_move(s->solids, 0.0, err);
}

static sp_status open_guided(whitewater *s, sp_error *err)
{
    const sp_whitewater_guide_def *g = &s->def.guide;
    const sp_guided_def def = {.voxel = g->voxel_ratio * s->water.bulk.voxel,
                               .origin = {s->origin[0], s->origin[1], s->origin[2]},
                               .padding = g->padding,
                               .pressure = g->pressure,
                               .tolerance = g->tolerance,
                               .newton = g->newton,
                               .max_tiles = g->max_tiles,
                               .density = s->def.density,
                               .density_air = s->def.density_air,
                               .viscosity = s->def.viscosity,
                               .coupling = g->coupling,
                               .compliance = g->compliance,
                               .theta = g->theta,
                               .drag_scale = g->drag_scale,
                               .max_fraction = g->max_fraction,
                               .cfl = g->cfl};
    if (s->def.mode != SP_WHITEWATER_GUIDED) return SP_OK;
    if (g->voxel_ratio < 1.0f)
        sp_log(s->host, SP_LOG_WARNING,
               "whitewater.guide.voxel_ratio: %g is finer than the bulk: it costs more and shows "
               "nothing more of it",
               (double)g->voxel_ratio);
    return sp_guided_open(&def, s->host, &s->guided, err);
}

static sp_status open_parts(whitewater *s, const sp_setup *setup, sp_error *err)
{
    const sp_whitewater_def *def = setup->def;
    SP_TRY(whitewater_open_water(&s->water, setup, s->host, err));
    SP_TRY(whitewater_check_end(setup, s->water.bulk.last, err));
    find_domain(s, setup->world->domain ? setup->world->domain : s->water.world->domain);
    SP_TRY(find_origin(s, err));
    SP_TRY(open_solids(s, err));
    SP_TRY(whitewater_emission_open(&def->emission, &def->aeration, s->host, &s->emission, err));
    SP_TRY(open_guided(s, err));
    SP_TRY(whitewater_surface_open(&def->foam, &def->floating, &def->spray, s->host, &s->surface,
                                   err));
    SP_TRY(whitewater_set_open(&s->bubbles, s->host, err));
    SP_TRY(whitewater_set_open(&s->arrivals.set, s->host, err));
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        SP_TRY(whitewater_set_open(&s->second[k], s->host, err));
    return SP_OK;
}

static const char *const stage_names[SP_WHITEWATER_STAGES] = {"water", "bubbles", "arrivals",
                                                              "emit", "surface"};

sp_status whitewater_open(const sp_setup *setup, const sp_host *host, whitewater **out,
                          sp_error *err)
{
    *out = NULL;
    whitewater *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return no_memory(err);
    s->host = host;
    s->watch = setup->watch;
    s->files = setup->files;
    s->redo = setup->files && setup->files->past_frame;
    s->def = *(const sp_whitewater_def *)setup->def;
    s->seed = setup->seed;
    s->next_id = 1;
    s->next_second_id = WHITEWATER_SECOND_IDS;
    s->frame = 1;
    s->profile = (sp_profile){.host = host, .names = stage_names, .stages = SP_WHITEWATER_STAGES};
    memcpy(s->gravity, setup->world->gravity, sizeof s->gravity);
    const sp_status status = open_parts(s, setup, err);
    s->water.world = NULL; // the scene's
    s->def.bulk = NULL;    // as are these
    s->def.liquid = NULL;
    s->def.ocean = NULL;
    s->def.emission.masks = NULL;
    s->def.emission.sources = NULL;
    s->def.emission.mask_count = s->def.emission.source_count = 0;
    if (status == SP_OK)
        *out = s;
    else
        whitewater_close(s);
    return status;
}
