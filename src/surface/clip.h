// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SURFACE_CLIP_H
#define SP_SURFACE_CLIP_H

/// Clips surfaces at solids and at the domain. Solvers let liquid run a little into solids and past
/// the sides of the domain. Our own renderer needs the overlap with solids; other programs do not
/// (`spume surface --clip`, `spume export --to vdb`). Liquid outside the domain is always cut off.

#include "shapes/world.h"
#include "surface/surface.h"

struct sp_clip_solids {
    const sp_host *host;
    bool has_domain;
    double low[3], high[3]; ///< m; of the domain
    sp_colliders colliders;
};

/// Clips a set or a tile field of the frame. Both are clipped to the outside of the colliders, by
/// distances on tiles around them; a field is also clipped to the domain. `solids` may be NULL:
/// nothing is clipped. Valid until sp_clip_field_close().
typedef struct sp_clip_field {
    sp_tiles tiles;
    float *phi;
    sp_clip clip; ///< input of the mesher
} sp_clip_field;
sp_status sp_clip_field_open(sp_clip_field *out, const sp_clip_solids *solids,
                             const sp_frame *frame, const char *name, sp_error *err);
void sp_clip_field_close(sp_clip_field *field); ///< may be zeroed

/// A frame with its level set `surface` clipped, on the same voxels. All other arrays belong to the
/// original frame, which must outlive this one. `solids` may be NULL.
typedef struct sp_clipped_frame {
    sp_frame frame;
    sp_tiles tiles;
    float *phi;
    sp_field *fields;
} sp_clipped_frame;
sp_status sp_clipped_frame_open(sp_clipped_frame *out, const sp_clip_solids *solids,
                                const sp_frame *frame, sp_error *err);
void sp_clipped_frame_close(sp_clipped_frame *clipped); ///< may be zeroed

#endif
