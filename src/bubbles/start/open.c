// SPDX-License-Identifier: Apache-2.0
/// Opens and closes the solver.
#include "bubbles/basis/power.h"
#include "bubbles/contacts/contacts.h"
#include "bubbles/in_liquid/in_liquid.h"

void bubbles_close(bubbles *s)
{
    if (!s) return;
    bubbles_publish_close(s);
    bubbles_emitters_close(s);
    bubbles_power_close(s);
    bubbles_contacts_close(s);
    bubbles_particles_close(&s->particles);
    bubbles_close_liquid(s);
    sp_flow_solids_clear(&s->solids, s->host);
    bubbles_grid_close(&s->grid, s->host);
    sp_solids_close(s->solids.bodies);
    sp_poisson_close(s->poisson);
    sp_scratch_close(&s->scratch);
    for (size_t i = 0; i < s->materials; ++i)
        sp_release(s->host, (void *)(uintptr_t)s->material[i].name);
    sp_release(s->host, (void *)(uintptr_t)s->def.emitters);
    sp_release(s->host, s);
}

static sp_status no_memory(sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the solver");
}

/// ---- What is copied from the scene -------------------------------------------------------------

static sp_status copy_material(bubbles *s, const sp_bubbles_material_def *from, sp_error *err)
{
    sp_bubbles_material_def *to = &s->material[s->materials];
    *to = *from;
    to->name = sp_copy_text(s->host, from->name);
    if (!to->name) return no_memory(err);
    ++s->materials;
    return SP_OK;
}

static sp_status copy_lists(bubbles *s, const sp_bubbles_def *from, sp_error *err)
{
    const sp_bubbles_material_def air = {.name = "air", .density = from->density_air};
    s->def.emitters = NULL;
    s->def.materials = s->material;
    s->def.emitter_count = 0;
    if (from->material_count == 0) SP_TRY(copy_material(s, &air, err));
    for (size_t i = 0; i < from->material_count; ++i)
        SP_TRY(copy_material(s, &from->materials[i], err));
    s->def.material_count = s->materials;
    sp_bubbles_emitter_def *emitters = sp_allocate(s->host, from->emitter_count, sizeof *emitters);
    if (!emitters) return no_memory(err);
    if (from->emitter_count > 0)
        memcpy(emitters, from->emitters, from->emitter_count * sizeof *emitters);
    s->def.emitters = emitters; // their texts and shapes are needed only while the solver opens
    s->def.emitter_count = from->emitter_count;
    return SP_OK;
}

void bubbles_fill_defaults(sp_bubbles_def *def)
{
    const bool stabilized =
        def->coupling == SP_BUBBLES_STABILIZED || def->coupling == SP_BUBBLES_STABILIZED_PAPER;
    if (!(def->max_fraction > 0.0f)) def->max_fraction = stabilized ? 1.0f : 0.7f;
    if (def->pressure.init == SP_BUBBLES_PRESSURE_AUTO)
        def->pressure.init = def->coupling == SP_BUBBLES_STABILIZED
                                 ? SP_BUBBLES_PRESSURE_PREVIOUS
                                 : SP_BUBBLES_PRESSURE_HYDROSTATIC;
    if (def->coupling == SP_BUBBLES_INERTIA_UNAWARE) def->theta = 0.0f;
    if (def->coupling == SP_BUBBLES_INERTIA_AWARE_RESTATED) def->theta = 1.0f; // WSB25 has none
}

/// ---- Parts -------------------------------------------------------------------------------------

/// The solids of tiles outside the domain are needed as well: water goes on there.
static sp_status open_solids(bubbles *s, const sp_world_def *world, sp_error *err)
{
    const bubbles_grid *g = &s->grid;
    const double tile = SP_TILE * (double)g->voxel;
    sp_solids_def def = {
        .colliders = world->colliders, .count = world->collider_count, .voxel = g->voxel};
    if (world->collider_count == 0) return SP_OK;
    for (int a = 0; a < 3; ++a) {
        def.origin[a] = s->solids.origin[a] = g->origin[a];
        def.low[a] = g->origin[a] + tile * g->low[a];
        def.high[a] = g->origin[a] + tile * (g->high[a] + 1);
    }
    SP_TRY(sp_solids_open(&def, s->host, &s->solids.bodies, err));
    s->has_solids = true;
    return sp_solids_move(s->solids.bodies, 0.0, err);
}

