// SPDX-License-Identifier: Apache-2.0
/// Builds and samples distances on tiles. Tiles near the surface are found by subdividing cubes: a
/// cube holds none if its centre is farther from the surface than half its diagonal plus the reach.
#include "shapes/solids/solid_field.h"

#include <math.h>
#include <string.h>

typedef struct covering {
    const solid_field_def *def;
    int32_t (*at)[3];
    size_t count, room;
    bool full, failed; ///< too many tiles; no memory
} covering;

/// All corners of a tile that the surface cuts are within a diagonal of it; one more voxel is for
/// the interpolation.
static double reach_of(float voxel)
{
    return (SP_TILE * 1.7320509 + 1.0) * (double)voxel;
}

static void add_tile(covering *c, const int32_t at[3])
{
    const sp_host *host = c->def->shape->host;
    c->full = c->count == FIELD_MOST;
    if (c->full) return;
    c->failed = !sp_make_room(host, (void **)&c->at, c->count, &c->room, sizeof *c->at);
    if (!c->failed) memcpy(c->at[c->count++], at, 3 * sizeof *at);
}

/// The cube of size^3 tiles at `at`.
static void cover_cube(covering *c, const int32_t at[3], int32_t size)
{
    const solid_field_def *def = c->def;
    const double edge = SP_TILE * (double)def->voxel, half = 0.5 * edge * size;
    const double reach = 1.7320509 * half + reach_of(def->voxel);
    double p[3], q[3], n[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = def->origin[k] + edge * at[k] + half;
        if (p[k] - half > def->high[k] || p[k] + half < def->low[k]) return;
    }
    shape_into_body(&def->moment, p, q);
    if (fabs(shape_distance_within(def->shape, q, reach, NULL, n)) >= reach) return;
    if (size == 1) {
        add_tile(c, at);
        return;
    }
    for (int n8 = 0; n8 < 8 && !c->full && !c->failed; ++n8) {
        int32_t child[3];
        for (int k = 0; k < 3; ++k)
            child[k] = at[k] + (n8 >> k & 1) * (size / 2);
        cover_cube(c, child, size / 2);
    }
}

/// Finds the tiles near the surface; false when their coordinates overflow.
static bool cover(covering *c)
{
    const solid_field_def *def = c->def;
    const double edge = SP_TILE * (double)def->voxel;
    int32_t at[3], size = 1;
    for (int k = 0; k < 3; ++k) {
        const double low = floor((def->low[k] - def->origin[k]) / edge);
        const double high = floor((def->high[k] - def->origin[k]) / edge);
        if (!(low > -SP_TILES_REACH && high < SP_TILES_REACH)) return false;
        at[k] = (int32_t)low;
        while (size < (int32_t)high - at[k] + 1)
            size *= 2;
    }
    cover_cube(c, at, size);
    return true;
}

sp_status solid_field_open(solid_field *field, const solid_field_def *def, sp_error *err)
{
    const sp_host *host = def->shape->host;
    *field = (solid_field){.band = FIELD_BAND * def->voxel};
    sp_copy3(field->origin, def->origin);
    covering c = {.def = def};
    sp_status status = SP_OK;
    const bool counted = cover(&c);
    if (c.failed)
        status = sp_fail(err, SP_NO_MEMORY, "no memory for the tiles around a mesh");
    else if (counted && !c.full && c.count > 0)
        status =
            sp_tiles_open(&field->tiles, host, def->voxel, (const int32_t(*)[3])c.at, c.count, err);
    sp_release(host, c.at);
    if (status != SP_OK || field->tiles.count == 0) return status;
    field->phi = sp_tiles_field(&field->tiles, 0.0f);
    if (!field->phi) {
        solid_field_close(field);
        return sp_fail(err, SP_NO_MEMORY, "no memory for the distances of a mesh");
    }
    shape_fill_tiles(def->shape, &def->moment, &field->tiles, def->origin, field->band, field->phi);
    return SP_OK;
}

void solid_field_close(solid_field *field)
{
    if (field->tiles.host) sp_release(field->tiles.host, field->phi);
    sp_tiles_close(&field->tiles);
    *field = (solid_field){0};
}

float solid_field_sample(const solid_field *field, const double p[3], float gradient[3])
{
    float from[3];
    for (int k = 0; k < 3; ++k)
        from[k] = (float)(p[k] - field->origin[k]);
    return sp_tiles_sample(&field->tiles, field->phi, SP_AT_CELLS, field->band, from, gradient);
}

void solid_field_block(const solid_field *field, const int32_t at[3], float *phi)
{
    enum { EDGE = SP_TILE + 1 };
    for (int n = 0; n < 8; ++n) { // the tile itself, and the first layer of its high neighbours
        const int beyond[3] = {n & 1, n >> 1 & 1, n >> 2};
        const int32_t there[3] = {at[0] + beyond[0], at[1] + beyond[1], at[2] + beyond[2]};
        const uint32_t tile = sp_tiles_find(&field->tiles, there);
        const float *from = tile == SP_NO_TILE ? NULL : field->phi + (size_t)tile * SP_TILE_VOXELS;
        const int wide = beyond[0] ? 1 : SP_TILE, high = beyond[1] ? 1 : SP_TILE;
        const int deep = beyond[2] ? 1 : SP_TILE;
        float *to = phi + SP_TILE * (beyond[0] + EDGE * (beyond[1] + EDGE * beyond[2]));
        for (int k = 0; k < deep; ++k)
            for (int j = 0; j < high; ++j)
                for (int i = 0; i < wide; ++i)
                    to[i + EDGE * (j + EDGE * k)] = from ? from[i + 8 * j + 64 * k] : field->band;
    }
}
