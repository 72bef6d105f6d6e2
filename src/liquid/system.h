// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_SYSTEM_H
#define SP_LIQUID_SYSTEM_H

/// The pressure equation as faces and cells. `cell` says what each voxel is to it: phi where there
/// is water (negative) or air, with two exceptions:
///
///     0          beyond an open side of the domain: air whose pressure lies at the voxel's centre
///     INFINITY   pinned by an emitter: no unknown, and its faces keep the velocity they have

#include "liquid/internal.h"

typedef struct liquid_system {
    liquid *s;
    double dt;
    float *cell;    ///< by voxel
    float *outside; ///< q of air: hydrostatic beyond open sides, else 0; NULL: 0 everywhere
    float *kappa;   ///< curvature where surface tension is on, 1/m; else NULL
    float tension;  ///< q of an interface of curvature 1/m
    float *source;  ///< by voxel: wanted divergence times voxel, m/s
    double *asked;  ///< by tile: sum of |source| of its water, m/s
    uint8_t *state; ///< by tile: bits below
    uint32_t *row;  ///< by tile, for the solver
    float *face[3], *extra, *b;
    size_t rows;
    double *most;     ///< by tile: largest speed squared
    double *leftover; ///< by tile: largest divergence left
} liquid_system;

enum {
    LIQUID_ALL_WET = 64, ///< bits 0 to 5: all voxels along a side (SP_SIDE_...) are water
    LIQUID_ANY_WET = 128,
};

/// ghost fluid: where between a wet voxel and one in air the surface is, as a share of the way (L6)
static inline float liquid_theta(float wet, float air)
{
    const float theta = wet / (wet - air);
    return theta > 0.01f ? theta : 0.01f;
}

/// Fills in everything; scratch memory, to be rewound by the caller.
sp_status liquid_system_make(liquid *s, double dt, liquid_system *system, sp_error *err);
/// q at the surface between a wet voxel and air.
static inline float liquid_surface_q(float outside, float tension, float k_wet, float k_air,
                                     float theta)
{
    return outside + tension * (k_wet + theta * (k_air - k_wet));
}

#endif
