// SPDX-License-Identifier: Apache-2.0
/// Speed of whitewater. Foam: particles of 1 to 3 mm that cover a third of a swell of 0.1 m and 4 m, as a cache
/// holds it on voxels of 5 cm, 24 moments a second; a frame is 1/24 s in as many substeps as are stable.
#include "bench/bench_emission.h"
#include "validate/foam/proofs.h"

#include <inttypes.h>
#include <string.h>

enum { FRAMES = 3 };
static const double cover = 0.35;

static const struct {
    const char *name;
    size_t count;
    float smallest, largest; ///< m
} cases[] = {
    {"foam_1e5", 100000, 0.001f, 0.003f},
    {"foam_1e6", 1000000, 0.001f, 0.003f},
    {"foam_even", 100000, 0.002f, 0.002f},
};
enum { CASES = sizeof cases / sizeof *cases };

static const char *name_of(size_t k)
{
    return k < CASES ? cases[k].name : NULL;
}

/// A radius of a distribution that falls with its cube.
static float radius_of(size_t k, float x)
{
    const float ratio = cases[k].smallest / cases[k].largest;
    return cases[k].smallest / sqrtf(1.0f - x * (1.0f - ratio * ratio));
}

/// Places particles at random on a square of whole tiles that holds their cover.
static void place(foam_case *c, size_t k, const foam_gridded *g)
{
    const double side = (g->columns - 2) * SP_TILE * (double)g->voxel;
    for (size_t i = 0; i < c->p.count; ++i) {
        const sp_random4 random = sp_random(1, 1, i, 0, 0);
        double gradient[3], u[3],
            p[3] = {SP_TILE * (double)g->voxel + side * (double)sp_unit(random.x[0]), 0.0,
                    SP_TILE * (double)g->voxel + side * (double)sp_unit(random.x[1])};
        p[1] = -foam_surface_at(&g->surface, p, gradient, u);
        foam_surface_at(&g->surface, p, gradient, u);
        c->radius[i] = radius_of(k, sp_unit(random.x[2]));
        for (int a = 0; a < 3; ++a) {
            c->p.x[a][i] = p[a];
            c->p.v[a][i] = (float)u[a];
        }
    }
}

static foam_gridded make_water(size_t k)
{
    double area = 0.0;
    for (size_t i = 0; i < cases[k].count; ++i) {
        const double r = (double)radius_of(k, sp_unit(sp_random(1, 1, i, 0, 0).x[2]));
        area += SP_PI_D * r * r;
    }
    const float voxel = 0.05f;
    return (foam_gridded){.surface = {.kind = FOAM_WAVE, .amplitude = 0.1, .wavelength = 4.0},
                          .voxel = voxel,
                          .columns =
                              2 + (int32_t)ceil(sqrt(area / cover) / (SP_TILE * (double)voxel)),
                          .deep = 2,
                          .fps = 24.0,
                          .moments = FRAMES + 2};
}

static void print(const sp_bench_context *context, size_t k, const sp_host *host, double seconds,
                  const foam_case *c, int substeps, uint64_t hash, double scaling)
{
    const sp_profile *p = sp_foam_profile(c->foam);
    const double each = 1e9 / ((double)cases[k].count * substeps);
    double stage[SP_FOAM_STAGES];
    for (int n = 0; n < SP_FOAM_STAGES; ++n)
        stage[n] = p->seconds[n] * each;
    fprintf(context->out,
            context->json
                ? "{\"bench\":\"whitewater\",\"case\":\"%s\",\"threads\":%d,\"particles\":%zu,"
                  "\"substeps\":%d,\"s_per_frame\":%.4f,\"ns_per_particle_substep\":%.1f,"
                  "\"sort_ns\":%.1f,\"density_ns\":%.1f,\"forces_ns\":%.1f,\"glide_ns\":%.1f,"
                  "\"bytes_per_particle\":%.0f,\"scaling\":%.3f,\"hash\":\"%016" PRIx64 "\"}\n"
                : "%-10s %7d %9zu %8d %8.4f %8.1f %7.1f %7.1f %7.1f %7.1f %7.0f %7.2f  %016" PRIx64
                  "\n",
            cases[k].name, host->threads, cases[k].count, substeps / FRAMES, seconds / FRAMES,
            seconds * each, stage[0], stage[1], stage[2], stage[3],
            (double)sp_foam_bytes(c->foam) / (double)cases[k].count, scaling, hash);
    fflush(context->out);
}

