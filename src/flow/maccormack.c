// SPDX-License-Identifier: Apache-2.0
/// MacCormack advection (Selle et al. 2008). Let A(q) be the value at the departure point (tracing
/// back by dt) and A'(q) the value at the arrival point (tracing forward),
///
///     q^  = A(q)                            forward
///     q~  = A'(q^)                          and back; equals q if there is no error
///     q'  = q^ + (q - q~)/2                 half of the error is added back,
///
/// clamped to the range of the eight values around the departure point of q^. Tracing uses the
/// midpoint rule (second order). If one of these eight is unknown, q' = q^; if all are, the value
/// is unchanged.
///
/// Two passes over tiles. A tile and its halo, as wide as its displacements, are copied to patches;
/// then one register of voxels is computed at a time. All four fields are advected together, since
/// all need the patches of u. The first pass hands the second q^ and, in 16 bits, the index of the
/// departure point in the patch. Rows that were not selected are skipped; the first pass also
/// computes those that selected rows can reach.
#include "flow/trace.h"

#include <string.h>

enum { FIELDS = SP_FLOW_PLACES }; ///< as in trace.h: 0, 1, 2 on faces, 3 at cells

/// Largest displacement, voxels: the widest halo less half a voxel and one corner.
static const float farthest = 7.49f;
/// Marks unknown values, and a limit above which a value is a mixture with `unknown`.
static const float unknown = 1e30f, suspicious = 1e20f;

/// Properties of a tile.
typedef struct tile_info {
    float speed[3]; ///< largest |u| along each axis, voxels in dt
    float reach[3]; ///< largest `speed` of the tile and its neighbours, up to `farthest`
    uint8_t full;   ///< bit a: all faces of axis a are known
    uint8_t some;   ///< bit a: some faces of axis a are known
    int8_t flat;    ///< the cell field is -band (-1) or +band (1) everywhere
} tile_info;

typedef struct carrying {
    const sp_flow_advection *a;
    uint64_t *wide; ///< rows that the first pass computes
    tile_info *info;
    tile_info none;         ///< for tiles that do not exist
    float per_step;         ///< dt/voxel
    const float *q[FIELDS]; ///< NULL: not advected
    float *out[FIELDS];
    float *forward[FIELDS]; ///< q^
    uint16_t *from[FIELDS]; ///< per value: first of the eight values around it in the patch
} carrying;

/// ---- Properties of tiles -----------------------------------------------------------------------

static float largest(const float *v)
{
    float most = 0.0f;
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        const float size = fabsf(v[i]);
        most = size > most ? size : most;
    }
    return most;
}

static int8_t flatness(const float *phi, float band)
{
    float least = phi[0], most = phi[0];
    for (int i = 0; i < SP_TILE_VOXELS; ++i) {
        least = phi[i] < least ? phi[i] : least;
        most = phi[i] > most ? phi[i] : most;
    }
    return most <= -band ? -1 : least >= band ? 1 : 0;
}

static void find_tile_info(void *arg, size_t begin, size_t end)
{
    const carrying *c = arg;
    const sp_flow_advection *s = c->a;
    for (size_t t = begin; t < end; ++t) {
        tile_info n = {.flat = s->cells ? flatness(s->cells + t * SP_TILE_VOXELS, s->band) : 0};
        for (int a = 0; a < 3; ++a) {
            n.speed[a] = c->per_step * largest(s->u[a] + t * SP_TILE_VOXELS);
            uint64_t all = ~(uint64_t)0, any = 0;
            for (int k = 0; k < SP_TILE; ++k) {
                all &= s->known[a][t][k];
                any |= s->known[a][t][k];
            }
            n.full |= (uint8_t)((all == ~(uint64_t)0) << a);
            n.some |= (uint8_t)((any != 0) << a);
        }
        c->info[t] = n;
    }
}

