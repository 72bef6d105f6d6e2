// SPDX-License-Identifier: Apache-2.0
/// PNG files. libpng reports errors by longjmp, so everything that outlives the jump is kept behind a pointer.
#include "core/files/png.h"

#if defined(SPUME_WITH_PNG)

#include "core/memory/memory.h"
#include "core/text/utf8.h"

#include <png.h>
#include <stdio.h>
#include <string.h>

/// ---- What writing and reading share ------------------------------------------------------------

typedef struct stream {
    const sp_host *host;
    png_structp png;
    png_infop info;
    bool starved;   ///< an allocation failed, which libpng reports as a broken picture
    char why[100];  ///< libpng's error message
    sp_file *file;  ///< writing
    bool cancelled; ///< writing: the caller's cancelled() returned true
    const unsigned char *at;
    size_t left;    ///< reading: bytes from `at` on
    size_t most;    ///< reading: bytes that libpng may ask for at once; 0: any
    size_t claimed; ///< more that it did ask for
} stream;

static void on_error(png_structp png, png_const_charp text)
{
    stream *s = png_get_error_ptr(png);
    sp_clean(text, strlen(text), s->why, sizeof s->why);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text; // libpng's warnings are not errors
}

static png_voidp on_allocate(png_structp png, png_alloc_size_t size)
{
    stream *s = png_get_mem_ptr(png);
    if (s->most > 0 && size > s->most) {
        s->claimed = size;
        return NULL;
    }
    void *memory = sp_allocate(s->host, size, 1);
    s->starved |= !memory;
    return memory;
}

static void on_release(png_structp png, png_voidp memory)
{
    const stream *s = png_get_mem_ptr(png);
    sp_release(s->host, memory);
}

/// ---- Writing -----------------------------------------------------------------------------------

static void on_write(png_structp png, png_bytep bytes, size_t count)
{
    stream *s = png_get_io_ptr(png);
    sp_file_put(s->file, bytes, count);
    if (s->file->error) png_error(png, "not written");
}

static void on_flush(png_structp png)
{
    (void)png;
}

static bool is_ascii(const char *text)
{
    for (; *text; ++text)
        if ((unsigned char)*text >= 0x80) return false;
    return true;
}

