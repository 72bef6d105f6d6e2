// SPDX-License-Identifier: Apache-2.0
/// Opens and closes guided water: a solver of bubbles without a scene, whose particles are the caller's.
#include "bubbles/guided/internal.h"

sp_guided_def sp_guided_defaults(void)
{
    return (sp_guided_def){
        .padding = 1,
        .tolerance = 1e-4,
        .newton = 1, // WFS22 table 4: 1 to 3
        .max_tiles = 50000,
        .density = 1000.0f,
        .density_air = 1.0f,
        .viscosity = 1e-3f,
        .coupling = SP_BUBBLES_STABILIZED,
        .compliance = SP_BUBBLES_COMPLIANCE_ADAPTIVE,
        .theta = 0.5f,
        .drag_scale = 1.0f,
        .max_fraction = 0.5f, // WFS22: 0.3 to 0.7
        .cfl = 4.0f,
    };
}

/// ---- The solver of bubbles ---------------------------------------------------------------------

static sp_bubbles_def bubbles_def_of(const sp_guided_def *d)
{
    sp_bubbles_def b;
    sp_keys_defaults(&sp_bubbles_keys, &b);
    b.voxel = d->voxel;
    b.density = d->density;
    b.density_air = d->density_air;
    b.viscosity = d->viscosity;
    b.padding = d->padding;
    b.tile_linger = 0;
    b.max_tiles = d->max_tiles;
    b.substeps = 1;
    b.newton = d->newton;
    b.cfl = d->cfl;
    b.coupling = d->coupling;
    b.compliance = d->compliance;
    b.theta = d->theta;
    b.drag_scale = d->drag_scale;
    b.max_fraction = d->max_fraction;
    b.volume_gain = b.max_swelling = 0.0f; // bubbles here are lone ones
    b.pressure.tolerance = d->tolerance;
    bubbles_fill_defaults(&b);
    return b;
}

static void lay_grid(bubbles_grid *g, const sp_guided_def *d)
{
    g->voxel = d->voxel;
    for (int a = 0; a < 3; ++a) {
        g->origin[a] = d->origin[a];
        g->high[a] = SP_TILES_REACH - 16; // the rings around must exist too
        g->low[a] = -g->high[a];
        g->domain[0][a] = -HUGE_VAL;
        g->domain[1][a] = HUGE_VAL;
    }
}

static sp_status open_parts(bubbles *s, sp_error *err)
{
    sp_poisson_def def = sp_poisson_defaults();
    def.tolerance = s->def.pressure.tolerance;
    def.max_iterations = s->def.pressure.max_iterations;
    def.precision = s->def.pressure.precision;
    if (!sp_scratch_open(&s->scratch, s->host, 1 << 20))
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for the water");
    SP_TRY(sp_poisson_open(&def, s->host, &s->poisson, err));
    SP_TRY(sp_tiles_open(&s->grid.tiles, s->host, s->grid.voxel, NULL, 0, err));
    return bubbles_particles_open(&s->particles, s->host, err);
}

static sp_status check(const sp_guided_def *d, sp_error *err)
{
    if (!(d->voxel > 0.0f && d->voxel < INFINITY))
        return sp_fail(err, SP_BAD_INPUT, "whitewater: voxels of %g m; expected more than 0",
                       (double)d->voxel);
    if (!(d->density > 0.0f && d->density_air > 0.0f && d->viscosity >= 0.0f))
        return sp_fail(err, SP_BAD_INPUT,
                       "whitewater: density %g and %g kg/m3, viscosity %g Pa s; expected positive "
                       "ones",
                       (double)d->density, (double)d->density_air, (double)d->viscosity);
    if (!(d->newton >= 1 && d->padding >= 0 && d->max_tiles >= 1 && d->cfl > 0.0f))
        return sp_fail(err, SP_BAD_INPUT,
                       "whitewater: newton %d, padding %d, max_tiles %d, cfl %g; expected at least "
                       "1, 0, 1 and more than 0",
                       d->newton, d->padding, d->max_tiles, (double)d->cfl);
    return SP_OK;
}

sp_status sp_guided_open(const sp_guided_def *def, const sp_host *host, sp_guided **out,
                         sp_error *err)
{
    *out = NULL;
    SP_TRY(check(def, err));
    sp_guided *guided = sp_allocate(host, 1, sizeof *guided);
    if (!guided) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for the water");
    bubbles *s = &guided->s;
    s->host = host;
    s->def = bubbles_def_of(def);
    s->basis = &bubbles_trilinear;
    s->materials = 1;
    s->material[0] = (sp_bubbles_material_def){.density = def->density_air};
    s->guide = &guided->guide;
    guided->guide.s = s;
    guided->guide.pressure = def->pressure;
    bubbles_profile_begin(s);
    lay_grid(&s->grid, def);
    guided_fill_from_bulk(s);
    const sp_status status = open_parts(s, err);
    if (status == SP_OK)
        *out = guided;
    else
        sp_guided_close(guided);
    return status;
}

void sp_guided_close(sp_guided *guided)
{
    if (!guided) return;
    bubbles *s = &guided->s;
    const sp_host *host = s->host;
    s->solids.bodies = NULL; // the caller's
    guided_places_close(&guided->guide.places, host);
    guided_bulk_close(&guided->guide.bulk, host);
    sp_release(host, guided->guide.forced);
    bubbles_particles_close(&s->particles);
    sp_flow_solids_clear(&s->solids, host);
    bubbles_grid_close(&s->grid, host);
    sp_poisson_close(s->poisson);
    sp_scratch_close(&s->scratch);
    sp_release(host, guided);
}

/// ---- What the caller sees ----------------------------------------------------------------------

size_t sp_guided_bytes(const sp_guided *guided)
{
    enum { GRID_FIELDS = 49, BULK_FIELDS = 8 };
    const bubbles *s = &guided->s;
    const guided_bulk *b = &guided->guide.bulk;
    const size_t tile = SP_TILE_VOXELS * sizeof(float), particle = 6 * sizeof(double) + 48;
    return s->grid.store.room * GRID_FIELDS * tile + b->store.room * BULK_FIELDS * tile +
           sp_tiles_bytes(&s->grid.tiles) + sp_tiles_bytes(&b->tiles) +
           sp_poisson_bytes(s->poisson) + s->scratch.size + guided->guide.places.room * particle;
}

sp_guided_water sp_guided_now(const sp_guided *guided)
{
    const bubbles_grid *g = &guided->s.grid;
    sp_guided_water water = {.tiles = &g->tiles, .busy = g->busy};
    for (int a = 0; a < 3; ++a) {
        water.origin[a] = g->origin[a];
        water.u[a] = g->u[a];
        water.share[a] = g->share[a];
    }
    return water;
}

const sp_profile *sp_guided_profile(const sp_guided *guided)
{
    return &guided->s.profile;
}

sp_status sp_guided_save(const sp_guided *guided, sp_blob *blob, sp_error *err)
{
    return bubbles_save(&guided->s, blob, err);
}

sp_status sp_guided_restore(sp_guided *guided, sp_blob *blob, sp_error *err)
{
    guided->guide.bulk.known = false; // it is asked for again
    return bubbles_restore(&guided->s, blob, err);
}

sp_status sp_guided_force_tiles(sp_guided *guided, const int32_t (*at)[3], size_t count,
                                sp_error *err)
{
    bubbles_guide *g = &guided->guide;
    if (!sp_regrow(g->s->host, (void **)&g->forced, 0, count + 1, sizeof *g->forced))
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu tiles", count);
    memcpy(g->forced, at, count * sizeof *at);
    g->forced_count = count;
    return SP_OK;
}
