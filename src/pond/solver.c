// SPDX-License-Identifier: Apache-2.0
/// The pond as a Spume solver: its row in the solver table, and its published frames. Frames are y
/// up: (x, y, z) becomes (x, z, -y).
#include "core/solver_type.h"
#include "pond/errata.h"
#include "pond/internal.h"

#include <stdio.h>
#include <string.h>

enum { MORE_OF_BUBBLES = 3, MORE_OF_FOAM = 1, SETS = 2, FIELDS = 3, STATS = 14 };

typedef struct pond_solver {
    const sp_host *host;
    sp_pond *pond;
    uint32_t *order; ///< particles by ascending id
    float *bubble_position, *bubble_velocity, *bubble_radius, *bubble_age, *bubble_axis,
        *bubble_stretch;
    float *foam_position, *foam_velocity, *foam_radius, *foam_age;
    uint64_t *bubble_id, *foam_id;
    float *ground;
    sp_column bubble_columns[SP_PUBLISHED_COLUMNS + MORE_OF_BUBBLES];
    sp_column foam_columns[SP_PUBLISHED_COLUMNS + MORE_OF_FOAM];
    sp_set sets[SETS];
    sp_field fields[FIELDS];
    sp_body bodies[SP_POND_MAX_OBSTACLES];
    char body_names[SP_POND_MAX_OBSTACLES][32];
    sp_stat stats[STATS];
} pond_solver;

static void solver_close(void *solver)
{
    pond_solver *s = solver;
    if (!s) return;
    sp_pond_close(s->pond);
    void *const arrays[] = {
        s->order,       s->bubble_position, s->bubble_velocity, s->bubble_radius, s->bubble_age,
        s->bubble_axis, s->bubble_stretch,  s->foam_position,   s->foam_velocity, s->foam_radius,
        s->foam_age,    s->bubble_id,       s->foam_id,         s->ground};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        sp_release(s->host, arrays[k]);
    sp_release(s->host, s);
}

static bool allocate_columns(pond_solver *s, const sp_pond_def *def)
{
    const size_t bubbles = (size_t)def->max_bubbles, foam = (size_t)def->max_foam;
    const sp_pond_view *view = &s->pond->view;
    const struct {
        float **slot;
        size_t count;
    } wants[] = {{&s->bubble_position, 3 * bubbles},
                 {&s->bubble_velocity, 3 * bubbles},
                 {&s->bubble_radius, bubbles},
                 {&s->bubble_age, bubbles},
                 {&s->bubble_axis, 3 * bubbles},
                 {&s->bubble_stretch, bubbles},
                 {&s->foam_position, 3 * foam},
                 {&s->foam_velocity, 3 * foam},
                 {&s->foam_radius, foam},
                 {&s->foam_age, foam},
                 {&s->ground, (size_t)view->width * view->height}};
    for (size_t k = 0; k < sizeof wants / sizeof *wants; ++k)
        if (!(*wants[k].slot = sp_allocate(s->host, wants[k].count, sizeof(float)))) return false;
    return (s->order = sp_allocate(s->host, bubbles > foam ? bubbles : foam, sizeof *s->order)) &&
           (s->bubble_id = sp_allocate(s->host, bubbles, sizeof *s->bubble_id)) &&
           (s->foam_id = sp_allocate(s->host, foam, sizeof *s->foam_id));
}

static sp_status solver_open(const sp_setup *setup, const sp_host *host, void **out, sp_error *err)
{
    *out = NULL;
    sp_pond_def own = *(const sp_pond_def *)setup->def;
    own.seed = setup->seed;
    own.struct_size = sizeof own;
    pond_solver *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "pond: no memory for the solver");
    s->host = host;
    sp_status status = sp_pond_open(&own, host, &s->pond, err);
    if (status == SP_OK && !allocate_columns(s, &own))
        status = sp_fail(err, SP_NO_MEMORY, "pond: no memory for frames of %d bubbles",
                         (int)own.max_bubbles);
    if (status != SP_OK)
        solver_close(s);
    else
        *out = s;
    return status;
}

