// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SCENE_H
#define SP_SCENE_H

/// Reads scenes: from JSON text to a checked def. Every failure is one sentence that names the
/// file, the line and the key's path: "waves.json:12: pond.foam_life: -1 s; expected 0.05 to 60".

#include "look/look.h"
#include "shapes/world.h"
#include "solver/driver.h"

#include <spume/sim.h>

enum { SP_SCENE_VERSION = 1 }; ///< value of "spume": written, and the newest that is read

/// ---- Keys of all scenes (common_keys.c) -------------------------------------------------------------

typedef struct sp_scene_cache {
    int32_t checkpoint_every; ///< frames between checkpoints
    int32_t keep;             ///< checkpoints kept, the newest ones
    bool half;                ///< frames (never checkpoints) at half precision
    bool sync;                ///< wait until each frame is on the disk
} sp_scene_cache;

typedef struct sp_scene_common {
    const char *about; ///< may be NULL
    double fps;
    uint64_t frames; ///< number of the last frame; frame 0 is the start
    uint64_t seed;
    sp_scene_cache cache;
    sp_world_def world; ///< the solver's `uses` says which parts it reads
    sp_look_def look;
} sp_scene_common;

/// Describes sp_scene_common.
extern const sp_keys sp_scene_common_keys;

/// ---- A scene -----------------------------------------------------------------------------------

struct sp_scene {
    const sp_host *host;
    const sp_solver_type *solver;
    void *def; ///< the solver's def, checked; its lists are valid as long as the scene
    sp_scene_common common;
    const char *name;  ///< "pond/fig7", or the file as it was given
    const char *title; ///< the last part of the name without ".json": good for a directory
    const char *size;  ///< "laptop" or what was asked for
    uint64_t hash; ///< of everything that decides the states: equal for runs that can be continued
    double estimate;             ///< bytes the solver will want at most
    const sp_setup_files *files; ///< what the solver may read; the caller's; NULL: nothing
    void *blocks;                ///< what the scene owns (arena.c)
};

/// sp_scene_open_text() for the given solvers.
sp_status sp_scene_read(const char *name, const char *text, size_t length,
                        const sp_scene_options *options, const sp_solver_type *const *solvers,
                        size_t solver_count, const sp_host *host, sp_scene **out, sp_error *err);

sp_setup sp_scene_setup(const sp_scene *scene); ///< the input for opening its solver

/// ---- Running it (open_solver.c) ----------------------------------------------------------------------

/// Refuses, before any large allocation, a scene whose estimate is above `memory` bytes (0: no
/// limit) or with a shape that cannot be opened.
sp_status sp_scene_check_start(const sp_scene *scene, double memory, sp_error *err);
/// Seconds that a run of the scene takes on so many threads, roughly.
double sp_scene_seconds(const sp_scene *scene, int threads);
/// Opens the scene's solver at frame 0. `frames` is called before each frame, `substeps` (which may be NULL) after
/// each substep. `scene`, `substeps` and `host` must outlive the driver.
sp_status sp_scene_drive(const sp_scene *scene, double memory, sp_watch frames,
                         const sp_watch *substeps, const sp_host *host, sp_driver **out,
                         sp_error *err);

/// ---- Solvers, built-in scenes and docs ---------------------------------------------------------

const sp_solver_type *const *sp_scene_solvers(size_t *count);
const sp_solver_type *sp_scene_solver(const char *name); ///< NULL when unknown

/// The scene reference in Markdown; docs/scene.md is this text. The caller frees it with sp_release(host, text).
sp_status sp_scene_reference(const sp_host *host, char **text, sp_error *err);

#endif
