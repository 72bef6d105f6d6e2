// SPDX-License-Identifier: Apache-2.0
/// What solids make of the tiles: rows of cut tiles, made when a tile appears or a body moves.
#include "liquid/internal.h"

enum { BATCH = 32 }; ///< tiles looked at in one go: 700 kB of work space

void liquid_solid_close(liquid *s)
{
    sp_release(s->host, s->solid.row);
    sp_release(s->host, s->solid.tile);
    sp_release(s->host, s->solid.way);
    sp_release(s->host, s->solid.spare);
    s->solid = (liquid_solid){0};
}

/// ---- Rows --------------------------------------------------------------------------------------

static sp_status no_memory(const liquid *s, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for solids in %zu tiles", s->tiles.count);
}

static sp_status take_row(liquid *s, uint32_t *row, sp_error *err)
{
    liquid_solid *d = &s->solid;
    if (d->spares == 0 && d->rows == d->room) {
        const size_t room = d->room + d->room / 2 + BATCH;
        if (!sp_regrow(s->host, (void **)&d->tile, d->rows, room, sizeof *d->tile) ||
            !sp_regrow(s->host, (void **)&d->way, d->rows, room, sizeof *d->way) ||
            !sp_regrow(s->host, (void **)&d->spare, d->spares, room, sizeof *d->spare))
            return no_memory(s, err);
        d->room = room;
    }
    *row = d->spares > 0 ? d->spare[--d->spares] : (uint32_t)d->rows++;
    return SP_OK;
}

static bool is_row(uint32_t row)
{
    return row < LIQUID_TILE_SOLID;
}

static void give_row(liquid *s, uint32_t row)
{
    if (is_row(row)) s->solid.spare[s->solid.spares++] = row;
}

/// ---- Looking -----------------------------------------------------------------------------------

typedef struct looking {
    const liquid *s;
    const uint32_t *tile; ///< which ones
    sp_solid_tile *found;
    liquid_way_out *way;
    sp_solidity what[BATCH];
} looking;

/// Where a voxel's centre gets to when it steps away from solids; in an edge or a corner each wall
/// has its turn.
static void find_way(const liquid *s, uint32_t tile, int place, float by[3])
{
    const double h = (double)s->voxel;
    double from[3], p[3], normal[3];
    liquid_voxel_center(s, tile, place, from);
    memcpy(p, from, sizeof p);
    for (int i = 0; i < 3; ++i) {
        const double push = h - sp_solids_distance(s->solids, p, normal, NULL);
        for (int a = 0; a < 3 && push > 0.0; ++a)
            p[a] += push * normal[a];
    }
    for (int a = 0; a < 3; ++a)
        by[a] = (float)fmin(2.5, fmax(-2.5, (p[a] - from[a]) / h));
}

static void find_ways(const liquid *s, uint32_t tile, const sp_solid_tile *solid,
                      liquid_way_out *way)
{
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        float normal[3], by[3] = {0};
        const float psi = liquid_solid_depth(solid, n & 7, n >> 3 & 7, n >> 6, normal);
        if (fabsf(psi) < 1.1f * s->voxel) find_way(s, tile, n, by);
        for (int a = 0; a < 3; ++a)
            way->by[a][n] = by[a];
    }
}

/// Voxels with a body that bends within one voxel of them.
static void find_bends(const liquid *s, const sp_solid_tile *solid, sp_tile_mask bent)
{
    static const int corner[8] = {0, 1, 9, 10, 81, 82, 90, 91};
    uint8_t bends[SP_TILE_CORNERS];
    for (int c = 0; c < SP_TILE_CORNERS; ++c) {
        const bool same = c > 0 && solid->who[c] == solid->who[c - 1];
        const bool bend = same ? bends[c - 1] & 1 : sp_solids_bends(s->solids, solid->who[c]);
        bends[c] = (uint8_t)(bend | (solid->psi[c] < s->voxel) << 1);
    }
    memset(bent, 0, sizeof(sp_tile_mask));
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        bool any = false;
        for (int c = 0; c < 8; ++c)
            any |= bends[(n & 7) + 9 * (n >> 3 & 7) + 81 * (n >> 6) + corner[c]] == 3;
        bent[n >> 6] |= (uint64_t)any << (n & 63);
    }
}

static void look(void *arg, size_t begin, size_t end)
{
    looking *l = arg;
    for (size_t i = begin; i < end; ++i) {
        l->what[i] = sp_solids_look(l->s->solids, l->s->tiles.at[l->tile[i]], &l->found[i]);
        if (l->what[i] != SP_TILE_IS_CUT) continue;
        find_ways(l->s, l->tile[i], &l->found[i], &l->way[i]);
        find_bends(l->s, &l->found[i], l->way[i].bent);
    }
}

