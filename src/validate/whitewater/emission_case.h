// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_WHITEWATER_EMISSION_CASE_H
#define SP_VALIDATE_WHITEWATER_EMISSION_CASE_H

/// Emission into water that is known, for proofs and for `spume bench`.

#include "validate/check.h"
#include "whitewater/emission/internal.h"

/// ---- Water -------------------------------------------------------------------------------------

enum { EMISSION_POOL, EMISSION_CAVITY, EMISSION_BALL, EMISSION_DENTS };

/// Water on a box of tiles around the origin, at rest at time 0, whose velocity grows evenly in time: below
/// y = 0, around a ball of air, within a ball, or below a level with dents in a square lattice.
enum { EMISSION_MOMENTS = 64 };
typedef struct emission_water {
    int kind;
    float voxel;
    int32_t half, deep;     ///< tiles from the origin to each side, and up and down
    double radius;          ///< m; of a ball; of dents: half the distance between them
    double acceleration[3]; ///< m/s2
    size_t moments;
    double times[EMISSION_MOMENTS];
} emission_water;
void emission_water_times(emission_water *w, double fps, size_t moments);
sp_status emission_water_bulk(emission_water *w, const sp_host *host, sp_bulk *bulk, sp_error *err);

/// ---- A case ------------------------------------------------------------------------------------

/// Its world points into it, so it must stay where it is.
typedef struct emission_case {
    sp_host quiet; ///< the host, without its log
    const sp_host *host;
    sp_emission_def def;
    sp_aeration_def aeration;
    whitewater_world world;
    whitewater_emission *emission;
    whitewater_set set[WHITEWATER_KINDS];
    uint64_t next_id;
    whitewater_ledger ledger;
    whitewater_emission_figures figures;
    double lost, wanted; ///< m3; sums of the figures
} emission_case;

/// Default keys, an endless domain, water of 1000 kg/m3, and time 0. The caller sets what it wants and then calls
/// emission_case_begin().
void emission_case_clear(emission_case *c, const sp_bulk *bulk, const sp_host *host);
sp_status emission_case_begin(emission_case *c, sp_error *err);
void emission_case_close(emission_case *c);
/// One step; particles that are there stay where they are.
sp_status emission_case_step(emission_case *c, double dt, sp_error *err);
/// m3 of the particles of a kind.
double emission_case_volume(const emission_case *c, int kind);
/// Gives emission `side`^3 voxels around the origin that each want `volume` of air in a second.
sp_status emission_case_cells(emission_case *c, int32_t side, double voxel, double volume,
                              sp_error *err);
/// Of all arrays of all sets.
uint64_t emission_case_hash(emission_case *c);

#endif
