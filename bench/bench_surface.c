// SPDX-License-Identifier: Apache-2.0
/// How fast a million particles become a mesh: ellipsoids at two grid cells a voxel, eight
/// particles a voxel.
///
///   block   a jittered cube: little surface, most of it deep inside
///   ball    likewise, and curved
///   splash  a shallow pool, a crown three particles thick and drops: almost all of it is surface
///
/// Stages are shapes (sorting, neighbours, covariances), raster, distance (twice, with a pass of
/// curvature flow between), cubes and the rest. Seconds are wall time, best of three after a
/// warm-up; CPU seconds are the sum over all threads and are more reliable on a shared machine.
/// Scaling is the time of one thread over this time.
#include "bench/bench.h"
#include "surface/surface.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { RUNS = 3, MOST = 1100000 };
static const double spacing = 0.005; // m; voxels are twice as long

typedef struct cloud {
    size_t n;
    float (*x)[3];
    uint64_t *id;
} cloud;

typedef struct result {
    sp_surface_stats stats; ///< of the best run
    double cpu_s, one_s;    ///< one_s: what one thread took, 0 when not known
    size_t peak, vertices, triangles;
    uint64_t hash;
} result;

/// A lattice point with its jitter, in spacings.
static void add(cloud *c, double x, double y, double z)
{
    if (c->n == MOST) return;
    const sp_random4 r = sp_random(1, 3, c->n, 0, 0);
    const double p[3] = {x, y, z};
    for (int a = 0; a < 3; ++a)
        c->x[c->n][a] = (float)(spacing * (p[a] + 0.4 * ((double)sp_unit(r.x[a]) - 0.5)));
    c->id[c->n] = c->n;
    ++c->n;
}

static void add_ball(cloud *c, double x, double y, double z, double radius)
{
    const int half = (int)radius + 1;
    for (int k = -half; k <= half; ++k)
        for (int j = -half; j <= half; ++j)
            for (int i = -half; i <= half; ++i)
                if (i * i + j * j + k * k < radius * radius) add(c, x + i, y + j, z + k);
}

static void make_block(cloud *c)
{
    for (int k = 0; k < 1000000; ++k)
        add(c, k % 100, k / 100 % 100, k / 10000);
}

static void make_ball(cloud *c)
{
    add_ball(c, 0.0, 0.0, 0.0, 62.05);
}

static void make_splash(cloud *c)
{
    for (int k = 0; k < 240 * 240 * 10; ++k) // the pool
        add(c, k % 240 - 120, k / 240 % 240 - 120, k / 57600 - 10);
    for (int j = 0; j < 90; ++j) // the crown, wider towards its rim
        for (int layer = 0; layer < 3; ++layer) {
            const double radius = 60.0 + 0.4 * j + layer;
            const int around = (int)(2.0 * SP_PI_D * radius);
            for (int i = 0; i < around; ++i) {
                const double turn = 2.0 * SP_PI_D * i / around;
                add(c, radius * cos(turn), radius * sin(turn), j);
            }
        }
    for (uint64_t k = 0; c->n < 1000000; ++k) { // drops
        const sp_random4 r = sp_random(1, 4, k, 0, 0);
        add_ball(c, 300.0 * ((double)sp_unit(r.x[0]) - 0.5),
                 300.0 * ((double)sp_unit(r.x[1]) - 0.5), 10.0 + 140.0 * (double)sp_unit(r.x[2]),
                 0.6 + 3.4 * (double)sp_unit(r.x[3]));
    }
}

static uint64_t mesh_hash(const sp_mesh *m)
{
    uint64_t hash = sp_hash(0, m->x, m->vertex_count * sizeof *m->x);
    hash = sp_hash(hash, m->n, m->vertex_count * sizeof *m->n);
    return sp_hash(hash, m->tri, m->triangle_count * sizeof *m->tri);
}

