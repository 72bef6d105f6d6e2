// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about particle water.
#include "sph/validate.h"

const sp_check sph_checks[SPH_CHECKS] = {
    {"kernel", false, "the cubic spline is one, and its slope is its slope", sph_prove_kernel},
    {"factor", false, "PCISPH's factor on a lattice, and how much of it the loop bears",
     sph_prove_factor},
};
