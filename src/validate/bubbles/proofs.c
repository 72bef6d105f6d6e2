// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about bubbles.
#include "validate/bubbles/proofs.h"

static const sp_check checks[] = {
    {"weights", false, "weights of particles at faces: their sum and their centre",
     bubbles_prove_weights},
    {"exchange", false, "drag on particles and on water cancels", bubbles_prove_exchange},
    {"power", false, "the power basis keeps volumes and overfills no face", bubbles_prove_power},
    {"terminal", false, "a bubble rises where drag balances buoyancy", bubbles_prove_terminal},
    {"rise", false, "a cloud of bubbles rises the faster the denser it is", bubbles_prove_rise},
    {"rise_paper", true, "what the printed scheme makes of the densest", bubbles_prove_rise_paper},
    {"eight", false, "eight particles in a voxel rise", bubbles_prove_eight},
    {"momentum", false, "a bubble and its water keep their momentum", bubbles_prove_momentum},
    {"rest", false, "a cloud as heavy as water rests", bubbles_prove_rest},
    {"drift", false, "where each scheme lets a heavy cloud drift", bubbles_prove_drift},
    {"settling", false, "iterates of the schemes of 2022 (figure 7)", bubbles_prove_settling},
    {"newton", false, "iterates of ours, and their limit", bubbles_prove_newton},
    {"newton_long", true, "the same limit with compliance one", bubbles_prove_newton_long},
    {"forces", false, "surface tension has no net force", bubbles_prove_forces},
    {"ball", false, "a ball's pressure, volume and spurious currents", bubbles_prove_ball},
    {"ball_long", true, "the same of air in water, and what options do", bubbles_prove_ball_long},
    {"lamb", false, "an ellipsoid swings with Lamb's period", bubbles_prove_lamb},
    {"cube", true, "a cube becomes an octahedron (2025, figure 4)", bubbles_prove_cube},
    {"divergence", false, "of the mixture, by velocities", bubbles_prove_divergence},
    {"divergence_exact", false, "the same with a tolerance of 1e-9",
     bubbles_prove_divergence_exact},
    {"same", false, "one hash on any number of threads", bubbles_prove_same},
    {"resume", false, "saved, restored and gone on, to the bit", bubbles_prove_resume},
    {"volume", true, "air of a large bubble that rises for 1 s", bubbles_prove_volume},
    {"breakup", true, "air of a large bubble that breaks up", bubbles_prove_breakup},
    {"cap", true, "speed of a spherical cap", bubbles_prove_cap},
};
const sp_subject sp_validate_bubbles = {"bubbles", checks, sizeof checks / sizeof *checks};
