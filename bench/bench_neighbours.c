// SPDX-License-Identifier: Apache-2.0
/// Speed of neighbour lists for a million particles: a jittered lattice in a cube, with about 34
/// neighbours per particle. It comes in two orders:
///
///   shuffled  particles lie anywhere in memory, as after a load from elsewhere: the worst case
///   sorted    particles lie along the Z-curve, as a solver keeps them
///
/// "cells" is the sort by cell with the table of cells, "lists" the full lists. For comparison with
/// memory bandwidth, the least number of bytes that must move is divided by the speed of a triad (a
/// = b + s*c on arrays far larger than the cache), measured in the same run on as many threads.
#include "bench/bench.h"
#include "particles/particles.h"

#include <inttypes.h>
#include <string.h>

enum { SIDE = 100, RUNS = 5, TRIAD = 1 << 23 };

static const float support = 2.1f; // in lattice spacings
static const float jitter =
    0.4f; // in lattice spacings: how far apart two particles of one place may be
static const size_t count = (size_t)SIDE * SIDE * SIDE;

typedef struct cloud {
    float *x, *y, *z, *spare;
    uint32_t *order;
} cloud;

typedef struct result {
    double cells_s, lists_s, total_s, zorder_s; ///< best of five; total_s is the best whole build
    double triad_gb_s;
    double mean_neighbours, bytes_per_particle;
    uint64_t pairs, cells, hash;
} result;

static void make_cloud(cloud *c)
{
    for (size_t i = 0; i < count; ++i) {
        const sp_random4 r = sp_random(1, 1, i, 0, 0);
        c->x[i] = (float)(i % SIDE) + jitter * (sp_unit(r.x[0]) - 0.5f);
        c->y[i] = (float)(i / SIDE % SIDE) + jitter * (sp_unit(r.x[1]) - 0.5f);
        c->z[i] = (float)(i / SIDE / SIDE) + jitter * (sp_unit(r.x[2]) - 0.5f);
    }
}

static void reorder_cloud(cloud *c, const uint32_t *order)
{
    float *axes[] = {c->x, c->y, c->z};
    for (int a = 0; a < 3; ++a) {
        for (size_t i = 0; i < count; ++i)
            c->spare[i] = axes[a][order[i]];
        memcpy(axes[a], c->spare, count * sizeof(float));
    }
}

static void shuffle_cloud(cloud *c)
{
    for (size_t i = 0; i < count; ++i)
        c->order[i] = (uint32_t)i;
    for (size_t i = count; i-- > 1;) {
        const size_t j = (size_t)(((uint64_t)sp_random(1, 2, i, 0, 0).x[0] * (i + 1)) >> 32);
        const uint32_t swap = c->order[i];
        c->order[i] = c->order[j];
        c->order[j] = swap;
    }
    reorder_cloud(c, c->order);
}

typedef struct triad_arrays {
    float *a, *b, *c;
} triad_arrays;

static void triad(void *arg, size_t begin, size_t end)
{
    const triad_arrays *t = arg;
    float *restrict a = t->a;
    const float *restrict b = t->b, *restrict c = t->c;
    for (size_t i = begin; i < end; ++i)
        a[i] = b[i] + 3.0f * c[i];
}

/// GB/s as the triad is usually counted: two arrays read and one written.
static bool measure_triad(const sp_host *host, double *gb_s)
{
    triad_arrays t = {sp_allocate(host, TRIAD, sizeof(float)),
                      sp_allocate(host, TRIAD, sizeof(float)),
                      sp_allocate(host, TRIAD, sizeof(float))};
    const bool ok = t.a && t.b && t.c;
    double best = 1e30;
    for (int run = 0; ok && run <= RUNS; ++run) {
        const double begun = sp_now(host);
        sp_parallel(host, TRIAD, 1 << 18, triad, &t);
        const double took = sp_now(host) - begun;
        if (run > 0 && took < best) best = took;
    }
    *gb_s = 3.0 * TRIAD * sizeof(float) / best * 1e-9;
    sp_release(host, t.a);
    sp_release(host, t.b);
    sp_release(host, t.c);
    return ok;
}

