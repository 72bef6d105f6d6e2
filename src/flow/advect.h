// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_ADVECT_H
#define SP_FLOW_ADVECT_H

/// Advects fields on tiles: MacCormack with clamping (Selle et al. 2008), maccormack.c.

#include "tiles/mac.h"

/// The three components on faces, and the field at cells.
enum { SP_FLOW_CELLS = 3, SP_FLOW_PLACES };

/// Water outside the tiles: still water, or that of a bulk. Its values count as known.
typedef struct sp_flow_sampler {
    /// Writes the values of n voxels in a row along x, starting at world voxel `first`: component 0
    /// to 2 on their low faces, or the field at cells (SP_FLOW_CELLS). `carrier`: the advecting
    /// velocity instead of the advected field. `end`: the advected field at the end of the step
    /// instead of its start. Called by several threads at once.
    void (*row)(const void *arg, int place, bool carrier, bool end, const int32_t first[3], int n,
                float *values);
    const void *arg;
    float fastest; ///< m/s; largest component of the velocity there
} sp_flow_sampler;

typedef struct sp_flow_advection {
    const sp_tiles *tiles;
    const float *u[3];            ///< m/s: advecting; extrapolated as far as a step reaches
    const sp_tile_mask *known[3]; ///< faces with a value
    const float *faces[3];        ///< advected field on faces, mostly u itself; NULL: none
    const float *cells;           ///< advected field at cells; NULL: none
    float band;                   ///< `cells` is within +-band, and +band outside the tiles
    /// Values outside the tiles. NULL: no face is known there, and u is 0.
    const sp_flow_sampler *outside;
    /// Bit j + 8k of rows[t] selects row (j, k) of tile t and its partner (j^1); other rows are not
    /// written. NULL: all rows.
    const uint64_t *rows;
} sp_flow_advection;

/// Advects faces and cells by dt seconds and writes them to the given arrays (on the same tiles;
/// NULL where nothing is advected). A face keeps its value if no value around its departure point
/// is known. Displacements are limited to 7.49 voxels. Fails if memory is short; nothing is written
/// then.
sp_status sp_flow_advect(const sp_flow_advection *a, double dt, float *const faces[3], float *cells,
                         sp_scratch *scratch, sp_error *err);

#endif
