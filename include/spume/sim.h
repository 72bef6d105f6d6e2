// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_SIM_H
#define SPUME_SIM_H

#include <spume/api.h>
#include <spume/frame.h>
#include <spume/host.h>
#include <spume/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A simulation of any solver, opened from a scene. Several may live in one process.
typedef struct sp_sim sp_sim;

/// How to read a scene. A zeroed struct is fine.
typedef struct sp_scene_options {
    const char *size; ///< "laptop" (also when NULL), "full", or any name under the scene's "sizes"
    const char *const *set; ///< overrides, each "path=value", applied after the size
    size_t set_count;
    /// A scene whose solver would want more is refused by sp_sim_open. 0: 80 % of the machine's memory.
    double memory_bytes;
} sp_scene_options;

/// Opens a scene: a file, or the name of one that is built in ("pond/fig10"). The host may be NULL for
/// the ordinary one. What a run would fail on later is refused here: more memory than allowed, meshes
/// that do not open. On failure *out is NULL, nothing is left behind, and err holds one sentence.
SP_API sp_status sp_sim_open(const char *scene, const sp_scene_options *options,
                             const sp_host *host, sp_sim **out, sp_error *err);
/// The same from JSON text in memory; `name` stands for the file in messages.
SP_API sp_status sp_sim_open_text(const char *name, const char *text, size_t length,
                                  const sp_scene_options *options, const sp_host *host,
                                  sp_sim **out, sp_error *err);
/// Advances by one frame and checks it: a number that is not finite is SP_DIVERGED, and err names the set, the
/// attribute and the particle's id. After a failure the simulation can only be inspected and closed.
SP_API sp_status sp_sim_step(sp_sim *sim, sp_error *err);
/// The frame reached so far, without a copy; NULL and err on failure, as when it is not finite. After a
/// failed step it holds the state that the step left. Valid until the next call.
SP_API const sp_frame *sp_sim_frame(sp_sim *sim, sp_error *err);
/// Frames the scene asks for (the last one's number).
SP_API uint64_t sp_sim_frames(const sp_sim *sim);
SP_API void sp_sim_close(sp_sim *sim); ///< NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
