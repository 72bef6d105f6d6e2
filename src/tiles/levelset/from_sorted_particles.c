// SPDX-License-Identifier: Apache-2.0
/// Level set of liquid from particles sorted by tile and voxel (equations in zhu_bridson.h).
///
/// Only cells near the surface are computed. A cell is deep if it and its 26 neighbours hold
/// `full_count` particles each, and air if none of the 27 holds any. (An air cell is at least 1.5
/// voxels away from the nearest particle. Its exact distance would cost a fifth more time and change
/// the volume of a ball of radius 8 voxels by 3e-4 once phi is a distance.) Voxels with particles
/// are one bit each; a tile with a halo of one voxel is 10x10 rows of 10 bits, and both tests are a
/// few shifts of rows.
///
/// From a cell, a support of two voxels reaches 9 rows of five voxels and 12 rows of three. The
/// particles of a row are contiguous, so they are summed eight at a time, one per lane. (With one
/// cell per lane, nine in ten particles would be out of reach: a row of eight cells covers twelve
/// voxels.) Eight, because that is one register on most machines, and rows are short.
#include "tiles/levelset/zhu_bridson.h"
#include "tiles/points.h"

#include <string.h>

/// Rows of a tile with a halo of one or two; particles per register.
enum { EDGE = SP_TILE + 2, ROWS = SP_TILE + 4, WIDE = 8 };

typedef float wide __attribute__((vector_size(4 * WIDE)));
typedef int32_t wide_flags __attribute__((vector_size(4 * WIDE)));

typedef struct reading {
    const sp_tiles *tiles;
    const sp_sorted_points *points;
    const float *x, *y, *z;
    float support, radius; ///< voxels
    float min_points;      ///< sum of weights below which the radius shrinks
    float per_square;      ///< 1/support^2
    uint32_t full_count;   ///< points of a voxel that make it full
    float band, *phi;
    sp_tile_starts *starts; ///< by tile; an extra empty entry for missing tiles
    sp_tile_mask *held;     ///< voxels that hold particles
    sp_tile_mask *full;     ///< voxels that are full, or count as full
} reading;

/// ---- Cells to compute --------------------------------------------------------------------------

static void count_tile(const reading *r, size_t t)
{
    const uint32_t *start = r->points->start;
    uint32_t *first = r->starts[t];
    sp_tile_starts_of(r->x, r->y, r->z, start[t], start[t + 1], first);
    for (int k = 0; k < SP_TILE; ++k) {
        uint64_t held = 0, dense = 0;
        for (int n = 0; n < 64; ++n) {
            const uint32_t count = first[64 * k + n + 1] - first[64 * k + n];
            held |= (uint64_t)(count > 0) << n;
            dense |= (uint64_t)(count >= r->full_count) << n;
        }
        r->held[t][k] = held;
        r->full[t][k] = dense | (r->points->full ? r->points->full[t][k] : 0) |
                        (r->points->full_with_one ? r->points->full_with_one[t][k] & held : 0);
    }
}

static void count_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        count_tile(arg, t);
}

typedef uint16_t tile_rows[EDGE][EDGE]; ///< [k+1][j+1]

/// The marked voxels of a row of eight; none in tiles that do not exist.
static inline uint32_t marked_row(sp_tile_mask *mask, uint32_t tile, int j, int k)
{
    return tile == SP_NO_TILE ? 0 : (uint32_t)(mask[tile][k & 7] >> (8 * (j & 7))) & 0xff;
}

static void look_around(const reading *r, sp_tile_mask *mask, size_t t, tile_rows rows)
{
    for (int k = -1; k <= SP_TILE; ++k)
        for (int j = -1; j <= SP_TILE; ++j) {
            const uint32_t *around = r->tiles->around[t] + 3 * ((j >> 3) + 1) + 9 * ((k >> 3) + 1);
            rows[k + 1][j + 1] = (uint16_t)(marked_row(mask, around[0], j, k) >> 7 |
                                            marked_row(mask, around[1], j, k) << 1 |
                                            (marked_row(mask, around[2], j, k) & 1) << 9);
        }
}

