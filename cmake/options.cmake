# SPDX-License-Identifier: Apache-2.0
# What can be chosen at configure time, and the compiler flags that follow from it.

option(SPUME_WITH_OPENMP "Run loops on several threads through OpenMP" ON)
option(SPUME_WITH_PNG "Read and write PNG pictures (libpng)" ON)
option(SPUME_WITH_TESTS "Build the tests (cmocka)" ON)
option(SPUME_WITH_EXAMPLES "Build the example programs" ON)
option(SPUME_PORTABLE "Build for any x86-64-v3 machine rather than for this one" OFF)
option(SPUME_WERROR "Treat warnings as errors (CI does)" OFF)
set(SPUME_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Contraction is off so that every compiler rounds alike; see docs/determinism.md.
set(SPUME_FLAGS -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -Wundef -Wcast-qual -Wwrite-strings -Wformat=2 -Wdouble-promotion -Wfloat-conversion
    -Wswitch-enum -Wno-psabi -ffp-contract=off -fno-math-errno)
if(SPUME_WERROR)
  list(APPEND SPUME_FLAGS -Werror)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  list(APPEND SPUME_FLAGS -O1 -g -DSP_DEBUG=1) # -O1: lane code at -O0 is too slow to test with
else()
  list(APPEND SPUME_FLAGS -O3 -g1 -fno-trapping-math)
endif()

include(CheckCCompilerFlag)
if(SPUME_PORTABLE)
  check_c_compiler_flag(-march=x86-64-v3 SPUME_HAS_V3)
  if(SPUME_HAS_V3)
    list(APPEND SPUME_FLAGS -march=x86-64-v3)
  endif()
else()
  check_c_compiler_flag(-march=native SPUME_HAS_NATIVE)
  if(SPUME_HAS_NATIVE)
    list(APPEND SPUME_FLAGS -march=native)
  endif()
endif()
check_c_compiler_flag(-mprefer-vector-width=512 SPUME_HAS_WIDTH)
if(SPUME_HAS_WIDTH)
  list(APPEND SPUME_FLAGS -mprefer-vector-width=512)
endif()

if(SPUME_SANITIZE)
  list(APPEND SPUME_FLAGS -fsanitize=${SPUME_SANITIZE} -fno-omit-frame-pointer)
  if(SPUME_SANITIZE MATCHES "undefined")
    list(APPEND SPUME_FLAGS -fno-sanitize-recover=undefined)
  endif()
  add_link_options(-fsanitize=${SPUME_SANITIZE})
endif()
