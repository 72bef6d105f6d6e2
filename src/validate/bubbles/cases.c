// SPDX-License-Identifier: Apache-2.0
/// Small scenes for proofs, without a scene file.
#include "bubbles/sources/sizes.h"
#include "validate/bubbles/proofs.h"

void bubbles_case_domain(bubbles_case *c, float voxel, double dt, const int low[3],
                         const int high[3])
{
    *c = (bubbles_case){.dt = dt, .seed = 1};
    sp_keys_defaults(&sp_bubbles_keys, &c->def);
    c->def.voxel = voxel;
    c->def.substeps = c->def.substeps_max = 1;
    c->def.emitters = &c->emitter;
    for (int a = 0; a < 3; ++a) {
        c->domain.min[a] = (float)low[a] * voxel;
        c->domain.max[a] = (float)high[a] * voxel;
    }
    proof_scene_clear(&c->scene);
    c->scene.world.domain = &c->domain;
}

void bubbles_case_hero(bubbles_case *c, bool light)
{
    c->def.newton = 3;
    c->def.density = light ? 1000.0f : 10.0f;
    c->def.density_air = 1.0f;
    c->def.tension.coefficient = light ? 0.072f : 0.0072f;
    c->def.pic = light ? 0.3f : 0.05f;
}

void bubbles_case_plain(bubbles_case *c)
{
    c->def.pic = 0.0f;
    c->def.newton_tolerance = 0.0f;
    c->def.pressure.tolerance = 1e-9;
    c->def.pressure.precision = SP_POISSON_DOUBLE;
}

/// ---- Emitters ----------------------------------------------------------------------------------

static sp_bubbles_emitter_def *emit(bubbles_case *c)
{
    const sp_key *list = sp_keys_find(&sp_bubbles_keys, "emitters");
    sp_keys_defaults(list->items, &c->emitter);
    c->def.emitter_count = 1;
    return &c->emitter;
}

void bubbles_case_ball(bubbles_case *c, const double center[3], double radius)
{
    const double h = (double)c->def.voxel;
    for (int a = 0; a < 3; ++a)
        c->shape.sphere.center[a] = (float)(h * center[a]);
    c->shape.sphere.radius = (float)(h * radius);
    emit(c)->shape.sphere = &c->shape.sphere;
}

void bubbles_case_cloud(bubbles_case *c, sp_box_def box, float radius, float fraction)
{
    sp_bubbles_emitter_def *e = emit(c);
    c->shape.box = box;
    e->shape.box = &c->shape.box;
    e->sizes = SP_BUBBLES_GIVEN;
    e->radius_min = radius;
    e->fraction = fraction;
}

/// ---- Running -----------------------------------------------------------------------------------

sp_setup bubbles_case_setup(const bubbles_case *c)
{
    return (sp_setup){
        .def = &c->def, .world = &c->scene.world, .seed = c->seed, .frame_seconds = c->dt};
}

/// Scenes need an emitter; proofs may add particles one by one.
sp_status bubbles_case_open(bubbles_case *c, const sp_host *host, bubbles **out, sp_error *err)
{
    *out = NULL;
    const sp_setup setup = bubbles_case_setup(c);
    if (c->def.emitter_count > 0) SP_TRY(bubbles_check(&setup, err));
    return bubbles_open(&setup, host, out, err);
}

sp_status bubbles_case_add(bubbles *s, const double place[3], const float v[3], float radius,
                           float stands_for, sp_error *err)
{
    double x[3];
    for (int a = 0; a < 3; ++a)
        x[a] = (double)s->grid.voxel * place[a];
    s->places |= stands_for > 0.0f;
    return bubbles_new_add(&s->fresh, x, v, radius, s->material[0].density, stands_for, 0, err);
}

sp_status bubbles_case_run(bubbles *s, double dt, int steps, sp_error *err)
{
    for (int n = 0; n < steps; ++n)
        SP_TRY(sp_bubbles_frame(s, s->time + dt, NULL, NULL, err));
    return SP_OK;
}

static sp_status prepare(bubbles *s, double dt, sp_error *err)
{
    SP_TRY(bubbles_choose_tiles(s, err));
    if (s->basis->prepare) SP_TRY(s->basis->prepare(s, err));
    SP_TRY(bubbles_at_open(s, err));
    SP_TRY(bubbles_fractions(s, err));
    bubbles_guess_pressure(s, dt);
    return bubbles_tension(s, err);
}

