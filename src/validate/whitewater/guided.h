// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_WHITEWATER_GUIDED_H
#define SP_VALIDATE_WHITEWATER_GUIDED_H

/// Bulks that are known exactly, and bubbles in them, for the proofs and benchmarks of guided water.

#include "bubbles/guided/internal.h"
#include "validate/foam/proofs.h"

/// ---- Water -------------------------------------------------------------------------------------

enum {
    GUIDED_STILL,  ///< at rest
    GUIDED_VORTEX, ///< steady: (sin kx cos ky, -cos kx sin ky, 0) speed, k = 2 pi/width
    GUIDED_DRIVEN, ///< all of it moves with the acceleration `driven`
};
/// Water below y = `surface` that knows itself at every point and time.
typedef struct guided_water {
    int kind;
    double surface; ///< m
    double speed, width;
    double driven[3]; ///< m/s2
    bool broken;      ///< velocities are not numbers
    double t;         ///< s; what answers are for
} guided_water;
sp_bulk guided_water_bulk(guided_water *w);

/// ---- Bubbles in it -----------------------------------------------------------------------------

typedef struct guided_case {
    const sp_host *host;
    sp_guided_def def;
    sp_guided_world world;
    sp_bulk bulk; ///< of `water`, unless the world has another one
    guided_water water;
    sp_guided *guided;
    sp_guided_particles p;
    float *radius, *number;
    uint64_t *id;
    uint8_t *lost;
    double t; ///< s
    sp_guided_figures figures;
} guided_case;

/// n bubbles of radius r at rest at the zero point, in still water without a surface near. The case must stay where
/// it is: its world points into it.
sp_status guided_case_open(guided_case *c, size_t n, float r, float voxel, const sp_host *host,
                           sp_error *err);
void guided_case_close(guided_case *c);
/// After changes of def.
sp_status guided_case_again(guided_case *c, sp_error *err);
sp_status guided_case_run(guided_case *c, double seconds, double dt, sp_error *err);
/// Places bubbles at random in a ball around the zero point.
void guided_case_scatter(guided_case *c, double radius, uint64_t seed);
double guided_case_mean(const guided_case *c, int axis); ///< m; of the places
uint64_t guided_case_hash(const guided_case *c);         ///< of bubbles and water
/// |u - u_B|/|u_B| over faces in the water (root mean squares), at the end of the last step.
double guided_case_drift(const guided_case *c);
/// Forces a box of tiles.
sp_status guided_case_force(guided_case *c, const int32_t low[3], const int32_t high[3],
                            sp_error *err);

/// ---- A swell with bubbles below it, as a cache would hold it ------------------------------------

typedef struct guided_swell {
    guided_case c;
    foam_gridded water;
    sp_bulk bulk;
} guided_swell;
/// n bubbles at random in the layer 0.02 to 0.3 m below a swell.
sp_status guided_swell_open(guided_swell *s, size_t n, int32_t columns, const sp_host *host,
                            sp_error *err);
void guided_swell_close(guided_swell *s);

#endif
