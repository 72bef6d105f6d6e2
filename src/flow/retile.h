// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_RETILE_H
#define SP_FLOW_RETILE_H

/// Fields of a solver carried to another set of tiles.

#include "tiles/mac.h"

typedef struct sp_flow_field {
    float **values;
    bool lasts;       ///< carried over; else there is only room for it, and its values mean nothing
    float background; ///< of tiles that are new, where it lasts
} sp_flow_field;

/// All fields and masks of a solver. Masks last, and are empty in tiles that are new.
typedef struct sp_flow_fields {
    const sp_flow_field *field;
    size_t fields;
    sp_tile_mask **const *mask;
    size_t masks;
} sp_flow_fields;

/// Memory that fields are carried with; zeroed at first.
typedef struct sp_flow_store {
    float *spare;
    sp_tile_mask *spare_mask;
    size_t room; ///< tiles for which there is room in all fields and masks
} sp_flow_store;

/// Makes *next the topology *tiles and carries what lasts. Afterwards *next is the old topology, to
/// be closed. Pointers to fields and masks may have changed. On failure (no memory) values and
/// topology are as they were.
sp_status sp_flow_retile(sp_tiles *tiles, sp_tiles *next, const sp_flow_fields *fields,
                         sp_flow_store *store, const sp_host *host, sp_error *err);
/// Releases all fields, masks and the store.
void sp_flow_fields_close(const sp_flow_fields *fields, sp_flow_store *store, const sp_host *host);

#endif