static sp_status solver_step(void *solver, double t_end, sp_error *err)
{
    return sp_pond_step(((pond_solver *)solver)->pond, t_end, err);
}

/// ---- A frame ----------------------------------------------------------------------------------

static void turn(float *to, float x, float y, float z)
{
    to[0] = x;
    to[1] = z;
    to[2] = -y;
}

static float (*vectors(float *numbers))[3]
{
    return (float(*)[3])(void *)numbers;
}

enum { GRAIN = 4096 }; ///< particles a task

static void copy_bubbles(void *arg, size_t begin, size_t end)
{
    const pond_solver *s = arg;
    const pond_bubbles *b = &s->pond->bubbles;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = s->order[k];
        const float *drawn = s->pond->view.bubbles + 8 * i;
        turn(s->bubble_position + 3 * k, b->px[i], b->py[i], b->pz[i]);
        turn(s->bubble_velocity + 3 * k, b->ux[i], b->uy[i], b->uz[i]);
        turn(s->bubble_axis + 3 * k, drawn[4], drawn[5], drawn[6]);
        s->bubble_stretch[k] = drawn[7];
        s->bubble_radius[k] = b->r[i];
        s->bubble_age[k] = b->age[i];
        s->bubble_id[k] = b->id[i];
    }
}

static sp_status publish_bubbles(pond_solver *s, sp_error *err)
{
    const pond_bubbles *b = &s->pond->bubbles;
    SP_TRY(sp_order_by_id(s->host, b->set.count, b->id, s->order, NULL, err));
    sp_parallel(s->host, b->set.count, GRAIN, copy_bubbles, s);
    const sp_column more[MORE_OF_BUBBLES] = {
        {"age", SP_F32, 1, s->bubble_age},
        {"axis", SP_F32, 3, s->bubble_axis},
        {"stretch", SP_F32, 1, s->bubble_stretch},
    };
    const sp_published published = {.count = b->set.count,
                                    .position = vectors(s->bubble_position),
                                    .velocity = vectors(s->bubble_velocity),
                                    .radius = s->bubble_radius,
                                    .id = s->bubble_id};
    s->sets[0] = sp_published_set(&published, "bubbles", s->bubble_columns, more, MORE_OF_BUBBLES);
    return SP_OK;
}

/// A foam bubble is a hemisphere: its position is the middle of its base, on the surface.
static void copy_foam(void *arg, size_t begin, size_t end)
{
    const pond_solver *s = arg;
    const pond_foam *f = &s->pond->foam;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = s->order[k];
        turn(s->foam_position + 3 * k, f->px[i], f->py[i], s->pond->view.foam[8 * i + 2]);
        turn(s->foam_velocity + 3 * k, f->ux[i], f->uy[i], f->uz[i]);
        s->foam_radius[k] = f->r[i];
        s->foam_age[k] = f->life[i] - f->left[i];
        s->foam_id[k] = f->id[i];
    }
}

static sp_status publish_foam(pond_solver *s, sp_error *err)
{
    const pond_foam *f = &s->pond->foam;
    SP_TRY(sp_order_by_id(s->host, f->set.count, f->id, s->order, NULL, err));
    sp_parallel(s->host, f->set.count, GRAIN, copy_foam, s);
    const sp_column more[MORE_OF_FOAM] = {{"age", SP_F32, 1, s->foam_age}};
    const sp_published published = {.count = f->set.count,
                                    .position = vectors(s->foam_position),
                                    .velocity = vectors(s->foam_velocity),
                                    .radius = s->foam_radius,
                                    .id = s->foam_id};
    s->sets[1] = sp_published_set(&published, "foam", s->foam_columns, more, MORE_OF_FOAM);
    return SP_OK;
}

/// Ground with obstacles, at the samples of the surface. Height minus depth would be wrong: height
/// includes the domes above bubbles.
static void publish_ground(void *arg, size_t begin, size_t end)
{
    pond_solver *s = arg;
    const sp_pond_view *v = &s->pond->view;
    for (size_t j = begin; j < end; ++j)
        for (size_t i = 0; i < v->width; ++i)
            s->ground[j * v->width + i] =
                pond_flow_at(&s->pond->water, (float)i * v->spacing, (float)j * v->spacing).bed;
}

