// SPDX-License-Identifier: Apache-2.0
#ifndef SP_LIQUID_PRESSURE_VOLUME_H
#define SP_LIQUID_PRESSURE_VOLUME_H

/// The volume of water, its wanted volume, and the divergence that corrects the difference (L12).

#include "liquid/internal.h"

/// ---- volume.c ----------------------------------------------------------------------------------

/// Share of each voxel of a tile that is water: the share below phi = 0, as if the surface were a
/// plane across an axis, times the share outside solids. 0 beyond open sides.
void liquid_find_shares(const liquid_grid *g, const sp_flow_solids *solids,
                        const sp_liquid_def *def, size_t t, float share[SP_TILE_VOXELS]);
/// Whether no water flows in or out, except particles that fly over the top.
bool liquid_is_closed(const sp_liquid_def *def, size_t emitters, size_t sinks);
/// The wanted volume, m3: the start's, plus inflow, minus outflow, counted in particles.
double liquid_wanted_volume(const sp_liquid_def *def, const sp_liquid_figures *figures);
/// L12: the divergence, 1/s, for a missing share of the volume.
double liquid_volume_rate(const sp_liquid_def *def, double missing);
/// The missing share, by phi; 0 without volume_correction.
double liquid_missing(const liquid_grid *g, const sp_flow_solids *solids, const sp_liquid_def *def,
                      const sp_liquid_figures *figures, sp_scratch *scratch);
/// With volume_correction and `closed` water: moves the surface by at most a quarter of a voxel
/// towards the wanted volume. Fails if there is no memory; phi is then unchanged.
sp_status liquid_correct_volume(liquid_grid *g, const sp_flow_solids *solids,
                                const sp_liquid_def *def, const sp_liquid_figures *figures,
                                bool closed, sp_scratch *scratch, sp_error *err);

/// ---- wanted_divergence.c -----------------------------------------------------------------------

/// Input of liquid_divergence_of_particles.
typedef struct liquid_volume_def {
    const liquid_grid *grid;
    const sp_flow_solids *solids;
    const liquid_particles *particles;
    const sp_liquid_def *def;
    const sp_liquid_figures *figures; ///< particles that left and were stuck
    const float *air;                 ///< by cell: share that is not for water; NULL: 0
    bool first;                       ///< the first substep of the run
} liquid_volume_def;

/// The divergence, times voxel (m/s), that the projection leaves in each voxel: it spreads crowded
/// particles, contracts thin water and corrects lost or gained volume. Where water is closed, sets
/// balance->debt_eighths to the error of the particle count. False: no memory.
bool liquid_divergence_of_particles(const liquid_volume_def *d, liquid_balance *balance,
                                    float *source, sp_scratch *scratch);
/// The same without particles: one value everywhere, from the missing share of the volume.
void liquid_divergence_everywhere(const liquid_grid *g, const sp_liquid_def *def, double missing,
                                  float *source);
/// Depth (m, negative) from which on water belongs to the grid and not to particles, by
/// phi_advected; -INFINITY: there is no narrow band.
float liquid_grid_depth(const sp_liquid_def *def);

#endif
