// SPDX-License-Identifier: Apache-2.0
/// Bubbles in a liquid with a surface: the water alone stays as it is, air raises its level, lone bubbles
/// rise as in still water and not at all where water falls freely, and none is lost without being counted.
#include "validate/bubbles/proofs.h"

/// A tank of 24 x 32 x 24 voxels of 1 cm, filled up to `level`, m.
typedef struct tank {
    bubbles_case c;
    sp_liquid_def liquid;
} tank;

static const int low[3] = {0, 0, 0}, high[3] = {24, 32, 24};

static void make_tank(tank *k, int method, float level)
{
    bubbles_case_domain(&k->c, 0.01f, 1.0 / 96.0, low, high);
    bubbles_case_plain(&k->c);
    sp_keys_defaults(&sp_liquid_keys, &k->liquid);
    k->liquid.voxel = k->c.def.voxel;
    k->liquid.method = method;
    k->liquid.pressure.tolerance = 1e-6;
    k->liquid.narrow_band = 0;
    k->c.def.liquid = &k->liquid;
    proof_fill(&k->c.scene, (sp_box_def){{0.0f, 0.0f, 0.0f}, {0.24f, level, 0.24f}});
}

/// ---- Without bubbles ---------------------------------------------------------------------------

/// The largest difference of u over its largest value, in faces that both know.
static double difference(const liquid *a, const liquid *b)
{
    const sp_liquid_water x = sp_liquid_now(a), y = sp_liquid_now(b);
    double most = 0.0, size = 0.0;
    if (!sp_tiles_same(x.tiles, y.tiles)) return (double)INFINITY;
    for (int axis = 0; axis < 3; ++axis)
        for (size_t n = 0; n < x.tiles->count * SP_TILE_VOXELS; ++n) {
            most = fmax(most, fabs((double)x.u[axis][n] - (double)y.u[axis][n]));
            size = fmax(size, fabs((double)x.u[axis][n]));
        }
    return most / size;
}

/// A column that falls, with and without a solver of bubbles that have not come yet. Without particles,
/// because these multiply rounding.
static sp_status alone(const sp_host *host, double *off, sp_error *err)
{
    tank k;
    bubbles *s;
    void *water;
    make_tank(&k, SP_LIQUID_EULERIAN, 0.2f);
    k.c.scene.emitter_shape[0].box.max[0] = 0.08f;
    const sp_setup setup = bubbles_case_setup(&k.c);
    sp_setup of_water = setup;
    of_water.def = &k.liquid;
    SP_TRY(bubbles_case_open(&k.c, host, &s, err));
    sp_status status = sp_liquid_solver.open(&of_water, host, &water, err);
    for (int n = 1; n <= 8 && status == SP_OK; ++n) {
        status = sp_bubbles_frame(s, n * k.c.dt, NULL, NULL, err);
        if (status == SP_OK) status = sp_liquid_solver.step(water, n * k.c.dt, err);
    }
    if (status == SP_OK) *off = difference(s->water, water);
    bubbles_close(s);
    if (status == SP_OK) sp_liquid_solver.close(water);
    return status;
}

/// ---- One bubble --------------------------------------------------------------------------------

typedef struct lone {
    double speed;   ///< m/s; through the water, upwards
    double fastest; ///< m/s; component of the bubble's velocity
} lone;

/// A bubble of 1 mm in the middle of the tank, or in a cube of water that falls in the tank.
static sp_status lone_bubble(bool falling, int steps, const sp_host *host, lone *out, sp_error *err)
{
    tank k;
    bubbles *s;
    double u[3];
    make_tank(&k, SP_LIQUID_FLIP, 0.24f);
    if (falling)
        k.c.scene.emitter_shape[0].box = (sp_box_def){{0.06f, 0.18f, 0.06f}, {0.18f, 0.3f, 0.18f}};
    SP_TRY(bubbles_case_open(&k.c, host, &s, err));
    const double place[3] = {12.25, falling ? 24.25 : 6.25, 12.25};
    sp_status status = bubbles_case_add(s, place, (const float[3]){0}, 0.001f, 0.0f, err);
    if (status == SP_OK) status = bubbles_case_run(s, k.c.dt, steps, err);
    if (status == SP_OK) status = bubbles_water_at(s, u, err);
    if (status == SP_OK) {
        const bubbles_swarm swarm = bubbles_swarm_of(s);
        *out = (lone){swarm.velocity[1] - u[1], swarm.fastest};
    }
    bubbles_close(s);
    return status;
}

/// ---- A bubble that is there at the start -------------------------------------------------------

/// A ball of four voxels' radius, a fortieth of the water, which has taken its place; drift of the water
/// after one substep.
static sp_status drift_beside_ball(const sp_host *host, double *drift, sp_error *err)
{
    tank k;
    bubbles *s;
    make_tank(&k, SP_LIQUID_FLIP, 0.2f);
    bubbles_case_ball(&k.c, (const double[3]){12.0, 8.0, 12.0}, 4.0);
    SP_TRY(bubbles_case_open(&k.c, host, &s, err));
    const sp_status status = bubbles_case_run(s, k.c.dt, 1, err);
    const sp_liquid_figures f = sp_liquid_look(s->water);
    *drift = f.volume / f.wanted_volume - 1.0;
    bubbles_close(s);
    return status;
}

/// ---- A large bubble ----------------------------------------------------------------------------

