// SPDX-License-Identifier: Apache-2.0
#ifndef SP_STILL_INTERNAL_H
#define SP_STILL_INTERNAL_H

#include "particles/particles.h"
#include "still/still.h"
#include "tiles/tiles.h"

/// Particles in the making; grows by itself.
typedef struct still_points {
    const sp_host *host;
    size_t count, capacity;
    float (*position)[3], (*velocity)[3];
    float *radius;
    uint64_t *id;
} still_points;

/// False: no memory. The id is the particle's number.
bool still_add(still_points *points, sp_vec3 p, float radius, float rise);
void still_points_close(still_points *points);

/// Height of the water over a place, and how far a point is under it (positive in the water).
float still_level(const sp_still_water *water, float x, float z);
/// Signed distance to the water's surface, m: exact but for the ripples' slope and the box's edges.
float still_water_distance(const sp_still_water *water, sp_vec3 p);
/// The same for a hero's.
float still_hero_distance(const sp_still_hero *hero, sp_vec3 p);

/// Each adds particles, false for want of memory.
bool still_fill_hero(const sp_still_def *def, size_t which, uint64_t seed, still_points *points);
bool still_fill_plume(const sp_still_def *def, size_t which, uint64_t seed, still_points *points);
bool still_fill_raft(const sp_still_def *def, size_t which, uint64_t seed, still_points *points);

#endif
