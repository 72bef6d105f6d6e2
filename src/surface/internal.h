// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SURFACE_INTERNAL_H
#define SP_SURFACE_INTERNAL_H

#include "particles/particles.h"
#include "surface/surface.h"

/// Radius of a ball with the volume of an eighth of a voxel, voxels
#define SURFACE_SHARE 0.3101753f

/// ---- What a cell looks like (marching_cubes_table.c) -------------------------------------------
///
/// Corner dx + 2 dy + 4 dz of a cell; edge 4*axis + the two other bits of its low corner; face
/// 2*axis + side.

enum {
    CUBES_ENTRIES = 656,
    CUBES_TRIANGLES = 12, ///< of a cell, at most
    CUBES_CENTRES = 4,    ///< loops of a cell, at most
    CUBES_EDGES = 12,
};

typedef struct cubes_entry {
    uint8_t triangles, centres;
    uint8_t corner[CUBES_TRIANGLES][3]; ///< an edge of the cell, or CUBES_EDGES + a centre
    uint16_t loop[CUBES_CENTRES];       ///< the edges whose mean each centre is, a bit each
} cubes_entry;

typedef struct cubes_table {
    uint16_t first[256]; ///< entry of a sign pattern whose ambiguous faces are all separated
    uint8_t unsure[256]; ///< its ambiguous faces, a bit each
    uint16_t cut[256];   ///< its cut edges, a bit each
    cubes_entry entry[CUBES_ENTRIES];
} cubes_table;

/// Fills in the table; returns how many entries there are, which is CUBES_ENTRIES.
size_t surface_cubes_table(cubes_table *table);
/// The entry of a cell with these corner values. `signs`: bit c is phi[c] < 0.
const cubes_entry *surface_cubes_cell(const cubes_table *table, unsigned signs, const float phi[8]);

static inline unsigned surface_edge_low(unsigned edge) ///< the corner that owns an edge
{
    const unsigned axis = edge >> 2, rest = edge & 3;
    return axis == 0 ? rest << 1 : axis == 1 ? (rest & 1) | (rest & 2) << 1 : rest;
}

/// ---- Rings and pieces of a mesh (mesh_neighbours.c) --------------------------------------------

/// Which corners (3*triangle + place) meet at each vertex, by ascending corner.
typedef struct surface_rings {
    uint32_t *start;  ///< vertex_count + 1
    uint32_t *corner; ///< 3*triangle_count
} surface_rings;
sp_status surface_rings_open(surface_rings *rings, const sp_mesh *mesh, sp_error *err);
void surface_rings_close(surface_rings *rings, const sp_host *host);
/// Normals as the mean of the faces around, weighted by their angles (Thuermer and Wuethrich 1998).
void surface_rings_normals(const surface_rings *rings, sp_mesh *mesh);
/// The same for the vertices alone whose normal is zero, without rings; few they must be.
void surface_missing_normals(sp_mesh *mesh);
/// Numbers connected pieces from 0 by their smallest vertex. `piece` has a number for each vertex.
sp_status surface_pieces(const sp_mesh *mesh, uint32_t *piece, size_t *count, sp_error *err);
/// Fills in mesh->component, which is allocated.
sp_status surface_components(sp_mesh *mesh, sp_error *err);

/// ---- Particles (gather_from_frame.c) -----------------------------------------------------------

/// Particles of a set along the Z-curve, apart from the frame.
typedef struct surface_points {
    const sp_host *host;
    size_t n;
    float *x, *y, *z, *r; ///< m, padded by a vector; r NULL: all alike or none
    uint32_t *from;       ///< index in the frame's set
} surface_points;
/// `chosen` NULL: all. Names the particle that is not a number.
sp_status surface_points_open(surface_points *points, const sp_frame *frame, const sp_set *set,
                              const uint32_t *chosen, size_t count, float edge, const sp_host *host,
                              sp_error *err);
void surface_points_close(surface_points *points);
/// SP_DIVERGED: position or radius of a particle is not a finite number.
sp_status surface_not_a_number(const sp_frame *frame, const sp_set *set, size_t index,
                               sp_error *err);

/// Opens sparse cells of at least `edge` and brings the points into their order: point k is the one
/// at place k, and all within `edge` of it lie in the 27 cells around its own.
sp_status surface_points_sort(surface_points *points, float edge, sp_cells *cells, sp_error *err);

/// ---- Ellipsoids (neighbour_moments.c, eigenvalues.c, ellipsoids.c, half_space_offset.c) --------

/// Numbers of Yu and Turk, resolved.
typedef struct surface_shape {
    float spacing, search;   ///< m
    float radius;            ///< R0 = sqrt(3) spacings, m
    float smooth, stretch;   ///< lambda, k_r
    float isolated;          ///< k_n
    uint32_t min_neighbours; ///< N_epsilon
    bool vary;               ///< radii differ: search and R0 follow each particle's own
} surface_shape;
surface_shape surface_shape_of(const sp_surface_def *def, float spacing);
/// Search and R0 grow by as much at most where radii vary.
#define SURFACE_SCALE_MOST 1.5f
/// How far a point can see, m: the least edge of its cells.
static inline float surface_shape_sight(const surface_shape *shape)
{
    return shape->vary ? shape->search * SURFACE_SCALE_MOST : shape->search;
}

