// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SURFACE_INTERNAL_H
#define SP_SURFACE_INTERNAL_H

#include "particles/particles.h"
#include "surface/surface.h"
#include "tiles/mac.h"

/// Radius of a ball with the volume of an eighth of a voxel, voxels
#define SURFACE_SHARE 0.3101753f

/// ---- Triangles of a cell (marching_cubes_table.c) ----------------------------------------------
///
/// Numbering: corner dx + 2 dy + 4 dz of a cell; edge 4*axis + the other two bits of its low
/// corner; face 2*axis + side.

enum {
    CUBES_ENTRIES = 656,
    CUBES_TRIANGLES = 12, ///< most in a cell
    CUBES_CENTRES = 4,    ///< most loops in a cell
    CUBES_EDGES = 12,
};

typedef struct cubes_entry {
    uint8_t triangles, centres;
    uint8_t corner[CUBES_TRIANGLES][3]; ///< edge of the cell, or CUBES_EDGES + index of a centre
    uint16_t loop[CUBES_CENTRES];       ///< per centre: the edges it is the mean of, one bit each
} cubes_entry;

typedef struct cubes_table {
    uint16_t first[256]; ///< entry per sign pattern, all ambiguous faces separated
    uint8_t unsure[256]; ///< ambiguous faces, one bit each
    uint16_t cut[256];   ///< cut edges, one bit each
    cubes_entry entry[CUBES_ENTRIES];
} cubes_table;

/// Fills the table; returns the number of entries, which is CUBES_ENTRIES.
size_t surface_cubes_table(cubes_table *table);
/// The entry of a cell with these corner values. `signs`: bit c is phi[c] < 0.
const cubes_entry *surface_cubes_cell(const cubes_table *table, unsigned signs, const float phi[8]);

static inline unsigned surface_edge_low(unsigned edge) ///< low corner of an edge
{
    const unsigned axis = edge >> 2, rest = edge & 3;
    return axis == 0 ? rest << 1 : axis == 1 ? (rest & 1) | (rest & 2) << 1 : rest;
}

/// ---- Rings and connected pieces of a mesh (mesh_neighbours.c) ----------------------------------

/// The corners (3*triangle + place) at each vertex, in ascending order.
typedef struct surface_rings {
    uint32_t *start;  ///< vertex_count + 1
    uint32_t *corner; ///< 3*triangle_count
} surface_rings;
sp_status surface_rings_open(surface_rings *rings, const sp_mesh *mesh, sp_error *err);
void surface_rings_close(surface_rings *rings, const sp_host *host);
/// Vertex normals: mean of face normals weighted by angle (Thuermer and Wuethrich 1998).
void surface_rings_normals(const surface_rings *rings, sp_mesh *mesh);
/// The same without rings, only for vertices whose normal is zero; meant for few.
void surface_missing_normals(sp_mesh *mesh);
/// Numbers the connected pieces from 0 by their smallest vertex. `piece` is per vertex.
sp_status surface_pieces(const sp_mesh *mesh, uint32_t *piece, size_t *count, sp_error *err);
/// Fills mesh->component, which the caller has allocated.
sp_status surface_components(sp_mesh *mesh, sp_error *err);

/// ---- Particles (gather_from_frame.c) -----------------------------------------------------------

/// Copies of a set's particles, sorted along the Z-curve.
typedef struct surface_points {
    const sp_host *host;
    size_t n;
    float *x, *y, *z, *r; ///< m, padded by a vector; r NULL: equal or no radii
    uint32_t *from;       ///< index in the frame's set
} surface_points;
/// `chosen` NULL: all particles. On failure err names the particle that is not finite.
sp_status surface_points_open(surface_points *points, const sp_frame *frame, const sp_set *set,
                              const uint32_t *chosen, size_t count, float edge, const sp_host *host,
                              sp_error *err);
void surface_points_close(surface_points *points);
/// SP_DIVERGED: position or radius of a particle is not a finite number.
sp_status surface_not_a_number(const sp_frame *frame, const sp_set *set, size_t index,
                               sp_error *err);

/// Opens sparse cells with an edge of at least `edge` and sorts the points by cell: point k is then
/// at place k, and all points within `edge` of it are in the 27 cells around its own.
sp_status surface_points_sort(surface_points *points, float edge, sp_cells *cells, sp_error *err);

/// ---- Ellipsoids (neighbour_moments.c, eigenvalues.c, ellipsoids.c, half_space_offset.c) --------

/// Parameters of Yu and Turk, in metres where they are lengths.
typedef struct surface_shape {
    float spacing, search;   ///< m
    float radius;            ///< R0 = sqrt(3) spacings, m
    float smooth, stretch;   ///< lambda, k_r
    float isolated;          ///< k_n
    uint32_t min_neighbours; ///< N_epsilon
    bool vary;               ///< radii differ: search and R0 scale with each one
} surface_shape;
surface_shape surface_shape_of(const sp_surface_def *def, float spacing);
/// Largest factor on search and R0 where radii vary.
#define SURFACE_SCALE_MOST 1.5f
/// Largest search radius, m: the least edge of the cells.
static inline float surface_max_search(const surface_shape *shape)
{
    return shape->vary ? shape->search * SURFACE_SCALE_MOST : shape->search;
}

