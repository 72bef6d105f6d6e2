// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_TENSION_H
#define SP_BUBBLES_TENSION_H

/// Data of surface tension, and its stages in the order of their calls (tension.c).

#include "bubbles/tension/pockets.h"

/// Sums over the faces of a node, by axis.
typedef struct tension_sum {
    double force[3]; ///< N/m3; of faces with air, and of faces beside them
    double faces[3]; ///< number of faces with air
} tension_sum;

/// What drift compensation makes of a pocket, by axis.
typedef struct tension_drift {
    float mean[3]; ///< N/m3; chi (44)
    bool none[3];  ///< there are no forces
} tension_drift;

/// Arrays are by row (bubbles_air).
typedef struct tension_work {
    bubbles *s;
    bubbles_air air;
    bubbles_pockets pockets;
    sp_tile_mask *marked;      ///< cells whose faces do not count (psi = 0); NULL: none
    float *share;              ///< phi_i, by cell
    float *weight, *curvature; ///< by cell: weight, and curvature (1/voxels) times weight
    sp_tile_mask *felt[3];     ///< faces with air that feel a force: solids leave them open
    sp_tile_mask *skirt[3];    ///< faces without air that feel a force
    tension_sum *sum;          ///< by node
    tension_drift *drift;      ///< by pocket
    bool any_none;             ///< some pocket has no forces along some axis
} tension_work;

/// Forces on the low faces of a row's tile, N/m3.
static inline float *tension_force(const tension_work *w, uint32_t row, int axis)
{
    return w->s->grid.force[axis] + (size_t)w->air.tile[row] * SP_TILE_VOXELS;
}

/// Finds single cells of air and what belongs to them (fraction_filter.c).
sp_status bubbles_filter_fractions(tension_work *w, sp_error *err);
/// Shares of cells (41) and their curvature (curvature.c).
sp_status bubbles_find_curvature(tension_work *w, sp_error *err);
/// Forces on faces (42), as far as faces of pockets feel them (faces.c). Tiles that are not rows
/// get 0.
sp_status bubbles_find_face_forces(tension_work *w, sp_error *err);
/// Takes the mean force of each pocket from its faces (43 to 45), and all of it from small pockets
/// (drift.c). Marks tiles busy where a force is left.
sp_status bubbles_remove_drift(tension_work *w, sp_error *err);

#endif
