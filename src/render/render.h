// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_H
#define SP_RENDER_H

/// The quick look: a software picture of a frame. Water (the plane fields `height` and `depth`)
/// stands in a tank and refracts, absorbs and mirrors a sky; `bubbles` shine under it, `foam`
/// floats on it; any other particle set is drawn as shaded balls. Knows frames and no solver.

#include "frame/frame.h"

/// A line of provenance, kept in the picture as a PNG text chunk ("Title", "Software", ...).
typedef struct sp_render_text {
    const char *key; ///< 1 to 79 characters of Latin-1
    const char *value;
} sp_render_text;

/// A zeroed struct is fine, and so is NULL: every zero stands for the default.
typedef struct sp_render_options {
    int width, height; ///< pixels, up to 16384 each; 1280 x 720
    int samples;       ///< rays a pixel, up to 1024; 4
    double from[3];    ///< m; where the camera is. The same as `to`: framed on the whole domain
    double to[3];      ///< m; what it looks at
    float fov;         ///< degrees, vertical, up to 150; 30
    const sp_render_text *texts;
    size_t text_count;
} sp_render_options;

/// Draws the frame into `path` as an 8-bit sRGB PNG, written under a temporary name and renamed
/// when whole. The pixels do not depend on the number of threads. The host may be NULL for the
/// ordinary one. Particles whose numbers are not finite are left out. SP_UNSUPPORTED without
/// SPUME_WITH_PNG.
sp_status sp_render_png(const sp_frame *frame, const sp_render_options *options, const char *path,
                        const sp_host *host, sp_error *err);

/// The same into memory: width*height*3 bytes, sRGB, from the top left, row by row; works without
/// libpng. `pixels` is the caller's.
sp_status sp_render_pixels(const sp_frame *frame, const sp_render_options *options,
                           unsigned char *pixels, const sp_host *host, sp_error *err);

#endif
