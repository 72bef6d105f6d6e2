// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POND_H
#define SP_POND_H

/// The pond's interface to the other modules, beyond its public header.

#include "frame/frame.h"

#include <spume/pond.h>

extern const sp_keys sp_pond_keys;
extern const struct sp_solver_type sp_pond_solver; ///< solver/solver.h

#endif
