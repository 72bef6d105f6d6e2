// SPDX-License-Identifier: Apache-2.0
/// Marching cubes over tiles, in three passes without a hash and without merging vertices.
///
/// Samples sit at voxel centres; cell (i, j, k) has the samples (i, j, k) ... (i+1, j+1, k+1) as
/// corners. A sample owns its three edges towards +x, +y and +z, and a tile keeps one bit for each:
///
///     inside[k]      64 bits, one a sample of layer k: phi < 0
///     cut[axis][k]   the edges that the surface cuts
///     rank[axis][k]  cut edges of the tile before that layer
///
/// so the number of the vertex on an edge is a sum: the count of all tiles before, the rank, and
/// the number of bits below. Pass 1 sets the bits and counts them; pass 2 adds the counts over
/// tiles in Morton order; pass 3 writes, and finds edges of neighbour tiles by their bits. No tile
/// waits for another, so the mesh is the same for any number of threads.
#include "surface/internal.h"
#include "tiles/patch.h"

enum {
    PAD = 2, ///< cells reach sample 8 and its gradient reaches 9
    SIDE = SP_TILE + 2 * PAD,
    BLOCK = SIDE * SIDE * SIDE,
    TILES_A_TASK = 16,
};
static const float edge_margin = 1e-3f; // least distance of a vertex from the ends of its edge
static const float least_slope = 0.2f;  // below it a gradient has no useful direction

typedef struct cubes_tile {
    uint64_t inside[SP_TILE];
    uint64_t cut[3][SP_TILE];
    uint16_t rank[3][SP_TILE];
    uint32_t edges, centres, triangles;    ///< how many
    uint32_t first_vertex, first_triangle; ///< centres follow the edges' vertices
    bool at_border, flat;                  ///< inside next to a missing tile; has a normal of zero
} cubes_tile;

typedef struct meshing {
    const sp_tiles *tiles;
    const float *phi;
    float background;
    const cubes_table *table;
    cubes_tile *tile;
    sp_mesh *mesh;
} meshing;

/// ---- Bits --------------------------------------------------------------------------------------

static uint64_t inside_bits(const float *phi)
{
    uint64_t bits = 0;
#if defined(__AVX512F__)
    for (int q = 0; q < 4; ++q)
        bits |= (uint64_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(phi + 16 * q), _mm512_setzero_ps(),
                                             _CMP_LT_OQ)
                << 16 * q;
#else
    for (int b = 0; b < 64; ++b)
        bits |= (uint64_t)(phi[b] < 0.0f) << b;
#endif
    return bits;
}

static void find_inside(void *arg, size_t begin, size_t end)
{
    const meshing *m = arg;
    for (size_t t = begin; t < end; ++t)
        for (int k = 0; k < SP_TILE; ++k)
            m->tile[t].inside[k] = inside_bits(m->phi + t * SP_TILE_VOXELS + 64 * k);
}

/// Shifts by one sample along x or y; the last sample comes from the neighbour.
static uint64_t step_x(uint64_t bits, uint64_t beyond)
{
    return (bits >> 1 & 0x7f7f7f7f7f7f7f7fu) | (beyond << 7 & 0x8080808080808080u);
}
static uint64_t step_y(uint64_t bits, uint64_t beyond)
{
    return bits >> 8 | beyond << 56;
}

/// Inside bits of the corners of a tile's cells: corner[dx + 2 dy][layer], nine layers.
typedef struct corner_bits {
    uint64_t corner[4][SP_TILE + 1];
} corner_bits;

static uint64_t layer_of(const meshing *m, const uint32_t around[SP_TILES_AROUND], int dx, int dy,
                         int layer)
{
    const int dz = layer == SP_TILE;
    const uint32_t tile = around[(dx + 1) + 3 * (dy + 1) + 9 * (dz + 1)];
    return tile == SP_NO_TILE ? 0 : m->tile[tile].inside[layer & 7];
}

static void find_corners(const meshing *m, size_t t, corner_bits *bits)
{
    const uint32_t *around = m->tiles->around[t];
    for (int k = 0; k <= SP_TILE; ++k) {
        const uint64_t own = layer_of(m, around, 0, 0, k), x = layer_of(m, around, 1, 0, k);
        const uint64_t y = layer_of(m, around, 0, 1, k), xy = layer_of(m, around, 1, 1, k);
        const uint64_t up = step_y(own, y);
        bits->corner[0][k] = own;
        bits->corner[1][k] = step_x(own, x);
        bits->corner[2][k] = up;
        bits->corner[3][k] = step_x(up, step_y(x, xy));
    }
}

