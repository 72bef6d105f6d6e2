// SPDX-License-Identifier: Apache-2.0
/// The same bits on any number of threads and after saving and restoring: a large bubble with surface
/// tension, the power basis, and a tank with grains, bubbles of all sizes, a lattice that flows in and a
/// plate that moves.
#include "validate/bubbles/proofs.h"
#include "validate/cases.h"

enum { STEPS = 20 };

typedef struct busy {
    bubbles_case c;
    sp_bubbles_material_def material[2];
    sp_bubbles_emitter_def emitter[3];
    proof_shape shape[3];
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

static const struct busy_row {
    const char *name;
    void (*make)(busy *b);
} rows[] = {{"a large bubble", make_hero}, {"basis power", make_power}, {"a tank", make_tank}};
enum { ROWS = sizeof rows / sizeof *rows };

static sp_status hash_after(busy *b, int threads, int steps, uint64_t *hash, sp_bubbles_figures *f,
                            sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    bubbles *s;
    SP_TRY(bubbles_case_open(&b->c, &host, &s, err));
    sp_status status = bubbles_case_run(s, b->c.dt, steps, err);
    if (status == SP_OK) status = proof_hash(&sp_bubbles_solver, s, hash, err);
    *f = sp_bubbles_last(s);
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_same(sp_check_report *report, sp_error *err)
{
    static const int threads[] = {2, 3, 5};
    for (int i = 0; i < ROWS; ++i) {
        busy b = {0};
        uint64_t reference, hash;
        sp_bubbles_figures f, g;
        int different = 0;
        rows[i].make(&b);
        SP_TRY(hash_after(&b, 1, STEPS, &reference, &f, err));
        for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
            SP_TRY(hash_after(&b, threads[k], STEPS, &hash, &g, err));
            different += hash != reference;
        }
        sp_exact(
            report, sp_label(report, "hashes off on 2, 3 and 5 threads, %s", rows[i].name),
            different, 0,
            "work is cut the same for any number of threads, sums are closed in a fixed order");
    }
    return SP_OK;
}

/// ---- Saved ------------------------------------------------------------------------------------

static sp_status resume(busy *b, const sp_host *host, uint64_t *hash, sp_error *err)
{
    bubbles *s;
    SP_TRY(bubbles_case_open(&b->c, host, &s, err));
    sp_status status = bubbles_case_run(s, b->c.dt, STEPS / 2, err);
    void *again = s;
    const sp_setup setup = bubbles_case_setup(&b->c);
    if (status == SP_OK) status = proof_reopen(&sp_bubbles_solver, &setup, host, &again, err);
    if (status == SP_OK) status = bubbles_case_run(again, b->c.dt, STEPS / 2, err);
    if (status == SP_OK) status = proof_hash(&sp_bubbles_solver, again, hash, err);
    bubbles_close(again);
    return status;
}

sp_status bubbles_prove_resume(sp_check_report *report, sp_error *err)
{
    for (int i = 0; i < ROWS; ++i) {
        busy b = {0};
        uint64_t reference, hash = 0;
        sp_bubbles_figures f;
        rows[i].make(&b);
        SP_TRY(hash_after(&b, report->host->threads, STEPS, &reference, &f, err));
        SP_TRY(resume(&b, report->host, &hash, err));
        sp_exact(report,
                 sp_label(report, "hash off after save and restore half way, %s", rows[i].name),
                 hash != reference, 0, "save writes all that lasts from step to step, to the bit");
    }
    return SP_OK;
}
