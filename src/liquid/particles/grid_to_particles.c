// SPDX-License-Identifier: Apache-2.0
/// Velocities from the grid back to particles (L2).
///
/// FLIP blends the particle's velocity with the grid's (PIC) at a rate: r = 1 - pic_rate*dt of it
/// is left after a step, so that damping does not depend on the number of steps:
///     v <- r (v + sum N (u - u*)) + (1 - r) sum N u  =  r v + sum N (u - r u*),
/// one sum over one field instead of two over two. APIC takes the grid's velocity and its gradient,
///     v <- sum N u,  C_ab <- sum dN/dx_b u_a,
/// the exact derivative of the trilinear interpolant, so that linear fields are reproduced exactly.
#include "liquid/particles/velocity_at.h"

typedef struct gathering {
    liquid_particles *particles;
    const liquid_grid *grid;
    float *const *u;
    float kept; ///< r
} gathering;

/// Patches of pad 1 reach every face around a particle of the tile.
enum { PAD = 1 };

static void load_flow(const gathering *g, uint32_t tile, float kept, float *work, liquid_flow *flow)
{
    const sp_tiles *tiles = &g->grid->tiles;
    const size_t size = liquid_patch_floats(PAD);
    float *restrict u = work, *restrict before = work + size;
    const sp_patch_box box = sp_patch_box_of(PAD, PAD, PAD);
    *flow = (liquid_flow){.row = box.row, .layer = box.layer, .pad = PAD};
    for (int a = 0; a < 3; ++a) {
        float *squares = work + (2 + 4 * (size_t)a) * size;
        sp_tiles_patch(tiles, g->u[a], tile, PAD, 0.0f, u);
        if (kept > 0.0f) {
            sp_tiles_patch(tiles, g->grid->u_unforced[a], tile, PAD, 0.0f, before);
            for (size_t i = 0; i < size; ++i)
                u[i] = fmaf(-kept, before[i], u[i]);
        }
        sp_patch_squares(u, box.row, box.count, squares);
        flow->squares[a] = squares;
    }
}

static void gather_flip(void *arg, uint32_t tile, float *work)
{
    const gathering *g = arg;
    liquid_particles *p = g->particles;
    liquid_flow flow;
    load_flow(g, tile, g->kept, work, &flow);
    const size_t end = p->start[tile + 1];
    for (size_t i = p->start[tile]; i < end; i += SP_PART) {
        sp_part x[3], u[3];
        for (int a = 0; a < 3; ++a)
            x[a] = liquid_load_place(p->x[a] + i);
        liquid_velocity_at(&flow, x, u);
        for (int a = 0; a < 3; ++a)
            liquid_store_some(p->v[a] + i,
                              sp_part_fma(sp_part_all(g->kept), sp_part_load(p->v[a] + i), u[a]),
                              end - i);
    }
}

/// One component of velocity and its gradient, 1/voxel.
SP_INLINE sp_part blend_with_slope(liquid_corners c, sp_part slope[3])
{
    const sp_part step[4] = {c.low.y - c.low.x, c.low.w - c.low.z, c.high.y - c.high.x,
                             c.high.w - c.high.z};
    const sp_part row[4] = {
        sp_part_fma(c.fx, step[0], c.low.x), sp_part_fma(c.fx, step[1], c.low.z),
        sp_part_fma(c.fx, step[2], c.high.x), sp_part_fma(c.fx, step[3], c.high.z)};
    const sp_part low = liquid_blend(row[0], row[1], c.fy),
                  high = liquid_blend(row[2], row[3], c.fy);
    slope[0] = liquid_blend(liquid_blend(step[0], step[1], c.fy),
                            liquid_blend(step[2], step[3], c.fy), c.fz);
    slope[1] = liquid_blend(row[1] - row[0], row[3] - row[2], c.fz);
    slope[2] = high - low;
    return sp_part_fma(c.fz, slope[2], low);
}

static void gather_apic(void *arg, uint32_t tile, float *work)
{
    const gathering *g = arg;
    liquid_particles *p = g->particles;
    liquid_flow flow;
    load_flow(g, tile, 0.0f, work, &flow);
    const float per_voxel = 1.0f / g->grid->voxel;
    const size_t end = p->start[tile + 1];
    for (size_t i = p->start[tile]; i < end; i += SP_PART) {
        liquid_along along[3];
        for (int a = 0; a < 3; ++a)
            along[a] = liquid_look_along(liquid_load_place(p->x[a] + i), flow.pad);
        for (int a = 0; a < 3; ++a) {
            sp_part slope[3];
            const sp_part v = blend_with_slope(liquid_corners_of(&flow, along, a), slope);
            liquid_store_some(p->v[a] + i, v, end - i);
            for (int b = 0; b < 3; ++b)
                liquid_store_some(p->c[3 * a + b] + i, slope[b] * per_voxel, end - i);
        }
    }
}

void liquid_grid_to_particles(liquid_particles *p, const liquid_grid *grid,
                              const sp_liquid_def *def, float *const u[3], double dt)
{
    const double kept = 1.0 - (double)def->pic_rate * dt;
    gathering g = {p, grid, u, kept > 0.0 ? (float)kept : 0.0f};
    liquid_each_tile(p, &grid->tiles, def->method == SP_LIQUID_APIC ? gather_apic : gather_flip,
                     &g);
}
