// SPDX-License-Identifier: Apache-2.0
/// Still water stays still, and its pressure is that of its depth.
#include "validate/liquid/proofs.h"

/// Largest error of the pressure against density*g*depth, relative to that at the floor.
static double pressure_error(const liquid *s, double level)
{
    const double g = 9.81, scale = (double)s->grid.voxel / s->last_dt;
    double worst = 0.0;
    for (liquid_voxel v = {0}; liquid_next_voxel(s, &v);)
        if (s->grid.phi[v.at] < 0.0f)
            worst = fmax(worst, fabs((double)s->grid.q[v.at] * scale - g * (level - v.p[1])));
    return worst / (g * level);
}

typedef struct rest {
    double fastest, pressure, level;
} rest;

/// A cubic tank, filled to 5/8 of its height plus `part` voxels.
static sp_status rest_once(rest *r, const sp_host *host, float edge, float part, double seconds,
                           sp_error *err)
{
    const float h = 0.01f, level = 0.625f * edge + part * h;
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, SP_LIQUID_EULERIAN, edge, edge, edge, h);
    proof_fill(&c.scene, (sp_box_def){.max = {edge, level, edge}});
    SP_TRY(liquid_case_open(&c, host, &s, err));
    const double deep = s->figures.start_volume / ((double)edge * (double)edge);
    const sp_status status = liquid_case_run(s, seconds, err);
    r->fastest = fmax(r->fastest, liquid_case_speeds(s).most);
    r->pressure = fmax(r->pressure, pressure_error(s, (double)level));
    r->level = fmax(r->level, fabs(deep - (double)level) / (double)h);
    liquid_close(s);
    return status;
}

/// The surface cuts the voxels at eight different heights: with ghost fluid the result is the same.
static sp_status rest_at_eight(sp_check_report *report, float edge, double seconds, sp_error *err)
{
    rest r = {0};
    for (int k = 0; k < 8; ++k)
        SP_TRY(rest_once(&r, report->host, edge, ((float)k + 0.5f) / 8.0f, seconds, err));
    sp_at_most(report, sp_label(report, "fastest after %g s of rest, m/s", seconds), r.fastest,
               1e-4,
               "what the solver leaves of g dt, 0.2 m/s a step, at its tolerance of 1e-5, and room "
               "for it to add up a little");
    sp_at_most(report, "pressure against its depth, share of the deepest", r.pressure, 1e-3,
               "a straight line is exact for the scheme wherever the surface cuts a voxel");
    sp_at_most(report, "level by volume against the scene's, voxels", r.level, 0.02,
               "the surface starts where the scene says");
    return SP_OK;
}

sp_status liquid_prove_still(sp_check_report *report, sp_error *err)
{
    return rest_at_eight(report, 0.16f, 0.5, err);
}

sp_status liquid_prove_still_long(sp_check_report *report, sp_error *err)
{
    return rest_at_eight(report, 0.32f, 10.0, err);
}

/// ---- A floor that slopes by 20 degrees through the voxels --------------------------------------

static sp_status rest_on_slope(sp_check_report *report, double seconds, sp_error *err)
{
    liquid_case c;
    liquid *s;
    liquid_case_domain(&c, SP_LIQUID_EULERIAN, 0.48f, 0.32f, 0.08f, 0.01f);
    proof_plane(&c.scene, (sp_plane_def){{0.0f, 0.03f, 0.0f}, {-0.34202014f, 0.93969262f, 0.0f}});
    proof_fill(&c.scene, (sp_box_def){.max = {0.48f, 0.2137f, 0.08f}});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_status status = liquid_case_run(s, seconds, err);
    const liquid_speeds v = liquid_case_speeds(s);
    liquid_close(s);
    SP_TRY(status);
    sp_at_most(
        report,
        sp_label(report, "fastest after %g s over a floor that slopes 20 degrees, m/s", seconds),
        v.most, 1e-3, "voxels as stairs would stir it to more than 1e-2");
    return SP_OK;
}

sp_status liquid_prove_slope(sp_check_report *report, sp_error *err)
{
    return rest_on_slope(report, 1.0, err);
}

sp_status liquid_prove_slope_long(sp_check_report *report, sp_error *err)
{
    return rest_on_slope(report, 10.0, err);
}

/// ---- With particles ----------------------------------------------------------------------------

/// A tank of water 15 voxels deep rests; `band`: its narrow_band.
static sp_status rest_with_particles(sp_check_report *report, float width, int32_t band,
                                     double seconds, sp_error *err)
{
    liquid_case c;
    liquid *s;
    const float h = 0.01f;
    liquid_case_domain(&c, SP_LIQUID_FLIP, width, 0.24f, width, h);
    c.def.narrow_band = band;
    proof_fill(&c.scene, (sp_box_def){.max = {width, 0.15f, width}});
    SP_TRY(liquid_case_open(&c, report->host, &s, err));
    const sp_status status = liquid_case_run(s, seconds, err);
    const liquid_speeds v = liquid_case_speeds(s);
    const double volume = sp_liquid_look(s).volume / s->figures.start_volume;
    liquid_close(s);
    SP_TRY(status);
    sp_at_most(report,
               sp_label(report, "rms speed after %g s of rest with particles%s, of sqrt(g dx)",
                        seconds, band > 0 ? "" : " everywhere"),
               v.rms / sqrt(9.81 * (double)h), 0.02,
               "a falling voxel's speed is 1: what noise is left must not be seen");
    sp_relative(report, "volume after it over that at the start", volume, 1.0, 0.01,
                "a surface out of jittered particles lies a tenth of a voxel off at most, of 15");
    return SP_OK;
}

enum { BAND = 4 }; ///< voxels; the default of scenes

sp_status liquid_prove_still_flip(sp_check_report *report, sp_error *err)
{
    return rest_with_particles(report, 0.16f, BAND, 2.0, err);
}

sp_status liquid_prove_still_flip_long(sp_check_report *report, sp_error *err)
{
    SP_TRY(rest_with_particles(report, 0.32f, BAND, 5.0, err));
    return rest_with_particles(report, 0.32f, 0, 5.0, err);
}
