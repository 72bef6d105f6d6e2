// SPDX-License-Identifier: Apache-2.0
/// Proofs about single bubbles, pairs that merge (P9 - P12) and what they do to the surface (P13 -
/// P15).
#include "validate/pond/proofs.h"

#include <string.h>

/// ---- Rising ------------------------------------------------------------------------------------

/// Speed of a lone bubble after `seconds`, held at mid-depth so that it meets nothing.
static double rise(sp_pond *pond, float r, float dt, double seconds)
{
    pond_bubbles *b = &pond->bubbles;
    b->set.count = 0;
    pond_add_bubble(pond, 0.32f, 0.32f, 0.25f, r, 0.0f);
    for (double t = 0.0; t < seconds; t += (double)dt) {
        b->pz[0] = 0.25f;
        pond_proof_move_bubbles(pond, dt);
    }
    return (double)b->uz[0];
}

sp_status pond_prove_terminal_speed(sp_check_report *report, sp_error *err)
{
    static const float radii[] = {0.5e-3f, 1e-3f, 2e-3f, 5e-3f, 10e-3f}; // m; viscous to inertial
    static const float steps[] = {1.0f / 60, 1.0f / 120, 1.0f / 500, 1.0f / 2000};
    const sp_pond_def def = pond_proof_basin(64, 64, 0.01f, 0.5f);
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k) {
        double worst = 0.0;
        const double exact = pond_proof_terminal_speed(&def, (double)radii[k]);
        for (size_t l = 0; l < sizeof steps / sizeof *steps; ++l) {
            const double error = fabs(rise(pond, radii[k], steps[l], 1.0) / exact - 1.0);
            worst = error > worst ? error : worst;
        }
        sp_at_most(
            report, sp_label(report, "u/u_T - 1 for r = %g mm, any step", 1e3 * (double)radii[k]),
            worst, 1e-6, "backward Euler rests exactly at P9; some roundings of 6e-8 remain");
    }
    sp_pond_close(pond);
    return SP_OK;
}

/// ---- Merging -----------------------------------------------------------------------------------

enum { CROWD = 400 };

/// Places are multiples of 2^-12 m, so that distances, and those of the mirror image, are exact.
static float grid_place(uint64_t n, uint32_t k)
{
    return (512.0f + floorf(384.0f * (float)pond_proof_unit(5, n, k))) / 4096.0f;
}

static void crowd(sp_pond *pond, bool mirrored)
{
    for (uint64_t n = 0; n < CROWD; ++n) {
        const float x = grid_place(n, 0), y = grid_place(n, 1);
        const float r = 0.003f + 0.005f * (float)pond_proof_unit(5, n, 3);
        const size_t i = pond_add_bubble(pond, mirrored ? 0.5f - x : x, mirrored ? 0.5f - y : y,
                                         grid_place(n, 2), r, 0.0f);
        pond->bubbles.ux[i] = (float)pond_proof_unit(5, n, 4) - 0.3f;
        pond->bubbles.uy[i] = (float)pond_proof_unit(5, n, 5) - 0.3f;
        pond->bubbles.uz[i] = (float)pond_proof_unit(5, n, 6);
    }
}

/// Sum V, sum V u, sum V p.
static void totals(const pond_bubbles *b, double sum[7])
{
    const float *const columns[6] = {b->ux, b->uy, b->uz, b->px, b->py, b->pz};
    memset(sum, 0, 7 * sizeof *sum);
    for (size_t i = 0; i < b->set.count; ++i) {
        sum[0] += b->vol[i];
        for (int c = 0; c < 6; ++c)
            sum[1 + c] += b->vol[i] * (double)columns[c][i];
    }
}

static double worst_change(const double before[7], const double after[7], int first, int last)
{
    double worst = 0.0;
    for (int k = first; k <= last; ++k) {
        const double change = fabs(after[k] / before[k] - 1.0);
        worst = change > worst ? change : worst;
    }
    return worst;
}

