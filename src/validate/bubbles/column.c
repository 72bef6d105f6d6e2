// SPDX-License-Identifier: Apache-2.0
/// A column of bubbles smaller than a voxel, of many sizes (WSB25 figure 13): the larger ones rise the
/// faster, none is lost, and none swerves as if the grid led it.
#include "validate/bubbles/proofs.h"
#include "validate/cases.h"

#include <stdlib.h>

enum { FPS = 24, FROM = 12, UNTIL = 24 }; // frames

/// Bubbles of 0.5 to 5 mm, as many of a size as its cube is small, in a share of the water.
static void make_column(bubbles_case *c, float share)
{
    const sp_box_def box = {{-0.2f, 0.1f, -0.2f}, {0.2f, 0.6f, 0.2f}};
    bubbles_case_domain(c, 0.02f, 1.0 / FPS, (const int[3]){-20, 0, -20},
                        (const int[3]){20, 100, 20});
    bubbles_case_cloud(c, box, 0.0005f, share);
    c->emitter.radius_max = 0.005f;
    c->emitter.radius_power = 3.0f;
    c->def.substeps = 2;
    c->def.substeps_max = 64;
}

typedef struct column {
    double correlation; ///< of size and rise
    double faster;      ///< m/s; mean rise of the largest tenth
    double slower;      ///< of the smallest tenth
    double aside;       ///< voxels; root mean square of the way to the side
    double lost;        ///< particles that are not accounted for
    double volume;      ///< of particles that are there, over that of those let in
    size_t count;
} column;

/// Sizes and rises of all that are in both.
static void compare(const bubbles_track *a, const bubbles_track *b, proof_sample *all, column *out)
{
    const double seconds = (double)(UNTIL - FROM) / FPS;
    double square = 0.0;
    out->count = 0;
    for (size_t i = 0; i < a->room; ++i) {
        if (isnan(a->x[i][0]) || isnan(b->x[i][0])) continue;
        const double dx = b->x[i][0] - a->x[i][0], dz = b->x[i][2] - a->x[i][2];
        all[out->count++] = (proof_sample){.size = (double)b->radius[i],
                                           .speed = (b->x[i][1] - a->x[i][1]) / seconds};
        square += dx * dx + dz * dz;
    }
    out->aside = sqrt(square / (double)out->count) / 0.02;
    out->correlation = proof_rank_correlation(all, out->count);
}

static int by_size_then(const void *a, const void *b)
{
    const double x = ((const proof_sample *)a)->size, y = ((const proof_sample *)b)->size;
    return (x > y) - (x < y);
}

static void compare_tenths(proof_sample *all, column *out)
{
    const size_t tenth = out->count / 10;
    qsort(all, out->count, sizeof *all, by_size_then);
    for (size_t k = 0; k < tenth; ++k) {
        out->slower += all[k].speed / (double)tenth;
        out->faster += all[out->count - 1 - k].speed / (double)tenth;
    }
}

static sp_status follow(bubbles *s, double dt, column *out, sp_error *err)
{
    bubbles_track from = {.host = s->host}, to = {.host = s->host};
    SP_TRY(bubbles_case_run(s, dt, FROM, err));
    const size_t room = (size_t)s->particles.next_id;
    proof_sample *all = sp_allocate(s->host, room, sizeof *all);
    sp_status status = all ? bubbles_track_open(&from, s, room, err)
                           : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu samples", room);
    if (status == SP_OK) status = bubbles_case_run(s, dt, UNTIL - FROM, err);
    if (status == SP_OK) status = bubbles_track_open(&to, s, room, err);
    if (status == SP_OK) {
        compare(&from, &to, all, out);
        compare_tenths(all, out);
        bubbles_track_close(&to);
    }
    if (from.x) bubbles_track_close(&from);
    sp_release(s->host, all);
    return status;
}

static sp_status run_column(float share, const sp_host *host, column *out, sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    make_column(&c, share);
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    *out = (column){0};
    const double volume = sp_bubbles_look(s).particle_volume;
    const sp_status status = follow(s, c.dt, out, err);
    const sp_bubbles_figures f = sp_bubbles_look(s);
    out->lost = (double)f.emitted - (double)(f.particles + f.left + f.inside);
    out->volume = f.particle_volume / volume;
    bubbles_close(s);
    return status;
}

static sp_status prove(sp_check_report *report, float share, sp_error *err)
{
    column k;
    SP_TRY(run_column(share, report->host, &k, err));
    sp_at_least(report,
                sp_label(report, "rank correlation of size and rise, share %g", (double)share),
                k.correlation, 0.8, "Spearman's; drag lets larger bubbles rise faster");
    sp_at_least(report, "rise of the largest tenth over that of the smallest", k.faster / k.slower,
                1.2, "1.9 alone, and all are drawn along by the water");
    sp_exact(report, "bubbles that vanished or appeared", k.lost, 0,
             "let in, less there, out and inside solids");
    sp_reported(report, "way to the side in half a second, voxels, rms", k.aside, "");
    sp_reported(report, "volume of those in the domain over that let in", k.volume, "");
    sp_reported(report, "mean rise of the largest tenth, m/s", k.faster, "");
    return SP_OK;
}

sp_status bubbles_prove_column(sp_check_report *report, sp_error *err)
{
    return prove(report, 0.002f, err);
}

sp_status bubbles_prove_column_dense(sp_check_report *report, sp_error *err)
{
    return prove(report, 0.02f, err);
}
