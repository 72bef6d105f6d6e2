// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SOLVER_DRIVER_H
#define SP_SOLVER_DRIVER_H

/// Runs one solver, frame by frame. Users are the run loop (cache), the public sp_sim (scene) and
/// live bulk water (bulk).
///
///     SP_TRY(sp_driver_open(&def, host, &driver, err));      // frame 0 is the start
///     while (sp_driver_reached(driver) < last) {
///         SP_TRY(sp_driver_step(driver, err));               // to t = k/fps
///         SP_TRY(sp_driver_frame(driver, &frame, err));      // published and checked
///     }
///     sp_driver_close(driver);
///
/// After a failure only sp_driver_look() and sp_driver_close() are allowed.

#include "solver/solver.h"

typedef struct sp_driver sp_driver;

typedef struct sp_driver_def {
    const sp_solver_type *type;
    sp_setup setup;
    double fps;     ///< frame k lies at t = k/fps, never accumulated
    double memory;  ///< bytes that the solver's estimate may reach; 0: no limit
    sp_watch watch; ///< called before each frame; the setup may hold the same for substeps
} sp_driver_def;

/// Checks the estimate against the memory limit, then opens the solver. The host must outlive the
/// driver. On failure *out is NULL and nothing is left allocated; SP_BAD_INPUT if the setup is
/// wrong.
sp_status sp_driver_open(const sp_driver_def *def, const sp_host *host, sp_driver **out,
                         sp_error *err);
void sp_driver_close(sp_driver *driver); ///< NULL is allowed

/// Advances by one frame. SP_CANCELLED when the watch stops it before the frame: nothing has changed then, and the
/// next call continues. Stopped within the frame, the driver has failed.
sp_status sp_driver_step(sp_driver *driver, sp_error *err);
uint64_t sp_driver_reached(const sp_driver *driver); ///< number of the last frame computed
double sp_driver_time(const sp_driver *driver);      ///< time of that frame, s
bool sp_driver_failed(const sp_driver *driver);      ///< only look and close are allowed

/// The last frame: published once, with its number, time and fps set, its names checked, and all
/// its values finite (else SP_DIVERGED with set, attribute and id). Valid until the next step or
/// close.
sp_status sp_driver_frame(sp_driver *driver, const sp_frame **frame, sp_error *err);
/// The solver's present state, unchecked, for crash reports. After a failure the frame number is
/// that of the frame that failed.
sp_status sp_driver_look(sp_driver *driver, const sp_frame **frame, sp_error *err);
/// The solver's water without a frame, if the solver supports it (bulk/bulk.h); the caller sets
/// `time`. Valid until the next step or close.
bool sp_driver_has_moment(const sp_driver *driver);
sp_status sp_driver_moment(sp_driver *driver, struct sp_bulk_moment *moment, sp_error *err);
/// One line about the last frame: the solver's own, else the sizes of the frame's sets.
void sp_driver_note(const sp_driver *driver, char *text, size_t size);

/// The exact state at the last frame. The caller closes the blob, also on failure.
sp_status sp_driver_save(const sp_driver *driver, sp_blob *blob, sp_error *err);
/// Restores the state of frame `frame`, saved by a driver of the same def; the run continues bit
/// for bit. SP_DAMAGED when the blob is not as long as the solver's state.
sp_status sp_driver_restore(sp_driver *driver, uint64_t frame, sp_blob *blob, sp_error *err);

/// Changes a live number of the solver, or reads one; `key` is the path below the solver's own key. SP_BAD_INPUT for
/// a solver without live numbers.
sp_status sp_driver_set(sp_driver *driver, const char *key, double value, sp_error *err);
bool sp_driver_has_get(const sp_driver *driver);
sp_status sp_driver_get(const sp_driver *driver, const char *key, double *value, sp_error *err);

/// ---- Memory (memory_limit.c) -------------------------------------------------------------------

/// The limit in bytes: `asked`; if that is 0, 80 % of the machine's memory or of what the process may still take
/// (ulimit -v), whichever is less.
double sp_memory_limit(double asked);
/// SP_BAD_INPUT when the estimate exceeds the limit (0: none); err names the key to change.
sp_status sp_memory_check(const sp_solver_type *type, double estimate, double limit, sp_error *err);

#endif
