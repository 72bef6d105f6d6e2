// SPDX-License-Identifier: Apache-2.0
/// Reads ground heights: a number, rows of numbers, or a picture. A picture is a view from above
/// with y up, so its last row is at y = 0. Rows of numbers in a scene begin at y = 0.
#include "scene/internal.h"

#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE = 128 << 20 }; // bytes; the maximum of samples as decimal text

sp_status sp_gray_check(size_t width, size_t height, sp_error *err)
{
    if (width == 0 || height == 0 || width > SP_HEIGHTS_SIDE || height > SP_HEIGHTS_SIDE ||
        width * height > SP_HEIGHTS_SAMPLES)
        return sp_fail(err, SP_BAD_INPUT, "%zu x %zu samples; expected 1 to %d in all", width,
                       height, (int)SP_HEIGHTS_SAMPLES);
    return SP_OK;
}

/// Reports an error about heights at the key's path, with its status unchanged.
static sp_status fail_from(sp_reading *r, const char *file, const sp_error *from)
{
    char path[192], name[100] = "";
    sp_path_write(&r->path, path, sizeof path);
    if (file) sp_clean_name(file, name, sizeof name);
    sp_fail(&r->error, from->status, "%s: %s%s%s", path, name, file ? ": " : "", from->text);
    return sp_reading_place(r);
}

static sp_status bind_row(sp_reading *r, const sp_key *key, json_t *row, size_t width, float *out)
{
    if (!json_is_array(row) || json_array_size(row) != width)
        return sp_reading_fail(r, "expected a row of %zu numbers like the first", width);
    for (size_t i = 0; i < width; ++i) {
        json_t *item = json_array_get(row, i);
        sp_path_push_index(&r->path, i);
        if (!json_is_number(item)) return sp_bind_fail(r, item, "a number", NULL);
        SP_TRY(sp_bind_check_number(r, key, json_number_value(item)));
        out[i] = (float)json_number_value(item);
        --r->path.count;
    }
    return SP_OK;
}

static sp_status bind_rows(sp_reading *r, const sp_key *key, json_t *rows, sp_heights *out)
{
    sp_error err = {0};
    const size_t height = json_array_size(rows), width = json_array_size(json_array_get(rows, 0));
    if (sp_gray_check(width, height, &err) != SP_OK) return fail_from(r, NULL, &err);
    float *values = sp_arena_take(r->host, &r->scene->blocks, width * height, sizeof *values);
    if (!values) return sp_reading_no_memory(r);
    for (size_t j = 0; j < height; ++j) {
        sp_path_push_index(&r->path, j);
        SP_TRY(bind_row(r, key, json_array_get(rows, j), width, values + j * width));
        --r->path.count;
    }
    *out = (sp_heights){.values = values, .width = width, .height = height};
    return SP_OK;
}

sp_status sp_gray_parse(const sp_host *host, const unsigned char *bytes, size_t count, sp_gray *out,
                        sp_error *err)
{
    if (count >= 2 && bytes[0] == 'P' && (bytes[1] == '2' || bytes[1] == '5'))
        return sp_pgm_read(host, bytes, count, out, err);
    if (count >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        return sp_png_read(host, bytes, count, out, err);
    return sp_fail(err, SP_BAD_INPUT, "not a height map; expected PGM (P2 or P5) or PNG");
}

static sp_status read_picture(const sp_host *host, const char *path, sp_gray *out, sp_error *err)
{
    char *bytes;
    size_t count;
    SP_TRY(sp_source_read(host, path, LARGEST_FILE, &bytes, &count, err));
    const sp_status st = sp_gray_parse(host, (const unsigned char *)bytes, count, out, err);
    sp_release(host, bytes);
    return st;
}

/// The path of a file relative to the scene's directory; an absolute path is unchanged.
static char *beside(sp_reading *r, const char *file)
{
    const char *slash = strrchr(r->name, '/');
    const size_t folder = slash && file[0] != '/' ? (size_t)(slash + 1 - r->name) : 0;
    const size_t length = strlen(file);
    char *path = sp_arena_take(r->host, &r->scene->blocks, folder + length + 1, 1);
    if (!path) return NULL;
    memcpy(path, r->name, folder);
    memcpy(path + folder, file, length);
    return path;
}

static sp_status bind_picture(sp_reading *r, const char *file, float scale, sp_heights *out)
{
    sp_error err = {0};
    sp_gray gray = {0};
    char *path = beside(r, file);
    if (!path) return sp_reading_no_memory(r);
    sp_status st = read_picture(r->host, path, &gray, &err);
    if (st != SP_OK) return fail_from(r, file, &err);
    const size_t width = gray.width, height = gray.height;
    float *values = sp_arena_take(r->host, &r->scene->blocks, width * height, sizeof *values);
    for (size_t j = 0; values && j < height; ++j)
        for (size_t i = 0; i < width; ++i)
            values[j * width + i] = scale * gray.values[(height - 1 - j) * width + i];
    sp_release(r->host, gray.values);
    if (!values) return sp_reading_no_memory(r);
    *out = (sp_heights){.values = values, .width = width, .height = height, .file = path};
    return SP_OK;
}

sp_status sp_bind_heights(sp_reading *r, const sp_key *key, json_t *value, float scale,
                          sp_heights *out)
{
    if (json_is_array(value)) return bind_rows(r, key, value, out);
    if (json_is_string(value)) return bind_picture(r, json_string_value(value), scale, out);
    if (!json_is_number(value))
        return sp_bind_fail(r, value, "a number, rows of numbers, or a picture's name", NULL);
    SP_TRY(sp_bind_check_number(r, key, json_number_value(value)));
    *out = (sp_heights){.constant = (float)json_number_value(value)};
    return SP_OK;
}
