// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_MESH_H
#define SPUME_MESH_H

#include <spume/api.h>
#include <spume/host.h>
#include <spume/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A triangle mesh. Triangles are counter-clockwise seen from outside, so a closed mesh has a
/// positive volume. All arrays belong to the mesh and die with sp_mesh_close(); a zeroed mesh is
/// empty and may be closed.
typedef struct sp_mesh {
    const sp_host *host; ///< which allocated the arrays; must outlive the mesh
    double origin[3];    ///< m; vertices count from here
    size_t vertex_count, triangle_count;
    float (*x)[3];       ///< m
    float (*n)[3];       ///< unit normals, outward; NULL: none
    float (*v)[3];       ///< velocity, m/s, for motion blur; NULL: none
    uint32_t (*tri)[3];  ///< vertices of each triangle
    uint32_t *component; ///< connected component of each triangle, from 0; NULL: not requested
} sp_mesh;

/// What a mesh carries besides vertices and triangles.
enum { SP_MESH_NORMALS = 1, SP_MESH_VELOCITY = 2, SP_MESH_COMPONENTS = 4 };

/// Allocates the arrays, zeroed. On failure the mesh is zeroed.
SP_API sp_status sp_mesh_open(sp_mesh *mesh, const sp_host *host, size_t vertex_count,
                              size_t triangle_count, unsigned carries, sp_error *err);
SP_API void sp_mesh_close(sp_mesh *mesh); ///< leaves it zeroed
SP_API double sp_mesh_area(const sp_mesh *mesh);
SP_API double sp_mesh_volume(const sp_mesh *mesh); ///< signed, by the divergence theorem

/// Counts of a mesh's edges. A closed, consistently wound mesh has no open, crowded or flipped
/// edge.
typedef struct sp_mesh_edges {
    size_t edges;
    size_t open;    ///< edges of one triangle
    size_t crowded; ///< edges of three or more
    size_t flipped; ///< edges whose two triangles run along them in the same direction
    int64_t euler;  ///< vertices in use - edges + triangles: 2 a sphere, 0 a torus
} sp_mesh_edges;
/// Counts the edges. Fails only without memory, or with SP_BAD_INPUT when a triangle has a vertex
/// number that is too large.
SP_API sp_status sp_mesh_look(const sp_mesh *mesh, sp_mesh_edges *edges, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
