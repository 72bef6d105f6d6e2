// SPDX-License-Identifier: Apache-2.0
/// What foam does to itself on still, flat water.
#include "validate/foam/proofs.h"

/// ---- Momentum ----------------------------------------------------------------------------------

/// |sum of m a| over the sum of |m a|, with masses as volumes.
static double lack_of_balance(const sp_foam *f)
{
    const foam_sorted *s = &f->sorted;
    double sum[3] = {0}, all = 0.0;
    for (size_t k = 0; k < f->cells.count; ++k) {
        double size = 0.0;
        for (int a = 0; a < 3; ++a) {
            const double force = (double)s->volume[k] * (double)s->force[a][k];
            sum[a] += force;
            size += force * force;
        }
        all += sqrt(size);
    }
    return sqrt(sp_dot3(sum, sum)) / all;
}

/// Radii from 1 to 4 mm, crowded, with random velocities; two particles in one place.
sp_status foam_prove_momentum(sp_check_report *report, sp_error *err)
{
    enum { COUNT = 400 };
    static const float none[3];
    foam_case c;
    SP_TRY(foam_case_open(&c, COUNT, 0.001f, report->host, err));
    for (size_t i = 0; i < COUNT; ++i)
        c.radius[i] = 0.001f * (1.0f + 3.0f * sp_unit(sp_random(1, 1, i, 0, 0).x[0]));
    foam_case_scatter(&c, 1.2, 7);
    for (int a = 0; a < 3; ++a) {
        for (size_t i = 0; i < COUNT; ++i)
            c.p.v[a][i] = a == 1 ? 0.0f : sp_unit(sp_random(1, 2, i, 0, 0).x[a]) - 0.5f;
        c.p.x[a][1] = c.p.x[a][0];
    }
    uint32_t count[COUNT];
    const sp_status status = sp_foam_neighbours(c.foam, &c.p, count, err);
    if (status == SP_OK) {
        foam_find_density(c.foam);
        foam_find_forces(c.foam, c.p.id, none);
        sp_at_most(report, "sum of forces over the sum of their sizes, radii 1 to 4 mm",
                   lack_of_balance(c.foam), 1e-5, "forces of pairs are opposite; sums in float");
    }
    foam_case_close(&c);
    return status;
}

/// ---- Viscosity ---------------------------------------------------------------------------------

/// A touching patch with random velocities, viscosity alone: energy after each step over that before, at most,
/// and after 0.2 s over that at the start.
sp_status foam_prove_viscosity(sp_check_report *report, sp_error *err)
{
    enum { SIDE = 24 };
    foam_case c;
    SP_TRY(foam_case_open(&c, (size_t)SIDE * SIDE, 0.001f, report->host, err));
    foam_case_layer(&c, SIDE, 0.002);
    c.def.stiffness = c.def.cohesion = c.def.surface_drag = 0.0f;
    c.def.viscosity = 0.5f;
    for (size_t i = 0; i < c.p.count; ++i)
        for (int a = 0; a < 3; a += 2)
            c.p.v[a][i] = 0.1f * (sp_unit(sp_random(1, 2, i, 0, 0).x[a]) - 0.5f);
    sp_status status = foam_case_again(&c, err);
    const double start = foam_case_energy(&c);
    double before = start, rise = 0.0;
    for (int n = 0; n < 24 && status == SP_OK; ++n) {
        status = foam_case_run(&c, 0.2 / 24.0, 0.2 / 24.0, err);
        rise = fmax(rise, foam_case_energy(&c) / before);
        before = foam_case_energy(&c);
    }
    foam_case_close(&c);
    SP_TRY(status);
    sp_at_most(report, "energy after 0.2 s of viscosity over that before", before / start, 0.5,
               "it damps what approaches; with the printed sign energy grows by ten decades");
    sp_at_most(report, "largest gain of energy in a step", rise, 1.0, "viscosity gives none");
    return SP_OK;
}

/// ---- Packing -----------------------------------------------------------------------------------

/// A patch squeezed to 0.85 of touching, after eight seconds. The squeeze throws particles apart at 0.2 m/s, which
/// drag of 5/s ends within 4 cm; so they are large, or they would never meet again. The strengths are 8 times 10
/// and 100: the expected spacings were measured with a kernel that was normalised for cohesion too.
static sp_status relax(float cohesion, const sp_host *host, double *spacing, sp_error *err)
{
    enum { SIDE = 24 };
    foam_case c;
    SP_TRY(foam_case_open(&c, (size_t)SIDE * SIDE, 0.005f, host, err));
    foam_case_layer(&c, SIDE, 0.85 * 0.01);
    c.def.cohesion = cohesion;
    c.def.surface_drag = 5.0f;
    sp_status status = foam_case_again(&c, err);
    if (status == SP_OK) status = foam_case_run(&c, 8.0, 1.0 / 24.0, err);
    *spacing = foam_case_spacing(&c);
    foam_case_close(&c);
    return status;
}

sp_status foam_prove_packing(sp_check_report *report, sp_error *err)
{
    static const struct {
        float cohesion;
        double least, most;
        const char *why;
    } rows[] = {
        {0.0f, 0.99, 2.0, "pressure pushes until no density is above a perfect layer's"},
        {80.0f, 0.93, 1.03, "cohesion draws to touching, and neighbours farther out draw inwards"},
        {800.0f, 0.90, 1.03, "more so"},
    };
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        double spacing;
        SP_TRY(relax(rows[n].cohesion, report->host, &spacing, err));
        const double middle = 0.5 * (rows[n].least + rows[n].most);
        sp_within(report,
                  sp_label(report, "spacing over the diameter after a squeeze to 0.85, C = %g",
                           (double)rows[n].cohesion),
                  spacing, middle, rows[n].most - middle, rows[n].why);
    }
    return SP_OK;
}
