// SPDX-License-Identifier: Apache-2.0
/// Velocities of particles on the faces of the grid (L1): with N the product of three tents of one
/// voxel's half-width,
///
///     m_f = sum N(x_f - x_p),     u_f = sum N(x_f - x_p) (v_p + C_p (x_f - x_p)) / m_f,
///
/// each component on its own faces, C for APIC only (Jiang et al. 2015). Two passes over tiles, and
/// neither adds anything to what belongs to another tile:
///
/// 1  Each tile sums its own particles into a block of its own, one node wider than itself.
/// 2  Each tile adds up what the blocks of its neighbours and its own say of its faces, in the order
///    of the table of neighbours, and divides.
///
/// Whatever lies in one voxel reaches the same 2x3x3 faces of a component: along the component's axis
/// the two that bound the voxel, along the others those of the voxel and of both its neighbours.
///
///     along its axis    |   f   |     1-f, f                  (| faces, f = place within the voxel)
///     along another   . | . f . | .   max(1/2-f,0), 1-|f-1/2|, max(f-1/2,0)      (. faces' centres)
///
/// So sixteen voxels, two rows, are summed at once, a lane each: the n-th particles of all of them
/// in one go, with no sum across lanes. That is the same for any width of registers.
#include "liquid/voxels.h"

enum { EDGE = SP_TILE + 2, NODES = 18, GROUPS = SP_TILE_VOXELS / SP_LANES };
/// Weights and weighted velocities.
enum { WEIGHT, VALUE, SUMS };

/// What a tile's particles give to a component's faces, from one before its first voxel to one
/// beyond its last: (i+1) + 10*(j+1) + 100*(k+1).
typedef struct splat_block {
    float sum[3][SUMS][SP_TILE_BLOCK];
} splat_block;

/// What the particles of sixteen voxels give to the faces around: lanes are voxels.
typedef struct group_sums {
    _Alignas(64) float sum[3][NODES][SUMS][SP_LANES];
} group_sums;

typedef struct splatting {
    liquid *s;
    splat_block *block;
    uint32_t *block_of; ///< by tile; SP_NO_TILE: it has no particles
} splatting;

/// ---- 1 A tile's own particles ------------------------------------------------------------------

/// Weights along one axis, and how far the faces are, in voxels.
typedef struct tents {
    sp_part weight[2][3], far[2][3]; ///< [0]: the component's axis (two faces), [1]: others
} tents;

SP_INLINE tents tents_at(sp_part x)
{
    const sp_part f = x - __builtin_convertvector(__builtin_convertvector(x, sp_flags), sp_part);
    const sp_part zero = {0}, side = f - 0.5f;
    const sp_part low = sp_part_max(-side, zero), high = sp_part_max(side, zero);
    return (tents){{{1.0f - f, f}, {low, 1.0f - (low + high), high}},
                   {{-f, 1.0f - f}, {-0.5f - f, -side, 1.5f - f}}};
}

/// Adds a register of particles to a component's sums. `axis` has the tents, v the velocities and c
/// (affine only) their derivatives along the three axes, times a voxel.
SP_INLINE void add_component(int a, bool affine, const tents axis[3], sp_part v, const sp_part c[3],
                             float *sum)
{
    const sp_part *wx = axis[0].weight[a != 0], *wy = axis[1].weight[a != 1];
    const sp_part *wz = axis[2].weight[a != 2];
    const int nx = a == 0 ? 2 : 3, ny = a == 1 ? 2 : 3, nz = a == 2 ? 2 : 3;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                float *weight = sum + SUMS * SP_LANES * (i + nx * (j + ny * k));
                const sp_part w = wx[i] * (wy[j] * wz[k]);
                sp_part u = v;
                if (affine)
                    u += c[0] * axis[0].far[a != 0][i] +
                         (c[1] * axis[1].far[a != 1][j] + c[2] * axis[2].far[a != 2][k]);
                sp_part_store(weight, sp_part_load(weight) + w);
                sp_part_store(weight + SP_LANES, sp_part_load(weight + SP_LANES) + w * u);
            }
}

/// Adds the particle at base + at[l] to the voxel of lane l, where `there` is set.
SP_INLINE void add_particles(const liquid *s, bool affine, size_t base, sp_flags at, sp_flags there,
                             group_sums *g, int lane)
{
    const liquid_particles *p = &s->particles;
    tents axis[3];
    for (int a = 0; a < 3; ++a)
        axis[a] = tents_at(sp_patch_take(p->x[a] + base, at));
    for (int i = 0; i < 2; ++i)
        for (int n = 0; n < 3; ++n) // each weight has one of these as a factor
            axis[2].weight[i][n] = sp_part_keep(there, axis[2].weight[i][n]);
    for (int a = 0; a < 3; ++a) {
        sp_part c[3] = {{0}};
        if (affine)
            for (int b = 0; b < 3; ++b)
                c[b] = s->voxel * sp_patch_take(p->c[3 * a + b] + base, at);
        const sp_part v = sp_patch_take(p->v[a] + base, at);
        add_component(a, affine, axis, v, c, g->sum[a][0][WEIGHT] + lane);
    }
}

/// Sums over the particles of voxels v ... v + 15.
SP_INLINE void sum_group(const liquid *s, bool affine, const uint32_t *first, uint32_t base,
                         group_sums *g)
{
    memset(g, 0, sizeof *g);
    for (int lane = 0; lane < SP_LANES; lane += SP_PART) {
        sp_flags at, count;
        int32_t most = 0;
        for (int l = 0; l < SP_PART; ++l) {
            at[l] = (int32_t)(first[lane + l] - base);
            count[l] = (int32_t)(first[lane + l + 1] - first[lane + l]);
            most = count[l] > most ? count[l] : most;
        }
        for (int32_t n = 0; n < most; ++n) {
            const sp_flags there = count > n;
            add_particles(s, affine, base, (at + n) & there, there, g, lane);
        }
    }
}

