// SPDX-License-Identifier: Apache-2.0
/// Proofs about one vortex (P4 - P6) in double, and about the sixteen-lane sums against one by one.
#include "validate/pond/proofs.h"

static const double upward[3] = {0.0, 0.0, 1.0}; ///< S with U = 1

static void hill(const double y[3], double u[3])
{
    pond_hill(y, upward, true, u);
}

static void hill_linear(const double y[3], double u[3])
{
    pond_hill(y, upward, false, u);
}

/// T07's equation 5 as printed, to show what is wrong with it.
static void printed(const double y[3], double u[3])
{
    const double d = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    const bool inside = d < 1.0;
    const double k = inside ? 1.0 : pow(d, -5.0);
    u[0] = y[0] * y[2] * k;
    u[1] = y[1] * y[2] * k;
    u[2] = y[2] * y[2] * k + (inside ? 1.0 - 2.0 * d * d : -pow(d, -3.0) / 3.0 - 1.5);
}

typedef void field(const double y[3], double u[3]);

/// du_i/dy_j by central differences.
static void gradient(field *of, const double y[3], double step, double out[3][3])
{
    for (int j = 0; j < 3; ++j) {
        double low[3] = {y[0], y[1], y[2]}, high[3] = {y[0], y[1], y[2]}, a[3], b[3];
        low[j] -= step;
        high[j] += step;
        of(low, a);
        of(high, b);
        for (int i = 0; i < 3; ++i)
            out[i][j] = (b[i] - a[i]) / (2.0 * step);
    }
}

/// Evenly over directions; returns the distance, evenly over [d0, d1].
static double random_point(uint64_t n, double d0, double d1, double y[3])
{
    const double d = d0 + (d1 - d0) * pond_proof_unit(3, n, 0);
    const double z = 2.0 * pond_proof_unit(3, n, 1) - 1.0;
    const double angle = 2.0 * SP_PI_D * pond_proof_unit(3, n, 2), s = sqrt(1.0 - z * z);
    y[0] = d * s * cos(angle);
    y[1] = d * s * sin(angle);
    y[2] = d * z;
    return d;
}

static double largest_divergence(field *of, double d0, double d1)
{
    enum { POINTS = 20000 };
    const double step = 1e-5, keep = 1e-4; // no difference reaches across a seam
    double largest = 0.0;
    for (uint64_t n = 0; n < POINTS; ++n) {
        double y[3], g[3][3];
        random_point(n, d0 + keep, d1 - keep, y);
        gradient(of, y, step, g);
        const double divergence = fabs(g[0][0] + g[1][1] + g[2][2]);
        largest = divergence > largest ? divergence : largest;
    }
    return largest;
}

sp_status pond_prove_hill_divergence(sp_check_report *report, sp_error *err)
{
    (void)err;
    static const char *const why = "zero by construction; differences of 1e-5 leave 1e-8";
    sp_at_most(report, "|div| a/U inside", largest_divergence(hill, 0.0, 1.0), 1e-6, why);
    sp_at_most(report, "|div| a/U from a to 2a", largest_divergence(hill, 1.0, 2.0), 1e-6, why);
    sp_at_most(report, "|div| a/U from 2a to 3a", largest_divergence(hill, 2.0, 3.0), 1e-6,
               "the blend adds grad f x vector potential");
    sp_within(report, "the same with T07's linear fall-off (7)",
              largest_divergence(hill_linear, 2.0, 3.0), 0.125, 5e-3,
              "grad f . u_h reaches 1/8 on the axis at 2a, and points fall near it");
    return SP_OK;
}

static double largest_jump(field *of, double d, double aside)
{
    double largest = 0.0;
    for (uint64_t n = 0; n < 2000; ++n) {
        double y[3], low[3], high[3], a[3], b[3];
        random_point(n, 1.0, 1.0, y);
        for (int c = 0; c < 3; ++c) {
            low[c] = y[c] * (d - aside);
            high[c] = y[c] * (d + aside);
        }
        of(low, a);
        of(high, b);
        for (int c = 0; c < 3; ++c)
            largest = fabs(a[c] - b[c]) > largest ? fabs(a[c] - b[c]) : largest;
    }
    return largest;
}

