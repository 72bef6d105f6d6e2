// SPDX-License-Identifier: Apache-2.0
/// Proofs about obstacles: the wave they push up, and the foam before them.
#include "validate/pond/proofs.h"

/// ---- Theory ------------------------------------------------------------------------------------
/// Small waves around a cylinder of radius R that sets out with speed V(t): eta = A(r, t) cos(theta),
/// with the radial velocity U cos(theta) and the tangential one W sin(theta):
///
///     A_t = -H ((r U)_r / r + W / r),   U_t = -g A_r,   W_t = g A / r,   U(R, t) = V(t)
///
/// A sudden start makes A(R) = H V/c, as a piston would (43 mm at 0.3 m/s in 0.2 m), for as long as a
/// wave needs to go round the cylinder: R/c = 29 ms for 4 cm. A start that takes longer makes
/// A(R) = R V_t/g, the pressure of a cylinder that accelerates. In steady motion small waves vanish,
/// and only the head of the flow that meets the cylinder is left, (V U - U^2/2)/g.

/// The most that the water `ahead` of the cylinder rises above rest, m, when it follows a path of
/// 0.3 m/s with its lag of 0.08 s.
static double theory(double level, double radius, double ahead)
{
    enum { CELLS = 800 }; // 0.4 m: no wave comes back within half a second
    static const double g = 9.81, dr = 5e-4, lag = 0.08, full_speed = 0.3;
    const double dt = 0.5 * dr / sqrt(g * level);
    const int at = (int)(ahead / dr + 0.5);
    double a[CELLS] = {0}, u[CELLS + 1] = {0}, w[CELLS] = {0}, most = 0.0;
    for (double t = dt; t < 0.25; t += dt) {
        u[0] = full_speed * (1.0 - (1.0 + t / lag) * exp(-t / lag));
        for (int i = 1; i < CELLS; ++i)
            u[i] -= dt * g * (a[i] - a[i - 1]) / dr;
        for (int i = 0; i < CELLS; ++i) {
            const double r = radius + (i + 0.5) * dr, inner = r - 0.5 * dr, outer = r + 0.5 * dr;
            w[i] += dt * g * a[i] / r;
            a[i] -= dt * level * ((outer * u[i + 1] - inner * u[i]) / (r * dr) + w[i] / r);
        }
        const double up = at > 0 ? 0.5 * (a[at - 1] + a[at]) : 1.5 * a[0] - 0.5 * a[1];
        most = fmax(most, up + (u[0] - 0.5 * u[at]) * u[at] / g);
    }
    return most;
}

/// ---- Measuring ---------------------------------------------------------------------------------

/// Highest water above rest at least `ahead` outside the outline, m.
static double bow_height(const sp_pond *pond, float ahead)
{
    const pond_water *w = &pond->water;
    int32_t highest = 0;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i) {
            float nx, ny;
            const float x = ((float)i + 0.5f) * w->dx, y = ((float)j + 0.5f) * w->dx;
            const size_t c = pond_cell(w, i, j);
            const int32_t above = w->q[c] + w->b[c] - w->rest;
            if (above > highest &&
                pond_obstacle_distance(&pond->obstacles[0], x, y, &nx, &ny) > ahead)
                highest = above;
        }
    return (double)highest * (double)w->quantum;
}

/// ---- The bow wave ------------------------------------------------------------------------------

/// A cylinder of 4 cm in a basin of 1 m with 0.2 m of water. It sets out along its path as any
/// obstacle does.
static const char on_path[] =
    "{ \"spume\": 1, \"solver\": \"pond\", \"fps\": 240, \"pond\": { \"rest_level\": 0.2,\n"
    "  \"obstacles\": [ { \"shape\": \"cylinder\", \"x\": 0.4, \"y\": 0.5, \"size\": 0.04,\n"
    "    \"path\": { \"keyframes\": [ { \"t\": 0, \"x\": 0.4, \"y\": 0.5 },\n"
    "                             { \"t\": 1, \"x\": 0.7, \"y\": 0.5 } ] } } ] } }\n";
/// The path jumps by 0.3 m at once: after 7 ms the obstacle is at its speed limit.
static const char jerked[] =
    "{ \"spume\": 1, \"solver\": \"pond\", \"fps\": 240, \"pond\": { \"rest_level\": 0.2,\n"
    "  \"obstacle_speed_max\": 0.3,\n"
    "  \"obstacles\": [ { \"shape\": \"cylinder\", \"x\": 0.4, \"y\": 0.5, \"size\": 0.04,\n"
    "    \"path\": { \"keyframes\": [ { \"t\": 0, \"x\": 0.4, \"y\": 0.5 },\n"
    "                             { \"t\": 0.0001, \"x\": 0.7, \"y\": 0.5 } ] } } ] } }\n";

