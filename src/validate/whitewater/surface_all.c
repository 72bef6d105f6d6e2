// SPDX-License-Identifier: Apache-2.0
/// All of the surface at work: a level that is gone at once, the ledger, and the same bits.
#include "validate/whitewater/surface_cases.h"

/// ---- A surface that is gone --------------------------------------------------------------------

enum { AFLOAT = 300 };

static sp_status afloat_open(surface_case *c, double jump, const sp_host *host, sp_error *err)
{
    SP_TRY(surface_case_open(c, host, err));
    c->pool.jump = jump;
    c->pool.jump_at = 0.1;
    c->floating.life_mean = 1e5f;
    sp_status status = surface_case_again(c, err);
    for (int i = 0; i < AFLOAT && status == SP_OK; ++i)
        status =
            surface_case_add(c, &c->kinds[WHITEWATER_FOAM], (const double[3]){0.01 * i, 0.0, 0.0},
                             (const double[3]){0}, 0.002f, err);
    if (status != SP_OK) surface_case_close(c);
    return status;
}

/// Heights by id; false if any particle is missing or there twice.
static bool read_heights(const surface_case *c, double height[AFLOAT])
{
    size_t n = 0;
    for (int i = 0; i < AFLOAT; ++i)
        height[i] = (double)NAN;
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        for (size_t i = 0; i < c->kinds[k].set.count; ++i, ++n)
            height[c->kinds[k].id[i] - 1] = c->kinds[k].x[1][i];
    for (int i = 0; i < AFLOAT; ++i)
        if (isnan(height[i])) return false;
    return n == AFLOAT;
}

/// The largest way that a particle makes in a step beyond 6 m/s, and steps in which any is missing.
static sp_status watch(surface_case *c, int steps, double *jump, double *missing, sp_error *err)
{
    double before[AFLOAT], now[AFLOAT];
    *jump = 0.0;
    *missing = !read_heights(c, before);
    for (int n = 0; n < steps; ++n) {
        SP_TRY(surface_case_step(c, err));
        *missing += !read_heights(c, now);
        for (int i = 0; i < AFLOAT; ++i) {
            *jump = fmax(*jump, fabs(now[i] - before[i]) - 6.0 * c->world.dt);
            before[i] = now[i];
        }
    }
    return SP_OK;
}

