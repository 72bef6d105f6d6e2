// SPDX-License-Identifier: Apache-2.0
/// Emitters that run, and sinks. The voxels of a running emitter are pinned: their faces have the
/// emitter's velocity and take no part in the pressure solve, so that exactly velocity times area
/// flows out, against any pressure. They are kept full of water.
#include "liquid/particles/seed.h"

/// A jet without a given pipe gets one of three voxels: long enough that its voxels contain a disc.
enum { PIPE_VOXELS = 3 };

void liquid_emitters_close(liquid *s)
{
    for (size_t i = 0; i < s->sources.emitters; ++i)
        sp_shape_close(s->sources.emitter[i].shape);
    for (size_t i = 0; i < s->sources.sinks; ++i)
        sp_shape_close(s->sources.sink[i]);
    sp_release(s->host, s->sources.emitter);
    sp_release(s->host, s->sources.sink);
}

/// ---- Opening -----------------------------------------------------------------------------------

static sp_status open_jet(liquid *s, const sp_emitter_def *def, liquid_emitter *e, sp_error *err)
{
    const double length = sqrt((double)def->direction[0] * (double)def->direction[0] +
                               (double)def->direction[1] * (double)def->direction[1] +
                               (double)def->direction[2] * (double)def->direction[2]);
    const float pipe = def->pipe_length >= 0.0f ? def->pipe_length : PIPE_VOXELS * s->grid.voxel;
    sp_cylinder_def body = {.radius = def->radius};
    for (int a = 0; a < 3; ++a) {
        const float along = (float)((double)def->direction[a] / length);
        body.to[a] = def->center[a];
        body.from[a] = def->center[a] - fmaxf(pipe, 1.5f * s->grid.voxel) * along;
        e->velocity[a] = def->speed * along;
    }
    const sp_collider_def shape = {.name = def->name, .shape = {.cylinder = &body}};
    return sp_shape_open(&shape, NULL, s->host, &e->shape, err);
}

static sp_status open_flow(liquid *s, const sp_emitter_def *def, liquid_emitter *e, sp_error *err)
{
    const sp_collider_def shape = {.name = def->name, .shape = def->shape};
    memcpy(e->velocity, def->velocity, sizeof e->velocity);
    return sp_shape_open(&shape, NULL, s->host, &e->shape, err);
}

static sp_status open_sinks(liquid *s, const sp_world_def *world, sp_error *err)
{
    s->sources.sink = sp_allocate(s->host, world->sink_count, sizeof *s->sources.sink);
    if (!s->sources.sink) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the sinks");
    for (; s->sources.sinks < world->sink_count; ++s->sources.sinks) {
        const sp_sink_def *def = &world->sinks[s->sources.sinks];
        const sp_collider_def shape = {.name = def->name, .shape = def->shape};
        SP_TRY(sp_shape_open(&shape, NULL, s->host, &s->sources.sink[s->sources.sinks], err));
    }
    return SP_OK;
}

sp_status liquid_emitters_open(liquid *s, const sp_world_def *world, sp_error *err)
{
    s->sources.emitter = sp_allocate(s->host, world->emitter_count, sizeof *s->sources.emitter);
    if (!s->sources.emitter)
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the emitters");
    for (size_t i = 0; i < world->emitter_count; ++i) {
        const sp_emitter_def *def = &world->emitters[i];
        if (def->mode == SP_EMIT_FILL) continue;
        liquid_emitter *e = &s->sources.emitter[s->sources.emitters];
        *e = (liquid_emitter){.mode = def->mode,
                              .number = i,
                              .start = def->start,
                              .stop = def->stop,
                              .ramp = def->ramp};
        SP_TRY(def->mode == SP_EMIT_JET ? open_jet(s, def, e, err) : open_flow(s, def, e, err));
        ++s->sources.emitters;
        liquid_warn_outside(s, e->shape, i);
        liquid_tile_range(&s->grid, e->shape, 0.0, e->low, e->high);
    }
    return open_sinks(s, world, err);
}

/// ---- When and how fast -------------------------------------------------------------------------

static bool runs(const liquid_emitter *e, double t)
{
    return t >= (double)e->start && t < (double)e->stop;
}

/// Whether the emitter did not run one step ago.
static bool begins(const liquid *s, const liquid_emitter *e)
{
    return s->steps == 0 || !runs(e, s->time - s->last_dt);
}

