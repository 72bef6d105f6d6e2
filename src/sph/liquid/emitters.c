// SPDX-License-Identifier: Apache-2.0
/// Emitters push water through pipes like a piston, layer by layer. Particles in a pipe are pinned: they
/// move with the emitter's speed, whatever the pressure, until they have passed the mouth.
#include "sph/internal.h"

/// ---- Opening -----------------------------------------------------------------------------------

static void make_axes(sph_emitter *e)
{
    const float *to = e->def.direction;
    const double length = sqrt((double)to[0] * (double)to[0] + (double)to[1] * (double)to[1] +
                               (double)to[2] * (double)to[2]);
    for (int k = 0; k < 3; ++k)
        e->axis[k] = (float)((double)to[k] / length);
    // Perpendicular to the world axis with the smallest component: the lattice of a pipe along one axis is
    // aligned with the others.
    int least = 0;
    for (int k = 1; k < 3; ++k)
        if (fabsf(e->axis[k]) < fabsf(e->axis[least])) least = k;
    sp_vec3 axis = {e->axis[0], e->axis[1], e->axis[2]}, other = {0};
    *(least == 0 ? &other.x : least == 1 ? &other.y : &other.z) = 1.0f;
    const sp_vec3 across = sp_normalize(sp_cross(other, axis), other),
                  over = sp_cross(axis, across);
    memcpy(e->across[0], &across, sizeof e->across[0]);
    memcpy(e->across[1], &over, sizeof e->across[1]);
}

/// Whether the initial water covers the mouth. Tests a point one spacing ahead: a mouth in a wall is not
/// itself in the water.
static sp_status find_water(const sph *s, const sp_world_def *world, sph_emitter *e, sp_error *err)
{
    double ahead[3];
    for (int k = 0; k < 3; ++k)
        ahead[k] = (double)e->def.center[k] + (double)s->d * (double)e->axis[k];
    for (size_t k = 0; k < world->emitter_count && !e->submerged; ++k) {
        sp_shape *water;
        if (world->emitters[k].mode != SP_EMIT_FILL) continue;
        SP_TRY(sph_shape_open(s, &world->emitters[k].shape, &water, err));
        e->submerged = sp_shape_distance(water, 0.0, ahead, NULL) < 0.0;
        sp_shape_close(water);
    }
    return SP_OK;
}

static sp_status open_emitter(sph *s, const sp_world_def *world, const sp_emitter_def *def,
                              sph_emitter *e, sp_error *err)
{
    e->def = *def;
    e->def.name = e->name = sp_copy_text(s->host, def->name ? def->name : "jet");
    e->def.shape = (sp_shape_def){0}; // a jet has none
    make_axes(e);
    SP_TRY(find_water(s, world, e, err));
    // Water resists the jet of a submerged pipe: three supports of pinned layers withstand it.
    e->pipe = def->pipe_length >= 0.0f ? def->pipe_length : (e->submerged ? 3.0f : 1.0f) * s->h;
    e->points = sph_pipe_disc(e, s->d, NULL);
    e->disc = sp_allocate(s->host, e->points, sizeof *e->disc);
    e->blocked = sp_allocate(s->host, e->points, sizeof *e->blocked);
    if (!e->name || !e->disc || !e->blocked)
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory for an emitter of %zu points", e->points);
    sph_pipe_disc(e, s->d, e->disc);
    return SP_OK;
}

sp_status sph_emitters_open(sph *s, const sp_world_def *world, sp_error *err)
{
    enum { MOST = 255 }; // 8 bits in a tag
    size_t jets = 0;
    for (size_t k = 0; k < world->emitter_count; ++k)
        jets += world->emitters[k].mode == SP_EMIT_JET;
    if (jets > MOST)
        return sp_fail(err, SP_BAD_INPUT, "emitters: %zu jets; sph takes at most %d", jets, MOST);
    s->emitter = sp_allocate(s->host, jets, sizeof *s->emitter);
    if (!s->emitter) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu emitters", jets);
    for (size_t k = 0; k < world->emitter_count; ++k)
        if (world->emitters[k].mode == SP_EMIT_JET)
            SP_TRY(open_emitter(s, world, &world->emitters[k], &s->emitter[s->emitters++], err));
    return SP_OK;
}

