// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PRESSURE_VOLUME_H
#define SP_LIQUID_PRESSURE_VOLUME_H

/// How much water there is and should be, and the divergence that brings the two together (L12).

#include "liquid/internal.h"

/// ---- volume.c ----------------------------------------------------------------------------------

/// Share of each voxel of a tile that is water: what phi leaves of it, as if the surface were a plane
/// across an axis, times what solids leave.
void liquid_find_shares(const liquid_grid *g, const sp_flow_solids *solids, size_t t,
                        float share[SP_TILE_VOXELS]);
/// Whether water neither flows in nor out but as particles that fly over the top.
bool liquid_is_closed(const sp_liquid_def *def, size_t emitters, size_t sinks);
/// What there should be, m3: the start, and what came and went since, by particles.
double liquid_wanted_volume(const sp_liquid_def *def, const sp_liquid_figures *figures);
/// L12: the divergence, 1/s, for a share of the volume that is missing.
double liquid_volume_rate(const sp_liquid_def *def, double missing);
/// That share by phi; 0 without volume_correction.
double liquid_missing(const liquid_grid *g, const sp_flow_solids *solids, const sp_liquid_def *def,
                      const sp_liquid_figures *figures, sp_scratch *scratch);
/// With volume_correction and `closed` water, moves the surface so that phi holds what there should
/// be, at most a quarter of a voxel. Fails for want of memory, with phi as it was.
sp_status liquid_hold_volume(liquid_grid *g, const sp_flow_solids *solids, const sp_liquid_def *def,
                             const sp_liquid_figures *figures, bool closed, sp_scratch *scratch,
                             sp_error *err);

/// ---- wanted_divergence.c -----------------------------------------------------------------------

/// What the divergence that particles ask for is found from.
typedef struct liquid_volume_def {
    const liquid_grid *grid;
    const sp_flow_solids *solids;
    const liquid_particles *particles;
    const sp_liquid_def *def;
    const sp_liquid_figures *figures; ///< particles that left and were stuck
    bool first;                       ///< the first substep of all
} liquid_volume_def;

/// The divergence, times voxel (m/s), that pressure is to leave in each voxel: it spreads crowded
/// particles, draws thin water together and brings back volume that was lost or gained. Where water
/// is closed, balance->owed becomes what the count of particles is off by. False: no memory.
bool liquid_divergence_of_particles(const liquid_volume_def *d, liquid_balance *balance,
                                    float *source, sp_scratch *scratch);
/// The same without particles: one value everywhere, out of the share of volume that is missing.
void liquid_divergence_everywhere(const liquid_grid *g, const sp_liquid_def *def, double missing,
                                  float *source);
/// Depth (m, negative) from which on water is the grid's and not the particles', by phi_advected;
/// -INFINITY: there is no narrow band.
float liquid_grid_depth(const sp_liquid_def *def);

#endif
