# SPDX-License-Identifier: Apache-2.0
# The libraries Spume stands on; tools/setup.sh installs them.
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.13)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial) # never plain hdf5: that may be the MPI build
if(SPUME_WITH_PNG)
  pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
endif()
if(SPUME_WITH_PAGE)
  pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd>=0.9.75)
endif()
if(SPUME_WITH_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
if(SPUME_WITH_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
endif()
