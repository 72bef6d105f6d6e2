// SPDX-License-Identifier: Apache-2.0
/// One step of the pond. Numbers at the calls are the stages of docs/pond.md, and P1 to P24 are its
/// equations; numbers in brackets are the equations of T07.
#include "pond/internal.h"

double pond_radius(double volume)
{
    return sp_cbrt(volume * (3.0 / (4.0 * SP_PI_D)));
}

/// Number of sub-steps of a step. The wave speed sets that of the water. The foam sets that of the
/// particles: it breaks up at 1/30 s, jitters at 1/60 s and is calm at 1/120 s.
typedef struct cut {
    int water, particles;
} cut;

static cut cut_step(sp_pond *pond, float dt)
{
    pond_water *w = &pond->water;
    const int least = (int)ceilf(dt * 120.0f - 1e-3f), wanted = pond_water_substeps(pond, dt);
    const int most = pond->def.sw_max_substeps;
    w->gravity_factor = 1.0f;
    if (wanted > most) { // the cap is too low: slow the flow and the waves, and warn
        const float ratio = (float)most / (float)wanted;
        pond_water_slow(pond, ratio);
        w->gravity_factor = ratio * ratio;
        ++pond->stats.limited;
        if (pond->stats.limited % 60 == 1)
            sp_log(pond->host, SP_LOG_WARNING,
                   "pond: water too fast for %d sub-steps at frame %llu; limited", most,
                   (unsigned long long)pond->frame);
    }
    return (cut){wanted < most ? wanted : most,
                 least > pond->def.particle_substeps ? least : pond->def.particle_substeps};
}

/// Stages 3 and 4: water sub-steps [begin, end) of the step that begins at t. Solids move first, so
/// that a sub-step uses the ground at its end.
static double move_water(sp_pond *pond, double t, float tau, int begin, int end, double begun)
{
    for (int k = begin; k < end; ++k) {
        pond_move_solids(pond, t + (double)(k + 1) * (double)tau, tau); // 3
        begun = sp_stage_end(&pond->profile, STAGE_SOLIDS, begun);
        pond_water_substep(pond, tau); // 4  P1, P2 (1)-(3)
        begun = sp_stage_end(&pond->profile, STAGE_WATER, begun);
    }
    return begun;
}

/// Stages 5 to 12: one particle sub-step.
static double move_particles(sp_pond *pond, float dt, double begun)
{
    sp_profile *p = &pond->profile;
    pond_bubbles *b = &pond->bubbles;
    pond_emit(pond, dt); // 5
    begun = sp_stage_end(p, STAGE_EMIT, begun);
    pond_gather_sources(pond); // 6
    begun = sp_stage_end(p, STAGE_SORT, begun);
    pond_vortex_sums(pond, b->set.count, b->px, b->py, b->pz, true, pond->wx, pond->wy,
                     pond->wz); // 7  P4-P7 (5)-(7)
    begun = sp_stage_end(p, STAGE_VORTEX, begun);
    pond_move_bubbles(pond, dt); // 8  P3, P7-P11 (11)
    pond_move_tracers(pond, dt); // 8
    begun = sp_stage_end(p, STAGE_MOVE, begun);
    pond_merge(pond, dt); // 9  P12 (12)
    begun = sp_stage_end(p, STAGE_MERGE, begun);
    pond_break_bubbles(pond); // 10  P14, P15 (9), (10)
    begun = sp_stage_end(p, STAGE_SURFACE, begun);
    pond_step_foam(pond, dt); // 11  P16-P24 (13)-(15)
    begun = sp_stage_end(p, STAGE_FOAM, begun);
    pond_retire(pond, dt); // 12
    return sp_stage_end(p, STAGE_RETIRE, begun);
}

static bool all_finite(const float *x, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; ++i)
        bad |= !(fabsf(x[i]) < 1e9f);
    return !bad;
}

typedef struct positions {
    const float *x, *y, *z;
    uint8_t *bad; ///< one a block
} positions;
enum { FINITE_BLOCK = 16 * POND_GRAIN };

static void check_positions(void *arg, size_t begin, size_t end)
{
    const positions *p = arg;
    const size_t n = end - begin;
    p->bad[begin / FINITE_BLOCK] = !(all_finite(p->x + begin, n) && all_finite(p->y + begin, n) &&
                                     all_finite(p->z + begin, n));
}

static bool are_finite(const sp_pond *pond, size_t n, const float *x, const float *y,
                       const float *z)
{
    positions p = {x, y, z, pond->gone};
    const size_t blocks = n / FINITE_BLOCK + 1;
    memset(p.bad, 0, blocks);
    sp_parallel(pond->host, n, FINITE_BLOCK, check_positions, &p);
    return sp_next_marked(p.bad, 0, blocks) == blocks;
}

