// SPDX-License-Identifier: Apache-2.0
/// Opens and closes the solver.
#include "liquid/pressure/volume.h"

void liquid_close(liquid *s)
{
    if (!s) return;
    liquid_publish_close(s);
    liquid_particles_close(&s->particles);
    liquid_emitters_close(s);
    sp_flow_solids_clear(&s->solids, s->host);
    sp_bulk_pasts_close(&s->pasts);
    liquid_grid_close(&s->grid, &s->def, s->host);
    sp_solids_close(s->solids.bodies);
    sp_poisson_close(s->poisson);
    sp_scratch_close(&s->scratch);
    sp_release(s->host, s);
}

static sp_status open_solids(liquid *s, const sp_world_def *world, sp_error *err)
{
    int kind[6];
    liquid_side_kinds(&s->def.sides, kind);
    sp_solids_def def = {
        .colliders = world->colliders, .count = world->collider_count, .voxel = s->grid.voxel};
    for (int a = 0; a < 3; ++a) {
        def.origin[a] = s->grid.origin[a];
        def.low[a] = s->grid.domain[0][a];
        def.high[a] = s->grid.domain[1][a];
    }
    for (int i = 0; i < 6; ++i)
        if (kind[i] == SP_LIQUID_WALL) def.walls |= (uint8_t)(1 << i);
    memcpy(s->solids.origin, s->grid.origin, sizeof s->solids.origin);
    SP_TRY(sp_solids_open(&def, s->host, &s->solids.bodies, err));
    return sp_solids_move(s->solids.bodies, 0.0, err);
}

static sp_status open_parts(liquid *s, const sp_world_def *world, sp_error *err)
{
    if (!sp_scratch_open(&s->scratch, s->host, 1 << 20))
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the solver");
    SP_TRY(open_solids(s, world, err));
    SP_TRY(sp_poisson_open(&s->def.pressure, s->host, &s->poisson, err));
    SP_TRY(liquid_emitters_open(s, world, err));
    s->balance.closed = liquid_is_closed(&s->def, s->sources.emitters, s->sources.sinks);
    if (liquid_has_particles(&s->def))
        SP_TRY(liquid_particles_open(&s->particles, &s->def, 0, s->host, err));
    SP_TRY(liquid_start(s, world, err));
    return sp_scratch_settle(&s->scratch)
               ? SP_OK
               : sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the solver");
}

sp_status liquid_open(const sp_setup *setup, const sp_host *host, liquid **out, sp_error *err)
{
    *out = NULL;
    liquid *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the solver");
    s->host = host;
    s->def = *(const sp_liquid_def *)setup->def;
    s->seed = setup->seed;
    s->watch = setup->watch;
    s->grid.voxel = s->def.voxel;
    if (!liquid_has_particles(&s->def)) s->def.narrow_band = 0;
    s->grid.band = (float)(s->def.narrow_band > 3 ? s->def.narrow_band + 1 : 4) * s->grid.voxel;
    s->grid.layers =
        s->def.extrapolate_cells > 0 ? s->def.extrapolate_cells : (int)ceilf(s->def.cfl) + 2;
    memcpy(s->gravity, setup->world->gravity, sizeof s->gravity);
    liquid_lay_grid(&s->grid, &s->def, setup->world->domain);
    liquid_profile_begin(s);
    const sp_status status = open_parts(s, setup->world, err);
    if (status == SP_OK) {
        s->figures.start_volume = s->figures.volume = sp_liquid_look(s).volume;
        *out = s;
    } else {
        liquid_close(s);
    }
    return status;
}
