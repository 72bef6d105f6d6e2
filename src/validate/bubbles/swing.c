// SPDX-License-Identifier: Apache-2.0
/// Surface tension swings a bubble about a ball: an ellipsoid (mode 2) and a cube (mode 4).
#include "validate/bubbles/proofs.h"

/// Angular frequency of mode l of a ball (Lamb 1932, section 275), 1/s.
static double lamb(int l, double sigma, double air, double water, double radius)
{
    return sqrt(sigma * l * (l - 1) * (l + 1) * (l + 2) /
                (((l + 1) * air + l * water) * radius * radius * radius));
}

/// The time at which a value passes a level, from two moments around it.
static double crossing(double t, double dt, double before, double now, double level)
{
    return t - dt * (now - level) / (now - before);
}

/// ---- An ellipsoid ------------------------------------------------------------------------------

/// A lattice of particles in an ellipsoid whose axis y is 1.15^(3/2) as long as the others, with the
/// volume of a ball of 6 voxels.
static sp_status fill_ellipsoid(bubbles *s, sp_error *err)
{
    enum { SIDE = 32 };
    const double wide = 6.0 / sqrt(1.15), high = 6.0 * 1.15;
    const float h = s->grid.voxel, radius = sqrtf(0.75f) * h, place = h * h * h / 8.0f;
    for (int n = 0; n < SIDE * SIDE * SIDE; ++n) {
        const int at[3] = {n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE};
        double p[3];
        for (int a = 0; a < 3; ++a)
            p[a] = 0.5 * (at[a] - SIDE / 2) + 0.25;
        const double square =
            (p[0] * p[0] + p[2] * p[2]) / (wide * wide) + p[1] * p[1] / (high * high);
        if (square < 1.0) SP_TRY(bubbles_case_add(s, p, (const float[3]){0}, radius, place, err));
    }
    return SP_OK;
}

typedef struct swing {
    double crossing[2], lowest; ///< s; when all axes are equal; when y is shortest
    double start, air;          ///< m3; volume after the first substep, and when y is shortest
} swing;

static sp_status watch_swing(bubbles *s, double dt, swing *out, sp_error *err)
{
    double before = 0.0, least = 1e9;
    int crossings = 0;
    *out = (swing){.lowest = 0.0};
    for (int n = 1; n <= 180 && crossings < 2; ++n) {
        SP_TRY(bubbles_case_run(s, dt, 1, err));
        const bubbles_swarm swarm = bubbles_swarm_of(s);
        const double ratio = sqrt(2.0 * swarm.spread[1] / (swarm.spread[0] + swarm.spread[2]));
        if (n == 1) out->start = bubbles_air(s);
        if (n > 1 && (ratio > 1.0) != (before > 1.0))
            out->crossing[crossings++] = crossing(s->time, dt, before, ratio, 1.0);
        if (ratio < least) {
            out->lowest = s->time;
            out->air = bubbles_air(s);
        }
        least = fmin(least, ratio);
        before = ratio;
    }
    return SP_OK;
}

/// The period is twice the time between two moments at which all axes are equal.
sp_status bubbles_prove_lamb(sp_check_report *report, sp_error *err)
{
    const double h = 0.00125, sigma = 0.0072;
    bubbles_case c;
    bubbles *s;
    swing by;
    bubbles_case_domain(&c, (float)h, 1.0 / 1440.0, (const int[3]){-24, -24, -24},
                        (const int[3]){24, 24, 24});
    bubbles_case_hero(&c, false);
    c.def.density_air = 10.0f;
    c.def.pic = 0.0f;
    c.scene.world.gravity[1] = 0.0f;
    SP_TRY(bubbles_case_open(&c, report->host, &s, err));
    sp_status status = fill_ellipsoid(s, err);
    if (status == SP_OK) status = watch_swing(s, c.dt, &by, err);
    bubbles_close(s);
    SP_TRY(status);
    const double radius = bubbles_ball_radius(by.start);
    sp_relative(report, "period of an ellipsoid of the density of water, s",
                2.0 * (by.crossing[1] - by.crossing[0]),
                2.0 * SP_PI_D / lamb(2, sigma, 10.0, 10.0, radius), 0.15,
                "Lamb's mode 2, R_e of the sum of shares; large swing, R = 6 voxels");
    sp_reported(report, "when its long axis is shortest, s", by.lowest, "prototype: 0.0475");
    sp_reported(report, "its volume then, over that at the start", by.air / by.start,
                "prototype: 0.93");
    return SP_OK;
}

