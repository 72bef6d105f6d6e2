// SPDX-License-Identifier: Apache-2.0
/// Table of the keys common to all solvers.
#include "core/keys/key_rows.h"
#include "scene/scene.h"

#define WORLD(field) .name = #field, .offset = offsetof(sp_scene_common, world.field)
#define WORLD_LIST(field, count, keys)                                                             \
    WORLD(field), .type = SP_KEY_LIST, .unit = "",                                                 \
                  .count_offset = offsetof(sp_scene_common, world.count), .items = &(keys)

static const sp_key cache_rows[] = {
    {I32(sp_scene_cache, checkpoint_every), .unit = "frames", .value = 10, RANGE(1, 1e9),
     .doc = "Frames between checkpoints, from which a killed run goes on"},
    {I32(sp_scene_cache, keep), .unit = "", .value = 2, RANGE(1, 1e6),
     .doc = "Checkpoints kept, the newest ones"},
    {BOOL(sp_scene_cache, half), .value = 0,
     .doc = "Store frames at half precision, all but positions and sheets; checkpoints are always "
            "exact"},
    {BOOL(sp_scene_cache, sync), .value = 1, .doc = "Wait until each frame is safe on the disk"},
};
static const sp_keys cache_keys = TABLE("cache", cache_rows, sp_scene_cache);

static const sp_key rows[] = {
    {TEXT(sp_scene_common, about), .doc = "One line about the scene"},
    {F64(sp_scene_common, fps), .unit = "1/s", .value = 24, RANGE(0.01, 1e5),
     .doc = "Frames a second; frame k is at time k/fps"},
    {U64(sp_scene_common, frames), .unit = "frames", .value = 100, RANGE(0, 1e9),
     .doc = "Number of the last frame; frame 0 is the start"},
    // 2^53 - 1 rather than 2^64 - 1: other JSON readers, such as browsers, silently round larger
    // integers.
    {U64(sp_scene_common, seed), .unit = "", .value = 1, RANGE(0, 9007199254740991.0),
     .doc = "Another seed, another but equally likely run"},
    {OBJECT(sp_scene_common, cache, cache_keys), .doc = "How the run is stored"},
    {WORLD(gravity), .type = SP_KEY_VEC3, .unit = "m/s^2", .vector = sp_world_gravity,
     RANGE(-1e4, 1e4), .doc = "Pulls at everything"},
    {WORLD(domain), .type = SP_KEY_OPTION, .unit = "", .items = &sp_domain_keys,
     .doc = "A box around everything; what leaves it is gone, and counted"},
    {WORLD_LIST(colliders, collider_count, sp_collider_keys), RANGE(0, 1000),
     .doc = "Solid things: walls, containers, obstacles"},
    {WORLD_LIST(emitters, emitter_count, sp_emitter_keys), RANGE(0, 255),
     .doc = "Where water is at the start and where it comes from"},
    {WORLD_LIST(sinks, sink_count, sp_sink_keys), RANGE(0, 1000),
     .doc = "Where water goes: what gets into the shape is gone, and counted"},
    {OBJECT(sp_scene_common, look, sp_look_keys), .doc = "How pictures of it are made"},
};
const sp_keys sp_scene_common_keys = TABLE("scene", rows, sp_scene_common);
