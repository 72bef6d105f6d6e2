// SPDX-License-Identifier: Apache-2.0
#ifndef SP_STILL_INTERNAL_H
#define SP_STILL_INTERNAL_H

#include "particles/particles.h"
#include "still/still.h"
#include "tiles/tiles.h"

/// Height of the water's surface at (x, z), m.
float still_level(const sp_still_water *water, float x, float z);
/// Signed distance to the water's surface, m, negative in the water: exact except for the slope of
/// the ripples and the edges of the box.
float still_water_distance(const sp_still_water *water, sp_vec3 p);
/// Signed distance to a hero's surface, m.
float still_hero_distance(const sp_still_hero *hero, sp_vec3 p);

/// Each adds particles to `points`; false when there is no memory.
bool still_fill_hero(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points);
bool still_fill_plume(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points);
bool still_fill_raft(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points);

#endif
