// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VIEW_INTERNAL_H
#define SP_VIEW_INTERNAL_H

#include "view/view.h"

/// The files that are served, without contents: names and types. The first one is also "/".
extern const sp_view_file sp_view_files[SP_VIEW_FILES];

#endif
