# SPDX-License-Identifier: Apache-2.0
# Scenes under scenes/<solver>/ become a C file of sp_scene, which is regenerated when one changes.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB scenes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*/*.json)
set(embedded ${PROJECT_BINARY_DIR}/scenes.c)
add_custom_command(
  OUTPUT ${embedded}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/embed_scenes.py ${PROJECT_SOURCE_DIR}/scenes ${embedded}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed_scenes.py ${scenes}
  COMMENT "Embedding scenes" VERBATIM)
target_sources(sp_scene PRIVATE ${embedded})
