// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_POND_PROOFS_H
#define SP_VALIDATE_POND_PROOFS_H

/// The proofs of the pond and what they share.

#include "pond/internal.h"
#include "scene/scene.h"
#include "validate/validate.h"

/// ---- The checks, by theme. Each measures and puts its rows.

sp_proof pond_prove_lake_at_rest, pond_prove_standing_wave, pond_prove_stoker, pond_prove_ritter,
    pond_prove_cfl, pond_prove_wet_dry; // water.c
sp_proof pond_prove_hill_divergence, pond_prove_hill_continuity, pond_prove_hill_frame,
    pond_prove_hill_vorticity, pond_prove_vortex_sums; // hill.c
sp_proof pond_prove_wake, pond_prove_attraction, pond_prove_leapfrog,
    pond_prove_bounded; // vortex.c
sp_proof pond_prove_terminal_speed, pond_prove_coalescence, pond_prove_ring_wave,
    pond_prove_dome; // bubbles.c
sp_proof pond_prove_foam_clustering, pond_prove_foam_momentum, pond_prove_foam_forces,
    pond_prove_foam_floats;                        // foam.c
sp_proof pond_prove_bow_wave, pond_prove_obstacle; // obstacle.c
sp_proof pond_prove_mass, pond_prove_mass_long, pond_prove_gas_ledger, pond_prove_determinism,
    pond_prove_fuzz, pond_prove_fuzz_long; // whole.c

/// ---- What they share (cases.c)

/// What the pond of a scene is opened with; its lists are the scene's.
sp_pond_def pond_proof_scene_def(const sp_scene *scene);
/// Opens a scene with the keys `set` changed, and its pond. With `text` NULL it is the built-in one
/// of that name. Close both.
sp_status pond_proof_open_scene(const char *name, const char *text, const char *const *set,
                                size_t sets, const sp_host *host, sp_scene **scene, sp_pond **pond,
                                sp_error *err);
/// A basin of still water without friction, bubbles and solids.
sp_pond_def pond_proof_basin(int32_t nx, int32_t ny, float dx, float level);
/// A number in [0, 1) that depends on (case, n, k) alone.
double pond_proof_unit(uint64_t number, uint64_t n, uint32_t k);
/// Bumps of up to `bumps` m and a round island of height `peak` in the middle; width x width values
/// in `heights`, which the def then points at.
void pond_proof_island(float *heights, size_t width, float bumps, float peak);
/// P3 to P11 once, without emission, merging, breaking or foam.
void pond_proof_move_bubbles(sp_pond *pond, float dt);
/// A foam bubble that outlives any check. SIZE_MAX when there is no room.
size_t pond_proof_add_foam(sp_pond *pond, float x, float y, float z, float r);
int64_t pond_proof_water(const sp_pond *pond); ///< quanta, less what came in through open sides
/// P9 in double, from its formula.
double pond_proof_terminal_speed(const sp_pond_def *def, double r);
/// A busy pond: many nozzles, a heater on a circle, an obstacle on a circle, foam that pops soon.
/// Its lists are static; the def may be copied and changed.
sp_pond_def pond_proof_busy(int32_t nx, int32_t ny);

#endif
