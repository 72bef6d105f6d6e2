// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_ERRATA_H
#define SP_LIQUID_ERRATA_H

/// What was corrected in papers and textbooks (`spume errata liquid`).

#include "core/solver_type.h"

enum { LIQUID_ERRATA = 8 }; ///< a constant, so that sp_liquid_solver can hold the table
extern const sp_erratum liquid_errata[LIQUID_ERRATA];

#endif
