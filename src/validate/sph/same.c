// SPDX-License-Identifier: Apache-2.0
/// The same bits on any number of threads, however often particles are sorted, and after having
/// been saved: with jets, trapped and seeded air, and foam.
#include "validate/cases.h"
#include "validate/sph/proofs.h"

/// A jet under water and one from above, bubbles from the floor, foam that soon bursts.
static void make_busy(sph_case *c)
{
    sph_case_tank(c, 0.5f, 0.8f, 0.34f, 0.02f);
    proof_fill(&c->scene, (sp_box_def){.max = {0.5f, 0.22f, 0.34f}});
    proof_jet(&c->scene, (const float[3]){0.14f, 0.1f, 0.16f}, (const float[3]){1, 0, 0}, 0.04f,
              6.0f);
    proof_jet(&c->scene, (const float[3]){0.34f, 0.4f, 0.16f}, (const float[3]){0, -1, 0}, 0.04f,
              4.0f);
    sph_case_seed(c, (sp_box_def){{0.04f, 0.02f, 0.04f}, {0.46f, 0.18f, 0.3f}}, 3000.0f);
    c->def.trapped.surface_only = false;
    c->def.foam.float_time = 0.05f;
}

static sp_status hash_after(sph_case *c, int threads, double until, uint64_t *hash,
                            sp_sph_figures *figures, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    sph *s;
    SP_TRY(sph_case_open(c, &host, &s, err));
    sp_status status = sph_case_run(s, until, err);
    if (status == SP_OK) status = proof_hash(&sp_sph_solver, s, hash, err);
    *figures = sp_sph_look(s);
    sph_close(s);
    return status;
}

sp_status sph_prove_same(sp_check_report *report, sp_error *err)
{
    static const int threads[] = {2, 3, 5};
    const double until = 0.2;
    uint64_t reference, hash;
    sp_sph_figures f, g;
    sph_case c;
    int different = 0;
    make_busy(&c);
    SP_TRY(hash_after(&c, 1, until, &reference, &f, err));
    for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
        SP_TRY(hash_after(&c, threads[k], until, &hash, &g, err));
        different += hash != reference;
    }
    sp_exact(report, "hashes off on 2, 3 and 5 threads", different, 0,
             "work is cut the same for any number of threads, sums are closed in a fixed order");
    c.def.sort_every = 1;
    SP_TRY(hash_after(&c, 2, until, &hash, &g, err));
    sp_exact(report, "hash off when sorted every step instead of every 16th", hash != reference, 0,
             "lists and sums go by places and ids, not by memory");
    c.def.sort_every = 16;
    c.seed = 2;
    SP_TRY(hash_after(&c, 2, until, &hash, &g, err));
    sp_exact(report, "hash with another seed is another", hash != reference, 1,
             "so that hashes can be told apart");
    sp_at_least(report, "air made by fast water", (double)f.created, 50,
                "so that everything is at work");
    sp_at_least(report, "foam that burst", (double)f.burst, 10, "the same");
    sp_at_least(report, "water let in", (double)f.emitted, 500, "the same");
    return SP_OK;
}

/// ---- Saved ------------------------------------------------------------------------------------

sp_status sph_prove_resume(sp_check_report *report, sp_error *err)
{
    const double until = 0.15;
    uint64_t reference, hash = 0;
    sp_sph_figures f;
    sph_case c;
    sph *s;
    make_busy(&c);
    SP_TRY(hash_after(&c, report->host->threads, until, &reference, &f, err));
    SP_TRY(sph_case_open(&c, report->host, &s, err));
    // Half way, at the end of a step that the whole run makes too.
    sp_status status = SP_OK;
    while (s->time < 0.4 * until && status == SP_OK)
        status = sp_sph_step(s, until - s->time, err);
    void *again = s;
    const sp_setup setup = sph_case_setup(&c);
    if (status == SP_OK) status = proof_reopen(&sp_sph_solver, &setup, report->host, &again, err);
    if (status == SP_OK) status = sph_case_run(again, until, err);
    if (status == SP_OK) status = proof_hash(&sp_sph_solver, again, &hash, err);
    sp_exact(report, "hash off after save and restore half way", hash != reference, 0,
             "save writes all that lasts from step to step, to the bit");
    sph_close(again);
    return status;
}