sp_status pond_prove_hill_continuity(sp_check_report *report, sp_error *err)
{
    (void)err;
    for (int d = 1; d <= 3; ++d) {
        sp_at_most(report, sp_label(report, "jump at %d a, over U", d), largest_jump(hill, d, 1e-7),
                   2e-6, "points 2e-7 a apart, slopes below 8 U/a");
    }
    sp_within(report, "jump of T07's (5) as printed, at a", largest_jump(printed, 1.0, 1e-7),
              0.8333, 1e-3, "3/2 is printed where 2/3 belongs");
    return SP_OK;
}

static double along_axis(double x, double z)
{
    const double y[3] = {x, 0.0, z};
    double u[3];
    hill(y, u);
    return u[2];
}

sp_status pond_prove_hill_frame(sp_check_report *report, sp_error *err)
{
    (void)err;
    const double exact = 1e-12; // rounding of a few sums in double
    sp_exact(report, "u_z/U a million radii away", along_axis(6e5, 8e5), 0,
             "the frame is the laboratory's: nothing blows far bubbles about");
    sp_within(report, "u_z/U at the centre", along_axis(0.0, 0.0), 2.5, exact, "P4");
    sp_within(report, "u_z/U at the pole", along_axis(0.0, 1.0), 1.0, exact,
              "the sphere travels with U");
    sp_within(report, "u_z/U at the equator", along_axis(1.0, 0.0), -0.5, exact, "P5");
    sp_within(report, "u_z/U on the axis at 2a", along_axis(0.0, 2.0), 0.125, exact,
              "d^-3, a dipole");
    return SP_OK;
}

/// Largest distance of |curl u| from `strength` times the distance from the axis.
static double vorticity_error(double d0, double d1, double strength)
{
    double largest = 0.0;
    for (uint64_t n = 0; n < 5000; ++n) {
        double y[3], g[3][3];
        random_point(n, d0 + 1e-4, d1 - 1e-4, y);
        gradient(hill, y, 1e-5, g);
        const double x = g[2][1] - g[1][2], v = g[0][2] - g[2][0], z = g[1][0] - g[0][1];
        const double expected = strength * sqrt(y[0] * y[0] + y[1] * y[1]);
        const double error = fabs(sqrt(x * x + v * v + z * z) - expected);
        largest = error > largest ? error : largest;
    }
    return largest;
}

sp_status pond_prove_hill_vorticity(sp_check_report *report, sp_error *err)
{
    (void)err;
    sp_at_most(report, "| |curl| - 7.5 U s/a^2 | a/U inside", vorticity_error(0.0, 1.0, 7.5), 1e-5,
               "Hill: proportional to s, the axis distance");
    sp_at_most(report, "|curl| a/U from a to 2a", vorticity_error(1.0, 2.0, 0.0), 1e-5,
               "the flow outside has no rotation");
    return SP_OK;
}

/// ---- Sums --------------------------------------------------------------------------------------

enum { BUBBLES = 700, GHOSTS = 60 };

static float between(double low, double high, uint64_t n, uint32_t k)
{
    return (float)(low + (high - low) * pond_proof_unit(4, n, k));
}

/// Bubbles of five size classes and ghosts of every age, everywhere.
static void fill_with_vortices(sp_pond *pond)
{
    for (uint64_t n = 0; n < BUBBLES; ++n) {
        const float r = 0.001f * powf(2.0f, between(0.0, 4.5, n, 3)); // 1 to 23 mm
        const size_t i = pond_add_bubble(pond, between(0, 1, n, 0), between(0, 1, n, 1),
                                         between(0, 0.3, n, 2), r, 0.1f);
        pond->bubbles.sx[i] = between(-0.3, 0.3, n, 4);
        pond->bubbles.sy[i] = between(-0.3, 0.3, n, 5);
        pond->bubbles.sz[i] = n % 50 == 0 ? 0.0f : between(-0.3, 0.3, n, 6);
    }
    pond_ghosts *g = &pond->ghosts;
    for (uint64_t n = BUBBLES; n < BUBBLES + GHOSTS; ++n) {
        const size_t k = sp_particles_append(&g->set, 1);
        g->cx[k] = between(-0.02, 1.02, n, 0); // a centre may lie behind a wall
        g->cy[k] = between(-0.02, 1.02, n, 1);
        g->cz[k] = between(0, 0.3, n, 2);
        g->sx[k] = between(-0.3, 0.3, n, 4);
        g->sy[k] = between(-0.3, 0.3, n, 5);
        g->sz[k] = between(-0.3, 0.3, n, 6);
        g->a[k] = between(0.005, 0.05, n, 3);
        g->left[k] = between(0.0, 0.6, n, 7);
    }
}

