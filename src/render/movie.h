// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_MOVIE_H
#define SP_RENDER_MOVIE_H

/// What becomes of pixels: PNG files that say where they come from, contact sheets, and movies.
/// Pixels are 8-bit sRGB, three bytes each, row by row from the top left, unless said otherwise.
/// Nothing here knows how pictures are made: callers give a function that draws.

#include "core/core.h"
#include "render/render.h"

/// ---- PNG files (png_file.c) --------------------------------------------------------------------

typedef struct sp_picture {
    int width, height;
    int depth; ///< bits a channel: 8, or 16 in the machine's own byte order; 0 stands for 8
    const void *pixels;
    const sp_render_text *texts; ///< kept in this order; values beyond ASCII are UTF-8
    size_t text_count;
    bool (*cancelled)(void *user); ///< asked for every row that is written; may be NULL
    void *user;
} sp_picture;

/// Written beside its place as NAME.<process>.tmp, synced and renamed, so that it is there whole or not at
/// all. Equal pictures give equal bytes: there is no time in them. SP_IO names the file and the
/// reason; SP_UNSUPPORTED without SPUME_WITH_PNG.
sp_status sp_picture_write(const char *path, const sp_picture *picture, const sp_host *host,
                           sp_error *err);

typedef struct sp_picture_file sp_picture_file;
/// Reads what a PNG says about itself, up to its pixels. SP_IO when it cannot be opened, SP_DAMAGED
/// when it is no picture as sp_picture_write makes them: RGB of 8 or 16 bits, up to 16384 x 16384,
/// every checksum right.
sp_status sp_picture_open(const char *path, const sp_host *host, sp_picture_file **out,
                          sp_error *err);
/// Size, depth and texts; `pixels` is NULL. Lives until the file is closed.
const sp_picture *sp_picture_facts(const sp_picture_file *file);
const char *sp_picture_find(const sp_picture_file *file, const char *key); ///< NULL: no such text
/// The pixels, reduced to 8 bits, into the caller's width*height*3 bytes. Call it once. SP_OK also
/// means that the rest of the file was whole.
sp_status sp_picture_pixels(sp_picture_file *file, unsigned char *pixels, sp_error *err);
void sp_picture_close(sp_picture_file *file); ///< NULL is welcome

/// Refuses a picture whose pixels, with so many floats each, lie beyond `limit` bytes (0: no
/// limit).
sp_status sp_picture_check_memory(int width, int height, int layers, double limit, sp_error *err);

/// ---- Contact sheets (contact_sheet.c) ----------------------------------------------------------

/// Where everything lies on a sheet of equal thumbs, each with a line of words below it.
typedef struct sp_sheet {
    int count, columns, rows;
    int thumb_width, thumb_height;
    int width, height; ///< of the whole
    int scale;         ///< of the words
} sp_sheet;
enum { SP_SHEET_GAP = 4 }; ///< pixels around every thumb

/// Which of `total` frames is thumb i of `count`: evenly spread, first and last among them; a
/// single thumb shows the last.
size_t sp_sheet_frame(size_t i, size_t count, size_t total);
/// Takes as many columns as bring the sheet's shape nearest to 16:9. SP_BAD_SCENE when it would not
/// fit into a picture of 16384 x 16384.
sp_status sp_sheet_plan(int count, int thumb_width, int thumb_height, sp_sheet *sheet,
                        sp_error *err);
/// Top left corner of a thumb.
void sp_sheet_place(const sp_sheet *sheet, int i, int *x, int *y);
/// Paints the background; `pixels` are sheet->width * sheet->height.
void sp_sheet_clear(const sp_sheet *sheet, unsigned char *pixels);
/// Puts a thumb into its place with "frame 12, 0.40 s" below it, or less where that is too wide.
void sp_sheet_put(const sp_sheet *sheet, int i, const unsigned char *thumb, uint64_t frame,
                  double time, unsigned char *pixels);

/// ---- Movies (movie_pictures.c, ffmpeg.c) -------------------------------------------------------

/// A movie is first a directory of pictures, DIR/000012.png: an interrupted one goes on where it
/// stopped, because a picture that is there and whole, with the same texts but for "spume:command",
/// is not drawn again.
typedef struct sp_movie {
    const char *dir;   ///< of the pictures; must be there
    const char *label; ///< stands in their names, such as "particles"; NULL: none
    int width, height;
    double fps;
    size_t count;
    const uint64_t *frames, *states; ///< numbers and hashes, `count` each
    /// Kept in every picture; the values of "spume:frame" and "spume:state" are NULL and filled in.
    const sp_render_text *texts;
    size_t text_count;
    /// Draws picture i into width*height*3 bytes.
    sp_status (*draw)(void *user, size_t i, unsigned char *pixels, sp_error *err);
    /// After each picture: `drawn` is false when it was there already. May be NULL.
    void (*done)(void *user, size_t i, bool drawn);
    bool (*cancelled)(
        void *user); ///< asked between pictures, while writing and encoding; may be NULL
    void *user;
} sp_movie;

/// DIR/000012.png into `path`, or DIR/000012.LABEL.png.
void sp_movie_picture_path(const char *dir, const char *label, uint64_t frame, char *path,
                           size_t size);
/// Draws the pictures that are not there. *ready (may be NULL) counts those that are there in the
/// end, whatever the end: after a failure or SP_CANCELLED whole pictures stay.
sp_status sp_movie_draw(const sp_movie *movie, const sp_host *host, size_t *ready, sp_error *err);

/// Whether the file's ending names a kind of movie: .mp4, .webm, .mkv (lossless) or .gif.
bool sp_movie_is_known(const char *path);
bool sp_movie_has_encoder(void); ///< whether there is an ffmpeg to start
/// Hands the pictures to ffmpeg, in order, and puts the movie in place when it is whole. `comment`
/// is kept in it. On failure the pictures stay, nothing is left at `path`, and err says where they
/// are.
sp_status sp_movie_encode(const sp_movie *movie, const char *path, const char *comment,
                          const sp_host *host, sp_error *err);

#endif
