// SPDX-License-Identifier: Apache-2.0
/// Bubbles become foam; foam is pruned, ages and bursts.
#include "foam/foam.h"
#include "validate/whitewater/surface_cases.h"

/// ---- What bubbles keep -------------------------------------------------------------------------

/// The velocity of foam that was a bubble with velocity v.
static sp_status arrive(const double v[3], const double u[3], const sp_host *host, double out[3],
                        sp_error *err)
{
    surface_case c;
    SP_TRY(surface_case_open(&c, host, err));
    sp_copy3(c.pool.along, u);
    sp_status status =
        surface_case_add(&c, &c.arrivals, (const double[3]){0.0, -0.0005, 0.0}, v, 0.001f, err);
    if (status == SP_OK) status = surface_case_step(&c, err);
    for (int a = 0; a < 3 && status == SP_OK; ++a)
        out[a] = c.kinds[WHITEWATER_FOAM].set.count == 1 ? (double)c.kinds[WHITEWATER_FOAM].v[a][0]
                                                         : (double)NAN;
    surface_case_close(&c);
    return status;
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    sp_sub3(a, b, d);
    return sqrt(sp_dot3(d, d));
}

sp_status whitewater_prove_arrive(sp_check_report *report, sp_error *err)
{
    static const struct {
        const char *what, *why;
        double v[3], u[3], wanted[3];
    } cases[] = {
        {"velocity off, from (0.3, 0.4, 0) m/s",
         "0.7 of its speed, along the surface",
         {0.3, 0.4, 0.0},
         {0},
         {0.35, 0.0, 0.0}},
        {"the same from (0.01, 0.4, 0) m/s",
         "its speed along the surface grows threefold at most",
         {0.01, 0.4, 0.0},
         {0},
         {0.03, 0.0, 0.0}},
        {"the same from (0, 0.4, 0) m/s, water at (0.2, 0, 0.1) m/s",
         "without a direction of its own it takes the water's",
         {0.0, 0.4, 0.0},
         {0.2, 0.0, 0.1},
         {0.2, 0.0, 0.1}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double v[3];
        SP_TRY(arrive(cases[k].v, cases[k].u, report->host, v, err));
        sp_at_most(report, cases[k].what, distance(v, cases[k].wanted), 1e-6, cases[k].why);
    }
    return SP_OK;
}

/// ---- Life --------------------------------------------------------------------------------------

enum { LIVES = 100000 };

/// Mean and variance of the lives of foam that was let in at once.
static sp_status draw_lives(int shape, const sp_host *host, double *mean, double *variance,
                            sp_error *err)
{
    surface_case c;
    SP_TRY(surface_case_open(&c, host, err));
    c.floating.life_shape = shape;
    c.floating.prune = SP_PRUNE_OFF;
    c.world.dt = 1e-4;
    sp_status status = surface_case_again(&c, err);
    for (int i = 0; i < LIVES && status == SP_OK; ++i)
        status = surface_case_add(&c, &c.arrivals, (const double[3]){0.01 * i, 0.0, 0.0},
                                  (const double[3]){0}, 0.001f, err);
    if (status == SP_OK) status = surface_case_step(&c, err);
    const whitewater_set *foam = &c.kinds[WHITEWATER_FOAM];
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < foam->set.count; ++i) {
        sum += (double)foam->life[i];
        squares += (double)foam->life[i] * (double)foam->life[i];
    }
    *mean = sum / LIVES;
    *variance = squares / LIVES - *mean * *mean;
    surface_case_close(&c);
    return status;
}

