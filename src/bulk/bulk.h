// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BULK_H
#define SP_BULK_H

/// The bulk interface: signed distance and velocity of the water at point x and time t, for
/// whitewater. A server provides them: a live solver, the cache of a run, or OpenVDB files. A
/// server returns snapshots ("moments") at discrete times; sp_bulk_sample() interpolates between
/// them. A server that knows the water at every point and time may answer by itself instead.

#include "solver/driver.h"
#include "tiles/mac.h"

/// The water at one moment. All arrays belong to the server.
typedef struct sp_bulk_moment {
    double time;                 ///< s
    const sp_tiles *tiles;       ///< with the voxel, m
    double origin[3];            ///< m; low corner of voxel (0, 0, 0)
    const float *phi;            ///< m, at cells, negative in the water; a distance within +-band
    float band;                  ///< m
    const float *u[3];           ///< m/s, on low faces
    const float *aeration;       ///< a pure number, at cells; NULL when unknown
    const sp_tile_mask *no_data; ///< cells without data (dropped deep tiles, zeros of
                                 ///< compressed caches); NULL: none
} sp_bulk_moment;

/// A query at n points in world space; every output may be NULL.
typedef struct sp_bulk_query {
    size_t n;
    const double *x, *y, *z; ///< m
    float *u[3];             ///< m/s
    float *phi;              ///< m
    float *gradient[3];      ///< of phi, the derivative of the interpolant
    float *aeration;         ///< a pure number
    uint8_t *mask;           ///< SP_BULK_... bits; 0: inside the tiles, with data
} sp_bulk_query;

/// A server of moments: an interface with function pointers.
typedef struct sp_bulk {
    void *user;
    double first, last;     ///< s; range of times that may be sampled
    double interval;        ///< s; the shortest time from moment to moment; 0: not known
    float voxel;            ///< m
    double low[3], high[3]; ///< m; bounds of the water at all times
    /// The newest moment at or before t, and the oldest at or after it (the same one when t is a
    /// moment). Both stay valid until the next call.
    sp_status (*bracket)(void *user, double t, const sp_bulk_moment **before,
                         const sp_bulk_moment **after, sp_error *err);
    /// Instead of moments: makes ready for time t, and answers the points begin ... end - 1 of a query at
    /// that time, on any thread. Both or neither.
    sp_status (*prepare)(void *user, double t, sp_error *err);
    void (*answer)(const void *user, const sp_bulk_query *query, size_t begin, size_t end);
    void (*close)(void *user); ///< may be NULL
} sp_bulk;

enum { SP_BULK_OUTSIDE = 1, SP_BULK_NO_DATA = 2 }; ///< bits of mask

/// Between two moments, values are advected by the water and then blended (docs/bulk.md). Blending
/// without advection loses features thinner than their motion between moments. Parallel; the result
/// does not depend on the number of threads. SP_BAD_INPUT when t is outside first ... last.
sp_status sp_bulk_sample(const sp_bulk *bulk, const sp_host *host, double t,
                         const sp_bulk_query *query, sp_error *err);
/// The same by parts: for callers that ask several times at one time, on their own threads. A view is valid until
/// the bulk is asked at another time.
typedef struct sp_bulk_view {
    const sp_bulk *bulk;
    const sp_bulk_moment *before, *after;
    double t;
} sp_bulk_view;
sp_status sp_bulk_view_at(const sp_bulk *bulk, double t, sp_bulk_view *view, sp_error *err);
void sp_bulk_look(const sp_bulk_view *view, const sp_bulk_query *query, size_t begin, size_t end);
/// The water on a tile of a grid with these voxels: velocity on its low faces, distance at its cells. Each of u and
/// phi may be NULL. Where the grid is the bulk's, whole rows are copied or advected (tiles.c); elsewhere every point
/// is asked for. SP_BULK_NO_DATA in the result: some of the tile has no data.
uint8_t sp_bulk_look_at_tile(const sp_bulk_view *view, float voxel, const double origin[3],
                             const int32_t at[3], float *const u[3], float *phi);
void sp_bulk_close(sp_bulk *bulk); ///< zeroes it; a zeroed bulk is allowed

/// Water that was opened by a path (sp_setup_files.open_bulk). All but `bulk` belongs to who opened it.
typedef struct sp_bulk_opened {
    sp_bulk bulk;
    sp_driver
        *driver; ///< of a scene that runs along: its state is then part of the caller's; else NULL
    const sp_world_def
        *world;    ///< solids and domain of the scene that made the water; NULL: not known
    uint8_t walls; ///< sides of that domain that are solid: bits 1 << SP_SIDE_... (shapes/solids.h)
} sp_bulk_opened;

/// ---- Servers that load moments on demand (serve.c) ---------------------------------------------

/// One moment and the memory that holds it. Loaders fill in all but `moment`, with memory of the
/// host.
typedef struct sp_bulk_loaded {
    const sp_host *host;
    double time, origin[3];
    sp_tiles tiles;
    float *phi, band, *u[3];
    float *aeration;       ///< may be NULL
    sp_tile_mask *no_data; ///< may be NULL
    sp_bulk_moment moment;
} sp_bulk_loaded;
void sp_bulk_loaded_close(sp_bulk_loaded *loaded); ///< may be zeroed
void sp_bulk_loaded_point(sp_bulk_loaded *loaded); ///< fills in `moment`