/// Whether water of the last layer of `e` begins within the pipe of another jet, or just before its mouth.
static bool begins_within(const sph *s, const sph_emitter *e, const sph_emitter *other)
{
    const double radius = (double)other->def.radius, d = (double)s->d;
    for (size_t k = 0; k < e->points; ++k) {
        float x[3];
        sph_pipe_point(e, k, (double)e->pipe, x);
        const double along = sph_pipe_along(other, x);
        double beside2 = -along * along;
        for (int c = 0; c < 3; ++c) {
            const double off = (double)x[c] - (double)other->def.center[c];
            beside2 += off * off;
        }
        if (along > -(double)other->pipe - 0.5 * d && along < 0.5 * d && beside2 < radius * radius)
            return true;
    }
    return false;
}

/// Jets that overlap would put particles into each other: a hundred of them give each particle thousands of
/// neighbours, and a step never ends.
static sp_status check_overlap(const sph *s, size_t k, sp_error *err)
{
    const sph_emitter *e = &s->emitter[k];
    for (size_t i = 0; i < s->emitters; ++i) {
        const sph_emitter *other = &s->emitter[i];
        const bool meet = e->def.start < other->def.stop && other->def.start < e->def.stop;
        if (i == k || !meet || !begins_within(s, e, other)) continue;
        return sp_fail(err, SP_BAD_INPUT,
                       "emitter \"%s\": its mouth lies in the pipe of emitter \"%s\"; move one of "
                       "them or let one stop before the other starts",
                       e->name, other->name);
    }
    return SP_OK;
}

sp_status sph_emitters_check(const sph *s, sp_error *err)
{
    for (size_t k = 0; k < s->emitters; ++k) {
        const sph_emitter *e = &s->emitter[k];
        SP_TRY(check_overlap(s, k, err));
        double ahead[3];
        for (int c = 0; c < 3; ++c)
            ahead[c] = (double)e->def.center[c] + (double)s->d * (double)e->axis[c];
        for (size_t i = 0; i < s->solids; ++i) {
            if (sp_shape_distance(s->solid[i], (double)e->def.start, ahead, NULL) > 0.0) continue;
            const char *name = sp_shape_def_of(s->solid[i])->name;
            return sp_fail(err, SP_BAD_INPUT,
                           "emitter \"%s\": the mouth opens into collider \"%s\"; move center or "
                           "turn direction",
                           e->name, name ? name : "");
        }
    }
    return SP_OK;
}

void sph_emitters_close(sph *s)
{
    for (size_t k = 0; k < s->emitters; ++k) {
        sp_release(s->host, s->emitter[k].name);
        sp_release(s->host, s->emitter[k].disc);
        sp_release(s->host, s->emitter[k].blocked);
    }
    sp_release(s->host, s->emitter);
    s->emitter = NULL;
    s->emitters = 0;
}

/// ---- Speed -------------------------------------------------------------------------------------

float sph_emitter_speed(const sph_emitter *e, double t)
{
    const double since = t - (double)e->def.start, ramp = (double)e->def.ramp;
    if (since < 0.0 || t >= (double)e->def.stop) return 0.0f;
    return since < ramp ? (float)((double)e->def.speed * (since / ramp)) : e->def.speed;
}

float sph_emitters_fastest(const sph *s, double until)
{
    float most = 0.0f;
    for (size_t k = 0; k < s->emitters; ++k) {
        const sp_emitter_def *def = &s->emitter[k].def;
        if ((double)def->start < until && (double)def->stop > s->time)
            most = fmaxf(most, def->speed);
    }
    return most;
}

/// ---- Pinned particles --------------------------------------------------------------------------

typedef struct pinned_job {
    sph *s;
    double t_end;
} pinned_job;

/// Releases particles past the mouth and gives those in the pipe the speed of the next step. When the
/// emitter stops, it releases all with their present velocity.
static void update_pinned(void *arg, size_t begin, size_t end)
{
    const pinned_job *m = arg;
    sph_phase *p = &m->s->liquid;
    for (size_t i = begin; i < end; ++i) {
        const size_t source = p->tag[i] >> SPH_SOURCE_SHIFT & 0xff;
        if (!(p->tag[i] & SPH_PINNED) || source == 0) continue;
        const sph_emitter *e = &m->s->emitter[source - 1];
        const float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
        const bool stopped = m->t_end >= (double)e->def.stop;
        if (stopped || sph_pipe_along(e, x) >= 0.0) p->tag[i] &= ~(uint32_t)SPH_PINNED;
        for (int k = 0; k < 3 && !stopped; ++k)
            p->v[k][i] = sph_emitter_speed(e, m->t_end) * e->axis[k];
    }
}

/// ---- Layers ------------------------------------------------------------------------------------

