// SPDX-License-Identifier: Apache-2.0
/// Connects the bubbles to Spume's solver interface (core/solver_type.h).
#include "bubbles/errata.h"
#include "bubbles/internal.h"

#include <stdio.h>

static sp_status solver_open(const sp_setup *setup, const sp_host *host, void **out, sp_error *err)
{
    bubbles *s;
    const sp_status status = bubbles_open(setup, host, &s, err);
    *out = s;
    return status;
}

static sp_status solver_step(void *solver, double t_end, sp_error *err)
{
    return sp_bubbles_frame(solver, t_end, NULL, NULL, err);
}

static void solver_close(void *solver)
{
    bubbles_close(solver);
}

static void solver_note(const void *solver, char *text, size_t size)
{
    const sp_bubbles_figures f = sp_bubbles_last(solver);
    snprintf(
        text, size,
        "t=%.4f  particles %zu  tiles %zu (%zu busy)  newton %d: %.1e m/s  pcg %d  div %.0e  air "
        "%.4g m3",
        f.time, f.particles, f.tiles, f.busy_tiles, f.newton, f.newton_change, f.iterations,
        f.divergence, f.air_volume);
}

const sp_solver_type sp_bubbles_solver = {
    .name = "bubbles",
    .about = "bubbles, oil and sand as particles in water on sparse tiles, coupled both ways",
    .paper = "Wretborn, Flynn, Stomakhin 2022, section 3; Wretborn, Stomakhin, Batty 2025",
    .keys = &sp_bubbles_keys,
    .grain = "bubbles.voxel",
    .uses = SP_USES_GRAVITY | SP_USES_DOMAIN | SP_USES_COLLIDERS | SP_USES_SLIP | SP_USES_FILL |
            SP_USES_FLOW | SP_USES_JET | SP_USES_SINKS,
    .check = bubbles_check,
    .estimate = bubbles_estimate,
    .seconds = bubbles_seconds,
    .open = solver_open,
    .step = solver_step,
    .publish = bubbles_publish,
    .save = bubbles_save,
    .restore = bubbles_restore,
    .close = solver_close,
    .note = solver_note,
    .errata = bubbles_errata,
    .erratum_count = BUBBLES_ERRATA,
};
