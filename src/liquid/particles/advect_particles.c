// SPDX-License-Identifier: Apache-2.0
/// Advects particles with the grid's velocity (L8), tile by tile: by `spread`, which keeps the volume
/// (pressure/spread.c), for a voxel at most, and then by Ralston's third-order method:
///     k1 = u(x), k2 = u(x + dt/2 k1), k3 = u(x + 3/4 dt k2), x += dt (2/9 k1 + 3/9 k2 + 4/9 k3).
/// Travel is clamped to cfl + 1 voxels along an axis, as far as velocity is known. Patches of the
/// velocity are as wide along each axis as the fastest water around a tile moves. The clamp to that
/// width only changes particles whose velocity is NaN, so that they stay within the patch.
#include "liquid/particles/collide.h"
#include "liquid/particles/velocity_at.h"

#include <stdatomic.h>

typedef struct moving {
    liquid_particles *particles;
    const liquid_grid *grid;
    const sp_flow_solids *solids;
    const sp_liquid_def *def;
    float *const *u, *const *spread;
    float per_voxel;   ///< dt/voxel: from m/s to voxels
    int pad;           ///< of the widest patch
    float travel;      ///< voxels, largest along an axis
    float (*speed)[3]; ///< by tile: largest |u| along each axis, voxels in dt; NULL: not known
    atomic_size_t left, stuck;
    liquid_left_sums sums;
} moving;

static void measure_speed(void *arg, size_t begin, size_t end)
{
    const moving *m = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const float *u = m->u[a] + t * SP_TILE_VOXELS;
            float most = 0.0f;
            for (int i = 0; i < SP_TILE_VOXELS; ++i) {
                const float size = fabsf(u[i]);
                most = size > most ? size : most;
            }
            m->speed[t][a] = most * m->per_voxel;
        }
}

/// The width of the patch along an axis: a voxel more than water around the tile can travel, which
/// may have spread by a voxel.
static int pad_along(const moving *m, uint32_t tile, int axis)
{
    float most = 0.0f;
    for (int n = 0; m->speed && n < SP_TILES_AROUND; ++n) {
        const uint32_t there = m->grid->tiles.around[tile][n];
        if (there != SP_NO_TILE && m->speed[there][axis] > most) most = m->speed[there][axis];
    }
    most = 1.001f * most + 1.01f; // 0.01 for rounding
    return m->speed && most < (float)(m->pad - 2) ? (int)most + 2 : m->pad;
}

/// The velocity in a box around a tile, which reaches `pad` voxels at most.
static liquid_flow load_flow(const sp_tiles *tiles, float *const u[3], uint32_t tile,
                             const sp_patch_box *box, int pad, float *work)
{
    const size_t size = liquid_patch_floats(pad);
    liquid_flow flow = {.row = box->row, .layer = box->layer, .pad = (float)pad};
    flow.shift = pad * (1 + box->row + box->layer) - box->first;
    for (int a = 0; a < 3; ++a) {
        float *squares = work + (1 + 4 * (size_t)a) * size;
        sp_tiles_patch_box(tiles, u[a], tile, box, 0.0f, work);
        sp_patch_squares(work, box->row, box->count, squares);
        flow.squares[a] = squares;
    }
    return flow;
}

/// The flows that a tile's particles need.
typedef struct flows {
    liquid_flow u, spread;
    float travel[3]; ///< voxels, in u, along each axis
} flows;

static flows load_flows(const moving *m, uint32_t tile, float *work)
{
    const sp_tiles *tiles = &m->grid->tiles;
    const sp_patch_box box = sp_patch_box_of(pad_along(m, tile, 0), pad_along(m, tile, 1),
                                             pad_along(m, tile, 2)),
                       here = sp_patch_box_of(LIQUID_PAD_HERE, LIQUID_PAD_HERE, LIQUID_PAD_HERE);
    float *more = work + (3 * 4 + 2) * liquid_patch_floats(m->pad);
    flows f = {.u = load_flow(tiles, m->u, tile, &box, m->pad, work),
               .spread = load_flow(tiles, m->spread, tile, &here, LIQUID_PAD_HERE, more)};
    for (int a = 0; a < 3; ++a)
        f.travel[a] = fminf(m->travel, (float)(box.pad[a] - 1));
    return f;
}

