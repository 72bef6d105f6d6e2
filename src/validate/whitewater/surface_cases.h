// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_WHITEWATER_SURFACE_CASES_H
#define SP_VALIDATE_WHITEWATER_SURFACE_CASES_H

/// What the proofs of the surface share: water that is known exactly, and particles in it.

#include "validate/whitewater/proofs.h"
#include "whitewater/surface/surface.h"

/// Water below a level that swings and jumps, and moves along with a velocity:
///     y(t) = amplitude sin(rate t) + jump (from jump_at on)
typedef struct surface_pool {
    double amplitude, rate; ///< m, 1/s
    double jump, jump_at;   ///< m, s
    double along[3];        ///< m/s
    double falls;           ///< m/s2; all of the water, besides
    double t;
} surface_pool;
sp_bulk surface_pool_bulk(surface_pool *pool);
double surface_pool_level(const surface_pool *pool, double t);

/// Default foam and spray without cohesion between particles, on still water.
typedef struct surface_case {
    sp_foam_def foam;
    sp_floating_def floating;
    sp_spray_def spray;
    surface_pool pool;
    sp_bulk bulk;
    whitewater_world world;
    whitewater_surface *surface;
    whitewater_set kinds[WHITEWATER_KINDS], arrivals;
    uint64_t next_id;
    whitewater_ledger ledger;
    whitewater_surface_figures figures;
} surface_case;
/// The case must stay where it is.
sp_status surface_case_open(surface_case *c, const sp_host *host, sp_error *err);
void surface_case_close(surface_case *c);
sp_status surface_case_again(surface_case *c, sp_error *err); ///< after changes of the defs
/// Adds a particle; `set` has room for it, or makes it.
sp_status surface_case_add(surface_case *c, whitewater_set *set, const double x[3],
                           const double v[3], float radius, sp_error *err);
/// One step; the arrivals become foam and are none from then on.
sp_status surface_case_step(surface_case *c, sp_error *err);
sp_status surface_case_run(surface_case *c, int steps, sp_error *err);
size_t surface_case_count(const surface_case *c); ///< particles in all sets
uint64_t surface_case_hash(const surface_case *c);

#endif
