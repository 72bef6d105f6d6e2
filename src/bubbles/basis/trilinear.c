// SPDX-License-Identifier: Apache-2.0
/// The trilinear basis: a particle gives each of the eight faces around it (per axis) the weight of the
/// product of three tents one voxel wide, w = prod hat((x_q - x_face)/h).
///
/// Rasterising takes two passes over tiles, and neither writes to another tile:
///
/// 1  Each tile with particles sums them into a block of its own, one node wider than itself on every
///    side. The four values of a node lie side by side, so that a particle adds all of them at once.
/// 2  Each tile adds up its own block and then those of its 26 neighbours at its faces, in the order of
///    the table of neighbours.
///
/// So every sum has one order, whatever the threads.
#include "bubbles/internal.h"

enum { EDGE = SP_TILE + 2, LAYER = EDGE * EDGE, NODES = EDGE * EDGE * EDGE };

typedef float quad __attribute__((vector_size(4 * BUBBLES_QUAD)));
typedef struct raster_block { ///< for one axis
    _Alignas(64) quad node[NODES];
} raster_block;

/// ---- 1 A tile's own particles ------------------------------------------------------------------

typedef struct rasterising {
    const bubbles_particles *p;
    const sp_tiles *tiles;
    const bubbles_raster *raster;
    raster_block (*block)[3];
    uint32_t *block_of; ///< by tile; SP_NO_TILE: it has no particles
    uint8_t *reached;
} rasterising;

/// Where the values of a raster's axis come from; an absent one reads 0 again and again.
typedef struct value_source {
    const float *from[BUBBLES_QUAD];
    size_t step[BUBBLES_QUAD]; ///< ~0: by particle; 0: always the first
} value_source;

static value_source source_of(const bubbles_raster *raster, int axis)
{
    static const float none[1] = {0.0f};
    value_source s;
    for (int k = 0; k < BUBBLES_QUAD; ++k) {
        s.from[k] = raster->from[axis][k] ? raster->from[axis][k] : none;
        s.step[k] = raster->from[axis][k] ? ~(size_t)0 : 0;
    }
    return s;
}

/// Adds particles begin ... end - 1 to the nodes of an axis. A node sits at its index - 1 along the
/// axis, and at its index - 1/2 along the others.
SP_INLINE void fill_block(const bubbles_particles *p, const value_source *source, int axis,
                          size_t begin, size_t end, raster_block *block)
{
    memset(block, 0, sizeof *block);
    for (size_t i = begin; i < end; ++i) {
        int at[3];
        float f[3];
        for (int a = 0; a < 3; ++a) {
            const float place = p->x[a][i] + (a == axis ? 1.0f : 0.5f);
            at[a] = (int)place;
            f[a] = place - (float)at[a];
        }
        quad value;
        for (int k = 0; k < BUBBLES_QUAD; ++k)
            value[k] = source->from[k][i & source->step[k]];
        quad *node = block->node + at[0] + EDGE * at[1] + LAYER * at[2];
        for (int n = 0; n < 4; ++n) { // rows along x
            const float wy = n & 1 ? f[1] : 1.0f - f[1], wz = n & 2 ? f[2] : 1.0f - f[2];
            quad *row = node + EDGE * (n & 1) + LAYER * (n >> 1);
            const quad here = value * (wy * wz), high = here * f[0];
            row[0] += here - high;
            row[1] += high;
        }
    }
}

static void fill_blocks(void *arg, size_t begin, size_t end)
{
    const rasterising *r = arg;
    const value_source source[3] = {source_of(r->raster, 0), source_of(r->raster, 1),
                                    source_of(r->raster, 2)};
    for (size_t t = begin; t < end; ++t) {
        if (r->block_of[t] == SP_NO_TILE) continue;
        raster_block *block = r->block[r->block_of[t]];
        const size_t first = r->p->start[t], last = r->p->start[t + 1];
        fill_block(r->p, &source[0], 0, first, last, &block[0]);
        fill_block(r->p, &source[1], 1, first, last, &block[1]);
        fill_block(r->p, &source[2], 2, first, last, &block[2]);
    }
}

/// ---- 2 The blocks around a tile ----------------------------------------------------------------

/// Which nodes along an axis a neighbour at offset -1, 0, 1 shares with a tile: the neighbour before it
/// overlaps its first node with its own last, and so on.
typedef struct overlap {
    int mine, theirs, count;
} overlap;
static const overlap overlaps[3] = {{0, EDGE - 1, 1}, {0, 1, SP_TILE}, {SP_TILE - 1, 0, 1}};

static void add_overlap(const raster_block *block, int around, quad *restrict sum)
{
    const overlap x = overlaps[around % 3], y = overlaps[around / 3 % 3], z = overlaps[around / 9];
    for (int k = 0; k < z.count; ++k)
        for (int j = 0; j < y.count; ++j) {
            const quad *from =
                block->node + x.theirs + EDGE * (y.theirs + j) + LAYER * (z.theirs + k);
            quad *restrict to = sum + x.mine + SP_TILE * (y.mine + j + SP_TILE * (z.mine + k));
            for (int i = 0; i < x.count; ++i)
                to[i] += from[i];
        }
}

/// Starts the sums with the tile's own block, or with 0.
static void begin_sums(const raster_block *own, quad *sum)
{
    if (!own) memset(sum, 0, SP_TILE_VOXELS * sizeof *sum);
    for (int row = 0; own && row < SP_TILE * SP_TILE; ++row)
        memcpy(sum + SP_TILE * row,
               own->node + 1 + EDGE * (1 + row % SP_TILE) + LAYER * (1 + row / SP_TILE),
               SP_TILE * sizeof *sum);
}

