// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SOLVER_H
#define SP_SOLVER_H

/// What a solver looks like from outside: one table of functions, what it is opened from, and its state as
/// bytes. solver/driver.h runs it.

#include "frame/frame.h"

/// ---- Saved state (blob.c) ----------------------------------------------------------------------

/// A solver's state as bytes: written by save, read back by restore. Grows by itself.
typedef struct sp_blob {
    const sp_host *host;
    unsigned char *bytes;
    size_t size, capacity;
    size_t at;   ///< reading: next byte
    bool failed; ///< writing: no memory; reading: past the end
} sp_blob;

/// Room for so many bytes more. Without it a blob grows by doubling, which takes three times the state
/// for a moment.
void sp_blob_reserve(sp_blob *blob, size_t count);
void sp_blob_put(sp_blob *blob, const void *bytes, size_t count);
/// Leaves `bytes` zeroed and sets `failed` when fewer are left.
void sp_blob_get(sp_blob *blob, void *bytes, size_t count);
void sp_blob_close(sp_blob *blob);

/// ---- The table ---------------------------------------------------------------------------------

/// What a scene puts around the water: colliders, emitters, gravity... (shapes/world.h).
typedef struct sp_world_def sp_world_def;

/// What of it a solver may heed: bits of sp_solver_type.uses. Those of the emitters are
/// SP_USES_FILL << mode.
enum {
    SP_USES_GRAVITY = 1,
    SP_USES_DOMAIN = 2,
    SP_USES_COLLIDERS = 4,
    SP_USES_FILL = 8,
    SP_USES_FLOW = 16,
    SP_USES_JET = 32,
    SP_USES_SINKS = 64,
};
/// The bits that stand for what a scene says under this key ("emitters"), or 0 when the key is not about
/// the world (uses.c).
unsigned sp_uses_bits(const char *key);
/// Refuses a world with things that a solver does not use; `solver` is its name in the sentence.
sp_status sp_uses_check(const sp_world_def *world, unsigned uses, const char *solver,
                        sp_error *err);

/// Whether somebody wants the run to stop. A zeroed one never does.
typedef struct sp_cancel {
    bool (*asked)(void *user); ///< may be NULL; called by the thread that steps
    void *user;
} sp_cancel;
static inline bool sp_cancel_asked(const sp_cancel *cancel)
{
    return cancel && cancel->asked && cancel->asked(cancel->user);
}

/// What a solver is opened from. All of it belongs to the scene.
typedef struct sp_setup {
    const void *def;           ///< the struct that the solver's keys describe
    const sp_world_def *world; ///< NULL: nothing around it, as for solvers that heed none of it
    uint64_t seed;
    double seconds;          ///< how long the scene lasts; 0: not known
    const sp_cancel *cancel; ///< lives as long as the solver; NULL: nobody stops it
} sp_setup;

/// A correction to a paper: what it prints, what is wrong with it, what we do, what was measured.
typedef struct sp_erratum {
    const char *where, *printed, *problem, *ours, *measured;
} sp_erratum;

struct sp_bulk_moment; // bulk/bulk.h

/// One solver, seen from outside.
typedef struct sp_solver_type {
    const char *name;
    const char *about; ///< one line for lists
    const char *paper; ///< what it implements
    const sp_keys *keys;
    const char *grain; ///< the key that decides how much memory it takes
    unsigned uses;     ///< what of the world it heeds: SP_USES_...
    /// What ranges alone cannot say (two keys that exclude each other...). err names the key's
    /// path.
    sp_status (*check)(const sp_setup *setup, sp_error *err);
    /// Bytes the solver will want at most, before anything is allocated.
    double (*estimate)(const sp_setup *setup);
    /// The setup's lists are copied. On failure *out is NULL and nothing is left allocated.
    sp_status (*open)(const sp_setup *setup, const sp_host *host, void **out, sp_error *err);
    /// Advances exactly to t_end (s) with the solver's own substeps. Between them it may ask the setup's
    /// `cancel` and return SP_CANCELLED: it is then closed, since half a frame is no state to go on from.
    sp_status (*step)(void *solver, double t_end, sp_error *err);
    /// Fills in everything of the frame but `frame` and `fps`, which belong to the caller. Pointers
    /// stay valid until the next step or close.
    sp_status (*publish)(void *solver, sp_frame *frame, sp_error *err);
    /// The water as it is, on the solver's own arrays: valid until the next step or close. Fills in all but
    /// `time`, which belongs to the caller. NULL: bulk water is read from frames.
    sp_status (*moment)(void *solver, struct sp_bulk_moment *moment, sp_error *err);
    /// The exact state, such that restore into a solver opened from the same def goes on bit for
    /// bit.
    sp_status (*save)(const void *solver, sp_blob *blob, sp_error *err);
    sp_status (*restore)(void *solver, sp_blob *blob, sp_error *err);
    void (*close)(void *solver); ///< NULL is welcome
    /// What is worth saying of the last frame while a run goes on, in one line without its number.
    /// May be NULL: then the sizes of its sets are said.
    void (*note)(const void *solver, char *text, size_t size);
    const sp_erratum *errata;
    size_t erratum_count;
} sp_solver_type;

#endif
