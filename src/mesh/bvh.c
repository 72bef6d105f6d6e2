// SPDX-License-Identifier: Apache-2.0
/// Builds the tree top down. Each node is split where the expected cost of a query is lowest
/// (surface area heuristic over sixteen bins, Wald 2007).
#include "mesh/bvh.h"

#include <math.h>
#include <string.h>

enum { BINS = 16 };

typedef struct box {
    float low[3], high[3];
} box;

typedef struct building {
    sp_bvh *bvh;
    const sp_mesh *mesh;
    box *boxes;          ///< of each triangle, in the mesh's order
    float (*middles)[3]; ///< centres of those boxes
} building;

static box empty_box(void)
{
    const float i = INFINITY;
    return (box){{i, i, i}, {-i, -i, -i}};
}

static void grow_point(box *b, const float p[3])
{
    for (int k = 0; k < 3; ++k) {
        b->low[k] = p[k] < b->low[k] ? p[k] : b->low[k];
        b->high[k] = p[k] > b->high[k] ? p[k] : b->high[k];
    }
}

static void grow_box(box *b, const box *other)
{
    grow_point(b, other->low);
    grow_point(b, other->high);
}

static double half_area(const box *b)
{
    double e[3];
    for (int k = 0; k < 3; ++k)
        e[k] = (double)b->high[k] - (double)b->low[k];
    return e[0] < 0.0 ? 0.0 : e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

static int bin_of(float middle, float low, float high)
{
    const double share = ((double)middle - (double)low) / ((double)high - (double)low);
    const int bin = (int)(share * BINS);
    return bin < BINS ? bin : BINS - 1;
}

/// The cheapest of the fifteen cuts across `axis`: bins below `*cut` go left. INFINITY: no cut.
static double best_cut(const building *b, const uint32_t *order, size_t n, int axis,
                       const box *middles, int *cut)
{
    box boxes[BINS], sweep = empty_box();
    size_t counts[BINS] = {0}, left = 0;
    double below[BINS], best = HUGE_VAL;
    for (int i = 0; i < BINS; ++i)
        boxes[i] = empty_box();
    for (size_t i = 0; i < n; ++i) {
        const int bin = bin_of(b->middles[order[i]][axis], middles->low[axis], middles->high[axis]);
        ++counts[bin];
        grow_box(&boxes[bin], &b->boxes[order[i]]);
    }
    for (int i = 0; i < BINS; ++i) { // cost below each cut; the cost above is added next
        below[i] = (double)left * half_area(&sweep);
        grow_box(&sweep, &boxes[i]);
        left += counts[i];
    }
    sweep = empty_box();
    size_t right = 0;
    for (int i = BINS - 1; i > 0; --i) {
        grow_box(&sweep, &boxes[i]);
        right += counts[i];
        const double cost = below[i] + (double)right * half_area(&sweep);
        if (right > 0 && right < n && cost < best) {
            best = cost;
            *cut = i;
        }
    }
    return best;
}

/// Moves the triangles left of the cut to the front and returns their number.
static size_t divide(const building *b, uint32_t *order, size_t n, int axis, const box *middles,
                     int cut)
{
    size_t left = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t t = order[i];
        if (bin_of(b->middles[t][axis], middles->low[axis], middles->high[axis]) >= cut) continue;
        order[i] = order[left];
        order[left++] = t;
    }
    return left;
}

static size_t split(const building *b, uint32_t *order, size_t n, int depth)
{
    box middles = empty_box();
    for (size_t i = 0; i < n; ++i)
        grow_point(&middles, b->middles[order[i]]);
    double best = HUGE_VAL;
    int best_axis = 0, best_bin = 0;
    for (int axis = 0; axis < 3 && depth < BVH_SAH_LEVELS; ++axis) {
        int bin = 0;
        if (!(middles.high[axis] > middles.low[axis])) continue;
        const double cost = best_cut(b, order, n, axis, &middles, &bin);
        if (!(cost < best)) continue;
        best = cost;
        best_axis = axis;
        best_bin = bin;
    }
    // All centres coincide, or the mesh is pathological: split in half.
    if (isinf(best)) return n / 2;
    return divide(b, order, n, best_axis, &middles, best_bin);
}

