// SPDX-License-Identifier: Apache-2.0
/// What the surface says about doubtful foam, and how it refuses numbers that are none.
#include "validate/whitewater/surface_cases.h"

/// A host that counts the lines of its log that hold a text.
typedef struct listener {
    const sp_host *inner;
    const char *text;
    int heard;
} listener;

static void *allocate(void *user, size_t bytes)
{
    const sp_host *inner = ((listener *)user)->inner;
    return inner->allocate(inner->user, bytes);
}

static void release(void *user, void *memory, size_t bytes)
{
    const sp_host *inner = ((listener *)user)->inner;
    inner->release(inner->user, memory, bytes);
}

static void parallel_for(void *user, size_t n, void (*body)(void *, size_t), void *arg)
{
    const sp_host *inner = ((listener *)user)->inner;
    inner->parallel_for(inner->user, n, body, arg);
}

static void listen(void *user, sp_log_level level, const char *text)
{
    listener *l = user;
    (void)level;
    l->heard += strstr(text, l->text) != NULL;
}

static sp_host listening_host(listener *l)
{
    sp_host host = *l->inner;
    host.user = l;
    host.allocate = allocate;
    host.release = release;
    host.parallel_for = parallel_for;
    host.log = listen;
    host.clock = NULL;
    return host;
}

enum { FOAM = 300 };

/// Foam for three steps; `change` makes it doubtful.
static sp_status hear(const sp_host *inner, void change(surface_case *c), const char *text,
                      double *heard, sp_error *err)
{
    listener l = {.inner = inner, .text = text};
    const sp_host host = listening_host(&l);
    surface_case c;
    SP_TRY(surface_case_open(&c, &host, err));
    c.floating.life_mean = 1e5f;
    sp_status status = SP_OK;
    for (int i = 0; i < FOAM && status == SP_OK; ++i)
        status =
            surface_case_add(&c, &c.kinds[WHITEWATER_FOAM], (const double[3]){0.01 * i, 0.0, 0.0},
                             (const double[3]){0}, 0.002f, err);
    if (status == SP_OK && change) change(&c);
    if (status == SP_OK) status = surface_case_again(&c, err);
    if (status == SP_OK) status = surface_case_run(&c, 3, err);
    *heard = l.heard;
    surface_case_close(&c);
    return status;
}

static void make_stiff(surface_case *c)
{
    c->foam.viscosity = 50.0f;
    c->foam.max_substeps = 2;
}

static void make_uneven(surface_case *c)
{
    for (int i = 0; i < FOAM; i += 10)
        c->kinds[WHITEWATER_FOAM].radius[i] = 0.05f;
}

static void make_fast(surface_case *c)
{
    c->pool.jump = -1.0;
    c->pool.jump_at = 0.01;
}

static sp_status put_warnings(sp_check_report *report, sp_error *err)
{
    static const struct {
        const char *what, *text;
        void (*change)(surface_case *c);
    } cases[] = {
        {"warnings of too few substeps", "capped at 2, foam may jitter", make_stiff},
        {"warnings of radii that differ too much", "foam radii span 25:1", make_uneven},
        {"warnings of foam that lost the surface", "300 spray or removed", make_fast},
    };
    double heard;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        SP_TRY(hear(report->host, cases[k].change, cases[k].text, &heard, err));
        sp_exact(report, cases[k].what, heard, 1, "said once in three steps, with the numbers");
    }
    SP_TRY(hear(report->host, NULL, "whitewater", &heard, err));
    sp_exact(report, "warnings of calm foam", heard, 0, "nothing is doubtful");
    return SP_OK;
}

sp_status whitewater_prove_messages(sp_check_report *report, sp_error *err)
{
    surface_case c;
    sp_error said = {0};
    SP_TRY(put_warnings(report, err));
    SP_TRY(surface_case_open(&c, report->host, err));
    c.next_id = 88123;
    const sp_status added =
        surface_case_add(&c, &c.kinds[WHITEWATER_SPRAY], (const double[3]){0.0, 1.0, 0.0},
                         (const double[3]){(double)NAN, 0.0, 0.0}, 0.001f, err);
    const sp_status status = added == SP_OK ? surface_case_step(&c, &said) : added;
    surface_case_close(&c);
    SP_TRY(added);
    sp_exact(report, "a drop that is not a number stops the run", status, SP_DIVERGED,
             "and never reaches the disk");
    sp_exact(report, "and is named", strstr(said.text, "drop 88123 is not a number") != NULL, 1,
             "by its id");
    return SP_OK;
}
