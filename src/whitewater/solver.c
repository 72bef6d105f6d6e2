// SPDX-License-Identifier: Apache-2.0
/// Connects whitewater to Spume's solver interface (core/solver_type.h).
#include "whitewater/errata.h"
#include "whitewater/internal.h"

#include <stdio.h>

static sp_status solver_open(const sp_setup *setup, const sp_host *host, void **out, sp_error *err)
{
    whitewater *s;
    const sp_status status = whitewater_open(setup, host, &s, err);
    *out = s;
    return status;
}

static sp_status solver_step(void *solver, double t_end, sp_error *err)
{
    return whitewater_frame(solver, t_end, err);
}

static void solver_close(void *solver)
{
    whitewater_close(solver);
}

static void solver_note(const void *solver, char *text, size_t size)
{
    const whitewater *s = solver;
    const size_t foam = s->second[WHITEWATER_FOAM].set.count;
    snprintf(text, size,
             "t=%.4f  bubbles %zu  foam %zu  spray %zu  tiles %zu  pcg %d  foam substeps %d  off "
             "surface %.2f %%",
             s->time, s->bubbles.set.count + s->second[WHITEWATER_BUBBLES].set.count, foam,
             s->second[WHITEWATER_SPRAY].set.count, s->guide.tiles, s->guide.iterations,
             s->floating.foam.substeps,
             foam > 0 ? 100.0 * (double)(s->floating.sunk + s->floating.parted) / (double)foam
                      : 0.0);
}

const sp_profile *sp_whitewater_profile(const whitewater *s)
{
    return &s->profile;
}

const whitewater_ledger *sp_whitewater_ledger(const whitewater *s)
{
    return s->ledger;
}

const whitewater_set *sp_whitewater_set(const whitewater *s, int kind)
{
    return kind < 0 ? &s->bubbles : &s->second[kind];
}

const sp_solver_type sp_whitewater_solver = {
    .name = "whitewater",
    .about = "bubbles, wet foam and spray on any water: a cache, files, a liquid or an ocean",
    .paper = "Wretborn, Flynn, Stomakhin 2022; ocean: Horvath 2015",
    .keys = &sp_whitewater_keys,
    .grain = "whitewater.emission.budget",
    .uses = SP_USES_GRAVITY | SP_USES_DOMAIN | SP_USES_COLLIDERS | SP_USES_SLIP | SP_USES_FILL |
            SP_USES_FLOW | SP_USES_JET | SP_USES_SINKS,
    .check = whitewater_check,
    .estimate = whitewater_estimate,
    .seconds = whitewater_seconds,
    .open = solver_open,
    .step = solver_step,
    .publish = whitewater_publish,
    .save = whitewater_save,
    .restore = whitewater_restore,
    .close = solver_close,
    .note = solver_note,
    .errata = whitewater_errata,
    .erratum_count = WHITEWATER_ERRATA,
};
