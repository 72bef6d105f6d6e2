// SPDX-License-Identifier: Apache-2.0
/// Aeration at the end of a frame (bulk/aeration.c), and the past velocities that it needs: of the
/// ends of frames, back to the first one that is old enough.
#include "bulk/bulk.h"
#include "liquid/internal.h"

sp_status liquid_aerate(liquid *s, sp_error *err)
{
    sp_bulk_moment now;
    const sp_bulk_aeration_def def = {.density = (double)s->def.density,
                                      .length = (double)s->def.aeration_length};
    if (!s->grid.aeration) return SP_OK;
    SP_TRY(liquid_moment(s, &now, err));
    now.time = s->time;
    SP_TRY(sp_bulk_aeration(&def, &now, &s->pasts, s->grid.aeration, err));
    return sp_bulk_pasts_keep(&s->pasts, &now, err);
}
