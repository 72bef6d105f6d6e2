// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CACHE_H
#define SP_CACHE_H

/// The directory of a run: frames, checkpoints, statistics and metadata. Files are written
/// atomically, damaged files are reported and never used, and a killed run resumes bit for bit.
/// docs/formats.md has the byte layouts.
///
///     sp_writer_options how = sp_writer_defaults();
///     how.dir = "out"; how.scene_text = ...; how.scene_hash = ...; how.fps = 24;
///     sp_writer *run;
///     SP_TRY(sp_writer_open(&how, host, &run, err));
///     sp_host logged = sp_writer_host(run); // its log lines also go to log.jsonl
///     ... sp_driver_open(&def, &logged, &driver, err) ...
///     st = sp_writer_go(run, driver, 100, &hooks, err);
///     sp_driver_close(driver); sp_writer_close(run);

#include "bulk/bulk.h"
#include "solver/driver.h"

/// ---- Writing a run (open_run.c, run_loop.c) -------------------------------------------------------------

typedef struct sp_writer sp_writer;

/// How to open a directory that already holds a run. An empty or absent directory always starts a
/// new one.
typedef enum sp_run_mode {
    SP_RUN_NEW,       ///< refuse a directory that holds frames; the error lists the options
    SP_RUN_RESUME,    ///< resume from the newest valid checkpoint; also extends a finished run
    SP_RUN_FROM,      ///< resume from the checkpoint of frame `from`; the error lists others
    SP_RUN_OVERWRITE, ///< remove the existing run, of any scene, and start a new one
} sp_run_mode;

/// Start from sp_writer_defaults(). Texts are copied.
typedef struct sp_writer_options {
    const char *dir; ///< created when absent, with its parents
    sp_run_mode mode;
    uint64_t from;  ///< SP_RUN_FROM: a frame with a checkpoint
    double fps;     ///< frames a second; required
    uint64_t first; ///< frames before this one are computed but not written (--frames A-B); 0
    uint64_t checkpoint_every; ///< frames; 0: only at the end and on cancellation. Default 10
    uint64_t keep;             ///< checkpoints kept, at least 1. Default 2
    bool sync; ///< fsync each file before its rename, to survive a power cut. Default true
    bool half; ///< frames at half precision (docs/formats.md says what of them). Default false
    const char *scene_text; ///< the resolved scene, for scene.json; required
    /// Hash of everything that determines the states. It must not depend on the number of frames,
    /// so that a run can be extended.
    uint64_t scene_hash;
    const char *solver; ///< its name, for run.json; may be NULL
    /// A JSON object without clock times (versions, build options, seed), stored as "about" in
    /// run.json; NULL: {}
    const char *about;
} sp_writer_options;

sp_writer_options sp_writer_defaults(void);

/// Locks the directory and decides where to resume. Refuses, in one sentence: SP_BUSY with the pid
/// of another writer (a lock left by a killed process is ignored); SP_BAD_INPUT for a run of
/// another scene, a damaged run.json, a directory that is not empty and holds no run, a directory
/// that is not writable, or a frame without checkpoint; SP_IO. On failure *out is NULL and existing
/// frames are unchanged.
sp_status sp_writer_open(const sp_writer_options *options, const sp_host *host, sp_writer **out,
                         sp_error *err);
void sp_writer_close(sp_writer *run); ///< releases the lock; NULL is allowed
/// Removes everything that opening created, for a scene that turned out to be wrong. A run with a
/// frame is left unchanged. The caller still closes the run.
void sp_writer_withdraw(sp_writer *run);

/// The frame whose checkpoint the run continues from; -1: it starts at frame 0.
int64_t sp_writer_resumes_at(const sp_writer *run);
/// The host given at open; its log lines also go to DIR/log.jsonl. Valid until the run is closed.
sp_host sp_writer_host(sp_writer *run);

typedef struct sp_writer_hooks {
    void *user;
    /// Called after a frame was written (or skipped, before `first`). `seconds` is the time of its
    /// step by the host's clock. May be NULL.
    void (*after_frame)(void *user, const sp_frame *frame, double seconds);
} sp_writer_hooks;

/// Runs a freshly opened driver (of the run's fps) up to and including `last_frame`. Frame 0 is the
/// initial state, frame k is at t = k/fps. Each frame is published, checked, written and added to
/// stats.jsonl. When the solver fails or publishes a NaN, the run ends with the solver's error;
/// frames up to the last valid one stay, and DIR/crash.h5 holds the faulty state. A cancelled
/// driver ends the run with a checkpoint and SP_CANCELLED. When the run is already long enough,
/// returns SP_OK. Call it once.
sp_status sp_writer_go(sp_writer *run, sp_driver *driver, uint64_t last_frame,
                       const sp_writer_hooks *hooks, sp_error *err);

/// For frames from another source: checks a frame, writes it, and adds it to stats.jsonl as a step
/// of `seconds`. Frame numbers must ascend; the directory must be opened with SP_RUN_NEW or
/// SP_RUN_OVERWRITE. There is no checkpoint, so such a run cannot be resumed.
sp_status sp_writer_put(sp_writer *run, const sp_frame *frame, double seconds, sp_error *err);
/// Rewrites the index after the last sp_writer_put().
sp_status sp_writer_put_end(sp_writer *run, sp_error *err);

/// Whether a directory holds a run, damaged or not.
bool sp_run_is_here(const char *dir);

/// ---- A run as bulk (run_as_bulk.c, peek.c) ------------------------------------------------------------

