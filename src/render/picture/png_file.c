// SPDX-License-Identifier: Apache-2.0
/// Reads pictures that Spume wrote: a movie reuses those that exist already.
#include "render/movie.h"

#include <string.h>
#include <unistd.h>

enum { LARGEST = 16384 }; ///< pixels, each way

struct sp_picture_file {
    const sp_host *host;
    char *path, *bytes;
    sp_png *png;
    sp_picture facts;
};

sp_status sp_picture_check_memory(int width, int height, int layers, double limit, sp_error *err)
{
    const double bytes = 4.0 * (double)layers * (double)width * (double)height;
    if (!(limit > 0.0) || bytes <= limit) return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "picture of %dx%d with %d layers needs %.1f GB (limit %.1f)",
                   width, height, layers, 1e-9 * bytes, 1e-9 * limit);
}

static sp_status unreadable(const char *path, sp_status status, sp_error *err)
{
    if (status == SP_NO_MEMORY)
        return sp_fail(err, status, "%s: no memory to read the picture", path);
    return sp_fail(err, SP_DAMAGED, "%s: is damaged, or not a picture that Spume wrote", path);
}

static sp_status read_header(sp_picture_file *file, size_t count, sp_error *err)
{
    const sp_png_limits limits = {.side = LARGEST, .strict = true};
    const sp_status st = sp_png_open(file->bytes, count, limits, file->host, &file->png, err);
    if (st == SP_UNSUPPORTED) sp_error_prefix(err, "%s: ", file->path);
    if (st == SP_UNSUPPORTED) return st;
    if (st != SP_OK) return unreadable(file->path, st, err);
    const sp_png_facts *facts = sp_png_look(file->png);
    if (!facts->is_rgb) return unreadable(file->path, SP_DAMAGED, err);
    file->facts = (sp_picture){.width = (int)facts->width,
                               .height = (int)facts->height,
                               .depth = facts->depth,
                               .texts = facts->texts,
                               .text_count = facts->text_count};
    return SP_OK;
}

sp_status sp_picture_open(const char *path, const sp_host *host, sp_picture_file **out,
                          sp_error *err)
{
    enum { MOST_BYTES = 1 << 30 };
    size_t count;
    *out = NULL;
    sp_picture_file *file = sp_allocate(host, 1, sizeof *file);
    if (!file) return unreadable(path, SP_NO_MEMORY, err);
    file->host = host;
    file->path = sp_copy_text(host, path);
    sp_status st = file->path ? SP_OK : unreadable(path, SP_NO_MEMORY, err);
    if (st == SP_OK) st = sp_file_read(path, MOST_BYTES, host, &file->bytes, &count, err);
    if (st == SP_IO && access(path, R_OK) == 0) st = unreadable(path, SP_DAMAGED, err); // no file
    if (st == SP_OK) st = read_header(file, count, err);
    if (st == SP_OK)
        *out = file;
    else
        sp_picture_close(file);
    return st;
}

sp_status sp_picture_pixels(sp_picture_file *file, unsigned char *pixels, sp_error *err)
{
    const sp_status st = sp_png_samples(file->png, true, pixels, err);
    return st == SP_OK ? SP_OK : unreadable(file->path, st, err);
}

void sp_picture_close(sp_picture_file *file)
{
    if (!file) return;
    const sp_host *host = file->host;
    sp_png_close(file->png);
    sp_release(host, file->bytes);
    sp_release(host, file->path);
    sp_release(host, file);
}

const sp_picture *sp_picture_facts(const sp_picture_file *file)
{
    return &file->facts;
}

const char *sp_picture_find(const sp_picture_file *file, const char *key)
{
    const sp_picture *facts = sp_picture_facts(file);
    for (size_t i = 0; i < facts->text_count; ++i)
        if (strcmp(facts->texts[i].key, key) == 0) return facts->texts[i].value;
    return NULL;
}
