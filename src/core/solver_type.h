// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_SOLVER_TYPE_H
#define SP_CORE_SOLVER_TYPE_H

/// The table of functions that every solver fills, and what a solver is opened from. It stands in core because
/// every solver includes it, and a solver knows nothing of what runs it (solver/driver.h).

#include "core/keys/keys.h"
#include "core/memory/blob.h"

#include <spume/sim.h>

struct sp_bulk_moment; // bulk/bulk.h
struct sp_bulk_opened;

/// Parts of the world that a solver supports: bits of sp_solver_type.uses. Those of the emitters are
/// SP_USES_FILL << mode.
enum {
    SP_USES_GRAVITY = 1,
    SP_USES_DOMAIN = 2,
    SP_USES_COLLIDERS = 4,
    SP_USES_FILL = 8,
    SP_USES_FLOW = 16,
    SP_USES_JET = 32,
    SP_USES_SINKS = 64,
    SP_USES_SLIP = 128, ///< of colliders; without it water slides freely along all of them
};

/// True when the watch (which may be NULL) asks to stop at this simulated time, s.
static inline bool sp_watch_stops(const sp_watch *watch, double time)
{
    return watch && watch->stop && watch->stop(watch->user, time);
}
/// SP_CANCELLED when the watch asks to stop within a frame.
static inline sp_status sp_watch_check(const sp_watch *watch, double time, sp_error *err)
{
    if (!sp_watch_stops(watch, time)) return SP_OK;
    return sp_fail(err, SP_CANCELLED, "stopped at t = %g s, within a frame", time);
}

/// What lies in files, opened for solvers by whoever runs the scene: a solver reads and writes none.
typedef struct sp_setup_files {
    void *user;
    /// Water by the path that a scene names (bulk/bulk.h). On failure err names the path.
    sp_status (*open_bulk)(void *user, const char *path, const sp_host *host,
                           struct sp_bulk_opened *water, sp_error *err);
    /// Frame `frame` of an earlier run of the scene, for a solver that reads a part of its work from there instead
    /// of doing it again; valid until the next call. NULL: all is done anew.
    sp_status (*past_frame)(void *user, uint64_t frame, const sp_frame **out, sp_error *err);
} sp_setup_files;

/// What a solver is opened from. All of it belongs to the scene.
typedef struct sp_setup {
    const void *def;           ///< the struct that the solver's keys describe
    const sp_world_def *world; ///< NULL for solvers that support none of it
    uint64_t seed;
    double seconds;              ///< how long the scene lasts; 0: not known
    double frame_seconds;        ///< from frame to frame; 0: not known
    const sp_watch *watch;       ///< lives as long as the solver; may be NULL
    const sp_setup_files *files; ///< the same; NULL: no file can be opened
} sp_setup;

/// A correction to a paper: what it prints, what is wrong with it, what we do, what was measured.
typedef struct sp_erratum {
    const char *where, *printed, *problem, *ours, *measured;
} sp_erratum;

/// One solver, seen from outside.
typedef struct sp_solver_type {
    const char *name;
    const char *about; ///< one line for lists
    const char *paper; ///< what it implements
    const sp_keys *keys;
    const char *grain; ///< the key that decides how much memory it takes
    unsigned uses;     ///< parts of the world that it supports: SP_USES_...
    /// Checks that ranges of single keys cannot express (two keys that exclude each other). err names the
    /// key's path.
    sp_status (*check)(const sp_setup *setup, sp_error *err);
    /// Bytes the solver will want at most, before anything is allocated.
    double (*estimate)(const sp_setup *setup);
    /// Seconds that the scene takes on one thread of a usual machine, before anything is allocated: good to a
    /// factor of about three. May be NULL: next to none.
    double (*seconds)(const sp_setup *setup);
    /// The setup's lists are copied. On failure *out is NULL and nothing is left allocated.
    sp_status (*open)(const sp_setup *setup, const sp_host *host, void **out, sp_error *err);
    /// Advances exactly to t_end (s) with the solver's own substeps. Between them it calls the setup's `watch`
    /// and returns SP_CANCELLED when that says so: half a frame is no state to continue from.
    sp_status (*step)(void *solver, double t_end, sp_error *err);
    /// Fills in everything of the frame but `frame` and `fps`, which belong to the caller. Pointers
    /// stay valid until the next step or close.
    sp_status (*publish)(void *solver, sp_frame *frame, sp_error *err);
    /// The water as it is, on the solver's own arrays: valid until the next step or close. Fills in all but
    /// `time`, which belongs to the caller. NULL: bulk water is read from frames.
    sp_status (*moment)(void *solver, struct sp_bulk_moment *moment, sp_error *err);
    /// Changes and reads a live number by its path below the solver's key, such as "foam_life". Both may be
    /// NULL: then no number changes while the solver runs.
    sp_status (*set)(void *solver, const char *key, double value, sp_error *err);
    sp_status (*get)(const void *solver, const char *key, double *value, sp_error *err);
    /// The exact state, such that restore into a solver opened from the same def goes on bit for
    /// bit.
    sp_status (*save)(const void *solver, sp_blob *blob, sp_error *err);
    sp_status (*restore)(void *solver, sp_blob *blob, sp_error *err);
    void (*close)(void *solver); ///< NULL is allowed
    /// One line on the last frame for the progress display. May be NULL: the sizes of the sets are shown then.
    void (*note)(const void *solver, char *text, size_t size);
    const sp_erratum *errata;
    size_t erratum_count;
} sp_solver_type;

#endif
