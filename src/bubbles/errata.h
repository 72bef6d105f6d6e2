// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_ERRATA_H
#define SP_BUBBLES_ERRATA_H

/// What was corrected in the papers (`spume errata bubbles`).

#include "core/solver_type.h"

enum { BUBBLES_ERRATA = 18 }; ///< a constant, so that sp_bubbles_solver can hold the table
extern const sp_erratum bubbles_errata[BUBBLES_ERRATA];

#endif
