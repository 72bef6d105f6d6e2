// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about whitewater.
#include "validate/whitewater/proofs.h"

static const sp_check checks[] = {
    {"rise", false, "one-way coupled bubbles rise, and do not in falling water",
     whitewater_prove_rise},
    {"fly", false, "drops fly as theory and measurements say", whitewater_prove_fly},
    {"arrive", false, "what bubbles keep when they become foam", whitewater_prove_arrive},
    {"life", false, "how long foam lasts", whitewater_prove_life},
    {"prune", false, "bubbles that arrive where foam is dense", whitewater_prove_prune},
    {"rim", false, "patches of foam erode from their rims, if asked for", whitewater_prove_rim},
    {"leap", false, "foam is thrown off where water falls back, at any step",
     whitewater_prove_leap},
    {"calm", false, "waves that do not break throw nothing", whitewater_prove_calm},
    {"crest", false, "sharp crests emit drops, waves none", whitewater_prove_crest},
    {"land", false, "drops land, and plunge", whitewater_prove_land},
    {"jump", false, "a surface that is gone at once", whitewater_prove_jump},
    {"ledger", false, "every particle is accounted for", whitewater_prove_ledger},
    {"messages", false, "warnings, once each, and what is not a number", whitewater_prove_messages},
    {"surface_same", false, "threads, and a run that goes on from its sets",
     whitewater_prove_surface_same},
    {"emitted_volume", false, "bubbles add up to the air asked for",
     whitewater_prove_emitted_volume},
    {"emitted_radii", false, "radii fall with the cube", whitewater_prove_emitted_radii},
    {"emitted_places", false, "bubbles spread around their voxel", whitewater_prove_emitted_places},
    {"emission_budget", false, "particles stay below the budget, and air does not change",
     whitewater_prove_emission_budget},
    {"emission_same", false, "threads and a restart change nothing",
     whitewater_prove_emission_same},
    {"sources", false, "sources let in what they say, where they say", whitewater_prove_sources},
    {"aeration", false, "aeration of cavities, drops and uniform motion",
     whitewater_prove_aeration},
    {"aeration_masks", false, "masks multiply aeration", whitewater_prove_aeration_masks},
    {"aeration_gaps", false, "caches that begin late or miss a frame",
     whitewater_prove_aeration_gaps},
    {"splash", true,
     "a falling block: no air before contact, and then as much with other frames "
     "and steps",
     whitewater_prove_splash},
    {"splash_voxels", true, "the same with voxels of half the width",
     whitewater_prove_splash_voxels},
};
const sp_subject sp_validate_whitewater = {"whitewater", checks, sizeof checks / sizeof *checks};
