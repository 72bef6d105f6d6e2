// SPDX-License-Identifier: Apache-2.0
/// Momentum that bubbles and water exchange: none is lost, a cloud as heavy as water stays at rest, and
/// where the papers' schemes let one rise or sink.
#include "validate/bubbles/proofs.h"

/// ---- One bubble in periodic space --------------------------------------------------------------

typedef struct push {
    double momentum; ///< of all over that of the bubble at the start
    double bubble;   ///< m/s
} push;

/// A bubble in the middle of a voxel, which fills half of the faces above and below, begins with 1 m/s
/// in a periodic box of 32^3 voxels. One substep of 1/24 s, with so many Newton iterations.
static sp_status push_of(int coupling, int newton, const sp_host *host, push *out, sp_error *err)
{
    const double h = 0.00625, r = 0.00388, place[3] = {12.5, 12.5, 12.5};
    bubbles_case c;
    bubbles *s;
    bubbles_case_domain(&c, (float)h, 1.0 / 24.0, (const int[3]){0}, (const int[3]){32, 32, 32});
    bubbles_case_plain(&c);
    c.def.periodic_x = c.def.periodic_y = c.def.periodic_z = true;
    c.def.density_air = 100.0f;
    c.def.coupling = coupling;
    c.def.newton = newton;
    c.scene.world.gravity[1] = 0.0f;
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    sp_status status = bubbles_case_add(s, place, (const float[3]){0, 1, 0}, (float)r, 0.0f, err);
    if (status == SP_OK) status = bubbles_case_run(s, c.dt, 1, err);
    const sp_bubbles_figures f = sp_bubbles_look(s);
    *out = (push){f.momentum[1] / (100.0 * f.particle_volume), bubbles_swarm_of(s).velocity[1]};
    if (status == SP_OK && f.tiles != 64)
        status = sp_fail(err, SP_BAD_INPUT, "bubbles: %zu tiles; expected all 64", f.tiles);
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_momentum(sp_check_report *report, sp_error *err)
{
    static const int newton[] = {1, 2, 3, 4, 8};
    static const double expected[] = {0.894, 0.974, 0.996, 0.9995, 1.0};
    enum { COUNT = sizeof newton / sizeof *newton, MOST = 20 };
    push p;
    for (int k = 0; k < COUNT; ++k) {
        SP_TRY(push_of(SP_BUBBLES_STABILIZED, newton[k], report->host, &p, err));
        sp_within(report,
                  sp_label(report, "momentum after %d iterations, over the first", newton[k]),
                  p.momentum, expected[k], k < COUNT - 1 ? 0.01 : 1e-5,
                  k < COUNT - 1 ? "prototype" : "the fixed point conserves it");
    }
    sp_within(report, "velocity of the bubble after 8 iterations, m/s", p.bubble, 0.18629, 1e-3,
              "prototype, which has the radius with three digits");
    SP_TRY(push_of(SP_BUBBLES_STABILIZED_PAPER, MOST, report->host, &p, err));
    sp_within(report, "momentum, 20 iterations as WSB25 prints them", p.momentum, 0.8272, 0.01,
              "prototype; pressure and weight of water are not treated alike (erratum E2)");
    if (!report->curve) return SP_OK;
    static const int scheme[] = {SP_BUBBLES_STABILIZED, SP_BUBBLES_STABILIZED_PAPER,
                                 SP_BUBBLES_INERTIA_AWARE, SP_BUBBLES_INERTIA_AWARE_RESTATED,
                                 SP_BUBBLES_INERTIA_UNAWARE};
    double curve[MOST][6];
    for (int n = 0; n < MOST; ++n)
        for (int k = 0; k < 5; ++k) {
            sp_error blown = {0}; // inertia_unaware ends where its velocities overflow
            const sp_status status = push_of(scheme[k], n + 1, report->host, &p, &blown);
            curve[n][0] = n + 1;
            curve[n][k + 1] = status == SP_OK ? p.momentum : (double)NAN;
        }
    sp_check_curve(report, "momentum",
                   "iterations,stabilized,stabilized_paper,inertia_aware,inertia_aware_restated,"
                   "inertia_unaware",
                   curve[0], MOST);
    return SP_OK;
}

/// ---- A cloud of nearly the weight of water -----------------------------------------------------

typedef struct cloud_def {
    double density; ///< kg/m3; of its particles
    int coupling, init;
} cloud_def;

typedef struct cloud {
    double rise;    ///< m; mean, in a second
    double fastest; ///< m/s; of particles and water
} cloud;

/// A cube of 16 cm with 7243 particles of 3 mm, a fifth of its volume, for one second.
static sp_status cloud_of(cloud_def def, const sp_host *host, cloud *out, sp_error *err)
{
    const sp_box_def box = {{-0.08f, -0.08f, -0.08f}, {0.08f, 0.08f, 0.08f}};
    bubbles_case c;
    bubbles *s;
    bubbles_case_domain(&c, 0.02f, 1.0 / 48.0, (const int[3]){-16, -40, -16},
                        (const int[3]){16, 40, 16});
    bubbles_case_plain(&c);
    bubbles_case_cloud(&c, box, 0.003f, 0.2f);
    c.def.density_air = (float)def.density;
    c.def.coupling = def.coupling;
    c.def.pressure.init = def.init;
    c.def.theta = 1.0f;
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    const double start = bubbles_swarm_of(s).place[1];
    const sp_status status = bubbles_case_run(s, c.dt, 48, err);
    const bubbles_swarm swarm = bubbles_swarm_of(s);
    *out = (cloud){swarm.place[1] - start, fmax(swarm.fastest, s->water_speed)};
    bubbles_close(s);
    return status;
}

sp_status bubbles_prove_rest(sp_check_report *report, sp_error *err)
{
    const cloud_def ours = {1000.0, SP_BUBBLES_STABILIZED, SP_BUBBLES_PRESSURE_HYDROSTATIC};
    cloud by;
    SP_TRY(cloud_of(ours, report->host, &by, err));
    sp_at_most(report, "fastest in a cloud as heavy as water after 1 s, m/s", by.fastest, 1e-6,
               "weight and the pressure of still water cancel, on faces and on particles");
    return SP_OK;
}

typedef struct drifting {
    const char *name;
    cloud_def def;
    double expected; ///< m; 0: it stays
    double tolerance;
} drifting;

static const drifting drifts[] = {
    {"900 kg/m3, ours",
     {900.0, SP_BUBBLES_STABILIZED, SP_BUBBLES_PRESSURE_HYDROSTATIC},
     0.120,
     0.2},
    {"900 kg/m3, inertia_aware_restated",
     {900.0, SP_BUBBLES_INERTIA_AWARE_RESTATED, SP_BUBBLES_PRESSURE_HYDROSTATIC},
     -0.117,
     0.2},
    {"900 kg/m3, inertia_aware, p_0 = 0",
     {900.0, SP_BUBBLES_INERTIA_AWARE, SP_BUBBLES_PRESSURE_ZERO},
     -0.278,
     0.2},
    {"1000 kg/m3, inertia_aware_restated",
     {1000.0, SP_BUBBLES_INERTIA_AWARE_RESTATED, SP_BUBBLES_PRESSURE_HYDROSTATIC},
     -0.060,
     0.3},
    {"1000 kg/m3, stabilized_paper",
     {1000.0, SP_BUBBLES_STABILIZED_PAPER, SP_BUBBLES_PRESSURE_HYDROSTATIC},
     0.038,
     0.3},
    {"1000 kg/m3, inertia_aware",
     {1000.0, SP_BUBBLES_INERTIA_AWARE, SP_BUBBLES_PRESSURE_HYDROSTATIC},
     0.0,
     0.0},
};

static sp_status drift(sp_check_report *report, const drifting *d, sp_error *err)
{
    cloud by;
    SP_TRY(cloud_of(d->def, report->host, &by, err));
    const char *label = sp_label(report, "rise of a cloud in 1 s, m, %s", d->name);
    if (d->expected == 0.0)
        sp_within(report, label, by.rise, 0.0, 1e-6, "in floats: weight and pressure cancel");
    else
        sp_relative(report, label, by.rise, d->expected, d->tolerance,
                    "prototype; the sign is that of the papers' figure 13c and d");
    return SP_OK;
}

sp_status bubbles_prove_drift(sp_check_report *report, sp_error *err)
{
    for (size_t k = 0; k < sizeof drifts / sizeof *drifts; ++k)
        SP_TRY(drift(report, &drifts[k], err));
    return SP_OK;
}
