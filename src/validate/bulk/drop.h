// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_BULK_DROP_H
#define SP_VALIDATE_BULK_DROP_H

/// A flying drop, given at two moments, for proofs and tests of the time between them.

#include "bulk/bulk.h"

/// The water at one moment, and its memory.
typedef struct bulk_drop_moment {
    sp_bulk_moment m;
    sp_tiles tiles;
    float *phi, *u[3];
} bulk_drop_moment;

typedef struct bulk_drop {
    const sp_host *host;
    float voxel, radius;
    double from[3], velocity[3]; ///< m, m/s; where its centre is at t = 0
    double seconds;              ///< between the moments
    bulk_drop_moment moment[2];
    sp_bulk bulk;
} bulk_drop;

/// Distances are clamped at 3 voxels, and velocity is known as far as 4 voxels beyond the water (a
/// step of 2 voxels and 2 more), 0 farther out.
sp_status bulk_drop_open(bulk_drop *drop, const sp_host *host, sp_error *err);
void bulk_drop_close(bulk_drop *drop);

/// Volume, centre and radius of the water at t, by samples `step` apart in a cube of half width
/// `half` around `about`; each counts by a step smoothed over its own width.
typedef struct bulk_drop_seen {
    double volume, center[3], radius, least; ///< least: the deepest phi seen
} bulk_drop_seen;
sp_status bulk_drop_look(const bulk_drop *drop, double t, const double about[3], double half,
                         double step, bulk_drop_seen *seen, sp_error *err);

#endif
