// SPDX-License-Identifier: Apache-2.0
#include "validate/whitewater/surface_cases.h"

/// ---- Water -------------------------------------------------------------------------------------

double surface_pool_level(const surface_pool *p, double t)
{
    return p->amplitude * sin(p->rate * t) + (t >= p->jump_at ? p->jump : 0.0);
}

static sp_status prepare(void *user, double t, sp_error *err)
{
    (void)err;
    ((surface_pool *)user)->t = t;
    return SP_OK;
}

static void answer(const void *user, const sp_bulk_query *q, size_t begin, size_t end)
{
    const surface_pool *p = user;
    const double u[3] = {
        p->along[0], p->along[1] + p->amplitude * p->rate * cos(p->rate * p->t) - p->falls * p->t,
        p->along[2]};
    for (size_t i = begin; i < end; ++i) {
        if (q->phi) q->phi[i] = (float)(q->y[i] - surface_pool_level(p, p->t));
        for (int a = 0; a < 3; ++a) {
            if (q->gradient[a]) q->gradient[a][i] = a == 1 ? 1.0f : 0.0f;
            if (q->u[a]) q->u[a][i] = (float)u[a];
        }
    }
}

sp_bulk surface_pool_bulk(surface_pool *pool)
{
    return (sp_bulk){.user = pool,
                     .first = -1.0,
                     .last = 1e9,
                     .voxel = 0.02f,
                     .prepare = prepare,
                     .answer = answer};
}

/// ---- Particles ---------------------------------------------------------------------------------

sp_status surface_case_again(surface_case *c, sp_error *err)
{
    whitewater_surface_close(c->surface);
    return whitewater_surface_open(&c->foam, &c->floating, &c->spray, c->world.host, &c->surface,
                                   err);
}

static sp_status open_sets(surface_case *c, sp_error *err)
{
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        SP_TRY(whitewater_set_open(&c->kinds[k], c->world.host, err));
    SP_TRY(whitewater_set_open(&c->arrivals, c->world.host, err));
    return surface_case_again(c, err);
}

sp_status surface_case_open(surface_case *c, const sp_host *host, sp_error *err)
{
    *c = (surface_case){.next_id = 1, .pool = {.jump_at = 1e9}};
    sp_keys_defaults(&sp_foam_keys, &c->foam);
    sp_keys_defaults(&sp_floating_keys, &c->floating);
    sp_keys_defaults(&sp_spray_keys, &c->spray);
    c->foam.cohesion = 0.0f;
    c->bulk = surface_pool_bulk(&c->pool);
    c->world = (whitewater_world){.host = host,
                                  .bulk = &c->bulk,
                                  .domain = {{-1e3, -1e3, -1e3}, {1e3, 1e3, 1e3}},
                                  .gravity = {0.0f, -9.81f, 0.0f},
                                  .density = 1000.0f,
                                  .density_air = 1.2f,
                                  .viscosity = 1e-3f,
                                  .voxel = 0.02f,
                                  .seed = 1,
                                  .dt = 1.0 / 72.0};
    const sp_status status = open_sets(c, err);
    if (status != SP_OK) surface_case_close(c);
    return status;
}

void surface_case_close(surface_case *c)
{
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        whitewater_set_close(&c->kinds[k]);
    whitewater_set_close(&c->arrivals);
    whitewater_surface_close(c->surface);
}

sp_status surface_case_add(surface_case *c, whitewater_set *set, const double x[3],
                           const double v[3], float radius, sp_error *err)
{
    SP_TRY(whitewater_set_reserve(set, set->set.count + 1, err));
    const size_t i = sp_particles_append(&set->set, 1);
    for (int a = 0; a < 3; ++a) {
        set->x[a][i] = x[a];
        set->v[a][i] = (float)v[a];
    }
    set->radius[i] = radius;
    set->number[i] = 1.0f;
    set->speed[i] = -1.0f;
    set->state[i] = x[1] > surface_pool_level(&c->pool, c->world.t) ? WHITEWATER_ABOVE : 0;
    set->id[i] = c->next_id++;
    return SP_OK;
}

sp_status surface_case_step(surface_case *c, sp_error *err)
{
    SP_TRY(whitewater_surface_step(c->surface, &c->world, c->kinds, &c->arrivals, &c->next_id,
                                   &c->ledger, &c->figures, err));
    c->arrivals.set.count = 0;
    ++c->world.step;
    c->world.t = (double)c->world.step * c->world.dt;
    return SP_OK;
}

sp_status surface_case_run(surface_case *c, int steps, sp_error *err)
{
    for (int n = 0; n < steps; ++n)
        SP_TRY(surface_case_step(c, err));
    return SP_OK;
}

size_t surface_case_count(const surface_case *c)
{
    size_t n = 0;
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        n += c->kinds[k].set.count;
    return n;
}

uint64_t surface_case_hash(const surface_case *c)
{
    sp_walk walk = {.way = SP_WALK_HASH};
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        sp_particles_walk((sp_particles *)(uintptr_t)&c->kinds[k].set, &walk);
    return walk.hash;
}
