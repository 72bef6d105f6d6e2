# SPDX-License-Identifier: Apache-2.0
# Tests through the built program. Each script has its program as first argument and explains itself.

# program_test(NAME SECONDS arguments...): tests/programs/NAME.sh
function(program_test name seconds)
  add_test(NAME program_${name}${SPUME_TEST_SUFFIX} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/programs/${name}.sh ${ARGN})
  set_tests_properties(program_${name}${SPUME_TEST_SUFFIX} PROPERTIES LABELS program TIMEOUT ${seconds})
endfunction()

set(program $<TARGET_FILE:spume_program>)
find_program(SPUME_CXX NAMES c++ g++ clang++)

# Sanitizers make the program some ten times slower. They then run no test whose code sanitized unit tests run as well
# (bad_scenes: test_scene_errors; import_mesh: test_import_mesh; threads and kills: test_pond_same, test_cache_run and
# those of each solver's state), and shorter variants of others. SPUME_WITH_LONG_TESTS runs all, as `make check-all` does.
set(brief)
set(frames 3)
set(long_run 600)
if(SPUME_SANITIZE AND NOT SPUME_WITH_LONG_TESTS)
  set(brief brief)
  set(frames 1)
  set(long_run 60)
endif()

program_test(usage 300 ${program})
program_test(run_to_pictures 300 ${program})
program_test(interrupt 300 ${program})
program_test(full_disk 300 ${program} ${brief})
program_test(sph_scenes 300 ${program} ${frames})
program_test(liquid_scenes 300 ${program} ${frames})
program_test(liquid_refusals 120 ${program})
program_test(check_early 300 ${program} ${brief})
program_test(deforming_mesh 300 ${program})
program_test(completion 60 ${program})
program_test(one_frame 300 ${program} ${long_run})
program_test(export 300 ${program})
program_test(export_liquid 300 ${program})
program_test(export_surface 300 ${program} $<TARGET_FILE:test_exchange_vdb>)
if(SPUME_WITH_VDB)
  # OpenVDB itself: built plain, since it is not what is tested, and once for all builds, since its headers take long.
  function(vdb_tool name)
    if(SPUME_VDB_BUILD)
      add_executable(${name} IMPORTED)
      set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${SPUME_VDB_BUILD}/tests/${name})
    else()
      add_executable(${name} ${CMAKE_CURRENT_SOURCE_DIR}/programs/${name}.cpp)
      target_link_libraries(${name} PRIVATE spume_openvdb)
      target_compile_options(${name} PRIVATE -O1)
    endif()
  endfunction()
  vdb_tool(export_vdb_look) # reads
  vdb_tool(import_make)     # writes water as others do, for the tests of reading
  add_dependencies(test_import_vdb import_make)
  target_compile_definitions(test_import_vdb PRIVATE SPUME_IMPORT_MAKE="$<TARGET_FILE:import_make>")
  program_test(import_vdb 300 ${program} $<TARGET_FILE:import_make>)
  program_test(export_vdb 300 ${program} $<TARGET_FILE:test_exchange_vdb> $<TARGET_FILE:export_vdb_look>)
endif()
program_test(render_options 300 ${program})
program_test(render_movie 300 ${program} ${brief})
if(SPUME_WITH_PAGE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME program_page_server${SPUME_TEST_SUFFIX}
           COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/programs/page_server.py ${program})
  set_tests_properties(program_page_server${SPUME_TEST_SUFFIX} PROPERTIES LABELS program TIMEOUT 300)
endif()
include(${CMAKE_CURRENT_SOURCE_DIR}/web/tests.cmake)
if(SPUME_WITH_EXAMPLES)
  program_test(run_to_mesh 120 ${program} $<TARGET_FILE:example_run_to_mesh>)
endif()
program_test(headers 120 ${PROJECT_SOURCE_DIR}/include ${CMAKE_C_COMPILER} ${SPUME_CXX})
if(NOT SPUME_SANITIZE)
  # Numbers do not change under sanitizers, and tests/ covers the code. One test a subject, the longest first, so that
  # they run beside others.
  set(subjects sph poisson liquid pond render surface shapes bulk still)
  foreach(subject ${subjects})
    add_test(NAME program_validate_${subject}
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/programs/validate.sh ${program} ${subject})
    set_tests_properties(program_validate_${subject} PROPERTIES LABELS program TIMEOUT 600)
  endforeach()
  set_tests_properties(program_validate_sph program_validate_poisson program_validate_liquid PROPERTIES COST 100)
  program_test(validate_subjects 60 ${program} ${subjects})
  set(libraries $<TARGET_FILE:spume>)
  if(TARGET spume_shared)
    list(APPEND libraries $<TARGET_FILE:spume_shared>)
  endif()
  set(maker)
  if(SPUME_WITH_VDB)
    set(maker $<TARGET_FILE:import_make>)
  endif()
  program_test(scarce_memory 300 ${program} ${maker}) # sanitizers map terabytes
  program_test(exported_names 60 ${PROJECT_SOURCE_DIR}/include ${libraries})
  program_test(install 300 ${PROJECT_BINARY_DIR} cc ${SPUME_CXX})
  program_test(missing_library 120 ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
endif()
if(NOT brief)
  program_test(bad_scenes 300 ${program})
  program_test(import_mesh 600 ${program})
  program_test(threads 300 ${program} 60)
  # kill_test(NAME arguments...)
  function(kill_test name)
    add_test(NAME program_${name}${SPUME_TEST_SUFFIX}
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/kill_resume.sh --program ${program} --seed 1 ${ARGN})
    set_tests_properties(program_${name}${SPUME_TEST_SUFFIX} PROPERTIES LABELS program TIMEOUT 600)
  endfunction()
  kill_test(kill_resume --kills 15 --frames 120)
  kill_test(kill_resume_liquid --scene liquid/propellers --set liquid.voxel=0.05 --set cache.checkpoint_every=2 --frames 12
            --kills 4)
endif()

spume_test(${CMAKE_CURRENT_SOURCE_DIR}/programs/test_refuse_early.c program)
set_tests_properties(test_refuse_early${SPUME_TEST_SUFFIX} PROPERTIES RUN_SERIAL ON) # it measures time
