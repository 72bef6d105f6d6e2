// SPDX-License-Identifier: Apache-2.0
/// Connects the liquid solver to Spume's solver interface (core/solver_type.h).
#include "liquid/errata.h"
#include "liquid/pressure/volume.h"

#include <inttypes.h>
#include <stdio.h>

static sp_status solver_open(const sp_setup *setup, const sp_host *host, void **out, sp_error *err)
{
    liquid *s;
    const sp_status status = liquid_open(setup, host, &s, err);
    *out = s;
    return status;
}

/// Warns if more than one particle in a thousand got stuck in a frame: a body is too thin or fast.
static void warn_of_stuck(liquid *s)
{
    const uint64_t now = s->figures.stuck - s->stuck_at_last_warning;
    const double share = (double)now / fmax(1.0, (double)(s->particles.set.count + now));
    s->stuck_at_last_warning = s->figures.stuck;
    if (share > 1e-3)
        sp_log(s->host, SP_LOG_WARNING,
               "liquid: deleted %" PRIu64 " particles stuck inside colliders in the frame at t = "
               "%.4g s (%.2g %%)",
               now, s->time, 100.0 * share);
}

static sp_status solver_step(void *solver, double t_end, sp_error *err)
{
    liquid *s = solver;
    SP_TRY(sp_liquid_frame(s, t_end, NULL, NULL, err));
    warn_of_stuck(s);
    return SP_OK;
}

static void solver_close(void *solver)
{
    liquid_close(solver);
}

/// A count that is easy to read: 1.92 M, 87.3 k.
static void count_text(double n, char *text, size_t size)
{
    if (n >= 1e6)
        snprintf(text, size, "%.3g M", n * 1e-6);
    else if (n >= 1e3)
        snprintf(text, size, "%.3g k", n * 1e-3);
    else
        snprintf(text, size, "%.0f", n);
}

/// How the volume differs from what is expected, and the share that left by open sides, if any.
static void volume_text(const liquid *s, char *text, size_t size)
{
    const sp_liquid_figures *f = &s->figures;
    const double wanted = liquid_wanted_volume(&s->def, f), all = wanted + f->left_volume;
    size_t used = 0;
    text[0] = '\0';
    if (wanted > 0.0)
        used = (size_t)snprintf(text, size, "  vol %+.2f %%", 100.0 * (f->volume / wanted - 1.0));
    if (f->left_volume > 5e-4 * all)
        snprintf(text + used, size - used, "  left %.1f %%", 100.0 * f->left_volume / all);
}

static void solver_note(const void *solver, char *text, size_t size)
{
    const liquid *s = solver;
    enum { SHOWN = 8 };
    char voxels[24], particles[24], volume[64], iterations[80] = "";
    size_t used = 0;
    count_text((double)s->grid.tiles.count * SP_TILE_VOXELS, voxels, sizeof voxels);
    count_text((double)s->particles.set.count, particles, sizeof particles);
    for (int i = 0; i < s->frame_steps && i < SHOWN; ++i)
        used += (size_t)snprintf(iterations + used, sizeof iterations - used, "%s%d", i ? "/" : "",
                                 s->frame_iterations[i]);
    volume_text(s, volume, sizeof volume);
    snprintf(text, size, "t=%.4f  %d steps  %s voxels  %s particles  pcg %s%s  div %.0e%s", s->time,
             s->frame_steps, voxels, particles, iterations, s->frame_steps > SHOWN ? "..." : "",
             s->figures.divergence[0], volume);
}

const sp_solver_type sp_liquid_solver = {
    .name = "liquid",
    .about = "bulk water on sparse tiles: FLIP, APIC or none, cut cells, multigrid pressure",
    .paper = "Batty, Bertails, Bridson 2007; Zhu, Bridson 2005; Ferstl et al. 2016; as used by "
             "Wretborn, Flynn, Stomakhin 2022",
    .keys = &sp_liquid_keys,
    .grain = "liquid.voxel",
    .uses = SP_USES_GRAVITY | SP_USES_DOMAIN | SP_USES_COLLIDERS | SP_USES_SLIP | SP_USES_FILL |
            SP_USES_FLOW | SP_USES_JET | SP_USES_SINKS,
    .check = liquid_check,
    .estimate = liquid_estimate,
    .seconds = liquid_seconds,
    .open = solver_open,
    .step = solver_step,
    .publish = liquid_publish,
    .moment = liquid_moment,
    .save = liquid_save,
    .restore = liquid_restore,
    .close = solver_close,
    .note = solver_note,
    .errata = liquid_errata,
    .erratum_count = LIQUID_ERRATA,
};
