// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SPH_ERRATA_H
#define SP_SPH_ERRATA_H

/// What was corrected in IBAT (`spume errata sph`).

#include "core/solver_type.h"

enum { SPH_ERRATA = 20 }; ///< a constant, so that sp_sph_solver can hold the table
extern const sp_erratum sph_errata[SPH_ERRATA];

#endif
