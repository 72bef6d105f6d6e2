// SPDX-License-Identifier: Apache-2.0
/// Restores deep tiles that caches leave out, and marks water without velocity.
#include "bulk/bulk.h"

#include <string.h>

/// Whether the layer of a tile next to its neighbour in direction (axis, side) is water.
static bool layer_is_water(const float *phi, int axis, int side)
{
    static const int stride[3] = {1, 8, 64};
    const int at = side > 0 ? 7 : 0, a = stride[(axis + 1) % 3], b = stride[(axis + 2) % 3];
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            if (!(phi[at * stride[axis] + i * a + j * b] < 0.0f)) return false;
    return true;
}

typedef struct growing {
    const sp_host *host;
    int32_t (*at)[3];
    size_t count, room;
    int32_t low[3], high[3];
} growing;

static bool push(growing *g, const int32_t at[3])
{
    if (g->count == g->room) {
        const size_t room = 2 * g->room + 64;
        if (!sp_regrow(g->host, (void **)&g->at, g->count, room, sizeof *g->at)) return false;
        g->room = room;
    }
    memcpy(g->at[g->count++], at, sizeof *g->at);
    return true;
}

/// Adds the face neighbours of tile `at` that are absent from `tiles` and within the bounds; when
/// phi is not NULL, only those next to water.
static bool push_absent(growing *g, const sp_tiles *tiles, const int32_t at[3], const float *phi)
{
    for (int axis = 0; axis < 3; ++axis)
        for (int side = -1; side <= 1; side += 2) {
            int32_t next[3] = {at[0], at[1], at[2]};
            next[axis] += side;
            if (next[axis] < g->low[axis] || next[axis] > g->high[axis]) continue;
            if (sp_tiles_find(tiles, next) != SP_NO_TILE) continue;
            if (phi && !layer_is_water(phi, axis, side)) continue;
            if (!push(g, next)) return false;
        }
    return true;
}

/// Adds one layer of tiles at a time, because the topology must hold a whole layer before the next
/// is found.
sp_status sp_bulk_enclose(const sp_tiles *from, const float *phi, sp_tiles *tiles, sp_error *err)
{
    growing g = {.host = from->host};
    *tiles = (sp_tiles){0};
    sp_tiles_bounds((const int32_t(*)[3])from->at, from->count, g.low, g.high);
    bool enough = true;
    for (size_t t = 0; enough && t < from->count; ++t)
        enough = push(&g, from->at[t]);
    for (size_t t = 0; enough && t < from->count; ++t)
        enough = push_absent(&g, from, from->at[t], phi + t * SP_TILE_VOXELS);
    sp_status status = enough ? SP_OK : sp_fail(err, SP_NO_MEMORY, "bulk: no memory for tiles");
    size_t last = from->count;
    while (status == SP_OK) {
        sp_tiles_close(tiles);
        status =
            sp_tiles_open(tiles, from->host, from->voxel, (const int32_t(*)[3])g.at, g.count, err);
        if (status != SP_OK || tiles->count == last) break;
        last = tiles->count;
        const size_t fresh = g.count;
        for (size_t i = from->count; status == SP_OK && i < fresh; ++i)
            if (!push_absent(&g, tiles, g.at[i], NULL))
                status = sp_fail(err, SP_NO_MEMORY, "bulk: no memory for tiles");
    }
    if (status != SP_OK) sp_tiles_close(tiles);
    sp_release(from->host, g.at);
    return status;
}

sp_tile_mask *sp_bulk_mark_unknown(const sp_tiles *tiles, const float *phi, const bool *known,
                                   sp_status *status, sp_error *err)
{
    sp_tile_mask *mask = NULL;
    for (size_t t = 0; t < tiles->count; ++t) {
        if (known[t]) continue;
        for (int place = 0; place < SP_TILE_VOXELS; ++place) {
            if (!(phi[t * SP_TILE_VOXELS + (size_t)place] < 0.0f)) continue;
            if (!mask && !(mask = sp_allocate(tiles->host, tiles->count, sizeof *mask))) {
                *status = sp_fail(err, SP_NO_MEMORY, "bulk: no memory for %zu tiles", tiles->count);
                return NULL;
            }
            sp_tile_mask_add(mask[t], place);
        }
    }
    return mask;
}
