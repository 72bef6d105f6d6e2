// SPDX-License-Identifier: Apache-2.0
/// What guided water does at the edges of what it is made for.
#include "validate/scene.h"
#include "validate/whitewater/guided.h"
#include "validate/whitewater/proofs.h"

#include <string.h>

static const double dt = 1.0 / 72.0;

static bool are_finite(const guided_case *c)
{
    bool good = true;
    for (size_t i = 0; i < c->p.count; ++i)
        for (int a = 0; a < 3; ++a)
            good &= isfinite(c->p.x[a][i]) && isfinite(c->p.v[a][i]);
    return good;
}

/// ---- Water that is not there -------------------------------------------------------------------

static sp_status prove_nothing(sp_check_report *report, sp_error *err)
{
    guided_case c;
    SP_TRY(guided_case_open(&c, 0, 0.001f, 0.01f, report->host, err));
    const sp_status status = guided_case_run(&c, 3 * dt, dt, err);
    sp_exact(report, "tiles without bubbles", (double)c.figures.tiles, 0,
             "water is simulated around bubbles only");
    guided_case_close(&c);
    return status;
}

/// The surface falls below the bubbles, and far below them.
static sp_status prove_surface(sp_check_report *report, sp_error *err)
{
    guided_case c;
    SP_TRY(guided_case_open(&c, 200, 0.001f, 0.01f, report->host, err));
    guided_case_scatter(&c, 0.04, 1);
    c.water.surface = 0.02;
    sp_status status = guided_case_run(&c, 5 * dt, dt, err);
    c.water.surface = -10.0;
    if (status == SP_OK) status = guided_case_run(&c, 5 * dt, dt, err);
    sp_exact(report, "bubbles at places or speeds without a number when the water is gone",
             !are_finite(&c), 0, "faces in the air keep the bulk's velocity");
    sp_at_most(report, "pressure solves that failed", (double)c.figures.failures, 0,
               "there is nothing to solve");
    guided_case_close(&c);
    return status;
}

static sp_status prove_broken(sp_check_report *report, sp_error *err)
{
    guided_case c;
    sp_error said = {0};
    SP_TRY(guided_case_open(&c, 10, 0.001f, 0.01f, report->host, err));
    c.water.broken = true;
    const sp_status status = guided_case_run(&c, dt, dt, &said);
    sp_exact(report, "velocities of the bulk that are no numbers are refused",
             status == SP_BAD_INPUT && strstr(said.text, "not a number"), 1,
             "with a sentence that says where");
    guided_case_close(&c);
    return SP_OK;
}

static sp_status prove_limit(sp_check_report *report, sp_error *err)
{
    guided_case c;
    sp_error said = {0};
    SP_TRY(guided_case_open(&c, 10, 0.001f, 0.01f, report->host, err));
    c.def.max_tiles = 5;
    sp_status status = guided_case_again(&c, err);
    if (status == SP_OK) {
        const sp_status limited = guided_case_run(&c, dt, dt, &said);
        sp_exact(report, "more tiles than max_tiles are refused",
                 limited == SP_BAD_INPUT && strstr(said.text, "max_tiles"), 1,
                 "with a sentence that names it");
    }
    guided_case_close(&c);
    return status;
}

/// ---- Water without data ------------------------------------------------------------------------

/// A bulk of moments none of which has data.
typedef struct unknown_bulk {
    const sp_bulk *inner;
    sp_bulk_moment moment[2];
    sp_tile_mask *mask;
} unknown_bulk;

static sp_status bracket_unknown(void *user, double t, const sp_bulk_moment **before,
                                 const sp_bulk_moment **after, sp_error *err)
{
    unknown_bulk *k = user;
    const sp_bulk_moment *inner[2];
    SP_TRY(k->inner->bracket(k->inner->user, t, &inner[0], &inner[1], err));
    for (int n = 0; n < 2; ++n) {
        k->moment[n] = *inner[n];
        k->moment[n].no_data = (const sp_tile_mask *)k->mask;
    }
    *before = &k->moment[0];
    *after = inner[0] == inner[1] ? &k->moment[0] : &k->moment[1];
    return SP_OK;
}

/// A host that counts what is said about still water.
typedef struct counting_host {
    const sp_host *inner;
    int said;
} counting_host;

static void *allocate(void *user, size_t bytes)
{
    const sp_host *inner = ((counting_host *)user)->inner;
    return inner->allocate(inner->user, bytes);
}

static void release(void *user, void *memory, size_t bytes)
{
    const sp_host *inner = ((counting_host *)user)->inner;
    inner->release(inner->user, memory, bytes);
}

static void parallel_for(void *user, size_t n, void (*body)(void *, size_t), void *arg)
{
    const sp_host *inner = ((counting_host *)user)->inner;
    inner->parallel_for(inner->user, n, body, arg);
}

static void count_warnings(void *user, sp_log_level level, const char *text)
{
    counting_host *h = user;
    h->said += level == SP_LOG_WARNING && strstr(text, "still water") != NULL;
}

