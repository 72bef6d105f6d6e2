// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_VALIDATE_ADVECT_H
#define SP_LIQUID_VALIDATE_ADVECT_H

/// Checks of what the grid loses when it carries a level set about (validate_advect.c).

#include "core/core.h"

sp_status liquid_prove_zalesak(sp_check_report *report, sp_error *err);
sp_status liquid_prove_enright(sp_check_report *report, sp_error *err); ///< some seconds

#endif