static double worst_radius(const pond_bubbles *b)
{
    double worst = 0.0;
    for (size_t i = 0; i < b->set.count; ++i) {
        const double error = fabs((double)b->r[i] / cbrt(0.75 / SP_PI_D * b->vol[i]) - 1.0);
        worst = error > worst ? error : worst;
    }
    return worst;
}

/// Bubbles of one pond that are not in the other with the same id and volume.
static size_t count_different(const pond_bubbles *a, const pond_bubbles *b)
{
    if (a->set.count != b->set.count) return a->set.count + b->set.count;
    size_t different = 0;
    for (size_t i = 0; i < a->set.count; ++i)
        different += a->id[i] != b->id[i] || a->vol[i] != b->vol[i];
    return different;
}

/// pond_merge() only marks bubbles; a step removes them later, together with those that break.
static void merge_now(sp_pond *pond)
{
    pond_merge(pond, 1.0f / 120.0f);
    sp_particles_remove(&pond->bubbles.set, pond->gone);
}

static void put_coalescence(sp_check_report *report, sp_pond *pond, sp_pond *mirror)
{
    double before[7], after[7];
    totals(&pond->bubbles, before);
    merge_now(pond);
    merge_now(mirror);
    sp_exact(report, "bubbles that differ when pairs are found in reverse",
             (double)count_different(&pond->bubbles, &mirror->bubbles), 0,
             "pairs are sorted before they are matched; the mirror image finds them backward");
    for (int k = 0; k < 20; ++k)
        merge_now(pond);
    totals(&pond->bubbles, after);
    sp_at_most(report, "bubbles left of 400", (double)pond->bubbles.set.count, 300,
               "they overlap: many must have merged for this to prove anything");
    sp_at_most(report, "change of sum V", worst_change(before, after, 0, 0), 1e-6,
               "volumes are added in double");
    sp_at_most(report, "change of sum V u", worst_change(before, after, 1, 3), 1e-6,
               "volume-weighted; rounded to float after each merge");
    sp_at_most(report, "change of sum V p", worst_change(before, after, 4, 6), 1e-6,
               "volume-weighted; rounded to float after each merge");
    sp_at_most(report, "r against (3V/4 pi)^(1/3)", worst_radius(&pond->bubbles), 1e-6,
               "derived from the volume each time; one rounding to float");
}

sp_status pond_prove_coalescence(sp_check_report *report, sp_error *err)
{
    const sp_pond_def def = pond_proof_basin(50, 50, 0.01f, 0.5f);
    sp_pond *pond, *mirror;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    const sp_status status = sp_pond_open(&def, report->host, &mirror, err);
    if (status == SP_OK) {
        crowd(pond, false);
        crowd(mirror, true);
        put_coalescence(report, pond, mirror);
        sp_pond_close(mirror);
    }
    sp_pond_close(pond);
    return status;
}

/// ---- Ring wave ---------------------------------------------------------------------------------

typedef struct ring_effect {
    int64_t gained; ///< quanta
    size_t touched_dry, below_half, changed;
} ring_effect;

static void ring_at(sp_pond *pond, int32_t *before, float x, float y, float r, ring_effect *effect)
{
    const pond_water *w = &pond->water;
    memcpy(before, w->q, w->cells * sizeof *before);
    pond_ring_wave(pond, x, y, r, pond_volume(r));
    for (size_t c = 0; c < w->cells; ++c) {
        effect->gained += (int64_t)w->q[c] - before[c];
        effect->touched_dry += before[c] == 0 && w->q[c] != 0;
        effect->below_half += 2 * (int64_t)w->q[c] < before[c];
        effect->changed += w->q[c] != before[c];
    }
    memcpy(w->q, before, w->cells * sizeof *before);
}