static void find_reach(void *arg, size_t begin, size_t end)
{
    const carrying *c = arg;
    for (size_t t = begin; t < end; ++t) {
        float reach[3] = {0};
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            const uint32_t there = c->a->tiles->around[t][n];
            const float *speed = there == SP_NO_TILE ? c->none.speed : c->info[there].speed;
            for (int a = 0; a < 3; ++a)
                reach[a] = speed[a] > reach[a] ? speed[a] : reach[a];
        }
        for (int a = 0; a < 3; ++a)
            c->info[t].reach[a] = reach[a] < farthest ? reach[a] : farthest;
    }
}

static float longest(const float reach[3])
{
    const float most = reach[0] > reach[1] ? reach[0] : reach[1];
    return most > reach[2] ? most : reach[2];
}

/// Properties of a tile and its neighbours together.
typedef struct neighbourhood_info {
    float reach;        ///< along any axis
    uint8_t full;       ///< bit a: all faces of axis a are known
    bool still[FIELDS]; ///< the field does not change here
} neighbourhood_info;

static neighbourhood_info find_neighbourhood_info(const carrying *c, size_t t)
{
    neighbourhood_info o = {.full = 7, .reach = longest(c->info[t].reach)};
    uint8_t some = 0;
    bool flat = c->info[t].flat != 0;
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = c->a->tiles->around[t][n];
        const tile_info *at = there == SP_NO_TILE ? &c->none : &c->info[there];
        o.full &= at->full;
        some |= at->some;
        flat &= at->flat == c->info[t].flat;
    }
    for (int f = 0; f < FIELDS; ++f)
        o.still[f] = o.reach == 0.0f || (f == CELLS ? flat : !(some >> f & 1));
    return o;
}

/// ---- Rows --------------------------------------------------------------------------------------

/// Registers hold up to two rows, so rows are computed in pairs on every machine.
static uint64_t in_pairs(uint64_t rows)
{
    const uint64_t even = 0x5555555555555555u;
    return rows | (rows & even) << 1 | (rows >> 1 & even);
}

static uint64_t asked_rows(const carrying *c, size_t t)
{
    return c->a->rows ? in_pairs(c->a->rows[t]) : ~(uint64_t)0;
}

/// Whether the register that begins at voxel i is in a set of rows.
SP_INLINE bool is_among(uint64_t rows, int i)
{
    return rows >> i / SP_TILE & 1;
}

/// Rows of a tile within so many rows along y and z of selected rows.
static uint64_t rows_within(const carrying *c, size_t t, int reach_y, int reach_z)
{
    uint32_t plane[3 * SP_TILE] = {0}; // 24 rows in each of 24 planes; the tile's are in the middle
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = c->a->tiles->around[t][n];
        const uint64_t rows = there == SP_NO_TILE ? 0 : asked_rows(c, there);
        for (int k = 0; rows && k < SP_TILE; ++k)
            plane[n / 9 * SP_TILE + k] |= (uint32_t)(rows >> 8 * k & 0xff) << n / 3 % 3 * SP_TILE;
    }
    for (int k = 0; k < 3 * SP_TILE; ++k)
        for (int step = 0; step < reach_y; ++step)
            plane[k] |= plane[k] << 1 | plane[k] >> 1;
    uint64_t near = 0;
    for (int k = 0; k < SP_TILE; ++k)
        for (int from = k + SP_TILE - reach_z; from <= k + SP_TILE + reach_z; ++from)
            near |= (uint64_t)(plane[from] >> SP_TILE & 0xff) << 8 * k;
    return in_pairs(near);
}

static void widen_rows(void *arg, size_t begin, size_t end)
{
    const carrying *c = arg;
    for (size_t t = begin; t < end; ++t) {
        float reach[3] = {0}; // largest reach of neighbours with selected rows
        bool any = false;
        for (int n = 0; c->a->rows && n < SP_TILES_AROUND; ++n) {
            const uint32_t there = c->a->tiles->around[t][n];
            if (there == SP_NO_TILE || !c->a->rows[there]) continue;
            any = true;
            for (int a = 1; a < 3; ++a)
                if (c->info[there].reach[a] > reach[a]) reach[a] = c->info[there].reach[a];
        }
        c->wide[t] = !c->a->rows ? ~(uint64_t)0
                     : any       ? rows_within(c, t, (int)reach[1] + 1, (int)reach[2] + 1)
                                 : 0;
    }
}

