// SPDX-License-Identifier: Apache-2.0
/// Says, once each, what makes foam doubtful: substeps that are too long, radii that differ too much, and water that
/// changes faster than foam can follow.
#include "whitewater/surface/internal.h"

#define WIDEST 8.0      // largest radius over a small one
#define MOST_LOST 0.005 // of foam in a step

enum { FEW = 200 }; ///< particles, of which one or two say nothing

void surface_warn_of_foam(whitewater_surface *s, const whitewater_set *foam,
                          const sp_foam_figures *f)
{
    float largest = 0.0f;
    if (!s->warned_substeps && f->wanted > f->substeps) {
        s->warned_substeps = true;
        sp_log(s->host, SP_LOG_WARNING,
               "whitewater: foam needs %d substeps (small radius %.2g mm, viscosity %g m/s); "
               "capped at %d, "
               "foam may jitter: see foam.max_substeps (said once)",
               f->wanted, 1e3 * f->radius, (double)s->foam_def.viscosity, f->substeps);
    }
    for (size_t i = 0; i < foam->set.count && !s->warned_sizes; ++i)
        largest = fmaxf(largest, foam->radius[i] * sqrtf(foam->number[i]));
    if (s->warned_sizes || !((double)largest > WIDEST * f->radius) || !(f->radius > 0.0)) return;
    s->warned_sizes = true;
    sp_log(s->host, SP_LOG_WARNING,
           "whitewater: foam radii span %.2g:1; forces between particles are unreliable above %g:1 "
           "(said once)",
           (double)largest / f->radius, WIDEST);
}

void surface_warn_of_lost(whitewater_surface *s, size_t foam, const whitewater_surface_figures *f)
{
    const double share = (double)(f->sunk + f->parted) / (double)(foam > 0 ? foam : 1);
    if (s->warned_lost || foam < FEW || !(share > MOST_LOST)) return;
    s->warned_lost = true;
    sp_log(s->host, SP_LOG_WARNING,
           "whitewater: %.3g %% of foam left the surface in a step (%zu became bubbles, %zu spray "
           "or removed): the water's surface changes faster than foam.max_correction, %g m, can "
           "follow (said once)",
           100.0 * share, f->sunk, f->parted, (double)s->foam_def.max_correction);
}
