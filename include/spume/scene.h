// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_SCENE_H
#define SPUME_SCENE_H

#include <spume/api.h>
#include <spume/host.h>
#include <spume/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A scene that was read and checked: JSON text in, values of all keys out. docs/scene.md lists the keys. A scene
/// does not change, so any number of threads may read one.
typedef struct sp_scene sp_scene;

/// How to read a scene. Start from sp_scene_options_defaults().
typedef struct sp_scene_options {
    size_t struct_size; ///< as in sp_host
    const char *size; ///< "laptop" (also when NULL), "full", or any name under the scene's "sizes"
    const char *const *set; ///< overrides, each "path=value", applied after the size
    size_t set_count;
    /// sp_sim_open() refuses a scene whose solver would need more. 0: 80 % of the machine's memory, or
    /// of what the process may still take (ulimit -v).
    double memory_bytes;
} sp_scene_options;
SP_API sp_scene_options sp_scene_options_defaults(void);

/// Reads a file, or the scene of that name that is built in ("pond/fig10"). The options may be NULL. The host must
/// outlive the scene. On failure *out is NULL, nothing is left allocated, and err names file, line and key.
SP_API sp_status sp_scene_open(const char *name_or_path, const sp_scene_options *options,
                               const sp_host *host, sp_scene **out, sp_error *err);
/// The same from JSON text in memory. `name` stands for the file in messages; files that the scene names are
/// looked for beside it.
SP_API sp_status sp_scene_open_text(const char *name, const char *text, size_t length,
                                    const sp_scene_options *options, const sp_host *host,
                                    sp_scene **out, sp_error *err);
SP_API void sp_scene_close(sp_scene *scene); ///< NULL is allowed

/// What every scene has. Texts belong to the scene.
typedef struct sp_scene_info {
    const char *name;   ///< "pond/fig7", or the file as it was given
    const char *solver; ///< "pond"
    const char *size;   ///< "laptop", or what was asked for
    double fps;
    uint64_t frames; ///< the number of the last frame; frame 0 is the start
    uint64_t seed;
    uint64_t hash;       ///< of everything that decides the result; equal scenes have equal hashes
    double memory_bytes; ///< that the solver will need at most
} sp_scene_info;
SP_API sp_scene_info sp_scene_get_info(const sp_scene *scene);

/// Gravity, domain, colliders, emitters and sinks of a scene. Opaque: other calls take it.
typedef struct sp_world_def sp_world_def;
SP_API const sp_world_def *sp_scene_world(const sp_scene *scene); ///< lives as long as the scene

/// The number behind a key, with defaults, size and overrides applied: "fps", "gravity[1]", "pond.foam_life",
/// "pond.nozzles[3].rate". True is 1, false 0, and a word is its index. SP_BAD_INPUT names an unknown key.
SP_API sp_status sp_scene_get(const sp_scene *scene, const char *key, double *value, sp_error *err);

/// The resolved scene: JSON text with every default, the size and the overrides filled in. It opens again to the
/// same values and to the same text. Give the text back with sp_text_free() and the scene's host.
SP_API sp_status sp_scene_resolved(const sp_scene *scene, char **text, sp_error *err);

/// ---- What the library knows --------------------------------------------------------------------

typedef struct sp_solver_info {
    const char *name;  ///< "pond"
    const char *about; ///< one line
    const char *paper; ///< what it implements; may be NULL
} sp_solver_info;
/// The solvers, by index from 0. False past the last one.
SP_API bool sp_solver_at(size_t index, sp_solver_info *info);

/// A scene that is built into the library.
typedef struct sp_scene_builtin {
    const char *name; ///< "pond/fig7"
    const char *text; ///< JSON with comments, exactly the file; not zero-terminated
    size_t length;
} sp_scene_builtin;
SP_API const sp_scene_builtin *sp_scene_builtins(size_t *count); ///< in order of name

/// JSON Schema, draft 2020-12, of all scenes: every key with type, unit, default, range and one line of
/// documentation. Give the text back with sp_text_free().
SP_API sp_status sp_scene_schema(const sp_host *host, char **text, sp_error *err);

/// Frees a text that a call with this host made. NULL is allowed.
SP_API void sp_text_free(const sp_host *host, char *text);

#ifdef __cplusplus
}
#endif
#endif
