// SPDX-License-Identifier: Apache-2.0
/// Small scenes for proofs, without a scene file.
#include "validate/sph/proofs.h"

void sph_case_nothing(sph_case *c, float d)
{
    *c = (sph_case){.seed = 1};
    sp_keys_defaults(&sp_sph_keys, &c->def);
    c->def.spacing = d;
    c->world.gravity[1] = -9.81f;
}

void sph_case_tank(sph_case *c, float x, float y, float z, float d)
{
    sph_case_nothing(c, d);
    c->tank = (sp_box_def){{0.0f, 0.0f, 0.0f}, {x, y, z}};
    c->solid[0] = (sp_collider_def){.name = "tank", .inside_out = true, .open = SP_OPEN_TOP};
    c->world.collider_count = 1;
}

static sp_emitter_def *add_emitter(sph_case *c, int mode)
{
    sp_emitter_def *e = &c->emitter[c->world.emitter_count++];
    sp_keys_defaults(&sp_emitter_keys, e);
    e->mode = mode;
    return e;
}

sp_emitter_def *sph_case_fill(sph_case *c, const float min[3], const float max[3])
{
    memcpy(c->box[c->world.emitter_count].min, min, sizeof c->box->min);
    memcpy(c->box[c->world.emitter_count].max, max, sizeof c->box->max);
    return add_emitter(c, SP_EMIT_FILL);
}

sp_emitter_def *sph_case_jet(sph_case *c, const float center[3], const float direction[3],
                             float radius, float speed)
{
    sp_emitter_def *e = add_emitter(c, SP_EMIT_JET);
    memcpy(e->center, center, sizeof e->center);
    memcpy(e->direction, direction, sizeof e->direction);
    e->radius = radius;
    e->speed = speed;
    return e;
}

sp_sph_seeder_def *sph_case_seed(sph_case *c, const float min[3], const float max[3], float rate)
{
    sp_sph_seeder_def *s = &c->seeder[c->def.seeder_count++];
    memcpy(s->min, min, sizeof s->min);
    memcpy(s->max, max, sizeof s->max);
    s->rate = rate;
    s->stop = 1e9f;
    return s;
}

/// The pointers are set only now, so that a case may be copied.
sp_status sph_case_open(sph_case *c, const sp_host *host, sph **out, sp_error *err)
{
    if (c->world.collider_count > 0) c->solid[0].shape.box = &c->tank;
    for (size_t i = 0; i < c->world.emitter_count; ++i)
        if (c->emitter[i].mode == SP_EMIT_FILL) c->emitter[i].shape.box = &c->box[i];
    c->world.colliders = c->solid;
    c->world.emitters = c->emitter;
    c->def.seeders = c->seeder;
    return sph_open(&(sp_setup){.def = &c->def, .world = &c->world, .seed = c->seed}, host, out,
                    err);
}

size_t sph_case_add(sph *s, sph_phase *phase, float x, float y, float z, sp_error *err)
{
    if (sph_phase_reserve(phase, phase->set.count + 1, err) != SP_OK) return SIZE_MAX;
    return sph_phase_add(s, phase, (const float[3]){x, y, z}, (const float[3]){0}, 0);
}

sp_status sph_case_run(sph *s, double until, sp_error *err)
{
    return sp_sph_solver.step(s, until, err);
}

sp_status sph_case_step(sph *s, double until, sph_watch *watch, sp_error *err)
{
    SP_TRY(sp_sph_step(s, until - s->time, err));
    const sp_sph_figures now = sp_sph_last(s);
    ++watch->steps;
    watch->above += now.compression > 0.015;
    watch->far_above = now.compression > 0.03 ? watch->far_above + 1 : 0;
    watch->longest = watch->far_above > watch->longest ? watch->far_above : watch->longest;
    watch->worst = fmax(watch->worst, now.compression);
    watch->worst_mean = fmax(watch->worst_mean, now.compression_mean);
    return SP_OK;
}

sp_status sph_case_watch(sph *s, double until, sph_watch *watch, sp_error *err)
{
    while (s->time < until * (1.0 - 1e-12))
        SP_TRY(sph_case_step(s, until, watch, err));
    return SP_OK;
}

size_t sph_case_lost(const sph_case *c, const sph *s)
{
    size_t lost = (size_t)s->figures.left;
    for (size_t i = 0; i < s->liquid.set.count; ++i) {
        if (s->liquid.tag[i] & SPH_PINNED) continue;
        const float x = s->liquid.x[0][i], y = s->liquid.x[1][i], z = s->liquid.x[2][i];
        const bool within = x > 0.0f && z > 0.0f && x < c->tank.max[0] && z < c->tank.max[2];
        lost += !(y > 0.0f && (within || y > c->tank.max[1])); // a splash may go over the rim
    }
    return lost;
}
