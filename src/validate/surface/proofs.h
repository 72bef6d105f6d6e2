// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_SURFACE_PROOFS_H
#define SP_VALIDATE_SURFACE_PROOFS_H

/// The proofs of surfaces and what they share.

#include "surface/internal.h"
#include "validate/validate.h"

sp_proof surface_prove_closed, surface_prove_closed_long, surface_prove_order,
    surface_prove_negative, surface_prove_taubin, surface_prove_height; // mesh.c
sp_proof surface_prove_ellipsoids, surface_prove_half_space, surface_prove_ball, surface_prove_line,
    surface_prove_split, surface_prove_same,
    surface_prove_same_long; // points.c

/// ---- What they share (cases.c)

/// A number in [0, 1) that depends on (purpose, n, k) alone; a normal deviate likewise.
double surface_proof_unit(uint32_t purpose, uint64_t n, uint32_t k);
double surface_proof_normal(uint32_t purpose, uint64_t n, uint32_t k);

/// A field on a cube of tiles around the origin, at least `half` m to each side and a voxel more.
typedef double surface_proof_function(const double p[3]);
typedef struct surface_proof_grid {
    sp_tiles tiles;
    float *phi;
} surface_proof_grid;
sp_status surface_proof_grid_open(surface_proof_grid *grid, const sp_host *host, double voxel,
                                  double half, surface_proof_function *phi, sp_error *err);
void surface_proof_grid_close(surface_proof_grid *grid);

/// Particles as a frame with one set, "liquid".
typedef struct surface_proof_cloud {
    const sp_host *host;
    size_t n, room;
    float (*x)[3];
    uint64_t *id;
    sp_column columns[2];
    sp_set set;
    sp_frame frame;
} surface_proof_cloud;
sp_status surface_proof_cloud_open(surface_proof_cloud *cloud, const sp_host *host, size_t room,
                                   double voxel, sp_error *err);
void surface_proof_cloud_close(surface_proof_cloud *cloud);
void surface_proof_add(surface_proof_cloud *cloud, double x, double y, double z);
/// Lattice points (spacing s, moved by up to `jitter` spacings) inside a ball.
void surface_proof_ball(surface_proof_cloud *cloud, double s, double radius, double jitter,
                        const double center[3]);
/// nx x ny x nz lattice points from a corner.
void surface_proof_block(surface_proof_cloud *cloud, double s, int nx, int ny, int nz,
                         const double corner[3]);
/// Edges that are not shared by two triangles, opposite ways.
static inline double surface_bad_edges(const sp_mesh_edges *e)
{
    return (double)(e->open + e->crowded + e->flipped);
}
#endif
