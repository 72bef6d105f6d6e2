// SPDX-License-Identifier: Apache-2.0
/// Splats the velocities of particles onto the faces of the grid (L1): with N the product of three
/// tents of one voxel's half-width,
///
///     m_f = sum N(x_f - x_p),     u_f = sum N(x_f - x_p) (v_p + C_p (x_f - x_p)) / m_f,
///
/// each component on its own faces, C for APIC only (Jiang et al. 2015). Two passes over tiles;
/// neither writes to another tile:
///
/// 1  Each tile sums its own particles into a block of its own, one node wider than itself.
/// 2  Each tile adds up its own block and the blocks of its neighbours at its faces, in the order
///    of the table of neighbours, and divides.
///
/// All particles of a voxel reach the same 2x3x3 faces of a component: along the component's axis
/// the two faces that bound the voxel, along the other axes the faces of the voxel and of both its
/// neighbours.
///
///     along its axis    |   f   |     1-f, f                     (| faces; f: place in the voxel)
///     along another   . | . f . | .   max(1/2-f,0), 1-|f-1/2|, max(f-1/2,0)   (. faces' centres)
///
/// So sixteen voxels, two rows, are summed at once, one in each lane: the n-th particles of all of
/// them together, with no sum across lanes. The result is the same for any register width. A batch
/// holds the weights of eight particles of each voxel; then each sum runs over the batch in
/// registers.
#include "liquid/particles/rows_of_eight.h"
#include "liquid/particles/voxels.h"

enum {
    EDGE = SP_TILE + 2, ///< nodes along an edge of a block
    NODES = 18,         ///< faces of a component that a voxel reaches
    GROUPS = SP_TILE_VOXELS / SP_LANES,
    BATCH = SP_EIGHT, ///< particles of a voxel that are processed together
};
/// Weights and weighted velocities.
enum { WEIGHT, VALUE, SUMS };

/// Sums of a tile's particles at a component's faces, from one before its first voxel to one beyond
/// its last along each axis. Faces (i, j, k) with i = 0 ... 7 are rows at j+1 + 10*(k+1). Faces
/// with i = -1 and 8 have an array each, so that neighbour tiles read them contiguously.
typedef struct block_sum {
    _Alignas(64) float row[EDGE * EDGE][SP_TILE];
    float end[2][EDGE * EDGE];
} block_sum;
typedef struct splat_block {
    block_sum sum[3][SUMS];
} splat_block;

/// For one component: sums of sixteen voxels' particles at the faces around; lanes are voxels.
typedef float group_sums[NODES][SUMS][SP_LANES];

typedef struct splatting {
    const liquid_particles *particles;
    liquid_grid *grid;
    splat_block *block;
    uint32_t *block_of; ///< by tile; SP_NO_TILE: it has no particles
} splatting;

/// ---- The batch ---------------------------------------------------------------------------------

/// One particle of each of sixteen voxels. For each axis: the weights of two faces for the
/// component along that axis, and of three faces for the other components. Their distances, in
/// voxels, begin at -f and -1/2-f.
typedef struct batch_row {
    _Alignas(64) float two[3][2][SP_LANES];
    float three[3][3][SP_LANES];
    float f[3][SP_LANES], v[3][SP_LANES];
    float c[9][SP_LANES]; ///< APIC, times a voxel
} batch_row;

/// Columns of particles: x, v and, for APIC, c.
enum { PLAIN = 6, AFFINE = 15 };

/// Copies the n-th to (n+7)-th particles of sixteen voxels, lane by lane; a voxel with fewer gets
/// data of other particles. Gather instructions are slower.
static void copy_lanes(const liquid_particles *p, int columns, const uint32_t *first, uint32_t n,
                       float (*raw)[AFFINE][SP_LANES])
{
    const float *const column[AFFINE] = {p->x[0], p->x[1], p->x[2], p->v[0], p->v[1],
                                         p->v[2], p->c[0], p->c[1], p->c[2], p->c[3],
                                         p->c[4], p->c[5], p->c[6], p->c[7], p->c[8]};
    const uint32_t end = first[SP_LANES];
    for (int lane = 0; lane < SP_LANES; lane += SP_EIGHT) {
        uint32_t at[SP_EIGHT];
        for (int l = 0; l < SP_EIGHT; ++l)
            at[l] = first[lane + l] + n < end ? first[lane + l] + n : end;
        for (int c = 0; c < columns; ++c) {
            sp_eight rows[SP_EIGHT];
            for (int l = 0; l < SP_EIGHT; ++l)
                rows[l] = sp_eight_load(column[c] + at[l]);
            sp_eight_turn(rows);
            for (int m = 0; m < BATCH; ++m)
                sp_eight_store(raw[m][c] + lane, rows[m]);
        }
    }
}

