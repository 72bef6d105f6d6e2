// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TILES_H
#define SP_TILES_H

/// The sparse grid. Space is divided into tiles of 8x8x8 voxels, and only tiles in use exist.
///
///     voxel (i, j, k) of the world  centre at (i+1/2, j+1/2, k+1/2)*voxel, counted from the origin
///     its tile                      (i >> 3, j >> 3, k >> 3)
///     its place inside              (i & 7) + 8*(j & 7) + 64*(k & 7): x fastest
///
/// A topology (sp_tiles) says which tiles exist; it never changes once it is built. A field is a
/// plain array of 512 floats a tile, in the topology's order, 64-byte aligned. The array does not
/// store whether its values are in cells or on faces: the caller passes that. A tile owns the three
/// low faces of each of its voxels, so the high faces of its last layer belong to the neighbour.

#include "core/core.h"

#include <spume/frame.h>

enum {
    SP_TILE = 8,          ///< voxels along an edge
    SP_TILE_VOXELS = 512, ///< in a tile
    SP_TILES_AROUND = 27, ///< entries of a row of the neighbour table
    SP_TILES_SELF = 13,   ///< the tile itself in that row
};
#define SP_NO_TILE UINT32_MAX
/// Tile coordinates lie within +-SP_TILES_REACH, so that three of them fit one 64-bit Morton code.
#define SP_TILES_REACH 1048575

/// ---- Topology (topology.c) ---------------------------------------------------------------------

typedef struct sp_tiles {
    const sp_host *host;
    float voxel;  ///< m
    size_t count; ///< tiles
    /// Period of space along each axis, in tiles; 0: not periodic. Coordinates along a periodic
    /// axis are kept in 0 ... period - 1, and the tile before 0 is the last one.
    int32_t period[3];
    int32_t (*at)[3]; ///< tile coordinates, ascending by the Morton code of biased coordinates
    /// around[t][(dx+1) + 3*(dy+1) + 9*(dz+1)]: the tile at that offset, or SP_NO_TILE
    uint32_t (*around)[SP_TILES_AROUND];
    uint32_t *slots; ///< open-addressed hash of the coordinates; internal
    size_t slot_mask;
} sp_tiles;

/// Builds a topology from tile coordinates in any order; duplicates are allowed. A zeroed topology
/// is empty and may be closed. On failure `tiles` is zeroed; err names the coordinate out of reach.
sp_status sp_tiles_open(sp_tiles *tiles, const sp_host *host, float voxel, const int32_t (*at)[3],
                        size_t count, sp_error *err);
/// The same for periodic space: coordinates along a periodic axis may be any and are wrapped. A
/// period is 0 to SP_TILES_REACH.
sp_status sp_tiles_open_periodic(sp_tiles *tiles, const sp_host *host, float voxel,
                                 const int32_t period[3], const int32_t (*at)[3], size_t count,
                                 sp_error *err);
/// The copy uses the host of `from`. On failure `tiles` is zeroed.
sp_status sp_tiles_copy(sp_tiles *tiles, const sp_tiles *from, sp_error *err);
/// `count` tiles whose coordinates are the next piece of a saved state, with the host, the voxel and
/// the periods of `like`. On failure `tiles` is zeroed; SP_DAMAGED when coordinates repeat.
sp_status sp_tiles_restore(sp_tiles *tiles, const sp_tiles *like, size_t count, sp_walk *walk,
                           sp_error *err);
void sp_tiles_close(sp_tiles *tiles);
bool sp_tiles_is_valid(const sp_tiles *tiles); ///< walks through all of it
/// The tiles that touch a cube of half edge `reach`, m, around any of n points; radius[i] (radius
/// may be NULL) is added to the reach of point i. Parallel; the result depends only on the points.
/// Fails when a point is not finite or out of reach; `tiles` is zeroed then.
sp_status sp_tiles_cover(sp_tiles *tiles, const sp_host *host, float voxel, size_t n,
                         const float *x, const float *y, const float *z, const float *radius,
                         float reach, sp_error *err);
/// Every tile of `from` and `rings` rings of tiles around it (3x3x3 for one); periodic as `from`
/// is.
sp_status sp_tiles_dilate(sp_tiles *tiles, const sp_tiles *from, int rings, sp_error *err);
uint64_t sp_tiles_morton(const int32_t at[3]);
bool sp_tiles_within_reach(const int32_t at[3]);
/// The box around n tiles, both ends included; low > high without any.
void sp_tiles_bounds(const int32_t (*at)[3], size_t n, int32_t low[3], int32_t high[3]);
/// SP_NO_TILE when absent. Coordinates along periodic axes may be any.
uint32_t sp_tiles_find(const sp_tiles *tiles, const int32_t at[3]);
/// The same for points near each other: tries *hint, the tile found last (SP_NO_TILE at the start), before the look-up.
static inline uint32_t sp_tiles_find_near(const sp_tiles *tiles, const int32_t at[3],
                                          uint32_t *hint)
{
    if (*hint != SP_NO_TILE) {
        const int32_t *last = tiles->at[*hint];
        if (last[0] == at[0] && last[1] == at[1] && last[2] == at[2]) return *hint;
    }
    const uint32_t tile = sp_tiles_find(tiles, at);
    if (tile != SP_NO_TILE) *hint = tile;
    return tile;
}
/// Whether both hold the same tiles in the same space; fields need no copying then.
bool sp_tiles_same(const sp_tiles *a, const sp_tiles *b);
size_t sp_tiles_bytes(const sp_tiles *tiles); ///< memory of the topology, without fields

