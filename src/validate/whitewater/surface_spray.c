// SPDX-License-Identifier: Apache-2.0
/// Foam becomes spray where it must, and only there; spray lands.
#include "validate/foam/proofs.h"
#include "validate/whitewater/surface_cases.h"

static sp_status add_foam(surface_case *c, size_t n, double spacing, sp_error *err)
{
    for (size_t i = 0; i < n; ++i)
        SP_TRY(surface_case_add(c, &c->kinds[WHITEWATER_FOAM],
                                (const double[3]){spacing * (double)i, 0.0, 0.0},
                                (const double[3]){0}, 0.002f, err));
    c->floating.life_mean = 1e5f;
    return SP_OK;
}

/// ---- Water that swings up and down -------------------------------------------------------------

enum { FOAM = 20 };

/// The largest speed at which free flight parts from the level of a pool, m/s, by small steps.
static double find_parting(const surface_pool *p, double until)
{
    const double dt = 1e-5;
    double s = 0.0, most = 0.0;
    for (double t = 0.0; t < until; t += dt) {
        const double falls = p->amplitude * p->rate * (cos(p->rate * t) - cos(p->rate * (t + dt)));
        s = fmax(0.0, s + falls - 9.81 * dt);
        most = fmax(most, s);
    }
    return most;
}

/// How much of the foam on a swinging pool is thrown off within 0.45 s, before any comes back.
static sp_status swing(double crest_share, int per_second, const sp_host *host, double *thrown,
                       sp_error *err)
{
    surface_case c;
    SP_TRY(surface_case_open(&c, host, err));
    c.pool.amplitude = 0.3;
    c.pool.rate = 8.0;
    c.world.dt = 1.0 / per_second;
    c.spray.crest = (float)(crest_share * find_parting(&c.pool, 0.45));
    sp_status status = add_foam(&c, FOAM, 0.1, err);
    for (int i = 0; i < FOAM; ++i)
        c.kinds[WHITEWATER_FOAM].v[1][i] = (float)(c.pool.amplitude * c.pool.rate);
    if (status == SP_OK) status = surface_case_again(&c, err);
    if (status == SP_OK) status = surface_case_run(&c, (int)(0.45 * per_second), err);
    *thrown = (double)c.ledger.count[WHITEWATER_LEAPT];
    surface_case_close(&c);
    return status;
}

sp_status whitewater_prove_leap(sp_check_report *report, sp_error *err)
{
    static const int rates[] = {24, 72, 288};
    double thrown;
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k) {
        SP_TRY(swing(0.9, rates[k], report->host, &thrown, err));
        sp_exact(report, sp_label(report, "thrown off, crest 10 %% too low, %d steps/s", rates[k]),
                 thrown, FOAM, "all of it, at any step: the speed is that of free flight");
        SP_TRY(swing(1.1, rates[k], report->host, &thrown, err));
        sp_exact(report, sp_label(report, "the same, crest 10 %% too high, %d steps/s", rates[k]),
                 thrown, 0, "none, at any step");
    }
    return SP_OK;
}

/// ---- Waves that do not break -------------------------------------------------------------------

/// How much of the foam on a wave is thrown off in two periods. Some of it rides along with the crest, so it begins
/// two and a half wavelengths from the end of gridded water.
static sp_status ride(surface_case *c, const foam_surface *wave, double *thrown, sp_error *err)
{
    enum { COUNT = 500 };
    const double period = 2.0 * SP_PI_D / foam_wave_rate(wave);
    for (size_t i = 0; i < COUNT; ++i) {
        double gradient[3], u[3],
            p[3] = {wave->wavelength * (0.5 + (double)i / COUNT), 0.0, 0.5 * wave->wavelength};
        p[1] = -foam_surface_at(wave, p, gradient, u) / gradient[1];
        foam_surface_at(wave, p, gradient, u);
        SP_TRY(surface_case_add(c, &c->kinds[WHITEWATER_FOAM], p, u, 0.001f, err));
    }
    c->floating.life_mean = 1e5f;
    SP_TRY(surface_case_again(c, err));
    SP_TRY(surface_case_run(c, (int)(2.0 * period / c->world.dt), err));
    *thrown = (double)c->ledger.count[WHITEWATER_LEAPT];
    return SP_OK;
}

static sp_status ride_exact(foam_surface wave, const sp_host *host, double *thrown, sp_error *err)
{
    surface_case c;
    sp_bulk bulk = foam_surface_bulk(&wave);
    SP_TRY(surface_case_open(&c, host, err));
    c.world.bulk = &bulk;
    c.spray.crest = 0.05f;
    const sp_status status = ride(&c, &wave, thrown, err);
    surface_case_close(&c);
    return status;
}