sp_status bubbles_case_prepare(bubbles *s, double dt, sp_scratch_mark *mark, sp_error *err)
{
    *mark = sp_scratch_here(&s->scratch);
    const sp_status status = prepare(s, dt, err);
    if (status != SP_OK) sp_scratch_rewind(&s->scratch, *mark);
    return status;
}

/// ---- Measuring ---------------------------------------------------------------------------------

typedef void particle_seen(const bubbles *s, size_t i, const double p[3], bubbles_swarm *swarm);

static void each_particle(const bubbles *s, particle_seen *seen, bubbles_swarm *swarm)
{
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (size_t i = s->particles.start[t]; i < s->particles.start[t + 1]; ++i) {
            const float x[3] = {s->particles.x[0][i], s->particles.x[1][i], s->particles.x[2][i]};
            double p[3];
            bubbles_point(&s->grid, t, x, p);
            seen(s, i, p, swarm);
        }
}

static void add_means(const bubbles *s, size_t i, const double p[3], bubbles_swarm *swarm)
{
    for (int a = 0; a < 3; ++a) {
        const double v = (double)s->particles.v[a][i];
        swarm->place[a] += p[a];
        swarm->velocity[a] += v;
        swarm->rms += v * v;
        swarm->fastest = fmax(swarm->fastest, fabs(v));
    }
}

static void add_spread(const bubbles *s, size_t i, const double p[3], bubbles_swarm *swarm)
{
    (void)s, (void)i;
    for (int a = 0; a < 3; ++a) {
        const double d = p[a] - swarm->place[a];
        swarm->spread[a] += d * d;
        swarm->farthest[a] = fmax(swarm->farthest[a], fabs(d));
    }
}

void bubbles_track_close(bubbles_track *track)
{
    sp_release(track->host, track->x);
    sp_release(track->host, track->radius);
}

sp_status bubbles_track_open(bubbles_track *track, const bubbles *s, size_t room, sp_error *err)
{
    const bubbles_particles *p = &s->particles;
    *track = (bubbles_track){.host = s->host, .room = room};
    track->x = sp_allocate(s->host, room, sizeof *track->x);
    track->radius = sp_allocate(s->host, room, sizeof *track->radius);
    if (!track->x || !track->radius) {
        bubbles_track_close(track);
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to follow %zu particles", room);
    }
    for (size_t i = 0; i < room; ++i)
        track->x[i][0] = track->x[i][1] = track->x[i][2] = (double)NAN;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            const float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
            if (p->id[i] >= room) continue;
            bubbles_point(&s->grid, t, x, track->x[p->id[i]]);
            track->radius[p->id[i]] = bubbles_shown_radius(p->radius[i], p->place[i]);
        }
    return SP_OK;
}

bubbles_swarm bubbles_swarm_of(const bubbles *s)
{
    bubbles_swarm swarm = {.count = s->particles.set.count};
    const double n = fmax((double)swarm.count, 1.0);
    each_particle(s, add_means, &swarm);
    for (int a = 0; a < 3; ++a) {
        swarm.place[a] /= n;
        swarm.velocity[a] /= n;
    }
    swarm.rms = sqrt(swarm.rms / n);
    each_particle(s, add_spread, &swarm);
    for (int a = 0; a < 3; ++a)
        swarm.spread[a] /= n;
    return swarm;
}

sp_status bubbles_water_at(bubbles *s, double u[3], sp_error *err)
{
    float out[3][SP_LANES];
    if (s->particles.set.count != 1)
        return sp_fail(err, SP_BAD_INPUT, "bubbles: %zu particles; expected 1",
                       s->particles.set.count);
    SP_TRY(s->basis->interpolate(s, s->grid.u, (float *const[3]){out[0], out[1], out[2]}, err));
    for (int a = 0; a < 3; ++a)
        u[a] = (double)out[a][0];
    return SP_OK;
}

double bubbles_air(const bubbles *s)
{
    return sp_bubbles_look(s).air_volume;
}

double bubbles_ball_radius(double volume)
{
    return cbrt(3.0 * volume / (4.0 * SP_PI_D));
}

double bubbles_terminal_speed(double r, double water, double air)
{
    const double mu = 1e-3, a = 0.5 * SP_PI_D * water * r * r, b = 6.0 * SP_PI_D * mu * r;
    const double lift = 4.0 / 3.0 * SP_PI_D * r * r * r * (water - air) * 9.81;
    return (sqrt(b * b + 4.0 * a * lift) - b) / (2.0 * a);
}