/// Weights of a register of particles; lanes without a particle get 0.
SP_INLINE void weigh(float voxel, bool affine, float (*raw)[SP_LANES], sp_flags there, int lane,
                     batch_row *h)
{
    for (int a = 0; a < 3; ++a) {
        const sp_part x = sp_part_load(raw[a] + lane), zero = {0};
        const sp_part f =
            x - __builtin_convertvector(__builtin_convertvector(x, sp_flags), sp_part);
        const sp_part low = sp_part_max(0.5f - f, zero), high = sp_part_max(f - 0.5f, zero);
        const sp_part weight[5] = {1.0f - f, f, low, 1.0f - (low + high), high};
        for (int n = 0; n < 5; ++n) { // masks z only: every product of three weights has one of z
            const sp_part w = a == 2 ? sp_part_keep(there, weight[n]) : weight[n];
            sp_part_store((n < 2 ? h->two[a][n] : h->three[a][n - 2]) + lane, w);
        }
        if (affine) sp_part_store(h->f[a] + lane, f);
        sp_part_store(h->v[a] + lane, sp_part_load(raw[3 + a] + lane));
    }
    for (int c = 0; affine && c < 9; ++c)
        sp_part_store(h->c[c] + lane, voxel * sp_part_load(raw[PLAIN + c] + lane));
}

/// ---- 1 A tile's own particles ------------------------------------------------------------------

/// The velocity of a register of particles at face (i, j, k) of component a.
SP_INLINE sp_part velocity_at(int a, bool affine, const batch_row *h, int lane, int i, int j, int k)
{
    sp_part u = sp_part_load(h->v[a] + lane);
    const int at[3] = {i, j, k};
    for (int b = 2; affine && b >= 0; --b) { // x last, so that many faces share the z and y terms
        const float first = b == a ? 0.0f : -0.5f;
        const sp_part far = (float)at[b] + first - sp_part_load(h->f[b] + lane);
        u = sp_part_fma(sp_part_load(h->c[3 * a + b] + lane), far, u);
    }
    return u;
}

/// Adds `n` rows of the batch to the sums of component a at faces with one k, one register of
/// lanes.
SP_INLINE void sum_slab(int a, int k, bool affine, const batch_row *batch, int n, int lane,
                        group_sums sums)
{
    const int nx = a == 0 ? 2 : 3, ny = a == 1 ? 2 : 3, faces = nx * ny;
    sp_part weight[9], value[9];
    for (int f = 0; f < faces; ++f) {
        weight[f] = sp_part_load(sums[faces * k + f][WEIGHT] + lane);
        value[f] = sp_part_load(sums[faces * k + f][VALUE] + lane);
    }
    for (int m = 0; m < n; ++m) {
        const batch_row *h = &batch[m];
        const sp_part wz = sp_part_load((a == 2 ? h->two[2][k] : h->three[2][k]) + lane);
        for (int j = 0; j < ny; ++j) {
            const sp_part wyz = wz * sp_part_load((a == 1 ? h->two[1][j] : h->three[1][j]) + lane);
            for (int i = 0; i < nx; ++i) {
                const sp_part w =
                    wyz * sp_part_load((a == 0 ? h->two[0][i] : h->three[0][i]) + lane);
                weight[i + nx * j] += w;
                value[i + nx * j] =
                    sp_part_fma(w, velocity_at(a, affine, h, lane, i, j, k), value[i + nx * j]);
            }
        }
    }
    for (int f = 0; f < faces; ++f) {
        sp_part_store(sums[faces * k + f][WEIGHT] + lane, weight[f]);
        sp_part_store(sums[faces * k + f][VALUE] + lane, value[f]);
    }
}