sp_status whitewater_prove_jump(sp_check_report *report, sp_error *err)
{
    static const struct {
        double jump;
        int steps, event;
        const char *what;
    } cases[] = {
        {-1.0, 72 * 8, WHITEWATER_LEAPT, "spray"},
        {1.0, 72 * 8, WHITEWATER_SUNK, "bubbles"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        surface_case c;
        double jump, missing;
        SP_TRY(afloat_open(&c, cases[k].jump, report->host, err));
        const sp_status status = watch(&c, cases[k].steps, &jump, &missing, err);
        sp_at_most(report,
                   sp_label(report, "jump of foam where the level changes by %g m at once, m",
                            cases[k].jump),
                   jump, 0.1, "not farther than max_correction, in a step, beyond motion of 6 m/s");
        sp_exact(report, "steps in which a particle is missing", missing, 0,
                 "none vanishes without an event");
        sp_exact(report, sp_label(report, "foam that became %s", cases[k].what),
                 (double)c.ledger.count[cases[k].event], AFLOAT, "all of it");
        sp_exact(report, "foam some seconds later", (double)c.kinds[WHITEWATER_FOAM].set.count,
                 AFLOAT, "it comes back to the surface, with the same ids");
        surface_case_close(&c);
        SP_TRY(status);
    }
    return SP_OK;
}

/// ---- Busy --------------------------------------------------------------------------------------

enum { BUSY_STEPS = 160, EACH = 40 };

/// A swinging level that also jumps, water that drifts to the sides of the domain, and bubbles that arrive at all
/// times, where foam is dense and where it is not.
static sp_status busy_open(surface_case *c, const sp_host *host, sp_error *err)
{
    SP_TRY(surface_case_open(c, host, err));
    c->pool = (surface_pool){
        .amplitude = 0.3, .rate = 8.0, .jump = 0.7, .jump_at = 1.2, .along = {0.4, 0.0, 0.2}};
    c->floating.life_mean = 0.6f;
    c->floating.life_var = 0.05f;
    c->floating.rim = 0.5f;
    c->foam.cohesion = 10.0f;
    c->world.wind[0] = 2.0f;
    c->world.domain[1][0] = 0.5;
    const sp_status status = surface_case_again(c, err);
    if (status != SP_OK) surface_case_close(c);
    return status;
}

static sp_status let_arrive(surface_case *c, sp_error *err)
{
    const double level = surface_pool_level(&c->pool, c->world.t + c->world.dt);
    for (int i = 0; i < EACH; ++i) {
        const sp_random4 random = sp_random(3, 0, c->next_id, 0, 0);
        const double x[3] = {
            0.3 * (double)sp_unit(random.x[0]), level - 0.002 * (double)sp_unit(random.x[1]),
            i % 2 ? 0.02 * (double)sp_unit(random.x[2]) : (double)random.x[2] / 4e9};
        SP_TRY(surface_case_add(c, &c->arrivals, x, (const double[3]){0.1, 0.3, 0.0},
                                0.002f + 0.002f * sp_unit(random.x[3]), err));
        c->arrivals.number[c->arrivals.set.count - 1] = 1.0f + (float)(i % 3);
        ++c->ledger.count[WHITEWATER_EMITTED_BUBBLES];
        c->ledger.volume[WHITEWATER_EMITTED_BUBBLES] +=
            whitewater_volume(&c->arrivals, c->arrivals.set.count - 1);
    }
    return SP_OK;
}

static sp_status busy_run(surface_case *c, int steps, sp_error *err)
{
    for (int n = 0; n < steps; ++n) {
        SP_TRY(let_arrive(c, err));
        SP_TRY(surface_case_step(c, err));
    }
    return SP_OK;
}

/// ---- The ledger --------------------------------------------------------------------------------

static double balance(const double *of, double out_of_domain)
{
    return of[WHITEWATER_EMITTED_BUBBLES] + of[WHITEWATER_EMITTED_FOAM] +
           of[WHITEWATER_EMITTED_SPRAY] - of[WHITEWATER_BURST] - of[WHITEWATER_PRUNED] -
           of[WHITEWATER_INSIDE] - of[WHITEWATER_STRANDED] - out_of_domain;
}

/// Each kind by itself, when none has left otherwise than by bursting and pruning.
static void put_kinds(sp_check_report *report, const surface_case *c)
{
    const uint64_t *of = c->ledger.count;
    const double foam = (double)(of[WHITEWATER_SURFACED] + of[WHITEWATER_LANDED]) -
                        (double)(of[WHITEWATER_SUNK] + of[WHITEWATER_LEAPT] + of[WHITEWATER_BURST] +
                                 of[WHITEWATER_PRUNED]),
                 spray = (double)of[WHITEWATER_LEAPT] -
                         (double)(of[WHITEWATER_LANDED] + of[WHITEWATER_PLUNGED]),
                 bubbles = (double)(of[WHITEWATER_EMITTED_BUBBLES] + of[WHITEWATER_SUNK] +
                                    of[WHITEWATER_PLUNGED]) -
                           (double)of[WHITEWATER_SURFACED];
    const char *why = "what came in less what went out, by kind";
    sp_exact(report, "foam that the ledger cannot explain",
             (double)c->kinds[WHITEWATER_FOAM].set.count - foam, 0, why);
    sp_exact(report, "spray that it cannot explain",
             (double)c->kinds[WHITEWATER_SPRAY].set.count - spray, 0, why);
    sp_exact(report, "bubbles that it cannot explain",
             (double)c->kinds[WHITEWATER_BUBBLES].set.count - bubbles, 0, why);
}

static void put_totals(sp_check_report *report, const surface_case *c)
{
    double counts[WHITEWATER_EVENTS], volume = 0.0;
    for (int k = 0; k < WHITEWATER_EVENTS; ++k)
        counts[k] = (double)c->ledger.count[k];
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        for (size_t i = 0; i < c->kinds[k].set.count; ++i)
            volume += whitewater_volume(&c->kinds[k], i);
    const double *of = c->ledger.volume;
    sp_exact(report, "particles that the ledger cannot explain",
             (double)surface_case_count(c) - balance(counts, counts[WHITEWATER_LEFT]), 0,
             "what came in less what went out");
    sp_within(report, "volume that it cannot explain, over all of it",
              (volume - balance(of, of[WHITEWATER_LEFT])) / of[WHITEWATER_EMITTED_BUBBLES], 0.0,
              1e-6, "the same; sums of doubles");
}

sp_status whitewater_prove_ledger(sp_check_report *report, sp_error *err)
{
    static const struct {
        int event;
        const char *what;
    } wanted[] = {{WHITEWATER_SURFACED, "bubbles that became foam"},
                  {WHITEWATER_SUNK, "foam that sank"},
                  {WHITEWATER_LEAPT, "foam that leapt"},
                  {WHITEWATER_LANDED, "spray that landed"},
                  {WHITEWATER_BURST, "foam that burst"},
                  {WHITEWATER_PRUNED, "foam that was pruned"},
                  {WHITEWATER_LEFT, "particles that left the domain"}};
    surface_case c;
    SP_TRY(busy_open(&c, report->host, err));
    sp_status status = busy_run(&c, BUSY_STEPS, err);
    put_totals(report, &c);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k)
        sp_at_least(report, wanted[k].what, (double)c.ledger.count[wanted[k].event], 20,
                    "so that everything is at work");
    surface_case_close(&c);
    SP_TRY(status);
    SP_TRY(busy_open(&c, report->host, err));
    c.world.domain[1][0] = 1e3;
    status = busy_run(&c, BUSY_STEPS, err);
    put_kinds(report, &c);
    surface_case_close(&c);
    return status;
}