/// The cells of a layer that have corners both inside and outside.
static uint64_t mixed_cells(const corner_bits *b, int k)
{
    uint64_t any = 0, all = ~(uint64_t)0;
    for (int c = 0; c < 4; ++c) {
        any |= b->corner[c][k] | b->corner[c][k + 1];
        all &= b->corner[c][k] & b->corner[c][k + 1];
    }
    return any & ~all;
}

static unsigned signs_of(const corner_bits *b, int k, int cell)
{
    unsigned signs = 0;
    for (int c = 0; c < 4; ++c)
        signs |= (unsigned)(b->corner[c][k] >> cell & 1) << c |
                 (unsigned)(b->corner[c][k + 1] >> cell & 1) << (c + 4);
    return signs;
}

/// ---- Pass 1: count -----------------------------------------------------------------------------

static float value_at(const meshing *m, size_t t, int i, int j, int k)
{
    const uint32_t tile =
        m->tiles->around[t][(1 + (i >> 3)) + 3 * (1 + (j >> 3)) + 9 * (1 + (k >> 3))];
    if (tile == SP_NO_TILE) return m->background;
    return m->phi[(size_t)tile * SP_TILE_VOXELS + sp_tile_place(i, j, k)];
}

static const cubes_entry *entry_of(const meshing *m, size_t t, unsigned signs, int cell, int k)
{
    if (!m->table->unsure[signs]) return &m->table->entry[m->table->first[signs]];
    float phi[8];
    for (int c = 0; c < 8; ++c)
        phi[c] = value_at(m, t, (cell & 7) + (c & 1), (cell >> 3) + (c >> 1 & 1), k + (c >> 2));
    return surface_cubes_cell(m->table, signs, phi);
}

/// Whether the surface leaves the tiles: an inside sample next to a missing tile.
static bool runs_out(const meshing *m, size_t t)
{
    static const uint64_t rim_x[3] = {0x0101010101010101u, ~(uint64_t)0, 0x8080808080808080u};
    static const uint64_t rim_y[3] = {0xffu, ~(uint64_t)0, (uint64_t)0xff << 56};
    for (int a = 0; a < SP_TILES_AROUND; ++a) {
        if (m->tiles->around[t][a] != SP_NO_TILE) continue;
        const uint64_t rim = rim_x[a % 3] & rim_y[a / 3 % 3];
        const int low = a / 9 == 2 ? 7 : 0, high = a / 9 == 0 ? 0 : 7;
        for (int k = low; k <= high; ++k)
            if (m->tile[t].inside[k] & rim) return true;
    }
    return false;
}

static void count_cells(const meshing *m, size_t t, const corner_bits *bits)
{
    cubes_tile *tile = &m->tile[t];
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t left = mixed_cells(bits, k); left; left &= left - 1) {
            const int cell = __builtin_ctzll(left);
            const cubes_entry *e = entry_of(m, t, signs_of(bits, k, cell), cell, k);
            tile->centres += e->centres;
            tile->triangles += e->triangles;
        }
}

static void count_tiles(void *arg, size_t begin, size_t end)
{
    const meshing *m = arg;
    for (size_t t = begin; t < end; ++t) {
        cubes_tile *tile = &m->tile[t];
        corner_bits bits;
        find_corners(m, t, &bits);
        uint64_t mixed = 0;
        for (int k = 0; k < SP_TILE; ++k) {
            tile->cut[0][k] = bits.corner[0][k] ^ bits.corner[1][k];
            tile->cut[1][k] = bits.corner[0][k] ^ bits.corner[2][k];
            tile->cut[2][k] = bits.corner[0][k] ^ bits.corner[0][k + 1];
            mixed |= mixed_cells(&bits, k);
        }
        tile->at_border = runs_out(m, t);
        if (!mixed) continue;
        for (int a = 0; a < 3; ++a)
            for (int k = 0; k < SP_TILE; ++k) {
                tile->rank[a][k] = (uint16_t)tile->edges;
                tile->edges += (uint32_t)__builtin_popcountll(tile->cut[a][k]);
            }
        count_cells(m, t, &bits);
    }
}

/// ---- Pass 3: write -----------------------------------------------------------------------------

static size_t block_at(int i, int j, int k)
{
    return (size_t)(i + PAD) + SIDE * (size_t)(j + PAD) + SIDE * SIDE * (size_t)(k + PAD);
}

/// Twice the gradient times a voxel, by central differences.
static void slope(const float *b, float g[3])
{
    g[0] = b[1] - b[-1];
    g[1] = b[SIDE] - b[-SIDE];
    g[2] = b[SIDE * SIDE] - b[-SIDE * SIDE];
}

/// Fraction along an edge from value a to value b at which phi is 0.
static float crossing(float a, float b)
{
    return sp_clamp(a / (a - b), edge_margin, 1.0f - edge_margin);
}

