// SPDX-License-Identifier: Apache-2.0
#ifndef THIS_MACHINE_H
#define THIS_MACHINE_H

/// For tests that are compiled for several machines (tests/machines.cmake): whether this one has the
/// instructions that the test was compiled for. If not, main returns THIS_MACHINE_CANNOT, and ctest
/// counts the test as skipped.

#include <stdbool.h>

enum { THIS_MACHINE_CANNOT = 77 };

static inline bool this_machine_can_run(void)
{
#if defined(__AVX512F__)
    return __builtin_cpu_supports("avx512f");
#elif defined(__AVX2__)
    return __builtin_cpu_supports("avx2");
#else
    return true;
#endif
}

#endif
