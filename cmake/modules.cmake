# SPDX-License-Identifier: Apache-2.0

# spume_module(NAME [modules or libraries it uses...]): the sources under src/NAME and its sub-folders as one
# static library.
function(spume_module name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  add_library(sp_${name} STATIC ${sources})
  target_include_directories(sp_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(sp_${name} PRIVATE ${SPUME_FLAGS})
  target_compile_definitions(sp_${name} PRIVATE _POSIX_C_SOURCE=200809L)
  target_link_libraries(sp_${name} PUBLIC ${ARGN} m)
endfunction()
