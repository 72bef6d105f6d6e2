// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_TANK_H
#define SP_BENCH_TANK_H

/// A scene for measuring the path tracer, built in code so that it never changes: a glass tank of
/// 0.40 x 0.27 x 0.24 m with rippled water, a large cap-shaped bubble, a plume of small ones, foam
/// where the plume surfaces, and a studio around it.

#include "render/trace.h"

/// `bubbles` in the plume, radii 0.25 to 2.5 mm with density r^-3. The tracer is returned committed.
sp_status sp_bench_tank(const sp_host *host, size_t bubbles, sp_tracer **out, sp_error *err);
sp_trace_camera sp_bench_tank_camera(void);

#endif
