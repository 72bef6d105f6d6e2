// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SOLVER_H
#define SP_SOLVER_H

/// Solvers seen from outside: the table that each fills (core/solver_type.h), which parts of a scene's world a
/// solver supports, and the driver that runs any of them (solver/driver.h).

#include "core/core.h"
#include "core/solver_type.h"
#include "frame/frame.h"
#include "shapes/world.h"

/// The bits of `uses` for a scene key ("emitters"), or 0 when the key is not part of the world (uses.c).
unsigned sp_uses_bits(const char *key);
/// Refuses a world with parts that the solver does not support; `solver` is its name in the sentence.
sp_status sp_uses_check(const sp_world_def *world, unsigned uses, const char *solver,
                        sp_error *err);

#endif
