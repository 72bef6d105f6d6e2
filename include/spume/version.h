// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_VERSION_H
#define SPUME_VERSION_H

#define SPUME_VERSION_MAJOR 0
#define SPUME_VERSION_MINOR 1
#define SPUME_VERSION_PATCH 0
#define SPUME_VERSION "0.1.0"

#include <spume/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library that runs; SPUME_VERSION is that of the headers a program was compiled with.
SP_API const char *sp_version(void);

#ifdef __cplusplus
}
#endif

#endif
