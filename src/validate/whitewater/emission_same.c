// SPDX-License-Identifier: Apache-2.0
/// Emission gives the same bits on any number of threads, and after a restart.
#include "validate/whitewater/emission_case.h"
#include "validate/whitewater/proofs.h"

enum { STEPS = 12, MIDDLE = 5 }; ///< 48 moments a second, 2 steps each: a restart needs two pasts

static const sp_box_def box = {{-0.2f, -0.2f, -0.2f}, {0.2f, 0.2f, 0.2f}};
static const sp_emission_source_def source = {
    .shape = {.box = &box}, .kind = SP_SOURCE_FOAM, .rate = 12345.0f, .stop = 1e9f};

static emission_water make_water(void)
{
    emission_water w = {.kind = EMISSION_DENTS,
                        .voxel = 0.02f,
                        .half = 4,
                        .deep = 4,
                        .radius = 0.08,
                        .acceleration = {4.0, -9.0, 3.0}};
    emission_water_times(&w, 48.0, 16);
    return w;
}

static sp_status begin(emission_case *c, const sp_bulk *bulk, const sp_host *host, sp_error *err)
{
    emission_case_clear(c, bulk, host);
    c->def.sources = &source;
    c->def.source_count = 1;
    return emission_case_begin(c, err);
}

static sp_status run(emission_case *c, int steps, sp_error *err)
{
    for (int k = 0; k < steps; ++k)
        SP_TRY(emission_case_step(c, 1.0 / 96.0, err));
    return SP_OK;
}

static void list_state(void *state, sp_walk *walk)
{
    whitewater_emission_walk(state, walk);
}

/// Continues with new emission from a saved state; the sets stay.
static sp_status restart(emission_case *c, sp_error *err)
{
    sp_blob blob = {.host = c->host};
    sp_blob_save(&blob, list_state, c->emission);
    whitewater_emission_close(c->emission);
    c->emission = NULL;
    sp_status status = whitewater_emission_open(&c->def, &c->aeration, c->host, &c->emission, err);
    if (status == SP_OK) {
        sp_walk walk = sp_blob_begin(&blob);
        whitewater_emission_walk(c->emission, &walk);
        sp_blob_end(&blob, &walk);
        if (blob.failed || blob.at != blob.size)
            status = sp_fail(err, SP_DAMAGED, "emission: its state was not restored");
    }
    sp_blob_close(&blob);
    return status;
}

static sp_status hash_of(const sp_host *host, bool restarts, uint64_t *hash, size_t *count,
                         sp_error *err)
{
    emission_water water = make_water();
    emission_case c = {0};
    sp_bulk bulk;
    SP_TRY(emission_water_bulk(&water, host, &bulk, err));
    sp_status status = begin(&c, &bulk, host, err);
    if (status == SP_OK) status = run(&c, MIDDLE, err);
    if (status == SP_OK && restarts) {
        sp_bulk_close(&bulk); // another process would read the cache anew
        status = emission_water_bulk(&water, host, &bulk, err);
    }
    if (status == SP_OK && restarts) status = restart(&c, err);
    if (status == SP_OK) status = run(&c, STEPS - MIDDLE, err);
    *hash = emission_case_hash(&c);
    *count = c.set[WHITEWATER_BUBBLES].set.count;
    emission_case_close(&c);
    sp_bulk_close(&bulk);
    return status;
}

sp_status whitewater_prove_emission_same(sp_check_report *report, sp_error *err)
{
    static const int threads[] = {2, 3, 5};
    sp_host host = sp_host_default(1);
    uint64_t one, other;
    size_t count;
    host.log = NULL;
    SP_TRY(hash_of(&host, false, &one, &count, err));
    sp_at_least(report, "bubbles", (double)count, 1e4, "enough for several blocks");
    for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
        host = sp_host_default(threads[k]);
        SP_TRY(hash_of(&host, false, &other, &count, err));
        sp_exact(report, sp_label(report, "the same bits on %d threads as on one", threads[k]),
                 other == one, 1.0, "no result depends on threads");
    }
    host = sp_host_default(2);
    SP_TRY(hash_of(&host, true, &other, &count, err));
    sp_exact(report, "the same bits after a restart", other == one, 1.0,
             "what does not follow from the water is saved");
    return SP_OK;
}