static float strength(const liquid_emitter *e, double t)
{
    return e->ramp > 0.0f ? (float)fmin(1.0, (t - (double)e->start) / (double)e->ramp) : 1.0f;
}

double liquid_emitters_speed(const liquid *s, double until)
{
    double most = 0.0;
    for (size_t i = 0; i < s->sources.emitters; ++i) {
        const liquid_emitter *e = &s->sources.emitter[i];
        const float *v = e->velocity;
        if ((double)e->start > until || s->time >= (double)e->stop) continue;
        most = fmax(most, sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
    }
    return most;
}

/// ---- Which voxels ------------------------------------------------------------------------------

static bool in_range(const int32_t at[3], const int32_t low[3], const int32_t high[3])
{
    bool in = true;
    for (int a = 0; a < 3; ++a)
        in &= at[a] >= low[a] && at[a] <= high[a];
    return in;
}

bool liquid_emitter_mask(const liquid *s, size_t i, size_t t, sp_tile_mask mask)
{
    const liquid_emitter *e = &s->sources.emitter[i];
    memset(mask, 0, sizeof(sp_tile_mask));
    if (!in_range(s->grid.tiles.at[t], e->low, e->high) || sp_flow_is_solid(&s->solids, t))
        return false;
    bool any = false;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        double p[3];
        liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
        if (sp_shape_distance(e->shape, 0.0, p, NULL) >= 0.0) continue;
        sp_tile_mask_add(mask, n);
        any = true;
    }
    return any;
}

/// The running emitter that a voxel belongs to: the first whose shape holds its centre.
static const liquid_emitter *emitter_at(const liquid *s, uint32_t t, int place)
{
    double p[3];
    liquid_voxel_center(&s->grid, t, place, p);
    for (size_t i = 0; i < s->sources.emitters; ++i)
        if (runs(&s->sources.emitter[i], s->time) &&
            sp_shape_distance(s->sources.emitter[i].shape, 0.0, p, NULL) < 0.0)
            return &s->sources.emitter[i];
    return NULL;
}

/// ---- Water into emitters -----------------------------------------------------------------------

typedef struct emission {
    liquid *s;
    size_t i;            ///< emitter
    sp_tile_mask *empty; ///< by tile: voxels to be filled
    sp_tile_mask *swept; ///< by tile: voxels where only the part that was swept empty is filled
    double *flux;        ///< by tile: outflow of pinned voxels without particles, m/s times faces
} emission;

void liquid_count_particles(const liquid_particles *p, size_t t, uint8_t count[SP_TILE_VOXELS])
{
    memset(count, 0, SP_TILE_VOXELS);
    for (uint32_t i = p->start[t]; i < p->start[t + 1]; ++i) {
        uint8_t *here =
            &count[sp_tile_place((int32_t)p->x[0][i], (int32_t)p->x[1][i], (int32_t)p->x[2][i])];
        *here += *here < UINT8_MAX;
    }
}

/// Gives particles in the emitter's voxels its velocity.
static void set_emitter_velocity(const emission *m, size_t t, const sp_tile_mask mask)
{
    liquid *s = m->s;
    const liquid_emitter *e = &s->sources.emitter[m->i];
    const liquid_particles *p = &s->particles;
    const float scale = strength(e, s->time);
    for (uint32_t i = p->start[t]; i < p->start[t + 1]; ++i) {
        const uint32_t place =
            sp_tile_place((int32_t)p->x[0][i], (int32_t)p->x[1][i], (int32_t)p->x[2][i]);
        for (int a = 0; a < 3 && sp_tile_mask_has(mask, (int)place); ++a)
            p->v[a][i] = scale * e->velocity[a];
    }
}

/// Chooses voxels that get particles. Voxels without any (when the emitter begins) are filled. In
/// others only the part that water was swept out of is filled; otherwise the density would depend
/// on when a voxel counts as too empty.
static void choose_voxels(const emission *m, size_t t, const sp_tile_mask mask)
{
    const liquid *s = m->s;
    const int least =
        begins(s, &s->sources.emitter[m->i]) ? (s->def.particles_per_cell + 1) / 2 : 1;
    uint8_t count[SP_TILE_VOXELS];
    liquid_count_particles(&s->particles, t, count);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        if (!sp_tile_mask_has(mask, n) || liquid_is_deep(&s->grid, &s->def, t, n)) continue;
        sp_tile_mask *which = count[n] < least ? m->empty : m->swept;
        which[t][n >> 6] |= (uint64_t)1 << (n & 63);
    }
}

