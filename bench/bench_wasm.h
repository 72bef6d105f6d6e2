// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BENCH_WASM_H
#define SP_BENCH_WASM_H

#include "scene/scene.h"

typedef struct sp_wasm_result {
    double mean_s, p99_s; ///< per frame of the second half, best of several runs
    uint64_t hash;
} sp_wasm_result;

/// Runs a pond scene in the page's WebAssembly module under node. Fails with SP_UNSUPPORTED when
/// the page is not built or node is missing; err tells which.
sp_status sp_bench_wasm(const sp_scene *scene, sp_wasm_result *out, sp_error *err);

#endif