/// Middle of a triangle and its area vector.
static void triangle_area(const sp_bvh *bvh, size_t t, double middle[3], double area[3])
{
    double e[2][3];
    const float(*x)[3] = (const float(*)[3])bvh->corners[t];
    for (int k = 0; k < 3; ++k) {
        e[0][k] = 0.5 * ((double)x[1][k] - (double)x[0][k]);
        e[1][k] = (double)x[2][k] - (double)x[0][k];
        middle[k] = ((double)x[0][k] + (double)x[1][k] + (double)x[2][k]) / 3.0;
    }
    sp_cross3(e[0], e[1], area);
}

static void find_center(const sp_bvh *bvh, size_t first, size_t n, double center[3])
{
    double weighted[3] = {0}, plain[3] = {0}, weight = 0.0;
    for (size_t t = first; t < first + n; ++t) {
        double middle[3], area[3];
        triangle_area(bvh, t, middle, area);
        const double size = sqrt(sp_dot3(area, area));
        weight += size;
        for (int k = 0; k < 3; ++k) {
            weighted[k] += size * middle[k];
            plain[k] += middle[k] / (double)n;
        }
    }
    for (int k = 0; k < 3; ++k)
        center[k] = weight > 0.0 ? weighted[k] / weight : plain[k];
}

/// The moments of a range of triangles (Barill et al. 2018): the centre is weighted by area, the
/// radius reaches every corner.
static bvh_moment moment_of(const sp_bvh *bvh, size_t first, size_t n)
{
    double center[3], sum[3] = {0}, spread[6] = {0}, radius = 0.0;
    find_center(bvh, first, n, center);
    for (size_t t = first; t < first + n; ++t) {
        double middle[3], area[3];
        triangle_area(bvh, t, middle, area);
        sp_sub3(middle, center, middle);
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            sum[k] += area[k];
            spread[k] += middle[k] * area[k];
            spread[3 + k] += 0.5 * (middle[a] * area[b] + middle[b] * area[a]);
        }
        for (int c = 0; c < 3; ++c) {
            double from[3];
            for (int k = 0; k < 3; ++k)
                from[k] = (double)bvh->corners[t][c][k] - center[k];
            radius = fmax(radius, sp_dot3(from, from));
        }
    }
    bvh_moment m = {.radius = (float)sqrt(radius)};
    for (int k = 0; k < 3; ++k) {
        m.center[k] = (float)center[k];
        m.area[k] = (float)sum[k];
        m.spread[k] = (float)spread[k];
        m.spread[3 + k] = (float)spread[3 + k];
    }
    return m;
}

static void copy_corners(sp_bvh *bvh, const sp_mesh *mesh, size_t first, size_t n)
{
    for (size_t t = first; t < first + n; ++t)
        for (int c = 0; c < 3; ++c)
            memcpy(bvh->corners[t][c], mesh->x[mesh->tri[bvh->order[t]][c]],
                   sizeof bvh->corners[t][c]);
}

/// The recursion depth is bounded: below BVH_SAH_LEVELS every node is halved, and 2^32 triangles
/// are halved 30 times before four are left.
static uint32_t build_node(building *b, size_t first, size_t n, int depth)
{
    sp_bvh *bvh = b->bvh;
    const uint32_t here = (uint32_t)bvh->node_count++;
    uint32_t *order = bvh->order + first;
    box around = empty_box();
    for (size_t i = 0; i < n; ++i)
        grow_box(&around, &b->boxes[order[i]]);
    memcpy(bvh->nodes[here].low, around.low, sizeof around.low);
    memcpy(bvh->nodes[here].high, around.high, sizeof around.high);
    if (n <= BVH_LEAF) {
        bvh->nodes[here].next = (uint32_t)first;
        bvh->nodes[here].count = (uint32_t)n;
        copy_corners(bvh, b->mesh, first, n);
    } else {
        const size_t left = split(b, order, n, depth);
        build_node(b, first, left, depth + 1);
        bvh->nodes[here].next = build_node(b, first + left, n - left, depth + 1);
    }
    bvh->moments[here] = moment_of(bvh, first, n);
    return here;
}