static sp_status open_poisson(bubbles *s, sp_error *err)
{
    sp_poisson_def def = sp_poisson_defaults();
    def.tolerance = s->def.pressure.tolerance;
    def.max_iterations = s->def.pressure.max_iterations;
    def.precision = s->def.pressure.precision;
    return sp_poisson_open(&def, s->host, &s->poisson, err);
}

/// Still water outside the tiles.
static void still_row(const void *arg, int place, bool carrier, bool end, const int32_t first[3],
                      int n, float *values)
{
    (void)arg, (void)place, (void)carrier, (void)end, (void)first;
    for (int i = 0; i < n; ++i)
        values[i] = 0.0f;
}

/// The water around the bubbles, and what it needs.
static sp_status open_water(bubbles *s, const sp_setup *setup, sp_error *err)
{
    const sp_bubbles_def *def = setup->def;
    if (def->liquid) return bubbles_open_liquid(s, setup, err);
    SP_TRY(open_solids(s, setup->world, err));
    return open_poisson(s, err);
}

/// ---- The start ---------------------------------------------------------------------------------

static sp_status find_fractions(bubbles *s, sp_error *err)
{
    const size_t n = s->particles.set.count + SP_LANES;
    for (int a = 0; a < 3; ++a)
        if (!(s->at.share[a] = sp_scratch_array(&s->scratch, float, n))) return no_memory(err);
    if (s->basis->prepare) SP_TRY(s->basis->prepare(s, err));
    return bubbles_fractions(s, err);
}

/// Emitters that act at time 0, so that the first frame has their particles and the share that they
/// fill.
static sp_status first_particles(bubbles *s, sp_error *err)
{
    SP_TRY(bubbles_emit(s, 0.0, err));
    if (s->water) bubbles_drop_dry(s);
    SP_TRY(bubbles_choose_tiles(s, err));
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    sp_status status = find_fractions(s, err);
    sp_scratch_rewind(&s->scratch, mark);
    s->at = (bubbles_at_particles){0};
    if (status == SP_OK && s->water) status = bubbles_tell_share(s, err);
    s->phase.replaced = s->phase.volume;
    return status;
}

static sp_status open_parts(bubbles *s, const sp_setup *setup, sp_error *err)
{
    if (!sp_scratch_open(&s->scratch, s->host, 1 << 20)) return no_memory(err);
    SP_TRY(copy_lists(s, setup->def, err));
    SP_TRY(open_water(s, setup, err));
    SP_TRY(sp_tiles_open_periodic(&s->grid.tiles, s->host, s->grid.voxel, s->grid.period, NULL, 0,
                                  err));
    SP_TRY(bubbles_particles_open(&s->particles, s->host, err));
    SP_TRY(bubbles_emitters_open(s, setup->world, err));
    bubbles_warn_at_start(s, setup);
    SP_TRY(first_particles(s, err));
    return sp_scratch_settle(&s->scratch) ? SP_OK : no_memory(err);
}

sp_status bubbles_open(const sp_setup *setup, const sp_host *host, bubbles **out, sp_error *err)
{
    *out = NULL;
    bubbles *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return no_memory(err);
    s->host = host;
    s->def = *(const sp_bubbles_def *)setup->def;
    s->seed = setup->seed;
    s->watch = setup->watch;
    s->basis = s->def.basis == SP_BUBBLES_POWER ? &bubbles_power : &bubbles_trilinear;
    s->ambient.sampler.row = still_row;
    bubbles_profile_begin(s);
    memcpy(s->gravity, setup->world->gravity, sizeof s->gravity);
    bubbles_fill_defaults(&s->def);
    s->def.substeps = bubbles_substeps(setup);
    s->def.emitters = NULL; // until they are copied
    bubbles_lay_grid(&s->grid, &s->def, setup->world->domain);
    const sp_status status = open_parts(s, setup, err);
    if (status == SP_OK)
        *out = s;
    else
        bubbles_close(s);
    return status;
}
