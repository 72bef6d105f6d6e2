// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CACHE_H
#define SP_CACHE_H

/// A run's directory: frames, checkpoints and what explains them. It survives anything: a file is
/// there whole or not at all, a damaged one is named and never used, and a run that was killed goes
/// on bit for bit as if it had never stopped. docs/formats.md draws the bytes.
///
///     sp_writer_options how = sp_writer_defaults();
///     how.dir = "out"; how.scene_text = ...; how.scene_hash = ...; how.fps = 24;
///     sp_writer *run;
///     SP_TRY(sp_writer_open(&how, host, &run, err));
///     sp_host logged = sp_writer_host(run); // what the solver says also goes to log.jsonl
///     ... sp_driver_open(&def, &logged, &driver, err) ...
///     st = sp_writer_go(run, driver, 100, &hooks, err);
///     sp_driver_close(driver); sp_writer_close(run);

#include "bulk/bulk.h"
#include "solver/driver.h"

/// ---- Writing a run (run.c, loop.c) -------------------------------------------------------------

typedef struct sp_writer sp_writer;

/// What to do with a directory that already holds a run. An empty or absent one always starts anew.
typedef enum sp_run_mode {
    SP_RUN_NEW,    ///< refuse a directory that holds frames; the sentence says what can be done
    SP_RUN_RESUME, ///< go on from the newest good checkpoint; also how a finished run is extended
    SP_RUN_FROM,   ///< go on from the checkpoint of frame `from`, or say which ones there are
    SP_RUN_OVERWRITE, ///< remove the run that is there, whatever its scene, and start anew
} sp_run_mode;

/// Start from sp_writer_defaults(). Texts are copied.
typedef struct sp_writer_options {
    const char *dir; ///< made when absent, parents too
    sp_run_mode mode;
    uint64_t from;  ///< SP_RUN_FROM: a frame that has a checkpoint
    double fps;     ///< frames a second; required
    uint64_t first; ///< frames before this one are computed but not written (--frames A-B); 0
    uint64_t checkpoint_every; ///< frames; 0: only at the end and on cancellation. Default 10
    uint64_t keep;             ///< checkpoints kept, at least 1. Default 2
    bool sync; ///< fsync each file before it gets its name, so that a power cut is survived.
               ///< Default true
    const char *scene_text; ///< the resolved scene, for scene.json; required
    /// Of everything that decides the states; must not change with the number of frames asked for,
    /// or a run could not be extended.
    uint64_t scene_hash;
    const char *solver; ///< its name, for run.json; may be NULL
    /// A JSON object without clocks (versions, build options, seed), kept as "about" in run.json;
    /// NULL: {}
    const char *about;
} sp_writer_options;

sp_writer_options sp_writer_defaults(void);

/// Takes the directory's lock and decides where to go on. Refuses, in one sentence: SP_BUSY with
/// the pid of another writer (a lock left by a killed process does not count); SP_BAD_INPUT for a
/// run of another scene or one whose run.json is damaged, for a directory that is not empty and
/// holds no run or that takes no files, and for a frame without checkpoint; SP_IO. On failure *out is NULL and frames that are there stay as they were.
sp_status sp_writer_open(const sp_writer_options *options, const sp_host *host, sp_writer **out,
                         sp_error *err);
void sp_writer_close(sp_writer *run); ///< releases the lock; NULL is welcome
/// Removes all that opening made, because the scene turned out to be wrong. A run that has a frame
/// stays as it is. What remains is to close it.
void sp_writer_withdraw(sp_writer *run);

/// The frame whose checkpoint sp_writer_go will restore, or -1 when it will begin at the start.
int64_t sp_writer_resumes_at(const sp_writer *run);
/// The host given at open, with its log lines also kept in DIR/log.jsonl. Valid until the run is
/// closed.
sp_host sp_writer_host(sp_writer *run);
/// One line to DIR/log.jsonl alone (not to the host).
void sp_writer_log(sp_writer *run, sp_log_level level, const char *text);

typedef struct sp_writer_hooks {
    void *user;
    /// After a frame was written (or skipped, before `first`). `seconds` were spent stepping to it,
    /// by the host's clock. May be NULL.
    void (*after_frame)(void *user, const sp_frame *frame, double seconds);
} sp_writer_hooks;

/// Runs a freshly opened driver (of the run's fps) up to and including `last_frame`: frame 0 is the
/// start, frame k lies at t = k/fps. Each frame is published, checked, written and put into
/// stats.jsonl. A solver that fails or publishes a NaN ends the run with its sentence; frames up to
/// the last good one stay, and DIR/crash.h5 holds the state at fault. A driver that is cancelled
/// ends the run with a checkpoint and SP_CANCELLED. Nothing to do (the run is already that long) is
/// SP_OK. Call it once.
sp_status sp_writer_go(sp_writer *run, sp_driver *driver, uint64_t last_frame,
                       const sp_writer_hooks *hooks, sp_error *err);

