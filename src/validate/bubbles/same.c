// SPDX-License-Identifier: Apache-2.0
/// The same bits on any number of threads and after saving and restoring.
#include "validate/bubbles/proofs.h"

enum { STEPS = 20 };

sp_status bubbles_prove_same(sp_check_report *report, sp_error *err)
{
    static const int threads[] = {2, 3, 5};
    for (size_t i = 0; i < BUBBLES_BUSY_SCENES; ++i) {
        uint64_t reference, hash;
        int different = 0;
        SP_TRY(bubbles_busy_hash(i, 1, STEPS, &reference, err));
        for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
            SP_TRY(bubbles_busy_hash(i, threads[k], STEPS, &hash, err));
            different += hash != reference;
        }
        sp_exact(
            report, sp_label(report, "hashes off on 2, 3 and 5 threads, %s", bubbles_busy_name(i)),
            different, 0,
            "work is cut the same for any number of threads, sums are closed in a fixed order");
    }
    return SP_OK;
}

sp_status bubbles_prove_resume(sp_check_report *report, sp_error *err)
{
    for (size_t i = 0; i < BUBBLES_BUSY_SCENES; ++i) {
        uint64_t reference, hash = 0;
        SP_TRY(bubbles_busy_hash(i, report->host->threads, STEPS, &reference, err));
        SP_TRY(bubbles_busy_resumed(i, report->host, STEPS, &hash, err));
        sp_exact(
            report,
            sp_label(report, "hash off after save and restore half way, %s", bubbles_busy_name(i)),
            hash != reference, 0, "save writes all that lasts from step to step, to the bit");
    }
    return SP_OK;
}