/// As a cache holds it, with crests that emit by themselves if they can.
static sp_status ride_gridded(foam_gridded *g, const sp_host *host, double *thrown, double *emitted,
                              sp_error *err)
{
    surface_case c;
    sp_bulk bulk;
    SP_TRY(foam_gridded_bulk(g, host, &bulk, err));
    sp_status status = surface_case_open(&c, host, err);
    if (status == SP_OK) {
        c.world.bulk = &bulk;
        c.world.voxel = g->voxel;
        c.spray.crest = 0.25f;
        c.spray.rate = 1e5f;
        status = ride(&c, &g->surface, thrown, err);
        *emitted = (double)c.ledger.count[WHITEWATER_EMITTED_SPRAY];
        surface_case_close(&c);
    }
    sp_bulk_close(&bulk);
    return status;
}

sp_status whitewater_prove_calm(sp_check_report *report, sp_error *err)
{
    static const double waves[][2] = {{0.02, 1.0}, {0.5, 10.0}, {2.0, 40.0}};
    double thrown, emitted;
    for (size_t k = 0; k < sizeof waves / sizeof *waves; ++k) {
        const foam_surface wave = {
            .kind = FOAM_WAVE, .amplitude = waves[k][0], .wavelength = waves[k][1]};
        SP_TRY(ride_exact(wave, report->host, &thrown, err));
        sp_exact(report,
                 sp_label(report, "thrown off by a wave of %g m and %g m, crest 0.05 m/s",
                          waves[k][0], waves[k][1]),
                 thrown, 0, "its pressure rises inwards everywhere");
    }
    foam_gridded g = {.surface = {.kind = FOAM_WAVE, .amplitude = 0.1, .wavelength = 2.0},
                      .voxel = 0.05f,
                      .columns = 20,
                      .deep = 2,
                      .fps = 24.0,
                      .moments = FOAM_MOMENTS};
    SP_TRY(ride_gridded(&g, report->host, &thrown, &emitted, err));
    sp_exact(report, "thrown off by a wave of 0.1 m and 2 m on voxels of 5 cm, crest 0.25 m/s",
             thrown, 0, "the same; of velocities interpolated between voxels and frames");
    sp_exact(report, "drops that it emits", emitted, 0,
             "kappa (u.n)^2/g is at most 0.4 (ak)^3, 0.01");
    return SP_OK;
}

/// ---- Crests that emit --------------------------------------------------------------------------

/// A ball of water that moves up, as a cache holds it.
typedef struct ball {
    float voxel;
    double radius, speed, times[2];
} ball;

enum { BALL_TILES = 5, BAND = 3 };

static void fill_ball(const ball *b, sp_bulk_loaded *to)
{
    for (size_t n = 0; n < to->tiles.count * SP_TILE_VOXELS; ++n) {
        double sum = 0.0;
        const int32_t *at = to->tiles.at[n / SP_TILE_VOXELS];
        for (int a = 0; a < 3; ++a) {
            const double x =
                (double)b->voxel * (SP_TILE * at[a] + (int32_t)(n >> 3 * a & 7) + 0.5) -
                (a == 1 ? b->speed * to->time : 0.0);
            sum += x * x;
        }
        const double phi = sqrt(sum) - b->radius, band = (double)to->band;
        to->phi[n] = (float)fmax(-band, fmin(band, phi));
        to->u[1][n] = (float)b->speed;
    }
}

static sp_status load_ball(void *user, size_t k, sp_bulk_loaded *to, sp_error *err)
{
    const ball *b = user;
    int32_t at[8 * BALL_TILES * BALL_TILES * BALL_TILES][3];
    size_t n = 0;
    for (int32_t i = -BALL_TILES; i < BALL_TILES; ++i)
        for (int32_t j = -BALL_TILES; j < BALL_TILES; ++j)
            for (int32_t l = -BALL_TILES; l < BALL_TILES; ++l, ++n) {
                at[n][0] = i;
                at[n][1] = j;
                at[n][2] = l;
            }
    SP_TRY(sp_tiles_open(&to->tiles, to->host, b->voxel, (const int32_t(*)[3])at, n, err));
    bool enough = (to->phi = sp_tiles_field(&to->tiles, 0.0f)) != NULL;
    for (int a = 0; a < 3; ++a)
        enough &= (to->u[a] = sp_tiles_field(&to->tiles, 0.0f)) != NULL;
    if (!enough) return sp_fail(err, SP_NO_MEMORY, "validate: no memory for a ball of water");
    to->time = b->times[k];
    to->band = BAND * b->voxel;
    fill_ball(b, to);
    return SP_OK;
}

