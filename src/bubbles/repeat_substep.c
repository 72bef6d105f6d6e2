// SPDX-License-Identifier: Apache-2.0
/// Repeats a substep that was too long.
///
/// The length of a substep follows from the speeds at its beginning. Where nothing moves yet, a substep of
/// 1/24 s may throw particles of air at 40 m/s, because pressure, tension and the thinning of the bubble
/// change within it, and the speeds then stay. So a substep that ends with anything at more than twice the
/// speed that `cfl` allows, or with a speed that is not finite, is taken back and repeated with half its
/// length, down to that of substeps_max. Later ones grow by a fifth each.
///
/// The state is kept for this only where it may be needed: before the first substep, before one in which an
/// emitter lets in all of its particles, after a repetition, and when something moves a quarter of what `cfl`
/// allows.
#include "bubbles/step.h"
#include "core/memory/blob.h"

static const double growth = 1.2, too_fast = 2.0, lively = 0.25;

/// Speed at which something moves as far as `cfl` allows in dt.
static double allowed_speed(const bubbles *s, double dt)
{
    return (double)s->def.cfl * (double)s->grid.voxel / dt;
}

static bool can_be_halved(const bubbles *s, double dt)
{
    return 2.0 * s->frame_seconds / dt <= s->def.substeps_max * (1.0 + 1e-9);
}

/// Whether a substep of dt may end far faster than it begins.
static bool may_throw(const bubbles *s, double dt)
{
    return s->substeps == 0 || s->limit > 0.0 ||
           bubbles_fastest(s) > lively * allowed_speed(s, dt) ||
           bubbles_emit_at_once(s, s->time + dt);
}

static bool is_too_fast(const bubbles *s, double dt)
{
    return !(bubbles_fastest(s) <= too_fast * allowed_speed(s, dt));
}

static void let_grow(bubbles *s, double dt)
{
    if (s->limit <= 0.0) return;
    s->limit = fmax(s->limit, dt) * growth;
    if (s->limit >= s->frame_seconds / s->def.substeps) s->limit = 0.0;
}

static sp_status repeat_until_calm(bubbles *s, double dt, sp_blob *before, sp_error *err)
{
    uint64_t repeated = s->figures.repeated;
    for (;;) {
        const sp_status status = bubbles_substep(s, dt, err);
        const bool wrong = status == SP_DIVERGED || (status == SP_OK && is_too_fast(s, dt));
        if (!wrong || !can_be_halved(s, dt)) return status;
        before->at = 0;
        SP_TRY(bubbles_restore(s, before, err));
        dt *= 0.5;
        s->limit = dt;
        s->figures.repeated = ++repeated;
    }
}

sp_status bubbles_careful_substep(bubbles *s, double dt, sp_error *err)
{
    if (!can_be_halved(s, dt) || !may_throw(s, dt)) return bubbles_substep(s, dt, err);
    sp_blob before = {.host = s->host};
    sp_status status = bubbles_save(s, &before, err);
    if (status == SP_OK) status = repeat_until_calm(s, dt, &before, err);
    sp_blob_close(&before);
    let_grow(s, s->last_dt);
    return status;
}
