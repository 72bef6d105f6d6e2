// SPDX-License-Identifier: Apache-2.0
/// Extrapolates values into unknown voxels, one layer of voxels at a time:
///
///     v = mean of those of the six neighbours that were known before this layer
///
/// Masks mark known voxels, one word per plane of 64 voxels, so finding the voxels of a layer takes
/// a few shifts per tile. Only rows of 8 voxels with work to do are computed.
///
/// Values are written in place. No value of the current layer is used, because readers use the
/// masks of the layer before. But readers load whole rows, and must not load a row while another
/// thread writes it. So tiles are coloured and one colour is computed at a time; tiles that share a
/// face have different colours.
#include "tiles/internal.h"
#include "tiles/mac.h"

#include <string.h>

typedef float row __attribute__((vector_size(4 * SP_TILE)));
typedef int32_t row_flags __attribute__((vector_size(4 * SP_TILE)));

enum { MOST_COLOURS = 3, GRAIN = 16 };

typedef struct spreading {
    const sp_tiles *tiles;
    int parts; ///< number of fields, each with its own mask
    float *const *values;
    sp_tile_mask *const *known;
    size_t items;        ///< tiles with unknown voxels, grouped by colour
    uint32_t (*item)[2]; ///< part and tile
    sp_tile_mask *fresh; ///< per item: voxels of the current layer
    size_t first[MOST_COLOURS + 1];
    size_t begin; ///< first item of the current colour
} spreading;

/// Sides as in mac.h; NULL: no such tile.
enum { SELF = SP_TILE_ITSELF, SIDES = SP_TILE_SIDES };
typedef struct surroundings {
    const uint64_t *known[SIDES];
    const float *values[SIDES];
} surroundings;

static surroundings look_around(const spreading *s, size_t i)
{
    static const int offset[SIDES] = {-1, 1, -3, 3, -9, 9, 0};
    const uint32_t part = s->item[i][0], *around = s->tiles->around[s->item[i][1]];
    surroundings a = {0};
    for (int n = 0; n < SIDES; ++n) {
        const uint32_t there = around[SP_TILES_SELF + offset[n]];
        if (there == SP_NO_TILE) continue;
        a.known[n] = s->known[part][there];
        a.values[n] = s->values[part] + (size_t)there * SP_TILE_VOXELS;
    }
    return a;
}

/// ---- Voxels of the next layer ------------------------------------------------------------------

void sp_tile_mask_layer(const uint64_t *const masks[SP_TILE_SIDES], sp_tile_mask layer)
{
    static const sp_tile_mask nothing = {0};
    const uint64_t first = 0x0101010101010101u, last = first << 7; // of each row
    const uint64_t *known[SIDES];
    for (int n = 0; n < SIDES; ++n)
        known[n] = masks[n] ? masks[n] : nothing;
    const uint64_t *self = known[SELF];
    for (int k = 0; k < SP_TILE; ++k) {
        const uint64_t w = self[k];
        const uint64_t x = (w << 1 & ~first) | (known[0][k] >> 7 & first) | (w >> 1 & ~last) |
                           (known[1][k] << 7 & last);
        const uint64_t y = w << 8 | known[2][k] >> 56 | w >> 8 | known[3][k] << 56;
        const uint64_t z = (k > 0 ? self[k - 1] : known[4][SP_TILE - 1]) |
                           (k < SP_TILE - 1 ? self[k + 1] : known[5][0]);
        layer[k] = (x | y | z) & ~w;
    }
}

static void find_layer(void *arg, size_t begin, size_t end)
{
    const spreading *s = arg;
    for (size_t i = begin; i < end; ++i) {
        const surroundings a = look_around(s, i);
        sp_tile_mask_layer(a.known, s->fresh[i]);
    }
}