sp_status whitewater_prove_life(sp_check_report *report, sp_error *err)
{
    static const struct {
        const char *name;
        int shape;
        double mean, variance, tolerance;
        const char *why;
    } cases[] = {
        {"normal", SP_LIFE_NORMAL, 1.530, 0.454, 0.01,
         "N(1.5, 0.5) without what is below 0, of which there is 1.7 %; errors of 1e5 draws are "
         "0.14 and 0.45 %"},
        {"exponential", SP_LIFE_EXPONENTIAL, 1.5, 2.25, 0.03,
         "errors of 1e5 draws are 0.3 and 0.9 %"},
        {"Weibull", SP_LIFE_WEIBULL, 1.5, 0.5, 0.02, "errors of 1e5 draws are 0.15 and 0.5 %"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double mean, variance;
        SP_TRY(draw_lives(cases[k].shape, report->host, &mean, &variance, err));
        sp_relative(report, sp_label(report, "mean life, %s, s", cases[k].name), mean,
                    cases[k].mean, cases[k].tolerance, cases[k].why);
        sp_relative(report, sp_label(report, "variance of lives, %s, s2", cases[k].name), variance,
                    cases[k].variance, cases[k].tolerance, cases[k].why);
    }
    return SP_OK;
}

/// ---- Pruning -----------------------------------------------------------------------------------

enum { SIDE = 120, SUPPORT = 4 };

/// Places in a hexagonal lattice.
static void lattice_at(size_t i, double spacing, double x[3])
{
    x[0] = spacing * ((double)(i % SIDE) + 0.5 * (double)(i / SIDE % 2));
    x[1] = 0.0;
    x[2] = spacing * sqrt(0.75) * (double)(i / SIDE);
}

static bool is_within(size_t i)
{
    const size_t column = i % SIDE, row = i / SIDE, rim = 2 * SUPPORT;
    return column >= rim && row >= rim && column < SIDE - rim && row < SIDE - rim;
}

/// Neighbours of an inner particle within its support, itself included, one by one.
static double count_around(double spacing, double support)
{
    const size_t middle = SIDE / 2 * SIDE + SIDE / 2;
    double n = 0.0, at[3], x[3];
    lattice_at(middle, spacing, at);
    for (size_t i = 0; i < SIDE * SIDE; ++i) {
        lattice_at(i, spacing, x);
        n += distance(x, at) < support;
    }
    return n;
}

/// Bubbles arrive at half of the inner places of a lattice that foam is at: how many, and how many are pruned.
static sp_status prune(double spacing, int reference, const sp_host *host, double *arrived,
                       double *pruned, sp_error *err)
{
    surface_case c;
    SP_TRY(surface_case_open(&c, host, err));
    c.floating.prune = reference;
    c.world.dt = 1e-7; // foam does not move
    sp_status status = surface_case_again(&c, err);
    for (size_t i = 0; i < SIDE * SIDE && status == SP_OK; ++i) {
        double x[3];
        lattice_at(i, spacing, x);
        const bool arrives = is_within(i) && sp_random(7, 0, i, 0, 0).x[0] & 1;
        status = surface_case_add(&c, arrives ? &c.arrivals : &c.kinds[WHITEWATER_FOAM], x,
                                  (const double[3]){0}, 0.001f, err);
    }
    *arrived = (double)c.arrivals.set.count;
    if (status == SP_OK) status = surface_case_step(&c, err);
    *pruned = (double)c.ledger.count[WHITEWATER_PRUNED];
    surface_case_close(&c);
    return status;
}

sp_status whitewater_prove_prune(sp_check_report *report, sp_error *err)
{
    const double r = 0.001, spacing = 2.0 * r / sqrt(2.0), full = sp_foam_layer_count(SUPPORT),
                 n = count_around(spacing, SUPPORT * r), share = 1.0 - full / n;
    double arrived, pruned;
    SP_TRY(prune(spacing, SP_PRUNE_LATTICE, report->host, &arrived, &pruned, err));
    sp_within(report, "share that is pruned where foam is twice as dense as a full layer",
              pruned / arrived, share, 3.0 * sqrt(share * (1.0 - share) / arrived),
              "1 - N_0/N with the neighbours counted one by one; three standard deviations");
    SP_TRY(prune(2.0 * r * 1.05, SP_PRUNE_LATTICE, report->host, &arrived, &pruned, err));
    sp_exact(report, "pruned where foam is a tenth less dense than a full layer", pruned, 0,
             "there is room");
    SP_TRY(prune(spacing, SP_PRUNE_OFF, report->host, &arrived, &pruned, err));
    sp_exact(report, "pruned with it off", pruned, 0, "not asked for");
    return SP_OK;
}

/// ---- Rims --------------------------------------------------------------------------------------

/// Time afloat of a particle alone and of one within a layer, after one second.
static sp_status grow_old(float rim, const sp_host *host, double *alone, double *within,
                          sp_error *err)
{
    enum { LAYER = 15 };
    surface_case c;
    SP_TRY(surface_case_open(&c, host, err));
    whitewater_set *foam = &c.kinds[WHITEWATER_FOAM];
    c.floating.rim = rim;
    c.floating.life_mean = 1e5f;
    c.foam.stiffness = 0.0f;
    sp_status status = surface_case_again(&c, err);
    for (size_t i = 0; i < LAYER * LAYER && status == SP_OK; ++i) {
        const double x[3] = {0.00201 * ((double)(i % LAYER) + 0.5 * (double)(i / LAYER % 2)), 0.0,
                             0.00201 * sqrt(0.75) * (double)(i / LAYER)};
        status = surface_case_add(&c, foam, x, (const double[3]){0}, 0.001f, err);
    }
    if (status == SP_OK)
        status = surface_case_add(&c, foam, (const double[3]){1.0, 0.0, 1.0}, (const double[3]){0},
                                  0.001f, err);
    if (status == SP_OK) status = surface_case_run(&c, 72, err);
    *within = status == SP_OK ? (double)foam->floated[LAYER * LAYER / 2] : 0.0;
    *alone = status == SP_OK ? (double)foam->floated[LAYER * LAYER] : 0.0;
    surface_case_close(&c);
    return status;
}

sp_status whitewater_prove_rim(sp_check_report *report, sp_error *err)
{
    const double full = sp_foam_layer_count(SUPPORT);
    double alone, within;
    SP_TRY(grow_old(0.0f, report->host, &alone, &within, err));
    sp_within(report, "time afloat after 1 s, alone, without `rim`, s", alone, 1.0, 1e-5,
              "off by default; times are floats");
    SP_TRY(grow_old(2.0f, report->host, &alone, &within, err));
    sp_within(report, "the same with rim = 2, s", alone, 1.0 + 2.0 * (1.0 - 1.0 / full), 1e-4,
              "1 + 2 (1 - 1/N_0): its one neighbour is itself; times are floats");
    sp_within(report, "the same within a layer, s", within, 1.0 + 2.0 * (1.0 - 13.0 / full), 1e-4,
              "13 within four radii of a hexagonal layer whose particles almost touch");
    return SP_OK;
}