/// Sums over the particles of the sixteen voxels that begin at `first`.
SP_INLINE void sum_group(const liquid_particles *p, float voxel, bool affine, const uint32_t *first,
                         group_sums sums[3])
{
    float raw[BATCH][AFFINE][SP_LANES];
    batch_row batch[BATCH];
    uint32_t most = 0;
    for (int l = 0; l < SP_LANES; ++l)
        most = first[l + 1] - first[l] > most ? first[l + 1] - first[l] : most;
    memset(sums, 0, 3 * sizeof *sums);
    for (uint32_t n = 0; n < most; n += BATCH) {
        const int rows = most - n < BATCH ? (int)(most - n) : BATCH;
        copy_lanes(p, affine ? AFFINE : PLAIN, first, n, raw);
        for (int lane = 0; lane < SP_LANES; lane += SP_PART) {
            sp_flags count;
            for (int l = 0; l < SP_PART; ++l)
                count[l] = (int32_t)(first[lane + l + 1] - first[lane + l]);
            for (int m = 0; m < rows; ++m)
                weigh(voxel, affine, raw[m], count > (int32_t)n + m, lane, &batch[m]);
            sum_slab(0, 0, affine, batch, rows, lane, sums[0]);
            sum_slab(0, 1, affine, batch, rows, lane, sums[0]);
            sum_slab(0, 2, affine, batch, rows, lane, sums[0]);
            sum_slab(1, 0, affine, batch, rows, lane, sums[1]);
            sum_slab(1, 1, affine, batch, rows, lane, sums[1]);
            sum_slab(1, 2, affine, batch, rows, lane, sums[1]);
            sum_slab(2, 0, affine, batch, rows, lane, sums[2]);
            sum_slab(2, 1, affine, batch, rows, lane, sums[2]);
        }
    }
}

/// Adds the sums of eight voxels of a row to the faces one before (low, may be NULL), at and one
/// beyond (high) these voxels.
SP_INLINE void add_row(block_sum *block, int row, const float *low, const float *at,
                       const float *high)
{
    sp_eight sum = sp_eight_load(at) + sp_eight_up(sp_eight_load(high));
    if (low) sum += sp_eight_down(sp_eight_load(low));
    sp_eight_store(block->row[row], sp_eight_load(block->row[row]) + sum);
    if (low) block->end[0][row] += low[0];
    block->end[1][row] += high[SP_TILE - 1];
}

/// Adds a row of eight voxels' sums of a component to the block; j and k are the row's.
SP_INLINE void put_component(int a, const group_sums sums, int lane, int j, int k,
                             block_sum block[SUMS])
{
    const int nx = a == 0 ? 2 : 3, ny = a == 1 ? 2 : 3;
    const int corner = j + (a == 1) + EDGE * (k + (a == 2));
    for (int n = 0; n < NODES; n += nx)
        for (int w = 0; w < SUMS; ++w) {
            const int row = corner + n / nx % ny + EDGE * (n / (nx * ny));
            const float *low = nx == 3 ? sums[n][w] + lane : NULL;
            add_row(&block[w], row, low, sums[n + nx - 2][w] + lane, sums[n + nx - 1][w] + lane);
        }
}

SP_INLINE void fill_block(const liquid_particles *p, float voxel, bool affine, size_t tile,
                          splat_block *block)
{
    liquid_voxels first;
    _Alignas(64) group_sums sums[3];
    liquid_voxels_of(p, tile, first);
    memset(block, 0, sizeof *block);
    for (int group = 0; group < GROUPS; ++group) {
        const uint32_t *here = first + group * SP_LANES;
        if (here[SP_LANES] == here[0]) continue;
        sum_group(p, voxel, affine, here, sums);
        for (int lane = 0; lane < SP_LANES; lane += SP_TILE) {
            if (here[lane + SP_TILE] == here[lane]) continue;
            const int j = group % 4 * 2 + lane / SP_TILE, k = group / 4;
            put_component(0, (const float(*)[SUMS][SP_LANES])sums[0], lane, j, k, block->sum[0]);
            put_component(1, (const float(*)[SUMS][SP_LANES])sums[1], lane, j, k, block->sum[1]);
            put_component(2, (const float(*)[SUMS][SP_LANES])sums[2], lane, j, k, block->sum[2]);
        }
    }
}

static void fill_blocks(void *arg, size_t begin, size_t end)
{
    const splatting *g = arg;
    const liquid_particles *p = g->particles;
    const bool affine = p->c[0] != NULL;
    const float voxel = g->grid->voxel;
    for (size_t t = begin; t < end; ++t) {
        if (g->block_of[t] == SP_NO_TILE) continue;
        splat_block *block = g->block + g->block_of[t];
        if (affine) // two loops, so that FLIP does not pay for APIC
            fill_block(p, voxel, true, t, block);
        else
            fill_block(p, voxel, false, t, block);
    }
}

