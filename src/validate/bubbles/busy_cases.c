// SPDX-License-Identifier: Apache-2.0
/// Scenes that run most code paths, for hashes: a large bubble with surface tension, the power basis, a tank with
/// grains, bubbles of all sizes, a lattice that flows in and a plate that moves, and bubbles in a liquid that falls.
#include "validate/bubbles/proofs.h"
#include "validate/cases.h"

typedef struct busy {
    bubbles_case c;
    sp_bubbles_material_def material[2];
    sp_bubbles_emitter_def emitter[3];
    proof_shape shape[3];
    sp_liquid_def liquid;
} busy;

static void make_hero(busy *b)
{
    bubbles_case_domain(&b->c, 0.00125f, 1.0 / 1440.0, (const int[3]){-24, 0, -24},
                        (const int[3]){24, 80, 24});
    bubbles_case_hero(&b->c, false);
    bubbles_case_ball(&b->c, (const double[3]){0.0, 16.0, 0.0}, 5.0);
}

static void make_power(busy *b)
{
    make_hero(b);
    bubbles_case_ball(&b->c, (const double[3]){0.0, 16.0, 0.0}, 4.0);
    b->c.def.basis = SP_BUBBLES_POWER;
    b->c.emitter.sizes = SP_BUBBLES_FILL;
}

static sp_bubbles_emitter_def *add_box(busy *b, const char *material, int mode, sp_box_def box)
{
    bubbles_case *c = &b->c;
    const size_t n = c->def.emitter_count++;
    sp_bubbles_emitter_def *e = &b->emitter[n];
    sp_keys_defaults(sp_keys_find(&sp_bubbles_keys, "emitters")->items, e);
    b->shape[n].box = box;
    e->shape.box = &b->shape[n].box;
    e->material = material;
    e->mode = mode;
    return e;
}

static void make_tank(busy *b)
{
    bubbles_case *c = &b->c;
    bubbles_case_domain(c, 0.01f, 1.0 / 96.0, (const int[3]){-20, 0, -20},
                        (const int[3]){20, 40, 20});
    b->material[0] = (sp_bubbles_material_def){"air", 1.0f, false};
    b->material[1] = (sp_bubbles_material_def){"sand", 1500.0f, true};
    c->def.materials = b->material;
    c->def.material_count = 2;
    c->def.emitters = b->emitter;
    c->def.tension.coefficient = 0.072f;
    sp_bubbles_emitter_def *e = add_box(b, "air", SP_BUBBLES_RATE,
                                        (sp_box_def){{-0.1f, 0.02f, -0.1f}, {0.1f, 0.06f, 0.1f}});
    e->sizes = SP_BUBBLES_GIVEN;
    e->radius_min = 0.0005f;
    e->radius_max = 0.005f;
    e->rate = 20000.0f;
    e = add_box(b, "sand", SP_BUBBLES_ONCE,
                (sp_box_def){{-0.08f, 0.1f, -0.08f}, {0.08f, 0.16f, 0.08f}});
    e->sizes = SP_BUBBLES_GIVEN;
    e->radius_min = 0.004f;
    e->fraction = 0.3f;
    e = add_box(b, "air", SP_BUBBLES_FLOW,
                (sp_box_def){{-0.15f, 0.2f, -0.03f}, {-0.1f, 0.26f, 0.03f}});
    e->velocity[0] = 1.0f;
    sp_collider_def *tank =
        proof_box(&c->scene, (sp_box_def){{-0.18f, 0.005f, -0.18f}, {0.18f, 0.39f, 0.18f}});
    tank->inside_out = true;
    tank->open = SP_OPEN_TOP;
    sp_collider_def *plate =
        proof_box(&c->scene, (sp_box_def){{-0.05f, 0.2f, -0.1f}, {0.0f, 0.23f, 0.1f}});
    proof_move(&c->scene, plate, (const float[3]){0.3f, -0.2f, 0.0f});
}

/// Bubbles of two sizes in a column of particles that falls.
static void make_in_liquid(busy *b)
{
    bubbles_case *c = &b->c;
    bubbles_case_domain(c, 0.01f, 1.0 / 96.0, (const int[3]){0}, (const int[3]){40, 32, 16});
    sp_keys_defaults(&sp_liquid_keys, &b->liquid);
    b->liquid.voxel = c->def.voxel;
    c->def.liquid = &b->liquid;
    proof_fill(&c->scene, (sp_box_def){{0.0f, 0.0f, 0.0f}, {0.16f, 0.24f, 0.16f}});
    c->def.emitters = b->emitter;
    sp_bubbles_emitter_def *e = add_box(b, NULL, SP_BUBBLES_RATE,
                                        (sp_box_def){{0.02f, 0.02f, 0.02f}, {0.14f, 0.06f, 0.14f}});
    e->sizes = SP_BUBBLES_GIVEN;
    e->radius_min = 0.001f;
    e->radius_max = 0.005f;
    e->rate = 20000.0f;
    add_box(b, NULL, SP_BUBBLES_ONCE, (sp_box_def){{0.05f, 0.1f, 0.05f}, {0.1f, 0.15f, 0.1f}});
}

static const struct busy_row {
    const char *name;
    void (*make)(busy *b);
} rows[BUBBLES_BUSY_SCENES] = {{"a large bubble", make_hero},
                               {"basis power", make_power},
                               {"a tank", make_tank},
                               {"in a liquid", make_in_liquid}};

const char *bubbles_busy_name(size_t k)
{
    return rows[k].name;
}

sp_status bubbles_busy_hash(size_t k, int threads, int steps, uint64_t *hash, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    busy b = {0};
    bubbles *s;
    rows[k].make(&b);
    SP_TRY(bubbles_case_open(&b.c, &host, &s, err));
    sp_status status = bubbles_case_run(s, b.c.dt, steps, err);
    if (status == SP_OK) status = proof_hash(&sp_bubbles_solver, s, hash, err);
    bubbles_close(s);
    return status;
}

sp_status bubbles_busy_resumed(size_t k, const sp_host *host, int steps, uint64_t *hash,
                               sp_error *err)
{
    busy b = {0};
    bubbles *s;
    rows[k].make(&b);
    SP_TRY(bubbles_case_open(&b.c, host, &s, err));
    sp_status status = bubbles_case_run(s, b.c.dt, steps / 2, err);
    void *again = s;
    const sp_setup setup = bubbles_case_setup(&b.c);
    if (status == SP_OK) status = proof_reopen(&sp_bubbles_solver, &setup, host, &again, err);
    if (status == SP_OK) status = bubbles_case_run(again, b.c.dt, steps - steps / 2, err);
    if (status == SP_OK) status = proof_hash(&sp_bubbles_solver, again, hash, err);
    bubbles_close(again);
    return status;
}
