// SPDX-License-Identifier: Apache-2.0
/// Lists of cases, run by name and number of threads.
#include "bench/rounds.h"

#include <string.h>

static sp_status run_case(const sp_bench_context *context, const sp_bench_list *list, size_t k,
                          sp_error *err)
{
    const int all = sp_host_default(0).threads;
    const bool on_request = list->on_request && list->on_request(k);
    const int threads[] = {context->threads ? context->threads : on_request ? all : 1, all};
    const int rounds = context->threads || all == 1 || on_request ? 1 : 2;
    double one_s = 0.0;
    for (int t = 0; t < rounds; ++t) {
        const sp_host host = sp_host_default(threads[t]);
        SP_TRY(list->run(context, k, &host, &one_s, err));
        fflush(context->out);
    }
    return SP_OK;
}

int sp_bench_rounds(const sp_bench_context *context, const sp_bench_list *list)
{
    sp_error err;
    if (!context->json) list->header(context);
    for (size_t k = 0; k < list->count; ++k) {
        const bool on_request = list->on_request && list->on_request(k);
        if (context->filter ? !strstr(list->name(k), context->filter) : on_request) continue;
        if (run_case(context, list, k, &err) == SP_OK) continue;
        fprintf(stderr, "spume: %s\n", err.text);
        return 1;
    }
    return 0;
}
