// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_SURFACE_CLIP_H
#define SP_CLI_SURFACE_CLIP_H

/// Where a surface ends. Solvers let liquid run a little into solid things and behind the sides of
/// the domain. Pictures of our own need the former and other programs do not (`spume surface --clip`,
/// `spume export --to vdb`); the latter nobody wants to see.

#include "cli/cli.h"
#include "shapes/shapes.h"
#include "surface/surface.h"

typedef struct surface_solids {
    const sp_host *host;
    bool has_domain;
    double low[3], high[3]; ///< m; of the domain
    sp_shape **shapes;
    size_t count;
} surface_solids;

/// The domain of the run's resolved scene and, where `colliders` asks for them, its colliders. A scene
/// that does not open any more, as that of an import, leaves both out and is in err. Close in any case.
sp_status surface_solids_open(const char *scene_text, bool colliders, const sp_host *host,
                              surface_solids *out, sp_error *err);
void surface_solids_close(surface_solids *solids);

/// What is left of a set or a tile field of the frame: of a field what is in the domain, of both what
/// is outside the colliders, by distances on tiles around it. Lives until surface_clip_close.
typedef struct surface_clip_field {
    sp_tiles tiles;
    float *phi;
    sp_clip clip; ///< what the mesher takes
} surface_clip_field;
sp_status surface_clip_open(surface_clip_field *out, const surface_solids *solids,
                            const sp_frame *frame, const char *name, sp_error *err);
void surface_clip_close(surface_clip_field *field); ///< a zeroed one is welcome

/// A frame whose level set `surface` ends so, at the same voxels; everything else is the other
/// frame's, which must live on.
typedef struct surface_clipped {
    sp_frame frame;
    sp_tiles tiles;
    float *phi;
    sp_field *fields;
} surface_clipped;
sp_status surface_clipped_open(surface_clipped *out, const surface_solids *solids,
                               const sp_frame *frame, sp_error *err);
void surface_clipped_close(surface_clipped *clipped); ///< a zeroed one is welcome

#endif
