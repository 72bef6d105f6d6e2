// SPDX-License-Identifier: Apache-2.0
/// The solver with vectors of doubles.
#define REAL double
#define BITS 64
#define CYCLE poisson_cycle_double
#define CONJUGATE poisson_conjugate_double
#include "poisson/conjugate.h"
