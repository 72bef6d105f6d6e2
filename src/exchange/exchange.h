// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_H
#define SP_EXCHANGE_H

/// Frames and meshes for other programs, and water from them. All of it is public.

#include "frame/frame.h"

#include <spume/export.h>

#endif
