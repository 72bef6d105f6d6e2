// SPDX-License-Identifier: Apache-2.0
#include "liquid/validate.h"

const sp_check liquid_checks[LIQUID_CHECKS] = {
    {"still", false, "still water stays still; pressure is depth (eulerian)", liquid_prove_still},
    {"slope", false, "still water over a sloping floor (eulerian)", liquid_prove_slope},
    {"still_flip", false, "still water with particles", liquid_prove_still_flip},
};
