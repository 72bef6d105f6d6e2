# SPDX-License-Identifier: Apache-2.0
# The pond as one pair of files, with a test that it gives the same results. Regenerated when any source changes.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(SPUME_SINGLE_DIR ${PROJECT_BINARY_DIR}/single)
set(amalgamate ${PROJECT_SOURCE_DIR}/tools/amalgamate.py)
file(GLOB_RECURSE single_inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/spume/*.h
     ${PROJECT_SOURCE_DIR}/src/core/*.[ch] ${PROJECT_SOURCE_DIR}/src/frame/frame.[ch]
     ${PROJECT_SOURCE_DIR}/src/particles/*.[ch] ${PROJECT_SOURCE_DIR}/src/pond/*.[ch])
add_custom_command(
  OUTPUT ${SPUME_SINGLE_DIR}/spume_pond.c ${SPUME_SINGLE_DIR}/spume_pond.h
  COMMAND ${Python3_EXECUTABLE} ${amalgamate} -o ${SPUME_SINGLE_DIR}
  DEPENDS ${amalgamate} ${single_inputs}
  COMMENT "Making the pond one pair of files" VERBATIM)
add_custom_target(single_file ALL DEPENDS ${SPUME_SINGLE_DIR}/spume_pond.c ${SPUME_SINGLE_DIR}/spume_pond.h)

# The pair as a library, compiled as its first lines say, for this machine.
function(spume_pond_pair name)
  add_library(${name} STATIC ${SPUME_SINGLE_DIR}/spume_pond.c)
  add_dependencies(${name} single_file)
  target_include_directories(${name} PUBLIC ${SPUME_SINGLE_DIR})
  target_compile_options(${name} PRIVATE -O2 -Wall -Wextra -Wpedantic ${ARGN})
  if(SPUME_SANITIZE)
    target_compile_options(${name} PRIVATE -O1 -g1 -fsanitize=${SPUME_SANITIZE} -fno-omit-frame-pointer)
  endif()
  if(SPUME_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  target_link_libraries(${name} PUBLIC m)
endfunction()
set(machine)
if(SPUME_HAS_NATIVE AND NOT SPUME_PORTABLE)
  set(machine -march=native)
endif()
spume_pond_pair(spume_pond_pair ${machine} -O3 -fno-math-errno -fno-trapping-math)

function(spume_pond_pair_tests)
  set(suffix)
  if(SPUME_SANITIZE)
    set(suffix .sanitized) # as in tests/CMakeLists.txt
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/tests/single_file)
  add_executable(single_file_library ${folder}/hash.c)
  target_compile_definitions(single_file_library PRIVATE SINGLE_FILE=0)
  target_link_libraries(single_file_library PRIVATE sp_pond)

  set(variants pair)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    spume_pond_pair(spume_pond_sse2 -march=x86-64)
    spume_pond_pair(spume_pond_avx2 -march=x86-64 -mavx2 -mno-avx512f)
    list(APPEND variants sse2 avx2)
  endif()
  set(programs)
  foreach(variant ${variants})
    add_executable(single_file_${variant} ${folder}/hash.c)
    target_compile_definitions(single_file_${variant} PRIVATE SINGLE_FILE=1)
    target_link_libraries(single_file_${variant} PRIVATE spume_pond_${variant})
    list(APPEND programs $<TARGET_FILE:single_file_${variant}>)
  endforeach()
  if(TARGET single_file_avx2)
    target_compile_options(single_file_avx2 PRIVATE -mavx2 -mno-avx512f)
  endif()

  set(library $<TARGET_FILE:single_file_library>)
  add_test(NAME single_file_equals_library${suffix}
           COMMAND bash ${folder}/compare.sh ${library} ${programs})
  add_test(NAME single_file_asks_its_host${suffix}
           COMMAND ${Python3_EXECUTABLE} ${folder}/forbidden.py ${PROJECT_SOURCE_DIR}/src/pond
                   ${SPUME_SINGLE_DIR}/spume_pond.c)
  set(tests single_file_equals_library${suffix} single_file_asks_its_host${suffix})
  if(NOT SPUME_SANITIZE) # it compiles with its own flags, so once is enough
    find_program(SPUME_CXX NAMES c++ g++ clang++)
    add_test(NAME single_file_compilers COMMAND bash ${folder}/compilers.sh ${SPUME_SINGLE_DIR} ${library} ${SPUME_CXX})
    list(APPEND tests single_file_compilers)
  endif()
  set_tests_properties(${tests} PROPERTIES LABELS program TIMEOUT 300)
endfunction()
if(SPUME_WITH_TESTS)
  spume_pond_pair_tests()
endif()
