// SPDX-License-Identifier: Apache-2.0
#ifndef SP_FLOW_RETILE_H
#define SP_FLOW_RETILE_H

/// Copies the fields of a solver to another topology.

#include "tiles/mac.h"

typedef struct sp_flow_field {
    float **values;
    bool lasts;       ///< its values are copied; else only room is made for it
    float background; ///< value in new tiles, if `lasts`
} sp_flow_field;

/// All fields and masks of a solver. Masks are copied, and are empty in new tiles.
typedef struct sp_flow_fields {
    const sp_flow_field *field;
    size_t fields;
    sp_tile_mask **const *mask;
    size_t masks;
} sp_flow_fields;

/// Spare memory for copying fields; initially zeroed.
typedef struct sp_flow_store {
    float *spare;
    sp_tile_mask *spare_mask;
    size_t room; ///< tiles for which there is room in all fields and masks
} sp_flow_store;

/// Swaps *tiles and *next and copies the fields that last to the new topology. Afterwards *next is
/// the old topology; the caller closes it. Pointers to fields and masks may have changed. On
/// failure (no memory) values and topology are unchanged.
sp_status sp_flow_retile(sp_tiles *tiles, sp_tiles *next, const sp_flow_fields *fields,
                         sp_flow_store *store, const sp_host *host, sp_error *err);
/// Releases all fields, masks and the store.
void sp_flow_fields_close(const sp_flow_fields *fields, sp_flow_store *store, const sp_host *host);

#endif