/// For frames that come from elsewhere: checks one, writes it, and puts it into stats.jsonl as a
/// step of so many seconds would. Frames must ascend; the directory must have been opened new or
/// overwritten. There is no checkpoint, so such a run is not resumed.
sp_status sp_writer_put(sp_writer *run, const sp_frame *frame, double seconds, sp_error *err);
/// Renews the index after the last of them.
sp_status sp_writer_put_end(sp_writer *run, sp_error *err);

/// ---- A run as bulk (bulk.c, peek.c) ------------------------------------------------------------

/// Serves the frames of a run that hold `surface` and `velocity` on tiles: a liquid's or an
/// import's. Frames are read and checked when they are asked for. Velocity is continued 8 voxels
/// beyond the water; water whose tiles are not in `velocity`, or that `surface` encloses without
/// having it, is "no data". SP_BAD_INPUT when there is no frame or the first has no surface.
sp_status sp_run_bulk_open(const char *dir, const sp_host *host, sp_bulk *bulk, sp_error *err);

/// ---- Frames and lists (frame_read.c, frame_write.c, list.c) ------------------------------------

/// A frame read from a file: every byte was checked against its digest and every array against its
/// name, type and length before it was used.
typedef struct sp_frame_file sp_frame_file;
/// On failure *out is NULL and err names the file and what is wrong (SP_IO, SP_DAMAGED,
/// SP_UNSUPPORTED for a newer format, SP_NO_MEMORY).
sp_status sp_frame_file_open(const char *path, const sp_host *host, sp_frame_file **out,
                             sp_error *err);
const sp_frame *sp_frame_file_frame(const sp_frame_file *file); ///< arrays live until close
void sp_frame_file_close(sp_frame_file *file);                  ///< NULL is welcome
/// Writes one frame, whole or not at all. Equal frames give equal bytes.
sp_status sp_frame_file_write(const char *path, const sp_frame *frame, bool sync,
                              const sp_host *host, sp_error *err);

/// The largest speed in a frame, m/s: of the water where it has velocity on tiles, else of its particles; -1 when
/// nothing has a velocity. Every frame of a run has it as a statistic, largest_speed_m_s; of older ones it is measured.
double sp_frame_speed(const sp_frame *frame);

/// One frame or checkpoint of a run, good or not. All but its number is 0 until it is checked.
typedef struct sp_cache_item {
    uint64_t frame;
    bool checked;
    uint64_t bytes;   ///< of the file
    double time;      ///< s; 0 when damaged
    uint64_t hash;    ///< of the state; 0 when damaged
    uint64_t digest;  ///< of the file's contents; 0 when damaged
    double voxel;     ///< m; 0 when damaged
    double speed;     ///< m/s; the largest of `velocity` in the water; -1 without one on tiles
    sp_status status; ///< SP_OK, or what is wrong
    char *trouble;    ///< one sentence naming the file; NULL when good
} sp_cache_item;

/// What is in a run's directory.
typedef struct sp_cache_list {
    const sp_host *host;
    char *dir;
    char *scene_text;      ///< scene.json as it is; NULL when it cannot be read
    char *solver;          ///< from run.json; NULL when unknown
    char *origin;          ///< from run.json: whose files it was made of; NULL when nobody's
    uint64_t scene_hash;   ///< from run.json
    double fps;            ///< from run.json; 0 when unknown
    sp_cache_item *frames; ///< in ascending frame, damaged ones too
    size_t frame_count;
    sp_cache_item *checkpoints; ///< in ascending frame
    size_t checkpoint_count;
    uint64_t missing;       ///< frames absent between the first and the last
    uint64_t first_missing; ///< the first of them
    size_t damaged;         ///< frames and checkpoints that must not be used, of those checked
} sp_cache_list;

/// Lists the names: no frame and no checkpoint is opened, so that a long run costs no more than a
/// short one. A directory that holds no run is SP_BAD_INPUT. Close the list in either case.
sp_status sp_cache_list_open(const char *dir, const sp_host *host, sp_cache_list *list,
                             sp_error *err);
/// Reads one frame of the list whole and fills in its item. A damaged file is an item with trouble, not a
/// failure; SP_NO_MEMORY is. Where `file` is not NULL it gets a good frame, to be closed by the caller, and NULL
/// otherwise.
sp_status sp_cache_list_check_frame(sp_cache_list *list, sp_cache_item *item, sp_frame_file **file,
                                    sp_error *err);
/// All frames and all checkpoints.
sp_status sp_cache_list_check(sp_cache_list *list, sp_error *err);
void sp_cache_list_close(sp_cache_list *list); ///< a zeroed list is welcome
/// DIR/frames/000012.h5 into `path`.
void sp_cache_frame_path(const char *dir, uint64_t frame, char *path, size_t size);
/// Makes a directory and its parents; one that is there must take files. SP_BAD_INPUT when the name
/// is to blame (a file, or no place to write), SP_IO when the disk is.
sp_status sp_cache_dir_make(const char *path, sp_error *err);

#endif
