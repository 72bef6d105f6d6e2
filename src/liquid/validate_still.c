// SPDX-License-Identifier: Apache-2.0
/// Still water stays still, and its pressure is that of its depth.
#include "liquid/validate.h"

#include <stdio.h>

/// Largest error of the pressure against density*g*depth, relative to that at the floor.
static double pressure_error(const liquid *s, double level)
{
    const double g = 9.81, scale = (double)s->voxel / s->last_dt;
    double worst = 0.0;
    for (size_t t = 0; t < s->tiles.count; ++t)
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            double p[3];
            const size_t v = t * SP_TILE_VOXELS + (size_t)n;
            liquid_voxel_center(s, (uint32_t)t, n, p);
            bool inside = s->phi[v] < 0.0f;
            for (int a = 0; a < 3; ++a)
                inside &= p[a] > s->domain[0][a] && p[a] < s->domain[1][a];
            if (!inside) continue;
            worst = fmax(worst, fabs((double)s->q[v] * scale - g * (level - p[1])));
        }
    return worst / (g * level);
}

/// V-1: the surface cuts the voxels at eight different heights; ghost fluid must not care.
sp_status liquid_prove_still(sp_check_report *report, sp_error *err)
{
    const float h = 0.01f;
    double fastest = 0.0, off = 0.0, level_off = 0.0;
    for (int k = 0; k < 8; ++k) {
        liquid_case c;
        liquid *s;
        const float level = 0.2f + ((float)k + 0.5f) / 8.0f * h;
        liquid_case_domain(&c, 0.32f, 0.32f, 0.32f, h);
        c.def.method = SP_LIQUID_EULERIAN;
        c.def.aeration = false;
        liquid_case_fill(&c, (const float[3]){0}, (const float[3]){0.32f, level, 0.32f});
        SP_TRY(liquid_case_open(&c, report->host, &s, err));
        const double volume = s->figures.start_volume / (0.32 * 0.32);
        const sp_status status = liquid_case_run(s, 10.0, err);
        fastest = fmax(fastest, liquid_case_speeds(s).most);
        off = fmax(off, pressure_error(s, (double)level));
        level_off = fmax(level_off, fabs(volume - (double)level) / (double)h);
        liquid_close(s);
        SP_TRY(status);
    }
    liquid_put(report, SP_AT_MOST, "fastest after 10 s of rest, m/s", fastest, 1e-4, 0,
               "what the solver leaves of g dt, 0.6 m/s a step, at its tolerance of 1e-5, and room "
               "for it to add up a little");
    liquid_put(report, SP_AT_MOST, "pressure against its depth, share of the deepest", off, 1e-3, 0,
               "a straight line is exact for the scheme wherever the surface cuts a voxel");
    liquid_put(report, SP_AT_MOST, "level by volume against the scene's, voxels", level_off, 0.02,
               0, "the surface starts where the scene says");
    return SP_OK;
}

/// V-2: a floor that slopes by 20 degrees through the voxels.
sp_status liquid_prove_slope(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, 0.48f, 0.32f, 0.16f, 0.01f);
    c.def.method = SP_LIQUID_EULERIAN;
    c.def.aeration = false;
    liquid_case_plane(&c, (const float[3]){0.0f, 0.03f, 0.0f},
                      (const float[3]){-0.34202014f, 0.93969262f, 0.0f});
    liquid_case_fill(&c, (const float[3]){0}, (const float[3]){0.48f, 0.2137f, 0.16f});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_status status = liquid_case_run(s, 10.0, err);
    const liquid_speeds v = liquid_case_speeds(s);
    liquid_close(s);
    SP_TRY(status);
    liquid_put(report, SP_AT_MOST, "fastest after 10 s over a floor that slopes 20 degrees, m/s",
               v.most, 1e-3, 0, "voxels as stairs would stir it to more than 1e-2");
    return SP_OK;
}

sp_status liquid_prove_still_flip(sp_check_report *report, sp_error *err)
{
    liquid_case c;
    liquid *s;
    const float h = 0.01f;
    liquid_case_domain(&c, 0.32f, 0.32f, 0.32f, h);
    c.def.aeration = false;
    liquid_case_fill(&c, (const float[3]){0}, (const float[3]){0.32f, 0.2f, 0.32f});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_status status = liquid_case_run(s, 5.0, err);
    const liquid_speeds v = liquid_case_speeds(s);
    liquid_close(s);
    SP_TRY(status);
    liquid_put(report, SP_AT_MOST, "rms speed after 5 s of rest with particles, of sqrt(g dx)",
               v.rms / sqrt(9.81 * (double)h), 0.02, 0,
               "a falling voxel's speed is 1: what noise is left must not be seen");
    return SP_OK;
}