/// Finds the cells of a tile that are deep and those that must be computed, one byte per row.
/// Returns whether any must be computed.
static bool find_wanted(const reading *r, size_t t, uint8_t deep[SP_TILE][SP_TILE],
                        uint8_t wanted[SP_TILE][SP_TILE])
{
    tile_rows all, any;
    look_around(r, r->full, t, all);
    look_around(r, r->held, t, any);
    for (int n = 0; n < EDGE * EDGE; ++n) { // combine with both neighbours along x
        uint16_t *full = &all[n / EDGE][n % EDGE], *held = &any[n / EDGE][n % EDGE];
        *full = (uint16_t)(*full & *full << 1 & *full >> 1);
        *held = (uint16_t)(*held | *held << 1 | *held >> 1);
    }
    bool some = false;
    for (int k = 0; k < SP_TILE; ++k)
        for (int j = 0; j < SP_TILE; ++j) {
            uint32_t inside = 0xffff, near = 0;
            for (int n = 0; n < 9; ++n) {
                inside &= all[k + n / 3][j + n % 3];
                near |= any[k + n / 3][j + n % 3];
            }
            deep[k][j] = (uint8_t)(inside >> 1);
            wanted[k][j] = (uint8_t)((near & ~inside) >> 1);
            some |= wanted[k][j] != 0;
        }
    return some;
}

/// -1: a tile and all its neighbours are full everywhere; 0: none of them holds particles; 1:
/// neither.
static int compare_around(const reading *r, size_t t)
{
    uint64_t full = UINT64_MAX, held = 0;
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t tile = r->tiles->around[t][n];
        for (int k = 0; k < SP_TILE; ++k) {
            full &= tile == SP_NO_TILE ? 0 : r->full[tile][k];
            held |= tile == SP_NO_TILE ? 0 : r->held[tile][k];
        }
    }
    return full == UINT64_MAX ? -1 : held != 0;
}

/// ---- Particles within the support --------------------------------------------------------------

/// Where the voxels of a row begin, in the tiles at x - 1, x and x + 1.
typedef struct row_starts {
    const uint32_t *side[3];
} row_starts;
typedef row_starts tile_starts[ROWS][ROWS];

static void find_starts(const reading *r, size_t t, tile_starts starts)
{
    for (int k = -2; k < SP_TILE + 2; ++k)
        for (int j = -2; j < SP_TILE + 2; ++j) {
            const uint32_t *around = r->tiles->around[t] + 3 * ((j >> 3) + 1) + 9 * ((k >> 3) + 1);
            const int row = 8 * (j & 7) + 64 * (k & 7);
            for (int side = 0; side < 3; ++side) {
                const size_t tile = around[side] == SP_NO_TILE ? r->tiles->count : around[side];
                starts[k + 2][j + 2].side[side] = r->starts[tile] + row;
            }
        }
}

/// The rows that a cell reaches, and how many voxels either way. A row 0, 1 or 2 off along an axis
/// is 0, 1/2 or 3/2 voxels away along it; rows two off along both axes are out of reach.
static const struct seen_row {
    int8_t y, z, reach;
} seen_rows[] = {{-1, -2, 1}, {0, -2, 1}, {1, -2, 1}, {-2, -1, 1}, {-1, -1, 2}, {0, -1, 2},
                 {1, -1, 2},  {2, -1, 1}, {-2, 0, 1}, {-1, 0, 2},  {0, 0, 2},   {1, 0, 2},
                 {2, 0, 1},   {-2, 1, 1}, {-1, 1, 2}, {0, 1, 2},   {1, 1, 2},   {2, 1, 1},
                 {-1, 2, 1},  {0, 2, 1},  {1, 2, 1}};
enum { SEEN_ROWS = sizeof seen_rows / sizeof *seen_rows };

/// For rows -2 ... 9: the low corner of the row's tile.
static const float tile_of_row[ROWS] = {-8, -8, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8};

static inline int within_row(int i)
{
    return i < 0 ? 0 : i > SP_TILE ? SP_TILE : i;
}

/// Particles first ... last - 1 of one row, and the cell's centre relative to their tile.
typedef struct run {
    uint32_t first, last;
    float centre[3];
} run;

