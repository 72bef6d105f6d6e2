# SPDX-License-Identifier: Apache-2.0
# Installs the program, the library with its headers, pkg-config and CMake files, bash completion and the man page.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/spume DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS spume EXPORT SpumeTargets)
if(TARGET spume_program)
  install(TARGETS spume_program)
endif()

# The page, if `make page` has built it beside the build directory.
foreach(file index.html page.js page.css pond.wasm pond-plain.wasm scenes.json icon.svg) # as in src/view/page.c
  install(FILES ${PROJECT_BINARY_DIR}/../page/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/spume/page OPTIONAL)
endforeach()

# Libraries that a static libspume needs; a shared one links them itself.
set(SPUME_PC_REQUIRES "jansson hdf5-serial")
set(SPUME_PC_LIBS "-lm")
if(SPUME_WITH_PNG)
  string(APPEND SPUME_PC_REQUIRES " libpng")
endif()
if(SPUME_WITH_FFTW)
  string(APPEND SPUME_PC_REQUIRES " fftw3f")
endif()
if(SPUME_WITH_OPENMP)
  foreach(library ${OpenMP_C_LIB_NAMES})
    get_filename_component(directory ${OpenMP_${library}_LIBRARY} DIRECTORY) # clang's is not where ld looks
    string(APPEND SPUME_PC_LIBS " -L${directory} -l${library}")
  endforeach()
endif()
if(SPUME_WITH_VDB)
  string(APPEND SPUME_PC_LIBS " -lopenvdb -ltbb -lstdc++")
  if(IMATH_LIBRARY)
    get_filename_component(imath ${IMATH_LIBRARY} NAME_WE)
    string(REGEX REPLACE "^lib" " -l" imath ${imath})
    string(APPEND SPUME_PC_LIBS ${imath})
  endif()
endif()
# Relative paths, so that the installed tree can be moved.
if(BUILD_SHARED_LIBS)
  set(SPUME_PC_ALSO "")
  set(SPUME_PC_WANTS "Requires.private")
else()
  set(SPUME_PC_WANTS "Requires")
  set(SPUME_PC_ALSO " ${SPUME_PC_LIBS}") # an archive carries nothing inside
endif()
file(RELATIVE_PATH SPUME_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/spume.pc.in spume.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spume.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Spume)
configure_package_config_file(cmake/SpumeConfig.cmake.in SpumeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(SpumeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT SpumeTargets NAMESPACE Spume:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/SpumeConfig.cmake ${PROJECT_BINARY_DIR}/SpumeConfigVersion.cmake
        DESTINATION ${package_dir})

install(FILES tools/completion/spume DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES docs/spume.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES LICENSE NOTICE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
