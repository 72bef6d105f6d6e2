// SPDX-License-Identifier: Apache-2.0
/// Aeration at the end of a frame (bulk/aeration.c), and the past velocities that it needs: of the
/// ends of frames, back to the first one that is old enough. If frames are short, not all of them
/// are kept.
#include "bulk/bulk.h"
#include "liquid/internal.h"

/// Whether `age` is at least `time`, or would be without rounding.
static bool is_past(double age, double time)
{
    return age >= time * (1.0 - 1e-6);
}

void liquid_pasts_close(liquid_pasts *p)
{
    for (int i = 0; i < p->count; ++i)
        sp_bulk_past_close(&p->past[i]);
    p->count = 0;
}

/// Closes past velocities that are older than needed.
static void forget(liquid_pasts *p, double now)
{
    while (p->count >= 2 && is_past(now - p->past[1].time, SP_BULK_AERATION_TIME)) {
        sp_bulk_past_close(&p->past[0]);
        memmove(&p->past[0], &p->past[1], (size_t)--p->count * sizeof *p->past);
    }
}

static sp_status remember(liquid_pasts *p, const sp_bulk_moment *now, sp_error *err)
{
    const double apart = SP_BULK_AERATION_TIME / (LIQUID_PASTS - 2);
    if (p->count > 0 && !is_past(now->time - p->past[p->count - 1].time, apart)) return SP_OK;
    SP_ASSERT(p->count < LIQUID_PASTS);
    p->past[p->count] = (sp_bulk_past){0};
    SP_TRY(sp_bulk_past_take(&p->past[p->count], now, err));
    ++p->count;
    return SP_OK;
}

sp_status liquid_aerate(liquid *s, sp_error *err)
{
    liquid_pasts *p = &s->pasts;
    sp_bulk_moment now;
    if (!s->grid.aeration) return SP_OK;
    SP_TRY(liquid_moment(s, &now, err));
    now.time = s->time;
    forget(p, s->time);
    if (p->count > 0 && is_past(s->time - p->past[0].time, SP_BULK_AERATION_TIME)) {
        const sp_bulk_aeration_def def = {(double)s->def.density, (double)s->def.aeration_length};
        sp_bulk_aeration(&def, &now, &p->past[0], s->grid.aeration);
    } else {
        memset(s->grid.aeration, 0, s->grid.tiles.count * SP_TILE_VOXELS * sizeof(float));
    }
    return remember(p, &now, err);
}
