// SPDX-License-Identifier: Apache-2.0
/// Proofs about the counters: they give the correct medium everywhere along a ray.
#include "validate/render/proofs.h"

#if defined(SPUME_WITH_EMBREE)

enum { BALLS = 600, BOXES = 60 };

typedef struct heap { ///< random overlapping objects
    float ball[BALLS][4], box[BOXES][2][3];
} heap;

static sp_trace_class class_of(int i)
{
    static const sp_trace_class classes[3] = {SP_TRACE_WATER, SP_TRACE_BUBBLE, SP_TRACE_GLASS};
    return classes[i % 3];
}

static sp_status build_heap(sp_tracer *t, heap *h, sp_error *err)
{
    for (int i = 0; i < BALLS; ++i) {
        const sp_random4 r = sp_random(5, 1, (uint64_t)i, 0, 0);
        for (int a = 0; a < 3; ++a)
            h->ball[i][a] = sp_unit(r.x[a]);
        h->ball[i][3] = 0.01f + 0.07f * sp_unit(r.x[3]);
        SP_TRY(prove_add_sphere(t, h->ball[i][0], h->ball[i][1], h->ball[i][2], h->ball[i][3],
                                class_of(i), 0, err));
    }
    for (int i = 0; i < BOXES; ++i) {
        const sp_random4 r = sp_random(5, 2, (uint64_t)i, 0, 0),
                         s = sp_random(5, 2, (uint64_t)i, 0, 1);
        for (int a = 0; a < 3; ++a) {
            const float at = sp_unit(r.x[a]), half = 0.02f + 0.1f * sp_unit(s.x[a]);
            h->box[i][0][a] = at - half;
            h->box[i][1][a] = at + half;
        }
        SP_TRY(prove_add_box(t, h->box[i][0], h->box[i][1], class_of(i), 0, err));
    }
    return prove_white(t, err);
}

static trace_counts inside_of(const heap *h, const double p[3])
{
    trace_counts c = {{0}};
    for (int i = 0; i < BALLS; ++i) {
        const double x = p[0] - (double)h->ball[i][0], y = p[1] - (double)h->ball[i][1],
                     z = p[2] - (double)h->ball[i][2], r = (double)h->ball[i][3];
        c.n[trace_layer(class_of(i))] += x * x + y * y + z * z < r * r;
    }
    for (int i = 0; i < BOXES; ++i) {
        bool in = true;
        for (int a = 0; a < 3; ++a)
            in &= p[a] > (double)h->box[i][0][a] && p[a] < (double)h->box[i][1][a];
        c.n[trace_layer(class_of(i))] += in;
    }
    return c;
}

typedef struct tally {
    uint64_t crossings, leaks, compared, differ;
} tally;

/// Follows a straight ray through everything and compares both media in the middle of each segment.
/// With `skipping`, hidden surfaces are skipped in one traversal, as in the integrator.
static void walk(const sp_tracer *t, const heap *h, sp_vec3 at, sp_vec3 dir, bool skipping,
                 tally *sum)
{
    sp_trace_stats stats = {0};
    trace_ray ray = {.at = at, .dir = dir, .geom = RTC_INVALID_GEOMETRY_ID};
    trace_counts counts = {{0}};
    trace_surface s;
    for (;;) {
        ray.hide = skipping ? trace_hidden_classes(counts) : 0u;
        const int medium = trace_medium(counts);
        if (!trace_intersect(t, &ray, &s, &counts, &stats)) break;
        if (s.t > 1e-5f) { // shorter segments are within rounding error of the surfaces
            const double half = 0.5 * (double)s.t;
            const double mid[3] = {(double)ray.at.x + half * (double)ray.dir.x,
                                   (double)ray.at.y + half * (double)ray.dir.y,
                                   (double)ray.at.z + half * (double)ray.dir.z};
            ++sum->compared;
            sum->differ += trace_medium(inside_of(h, mid)) != medium;
        }
        counts = trace_cross(counts, s.piece->kind, s.entering, &sum->leaks);
        ++sum->crossings;
        ray = trace_ray_from(&s, ray.dir, 0.0f);
    }
    sum->leaks += stats.leaks;
    sum->crossings += stats.crossings;
}

