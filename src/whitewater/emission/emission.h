// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_EMISSION_H
#define SP_WHITEWATER_EMISSION_H

/// Where air enters the water: where turbulence entrains it (aeration, WFS22 section 5), and sources of the scene.

#include "shapes/world.h"
#include "whitewater/particles/set.h"
#include "whitewater/world.h"

enum { SP_EMISSION_POISSON, SP_EMISSION_FILL, SP_EMISSION_ACCEPT }; ///< mode
enum { SP_SOURCE_BUBBLES, SP_SOURCE_FOAM, SP_SOURCE_SPRAY };        ///< kind of a source

typedef struct sp_aeration_def {
    float min, max;  ///< pure numbers; less gives nothing, more all
    int curvature;   ///< SP_CURVATURE_...; which parts of the surface entrain air
    float length;    ///< m; the reference length l0; 0: the voxel, as printed
    int fluctuation; ///< SP_FLUCTUATION_...
} sp_aeration_def;

/// A shape whose inside multiplies what aeration emits.
typedef struct sp_emission_mask_def {
    const char *name;
    sp_shape_def shape;
    float inside, outside; ///< factors
    float fade;            ///< m; over which one becomes the other
} sp_emission_mask_def;

/// Lets particles in by rate.
typedef struct sp_emission_source_def {
    const char *name;
    sp_shape_def shape;
    int kind;          ///< SP_SOURCE_...
    float rate;        ///< 1/s; particles
    float air;         ///< m3/s; instead of rate
    float velocity[3]; ///< m/s, added to the water's
    float start, stop; ///< s
} sp_emission_source_def;

typedef struct sp_emission_def {
    bool aerate;    ///< aeration emits
    int mode;       ///< SP_EMISSION_...; how many bubbles fill a volume
    float tau;      ///< s; time in which a voxel fills up to its target; 0: a step, as printed
    int32_t spline; ///< 1 to 3; how smoothly bubbles of a voxel are spread
    bool slip;      ///< new bubbles begin with their terminal speed
    float
        air_share; ///< share of a voxel that is air where the water is fully aerated (phi_max of W13)
    float radius_min, radius_max; ///< m; both 0: from the voxel of the bulk
    uint64_t budget; ///< particles in all at most; a particle then stands for several bubbles
    const sp_emission_mask_def *masks;
    size_t mask_count;
    const sp_emission_source_def *sources;
    size_t source_count;
} sp_emission_def;
extern const sp_keys sp_aeration_keys, sp_emission_keys;
sp_status sp_emission_check(const sp_emission_def *def, const sp_aeration_def *aeration,
                            const char *path, sp_error *err);

/// Of one step.
typedef struct whitewater_emission_figures {
    double aeration_max;  ///< over voxels near the surface
    double target_volume; ///< m3 asked for
    double volume;        ///< m3 let in
    double lost_volume;   ///< m3 whose place was outside the water
    size_t voxels;        ///< near the surface
    float number;         ///< bubbles a particle stands for
} whitewater_emission_figures;

typedef struct whitewater_emission whitewater_emission;
/// The defs' lists are copied.
sp_status whitewater_emission_open(const sp_emission_def *def, const sp_aeration_def *aeration,
                                   const sp_host *host, whitewater_emission **out, sp_error *err);
void whitewater_emission_close(whitewater_emission *e);
/// Where particles go.
typedef struct whitewater_intake {
    /// NULL: none of that kind enter. Bubbles of this set are in the water now, and fill voxels already.
    whitewater_set *to[WHITEWATER_KINDS];
    size_t others; ///< particles elsewhere that count towards the budget
    uint64_t *next_id;
    whitewater_ledger *ledger;
} whitewater_intake;
/// Appends what enters from t to t + dt, at the places of t + dt. Aeration lets in bubbles alone; sources what they say.
sp_status whitewater_emit(whitewater_emission *e, const whitewater_world *world,
                          const whitewater_intake *in, whitewater_emission_figures *figures,
                          sp_error *err);
/// State that does not follow from the bulk at later times (sp_state_list pieces). Restoring allocates: the walk
/// fails when there is no memory.
void whitewater_emission_walk(whitewater_emission *e, sp_walk *walk);

#endif
