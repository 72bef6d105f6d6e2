// SPDX-License-Identifier: Apache-2.0
/// Connected pieces of the domain. First the connected parts inside each tile are found by flood
/// fill on bits, then parts of neighbouring tiles are united (union-find; the smaller number is the
/// root, so the result does not depend on the order).
///
/// A piece without any extra is singular: x is defined up to a constant, and b must have mean 0.
#include "poisson/internal.h"

#include <string.h>

/// ---- Inside a tile -----------------------------------------------------------------------------

#define LOW_COLUMN 0x0101010101010101u
#define LOW_ROW 0xffu

/// Voxels that are connected to the previous one along x, y and z, inside the tile.
typedef struct links {
    uint64_t x[8], y[8], z[8];
} links;

static void find_links(const poisson_level *l, size_t row, links *to)
{
    const float *x = l->face[0] + row * SP_TILE_VOXELS, *y = l->face[1] + row * SP_TILE_VOXELS,
                *z = l->face[2] + row * SP_TILE_VOXELS;
    for (int k = 0; k < 8; ++k) {
        uint64_t bits[3] = {0};
        for (int c = 0; c < 64; ++c) {
            bits[0] |= (uint64_t)(x[64 * k + c] > 0.0f) << c;
            bits[1] |= (uint64_t)(y[64 * k + c] > 0.0f) << c;
            bits[2] |= (uint64_t)(z[64 * k + c] > 0.0f) << c;
        }
        to->x[k] = bits[0] & ~LOW_COLUMN;
        to->y[k] = bits[1] & ~(uint64_t)LOW_ROW;
        to->z[k] = k ? bits[2] : 0;
    }
}

/// Grows a set along links inside a plane until it stops changing.
static uint64_t flood_plane(uint64_t set, uint64_t x, uint64_t y)
{
    for (uint64_t last = 0; last != set;) {
        last = set;
        set |= (set << 1 & x) | (set & x) >> 1;
        set |= (set << 8 & y) | (set & y) >> 8;
    }
    return set;
}

static void flood(const links *l, uint64_t set[8])
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int pass = 0; pass < 2; ++pass)
            for (int n = 0; n < 8; ++n) {
                const int k = pass ? 7 - n : n;
                uint64_t more = set[k];
                if (k > 0) more |= set[k - 1] & l->z[k];
                if (k < 7) more |= set[k + 1] & l->z[k + 1];
                if (more) more = flood_plane(more, l->x[k], l->y[k]);
                changed |= more != set[k];
                set[k] = more;
            }
    }
}

static bool has_extra(const float *extra, const uint64_t set[8])
{
    for (int c = 0; c < SP_TILE_VOXELS; ++c)
        if (extra[c] > 0.0f && set[c >> 6] >> (c & 63) & 1) return true;
    return false;
}

/// Removes the next connected part from the rest of a tile. False: nothing was left.
static bool next_part(const links *l, uint64_t left[8], uint64_t set[8])
{
    memset(set, 0, 8 * sizeof *set);
    int k = 0;
    while (k < 8 && !left[k])
        ++k;
    if (k == 8) return false;
    set[k] = left[k] & (~left[k] + 1);
    flood(l, set);
    for (k = 0; k < 8; ++k)
        left[k] &= ~set[k];
    return true;
}

static void count_parts(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t row = s->level[0].row[t];
        uint32_t parts = 1;
        if (row != SP_POISSON_FULL) {
            links l;
            uint64_t left[8], set[8];
            find_links(&s->level[0], row, &l);
            memcpy(left, s->active[row], sizeof left);
            for (parts = 0; next_part(&l, left, set);)
                ++parts;
        }
        s->pieces.node[t] = parts;
    }
}

static double count_bits(const uint64_t set[8])
{
    int bits = 0;
    for (int k = 0; k < 8; ++k)
        bits += __builtin_popcountll(set[k]);
    return bits;
}

