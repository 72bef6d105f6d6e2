// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_WORLD_H
#define SP_WHITEWATER_WORLD_H

/// What the stages of whitewater read and do not change.

#include "bulk/bulk.h"
#include "shapes/solids.h"

typedef struct whitewater_world {
    const sp_host *host;
    const sp_bulk *bulk;        ///< the water; it can be asked from `t` to `t + dt`
    sp_solids *solids;          ///< at t + dt; NULL: none
    double domain[2][3];        ///< m; particles outside are removed
    float gravity[3], wind[3];  ///< m/s2, m/s
    float density, density_air; ///< kg/m3
    float viscosity;            ///< Pa s; of water
    float voxel;                ///< m; of the bulk
    uint64_t seed;
    uint64_t step; ///< number of this step, from the start; for random numbers
    double t, dt;  ///< s
} whitewater_world;

/// Purposes of random numbers.
enum {
    WHITEWATER_RANDOM_COUNT = 1, ///< by voxel: how many bubbles
    WHITEWATER_RANDOM_PLACE,
    WHITEWATER_RANDOM_RADIUS,
    WHITEWATER_RANDOM_LIFE,
    WHITEWATER_RANDOM_PRUNE,
    WHITEWATER_RANDOM_SPRAY,
    WHITEWATER_RANDOM_BURST,
    WHITEWATER_RANDOM_SOURCE,
};

/// What became of particles since the start: numbers of particles, and m3 of what they stand for. For every kind,
/// what came in less what went out is what is there (W33).
enum {
    WHITEWATER_EMITTED_BUBBLES, ///< in
    WHITEWATER_EMITTED_FOAM,
    WHITEWATER_EMITTED_SPRAY,
    WHITEWATER_SURFACED, ///< bubbles that became foam
    WHITEWATER_SUNK,     ///< foam that became bubbles again
    WHITEWATER_LEAPT,    ///< foam or bubbles that became spray
    WHITEWATER_LANDED,   ///< spray that became foam
    WHITEWATER_PLUNGED,  ///< spray that became bubbles
    WHITEWATER_BURST,    ///< out: at the end of their life
    WHITEWATER_PRUNED,   ///< out: where foam was too dense already
    WHITEWATER_LEFT,     ///< out: of the domain
    WHITEWATER_INSIDE,   ///< out: deep in solids
    WHITEWATER_STRANDED, ///< out: lost the water: no surface near, and not in it
    WHITEWATER_EVENTS
};
typedef struct whitewater_ledger {
    uint64_t count[WHITEWATER_EVENTS];
    double volume[WHITEWATER_EVENTS]; ///< m3
} whitewater_ledger;

#endif