/// ---- 2 Sum of the blocks around a tile ---------------------------------------------------------

/// Adds a neighbour's block to the faces of a tile that it overlaps. The neighbour at offset -1
/// along an axis overlaps the tile's first nodes with its last, the neighbour at +1 the last with
/// its first.
static void add_overlap(const block_sum *block, int around, float (*restrict sum)[SP_TILE])
{
    static const struct overlap {
        int mine, theirs, n;
    } overlaps[3] = {{0, EDGE - 1, 1}, {0, 1, SP_TILE}, {SP_TILE - 1, 0, 1}};
    const int x = around % 3;
    const struct overlap y = overlaps[around / 3 % 3], z = overlaps[around / 9];
    for (int k = 0; k < z.n; ++k)
        for (int j = 0; j < y.n; ++j) {
            const int from = y.theirs + j + EDGE * (z.theirs + k);
            float *restrict to = sum[y.mine + j + SP_TILE * (z.mine + k)];
            if (x == 0)
                to[0] += block->end[1][from];
            else if (x == 2)
                to[SP_TILE - 1] += block->end[0][from];
            else
                for (int i = 0; i < SP_TILE; ++i)
                    to[i] += block->row[from][i];
        }
}

/// Velocities of a row of faces from the sums; returns a bit for each face that has one.
SP_INLINE uint64_t divide(const float *restrict weight, const float *restrict value,
                          float *restrict u)
{
    uint32_t known[SP_TILE], bits = 0;
    for (int i = 0; i < SP_TILE; ++i) {
        const bool enough = weight[i] >= 1e-6f;
        u[i] = enough ? value[i] / weight[i] : 0.0f;
        known[i] = enough ? 1u << i : 0;
    }
    for (int i = 0; i < SP_TILE; ++i)
        bits |= known[i];
    return bits;
}

static void collect_tile(const splatting *g, size_t t)
{
    const uint32_t *around = g->grid->tiles.around[t];
    for (int a = 0; a < 3; ++a) {
        _Alignas(64) float sum[SUMS][SP_TILE * SP_TILE][SP_TILE] = {{{0}}};
        for (int n = 0; n < SP_TILES_AROUND; ++n) {
            const uint32_t there = around[n] == SP_NO_TILE ? SP_NO_TILE : g->block_of[around[n]];
            if (there == SP_NO_TILE) continue;
            for (int w = 0; w < SUMS; ++w)
                add_overlap(&g->block[there].sum[a][w], n, sum[w]);
        }
        float *u = g->grid->u[a] + t * SP_TILE_VOXELS;
        uint64_t *known = g->grid->known[a][t];
        memset(known, 0, sizeof(sp_tile_mask));
        for (int row = 0; row < SP_TILE * SP_TILE; ++row)
            known[row / 8] |= divide(sum[WEIGHT][row], sum[VALUE][row], u + row * SP_TILE)
                              << row % 8 * 8;
    }
}

static void collect_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        collect_tile(arg, t);
}

static sp_status splat(const liquid_particles *p, liquid_grid *grid, sp_scratch *scratch,
                       sp_error *err)
{
    const size_t tiles = grid->tiles.count;
    splatting g = {
        .particles = p, .grid = grid, .block_of = sp_scratch_array(scratch, uint32_t, tiles)};
    uint32_t blocks = 0;
    for (size_t t = 0; g.block_of && t < tiles; ++t)
        g.block_of[t] = p->start[t + 1] > p->start[t] ? blocks++ : SP_NO_TILE;
    g.block = g.block_of ? sp_scratch_array(scratch, splat_block, blocks + 1) : NULL; // never 0
    if (!g.block)
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to bring %zu particles to the grid",
                       p->set.count);
    sp_tiles_parallel(&grid->tiles, fill_blocks, &g);
    sp_tiles_parallel(&grid->tiles, collect_tiles, &g);
    return SP_OK;
}

sp_status liquid_particles_to_grid(const liquid_particles *p, liquid_grid *g, sp_scratch *scratch,
                                   sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const sp_status status = splat(p, g, scratch, err);
    sp_scratch_rewind(scratch, mark);
    return status;
}