/// Writes zero where the gradient is too small; surface_missing_normals() fills these in.
static void put_normal(cubes_tile *tile, const float g[3], float voxel, float n[3])
{
    const float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const bool good = length > least_slope * 2.0f * voxel;
    if (!good) tile->flat = true;
    for (int c = 0; c < 3; ++c)
        n[c] = good ? g[c] / length : 0.0f;
}

/// Position of a sample in voxels from the origin.
static float sample_at(const meshing *m, size_t t, int axis, int i)
{
    return (float)(m->tiles->at[t][axis] * SP_TILE + i) + 0.5f;
}

static void write_vertex(const meshing *m, size_t t, const float *block, int axis, int cell, int k,
                         size_t number)
{
    static const int along[3] = {1, SIDE, SIDE * SIDE};
    const int at[3] = {cell & 7, cell >> 3, k};
    const float *b = block + block_at(at[0], at[1], at[2]);
    const float s = crossing(b[0], b[along[axis]]), voxel = m->tiles->voxel;
    float g0[3], g1[3];
    slope(b, g0);
    slope(b + along[axis], g1);
    for (int c = 0; c < 3; ++c) {
        m->mesh->x[number][c] = (sample_at(m, t, c, at[c]) + (c == axis ? s : 0.0f)) * voxel;
        g0[c] += s * (g1[c] - g0[c]);
    }
    put_normal(&m->tile[t], g0, voxel, m->mesh->n[number]);
}

static void write_vertices(const meshing *m, size_t t, const float *block)
{
    const cubes_tile *tile = &m->tile[t];
    size_t number = tile->first_vertex;
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < SP_TILE; ++k)
            for (uint64_t left = tile->cut[axis][k]; left; left &= left - 1)
                write_vertex(m, t, block, axis, __builtin_ctzll(left), k, number++);
}

/// The mean of a loop's vertices, computed from the cell alone: its edges may belong to other
/// tiles.
static void loop_centre(const float *b, unsigned loop, float mean[3])
{
    static const int corner_at[8] = {0,
                                     1,
                                     SIDE,
                                     SIDE + 1,
                                     SIDE * SIDE,
                                     SIDE * SIDE + 1,
                                     SIDE * SIDE + SIDE,
                                     SIDE * SIDE + SIDE + 1};
    float sum[3] = {0.0f, 0.0f, 0.0f};
    for (unsigned left = loop; left; left &= left - 1) {
        const unsigned e = (unsigned)__builtin_ctz(left), low = surface_edge_low(e);
        const float s = crossing(b[corner_at[low]], b[corner_at[low | 1u << (e >> 2)]]);
        for (unsigned c = 0; c < 3; ++c)
            sum[c] += c == e >> 2 ? s : (float)(low >> c & 1);
    }
    for (int c = 0; c < 3; ++c)
        mean[c] = sum[c] / (float)__builtin_popcount(loop);
}

static void write_centre(const meshing *m, size_t t, const float *block, int cell, int k,
                         unsigned loop, size_t number)
{
    const int at[3] = {cell & 7, cell >> 3, k};
    const float *b = block + block_at(at[0], at[1], at[2]);
    float mean[3], sum[3] = {0.0f, 0.0f, 0.0f};
    loop_centre(b, loop, mean);
    for (int c = 0; c < 8; ++c) {
        const int dx = c & 1, dy = c >> 1 & 1, dz = c >> 2;
        const float w = (dx ? mean[0] : 1.0f - mean[0]) * (dy ? mean[1] : 1.0f - mean[1]) *
                        (dz ? mean[2] : 1.0f - mean[2]);
        float g[3];
        slope(b + dx + SIDE * dy + SIDE * SIDE * dz, g);
        for (int a = 0; a < 3; ++a)
            sum[a] += w * g[a];
    }
    for (int c = 0; c < 3; ++c)
        m->mesh->x[number][c] = (sample_at(m, t, c, at[c]) + mean[c]) * m->tiles->voxel;
    put_normal(&m->tile[t], sum, m->tiles->voxel, m->mesh->n[number]);
}

/// The number of the vertex on an edge of a cell.
static uint32_t vertex_of(const meshing *m, size_t t, int cell, int k, unsigned edge)
{
    const unsigned axis = edge >> 2, low = surface_edge_low(edge);
    const unsigned i = (unsigned)(cell & 7) + (low & 1), j = (unsigned)(cell >> 3) + (low >> 1 & 1);
    const unsigned l = (unsigned)k + (low >> 2);
    const uint32_t owner =
        m->tiles->around[t][(1 + (i >> 3)) + 3 * (1 + (j >> 3)) + 9 * (1 + (l >> 3))];
    const cubes_tile *tile = &m->tile[owner];
    const uint64_t below = ((uint64_t)1 << ((i & 7) + 8 * (j & 7))) - 1;
    return tile->first_vertex + tile->rank[axis][l & 7] +
           (uint32_t)__builtin_popcountll(tile->cut[axis][l & 7] & below);
}

