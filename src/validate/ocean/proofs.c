// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about the procedural ocean.
#include "validate/ocean/proofs.h"

static const sp_check checks[] = {
    {"spreading", false, "energy is shared out among directions", ocean_prove_spreading},
    {"height", false, "wave height and period of the spectrum", ocean_prove_height},
    {"rates", false, "frequency and group velocity in deep and shallow water", ocean_prove_rates},
#if defined(SPUME_WITH_FFTW)
    {"variance", true, "seas are as high as the spectrum asks, 32 seeds", ocean_prove_variance},
    {"period", true, "and their peak is where it asks, 32 seeds", ocean_prove_period},
    {"one_wave", false, "a wave travels as linear theory says, and its water with it",
     ocean_prove_one_wave},
    {"surface", false, "the surface of a sea moves with its water", ocean_prove_surface_moves},
    {"depth", false, "velocity decays with depth", ocean_prove_depth},
    {"divergence", false, "velocity below the surface has little divergence",
     ocean_prove_divergence},
    {"inverse", false, "the place at rest of water at a place", ocean_prove_inverse},
    {"refined", false, "finer grids add waves and keep the others", ocean_prove_refined},
    {"seams", false, "the sea repeats without seams", ocean_prove_seams},
    {"folds", false, "a surface that would fold gets less choppiness", ocean_prove_folds},
    {"same", false, "threads and order of times do not matter", ocean_prove_same},
#endif
};
const sp_subject sp_validate_ocean = {"ocean", checks, sizeof checks / sizeof *checks};
