// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_SURFACE_H
#define SP_WHITEWATER_SURFACE_H

/// What happens at the surface and above it (WFS22 sections 6 and 7): bubbles arrive and become foam, foam bursts,
/// sinks or is thrown off as spray, spray flies and falls back. Nothing here acts on the bubbles that are coupled to
/// the water: they are done before, so this half of a step can be run again with other keys on the same arrivals.

#include "foam/foam.h"
#include "whitewater/particles/set.h"
#include "whitewater/world.h"

enum { SP_LIFE_NORMAL, SP_LIFE_EXPONENTIAL, SP_LIFE_WEIBULL }; ///< shape
enum { SP_PRUNE_LATTICE, SP_PRUNE_PRINTED, SP_PRUNE_OFF };     ///< prune

typedef struct sp_floating_def {
    float life_mean, life_var; ///< s, s2
    int life_shape;            ///< SP_LIFE_...
    float rim;  ///< how much faster foam without neighbours ages; in between in proportion; 0: not
    int prune;  ///< SP_PRUNE_...
    float keep; ///< share of its speed that a bubble keeps when it becomes foam (zeta)
    float max_gain; ///< largest factor by which speed along the surface grows then
} sp_floating_def;

typedef struct sp_spray_def {
    bool on;
    float
        crest; ///< m/s; foam is thrown off where free flight would part it from the water by more than this
    float plunge; ///< m/s; drops that meet the water faster take air below; slower ones become foam
    float rate;   ///< 1/(m2 s); drops that sharp, fast crests emit; 0: none
    float number; ///< drops that each particle of `rate` stands for
    float drag_scale;             ///< of air on drops
    float wind_share;             ///< share of the wind that drops feel
    float radius_min, radius_max; ///< m; of drops of `rate`; 0: from the voxel
} sp_spray_def;
extern const sp_keys sp_floating_keys, sp_spray_keys;
/// What ranges of single keys cannot express; `path` is that of the object.
sp_status sp_floating_check(const sp_floating_def *def, const char *path, sp_error *err);
sp_status sp_spray_check(const sp_spray_def *def, const char *path, sp_error *err);

/// Of one step.
typedef struct whitewater_surface_figures {
    sp_foam_figures foam;
    size_t sunk, parted; ///< foam that lost the surface in this step: it is below or above it
    size_t projected, failed_projections;
    double fastest_spray; ///< m/s
} whitewater_surface_figures;

/// Between steps it holds nothing that the sets do not: a step depends on its arguments alone.
typedef struct whitewater_surface whitewater_surface;
sp_status whitewater_surface_open(const sp_foam_def *foam, const sp_floating_def *floating,
                                  const sp_spray_def *spray, const sp_host *host,
                                  whitewater_surface **out, sp_error *err);
void whitewater_surface_close(whitewater_surface *s); ///< NULL is allowed
/// Which bubbles are at or above the surface at t + dt (S or C of Algorithm 2): they get arrives[i] = 1; those that
/// are above it for good, without a surface near, 2: the caller removes and counts them as stranded. Sets
/// WHITEWATER_ABOVE and clears WHITEWATER_NEW.
sp_status whitewater_find_arrivals(whitewater_surface *s, const whitewater_world *world,
                                   whitewater_set *bubbles, uint8_t *arrives, sp_error *err);
/// From t to t + dt: foam moves along the surface, spray flies, bubbles that returned rise; then `arrivals` (at
/// t + dt) become foam, foam bursts, sinks or leaps, spray lands. kinds[WHITEWATER_BUBBLES] holds bubbles that
/// returned, and only those. Particles with WHITEWATER_NEW are at t + dt already; they are the last of their sets.
sp_status whitewater_surface_step(whitewater_surface *s, const whitewater_world *world,
                                  whitewater_set kinds[WHITEWATER_KINDS],
                                  const whitewater_set *arrivals, uint64_t *next_id,
                                  whitewater_ledger *ledger, whitewater_surface_figures *figures,
                                  sp_error *err);
/// Bubbles that act on no water: drag and buoyancy in the bulk's flow (`one_way`). Moves them from t to t + dt;
/// lost[i] = 1 deep in solids, else 0.
sp_status whitewater_move_one_way(const whitewater_world *world, whitewater_set *bubbles,
                                  float drag_scale, uint8_t *lost, sp_error *err);

#endif
