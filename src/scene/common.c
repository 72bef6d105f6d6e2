// SPDX-License-Identifier: Apache-2.0
/// The keys that belong to all solvers.
#include "scene/scene.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define AT(owner, field) .name = #field, .offset = offsetof(owner, field)
#define WORLD(field) .name = #field, .offset = offsetof(sp_scene_common, world.field)
#define WORLD_LIST(field, count)                                                                   \
    WORLD(field), .type = SP_KEY_LIST, .unit = "", .min = 0,                                       \
                  .count_offset = offsetof(sp_scene_common, world.count)

static const sp_key cache_rows[] = {
    {AT(sp_scene_cache, checkpoint_every), .type = SP_KEY_I32, .unit = "frames", .value = 10,
     .min = 1, .max = 1e9, .doc = "Frames between checkpoints, from which a killed run goes on"},
    {AT(sp_scene_cache, keep), .type = SP_KEY_I32, .unit = "", .value = 2, .min = 1, .max = 1e6,
     .doc = "Checkpoints kept, the newest ones"},
    {AT(sp_scene_cache, half), .type = SP_KEY_BOOL, .unit = "", .value = 0,
     .doc = "Store frames at half precision; checkpoints are always exact"},
    {AT(sp_scene_cache, sync), .type = SP_KEY_BOOL, .unit = "", .value = 1,
     .doc = "Wait until each frame is safe on the disk"},
};
static const sp_keys cache_keys = {"cache", cache_rows, COUNT(cache_rows), sizeof(sp_scene_cache)};

static const sp_key rows[] = {
    {AT(sp_scene_common, about), .type = SP_KEY_TEXT, .unit = "",
     .doc = "One line about the scene"},
    {AT(sp_scene_common, fps), .type = SP_KEY_F64, .unit = "1/s", .value = 24, .min = 0.01,
     .max = 1e5, .doc = "Frames a second; frame k is at time k/fps"},
    {AT(sp_scene_common, frames), .type = SP_KEY_U64, .unit = "frames", .value = 100, .min = 0,
     .max = 1e9, .doc = "Number of the last frame; frame 0 is the start"},
    // 2^53 - 1 rather than 2^64 - 1: beyond it other JSON readers, browsers among them, round
    // silently.
    {AT(sp_scene_common, seed), .type = SP_KEY_U64, .unit = "", .value = 1, .min = 0,
     .max = 9007199254740991.0, .doc = "Another seed, another but equally likely run"},
    {AT(sp_scene_common, cache), .type = SP_KEY_OBJECT, .unit = "", .items = &cache_keys,
     .doc = "How the run is stored"},
    {WORLD(gravity), .type = SP_KEY_VEC3, .unit = "m/s^2", .vector = sp_world_gravity, .min = -1e4,
     .max = 1e4, .doc = "Pulls at everything"},
    {WORLD(domain), .type = SP_KEY_OPTION, .unit = "", .items = &sp_domain_keys,
     .doc = "A box around everything; what leaves it is gone, and counted"},
    {WORLD_LIST(colliders, collider_count), .items = &sp_collider_keys, .max = 1000,
     .doc = "Solid things: walls, containers, obstacles"},
    {WORLD_LIST(emitters, emitter_count), .items = &sp_emitter_keys, .max = 255,
     .doc = "Where water is at the start and where it comes from"},
    {WORLD_LIST(sinks, sink_count), .items = &sp_sink_keys, .max = 1000,
     .doc = "Where water goes: what gets into the shape is gone, and counted"},
    {AT(sp_scene_common, look), .type = SP_KEY_OBJECT, .unit = "", .items = &sp_look_keys,
     .doc = "How pictures of it are made"},
};
const sp_keys sp_scene_common_keys = {"scene", rows, COUNT(rows), sizeof(sp_scene_common)};
