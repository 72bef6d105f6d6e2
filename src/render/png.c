// SPDX-License-Identifier: Apache-2.0
/// The picture as a PNG with its provenance. The only file of this room that knows libpng.
#include "render/internal.h"

#if defined(SPUME_WITH_PNG)
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

/// libpng jumps out on errors, so all that outlives the jump is kept here.
typedef struct output {
    const char *path;
    const sp_render_options *o;
    const unsigned char *pixels;
    const sp_host *host;
    FILE *file;
    png_structp png;
    png_infop info;
    bool starved; ///< the host had no memory for libpng
    char why[128];
} output;

static void on_error(png_structp png, png_const_charp text)
{
    output *out = png_get_error_ptr(png);
    snprintf(out->why, sizeof out->why, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text; // about oddities of text chunks, which libpng then leaves out
}

static png_voidp on_allocate(png_structp png, png_alloc_size_t size)
{
    output *out = png_get_mem_ptr(png);
    void *memory = sp_allocate(out->host, size, 1);
    if (!memory) out->starved = true;
    return memory;
}

static void on_release(png_structp png, png_voidp memory)
{
    const output *out = png_get_mem_ptr(png);
    sp_release(out->host, memory);
}

static void on_write(png_structp png, png_bytep bytes, size_t count)
{
    output *out = png_get_io_ptr(png);
    errno = 0;
    if (fwrite(bytes, 1, count, out->file) == count) return;
    png_error(png, strerror(errno ? errno : EIO));
}

static void on_flush(png_structp png)
{
    (void)png;
}

static void put_texts(output *out)
{
    for (size_t i = 0; i < out->o->text_count; ++i) {
        const sp_render_text *t = &out->o->texts[i];
        // libpng takes plain pointers but only reads them; copying through a union keeps const
        // honest
        union {
            const char *in;
            char *out;
        } key = {t->key}, value = {t->value};
        png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = key.out,
                         .text = value.out,
                         .text_length = strlen(t->value)};
        png_set_text(out->png, out->info, &text, 1);
    }
}

static bool write_rows(output *out)
{
    if (setjmp(png_jmpbuf(out->png))) return false;
    const png_uint_32 width = (png_uint_32)out->o->width, height = (png_uint_32)out->o->height;
    png_set_write_fn(out->png, out, on_write, on_flush);
    png_set_IHDR(out->png, out->info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(out->png, out->info, PNG_sRGB_INTENT_PERCEPTUAL);
    put_texts(out);
    png_write_info(out->png, out->info);
    for (size_t y = 0; y < height; ++y)
        png_write_row(out->png, out->pixels + 3 * (size_t)width * y);
    png_write_end(out->png, NULL);
    return true;
}

static sp_status write_file(output *out, const char *name, sp_error *err)
{
    out->file = fopen(name, "wb");
    if (!out->file) return sp_fail(err, SP_IO, "%s: %s", out->path, strerror(errno));
    out->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, out, on_error, on_warning, out,
                                         on_allocate, on_release);
    if (out->png) out->info = png_create_info_struct(out->png);
    sp_status st = SP_OK;
    const bool written = out->info && write_rows(out);
    if (!out->info || out->starved)
        st = sp_fail(err, SP_NO_MEMORY, "%s: no memory to write the picture", out->path);
    else if (!written)
        st = sp_fail(err, SP_IO, "%s: %s; the picture was not written", out->path, out->why);
    png_destroy_write_struct(&out->png, &out->info);
    if (fclose(out->file) != 0 && st == SP_OK)
        st = sp_fail(err, SP_IO, "%s: %s", out->path, strerror(errno));
    if (st == SP_OK && rename(name, out->path) != 0)
        st = sp_fail(err, SP_IO, "%s: %s", out->path, strerror(errno));
    if (st != SP_OK) remove(name);
    return st;
}

sp_status sp_render_png(const sp_frame *frame, const sp_render_options *options, const char *path,
                        const sp_host *host, sp_error *err)
{
    sp_render_options o;
    SP_TRY(render_options(options, &o, err));
    const sp_host usual = sp_host_default(0);
    if (!host) host = &usual;
    const size_t length = strlen(path);
    char *name = sp_allocate(host, length + 8, 1);
    unsigned char *pixels = sp_allocate(host, (size_t)o.width * (size_t)o.height, 3);
    sp_status st = SP_OK;
    if (!name || !pixels)
        st =
            sp_fail(err, SP_NO_MEMORY, "%s: no memory for %d x %d pixels", path, o.width, o.height);
    if (st == SP_OK) st = sp_render_pixels(frame, &o, pixels, host, err);
    if (st == SP_OK) {
        snprintf(name, length + 8, "%s.part", path);
        output out = {.path = path, .o = &o, .pixels = pixels, .host = host};
        st = write_file(&out, name, err);
    }
    sp_release(host, pixels);
    sp_release(host, name);
    return st;
}

#else

sp_status sp_render_png(const sp_frame *frame, const sp_render_options *options, const char *path,
                        const sp_host *host, sp_error *err)
{
    (void)frame;
    (void)options;
    (void)host;
    return sp_fail(err, SP_UNSUPPORTED,
                   "%s: this build has no PNG (configured with SPUME_WITH_PNG=OFF)", path);
}

#endif
