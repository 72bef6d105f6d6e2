// SPDX-License-Identifier: Apache-2.0
#include "shapes/shapes.h"
