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
};
const sp_subject sp_validate_whitewater = {"whitewater", checks, sizeof checks / sizeof *checks};
