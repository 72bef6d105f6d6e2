// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_MOVIE_H
#define SP_RENDER_MOVIE_H

/// From pixels to files: PNG with provenance, contact sheets, and movies. Pixels are 8-bit sRGB,
/// three bytes each, row by row from the top left, unless stated otherwise. Nothing here knows how
/// pictures are drawn: callers pass a function that draws.

#include "core/core.h"
#include "render/render.h"

/// ---- PNG files (png_file.c) --------------------------------------------------------------------

typedef struct sp_picture_file sp_picture_file;
/// Reads the header and texts of a PNG. SP_IO: it cannot be opened. SP_DAMAGED: it is not a picture
/// as sp_picture_write() writes them (RGB of 8 or 16 bits, up to 16384 x 16384, correct checksums).
sp_status sp_picture_open(const char *path, const sp_host *host, sp_picture_file **out,
                          sp_error *err);
/// Size, depth and texts; `pixels` is NULL. Valid until the file is closed.
const sp_picture *sp_picture_facts(const sp_picture_file *file);
const char *sp_picture_find(const sp_picture_file *file, const char *key); ///< NULL: no such text
/// Reads the pixels, reduced to 8 bits, into the caller's width*height*3 bytes. Call it once. SP_OK
/// also means that the rest of the file is undamaged.
sp_status sp_picture_pixels(sp_picture_file *file, unsigned char *pixels, sp_error *err);
void sp_picture_close(sp_picture_file *file); ///< NULL is allowed

/// Fails with SP_NO_MEMORY if width*height pixels of `layers` floats exceed `limit` bytes (0: no
/// limit).
sp_status sp_picture_check_memory(int width, int height, int layers, double limit, sp_error *err);

/// ---- Contact sheets (contact_sheet.c) ----------------------------------------------------------

/// The layout of a sheet of equal thumbnails, each with a line of text below it.
typedef struct sp_sheet {
    int count, columns, rows;
    int thumb_width, thumb_height;
    int width, height; ///< of the sheet
    int scale;         ///< of the text, in pixels per dot of the font
} sp_sheet;
enum { SP_SHEET_GAP = 4 }; ///< pixels around every thumbnail

/// The frame of thumbnail i of `count`: evenly spread over `total`, first and last included. A
/// single thumbnail shows the last frame.
size_t sp_sheet_frame(size_t i, size_t count, size_t total);
/// Chooses the number of columns that brings the sheet nearest to 16:9. SP_BAD_INPUT when it would
/// not fit into a picture of 16384 x 16384.
sp_status sp_sheet_plan(int count, int thumb_width, int thumb_height, sp_sheet *sheet,
                        sp_error *err);
/// Top left corner of thumbnail i.
void sp_sheet_place(const sp_sheet *sheet, int i, int *x, int *y);
/// Paints the background; `pixels` are sheet->width * sheet->height.
void sp_sheet_clear(const sp_sheet *sheet, unsigned char *pixels);
/// Copies a thumbnail to its place with "frame 12, 0.40 s" below it, or a shorter text if that is
/// too wide.
void sp_sheet_put(const sp_sheet *sheet, int i, const unsigned char *thumb, uint64_t frame,
                  double time, unsigned char *pixels);

/// ---- Movies (movie_pictures.c, ffmpeg.c) -------------------------------------------------------

/// A movie is first a directory of pictures, DIR/000012.png. An interrupted movie resumes: a
/// complete picture with the same texts (except "spume:command") is not drawn again.
typedef struct sp_movie {
    const char *dir;   ///< of the pictures; must exist
    const char *label; ///< part of their names, such as "particles"; NULL: none
    int width, height;
    double fps;
    size_t count;
    const uint64_t *frames, *states; ///< numbers and hashes, `count` each
    /// Written into every picture. The values of "spume:frame" and "spume:state" are NULL and are
    /// filled in.
    const sp_png_text *texts;
    size_t text_count;
    /// Draws picture i into width*height*3 bytes.
    sp_status (*draw)(void *user, size_t i, unsigned char *pixels, sp_error *err);
    /// Called after each picture; `drawn` is false when the file existed already. May be NULL.
    void (*done)(void *user, size_t i, bool drawn);
    bool (*cancelled)(
        void *user); ///< called between pictures, while writing and encoding; may be NULL
    void *user;
} sp_movie;

/// DIR/000012.png into `path`, or DIR/000012.LABEL.png.
void sp_movie_picture_path(const char *dir, const char *label, uint64_t frame, char *path,
                           size_t size);
/// Draws the pictures that do not exist yet. *ready (may be NULL) is the number of complete
/// pictures, also after a failure or SP_CANCELLED, which leave them on disk.
sp_status sp_movie_draw(const sp_movie *movie, const sp_host *host, size_t *ready, sp_error *err);

/// Whether the file name ends in a known movie format: .mp4, .webm, .mkv (lossless) or .gif.
bool sp_movie_is_known(const char *path);
bool sp_movie_has_encoder(void); ///< whether ffmpeg is installed
/// Pipes the pictures through ffmpeg in order, and renames the movie to `path` when it is complete.
/// `comment` is stored in it. On failure the pictures stay, nothing is left at `path`, and the
/// error says where the pictures are.
sp_status sp_movie_encode(const sp_movie *movie, const char *path, const char *comment,
                          const sp_host *host, sp_error *err);

#endif
