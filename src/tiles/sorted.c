// SPDX-License-Identifier: Apache-2.0
/// Liquid out of particles that lie sorted by tile and voxel (mean.h has the equations).
///
/// A cell is asked for only when it may matter: cells whose 26 neighbours and which themselves hold
/// particles are deep, and cells with none within two voxels are air. What holds particles is a bit
/// a voxel; a tile with two voxels around is 12x12 rows of 12 bits, and both questions are a few
/// shifts of rows.
///
///     row (j, k), j and k = -2 ... 9:   bit 0 1 | 2 3 4 5 6 7 8 9 | 10 11
///                                    voxel -2 -1| 0 1 2 3 4 5 6 7 |  8  9
///
/// A support of two voxels reaches 9 rows of five voxels and 12 of three, seen from a cell; of each
/// row the particles lie one after the other, so they are taken eight at a time, a lane each. (With
/// lanes for cells, nine in ten would be out of reach: a row of eight cells sees twelve voxels.)
/// Eight, because that many are a register of most machines, and rows are short.
#include "tiles/mac.h"
#include "tiles/mean.h"

#include <string.h>

enum { ROWS = SP_TILE + 4, WIDE = 8 };

typedef float wide __attribute__((vector_size(4 * WIDE)));
typedef int32_t wide_flags __attribute__((vector_size(4 * WIDE)));

typedef struct tile_voxels {
    uint32_t first[SP_TILE_VOXELS + 1]; ///< where each voxel's particles begin
} tile_voxels;

typedef struct reading {
    const sp_tiles *tiles;
    const uint32_t *start;
    const float *x, *y, *z;
    float support, radius; ///< voxels
    float band;
    float *phi;
    tile_voxels *voxels;
    sp_tile_mask *held; ///< voxels that hold particles
} reading;

/// ---- Which cells -------------------------------------------------------------------------------

static void count_tile(const reading *r, size_t t)
{
    uint32_t *first = r->voxels[t].first, next = r->start[t];
    memset(first, 0, sizeof r->voxels[t].first);
    memset(r->held[t], 0, sizeof r->held[t]);
    for (uint32_t n = next; n < r->start[t + 1]; ++n) {
        const uint32_t i = (uint32_t)r->x[n], j = (uint32_t)r->y[n], k = (uint32_t)r->z[n];
        SP_ASSERT(i < SP_TILE && j < SP_TILE && k < SP_TILE);
        ++first[i + 8 * j + 64 * k];
        r->held[t][k] |= (uint64_t)1 << (i + 8 * j);
    }
    for (int v = 0; v <= SP_TILE_VOXELS; ++v) {
        const uint32_t count = first[v];
        first[v] = next;
        next += count;
    }
}

static void count_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        count_tile(arg, t);
}

/// A neighbour's row of eight voxels that hold particles; none in tiles that do not exist.
static inline uint32_t held_row(const reading *r, uint32_t tile, int j, int k)
{
    return tile == SP_NO_TILE ? 0 : (uint32_t)(r->held[tile][k & 7] >> (8 * (j & 7))) & 0xff;
}

typedef uint16_t tile_rows[ROWS][ROWS]; ///< [k+2][j+2]

static void look_around(const reading *r, size_t t, tile_rows rows)
{
    for (int k = -2; k < SP_TILE + 2; ++k)
        for (int j = -2; j < SP_TILE + 2; ++j) {
            const uint32_t *around = r->tiles->around[t] + 3 * ((j >> 3) + 1) + 9 * ((k >> 3) + 1);
            rows[k + 2][j + 2] =
                (uint16_t)(held_row(r, around[0], j, k) >> 6 | held_row(r, around[1], j, k) << 2 |
                           (held_row(r, around[2], j, k) & 3) << 10);
        }
}

/// Cells of a tile that must be computed, a byte a row: some particle is near, some voxel is empty.
static bool find_wanted(tile_rows rows, uint8_t wanted[SP_TILE][SP_TILE], uint8_t deep[8][8])
{
    tile_rows all, any; // along x, then along y as well
    for (int k = 0; k < ROWS; ++k)
        for (int j = 0; j < ROWS; ++j) {
            const uint32_t row = rows[k][j];
            all[k][j] = (uint16_t)(row & row << 1 & row >> 1);
            any[k][j] = (uint16_t)(row | row << 1 | row << 2 | row >> 1 | row >> 2);
        }
    bool some = false;
    for (int k = 0; k < SP_TILE; ++k)
        for (int j = 0; j < SP_TILE; ++j) {
            uint32_t inside = 0xffff, near = 0;
            for (int n = 0; n < 9; ++n)
                inside &= all[k + 1 + n / 3][j + 1 + n % 3];
            for (int n = 0; n < 25; ++n)
                near |= any[k + n / 5][j + n % 5];
            deep[k][j] = (uint8_t)(inside >> 2);
            wanted[k][j] = (uint8_t)((near & ~inside) >> 2);
            some |= wanted[k][j] != 0;
        }
    return some;
}