static void publish_fields(pond_solver *s, const sp_pond_view *view)
{
    sp_parallel(s->host, view->height, 16, publish_ground, s);
    const double spacing = (double)view->spacing;
    const sp_field plane = {.layout = SP_FIELD_PLANE,
                            .components = 1,
                            .nu = view->width,
                            .nv = view->height,
                            .du = {spacing, 0.0, 0.0},
                            .dv = {0.0, 0.0, -spacing}};
    s->fields[0] = s->fields[1] = s->fields[2] = plane;
    s->fields[0].name = "height";
    s->fields[0].values = view->level;
    s->fields[1].name = "depth";
    s->fields[1].values = view->depth;
    s->fields[2].name = "ground";
    s->fields[2].values = s->ground;
}

static size_t publish_bodies(pond_solver *s)
{
    const sp_pond *pond = s->pond;
    size_t count = 0;
    for (size_t k = 0; k < pond->def.obstacle_count; ++k) {
        const pond_obstacle *o = &pond->obstacles[k];
        if (o->shape == SP_POND_NONE) continue;
        const double c = (double)o->cosine, n = (double)o->sine;
        snprintf(s->body_names[count], sizeof s->body_names[count], "obstacle%zu", k);
        s->bodies[count] = (sp_body){.name = s->body_names[count],
                                     .position = {(double)o->x, 0.0, -(double)o->y},
                                     .rotation = {c, 0, n, 0, 1, 0, -n, 0, c}};
        ++count;
    }
    return count;
}

static void publish_stats(pond_solver *s)
{
    const sp_pond_stats p = sp_pond_statistics(s->pond);
    const sp_stat stats[STATS] = {
        {"bubbles", p.bubbles},
        {"foam", p.foam},
        {"ghosts", p.ghosts},
        {"substeps", p.substeps},
        {"limited", p.limited},
        {"softened", p.softened},
        {"held", p.held},
        {"vortex_clamps", p.vortex_clamps},
        {"water_quanta", (double)(p.water_quanta - p.water_in_quanta)},
        {"water_m3", p.water_m3},
        {"gas_in_m3", p.gas_in_m3},
        {"gas_out_m3", p.gas_out_m3},
        {"gas_m3", p.gas_m3},
        {"fastest_m_per_s", (double)s->pond->water.speed_max},
    };
    memcpy(s->stats, stats, sizeof stats);
}

static sp_status solver_publish(void *solver, sp_frame *frame, sp_error *err)
{
    pond_solver *s = solver;
    const sp_pond_view *view = sp_pond_draw(s->pond);
    SP_TRY(publish_bubbles(s, err));
    SP_TRY(publish_foam(s, err));
    publish_fields(s, view);
    publish_stats(s);
    frame->time = s->pond->time;
    frame->voxel = (double)s->pond->water.dx;
    frame->hash = sp_pond_hash(s->pond);
    frame->sets = s->sets;
    frame->set_count = SETS;
    frame->fields = s->fields;
    frame->field_count = FIELDS;
    frame->bodies = s->bodies;
    frame->body_count = publish_bodies(s);
    frame->stats = s->stats;
    frame->stat_count = STATS;
    return SP_OK;
}

/// ---- State ------------------------------------------------------------------------------------

static sp_status solver_save(const void *solver, sp_blob *blob, sp_error *err)
{
    const pond_solver *s = solver;
    const size_t bytes = sp_pond_save(s->pond, NULL, 0);
    sp_blob_reserve(blob, bytes);
    if (blob->failed)
        return sp_fail(err, SP_NO_MEMORY, "pond: no memory to save %zu bytes of state", bytes);
    sp_pond_save(s->pond, blob->bytes + blob->size, bytes);
    blob->size += bytes;
    return SP_OK;
}

static sp_status solver_restore(void *solver, sp_blob *blob, sp_error *err)
{
    pond_solver *s = solver;
    SP_TRY(sp_pond_load(s->pond, blob->bytes + blob->at, blob->size - blob->at, err));
    blob->at = blob->size;
    return SP_OK;
}