/// Drops that it emits in a step of a hundredth of a second.
static sp_status burst_ball(ball *b, float rate, const sp_host *host, double *emitted,
                            sp_error *err)
{
    surface_case c;
    sp_bulk bulk;
    const sp_bulk_source source = {
        .user = b, .count = 2, .times = b->times, .voxel = b->voxel, .load = load_ball};
    SP_TRY(sp_bulk_serve(&source, host, &bulk, err));
    sp_status status = surface_case_open(&c, host, err);
    if (status == SP_OK) {
        c.world.bulk = &bulk;
        c.world.voxel = b->voxel;
        c.world.dt = 0.01;
        c.spray.rate = rate;
        status = surface_case_again(&c, err);
        if (status == SP_OK) status = surface_case_step(&c, err);
        *emitted = (double)c.ledger.count[WHITEWATER_EMITTED_SPRAY];
        surface_case_close(&c);
    }
    sp_bulk_close(&bulk);
    return status;
}

sp_status whitewater_prove_crest(sp_check_report *report, sp_error *err)
{
    // With kappa = 2/R and u.n = u cos: 2 pi R^2 rate dt times the integral of 1 - q/cos^2 over cos from c to 1,
    // q = g/(kappa u^2), c the larger of crest/u and sqrt(q).
    static const float voxels[] = {0.02f, 0.01f};
    const double radius = 0.15, speed = 3.0, rate = 1e7, q = 9.81 * radius / (2.0 * speed * speed),
                 c = fmax(1.0 / speed, sqrt(q)),
                 wanted = 2.0 * SP_PI_D * radius * radius * rate * 0.01 *
                          ((1.0 - c) - q * (1.0 / c - 1.0));
    for (size_t k = 0; k < sizeof voxels / sizeof *voxels; ++k) {
        double emitted;
        ball b = {.voxel = voxels[k], .radius = radius, .speed = speed, .times = {0.0, 0.04}};
        SP_TRY(burst_ball(&b, (float)rate, report->host, &emitted, err));
        sp_relative(report,
                    sp_label(report, "drops of a ball of water that rises, voxels of %g cm",
                             100.0 * (double)voxels[k]),
                    emitted, wanted, 0.03,
                    "the integral over the ball; curvature on 7 voxels of radius is known to 2 %");
    }
    return SP_OK;
}

/// ---- Landing -----------------------------------------------------------------------------------

/// A drop falls from a height; `kind` is where it is after its time in the air and two steps.
static sp_status fall(double height, const sp_host *host, surface_case *c, sp_error *err)
{
    SP_TRY(surface_case_open(c, host, err));
    c->floating.life_mean = 1e5f;
    c->next_id = 77;
    sp_status status = surface_case_again(c, err);
    if (status == SP_OK)
        status =
            surface_case_add(c, &c->kinds[WHITEWATER_SPRAY], (const double[3]){0.0, height, 0.0},
                             (const double[3]){0.0}, 0.001f, err);
    const int steps = (int)(sqrt(2.0 * height / 9.81) / c->world.dt) + 3;
    if (status == SP_OK) status = surface_case_run(c, steps, err);
    if (status != SP_OK) surface_case_close(c);
    return status;
}

/// Whether the drop is the only particle, of this kind.
static double is_alone(const surface_case *c, int kind)
{
    return surface_case_count(c) == 1 && c->kinds[kind].set.count == 1 &&
           c->kinds[kind].id[0] == 77;
}

sp_status whitewater_prove_land(sp_check_report *report, sp_error *err)
{
    surface_case c;
    SP_TRY(fall(0.2, report->host, &c, err));
    sp_exact(report, "a drop from 0.2 m is foam then, with its id", is_alone(&c, WHITEWATER_FOAM),
             1, "it meets the water at 2 m/s");
    sp_exact(report, "and has landed", (double)c.ledger.count[WHITEWATER_LANDED], 1, "once");
    surface_case_close(&c);
    SP_TRY(fall(1.0, report->host, &c, err));
    sp_exact(report, "a drop from 1 m is a bubble then, with its id",
             is_alone(&c, WHITEWATER_BUBBLES), 1, "it meets the water at more than 4 m/s");
    const sp_status status = surface_case_run(&c, 72 * 2, err);
    sp_exact(report, "and comes back as foam", is_alone(&c, WHITEWATER_FOAM), 1, "bubbles rise");
    surface_case_close(&c);
    return status;
}
