# SPDX-License-Identifier: Apache-2.0
# Tests of equal bits on other machines. A test with "// machines: rooms..." in its first lines is compiled again for each
# vector width that the build itself does not have, together with these rooms, and must find the same hashes. All are
# optimised, without sanitizers: `make test` builds the release with clang and the sanitized build with gcc, so it runs
# both compilers' code.
set(SPUME_MACHINES)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -march=native)
  check_c_source_compiles("#ifndef __AVX512BW__\n#error\n#endif\nint main(void) { return 0; }" SPUME_NATIVE_AVX512)
  unset(CMAKE_REQUIRED_FLAGS)
  set(SPUME_MACHINES sse2 avx2 avx512)
  if(SPUME_NATIVE_AVX512 AND NOT SPUME_PORTABLE)
    list(REMOVE_ITEM SPUME_MACHINES avx512)
  endif()
endif()
set(SPUME_MACHINE_sse2 -march=x86-64)
set(SPUME_MACHINE_avx2 -march=x86-64-v3)
set(SPUME_MACHINE_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
set(SPUME_MACHINE_FLAGS ${SPUME_FLAGS})
list(FILTER SPUME_MACHINE_FLAGS EXCLUDE REGEX "^-O|^-g|^-W|-march|vector-width|sanitize|SP_DEBUG|frame-pointer")
list(APPEND SPUME_MACHINE_FLAGS -O2 -fno-trapping-math -fno-sanitize=all -g0 -w -Wno-psabi) # other builds warn

spume_double_at_o1() # source properties hold in one directory only

# Sources of a room that such tests need: all, but of `validate` only what proofs share.
function(spume_machine_sources room variable)
  set(source ${PROJECT_SOURCE_DIR}/src)
  if(room STREQUAL validate)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${source}/validate/*cases.c ${source}/validate/scene.c)
  else()
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${source}/${room}/*.c)
  endif()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# spume_machine_test(NAME SOURCE MACHINE rooms...): rooms in the order in which they are linked
function(spume_machine_test name source machine)
  set(flags ${SPUME_MACHINE_FLAGS} ${SPUME_MACHINE_${machine}})
  set(libraries)
  foreach(room ${ARGN})
    set(library ${room}_${machine})
    if(NOT TARGET ${library})
      spume_machine_sources(${room} sources)
      add_library(${library} STATIC ${sources})
      target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
      target_compile_options(${library} PRIVATE ${flags})
      target_compile_definitions(${library} PRIVATE _POSIX_C_SOURCE=200809L)
      if(SPUME_WITH_OPENMP)
        target_link_libraries(${library} PUBLIC OpenMP::OpenMP_C)
      endif()
    endif()
    list(APPEND libraries ${library})
  endforeach()
  set(program ${name}_${machine})
  add_executable(${program} ${source})
  target_compile_options(${program} PRIVATE ${flags})
  target_compile_definitions(${program} PRIVATE _POSIX_C_SOURCE=200809L SPUME_SANITIZED=0
                             SPUME_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src
                             ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${program} PRIVATE ${libraries} PkgConfig::CMOCKA m)
  set(test ${program}.${CMAKE_C_COMPILER_ID}) # the builds of `make test` have different compilers
  add_test(NAME ${test} COMMAND ${program})
  set_tests_properties(${test} PROPERTIES LABELS unit TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()
