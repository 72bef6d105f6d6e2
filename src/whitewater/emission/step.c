// SPDX-License-Identifier: Apache-2.0
/// A step of emission, and what it tells the user.
#include "whitewater/emission/internal.h"

/// ---- Messages ----------------------------------------------------------------------------------

static void tell_sizes(const whitewater_emission *e, double voxel)
{
    const emission_sizes *s = &e->sizes;
    if (!(e->def.radius_max > 0.0f))
        sp_log(e->host, SP_LOG_INFO,
               "emission: bubbles of %.3g to %.3g mm, inferred from voxels of %.3g mm%s",
               1e3 * s->min, 1e3 * s->max, 1e3 * voxel,
               s->number > 1.0 ? "; larger ones would break up, so a particle stands for several"
                               : "");
    if (s->max > 0.5 * voxel)
        sp_log(e->host, SP_LOG_WARNING,
               "bubble radius %.3g m exceeds half a voxel (%.3g m): shares of air will clamp at "
               "emission.air_share",
               s->max, voxel);
}

/// `wanted`: bubbles.
static void tell_number(whitewater_emission *e, double wanted, double number)
{
    if (number > 1.0 && !e->told_number) {
        e->told_number = true;
        sp_log(e->host, SP_LOG_INFO,
               "emission: a particle stands for %.3g bubbles, so that there are no more than "
               "emission.budget = %.3g particles",
               number, (double)e->def.budget);
    }
    if (isinf(number) && wanted > 0.0 && !e->told_short) {
        e->told_short = true;
        sp_log(e->host, SP_LOG_WARNING,
               "emission wants %.3g bubbles in this step, but there are emission.budget = %.3g "
               "particles already: they are left out; raise emission.radius_min or emission.budget",
               wanted, (double)e->def.budget);
    }
}

/// ---- The step ----------------------------------------------------------------------------------

static void choose_sizes(whitewater_emission *e, double voxel)
{
    const bool first = !(e->sizes.volume > 0.0);
    e->sizes = emission_sizes_of(&e->def, voxel);
    if (first) tell_sizes(e, voxel);
}

size_t emission_count_all(const whitewater_intake *in)
{
    size_t count = in->others;
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        count += in->to[k] ? in->to[k]->set.count : 0;
    return count;
}

/// m3 of air that voxels let in within the step.
static double wanted_air(const emission_step *s)
{
    const emission_held *h = &s->e->held;
    double rate = 0.0;
    for (size_t i = 0; i < h->count; ++i)
        rate += (double)h->cell[i].rate;
    return rate * s->world->dt;
}

/// W18: the terminal speed of a bubble in still water, 6 mu v + rho r v^2/2 = 4/3 r^2 (rho - rho_air) g, against
/// gravity.
static void add_slip(void *arg, size_t begin, size_t end)
{
    const emission_step *s = arg;
    const whitewater_world *w = s->world;
    const emission_fresh *f = &s->e->fresh;
    const double g[3] = {(double)w->gravity[0], (double)w->gravity[1], (double)w->gravity[2]},
                 strength = sqrt(sp_dot3(g, g)), light = (double)(w->density - w->density_air);
    for (size_t i = begin; i < end && strength > 0.0; ++i) {
        const double r = (double)f->radius[i], viscous = 6.0 * (double)w->viscosity,
                     inertial = 0.5 * (double)w->density * r,
                     lift = 4.0 / 3.0 * r * r * light * strength;
        const double speed =
            2.0 * lift / (viscous + sqrt(viscous * viscous + 4.0 * inertial * lift));
        for (int a = 0; a < 3; ++a)
            f->u[a][i] -= (float)(speed * g[a] / strength);
    }
}

static sp_status let_air_in(const emission_step *s, sp_error *err)
{
    static const float rest[3] = {0.0f, 0.0f, 0.0f};
    whitewater_emission *e = s->e;
    SP_TRY(emission_place(s, err));
    if (e->def.slip)
        sp_parallel(e->host, e->fresh.count, EMISSION_GRAIN, add_slip, (void *)(uintptr_t)s);
    return emission_let_in(s, WHITEWATER_BUBBLES, rest, err);
}

/// Other sources of air by place (whitecaps of an ocean, which has no moments) belong beside
/// emission_hold(): they too fill `held` with cells.
static sp_status find_rates(emission_step *s, sp_error *err)
{
    const whitewater_world *w = s->world;
    const bool aerates = s->e->def.aerate && s->in->to[WHITEWATER_BUBBLES] && !w->bulk->answer;
    if (aerates) SP_TRY(emission_begin(s->e, w, err));
    SP_TRY(sp_bulk_view_at(w->bulk, w->t + w->dt, &s->view, err));
    return aerates ? emission_hold(s, err) : SP_OK;
}

static sp_status run(emission_step *s, sp_error *err)
{
    whitewater_emission *e = s->e;
    SP_TRY(find_rates(s, err));
    double clock = sp_now(e->host);
    const double air = s->in->to[WHITEWATER_BUBBLES] ? wanted_air(s) : 0.0,
                 bubbles = air / e->sizes.volume + emission_sources_want(s);
    s->number = emission_number(e->sizes.number, emission_count_all(s->in), bubbles, e->def.budget);
    tell_number(e, bubbles, s->number);
    s->figures->number = (float)s->number;
    s->figures->target_volume = air;
    s->figures->aeration_max = e->held.most;
    s->figures->voxels = (size_t)e->held.near;
    if (isinf(s->number)) return SP_OK;
    if (air > 0.0) SP_TRY(let_air_in(s, err));
    clock = sp_stage_end(&e->profile, EMISSION_LET_IN, clock);
    SP_TRY(emission_run_sources(s, err));
    sp_stage_end(&e->profile, EMISSION_SOURCES, clock);
    return SP_OK;
}

sp_status whitewater_emit(whitewater_emission *e, const whitewater_world *world,
                          const whitewater_intake *in, whitewater_emission_figures *figures,
                          sp_error *err)
{
    emission_step s = {.e = e, .world = world, .in = in, .figures = figures};
    *figures = (whitewater_emission_figures){.number = 1.0f};
    choose_sizes(e, (double)world->voxel);
    if (world->t + world->dt < world->bulk->first) return SP_OK; // no water yet
    return run(&s, err);
}
