// SPDX-License-Identifier: Apache-2.0
/// Water without bubbles that is simulated again must stay the bulk's (T1).
#include "validate/liquid/proofs.h"
#include "validate/whitewater/guided.h"
#include "validate/whitewater/proofs.h"

/// ---- A vortex ----------------------------------------------------------------------------------

static sp_status drift_in_vortex(const sp_host *host, int pressure, double *drift, sp_error *err)
{
    guided_case c;
    const int32_t low[3] = {0, 0, 0}, high[3] = {3, 3, 0};
    SP_TRY(guided_case_open(&c, 0, 0.0f, 1.0f / 48.0f, host, err));
    c.water.kind = GUIDED_VORTEX;
    c.water.surface = 1.5;
    c.bulk = guided_water_bulk(&c.water);
    c.def.pressure = pressure;
    sp_status status = guided_case_again(&c, err);
    if (status == SP_OK) status = guided_case_force(&c, low, high, err);
    if (status == SP_OK) status = guided_case_run(&c, 2.0, 1.0 / 72.0, err);
    *drift = guided_case_drift(&c);
    guided_case_close(&c);
    return status;
}

sp_status whitewater_prove_guided_vortex(sp_check_report *report, sp_error *err)
{
    double ours, printed;
    SP_TRY(drift_in_vortex(report->host, SP_GUIDED_PERTURBATION, &ours, err));
    SP_TRY(drift_in_vortex(report->host, SP_GUIDED_HYDROSTATIC, &printed, err));
    sp_at_most(report, "vortices of 1 m/s, 2 s, no bubbles: |u - u_B|/|u_B|", ours, 1e-5,
               "what is added to the advected water makes it the bulk's");
    sp_at_least(report, "the same with the printed boundary: depth without motion", printed, 0.1,
                "the pressure of the bulk's motion is missing; 0.26 in a prototype");
    return SP_OK;
}

/// ---- A drop ------------------------------------------------------------------------------------

typedef struct splash {
    liquid_case c;
    sp_driver *driver;
    sp_bulk bulk;
} splash;

static sp_status open_splash(splash *s, const sp_host *host, sp_error *err)
{
    *s = (splash){.driver = NULL};
    liquid_make_drop(&s->c, 0.025f);
    const sp_driver_def def = {
        .type = &sp_liquid_solver, .setup = liquid_case_setup(&s->c), .fps = 24.0};
    SP_TRY(sp_driver_open(&def, host, &s->driver, err));
    sp_bulk_live_def live = {.driver = s->driver, .last = 4.0};
    for (int a = 0; a < 3; ++a) {
        live.low[a] = (double)s->c.domain.min[a];
        live.high[a] = (double)s->c.domain.max[a];
    }
    return sp_bulk_live(&live, host, &s->bulk, err);
}

static void close_splash(splash *s)
{
    sp_bulk_close(&s->bulk);
    sp_driver_close(s->driver);
}

/// Of the liquid's whole state at the moment that was served last.
static sp_status hash_splash(splash *s, const sp_host *host, uint64_t *hash, sp_error *err)
{
    sp_blob blob = {.host = host};
    const sp_status status = sp_driver_save(s->driver, &blob, err);
    *hash = sp_hash(0, blob.bytes, blob.size);
    sp_blob_close(&blob);
    return status;
}

/// Guided water on all of the domain, with n bubbles in the pool.
static sp_status follow_splash(splash *s, size_t n, const sp_host *host, double *drift,
                               double *divergence, sp_error *err)
{
    guided_case c;
    const double h = (double)s->bulk.voxel, tile = SP_TILE * h;
    const int32_t low[3] = {0, 0, 0};
    int32_t high[3];
    SP_TRY(guided_case_open(&c, n, 0.002f, s->bulk.voxel, host, err));
    c.world.bulk = &s->bulk;
    guided_case_scatter(&c, 0.05, 1);
    for (int a = 0; a < 3; ++a) {
        high[a] = (int32_t)floor((s->bulk.high[a] - s->bulk.low[a]) / tile + 1e-6) - 1;
        c.def.origin[a] = s->bulk.low[a];
        for (size_t i = 0; i < n; ++i)
            c.p.x[a][i] +=
                s->bulk.low[a] + (a == 1 ? 0.1 : 0.5 * (s->bulk.high[a] - s->bulk.low[a]));
    }
    sp_status status = guided_case_again(&c, err);
    if (status == SP_OK && n == 0) status = guided_case_force(&c, low, high, err);
    if (status == SP_OK) status = guided_case_run(&c, 2.0, 1.0 / 72.0, err);
    *drift = guided_case_drift(&c);
    *divergence = c.figures.bulk_divergence;
    guided_case_close(&c);
    return status;
}

sp_status whitewater_prove_guided_drop(sp_check_report *report, sp_error *err)
{
    double drift[2], divergence[2];
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        splash s;
        sp_status status = open_splash(&s, report->host, err);
        if (status == SP_OK)
            status = follow_splash(&s, k ? 500 : 0, report->host, &drift[k], &divergence[k], err);
        if (status == SP_OK) status = hash_splash(&s, report->host, &hash[k], err);
        close_splash(&s);
        SP_TRY(status);
    }
    sp_at_most(report, "a drop that splashes, 2 s, no bubbles: |u - u_B|/|u_B|", drift[0], 1e-5,
               "what is added to the advected water makes it the bulk's");
    sp_at_least(report, "the same with 500 bubbles", drift[1], 1e-3,
                "they move the water around them");
    sp_exact(report, "the drop's own state with 500 bubbles, hash off", hash[0] != hash[1], 0,
             "the bulk never changes");
    sp_reported(report, "divergence of the drop's own water, 1/s, rms", divergence[0],
                "that the guided water has as well");
    return SP_OK;
}
