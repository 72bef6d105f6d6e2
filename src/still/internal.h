// SPDX-License-Identifier: Apache-2.0
#ifndef SP_STILL_INTERNAL_H
#define SP_STILL_INTERNAL_H

#include "particles/particles.h"
#include "still/still.h"
#include "tiles/tiles.h"

/// Height of the water over a place, and how far a point is under it (positive in the water).
float still_level(const sp_still_water *water, float x, float z);
/// Signed distance to the water's surface, m: exact but for the ripples' slope and the box's edges.
float still_water_distance(const sp_still_water *water, sp_vec3 p);
/// The same for a hero's.
float still_hero_distance(const sp_still_hero *hero, sp_vec3 p);

/// Each adds particles, false for want of memory.
bool still_fill_hero(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points);
bool still_fill_plume(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points);
bool still_fill_raft(const sp_still_def *def, size_t which, uint64_t seed, sp_published *points);

#endif
