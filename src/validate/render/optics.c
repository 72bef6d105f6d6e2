// SPDX-License-Identifier: Apache-2.0
/// Proofs about single rays. The integrator runs with a recorder; a proof then finds the paths with
/// the events in question and measures them.
#include "validate/render/proofs.h"

#if defined(SPUME_WITH_EMBREE)

static const double degrees = 180.0 / SP_PI_D;
static const double missing = (double)NAN; // no such path: fails every check

static double angle_between(sp_vec3 a, sp_vec3 b)
{
    const double x = (double)a.y * (double)b.z - (double)a.z * (double)b.y,
                 y = (double)a.z * (double)b.x - (double)a.x * (double)b.z,
                 z = (double)a.x * (double)b.y - (double)a.y * (double)b.x;
    const double dot =
        (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
    return atan2(sqrt(x * x + y * y + z * z), dot) * degrees;
}

/// Distance of a point from a ray's line.
static double off_line(const trace_ray *ray, sp_vec3 p)
{
    const double q[3] = {(double)p.x - (double)ray->at.x, (double)p.y - (double)ray->at.y,
                         (double)p.z - (double)ray->at.z};
    const double d[3] = {(double)ray->dir.x, (double)ray->dir.y, (double)ray->dir.z};
    const double x = q[1] * d[2] - q[2] * d[1], y = q[2] * d[0] - q[0] * d[2],
                 z = q[0] * d[1] - q[1] * d[0];
    return sqrt(x * x + y * y + z * z) / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/// The first recorded path whose ray number `turn` continues forwards (within 90 degrees of its
/// previous direction), as after refractions only; NULL: none.
static const trace_logged *find_through(const sp_trace_record *r, int turn, float most_sideways)
{
    const trace_log *log = &r->logs[0];
    for (size_t i = 0; i + (size_t)turn < log->count; ++i) {
        if (log->rays[i].ray.geom != RTC_INVALID_GEOMETRY_ID) continue;
        bool whole = true;
        for (int k = 1; k <= turn; ++k) {
            const trace_ray *a = &log->rays[i + (size_t)k - 1].ray,
                            *b = &log->rays[i + (size_t)k].ray;
            whole &= b->geom != RTC_INVALID_GEOMETRY_ID && sp_dot(a->dir, b->dir) > most_sideways;
        }
        if (whole) return &log->rays[i];
    }
    return NULL;
}

/// 6 mm of glass at 30 degrees: the ray leaves parallel, shifted by d sin(a - b)/cos b.
static sp_status through_slab(sp_check_report *report, sp_tracer *t, sp_error *err)
{
    static const float low[3] = {-1.0f, -1.0f, -0.003f}, high[3] = {1.0f, 1.0f, 0.003f};
    SP_TRY(prove_add_box(t, low, high, SP_TRACE_GLASS, 0, err));
    SP_TRY(prove_white(t, err));
    sp_trace_record *rays;
    const float a = 30.0f * SP_PI / 180.0f;
    SP_TRY(prove_rays(t, prove_camera(0.1f * sinf(a), 0.0f, 0.1f * cosf(a), 0, 0, 0, 0.01f), 1, 8,
                      &rays, err));
    const trace_logged *in = find_through(rays, 2, 0.5f);
    const double alpha = in ? acos(fabs((double)in[0].ray.dir.z)) : missing;
    const double beta = asin(sin(alpha) / 1.52), d = 6.0;
    sp_within(report, "glass plate: angle in the glass, degrees",
              in ? acos(fabs((double)in[1].ray.dir.z)) * degrees : missing, beta * degrees, 0.01,
              "Snell: sin a = 1.52 sin b");
    sp_within(report, "glass plate: turn of the ray, degrees",
              in ? angle_between(in[0].ray.dir, in[2].ray.dir) : missing, 0.0, 0.01,
              "both faces are parallel");
    sp_within(report, "glass plate: shift of the ray, mm",
              in ? 1e3 * off_line(&in[0].ray, in[2].ray.at) : missing,
              d * sin(alpha - beta) / cos(beta), 1e-3, "d sin(a-b)/cos b, 1.190 mm at 30 degrees");
    sp_trace_record_close(rays);
    return SP_OK;
}

/// Water between two glass plates that overlap it: the angle in water follows Snell's law from air.
static sp_status through_cell(sp_check_report *report, sp_tracer *t, sp_error *err)
{
    static const float front[2][3] = {{-1, -1, 0.01f}, {1, 1, 0.016f}},
                       water[2][3] = {{-1, -1, -0.011f}, {1, 1, 0.011f}};
    SP_TRY(prove_add_box(t, front[0], front[1], SP_TRACE_GLASS, 0, err));
    SP_TRY(prove_add_box(t, water[0], water[1], SP_TRACE_WATER, 0, err));
    SP_TRY(prove_white(t, err));
    sp_trace_record *rays;
    SP_TRY(prove_rays(t, prove_camera(0.08f, 0.0f, 0.1f, 0, 0, 0, 0.01f), 1, 16, &rays, err));
    const trace_logged *in = find_through(rays, 3, 0.5f); // air, glass, water, air
    const double sine = in ? sin(acos(fabs((double)in[0].ray.dir.z))) : missing;
    sp_within(report, "water behind glass: angle in the water, degrees",
              in ? acos(fabs((double)in[2].ray.dir.z)) * degrees : missing,
              asin(sine / 1.333) * degrees, 0.01,
              "the glass between, and the overlap, do not matter");
    sp_trace_record_close(rays);
    return SP_OK;
}

sp_status prove_slab(sp_check_report *report, sp_error *err)
{
    SP_TRY(prove_with_tracer(report, through_slab, err));
    return prove_with_tracer(report, through_cell, err);
}

/// Two refractions deflect a ray by 2|i - r|, with sin i = b and sin r = b n0/n1.
static double deviation(double b, double n0, double n1)
{
    return 2.0 * fabs(asin(b) - asin(b * n0 / n1)) * degrees;
}

static sp_status through_ball(sp_check_report *report, sp_tracer *t, float b, const char *what,
                              double n0, double n1, const char *why, sp_error *err)
{
    const float r = 0.01f; // m
    sp_trace_record *rays;
    SP_TRY(prove_rays(t, prove_camera(b * r, 0, 0.3f, b * r, 0, 0, 0.01f), 1, 64, &rays, err));
    const trace_logged *in = find_through(rays, 2, 0.5f);
    const double actual = in ? off_line(&in[0].ray, (sp_vec3){0}) / (double)r : missing;
    sp_within(report, what, in ? angle_between(in[0].ray.dir, in[2].ray.dir) : missing,
              deviation(actual, n0, n1), 0.01, why);
    sp_trace_record_close(rays);
    return SP_OK;
}

static sp_status ball_of_water(sp_check_report *report, sp_tracer *t, sp_error *err)
{
    SP_TRY(prove_add_sphere(t, 0, 0, 0, 0.01f, SP_TRACE_WATER, 0, err));
    SP_TRY(prove_white(t, err));
    return through_ball(report, t, 0.5f, "water ball in air, impact 0.5: turn, degrees", 1.0, 1.333,
                        "2|i-r|, 15.940 at b = 0.5 r", err);
}

static sp_status ball_of_air(sp_check_report *report, sp_tracer *t, sp_error *err)
{
    static const float low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    SP_TRY(prove_add_box(t, low, high, SP_TRACE_WATER, 0, err));
    SP_TRY(prove_add_sphere(t, 0, 0, 0, 0.01f, SP_TRACE_BUBBLE, 0, err));
    SP_TRY(prove_white(t, err));
    SP_TRY(through_ball(report, t, 0.5f, "air ball in water, impact 0.5: turn, degrees", 1.333, 1.0,
                        "2|i-r|, 23.595 at b = 0.5 r", err));
    static const float impact[2] = {0.745f, 0.755f}; // either side of 1/1.333
    static const char *const names[2] = {"air ball, impact 0.745: rays that enter",
                                         "air ball, impact 0.755: rays that enter"};
    for (int k = 0; k < 2; ++k) {
        sp_trace_record *rays;
        const float b = impact[k] * 0.01f;
        SP_TRY(prove_rays(t, prove_camera(b, 0, 0.3f, b, 0, 0, 0.01f), 1, 64, &rays, err));
        size_t inside = 0;
        const trace_log *log = &rays->logs[0];
        for (size_t i = 1; i < log->count; ++i)
            inside += log->rays[i - 1].ray.geom == RTC_INVALID_GEOMETRY_ID &&
                      log->rays[i].ray.geom == 1 &&
                      sp_dot(log->rays[i].ray.at, log->rays[i].ray.dir) < 0.0f;
        sp_exact(report, names[k], inside > 0 ? 1.0 : 0.0, k == 0 ? 1.0 : 0.0,
                 "total reflection begins at b/r = 1/1.333 = 0.7502");
        sp_trace_record_close(rays);
    }
    return SP_OK;
}

sp_status prove_balls(sp_check_report *report, sp_error *err)
{
    SP_TRY(prove_with_tracer(report, ball_of_water, err));
    return prove_with_tracer(report, ball_of_air, err);
}

/// Mean reflectance over a disc of parallel rays: the integral of F d(b^2).
static double disc_mean(float n0, float n1)
{
    enum { STEPS = 200000 };
    double sum = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        float ignored;
        const double b2 = ((double)i + 0.5) / STEPS;
        sum += (double)trace_fresnel((float)sqrt(1.0 - b2), n0, n1, &ignored);
    }
    return sum / STEPS;
}

sp_status prove_fresnel(sp_check_report *report, sp_error *err)
{
    (void)err;
    static const struct {
        const char *what;
        double angle, expected;
    } rows[] = {{"air to water at 0 degrees", 0.0, 0.02037},
                {"air to water at 30 degrees", 30.0, 0.02144},
                {"air to water at 45 degrees", 45.0, 0.02790},
                {"air to water at 60 degrees", 60.0, 0.05969}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        float ignored;
        const double f =
            (double)trace_fresnel((float)cos(rows[i].angle / degrees), 1.0f, 1.333f, &ignored);
        sp_within(report, rows[i].what, f, rows[i].expected, 1e-5,
                  "Fresnel's formulas, rounded to five digits");
    }
    sp_within(report, "mean over a disc, air to water", disc_mean(1.0f, 1.333f), 0.0664, 1e-3,
              "integral of F over the disc");
    sp_within(report, "mean over a disc, water to air", disc_mean(1.333f, 1.0f), 0.4746, 1e-3,
              "with total reflection beyond 0.7502");
    return SP_OK;
}

/// Parallel light on one foam bubble without scattering: the share reflected at the first wall.
static sp_status first_wall(sp_check_report *report, sp_tracer *t, sp_error *err)
{
    enum { SIDE = 64, SAMPLES = 320 }; // about a million rays on the disc
    SP_TRY(prove_add_sphere(t, 0, 0, 0, 1.0f, SP_TRACE_FOAM, 0, err));
    SP_TRY(prove_white(t, err));
    sp_tracer_foam(t, &(sp_trace_foam){.albedo = 1.0f});
    sp_trace_record *r;
    // From 2,000 m the sphere is 0.0573 degrees wide and its rays are parallel to 5e-4.
    SP_TRY(prove_rays(t, prove_camera(0, 0, 2000.0f, 0, 0, 0, 0.0575f), SIDE, SAMPLES, &r, err));
    uint64_t met = 0, turned = 0;
    for (size_t l = 0; l < r->log_count; ++l)
        for (size_t i = 0; i + 1 < r->logs[l].count; ++i) {
            const trace_ray *a = &r->logs[l].rays[i].ray, *b = &r->logs[l].rays[i + 1].ray;
            if (a->geom != RTC_INVALID_GEOMETRY_ID || b->geom == RTC_INVALID_GEOMETRY_ID) continue;
            ++met;
            turned += a->dir.x != b->dir.x || a->dir.y != b->dir.y || a->dir.z != b->dir.z;
        }
    sp_within(report, "share reflected by a bubble's first wall", (double)turned / (double)met,
              0.1122, 1e-3, "2F/(1+F) over the disc; a million rays leave 3e-4");
    sp_trace_record_close(r);
    return SP_OK;
}

sp_status prove_film(sp_check_report *report, sp_error *err)
{
    return prove_with_tracer(report, first_wall, err);
}

#endif