/// Without particles: fills an emitter's voxels by phi and returns how many were empty.
static double fill_voxels(const liquid *s, size_t t, const sp_tile_mask mask)
{
    double empty = 0.0;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        float *phi = &s->grid.phi[t * SP_TILE_VOXELS + (size_t)n];
        if (!sp_tile_mask_has(mask, n)) continue;
        empty += *phi >= 0.0f;
        *phi = fminf(*phi, -0.5f * s->grid.voxel);
    }
    return empty;
}

static void pin_tiles(void *arg, size_t begin, size_t end)
{
    const emission *m = arg;
    liquid *s = m->s;
    for (size_t t = begin; t < end; ++t) {
        sp_tile_mask mask;
        const bool any = liquid_emitter_mask(s, m->i, t, mask);
        memset(m->empty[t], 0, sizeof *m->empty);
        memset(m->swept[t], 0, sizeof *m->swept);
        m->flux[t] = 0.0;
        if (!any) continue;
        for (int k = 0; k < SP_TILE; ++k)
            s->grid.pinned[t][k] |= mask[k];
        if (!liquid_has_particles(&s->def)) {
            m->flux[t] = fill_voxels(s, t, mask);
            continue;
        }
        set_emitter_velocity(m, t, mask);
        choose_voxels(m, t, mask);
    }
}

/// Whether the water at p came out of a solid or out of the air behind the emitter, and is
/// therefore new. Water behind the emitter flows in by itself.
static bool is_new(const void *arg, const double p[3])
{
    const emission *m = arg;
    const liquid *s = m->s;
    const liquid_emitter *e = &s->sources.emitter[m->i];
    const double h = (double)s->grid.voxel;
    double from[3], center[3];
    int32_t at[3];
    liquid_seed_spread(&s->grid, &s->def, p, from);
    for (int a = 0; a < 3; ++a) {
        from[a] -= (double)e->swept[a];
        at[a] = (int32_t)floor((from[a] - s->grid.origin[a]) / h);
        center[a] = s->grid.origin[a] + h * ((double)at[a] + 0.5);
    }
    if (sp_solids_distance(s->solids.bodies, from, NULL, NULL) < 0.0) return true;
    return sp_shape_distance(e->shape, 0.0, center, NULL) >= 0.0 &&
           sp_tiles_value(&s->grid.tiles, s->grid.phi, at, s->grid.band) > -0.5f * s->grid.voxel;
}

/// Outflow of a pinned voxel through its faces to voxels that are not pinned: velocity times the
/// open fraction of the face. Where air is behind the voxel, nothing flows in.
static double leaving(const liquid *s, size_t t, int n, const float v[3],
                      const float open[3][2][SP_TILE_VOXELS])
{
    static const int step[3] = {1, 8, 64}, tiles[3] = {1, 3, 9};
    double sum = 0.0;
    for (int a = 0; a < 3; ++a)
        for (int up = 0; up < 2; ++up) {
            const int at = n / step[a] % 8, sign = up ? 1 : -1;
            const bool inside = up ? at < 7 : at > 0;
            const uint32_t there =
                inside ? (uint32_t)t : s->grid.tiles.around[t][SP_TILES_SELF + sign * tiles[a]];
            const int place = n + sign * step[a] * (inside ? 1 : -7);
            if (there == SP_NO_TILE || sp_tile_mask_has(s->grid.pinned[there], place)) continue;
            const double out = (double)sign * (double)v[a] * (double)open[a][up][n];
            const bool wet = s->grid.phi[there * SP_TILE_VOXELS + (size_t)place] < 0.0f;
            sum += out > 0.0 || wet ? out : 0.0;
        }
    return sum;
}

