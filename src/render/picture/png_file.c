// SPDX-License-Identifier: Apache-2.0
/// PNG files: pixels with their provenance. libpng reports errors by longjmp, so everything that
/// outlives the jump is kept behind a pointer.
#include "render/movie.h"

#include <stdio.h>
#include <string.h>

enum { LARGEST = 16384 }; ///< pixels, each way

sp_status sp_picture_check_memory(int width, int height, int layers, double limit, sp_error *err)
{
    const double bytes = 4.0 * (double)layers * (double)width * (double)height;
    if (!(limit > 0.0) || bytes <= limit) return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "picture of %dx%d with %d layers needs %.1f GB (limit %.1f)",
                   width, height, layers, 1e-9 * bytes, 1e-9 * limit);
}

#if defined(SPUME_WITH_PNG)

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

/// ---- What writing and reading share ------------------------------------------------------------

typedef struct stream {
    const sp_host *host;
    FILE *file;
    png_structp png;
    png_infop info;
    bool starved;   ///< an allocation for libpng failed
    bool cancelled; ///< the caller's cancelled() returned true
    int reason;     ///< errno of the call that failed; 0: libpng's own error
} stream;

static void on_error(png_structp png, png_const_charp text)
{
    (void)text;
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
    errno = 0;
    if (fwrite(bytes, 1, count, s->file) == count) return;
    s->reason = errno ? errno : EIO;
    png_error(png, "not written");
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
        const sp_render_text *t = &picture->texts[i];
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

static bool write_picture(stream *s, const sp_picture *picture)
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

static sp_status not_written(const char *path, int reason, sp_error *err)
{
    if (reason == ENOSPC || reason == EDQUOT)
        return sp_fail(err, SP_IO, "%s: no room left on the disk", path);
    return sp_fail(err, SP_IO, "%s: could not be written (%s)", path, strerror(reason));
}

/// Syncs the file, so that the rename never exposes an incomplete file after a power cut.
static bool flush_to_disk(stream *s)
{
    int rc = fflush(s->file);
    while (rc == 0 && (rc = fsync(fileno(s->file))) != 0 && errno == EINTR)
        rc = 0;
    if (rc != 0) s->reason = errno ? errno : EIO;
    return rc == 0;
}

static sp_status write_file(stream *s, const char *name, const char *path,
                            const sp_picture *picture, sp_error *err)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return not_written(path, errno, err);
    s->file = fdopen(fd, "wb");
    if (!s->file) {
        close(fd);
        return not_written(path, ENOMEM, err);
    }
    s->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, s, on_error, on_warning, s,
                                       on_allocate, on_release);
    if (s->png) s->info = png_create_info_struct(s->png);
    const bool good = s->info && write_picture(s, picture) && flush_to_disk(s);
    sp_status st = SP_OK;
    if (!s->info || s->starved)
        st = sp_fail(err, SP_NO_MEMORY, "%s: no memory to write the picture", path);
    else if (s->cancelled)
        st = sp_fail(err, SP_CANCELLED, "%s: stopped", path);
    else if (!good)
        st = not_written(path, s->reason ? s->reason : EINVAL, err);
    png_destroy_write_struct(&s->png, &s->info);
    if (fclose(s->file) != 0 && st == SP_OK) st = not_written(path, errno, err);
    return st;
}

sp_status sp_picture_write(const char *path, const sp_picture *picture, const sp_host *host,
                           sp_error *err)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) // a rename would replace a device
        return sp_fail(err, SP_IO, "%s: is not an ordinary file", path);
    const size_t size = strlen(path) + 32;
    char *name = sp_allocate(host, size, 1);
    if (!name) return sp_fail(err, SP_NO_MEMORY, "%s: no memory to write the picture", path);
    snprintf(name, size, "%s.%ld.tmp", path, (long)getpid()); // unique to the process
    stream s = {.host = host};
    sp_status st = write_file(&s, name, path, picture, err);
    if (st == SP_OK && rename(name, path) != 0) st = not_written(path, errno, err);
    if (st != SP_OK) unlink(name);
    sp_release(host, name);
    return st;
}

/// ---- Reading -----------------------------------------------------------------------------------

struct sp_picture_file {
    stream s;
    sp_picture facts;
    sp_render_text *texts; ///< point into libpng's texts, which live as long
    char *path;
};

static void on_read(png_structp png, png_bytep bytes, size_t count)
{
    stream *s = png_get_io_ptr(png);
    if (fread(bytes, 1, count, s->file) != count) png_error(png, "too short");
}

