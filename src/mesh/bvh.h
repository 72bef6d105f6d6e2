// SPDX-License-Identifier: Apache-2.0
#ifndef SP_MESH_BVH_H
#define SP_MESH_BVH_H

/// A tree of boxes over triangles, in flat arrays: bvh.c builds it,
/// closest_point.c and winding_number.c walk it.
///
///     nodes    depth first: the left child of an inner node is the next one, the right one is
///              named
///     corners  of the triangles in the tree's order, copied so that a leaf is one run of memory
///     moments  for each node what its triangles look like from far away

#include "mesh/mesh.h"

enum {
    BVH_LEAF = 4,       ///< triangles in a leaf, at most
    BVH_DEEPEST = 96,   ///< levels: see build_node() for why more cannot happen
    BVH_SAH_LEVELS = 56 ///< deeper than that, nodes are halved
};

typedef struct bvh_node {
    float low[3], high[3];
    uint32_t next;  ///< leaf: its first triangle; else the right child
    uint32_t count; ///< triangles of a leaf; 0 for an inner node
} bvh_node;

/// A cluster from far away: its area vectors added up, where they sit, how far it reaches from
/// there. Two walls back to back add up to nothing, so how the vectors are spread is kept as well.
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
    uint32_t *order; ///< the mesh's number of each triangle
};

#endif