static void copy_rows(float *to, const float *from, uint64_t rows)
{
    for (int i = 0; i < SP_TILE_VOXELS; i += 2 * SP_TILE)
        if (is_among(rows, i)) memcpy(to + i, from + i, 2 * SP_TILE * sizeof *to);
}

/// ---- Patches -----------------------------------------------------------------------------------

typedef struct patches {
    float u[3][SP_PATCH_MOST];
    float q[SP_PATCH_MOST];       ///< advected field, if it is not u itself
    float bound[SP_PATCH_MOST];   ///< the same with unknown values marked
    float forward[SP_PATCH_MOST]; ///< q^
} patches;

/// Samples values outside the tiles into row (j, k) of a patch of tile t; the row begins at
/// `first`.
static void sample_row(const carrying *c, size_t t, int j, int k, const trace_patch *w,
                       bool carrier, bool end, float *first)
{
    const sp_flow_sampler *outside = c->a->outside;
    const int32_t *at = c->a->tiles->at[t];
    const uint32_t *around = c->a->tiles->around[t] + 3 * ((j >> 3) + 1) + 9 * ((k >> 3) + 1);
    for (int n = 0; n < 3; ++n) {
        const int pad = w->box.pad[0];
        const int begin = n == 0 ? -pad : 8 * (n - 1), count = n == 1 ? SP_TILE : pad;
        const int32_t voxel[3] = {8 * at[0] + begin, 8 * at[1] + j, 8 * at[2] + k};
        if (around[n] == SP_NO_TILE)
            outside->row(outside->arg, w->place, carrier, end, voxel, count, first + pad + begin);
    }
}

/// A patch of a field around tile t. Values outside the tiles are `background`, or sampled.
static void load_patch(const carrying *c, size_t t, const float *values, const trace_patch *w,
                       bool carrier, bool end, float background, float *patch)
{
    const sp_patch_box *box = &w->box;
    sp_tiles_patch_box(c->a->tiles, values, (uint32_t)t, box, background, patch);
    if (!c->a->outside) return;
    for (int k = 0; k < sp_patch_edge(box->pad[2]); ++k)
        for (int j = 0; j < sp_patch_edge(box->pad[1]); ++j)
            sample_row(c, t, j - box->pad[1], k - box->pad[2], w, carrier, end,
                       patch + box->row * j + box->layer * k);
}

/// Half a voxel of staggering, and the corner beyond.
static int pad_of(float reach)
{
    return (int)(reach + 0.5f) + 1;
}

static trace_patch load_velocity_patches(const carrying *c, size_t t, const neighbourhood_info *o,
                                         patches *p)
{
    trace_patch w = {.per_step = c->per_step, .reach = o->reach};
    const float *reach = c->info[t].reach;
    w.pad = pad_of(o->reach);
    w.box = sp_patch_box_of(pad_of(reach[0]), pad_of(reach[1]), pad_of(reach[2]));
    w.edge = w.box.row;
    w.stride[0] = 1;
    w.stride[1] = w.box.row;
    w.stride[2] = w.box.layer;
    w.shift = w.pad * (1 + w.box.row + w.box.layer) - w.box.first;
    for (w.place = 0; w.place < 3; ++w.place) {
        load_patch(c, t, c->a->u[w.place], &w, true, false, 0.0f, p->u[w.place]);
        w.u[w.place] = p->u[w.place];
    }
    return w;
}

/// The patch of the advected field at w->place; the patch of u if the field is u.
static const float *carried_patch(const carrying *c, size_t t, const trace_patch *w, patches *p)
{
    const int f = w->place;
    if (f != CELLS && c->q[f] == c->a->u[f] && !c->a->outside) return p->u[f];
    load_patch(c, t, c->q[f], w, false, false, f == CELLS ? c->a->band : 0.0f, p->q);
    return p->q;
}

