// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SOLVER_H
#define SP_SOLVER_H

/// The interface to solvers: the table of functions that each one fills (core/solver_type.h), the
/// parts of a scene's world that it supports, and the driver that runs any of them
/// (solver/driver.h).

#include "core/core.h"
#include "core/solver_type.h"
#include "frame/frame.h"
#include "shapes/world.h"

/// The bits of `uses` for a scene key ("emitters"), or 0 if the key is not part of the world
/// (uses.c).
unsigned sp_uses_bits(const char *key);
/// Fails if the world has parts that the solver does not support; err calls the solver `solver`.
sp_status sp_uses_check(const sp_world_def *world, unsigned uses, const char *solver,
                        sp_error *err);

#endif
