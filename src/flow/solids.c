// SPDX-License-Identifier: Apache-2.0
/// Computes the rows of tiles that solids cut, when a tile appears or a body moves.
#include "flow/solids.h"

enum { BATCH = 32 }; ///< tiles per batch: 700 kB of work space

void sp_flow_solids_clear(sp_flow_solids *solids, const sp_host *host)
{
    sp_release(host, solids->row);
    sp_release(host, solids->tile);
    sp_release(host, solids->escape);
    sp_release(host, solids->spare);
    sp_flow_solids none = {.bodies = solids->bodies};
    memcpy(none.origin, solids->origin, sizeof none.origin);
    *solids = none;
}

/// ---- Rows --------------------------------------------------------------------------------------

static sp_status no_memory(const sp_tiles *tiles, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "flow: no memory for solids in %zu tiles", tiles->count);
}

static sp_status take_row(sp_flow_solids *d, const sp_tiles *tiles, uint32_t *row, sp_error *err)
{
    const sp_host *host = tiles->host;
    if (d->spares == 0 && d->rows == d->room) {
        const size_t room = d->room + d->room / 2 + BATCH;
        if (!sp_regrow(host, (void **)&d->tile, d->rows, room, sizeof *d->tile) ||
            !sp_regrow(host, (void **)&d->escape, d->rows, room, sizeof *d->escape) ||
            !sp_regrow(host, (void **)&d->spare, d->spares, room, sizeof *d->spare))
            return no_memory(tiles, err);
        d->room = room;
    }
    *row = d->spares > 0 ? d->spare[--d->spares] : (uint32_t)d->rows++;
    return SP_OK;
}

static void give_row(sp_flow_solids *d, uint32_t row)
{
    if (sp_flow_is_row(row)) d->spare[d->spares++] = row;
}

/// ---- Computing rows ----------------------------------------------------------------------------

typedef struct row_batch {
    const sp_flow_solids *solids;
    const sp_tiles *tiles;
    const uint32_t *tile; ///< indices of the tiles of the batch
    sp_solid_tile *found;
    sp_flow_escape *escape;
    sp_solidity what[BATCH];
} row_batch;

/// Displacement that moves a voxel's centre a voxel away from solids. Three steps, each away from
/// the solid that is nearest at that point, since there are several at an edge or a corner.
static void find_escape(const row_batch *b, uint32_t tile, int place, float displacement[3])
{
    const double h = (double)b->tiles->voxel;
    double from[3], p[3], normal[3];
    sp_flow_voxel_center(b->tiles, b->solids->origin, tile, place, from);
    memcpy(p, from, sizeof p);
    for (int i = 0; i < 3; ++i) {
        const double push = h - sp_solids_distance(b->solids->bodies, p, normal, NULL);
        for (int a = 0; a < 3 && push > 0.0; ++a)
            p[a] += push * normal[a];
    }
    for (int a = 0; a < 3; ++a)
        displacement[a] = (float)fmin(2.5, fmax(-2.5, (p[a] - from[a]) / h));
}

static void find_escapes(const row_batch *b, uint32_t tile, const sp_solid_tile *solid,
                         sp_flow_escape *escape)
{
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        float displacement[3] = {0};
        const float psi = sp_flow_solid_depth(solid, n & 7, n >> 3 & 7, n >> 6);
        if (fabsf(psi) < 1.1f * b->tiles->voxel) find_escape(b, tile, n, displacement);
        for (int a = 0; a < 3; ++a)
            escape->displacement[a][n] = displacement[a];
    }
}

/// Marks voxels within one voxel of a body for which sp_solids_bends() is true.
static void find_edges(const row_batch *b, const sp_solid_tile *solid,
                       sp_tile_mask may_contain_edge)
{
    static const int corner[8] = {0, 1, 9, 10, 81, 82, 90, 91};
    uint8_t bends[SP_TILE_CORNERS];
    for (int c = 0; c < SP_TILE_CORNERS; ++c) {
        const bool same = c > 0 && solid->who[c] == solid->who[c - 1];
        const bool bend =
            same ? bends[c - 1] & 1 : sp_solids_bends(b->solids->bodies, solid->who[c]);
        bends[c] = (uint8_t)(bend | (solid->psi[c] < b->tiles->voxel) << 1);
    }
    memset(may_contain_edge, 0, sizeof(sp_tile_mask));
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        bool any = false;
        for (int c = 0; c < 8; ++c)
            any |= bends[(n & 7) + 9 * (n >> 3 & 7) + 81 * (n >> 6) + corner[c]] == 3;
        may_contain_edge[n >> 6] |= (uint64_t)any << (n & 63);
    }
}

