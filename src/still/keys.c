// SPDX-License-Identifier: Apache-2.0
/// Table of all parameters of the solver `still`.
#include "core/keys/key_rows.h"
#include "still/still.h"

static const sp_key water_rows[] = {
    {VEC3(sp_still_water, min), .unit = "m", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "Lowest corner of the water; let it reach one voxel into the walls around it"},
    {VEC3(sp_still_water, max), .unit = "m", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "Highest corner; its y is the water level"},
    {F32(sp_still_water, ripple), .unit = "m", .value = 0, RANGE(0, 10),
     .doc = "Height of the ripples"},
    {F32(sp_still_water, wave), .unit = "m", .value = 0.1, RANGE(1e-3, 1e3),
     .doc = "Length of the ripples"},
};
static const sp_keys water_keys = TABLE("water", water_rows, sp_still_water);

static const sp_key hero_rows[] = {
    {VEC3(sp_still_hero, center), .unit = "m", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "Centre of the ball from which the cap is cut"},
    {F32(sp_still_hero, radius), .unit = "m", .value = SP_REQUIRED, RANGE(1e-4, 100),
     .doc = "Radius of that ball"},
    {F32(sp_still_hero, flat), .unit = "", .value = 0, RANGE(0, 0.9),
     .doc = "Fraction of its height that is cut off at the bottom"},
};
static const sp_keys hero_keys = TABLE("hero", hero_rows, sp_still_hero);

/// Keys of the radii, shared by plumes and rafts.
#define RADII(owner)                                                                               \
    {F32(owner, smallest), .unit = "m", .value = SP_REQUIRED, RANGE(1e-6, 10),                     \
     .doc = "Smallest radius"},                                                                    \
        {F32(owner, largest), .unit = "m", .value = SP_REQUIRED, RANGE(1e-6, 10),                  \
         .doc = "Largest radius"},                                                                 \
    {                                                                                              \
        F32(owner, power), .unit = "", .value = 3, RANGE(0, 8),                                    \
                           .doc = "Radii are distributed as r^-power: 3 gives mostly small ones"   \
    }

static const sp_key plume_rows[] = {
    {VEC3(sp_still_plume, from), .unit = "m", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "Start point"},
    {VEC3(sp_still_plume, to), .unit = "m", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "End point"},
    {F32(sp_still_plume, spread_from), .unit = "m", .value = 0.01, RANGE(0, 1e3),
     .doc = "Width at the start (standard deviation)"},
    {F32(sp_still_plume, spread_to), .unit = "m", .value = 0.01, RANGE(0, 1e3),
     .doc = "Width at the end (standard deviation)"},
    {U64(sp_still_plume, count), .unit = "", .value = 1000, RANGE(0, 1e7),
     .doc = "Number of bubbles"},
    RADII(sp_still_plume),
    {F32(sp_still_plume, rise), .unit = "m/s", .value = 0.2, RANGE(-10, 10),
     .doc = "Upward speed for motion blur; nothing moves"},
};
static const sp_keys plume_keys = TABLE("plume", plume_rows, sp_still_plume);

static const sp_key raft_rows[] = {
    {VEC3(sp_still_raft, center), .unit = "m", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "Centre; its height is that of the water"},
    {F32(sp_still_raft, spread), .unit = "m", .value = 0.05, RANGE(0, 1e3),
     .doc = "Width (standard deviation)"},
    {U64(sp_still_raft, count), .unit = "", .value = 1000, RANGE(0, 1e7),
     .doc = "Number of bubbles to place; those without room are omitted"},
    RADII(sp_still_raft),
};
static const sp_keys raft_keys = TABLE("raft", raft_rows, sp_still_raft);

static const sp_key rows[] = {
    {F32(sp_still_def, voxel), .unit = "m", .value = SP_REQUIRED, RANGE(1e-4, 10),
     .doc = "Edge of a voxel of the water's level set; large bubbles are filled at half of it"},
    {OBJECT(sp_still_def, water, water_keys), .doc = "The water"},
    {LIST(sp_still_def, heroes, hero_count, hero_keys), RANGE(0, 1000), .doc = "Large bubbles"},
    {LIST(sp_still_def, plumes, plume_count, plume_keys), RANGE(0, 1000),
     .doc = "Clouds of small bubbles"},
    {LIST(sp_still_def, rafts, raft_count, raft_keys), RANGE(0, 1000), .doc = "Floating foam"},
};
const sp_keys sp_still_keys = TABLE("still", rows, sp_still_def);
