// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about particle water.
#include "sph/validate.h"

const sp_check sph_checks[SPH_CHECKS] = {
    {"kernel", false, "the cubic spline is one, and its slope is its slope", sph_prove_kernel},
    {"factor", false, "PCISPH's factor on a lattice, and how much of it the loop bears",
     sph_prove_factor},
    {"air_momentum", false, "a drop with air in it keeps its momentum", sph_prove_air_momentum},
    {"buoyancy", false, "lift of a lone air particle, and the most there is", sph_prove_buoyancy},
    {"clump", false, "air in resting water becomes a ball of its own density", sph_prove_clump},
    {"rise", false, "bubbles rise, the larger the faster, and hold together", sph_prove_rise},
    {"merge", false, "two bubbles side by side become one", sph_prove_merge},
    {"surface", false, "bubbles that arrive at the surface stay there", sph_prove_surface},
    {"foam_life", false, "lone foam lives from 0 to 2 t_f, all equally likely",
     sph_prove_foam_life},
    {"foam_count", true, "foam where bubbles keep arriving, by the three rules for sharing lives",
     sph_prove_foam_count},
    {"calm", true, "bubbles in a calm tank: sizes and speeds, paths, all accounted for",
     sph_prove_calm},
    {"pour", false, "a pour makes air, and less with higher thresholds", sph_prove_pour},
    {"jet_steps", true, "trapped air does not depend on the length of steps", sph_prove_jet_steps},
    {"inflows", true, "the faster of three jets makes the more air", sph_prove_inflows},
};
