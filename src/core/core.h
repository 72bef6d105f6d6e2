// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_H
#define SP_CORE_H

/// The ground floor: what every room may use. It knows no physics.

#include "core/arena.h"
#include "core/check.h"
#include "core/exact_sum.h"
#include "core/fill.h"
#include "core/hash.h"
#include "core/keys.h"
#include "core/lanes.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "core/progress.h"
#include "core/quads.h"
#include "core/random.h"
#include "core/scalar.h"
#include "core/status.h"
#include "core/text.h"
#include "core/vec.h"

#endif