static void print_header(const sp_bench_context *context)
{
    fprintf(
        context->out,
        "whitewater: foam, ns a particle and substep\n%-10s %7s %9s %8s %8s %8s %7s %7s %7s %7s "
        "%7s %7s  %s\n",
        "case", "threads", "particles", "substeps", "s/frame", "ns", "sort", "density", "forces",
        "glide", "B/part.", "scaling", "hash");
}

/// The first frame is not counted: it loads the moments.
static sp_status run_frames(foam_case *c, double *seconds, int *substeps, sp_error *err)
{
    const double dt = 1.0 / 24.0;
    SP_TRY(foam_case_run(c, dt, dt, err));
    SP_TRY(foam_case_again(c, err));
    const double begun = sp_now(c->host);
    *substeps = 0;
    for (int n = 0; n < FRAMES; ++n) {
        SP_TRY(foam_case_run(c, dt, dt, err));
        *substeps += c->figures.substeps;
    }
    *seconds = sp_now(c->host) - begun;
    return SP_OK;
}

static sp_status measure(const sp_bench_context *context, size_t k, const sp_host *host,
                         double *one_s, foam_case *c, sp_error *err)
{
    double seconds;
    int substeps;
    uint64_t hash = 0;
    SP_TRY(run_frames(c, &seconds, &substeps, err));
    for (int a = 0; a < 3; ++a)
        hash = sp_hash(hash, c->p.x[a], c->p.count * sizeof(double));
    if (host->threads == 1) *one_s = seconds;
    print(context, k, host, seconds, c, substeps, hash, *one_s > 0.0 ? *one_s / seconds : 0.0);
    return SP_OK;
}

static sp_status run_case(const sp_bench_context *context, size_t k, const sp_host *host,
                          double *one_s, sp_error *err)
{
    foam_case c;
    sp_bulk water;
    foam_gridded g = make_water(k);
    SP_TRY(foam_case_open(&c, cases[k].count, 0.001f, host, err));
    c.world.gravity[1] = -9.81f;
    place(&c, k, &g);
    sp_status status = foam_gridded_bulk(&g, host, &water, err);
    if (status == SP_OK) {
        c.world.bulk = &water;
        status = measure(context, k, host, one_s, &c, err);
        sp_bulk_close(&water);
    }
    foam_case_close(&c);
    return status;
}

/// ---- Foam, then emission -----------------------------------------------------------------------

static const sp_bench_list foam = {
    .count = CASES, .name = name_of, .header = print_header, .run = run_case};
static const sp_bench_list *const lists[] = {&foam, &sp_bench_emission};

static const char *any_name(size_t k)
{
    return k < CASES ? name_of(k) : sp_bench_emission.name(k - CASES);
}

static bool is_wanted(const sp_bench_context *context, const sp_bench_list *list)
{
    bool any = !context->filter;
    for (size_t k = 0; k < list->count && !any; ++k)
        any = strstr(list->name(k), context->filter) != NULL;
    return any;
}

static int run(const sp_bench_context *context)
{
    int status = 0;
    for (size_t n = 0; n < sizeof lists / sizeof *lists && status == 0; ++n)
        if (is_wanted(context, lists[n])) status = sp_bench_rounds(context, lists[n]);
    return status;
}

const sp_bench sp_bench_whitewater = {"whitewater", any_name, run};
