// SPDX-License-Identifier: Apache-2.0
/// The pictures of a movie. There is no state file to resume from: each picture holds its
/// provenance. A complete file with the same provenance is not drawn again.
#include "render/movie.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXTS = 16 };

/// The texts of one picture.
typedef struct shot {
    char frame[24], state[24], path[4200];
    sp_png_text texts[MOST_TEXTS];
} shot;

void sp_movie_picture_path(const char *dir, const char *label, uint64_t frame, char *path,
                           size_t size)
{
    snprintf(path, size, "%s/%06" PRIu64 "%s%s.png", dir, frame, label ? "." : "",
             label ? label : "");
}

static void describe_shot(const sp_movie *movie, size_t i, shot *s)
{
    SP_ASSERT(movie->text_count <= MOST_TEXTS);
    snprintf(s->frame, sizeof s->frame, "%" PRIu64, movie->frames[i]);
    snprintf(s->state, sizeof s->state, "%016" PRIx64, movie->states[i]);
    sp_movie_picture_path(movie->dir, movie->label, movie->frames[i], s->path, sizeof s->path);
    for (size_t k = 0; k < movie->text_count; ++k) {
        s->texts[k] = movie->texts[k];
        if (!s->texts[k].value)
            s->texts[k].value = strcmp(s->texts[k].key, "spume:frame") == 0 ? s->frame : s->state;
    }
}

/// Whether the file's texts are those of the picture wanted. "spume:command" does not matter.
static bool same_texts(const sp_movie *movie, const shot *s, const sp_picture_file *file)
{
    const sp_picture *facts = sp_picture_facts(file);
    if (facts->width != movie->width || facts->height != movie->height || facts->depth != 8)
        return false;
    for (size_t k = 0; k < movie->text_count; ++k) {
        const char *text = sp_picture_find(file, s->texts[k].key);
        if (strcmp(s->texts[k].key, "spume:command") == 0) continue;
        if (!text || strcmp(text, s->texts[k].value) != 0) return false;
    }
    return true;
}

/// Reads the picture into `pixels` if a complete one with the right texts exists. Any other file is
/// not an error: *there is false, and the file will be replaced.
static sp_status read_existing(const sp_movie *movie, const shot *s, unsigned char *pixels,
                               const sp_host *host, bool *there, sp_error *err)
{
    sp_picture_file *file;
    *there = false;
    sp_status st = sp_picture_open(s->path, host, &file, err);
    if (st == SP_OK && same_texts(movie, s, file)) {
        st = sp_picture_pixels(file, pixels, err);
        *there = st == SP_OK;
    }
    sp_picture_close(file);
    return st == SP_IO || st == SP_DAMAGED ? SP_OK : st;
}

static sp_status draw_picture(const sp_movie *movie, size_t i, const shot *s, unsigned char *pixels,
                              const sp_host *host, sp_error *err)
{
    SP_TRY(movie->draw(movie->user, i, pixels, err));
    const sp_picture picture = {.width = movie->width,
                                .height = movie->height,
                                .pixels = pixels,
                                .texts = s->texts,
                                .text_count = movie->text_count,
                                .cancelled = movie->cancelled,
                                .user = movie->user};
    return sp_picture_write(s->path, &picture, host, err);
}

static sp_status draw_all(const sp_movie *movie, unsigned char *pixels, const sp_host *host,
                          size_t *ready, sp_error *err)
{
    for (size_t i = 0; i < movie->count; ++i) {
        shot s;
        bool there;
        if (movie->cancelled && movie->cancelled(movie->user))
            return sp_fail(err, SP_CANCELLED, "interrupted: %zu of %zu pictures are in %s", i,
                           movie->count, movie->dir);
        describe_shot(movie, i, &s);
        SP_TRY(read_existing(movie, &s, pixels, host, &there, err));
        if (!there) SP_TRY(draw_picture(movie, i, &s, pixels, host, err));
        ++*ready;
        if (movie->done) movie->done(movie->user, i, !there);
    }
    return SP_OK;
}

sp_status sp_movie_draw(const sp_movie *movie, const sp_host *host, size_t *ready, sp_error *err)
{
    size_t unasked;
    if (!ready) ready = &unasked;
    *ready = 0;
    const size_t bytes = 3 * (size_t)movie->width * (size_t)movie->height;
    unsigned char *pixels = sp_allocate(host, bytes, 1);
    if (!pixels)
        return sp_fail(err, SP_NO_MEMORY, "%s: no memory for %dx%d pixels", movie->dir,
                       movie->width, movie->height);
    sp_error own = {0}; // errors of files that were then replaced are dropped
    const sp_status st = draw_all(movie, pixels, host, ready, &own);
    if (st != SP_OK && err) *err = own;
    sp_release(host, pixels);
    return st;
}