static bool prepare(building *b)
{
    const sp_mesh *mesh = b->mesh;
    const size_t n = mesh->triangle_count;
    sp_bvh *bvh = b->bvh;
    b->boxes = sp_allocate(bvh->host, n, sizeof *b->boxes);
    b->middles = sp_allocate(bvh->host, n, sizeof *b->middles);
    bvh->nodes = sp_allocate(bvh->host, 2 * n, sizeof *bvh->nodes);
    bvh->moments = sp_allocate(bvh->host, 2 * n, sizeof *bvh->moments);
    bvh->corners = sp_allocate(bvh->host, n, sizeof *bvh->corners);
    bvh->order = sp_allocate(bvh->host, n, sizeof *bvh->order);
    if (!b->boxes || !b->middles || !bvh->nodes || !bvh->moments || !bvh->corners || !bvh->order)
        return false;
    for (size_t t = 0; t < n; ++t) {
        bvh->order[t] = (uint32_t)t;
        b->boxes[t] = empty_box();
        for (int c = 0; c < 3; ++c)
            grow_point(&b->boxes[t], mesh->x[mesh->tri[t][c]]);
        for (int k = 0; k < 3; ++k)
            b->middles[t][k] = 0.5f * b->boxes[t].low[k] + 0.5f * b->boxes[t].high[k];
    }
    return true;
}

sp_status sp_bvh_open(const sp_mesh *mesh, const sp_host *host, sp_bvh **out, sp_error *err)
{
    *out = NULL;
    const size_t n = mesh->triangle_count;
    if (n > UINT32_MAX / 2)
        return sp_fail(err, SP_BAD_INPUT, "%zu triangles; expected at most %u", n, UINT32_MAX / 2);
    sp_bvh *bvh = sp_allocate(host, 1, sizeof *bvh);
    if (!bvh) return sp_fail(err, SP_NO_MEMORY, "no memory for a tree of triangles");
    *bvh = (sp_bvh){.host = host, .count = n};
    building b = {.bvh = bvh, .mesh = mesh};
    const bool good = prepare(&b);
    if (good && n > 0) build_node(&b, 0, n, 0);
    sp_release(host, b.boxes);
    sp_release(host, b.middles);
    if (good) {
        *out = bvh;
        return SP_OK;
    }
    sp_bvh_close(bvh);
    return sp_fail(err, SP_NO_MEMORY, "no memory for a tree of %zu triangles", n);
}

/// Refits a node and returns its box. Its triangles are *first ... *first + *n - 1.
static box refit_node(sp_bvh *bvh, const sp_mesh *mesh, uint32_t here, size_t *first, size_t *n)
{
    bvh_node *node = &bvh->nodes[here];
    box around = empty_box();
    if (node->count > 0) {
        *first = node->next;
        *n = node->count;
        copy_corners(bvh, mesh, *first, *n);
        for (size_t t = *first; t < *first + *n; ++t)
            for (int c = 0; c < 3; ++c)
                grow_point(&around, bvh->corners[t][c]);
    } else {
        size_t right, more;
        around = refit_node(bvh, mesh, here + 1, first, n);
        const box other = refit_node(bvh, mesh, node->next, &right, &more);
        grow_box(&around, &other);
        *n += more;
    }
    memcpy(node->low, around.low, sizeof around.low);
    memcpy(node->high, around.high, sizeof around.high);
    bvh->moments[here] = moment_of(bvh, *first, *n);
    return around;
}

void sp_bvh_refit(sp_bvh *bvh, const sp_mesh *mesh)
{
    size_t first, n;
    if (bvh->count > 0) refit_node(bvh, mesh, 0, &first, &n);
}

void sp_bvh_close(sp_bvh *bvh)
{
    if (!bvh) return;
    sp_release(bvh->host, bvh->nodes);
    sp_release(bvh->host, bvh->moments);
    sp_release(bvh->host, bvh->corners);
    sp_release(bvh->host, bvh->order);
    sp_release(bvh->host, bvh);
}
