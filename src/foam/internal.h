// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FOAM_INTERNAL_H
#define SP_FOAM_INTERNAL_H

/// The stages of a substep, in order:
///
///     sort.c        particles by cell, in arrays that neighbours are read from
///     density.c     sigma, and what pressure follows from it (W20)
///     forces.c      pressure, viscosity, cohesion (W21 to W23)
///     glide.c       motion along the surface, back onto it, and out of solids (W24, W25)
///
/// All of them work in the order of cells; the caller's arrays are read first and written last. docs/foam.md
/// has the equations; numbers W are ours.

#include "foam/foam.h"
#include "particles/particles.h"

enum { FOAM_CELLS = 64, FOAM_GRAIN = 256 }; ///< cells and particles a block

/// Particles in the order of cells. Arrays can be read up to 16 entries beyond the end.
typedef struct foam_sorted {
    double *at[3]; ///< m
    double *to[3]; ///< m; at the end of the substep
    double *alpha; ///< m; of that along the normal
    float *x[3];   ///< m; from the low corner of the bulk
    float *v[3];   ///< m/s
    float *radius, *volume;
    float *support;  ///< m; reach of pressure: beta times the radius, or that of the 5th percentile
    float *reach;    ///< m; of cohesion
    float *sigma;    ///< density over that of a perfect layer
    float *push;     ///< max(sigma - 1, 0)/sigma^2
    float *speed;    ///< m/s; as in sp_foam_particles
    float *force[3]; ///< m/s2
    float *normal[3];
    float *u[3];        ///< m/s; of the water
    float *gradient[3]; ///< of phi
    uint8_t *lost;
} foam_sorted;

/// What a block of particles reports.
typedef struct foam_count {
    float slip; ///< m2/s2; the largest, squared
    uint32_t lost, corrections;
} foam_count;

struct sp_foam {
    const sp_host *host;
    sp_foam_def def;
    double layer;           ///< eta of the support
    float smallest_support; ///< m
    size_t room, bytes;
    void *block; ///< all arrays below
    sp_cells cells;
    foam_sorted sorted;
    float *place[3];   ///< m; in the caller's order
    foam_count *count; ///< by block
    sp_profile profile;
    double clock;
};

enum { FOAM_STAGE_SORT, FOAM_STAGE_DENSITY, FOAM_STAGE_FORCES, FOAM_STAGE_GLIDE };

/// Room for n particles.
sp_status foam_reserve(sp_foam *f, size_t n, sp_error *err);
/// The radius that a twentieth of the particles are below, m.
float foam_small_radius(sp_foam *f, const sp_foam_particles *p);
/// Sorts particles and copies them.
sp_status foam_sort(sp_foam *f, const sp_foam_particles *p, const double origin[3], sp_error *err);
void foam_find_density(sp_foam *f);
/// Into `force`, with gravity.
void foam_find_forces(sp_foam *f, const uint64_t *id, const float gravity[3]);
/// The rest of a substep, up to `to` and `lost`.
sp_status foam_glide(sp_foam *f, const sp_foam_world *w, double t, double dt,
                     sp_foam_figures *figures, sp_error *err);
/// ---- Neighbours (sort.c) -----------------------------------------------------------------------

/// What is done with a place and the runs of places around its cell.
typedef void foam_around_body(sp_foam *f, const void *arg, size_t place, const sp_around *around);
void foam_around_all(sp_foam *f, foam_around_body *body, const void *arg);

/// Entries k ... k + SP_PART - 1 of a run that ends at `end`.
SP_INLINE sp_flags foam_lanes_before(size_t k, size_t end)
{
    sp_flags lane;
    for (int l = 0; l < SP_PART; ++l)
        lane[l] = l;
    return lane < (int32_t)(end > k ? end - k : 0);
}

/// The same but for entry `p`.
SP_INLINE sp_flags foam_lanes_but(size_t k, size_t p)
{
    sp_flags lane;
    for (int l = 0; l < SP_PART; ++l)
        lane[l] = l;
    return lane != (int32_t)((int64_t)p - (int64_t)k);
}

#endif