static void put_texts(stream *s, const sp_picture *picture)
{
    for (size_t i = 0; i < picture->text_count; ++i) {
        const sp_png_text *t = &picture->texts[i];
        // libpng takes pointers to non-const but only reads them; a union avoids a cast
        union {
            const char *in;
            char *out;
        } key = {t->key}, value = {t->value};
        const size_t length = strlen(t->value);
        png_text text = {.key = key.out, .text = value.out};
        // tEXt chunks are Latin-1; text that is not ASCII goes into a UTF-8 chunk (iTXt)
        if (is_ascii(t->value)) {
            text.compression = PNG_TEXT_COMPRESSION_NONE;
            text.text_length = length;
        } else {
            text.compression = PNG_ITXT_COMPRESSION_NONE;
            text.itxt_length = length;
        }
        png_set_text(s->png, s->info, &text, 1);
    }
}

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static bool put_picture(stream *s, const sp_picture *picture)
{
    if (setjmp(png_jmpbuf(s->png))) return false;
    const int depth = picture->depth ? picture->depth : 8;
    const png_uint_32 width = (png_uint_32)picture->width, height = (png_uint_32)picture->height;
    const size_t row = 3 * (size_t)width * (size_t)(depth / 8);
    png_set_write_fn(s->png, s, on_write, on_flush);
    png_set_IHDR(s->png, s->info, width, height, depth, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(s->png, s->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_gAMA_fixed(s->png, s->info, 45455); // for programs that do not know sRGB
    put_texts(s, picture);
    png_write_info(s->png, s->info);
    if (depth == 16 && is_little_endian()) png_set_swap(s->png);
    for (size_t y = 0; y < height; ++y) {
        s->cancelled = picture->cancelled && picture->cancelled(picture->user);
        if (s->cancelled) return false;
        png_write_row(s->png, (const unsigned char *)picture->pixels + y * row);
    }
    png_write_end(s->png, NULL);
    return true;
}

sp_status sp_picture_write(const char *path, const sp_picture *picture, const sp_host *host,
                           sp_error *err)
{
    sp_file file;
    stream s = {.host = host, .file = &file};
    SP_TRY(sp_file_open(&file, path, err));
    s.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s,
                                      on_allocate, on_release);
    if (s.png) s.info = png_create_info_struct(s.png);
    const bool good = s.info && put_picture(&s, picture);
    png_destroy_write_struct(&s.png, &s.info);
    if (good || file.error) return sp_file_close(&file, true, err); // the latter says why not
    sp_file_abandon(&file);
    if (s.cancelled) return sp_fail(err, SP_CANCELLED, "%s: stopped", path);
    if (s.why[0] && !s.starved)
        return sp_fail(err, SP_IO, "%s: could not be written (%s)", path, s.why);
    return sp_fail(err, SP_NO_MEMORY, "%s: no memory to write the picture", path);
}

/// ---- Reading -----------------------------------------------------------------------------------

struct sp_png {
    stream s;
    sp_png_facts facts;
    sp_png_text *texts; ///< point into libpng's texts, which live as long
    bool strict;
};

static void on_read(png_structp png, png_bytep out, size_t count)
{
    stream *s = png_get_io_ptr(png);
    if (count > s->left) png_error(png, "cut short");
    memcpy(out, s->at, count);
    s->at += count;
    s->left -= count;
}

/// Whether every chunk (length, name, data, checksum, after 8 bytes of signature) ends within the
/// file. libpng allocates the length before it reads the data, and only warns when it is over the
/// limit.
static bool chunks_are_whole(const unsigned char *bytes, size_t count)
{
    for (size_t at = 8; at + 12 <= count && memcmp(bytes + at + 4, "IEND", 4) != 0;) {
        const size_t length = png_get_uint_32(bytes + at);
        if (length > count - at - 12) return false;
        at += 12 + length;
    }
    return true;
}

static sp_status broken(const sp_png *png, sp_error *err)
{
    if (png->s.starved) return sp_fail(err, SP_NO_MEMORY, "no memory to read a PNG");
    if (png->s.claimed > 0)
        return sp_fail(err, SP_DAMAGED, "a broken PNG (a part of it claims %zu MB)",
                       png->s.claimed >> 20);
    return sp_fail(err, SP_DAMAGED, "a broken PNG (%s)", png->s.why);
}

/// A hostile file may claim any size: limits what libpng accepts. It reads a chunk of any length into memory
/// before it applies its own limit, so no memory is given for one.
static void set_limits(stream *s, sp_png_limits limits)
{
    s->most = (size_t)1 << 24;
    png_set_user_limits(s->png, limits.side, limits.side);
    png_set_chunk_cache_max(s->png, 64);
    png_set_chunk_malloc_max(s->png, 1 << 20);
    if (limits.strict) png_set_crc_action(s->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
}

static bool read_header(sp_png *png, sp_png_limits limits)
{
    stream *s = &png->s;
    if (setjmp(png_jmpbuf(s->png))) return false;
    png_set_read_fn(s->png, s, on_read);
    set_limits(s, limits);
    png_read_info(s->png, s->info);
    const int kind = png_get_color_type(s->png, s->info),
              depth = png_get_bit_depth(s->png, s->info);
    png->facts = (sp_png_facts){
        .width = png_get_image_width(s->png, s->info),
        .height = png_get_image_height(s->png, s->info),
        .depth = depth < 8 ? 8 : depth,
        .channels = kind & PNG_COLOR_MASK_COLOR ? 3 : 1,
        .is_rgb = kind == PNG_COLOR_TYPE_RGB &&
                  png_get_interlace_type(s->png, s->info) == PNG_INTERLACE_NONE,
    };
    return true;
}

/// Deflate packs at most 1032 bytes into one. A file that claims more is refused before its pixels get memory.
static bool holds_its_pixels(sp_png *png, size_t count)
{
    stream *s = &png->s;
    const uint64_t row = png_get_rowbytes(s->png, s->info), rows = png->facts.height;
    if (row * rows / 1032 <= count) return true;
    snprintf(s->why, sizeof s->why, "cut short: %zu bytes cannot hold %zu x %zu pixels", count,
             png->facts.width, png->facts.height);
    return false;
}

static bool keep_texts(sp_png *png)
{
    png_textp found = NULL;
    const int count = png_get_text(png->s.png, png->s.info, &found, NULL);
    png->texts = sp_allocate(png->s.host, (size_t)count, sizeof *png->texts);
    png->s.starved |= !png->texts;
    if (!png->texts) return false;
    for (int i = 0; i < count; ++i)
        png->texts[i] = (sp_png_text){found[i].key, found[i].text ? found[i].text : ""};
    png->facts.texts = png->texts;
    png->facts.text_count = (size_t)count;
    return true;
}

sp_status sp_png_open(const void *bytes, size_t count, sp_png_limits limits, const sp_host *host,
                      sp_png **out, sp_error *err)
{
    *out = NULL;
    if (!chunks_are_whole(bytes, count))
        return sp_fail(err, SP_DAMAGED, "a broken PNG (cut short)");
    sp_png *png = sp_allocate(host, 1, sizeof *png);
    if (!png) return sp_fail(err, SP_NO_MEMORY, "no memory to read a PNG");
    stream *s = &png->s;
    *s = (stream){.host = host, .at = bytes, .left = count};
    png->strict = limits.strict;
    s->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, s, on_error, on_warning, s,
                                      on_allocate, on_release);
    if (s->png) s->info = png_create_info_struct(s->png);
    s->starved |= !s->info;
    if (s->info && read_header(png, limits) && holds_its_pixels(png, count) && keep_texts(png)) {
        *out = png;
        return SP_OK;
    }
    const sp_status st = broken(png, err);
    sp_png_close(png);
    return st;
}

const sp_png_facts *sp_png_look(const sp_png *png)
{
    return &png->facts;
}

/// Samples as they are stored, without gamma: palettes and few bits are expanded, alpha is left out.
static bool read_rows(sp_png *png, bool eight_bits, unsigned char *samples)
{
    stream *s = &png->s;
    if (setjmp(png_jmpbuf(s->png))) return false;
    png_set_expand(s->png);
    png_set_strip_alpha(s->png);
    if (eight_bits) png_set_scale_16(s->png);
    const int passes = png_set_interlace_handling(s->png);
    png_read_update_info(s->png, s->info);
    const size_t row = png_get_rowbytes(s->png, s->info);
    for (int pass = 0; pass < passes; ++pass)
        for (size_t y = 0; y < png->facts.height; ++y)
            png_read_row(s->png, samples + y * row, NULL);
    if (png->strict) png_read_end(s->png, NULL);
    return true;
}

sp_status sp_png_samples(sp_png *png, bool eight_bits, unsigned char *samples, sp_error *err)
{
    return read_rows(png, eight_bits, samples) ? SP_OK : broken(png, err);
}

void sp_png_close(sp_png *png)
{
    if (!png) return;
    const sp_host *host = png->s.host;
    if (png->s.png) png_destroy_read_struct(&png->s.png, &png->s.info, NULL);
    sp_release(host, png->texts);
    sp_release(host, png);
}

#else

static const char no_png[] = "this build has no PNG (configured with SPUME_WITH_PNG=OFF)";

sp_status sp_picture_write(const char *path, const sp_picture *picture, const sp_host *host,
                           sp_error *err)
{
    (void)picture, (void)host;
    return sp_fail(err, SP_UNSUPPORTED, "%s: %s", path, no_png);
}
sp_status sp_png_open(const void *bytes, size_t count, sp_png_limits limits, const sp_host *host,
                      sp_png **out, sp_error *err)
{
    (void)bytes, (void)count, (void)limits, (void)host;
    *out = NULL;
    return sp_fail(err, SP_UNSUPPORTED, "%s", no_png);
}
const sp_png_facts *sp_png_look(const sp_png *png)
{
    (void)png; // there is none
    return NULL;
}
sp_status sp_png_samples(sp_png *png, bool eight_bits, unsigned char *samples, sp_error *err)
{
    (void)png, (void)eight_bits, (void)samples;
    return sp_fail(err, SP_UNSUPPORTED, "%s", no_png);
}
void sp_png_close(sp_png *png)
{
    (void)png;
}

#endif