/// Adds a row of eight voxels' sums to the block.
static void put_row(splat_block *block, const group_sums *g, int half, int j, int k)
{
    for (int a = 0; a < 3; ++a) {
        const int nx = a == 0 ? 2 : 3, ny = a == 1 ? 2 : 3;
        const int corner = (a == 0) + EDGE * (j + (a == 1)) + EDGE * EDGE * (k + (a == 2));
        for (int n = 0; n < NODES; ++n) {
            const int to = corner + n % nx + EDGE * (n / nx % ny) + EDGE * EDGE * (n / (nx * ny));
            for (int sum = 0; sum < SUMS; ++sum)
                for (int l = 0; l < SP_TILE; ++l)
                    block->sum[a][sum][to + l] += g->sum[a][n][sum][half * SP_TILE + l];
        }
    }
}

SP_INLINE void fill_block(const liquid *s, bool affine, size_t tile, splat_block *block)
{
    liquid_voxels first;
    group_sums g;
    liquid_voxels_of(&s->particles, tile, first);
    memset(block, 0, sizeof *block);
    for (int group = 0; group < GROUPS; ++group) {
        const uint32_t *here = first + group * SP_LANES;
        if (here[SP_LANES] == here[0]) continue;
        sum_group(s, affine, here, first[0], &g);
        for (int half = 0; half < 2; ++half)
            if (here[SP_TILE * half + SP_TILE] > here[SP_TILE * half])
                put_row(block, &g, half, group % 4 * 2 + half, group / 4);
    }
}

static void fill_blocks(void *arg, size_t begin, size_t end)
{
    const splatting *g = arg;
    const bool affine = g->s->particles.c[0] != NULL;
    for (size_t t = begin; t < end; ++t) {
        if (g->block_of[t] == SP_NO_TILE) continue;
        splat_block *block = g->block + g->block_of[t];
        if (affine) // two loops, so that FLIP does not pay for APIC
            fill_block(g->s, true, t, block);
        else
            fill_block(g->s, false, t, block);
    }
}

/// ---- 2 All that reaches a tile -----------------------------------------------------------------

/// Adds what a neighbour's block says of a tile's faces. The neighbour at offset -1 along an axis
/// reaches the tile's first nodes with its last, the one at +1 the last with its first.
static void add_overlap(const float *restrict block, int around, float *restrict sum)
{
    static const struct overlap {
        int mine, theirs, n;
    } overlaps[3] = {{0, EDGE - 1, 1}, {0, 1, SP_TILE}, {SP_TILE - 1, 0, 1}};
    const struct overlap x = overlaps[around % 3], y = overlaps[around / 3 % 3];
    const struct overlap z = overlaps[around / 9];
    for (int k = 0; k < z.n; ++k)
        for (int j = 0; j < y.n; ++j) {
            const float *from = block + x.theirs + EDGE * (y.theirs + j + EDGE * (z.theirs + k));
            float *to = sum + x.mine + SP_TILE * (y.mine + j + SP_TILE * (z.mine + k));
            if (x.n == 1)
                *to += *from;
            else
                for (int i = 0; i < SP_TILE; ++i)
                    to[i] += from[i];
        }
}

/// Velocities out of sums, and which faces have one.
static void divide(const float *restrict weight, const float *restrict value, float *restrict u,
                   uint64_t *known)
{
    for (int k = 0; k < SP_TILE; ++k) {
        uint64_t bits = 0;
        for (int n = 0; n < 64; ++n) {
            const float w = weight[64 * k + n], v = value[64 * k + n];
            const bool enough = w >= 1e-6f;
            u[64 * k + n] = enough ? v / w : 0.0f;
            bits |= (uint64_t)enough << n;
        }
        known[k] = bits;
    }
}

static void collect_tile(const splatting *g, size_t t)
{
    const uint32_t *around = g->s->tiles.around[t];
    for (int a = 0; a < 3; ++a) {
        _Alignas(64) float sum[SUMS][SP_TILE_VOXELS] = {{0}};
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            const uint32_t there = around[n] == SP_NO_TILE ? SP_NO_TILE : g->block_of[around[n]];
            if (there == SP_NO_TILE) continue;
            for (int w = 0; w < SUMS; ++w)
                add_overlap(g->block[there].sum[a][w], n, sum[w]);
        }
        divide(sum[WEIGHT], sum[VALUE], g->s->u[a] + t * SP_TILE_VOXELS, g->s->known[a][t]);
    }
}

static void collect_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        collect_tile(arg, t);
}

static sp_status splat(liquid *s, sp_error *err)
{
    splatting g = {.s = s, .block_of = sp_scratch_array(&s->scratch, uint32_t, s->tiles.count)};
    uint32_t blocks = 0;
    for (size_t t = 0; g.block_of && t < s->tiles.count; ++t) {
        const bool some = s->particles.start[t + 1] > s->particles.start[t];
        g.block_of[t] = some ? blocks++ : SP_NO_TILE;
    }
    g.block = g.block_of ? sp_scratch_array(&s->scratch, splat_block, blocks + 1) : NULL; // never 0
    if (!g.block)
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to bring %zu particles to the grid",
                       s->particles.set.count);
    sp_tiles_parallel(&s->tiles, fill_blocks, &g);
    sp_tiles_parallel(&s->tiles, collect_tiles, &g);
    return SP_OK;
}

sp_status liquid_splat(liquid *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = splat(s, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
