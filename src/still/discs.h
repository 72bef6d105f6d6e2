// SPDX-License-Identifier: Apache-2.0
#ifndef SP_STILL_DISCS_H
#define SP_STILL_DISCS_H

/// Discs in a plane that may overlap by a tenth, added one by one (discs.c).

#include "core/core.h"

typedef struct still_disc {
    float x, z, radius; ///< m
} still_disc;

typedef struct still_discs_node still_discs_node;
typedef struct still_discs {
    const sp_host *host;
    double low[2], edge; ///< m; the square that holds all centres
    still_disc *disc;
    size_t count, room;
    still_discs_node *node; ///< node 0 is the whole square
    size_t nodes, node_room;
} still_discs;

/// False: no memory; close it anyway.
bool still_discs_open(still_discs *discs, const sp_host *host, const double low[2], double edge);
void still_discs_close(still_discs *discs);
/// Whether a disc overlaps one of those in `discs` by more than a tenth.
bool still_discs_meet(const still_discs *discs, still_disc disc);
/// Adds a disc that meets none. False: no memory.
bool still_discs_add(still_discs *discs, still_disc disc);

#endif