static void compute_rows(void *arg, size_t begin, size_t end)
{
    row_batch *b = arg;
    for (size_t i = begin; i < end; ++i) {
        b->what[i] =
            sp_solids_classify_tile(b->solids->bodies, b->tiles->at[b->tile[i]], &b->found[i]);
        if (b->what[i] != SP_TILE_IS_CUT) continue;
        find_escapes(b, b->tile[i], &b->found[i], &b->escape[i]);
        find_edges(b, &b->found[i], b->escape[i].may_contain_edge);
    }
}

static sp_status keep(sp_flow_solids *d, const row_batch *b, size_t n, sp_error *err)
{
    for (size_t i = 0; i < n; ++i) {
        uint32_t *row = &d->row[b->tile[i]];
        if (b->what[i] == SP_TILE_IS_CUT) {
            if (!sp_flow_is_row(*row)) SP_TRY(take_row(d, b->tiles, row, err));
            memcpy(&d->tile[*row], &b->found[i], sizeof *b->found);
            memcpy(&d->escape[*row], &b->escape[i], sizeof *b->escape);
            continue;
        }
        give_row(d, *row);
        *row = b->what[i] == SP_TILE_IS_OPEN ? SP_FLOW_TILE_OPEN : SP_FLOW_TILE_SOLID;
    }
    return SP_OK;
}

static sp_status update_tiles(sp_flow_solids *d, const sp_tiles *tiles, const uint32_t *tile,
                              size_t n, sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    row_batch b = {.solids = d,
                   .tiles = tiles,
                   .found = sp_scratch_array(scratch, sp_solid_tile, BATCH),
                   .escape = sp_scratch_array(scratch, sp_flow_escape, BATCH)};
    sp_status status = b.found && b.escape ? SP_OK : no_memory(tiles, err);
    for (size_t first = 0; first < n && status == SP_OK; first += BATCH) {
        const size_t count = n - first < BATCH ? n - first : BATCH;
        b.tile = tile + first;
        sp_parallel(tiles->host, count, 2, compute_rows, &b);
        status = keep(d, &b, count, err);
    }
    sp_scratch_rewind(scratch, mark);
    return status;
}

sp_status sp_flow_solids_update(sp_flow_solids *solids, const sp_tiles *tiles, bool all,
                                sp_scratch *scratch, sp_error *err)
{
    if (!all && !sp_solids_moving(solids->bodies)) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    uint32_t *list = sp_scratch_array(scratch, uint32_t, tiles->count);
    size_t n = 0;
    for (size_t t = 0; list && t < tiles->count; ++t)
        if (all || sp_solids_changed(solids->bodies, tiles->at[t])) list[n++] = (uint32_t)t;
    const sp_status status =
        list ? update_tiles(solids, tiles, list, n, scratch, err) : no_memory(tiles, err);
    sp_scratch_rewind(scratch, mark);
    return status;
}

/// ---- Another topology --------------------------------------------------------------------------

/// Moves rows by tile coordinate; rows of removed tiles become free. Lists the new tiles.
static size_t carry_rows(sp_flow_solids *d, const sp_tiles *from, const sp_tiles *to,
                         const uint32_t *old, uint32_t *fresh)
{
    size_t n = 0;
    for (size_t t = 0; t < to->count; ++t) {
        const uint32_t before = sp_tiles_find(from, to->at[t]);
        d->row[t] = before == SP_NO_TILE ? SP_FLOW_TILE_OPEN : old[before];
        if (before == SP_NO_TILE) fresh[n++] = (uint32_t)t;
    }
    for (size_t t = 0; t < from->count; ++t)
        if (sp_flow_is_row(old[t]) && sp_tiles_find(to, from->at[t]) == SP_NO_TILE)
            give_row(d, old[t]);
    return n;
}

static sp_status make_row_room(sp_flow_solids *d, const sp_tiles *from, const sp_tiles *to,
                               sp_error *err)
{
    if (to->count <= d->row_room) return SP_OK;
    const size_t room = to->count + to->count / 4;
    if (!sp_regrow(to->host, (void **)&d->row, from->count, room, sizeof *d->row))
        return no_memory(to, err);
    d->row_room = room;
    return SP_OK;
}

sp_status sp_flow_solids_retile(sp_flow_solids *solids, const sp_tiles *from, const sp_tiles *to,
                                sp_scratch *scratch, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    uint32_t *old = sp_scratch_array(scratch, uint32_t, from->count);
    uint32_t *fresh = sp_scratch_array(scratch, uint32_t, to->count);
    sp_status status = old && fresh ? make_row_room(solids, from, to, err) : no_memory(to, err);
    if (status == SP_OK) {
        if (from->count > 0) memcpy(old, solids->row, from->count * sizeof *old);
        const size_t n = carry_rows(solids, from, to, old, fresh);
        status = update_tiles(solids, to, fresh, n, scratch, err);
    }
    sp_scratch_rewind(scratch, mark);
    return status;
}
