// SPDX-License-Identifier: Apache-2.0
/// Says, once each, what makes a result doubtful: surface tension in too long substeps, particles larger than
/// the grid can hold, faces that they overfill, air that is let into a closed vessel, and air that grows.
#include "bubbles/internal.h"

/// ---- At the start ------------------------------------------------------------------------------

/// Surface tension moves the shortest waves on a grid faster than a longer substep can follow. The
/// papers' own scenes run at up to 2.2 of that limit (Brackbill et al. 1992); this allows 2.5.
static void warn_of_tension(bubbles *s, double frame)
{
    const double most = bubbles_tension_limit(&s->def), dt = frame / s->def.substeps;
    if (!(frame > 0.0) || dt <= most * (1.0 + 1e-9)) return;
    sp_log(s->host, SP_LOG_WARNING,
           "bubbles: surface tension may be unstable: a substep of %.2g s exceeds %.2g s; "
           "give bubbles.substeps at least %.0f",
           dt, most, ceil(frame / most));
}

/// A particle gives weights to the faces around it, however large it is: beyond a voxel most of its volume is
/// not on the grid.
static void warn_of_sizes(const bubbles *s, const sp_bubbles_def *def)
{
    for (size_t i = 0; i < def->emitter_count; ++i) {
        const sp_bubbles_emitter_def *e = &def->emitters[i];
        const bool range = e->radius_max > e->radius_min;
        const float most = range ? e->radius_max : e->radius_min;
        if (e->sizes != SP_BUBBLES_GIVEN || most <= def->voxel) continue;
        sp_log(s->host, SP_LOG_WARNING,
               "bubbles.emitters[%zu].%s: %g m is more than a voxel, %g m; the grid holds only a "
               "part of "
               "such a particle: make large bubbles of many, with sizes \"surfacing\"",
               i, range ? "radius_max" : "radius_min", (double)most, (double)def->voxel);
    }
}

void bubbles_warn_at_start(bubbles *s, const sp_setup *setup)
{
    warn_of_tension(s, setup->frame_seconds);
    warn_of_sizes(s, setup->def);
}

/// ---- At a pressure solve -----------------------------------------------------------------------

/// Of the first new particle in water that has no way out. What is there at the start has taken the place of
/// water; what comes later would have to push it away.
void bubbles_warn_of_closed(bubbles *s)
{
    const bubbles_particles *p = &s->particles;
    if (s->warned_closed || s->substeps == 0 || p->next_id == s->first_new) return;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            const float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
            double at[3];
            if (p->id[i] < s->first_new ||
                !sp_poisson_is_closed(s->poisson, t, (int)sp_point_voxel(x[0], x[1], x[2])))
                continue;
            s->warned_closed = true;
            bubbles_point(&s->grid, t, x, at);
            sp_log(s->host, SP_LOG_WARNING,
                   "bubbles: particles are let in near (%.3g, %.3g, %.3g) m at t = %.4g s, where "
                   "the water has no way out: it does not keep its volume (said once)",
                   at[0], at[1], at[2], s->time);
            return;
        }
}

/// ---- At a frame --------------------------------------------------------------------------------

static void warn_of_overfull(bubbles *s, const sp_bubbles_figures *f)
{
    if (s->warned_full || s->places || !(f->fullest > 1.5)) return;
    s->warned_full = true;
    sp_log(s->host, SP_LOG_WARNING,
           "bubbles: particles overfill %zu faces, one of them %.3g times, at t = %.4g s; their "
           "air counts "
           "as 1 there: use a larger voxel, or basis \"power\" (said once)",
           f->overfull, f->fullest, s->time);
}

static void warn_of_dry(bubbles *s, const sp_bubbles_figures *f)
{
    if (s->warned_dry || f->dry == 0) return;
    s->warned_dry = true;
    sp_log(s->host, SP_LOG_WARNING,
           "bubbles: %zu particles were let in outside the water by t = %.4g s, and dropped (said "
           "once)",
           (size_t)f->dry, s->time);
}

/// While particles are let in, air grows. Only a bubble of many particles can gain air that none of them has.
static void warn_of_growth(bubbles *s, const sp_bubbles_figures *f)
{
    if (f->emitted != s->emitted_before) s->volume_emitted = fmax(s->volume_emitted, f->air_volume);
    s->emitted_before = f->emitted;
    if (s->warned_volume || !s->places || !(f->air_volume > 1.5 * s->volume_emitted)) return;
    s->warned_volume = true;
    sp_log(s->host, SP_LOG_WARNING,
           "bubbles: the volume of air has grown by %.0f %% since the last particle was let in, at "
           "t = "
           "%.4g s; see substeps, pic, volume_gain and max_swelling (said once)",
           100.0 * (f->air_volume / s->volume_emitted - 1.0), s->time);
}

void bubbles_warn_at_frame(bubbles *s, const sp_bubbles_figures *f)
{
    warn_of_overfull(s, f);
    warn_of_growth(s, f);
    warn_of_dry(s, f);
}
