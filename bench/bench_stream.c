// SPDX-License-Identifier: Apache-2.0
/// Memory bandwidth, the limit of everything that is memory-bound. Copy and triad after STREAM
/// (McCalpin 1995), with floats. Writes are counted once, although a core fetches a line before it
/// writes to it.
#include "bench/bench.h"
#include "bench/stream.h"
#include "core/core.h"

enum { ROUNDS = 7, GRAIN = 1 << 16 };
static const size_t ELEMENTS = (size_t)1 << 25; // 128 MiB an array

typedef struct arrays {
    float *a, *b, *c;
} arrays;

static void fill(void *arg, size_t begin, size_t end)
{
    const arrays *w = arg;
    for (size_t i = begin; i < end; ++i) {
        w->a[i] = 0.0f;
        w->b[i] = 1.0f;
        w->c[i] = (float)(i & 7);
    }
}

static void triad(void *arg, size_t begin, size_t end)
{
    const arrays *w = arg;
    float *a = w->a;
    const float *b = w->b, *c = w->c;
    SP_VECTOR_LOOP
    for (size_t i = begin; i < end; ++i)
        a[i] = b[i] + 3.0f * c[i];
}

static void copy(void *arg, size_t begin, size_t end)
{
    const arrays *w = arg;
    memcpy(w->a + begin, w->b + begin, (end - begin) * sizeof *w->a);
}

static double best_of(const sp_host *host, sp_range_body *body, double bytes)
{
    arrays w = {sp_allocate(host, ELEMENTS, sizeof(float)),
                sp_allocate(host, ELEMENTS, sizeof(float)),
                sp_allocate(host, ELEMENTS, sizeof(float))};
    double best = 0.0;
    if (w.a && w.b && w.c) {
        sp_parallel(host, ELEMENTS, GRAIN, fill, &w);
        for (int r = 0; r < ROUNDS; ++r) {
            const double begun = sp_now(host);
            sp_parallel(host, ELEMENTS, GRAIN, body, &w);
            const double rate = bytes * (double)ELEMENTS / (sp_now(host) - begun);
            if (rate > best) best = rate;
        }
    }
    sp_release(host, w.a);
    sp_release(host, w.b);
    sp_release(host, w.c);
    return best;
}

double sp_bench_triad(const sp_host *host)
{
    return best_of(host, triad, 12.0);
}

static void print(const sp_bench_context *context, const char *name, int threads, double rate)
{
    if (context->json)
        fprintf(context->out,
                "{\"bench\":\"stream\",\"case\":\"%s\",\"threads\":%d,\"gb_per_s\":%.2f}\n", name,
                threads, 1e-9 * rate);
    else
        fprintf(context->out, "%-8s %7d %9.2f\n", name, threads, 1e-9 * rate);
    fflush(context->out);
}

static const struct {
    const char *name;
    sp_range_body *body;
    double bytes;
} cases[] = {{"copy", copy, 8.0}, {"triad", triad, 12.0}};

static const char *name_of(size_t k)
{
    return k < sizeof cases / sizeof *cases ? cases[k].name : NULL;
}

static int run(const sp_bench_context *context)
{
    const int all = sp_host_default(0).threads, first = context->threads ? context->threads : 1;
    const int threads[] = {first, all}, rounds = context->threads || all == 1 ? 1 : 2;
    if (!context->json)
        fprintf(context->out, "stream: memory, best of %d rounds\n%-8s %7s %9s\n", ROUNDS, "case",
                "threads", "GB/s");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        if (context->filter && !strstr(cases[k].name, context->filter)) continue;
        for (int t = 0; t < rounds; ++t) {
            const sp_host host = sp_host_default(threads[t]);
            const double rate = best_of(&host, cases[k].body, cases[k].bytes);
            if (rate == 0.0) {
                fprintf(stderr, "spume: no memory for three arrays of 128 MiB\n");
                return 1;
            }
            print(context, cases[k].name, threads[t], rate);
        }
    }
    return 0;
}

const sp_bench sp_bench_stream = {"stream", name_of, run};