/// What was summed over a neighbourhood; m and m2.
typedef struct surface_moments {
    uint32_t count; ///< the particle itself included
    float scale;    ///< radius over the mean of the neighbourhood's; 1 where all are alike
    double mean[3]; ///< x^w - x
    double c[6];    ///< xx yy zz xy xz yz about x^w
} surface_moments;
/// Room for the points of 27 cells side by side; a task has one.
typedef struct surface_crowd surface_crowd;
enum { SURFACE_CROWD = 1536 };
struct surface_crowd {
    float x[SURFACE_CROWD + SP_LANES], y[SURFACE_CROWD + SP_LANES], z[SURFACE_CROWD + SP_LANES],
        r[SURFACE_CROWD + SP_LANES];
    size_t n;
    bool whole; ///< all of the neighbourhood fits
};
/// Brings the points around a cell together, before surface_moments_of() for points of that cell.
void surface_crowd_gather(surface_crowd *crowd, const surface_points *points,
                          const sp_around *around);
void surface_moments_of(surface_crowd *crowd, const surface_shape *shape,
                        const surface_points *points, const sp_around *around, size_t point,
                        surface_moments *out);

/// Eigenvalues (descending) and eigenvectors (columns) of a neighbourhood's C.
typedef struct surface_axes {
    double value[3], vector[3][3];
} surface_axes;
enum { SURFACE_EIGEN = 8 };
/// Of up to SURFACE_EIGEN neighbourhoods; each result depends on its own matrix alone.
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
/// Ellipsoids of all wanted points (NULL: all), in order, and how many. To be released with the
/// points' host.
sp_status surface_ellipsoids(const surface_shape *shape, const surface_points *points,
                             const sp_cells *cells, const uint8_t *wanted, surface_ellipsoid **out,
                             size_t *count, sp_error *err);
/// How high the surface of a half-space of particles lies over its last layer, m.
sp_status surface_half_space(const surface_shape *shape, const sp_host *host, float *height,
                             sp_error *err);

/// ---- Onto the grid (skip_deep.c, rasterise.c) --------------------------------------------------

/// One bit a voxel of a tile: bit i + 8j of layer k.
typedef struct surface_bits {
    uint64_t layer[SP_TILE];
} surface_bits;
static inline bool surface_bits_any(const surface_bits *bits)
{
    uint64_t any = 0;
    for (int k = 0; k < SP_TILE; ++k)
        any |= bits->layer[k];
    return any != 0;
}

/// Which voxels are so deep inside that nothing of the surface depends on what is there.
typedef struct surface_deep {
    sp_tiles tiles;       ///< tiles that hold points
    surface_bits *inside; ///< of each of these: deep voxels
    surface_bits *core;   ///< voxels whose particles reach nothing but deep voxels
    size_t count;         ///< tiles with a deep voxel
} surface_deep;
/// `reach`: how far from a particle its ellipsoid may change a voxel, m.
sp_status surface_deep_open(surface_deep *deep, const surface_shape *shape,
                            const surface_points *points, float voxel, float reach, sp_error *err);
void surface_deep_close(surface_deep *deep, const sp_host *host);
/// wanted[i] = 0 for points in the core.
void surface_deep_wanted(const surface_deep *deep, const surface_points *points, uint8_t *wanted);
/// The tiles within `reach` of an ellipsoid, and those with deep voxels.
sp_status surface_raster_tiles(sp_tiles *tiles, const sp_host *host, float voxel,
                               const surface_ellipsoid *all, size_t count, const surface_deep *deep,
                               float reach, sp_error *err);
/// The least of all ellipsoids, less `offset`, right next to the surface; +band elsewhere outside,
/// -band in deep voxels.
sp_status surface_raster(const sp_tiles *tiles, const surface_ellipsoid *all, size_t count,
                         const surface_deep *deep, float offset, float band, float *phi,
                         sp_error *err);
/// How far beyond an ellipsoid the raster is right, voxels.
#define SURFACE_RASTER_MARGIN 2.0f

/// ---- The rest ----------------------------------------------------------------------------------

/// Draws liquid up to the clip's solids (wet_walls.c). The topology grows by a ring; both are replaced.
sp_status surface_wet(sp_tiles *tiles, float **phi, float band, const sp_clip *clip,
                      const double origin[3], sp_error *err);
/// Velocity of vertices: weighted mean of the eight nearest particles.
sp_status surface_carry_velocity(sp_mesh *mesh, const surface_points *points, const sp_cells *cells,
                                 const float *velocity, float search, sp_error *err);
/// Taubin and components, as the def says.
sp_status surface_finish(const sp_surface_def *def, sp_mesh *mesh, sp_error *err);
sp_status surface_check_def(const sp_surface_def *def, sp_error *err);

#endif