/// Weighted moments of a particle's neighbourhood; m and m2.
typedef struct surface_moments {
    uint32_t count; ///< the particle itself included
    float scale;    ///< radius over the neighbours' mean; 1 if all are equal
    double mean[3]; ///< x^w - x
    double c[6];    ///< xx yy zz xy xz yz about x^w
} surface_moments;
/// Copies of the points of 27 cells, contiguous; one per task.
enum { SURFACE_CANDIDATES = 1536 };
typedef struct surface_candidates {
    float x[SURFACE_CANDIDATES + SP_LANES], y[SURFACE_CANDIDATES + SP_LANES],
        z[SURFACE_CANDIDATES + SP_LANES], r[SURFACE_CANDIDATES + SP_LANES];
    size_t n;
    bool whole; ///< holds the whole neighbourhood
} surface_candidates;
/// Gathers the points around a cell; call it before surface_moments_of() for points of that cell.
void surface_candidates_gather(surface_candidates *candidates, const surface_points *points,
                               const sp_around *around);
void surface_moments_of(surface_candidates *candidates, const surface_shape *shape,
                        const surface_points *points, const sp_around *around, size_t point,
                        surface_moments *out);

/// Eigenvalues (descending) and eigenvectors (columns) of a covariance matrix C.
typedef struct surface_axes {
    double value[3], vector[3][3];
} surface_axes;
enum { SURFACE_EIGEN = 8 };
/// For up to SURFACE_EIGEN neighbourhoods; each result depends only on its own matrix.
void surface_eigen_many(size_t n, const surface_moments *m, surface_axes *out);

/// q(x) = sqrt(d.A d), d = x - centre: 1 on the ellipsoid.
typedef struct surface_ellipsoid {
    float center[3];
    float a[6];    ///< A: xx yy zz xy xz yz
    float half[3]; ///< half the bounding box, m
    float thin;    ///< smallest axis, m
} surface_ellipsoid;
void surface_ellipsoid_of(const surface_shape *shape, const float x[3], const surface_moments *m,
                          const surface_axes *axes, surface_ellipsoid *out);
/// (q-1)/|grad q| at a point; -thin at the centre.
float surface_ellipsoid_value(const surface_ellipsoid *e, const float x[3]);
/// The ellipsoids of all points with wanted[i] set (NULL: all), in order, and how many. Release
/// them with the points' host.
sp_status surface_ellipsoids(const surface_shape *shape, const surface_points *points,
                             const sp_cells *cells, const uint8_t *wanted, surface_ellipsoid **out,
                             size_t *count, sp_error *err);
/// Height of the surface of a half-space of particles over its last layer, m.
sp_status surface_half_space(const surface_shape *shape, const sp_host *host, float *height,
                             sp_error *err);

/// ---- Rasterising (skip_deep.c, rasterise.c) ----------------------------------------------------

/// Voxels so deep inside that their values do not affect the surface.
typedef struct surface_deep {
    sp_tiles tiles;       ///< tiles that hold points
    sp_tile_mask *inside; ///< per tile: deep voxels
    sp_tile_mask *core;   ///< per tile: voxels whose particles reach only deep voxels
    size_t count;         ///< tiles with a deep voxel
} surface_deep;
/// `reach`: farthest distance at which an ellipsoid may change a voxel, m, from its particle.
sp_status surface_deep_open(surface_deep *deep, const surface_shape *shape,
                            const surface_points *points, float voxel, float reach, sp_error *err);
void surface_deep_close(surface_deep *deep, const sp_host *host);
/// wanted[i] = 0 for points in the core.
void surface_deep_wanted(const surface_deep *deep, const surface_points *points, uint8_t *wanted);
/// The tiles within `reach` of an ellipsoid, and those with deep voxels.
sp_status surface_raster_tiles(sp_tiles *tiles, const sp_host *host, float voxel,
                               const surface_ellipsoid *all, size_t count, const surface_deep *deep,
                               float reach, sp_error *err);
/// phi = minimum over all ellipsoids - `offset`. Exact only next to the surface; elsewhere +band
/// outside, -band in deep voxels.
sp_status surface_raster(const sp_tiles *tiles, const surface_ellipsoid *all, size_t count,
                         const surface_deep *deep, float offset, float band, float *phi,
                         sp_error *err);
/// Margin around an ellipsoid within which the raster is correct, voxels.
#define SURFACE_RASTER_MARGIN 2.0f

/// ---- Other stages ------------------------------------------------------------------------------

/// Extends liquid up to the clip's solids (wet_walls.c). Replaces the topology, which grows by a
/// ring, and phi.
sp_status surface_wet(sp_tiles *tiles, float **phi, float band, const sp_clip *clip,
                      const double origin[3], sp_error *err);
/// Velocity of vertices: weighted mean of the eight nearest particles.
sp_status surface_carry_velocity(sp_mesh *mesh, const surface_points *points, const sp_cells *cells,
                                 const float *velocity, float search, sp_error *err);
/// Taubin smoothing and connected pieces, as the def says.
sp_status surface_finish(const sp_surface_def *def, sp_mesh *mesh, sp_error *err);
sp_status surface_check_def(const sp_surface_def *def, sp_error *err);

#endif