static void take_over(void *arg, size_t begin, size_t end)
{
    const spreading *s = arg;
    for (size_t i = begin; i < end; ++i)
        for (int k = 0; k < SP_TILE; ++k)
            s->known[s->item[i][0]][s->item[i][1]][k] |= s->fresh[i][k];
}

/// ---- Values of the layer -----------------------------------------------------------------------

SP_INLINE row_flags lanes_of(uint32_t bits)
{
    const row_flags bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (((int32_t)bits - (row_flags){0}) & bit) != 0;
}

SP_INLINE row load(const float *p)
{
    row v;
    memcpy(&v, p, sizeof v);
    return v;
}

SP_INLINE uint32_t row_bits(const uint64_t *known, int j, int k)
{
    return (uint32_t)(known[k] >> 8 * j) & 0xff;
}

/// The row shifted by one voxel up or down; `end` fills the free lane.
#if defined(__clang__) || __GNUC__ >= 12
SP_INLINE row shift_up(row v, float end)
{
    return __builtin_shufflevector(v, end - (row){0}, 8, 0, 1, 2, 3, 4, 5, 6);
}
SP_INLINE row shift_down(row v, float end)
{
    return __builtin_shufflevector(v, end - (row){0}, 1, 2, 3, 4, 5, 6, 7, 8);
}
#else
SP_INLINE row shift_up(row v, float end)
{
    return __builtin_shuffle(v, end - (row){0}, (row_flags){8, 0, 1, 2, 3, 4, 5, 6});
}
SP_INLINE row shift_down(row v, float end)
{
    return __builtin_shuffle(v, end - (row){0}, (row_flags){1, 2, 3, 4, 5, 6, 7, 8});
}
#endif

typedef struct mean {
    row sum;
    row_flags count;
} mean;

SP_INLINE void add(mean *m, row values, uint32_t known)
{
    const row_flags lanes = lanes_of(known);
    m->sum += (row)(lanes & (row_flags)values);
    m->count -= lanes; // a lane that is set is -1
}

/// Adds row (j, k) of a tile; rows -1 and 8 are in the tile `beside` it.
SP_INLINE void add_row(mean *m, const surroundings *a, int beside, int j, int k)
{
    const int from = (j & ~7) || (k & ~7) ? beside : SELF;
    if (!a->values[from]) return;
    const uint32_t known = row_bits(a->known[from], j & 7, k & 7);
    if (known) add(m, load(a->values[from] + 8 * (j & 7) + 64 * (k & 7)), known);
}

static void fill_row(const surroundings *a, uint32_t fresh, int j, int k, float *out)
{
    const size_t at = (size_t)(8 * j + 64 * k);
    const uint32_t self = row_bits(a->known[SELF], j, k);
    const uint32_t before = a->known[0] ? row_bits(a->known[0], j, k) >> 7 : 0;
    const uint32_t after = a->known[1] ? row_bits(a->known[1], j, k) << 7 & 0x80 : 0;
    const row here = load(a->values[SELF] + at);
    mean m = {0};
    add(&m, shift_up(here, before ? a->values[0][at + 7] : 0.0f), (self << 1 | before) & 0xff);
    add(&m, shift_down(here, after ? a->values[1][at] : 0.0f), self >> 1 | after);
    add_row(&m, a, 2, j - 1, k);
    add_row(&m, a, 3, j + 1, k);
    add_row(&m, a, 4, j, k - 1);
    add_row(&m, a, 5, j, k + 1);
    const row_flags lanes = lanes_of(fresh);
    const row share = m.sum / __builtin_convertvector(m.count - (m.count == 0), row);
    const row values = (row)((lanes & (row_flags)share) | (~lanes & (row_flags)here));
    memcpy(out + at, &values, sizeof values);
}

