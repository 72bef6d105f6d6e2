// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_H
#define SP_CORE_H

/// All of core, which every room may include. It contains no physics.

#include "core/files/files.h"
#include "core/files/png.h"
#include "core/host/parallel.h"
#include "core/host/process_limits.h"
#include "core/host/profile.h"
#include "core/keys/keys.h"
#include "core/keys/keys_by_path.h"
#include "core/memory/arena.h"
#include "core/memory/memory.h"
#include "core/memory/state_walk.h"
#include "core/numbers/exact_sum.h"
#include "core/numbers/gather_quads.h"
#include "core/numbers/half.h"
#include "core/numbers/hash.h"
#include "core/numbers/lanes.h"
#include "core/numbers/portable_math.h"
#include "core/numbers/random.h"
#include "core/numbers/union_find.h"
#include "core/numbers/vectors.h"
#include "core/text/log.h"
#include "core/text/pace.h"
#include "core/text/progress.h"
#include "core/text/resolved_value.h"
#include "core/text/status.h"
#include "core/text/text_builder.h"
#include "core/text/utf8.h"

#endif