static bool read_header(sp_picture_file *file)
{
    stream *s = &file->s;
    if (setjmp(png_jmpbuf(s->png))) return false;
    png_set_read_fn(s->png, s, on_read);
    // A hostile file may claim any size: limit what libpng accepts.
    png_set_user_limits(s->png, LARGEST, LARGEST);
    png_set_chunk_cache_max(s->png, 64);
    png_set_chunk_malloc_max(s->png, 1 << 20);
    png_set_crc_action(s->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_read_info(s->png, s->info);
    file->facts.width = (int)png_get_image_width(s->png, s->info);
    file->facts.height = (int)png_get_image_height(s->png, s->info);
    file->facts.depth = png_get_bit_depth(s->png, s->info);
    return png_get_color_type(s->png, s->info) == PNG_COLOR_TYPE_RGB && file->facts.depth >= 8 &&
           png_get_interlace_type(s->png, s->info) == PNG_INTERLACE_NONE;
}

static bool keep_texts(sp_picture_file *file)
{
    png_textp found = NULL;
    const int count = png_get_text(file->s.png, file->s.info, &found, NULL);
    file->texts = sp_allocate(file->s.host, (size_t)count, sizeof *file->texts);
    if (!file->texts) return false;
    for (int i = 0; i < count; ++i)
        file->texts[i] = (sp_render_text){found[i].key, found[i].text ? found[i].text : ""};
    file->facts.texts = file->texts;
    file->facts.text_count = (size_t)count;
    return true;
}

static sp_status damaged(const sp_picture_file *file, sp_error *err)
{
    if (file->s.starved)
        return sp_fail(err, SP_NO_MEMORY, "%s: no memory to read the picture", file->path);
    return sp_fail(err, SP_DAMAGED, "%s: is damaged, or not a picture that Spume wrote",
                   file->path);
}

static sp_status read_file(sp_picture_file *file, sp_error *err)
{
    stream *s = &file->s;
    struct stat facts;
    const int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // do not wait on a pipe
    if (fd < 0 || !(s->file = fdopen(fd, "rb"))) {
        const int reason = errno;
        if (fd >= 0) close(fd);
        return sp_fail(err, SP_IO, "%s: could not be read (%s)", file->path, strerror(reason));
    }
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return damaged(file, err);
    s->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, s, on_error, on_warning, s,
                                      on_allocate, on_release);
    if (s->png) s->info = png_create_info_struct(s->png);
    if (!s->info || !read_header(file)) return damaged(file, err);
    if (keep_texts(file)) return SP_OK;
    s->starved = true;
    return damaged(file, err);
}

sp_status sp_picture_open(const char *path, const sp_host *host, sp_picture_file **out,
                          sp_error *err)
{
    *out = NULL;
    sp_picture_file *file = sp_allocate(host, 1, sizeof *file);
    if (file) *file = (sp_picture_file){.s.host = host, .path = sp_copy_text(host, path)};
    if (!file || !file->path) {
        sp_release(host, file);
        return sp_fail(err, SP_NO_MEMORY, "%s: no memory to read the picture", path);
    }
    const sp_status st = read_file(file, err);
    if (st == SP_OK)
        *out = file;
    else
        sp_picture_close(file);
    return st;
}

static bool read_rows(sp_picture_file *file, unsigned char *pixels)
{
    stream *s = &file->s;
    if (setjmp(png_jmpbuf(s->png))) return false;
    if (file->facts.depth == 16) png_set_scale_16(s->png);
    png_read_update_info(s->png, s->info);
    for (size_t y = 0; y < (size_t)file->facts.height; ++y)
        png_read_row(s->png, pixels + 3 * y * (size_t)file->facts.width, NULL);
    png_read_end(s->png, NULL);
    return true;
}

sp_status sp_picture_pixels(sp_picture_file *file, unsigned char *pixels, sp_error *err)
{
    return read_rows(file, pixels) ? SP_OK : damaged(file, err);
}

void sp_picture_close(sp_picture_file *file)
{
    if (!file) return;
    const sp_host *host = file->s.host;
    if (file->s.png) png_destroy_read_struct(&file->s.png, &file->s.info, NULL);
    if (file->s.file) fclose(file->s.file);
    sp_release(host, file->texts);
    sp_release(host, file->path);
    sp_release(host, file);
}

const sp_picture *sp_picture_facts(const sp_picture_file *file)
{
    return &file->facts;
}

#else

static sp_status no_png(const char *path, sp_error *err)
{
    return sp_fail(err, SP_UNSUPPORTED,
                   "%s: this build has no PNG (configured with SPUME_WITH_PNG=OFF)", path);
}

struct sp_picture_file {
    sp_picture facts;
};

sp_status sp_picture_write(const char *path, const sp_picture *picture, const sp_host *host,
                           sp_error *err)
{
    (void)picture, (void)host;
    return no_png(path, err);
}
sp_status sp_picture_open(const char *path, const sp_host *host, sp_picture_file **out,
                          sp_error *err)
{
    (void)host;
    *out = NULL;
    return no_png(path, err);
}
sp_status sp_picture_pixels(sp_picture_file *file, unsigned char *pixels, sp_error *err)
{
    (void)file, (void)pixels;
    return no_png("picture", err);
}
void sp_picture_close(sp_picture_file *file)
{
    (void)file; // there is none
}
const sp_picture *sp_picture_facts(const sp_picture_file *file)
{
    return &file->facts;
}

#endif

const char *sp_picture_find(const sp_picture_file *file, const char *key)
{
    const sp_picture *facts = sp_picture_facts(file);
    for (size_t i = 0; i < facts->text_count; ++i)
        if (strcmp(facts->texts[i].key, key) == 0) return facts->texts[i].value;
    return NULL;
}
