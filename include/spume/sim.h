// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_SIM_H
#define SPUME_SIM_H

#include <spume/api.h>
#include <spume/frame.h>
#include <spume/host.h>
#include <spume/scene.h>
#include <spume/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A simulation of any solver, opened from a scene. Several may live in one process.
typedef struct sp_sim sp_sim;

/// Opens a scene: a file, or the name of one that is built in ("pond/fig10"). Options and host may be NULL for the
/// default ones. What a run would fail on later is refused here: more memory than allowed, meshes that do not
/// open. On failure *out is NULL, nothing is left allocated, and err holds one sentence.
SP_API sp_status sp_sim_open(const char *scene, const sp_scene_options *options,
                             const sp_host *host, sp_sim **out, sp_error *err);
/// The same from JSON text in memory; `name` stands for the file in messages.
SP_API sp_status sp_sim_open_text(const char *name, const char *text, size_t length,
                                  const sp_scene_options *options, const sp_host *host,
                                  sp_sim **out, sp_error *err);
SP_API void sp_sim_close(sp_sim *sim); ///< NULL is allowed

/// Advances by one frame, also past the last one that the scene asks for, and checks it: a number that is not finite is SP_DIVERGED, and err names the set, the
/// attribute and the particle's id. After a failure the simulation can only be inspected and closed; other calls return
/// the status of that failure.
SP_API sp_status sp_sim_step(sp_sim *sim, sp_error *err);
/// The frame reached so far, without a copy (frame.h says how long it lives); NULL and err on failure, as when it
/// is not finite. After a failed step it holds the state that the step left, under the number and time of the last
/// whole frame.
SP_API const sp_frame *sp_sim_frame(sp_sim *sim, sp_error *err);
/// The number of the last frame that the scene asks for.
SP_API uint64_t sp_sim_frames(const sp_sim *sim);
/// The scene that the simulation was opened from. It lives as long as the simulation.
SP_API const sp_scene *sp_sim_scene(const sp_sim *sim);

/// ---- Progress and cancel -----------------------------------------------------------------------

/// Watches a simulation from inside a step. All solvers call it before each frame, with the time at which the frame
/// begins; solvers with substeps of their own (liquid, sph) also after each substep but the last of a frame.
typedef struct sp_watch {
    /// `time` is the simulated time reached, s. Returning true stops the step with SP_CANCELLED: before a frame
    /// nothing has changed and the simulation may go on; within one, it can only be inspected and closed, not restored.
    bool (*stop)(void *user, double time);
    void *user;
} sp_watch;
/// Replaces the watch. A zeroed one ends watching.
SP_API void sp_sim_watch(sp_sim *sim, sp_watch watch);

/// ---- Keys --------------------------------------------------------------------------------------

/// Changes a number while the simulation runs, by the path of its scene key: "pond.foam_life". It takes effect at
/// the start of the next step, and sp_sim_get() returns the old value until then. Keys that may change are marked
/// "live" in docs/scene.md; all others are refused with SP_BAD_INPUT. SP_FULL when 1024 changes wait for a step.
SP_API sp_status sp_sim_set(sp_sim *sim, const char *key, double value, sp_error *err);
/// The number behind a key. Of live keys it is the one in use, of all others that of the scene. On failure *value
/// stays as it was.
SP_API sp_status sp_sim_get(const sp_sim *sim, const char *key, double *value, sp_error *err);

/// ---- State -------------------------------------------------------------------------------------

/// The exact state of the frame reached, as bytes that belong to the simulation until the next save or close. Changes
/// by sp_sim_set() that still wait for a step are not in it.
SP_API sp_status sp_sim_save(sp_sim *sim, const void **bytes, size_t *count, sp_error *err);
/// Takes a state that a simulation of the same scene saved, and goes on from its frame bit for bit. SP_BAD_INPUT
/// for the state of another scene and SP_DAMAGED for changed bytes leave the simulation as it was.
SP_API sp_status sp_sim_restore(sp_sim *sim, const void *bytes, size_t count, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
