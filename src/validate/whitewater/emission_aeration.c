// SPDX-License-Identifier: Apache-2.0
/// Aeration of water that is known, as emission finds it: moments, options, masks, caches with gaps.
#include "validate/whitewater/emission_case.h"
#include "validate/whitewater/proofs.h"

static const double frame = 1.0 / 24.0, gravity = 9.81;

static emission_water make_water(int kind, double radius)
{
    emission_water w = {.kind = kind,
                        .voxel = 0.02f,
                        .half = 3,
                        .deep = 3,
                        .radius = radius,
                        .acceleration = {0.6 * gravity, -0.8 * gravity, 0.0}};
    emission_water_times(&w, 24.0, 8);
    return w;
}

/// Emission from t = 0 to `steps` frames; the caller closes both, whatever happens.
static sp_status run(emission_case *c, sp_bulk *bulk, emission_water *w, const sp_host *host,
                     int steps, void change(emission_case *c), sp_error *err)
{
    *c = (emission_case){0};
    SP_TRY(emission_water_bulk(w, host, bulk, err));
    emission_case_clear(c, bulk, host);
    if (change) change(c);
    SP_TRY(emission_case_begin(c, err));
    for (int k = 0; k < steps; ++k)
        SP_TRY(emission_case_step(c, frame, err));
    return SP_OK;
}

static void finish(emission_case *c, sp_bulk *bulk)
{
    emission_case_close(c);
    sp_bulk_close(bulk);
}

static double aeration_of(double curvature, double voxel, double change)
{
    return 2.0 * curvature * 0.03125 * voxel * 1000.0 * change * change / (SP_PI_D * 0.072);
}

/// ---- T8 ----------------------------------------------------------------------------------------

/// Mean aeration of voxels within half a voxel of the surface.
static sp_status mean_at_surface(const emission_case *c, const sp_bulk *bulk, double *mean,
                                 sp_error *err)
{
    const sp_bulk_moment *m, *after;
    double sum = 0.0, count = 0.0;
    SP_TRY(bulk->bracket(bulk->user, c->emission->held.time, &m, &after, err));
    for (size_t n = 0; n < m->tiles->count * SP_TILE_VOXELS; ++n) {
        if (fabsf(m->phi[n]) > 0.5f * m->tiles->voxel) continue;
        sum += (double)c->emission->field[n];
        count += 1.0;
    }
    *mean = sum / fmax(count, 1.0);
    return SP_OK;
}

static void take_both(emission_case *c)
{
    c->aeration.curvature = SP_CURVATURE_ABS;
}
static void take_crests(emission_case *c)
{
    c->aeration.curvature = SP_CURVATURE_CONVEX;
}
static void take_local(emission_case *c)
{
    c->aeration.fluctuation = SP_FLUCTUATION_LOCAL;
}

typedef struct aerated {
    const char *what;
    int kind;
    void (*change)(emission_case *c);
    double expected; ///< times the closed form
    const char *why;
} aerated;

static sp_status prove_one(sp_check_report *report, const aerated *a, double radius, sp_error *err)
{
    emission_water w = make_water(a->kind, radius);
    emission_case c;
    sp_bulk bulk = {0};
    double mean = 0.0;
    sp_status status = run(&c, &bulk, &w, report->host, 2, a->change, err);
    if (status == SP_OK) status = mean_at_surface(&c, &bulk, &mean, err);
    if (status == SP_OK)
        sp_within(report, a->what, mean / aeration_of(1.0 / radius, 0.02, 0.5 * gravity * frame),
                  a->expected, 0.03, a->why);
    finish(&c, &bulk);
    return status;
}

/// Air that a cavity asks for when moments are 1/fps s apart, over that at 24.
static sp_status prove_moments(sp_check_report *report, double fps, sp_error *err)
{
    emission_water w = make_water(EMISSION_CAVITY, 0.2);
    emission_case c;
    sp_bulk bulk = {0};
    emission_water_times(&w, fps, 16);
    sp_status status = run(&c, &bulk, &w, report->host, 4, NULL, err);
    double mean = 0.0;
    if (status == SP_OK) status = mean_at_surface(&c, &bulk, &mean, err);
    if (status == SP_OK)
        sp_within(report, sp_label(report, "cavity of 10 voxels, %g moments a second", fps),
                  mean / aeration_of(5.0, 0.02, 0.5 * gravity * frame), 1.0, 0.03,
                  "velocity of 1/24 s ago lies between moments");
    finish(&c, &bulk);
    return status;
}

