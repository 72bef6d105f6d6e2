// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_ERRATA_H
#define SP_WHITEWATER_ERRATA_H

/// What was corrected in the paper (`spume errata whitewater`).

#include "core/solver_type.h"

enum { WHITEWATER_ERRATA = 19 }; ///< a constant, so that sp_whitewater_solver can hold the table
extern const sp_erratum whitewater_errata[WHITEWATER_ERRATA];

#endif