/// x + h*k, clamped to the travel and to the ends of the patch.
SP_INLINE sp_part go(sp_part x, float h, sp_part k, float travel)
{
    const sp_part most = sp_part_all(travel);
    const sp_part way = sp_part_min(sp_part_max(k * h, -most), most);
    return sp_part_min(sp_part_max(x + way, -most), most + SP_POINT_LAST);
}

/// Moves x by h*spread.
SP_INLINE void spread_out(const liquid_flow *spread, float h, sp_part x[3])
{
    sp_part k[3];
    liquid_velocity_at(spread, x, k);
    for (int a = 0; a < 3; ++a)
        x[a] = go(x[a], h, k[a], 1.0f);
}

SP_INLINE void step(const liquid_flow *flow, float h, const float travel[3], sp_part x[3])
{
    sp_part k1[3], k2[3], k3[3], there[3];
    liquid_velocity_at(flow, x, k1);
    for (int a = 0; a < 3; ++a)
        there[a] = go(x[a], 0.5f * h, k1[a], travel[a]);
    liquid_velocity_at(flow, there, k2);
    for (int a = 0; a < 3; ++a)
        there[a] = go(x[a], 0.75f * h, k2[a], travel[a]);
    liquid_velocity_at(flow, there, k3);
    for (int a = 0; a < 3; ++a) {
        const sp_part mean =
            sp_part_fma(sp_part_all(4.0f / 9.0f), k3[a],
                        sp_part_fma(sp_part_all(3.0f / 9.0f), k2[a], k1[a] * (2.0f / 9.0f)));
        x[a] = go(x[a], h, mean, travel[a]);
    }
}

static void move_tile(void *arg, uint32_t tile, float *work)
{
    moving *m = arg;
    liquid_particles *p = m->particles;
    const flows f = load_flows(m, tile, work);
    const size_t begin = p->start[tile], end = p->start[tile + 1];
    for (size_t i = begin; i < end; i += SP_PART) {
        sp_part x[3];
        for (int a = 0; a < 3; ++a)
            x[a] = liquid_load_place(p->x[a] + i);
        spread_out(&f.spread, m->per_voxel, x);
        step(&f.u, m->per_voxel, f.travel, x);
        for (int a = 0; a < 3; ++a)
            liquid_store_some(p->x[a] + i, x[a], end - i);
    }
    const size_t left = liquid_remove_beyond_open_sides(p, m->grid, m->def, tile, &m->sums);
    const size_t stuck = liquid_push_out(p, m->grid, m->solids, tile);
    if (left) atomic_fetch_add(&m->left, left);
    if (stuck) atomic_fetch_add(&m->stuck, stuck);
}

liquid_lost liquid_advect_particles(liquid_particles *p, const liquid_grid *g,
                                    const sp_flow_solids *solids, const sp_liquid_def *def,
                                    float *const u[3], double dt, sp_scratch *scratch)
{
    const int pad = liquid_pad(def->cfl);
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    moving m = {.particles = p,
                .grid = g,
                .solids = solids,
                .def = def,
                .u = u,
                .spread = (float *const *)g->spread,
                .per_voxel = (float)(dt / (double)g->voxel),
                .pad = pad,
                .travel = fminf(def->cfl + 1.0f, (float)(pad - 1)),
                .speed = sp_scratch_take(scratch, g->tiles.count, sizeof *m.speed)};
    if (m.speed) sp_tiles_parallel(&g->tiles, measure_speed, &m);
    liquid_each_tile(p, &g->tiles, move_tile, &m);
    sp_scratch_rewind(scratch, mark);
    liquid_lost lost = {
        .left = m.left, .stuck = m.stuck, .kinetic = LIQUID_LEFT_UNIT * (double)m.sums.kinetic};
    for (int a = 0; a < 3; ++a)
        lost.place[a] = LIQUID_LEFT_UNIT * (double)m.sums.place[a];
    return lost;
}
