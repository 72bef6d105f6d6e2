// SPDX-License-Identifier: Apache-2.0
#ifndef SP_STILL_H
#define SP_STILL_H

/// A still life: water, large bubbles, plumes of small bubbles and rafts of foam, placed by the
/// scene. Nothing moves and there is no physics. It is input for pictures, surfaces and exports
/// with the structure of solver output: a level set on tiles, connected and single bubbles, foam.

#include "core/solver_type.h"
#include "shapes/shapes.h"

typedef struct sp_still_water {
    float min[3], max[3]; ///< m; the water's box, one voxel into the walls around it
    float ripple;         ///< m; height of the ripples on top
    float wave;           ///< m; their length
} sp_still_water;

/// A large bubble, filled with particles half a voxel apart, so that pictures mesh it.
typedef struct sp_still_hero {
    float center[3], radius; ///< m
    float flat;              ///< height cut off below, as a fraction of the diameter: 0 is a ball
} sp_still_hero;

/// Small bubbles around a line that widens: normally distributed across it, uniform along it.
typedef struct sp_still_plume {
    float from[3], to[3];         ///< m
    float spread_from, spread_to; ///< m; standard deviations at both ends
    uint64_t count;
    float smallest, largest, power; ///< m, m; radii have a density of r^-power
    float rise;                     ///< m/s; upward, for motion blur
} sp_still_plume;

/// Foam that floats on the water with little overlap.
typedef struct sp_still_raft {
    float center[3]; ///< m; y is ignored
    float spread;    ///< m; standard deviation
    uint64_t count;  ///< bubbles to try; those without room are left out
    float smallest, largest, power;
} sp_still_raft;

typedef struct sp_still_def {
    float voxel; ///< m
    sp_still_water water;
    const sp_still_hero *heroes;
    size_t hero_count;
    const sp_still_plume *plumes;
    size_t plume_count;
    const sp_still_raft *rafts;
    size_t raft_count;
} sp_still_def;

extern const sp_keys sp_still_keys;
extern const sp_solver_type sp_still_solver;

#endif