/// ---- Sums over particles -----------------------------------------------------------------------

SP_INLINE wide load(const float *p)
{
    wide v;
    memcpy(&v, p, sizeof v);
    return v;
}

SP_INLINE wide positive(wide a) ///< a, or 0 where it is less
{
#if defined(__AVX2__)
    return (wide)_mm256_max_ps((__m256)a, _mm256_setzero_ps());
#else
    return (wide)((wide_flags)a & (a > 0.0f));
#endif
}

/// Adds eight particles, d away from a cell's centre.
SP_INLINE void add_particles(wide sum[SP_MEAN_SUMS], wide dx, wide dy, wide dz, wide q)
{
    const wide q2 = q * q, k = q2 * q, ax = q2 * dx, ay = q2 * dy, az = q2 * dz;
    sum[SP_MEAN_K] += k;
    sum[SP_MEAN_KX] += k * dx;
    sum[SP_MEAN_KY] += k * dy;
    sum[SP_MEAN_KZ] += k * dz;
    sum[SP_MEAN_QX] += ax;
    sum[SP_MEAN_QY] += ay;
    sum[SP_MEAN_QZ] += az;
    sum[SP_MEAN_XX] += ax * dx;
    sum[SP_MEAN_YY] += ay * dy;
    sum[SP_MEAN_ZZ] += az * dz;
    sum[SP_MEAN_XY] += ax * dy;
    sum[SP_MEAN_YZ] += ay * dz;
    sum[SP_MEAN_ZX] += az * dx;
}

/// Adds particles first ... last - 1, seen from a centre given in their own tile's voxels.
SP_INLINE void add_run(const reading *r, wide sum[SP_MEAN_SUMS], uint32_t first, uint32_t last,
                       const float centre[3])
{
    const wide_flags lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    const float per_square = 1.0f / (r->support * r->support);
    for (uint32_t n = first; n < last; n += WIDE) {
        wide dx = load(r->x + n) - centre[0], dy = load(r->y + n) - centre[1];
        wide dz = load(r->z + n) - centre[2];
        wide near = 1.0f - (dx * dx + dy * dy + dz * dz) * per_square;
        if (last - n < WIDE) { // what lies beyond may be anything, even no number
            const wide_flags ours = lanes < (int32_t)(last - n);
            dx = (wide)((wide_flags)dx & ours);
            dy = (wide)((wide_flags)dy & ours);
            dz = (wide)((wide_flags)dz & ours);
            near = (wide)((wide_flags)near & ours);
        }
        add_particles(sum, dx, dy, dz, positive(near));
    }
}

/// Particles of voxels i ... i + n - 1 of a row, as far as they are in the tile at offset `side`.
SP_INLINE void add_voxels(const reading *r, wide sum[SP_MEAN_SUMS], const uint32_t *around,
                          int side, int row, int i, int n, const float centre[3])
{
    const uint32_t tile = around[side + 1];
    if (tile == SP_NO_TILE) return;
    const int from = i - 8 * side < 0 ? 0 : i - 8 * side;
    const int to = i + n - 8 * side > 8 ? 8 : i + n - 8 * side;
    const uint32_t *first = r->voxels[tile].first + row;
    const float seen[3] = {centre[0] - 8.0f * (float)side, centre[1], centre[2]};
    add_run(r, sum, first[from], first[to], seen);
}

