// SPDX-License-Identifier: Apache-2.0
#include "validate/scene.h"

#include <string.h>

void proof_scene_clear(proof_scene *s)
{
    *s = (proof_scene){.world = {.gravity = {0.0f, -9.81f, 0.0f},
                                 .colliders = s->solid,
                                 .emitters = s->emitter,
                                 .sinks = &s->sink}};
}

/// ---- Water -------------------------------------------------------------------------------------

static sp_emitter_def *add_emitter(proof_scene *s, int mode, sp_shape_def shape)
{
    sp_emitter_def *e = &s->emitter[s->world.emitter_count++];
    sp_keys_defaults(&sp_emitter_keys, e);
    e->mode = mode;
    e->shape = shape;
    return e;
}

sp_emitter_def *proof_fill(proof_scene *s, sp_box_def box)
{
    proof_shape *shape = &s->emitter_shape[s->world.emitter_count];
    shape->box = box;
    return add_emitter(s, SP_EMIT_FILL, (sp_shape_def){.box = &shape->box});
}

sp_emitter_def *proof_fill_ball(proof_scene *s, sp_sphere_def ball)
{
    proof_shape *shape = &s->emitter_shape[s->world.emitter_count];
    shape->sphere = ball;
    return add_emitter(s, SP_EMIT_FILL, (sp_shape_def){.sphere = &shape->sphere});
}

sp_emitter_def *proof_fill_heights(proof_scene *s, sp_heightfield_def heights)
{
    proof_shape *shape = &s->emitter_shape[s->world.emitter_count];
    shape->heightfield = heights;
    return add_emitter(s, SP_EMIT_FILL, (sp_shape_def){.heightfield = &shape->heightfield});
}

sp_emitter_def *proof_flow(proof_scene *s, sp_box_def box, const float velocity[3])
{
    sp_emitter_def *e = proof_fill(s, box);
    e->mode = SP_EMIT_FLOW;
    memcpy(e->velocity, velocity, sizeof e->velocity);
    return e;
}

sp_emitter_def *proof_jet(proof_scene *s, const float center[3], const float direction[3],
                          float radius, float speed)
{
    sp_emitter_def *e = add_emitter(s, SP_EMIT_JET, (sp_shape_def){0});
    memcpy(e->center, center, sizeof e->center);
    memcpy(e->direction, direction, sizeof e->direction);
    e->radius = radius;
    e->speed = speed;
    return e;
}

void proof_sink(proof_scene *s, sp_box_def box)
{
    s->sink_box = box;
    s->sink.shape.box = &s->sink_box;
    s->world.sink_count = 1;
}

/// ---- Solids ------------------------------------------------------------------------------------

static sp_collider_def *add_solid(proof_scene *s, sp_shape_def shape)
{
    sp_collider_def *d = &s->solid[s->world.collider_count++];
    sp_keys_defaults(&sp_collider_keys, d);
    d->shape = shape;
    return d;
}

sp_collider_def *proof_box(proof_scene *s, sp_box_def box)
{
    proof_shape *shape = &s->solid_shape[s->world.collider_count];
    shape->box = box;
    return add_solid(s, (sp_shape_def){.box = &shape->box});
}

sp_collider_def *proof_plane(proof_scene *s, sp_plane_def plane)
{
    proof_shape *shape = &s->solid_shape[s->world.collider_count];
    shape->plane = plane;
    return add_solid(s, (sp_shape_def){.plane = &shape->plane});
}

sp_collider_def *proof_drum(proof_scene *s, const float center[3], float radius, float length)
{
    sp_cylinder_def *body = &s->solid_shape[s->world.collider_count].cylinder;
    *body = (sp_cylinder_def){.from = {center[0], center[1], center[2] - 0.5f * length},
                              .to = {center[0], center[1], center[2] + 0.5f * length},
                              .radius = radius};
    sp_collider_def *d = add_solid(s, (sp_shape_def){.cylinder = body});
    d->inside_out = true;
    return d;
}

void proof_move(proof_scene *s, sp_collider_def *solid, const float velocity[3])
{
    sp_pose_def *path = s->path[solid - s->solid];
    path[1].time = 1000.0f;
    for (int a = 0; a < 3; ++a)
        path[1].position[a] = path[1].time * velocity[a];
    solid->motion.keys = path;
    solid->motion.key_count = 2;
}
