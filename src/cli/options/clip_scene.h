// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OPTIONS_CLIP_SCENE_H
#define SP_CLI_OPTIONS_CLIP_SCENE_H

/// What a surface of a run is clipped at, out of the run's resolved scene.

#include "surface/clip.h"

/// The domain and, with `colliders`, the colliders. A scene that does not open, such as that of an import, gives NULL;
/// colliders that do not open are left out. Both are failures. Close the solids in either case.
sp_status cli_clip_solids_open(const char *scene_text, bool colliders, const sp_host *host,
                               sp_clip_solids **out, sp_error *err);

#endif
