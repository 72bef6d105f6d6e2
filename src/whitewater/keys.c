// SPDX-License-Identifier: Apache-2.0
/// The scene's object "whitewater"; docs/whitewater.md says where the numbers come from.
#include "core/keys/key_rows.h"
#include "whitewater/whitewater.h"

static const char *const modes[] = {"guided", "one_way", "foam_only", NULL};
static const char *const pressures[] = {"perturbation", "hydrostatic", NULL};
static const char *const couplings[] = {"stabilized",      "stabilized_paper",
                                        "inertia_aware",   "inertia_aware_restated",
                                        "inertia_unaware", NULL};
static const char *const compliances[] = {"adaptive", "one", NULL};

static const sp_key guide_rows[] = {
    {F32(sp_whitewater_guide_def, voxel_ratio), .unit = "", .value = 1, RANGE(0.25, 8),
     .doc = "Voxel of the water around bubbles over that of the bulk; the paper: 1 to 2"},
    {I32(sp_whitewater_guide_def, padding), .unit = "tiles", .value = 1, RANGE(0, 8),
     .doc = "Tiles around those that hold bubbles"},
    {WORD(sp_whitewater_guide_def, pressure, pressures), .value = SP_GUIDED_PERTURBATION,
     .doc = "What is solved for: the pressure less that of the bulk, or as the paper prints it, "
            "which drifts away "
            "from the bulk"},
    {F64(sp_whitewater_guide_def, tolerance), .unit = "", .value = 1e-4, RANGE(1e-12, 0.1),
     .doc = "Of the pressure solve: largest residual over the largest right side"},
    {I32(sp_whitewater_guide_def, newton), .unit = "", .value = 1, RANGE(1, 50),
     .doc = "Iterations of bubbles and water a step; the paper: 1 to 3"},
    {I32(sp_whitewater_guide_def, max_tiles), .unit = "tiles", .value = 200000, RANGE(1, 1e8),
     .doc = "Most tiles around bubbles"},
    {WORD(sp_whitewater_guide_def, coupling, couplings), .value = SP_BUBBLES_STABILIZED,
     .doc = "How bubbles and water exchange momentum, as in bubbles; the paper: inertia_aware"},
    {WORD(sp_whitewater_guide_def, compliance, compliances),
     .value = SP_BUBBLES_COMPLIANCE_ADAPTIVE, .doc = "As in bubbles"},
    {F32(sp_whitewater_guide_def, theta), .unit = "", .value = 0.5, RANGE(0, 1),
     .doc = "Compliance of bubbles in the paper's schemes"},
    {F32(sp_whitewater_guide_def, drag_scale), .unit = "", .value = 1, RANGE(0, 10),
     .doc = "Multiplies the drag of bubbles (chi_b)"},
    {F32(sp_whitewater_guide_def, max_fraction), .unit = "", .value = 0.7, RANGE(0.05, 1),
     .doc = "Largest share of a face that bubbles may fill; the paper: 0.3 to 0.7"},
    {F32(sp_whitewater_guide_def, cfl), .unit = "voxels", .value = 4, RANGE(0.1, 7),
     .doc = "How far a bubble may move in a step before it is divided"},
};
static const sp_keys guide_keys = TABLE("guide", guide_rows, sp_whitewater_guide_def);

static const sp_key cache_rows[] = {
    {BOOL(sp_whitewater_cache_def, water), .value = 1,
     .doc = "Frames hold the surface and velocity of the water, so that they can be drawn by "
            "themselves"},
    {BOOL(sp_whitewater_cache_def, guided), .value = 0,
     .doc = "Frames hold the velocity of the water around bubbles and their share of it"},
};
static const sp_keys cache_keys = TABLE("cache", cache_rows, sp_whitewater_cache_def);

static const sp_key rows[] = {
    {TEXT(sp_whitewater_def, bulk),
     .doc = "The water: directory of a run or an import, or files that import reads"},
    {OPTION(sp_whitewater_def, liquid, sp_liquid_keys),
     .doc = "The water: this liquid, which runs along; poured by the scene's emitters"},
    {OPTION(sp_whitewater_def, ocean, sp_ocean_keys), .doc = "The water: this ocean"},
    {WORD(sp_whitewater_def, mode, modes), .value = SP_WHITEWATER_GUIDED,
     .doc = "guided: bubbles act on water that follows the bulk; one_way: they do not act on it; "
            "foam_only: no "
            "bubbles"},
    {I32(sp_whitewater_def, steps), .unit = "", .value = 3, RANGE(1, 1000),
     .doc = "Steps a frame; the paper: 2 to 5"},
    {F32(sp_whitewater_def, density), .unit = "kg/m3", .value = 1000, RANGE(1, 2e4),
     .doc = "Of the water"},
    {F32(sp_whitewater_def, density_air), .unit = "kg/m3", .value = 1, RANGE(1e-3, 2e4),
     .doc = "Of the air"},
    {F32(sp_whitewater_def, viscosity), .unit = "Pa s", .value = 1e-3, RANGE(0, 1e3),
     .doc = "Of the water"},
    {VEC3(sp_whitewater_def, wind), .unit = "m/s", .value = 0, RANGE(-200, 200),
     .doc = "That spray drifts with"},
    {OBJECT(sp_whitewater_def, guide, guide_keys), .doc = "The water around bubbles"},
    {OBJECT(sp_whitewater_def, aeration, sp_aeration_keys), .doc = "Where water entrains air"},
    {OBJECT(sp_whitewater_def, emission, sp_emission_keys), .doc = "How much, and as what bubbles"},
    {OBJECT(sp_whitewater_def, foam, sp_foam_keys), .doc = "Forces between floating bubbles"},
    {OBJECT(sp_whitewater_def, floating, sp_floating_keys),
     .doc = "How bubbles become foam, and how long they last"},
    {OBJECT(sp_whitewater_def, spray, sp_spray_keys), .doc = "What leaves the surface"},
    {OBJECT(sp_whitewater_def, cache, cache_keys), .doc = "What frames hold besides particles"},
};
const sp_keys sp_whitewater_keys = TABLE("whitewater", rows, sp_whitewater_def);
