// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_EMISSION_H
#define SP_BENCH_EMISSION_H

#include "bench/rounds.h"

/// Cases of `spume bench whitewater` (bench_emission.c).
extern const sp_bench_list sp_bench_emission;

#endif