typedef struct layer_job {
    const sph *s;
    sph_emitter *e;
    double from_inlet; ///< of the layer, m
} layer_job;

/// Marks the points of a layer that are nearer than half a spacing to free water.
static void mark_blocked_points(void *arg, size_t begin, size_t end)
{
    const layer_job *l = arg;
    const sph_phase *p = &l->s->liquid;
    const float near = 0.5f * l->s->d, far = l->e->def.radius + near;
    float middle[3];
    for (int k = 0; k < 3; ++k)
        middle[k] = l->e->def.center[k] + ((float)l->from_inlet - l->e->pipe) * l->e->axis[k];
    for (size_t i = begin; i < end; ++i) {
        const sp_vec3 from = {p->x[0][i] - middle[0], p->x[1][i] - middle[1],
                              p->x[2][i] - middle[2]};
        if (!(sp_dot(from, from) < far * far) || p->tag[i] & SPH_PINNED) continue;
        for (size_t k = 0; k < l->e->points; ++k) {
            float x[3];
            sph_pipe_point(l->e, k, l->from_inlet, x);
            const sp_vec3 to = {p->x[0][i] - x[0], p->x[1][i] - x[1], p->x[2][i] - x[2]};
            if (sp_dot(to, to) < near * near)
                atomic_store_explicit(&l->e->blocked[k], 1, memory_order_relaxed);
        }
    }
}

/// Adds the points of a layer that are not blocked; the caller has reserved room. Without a pipe,
/// particles are free at once.
static void add_layer(sph *s, size_t emitter, const layer_job *l, float speed)
{
    sph_emitter *e = l->e;
    const uint32_t source = (uint32_t)(emitter + 1) << SPH_SOURCE_SHIFT;
    const float v[3] = {speed * e->axis[0], speed * e->axis[1], speed * e->axis[2]};
    for (size_t k = 0; k < e->points; ++k) {
        float x[3];
        ++e->tried;
        if (atomic_load_explicit(&e->blocked[k], memory_order_relaxed)) {
            ++e->skipped;
            ++s->figures.skipped;
            continue;
        }
        sph_pipe_point(e, k, l->from_inlet, x);
        const uint32_t pinned = sph_pipe_along(e, x) < 0.0 ? SPH_PINNED : 0;
        sph_phase_add(s, &s->liquid, x, v, source | pinned);
        ++s->figures.emitted;
    }
}

/// Warns when an emitter is blocked; again only if it was free in between.
static void warn_when_blocked(sph *s, sph_emitter *e, double t)
{
    if (t - e->window < 0.1) return;
    const double share = e->tried ? (double)e->skipped / (double)e->tried : 0.0;
    if (share > 0.5 && !e->warned)
        sp_log(s->host, SP_LOG_WARNING,
               "sph: emitter \"%s\" is blocked (%.0f %% of points skipped)", e->name,
               100.0 * share);
    if (e->tried) e->warned = share > 0.5;
    e->tried = e->skipped = 0;
    e->window = t;
}

static void emit_layers(sph *s, size_t emitter, double t_end)
{
    sph_emitter *e = &s->emitter[emitter];
    const double d = (double)s->d;
    while (e->distance >= d) {
        e->distance -= d;
        layer_job l = {s, e, e->distance};
        for (size_t k = 0; k < e->points; ++k)
            atomic_store_explicit(&e->blocked[k], 0, memory_order_relaxed);
        sp_parallel(s->host, s->liquid.set.count, 8 * SPH_CHUNK, mark_blocked_points, &l);
        add_layer(s, emitter, &l, sph_emitter_speed(e, t_end));
    }
    warn_when_blocked(s, e, t_end);
}

sp_status sph_emit(sph *s, double dt, sp_error *err)
{
    if (s->emitters == 0) return SP_OK;
    const double t_end = s->time + dt;
    size_t wanted = s->liquid.set.count;
    for (size_t k = 0; k < s->emitters; ++k) {
        sph_emitter *e = &s->emitter[k];
        e->distance += (double)sph_emitter_speed(e, s->time) * dt;
        if (t_end >= (double)e->def.stop) e->distance = 0.0;
        wanted += (size_t)(e->distance / (double)s->d + 1.0) * e->points;
    }
    SP_TRY(sph_phase_reserve(&s->liquid, wanted, err));
    sp_parallel(s->host, s->liquid.set.count, 8 * SPH_CHUNK, update_pinned,
                &(pinned_job){s, t_end});
    for (size_t k = 0; k < s->emitters; ++k)
        emit_layers(s, k, t_end);
    return SP_OK;
}
