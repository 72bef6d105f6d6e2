// SPDX-License-Identifier: Apache-2.0
/// A ball of water falls freely and stays round. Surface tension raises its pressure by 2 sigma/R
/// and makes a block oscillate about a ball.
#include "validate/liquid/proofs.h"

/// ---- Free fall ---------------------------------------------------------------------------------

typedef struct roundness {
    double worst, rms; ///< |phi| off a ball's about the water's middle, voxels
} roundness;

/// Looks at voxels within one voxel of the surface.
static roundness look_at_ball(const liquid *s, double radius)
{
    double middle[3], velocity[3], sum = 0.0, count = 0.0;
    roundness r = {0};
    liquid_mean(s, middle, velocity);
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            double p[3], d = 0.0;
            liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
            for (int a = 0; a < 3; ++a)
                d += (p[a] - middle[a]) * (p[a] - middle[a]);
            d = sqrt(d) - radius;
            if (fabs(d) > (double)s->grid.voxel) continue;
            const double off = fabs((double)s->grid.phi[t * SP_TILE_VOXELS + (size_t)n] - d) /
                               (double)s->grid.voxel;
            r.worst = fmax(r.worst, off);
            sum += off * off;
            count += 1.0;
        }
    r.rms = sqrt(sum / count);
    return r;
}

typedef struct landing {
    double speed; ///< m/s
    roundness shape;
} landing;

static sp_status fall(sp_check_report *report, int method, double until, landing *l, sp_error *err)
{
    const float h = 0.01f, radius = 0.08f;
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, method, 0.3f, 0.48f, 0.3f, h);
    proof_fill_ball(&c.scene, (sp_sphere_def){{0.153f, 0.34f, 0.147f}, radius});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_status status = liquid_case_run(s, until, err);
    double place[3], v[3];
    liquid_mean(s, place, v);
    *l = (landing){-v[1], look_at_ball(s, (double)radius)};
    liquid_close(s);
    return status;
}

static const struct method {
    const char *name;
    int method;
} methods[] = {
    {"eulerian", SP_LIQUID_EULERIAN}, {"flip", SP_LIQUID_FLIP}, {"apic", SP_LIQUID_APIC}};
static const double fall_time = 0.15; // s; it falls 11 voxels

static void put_largest(sp_check_report *report, const char *name, double largest)
{
    sp_at_most(report,
               sp_label(report, "largest |phi off a ball's| at its surface, voxels, %s", name),
               largest, 0.1, "it falls without a change of shape");
}

sp_status liquid_prove_fall(sp_check_report *report, sp_error *err)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        landing l;
        SP_TRY(fall(report, methods[i].method, fall_time, &l, err));
        sp_relative(report,
                    sp_label(report, "speed of a ball after a fall of %g s, m/s, %s", fall_time,
                             methods[i].name),
                    l.speed, 9.81 * fall_time, 1e-3, "gravity is all that acts on it");
        sp_at_most(
            report,
            sp_label(report, "rms of phi off a ball's at its surface, voxels, %s", methods[i].name),
            l.shape.rms, 0.1, "it falls without a change of shape");
        if (methods[i].method == SP_LIQUID_EULERIAN)
            put_largest(report, methods[i].name, l.shape.worst);
    }
    return SP_OK;
}

/// The largest deviation with particles too, not only the mean.
sp_status liquid_prove_fall_long(sp_check_report *report, sp_error *err)
{
    for (size_t i = 1; i < sizeof methods / sizeof *methods; ++i) {
        landing l;
        SP_TRY(fall(report, methods[i].method, fall_time, &l, err));
        put_largest(report, methods[i].name, l.shape.worst);
    }
    return SP_OK;
}

/// ---- Surface tension ---------------------------------------------------------------------------

static const double sigma = 0.072; // N/m

static void make_weightless(liquid_case *c, float edge, float h, int method)
{
    liquid_case_domain(c, method, edge, edge, edge, h);
    c->scene.world.gravity[1] = 0.0f;
    c->def.surface_tension = (float)sigma;
}

/// Mean pressure of the water, Pa.
static double mean_pressure(const liquid *s)
{
    double sum = 0.0, count = 0.0;
    for (size_t v = 0; v < s->grid.tiles.count * SP_TILE_VOXELS; ++v) {
        if (!(s->grid.phi[v] < -s->grid.voxel)) continue;
        sum += (double)s->grid.q[v];
        count += 1.0;
    }
    return sum / count * (double)s->def.density * (double)s->grid.voxel / s->last_dt;
}

static sp_status press(sp_check_report *report, sp_error *err)
{
    const float h = 0.001f, radius = 0.01f;
    liquid_case c;
    liquid *s;
    make_weightless(&c, 0.032f, h, SP_LIQUID_EULERIAN);
    proof_fill_ball(&c.scene, (sp_sphere_def){{0.0162f, 0.0159f, 0.0161f}, radius});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_status status = sp_liquid_step(s, 1e-3, err);
    const double jump = mean_pressure(s);
    liquid_close(s);
    SP_TRY(status);
    sp_relative(report, "pressure in a drop of 10 voxels' radius, Pa", jump,
                2.0 * sigma / (double)radius, 0.05, "2 sigma/R (Laplace); curvature on the grid");
    return SP_OK;
}

typedef struct motion {
    double most, last; ///< kinetic energy, J
} motion;

static void note_motion(void *arg, liquid *s)
{
    motion *m = arg;
    m->last = sp_liquid_look(s).kinetic;
    m->most = fmax(m->most, m->last);
}

/// A block is released. Its energy is at most that of its surface beyond the surface of a ball.
static sp_status swing(sp_check_report *report, const char *name, int method, sp_error *err)
{
    const float h = 0.001f;
    const double x = 0.016, y = 0.010, z = 0.010;
    liquid_case c;
    liquid *s;
    motion m = {0};
    make_weightless(&c, 0.032f, h, method);
    proof_fill(&c.scene, (sp_box_def){{0.008f, 0.011f, 0.011f}, {0.024f, 0.021f, 0.021f}});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_status status = liquid_case_watch(s, 0.25, note_motion, &m, err);
    const double volume = sp_liquid_look(s).volume / s->figures.start_volume;
    liquid_close(s);
    SP_TRY(status);
    const double ball = cbrt(36.0 * SP_PI_D) * pow(x * y * z, 2.0 / 3.0);
    const double free = sigma * (2.0 * (x * y + y * z + z * x) - ball);
    sp_at_most(report, sp_label(report, "most kinetic energy of a block that swings, %s", name),
               m.most / free, 1.0, "over what its surface sets free on the way to a ball");
    if (method == SP_LIQUID_EULERIAN) return SP_OK; // it loses volume where shapes are small
    sp_relative(report, "its volume after 0.25 s over that before", volume, 1.0, 0.1,
                "edges that are rounded off within voxels, of a block of 16 x 10 x 10");
    return SP_OK;
}

sp_status liquid_prove_tension(sp_check_report *report, sp_error *err)
{
    SP_TRY(press(report, err));
    SP_TRY(swing(report, "eulerian", SP_LIQUID_EULERIAN, err));
    return swing(report, "flip", SP_LIQUID_FLIP, err);
}
