// SPDX-License-Identifier: Apache-2.0
/// The keys of domain, emitters and sinks, and checks that the ranges of single keys cannot express.
#include "core/keys/key_rows.h"
#include "shapes/internal.h"
#include "shapes/world.h"

#include <stdio.h>
#include <string.h>

#define NEVER 1e9 // s; a number because JSON has no word for infinity
#define RAMP 0.05 // s

const float sp_world_gravity[3] = {0.0f, -9.81f, 0.0f};

const char *const sp_emitter_modes[] = {"fill", "flow", "jet", NULL}; // as SP_EMIT_...

static const sp_key domain_rows[] = {
    {VEC3(sp_domain_def, min), .unit = "m", .value = SP_REQUIRED, RANGE(-1e6, 1e6),
     .doc = "The corner with the smallest coordinates"},
    {VEC3(sp_domain_def, max), .unit = "m", .value = SP_REQUIRED, RANGE(-1e6, 1e6),
     .doc = "The corner with the largest coordinates"},
};
const sp_keys sp_domain_keys = TABLE("domain", domain_rows, sp_domain_def);

static const sp_key emitter_rows[] = {
    {TEXT(sp_emitter_def, name), .doc = "Name in messages"},
    {WORD(sp_emitter_def, mode, sp_emitter_modes), .value = SP_EMIT_FILL,
     .doc = "fill: water in a shape at the start; flow: a shape that is kept full; jet: water from "
            "a pipe"},
    {OBJECT(sp_emitter_def, shape, sp_shape_keys),
     .doc = "Fill and flow: exactly one of box, sphere, cylinder, capsule, torus, plane, mesh and "
            "heightfield"},
    {VEC3(sp_emitter_def, velocity), .unit = "m/s", .value = 0, RANGE(-1e4, 1e4),
     .doc = "Velocity of the water in the shape; fill: at the start, flow: always"},
    {F32(sp_emitter_def, start), .unit = "s", .value = 0, RANGE(0, NEVER),
     .doc = "Flow and jet: start time"},
    {F32(sp_emitter_def, stop), .unit = "s", .value = NEVER, RANGE(0, NEVER),
     .doc = "Flow and jet: end time; 1e9 is never"},
    {VEC3(sp_emitter_def, center), .unit = "m", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Jet: centre of the pipe's mouth"},
    {VEC3(sp_emitter_def, direction), .unit = "", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Jet: direction; required, any length but zero"},
    {F32(sp_emitter_def, radius), .unit = "m", .value = 0, RANGE(0, 1e6),
     .doc = "Jet: radius of the pipe; required, above 0"},
    {F32(sp_emitter_def, speed), .unit = "m/s", .value = 0, RANGE(0, 1e4),
     .doc = "Jet: speed of the water; required, above 0"},
    {F32(sp_emitter_def, ramp), .unit = "s", .value = RAMP, RANGE(0, 1e6),
     .doc = "Jet: the speed grows from 0 over this time"},
    {F32(sp_emitter_def, pipe_length), .unit = "m", .value = -1, RANGE(-1, 1e6),
     .doc = "Jet: length of the pipe behind the mouth; below 0: the solver chooses"},
};
const sp_keys sp_emitter_keys = TABLE("emitter", emitter_rows, sp_emitter_def);

static const sp_key sink_rows[] = {
    {TEXT(sp_sink_def, name), .doc = "Name in messages"},
    {OBJECT(sp_sink_def, shape, sp_shape_keys),
     .doc = "Exactly one of box, sphere, cylinder, capsule, torus, plane, mesh and heightfield"},
};
const sp_keys sp_sink_keys = TABLE("sink", sink_rows, sp_sink_def);

/// ---- Checks of each part -----------------------------------------------------------------------

static bool same_vector(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

sp_status sp_source_shape_check(const sp_shape_def *shape, const char *path, sp_error *err)
{
    char full[80];
    snprintf(full, sizeof full, "%s.shape", path);
    SP_TRY(sp_shape_check(shape, full, err));
    if (shape->mesh && shape->mesh->frames)
        return sp_fail(err, SP_BAD_INPUT, "%s.mesh.frames: only colliders deform; expected none",
                       full);
    if (shape->heightfield && shape->heightfield->depth > 0.0f)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.heightfield.depth: %g m; only the ground of a collider is drawn; "
                       "expected 0",
                       full, (double)shape->heightfield->depth);
    return SP_OK;
}

static sp_status needs(const char *path, const char *key, float value, const char *unit,
                       sp_error *err)
{
    if (value > 0.0f) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s.%s: %g %s; a jet needs more than 0", path, key,
                   (double)value, unit);
}

static sp_status check_jet(const sp_emitter_def *e, const char *path, sp_error *err)
{
    static const float zero[3] = {0};
    if (shape_count_given(&e->shape) > 0)
        return sp_fail(err, SP_BAD_INPUT, "%s.shape: a jet leaves through a disc; expected none",
                       path);
    if (!same_vector(e->velocity, zero))
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.velocity: a jet has a direction and a speed; expected none", path);
    SP_TRY(shape_check_direction(e->direction, path, "direction", err));
    SP_TRY(needs(path, "radius", e->radius, "m", err));
    return needs(path, "speed", e->speed, "m/s", err);
}

/// Fill and flow. Keys of a jet are refused, because they would have no effect.
static sp_status check_body(const sp_emitter_def *e, const char *path, sp_error *err)
{
    static const float zero[3] = {0};
    const char *jets = e->radius > 0.0f                           ? "radius"
                       : e->speed > 0.0f                          ? "speed"
                       : !same_vector(e->direction, zero)         ? "direction"
                       : !same_vector(e->center, zero)            ? "center"
                       : e->pipe_length > 0.0f                    ? "pipe_length"
                       : e->ramp > 0.0f && e->ramp != (float)RAMP ? "ramp"
                                                                  : NULL;
    if (jets)
        return sp_fail(err, SP_BAD_INPUT, "%s.%s: only a jet has one; expected none", path, jets);
    return sp_source_shape_check(&e->shape, path, err);
}

static sp_status check_times(const sp_emitter_def *e, const char *path, sp_error *err)
{
    const bool late = e->start > 0.0f, ends = e->stop < (float)NEVER;
    if (e->mode == SP_EMIT_FILL && (late || ends))
        return sp_fail(err, SP_BAD_INPUT, "%s.%s: a fill acts once, at time 0; expected none", path,
                       late ? "start" : "stop");
    if (e->stop > e->start) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s.stop: %g s; expected later than start, %g s", path,
                   (double)e->stop, (double)e->start);
}

