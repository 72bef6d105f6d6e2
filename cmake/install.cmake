# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
install(DIRECTORY include/spume DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
