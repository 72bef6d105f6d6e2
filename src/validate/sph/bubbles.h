// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_SPH_BUBBLES_H
#define SP_VALIDATE_SPH_BUBBLES_H

/// Shared by the proofs about air: adding and finding bubbles, and a ledger of particles
/// (bubbles.c).

#include "validate/sph/proofs.h"

/// Air particles with consecutive ids, which sorting does not change.
typedef struct sph_swarm {
    uint64_t first;
    size_t count;
} sph_swarm;

typedef struct sph_swarm_look {
    size_t count, foam;            ///< of those that are still there
    double center[3], velocity[3]; ///< m, m/s
    double spread;                 ///< radius of gyration, m
    double top;                    ///< highest particle, m
    double nearest;                ///< smallest distance of two, m
} sph_swarm_look;

/// A ball of n air particles around a point, a spacing apart but for a jitter, at rest.
sp_status sph_swarm_add(sph *s, const float center[3], size_t n, sph_swarm *out, sp_error *err);
sph_swarm_look sph_swarm_at(const sph *s, sph_swarm swarm);

enum { SPH_NO_BUBBLE = -1 };
/// Joins air particles nearer than h. bubble[i], for particle i of the air's set, becomes the
/// smallest particle it is joined to, or SPH_NO_BUBBLE for foam where that is not asked for.
/// Returns how many bubbles there are. Pair by pair: nothing here relies on the solver's lists.
size_t sph_find_bubbles(const sph *s, bool with_foam, int32_t *bubble);

/// Compares the particles present with the solver's counts of those added and removed.
typedef struct sph_ledger {
    const sp_host *host;
    uint32_t *seen; ///< by id: the look it was last seen in, from 1
    size_t room;
    uint32_t looks;
    uint64_t next_id; ///< at the last look
    uint64_t start;   ///< particles
    sp_box_def tank;  ///< that all must stay in
    /// Should stay 0.
    uint64_t unaccounted, returned, outside;
} sph_ledger;

sp_status sph_ledger_open(sph_ledger *l, const sph *s, const sp_box_def *tank, sp_error *err);
sp_status sph_ledger_look(sph_ledger *l, const sph *s, sp_error *err);
void sph_ledger_put(const sph_ledger *l, sp_check_report *report);
void sph_ledger_close(sph_ledger *l);

#endif