/// Marks the unknown values of row (j, k) of a patch; the row begins at `first`. `sampled`: values
/// outside the tiles are known.
static void mark_row(const sp_tile_mask *known, const uint32_t *around, int j, int k, int pad,
                     bool sampled, float *first)
{
    around += 3 * ((j >> 3) + 1) + 9 * ((k >> 3) + 1);
    for (int n = 0; n < 3; ++n) {
        uint32_t left = n == 0 ? 0xffu << (8 - pad) & 0xff : n == 1 ? 0xffu : 0xffu >> (8 - pad);
        if (around[n] != SP_NO_TILE)
            left &= ~(uint32_t)(known[around[n]][k & 7] >> 8 * (j & 7));
        else if (sampled)
            left = 0;
        float *out = first + pad + 8 * (n - 1);
        for (; left; left &= left - 1)
            out[__builtin_ctz(left)] = unknown;
    }
}

/// The values that bound q': those of the patch `q`, with unknown ones marked.
static const float *bounds_of(const carrying *c, size_t t, const trace_patch *w,
                              const neighbourhood_info *o, const float *q, patches *p)
{
    if (w->place == CELLS || o->full >> w->place & 1) return q;
    const sp_patch_box *box = &w->box;
    const int *pad = box->pad;
    memcpy(p->bound, q, box->count * sizeof *p->bound);
    for (int k = 0; k < sp_patch_edge(pad[2]); ++k)
        for (int j = 0; j < sp_patch_edge(pad[1]); ++j)
            mark_row(c->a->known[w->place], c->a->tiles->around[t], j - pad[1], k - pad[2], pad[0],
                     c->a->outside != NULL, p->bound + box->row * j + box->layer * k);
    return p->bound;
}

/// ---- Forward -----------------------------------------------------------------------------------

typedef uint16_t short_places __attribute__((vector_size(2 * SP_PART)));

static void carry_tile(const carrying *c, size_t t, const trace_patch *w, const float *q,
                       const float *bound)
{
    float *forward = c->forward[w->place] + t * SP_TILE_VOXELS;
    uint16_t *places = c->from[w->place] + t * SP_TILE_VOXELS;
    for (int i = 0; i < SP_TILE_VOXELS; i += SP_PART) {
        if (!is_among(c->wide[t], i)) continue;
        sp_part g[3];
        const int at = locate(w, i, g);
        const displacement from = trace(w, at, g, -1.0f);
        sp_part value = value_at(q, w, at, &from);
        if (bound != q) {
            sp_part low, high;
            const sp_patch_corners corners =
                sp_patch_around(bound, w->edge, w->stride[2], from.end.at);
            range_of(&corners, &low, &high);
            value = sp_part_select(low < suspicious, value, sp_patch_rows(q + at, w->edge));
        }
        const short_places place = __builtin_convertvector(from.end.at, short_places);
        memcpy(places + i, &place, sizeof place);
        sp_part_store(forward + i, value);
    }
}

static void forward_tiles(void *arg, size_t begin, size_t end)
{
    const carrying *c = arg;
    patches p;
    for (size_t t = begin; t < end; ++t) {
        if (!c->wide[t]) continue;
        const neighbourhood_info o = find_neighbourhood_info(c, t);
        trace_patch w = {0};
        for (int f = 0; f < FIELDS; ++f) {
            if (!c->q[f]) continue;
            if (o.still[f]) {
                copy_rows(c->forward[f] + t * SP_TILE_VOXELS, c->q[f] + t * SP_TILE_VOXELS,
                          c->wide[t]);
                continue;
            }
            if (!w.edge) w = load_velocity_patches(c, t, &o, &p);
            w.place = f;
            const float *q = carried_patch(c, t, &w, &p);
            carry_tile(c, t, &w, q, bounds_of(c, t, &w, &o, q, &p));
        }
    }
}

/// ---- Back and correct --------------------------------------------------------------------------

