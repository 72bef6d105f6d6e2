// SPDX-License-Identifier: Apache-2.0
/// Converts a frame to a moment. A frame has `surface` and `velocity` on separate tiles. A moment
/// has one topology: the tiles of the surface, the tiles they enclose, and one ring around these.
/// Velocity is extrapolated into the ring, because interpolation in time also reads points outside
/// the water.
#include "bulk/bulk.h"
#include "bulk/internal.h"

#include <string.h>

/// A field split into components.
typedef struct part {
    sp_tiles tiles;
    float *values[3];
} part;

static void part_close(part *p, const sp_host *host)
{
    for (int c = 0; c < 3; ++c)
        sp_release(host, p->values[c]);
    sp_tiles_close(&p->tiles);
}

static sp_status no_memory(sp_error *err, size_t tiles)
{
    return sp_fail(err, SP_NO_MEMORY, "bulk: no memory for %zu tiles", tiles);
}

/// Copies the surface to the moment's tiles; enclosed tiles get phi = -band.
static sp_status load_surface(sp_bulk_loaded *l, const part *surface, sp_error *err)
{
    sp_tiles whole = {0};
    SP_TRY(sp_bulk_enclose(&surface->tiles, surface->values[0], &whole, err));
    sp_status status = sp_tiles_dilate(&l->tiles, &whole, 1, err);
    for (size_t v = 0; v < surface->tiles.count * SP_TILE_VOXELS; ++v)
        l->band = fmaxf(l->band, fabsf(surface->values[0][v]));
    if (status == SP_OK && !(l->phi = sp_tiles_field(&l->tiles, l->band)))
        status = no_memory(err, l->tiles.count);
    if (status == SP_OK)
        sp_tiles_carry(&surface->tiles, surface->values[0], &l->tiles, l->phi, l->band);
    for (size_t t = 0; status == SP_OK && t < whole.count; ++t) {
        if (sp_tiles_find(&surface->tiles, whole.at[t]) != SP_NO_TILE) continue;
        const uint32_t deep = sp_tiles_find(&l->tiles, whole.at[t]);
        sp_tile_fill(l->phi + (size_t)deep * SP_TILE_VOXELS, -l->band);
    }
    sp_tiles_close(&whole);
    return status;
}

/// Moves values from cell centres to low faces, by averaging.
static sp_status to_faces(part *velocity, const sp_host *host, sp_error *err)
{
    for (int a = 0; a < 3; ++a) {
        float *faces = sp_tiles_field(&velocity->tiles, 0.0f);
        if (!faces) return no_memory(err, velocity->tiles.count);
        for (uint32_t t = 0; t < velocity->tiles.count; ++t) {
            float before[SP_TILE_VOXELS];
            const float *here = velocity->values[a] + (size_t)t * SP_TILE_VOXELS;
            sp_tiles_shift(&velocity->tiles, velocity->values[a], t, a, -1, NAN, before);
            for (int v = 0; v < SP_TILE_VOXELS; ++v)
                faces[(size_t)t * SP_TILE_VOXELS + (size_t)v] =
                    isnan(before[v]) ? here[v] : 0.5f * (here[v] + before[v]);
        }
        sp_release(host, velocity->values[a]);
        velocity->values[a] = faces;
    }
    return SP_OK;
}

static sp_status load_velocity(sp_bulk_loaded *l, const part *velocity, sp_error *err)
{
    const size_t n = l->tiles.count;
    bool *has = sp_allocate(l->host, n, sizeof *has);
    sp_tile_mask *known = sp_allocate(l->host, n, sizeof *known);
    sp_status status = has && known ? SP_OK : no_memory(err, n);
    for (size_t t = 0; status == SP_OK && t < n; ++t)
        has[t] = sp_tiles_find(&velocity->tiles, l->tiles.at[t]) != SP_NO_TILE;
    for (int a = 0; status == SP_OK && a < 3; ++a) {
        if (!(l->u[a] = sp_tiles_field(&l->tiles, 0.0f))) status = no_memory(err, n);
        if (status != SP_OK) break;
        sp_tiles_carry(&velocity->tiles, velocity->values[a], &l->tiles, l->u[a], 0.0f);
        memset(known, 0, n * sizeof *known);
        for (uint32_t t = 0; t < n; ++t)
            if (has[t]) bulk_mark_beside_water(&l->tiles, l->phi, l->band, t, a, known[t]);
        status = sp_tiles_extrapolate(&l->tiles, l->u[a], known, BULK_BEYOND, err);
    }
    if (status == SP_OK) l->no_data = sp_bulk_mark_unknown(&l->tiles, l->phi, has, &status, err);
    sp_release(l->host, has);
    sp_release(l->host, known);
    return status;
}

/// Zero velocity, for a frame without velocity.
static sp_status load_still(sp_bulk_loaded *l, sp_error *err)
{
    for (int a = 0; a < 3; ++a)
        if (!(l->u[a] = sp_tiles_field(&l->tiles, 0.0f))) return no_memory(err, l->tiles.count);
    return SP_OK;
}

static sp_status load_fields(sp_bulk_loaded *l, const sp_frame *frame, part parts[3], sp_error *err)
{
    const sp_field *surface = sp_frame_field(frame, "surface"),
                   *velocity = sp_frame_field(frame, "velocity"),
                   *aeration = sp_frame_field(frame, "aeration");
    const float voxel = (float)frame->voxel;
    l->time = frame->time;
    memcpy(l->origin, frame->origin, sizeof l->origin);
    if (!sp_field_on_tiles(surface, 1))
        return sp_fail(err, SP_BAD_INPUT, "has no surface on tiles, which bulk needs");
    SP_TRY(sp_tiles_from_field(&parts[0].tiles, l->host, voxel, surface, parts[0].values, err));
    SP_TRY(load_surface(l, &parts[0], err));
    if (sp_field_on_tiles(velocity, 3)) {
        SP_TRY(
            sp_tiles_from_field(&parts[1].tiles, l->host, voxel, velocity, parts[1].values, err));
        if (!velocity->staggered) SP_TRY(to_faces(&parts[1], l->host, err));
        SP_TRY(load_velocity(l, &parts[1], err));
    } else {
        SP_TRY(load_still(l, err));
    }
    if (!sp_field_on_tiles(aeration, 1)) return SP_OK;
    SP_TRY(sp_tiles_from_field(&parts[2].tiles, l->host, voxel, aeration, parts[2].values, err));
    if (!(l->aeration = sp_tiles_field(&l->tiles, 0.0f))) return no_memory(err, l->tiles.count);
    sp_tiles_carry(&parts[2].tiles, parts[2].values[0], &l->tiles, l->aeration, 0.0f);
    return SP_OK;
}

sp_status sp_bulk_from_frame(const sp_frame *frame, sp_bulk_loaded *l, sp_error *err)
{
    part parts[3] = {{.values = {NULL}}};
    const sp_status status = load_fields(l, frame, parts, err);
    for (int p = 0; p < 3; ++p)
        part_close(&parts[p], l->host);
    return status;
}