/// The tile of a voxel, and its place inside. We rely on arithmetic shifts of negative numbers.
static inline int32_t sp_tile_of(int32_t voxel)
{
    return voxel >> 3;
}
static inline uint32_t sp_tile_place(int32_t i, int32_t j, int32_t k)
{
    return (uint32_t)((i & 7) + 8 * (j & 7) + 64 * (k & 7));
}

/// Wraps a tile coordinate along an axis into 0 ... period - 1.
static inline int32_t sp_tile_wrap(int32_t at, int32_t period)
{
    if (period == 0) return at;
    const int32_t rest = at % period;
    return rest < 0 ? rest + period : rest;
}

/// Runs body in parallel over ranges [begin, end) of tiles.
void sp_tiles_parallel(const sp_tiles *tiles, sp_range_body *body, void *arg);

/// ---- Fields (field.c) --------------------------------------------------------------------------

/// Where in a voxel the values of a field sit.
typedef enum sp_tile_place_kind {
    SP_AT_CELLS,   ///< the centre
    SP_AT_FACES_X, ///< the middle of the low x face; likewise y and z
    SP_AT_FACES_Y,
    SP_AT_FACES_Z,
} sp_tile_place_kind;

/// Sets all values of one tile.
static inline void sp_tile_fill(float *tile, float value)
{
    for (int i = 0; i < SP_TILE_VOXELS; ++i)
        tile[i] = value;
}
/// A field with all values equal; free it with sp_release(tiles->host). NULL: no memory.
float *sp_tiles_field(const sp_tiles *tiles, float value);
/// Copies a field to a new topology by tile coordinate; tiles that are new get `background`.
void sp_tiles_carry(const sp_tiles *from, const float *old, const sp_tiles *to, float *values,
                    float background);
float sp_tiles_value(const sp_tiles *tiles, const float *values, const int32_t voxel[3],
                     float background); ///< slow: one look-up per call
/// The tile's 512 values shifted along an axis (0, 1, 2): out[place of v] is the value at v +
/// step*e_axis, step within +-2 and not 0. A seven-point stencil is six shifts and a plain loop
/// over 512 values; each shift reads one neighbour tile, where a block reads 26.
void sp_tiles_shift(const sp_tiles *tiles, const float *values, uint32_t tile, int axis, int step,
                    float background, float out[SP_TILE_VOXELS]);
/// The block of (8+2)^3 values around a tile, x fastest: block[(i+1) + 10*(j+1) + 100*(k+1)];
/// `background` where there is no tile.
enum { SP_TILE_BLOCK = 1000 };
void sp_tiles_block(const sp_tiles *tiles, const float *values, uint32_t tile, float background,
                    float block[SP_TILE_BLOCK]);
/// Trilinear value at a point (m, from the origin), and when `gradient` is not NULL the exact
/// derivative of the interpolant, 1/m times the value's unit. A point out of reach or not finite
/// gives the background.
float sp_tiles_sample(const sp_tiles *tiles, const float *values, sp_tile_place_kind where,
                      float background, const float p[3], float gradient[3]);
/// Trilinear interpolation between eight values, x fastest, at fractions f; `slope`, when not NULL,
/// gets its derivative, per voxel.
static inline float sp_trilinear(const float v[8], const float f[3], float slope[3])
{
    float dx[4], x[4]; // along the four edges in x
    for (int e = 0; e < 4; ++e) {
        dx[e] = v[2 * e + 1] - v[2 * e];
        x[e] = v[2 * e] + f[0] * dx[e];
    }
    const float y0 = sp_mix(x[0], x[1], f[1]), y1 = sp_mix(x[2], x[3], f[1]);
    if (slope) {
        slope[0] = sp_mix(sp_mix(dx[0], dx[1], f[1]), sp_mix(dx[2], dx[3], f[1]), f[2]);
        slope[1] = sp_mix(x[1] - x[0], x[3] - x[2], f[2]);
        slope[2] = y1 - y0;
    }
    return sp_mix(y0, y1, f[2]);
}
/// sp_tiles_sample() for many points, in parallel; `gradient` may be NULL.
void sp_tiles_sample_many(const sp_tiles *tiles, const float *values, sp_tile_place_kind where,
                          float background, size_t n, const float *x, const float *y,
                          const float *z, float *out, float (*gradient)[3]);

/// ---- Frames (frame_field.c) --------------------------------------------------------------------

/// Whether a field of a frame (may be NULL) is on tiles and has this many components.
static inline bool sp_field_on_tiles(const sp_field *field, int components)
{
    return field && field->layout == SP_FIELD_TILES && field->components == components;
}
/// Converts a tile field of a frame to a topology and one array per component; a frame interleaves
/// the components of a voxel. Release values[c] with the host. Fails when tiles are duplicated, not
/// in Morton order, or out of reach.
sp_status sp_tiles_from_field(sp_tiles *tiles, const sp_host *host, float voxel,
                              const sp_field *field, float *values[3], sp_error *err);
/// Where in a voxel component c of a frame's field sits.
static inline sp_tile_place_kind sp_tiles_place(const sp_field *field, int c)
{
    return field->staggered ? (sp_tile_place_kind)(SP_AT_FACES_X + c) : SP_AT_CELLS;
}

#include "tiles/levelset.h"

#endif
