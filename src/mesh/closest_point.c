// SPDX-License-Identifier: Apache-2.0
/// The closest point of a mesh: traverses the tree, nearer child first, and skips boxes that are
/// farther away than the best point so far.
#include "mesh/bvh.h"

#include <math.h>

/// The point of the segment a..b closest to zero, as the weight of b.
static double closest_on_segment(const double a[3], const double b[3])
{
    double ab[3];
    sp_sub3(b, a, ab);
    const double along = -sp_dot3(a, ab), length = sp_dot3(ab, ab);
    return !(along > 0.0) ? 0.0 : along >= length ? 1.0 : along / length;
}

static void point_at(const double x[3][3], const double w[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = w[0] * x[0][k] + w[1] * x[1][k] + w[2] * x[2][k];
}

/// The closest point on the three sides; also right for triangles without area.
static double closest_on_sides(const double x[3][3], double w[3])
{
    double best = HUGE_VAL;
    w[0] = 1.0;
    w[1] = w[2] = 0.0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const double share = closest_on_segment(x[i], x[j]);
        double p[3], there[3] = {0, 0, 0};
        there[i] = 1.0 - share;
        there[j] = share;
        point_at(x, there, p);
        if (!(sp_dot3(p, p) < best)) continue;
        best = sp_dot3(p, p);
        sp_copy3(w, there);
    }
    return best;
}

/// The point of a triangle closest to zero, as weights v of ab and w of ac. Dot products tell which
/// of seven regions it is in: three corners, three sides, the face (Ericson 2005, section 5.1.5).
static void closest_by_region(const double x[3][3], const double ab[3], const double ac[3],
                              double *v, double *w)
{
    const double a_ab = -sp_dot3(x[0], ab), a_ac = -sp_dot3(x[0], ac);
    const double b_ab = -sp_dot3(x[1], ab), b_ac = -sp_dot3(x[1], ac);
    const double c_ab = -sp_dot3(x[2], ab), c_ac = -sp_dot3(x[2], ac);
    const double area_c = a_ab * b_ac - b_ab * a_ac; // areas opposite to each corner
    const double area_b = c_ab * a_ac - a_ab * c_ac;
    const double area_a = b_ab * c_ac - c_ab * b_ac;
    *v = *w = 0.0;
    if (a_ab <= 0.0 && a_ac <= 0.0) return;
    if (b_ab >= 0.0 && b_ac <= b_ab) {
        *v = 1.0;
    } else if (c_ac >= 0.0 && c_ab <= c_ac) {
        *w = 1.0;
    } else if (area_c <= 0.0 && a_ab >= 0.0 && b_ab <= 0.0) {
        *v = a_ab / (a_ab - b_ab);
    } else if (area_b <= 0.0 && a_ac >= 0.0 && c_ac <= 0.0) {
        *w = a_ac / (a_ac - c_ac);
    } else if (area_a <= 0.0 && b_ac >= b_ab && c_ab >= c_ac) {
        *w = (b_ac - b_ab) / ((b_ac - b_ab) + (c_ab - c_ac));
        *v = 1.0 - *w;
    } else {
        const double all = area_a + area_b + area_c;
        *v = area_b / all;
        *w = area_c / all;
    }
}

double sp_triangle_closest(const double x[3][3], double weights[3])
{
    double ab[3], ac[3], normal[3], p[3], v, w;
    sp_sub3(x[1], x[0], ab);
    sp_sub3(x[2], x[0], ac);
    sp_cross3(ab, ac, normal);
    // Without area the regions degenerate: corners coincide or lie on one line.
    if (!(sp_dot3(normal, normal) > 0.0)) return closest_on_sides(x, weights);
    closest_by_region(x, ab, ac, &v, &w);
    weights[0] = 1.0 - v - w;
    weights[1] = v;
    weights[2] = w;
    for (int k = 0; k < 3; ++k)
        p[k] = x[0][k] + v * ab[k] + w * ac[k];
    return sp_dot3(p, p);
}

static double box_distance2(const bvh_node *node, const float p[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double below = (double)node->low[k] - (double)p[k];
        const double above = (double)p[k] - (double)node->high[k];
        const double over = fmax(fmax(below, above), 0.0);
        sum += over * over;
    }
    return sum;
}

typedef struct answer {
    double distance2;
    uint32_t slot; ///< in the tree's order
    double weights[3];
    bool found;
} answer;

static void search_leaf(const sp_bvh *bvh, const bvh_node *leaf, const float p[3], answer *best)
{
    for (uint32_t t = leaf->next; t < leaf->next + leaf->count; ++t) {
        double x[3][3], w[3];
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k)
                x[c][k] = (double)bvh->corners[t][c][k] - (double)p[k];
        const double d2 = sp_triangle_closest((const double(*)[3])x, w);
        if (!(d2 < best->distance2)) continue;
        best->distance2 = d2;
        best->slot = t;
        best->found = true;
        sp_copy3(best->weights, w);
    }
}

typedef struct pending {
    uint32_t node;
    double distance2;
} pending;

static void search_tree(const sp_bvh *bvh, const float p[3], answer *best)
{
    pending stack[BVH_DEEPEST + 1];
    size_t depth = 0;
    stack[depth++] = (pending){0, box_distance2(&bvh->nodes[0], p)};
    while (depth > 0) {
        const pending now = stack[--depth];
        if (!(now.distance2 < best->distance2)) continue;
        const bvh_node *node = &bvh->nodes[now.node];
        if (node->count > 0) {
            search_leaf(bvh, node, p, best);
            continue;
        }
        const pending left = {now.node + 1, box_distance2(node + 1, p)};
        const pending right = {node->next, box_distance2(&bvh->nodes[node->next], p)};
        const bool left_first = left.distance2 <= right.distance2;
        stack[depth++] = left_first ? right : left;
        stack[depth++] = left_first ? left : right;
    }
}

bool sp_bvh_closest(const sp_bvh *bvh, const float p[3], float reach, float point[3],
                    uint32_t *triangle, float weights[3])
{
    if (bvh->count == 0) return false;
    answer best = {.distance2 = (double)reach * (double)reach};
    search_tree(bvh, p, &best);
    if (!best.found) return false;
    if (triangle) *triangle = bvh->order[best.slot];
    const float(*x)[3] = (const float(*)[3])bvh->corners[best.slot];
    for (int k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (int c = 0; c < 3; ++c)
            sum += best.weights[c] * (double)x[c][k];
        point[k] = (float)sum;
        if (weights) weights[k] = (float)best.weights[k];
    }
    return true;
}
