// SPDX-License-Identifier: Apache-2.0
/// Rules between keys, and what a run will need.
#include "whitewater/internal.h"

static sp_status check_water(const sp_setup *setup, sp_error *err)
{
    const sp_whitewater_def *d = setup->def;
    const int waters = (d->bulk != NULL) + (d->liquid != NULL) + (d->ocean != NULL);
    if (waters == 0)
        return sp_fail(err, SP_BAD_INPUT,
                       "whitewater: has no water; expected bulk (a run's directory or files), "
                       "liquid or ocean");
    if (waters > 1)
        return sp_fail(err, SP_BAD_INPUT,
                       "whitewater: has %d waters; expected one of bulk, liquid and ocean", waters);
    if (!d->liquid && setup->world->emitter_count > 0)
        return sp_fail(err, SP_BAD_INPUT,
                       "emitters: they pour water into whitewater.liquid, which the scene has not; "
                       "air comes from "
                       "whitewater.emission.sources");
    if (!d->liquid && setup->world->sink_count > 0)
        return sp_fail(err, SP_BAD_INPUT,
                       "sinks: they drain whitewater.liquid, which the scene has not");
    return SP_OK;
}

static sp_status check_liquid(const sp_setup *setup, sp_error *err)
{
    const sp_whitewater_def *d = setup->def;
    sp_setup of_water = *setup;
    of_water.def = d->liquid;
    if (!d->liquid) return SP_OK;
    if (!setup->world->domain)
        return sp_fail(err, SP_BAD_INPUT, "domain: missing; expected a box for whitewater.liquid");
    const sp_status status =
        sp_liquid_solver.check ? sp_liquid_solver.check(&of_water, err) : SP_OK;
    if (status == SP_OK) return status;
    sp_error_prefix(err, "whitewater.");
    return status;
}

sp_status whitewater_check_end(const sp_setup *setup, double last, sp_error *err)
{
    const sp_whitewater_def *d = setup->def;
    if (!d->bulk || setup->seconds <= last + 1e-6 * setup->frame_seconds) return SP_OK;
    return sp_fail(
        err, SP_BAD_INPUT,
        "frames: the scene lasts %g s, but its water, %s, ends at %g s; expected at most "
        "%.0f frames",
        setup->seconds, d->bulk, last, floor(last / setup->frame_seconds + 1e-6));
}

/// Files are looked at when there is someone to open them: not yet while the scene is read.
static sp_status check_files(const sp_setup *setup, sp_error *err)
{
    const sp_whitewater_def *d = setup->def;
    double last = 0.0;
    if (!d->bulk || !setup->files || !setup->files->open_bulk) return SP_OK;
    SP_TRY(whitewater_peek(setup, &last, err));
    return whitewater_check_end(setup, last, err);
}

sp_status whitewater_check(const sp_setup *setup, sp_error *err)
{
    const sp_whitewater_def *d = setup->def;
    SP_TRY(check_water(setup, err));
    SP_TRY(sp_emission_check(&d->emission, &d->aeration, "whitewater", err));
    SP_TRY(sp_foam_check(&d->foam, "whitewater.foam", err));
    SP_TRY(sp_floating_check(&d->floating, "whitewater.floating", err));
    SP_TRY(sp_spray_check(&d->spray, "whitewater.spray", err));
    if (d->ocean) SP_TRY(sp_ocean_check(d->ocean, "whitewater.ocean", err));
    if (d->ocean && sp_ocean_missing())
        return sp_fail(err, SP_UNSUPPORTED, "whitewater.ocean: %s", sp_ocean_missing());
    SP_TRY(check_liquid(setup, err));
    return check_files(setup, err);
}

/// ---- Memory and time ---------------------------------------------------------------------------

/// Bytes of a particle: its columns, places in tiles or cells, and values in a step.
enum { BUBBLE_BYTES = 700 };

static double water_bytes(const sp_setup *setup)
{
    const sp_whitewater_def *d = setup->def;
    sp_setup of_water = *setup;
    of_water.def = d->liquid;
    return d->liquid ? 1.3 * sp_liquid_solver.estimate(&of_water)
                     : 0.0; // and a copy of the moment before
}

double whitewater_estimate(const sp_setup *setup)
{
    const sp_whitewater_def *d = setup->def;
    return water_bytes(setup) + 0.5 * (double)d->emission.budget * BUBBLE_BYTES;
}

double whitewater_seconds(const sp_setup *setup)
{
    const sp_whitewater_def *d = setup->def;
    sp_setup of_water = *setup;
    of_water.def = d->liquid;
    const double particles = 0.1 * (double)d->emission.budget,
                 frames = setup->seconds / setup->frame_seconds, each = 2e-6 * (double)d->steps;
    const double water =
        d->liquid && sp_liquid_solver.seconds ? sp_liquid_solver.seconds(&of_water) : 0.0;
    return water + frames * particles * each;
}
