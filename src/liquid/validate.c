// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about bulk water.
#include "liquid/validate.h"

#include "liquid/validate_advect.h"

const sp_check liquid_checks[LIQUID_CHECKS] = {
    {"still", false, "still water stays still; pressure is depth (eulerian)", liquid_prove_still},
    {"still_long", true, "the same in a tank of 32^3 voxels, for 10 s", liquid_prove_still_long},
    {"slope", false, "still water over a sloping floor (eulerian)", liquid_prove_slope},
    {"slope_long", true, "the same for 10 s", liquid_prove_slope_long},
    {"still_flip", false, "still water with particles", liquid_prove_still_flip},
    {"zalesak", false, "a slotted disc turns once and keeps its area", liquid_prove_zalesak},
    {"enright", true, "a ball is wrung out and gathered again", liquid_prove_enright},
    {"dam", false, "the front of a dam break against Martin and Moyce", liquid_prove_dam},
    {"dam_long", true, "the same without a start lag fitted", liquid_prove_dam_long},
    {"drift", false, "volume and particles while water sloshes for 2 s", liquid_prove_drift},
    {"drift_long", true, "the same, finer, for 10 s", liquid_prove_drift_long},
    {"wave", false, "a standing wave's period and loss", liquid_prove_wave},
    {"wave_long", true, "the same, finer, for 10 periods", liquid_prove_wave_long},
    {"divergence", false, "what a solve leaves while bodies stir", liquid_prove_divergence},
    {"iterations", false, "of the pressure solve while a ball falls into a tank",
     liquid_prove_iterations},
    {"piston", false, "a piston pushes what it sweeps", liquid_prove_piston},
    {"drum", false, "water keeps turning in a drum", liquid_prove_drum},
    {"outside", false, "particles stay outside of a box that turns", liquid_prove_outside},
    {"bodies", false, "fast blades, a block that goes into the ground, a closed room",
     liquid_prove_bodies},
    {"fall", false, "a ball of water falls freely and stays round", liquid_prove_fall},
    {"fall_long", true, "the same, the largest deviation with particles", liquid_prove_fall_long},
    {"tension", false, "surface tension: a drop's pressure, a block that swings",
     liquid_prove_tension},
    {"flow", false, "emitters bring velocity times area", liquid_prove_flow},
    {"flow_long", true, "the same with particles", liquid_prove_flow_long},
    {"level", false, "water rests beside water as high beyond an open side", liquid_prove_level},
    {"level_long", true, "water evens out with the level beyond an open side",
     liquid_prove_level_long},
    {"dam_runs", true, "10 s of the dam break: steps, voxels, volume, energy",
     liquid_prove_dam_runs},
    {"drop_runs", true, "10 s of the drop: the same", liquid_prove_drop_runs},
    {"same", false, "one hash on any number of threads", liquid_prove_same},
    {"resume", false, "saved, restored and gone on, to the bit", liquid_prove_resume},
};
