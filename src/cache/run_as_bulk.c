// SPDX-License-Identifier: Apache-2.0
/// Serves the frames of a run as bulk.
#include "cache/internal.h"

#include <stdio.h>
#include <string.h>

typedef struct store {
    const sp_host *host;
    char *dir;
    uint64_t *frames;
    double *times;
    size_t count;
} store;

static sp_status load(void *user, size_t k, sp_bulk_loaded *l, sp_error *err)
{
    store *s = user;
    char path[SP_PATH];
    sp_frame_file *file;
    sp_error why = {0};
    sp_cache_frame_path(s->dir, s->frames[k], path, sizeof path);
    sp_status status = sp_frame_file_open(path, s->host, &file, &why);
    if (status == SP_DAMAGED)
        return sp_fail(err, status,
                       "frame %llu is incomplete (%s); delete %s and rerun with --resume",
                       (unsigned long long)s->frames[k], why.text, path);
    if (status != SP_OK) return sp_fail(err, status, "%s", why.text);
    status = sp_bulk_from_frame(sp_frame_file_frame(file), l, err);
    sp_frame_file_close(file);
    if (status != SP_OK) sp_error_prefix(err, "%s: ", path);
    return status;
}

static void close_store(void *user)
{
    store *s = user;
    const sp_host *host = s->host;
    sp_release(host, s->dir);
    sp_release(host, s->frames);
    sp_release(host, s->times);
    sp_release(host, s);
}

/// Computes the bounds of the water at all times from the headers of all frames. Unreadable frames
/// are skipped here; loading them reports the error.
static sp_status find_bounds(const store *s, sp_bulk_source *source, sp_error *err)
{
    bool any = false;
    for (size_t k = 0; k < s->count; ++k) {
        char path[SP_PATH];
        sp_frame_peek peek;
        sp_cache_frame_path(s->dir, s->frames[k], path, sizeof path);
        const sp_status status = sp_frame_peek_at(path, "surface", s->host, &peek, err);
        if (status == SP_NO_MEMORY) return status;
        if (status != SP_OK && k == 0) return SP_BAD_INPUT;
        if (status != SP_OK) continue;
        if (k == 0) source->voxel = (float)peek.voxel;
        for (int a = 0; peek.tiles && a < 3; ++a) {
            const double edge = SP_TILE * peek.voxel, low = peek.origin[a] + peek.low[a] * edge,
                         high = peek.origin[a] + (peek.high[a] + 1) * edge;
            source->low[a] = any ? fmin(source->low[a], low) : low;
            source->high[a] = any ? fmax(source->high[a], high) : high;
        }
        any = any || peek.tiles > 0;
    }
    return SP_OK;
}

static sp_status fill_store(store *s, const char *dir, sp_error *err)
{
    sp_run_facts facts;
    SP_TRY(sp_run_facts_read(dir, &facts, s->host, err));
    SP_TRY(sp_cache_dir_frames(dir, "frames", ".h5", s->host, &s->frames, &s->count, err));
    if (s->count == 0) return sp_fail(err, SP_BAD_INPUT, "%s: holds no frames", dir);
    s->times = sp_allocate(s->host, s->count, sizeof *s->times);
    s->dir = sp_copy_text(s->host, dir);
    if (!s->times || !s->dir)
        return sp_fail(err, SP_NO_MEMORY, "%s: no memory for the list of its frames", dir);
    for (size_t k = 0; k < s->count; ++k)
        s->times[k] = (double)s->frames[k] / facts.fps;
    return SP_OK;
}

sp_status sp_run_bulk_open(const char *dir, const sp_host *host, sp_bulk *bulk, sp_error *err)
{
    *bulk = (sp_bulk){0};
    store *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "%s: no memory to serve it", dir);
    s->host = host;
    sp_bulk_source source = {.user = s, .load = load, .close = close_store};
    sp_status status = fill_store(s, dir, err);
    if (status == SP_OK) status = find_bounds(s, &source, err);
    if (status != SP_OK) {
        close_store(s);
        if (err && status == SP_BAD_INPUT) err->status = SP_BAD_INPUT;
        return status;
    }
    source.count = s->count;
    source.times = s->times;
    return sp_bulk_serve(&source, host, bulk, err);
}
