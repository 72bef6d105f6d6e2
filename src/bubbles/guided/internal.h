// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_GUIDED_INTERNAL_H
#define SP_BUBBLES_GUIDED_INTERNAL_H

/// Water that follows a bulk (WFS22 section 4). The stages are those of still water, with another state that the
/// pressure is measured from. Let u_B be the bulk's velocity, A advection, and
///
///     a_B = (u_B(t + dt) - A[u_B(t)])/dt            what weight and pressure do to the bulk's water
///     grad p_B = rho_w (g - a_B)
///
/// The solver's q is then the pressure less p_B (times dt/(rho_w h)). Weight and p_B make u* = A[u] + dt a_B of the
/// advected velocity, so water without bubbles is the bulk's. Particles feel all of the pressure: grad q - dt a_B
/// in place of grad q, beside the weight less that of still water. Still water has a_B = 0; in water that falls
/// freely a_B is g, and buoyancy is gone.

#include "bubbles/guided/guided.h"
#include "bubbles/step.h"

/// The bulk on tiles: those of the grid, and one ring more.
typedef struct guided_bulk {
    sp_tiles tiles;
    float *start[3],
        *end[3];   ///< m/s; velocity at the start and at the end of the substep, on low faces
    float *phi;    ///< m; at the end, at cells
    uint8_t *mask; ///< by tile: SP_BULK_NO_DATA
    size_t mask_room;
    double time; ///< s; of `end`
    bool known;  ///< `end` is known
    sp_flow_store store;
} guided_bulk;

/// The caller's particles within a substep, by their index there, and where they go on the grid.
typedef struct guided_places {
    size_t room;
    double *x[3]; ///< m; after they moved
    float *v[3];  ///< m/s; after they met solids
    int32_t (
        *at)[3]; ///< tiles that they are in, by block of particles, without some of the duplicates
    uint32_t *tile; ///< of each; SP_NO_TILE: lost
    uint32_t *from; ///< by place on the grid: index in the caller's arrays
    float *number;  ///< by place on the grid
} guided_places;

typedef struct bubbles_guide {
    bubbles *s;
    int pressure; ///< SP_GUIDED_...
    int up;       ///< the axis along which gravity is largest; -1: none is
    double until; ///< s; end of the substep
    const sp_guided_world *world;
    const sp_guided_particles *particles;
    uint8_t *lost;
    guided_places places;
    guided_bulk bulk;
    sp_tiles full;        ///< tiles with particles; only while they are chosen
    int32_t (*forced)[3]; ///< tiles that exist although they hold no particles, for proofs
    size_t forced_count;
    bool warned_no_data, warned_pocket;
    sp_guided_figures figures;

    /// Fields of the grid's tiles for one substep, in the scratch.
    uint32_t *wide; ///< by tile: the same tile of `bulk`
    float *fall[3]; ///< m/s; dt a_B, on low faces
    float *open[3]; ///< share of low faces that water may pass; only of tiles that are not `whole`
    uint8_t *whole; ///< by tile: all low faces are open
    sp_tile_mask *known[3]; ///< faces with water: open ones, and those at the border of the tiles
    bool any_closed;        ///< some face is not known
    uint8_t *ready, *ones;  ///< by tile: `change` is found and stays; beta is 1 on all open faces
    float *change[3];       ///< m/s; open (flux - u_B)
    float *fixed;           ///< m/s; q of fixed cells (hydrostatic); else NULL
} bubbles_guide;

struct sp_guided {
    bubbles s;
    bubbles_guide guide;
};

/// How far the low faces of a tile are open, or NULL where all are.
static inline const float *bubbles_guide_open(const bubbles_guide *g, size_t t, int axis)
{
    return g->whole[t] ? NULL : g->open[axis] + t * SP_TILE_VOXELS;
}
/// The bulk's velocity at the end of the substep, at the low faces of a tile of the grid.
static inline const float *bubbles_guide_velocity(const bubbles_guide *g, size_t t, int axis)
{
    return g->bulk.end[axis] + (size_t)g->wide[t] * SP_TILE_VOXELS;
}

/// ---- Stages ------------------------------------------------------------------------------------

/// 1  Everything before the fractions: bulk, tiles, velocity.
sp_status bubbles_advance_guided(bubbles *s, double dt, sp_error *err);
/// After fractions: dt a_B at particles.
sp_status bubbles_find_lift(bubbles *s, sp_error *err);
/// Gradient of q at faces without water, from those around.
sp_status bubbles_extend_gradient_guided(bubbles *s, sp_error *err);
/// h  As bubbles_project_timed(), with the bulk around.
sp_status bubbles_project_guided(bubbles *s, float *const loose[3], double dt, sp_error *err);

/// ---- What they are made of ---------------------------------------------------------------------

/// Moves the caller's particles (places.x) and lists the tiles that they are in (guide->full).
sp_status guided_move(bubbles_guide *g, double dt, sp_error *err);
/// Sorts them into the tiles `full`.
sp_status guided_sort(bubbles_guide *g, sp_error *err);
/// Writes positions and velocities back, and empties the grid of particles.
void guided_write_back(bubbles_guide *g);
void guided_places_close(guided_places *p, const sp_host *host);

/// The tiles of the next substep, with the bulk on them and on a ring around (W1).
sp_status guided_choose_tiles(bubbles_guide *g, sp_error *err);

/// Moves the bulk to `next`, which is closed, and asks for what is new at the start of the substep and for all at its
/// end.
sp_status guided_follow_bulk(bubbles_guide *g, sp_tiles *next, sp_error *err);
/// New tiles of the grid take the bulk's velocity.
void guided_fill_from_bulk(bubbles *s);
void guided_bulk_close(guided_bulk *b, const sp_host *host);

/// Openings of faces (W6), from the distance to the bulk's surface and from solids.
sp_status guided_find_openings(bubbles_guide *g, sp_error *err);
/// u and u0 = A[u] + dt a_B, and fall (W2, W3).
sp_status guided_advect(bubbles_guide *g, double dt, sp_error *err);
/// Values of faces that are not known, from known ones up to three faces away.
sp_status guided_extend(bubbles_guide *g, float *const field[3], sp_error *err);
/// The root mean square of the bulk's divergence, 1/s (W7).
sp_status guided_measure_divergence(bubbles_guide *g, double *divergence, sp_error *err);
/// q of fixed cells: pressure rho_w |g| depth less that of still water (SP_GUIDED_HYDROSTATIC).
sp_status guided_fix_pressure(bubbles_guide *g, double dt, sp_error *err);

/// ---- For proofs --------------------------------------------------------------------------------

/// The next steps also have these tiles, with padding around, without any particles in them.
sp_status sp_guided_force_tiles(sp_guided *guided, const int32_t (*at)[3], size_t count,
                                sp_error *err);

#endif
