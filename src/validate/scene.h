// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_SCENE_H
#define SP_VALIDATE_SCENE_H

/// Emitters, sinks and solids of a case, without a scene file. Lengths in m, velocities in m/s.

#include "shapes/world.h"

enum { PROOF_SOLIDS = 4, PROOF_EMITTERS = 8 };

typedef union proof_shape {
    sp_box_def box;
    sp_sphere_def sphere;
    sp_plane_def plane;
    sp_cylinder_def cylinder;
    sp_heightfield_def heightfield;
} proof_shape;

/// `world` points at the rest, so a scene must not be copied.
typedef struct proof_scene {
    sp_world_def world;
    sp_collider_def solid[PROOF_SOLIDS];
    proof_shape solid_shape[PROOF_SOLIDS];
    sp_pose_def path[PROOF_SOLIDS][2];
    sp_emitter_def emitter[PROOF_EMITTERS];
    proof_shape emitter_shape[PROOF_EMITTERS];
    sp_sink_def sink;
    sp_box_def sink_box;
} proof_scene;

/// Nothing but gravity, 9.81 m/s2 down.
void proof_scene_clear(proof_scene *s);

sp_emitter_def *proof_fill(proof_scene *s, sp_box_def box);
sp_emitter_def *proof_fill_ball(proof_scene *s, sp_sphere_def ball);
sp_emitter_def *proof_fill_heights(proof_scene *s, sp_heightfield_def heights);
sp_emitter_def *proof_flow(proof_scene *s, sp_box_def box, const float velocity[3]);
sp_emitter_def *proof_jet(proof_scene *s, const float center[3], const float direction[3],
                          float radius, float speed);
/// The only sink.
void proof_sink(proof_scene *s, sp_box_def box);

sp_collider_def *proof_box(proof_scene *s, sp_box_def box);
sp_collider_def *proof_plane(proof_scene *s, sp_plane_def plane);
/// A hollow cylinder along z.
sp_collider_def *proof_drum(proof_scene *s, const float center[3], float radius, float length);
/// Moves a solid along a straight line from time 0 to a time beyond any check.
void proof_move(proof_scene *s, sp_collider_def *solid, const float velocity[3]);

#endif
