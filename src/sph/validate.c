// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about particle water.
#include "sph/validate.h"

const sp_check sph_checks[SPH_CHECKS] = {
    {"kernel", false, "the cubic spline is one, and its slope is its slope", sph_prove_kernel},
    {"factor", false, "PCISPH's factor on a lattice, and how much of it the loop bears",
     sph_prove_factor},
    {"momentum", false, "a drop with air in it keeps its momentum", sph_prove_momentum},
    {"buoyancy", false, "lift of a lone air particle, and the most there is", sph_prove_buoyancy},
    {"clump", false, "air in resting water becomes a ball of its own density", sph_prove_clump},
};