/// Finds the runs of particles that a cell reaches; returns how many. There is no branch, because
/// it could not be predicted: an empty run is overwritten by the next one.
static int find_runs(tile_starts starts, const int cell[3], run runs[2 * SEEN_ROWS + 1])
{
    int n = 0;
    const int first_side = cell[0] < 2 ? 0 : 1, last_side = cell[0] > 5 ? 2 : 1;
    const float y = (float)cell[1] + 0.5f, z = (float)cell[2] + 0.5f;
    for (int side = first_side; side <= last_side; ++side) {
        const int i = cell[0] - 8 * (side - 1);
        const float x = (float)i + 0.5f;
        const int from[3] = {0, within_row(i - 1), within_row(i - 2)};
        const int to[3] = {0, within_row(i + 2), within_row(i + 3)};
        for (int m = 0; m < SEEN_ROWS; ++m) {
            const struct seen_row s = seen_rows[m];
            const int j = cell[1] + 2 + s.y, k = cell[2] + 2 + s.z;
            const uint32_t *first = starts[k][j].side[side];
            const uint32_t begin = first[from[s.reach]], end = first[to[s.reach]];
            runs[n] = (run){begin, end, {x, y - tile_of_row[j], z - tile_of_row[k]}};
            n += end > begin;
        }
    }
    runs[n] = (run){0}; // sum_runs() reads it but does not use it
    return n;
}

/// ---- Sums over particles -----------------------------------------------------------------------

SP_INLINE wide load(const float *p)
{
    wide v;
    memcpy(&v, p, sizeof v);
    return v;
}

/// Sets lanes out of reach (near < 0) or beyond the run to zero.
SP_INLINE wide within_reach(wide near, int32_t ours)
{
    const wide_flags lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    const wide kept = (wide)((wide_flags)near & (lanes < ours));
#if defined(__AVX2__)
    return (wide)_mm256_max_ps((__m256)kept, _mm256_setzero_ps());
#else
    return (wide)((wide_flags)kept & (kept > 0.0f));
#endif
}

/// a*b + c, rounded once.
SP_INLINE wide fused(wide a, wide b, wide c)
{
#if defined(__AVX2__) && defined(__FMA__)
    return (wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (int l = 0; l < WIDE; ++l)
        c[l] = fmaf(a[l], b[l], c[l]);
    return c;
#endif
}

/// Adds eight particles at offsets dx, dy, dz from a cell's centre.
SP_INLINE void add_particles(wide sum[SP_MEAN_SUMS], wide dx, wide dy, wide dz, wide q)
{
    const wide q2 = q * q, k = q2 * q, ax = q2 * dx, ay = q2 * dy, az = q2 * dz;
    sum[SP_MEAN_K] += k;
    sum[SP_MEAN_KX] = fused(k, dx, sum[SP_MEAN_KX]);
    sum[SP_MEAN_KY] = fused(k, dy, sum[SP_MEAN_KY]);
    sum[SP_MEAN_KZ] = fused(k, dz, sum[SP_MEAN_KZ]);
    sum[SP_MEAN_QX] += ax;
    sum[SP_MEAN_QY] += ay;
    sum[SP_MEAN_QZ] += az;
    sum[SP_MEAN_XX] = fused(ax, dx, sum[SP_MEAN_XX]);
    sum[SP_MEAN_YY] = fused(ay, dy, sum[SP_MEAN_YY]);
    sum[SP_MEAN_ZZ] = fused(az, dz, sum[SP_MEAN_ZZ]);
    sum[SP_MEAN_XY] = fused(ax, dy, sum[SP_MEAN_XY]);
    sum[SP_MEAN_YZ] = fused(ay, dz, sum[SP_MEAN_YZ]);
    sum[SP_MEAN_ZX] = fused(az, dx, sum[SP_MEAN_ZX]);
}

/// Sums over n runs in one loop. Runs are short: with a loop per run, most of the time would go
/// into mispredicted loop ends.
static void sum_runs(const reading *r, const run *runs, int n, wide sum[SP_MEAN_SUMS])
{
    memset(sum, 0, SP_MEAN_SUMS * sizeof *sum);
    const float *x = r->x, *y = r->y, *z = r->z, per_square = r->per_square;
    uint32_t at = runs[0].first;
    for (int k = 0; k < n;) {
        const run *here = &runs[k];
        const wide dx = load(x + at) - here->centre[0], dy = load(y + at) - here->centre[1];
        const wide dz = load(z + at) - here->centre[2];
        const wide square = fused(dz, dz, fused(dy, dy, dx * dx));
        const wide near =
            fused(square, per_square * (wide){-1, -1, -1, -1, -1, -1, -1, -1}, 1.0f - (wide){0});
        const int32_t left = (int32_t)(here->last - at);
        add_particles(sum, dx, dy, dz, within_reach(near, left));
        const bool next = left <= WIDE;
        k += next;
        at = next ? runs[k].first : at + WIDE;
    }
}

/// ---- Tiles -------------------------------------------------------------------------------------

/// Sums of up to sixteen cells, turned into distances sixteen at once.
typedef struct waiting {
    float sum[SP_MEAN_SUMS][SP_LANES];
    int place[SP_LANES], count;
} waiting;

static void write_waiting(const reading *r, waiting *w, float *phi)
{
    const float voxel = r->tiles->voxel, scale = 6.0f / (r->support * r->support), band = r->band;
    float d[SP_LANES];
    for (int l = 0; l < SP_LANES; ++l) {
        const float seen = voxel * sp_mean_distance(w->sum, l, scale, r->radius, r->min_points);
        d[l] = w->sum[SP_MEAN_K][l] > 1e-12f ? sp_least(sp_most(seen, -band), band) : band;
    }
    for (int l = 0; l < w->count; ++l)
        phi[w->place[l]] = d[l];
    w->count = 0;
}

/// Adds eight lanes in a fixed order.
static inline float sum_lanes(wide a)
{
    const float x0 = a[0] + a[4], x1 = a[1] + a[5], x2 = a[2] + a[6], x3 = a[3] + a[7];
    return (x0 + x2) + (x1 + x3);
}

static void compute_cell(const reading *r, tile_starts starts, int place, waiting *w, float *phi)
{
    const int cell[3] = {place % 8, place / 8 % 8, place / 64};
    run runs[2 * SEEN_ROWS + 1];
    wide sum[SP_MEAN_SUMS];
    const int n = find_runs(starts, cell, runs);
    sum_runs(r, runs, n, sum);
    for (int m = 0; m < SP_MEAN_SUMS; ++m)
        w->sum[m][w->count] = sum_lanes(sum[m]);
    w->place[w->count++] = place;
    if (w->count == SP_LANES) write_waiting(r, w, phi);
}

static void read_tile(const reading *r, size_t t)
{
    float *phi = r->phi + t * SP_TILE_VOXELS;
    const float inside = sp_most(-r->radius * r->tiles->voxel, -r->band);
    const int common = compare_around(r, t);
    sp_tile_fill(phi, common < 0 ? inside : r->band);
    if (common <= 0) return;
    uint8_t deep[SP_TILE][SP_TILE], wanted[SP_TILE][SP_TILE];
    const bool some = find_wanted(r, t, deep, wanted);
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        if (deep[n / 64][n / 8 % 8] >> n % 8 & 1) phi[n] = inside;
    if (!some) return;
    tile_starts starts;
    waiting w = {.count = 0};
    find_starts(r, t, starts);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        if (!(wanted[n / 64][n / 8 % 8] >> n % 8 & 1)) continue;
        const float *known_phi = r->points->known_phi;
        if (known_phi && known_phi[t * SP_TILE_VOXELS + (size_t)n] < -r->points->depth)
            phi[n] = inside;
        else
            compute_cell(r, starts, n, &w, phi);
    }
    write_waiting(r, &w, phi);
}