static double at_most(double best, double took, int run)
{
    return run == 0 || took > best ? best : took; // the first run warms up and is not counted
}

static sp_status measure(const sp_host *host, const cloud *c, result *r, sp_error *err)
{
    sp_neighbours *nb;
    SP_TRY(sp_neighbours_open(3, host, &nb, err));
    r->cells_s = r->lists_s = r->total_s = 1e30;
    sp_status status = SP_OK;
    for (int run = 0; run <= RUNS && status == SP_OK; ++run) {
        const double begun = sp_now(host);
        status = sp_neighbours_cells(nb, count, c->x, c->y, c->z, support, err);
        const double between = sp_now(host);
        if (status == SP_OK) status = sp_neighbours_lists(nb, err);
        const double ended = sp_now(host);
        r->cells_s = at_most(r->cells_s, between - begun, run);
        r->lists_s = at_most(r->lists_s, ended - between, run);
        r->total_s = at_most(r->total_s, ended - begun, run);
    }
    const sp_neighbours_view v = sp_neighbours_look(nb);
    r->pairs = v.pairs;
    r->cells = v.cells;
    r->mean_neighbours = (double)v.pairs / (double)count;
    r->bytes_per_particle = (double)v.bytes / (double)count;
    r->hash = 0;
    for (size_t i = 0; i < v.count; ++i)
        r->hash = sp_hash(r->hash, v.index + v.list[i].start, v.list[i].count * sizeof *v.index);
    sp_neighbours_close(nb);
    return status;
}

static sp_status measure_zorder(const sp_host *host, cloud *c, result *r, sp_error *err)
{
    sp_zorder *z;
    SP_TRY(sp_zorder_open(3, host, &z, err));
    r->zorder_s = 1e30;
    sp_status status = SP_OK;
    for (int run = 0; run <= RUNS && status == SP_OK; ++run) {
        const double begun = sp_now(host);
        status = sp_zorder_find(z, count, c->x, c->y, c->z, support, err);
        r->zorder_s = at_most(r->zorder_s, sp_now(host) - begun, run);
    }
    if (status == SP_OK) memcpy(c->order, sp_zorder_order(z), count * sizeof *c->order);
    sp_zorder_close(z);
    return status;
}

/// Lower bound of the bytes moved in a build, if the cache kept everything within a stage and
/// nothing between stages. Lists: entries and list heads written, sorted particles read.
static double lists_bytes(const result *r)
{
    const double n = (double)count;
    return 4.0 * (double)r->pairs + 8.0 * n + 16.0 * n;
}

/// Cells: positions read for the bounds, for the keys and for the copy; keys written, read to count
/// and read to scatter; pairs written and read by each of two levels; sorted particles written.
static double cells_bytes(void)
{
    return (double)count * (3.0 * 12.0 + 3.0 * 4.0 + 4.0 * 8.0 + 16.0);
}