/// Sums for the cell (i, j, k) of tile t. A row's nearest point is 0, 1/2 or 3/2 away along each
/// axis for rows 0, 1 or 2 off; two off along both is out of reach.
static void sum_cell(const reading *r, size_t t, int i, int j, int k, wide sum[SP_MEAN_SUMS])
{
    memset(sum, 0, SP_MEAN_SUMS * sizeof *sum);
    for (int dk = -2; dk <= 2; ++dk)
        for (int dj = -2; dj <= 2; ++dj) {
            const bool far_y = dj == -2 || dj == 2, far_z = dk == -2 || dk == 2;
            if (far_y && far_z) continue;
            const int y = j + dj, z = k + dk, reach = far_y || far_z ? 1 : 2;
            const uint32_t *around = r->tiles->around[t] + 3 * ((y >> 3) + 1) + 9 * ((z >> 3) + 1);
            const float centre[3] = {(float)i + 0.5f, (float)(j - (y & ~7)) + 0.5f,
                                     (float)(k - (z & ~7)) + 0.5f};
            const int row = 8 * (y & 7) + 64 * (z & 7), low = i - reach, n = 2 * reach + 1;
            if (low < 0) add_voxels(r, sum, around, -1, row, low, n, centre);
            add_voxels(r, sum, around, 0, row, low, n, centre);
            if (low + n > 8) add_voxels(r, sum, around, 1, row, low, n, centre);
        }
}

/// ---- Tiles -------------------------------------------------------------------------------------

/// Cells whose sums wait for being turned into distances, sixteen at once.
typedef struct waiting {
    float sum[SP_MEAN_SUMS][SP_LANES];
    int place[SP_LANES], count;
} waiting;

static void write_waiting(const reading *r, waiting *w, float *phi)
{
    const float voxel = r->tiles->voxel, scale = 6.0f / (r->support * r->support), band = r->band;
    float d[SP_LANES];
    for (int l = 0; l < SP_LANES; ++l) {
        const float seen = voxel * sp_mean_distance(w->sum, l, scale, r->radius);
        d[l] = w->sum[SP_MEAN_K][l] > 1e-12f ? sp_least(sp_most(seen, -band), band) : band;
    }
    for (int l = 0; l < w->count; ++l)
        phi[w->place[l]] = d[l];
    w->count = 0;
}

/// The fixed tree over eight lanes.
static inline float sum_lanes(wide a)
{
    const float x0 = a[0] + a[4], x1 = a[1] + a[5], x2 = a[2] + a[6], x3 = a[3] + a[7];
    return (x0 + x2) + (x1 + x3);
}

static void compute_cell(const reading *r, size_t t, int place, waiting *w, float *phi)
{
    wide sum[SP_MEAN_SUMS];
    sum_cell(r, t, place % 8, place / 8 % 8, place / 64, sum);
    for (int n = 0; n < SP_MEAN_SUMS; ++n)
        w->sum[n][w->count] = sum_lanes(sum[n]);
    w->place[w->count++] = place;
    if (w->count == SP_LANES) write_waiting(r, w, phi);
}

static void read_tile(const reading *r, size_t t)
{
    float *phi = r->phi + t * SP_TILE_VOXELS;
    const float inside = sp_most(-r->radius * r->tiles->voxel, -r->band);
    tile_rows rows;
    uint8_t wanted[SP_TILE][SP_TILE], deep[SP_TILE][SP_TILE];
    look_around(r, t, rows);
    const bool some = find_wanted(rows, wanted, deep);
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        phi[n] = deep[n / 64][n / 8 % 8] >> n % 8 & 1 ? inside : r->band;
    if (!some) return;
    waiting w = {.count = 0};
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        if (wanted[n / 64][n / 8 % 8] >> n % 8 & 1) compute_cell(r, t, n, &w, phi);
    write_waiting(r, &w, phi);
}

static void read_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        read_tile(arg, t);
}

sp_status sp_levelset_sorted(const sp_tiles *tiles, const uint32_t *start, const float *const x[3],
                             float support, float radius, float band, float *phi,
                             sp_scratch *scratch, sp_error *err)
{
    SP_ASSERT(support <= 2.0f * tiles->voxel * 1.00001f);
    if (tiles->count == 0) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const float per_voxel = 1.0f / tiles->voxel;
    reading r = {.tiles = tiles, .start = start, .x = x[0], .y = x[1], .z = x[2]};
    r.support = support * per_voxel;
    r.radius = radius * per_voxel;
    r.band = band;
    r.phi = phi;
    r.voxels = sp_scratch_array(scratch, tile_voxels, tiles->count);
    r.held = sp_scratch_array(scratch, sp_tile_mask, tiles->count);
    sp_status status = SP_OK;
    if (r.voxels && r.held) {
        sp_tiles_parallel(tiles, count_tiles, &r);
        sp_tiles_parallel(tiles, read_tiles, &r);
    } else {
        status =
            sp_fail(err, SP_NO_MEMORY, "levelset: no memory to look at %zu tiles", tiles->count);
    }
    sp_scratch_rewind(scratch, mark);
    return status;
}