static sp_status solver_set(void *solver, const char *key, double value, sp_error *err)
{
    return sp_pond_set(((pond_solver *)solver)->pond, key, value, err);
}

static sp_status solver_get(const void *solver, const char *key, double *value, sp_error *err)
{
    return sp_pond_get(((const pond_solver *)solver)->pond, key, value, err);
}

static sp_status solver_check(const sp_setup *setup, sp_error *err)
{
    return pond_check_def(setup->def, err);
}

/// The pond itself, what it publishes, and the larger of a frame's file and a checkpoint.
static double solver_estimate(const sp_setup *setup)
{
    sp_pond_def own = *(const sp_pond_def *)setup->def;
    const sp_pond_def *d = &own;
    own.struct_size = sizeof own;
    const double bubbles = (double)d->max_bubbles, foam = (double)d->max_foam,
                 scale = d->render_scale;
    const double cells = (double)d->nx * (double)d->ny, overhead = 5e5;
    const double samples = (d->nx * scale + 1.0) * (d->ny * scale + 1.0);
    const double sorted = 20.0 * fmax(bubbles, foam) + 1e6; // by id
    const double published = 56.0 * bubbles + 40.0 * foam + sorted + 4.0 * samples;
    const double file = 56.0 * bubbles + 40.0 * foam + 12.0 * samples;
    const double state = 20.0 * cells + 100.0 * (bubbles + foam + (double)d->max_ghosts) +
                         12.0 * (double)d->tracers; // a checkpoint
    return (double)sp_pond_bytes(d) + published + fmax(file, state) + overhead;
}

/// Bubbles a second from all that lets air out.
static double gas_rate(const sp_pond_def *d)
{
    double rate = 0.0;
    for (size_t i = 0; i < d->nozzle_count; ++i)
        rate += (double)d->nozzles[i].rate;
    for (size_t i = 0; i < d->nozzle_field_count; ++i)
        rate += (double)d->nozzle_fields[i].rate * d->nozzle_fields[i].columns *
                d->nozzle_fields[i].rows;
    for (size_t i = 0; i < d->heater_count; ++i)
        rate += (double)d->heaters[i].rate;
    return rate;
}

/// Sub-steps of the water by the speed of its waves; bubbles that rise at 0.25 m/s, then live as foam.
static double solver_seconds(const sp_setup *setup)
{
    const double each_cell = 6e-9, each_particle = 150e-9; // s per sub-step, measured
    const sp_pond_def *d = setup->def;
    const double level = fmax((double)d->rest_level, (double)d->dam_level),
                 wave = sqrt((double)d->gravity * level),
                 frame = fmax(setup->frame_seconds, (double)d->dt_frame),
                 per_frame = ceil(frame / (double)d->dt_frame - 1e-6), dt = frame / per_frame;
    const double substeps =
        fmin(fmax(ceil(dt * wave / ((double)d->cfl * (double)d->dx)), d->sw_min_substeps),
             d->sw_max_substeps);
    const double life = level / 0.25 + (double)d->foam_probability * (double)d->foam_life;
    const double particles = fmin(gas_rate(d) * life + (double)d->bubble_count,
                                  (double)d->max_bubbles + (double)d->max_foam);
    return setup->seconds / dt *
           (each_cell * substeps * d->nx * d->ny +
            each_particle * d->particle_substeps * particles);
}

const sp_solver_type sp_pond_solver = {
    .name = "pond",
    .about = "shallow water with vortex bubbles and floating foam, in real time",
    .paper = "Thuerey, Sadlo, Schirm, Mueller-Fischer, Gross: Real-time Simulations of Bubbles and "
             "Foam within a Shallow Water "
             "Framework (2007)",
    .keys = &sp_pond_keys,
    .grain = "pond.nx",
    .check = solver_check,
    .estimate = solver_estimate,
    .seconds = solver_seconds,
    .open = solver_open,
    .step = solver_step,
    .publish = solver_publish,
    .set = solver_set,
    .get = solver_get,
    .save = solver_save,
    .restore = solver_restore,
    .close = solver_close,
    .errata = sp_pond_errata,
    .erratum_count = SP_POND_ERRATA,
};
