// SPDX-License-Identifier: Apache-2.0
/// Checks that a solver supports all parts of a scene's world, and reports those it does not.
#include "shapes/world.h"
#include "solver/solver.h"

#include <stdio.h>
#include <string.h>

enum { GRAVITY, DOMAIN, COLLIDERS, EMITTERS, SINKS, PARTS };
static const struct part {
    const char *key;
    unsigned bits;
    const char *what, *expected; ///< for "the pond solver has no WHAT; expected EXPECTED"
} parts[PARTS] = {
    [GRAVITY] = {"gravity", SP_USES_GRAVITY, "gravity but its own", "[0, -9.81, 0]"},
    [DOMAIN] = {"domain", SP_USES_DOMAIN, "domain", "none"},
    [COLLIDERS] = {"colliders", SP_USES_COLLIDERS, "colliders", "none"},
    [EMITTERS] = {"emitters", SP_USES_FILL | SP_USES_FLOW | SP_USES_JET, "emitters", "none"},
    [SINKS] = {"sinks", SP_USES_SINKS, "sinks", "none"},
};

unsigned sp_uses_bits(const char *key)
{
    for (int i = 0; i < PARTS; ++i)
        if (strcmp(parts[i].key, key) == 0) return parts[i].bits;
    return 0;
}

static bool same_vector(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static sp_status check_mode(const sp_emitter_def *emitter, size_t i, unsigned uses,
                            const char *solver, sp_error *err)
{
    if (uses & (unsigned)SP_USES_FILL << emitter->mode) return SP_OK;
    char expected[32] = "";
    for (int m = 0; sp_emitter_modes[m]; ++m) {
        const size_t used = strlen(expected);
        if (uses & (unsigned)SP_USES_FILL << m)
            snprintf(expected + used, sizeof expected - used, "%s%s", used ? " or " : "",
                     sp_emitter_modes[m]);
    }
    return sp_fail(err, SP_BAD_INPUT, "emitters[%zu].mode: the %s solver has no %s; expected %s", i,
                   solver, sp_emitter_modes[emitter->mode], expected);
}

static sp_status check_slip(const sp_world_def *w, unsigned uses, const char *solver, sp_error *err)
{
    for (size_t i = 0; i < w->collider_count && !(uses & SP_USES_SLIP); ++i)
        if (w->colliders[i].slip != 1.0f)
            return sp_fail(err, SP_BAD_INPUT,
                           "colliders[%zu].slip: %g; the %s solver has walls along which water "
                           "slides freely; expected 1",
                           i, (double)w->colliders[i].slip, solver);
    return SP_OK;
}

sp_status sp_uses_check(const sp_world_def *w, unsigned uses, const char *solver, sp_error *err)
{
    const bool given[PARTS] = {
        [GRAVITY] = !same_vector(w->gravity, sp_world_gravity),
        [DOMAIN] = w->domain,
        [COLLIDERS] = w->collider_count > 0,
        [EMITTERS] = w->emitter_count > 0,
        [SINKS] = w->sink_count > 0,
    };
    for (int i = 0; i < PARTS; ++i)
        if (given[i] && !(uses & parts[i].bits))
            return sp_fail(err, SP_BAD_INPUT, "%s: the %s solver has no %s; expected %s",
                           parts[i].key, solver, parts[i].what, parts[i].expected);
    for (size_t i = 0; i < w->emitter_count; ++i)
        SP_TRY(check_mode(&w->emitters[i], i, uses, solver, err));
    return check_slip(w, uses, solver, err);
}
