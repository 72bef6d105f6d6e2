// SPDX-License-Identifier: Apache-2.0
/// Open fractions and velocity of solids on the faces of a tile, and distances to solids in it.
#include "flow/solids.h"

/// The tile's values shifted by one voxel along an axis; the last layer is from `next`, or `fill`.
static void raise(const float *self, const float *next, float fill, int axis, float *out)
{
    const size_t unit = axis == 0 ? 1 : axis == 1 ? 8 : 64; // values of a layer are this many apart
    for (size_t round = 0; round < SP_TILE_VOXELS; round += SP_TILE * unit) {
        const size_t last = round + (SP_TILE - 1) * unit;
        memcpy(out + round, self + round + unit, (SP_TILE - 1) * unit * sizeof *out);
        for (size_t i = 0; i < unit; ++i)
            out[last + i] = next ? next[round + i] : fill;
    }
}

static void fill(float *out, float value)
{
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        out[n] = value;
}

static uint32_t row_above(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                          int axis)
{
    static const int step[3] = {1, 3, 9};
    const uint32_t above = tiles->around[tile][SP_TILES_SELF + step[axis]];
    return above == SP_NO_TILE ? SP_FLOW_TILE_OPEN : solids->row[above];
}

bool sp_flow_open_fractions(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                            int axis, float low[SP_TILE_VOXELS], float high[SP_TILE_VOXELS])
{
    const uint32_t row = solids->row[tile], above = row_above(solids, tiles, tile, axis);
    if (row == SP_FLOW_TILE_OPEN && above == SP_FLOW_TILE_OPEN) return false;
    if (sp_flow_is_row(row))
        memcpy(low, solids->tile[row].open[axis], SP_TILE_VOXELS * sizeof *low);
    else
        fill(low, row == SP_FLOW_TILE_OPEN ? 1.0f : 0.0f);
    raise(low, sp_flow_is_row(above) ? solids->tile[above].open[axis] : NULL,
          above == SP_FLOW_TILE_OPEN ? 1.0f : 0.0f, axis, high);
    return true;
}

bool sp_flow_solid_velocity(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                            int axis, float low[SP_TILE_VOXELS], float high[SP_TILE_VOXELS])
{
    const uint32_t row = solids->row[tile], above = row_above(solids, tiles, tile, axis);
    const sp_solid_tile *self = sp_flow_is_row(row) ? &solids->tile[row] : NULL,
                        *next = sp_flow_is_row(above) ? &solids->tile[above] : NULL;
    if (!(self && self->moves) && !(next && next->moves)) return false;
    if (self)
        memcpy(low, self->velocity[axis], SP_TILE_VOXELS * sizeof *low);
    else
        fill(low, 0.0f);
    raise(low, next ? next->velocity[axis] : NULL, 0.0f, axis, high);
    return true;
}

/// A single rigid body of velocity V pushes at most |V| sum w_f into a voxel whose faces are open
/// by w_f: V has no divergence, so the sum over closed fractions equals that over the open ones.
/// Where two bodies share a voxel (a blade and its hub, a ball that settles on the ground), its
/// faces belong to different bodies. Together they can push V times a whole face although almost
/// nothing is open: water shot out there at 60 m/s. The excess is what exceeds the push of a single
/// body.
bool sp_flow_solid_excess(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                          float excess[SP_TILE_VOXELS])
{
    float sum[SP_TILE_VOXELS] = {0}, open[SP_TILE_VOXELS] = {0}, most[SP_TILE_VOXELS] = {0};
    bool moves = false;
    for (int axis = 0; axis < 3; ++axis) {
        float w[2][SP_TILE_VOXELS], v[2][SP_TILE_VOXELS] = {{0}};
        if (!sp_flow_open_fractions(solids, tiles, tile, axis, w[0], w[1])) {
            fill(w[0], 1.0f);
            fill(w[1], 1.0f);
        }
        moves |= sp_flow_solid_velocity(solids, tiles, tile, axis, v[0], v[1]);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            sum[n] += (1.0f - w[0][n]) * v[0][n] - (1.0f - w[1][n]) * v[1][n];
            open[n] += w[0][n] + w[1][n];
            most[n] = fmaxf(most[n], fmaxf(fabsf(v[0][n]), fabsf(v[1][n])));
        }
    }
    for (int n = 0; moves && n < SP_TILE_VOXELS; ++n) {
        const float bound = most[n] * open[n];
        excess[n] = sum[n] - fminf(fmaxf(sum[n], -bound), bound);
    }
    return moves;
}

double sp_flow_body_distance(const sp_flow_solids *solids, const sp_tiles *tiles, uint32_t tile,
                             const float x[3], double normal[3], int *who)
{
    const uint32_t row = solids->row[tile];
    if (!sp_flow_is_row(row)) return (double)INFINITY;
    const int place = (int)sp_tile_place((int32_t)x[0], (int32_t)x[1], (int32_t)x[2]);
    if (!sp_tile_mask_has(solids->escape[row].may_contain_edge, place)) return (double)INFINITY;
    double p[3];
    sp_flow_point(tiles, solids->origin, tile, x, p);
    return sp_solids_distance(solids->bodies, p, normal, who);
}

void sp_flow_solid_normals(const sp_solid_tile *tile, float normal[3][SP_TILE_VOXELS])
{
    for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
        const float *corner = tile->psi + 9 * (row % SP_TILE) + 81 * (row / SP_TILE);
        float *x_out = normal[0] + SP_TILE * row, *y_out = normal[1] + SP_TILE * row,
              *z_out = normal[2] + SP_TILE * row;
        SP_VECTOR_LOOP
        for (int i = 0; i < SP_TILE; ++i) {
            const float *c = corner + i;
            const float v0 = c[0], v1 = c[1], v2 = c[9], v3 = c[10], v4 = c[81], v5 = c[82],
                        v6 = c[90], v7 = c[91];
            const float x = v1 + v3 + v5 + v7 - v0 - v2 - v4 - v6;
            const float y = v2 + v3 + v6 + v7 - v0 - v1 - v4 - v5;
            const float z = v4 + v5 + v6 + v7 - v0 - v1 - v2 - v3;
            const float length = sqrtf(x * x + y * y + z * z);
            const float scale = length > 0.0f ? 1.0f / length : 0.0f;
            x_out[i] = x * scale;
            y_out[i] = y * scale;
            z_out[i] = z * scale;
        }
    }
}

void sp_flow_voxel_center(const sp_tiles *tiles, const double origin[3], uint32_t tile, int place,
                          double p[3])
{
    const int at[3] = {place & 7, place >> 3 & 7, place >> 6};
    for (int a = 0; a < 3; ++a)
        p[a] =
            origin[a] + (double)tiles->voxel * (SP_TILE * (double)tiles->at[tile][a] + at[a] + 0.5);
}