static void fill_layer(void *arg, size_t begin, size_t end)
{
    const spreading *s = arg;
    for (size_t i = s->begin + begin; i < s->begin + end; ++i) {
        if (!sp_tile_mask_any(s->fresh[i])) continue;
        const surroundings a = look_around(s, i);
        float *out = s->values[s->item[i][0]] + (size_t)s->item[i][1] * SP_TILE_VOXELS;
        for (int k = 0; k < SP_TILE; ++k)
            for (int j = 0; j < SP_TILE; ++j) {
                const uint32_t fresh = row_bits(s->fresh[i], j, k);
                if (fresh) fill_row(&a, fresh, j, k, out);
            }
    }
}

/// ---- Tiles to work on --------------------------------------------------------------------------

/// Two colours suffice, as on a chessboard. A period of an odd number of tiles needs three: the
/// last tile along that axis gets the third colour.
static int count_colours(const sp_tiles *tiles)
{
    bool odd = false;
    for (int a = 0; a < 3; ++a)
        odd |= tiles->period[a] % 2 == 1;
    return odd ? 3 : 2;
}

static int colour_of(const sp_tiles *tiles, size_t t, int colours)
{
    int sum = 0;
    for (int a = 0; a < 3; ++a) {
        const int32_t at = tiles->at[t][a], period = tiles->period[a];
        sum += period % 2 == 1 && at == period - 1 ? 2 : at & 1;
    }
    return sum % colours;
}

/// Counts the items (write false) or writes them.
static void list_items(spreading *s, int colours, bool write)
{
    size_t place[MOST_COLOURS] = {0};
    if (write) memcpy(place, s->first, sizeof place);
    for (int part = 0; part < s->parts; ++part)
        for (size_t t = 0; t < s->tiles->count; ++t) {
            if (sp_tile_mask_all(s->known[part][t])) continue;
            const size_t i = place[colour_of(s->tiles, t, colours)]++;
            if (!write) continue;
            s->item[i][0] = (uint32_t)part;
            s->item[i][1] = (uint32_t)t;
        }
    if (write) return;
    for (int c = 0; c < colours; ++c)
        s->first[c + 1] = s->first[c] + place[c];
    s->items = s->first[colours];
}

static void spread(spreading *s, int colours, int layers)
{
    const sp_host *host = s->tiles->host;
    list_items(s, colours, true);
    for (int layer = 0; layer < layers; ++layer) {
        sp_parallel(host, s->items, 4 * GRAIN, find_layer, s);
        for (int c = 0; c < colours; ++c) {
            s->begin = s->first[c];
            sp_parallel(host, s->first[c + 1] - s->begin, GRAIN, fill_layer, s);
        }
        sp_parallel(host, s->items, 4 * GRAIN, take_over, s);
    }
}

static sp_status extrapolate(spreading *s, int layers, sp_error *err)
{
    if (s->tiles->count == 0) return SP_OK;
    const sp_host *host = s->tiles->host;
    const int colours = count_colours(s->tiles);
    list_items(s, colours, false);
    if (s->items == 0) return SP_OK;
    s->item = sp_allocate(host, s->items, sizeof *s->item);
    s->fresh = sp_allocate(host, s->items, sizeof *s->fresh);
    const bool enough = s->item && s->fresh;
    if (enough) spread(s, colours, layers);
    sp_release(host, s->item);
    sp_release(host, s->fresh);
    return enough ? SP_OK
                  : sp_fail(err, SP_NO_MEMORY, "tiles: no memory to extrapolate in %zu tiles",
                            s->tiles->count);
}

sp_status sp_tiles_extrapolate(const sp_tiles *tiles, float *values, sp_tile_mask *known,
                               int layers, sp_error *err)
{
    spreading s = {.tiles = tiles, .parts = 1, .values = &values, .known = &known};
    return extrapolate(&s, layers, err);
}

sp_status sp_tiles_extrapolate_faces(const sp_tiles *tiles, float *const u[3],
                                     sp_tile_mask *const known[3], int layers, sp_error *err)
{
    spreading s = {.tiles = tiles, .parts = 3, .values = u, .known = known};
    return extrapolate(&s, layers, err);
}
