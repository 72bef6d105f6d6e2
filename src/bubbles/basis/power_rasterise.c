// SPDX-License-Identifier: Apache-2.0
/// From particles to faces with the weights of the power basis, one axis at a time. Each tile sums
/// value_q K_qj/(sum of K t) over its own particles in a cube for each value, and applies N to
/// the cubes once. Then each tile adds up the faces of itself and its neighbours, in the order of the
/// table of neighbours. No pass writes to another tile.
#include "bubbles/basis/power_kernel.h"

typedef struct rasterising {
    bubbles *s;
    const power_state *p;
    /// Of one axis: the values that are not NULL.
    int axis, fields;
    const float *from[BUBBLES_QUAD];
    float *to[BUBBLES_QUAD];
    power_faces *faces; ///< by tile with particles and value
    uint8_t *reached;   ///< by tile
} rasterising;

/// ---- A tile's own particles --------------------------------------------------------------------

SP_INLINE void splat_tile(const rasterising *r, int fields, const uint32_t start[2],
                          power_cube *const *cubes)
{
    for (size_t first = start[0]; first < start[1]; first += POWER_BATCH) {
        const int n = power_batch_size(first, start[1]);
        power_batch batch;
        power_kernels(r->p, first, n, &batch);
        for (int q = 0; q < n; ++q) {
            const size_t i = first + (size_t)q;
            float value[BUBBLES_QUAD];
            for (int f = 0; f < fields; ++f)
                value[f] = r->from[f][i] * r->p->norm[i];
            power_splat(cubes, fields, batch.at[q], &batch.taps[q], value);
        }
    }
}

static void clear_layers(power_cube *cube, const power_box *box)
{
    memset(cube->cell[box->low[2]], 0, (size_t)(box->high[2] - box->low[2]) * sizeof cube->cell[0]);
}

static void sum_tile(void *arg, size_t index, void *work)
{
    const rasterising *r = arg;
    const power_tile *tile = &r->p->tile[index];
    const uint32_t *start = r->s->particles.start + tile->tile;
    power_cube *cubes[BUBBLES_QUAD];
    for (int f = 0; f < r->fields; ++f) {
        cubes[f] = (power_cube *)work + f;
        clear_layers(cubes[f], &tile->box);
    }
    switch (r->fields) { // loops with a constant number of values
    case 1:
        splat_tile(r, 1, start, cubes);
        break;
    case 2:
        splat_tile(r, 2, start, cubes);
        break;
    case 3:
        splat_tile(r, 3, start, cubes);
        break;
    default:
        splat_tile(r, 4, start, cubes);
    }
    for (int f = 0; f < r->fields; ++f)
        bubbles_power_restrict(cubes[f], &r->p->t[index], &tile->box, r->axis,
                               &r->faces[index * BUBBLES_QUAD + (size_t)f]);
}

/// ---- The faces of the tiles around -------------------------------------------------------------

/// Along an axis: the faces of a tile that a neighbour at offset -1, 0, 1 reaches, and the index of
/// the first in that neighbour's faces.
static const struct span {
    int low, high, theirs;
} spans[3] = {{0, POWER_FACES - SP_TILE + POWER_FIRST_FACE, SP_TILE - POWER_FIRST_FACE},
              {0, SP_TILE, -POWER_FIRST_FACE},
              {SP_TILE + POWER_FIRST_FACE, SP_TILE, 0}};

static void add_faces(const power_faces *faces, int n, float *restrict sum)
{
    const struct span x = spans[n % 3], y = spans[n / 3 % 3], z = spans[n / 9];
    for (int k = z.low; k < z.high; ++k)
        for (int j = y.low; j < y.high; ++j) {
            const float *from = faces->face[z.theirs + k - z.low][y.theirs + j - y.low] + x.theirs;
            float *restrict to = sum + SP_TILE * (j + SP_TILE * k);
            if (n % 3 == 1) // most rows
                power_store(to, power_load(to) + power_load(from));
            else
                for (int i = x.low; i < x.high; ++i)
                    to[i] += from[i - x.low];
        }
}

/// The tiles around one that reach its faces: their indices by offset, or SP_NO_TILE. Says whether
/// there are any.
static bool find_reaching(const rasterising *r, size_t t, uint32_t index[SP_TILES_AROUND])
{
    const uint32_t *around = r->s->grid.tiles.around[t];
    bool any = false;
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        index[n] = around[n] == SP_NO_TILE ? SP_NO_TILE : r->p->of[around[n]];
        if (index[n] == SP_NO_TILE) continue;
        const bool reaches = r->p->tile[index[n]].reach >> (SP_TILES_AROUND - 1 - n) & 1;
        index[n] = reaches ? index[n] : SP_NO_TILE;
        any |= reaches;
    }
    return any;
}

static void collect_tiles(void *arg, size_t begin, size_t end)
{
    const rasterising *r = arg;
    for (size_t t = begin; t < end; ++t) {
        uint32_t index[SP_TILES_AROUND];
        if (!find_reaching(r, t, index)) continue;
        for (int f = 0; f < r->fields; ++f) {
            float *sum = r->to[f] + t * SP_TILE_VOXELS;
            memset(sum, 0, SP_TILE_VOXELS * sizeof *sum);
            for (int n = 0; n < SP_TILES_AROUND; ++n)
                if (index[n] != SP_NO_TILE)
                    add_faces(&r->faces[(size_t)index[n] * BUBBLES_QUAD + (size_t)f], n, sum);
        }
    }
}

static void mark_tiles(void *arg, size_t begin, size_t end)
{
    const rasterising *r = arg;
    for (size_t t = begin; t < end; ++t) {
        uint32_t index[SP_TILES_AROUND];
        r->reached[t] = find_reaching(r, t, index);
    }
}

/// ---- All axes ----------------------------------------------------------------------------------

static void rasterise_axis(rasterising *r, const bubbles_raster *raster, int axis, void *work)
{
    r->axis = axis;
    r->fields = 0;
    for (int f = 0; f < BUBBLES_QUAD; ++f) {
        if (!raster->from[axis][f]) continue;
        r->from[r->fields] = raster->from[axis][f];
        r->to[r->fields++] = raster->to[axis][f];
    }
    if (r->fields == 0) return;
    bubbles_power_each_tile(r->s, r->p, sum_tile, r, work, BUBBLES_QUAD * sizeof(power_cube));
    sp_tiles_parallel(&r->s->grid.tiles, collect_tiles, r);
}

sp_status bubbles_power_rasterise(bubbles *s, const bubbles_raster *raster, uint8_t *reached,
                                  sp_error *err)
{
    const power_state *p = s->power;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    rasterising r = {.s = s, .p = p, .reached = reached};
    power_cube *work = sp_scratch_array(&s->scratch, power_cube, power_threads(s) * BUBBLES_QUAD);
    r.faces = sp_scratch_array(&s->scratch, power_faces, (p->count + 1) * BUBBLES_QUAD);
    const bool all = work && r.faces;
    for (int a = 0; all && a < 3; ++a)
        rasterise_axis(&r, raster, a, work);
    if (all && reached) sp_tiles_parallel(&s->grid.tiles, mark_tiles, &r);
    sp_scratch_rewind(&s->scratch, mark);
    return all ? SP_OK
               : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to rasterise %zu particles",
                         s->particles.set.count);
}
