// SPDX-License-Identifier: Apache-2.0
/// The same bits on any number of threads and after saving and restoring, in a scene with a flow, a
/// jet, a sink, bodies that turn and move, a narrow band and aeration.
#include "validate/cases.h"
#include "validate/liquid/proofs.h"

typedef struct busy {
    liquid_case c;
    sp_spin_def spin;
} busy;

static void make_busy(busy *b, int method, bool periodic)
{
    liquid_case *c = &b->c;
    liquid_case_domain(c, method, 0.32f, 0.32f, 0.24f, 0.01f);
    c->def.aeration = true;
    if (periodic) c->def.sides.back = c->def.sides.front = SP_LIQUID_PERIODIC;
    proof_fill(&c->scene, (sp_box_def){.max = {0.32f, 0.12f, 0.24f}});
    proof_fill_ball(&c->scene, (sp_sphere_def){{0.22f, 0.2f, 0.12f}, 0.05f});
    proof_flow(&c->scene, (sp_box_def){{0.0f, 0.15f, 0.08f}, {0.04f, 0.19f, 0.16f}},
               (const float[3]){1.0f, 0.0f, 0.0f});
    proof_jet(&c->scene, (const float[3]){0.16f, 0.28f, 0.12f}, (const float[3]){0, -1, 0}, 0.02f,
              1.5f);
    proof_sink(&c->scene, (sp_box_def){{0.28f, 0.0f, 0.0f}, {0.32f, 0.06f, 0.24f}});
    sp_collider_def *turns =
        proof_box(&c->scene, (sp_box_def){{0.06f, 0.06f, 0.06f}, {0.16f, 0.09f, 0.16f}});
    b->spin = (sp_spin_def){.center = {0.11f, 0.075f, 0.11f}, .axis = {0, 1, 1}, .rpm = 90.0f};
    turns->motion.spin = &b->spin;
    sp_collider_def *moves =
        proof_box(&c->scene, (sp_box_def){{0.2f, 0.02f, 0.1f}, {0.24f, 0.2f, 0.14f}});
    proof_move(&c->scene, moves, (const float[3]){0.1f, 0.0f, 0.1f});
}

static sp_status hash_after(busy *b, int threads, double until, uint64_t *hash,
                            sp_liquid_figures *figures, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    liquid *s;
    SP_TRY(liquid_case_open(&b->c, &host, &s, err));
    sp_status status = liquid_case_run(s, until, err);
    if (status == SP_OK) status = proof_hash(&sp_liquid_solver, s, hash, err);
    *figures = sp_liquid_look(s);
    liquid_close(s);
    return status;
}

typedef struct busy_row {
    const char *name;
    int method;
    bool periodic;
} busy_row;
static const busy_row busy_rows[] = {{"flip, narrow band", SP_LIQUID_FLIP, false},
                                     {"apic, periodic", SP_LIQUID_APIC, true},
                                     {"eulerian", SP_LIQUID_EULERIAN, false}};
enum { BUSY_ROWS = sizeof busy_rows / sizeof *busy_rows };

sp_status liquid_prove_same(sp_check_report *report, sp_error *err)
{
    static const int threads[] = {2, 3, 5};
    const double until = 2.0 / 24.0;
    for (int i = 0; i < BUSY_ROWS; ++i) {
        busy b;
        uint64_t reference, hash;
        sp_liquid_figures f, g;
        int different = 0;
        make_busy(&b, busy_rows[i].method, busy_rows[i].periodic);
        SP_TRY(hash_after(&b, 1, until, &reference, &f, err));
        for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
            SP_TRY(hash_after(&b, threads[k], until, &hash, &g, err));
            different += hash != reference;
        }
        sp_exact(report,
                 sp_label(report, "hashes off on 2, 3 and 5 threads, %s", busy_rows[i].name),
                 different, 0,
                 "work is cut the same for any number of threads, sums are closed in order");
        if (i > 0) continue;
        b.c.seed = 2;
        SP_TRY(hash_after(&b, 2, until, &hash, &g, err));
        sp_exact(report, "hash with another seed is another", hash != reference, 1,
                 "so that hashes can be told apart");
        sp_at_least(report, "particles that emitters brought", (double)f.emitted, 500,
                    "so that everything is at work");
        sp_at_least(report, "particles that the sink took", (double)f.drained, 100, "the same");
    }
    return SP_OK;
}

/// ---- Saved ------------------------------------------------------------------------------------

sp_status liquid_prove_resume(sp_check_report *report, sp_error *err)
{
    const double half = 2.0 / 24.0, until = 4.0 / 24.0;
    for (int i = 0; i < BUSY_ROWS; ++i) {
        busy b;
        uint64_t reference, hash = 0;
        sp_liquid_figures f;
        liquid *s;
        make_busy(&b, busy_rows[i].method, busy_rows[i].periodic);
        SP_TRY(hash_after(&b, report->host->threads, until, &reference, &f, err));
        SP_TRY(liquid_case_open(&b.c, report->host, &s, err));
        sp_status status = liquid_case_run(s, half, err);
        void *again = s;
        const sp_setup setup = liquid_case_setup(&b.c);
        if (status == SP_OK)
            status = proof_reopen(&sp_liquid_solver, &setup, report->host, &again, err);
        if (status == SP_OK) status = liquid_case_run(again, until, err);
        if (status == SP_OK) status = proof_hash(&sp_liquid_solver, again, &hash, err);
        liquid_close(again);
        SP_TRY(status);
        sp_exact(
            report,
            sp_label(report, "hash off after save and restore half way, %s", busy_rows[i].name),
            hash != reference, 0, "save writes all that lasts from step to step, to the bit");
    }
    return SP_OK;
}
