// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_FILES_PNG_H
#define SP_CORE_FILES_PNG_H

/// PNG, by libpng: pictures are written, and pictures and height maps are read. In a build without
/// SPUME_WITH_PNG every call is SP_UNSUPPORTED.

#include "core/files/files.h"

/// A line of text that a file carries beside its pixels.
typedef struct sp_png_text {
    const char *key;   ///< 1 to 79 characters of Latin-1
    const char *value; ///< UTF-8
} sp_png_text;

/// ---- Writing -----------------------------------------------------------------------------------

/// RGB pixels, row by row from the top left.
typedef struct sp_picture {
    int width, height;
    int depth; ///< bits a channel: 8, or 16 in the machine's own byte order; 0 stands for 8
    const void *pixels;
    const sp_png_text *texts; ///< kept in this order
    size_t text_count;
    bool (*cancelled)(void *user); ///< asked for every row that is written; may be NULL
    void *user;
} sp_picture;

/// The file is there whole, and has reached the disk, or it is as it was. Equal pictures give equal bytes:
/// there is no time in them. SP_IO names the file and the reason; SP_CANCELLED.
sp_status sp_picture_write(const char *path, const sp_picture *picture, const sp_host *host,
                           sp_error *err);

/// ---- Reading -----------------------------------------------------------------------------------

typedef struct sp_png sp_png;

typedef struct sp_png_facts {
    size_t width, height;
    int depth;                ///< bits a sample: 8 or 16; what has fewer is expanded
    int channels;             ///< 1: gray, 3: colour; alpha is left out
    bool is_rgb;              ///< stored as such: no palette, no alpha, not interlaced
    const sp_png_text *texts; ///< live until the close
    size_t text_count;
} sp_png_facts;

/// What a file that may hold anything is held to.
typedef struct sp_png_limits {
    unsigned side; ///< pixels each way
    bool strict;   ///< the checksum of every part of it must be right, also of parts we do not use
} sp_png_limits;

/// Reads what a PNG in memory says about itself, up to its pixels; the bytes must stay where they are. SP_DAMAGED
/// with libpng's reason in the sentence, or when it has more pixels than its bytes can hold; SP_NO_MEMORY. Then *out is
/// NULL.
sp_status sp_png_open(const void *bytes, size_t count, sp_png_limits limits, const sp_host *host,
                      sp_png **out, sp_error *err);
const sp_png_facts *sp_png_look(const sp_png *png);
/// The samples of all pixels, height * width * channels, of `depth` bits with the high byte first, or reduced to 8
/// bits. Call it once.
sp_status sp_png_samples(sp_png *png, bool eight_bits, unsigned char *samples, sp_error *err);
void sp_png_close(sp_png *png); ///< may be NULL

#endif
