// SPDX-License-Identifier: Apache-2.0
/// PNG height maps, 8 and 16 bit. Samples are taken as they are stored, without gamma: a height is
/// no colour. Of a coloured picture the mean of the three channels counts.
#include "scene/internal.h"

#include <string.h>

#if !defined(SPUME_WITH_PNG)

sp_status sp_png_read(const sp_host *host, const unsigned char *bytes, size_t count, sp_gray *out,
                      sp_error *err)
{
    (void)host, (void)bytes, (void)count, (void)out;
    return sp_fail(err, SP_UNSUPPORTED, "this build reads no PNG; convert the picture to PGM");
}

#else

#include <png.h>
#include <setjmp.h>

/// All that must survive a longjmp out of libpng lives here, behind a pointer.
typedef struct reader {
    const sp_host *host;
    const unsigned char *at;
    size_t left;
    png_structp png;
    png_infop info;
    unsigned char *pixels;
    unsigned char **rows;
    float *values;
    size_t width, height;
    jmp_buf out;
    sp_error *err;
    sp_status status;
    bool starved; ///< the host had no memory for libpng, which calls that a broken picture
} reader;

static void *take_memory(png_structp png, png_alloc_size_t bytes)
{
    reader *r = png_get_mem_ptr(png);
    void *memory = sp_allocate(r->host, bytes, 1);
    r->starved |= !memory;
    return memory;
}

static void give_memory(png_structp png, png_voidp memory)
{
    sp_release(((reader *)png_get_mem_ptr(png))->host, memory);
}

static void stop(png_structp png, const char *why)
{
    reader *r = png_get_error_ptr(png);
    if (r->status == SP_OK && r->starved)
        r->status = sp_fail(r->err, SP_NO_MEMORY, "no memory to read a PNG");
    if (r->status == SP_OK) {
        char words[100];
        sp_clean(why, strlen(why), words, sizeof words);
        r->status = sp_fail(r->err, SP_BAD_SCENE, "a broken PNG (%s)", words);
    }
    longjmp(r->out, 1);
}

static void ignore(png_structp png, const char *what)
{
    (void)png, (void)what;
}

static void take_bytes(png_structp png, png_bytep out, size_t count)
{
    reader *r = png_get_io_ptr(png);
    if (count > r->left) png_error(png, "cut short");
    memcpy(out, r->at, count);
    r->at += count;
    r->left -= count;
}

/// Reads the header and allocates; leaves through stop() on failure.
static void begin(reader *r)
{
    png_set_read_fn(r->png, r, take_bytes);
    png_set_user_limits(r->png, SP_HEIGHTS_SIDE, SP_HEIGHTS_SIDE);
    png_read_info(r->png, r->info);
    r->width = png_get_image_width(r->png, r->info);
    r->height = png_get_image_height(r->png, r->info);
    r->status = sp_gray_check(r->width, r->height, r->err);
    if (r->status != SP_OK) png_error(r->png, "size");
    png_set_expand(r->png);
    png_set_strip_alpha(r->png);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    const size_t stride = png_get_rowbytes(r->png, r->info);
    r->pixels = sp_allocate(r->host, r->height, stride);
    r->rows = sp_allocate(r->host, r->height, sizeof *r->rows);
    r->values = sp_allocate(r->host, r->width * r->height, sizeof *r->values);
    if (!r->pixels || !r->rows || !r->values) {
        r->status =
            sp_fail(r->err, SP_NO_MEMORY, "no memory for a PNG of %zu x %zu", r->width, r->height);
        png_error(r->png, "memory");
    }
    for (size_t j = 0; j < r->height; ++j)
        r->rows[j] = r->pixels + j * stride;
}

static void to_gray(reader *r)
{
    const size_t channels = png_get_channels(r->png, r->info);
    const bool wide = png_get_bit_depth(r->png, r->info) == 16;
    const float most = (wide ? 65535.0f : 255.0f) * (float)channels;
    for (size_t j = 0; j < r->height; ++j) {
        const unsigned char *at = r->rows[j];
        for (size_t i = 0; i < r->width; ++i) {
            unsigned sum = 0;
            for (size_t c = 0; c < channels; ++c, at += wide ? 2 : 1)
                sum += wide ? 256u * at[0] + at[1] : at[0];
            r->values[j * r->width + i] = (float)sum / most;
        }
    }
}

static void read_all(reader *r)
{
    if (setjmp(r->out)) return;
    r->info = png_create_info_struct(r->png);
    if (!r->info) {
        r->status = sp_fail(r->err, SP_NO_MEMORY, "no memory to read a PNG");
        return;
    }
    begin(r);
    png_read_image(r->png, r->rows);
    to_gray(r);
}

/// Creating the struct may already fail through stop(), so it has a landing place of its own.
static void create(reader *r)
{
    if (setjmp(r->out)) return;
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, stop, ignore, r, take_memory,
                                      give_memory);
}

sp_status sp_png_read(const sp_host *host, const unsigned char *bytes, size_t count, sp_gray *out,
                      sp_error *err)
{
    reader r = {.host = host, .at = bytes, .left = count, .err = err};
    create(&r);
    if (!r.png) return sp_fail(err, SP_NO_MEMORY, "no memory to read a PNG");
    read_all(&r);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    sp_release(host, r.pixels);
    sp_release(host, r.rows);
    if (r.status != SP_OK) {
        sp_release(host, r.values);
        return r.status;
    }
    *out = (sp_gray){r.values, r.width, r.height};
    return SP_OK;
}

#endif