static sp_status prove_no_data(sp_check_report *report, sp_error *err)
{
    enum { TILES = 200 };
    counting_host counting = {report->host, 0};
    sp_host host = *report->host;
    guided_swell s;
    unknown_bulk unknown = {.inner = NULL};
    host.user = &counting;
    host.allocate = allocate;
    host.release = release;
    host.parallel_for = parallel_for;
    host.log = count_warnings;
    host.clock = NULL;
    SP_TRY(guided_swell_open(&s, 100, 5, &host, err));
    unknown.inner = &s.bulk;
    unknown.mask = sp_allocate(&host, TILES, sizeof *unknown.mask);
    sp_bulk bulk = s.bulk;
    bulk.user = &unknown;
    bulk.bracket = bracket_unknown;
    s.c.world.bulk = &bulk;
    if (unknown.mask) memset(unknown.mask, 0xff, TILES * sizeof *unknown.mask);
    const sp_status status = unknown.mask ? guided_case_run(&s.c, 4 * dt, dt, err) : SP_NO_MEMORY;
    sp_exact(report, "warnings of bubbles where the bulk has no data", counting.said, 1,
             "it is said once");
    sp_release(&host, unknown.mask);
    guided_swell_close(&s);
    return status;
}

/// ---- Solids ------------------------------------------------------------------------------------

/// A ball as wide as the cloud moves through it at 2 m/s.
static sp_status prove_solid(sp_check_report *report, sp_error *err)
{
    guided_case c;
    sp_sphere_def ball = {{-0.2f, 0.0f, 0.0f}, 0.05f};
    sp_pose_def path[2] = {{.time = 0.0f}, {.time = 10.0f, .position = {20.0f, 0.0f, 0.0f}}};
    const sp_collider_def body = {.shape = {.sphere = &ball},
                                  .motion = {.keys = path, .key_count = 2}};
    const sp_solids_def def = {.colliders = &body,
                               .count = 1,
                               .voxel = 0.01f,
                               .low = {-2.0, -2.0, -2.0},
                               .high = {2.0, 2.0, 2.0}};
    sp_solids *solids;
    double deepest = 0.0;
    size_t lost = 0;
    SP_TRY(sp_solids_open(&def, report->host, &solids, err));
    sp_status status = guided_case_open(&c, 400, 0.001f, 0.01f, report->host, err);
    guided_case_scatter(&c, 0.05, 1);
    c.world.solids = solids;
    for (int n = 0; n < 14 && status == SP_OK; ++n) {
        status = guided_case_run(&c, dt, dt, err);
        lost += c.figures.lost;
        for (size_t i = 0; i < c.p.count; ++i) {
            const double p[3] = {c.p.x[0][i], c.p.x[1][i], c.p.x[2][i]};
            if (!c.lost[i]) deepest = fmax(deepest, -sp_solids_distance(solids, p, NULL, NULL));
        }
    }
    sp_at_most(report, "deepest bubble in a ball that moves through them, voxels", deepest / 0.01,
               0.05, "they are set to its surface, to rounding and the curvature of a mesh");
    sp_at_most(report, "bubbles lost in it, share", (double)lost / 400.0, 0.0,
               "it runs over 3 voxels a step, and bubbles are lost 2 voxels deeper than that");
    sp_exact(report, "bubbles at places or speeds without a number", !are_finite(&c), 0,
             "solids close faces and leave the rest");
    guided_case_close(&c);
    sp_solids_close(solids);
    return status;
}

/// ---- Gravity -----------------------------------------------------------------------------------

static sp_status prove_gravity(sp_check_report *report, sp_error *err)
{
    guided_case c;
    SP_TRY(guided_case_open(&c, 1, 0.001f, 0.02f, report->host, err));
    c.world.gravity[0] = 6.0f;
    c.world.gravity[1] = -8.0f;
    sp_status status = guided_case_run(&c, 0.25, dt, err);
    sp_relative(report, "rise along over across gravity aslant", c.p.x[0][0] / c.p.x[1][0],
                -6.0 / 8.0, 0.01, "against gravity; the border across y lets water through alone");
    c.world.gravity[0] = c.world.gravity[1] = 0.0f;
    if (status == SP_OK) status = guided_case_run(&c, 1.0, dt, err);
    sp_at_most(report, "speed a second after gravity is gone, m/s", fabs((double)c.p.v[1][0]), 0.01,
               "drag has stopped it, to a tenth of the water that it pulled along");
    guided_case_close(&c);
    return status;
}

/// ---- Speed -------------------------------------------------------------------------------------

/// A bubble is shot over 28 voxels a step.
static sp_status prove_substeps(sp_check_report *report, sp_error *err)
{
    guided_case c;
    SP_TRY(guided_case_open(&c, 1, 0.001f, 0.01f, report->host, err));
    c.p.v[0][0] = 20.0f;
    const sp_status status = guided_case_run(&c, dt, dt, err);
    sp_at_least(report, "substeps of a bubble at 20 m/s", c.figures.substeps, 2,
                "it moves at most 4 voxels in the first; drag then stops it");
    sp_at_most(report, "how far it comes, voxels", c.p.x[0][0] / 0.01, 28.0 / 4.0,
               "with drag only after the step it would come 28 voxels far");
    guided_case_close(&c);
    return status;
}

sp_status whitewater_prove_guided_edges(sp_check_report *report, sp_error *err)
{
    SP_TRY(prove_nothing(report, err));
    SP_TRY(prove_surface(report, err));
    SP_TRY(prove_broken(report, err));
    SP_TRY(prove_limit(report, err));
    SP_TRY(prove_no_data(report, err));
    SP_TRY(prove_solid(report, err));
    SP_TRY(prove_gravity(report, err));
    return prove_substeps(report, err);
}
