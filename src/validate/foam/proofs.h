// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_FOAM_PROOFS_H
#define SP_VALIDATE_FOAM_PROOFS_H

/// The proofs of foam and what they share.

#include "foam/internal.h"
#include "validate/validate.h"

sp_proof foam_prove_layer, foam_prove_neighbours;                       // layer.c
sp_proof foam_prove_momentum, foam_prove_viscosity, foam_prove_packing; // forces.c
sp_proof foam_prove_cohesion, foam_prove_reach, foam_prove_stable;      // patches.c
sp_proof foam_prove_waves, foam_prove_orbit, foam_prove_follow;         // surfaces.c
sp_proof foam_prove_gap;                                                // surfaces.c

/// ---- Surfaces that are known exactly (cases.c) -------------------------------------------------

enum { FOAM_PLANE, FOAM_WAVE, FOAM_ELLIPSOID, FOAM_STEP };

/// Water below y = 0 that moves with `u`; a wave of deep water along x; a body of three half axes at rest, around
/// the origin; and a plane that drops by `amplitude` at time 0.
typedef struct foam_surface {
    int kind;
    double u[3];                  ///< m/s; of the plane
    double amplitude, wavelength; ///< m
    double axes[3];               ///< m
    double t;                     ///< s; what answers are for
} foam_surface;
double foam_wave_number(const foam_surface *s); ///< 1/m
double foam_wave_rate(const foam_surface *s);   ///< 1/s
/// Signed distance (near the surface) and velocity at a point at time s->t.
double foam_surface_at(const foam_surface *s, const double p[3], double gradient[3], double u[3]);
sp_bulk foam_surface_bulk(foam_surface *s);

/// The same on tiles, at moments `fps` a second, for `columns` tiles along x and z (gridded.c).
enum { FOAM_MOMENTS = 64 };
typedef struct foam_gridded {
    foam_surface surface;
    float voxel;
    int32_t columns, deep; ///< deep: tiles above and below y = 0
    bool all;              ///< every tile, not only those that the surface passes
    double fps, times[FOAM_MOMENTS];
    size_t moments;
} foam_gridded;
sp_status foam_gridded_bulk(foam_gridded *g, const sp_host *host, sp_bulk *bulk, sp_error *err);

/// ---- Particles ---------------------------------------------------------------------------------

/// A set with foam to move it.
typedef struct foam_case {
    sp_foam_def def;
    foam_surface surface;
    sp_foam_world world;
    sp_bulk bulk;
    sp_foam *foam;
    const sp_host *host;
    sp_foam_particles p;
    float *radius;
    uint64_t *id;
    double t;
    sp_foam_figures figures;
} foam_case;

/// Default foam for n particles of radius r on still water, without gravity.
sp_status foam_case_open(foam_case *c, size_t n, float r, const sp_host *host, sp_error *err);
void foam_case_close(foam_case *c);
/// After changes of def.
sp_status foam_case_again(foam_case *c, sp_error *err);
/// A hexagonal layer of `side` by `side` particles whose neighbours are `spacing` apart, m.
void foam_case_layer(foam_case *c, size_t side, double spacing);
/// At random places within a square that they cover to a share, none nearer than 0.9 diameters.
void foam_case_scatter(foam_case *c, double cover, uint64_t seed);
sp_status foam_case_run(foam_case *c, double seconds, double dt, sp_error *err);
/// Distances to the nearest neighbour over the diameter, of particles within half the way to the rim.
double foam_case_spacing(const foam_case *c);
double foam_case_energy(const foam_case *c); ///< m2/s2, mean of v^2

#endif