static sp_status check_emitter(const sp_emitter_def *e, const char *path, sp_error *err)
{
    SP_TRY(shape_check_name(e->name, path, err));
    SP_TRY(e->mode == SP_EMIT_JET ? check_jet(e, path, err) : check_body(e, path, err));
    return check_times(e, path, err);
}

static sp_status check_sink(const sp_sink_def *sink, const char *path, sp_error *err)
{
    SP_TRY(shape_check_name(sink->name, path, err));
    return sp_source_shape_check(&sink->shape, path, err);
}

/// Names must be unique within a list, because frames and statistics use them. `items` are structs
/// of `stride` bytes that begin with their name.
static sp_status check_names(const char *list, const void *items, size_t count, size_t stride,
                             sp_error *err)
{
    for (size_t i = 0; i < count; ++i) {
        const char *name, *other;
        memcpy(&name, (const char *)items + i * stride, sizeof name);
        for (size_t j = 0; name && j < i; ++j) {
            memcpy(&other, (const char *)items + j * stride, sizeof other);
            if (other && strcmp(name, other) == 0)
                return sp_fail(err, SP_BAD_INPUT,
                               "%s[%zu].name: \"%s\" is also the name of %s[%zu]; expected another",
                               list, i, name, list, j);
        }
    }
    return SP_OK;
}

sp_status sp_world_check(const sp_world_def *w, sp_error *err)
{
    char path[40];
    if (w->domain) SP_TRY(shape_check_corners(w->domain->min, w->domain->max, "domain", err));
    for (size_t i = 0; i < w->collider_count; ++i) {
        snprintf(path, sizeof path, "colliders[%zu]", i);
        SP_TRY(sp_collider_check(&w->colliders[i], path, err));
    }
    for (size_t i = 0; i < w->emitter_count; ++i) {
        snprintf(path, sizeof path, "emitters[%zu]", i);
        SP_TRY(check_emitter(&w->emitters[i], path, err));
    }
    for (size_t i = 0; i < w->sink_count; ++i) {
        snprintf(path, sizeof path, "sinks[%zu]", i);
        SP_TRY(check_sink(&w->sinks[i], path, err));
    }
    SP_TRY(check_names("colliders", w->colliders, w->collider_count, sizeof *w->colliders, err));
    SP_TRY(check_names("emitters", w->emitters, w->emitter_count, sizeof *w->emitters, err));
    return check_names("sinks", w->sinks, w->sink_count, sizeof *w->sinks, err);
}