static void add_hill(const sp_pond *pond, size_t at, const double c[3], const double s[3], double a,
                     double sum[3])
{
    const pond_bubbles *b = &pond->bubbles;
    const double p[3] = {(double)b->px[at], (double)b->py[at], (double)b->pz[at]};
    const double y[3] = {(p[0] - c[0]) / a, (p[1] - c[1]) / a, (p[2] - c[2]) / a};
    double u[3];
    pond_hill(y, s, pond->def.vortex_falloff == SP_POND_SOLENOIDAL, u);
    for (int k = 0; k < 3; ++k)
        sum[k] += u[k];
}

/// P7's sum for one bubble, source by source.
static void sum_one_by_one(const sp_pond *pond, size_t at, double sum[3])
{
    const pond_bubbles *b = &pond->bubbles;
    const pond_ghosts *g = &pond->ghosts;
    const double strength = (double)pond->def.vortex_strength;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (size_t i = 0; i < b->set.count; ++i) {
        if (i == at) continue;
        const sp_vec3 v = pond_vortex_centre(pond, i);
        const double c[3] = {(double)v.x, (double)v.y, (double)v.z};
        const double s[3] = {strength * (double)b->sx[i], strength * (double)b->sy[i],
                             strength * (double)b->sz[i]};
        add_hill(pond, at, c, s, (double)pond->def.vortex_ratio * (double)b->r[i], sum);
    }
    for (size_t k = 0; k < g->set.count; ++k) {
        const double share = strength * (double)g->left[k] / (double)pond->def.fade_time;
        const double c[3] = {(double)g->cx[k], (double)g->cy[k], (double)g->cz[k]};
        const double s[3] = {share * (double)g->sx[k], share * (double)g->sy[k],
                             share * (double)g->sz[k]};
        add_hill(pond, at, c, s, (double)g->a[k], sum);
    }
}

static double worst_sum(sp_pond *pond)
{
    const pond_bubbles *b = &pond->bubbles;
    pond_gather_sources(pond);
    pond_vortex_sums(pond, b->set.count, b->px, b->py, b->pz, true, pond->wx, pond->wy, pond->wz);
    double worst = 0.0, fastest = 0.0;
    for (size_t i = 0; i < b->set.count; ++i) {
        double sum[3];
        sum_one_by_one(pond, i, sum);
        const double by_lanes[3] = {(double)pond->wx[i], (double)pond->wy[i], (double)pond->wz[i]};
        for (int k = 0; k < 3; ++k) {
            const double error = fabs(by_lanes[k] - sum[k]), speed = fabs(sum[k]);
            worst = error > worst ? error : worst;
            fastest = speed > fastest ? speed : fastest;
        }
    }
    return worst / fastest;
}

sp_status pond_prove_vortex_sums(sp_check_report *report, sp_error *err)
{
    sp_pond_def def = pond_proof_basin(100, 100, 0.01f, 0.3f);
    def.vortex_strength = 0.8f;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    fill_with_vortices(pond);
    static const char *const why = "float against double: 700 terms, each good to some 1e-7";
    sp_at_most(report, "sums against one by one, over the fastest", worst_sum(pond), 1e-5, why);
    pond->def.vortex_falloff = SP_POND_LINEAR;
    sp_at_most(report, "the same with the linear fall-off", worst_sum(pond), 1e-5, why);
    sp_pond_close(pond);
    return SP_OK;
}