sp_status whitewater_prove_aeration(sp_check_report *report, sp_error *err)
{
    static const char closed[] = "2 H l0 dx rho w^2/(pi gamma); differences see curvature to 1 %";
    static const aerated rows[] = {
        {"aeration of a cavity of 10 voxels over the closed form", EMISSION_CAVITY, NULL, 1.0,
         closed},
        {"the same of a ball of water", EMISSION_BALL, NULL, 0.0, "convex water lets no air in"},
        {"ball, curvature \"abs\"", EMISSION_BALL, take_both, 1.0, closed},
        {"ball, curvature \"convex\"", EMISSION_BALL, take_crests, 1.0, closed},
        {"cavity, curvature \"convex\"", EMISSION_CAVITY, take_crests, 0.0, "it is concave"},
        {"cavity, fluctuation \"local\"", EMISSION_CAVITY, take_local, 0.0,
         "all water around changes alike"},
        {"still surface that falls", EMISSION_POOL, NULL, 0.0, "it has no curvature"},
    };
    static const double fps[] = {25.0, 30.0, 48.0, 60.0, 12.0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        SP_TRY(prove_one(report, &rows[k], 0.2, err));
    SP_TRY(prove_one(report, &(aerated){"cavity of 8 voxels", EMISSION_CAVITY, NULL, 1.0, closed},
                     0.16, err));
    for (size_t k = 0; k < sizeof fps / sizeof *fps; ++k)
        SP_TRY(prove_moments(report, fps[k], err));
    return SP_OK;
}

/// ---- Masks -------------------------------------------------------------------------------------

static const sp_box_def left = {{-9.0f, -9.0f, -9.0f}, {0.0f, 9.0f, 9.0f}},
                        front = {{-9.0f, -9.0f, 0.0f}, {9.0f, 9.0f, 9.0f}};
static const sp_emission_mask_def masks[] = {
    {.shape = {.box = &left}, .inside = 0.5f, .outside = 1.0f},
    {.shape = {.box = &front}, .inside = 0.2f, .outside = 1.0f, .fade = 0.0f},
};
static void take_all(emission_case *c)
{
    c->aeration.min = 0.01f; // the cavity reaches 0.7
}
static void take_masks(emission_case *c)
{
    take_all(c);
    c->def.masks = masks;
    c->def.mask_count = 2;
}

/// m3/s of air in the four quarters about the y axis.
static void air_by_quarter(const emission_case *c, double air[4])
{
    const emission_held *h = &c->emission->held;
    for (size_t i = 0; i < h->count; ++i)
        air[(h->cell[i].at[0] < 0) + 2 * (h->cell[i].at[2] >= 0)] += (double)h->cell[i].rate;
}

sp_status whitewater_prove_aeration_masks(sp_check_report *report, sp_error *err)
{
    static const double factor[4] = {1.0, 0.5, 0.2, 0.1};
    double air[2][4] = {{0}};
    for (int k = 0; k < 2; ++k) {
        emission_water w = make_water(EMISSION_CAVITY, 0.2);
        emission_case c;
        sp_bulk bulk = {0};
        w.acceleration[0] = 0.0;
        const sp_status status =
            run(&c, &bulk, &w, report->host, 1, k ? take_masks : take_all, err);
        if (status == SP_OK) air_by_quarter(&c, air[k]);
        finish(&c, &bulk);
        SP_TRY(status);
    }
    for (int q = 0; q < 4; ++q)
        sp_relative(report, sp_label(report, "air of quarter %d with masks over that without", q),
                    air[1][q] / air[0][q], factor[q], 1e-5,
                    "the product of the factors of its masks");
    return SP_OK;
}

/// ---- Gaps --------------------------------------------------------------------------------------

static sp_status prove_gap(sp_check_report *report, const char *what, const double *times,
                           size_t moments, int steps, double expected, const char *why,
                           sp_error *err)
{
    emission_water w = make_water(EMISSION_CAVITY, 0.2);
    emission_case c;
    sp_bulk bulk = {0};
    double mean = 0.0;
    w.moments = moments;
    for (size_t k = 0; k < moments; ++k)
        w.times[k] = times[k] * frame;
    sp_status status = run(&c, &bulk, &w, report->host, steps, NULL, err);
    if (status == SP_OK && c.emission->held.time >= 0.0)
        status = mean_at_surface(&c, &bulk, &mean, err);
    if (status == SP_OK)
        sp_within(report, what, mean / aeration_of(5.0, 0.02, 0.5 * gravity * frame), expected,
                  0.03, why);
    finish(&c, &bulk);
    return status;
}

sp_status whitewater_prove_aeration_gaps(sp_check_report *report, sp_error *err)
{
    static const double whole[] = {0.0, 1.0, 2.0, 3.0}, late[] = {2.0, 3.0, 4.0}, lone[] = {2.0},
                        gap[] = {0.0, 1.0, 3.0, 4.0};
    SP_TRY(prove_gap(report, "aeration over the closed form, frame 1", whole, 4, 1, 1.0,
                     "frame 0 is 1/24 s ago", err));
    SP_TRY(prove_gap(report, "of a cache that begins at frame 2, at frame 1", late, 3, 1, 0.0,
                     "there is no water yet", err));
    SP_TRY(
        prove_gap(report, "at frame 2", late, 3, 2, 0.0, "there is nothing to compare with", err));
    SP_TRY(prove_gap(report, "at frame 3", late, 3, 3, 1.0, "frame 2 is 1/24 s ago", err));
    SP_TRY(prove_gap(report, "of a cache with one frame", lone, 1, 2, 0.0,
                     "there is nothing to compare with", err));
    return prove_gap(report, "without frame 2, at frame 3", gap, 4, 3, 1.0,
                     "the change of 1/12 s counts half", err);
}