/// Four nodes of four values to four values of four nodes.
SP_INLINE void turn(quad v[4])
{
#if defined(__clang__) || __GNUC__ >= 12
    const quad a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5),
               b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5),
               c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7),
               d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
#else
    for (int m = 0; m < 4; ++m)
        for (int l = 0; l < m; ++l) {
            const float lane = v[m][l];
            v[m][l] = v[l][m];
            v[l][m] = lane;
        }
#endif
}

/// Writes the sums to the fields, and says whether any of the first one is not 0.
static bool put_sums(const quad *restrict sum, float *const to[BUBBLES_QUAD], size_t first)
{
    quad most = {0};
    for (int n = 0; n < SP_TILE_VOXELS; n += 4) {
        quad v[4] = {sum[n], sum[n + 1], sum[n + 2], sum[n + 3]};
        turn(v);
        most += v[0] * v[0];
        for (int k = 0; k < BUBBLES_QUAD; ++k)
            if (to[k]) memcpy(to[k] + first + n, &v[k], sizeof v[k]);
    }
    return (most[0] + most[1]) + (most[2] + most[3]) > 0.0f;
}

static bool collect_axis(const rasterising *r, size_t t, int axis)
{
    _Alignas(64) quad sum[SP_TILE_VOXELS];
    const uint32_t *around = r->tiles->around[t], own = r->block_of[t];
    begin_sums(own == SP_NO_TILE ? NULL : &r->block[own][axis], sum);
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = around[n] == SP_NO_TILE ? SP_NO_TILE : r->block_of[around[n]];
        if (there != SP_NO_TILE && n != SP_TILES_SELF) add_overlap(&r->block[there][axis], n, sum);
    }
    return put_sums(sum, r->raster->to[axis], t * SP_TILE_VOXELS);
}

static bool has_block_around(const rasterising *r, size_t t)
{
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = r->tiles->around[t][n];
        if (there != SP_NO_TILE && r->block_of[there] != SP_NO_TILE) return true;
    }
    return false;
}

static void collect_tiles(void *arg, size_t begin, size_t end)
{
    const rasterising *r = arg;
    for (size_t t = begin; t < end; ++t) {
        bool any = false;
        if (has_block_around(r, t))
            for (int axis = 0; axis < 3; ++axis)
                any |= collect_axis(r, t, axis);
        if (r->reached) r->reached[t] = any;
    }
}

static sp_status rasterise(bubbles *s, const bubbles_raster *raster, uint8_t *reached,
                           sp_error *err)
{
    const sp_tiles *tiles = &s->grid.tiles;
    const bubbles_particles *p = &s->particles;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    rasterising r = {.p = p, .tiles = tiles, .raster = raster, .reached = reached};
    uint32_t blocks = 0;
    r.block_of = sp_scratch_array(&s->scratch, uint32_t, tiles->count);
    for (size_t t = 0; r.block_of && t < tiles->count; ++t)
        r.block_of[t] = p->start[t + 1] > p->start[t] ? blocks++ : SP_NO_TILE;
    r.block = r.block_of ? sp_scratch_take(&s->scratch, blocks + 1, sizeof *r.block) : NULL;
    if (r.block) {
        sp_tiles_parallel(tiles, fill_blocks, &r);
        sp_tiles_parallel(tiles, collect_tiles, &r);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return r.block ? SP_OK
                   : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to rasterise %zu particles",
                             p->set.count);
}

/// ---- Interpolation -----------------------------------------------------------------------------

typedef struct interpolating {
    const bubbles_particles *p;
    const sp_tiles *tiles;
    float *const *field;
    float *const *out;
} interpolating;

/// Stores the first n lanes.
SP_INLINE void store_some(float *p, sp_part v, size_t n)
{
    if (n >= SP_PART)
        sp_part_store(p, v);
    else
        memcpy(p, &v, n * sizeof *p);
}

/// Lanes beyond the last particle of a tile may hold anything.
SP_INLINE sp_part load_place(const float *x)
{
    return sp_part_min(sp_part_max(sp_part_load(x), sp_part_all(0.0f)), sp_part_all(SP_POINT_LAST));
}

SP_INLINE void interpolate_axis(const interpolating *n, uint32_t t, int axis)
{
    const bubbles_particles *p = n->p;
    const float off[3] = {axis == 0 ? 1.0f : 0.5f, axis == 1 ? 1.0f : 0.5f,
                          axis == 2 ? 1.0f : 0.5f};
    float block[SP_TILE_BLOCK], *out = n->out[axis];
    sp_tiles_block(n->tiles, n->field[axis], t, 0.0f, block);
    const size_t end = p->start[t + 1];
    for (size_t i = p->start[t]; i < end; i += SP_PART) {
        const sp_patch_spot spot =
            sp_patch_find(EDGE, LAYER, load_place(p->x[0] + i) + off[0],
                          load_place(p->x[1] + i) + off[1], load_place(p->x[2] + i) + off[2]);
        store_some(out + i, sp_patch_sample(block, EDGE, LAYER, spot), end - i);
    }
}

static void interpolate_tiles(void *arg, size_t begin, size_t end)
{
    const interpolating *n = arg;
    for (size_t t = begin; t < end; ++t) {
        if (n->p->start[t + 1] == n->p->start[t]) continue;
        for (int axis = 0; axis < 3; ++axis)
            interpolate_axis(n, (uint32_t)t, axis);
    }
}

static sp_status interpolate(bubbles *s, float *const field[3], float *const out[3], sp_error *err)
{
    (void)err;
    interpolating n = {&s->particles, &s->grid.tiles, field, out};
    sp_tiles_parallel(&s->grid.tiles, interpolate_tiles, &n);
    return SP_OK;
}

const bubbles_basis bubbles_trilinear = {
    .rasterise = rasterise,
    .interpolate = interpolate,
    .reach = 1.0f,
};