typedef struct grid {
    double dx; ///< m
    const char *set[3];
} grid;

static const grid grids[] = {
    {0.01, {"pond.dx=0.01", "pond.nx=100", "pond.ny=100"}},
    {0.005, {"pond.dx=0.005", "pond.nx=200", "pond.ny=200"}},
    {0.0025, {"pond.dx=0.0025", "pond.nx=400", "pond.ny=400"}},
};

/// The highest wave of the first 0.25 s, m; walls send none back before 0.5 s.
static sp_status measure_bow(const sp_host *host, const char *text, const grid *g, double ahead,
                             double *bow, sp_error *err)
{
    sp_scene *scene;
    sp_pond *pond;
    SP_TRY(pond_proof_open_scene("bow_wave", text, g->set, 3, host, &scene, &pond, err));
    sp_status status = SP_OK;
    *bow = 0.0;
    for (int k = 1; k <= 60 && status == SP_OK; ++k) {
        status = sp_pond_step(pond, k / scene->common.fps, err);
        *bow = fmax(*bow, bow_height(pond, (float)ahead));
    }
    sp_pond_close(pond);
    sp_scene_close(scene);
    return status;
}

/// The ground of an obstacle slopes over two cells on either side of its outline, so its wave lies
/// between that of a cylinder with the outline's radius and that of one which ends where the slope
/// ends. It is measured where the slope ends: on the slope, single cells hold thin films that are
/// higher.
sp_status pond_prove_bow_wave(sp_check_report *report, sp_error *err)
{
    const double radius = 0.04;
    double bow;
    for (size_t k = 0; k < sizeof grids / sizeof *grids; ++k) {
        const grid *g = &grids[k];
        SP_TRY(measure_bow(report->host, on_path, g, 2.0 * g->dx, &bow, err));
        const double narrow = theory(0.2, radius, 2.0 * g->dx),
                     wide = theory(0.2, radius + 2.0 * g->dx, 0.0);
        sp_within(report,
                  sp_label(report, "bow wave on a path at 0.3 m/s, cells of %g m, m", g->dx), bow,
                  0.5 * (narrow + wide), 0.5 * (wide - narrow),
                  "small waves before a cylinder of 4 cm, and of two cells more");
    }
    SP_TRY(measure_bow(report->host, jerked, &grids[0], 0.0, &bow, err));
    sp_within(report, "bow wave when jerked to 0.3 m/s in 7 ms, m", bow, 0.0325, 0.0125,
              "20 to 45 mm: a piston makes H U/c = 43 mm, and cells of 10 mm smear its front");
    return SP_OK;
}

/// ---- Among foam --------------------------------------------------------------------------------

static size_t foam_inside(const sp_pond *pond)
{
    const pond_foam *f = &pond->foam;
    size_t inside = 0;
    for (size_t i = 0; i < f->set.count; ++i) {
        float nx, ny;
        const float out = pond_obstacle_distance(&pond->obstacles[0], f->px[i], f->py[i], &nx, &ny);
        inside += out < 0.9f * f->r[i] - 1e-6f; // a micrometre for rounding near 0.8 m
    }
    return inside;
}

/// T07's figure 9 as it is in its scene, for 6 s: the obstacle goes up and down once and a half.
static sp_status push_through(sp_check_report *report, sp_pond *pond, sp_error *err)
{
    const int64_t before = pond_proof_water(pond);
    double fastest = 0.0;
    size_t inside = 0, foam = 0;
    for (int k = 1; k <= 360; ++k) {
        SP_TRY(sp_pond_step(pond, k / 60.0, err));
        fastest = fmax(fastest, (double)pond->water.speed_max);
        inside += foam_inside(pond);
        foam = pond->foam.set.count > foam ? pond->foam.set.count : foam;
    }
    sp_exact(report, "water gained, quanta", (double)(pond_proof_water(pond) - before), 0,
             "depth does not change when the ground does");
    sp_at_most(
        report, "fastest water, m/s", fastest, 2.5,
        "the low top (a tenth above rest) keeps thin fast films away; 3 m/s with a high one");
    sp_at_least(report, "most foam bubbles at once", (double)foam, 400, "T07's Table 1 has 466");
    sp_exact(report, "foam bubbles inside it after any frame", (double)inside, 0,
             "pushed to its edge, 0.9 r out, in every sub-step");
    return SP_OK;
}

sp_status pond_prove_obstacle(sp_check_report *report, sp_error *err)
{
    sp_scene *scene;
    sp_pond *pond;
    SP_TRY(pond_proof_open_scene("pond/fig9", NULL, NULL, 0, report->host, &scene, &pond, err));
    const sp_status status = push_through(report, pond, err);
    sp_pond_close(pond);
    sp_scene_close(scene);
    return status;
}