static void print_json(const sp_bench_context *context, const char *name, int threads,
                       const result *r)
{
    const double ns = 1e9 / (double)count, lists = lists_bytes(r) / r->lists_s * 1e-9;
    const double total = (lists_bytes(r) + cells_bytes()) / r->total_s * 1e-9;
    fprintf(
        context->out,
        "{\"bench\":\"neighbours\",\"case\":\"%s\",\"threads\":%d,\"particles\":%zu,"
        "\"neighbours_mean\":%.3f,\"cells_ns_per_particle\":%.2f,\"lists_ns_per_particle\":%.2f,"
        "\"ns_per_particle\":%.2f,\"particles_per_second\":%.0f,\"zorder_ns_per_particle\":%.2f,"
        "\"bytes_per_particle\":%.1f,\"lists_gb_per_second\":%.2f,\"gb_per_second\":%.2f,"
        "\"triad_gb_per_second\":%.2f,\"share_of_triad\":%.3f,\"hash\":\"%016" PRIx64 "\"}\n",
        name, threads, count, r->mean_neighbours, r->cells_s * ns, r->lists_s * ns, r->total_s * ns,
        (double)count / r->total_s, r->zorder_s * ns, r->bytes_per_particle, lists, total,
        r->triad_gb_s, total / r->triad_gb_s, r->hash);
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "neighbours: %zu particles, jittered lattice; ns a particle, best of %d after one\n"
            "%-9s %7s %10s %7s %7s %7s %7s %8s %8s %6s %6s  %s\n",
            count, RUNS, "case", "threads", "neighbours", "zorder", "cells", "lists", "total",
            "M/s", "B/part.", "GB/s", "triad", "hash");
}

static void print_row(const sp_bench_context *context, const char *name, int threads,
                      const result *r)
{
    const double ns = 1e9 / (double)count;
    fprintf(context->out,
            "%-9s %7d %10.2f %7.1f %7.1f %7.1f %7.1f %8.2f %8.1f %6.1f %6.1f  %016" PRIx64 "\n",
            name, threads, r->mean_neighbours, r->zorder_s * ns, r->cells_s * ns, r->lists_s * ns,
            r->total_s * ns, 1e-6 * (double)count / r->total_s, r->bytes_per_particle,
            (lists_bytes(r) + cells_bytes()) / r->total_s * 1e-9, r->triad_gb_s, r->hash);
}

static sp_status run_case(const sp_bench_context *context, const char *name, int threads, cloud *c,
                          sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    result r = {0};
    SP_TRY(measure_zorder(&host, c, &r, err));
    if (strcmp(name, "sorted") == 0) reorder_cloud(c, c->order);
    if (!measure_triad(&host, &r.triad_gb_s))
        return sp_fail(err, SP_NO_MEMORY, "bench neighbours: no memory for the triad");
    SP_TRY(measure(&host, c, &r, err));
    (context->json ? print_json : print_row)(context, name, host.threads, &r);
    fflush(context->out);
    return SP_OK;
}

static const char *const names[] = {"shuffled", "sorted", NULL};

static const char *name_of(size_t k)
{
    return names[k];
}

static sp_status run_cases(const sp_bench_context *context, cloud *c, sp_error *err)
{
    const int all = sp_host_default(0).threads;
    const int threads[] = {context->threads ? context->threads : 1, all};
    const int rounds = context->threads || all == 1 ? 1 : 2;
    if (!context->json) print_header(context);
    for (int k = 0; k < 2; ++k)
        for (int t = 0; t < rounds; ++t) {
            if (context->filter && !strstr(names[k], context->filter)) continue;
            make_cloud(c);
            shuffle_cloud(c);
            SP_TRY(run_case(context, names[k], threads[t], c, err));
        }
    return SP_OK;
}

static int run(const sp_bench_context *context)
{
    const sp_host host = sp_host_default(1);
    cloud c = {sp_allocate(&host, count, sizeof(float)), sp_allocate(&host, count, sizeof(float)),
               sp_allocate(&host, count, sizeof(float)), sp_allocate(&host, count, sizeof(float)),
               sp_allocate(&host, count, sizeof(uint32_t))};
    sp_error err = {0};
    sp_status status = c.x && c.y && c.z && c.spare && c.order
                           ? run_cases(context, &c, &err)
                           : sp_fail(&err, SP_NO_MEMORY, "bench neighbours: no memory");
    if (status != SP_OK) fprintf(stderr, "spume: %s\n", err.text);
    void *const memory[] = {c.x, c.y, c.z, c.spare, c.order};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k)
        sp_release(&host, memory[k]);
    return status == SP_OK ? 0 : 1;
}

const sp_bench sp_bench_neighbours = {"neighbours", name_of, run};
