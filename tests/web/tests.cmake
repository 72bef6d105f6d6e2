# SPDX-License-Identifier: Apache-2.0
# Tests of the page that `make page` built. They need node, and the browser's tests Chromium.

# page_test(NAME SECONDS command...)
function(page_test name seconds)
  add_test(NAME page_${name} COMMAND ${ARGN})
  set_tests_properties(page_${name} PROPERTIES LABELS page TIMEOUT ${seconds})
endfunction()

if(SPUME_PAGE_DIR AND NOT SPUME_SANITIZE)
  set(here ${CMAKE_CURRENT_LIST_DIR})
  get_filename_component(tools ${SPUME_PAGE_DIR}/../web ABSOLUTE)
  add_executable(page_hash ${here}/hash.c)
  target_compile_options(page_hash PRIVATE ${SPUME_FLAGS})
  target_link_libraries(page_hash PRIVATE sp_scene sp_pond)
  page_test(wasm_hashes 600 bash ${here}/wasm_hashes.sh $<TARGET_FILE:page_hash> ${SPUME_PAGE_DIR} ${tools}
            ${PROJECT_SOURCE_DIR}/scenes/pond $<TARGET_FILE:spume_program>)
  page_test(modules 300 node ${tools}/check.mjs ${SPUME_PAGE_DIR}/pond.wasm ${PROJECT_SOURCE_DIR}/scenes/pond/play.json)
  page_test(size 60 bash ${here}/size.sh ${SPUME_PAGE_DIR})
  page_test(browser 600 node ${PROJECT_SOURCE_DIR}/web/test/browser.mjs $<TARGET_FILE:spume_program> $<TARGET_FILE:page_hash>
            ${PROJECT_BINARY_DIR}/screenshots)
  set_tests_properties(page_browser PROPERTIES COST 200) # the longest: it starts first
endif()