/// Voxels below a narrow band get no particles, and without particles none does, but their outflow is counted as if
/// they did.
static void measure_outflow(void *arg, size_t begin, size_t end)
{
    const emission *m = arg;
    const liquid *s = m->s;
    const bool all = !liquid_has_particles(&s->def);
    float open[3][2][SP_TILE_VOXELS];
    for (size_t t = begin; t < end; ++t) {
        sp_tile_mask mask;
        m->flux[t] = 0.0;
        if (!liquid_emitter_mask(s, m->i, t, mask)) continue;
        for (int a = 0; a < 3; ++a)
            if (!sp_flow_open_fractions(&s->solids, &s->grid.tiles, (uint32_t)t, a, open[a][0],
                                        open[a][1]))
                for (int n = 0; n < SP_TILE_VOXELS; ++n)
                    open[a][0][n] = open[a][1][n] = 1.0f;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            if (sp_tile_mask_has(mask, n) && (all || liquid_is_deep(&s->grid, &s->def, t, n)))
                m->flux[t] += leaving(s, t, n, s->sources.emitter[m->i].velocity,
                                      (const float(*)[2][SP_TILE_VOXELS])open);
    }
}

/// How many particles would have been added in a step. The fraction is rounded at random, so that
/// none is lost over many steps.
static uint64_t count_outflow(const emission *m, double dt)
{
    const liquid *s = m->s;
    sp_tiles_parallel(&s->grid.tiles, measure_outflow, (void *)(uintptr_t)m);
    const double sum = sp_exact_total(m->flux, s->grid.tiles.count, 1);
    const double scale = (double)strength(&s->sources.emitter[m->i], s->time);
    const double n = scale * sum * dt / (double)s->grid.voxel * s->def.particles_per_cell;
    const sp_random4 random = sp_random(s->seed, LIQUID_RANDOM_JET, s->steps, (uint32_t)m->i, 0);
    return n > 0.0 ? (uint64_t)floor(n + (double)sp_unit(random.x[0])) : 0;
}

/// Warns of an emitter that lies within solids: it brings no water.
static void warn_of_buried(const emission *m)
{
    const liquid *s = m->s;
    sp_tile_mask mask;
    if (liquid_is_outside(&s->grid, s->sources.emitter[m->i].shape)) return; // said at the start
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (int n = 0; n < SP_TILE_VOXELS && (n > 0 || liquid_emitter_mask(s, m->i, t, mask));
             ++n) {
            double p[3];
            liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
            if (sp_tile_mask_has(mask, n) &&
                sp_solids_distance(s->solids.bodies, p, NULL, NULL) > 0.0)
                return;
        }
    sp_log(s->host, SP_LOG_WARNING, "liquid: emitters[%zu] lies within solids and brings no water",
           s->sources.emitter[m->i].number);
}

static sp_status run_emitter(emission *m, double dt, sp_error *err)
{
    liquid *s = m->s;
    const liquid_emitter *e = &s->sources.emitter[m->i];
    if (!runs(e, s->time)) return SP_OK;
    if (begins(s, e)) warn_of_buried(m);
    sp_tiles_parallel(&s->grid.tiles, pin_tiles, m);
    if (!liquid_has_particles(&s->def)) {
        const double filled = sp_exact_total(m->flux, s->grid.tiles.count, 1);
        if (begins(s, e))
            s->figures.emitted += (uint64_t)filled * (uint64_t)s->def.particles_per_cell;
        s->figures.emitted += count_outflow(m, dt);
        return SP_OK;
    }
    const liquid_seeder seeder = liquid_seeder_of(s);
    uint64_t whole, part;
    if (s->def.narrow_band > 0) s->figures.emitted += count_outflow(m, dt);
    const float scale = strength(e, s->time);
    const float v[3] = {scale * e->velocity[0], scale * e->velocity[1], scale * e->velocity[2]};
    SP_TRY(liquid_seed(&seeder, (const sp_tile_mask *)m->empty, v, NULL, NULL, &whole, err));
    SP_TRY(liquid_seed(&seeder, (const sp_tile_mask *)m->swept, v, is_new, m, &part, err));
    s->figures.emitted += whole + part;
    return SP_OK;
}

/// ---- Water out of sinks ------------------------------------------------------------------------

static void drain(liquid *s, const sp_shape *sink)
{
    int32_t low[3], high[3];
    liquid_tile_range(&s->grid, sink, 0.0, low, high);
    for (size_t t = 0; t < s->grid.tiles.count; ++t) {
        if (!in_range(s->grid.tiles.at[t], low, high)) continue;
        const liquid_particles *p = &s->particles;
        for (uint32_t i = p->start ? p->start[t] : 0; p->start && i < p->start[t + 1]; ++i) {
            const float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
            double at[3];
            sp_flow_point(&s->grid.tiles, s->grid.origin, t, x, at);
            if (p->id[i] == SP_POINT_GONE || sp_shape_distance(sink, 0.0, at, NULL) >= 0.0)
                continue;
            p->id[i] = SP_POINT_GONE;
            ++s->figures.drained;
        }
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            double at[3];
            liquid_voxel_center(&s->grid, (uint32_t)t, n, at);
            const float d = (float)sp_shape_distance(sink, 0.0, at, NULL);
            float *phi = &s->grid.phi[t * SP_TILE_VOXELS + (size_t)n];
            *phi = fmaxf(*phi, fminf(-d, s->grid.band));
        }
    }
}

