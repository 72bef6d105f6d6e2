// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_VERSION_H
#define SPUME_VERSION_H

#define SPUME_VERSION_MAJOR 0
#define SPUME_VERSION_MINOR 1
#define SPUME_VERSION_PATCH 0
#define SPUME_VERSION "0.1.0"

#endif
