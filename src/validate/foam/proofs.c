// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about foam.
#include "validate/foam/proofs.h"

static const sp_check checks[] = {
    {"layer", false, "the kernel, and the density of a perfect layer", foam_prove_layer},
    {"neighbours", false, "the same through the search for neighbours", foam_prove_neighbours},
    {"momentum", false, "forces of mixed sizes add up to nothing", foam_prove_momentum},
    {"viscosity", false, "viscosity takes energy", foam_prove_viscosity},
    {"packing", true, "squeezed patches relax", foam_prove_packing},
    {"cohesion", false, "more cohesion, more contacts and fewer clusters", foam_prove_cohesion},
    {"reach", true, "farther cohesion, larger clusters", foam_prove_reach},
    {"stable", true, "substeps are short enough, radii 0.5 to 5 mm", foam_prove_stable},
    {"waves", false, "particles stay on waves", foam_prove_waves},
    {"orbit", false, "speed stays on bodies at rest", foam_prove_orbit},
    {"follow", false, "foam goes around with a gentle wave", foam_prove_follow},
    {"gap", false, "a surface that is gone does not pull foam along", foam_prove_gap},
};
const sp_subject sp_validate_foam = {"foam", checks, sizeof checks / sizeof *checks};