static sp_status measure_once(const sp_frame *frame, const sp_host *host, result *r, bool counts,
                              sp_error *err)
{
    const sp_surface_def def = sp_surface_defaults();
    sp_budget budget;
    const sp_host counted = sp_budget_host(&budget, host, 0);
    sp_surface_stats stats;
    sp_mesh mesh;
    const clock_t begun = clock();
    SP_TRY(sp_surface_points(&def, frame, "liquid", NULL, &counted, &mesh, &stats, err));
    const double cpu = (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (counts && (r->cpu_s == 0.0 || cpu < r->cpu_s)) r->cpu_s = cpu;
    if (counts && (r->stats.seconds[5] == 0.0 || stats.seconds[5] < r->stats.seconds[5]))
        r->stats = stats;
    r->peak = atomic_load(&budget.peak);
    r->vertices = mesh.vertex_count;
    r->triangles = mesh.triangle_count;
    r->hash = mesh_hash(&mesh);
    sp_mesh_close(&mesh);
    return SP_OK;
}

static sp_status measure(const cloud *c, const sp_host *host, result *r, sp_error *err)
{
    const sp_column columns[] = {{"position", SP_F32, 3, c->x}, {"id", SP_U64, 1, c->id}};
    const sp_set set = {"liquid", c->n, columns, 2};
    const sp_frame frame = {.voxel = 2.0 * spacing, .sets = &set, .set_count = 1};
    for (int run = 0; run <= RUNS; ++run)
        SP_TRY(measure_once(&frame, host, r, run > 0, err));
    return SP_OK;
}

static void print_json(const sp_bench_context *context, const char *name, int threads, size_t n,
                       const result *r)
{
    const double *s = r->stats.seconds, ns = 1e9 / (double)n, voxel = 1e9 / (double)r->stats.voxels;
    fprintf(context->out,
            "{\"bench\":\"surface\",\"case\":\"%s\",\"threads\":%d,\"particles\":%zu,"
            "\"tiles\":%zu,\"band_voxels\":%zu,\"vertices\":%zu,\"triangles\":%zu,\"seconds\":%.4f,"
            "\"cpu_seconds\":%.4f,\"ns_per_particle\":%.1f,\"ns_per_band_voxel\":%.1f,"
            "\"shapes_ns_per_particle\":%.1f,"
            "\"raster_ns_per_particle\":%.1f,\"distance_ns_per_particle\":%.1f,"
            "\"cubes_ns_per_particle\":%.1f,\"rest_ns_per_particle\":%.1f,"
            "\"distance_ns_per_band_voxel\":%.2f,\"cubes_ns_per_triangle\":%.2f,"
            "\"bytes_per_particle\":%.1f,\"bytes_per_band_voxel\":%.1f,\"peak_mib\":%.1f,"
            "\"scaling\":%.3f,\"hash\":\"%016" PRIx64 "\"}\n",
            name, threads, n, r->stats.tiles, r->stats.voxels, r->vertices, r->triangles, s[5],
            r->cpu_s, s[5] * ns, s[5] * voxel, s[0] * ns, s[1] * ns, s[2] * ns, s[3] * ns,
            s[4] * ns, s[2] * voxel, 1e9 * s[3] / (double)r->triangles, (double)r->peak / (double)n,
            (double)r->peak / (double)r->stats.voxels, (double)r->peak * 0x1p-20,
            r->one_s > 0.0 ? r->one_s / s[5] : 0.0, r->hash);
}

static void print_header(const sp_bench_context *context)
{
    fprintf(context->out,
            "surface: particles to a mesh; ns a particle, best of %d after one\n"
            "%-7s %7s %9s %7s %7s %8s %7s %7s %7s %8s %7s %7s %9s %8s  %s\n",
            RUNS, "case", "threads", "particles", "shapes", "raster", "distance", "cubes", "total",
            "seconds", "CPU s", "scaling", "MiB", "triangles", "ns/tri.", "hash");
}

static void print_row(const sp_bench_context *context, const char *name, int threads, size_t n,
                      const result *r)
{
    const double *s = r->stats.seconds, ns = 1e9 / (double)n;
    fprintf(context->out,
            "%-7s %7d %9zu %7.1f %7.1f %8.1f %7.1f %7.1f %7.3f %8.3f %7.2f %7.1f %9zu %8.1f  "
            "%016" PRIx64 "\n",
            name, threads, n, s[0] * ns, s[1] * ns, s[2] * ns, s[3] * ns, s[5] * ns, s[5], r->cpu_s,
            r->one_s > 0.0 ? r->one_s / s[5] : 0.0, (double)r->peak * 0x1p-20, r->triangles,
            1e9 * s[3] / (double)r->triangles, r->hash);
}

static sp_status run_case(const sp_bench_context *context, const char *name, const cloud *c,
                          sp_error *err)
{
    const int all = sp_host_default(0).threads;
    const int threads[] = {context->threads ? context->threads : 1, all};
    const int rounds = context->threads || all == 1 ? 1 : 2;
    double one = 0.0;
    for (int t = 0; t < rounds; ++t) {
        const sp_host host = sp_host_default(threads[t]);
        result r = {.one_s = one};
        SP_TRY(measure(c, &host, &r, err));
        if (host.threads == 1) one = r.stats.seconds[5];
        if (host.threads == 1) r.one_s = one;
        (context->json ? print_json : print_row)(context, name, host.threads, c->n, &r);
        fflush(context->out);
    }
    return SP_OK;
}

static const struct {
    const char *name;
    void (*make)(cloud *c);
} cases[] = {{"block", make_block}, {"ball", make_ball}, {"splash", make_splash}};

static const char *name_of(size_t k)
{
    return k < sizeof cases / sizeof *cases ? cases[k].name : NULL;
}

static sp_status run_cases(const sp_bench_context *context, cloud *c, sp_error *err)
{
    if (!context->json) print_header(context);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        if (context->filter && !strstr(cases[k].name, context->filter)) continue;
        c->n = 0;
        cases[k].make(c);
        SP_TRY(run_case(context, cases[k].name, c, err));
    }
    return SP_OK;
}

static int run(const sp_bench_context *context)
{
    const sp_host host = sp_host_default(1);
    cloud c = {.x = sp_allocate(&host, MOST, sizeof *c.x),
               .id = sp_allocate(&host, MOST, sizeof *c.id)};
    sp_error err = {0};
    const sp_status status = c.x && c.id ? run_cases(context, &c, &err)
                                         : sp_fail(&err, SP_NO_MEMORY, "bench surface: no memory");
    if (status != SP_OK) fprintf(stderr, "spume: %s\n", err.text);
    sp_release(&host, c.x);
    sp_release(&host, c.id);
    return status == SP_OK ? 0 : 1;
}

const sp_bench sp_bench_surface = {"surface", name_of, run};