/// ---- A cube ------------------------------------------------------------------------------------

/// 0.474 for a cube, 0.6 for a ball, 1 at most, for points on the axes.
static double shape_number(const bubbles *s, const double middle[3])
{
    double fourth = 0.0, radial = 0.0;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (size_t i = s->particles.start[t]; i < s->particles.start[t + 1]; ++i) {
            const float x[3] = {s->particles.x[0][i], s->particles.x[1][i], s->particles.x[2][i]};
            double p[3], square = 0.0;
            bubbles_point(&s->grid, t, x, p);
            for (int a = 0; a < 3; ++a) {
                const double d = p[a] - middle[a];
                square += d * d;
                fourth += d * d * d * d;
            }
            radial += square * square;
        }
    return fourth / radial;
}

typedef struct turning {
    double start, round, most, peak; ///< shape number; s; shape number; s
    double drift;                    ///< m; largest
} turning;

static sp_status watch_cube(sp_check_report *report, bubbles *s, double dt, turning *out,
                            sp_error *err)
{
    enum { STEPS = 180 };
    double curve[STEPS + 1][2], before;
    const bubbles_swarm first = bubbles_swarm_of(s);
    *out = (turning){.start = shape_number(s, first.place)};
    before = out->start;
    curve[0][0] = 0.0;
    curve[0][1] = before;
    for (int n = 1; n <= STEPS; ++n) {
        SP_TRY(bubbles_case_run(s, dt, 1, err));
        const bubbles_swarm swarm = bubbles_swarm_of(s);
        const double number = shape_number(s, swarm.place);
        if (out->round == 0.0 && number >= 0.6)
            out->round = crossing(s->time, dt, before, number, 0.6);
        if (number > out->most) out->peak = s->time;
        out->most = fmax(out->most, number);
        for (int a = 0; a < 3; ++a)
            out->drift = fmax(out->drift, fabs(swarm.place[a] - first.place[a]));
        curve[n][0] = s->time;
        curve[n][1] = before = number;
    }
    sp_check_curve(report, "cube", "time_s,shape_number", curve[0], STEPS + 1);
    return SP_OK;
}

/// WSB25 figure 4: a cube becomes an octahedron on the way. Its corners are mode 4 of a ball.
sp_status bubbles_prove_cube(sp_check_report *report, sp_error *err)
{
    const double h = 0.0025, side = 0.0424;
    bubbles_case c;
    bubbles *s;
    turning by;
    bubbles_case_domain(&c, (float)h, 1.0 / 480.0, (const int[3]){-24, -24, -24},
                        (const int[3]){24, 24, 24});
    c.def.density_air = c.def.density;
    c.def.tension.coefficient = 0.072f;
    c.def.pic = 0.0f;
    c.scene.world.gravity[1] = 0.0f;
    bubbles_case_ball(&c, (const double[3]){0}, 1.0);
    c.shape.box = (sp_box_def){{(float)(-0.5 * side), (float)(-0.5 * side), (float)(-0.5 * side)},
                               {(float)(0.5 * side), (float)(0.5 * side), (float)(0.5 * side)}};
    c.emitter.shape = (sp_shape_def){.box = &c.shape.box};
    SP_TRY(bubbles_case_open(&c, report->host, &s, err));
    const sp_status status = watch_cube(report, s, c.dt, &by, err);
    bubbles_close(s);
    SP_TRY(status);
    sp_within(report, "shape number of a cube", by.start, 9.0 / 19.0, 1e-3, "of a solid cube");
    sp_within(report, "when the cube is round, s", by.round, 0.17, 0.05,
              "shape number 0.6; prototype: 0.171; half a period of mode 4 is 0.28 s");
    sp_at_least(report, "largest shape number", by.most, 0.66, "an octahedron; prototype: 0.698");
    sp_within(report, "when, s", by.peak, 0.3, 0.06, "prototype: 0.319");
    sp_at_most(report, "drift of its middle, voxels", by.drift / h, 0.01,
               "no net force; prototype: 1.5e-5");
    return SP_OK;
}
