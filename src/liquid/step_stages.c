// SPDX-License-Identifier: Apache-2.0
/// Stages of a substep that do not depend on the method.
#include "liquid/step.h"

sp_status liquid_move_solids(liquid *s, double dt, sp_error *err)
{
    SP_TRY(sp_solids_move(s->solids.bodies, s->time + dt, err));
    return sp_flow_solids_update(&s->solids, &s->grid.tiles, false, &s->scratch, err);
}

typedef struct pushing {
    liquid_grid *grid;
    float by[3];
} pushing;

static void push_tiles(void *arg, size_t begin, size_t end)
{
    const pushing *p = arg;
    for (int a = 0; a < 3; ++a) {
        float *restrict u = p->grid->u[a], *restrict before = p->grid->u_unforced[a];
        const float by = p->by[a];
        for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i) {
            before[i] = u[i];
            u[i] += by;
        }
    }
}

sp_status liquid_apply_forces(liquid *s, double dt)
{
    pushing p = {.grid = &s->grid};
    for (int a = 0; a < 3; ++a)
        p.by[a] = (float)((double)s->gravity[a] * dt);
    sp_tiles_parallel(&s->grid.tiles, push_tiles, &p);
    liquid_pin(s);
    return SP_OK;
}

sp_status liquid_extend(liquid *s, double dt, sp_error *err)
{
    return liquid_extend_velocity(&s->grid, &s->solids, s->gravity, liquid_has_particles(&s->def),
                                  dt, &s->scratch, err);
}
