// SPDX-License-Identifier: Apache-2.0
/// Emitters, walls and sinks of the particle solver, opened without the rest of it.
#include "sph/internal.h"
#include "testing.h"
#include "validate/shapes/proofs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Opens emitters, walls and the initial water, at spacing d and support 2d.
static sp_status try_open_around(sph *s, const sp_host *host, const sp_world_def *world, float d,
                                 sp_error *err)
{
    *s = (sph){.host = host, .d = d, .h = 2.0f * d, .has_domain = world->domain != NULL};
    s->def = (sp_sph_def){.spacing = d,
                          .support_ratio = 2.0f,
                          .density_liquid = 1000.0f,
                          .density_air = 1.0f,
                          .boundary_volume_scale = 0.7f};
    for (int k = 0; k < 3 && world->domain; ++k) {
        s->domain[0][k] = world->domain->min[k];
        s->domain[1][k] = world->domain->max[k];
    }
    SP_TRY(sph_phase_open(s, &s->liquid, false, err));
    SP_TRY(sph_phase_open(s, &s->air, true, err));
    SP_TRY(sph_emitters_open(s, world, err));
    SP_TRY(sph_walls_open(s, world, err));
    return sph_fill(s, world, err);
}

static void open_around(sph *s, const sp_host *host, const sp_world_def *world, float d)
{
    assert_ok(try_open_around(s, host, world, d, ERR));
}

static void close_around(sph *s)
{
    for (size_t k = 0; k < s->sinks; ++k)
        sp_shape_close(s->sink[k]);
    sp_release(s->host, s->sink);
    sp_release(s->host, s->gone);
    sph_walls_close(s);
    sph_emitters_close(s);
    sph_phase_close(&s->liquid);
    sph_phase_close(&s->air);
}