/// ---- The same bits -----------------------------------------------------------------------------

static sp_status busy_hash(int threads, uint64_t *hash, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    surface_case c;
    SP_TRY(busy_open(&c, &host, err));
    const sp_status status = busy_run(&c, BUSY_STEPS, err);
    *hash = surface_case_hash(&c);
    surface_case_close(&c);
    return status;
}

static sp_status copy_sets(surface_case *to, const surface_case *from, sp_error *err)
{
    for (int k = 0; k < WHITEWATER_KINDS; ++k) {
        SP_TRY(whitewater_set_reserve(&to->kinds[k], from->kinds[k].set.count, err));
        for (size_t i = 0; i < from->kinds[k].set.count; ++i)
            whitewater_set_copy(&to->kinds[k], &from->kinds[k], i);
    }
    to->next_id = from->next_id;
    to->world.step = from->world.step;
    to->world.t = from->world.t;
    return SP_OK;
}

/// Half of the run in one surface, half in another that gets only the sets.
static sp_status resumed_hash(const sp_host *host, uint64_t *hash, sp_error *err)
{
    surface_case a, b;
    SP_TRY(busy_open(&a, host, err));
    sp_status status = busy_open(&b, host, err);
    if (status == SP_OK) {
        status = busy_run(&a, BUSY_STEPS / 2, err);
        if (status == SP_OK) status = copy_sets(&b, &a, err);
        if (status == SP_OK) status = busy_run(&b, BUSY_STEPS - BUSY_STEPS / 2, err);
        *hash = surface_case_hash(&b);
        surface_case_close(&b);
    }
    surface_case_close(&a);
    return status;
}

sp_status whitewater_prove_surface_same(sp_check_report *report, sp_error *err)
{
    static const int threads[] = {2, 3, 5};
    uint64_t reference, hash = 0;
    int different = 0;
    SP_TRY(busy_hash(1, &reference, err));
    for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
        SP_TRY(busy_hash(threads[k], &hash, err));
        different += hash != reference;
    }
    sp_exact(report, "hashes off on 2, 3 and 5 threads", different, 0,
             "blocks and their order are the same for any number of threads");
    SP_TRY(resumed_hash(report->host, &hash, err));
    sp_exact(report, "hash off when another surface goes on from the sets", hash != reference, 0,
             "the sets are all of the state");
    return SP_OK;
}
