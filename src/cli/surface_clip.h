// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_SURFACE_CLIP_H
#define SP_CLI_SURFACE_CLIP_H

/// `spume surface --clip`: liquid ends where the scene's solid things begin. Solvers let it run a
/// little into walls, which our own pictures need and other renderers do not.

#include "cli/cli.h"
#include "shapes/shapes.h"
#include "surface/surface.h"

typedef struct surface_solids {
    const sp_host *host;
    sp_shape **shapes;
    size_t count;
} surface_solids;

/// The colliders of the run's resolved scene. Says what is wrong, among it that there are none, and
/// returns the exit status. Close in any case.
int surface_solids_open(const cli_call *call, const char *scene_text, const sp_host *host,
                        surface_solids *out);
void surface_solids_close(surface_solids *solids);

/// Distances of the space that is left, on tiles around a set or a tile field of the frame; they
/// and the topology live until surface_clip_close.
typedef struct surface_clip_field {
    sp_tiles tiles;
    float *phi;
    sp_clip clip; ///< what the mesher takes
} surface_clip_field;
sp_status surface_clip_open(surface_clip_field *out, const surface_solids *solids,
                            const sp_frame *frame, const char *name, sp_error *err);
void surface_clip_close(surface_clip_field *field); ///< a zeroed one is welcome

#endif
