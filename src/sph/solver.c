// SPDX-License-Identifier: Apache-2.0
/// The entry of sph in the solver table: open, step, publish, save, check, estimate.
#include "core/memory/blob.h"
#include "sph/errata.h"
#include "sph/internal.h"

static void warn_dry(const sph *s)
{
    if (s->liquid.set.count > 0 || s->emitters > 0) return;
    sp_log(s->host, SP_LOG_WARNING,
           "sph: there is no water, and none will come; expected emitters that fill or pour");
}

static sp_status solver_open(const sp_setup *setup, const sp_host *host, void **out, sp_error *err)
{
    sph *s;
    const sp_status status = sph_open(setup, host, &s, err);
    if (status == SP_OK) warn_dry(s);
    *out = s;
    return status;
}

static sp_status solver_step(void *solver, double t_end, sp_error *err)
{
    sph *s = solver;
    const double nearly = t_end * (1.0 - 1e-14);
    while (s->time < nearly) {
        SP_TRY(sp_sph_step(s, t_end - s->time, err));
        if (s->time < nearly) SP_TRY(sp_watch_check(s->watch, s->time, err));
    }
    s->time = t_end; // so that rounding does not accumulate over frames
    return SP_OK;
}

static void solver_close(void *solver)
{
    sph_close(solver);
}

/// ---- State ------------------------------------------------------------------------------------

/// State other than particles.
static void walk_numbers(sph *s, sp_walk *w)
{
    SP_PIECE(w, s->time);
    SP_PIECE(w, s->dt);
    SP_PIECE(w, s->steps);
    SP_PIECE(w, s->next_id);
    SP_PIECE(w, s->figures);
    SP_PIECE(w, s->failed_in_a_row);
    SP_PIECE(w, s->start_from_mean);
    SP_PIECE(w, s->warned_limit);
    SP_PIECE(w, s->warned_fixed);
    SP_PIECE(w, s->warned_viscosity);
    SP_PIECE(w, s->left_reported);
    SP_PIECE(w, s->left_since);
    for (size_t i = 0; i < s->emitters; ++i) {
        sph_emitter *e = &s->emitter[i];
        SP_PIECE(w, e->distance);
        SP_PIECE(w, e->tried);
        SP_PIECE(w, e->skipped);
        SP_PIECE(w, e->window);
        SP_PIECE(w, e->warned);
        SP_PIECE(w, e->air);
    }
}

static void list_state(void *state, sp_walk *w)
{
    sph *s = state;
    sph_phase *const phases[2] = {&s->liquid, &s->air};
    walk_numbers(s, w);
    for (int k = 0; k < 2; ++k) {
        uint64_t count = phases[k]->set.count;
        SP_PIECE(w, count);
        sp_particles_walk(&phases[k]->set, w);
    }
}

static sp_status solver_save(const void *solver, sp_blob *blob, sp_error *err)
{
    sp_blob_save(blob, list_state, solver);
    return blob->failed ? sp_fail(err, SP_NO_MEMORY, "sph: no memory to save the state") : SP_OK;
}

static sp_status too_short(sp_error *err)
{
    return sp_fail(err, SP_DAMAGED, "sph: the saved state is too short");
}

static sp_status restore_phase(sph_phase *p, sp_walk *w, sp_error *err)
{
    uint64_t count;
    SP_PIECE(w, count);
    if (w->failed || count > w->left / 40) return too_short(err);
    SP_TRY(sph_phase_reserve(p, (size_t)count, err));
    p->set.count = 0;
    sp_particles_append(&p->set, (size_t)count);
    sp_particles_walk(&p->set, w);
    return w->failed ? too_short(err) : SP_OK;
}

static sp_status solver_restore(void *solver, sp_blob *blob, sp_error *err)
{
    sph *s = solver;
    sp_walk walk = sp_blob_begin(blob);
    walk_numbers(s, &walk);
    sp_status status = restore_phase(&s->liquid, &walk, err);
    if (status == SP_OK) status = restore_phase(&s->air, &walk, err);
    sp_blob_end(blob, &walk);
    return status;
}

/// ---- Before anything is allocated -------------------------------------------------------------

static sp_status check_seeder(const sp_sph_seeder_def *seeder, size_t i, sp_error *err)
{
    for (int c = 0; c < 3; ++c)
        if (!(seeder->min[c] <= seeder->max[c]))
            return sp_fail(err, SP_BAD_INPUT,
                           "sph.seeders[%zu].max: %g m along axis %d; expected at least min, %g m",
                           i, (double)seeder->max[c], c, (double)seeder->min[c]);
    if (!(seeder->start < seeder->stop))
        return sp_fail(err, SP_BAD_INPUT,
                       "sph.seeders[%zu].stop: %g s; expected more than start, %g s", i,
                       (double)seeder->stop, (double)seeder->start);
    return SP_OK;
}

/// Jets must be inside the domain: particles outside are removed at once.
static sp_status check_jets(const sp_world_def *world, sp_error *err)
{
    for (size_t i = 0; i < world->emitter_count && world->domain; ++i) {
        const sp_emitter_def *e = &world->emitters[i];
        for (int c = 0; c < 3 && e->mode == SP_EMIT_JET; ++c)
            if (e->center[c] < world->domain->min[c] || e->center[c] > world->domain->max[c])
                return sp_fail(err, SP_BAD_INPUT,
                               "emitters[%zu].center: %g m along axis %d; expected inside the "
                               "domain, %g to %g m",
                               i, (double)e->center[c], c, (double)world->domain->min[c],
                               (double)world->domain->max[c]);
    }
    return SP_OK;
}

