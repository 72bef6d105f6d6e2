// SPDX-License-Identifier: Apache-2.0
#include "liquid/internal.h"

const int liquid_placeholder = 0;