/// Sizes of a tile's parts, and the part of each voxel; needs the number of the tile's first node.
static void label_parts(void *arg, size_t begin, size_t end)
{
    const sp_poisson *s = arg;
    const poisson_pieces *p = &s->pieces;
    for (size_t t = begin; t < end; ++t) {
        const uint32_t row = s->level[0].row[t];
        size_t node = p->node[t];
        if (row == SP_POISSON_FULL) {
            p->size[node] = SP_TILE_VOXELS;
            p->has_extra[node] = 0;
            continue;
        }
        links l;
        uint64_t left[8], set[8];
        find_links(&s->level[0], row, &l);
        memcpy(left, s->active[row], sizeof left);
        uint16_t *part = p->label[t] == UINT32_MAX ? NULL : p->part[p->label[t]];
        if (part) memset(part, 0xff, sizeof *p->part);
        for (uint16_t n = 0; next_part(&l, left, set); ++n, ++node) {
            p->size[node] = count_bits(set);
            p->has_extra[node] = has_extra(s->level[0].extra + (size_t)row * SP_TILE_VOXELS, set);
            for (int c = 0; part && c < SP_TILE_VOXELS; ++c)
                if (set[c >> 6] >> (c & 63) & 1) part[c] = n;
        }
    }
}

/// ---- Between tiles -----------------------------------------------------------------------------

static uint32_t node_of(const poisson_pieces *p, size_t tile, size_t place)
{
    return p->node[tile] + (p->label[tile] == UINT32_MAX ? 0 : p->part[p->label[tile]][place]);
}

/// Unites a tile's parts with those of its low neighbour along an axis.
static void unite_low_neighbour(const sp_poisson *s, size_t t, int axis)
{
    static const size_t stride[3] = {1, 8, 64}, across[3][2] = {{8, 64}, {1, 64}, {1, 8}};
    const poisson_level *l = &s->level[0];
    const poisson_pieces *p = &s->pieces;
    const size_t there = l->near[t][2 * axis];
    if (there == l->count) return;
    const bool simple = p->label[t] == UINT32_MAX && p->label[there] == UINT32_MAX;
    if (simple && l->row[t] == SP_POISSON_FULL) {
        sp_unite(p->piece, p->node[t], p->node[there]);
        return;
    }
    for (size_t v = 0; v < 8; ++v)
        for (size_t u = 0; u < 8; ++u) {
            const size_t place = u * across[axis][0] + v * across[axis][1];
            if (l->row[t] != SP_POISSON_FULL &&
                !(l->face[axis][(size_t)l->row[t] * SP_TILE_VOXELS + place] > 0.0f))
                continue;
            sp_unite(p->piece, node_of(p, t, place), node_of(p, there, place + 7 * stride[axis]));
            if (simple) return;
        }
}

/// Numbers pieces by their first nodes and collects their sizes and extras.
static void number_pieces(poisson_pieces *p)
{
    p->count = 0;
    for (size_t n = 0; n < p->nodes; ++n) {
        const uint32_t root = p->piece[n] == n ? (uint32_t)n : sp_root_of(p->piece, (uint32_t)n);
        p->sum[n] = (double)root; // roots are kept in `sum`: piece numbers overwrite them below
    }
    for (size_t n = 0; n < p->nodes; ++n) {
        const size_t root = (size_t)p->sum[n];
        const double size = p->size[n];
        const uint8_t extra = p->has_extra[n];
        p->piece[n] = root == n ? (uint32_t)p->count : p->piece[root];
        if (root == n) { // there are at most as many pieces as nodes so far
            p->size[p->count] = 0.0;
            p->has_extra[p->count] = 0;
            ++p->count;
        }
        p->size[p->piece[n]] += size;
        p->has_extra[p->piece[n]] |= extra;
    }
    p->singular = 0;
    for (size_t i = 0; i < p->count; ++i)
        p->singular += !p->has_extra[i];
}