static sp_status solver_check(const sp_setup *setup, sp_error *err)
{
    const sp_sph_def *d = setup->def;
    if (d->min_iterations > d->max_iterations)
        return sp_fail(err, SP_BAD_INPUT,
                       "sph.min_iterations: %d; expected at most max_iterations, %d",
                       d->min_iterations, d->max_iterations);
    if (!(d->dt_min <= d->dt_max))
        return sp_fail(err, SP_BAD_INPUT, "sph.dt_min: %g s; expected at most dt_max, %g s",
                       d->dt_min, d->dt_max);
    if (d->seeder_count > 0 && !d->air.enabled)
        return sp_fail(err, SP_BAD_INPUT, "sph.seeders: %zu; expected none without air.enabled",
                       d->seeder_count);
    for (size_t i = 0; i < d->seeder_count; ++i)
        SP_TRY(check_seeder(&d->seeders[i], i, err));
    return check_jets(setup->world, err);
}

/// Volume of water, m3: of a fill's box or sphere, or of a jet until the end of the scene and its pipe.
static double water_of(const sp_emitter_def *e, double seconds, double support)
{
    if (e->mode == SP_EMIT_JET) {
        const double until = fmin(seconds, (double)e->stop), radius = (double)e->radius,
                     pipe = fmax(3.0 * support, (double)e->pipe_length),
                     ran = fmax(0.0, until - (double)e->start) * (double)e->speed;
        return 3.14159 * radius * radius * (ran + pipe);
    }
    if (e->shape.sphere) {
        const double radius = (double)e->shape.sphere->radius;
        return 4.18879 * radius * radius * radius;
    }
    if (!e->shape.box) return 0.0;
    const sp_box_def *b = e->shape.box;
    return (double)(b->max[0] - b->min[0]) * (double)(b->max[1] - b->min[1]) *
           (double)(b->max[2] - b->min[2]);
}

/// Bytes for all water of the scene: 350 per particle, as measured in a small tank with its walls.
static double solver_estimate(const sp_setup *setup)
{
    // Measured with 8,000 to 58,000 particles: 350 bytes each for the solver and its frame and a fixed part of 2 to
    // 3 MB. The frame's file and a checkpoint take 48 more for a moment.
    const double fixed = 4e6, each = 398.0;
    const sp_sph_def *d = setup->def;
    const double spacing = (double)d->spacing;
    double volume = 0.0;
    for (size_t i = 0; i < setup->world->emitter_count; ++i)
        volume += water_of(&setup->world->emitters[i], setup->seconds,
                           spacing * (double)d->support_ratio);
    return fixed + each * volume / (spacing * spacing * spacing);
}

/// Speed that water reaches, m/s: that of jets and of initial water, and of a fall from the highest
/// emitter to the lowest, or to the floor of the domain.
static double top_speed(const sp_world_def *w)
{
    double fastest = 0.0, low = (double)INFINITY, high = -(double)INFINITY, g2 = 0.0;
    for (size_t i = 0; i < w->emitter_count; ++i) {
        const sp_emitter_def *e = &w->emitters[i];
        const sp_box_def *box = e->shape.box;
        double v2 = 0.0;
        for (int c = 0; c < 3; ++c)
            v2 += (double)e->velocity[c] * (double)e->velocity[c];
        fastest = fmax(fastest, e->mode == SP_EMIT_JET ? (double)e->speed : sqrt(v2));
        low = fmin(low, box ? (double)box->min[1] : (double)e->center[1]);
        high = fmax(high, box ? (double)box->max[1] : (double)e->center[1]);
    }
    if (w->domain) low = fmax(fmin(low, (double)w->domain->min[1]), high - 100.0);
    for (int c = 0; c < 3; ++c)
        g2 += (double)w->gravity[c] * (double)w->gravity[c];
    return sqrt(fastest * fastest + 2.0 * sqrt(g2) * fmax(0.0, high - low));
}

/// Particles, those of jets for half of the time, times steps as update_dt() takes them.
static double solver_seconds(const sp_setup *setup)
{
    const double each = 1.1e-6; // s per particle and step, measured with 3 to 6 iterations
    const sp_sph_def *d = setup->def;
    const double h = (double)d->spacing * (double)d->support_ratio;
    double volume = 0.0, dt = d->dt;
    for (size_t i = 0; i < setup->world->emitter_count; ++i) {
        const sp_emitter_def *e = &setup->world->emitters[i];
        volume += (e->mode == SP_EMIT_JET ? 0.5 : 1.0) * water_of(e, setup->seconds, h);
    }
    if (d->dt_mode != SP_SPH_FIXED)
        dt = fmax(fmin(d->dt_max, 0.4 * h / fmax(top_speed(setup->world), 1e-9)), d->dt_min);
    if (setup->frame_seconds > 0.0) dt = fmin(dt, setup->frame_seconds);
    const double particle = (double)d->spacing * (double)d->spacing * (double)d->spacing; // m3
    return each * setup->seconds / dt * (volume / particle + 1000.0);
}

const sp_solver_type sp_sph_solver = {
    .name = "sph",
    .about = "particle water with air: trapped air, rising and merging bubbles, foam",
    .paper = "Ihmsen, Bader, Akinci, Teschner 2011: Animation of Air Bubbles with SPH",
    .keys = &sp_sph_keys,
    .grain = "sph.spacing",
    .uses = SP_USES_GRAVITY | SP_USES_DOMAIN | SP_USES_COLLIDERS | SP_USES_FILL | SP_USES_JET |
            SP_USES_SINKS,
    .check = solver_check,
    .estimate = solver_estimate,
    .seconds = solver_seconds,
    .open = solver_open,
    .step = solver_step,
    .publish = sph_publish,
    .save = solver_save,
    .restore = solver_restore,
    .close = solver_close,
    .errata = sph_errata,
    .erratum_count = SPH_ERRATA,
};
