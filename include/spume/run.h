// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_RUN_H
#define SPUME_RUN_H

#include <spume/api.h>
#include <spume/frame.h>
#include <spume/host.h>
#include <spume/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A run's directory, opened for reading: what `spume run` and `spume import` wrote. Opening lists the names of the
/// frames and reads none of them, so a long run opens as fast as a short one. A run that is still being written may
/// be opened; frames that come later are not in the list.
typedef struct sp_run sp_run;

/// SP_BAD_INPUT when the directory holds no run. The host must outlive the run. On failure *out is NULL.
SP_API sp_status sp_run_open(const char *dir, const sp_host *host, sp_run **out, sp_error *err);
SP_API void sp_run_close(sp_run *run); ///< NULL is allowed

/// What is known without reading a frame. Texts belong to the run.
typedef struct sp_run_info {
    const char *solver; ///< NULL when unknown
    const char *origin; ///< whose files an import was made of; NULL for a simulation
    const char *scene;  ///< the resolved scene, for sp_scene_open_text(); NULL: unreadable
    double fps;         ///< 0 when unknown
    size_t frame_count; ///< in the directory; numbers may be missing in between
} sp_run_info;
SP_API sp_run_info sp_run_get_info(const sp_run *run);
/// The number of a frame, by index from 0 to frame_count - 1, in ascending order; UINT64_MAX past the last one.
SP_API uint64_t sp_run_number(const sp_run *run, size_t index);
/// Reads a frame by index. Every byte is checked against the file's digest first: SP_DAMAGED names the file. The
/// frame belongs to the run (frame.h says how long it lives).
SP_API sp_status sp_run_read(sp_run *run, size_t index, const sp_frame **frame, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
