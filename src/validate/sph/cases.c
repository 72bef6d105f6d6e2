// SPDX-License-Identifier: Apache-2.0
/// Small scenes for proofs, without a scene file.
#include "validate/sph/proofs.h"

void sph_case_nothing(sph_case *c, float d)
{
    *c = (sph_case){.seed = 1};
    sp_keys_defaults(&sp_sph_keys, &c->def);
    c->def.spacing = d;
    c->def.seeders = c->seeder;
    proof_scene_clear(&c->scene);
}

void sph_case_tank(sph_case *c, float x, float y, float z, float d)
{
    sph_case_nothing(c, d);
    c->tank = (sp_box_def){{0.0f, 0.0f, 0.0f}, {x, y, z}};
    c->scene.solid[0] = (sp_collider_def){
        .name = "tank", .shape.box = &c->tank, .inside_out = true, .open = SP_OPEN_TOP};
    c->scene.world.collider_count = 1;
}

sp_sph_seeder_def *sph_case_seed(sph_case *c, sp_box_def box, float rate)
{
    sp_sph_seeder_def *s = &c->seeder[c->def.seeder_count++];
    *s = (sp_sph_seeder_def){.rate = rate, .stop = 1e9f};
    memcpy(s->min, box.min, sizeof s->min);
    memcpy(s->max, box.max, sizeof s->max);
    return s;
}

sp_setup sph_case_setup(const sph_case *c)
{
    return (sp_setup){.def = &c->def, .world = &c->scene.world, .seed = c->seed};
}

sp_status sph_case_open(sph_case *c, const sp_host *host, sph **out, sp_error *err)
{
    const sp_setup setup = sph_case_setup(c);
    return sph_open(&setup, host, out, err);
}

sp_status sph_case_prove(sp_check_report *report, sph_case *c, sph_case_proof *proof, sp_error *err)
{
    sph *s;
    SP_TRY(sph_case_open(c, report->host, &s, err));
    const sp_status status = proof(report, s, err);
    sph_close(s);
    return status;
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