static void write_cells(const meshing *m, size_t t, const float *block)
{
    const cubes_tile *tile = &m->tile[t];
    corner_bits bits;
    find_corners(m, t, &bits);
    uint32_t triangle = tile->first_triangle, centre = tile->first_vertex + tile->edges;
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t left = mixed_cells(&bits, k); left; left &= left - 1) {
            const int cell = __builtin_ctzll(left);
            const unsigned signs = signs_of(&bits, k, cell);
            const cubes_entry *e = entry_of(m, t, signs, cell, k);
            uint32_t vertex[CUBES_EDGES + CUBES_CENTRES];
            for (unsigned cut = m->table->cut[signs]; cut; cut &= cut - 1) {
                const unsigned edge = (unsigned)__builtin_ctz(cut);
                vertex[edge] = vertex_of(m, t, cell, k, edge);
            }
            for (int c = 0; c < e->centres; ++c) {
                write_centre(m, t, block, cell, k, e->loop[c], centre);
                vertex[CUBES_EDGES + c] = centre++;
            }
            for (int f = 0; f < e->triangles; ++f, ++triangle)
                for (int c = 0; c < 3; ++c)
                    m->mesh->tri[triangle][c] = vertex[e->corner[f][c]];
        }
}

static void write_tiles(void *arg, size_t begin, size_t end)
{
    const meshing *m = arg;
    for (size_t t = begin; t < end; ++t) {
        if (m->tile[t].edges + m->tile[t].triangles == 0) continue;
        float block[BLOCK];
        sp_tiles_patch(m->tiles, m->phi, (uint32_t)t, PAD, m->background, block);
        write_vertices(m, t, block);
        write_cells(m, t, block);
    }
}

/// ---- All together ------------------------------------------------------------------------------

/// Pass 2: where each tile's vertices and triangles begin.
static sp_status place_tiles(const meshing *m, size_t *vertices, size_t *triangles, sp_error *err)
{
    size_t v = 0, f = 0;
    bool border = false;
    for (size_t t = 0; t < m->tiles->count; ++t) {
        cubes_tile *tile = &m->tile[t];
        tile->first_vertex = (uint32_t)v;
        tile->first_triangle = (uint32_t)f;
        v += tile->edges + tile->centres;
        f += tile->triangles;
        border = border || tile->at_border;
    }
    SP_ASSERT(!border); // the band is too thin
    if (border)
        return sp_fail(
            err, SP_BAD_INPUT,
            "surface: the level set is cut off by missing tiles; the mesh would not be closed");
    if (v >= UINT32_MAX || f >= UINT32_MAX)
        return sp_fail(
            err, SP_BAD_INPUT,
            "mesh needs %.2g vertices (limit 4294967295); use refine 1 or a larger voxel",
            (double)(v > f ? v : f));
    *vertices = v;
    *triangles = f;
    return SP_OK;
}

static sp_status mesh_tiles(meshing *m, const sp_host *host, sp_error *err)
{
    const size_t n = m->tiles->count;
    sp_parallel(host, n, TILES_A_TASK, find_inside, m);
    sp_parallel(host, n, TILES_A_TASK, count_tiles, m);
    size_t vertices = 0, triangles = 0;
    SP_TRY(place_tiles(m, &vertices, &triangles, err));
    SP_TRY(sp_mesh_open(m->mesh, host, vertices, triangles, SP_MESH_NORMALS, err));
    sp_parallel(host, n, TILES_A_TASK, write_tiles, m);
    bool flat = false;
    for (size_t t = 0; t < n; ++t)
        flat = flat || m->tile[t].flat;
    if (flat) surface_missing_normals(m->mesh);
    return SP_OK;
}

sp_status sp_surface_cubes(const sp_tiles *tiles, const float *phi, float background,
                           const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    *mesh = (sp_mesh){0};
    cubes_table *table = sp_allocate(host, 1, sizeof *table);
    cubes_tile *tile = sp_allocate(host, tiles->count, sizeof *tile);
    sp_status status = SP_OK;
    if (table && tile) {
        surface_cubes_table(table);
        meshing m = {tiles, phi, background, table, tile, mesh};
        status = mesh_tiles(&m, host, err);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "surface: no memory to mesh %zu tiles", tiles->count);
    }
    sp_release(host, table);
    sp_release(host, tile);
    return status;
}
