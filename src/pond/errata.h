// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POND_ERRATA_H
#define SP_POND_ERRATA_H

/// Table of corrections to T07 (`spume errata pond`).

#include "core/solver_type.h"

enum { SP_POND_ERRATA = 22 }; ///< a constant, so that sp_pond_solver can hold the table
extern const sp_erratum sp_pond_errata[SP_POND_ERRATA];

#endif
