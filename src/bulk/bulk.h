// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BULK_H
#define SP_BULK_H

/// The bulk waist: where whitewater finds its water. "Signed distance and velocity of the water at
/// point x and time t", whoever serves it: a live solver, a run's cache, somebody's OpenVDB files.
/// A server hands out snapshots at the moments that it has; everything between them is made here.

#include "solver/driver.h"
#include "tiles/mac.h"

/// The water at one moment. All arrays belong to the server.
typedef struct sp_bulk_moment {
    double time;                 ///< s
    const sp_tiles *tiles;       ///< with the voxel, m
    double origin[3];            ///< m, of voxel (0, 0, 0)'s low corner
    const float *phi;            ///< m, at cells, negative in the water; a distance within +-band
    float band;                  ///< m
    const float *u[3];           ///< m/s, on low faces
    const float *aeration;       ///< 1/s, at cells; NULL: not known
    const sp_tile_mask *no_data; ///< cells of which nothing is known (deep tiles that were dropped,
                                 ///< zeros of compressed caches); NULL: all are
} sp_bulk_moment;

/// A server of moments.
typedef struct sp_bulk {
    void *user;
    double first, last;     ///< s; it can be asked within these
    float voxel;            ///< m
    double low[3], high[3]; ///< m; around all water there ever is
    /// The newest moment at or before t, and the oldest at or after it (the same one when t is a
    /// moment). Both stay valid until the next call.
    sp_status (*bracket)(void *user, double t, const sp_bulk_moment **before,
                         const sp_bulk_moment **after, sp_error *err);
    void (*close)(void *user); ///< may be NULL
} sp_bulk;

enum { SP_BULK_OUTSIDE = 1, SP_BULK_NO_DATA = 2 }; ///< bits of mask

/// What is asked at n points of the world; every output may be NULL.
typedef struct sp_bulk_query {
    size_t n;
    const double *x, *y, *z; ///< m
    float *u[3];             ///< m/s
    float *phi;              ///< m
    float *gradient[3];      ///< of phi, the derivative of the interpolant
    float *aeration;         ///< 1/s
    uint8_t *mask;           ///< SP_BULK_... bits; 0: water or air that is known
} sp_bulk_query;

/// Between two moments values are carried along by the water and then blended (docs/bulk.md),
/// because blending in place loses whatever is thinner than its way from moment to moment.
/// Parallel; the same for any number of threads. SP_BAD_INPUT when t is outside first ... last.
sp_status sp_bulk_sample(const sp_bulk *bulk, const sp_host *host, double t,
                         const sp_bulk_query *query, sp_error *err);
void sp_bulk_close(sp_bulk *bulk); ///< zeroes it; a zeroed one is welcome

/// ---- Servers that load moments when they are asked for (serve.c) -------------------------------

/// One moment with the memory it lies in; loaders fill in all but `moment`, with the host's memory.
typedef struct sp_bulk_loaded {
    const sp_host *host;
    double time, origin[3];
    sp_tiles tiles;
    float *phi, band, *u[3];
    float *aeration;       ///< may be NULL
    sp_tile_mask *no_data; ///< may be NULL
    sp_bulk_moment moment;
} sp_bulk_loaded;
void sp_bulk_loaded_close(sp_bulk_loaded *loaded); ///< a zeroed one is welcome
void sp_bulk_loaded_point(sp_bulk_loaded *loaded); ///< fills in `moment`

/// Where moments come from. What `user` points at is the server's from sp_bulk_serve on.
typedef struct sp_bulk_source {
    void *user;
    size_t count;
    const double *times; ///< s, ascending
    float voxel;         ///< m
    double low[3], high[3];
    /// Fills `loaded`, which has its host and is empty otherwise; on failure the caller closes it.
    sp_status (*load)(void *user, size_t k, sp_bulk_loaded *loaded, sp_error *err);
    void (*close)(void *user); ///< may be NULL
} sp_bulk_source;
/// Serves them, keeping three. On failure the source is closed.
sp_status sp_bulk_serve(const sp_bulk_source *source, const sp_host *host, sp_bulk *bulk,
                        sp_error *err);

/// ---- Frames as moments (frame.c), also of a solver that runs (live.c) --------------------------

/// Fills `loaded`, which has its host and is empty otherwise, from a frame's `surface`, `velocity`
/// and perhaps `aeration`; without velocity the water stands still. On failure the caller closes
/// it.
sp_status sp_bulk_from_frame(const sp_frame *frame, sp_bulk_loaded *loaded, sp_error *err);

/// A solver that is stepped on as time is asked for.
typedef struct sp_bulk_live_def {
    sp_driver *driver;      ///< freshly opened; it stays the caller's; its frames are the moments
    double last;            ///< s; it is not asked beyond
    double low[3], high[3]; ///< m; around all water there may be: the scene's domain
} sp_bulk_live_def;
/// Two moments are kept, so time can be asked for forward only: SP_BAD_INPUT before the older one. A solver
/// that gives its moment (sp_solver_type.moment) is read where it is: the newer moment is on its arrays, the
/// older is a copy made before the step. Of others the frames are read.
sp_status sp_bulk_live(const sp_bulk_live_def *def, const sp_host *host, sp_bulk *bulk,
                       sp_error *err);

/// ---- Deep water (deep.c) -----------------------------------------------------------------------

/// A topology of `from` and the tiles that it encloses: those that are not there although the
/// voxels next to them are water. Caches leave deep tiles out.
sp_status sp_bulk_enclose(const sp_tiles *from, const float *phi, sp_tiles *tiles, sp_error *err);
/// Marks water in tiles whose velocity is not known; NULL when there is none (*status stays SP_OK)
/// or no memory.
sp_tile_mask *sp_bulk_mark_unknown(const sp_tiles *tiles, const float *phi, const bool *known,
                                   sp_status *status, sp_error *err);

#endif
