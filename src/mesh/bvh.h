// SPDX-License-Identifier: Apache-2.0
#ifndef SP_MESH_BVH_H
#define SP_MESH_BVH_H

/// A bounding volume hierarchy (BVH) over triangles, in flat arrays: bvh.c builds it,
/// closest_point.c and winding_number.c traverse it.
///
///     nodes    depth first: the left child of an inner node follows it, the right one is `next`
///     corners  of the triangles in the tree's order, copied so that a leaf is contiguous
///     moments  of each node: approximation of its triangles seen from far away

#include "mesh/mesh.h"

enum {
    BVH_LEAF = 4,       ///< triangles in a leaf, at most
    BVH_DEEPEST = 96,   ///< levels: see build_node() for why more cannot happen
    BVH_SAH_LEVELS = 56 ///< deeper nodes are split in half
};

typedef struct bvh_node {
    float low[3], high[3];
    uint32_t next;  ///< leaf: its first triangle; else the right child
    uint32_t count; ///< triangles of a leaf; 0 for an inner node
} bvh_node;

/// A cluster seen from far away: the sum of its area vectors, their centre, and the radius around
/// it. The area vectors of two walls back to back cancel, so their first moment is kept as well.
typedef struct bvh_moment {
    float center[3], radius;
    float area[3];   ///< sum of area times normal, m^2
    float spread[6]; ///< sum of (middle - center) area normal, symmetric: xx yy zz yz zx xy, m^3
} bvh_moment;

struct sp_bvh {
    const sp_host *host;
    size_t count; ///< triangles
    size_t node_count;
    bvh_node *nodes;
    bvh_moment *moments;
    float (*corners)[3][3];
    uint32_t *order; ///< triangle number in the mesh, in the tree's order
};

#endif
