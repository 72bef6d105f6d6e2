// SPDX-License-Identifier: Apache-2.0
#include "tiles/tiles.h"