/// A source of moments. sp_bulk_serve() takes ownership of `user`.
typedef struct sp_bulk_source {
    void *user;
    size_t count;
    const double *times; ///< s, ascending
    float voxel;         ///< m
    double low[3], high[3];
    /// Fills `loaded`, of which only `host` is set; on failure the caller closes it.
    sp_status (*load)(void *user, size_t k, sp_bulk_loaded *loaded, sp_error *err);
    void (*close)(void *user); ///< may be NULL
} sp_bulk_source;
/// Makes a server that keeps three moments in memory. On failure the source is closed.
sp_status sp_bulk_serve(const sp_bulk_source *source, const sp_host *host, sp_bulk *bulk,
                        sp_error *err);

/// ---- Moments from frames (frame.c) and from a running solver (live.c) --------------------------

/// Fills `loaded`, of which only `host` is set, from a frame's `surface`, `velocity` and optional
/// `aeration`. Without velocity the water is at rest. On failure the caller closes it.
sp_status sp_bulk_from_frame(const sp_frame *frame, sp_bulk_loaded *loaded, sp_error *err);

/// A running solver, stepped when later times are sampled.
typedef struct sp_bulk_live_def {
    sp_driver *driver;      ///< freshly opened; the caller owns it; its frames are the moments
    double last;            ///< s; no later time is sampled
    double low[3], high[3]; ///< m; bounds of all possible water: the scene's domain
} sp_bulk_live_def;
/// Two moments are kept, so time must not decrease: SP_BAD_INPUT before the older one. A solver
/// with sp_solver_type.moment is read in place: the newer moment points to its arrays, the older
/// one is a copy made before the step. For other solvers the published frames are read.
sp_status sp_bulk_live(const sp_bulk_live_def *def, const sp_host *host, sp_bulk *bulk,
                       sp_error *err);

/// ---- Past velocities (past.c) ------------------------------------------------------------------

/// Velocity at an earlier moment, extrapolated as far as it is of use.
typedef struct sp_bulk_past {
    double time; ///< s
    sp_tiles tiles;
    float *u[3]; ///< m/s, on low faces; NAN where it is unknown
} sp_bulk_past;
/// Copies the velocity of a moment and extrapolates it 8 voxels beyond the water. `past` is zeroed
/// or holds an earlier moment, which is replaced; its memory is the host's of the tiles. On failure
/// it is zeroed.
sp_status sp_bulk_past_take(sp_bulk_past *past, const sp_bulk_moment *moment, sp_error *err);
void sp_bulk_past_close(sp_bulk_past *past); ///< may be zeroed; zeroes it

#define SP_BULK_AERATION_TIME (1.0 / 24.0) ///< s: velocity is compared with that of this time ago
enum { SP_BULK_PASTS = 10 };
/// Past velocities of moments, the oldest first: back to the first one that is old enough to be
/// compared with. If moments are close, not all of them are kept. May be zeroed.
typedef struct sp_bulk_pasts {
    sp_bulk_past past[SP_BULK_PASTS];
    int count;
} sp_bulk_pasts;
void sp_bulk_pasts_close(sp_bulk_pasts *pasts); ///< zeroes it
size_t sp_bulk_pasts_bytes(const sp_bulk_pasts *pasts);
/// Keeps the velocity of a moment that is newer than all others, unless it is close to the last one,
/// and closes those that are older than needed.
sp_status sp_bulk_pasts_keep(sp_bulk_pasts *pasts, const sp_bulk_moment *moment, sp_error *err);
/// Saves or hashes all of them, as pieces of a state; and replaces them by saved ones, on tiles that
/// have the host, the voxel and the periods of `like`. After a failure they must be closed.
void sp_bulk_pasts_walk(sp_bulk_pasts *pasts, sp_walk *walk);
sp_status sp_bulk_pasts_restore(sp_bulk_pasts *pasts, const sp_tiles *like, sp_walk *walk,
                                sp_error *err);

/// ---- Aeration: where water entrains air (aeration.c) -------------------------------------------

enum { SP_CURVATURE_CONCAVE, SP_CURVATURE_ABS, SP_CURVATURE_CONVEX }; ///< curvature
enum { SP_FLUCTUATION_CHANGE, SP_FLUCTUATION_LOCAL };                 ///< fluctuation

typedef struct sp_bulk_aeration_def {
    double density;  ///< kg/m3
    double length;   ///< m; 0: the voxel
    int curvature;   ///< SP_CURVATURE_...: which parts of the surface count, as seen from the air
    int fluctuation; ///< SP_FLUCTUATION_...: of the change of velocity, all of it or what differs
                     ///< from its mean over 5x5x5 voxels
} sp_bulk_aeration_def;
/// Aeration of a moment, a pure number by cell of its tiles; 0 where the past velocity is unknown,
/// and everywhere if no past is old enough. The pasts are older than the moment, on the same grid.
/// Fails only with SP_FLUCTUATION_LOCAL, when there is no memory.
sp_status sp_bulk_aeration(const sp_bulk_aeration_def *def, const sp_bulk_moment *moment,
                           const sp_bulk_pasts *pasts, float *out, sp_error *err);

/// ---- Deep water (deep.c) -----------------------------------------------------------------------

/// A topology of the tiles of `from` and the tiles enclosed by them: tiles that are absent although
/// the voxels next to them are water. Caches leave out deep tiles.
sp_status sp_bulk_enclose(const sp_tiles *from, const float *phi, sp_tiles *tiles, sp_error *err);
/// Marks water in tiles without velocity. NULL when there is no such water (*status stays SP_OK) or
/// no memory.
sp_tile_mask *sp_bulk_mark_unknown(const sp_tiles *tiles, const float *phi, const bool *known,
                                   sp_status *status, sp_error *err);

#endif