/// Serves the frames of a run that hold `surface` and `velocity` on tiles, from a liquid or an
/// import. Frames are read and checked on demand. Velocity is extrapolated 8 voxels beyond the
/// water. Water is "no data" where `velocity` has no tile, and in tiles that `surface` encloses but
/// does not store. SP_BAD_INPUT when there is no frame or the first has no surface.
sp_status sp_run_bulk_open(const char *dir, const sp_host *host, sp_bulk *bulk, sp_error *err);

/// ---- Frames and lists (frame_read.c, frame_write.c, list.c, seals.c) ---------------------------

/// A frame read from a file. Before use, all bytes are checked against the digest, and each array
/// against its name, type and length.
typedef struct sp_frame_file sp_frame_file;
/// On failure *out is NULL and err names the file and what is wrong (SP_IO, SP_DAMAGED,
/// SP_UNSUPPORTED for a newer format, SP_NO_MEMORY).
sp_status sp_frame_file_open(const char *path, const sp_host *host, sp_frame_file **out,
                             sp_error *err);
const sp_frame *sp_frame_file_frame(const sp_frame_file *file); ///< arrays are valid until close
bool sp_frame_file_is_half(const sp_frame_file *file);          ///< stored at half precision
void sp_frame_file_close(sp_frame_file *file);                  ///< NULL is allowed
/// Writes one frame atomically, at full precision. Equal frames give equal bytes.
sp_status sp_frame_file_write(const char *path, const sp_frame *frame, bool sync,
                              const sp_host *host, sp_error *err);

/// The largest speed in a frame, m/s: of the water when velocity is on tiles, else of the
/// particles; -1 without any velocity. Stored frames have it as the statistic largest_speed_m_s;
/// for older ones it is computed.
double sp_frame_speed(const sp_frame *frame);

/// One frame or checkpoint of a run, valid or damaged. All fields but `frame` are 0 until it is
/// checked.
typedef struct sp_cache_item {
    uint64_t frame;
    bool checked;
    uint64_t bytes;   ///< of the file
    double time;      ///< s; 0 when damaged
    uint64_t hash;    ///< of the state; 0 when damaged
    uint64_t digest;  ///< of the file's contents; 0 when damaged
    double voxel;     ///< m; 0 when damaged
    double speed;     ///< m/s; largest `velocity` in the water; -1 when not on tiles
    bool half;        ///< a frame at half precision
    sp_status status; ///< SP_OK, or the kind of damage
    char *trouble;    ///< one sentence that names the file; NULL when valid
} sp_cache_item;

/// Digests of a resolved scene: of its look, and of everything else.
typedef struct sp_scene_parts {
    uint64_t look, rest;
} sp_scene_parts;

/// A file besides frames and checkpoints. Its scene is judged apart: see sp_cache_scene_change().
typedef struct sp_cache_file {
    const char *name; ///< "run.xmf"
    char *trouble;    ///< one sentence that names the file; NULL when valid or not checked
} sp_cache_file;
enum { SP_CACHE_FILES = 5 }; ///< seals.json, run.json, static.h5, run.xmf and stats.jsonl

/// Contents of a run's directory.
typedef struct sp_cache_list {
    const sp_host *host;
    char *dir;
    char *scene_text;  ///< scene.json verbatim; NULL when it cannot be read
    bool scene_sealed; ///< false in runs of older versions: nobody knows whether it was edited
    bool scene_edited; ///< scene.json is not as the run wrote it
    sp_scene_parts scene_parts; ///< of the scene that was run, if sealed
    char *solver;               ///< from run.json; NULL when unknown
    char *origin;               ///< from run.json: source of imported frames; NULL for a simulation
    uint64_t scene_hash;        ///< from run.json
    double fps;                 ///< from run.json; 0 when unknown
    sp_cache_item *frames;      ///< in ascending frame, including damaged ones
    size_t frame_count;
    sp_cache_item *checkpoints; ///< in ascending frame
    size_t checkpoint_count;
    uint64_t missing;       ///< frames absent between the first and the last
    uint64_t first_missing; ///< the first of them
    sp_cache_file files[SP_CACHE_FILES];
    size_t damaged; ///< checked frames, checkpoints and files that are damaged
} sp_cache_list;

/// Lists the file names. Opens no frame and no checkpoint, so a long run costs no more than a short
/// one. A directory without a run is SP_BAD_INPUT. Close the list in either case.
sp_status sp_cache_list_open(const char *dir, const sp_host *host, sp_cache_list *list,
                             sp_error *err);
/// Reads one frame of the list completely and fills in its item. A damaged file is not a failure:
/// it sets `trouble`. SP_NO_MEMORY is a failure. `file`, when not NULL, gets a valid frame, which
/// the caller closes, or NULL.
sp_status sp_cache_list_check_frame(sp_cache_list *list, sp_cache_item *item, sp_frame_file **file,
                                    sp_error *err);
/// Checks all frames, checkpoints and files. An edited scene is no damage.
sp_status sp_cache_list_check(sp_cache_list *list, sp_error *err);

/// What a text in the form of a resolved scene changes in the scene that was run.
typedef enum sp_scene_change {
    SP_SCENE_SAME,
    SP_SCENE_LOOK_EDITED, ///< nothing but its look
    SP_SCENE_EDITED,
} sp_scene_change;
sp_scene_change sp_cache_scene_change(const sp_cache_list *list, const char *text);
void sp_cache_list_close(sp_cache_list *list); ///< a zeroed list is allowed
/// Writes DIR/frames/000012.h5 to `path`.
void sp_cache_frame_path(const char *dir, uint64_t frame, char *path, size_t size);
/// Makes a directory and its parents. An existing one must be writable. SP_BAD_INPUT when the name
/// is wrong (a file, or a place without write permission), SP_IO for a disk error.
sp_status sp_cache_dir_make(const char *path, sp_error *err);

#endif