static void read_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        read_tile(arg, t);
}

sp_status sp_levelset_sorted(const sp_tiles *tiles, const sp_sorted_points *points, float support,
                             float radius, float band, float *phi, sp_scratch *scratch,
                             sp_error *err)
{
    SP_ASSERT(support <= 2.0f * tiles->voxel * 1.00001f);
    if (tiles->count == 0) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    const float voxels = support / tiles->voxel;
    reading r = {.tiles = tiles,
                 .points = points,
                 .x = points->x[0],
                 .y = points->x[1],
                 .z = points->x[2],
                 .support = voxels,
                 .radius = radius / tiles->voxel,
                 .min_points = points->min_points,
                 .full_count = points->full_count > 0 ? points->full_count : 1,
                 .per_square = 1.0f / (voxels * voxels),
                 .band = band,
                 .phi = phi,
                 .starts = sp_scratch_array(scratch, sp_tile_starts, tiles->count + 1),
                 .held = sp_scratch_array(scratch, sp_tile_mask, tiles->count),
                 .full = sp_scratch_array(scratch, sp_tile_mask, tiles->count)};
    sp_status status = SP_OK;
    if (r.starts && r.held && r.full) {
        memset(r.starts[tiles->count], 0, sizeof *r.starts);
        sp_tiles_parallel(tiles, count_tiles, &r);
        sp_tiles_parallel(tiles, read_tiles, &r);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "levelset: no memory for the particles of %zu tiles",
                         tiles->count);
    }
    sp_scratch_rewind(scratch, mark);
    return status;
}
