// SPDX-License-Identifier: Apache-2.0
/// T27, T28: a block of 0.24 m3 falls into a pool. Air that emission lets in before contact, and per
/// second with other frame rates, numbers of steps and voxels.
#include "validate/liquid/proofs.h"
#include "validate/whitewater/emission_case.h"
#include "validate/whitewater/proofs.h"

#include <string.h>

enum { FPS = 48, SECONDS = 1, MOMENTS = FPS * SECONDS + 1, STEPS = 200 };

/// ---- A run of water, kept ----------------------------------------------------------------------

typedef struct kept_run {
    const sp_host *host;
    sp_bulk_loaded moment[MOMENTS];
    size_t count, every; ///< every: only moments that are a multiple of it are served
    double times[MOMENTS];
    float voxel;
} kept_run;

static sp_status copy_moment(const sp_bulk_moment *from, const sp_host *host, sp_bulk_loaded *to,
                             sp_error *err)
{
    const size_t bytes = from->tiles->count * SP_TILE_VOXELS * sizeof(float);
    to->host = host;
    SP_TRY(sp_tiles_copy(&to->tiles, from->tiles, err));
    bool enough = (to->phi = sp_tiles_field(&to->tiles, 0.0f)) != NULL;
    for (int a = 0; a < 3; ++a)
        enough &= (to->u[a] = sp_tiles_field(&to->tiles, 0.0f)) != NULL;
    if (!enough) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu tiles", from->tiles->count);
    memcpy(to->phi, from->phi, bytes);
    for (int a = 0; a < 3; ++a)
        memcpy(to->u[a], from->u[a], bytes);
    to->time = from->time;
    to->band = from->band;
    memcpy(to->origin, from->origin, sizeof to->origin);
    return SP_OK;
}

static sp_status load(void *user, size_t k, sp_bulk_loaded *to, sp_error *err)
{
    const kept_run *r = user;
    sp_bulk_loaded *from = (sp_bulk_loaded *)(uintptr_t)&r->moment[k * r->every];
    sp_bulk_loaded_point(from);
    return copy_moment(&from->moment, to->host, to, err);
}

static sp_status serve(kept_run *r, size_t every, sp_bulk *bulk, sp_error *err)
{
    r->every = every;
    const sp_bulk_source source = {.user = r,
                                   .count = (r->count + every - 1) / every,
                                   .times = r->times,
                                   .voxel = r->voxel,
                                   .load = load};
    for (size_t k = 0; k < source.count; ++k)
        r->times[k] = r->moment[k * every].time;
    return sp_bulk_serve(&source, r->host, bulk, err);
}

static void close_run(kept_run *r)
{
    for (size_t k = 0; k < r->count; ++k)
        sp_bulk_loaded_close(&r->moment[k]);
}

/// ---- The running solver ------------------------------------------------------------------------

/// The block and the pool of validate/liquid/aeration.c.
static void make_block(liquid_case *c, float voxel)
{
    liquid_case_domain(c, SP_LIQUID_FLIP, 2.0f, 1.5f, 1.5f, voxel);
    proof_box(&c->scene, (sp_box_def){{1.325f, -0.1f, 0.6f}, {1.575f, 0.44f, 0.9f}});
    proof_fill(&c->scene, (sp_box_def){.max = {2.0f, 0.28f, 1.5f}});
    proof_fill(&c->scene, (sp_box_def){{0.15f, 0.65f, 0.35f}, {0.65f, 1.25f, 1.15f}});
}

static sp_status open_live(liquid_case *c, float voxel, double fps, const sp_host *host,
                           sp_driver **driver, sp_bulk *bulk, sp_error *err)
{
    make_block(c, voxel);
    const sp_driver_def def = {
        .type = &sp_liquid_solver, .setup = liquid_case_setup(c), .fps = fps};
    SP_TRY(sp_driver_open(&def, host, driver, err));
    const sp_bulk_live_def live = {.driver = *driver, .last = SECONDS};
    return sp_bulk_live(&live, host, bulk, err);
}