/// Fails when a position or velocity is not finite, so that no frame holds NaN.
static sp_status check_finite(const sp_pond *pond, sp_error *err)
{
    const pond_bubbles *b = &pond->bubbles;
    const pond_foam *f = &pond->foam;
    const char *where = pond->water.broken                                     ? "water"
                        : !are_finite(pond, b->set.count, b->px, b->py, b->pz) ? "bubbles"
                        : !are_finite(pond, f->set.count, f->px, f->py, f->pz) ? "foam"
                                                                               : NULL;
    if (!where) return SP_OK;
    return sp_fail(err, SP_DIVERGED, "pond: internal error at frame %llu: %s no longer finite",
                   (unsigned long long)pond->frame, where);
}

/// The size of a foam particle in this step: the mean diameter, clamped to 1/4 to 4 cells.
static void freeze_foam_size(sp_pond *pond)
{
    const float dx = pond->water.dx, size = pond->foam_size > 0.0f ? pond->foam_size : dx;
    pond->size_now = sp_clamp(size, 0.25f * dx, 4.0f * dx);
}

static sp_status step_once(sp_pond *pond, double t_end, sp_error *err)
{
    const float dt = (float)(t_end - pond->time);
    double begun = sp_now(pond->host);
    freeze_foam_size(pond);
    pond_apply_input(pond); // 1
    pond_keep_spatial_order(pond);
    begun = sp_stage_end(&pond->profile, STAGE_INPUT, begun);
    const cut n = cut_step(pond, dt); // 2
    for (int p = 0; p < n.particles; ++p) {
        begun = move_water(pond, pond->time, dt / (float)n.water, n.water * p / n.particles,
                           n.water * (p + 1) / n.particles, begun);
        begun = move_particles(pond, dt / (float)n.particles, begun);
    }
    pond_water_finish(pond, dt); // 13
    sp_stage_end(&pond->profile, STAGE_WATER, begun);
    pond->time = t_end;
    pond->stats.substeps = (uint32_t)n.water;
    ++pond->frame;
    return check_finite(pond, err); // 14
}

sp_status sp_pond_step(sp_pond *pond, double t_end, sp_error *err)
{
    const double span = t_end - pond->time;
    if (!(span >= 0.0 && span < 1e6))
        return sp_fail(
            err, SP_BAD_INPUT,
            "pond: cannot step from %g s to %g s; expected a time that is not in the past",
            pond->time, t_end);
    pond->event_count = 0;
    pond->stats.vortex_clamps = 0;
    if (span == 0.0) return SP_OK;
    const double most = (double)pond->def.dt_frame * (1.0 + 1e-5), steps = ceil(span / most),
                 t0 = pond->time;
    for (double k = 1.0; k <= steps; k += 1.0)
        SP_TRY(step_once(pond, k == steps ? t_end : t0 + span * (k / steps), err));
    return SP_OK;
}

sp_pond_stats sp_pond_statistics(const sp_pond *pond)
{
    const pond_water *w = &pond->water;
    sp_pond_stats s = pond->stats;
    s.frame = pond->frame;
    s.time = pond->time;
    s.bubbles = (uint32_t)pond->bubbles.set.count;
    s.foam = (uint32_t)pond->foam.set.count;
    s.ghosts = (uint32_t)pond->ghosts.set.count;
    s.nozzles = (uint32_t)pond->nozzle_count;
    for (int32_t j = 0; j < w->ny; ++j)
        for (int32_t i = 0; i < w->nx; ++i)
            s.water_quanta += w->q[pond_cell(w, i, j)];
    s.water_in_quanta = w->entered;
    s.quantum = (double)w->quantum;
    s.water_m3 = (double)s.water_quanta * s.quantum * (double)w->dx * (double)w->dx;
    s.gas_in_m3 = pond->gas_in;
    s.gas_out_m3 = pond->gas_out;
    for (size_t i = 0; i < pond->bubbles.set.count; ++i)
        s.gas_m3 += pond->bubbles.vol[i];
    for (size_t i = 0; i < pond->foam.set.count; ++i)
        s.gas_m3 += pond->foam.vol[i];
    return s;
}

const sp_pond_event *sp_pond_events(const sp_pond *pond, size_t *count)
{
    *count = pond->event_count;
    return pond->events;
}

const char *sp_pond_stage(const sp_pond *pond, int stage, double *seconds)
{
    if (stage < 0 || stage >= STAGE_COUNT) return NULL;
    *seconds = pond->profile.seconds[stage];
    return pond->profile.names[stage];
}
