// SPDX-License-Identifier: Apache-2.0
/// Publishes imported water as a frame for a cache, and as moments of bulk.
#include "exchange/import/import_internal.h"

#include <string.h>

/// ---- A frame -----------------------------------------------------------------------------------

static uint64_t hash_of(const sp_import_water *w)
{
    const size_t bytes = w->tiles.count * SP_TILE_VOXELS * sizeof(float);
    uint64_t hash = sp_hash(0, w->tiles.at, w->tiles.count * sizeof *w->tiles.at);
    hash = sp_hash(hash, w->phi, bytes);
    for (int a = 0; a < 3; ++a)
        hash = sp_hash(hash, w->u[a], bytes);
    return hash;
}

/// Copies the velocity of tiles where it is known, with a voxel's components together.
static sp_status interleave_velocity(const sp_import_water *w, import_frame *out, size_t *count,
                                     sp_error *err)
{
    size_t n = 0;
    for (size_t t = 0; t < w->tiles.count; ++t)
        n += w->known[t];
    out->moving = sp_allocate(w->host, n, sizeof *out->moving);
    out->vectors = sp_allocate(w->host, n * SP_TILE_VOXELS, 3 * sizeof *out->vectors);
    if (!out->moving || !out->vectors) return import_no_memory(err, n);
    n = 0;
    for (size_t t = 0; t < w->tiles.count; ++t) {
        if (!w->known[t]) continue;
        memcpy(out->moving[n], w->tiles.at[t], sizeof *out->moving);
        float *to = out->vectors + 3 * SP_TILE_VOXELS * n++;
        for (size_t v = 0; v < SP_TILE_VOXELS; ++v)
            for (size_t a = 0; a < 3; ++a)
                to[3 * v + a] = w->u[a][t * SP_TILE_VOXELS + v];
    }
    *count = n;
    return SP_OK;
}

static sp_status publish(const sp_import *im, size_t k, const sp_import_water *w, import_frame *out,
                         sp_error *err)
{
    size_t moving = 0, fields = 0;
    SP_TRY(interleave_velocity(w, out, &moving, err));
    const sp_field all = {.layout = SP_FIELD_TILES,
                          .components = 1,
                          .tiles = w->tiles.count ? w->tiles.at[0] : NULL,
                          .tile_count = w->tiles.count};
    out->fields[fields] = all;
    out->fields[fields].name = "surface";
    out->fields[fields++].values = w->phi;
    if (im->plan.velocity[0][0])
        out->fields[fields++] = (sp_field){.name = "velocity",
                                           .layout = SP_FIELD_TILES,
                                           .components = 3,
                                           .values = out->vectors,
                                           .tiles = moving ? out->moving[0] : NULL,
                                           .tile_count = moving,
                                           .staggered = true};
    if (w->pressure) {
        out->fields[fields] = all;
        out->fields[fields].name = "pressure";
        out->fields[fields++].values = w->pressure;
    }
    out->stats[0] = (sp_stat){"speed_m_s", w->speed};
    out->stats[1] = (sp_stat){"water_m3", sp_levelset_volume(&w->tiles, w->phi)};
    out->frame = (sp_frame){.frame = sp_import_number(im, k),
                            .time = w->time,
                            .fps = im->plan.fps,
                            .voxel = w->voxel,
                            .hash = hash_of(w),
                            .fields = out->fields,
                            .field_count = fields,
                            .stats = out->stats,
                            .stat_count = 2};
    memcpy(out->frame.origin, w->origin, sizeof w->origin);
    return SP_OK;
}

void import_frame_forget(sp_import *im)
{
    sp_release(im->host, im->published.vectors);
    sp_release(im->host, im->published.moving);
    im->published = (import_frame){0};
    sp_import_water_close(&im->water);
}

sp_status sp_import_read(sp_import *im, size_t k, const sp_frame **frame, sp_error *err)
{
    *frame = NULL;
    import_frame_forget(im);
    if (k >= im->files.count)
        return sp_fail(err, SP_BAD_INPUT, "import: no sample of index %zu; there are %zu", k,
                       im->files.count);
    SP_TRY(sp_import_water_read(im, k, &im->water, err));
    const sp_status status = publish(im, k, &im->water, &im->published, err);
    if (status == SP_OK)
        *frame = &im->published.frame;
    else
        import_frame_forget(im);
    return status;
}

/// ---- Moments -----------------------------------------------------------------------------------

typedef struct serving {
    sp_import *import;
    double *times;
} serving;

static sp_status load(void *user, size_t k, sp_bulk_loaded *l, sp_error *err)
{
    serving *s = user;
    sp_import_water w;
    sp_status status = sp_import_water_read(s->import, k, &w, err);
    if (status != SP_OK) return status;
    l->no_data = sp_bulk_mark_unknown(&w.tiles, w.phi, w.known, &status, err);
    if (status == SP_OK) { // the moment takes over the arrays
        l->time = w.time;
        memcpy(l->origin, w.origin, sizeof l->origin);
        l->tiles = w.tiles;
        l->phi = w.phi;
        l->band = w.band;
        memcpy(l->u, w.u, sizeof l->u);
        w.tiles = (sp_tiles){0};
        w.phi = w.u[0] = w.u[1] = w.u[2] = NULL;
    }
    sp_import_water_close(&w);
    return status;
}

static void close_serving(void *user)
{
    serving *s = user;
    const sp_host *host = s->import->host;
    sp_import_close(s->import);
    sp_release(host, s->times);
    sp_release(host, s);
}

sp_status sp_import_bulk(sp_import *im, sp_bulk *bulk, sp_error *err)
{
    *bulk = (sp_bulk){0};
    const sp_host *host = im->host;
    serving *s = sp_allocate(host, 1, sizeof *s);
    double *times = sp_allocate(host, im->files.count, sizeof *times);
    if (!s || !times) {
        sp_release(host, s);
        sp_release(host, times);
        sp_import_close(im);
        return sp_fail(err, SP_NO_MEMORY, "import: no memory to serve %zu files", im->files.count);
    }
    *s = (serving){im, times};
    for (size_t k = 0; k < im->files.count; ++k)
        times[k] = (double)im->files.files[k].number / im->plan.fps;
    sp_bulk_source source = {.user = s,
                             .count = im->files.count,
                             .times = times,
                             .voxel = (float)im->plan.voxel,
                             .load = load,
                             .close = close_serving};
    memcpy(source.low, im->found.low, sizeof source.low);
    memcpy(source.high, im->found.high, sizeof source.high);
    return sp_bulk_serve(&source, host, bulk, err);
}
