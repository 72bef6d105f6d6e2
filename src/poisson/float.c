// SPDX-License-Identifier: Apache-2.0
/// The solver with vectors of floats.
#define REAL float
#define BITS 32
#define CYCLE poisson_cycle_float
#define CONJUGATE poisson_conjugate_float
#include "poisson/conjugate.h"
