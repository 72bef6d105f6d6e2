// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_ADVECT_H
#define SP_FLOW_ADVECT_H

/// Fields carried along a velocity: MacCormack with clamping (Selle et al. 2008), maccormack.c.

#include "tiles/mac.h"

/// The three components on faces, and the field at cells.
enum { SP_FLOW_CELLS = 3, SP_FLOW_PLACES };

/// Water outside the tiles: still water, or that of a bulk. Its values count as known.
typedef struct sp_flow_sampler {
    /// Writes the values of n voxels in a row along x, the first of them at voxel `first` of the
    /// world: component 0 to 2 on their low faces, or the field at cells (SP_FLOW_CELLS). `carrier`
    /// asks for the velocity that carries instead of what is carried; `end` for what is carried at
    /// the end of the step instead of its start. Called by several threads at once.
    void (*row)(const void *arg, int place, bool carrier, bool end, const int32_t first[3], int n,
                float *values);
    const void *arg;
    float fastest; ///< m/s; largest component of the velocity there
} sp_flow_sampler;

typedef struct sp_flow_advection {
    const sp_tiles *tiles;
    const float *u[3];            ///< m/s: what carries; extrapolated as far as things travel
    const sp_tile_mask *known[3]; ///< faces with a value
    const float *faces[3];        ///< what is carried on faces, mostly u itself; NULL: nothing
    const float *cells;           ///< what is carried at cells; NULL: nothing
    float band;                   ///< `cells` lies within +-band, and is +band outside the tiles
    /// What lies outside the tiles. NULL: no face is known there, and u is 0.
    const sp_flow_sampler *outside;
    /// Bit j + 8k of rows[t] asks for row (j, k) of tile t and the one that it makes a pair with
    /// (j^1); the others are not written. NULL: all rows.
    const uint64_t *rows;
} sp_flow_advection;

/// Carries faces and cells for dt seconds, into the arrays given (on the same tiles; NULL where
/// nothing is carried). Faces whose way back leaves what is known keep their value. Nothing travels
/// further than 7.49 voxels. Fails for want of memory, with nothing written.
sp_status sp_flow_advect(const sp_flow_advection *a, double dt, float *const faces[3], float *cells,
                         sp_scratch *scratch, sp_error *err);

#endif
