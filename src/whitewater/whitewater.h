// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_H
#define SP_WHITEWATER_H

/// Whitewater on any water (Wretborn, Flynn, Stomakhin 2022, "WFS22"): bubbles that turbulence entrains, coupled to
/// the water around them; wet foam where they arrive at the surface; spray above it. The water is a bulk: the cache of
/// a run, files of another program, a solver that runs along, or an ocean. It is never changed.

#include "bubbles/guided/guided.h"
#include "core/solver_type.h"
#include "foam/foam.h"
#include "liquid/liquid.h"
#include "ocean/ocean.h"
#include "whitewater/emission/emission.h"
#include "whitewater/surface/surface.h"

enum { SP_WHITEWATER_GUIDED, SP_WHITEWATER_ONE_WAY, SP_WHITEWATER_FOAM_ONLY }; ///< mode

/// The water that is simulated again around bubbles (section 4).
typedef struct sp_whitewater_guide_def {
    float voxel_ratio; ///< voxel over that of the bulk
    int32_t padding;   ///< tiles around bubbles
    int pressure;      ///< SP_GUIDED_...
    double tolerance;
    int32_t newton; ///< iterations a step
    int32_t max_tiles;
    int coupling, compliance; ///< as in bubbles
    float theta, drag_scale, max_fraction, cfl;
} sp_whitewater_guide_def;

typedef struct sp_whitewater_cache_def {
    bool water;  ///< frames hold the surface and the velocity of the bulk
    bool guided; ///< frames hold the velocity of the guided water and the share of bubbles
} sp_whitewater_cache_def;

typedef struct sp_whitewater_def {
    const char *bulk;            ///< a run's directory, or files that `spume import` reads
    const sp_liquid_def *liquid; ///< or this solver, run along
    const sp_ocean_def *ocean;   ///< or this ocean. Exactly one of the three
    int mode;
    int32_t steps; ///< a frame
    float density, density_air, viscosity;
    float wind[3]; ///< m/s; for spray
    sp_whitewater_guide_def guide;
    sp_aeration_def aeration;
    sp_emission_def emission;
    sp_foam_def foam;
    sp_floating_def floating;
    sp_spray_def spray;
    sp_whitewater_cache_def cache;
} sp_whitewater_def;

extern const sp_keys sp_whitewater_keys;
extern const sp_solver_type sp_whitewater_solver;

/// ---- For benchmarks and checks -----------------------------------------------------------------

typedef struct whitewater whitewater;

/// Timers of the stages of a step.
enum {
    SP_WHITEWATER_STAGE_WATER,
    SP_WHITEWATER_STAGE_BUBBLES,
    SP_WHITEWATER_STAGE_ARRIVALS,
    SP_WHITEWATER_STAGE_EMIT,
    SP_WHITEWATER_STAGE_SURFACE,
    SP_WHITEWATER_STAGES
};
const sp_profile *sp_whitewater_profile(const whitewater *s);
const whitewater_ledger *sp_whitewater_ledger(const whitewater *s);
const whitewater_set *sp_whitewater_set(const whitewater *s, int kind);

#endif
