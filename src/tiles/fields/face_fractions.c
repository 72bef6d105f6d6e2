// SPDX-License-Identifier: Apache-2.0
/// Open fraction of a face from the distances at its corners: the area of the open polygon if cuts
/// are straight lines (marching squares).
///
/// The sixteen cases reduce to three formulas. Let e be the open fraction of each edge, 0 to 1:
///
///     one corner differs    a triangle: half the product of the fractions of its two edges. It is
///                           the open area, or what is subtracted if the corner is the solid one
///     two adjacent corners  a trapezoid. The edge between the open corners has fraction 1, the
///                           opposite one 0, so the mean of the other two is (sum of e - 1)/2
///     two opposite corners  two triangles; the mean of the corners decides which pair is cut off
///
/// With four open corners nothing is subtracted; with none there is no triangle. So there is no
/// branch, and the loop over a tile is vectorised.
#include "tiles/mac.h"

/// Open fraction of the edge between two corners; 1 if the solid only touches it (distances >= 0).
SP_INLINE float edge_open(float p, float q)
{
    const float high = p > q ? p : q, low = p > q ? q : p;
    const float above = high > 0.0f ? high : 0.0f, span = above - (low < 0.0f ? low : 0.0f);
    return above / (span > 0.0f ? span : 1.0f);
}

/// Area of the triangle at a corner, from the fractions of its two edges.
SP_INLINE float triangle(float one, float other, int wanted)
{
    return wanted ? 0.5f * one * other : 0.0f;
}

SP_INLINE float face_open(float a, float b, float c, float d)
{
    const int oa = a > 0.0f, ob = b > 0.0f, oc = c > 0.0f, od = d > 0.0f, n = oa + ob + oc + od;
    const float ab = edge_open(a, b), bc = edge_open(b, c);
    const float cd = edge_open(c, d), da = edge_open(d, a);
    const float apart = (triangle(da, ab, oa) + triangle(bc, cd, oc)) +
                        (triangle(ab, bc, ob) + triangle(cd, da, od));
    const float joined =
        1.0f - ((triangle(1.0f - da, 1.0f - ab, !oa) + triangle(1.0f - bc, 1.0f - cd, !oc)) +
                (triangle(1.0f - ab, 1.0f - bc, !ob) + triangle(1.0f - cd, 1.0f - da, !od)));
    const float beside = 0.5f * (((ab + cd) + (bc + da)) - 1.0f);
    const int one_piece = (n > 2) | ((n == 2) & ((a + c) + (b + d) > 0.0f));
    const int neighbours = (n == 2) & (oa != oc);
    // walls that meet along an edge of voxels give 0 at three corners of a face that is fully open
    const int touched = (n > 0) & (a >= 0.0f) & (b >= 0.0f) & (c >= 0.0f) & (d >= 0.0f);
    return touched ? 1.0f : neighbours ? beside : one_piece ? joined : apart;
}

float sp_face_open(float a, float b, float c, float d)
{
    return face_open(a, b, c, d);
}

/// The low faces across one axis; `u` and `v` are the strides between corners along the face's
/// edges.
static void open_axis(const float *psi, int u, int v, float open[SP_TILE_VOXELS])
{
    for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
        const float *at = psi + 9 * (row % SP_TILE) + 81 * (row / SP_TILE);
        float *out = open + SP_TILE * row;
        SP_VECTOR_LOOP
        for (int i = 0; i < SP_TILE; ++i) {
            out[i] = sp_share_cut(face_open(at[i], at[i + u], at[i + u + v], at[i + v]));
        }
    }
}

void sp_tiles_open_faces(const float psi[SP_TILE_CORNERS], float open[3][SP_TILE_VOXELS])
{
    enum { X = 1, Y = 9, Z = 81 };
    open_axis(psi, Y, Z, open[0]);
    open_axis(psi, Z, X, open[1]);
    open_axis(psi, X, Y, open[2]);
}
