// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SCENE_INTERNAL_H
#define SP_SCENE_INTERNAL_H

/// How a scene is read:
///
///     text ─parse_json.c─▶ text, comments blanked ──Jansson──▶ tree ─include.c─▶ tree
///          ──override.c──▶ tree with size and --set ──bind.c──▶ defs ──check──▶ sp_scene
///
/// Jansson keeps no positions, so an error has the path of its key. line_of_key.c finds the line of that
/// path in the blanked text, where every byte has the same offset as in the file.

#include "scene/scene.h"

#include <jansson.h>
#include <stdarg.h>

/// ---- Key paths (path.c) -----------------------------------------------------------------------

enum { SP_PATH_DEPTH = 16 };
typedef struct sp_path_step {
    const char *key; ///< not zero-terminated; NULL: an index
    size_t length, index;
} sp_path_step;
typedef struct sp_path {
    sp_path_step steps[SP_PATH_DEPTH];
    size_t count;
} sp_path;

void sp_path_push_key(sp_path *path, const char *key, size_t length);
void sp_path_push_index(sp_path *path, size_t index);
/// Parses "pond.nozzles[3].rate"; false on a syntax error. Keys point into `words`.
bool sp_path_parse(sp_path *path, const char *words, size_t length);
void sp_path_write(const sp_path *path, char *out, size_t size);
bool sp_path_begins(const sp_path *path, const sp_path *with);

/// ---- One reading of one scene -----------------------------------------------------------------

/// A value from a size or from --set, not from its own line of the file.
typedef struct sp_override {
    sp_path path;
    const char *set;  ///< "pond.foam_life=-1"; NULL when it is from a size
    const char *size; ///< the size
    const char *line; ///< the key in that size's object
} sp_override;

typedef struct sp_reading {
    const sp_host *host;
    sp_scene *scene;
    const char *name; ///< file name for messages
    char *text;       ///< comments blanked; released after reading
    size_t length;
    json_t *root;
    const sp_solver_type *const *solvers;
    size_t solver_count;
    const char *size;
    sp_override *overrides;
    size_t override_count;
    const sp_override *applying; ///< the override being applied, or NULL
    sp_path path;                ///< current path of the binder
    sp_error error;
} sp_reading;

/// Blanks comments in place, rejects zero bytes and deep nesting, and parses the tree (parse_json.c).
sp_status sp_source_parse(sp_reading *r);
/// Reads a whole file. The caller releases *text and adds the file name to the error (parse_json.c).
sp_status sp_source_read(const sp_host *host, const char *path, size_t limit, char **text,
                         size_t *length, sp_error *err);

/// Puts the scene's keys over those of the scene that it includes (include.c).
sp_status sp_include(sp_reading *r);
/// The text of a file or of a built-in scene; *owned is to be released, and NULL for the latter (catalogue.c).
sp_status sp_scene_find_text(const char *name_or_path, const sp_host *host, char **owned,
                             const char **text, size_t *length, sp_error *err);

/// Fails at the reading's path: "file:line: path: sentence" (line_of_key.c).
sp_status sp_reading_fail(sp_reading *r, const char *format, ...) SP_PRINTF(2, 3);
/// The same for a message already in r->error that begins with the path; the status is unchanged.
sp_status sp_reading_place(sp_reading *r);
sp_status sp_reading_no_memory(sp_reading *r);
/// The 1-based line of a byte, and the path of the key that contains the byte.
size_t sp_line_at(const sp_reading *r, size_t offset);
void sp_path_at(const sp_reading *r, size_t offset, sp_path *path);

/// Applies the size, then each --set, to the tree (override.c).
sp_status sp_override_apply(sp_reading *r, const sp_scene_options *options);

/// Fills scene->common and scene->def from the tree (bind.c).
sp_status sp_bind(sp_reading *r);
sp_status sp_bind_unknown(sp_reading *r, const sp_keys *keys, const char *word);
/// Fails for a value of the wrong type: "a list; expected a number, 0 to 1". `allowed` may be NULL: no range.
sp_status sp_bind_fail(sp_reading *r, json_t *value, const char *expected, const sp_key *allowed);
/// Checks a number at the reading's path against its key's range.
sp_status sp_bind_check_number(sp_reading *r, const sp_key *key, double value);

/// Copies a string into the scene's arena; NULL: no memory. And makes paths of mesh files absolute
/// (meshes.c).
char *sp_keep(sp_reading *r, const char *words, size_t length);
sp_status sp_name_meshes(sp_reading *r);
void sp_hash_meshes(sp_scene *scene); ///< adds the bytes of mesh files to the scene's hash
sp_status sp_each_shape(const sp_scene *scene, sp_keys_visit *visit, void *arg, sp_error *err);

/// Ground heights (heights.c, pgm.c, png.c).
enum { SP_HEIGHTS_SIDE = 8192, SP_HEIGHTS_SAMPLES = 4096 * 4096 };
sp_status sp_bind_heights(sp_reading *r, const sp_key *key, json_t *value, float scale,
                          sp_heights *out);
/// A gray picture, 0 to 1, top row first.
typedef struct sp_gray {
    float *values; ///< freed with sp_release()
    size_t width, height;
} sp_gray;
/// Errors have no file or line. Width and height are checked before any allocation.
sp_status sp_gray_check(size_t width, size_t height, sp_error *err);
sp_status sp_gray_parse(const sp_host *host, const unsigned char *bytes, size_t count, sp_gray *out,
                        sp_error *err); ///< a PGM or a PNG
sp_status sp_pgm_read(const sp_host *host, const unsigned char *bytes, size_t count, sp_gray *out,
                      sp_error *err);
sp_status sp_png_read(const sp_host *host, const unsigned char *bytes, size_t count, sp_gray *out,
                      sp_error *err);

/// Writes a scene from its def. `digest` selects a short form for hashing (resolve.c).
void sp_resolve(const sp_scene *scene, bool digest, sp_text *text);

/// The schema and the reference for the given solvers; the public calls cover all solvers
/// (schema.c, reference.c).
void sp_schema_write(const sp_solver_type *const *solvers, size_t count, sp_text *text);
void sp_reference_write(const sp_solver_type *const *solvers, size_t count, sp_text *text);
const char *sp_key_type_words(const sp_key *key);

/// The part of a key's path below the solver's own key, or NULL for keys of all solvers (info.c).
const char *sp_scene_below_solver(const sp_scene *scene, const char *key);

#endif
