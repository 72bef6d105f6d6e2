// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_IMPORT_H
#define SP_EXCHANGE_IMPORT_H

/// Imported water on tiles, and as bulk. The public header has the options and the frames.

#include "bulk/bulk.h"

#include <spume/import.h>

/// One sample in our conventions. Zeroed: empty.
typedef struct sp_import_water {
    const sp_host *host;
    double time, voxel, origin[3];
    sp_tiles tiles;
    float *phi; ///< m; within +-band
    float band;
    float *u[3];     ///< m/s, on low faces; complete in the tiles of `known`, else 0
    bool *known;     ///< by tile; where false the velocity of deep water is missing
    float *pressure; ///< Pa; NULL: none
    double speed;    ///< the largest, m/s
    double filled;   ///< share of the water without points that was filled in
    double still;    ///< share of the water whose velocity is exactly 0 or missing,
    double depth;    ///< and the depth below the highest water at which it begins, m
} sp_import_water;
/// On failure the water is empty and err names the file.
sp_status sp_import_water_read(sp_import *import, size_t k, sp_import_water *water, sp_error *err);
void sp_import_water_close(sp_import_water *water);
/// Serves the files as bulk; they are read when needed. Closing the bulk closes the import.
sp_status sp_import_bulk(sp_import *import, sp_bulk *bulk, sp_error *err);

#endif