static sp_status record(kept_run *r, float voxel, const sp_host *host, sp_error *err)
{
    liquid_case c;
    sp_driver *driver = NULL;
    sp_bulk bulk = {0};
    *r = (kept_run){.host = host, .voxel = voxel};
    sp_status status = open_live(&c, voxel, FPS, host, &driver, &bulk, err);
    for (int k = 0; k < MOMENTS && status == SP_OK; ++k) {
        const sp_bulk_moment *moment, *after;
        status = bulk.bracket(bulk.user, (double)k / FPS, &moment, &after, err);
        if (status == SP_OK) status = copy_moment(moment, host, &r->moment[r->count++], err);
    }
    sp_bulk_close(&bulk);
    sp_driver_close(driver);
    return status;
}

/// ---- Bubbles that go with the water ------------------------------------------------------------

/// Air let in: by step, litres.
typedef struct emitted {
    double litre[STEPS + 1], time[STEPS + 1], lost, most;
    int steps;
} emitted;

/// Bubbles move with the water and rise by 0.2 m/s; those that leave it are removed.
static sp_status move(emission_case *c, double dt, sp_error *err)
{
    whitewater_set *b = &c->set[WHITEWATER_BUBBLES];
    const size_t n = b->set.count;
    float *phi = sp_allocate(c->host, n, sizeof *phi);
    uint8_t *gone = sp_allocate(c->host, n, 1);
    sp_bulk_query query = {
        .n = n, .x = b->x[0], .y = b->x[1], .z = b->x[2], .u = {b->v[0], b->v[1], b->v[2]}};
    sp_status status =
        phi && gone ? SP_OK : sp_fail(err, SP_NO_MEMORY, "no memory to move bubbles");
    if (status == SP_OK) status = sp_bulk_sample(c->world.bulk, c->host, c->world.t, &query, err);
    for (size_t i = 0; i < n && status == SP_OK; ++i)
        for (int a = 0; a < 3; ++a)
            b->x[a][i] += dt * ((double)b->v[a][i] + (a == 1 ? 0.2 : 0.0));
    query.u[0] = query.u[1] = query.u[2] = NULL;
    query.phi = phi;
    if (status == SP_OK)
        status = sp_bulk_sample(c->world.bulk, c->host, c->world.t + dt, &query, err);
    for (size_t i = 0; i < n && status == SP_OK; ++i)
        gone[i] = phi[i] > -b->radius[i];
    if (status == SP_OK) whitewater_set_remove(b, gone);
    sp_release(c->host, phi);
    sp_release(c->host, gone);
    return status;
}

/// A second of water, `rate` steps a second.
static sp_status emit(emitted *out, sp_bulk *bulk, int rate, int fluctuation, const sp_host *host,
                      sp_error *err)
{
    emission_case c;
    *out = (emitted){0};
    emission_case_clear(&c, bulk, host);
    c.def.radius_min = 0.002f;
    c.def.radius_max = 0.008f;
    c.aeration.fluctuation = fluctuation;
    sp_status status = emission_case_begin(&c, err);
    for (int k = 0; k < rate * SECONDS && status == SP_OK; ++k) {
        c.world.t = (double)k / rate;
        const double dt = (double)(k + 1) / rate - c.world.t;
        status = move(&c, dt, err);
        if (status == SP_OK) status = emission_case_step(&c, dt, err);
        out->litre[++out->steps] = 1e3 * c.figures.volume;
        out->time[out->steps] = (double)(k + 1) / rate;
        out->most = fmax(out->most, c.figures.aeration_max);
    }
    out->lost = 1e3 * c.lost;
    emission_case_close(&c);
    return status;
}

/// Litres let in from time a to b.
static double sum_of(const emitted *e, double a, double b)
{
    double sum = 0.0;
    for (int k = 1; k <= e->steps; ++k)
        sum += e->time[k] > a + 1e-9 && e->time[k] < b + 1e-9 ? e->litre[k] : 0.0;
    return sum;
}

/// ---- The proofs --------------------------------------------------------------------------------

static const double contact = 6.0 / 24.0; ///< s; the block meets the pool in frame 7

