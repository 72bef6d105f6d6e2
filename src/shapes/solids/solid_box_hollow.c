// SPDX-License-Identifier: Apache-2.0
/// Open fractions of faces at hollow boxes along the axes, in closed form.
#include "shapes/solids/solid_box_hollow.h"

#include <math.h>

solid_hollow solid_hollow_of_walls(const sp_solids *s)
{
    solid_hollow box;
    for (int k = 0; k < 3; ++k) {
        box.hollow[0][k] = s->walls >> (2 * k) & 1 ? s->low[k] : -HUGE_VAL;
        box.hollow[1][k] = s->walls >> (2 * k + 1) & 1 ? s->high[k] : HUGE_VAL;
        box.shell[0][k] = -HUGE_VAL;
        box.shell[1][k] = HUGE_VAL;
    }
    return box;
}

bool solid_hollow_of_body(const solid_body *body, solid_hollow *box)
{
    const sp_shape *s = body->shape;
    if (s->kind != SHAPE_BOX || !s->def.inside_out || s->moves) return false;
    for (int k = 0; k < 3; ++k) {
        const bool open = k == 1 && s->def.open == SP_OPEN_TOP;
        box->hollow[0][k] = s->low[k];
        box->hollow[1][k] = open ? HUGE_VAL : s->high[k];
        box->shell[0][k] = s->low[k] - s->wall;
        box->shell[1][k] = open ? s->high[k] : s->high[k] + s->wall;
    }
    return true;
}

/// Fraction of each face within a box, as a product of one factor per coordinate: across the face 0
/// or 1 (the plane is outside or inside), along it the covered fraction of the voxel's edge.
typedef struct within {
    float factor[3][3][SP_TILE]; ///< by axis, then by coordinate
} within;

/// A plane on a side of the box is inside a shell and outside a hollow: solid in both cases. Edges
/// are also limited to the shell, because a hollow without lid extends above its shell.
static within fractions_within(const solid_hollow *box, bool shell, const double corner[3],
                               double h)
{
    within w;
    const double slack = (shell ? SOLID_SNAP : -SOLID_SNAP) * h;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < SP_TILE; ++i) {
            const double p = corner[k] + h * i;
            double low = box->shell[0][k], high = box->shell[1][k];
            const double front = shell ? low : box->hollow[0][k];
            const double back = shell ? high : box->hollow[1][k];
            low = fmax(low, front);
            high = fmin(high, back);
            const double share = (fmin(p + h, high) - fmax(p, low)) / h;
            const double snapped = share < SOLID_SNAP         ? 0.0
                                   : share > 1.0 - SOLID_SNAP ? 1.0
                                                              : share;
            for (int axis = 0; axis < 3; ++axis)
                w.factor[axis][k][i] = (float)snapped;
            w.factor[k][k][i] = fmin(p - front, back - p) > -slack ? 1.0f : 0.0f;
        }
    return w;
}

void solid_hollow_close_faces(const solid_hollow *box, const double corner[3], double voxel,
                              float open[3][SP_TILE_VOXELS])
{
    const within shell = fractions_within(box, true, corner, voxel);
    const within hollow = fractions_within(box, false, corner, voxel);
    for (int axis = 0; axis < 3; ++axis)
        for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
            const int j = row % SP_TILE, k = row / SP_TILE;
            const float in = hollow.factor[axis][1][j] * hollow.factor[axis][2][k];
            const float out = shell.factor[axis][1][j] * shell.factor[axis][2][k];
            float *to = open[axis] + SP_TILE * row;
            SP_VECTOR_LOOP
            for (int i = 0; i < SP_TILE; ++i) {
                const float left =
                    1.0f - shell.factor[axis][0][i] * out + hollow.factor[axis][0][i] * in;
                to[i] *= left < 1.0f ? left : 1.0f; // above the shell the hollow would count twice
            }
        }
}
