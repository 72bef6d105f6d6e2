// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TESTING_H
#define SP_TESTING_H

/// cmocka with the headers it wants before it. Every test program includes this first.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#endif