static void correct_tile(const carrying *c, size_t t, const trace_patch *w, const float *bound,
                         const float *forward)
{
    const size_t tile = t * SP_TILE_VOXELS;
    const uint64_t rows = asked_rows(c, t);
    const int f = w->place;
    for (int i = 0; i < SP_TILE_VOXELS; i += SP_PART) {
        if (!is_among(rows, i)) continue;
        sp_part g[3], low, high;
        const int at = locate(w, i, g);
        const displacement to = trace(w, at, g, 1.0f);
        const sp_part back = value_at(forward, w, at, &to);
        short_places place;
        memcpy(&place, c->from[f] + tile + i, sizeof place);
        const sp_patch_corners corners =
            sp_patch_around(bound, w->edge, w->stride[2], __builtin_convertvector(place, sp_flags));
        range_of(&corners, &low, &high);
        const sp_part ahead = sp_part_load(c->forward[f] + tile + i);
        const sp_part better = ahead + 0.5f * (sp_part_load(c->q[f] + tile + i) - back);
        const sp_part kept = sp_part_min(sp_part_max(better, low), high);
        const sp_flags sure = (high < suspicious) & (back < suspicious);
        sp_part_store(c->out[f] + tile + i, sp_part_select(sure, kept, ahead));
    }
}

static void correct_tiles(void *arg, size_t begin, size_t end)
{
    const carrying *c = arg;
    patches p;
    for (size_t t = begin; t < end; ++t) {
        if (!asked_rows(c, t)) continue;
        const neighbourhood_info o = find_neighbourhood_info(c, t);
        trace_patch w = {0};
        for (int f = 0; f < FIELDS; ++f) {
            if (!c->q[f]) continue;
            if (o.still[f]) {
                copy_rows(c->out[f] + t * SP_TILE_VOXELS, c->q[f] + t * SP_TILE_VOXELS,
                          asked_rows(c, t));
                continue;
            }
            if (!w.edge) w = load_velocity_patches(c, t, &o, &p);
            w.place = f;
            load_patch(c, t, c->forward[f], &w, false, true, f == CELLS ? c->a->band : unknown,
                       p.forward);
            const float *q = carried_patch(c, t, &w, &p);
            correct_tile(c, t, &w, bounds_of(c, t, &w, &o, q, &p), p.forward);
        }
    }
}

/// Selects the fields to advect and allocates memory for them; false when memory is short.
static bool prepare(carrying *c, float *const faces[3], float *cells, sp_scratch *scratch)
{
    const size_t tiles = c->a->tiles->count, voxels = tiles * SP_TILE_VOXELS;
    c->info = sp_scratch_array(scratch, tile_info, tiles);
    c->wide = sp_scratch_array(scratch, uint64_t, tiles);
    bool enough = c->info && c->wide;
    for (int f = 0; f < FIELDS; ++f) {
        c->out[f] = f == CELLS ? cells : faces ? faces[f] : NULL;
        if (!c->out[f]) continue;
        c->q[f] = f == CELLS ? c->a->cells : c->a->faces[f];
        c->forward[f] = sp_scratch_array(scratch, float, voxels);
        c->from[f] = sp_scratch_array(scratch, uint16_t, voxels);
        enough &= c->forward[f] && c->from[f];
    }
    return enough;
}

sp_status sp_flow_advect(const sp_flow_advection *a, double dt, float *const faces[3], float *cells,
                         sp_scratch *scratch, sp_error *err)
{
    const size_t tiles = a->tiles->count;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    carrying c = {.a = a, .per_step = (float)(dt / (double)a->tiles->voxel)};
    const float fastest = a->outside ? c.per_step * a->outside->fastest : 0.0f;
    c.none = a->outside ? (tile_info){.speed = {fastest, fastest, fastest}, .full = 7, .some = 7}
                        : (tile_info){.flat = 1};
    const bool enough = prepare(&c, faces, cells, scratch);
    if (enough && tiles) {
        sp_tiles_parallel(a->tiles, find_tile_info, &c);
        sp_tiles_parallel(a->tiles, find_reach, &c);
        sp_tiles_parallel(a->tiles, widen_rows, &c);
        sp_parallel(a->tiles->host, tiles, 4, forward_tiles, &c);
        sp_parallel(a->tiles->host, tiles, 4, correct_tiles, &c);
    }
    sp_scratch_rewind(scratch, mark);
    return enough
               ? SP_OK
               : sp_fail(err, SP_NO_MEMORY, "flow: no memory to advect fields on %zu tiles", tiles);
}
