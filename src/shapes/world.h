// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SHAPES_WORLD_H
#define SP_SHAPES_WORLD_H

/// The surroundings of the water, described in the same way for every solver: gravity, domain,
/// colliders, emitters and sinks. A solver lists in its `uses` (solver/solver.h) which of these it
/// supports; a scene with others is refused.

#include "shapes/shapes.h"

typedef struct sp_domain_def { ///< what leaves this box is removed and counted
    float min[3], max[3];      ///< m
} sp_domain_def;

/// SP_EMIT_FILL: the shape is full of water at time 0. SP_EMIT_FLOW: the shape is kept full, and
/// water in it moves with `velocity`. SP_EMIT_JET: water runs through a disc.
enum { SP_EMIT_FILL, SP_EMIT_FLOW, SP_EMIT_JET };
extern const char *const sp_emitter_modes[]; ///< their words in scenes, NULL-ended

typedef struct sp_emitter_def {
    const char *name;
    int mode;           ///< SP_EMIT_...
    sp_shape_def shape; ///< fill and flow: exactly one; jet: none
    float velocity[3];  ///< m/s; fill: at the start, flow: always
    float start, stop;  ///< s; flow and jet. The default of stop is 1e9, which means never
    /// Jet: mouth of the pipe, where it points (any length but zero), radius (m), speed (m/s).
    float center[3], direction[3], radius, speed;
    float ramp;        ///< s; jet: the speed grows linearly from 0 over this time
    float pipe_length; ///< m; jet: of the pipe behind its mouth; negative: the solver chooses
} sp_emitter_def;

typedef struct sp_sink_def {
    const char *name;
    sp_shape_def shape;
} sp_sink_def;

typedef struct sp_world_def {
    float gravity[3];            ///< m/s2
    const sp_domain_def *domain; ///< NULL: no bounds
    const sp_collider_def *colliders;
    size_t collider_count;
    const sp_emitter_def *emitters;
    size_t emitter_count;
    const sp_sink_def *sinks;
    size_t sink_count;
} sp_world_def;

extern const float sp_world_gravity[3]; ///< m/s2; the default
extern const sp_keys sp_domain_keys, sp_emitter_keys, sp_sink_keys;

/// Checks that ranges of single keys cannot express: corners in order, a shape where the mode needs
/// one, a jet with a direction, unique names; colliders included.
sp_status sp_world_check(const sp_world_def *world, sp_error *err);
/// The shape of an emitter or a sink, which stays as it is and is not drawn: keys that only matter
/// otherwise are refused. `path` ("emitters[0]") begins the message.
sp_status sp_source_shape_check(const sp_shape_def *shape, const char *path, sp_error *err);

/// ---- Colliders, opened (colliders.c) -----------------------------------------------------------

typedef struct sp_colliders {
    const sp_host *host;
    sp_shape **shapes;
    size_t count;
} sp_colliders;
/// Told why a collider does not open; true leaves it out.
typedef bool sp_collider_skip(void *user, const sp_error *why);
/// All colliders of a world (NULL: none), in its order, with the host's memory. `skip` may be NULL. On
/// failure `out` holds those before the one that failed; close it in either case.
sp_status sp_colliders_open(sp_colliders *out, const sp_world_def *world, const sp_host *host,
                            sp_collider_skip *skip, void *user, sp_error *err);
void sp_colliders_close(sp_colliders *colliders); ///< zeroes it; may be zeroed

#endif