/// Lists nodes piece by piece.
static void sort_nodes(poisson_pieces *p)
{
    uint32_t *end = p->first + 1; // counts, then the place of the next node of a piece
    memset(p->first, 0, (p->count + 2) * sizeof *p->first);
    for (size_t n = 0; n < p->nodes; ++n)
        ++end[p->piece[n]];
    sp_scan(end, p->count + 1);
    for (size_t n = 0; n < p->nodes; ++n)
        p->by_piece[end[p->piece[n]]++] = (uint32_t)n;
}

/// ---- All together ------------------------------------------------------------------------------

static bool reserve_nodes(sp_poisson *s, poisson_pieces *p, size_t labels)
{
    return poisson_reserve(s, &p->part, labels, sizeof *p->part) &&
           poisson_reserve(s, &p->piece, p->nodes, sizeof *p->piece) &&
           poisson_reserve(s, &p->has_extra, p->nodes, sizeof *p->has_extra) &&
           poisson_reserve(s, &p->mean, p->nodes, sizeof *p->mean) &&
           poisson_reserve(s, &p->residual_mean, p->nodes, sizeof *p->residual_mean) &&
           poisson_reserve(s, &p->size, p->nodes, sizeof *p->size) &&
           poisson_reserve(s, &p->sum, p->nodes, sizeof *p->sum) &&
           poisson_reserve(s, &p->first, p->nodes + 2, sizeof *p->first) &&
           poisson_reserve(s, &p->by_piece, p->nodes, sizeof *p->by_piece);
}

sp_status poisson_find_pieces(sp_poisson *s, sp_error *err)
{
    poisson_pieces *p = &s->pieces;
    const size_t tiles = s->level[0].count;
    if (!poisson_reserve(s, &p->node, tiles + 1, sizeof *p->node) ||
        !poisson_reserve(s, &p->label, tiles, sizeof *p->label))
        return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for the pieces of %zu tiles", tiles);
    sp_parallel(s->host, tiles, POISSON_GRAIN, count_parts, s);
    size_t labels = 0;
    for (size_t t = 0; t < tiles; ++t)
        p->label[t] = p->node[t] > 1 ? (uint32_t)labels++ : UINT32_MAX;
    p->node[tiles] = 0;
    p->nodes = sp_scan(p->node, tiles + 1);
    if (!reserve_nodes(s, p, labels))
        return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for %zu parts of tiles", p->nodes);
    sp_parallel(s->host, tiles, POISSON_GRAIN, label_parts, s);
    for (size_t n = 0; n < p->nodes; ++n)
        p->piece[n] = (uint32_t)n;
    for (size_t t = 0; t < tiles; ++t)
        for (int a = 0; a < 3; ++a)
            unite_low_neighbour(s, t, a);
    number_pieces(p);
    sort_nodes(p);
    return SP_OK;
}

/// ---- Means over singular pieces ----------------------------------------------------------------

bool poisson_touches_singular(const sp_poisson *s, size_t tile)
{
    const poisson_pieces *p = &s->pieces;
    for (size_t n = p->node[tile]; n < p->node[tile + 1]; ++n)
        if (!p->has_extra[p->piece[n]]) return true;
    return false;
}

bool sp_poisson_is_closed(const sp_poisson *s, size_t tile, int voxel)
{
    const uint32_t slot = tile < s->tiles ? s->slot[tile] : SP_NO_TILE;
    const uint32_t piece = slot == SP_NO_TILE ? UINT32_MAX : poisson_piece_of(s, slot, voxel);
    return piece != UINT32_MAX && !s->pieces.has_extra[piece];
}

void poisson_piece_means(const poisson_pieces *p, double *mean)
{
    for (size_t i = 0; i < p->count; ++i) {
        sp_exact_sum sum = {0};
        for (size_t k = p->first[i]; !p->has_extra[i] && k < p->first[i + 1]; ++k)
            sp_exact_add(&sum, p->sum[p->by_piece[k]]);
        mean[i] = p->has_extra[i] ? 0.0 : sp_exact_round(&sum) / p->size[i];
    }
}