/// ---- Water that finds no room ------------------------------------------------------------------

void liquid_warn_lost(liquid *s, const sp_liquid_figures *f)
{
    const double lost = f->wanted_volume - f->volume;
    if (s->sources.emitters == 0 || !(lost > 0.0) || lost < 0.05 * f->wanted_volume ||
        lost < 2.0 * s->lost_said)
        return;
    s->lost_said = lost;
    sp_log(
        s->host, SP_LOG_WARNING,
        "liquid: %.3g m3 of the %.3g m3 that were there or came from emitters are lost at t = %.4g "
        "s%s (said again when it doubles)",
        lost, f->wanted_volume, s->time,
        f->removed > 0.0 ? ": an emitter pours into a space that is full" : "");
}

/// ---- All of it ---------------------------------------------------------------------------------

sp_status liquid_emit(liquid *s, double dt, sp_error *err)
{
    sp_status status = SP_OK;
    if (s->sources.emitters > 0) {
        const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
        emission m = {.s = s};
        m.empty = sp_scratch_array(&s->scratch, sp_tile_mask, s->grid.tiles.count);
        m.swept = sp_scratch_array(&s->scratch, sp_tile_mask, s->grid.tiles.count);
        memset(s->grid.pinned, 0, s->grid.tiles.count * sizeof *s->grid.pinned);
        m.flux = sp_scratch_array(&s->scratch, double, s->grid.tiles.count);
        if (!m.empty || !m.swept || !m.flux)
            status = sp_fail(err, SP_NO_MEMORY, "liquid: no memory for the emitters");
        for (m.i = 0; m.i < s->sources.emitters && status == SP_OK; ++m.i) {
            liquid_emitter *e = &s->sources.emitter[m.i];
            status = run_emitter(&m, dt, err);
            for (int a = 0; a < 3; ++a) // for the next seeding
                e->swept[a] = (float)((double)e->pinned[a] * dt);
        }
        sp_scratch_rewind(&s->scratch, mark);
    }
    if (status == SP_OK) status = liquid_fill_sides(s, err);
    for (size_t i = 0; i < s->sources.sinks && status == SP_OK; ++i)
        drain(s, s->sources.sink[i]);
    return status;
}

static void pin_faces(void *arg, size_t begin, size_t end)
{
    liquid *s = arg;
    static const int step[3] = {1, 8, 64},
                     below[3] = {SP_TILES_SELF - 1, SP_TILES_SELF - 3, SP_TILES_SELF - 9};
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const uint32_t low = s->grid.tiles.around[t][below[a]];
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                const bool inside = n / step[a] % 8 > 0;
                const uint32_t there = inside ? (uint32_t)t : low;
                const int place = inside ? n - step[a] : n + 7 * step[a];
                const liquid_emitter *e = NULL;
                if (sp_tile_mask_has(s->grid.pinned[t], n)) e = emitter_at(s, (uint32_t)t, n);
                if (!e && there != SP_NO_TILE && sp_tile_mask_has(s->grid.pinned[there], place))
                    e = emitter_at(s, there, place);
                if (!e) continue;
                s->grid.u[a][t * SP_TILE_VOXELS + (size_t)n] =
                    strength(e, s->time) * e->velocity[a];
                s->grid.known[a][t][n >> 6] |= (uint64_t)1 << (n & 63);
            }
        }
}

void liquid_pin(liquid *s)
{
    for (size_t i = 0; i < s->sources.emitters; ++i) {
        liquid_emitter *e = &s->sources.emitter[i];
        for (int a = 0; a < 3; ++a)
            e->pinned[a] = runs(e, s->time) ? strength(e, s->time) * e->velocity[a] : 0.0f;
    }
    if (s->sources.emitters > 0) sp_tiles_parallel(&s->grid.tiles, pin_faces, s);
}
