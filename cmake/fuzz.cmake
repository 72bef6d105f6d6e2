# SPDX-License-Identifier: Apache-2.0
# Every tests/fuzz/fuzz_*.c is a libFuzzer target; its seeds are in tests/fuzz/corpus_<name>. As a test it is
# limited by runs and by seconds, whichever comes first; tools/check_all.sh runs the same programs for longer.
set(SPUME_FUZZ_RUNS 20000 CACHE STRING "Inputs a fuzzer tries as a test")
set(SPUME_FUZZ_SECONDS 4 CACHE STRING "Seconds a fuzzer runs at most as a test")

# Readers never run the solvers' steps, whose vector code takes clang minutes to optimise under sanitizers, and that of
# the pressure solver takes it a minute even without optimising.
foreach(room particles tiles poisson flow bulk still pond sph liquid bubbles)
  target_compile_options(sp_${room} PRIVATE -O0)
endforeach()
target_compile_options(sp_poisson PRIVATE -fno-sanitize=all)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
add_custom_target(fuzzers)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" corpus ${name})
  add_executable(${name} ${source})
  add_dependencies(fuzzers ${name})
  target_compile_options(${name} PRIVATE ${SPUME_FLAGS} -fsanitize=fuzzer)
  target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L SPUME_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C) # clang, also where the bridge to OpenVDB is C++
  target_link_libraries(${name} PRIVATE sp_scene sp_cache sp_exchange sp_view sp_mesh) # the readers
  # New inputs are written to the build directory; the seeds in the sources are only read.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/corpus/${corpus})
  set(seeds)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus_${corpus})
    set(seeds ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus_${corpus})
  endif()
  add_test(NAME ${name} COMMAND ${name} -runs=${SPUME_FUZZ_RUNS} -max_total_time=${SPUME_FUZZ_SECONDS}
           -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 ${PROJECT_BINARY_DIR}/corpus/${corpus} ${seeds})
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 600)
endforeach()
# OpenVDB allocates by sizes in the file, and leaks what it allocated when it throws.
set_tests_properties(fuzz_vdb PROPERTIES
                     ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=512")
