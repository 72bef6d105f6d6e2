// SPDX-License-Identifier: Apache-2.0
#include "surface/surface.h"