static void walk_many(const sp_tracer *t, const heap *h, bool skipping, tally *sum)
{
    for (uint64_t i = 0; i < 4000; ++i) {
        const sp_random4 r = sp_random(5, 3, i, 0, 0);
        const float y = 2.0f * sp_unit(r.x[0]) - 1.0f, a = 2.0f * SP_PI * sp_unit(r.x[1]);
        const float flat = sqrtf(1.0f - y * y);
        const sp_vec3 dir = {flat * cosf(a), y, flat * sinf(a)};
        const sp_vec3 aim = {sp_unit(r.x[2]), sp_unit(r.x[3]), 0.5f};
        walk(t, h, sp_madd(aim, dir, -3.0f), sp_normalize(dir, dir), skipping, sum);
    }
}

static sp_status walk_heap(sp_check_report *report, sp_tracer *t, heap *h, sp_error *err)
{
    static const char *const names[2][2] = {
        {"leaks per crossing", "stretches in the wrong medium"},
        {"leaks per crossing, hidden surfaces passed", "stretches in the wrong medium, likewise"}};
    SP_TRY(build_heap(t, h, err));
    for (int skipping = 0; skipping < 2; ++skipping) {
        tally sum = {0};
        walk_many(t, h, skipping, &sum);
        sp_at_most(report, names[skipping][0], (double)sum.leaks / (double)sum.crossings, 1e-5,
                   "a counter below zero means that a crossing was lost");
        sp_at_most(report, names[skipping][1], (double)sum.differ / (double)sum.compared, 1e-4,
                   "inside tests in double at the middle of each stretch");
    }
    return SP_OK;
}

sp_status prove_counters(sp_check_report *report, sp_error *err)
{
    heap *h = sp_allocate(report->host, 1, sizeof *h);
    if (!h) return sp_fail(err, SP_NO_MEMORY, "validate: no memory");
    sp_tracer *t;
    sp_status status = sp_tracer_open(report->host, &t, err);
    if (status == SP_OK) status = walk_heap(report, t, h, err);
    sp_tracer_close(t);
    sp_release(report->host, h);
    return status;
}

static sp_status start_in(sp_check_report *report, sp_tracer *t, sp_error *err)
{
    static const float low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, g0[3] = {0.9f, -1.2f, -1.2f},
                       g1[3] = {1.1f, 1.2f, 1.2f};
    SP_TRY(prove_add_box(t, low, high, SP_TRACE_WATER, 0, err));
    SP_TRY(prove_add_box(t, g0, g1, SP_TRACE_GLASS, 0, err));
    SP_TRY(prove_add_sphere(t, 0, 0, 0, 0.3f, SP_TRACE_BUBBLE, 0, err));
    SP_TRY(prove_add_sphere(t, 0.1f, 0, 0, 0.3f, SP_TRACE_BUBBLE, 0, err));
    SP_TRY(prove_white(t, err));
    static const struct {
        const char *what;
        sp_vec3 at;
        trace_counts counts;
    } rows[] = {
        {"in the air", {0, 3, 0}, {{0, 0, 0}}},
        {"in the water", {0, -0.7f, 0}, {{1, 0, 0}}},
        {"in one bubble", {-0.25f, 0, 0}, {{1, 1, 0}}},
        {"in two bubbles", {0.05f, 0, 0}, {{1, 2, 0}}},
        {"in glass and water", {0.95f, 0, 0}, {{1, 0, 1}}},
        {"in glass alone", {1.05f, 0, 0}, {{0, 0, 1}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const trace_counts c = trace_counts_at(t, rows[i].at, 0.5f);
        int wrong = 0;
        for (int l = 0; l < LAYERS; ++l)
            wrong += c.n[l] != rows[i].counts.n[l];
        sp_exact(report, rows[i].what, wrong, 0.0,
                 "counters that differ from how many things it is in");
    }
    return SP_OK;
}

sp_status prove_start(sp_check_report *report, sp_error *err)
{
    return prove_with_tracer(report, start_in, err);
}

#endif