/// A ball of three voxels' radius with the default substeps: its fastest particle or water over the speed of a
/// jet through it, for 5/24 s while it rises and 3/24 s while it lifts the surface. A bubble at rest is lifted
/// with twice gravity, and the water that follows falls through its height d, filled faces included, at
/// sqrt(2 * 2g * d).
static sp_status speed_of_large(const sp_host *host, double speed[2], sp_error *err)
{
    enum { RISING = 5, FRAMES = 8 };
    tank k;
    bubbles *s;
    sp_status status = SP_OK;
    make_tank(&k, SP_LIQUID_FLIP, 0.28f);
    sp_keys_defaults(&sp_bubbles_keys, &k.c.def);
    k.c.def.voxel = k.liquid.voxel;
    k.c.def.liquid = &k.liquid;
    k.c.def.emitters = &k.c.emitter;
    k.c.dt = 1.0 / 24.0;
    bubbles_case_ball(&k.c, (const double[3]){12.0, 8.0, 12.0}, 3.0);
    SP_TRY(bubbles_case_open(&k.c, host, &s, err));
    const double jet = sqrt(4.0 * 9.81 * 2.0 * (3.0 + sqrt(0.75)) * (double)k.liquid.voxel);
    speed[0] = speed[1] = 0.0;
    for (int n = 0; n < FRAMES && status == SP_OK; ++n) {
        status = bubbles_case_run(s, k.c.dt, 1, err);
        const double most = fmax(sp_bubbles_look(s).fastest, sp_liquid_look(s->water).speed) / jet;
        speed[n >= RISING] = fmax(speed[n >= RISING], most);
    }
    bubbles_close(s);
    return status;
}

/// ---- A plume -----------------------------------------------------------------------------------

static double water_volume(bubbles *s)
{
    return sp_liquid_look(s->water).volume;
}

/// 30 bubbles of 2.5 mm a substep, for 24 substeps, near the bottom of the tank.
static void make_plume(tank *k)
{
    make_tank(k, SP_LIQUID_FLIP, 0.2f);
    bubbles_case_cloud(&k->c, (sp_box_def){{0.08f, 0.02f, 0.08f}, {0.16f, 0.04f, 0.16f}}, 0.0025f,
                       0.0f);
    k->c.emitter.mode = SP_BUBBLES_RATE;
    k->c.emitter.rate = 30.0f * 96.0f;
    k->c.emitter.stop = 0.25f;
}

static sp_status prove_plume(sp_check_report *report, sp_error *err)
{
    tank k;
    bubbles *s;
    make_plume(&k);
    SP_TRY(bubbles_case_open(&k.c, report->host, &s, err));
    const double before = water_volume(s);
    sp_status status = bubbles_case_run(s, k.c.dt, 24, err);
    const double air = status == SP_OK ? sp_bubbles_look(s).particle_volume : 0.0;
    const double rise = water_volume(s) - before;
    if (status == SP_OK) status = bubbles_case_run(s, k.c.dt, 168, err);
    const sp_bubbles_figures f = sp_bubbles_look(s);
    const double after = water_volume(s);
    bubbles_close(s);
    SP_TRY(status);
    sp_within(report, "rise of the level over the air let in", rise / air, 1.0, 0.25,
              "air takes room; a voxel of noise in the surface is a tenth of it");
    sp_within(report, "water after the bubbles have burst, over that before", after / before, 1.0,
              0.02, "as for water alone in 2 s of a splash");
    sp_at_most(report, "bubbles that are left after 2 s, over those let in",
               (double)f.particles / (double)f.emitted, 0.01, "20 cm at 0.25 m/s take 0.8 s");
    sp_exact(report, "bubbles neither there, burst, out nor inside solids",
             (double)f.emitted - (double)(f.particles + f.burst + f.left + f.inside), 0,
             "none may vanish without being counted");
    return SP_OK;
}

/// ---- All of it ---------------------------------------------------------------------------------

sp_status bubbles_prove_in_liquid(sp_check_report *report, sp_error *err)
{
    double off;
    lone one;
    SP_TRY(alone(report->host, &off, err));
    sp_at_most(
        report, "velocity of a column that falls, with and without bubbles to come", off, 1e-4,
        "the same equation; weight is added and taken off in float, and the solve ends at 1e-6");
    SP_TRY(lone_bubble(false, 24, report->host, &one, err));
    sp_relative(report, "speed through a tank of particles, r = 1 mm, m/s", one.speed, 0.15577095,
                0.05, "drag balances buoyancy; water at rest has noise of some mm/s");
    SP_TRY(lone_bubble(true, 12, report->host, &one, err));
    sp_at_most(
        report, "speed through water that falls freely, m/s", fabs(one.speed), 0.01,
        "there is no pressure in it, so nothing lifts a bubble; at rest it would rise by 0.16");
    sp_relative(report, "and its fall, m/s", one.fastest, 12.0 * 9.81 / 96.0, 0.02,
                "12 substeps of free fall");
    double drift, speed[2];
    SP_TRY(speed_of_large(report->host, speed, err));
    sp_at_most(report, "fastest in and around a large bubble that rises, over the speed of its jet",
               speed[0], 1.2, "the jet narrows on its way; what is torn passes this many times");
    sp_reported(report, "the same while it lifts the surface", speed[1],
                "a film of a voxel runs off it; no closed form");
    SP_TRY(drift_beside_ball(report->host, &drift, err));
    sp_within(report, "drift of the water beside a bubble that is there at the start", drift, 0.0,
              0.01, "the surface has not moved; its air, counted as new, would be 0.04");
    return prove_plume(report, err);
}
