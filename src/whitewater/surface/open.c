// SPDX-License-Identifier: Apache-2.0
/// Opens and closes the surface half of whitewater.
#include "whitewater/surface/internal.h"

static sp_status open_parts(whitewater_surface *s, sp_error *err)
{
    if (!sp_scratch_open(&s->scratch, s->host, 0))
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for the surface");
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        SP_TRY(whitewater_set_open(&s->moving[k], s->host, err));
    return sp_foam_open(&s->foam_def, s->host, &s->foam, err);
}

sp_status whitewater_surface_open(const sp_foam_def *foam, const sp_floating_def *floating,
                                  const sp_spray_def *spray, const sp_host *host,
                                  whitewater_surface **out, sp_error *err)
{
    *out = NULL;
    whitewater_surface *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for the surface");
    s->host = host;
    s->foam_def = *foam;
    s->floating = *floating;
    s->spray = *spray;
    surface_shape_life(s);
    const sp_status status = open_parts(s, err);
    if (status == SP_OK)
        *out = s;
    else
        whitewater_surface_close(s);
    return status;
}

void whitewater_surface_close(whitewater_surface *s)
{
    if (!s) return;
    const sp_host *host = s->host;
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        whitewater_set_close(&s->moving[k]);
    sp_foam_close(s->foam);
    sp_scratch_close(&s->scratch);
    sp_release(host, s);
}