/// Middle, wall, corner, beside dry ground and on it, and a place off the grid of cells.
static ring_effect ring_everywhere(sp_pond *pond, int32_t *before)
{
    static const float places[][2] = {{0.09f, 0.16f}, {0.0f, 0.16f},    {0.0f, 0.0f},
                                      {0.20f, 0.16f}, {0.215f, 0.10f},  {0.25f, 0.16f},
                                      {0.32f, 0.32f}, {0.0931f, 0.047f}};
    static const float radii[] = {0.002f, 0.005f, 0.01f, 0.02f};
    ring_effect effect = {0};
    for (size_t p = 0; p < sizeof places / sizeof *places; ++p)
        for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k)
            ring_at(pond, before, places[p][0], places[p][1], radii[k], &effect);
    return effect;
}

sp_status pond_prove_ring_wave(sp_check_report *report, sp_error *err)
{
    enum { N = 32 };
    float heights[N * N]; // 2 cm of water, dry east of 0.22 m but for a slope between
    for (int k = 0; k < N * N; ++k)
        heights[k] = sp_clamp(0.01f * (float)(k % N - 20), 0.0f, 0.04f);
    sp_pond_def def = pond_proof_basin(N, N, 0.01f, 0.02f);
    def.ground = (sp_heights){.values = heights, .width = N, .height = N};
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    int32_t *before = sp_allocate(report->host, pond->water.cells, sizeof *before);
    if (before) {
        const ring_effect e = ring_everywhere(pond, before);
        sp_at_least(report, "depths changed by 32 rings", (double)e.changed, 300,
                    "r 2 to 20 mm in 2 cm of water, at walls, corners and shores");
        sp_exact(report, "water gained, quanta", (double)e.gained, 0,
                 "normalised on the grid, the rest put on one cell");
        sp_exact(report, "cells below half of what they held", (double)e.below_half, 0,
                 "chi weakens a ring that the water cannot carry");
        sp_exact(report, "dry cells made wet", (double)e.touched_dry, 0,
                 "only wet cells take part");
    }
    sp_release(report->host, before);
    sp_pond_close(pond);
    return before ? SP_OK : sp_fail(err, SP_NO_MEMORY, "pond: no memory for a copy of the water");
}

/// ---- Dome --------------------------------------------------------------------------------------

/// Volume (m^3) and height (m) that one bubble adds to the drawn surface.
static void dome(sp_pond *pond, float r, float delta, double *volume, double *peak)
{
    pond_bubbles *b = &pond->bubbles;
    const float level = (float)pond->water.rest * pond->water.quantum;
    b->set.count = 0;
    pond_add_bubble(pond, 0.32f, 0.32f, level - delta * r, r, 0.0f);
    b->level[0] = level;
    pond->drawn = 0; // draw again: the bubble was added by hand
    const sp_pond_view *view = sp_pond_draw(pond);
    const double area = (double)view->spacing * (double)view->spacing;
    *volume = *peak = 0.0;
    for (size_t v = 0; v < (size_t)view->width * view->height; ++v) {
        const double above = (double)view->level[v] - (double)level;
        *volume += above * area;
        *peak = above > *peak ? above : *peak;
    }
}

sp_status pond_prove_dome(sp_check_report *report, sp_error *err)
{
    static const float deltas[] = {0.0f, 0.5f, 1.0f, 2.0f};
    static const double peaks[] = {4.0 / 3.0, 0.395, 1.0 / 6.0, 0.0494};
    sp_pond_def def = pond_proof_basin(64, 64, 0.01f, 0.25f);
    def.render_scale = 4;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    const float r = 0.02f;
    for (size_t k = 0; k < 4; ++k) {
        double volume, peak;
        dome(pond, r, deltas[k], &volume, &peak);
        sp_relative(report,
                    sp_label(report, "volume of the dome over V, %g r deep", (double)deltas[k]),
                    volume / pond_volume(r), 1.0 / (1.0 + (double)deltas[k]), 1e-2,
                    "sampled 16 times across at the least");
        sp_relative(
            report, sp_label(report, "height of the dome over r, %g r deep", (double)deltas[k]),
            peak / (double)r, peaks[k], 1e-2, "(4/3) (1 + delta)^-3, at a vertex right above");
    }
    sp_pond_close(pond);
    return SP_OK;
}
