// SPDX-License-Identifier: Apache-2.0
/// The same bits on any number of threads and after saving and restoring: bubbles below a swell whose moments lie
/// between the steps.
#include "core/memory/blob.h"
#include "validate/whitewater/guided.h"
#include "validate/whitewater/proofs.h"

enum { STEPS = 12, BUBBLES = 3000, COLUMNS = 5 };
static const double dt = 1.0 / 60.0;

static sp_status hash_of(int threads, uint64_t *hash, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    guided_swell s;
    SP_TRY(guided_swell_open(&s, BUBBLES, COLUMNS, &host, err));
    const sp_status status = guided_case_run(&s.c, STEPS * dt, dt, err);
    *hash = guided_case_hash(&s.c);
    guided_swell_close(&s);
    return status;
}

/// Half way the state moves to another solver.
static sp_status hash_resumed(const sp_host *host, uint64_t *hash, sp_error *err)
{
    guided_swell s;
    sp_blob blob = {.host = host};
    SP_TRY(guided_swell_open(&s, BUBBLES, COLUMNS, host, err));
    sp_status status = guided_case_run(&s.c, STEPS / 2 * dt, dt, err);
    if (status == SP_OK) status = sp_guided_save(s.c.guided, &blob, err);
    if (status == SP_OK) status = guided_case_again(&s.c, err);
    if (status == SP_OK) status = sp_guided_restore(s.c.guided, &blob, err);
    if (status == SP_OK) status = guided_case_run(&s.c, STEPS / 2 * dt, dt, err);
    *hash = guided_case_hash(&s.c);
    sp_blob_close(&blob);
    guided_swell_close(&s);
    return status;
}

sp_status whitewater_prove_guided_same(sp_check_report *report, sp_error *err)
{
    static const int threads[] = {2, 3, 5};
    uint64_t reference, hash;
    int different = 0;
    SP_TRY(hash_of(1, &reference, err));
    for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
        SP_TRY(hash_of(threads[k], &hash, err));
        different += hash != reference;
    }
    sp_exact(report, "hashes off on 2, 3 and 5 threads", different, 0,
             "work is cut the same for any number of threads, sums are closed in a fixed order");
    SP_TRY(hash_resumed(report->host, &hash, err));
    sp_exact(report, "hash off after save and restore half way", hash != reference, 0,
             "save writes all that lasts from step to step, to the bit");
    return SP_OK;
}
