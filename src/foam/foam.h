// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FOAM_H
#define SP_FOAM_H

/// Wet foam: bubbles that float on a moving surface of water, push, damp and attract each other within it, and
/// drift with it (Wretborn, Flynn, Stomakhin 2022, section 6). Positions and forces are in space; motion is
/// along the surface, which each substep finds again. Who becomes foam, and when it bursts, is whitewater's.

#include "bulk/bulk.h"
#include "shapes/solids.h"

enum { SP_FOAM_VOLUME, SP_FOAM_SCALE_FREE };           ///< summation
enum { SP_FOAM_CORRECT_PRINTED, SP_FOAM_CORRECT_OFF }; ///< speed_correction

typedef struct sp_foam_def {
    float stiffness;          ///< m2/s2 (kappa)
    float viscosity;          ///< m/s (mu)
    bool viscosity_two_sided; ///< also between particles that part
    float cohesion;           ///< m/s2 (C)
    float cohesion_radius;    ///< reach of cohesion, in radii (beta_c)
    float support;            ///< reach of pressure and viscosity, in radii (beta)
    int summation;            ///< what a neighbour counts for in the density
    float surface_drag;       ///< 1/s (chi)
    float cfl;                ///< of the longest stable substep
    int32_t max_substeps;     ///< a step
    float tolerance;          ///< m; how near the surface particles are set
    float max_correction;     ///< m; a surface farther away is another one (epsilon)
    int speed_correction;     ///< whether a particle keeps its speed where the surface turns
} sp_foam_def;
extern const sp_keys sp_foam_keys;
/// What ranges of single keys cannot express; `path` is that of the object.
sp_status sp_foam_check(const sp_foam_def *def, const char *path, sp_error *err);

/// Particles, in any order. The arrays belong to the caller; those of floats can be read up to 16 entries beyond
/// the end.
typedef struct sp_foam_particles {
    size_t count;
    double *x[3];
    float *v[3];         ///< m/s
    const float *radius; ///< m
    const uint64_t *id;
    float *speed;  ///< m/s; along the surface after the last substep; below 0: not known
    uint8_t *lost; ///< set where the surface was not found again
} sp_foam_particles;

typedef struct sp_foam_world {
    const sp_bulk *bulk;
    sp_solids *solids; ///< NULL: none; a step moves them to its end
    float gravity[3];  ///< m/s2
} sp_foam_world;

/// Of one step.
typedef struct sp_foam_figures {
    int substeps, wanted; ///< wanted: without max_substeps
    double radius;        ///< m; the 5th percentile, which decides
    double fastest;       ///< m/s; relative to the water
    double sigma;         ///< largest density over that of a perfect layer
    size_t lost;
    uint64_t corrections; ///< Newton steps to the surface
} sp_foam_figures;

typedef struct sp_foam sp_foam;
sp_status sp_foam_open(const sp_foam_def *def, const sp_host *host, sp_foam **out, sp_error *err);
void sp_foam_close(sp_foam *foam); ///< NULL is allowed
size_t sp_foam_bytes(const sp_foam *foam);
enum { SP_FOAM_STAGES = 4 };
const sp_profile *sp_foam_profile(const sp_foam *foam); ///< seconds of each stage
/// Moves particles from t to t + dt in as many substeps as are stable, at most max_substeps. The bulk must be
/// known from t to t + dt. Lost particles go on with the water's normal speed; the caller decides their fate.
sp_status sp_foam_step(sp_foam *foam, const sp_foam_world *world,
                       const sp_foam_particles *particles, double t, double dt,
                       sp_foam_figures *figures, sp_error *err);
/// Neighbours of each particle within its own support, itself included.
sp_status sp_foam_neighbours(sp_foam *foam, const sp_foam_particles *particles, uint32_t *count,
                             sp_error *err);

/// ---- The perfect layer (layer.c) ---------------------------------------------------------------

/// Sum of V W over touching balls of one size in a hexagonal layer, for a support in radii (eta).
double sp_foam_layer_density(double support);
/// Neighbours of a ball in that layer within its support, itself included, as a continuum: pi beta^2 of the
/// area over 2 sqrt(3), or 0.9069 beta^2.
double sp_foam_layer_count(double support);

#endif
