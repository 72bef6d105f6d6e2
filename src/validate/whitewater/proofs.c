// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about whitewater.
#include "validate/whitewater/proofs.h"

static const sp_check checks[] = {
    {"guided_still", false, "water without bubbles stays the bulk's; the printed boundary drifts",
     whitewater_prove_guided_vortex},
    {"guided_drop", true, "the same in a drop that splashes, whose own water does not change",
     whitewater_prove_guided_drop},
    {"guided_speed", false, "a lone bubble rises at its terminal speed",
     whitewater_prove_guided_speed},
    {"guided_fall", false, "in water that falls or is driven, bubbles feel the pressure it has",
     whitewater_prove_guided_fall},
    {"guided_cloud", false, "a cloud rises faster than a lone bubble, the denser the faster",
     whitewater_prove_guided_cloud},
    {"guided_number", false, "one particle for many bubbles acts as they do",
     whitewater_prove_guided_number},
    {"guided_momentum", false, "what bubbles lose in momentum, water and its border take",
     whitewater_prove_guided_momentum},
    {"guided_same", false, "the same bits on 2, 3 and 5 threads, and after save and restore",
     whitewater_prove_guided_same},
    {"guided_edges", false, "no bubbles, no water, no data, solids that move, gravity aslant",
     whitewater_prove_guided_edges},
};
const sp_subject sp_validate_whitewater = {"whitewater", checks, sizeof checks / sizeof *checks};