static sp_status keep(liquid *s, const looking *l, size_t n, sp_error *err)
{
    for (size_t i = 0; i < n; ++i) {
        uint32_t *row = &s->solid.row[l->tile[i]];
        if (l->what[i] == SP_TILE_IS_CUT) {
            if (!is_row(*row)) SP_TRY(take_row(s, row, err));
            memcpy(&s->solid.tile[*row], &l->found[i], sizeof *l->found);
            memcpy(&s->solid.way[*row], &l->way[i], sizeof *l->way);
            continue;
        }
        give_row(s, *row);
        *row = l->what[i] == SP_TILE_IS_OPEN ? LIQUID_TILE_OPEN : LIQUID_TILE_SOLID;
    }
    return SP_OK;
}

static sp_status look_at_all(liquid *s, const uint32_t *tile, size_t n, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    looking l = {.s = s,
                 .found = sp_scratch_array(&s->scratch, sp_solid_tile, BATCH),
                 .way = sp_scratch_array(&s->scratch, liquid_way_out, BATCH)};
    sp_status status = l.found && l.way ? SP_OK : no_memory(s, err);
    for (size_t first = 0; first < n && status == SP_OK; first += BATCH) {
        const size_t count = n - first < BATCH ? n - first : BATCH;
        l.tile = tile + first;
        sp_parallel(s->host, count, 2, look, &l);
        status = keep(s, &l, count, err);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

sp_status liquid_solid_look(liquid *s, bool all, sp_error *err)
{
    if (!all && !sp_solids_moving(s->solids)) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    uint32_t *list = sp_scratch_array(&s->scratch, uint32_t, s->tiles.count);
    size_t n = 0;
    for (size_t t = 0; list && t < s->tiles.count; ++t)
        if (all || sp_solids_changed(s->solids, s->tiles.at[t])) list[n++] = (uint32_t)t;
    const sp_status status = list ? look_at_all(s, list, n, err) : no_memory(s, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

/// Rows move over by coordinate; those of tiles that are gone become free.
static size_t carry_rows(liquid *s, const sp_tiles *from, const uint32_t *old, uint32_t *fresh)
{
    size_t n = 0;
    for (size_t t = 0; t < s->tiles.count; ++t) {
        const uint32_t before = sp_tiles_find(from, s->tiles.at[t]);
        s->solid.row[t] = before == SP_NO_TILE ? LIQUID_TILE_OPEN : old[before];
        if (before == SP_NO_TILE) fresh[n++] = (uint32_t)t;
    }
    for (size_t t = 0; t < from->count; ++t)
        if (is_row(old[t]) && sp_tiles_find(&s->tiles, from->at[t]) == SP_NO_TILE)
            give_row(s, old[t]);
    return n;
}

sp_status liquid_solid_carry(liquid *s, const sp_tiles *from, sp_error *err)
{
    const size_t count = s->tiles.count, old_count = from->count;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    uint32_t *old = sp_scratch_array(&s->scratch, uint32_t, old_count);
    uint32_t *fresh = sp_scratch_array(&s->scratch, uint32_t, count);
    sp_status status = old && fresh ? SP_OK : no_memory(s, err);
    if (status == SP_OK && count > s->solid.row_room) {
        const size_t room = count + count / 4;
        if (sp_regrow(s->host, (void **)&s->solid.row, old_count, room, sizeof *s->solid.row))
            s->solid.row_room = room;
        else
            status = no_memory(s, err);
    }
    if (status == SP_OK) {
        if (old_count > 0) memcpy(old, s->solid.row, old_count * sizeof *old);
        status = look_at_all(s, fresh, carry_rows(s, from, old, fresh), err);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

/// ---- What a tile's faces are -------------------------------------------------------------------

/// The tile's values one voxel up an axis; the last layer comes from `next`, or is `fill`.
static void raise(const float *self, const float *next, float fill, int axis, float *out)
{
    const int stride = axis == 0 ? 1 : axis == 1 ? 8 : 64;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const bool inside = (n / stride & 7) < 7;
        out[n] = inside ? self[n + stride] : next ? next[n - 7 * stride] : fill;
    }
}

static void fill(float *out, float value)
{
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        out[n] = value;
}

static uint32_t row_above(const liquid *s, uint32_t tile, int axis)
{
    static const int step[3] = {1, 3, 9};
    const uint32_t above = s->tiles.around[tile][SP_TILES_SELF + step[axis]];
    return above == SP_NO_TILE ? LIQUID_TILE_OPEN : s->solid.row[above];
}

bool liquid_open_shares(const liquid *s, uint32_t tile, int axis, float low[SP_TILE_VOXELS],
                        float high[SP_TILE_VOXELS])
{
    const uint32_t row = s->solid.row[tile], above = row_above(s, tile, axis);
    if (row == LIQUID_TILE_OPEN && above == LIQUID_TILE_OPEN) return false;
    if (is_row(row))
        memcpy(low, s->solid.tile[row].open[axis], SP_TILE_VOXELS * sizeof *low);
    else
        fill(low, row == LIQUID_TILE_OPEN ? 1.0f : 0.0f);
    raise(low, is_row(above) ? s->solid.tile[above].open[axis] : NULL,
          above == LIQUID_TILE_OPEN ? 1.0f : 0.0f, axis, high);
    return true;
}

bool liquid_solid_velocity(const liquid *s, uint32_t tile, int axis, float low[SP_TILE_VOXELS],
                           float high[SP_TILE_VOXELS])
{
    const uint32_t row = s->solid.row[tile], above = row_above(s, tile, axis);
    const sp_solid_tile *self = is_row(row) ? &s->solid.tile[row] : NULL,
                        *next = is_row(above) ? &s->solid.tile[above] : NULL;
    if (!(self && self->moves) && !(next && next->moves)) return false;
    if (self)
        memcpy(low, self->velocity[axis], SP_TILE_VOXELS * sizeof *low);
    else
        fill(low, 0.0f);
    raise(low, next ? next->velocity[axis] : NULL, 0.0f, axis, high);
    return true;
}

/// One rigid body leaves a voxel whose faces are open by w_f no more than |V| sum w_f: the sum over
/// its closed shares of s_f V is that over the open ones, for V has no divergence. Where two bodies
/// share a voxel (a blade and its hub, a ball that settles on the ground) faces of either side
/// belong to different ones, and what they push together can be V times a whole face though next to
/// nothing is open: water shot out there at 60 m/s. More than one body could push is therefore
/// taken off.
bool liquid_squeezed(const liquid *s, uint32_t tile, float excess[SP_TILE_VOXELS])
{
    float sum[SP_TILE_VOXELS] = {0}, open[SP_TILE_VOXELS] = {0}, most[SP_TILE_VOXELS] = {0};
    bool moves = false;
    for (int axis = 0; axis < 3; ++axis) {
        float w[2][SP_TILE_VOXELS], v[2][SP_TILE_VOXELS] = {{0}};
        if (!liquid_open_shares(s, tile, axis, w[0], w[1])) {
            fill(w[0], 1.0f);
            fill(w[1], 1.0f);
        }
        moves |= liquid_solid_velocity(s, tile, axis, v[0], v[1]);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            sum[n] += (1.0f - w[0][n]) * v[0][n] - (1.0f - w[1][n]) * v[1][n];
            open[n] += w[0][n] + w[1][n];
            most[n] = fmaxf(most[n], fmaxf(fabsf(v[0][n]), fabsf(v[1][n])));
        }
    }
    for (int n = 0; moves && n < SP_TILE_VOXELS; ++n) {
        const float bound = most[n] * open[n];
        excess[n] = sum[n] - fminf(fmaxf(sum[n], -bound), bound);
    }
    return moves;
}

double liquid_body_distance(const liquid *s, uint32_t tile, const float x[3], double normal[3],
                            int *who)
{
    const uint32_t row = s->solid.row[tile];
    if (!is_row(row)) return (double)INFINITY;
    const int place = (int)sp_tile_place((int32_t)x[0], (int32_t)x[1], (int32_t)x[2]);
    if (!liquid_mask_has(s->solid.way[row].bent, place)) return (double)INFINITY;
    double p[3];
    for (int a = 0; a < 3; ++a)
        p[a] = s->origin[a] +
               (double)s->voxel * (SP_TILE * (double)s->tiles.at[tile][a] + (double)x[a]);
    return sp_solids_distance(s->solids, p, normal, who);
}

float liquid_solid_depth(const sp_solid_tile *tile, int i, int j, int k, float normal[3])
{
    const float *c = tile->psi + i + 9 * j + 81 * k;
    const float v[8] = {c[0], c[1], c[9], c[10], c[81], c[82], c[90], c[91]};
    const float x = v[1] + v[3] + v[5] + v[7] - v[0] - v[2] - v[4] - v[6];
    const float y = v[2] + v[3] + v[6] + v[7] - v[0] - v[1] - v[4] - v[5];
    const float z = v[4] + v[5] + v[6] + v[7] - v[0] - v[1] - v[2] - v[3];
    const float length = sqrtf(x * x + y * y + z * z), scale = length > 0.0f ? 1.0f / length : 0.0f;
    normal[0] = x * scale;
    normal[1] = y * scale;
    normal[2] = z * scale;
    return 0.125f * (((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])));
}
