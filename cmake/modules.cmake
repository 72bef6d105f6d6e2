# SPDX-License-Identifier: Apache-2.0

# gcc takes half a minute for each of poisson's files in doubles, which no hot loop needs in tests.
function(spume_double_at_o1)
  set(poisson ${PROJECT_SOURCE_DIR}/src/poisson)
  set_source_files_properties(${poisson}/accurate_residual.c ${poisson}/double.c PROPERTIES COMPILE_OPTIONS -O1)
endfunction()

# spume_module(NAME [modules or libraries it uses...]): the sources under src/NAME and its sub-folders as one
# static library.
function(spume_module name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  add_library(sp_${name} STATIC ${sources})
  target_include_directories(sp_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(sp_${name} PRIVATE ${SPUME_FLAGS})
  if(SPUME_SANITIZE)
    target_compile_options(sp_${name} PRIVATE -O2) # sanitized loops take two to eight times as long at -O1
  endif()
  set_target_properties(sp_${name} PROPERTIES C_VISIBILITY_PRESET hidden) # only what has SP_API leaves the library
  target_compile_definitions(sp_${name} PRIVATE _POSIX_C_SOURCE=200809L)
  target_link_libraries(sp_${name} PUBLIC ${ARGN} m)
endfunction()

# spume_one_object(VARIABLE rooms...): the rooms' objects, for an archive. Where the linker and objcopy can do it they
# become one object in which every name but the public ones is local, so that no name of ours clashes with a program's.
function(spume_one_object variable)
  set(targets ${ARGN})
  list(TRANSFORM targets PREPEND sp_)
  set(objects ${targets})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  if(CMAKE_OBJCOPY AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF" AND NOT SPUME_SANITIZE AND NOT BUILD_SHARED_LIBS)
    set(object ${PROJECT_BINARY_DIR}/spume.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${object} ${objects}
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
      DEPENDS ${targets}
      COMMENT "Making the library one object" COMMAND_EXPAND_LISTS VERBATIM)
    set(objects ${object})
  endif()
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()