static sp_status prove_live(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    sp_driver *driver = NULL;
    sp_bulk bulk = {0};
    emitted e;
    sp_status status = open_live(&c, 2.0f / 64.0f, 24.0, report->host, &driver, &bulk, err);
    if (status == SP_OK) status = emit(&e, &bulk, 72, SP_FLUCTUATION_CHANGE, report->host, err);
    sp_bulk_close(&bulk);
    sp_driver_close(driver);
    SP_TRY(status);
    sp_at_most(report, "air let in before contact over that of five frames after it",
               sum_of(&e, 0.0, contact) / sum_of(&e, contact, contact + 5.0 / 24.0), 0.01,
               "water in free fall changes no velocity near dents");
    sp_reported(report, "air let in within a second, litres", sum_of(&e, 0.0, 1.0), "");
    sp_reported(report, "largest aeration", e.most, "");
    return SP_OK;
}

/// How a cache is read.
typedef struct reading {
    int fps, steps, fluctuation; ///< steps: of a frame
} reading;

static sp_status read_cache(kept_run *water, const reading *how, emitted *out, sp_error *err)
{
    sp_bulk bulk = {0};
    sp_status status = serve(water, (size_t)(FPS / how->fps), &bulk, err);
    if (status == SP_OK)
        status = emit(out, &bulk, how->fps * how->steps, how->fluctuation, water->host, err);
    sp_bulk_close(&bulk);
    return status;
}

static sp_status compare_readings(sp_check_report *report, kept_run *water, sp_error *err)
{
    static const reading first = {24, 3, SP_FLUCTUATION_CHANGE},
                         local = {24, 3, SP_FLUCTUATION_LOCAL},
                         others[] = {{24, 1, 0}, {24, 2, 0}, {24, 4, 0},
                                     {48, 1, 0}, {48, 2, 0}, {48, 4, 0}};
    emitted e;
    SP_TRY(read_cache(water, &first, &e, err));
    const double litres = sum_of(&e, 0.0, 1.0);
    sp_reported(report, "air of a cache with 24 frames and 3 steps a frame, litres", litres, "");
    sp_reported(report, "of bubbles drawn outside the water, litres", e.lost, "");
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
        SP_TRY(read_cache(water, &others[k], &e, err));
        sp_within(report,
                  sp_label(report, "the same water with %d frames and %d steps a frame, ratio",
                           others[k].fps, others[k].steps),
                  sum_of(&e, 0.0, 1.0) / litres, 1.0, 0.15,
                  "users must not see whitewater vanish with more frames or steps");
    }
    SP_TRY(read_cache(water, &local, &e, err));
    sp_reported(report, "with fluctuation \"local\", ratio", sum_of(&e, 0.0, 1.0) / litres,
                "a prototype asked for a quarter");
    return SP_OK;
}

sp_status whitewater_prove_splash(sp_check_report *report, sp_error *err)
{
    kept_run water;
    SP_TRY(prove_live(report, err));
    sp_status status = record(&water, 2.0f / 64.0f, report->host, err);
    if (status == SP_OK) status = compare_readings(report, &water, err);
    close_run(&water);
    return status;
}

sp_status whitewater_prove_splash_voxels(sp_check_report *report, sp_error *err)
{
    static const reading how = {24, 3, SP_FLUCTUATION_CHANGE};
    double litre[2] = {0};
    sp_status status = SP_OK;
    for (int k = 0; k < 2 && status == SP_OK; ++k) {
        kept_run water;
        emitted e;
        status = record(&water, 2.0f / (k ? 96.0f : 48.0f), report->host, err);
        if (status == SP_OK) status = read_cache(&water, &how, &e, err);
        close_run(&water);
        if (status == SP_OK) litre[k] = sum_of(&e, 0.0, 1.0);
    }
    if (status == SP_OK)
        sp_within(report, "air with voxels of half the width, ratio", litre[1] / litre[0], 1.0, 0.3,
                  "a prototype had 0.86 with the reference length, 0.52 without");
    return status;
}
