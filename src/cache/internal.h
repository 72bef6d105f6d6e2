// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CACHE_INTERNAL_H
#define SP_CACHE_INTERNAL_H

/// Structures and functions shared by the files of the cache.

#include "cache/cache.h"

#include <hdf5.h>
#include <pthread.h>

/// ---- Files (files.c) ---------------------------------------------------------------------------

enum { SP_PATH = SP_FILE_PATH, SP_DIR_LONGEST = 3500 };

/// Like sp_file_write(); `sync` also syncs the directory entry.
sp_status sp_cache_file_write(const char *path, const sp_file_part *parts, size_t part_count,
                              bool sync, sp_error *err);
sp_status sp_cache_file_write_text(const char *path, const char *text, bool sync, sp_error *err);
sp_status sp_cache_file_remove(const char *path, sp_error *err); ///< an absent file is fine
uint64_t sp_cache_file_size(const char *path);                   ///< 0 when unknown
/// Removes temporary files of interrupted sp_cache_file_write() calls from a directory. Ignores
/// errors.
void sp_cache_dir_tidy(const char *path);
/// Frame numbers of the files NNNNNN<suffix> in a folder of a run, ascending. Empty for an absent folder.
sp_status sp_cache_dir_frames(const char *run, const char *folder, const char *suffix,
                              const sp_host *host, uint64_t **frames, size_t *count, sp_error *err);

/// ---- Seals (checksum.c): the header of 512 bytes of each file --------------------------------------

/// Frames at full precision keep format 1, which older versions read.
enum { SP_FRAME_FORMAT_FULL = 1, SP_FRAME_FORMAT_HALF = 2, SP_FRAME_FORMAT = SP_FRAME_FORMAT_HALF };
enum { SP_SEAL = 512, SP_CHECKPOINT_FORMAT = 1, SP_STATIC_FORMAT = 1 };
#define SP_FRAME_MAGIC "SPUMEFRM"
#define SP_CHECKPOINT_MAGIC "SPUMECKP"
#define SP_STATIC_MAGIC "SPUMESTA"

typedef struct sp_seal {
    uint32_t format;
    uint64_t length; ///< of the whole file
    uint64_t digest; ///< of everything after the seal
    uint64_t frame;
    double time, fps;
    uint64_t hash;       ///< of the state
    uint64_t scene_hash; ///< checkpoints only
} sp_seal;

/// Sets length and digest for a body and fills the block.
void sp_seal_stamp(unsigned char block[SP_SEAL], const char *magic, sp_seal *seal, const void *body,
                   size_t body_count);
/// Checks the block, the length and both digests of a file in memory. `name` is for error messages.
sp_status sp_seal_check(const char *name, const char *magic, uint32_t newest,
                        const unsigned char *bytes, size_t count, sp_seal *seal, sp_error *err);

/// ---- Seals of files without a header (seals.c) -------------------------------------------------

#define SP_SEALS_FILE "seals.json"
typedef enum sp_sealed {
    SP_SEALED_RUN,
    SP_SEALED_SCENE,
    SP_SEALED_STATIC,
    SP_SEALED_INDEX,
    SP_SEALED_COUNT
} sp_sealed;
const char *sp_sealed_name(sp_sealed which); ///< "run.json"

/// Zeroed: nothing is sealed.
typedef struct sp_seals {
    bool given;   ///< seals.json was read or written
    bool changed; ///< seals.json must be written
    /// Of the newest bytes and of those before, 1 if there was no file before; 0: not sealed, none.
    uint64_t digest[SP_SEALED_COUNT][2];
    sp_scene_parts scene;
} sp_seals;
/// Reads seals.json. Without one nothing is sealed, which is no failure; SP_DAMAGED when it is not
/// as it was written.
sp_status sp_seals_read(const char *dir, const sp_host *host, sp_seals *seals, sp_error *err);
/// Seals the bytes that a file is about to get. Call sp_seals_write() before the file is written.
void sp_seals_set(sp_seals *seals, sp_sealed which, const void *bytes, size_t count);
void sp_seals_set_scene(sp_seals *seals, const char *text); ///< scene.json
/// Forgets bytes that were replaced.
void sp_seals_settle(sp_seals *seals);
sp_status sp_seals_write(sp_seals *seals, const char *dir, bool sync, const sp_host *host,
                         sp_error *err); ///< if they changed
/// Whether a file holds bytes that were sealed; true for a file without seal.
bool sp_seals_fit(const sp_seals *seals, sp_sealed which, const void *bytes, size_t count);
/// The same; if so, other bytes are forgotten. Done when a run is opened again, so that kills do not
/// add up.
bool sp_seals_confirm(sp_seals *seals, sp_sealed which, const void *bytes, size_t count);
/// Reads a file and compares. SP_DAMAGED names it and what is wrong.
sp_status sp_sealed_check(const sp_seals *seals, sp_sealed which, const char *dir,
                          const sp_host *host, sp_error *err);
sp_scene_parts sp_scene_parts_of(const char *text); ///< of a resolved scene

/// ---- HDF5 (h5.c): under a global lock, without error printing ----------------------------------

enum { SP_H5_STEP = 1 << 16 }; ///< bytes by which a file in memory grows

typedef struct sp_h5 {
    H5E_auto2_t print; ///< HDF5's previous error printer
    void *print_data;
} sp_h5;
sp_h5 sp_h5_begin(void);
void sp_h5_end(sp_h5 h5);
hid_t sp_h5_type(sp_kind kind); ///< as stored: little-endian
hid_t sp_h5_half_type(void);    ///< of halves; the caller closes it with H5Tclose()
/// Opens a file in memory for reading. Negative when it is none; the bytes stay the caller's.
hid_t sp_h5_open_bytes(unsigned char *bytes, size_t count);

/// An HDF5 file built in our memory: HDF5 writes to these bytes, and they are written to disk
/// without a copy. After a failed call all later calls do nothing, so it is enough to test `ok` at
/// the end. All calls but the close must be between sp_h5_begin() and sp_h5_end(). The struct must
/// not move.
typedef struct sp_h5_image {
    const sp_host *host;
    unsigned char *bytes; ///< SP_SEAL empty bytes, then the file
    size_t room;          ///< bytes allocated
    size_t count;         ///< bytes of seal and file, from sp_h5_image_flush() on
    hid_t file;
    hid_t group_props, data_props; ///< no times, links in creation order
    bool half;                     ///< sp_h5_image_floats() stores halves
    bool ok;
} sp_h5_image;
/// `room`: expected bytes of the file. A larger file grows, which briefly takes twice the memory.
void sp_h5_image_open(sp_h5_image *image, const sp_host *host, size_t room);
hid_t sp_h5_image_group(sp_h5_image *image, hid_t parent, const char *name);
void sp_h5_image_array(sp_h5_image *image, hid_t parent, const char *name, sp_kind kind, int rank,
                       const hsize_t *dims, const void *data);
/// An array of f32 that readers need only at half precision. It is stored as f32 if the image is not
/// `half`, or if a number is too large for a half.
void sp_h5_image_floats(sp_h5_image *image, hid_t parent, const char *name, int rank,
                        const hsize_t *dims, const float *data);
/// n = 1 makes a scalar, a larger n a list.
void sp_h5_image_attribute(sp_h5_image *image, hid_t object, const char *name, sp_kind kind,
                           size_t n, const void *data);
/// Updates the bytes.
sp_status sp_h5_image_flush(sp_h5_image *image, sp_error *err);
void sp_h5_image_close(sp_h5_image *image); ///< also releases the bytes

/// ---- Frames (frame_write.c, frame_read.c) ------------------------------------------------------

/// A frame as it is stored: the published frame, with its largest speed added to the statistics
/// (frame_speed.c). It points to the frame's arrays.
typedef struct sp_stored {
    const sp_host *host;
    sp_frame frame;
    sp_stat *stats;
    bool half; ///< set it after opening: store at half precision what may be (frame_write.c)
} sp_stored;
sp_status sp_stored_open(sp_stored *stored, const sp_frame *frame, const sp_host *host,
                         sp_error *err);
/// Writes it atomically; *count gets the bytes written (frame_write.c).
sp_status sp_stored_write(const sp_stored *stored, const char *path, bool sync, size_t *count,
                          sp_error *err);
void sp_stored_close(sp_stored *stored); ///< may be zeroed

/// A sealed frame file in memory: the only copy of the frame besides the solver's arrays. The frame
/// must be checked. On failure there is nothing to close.
sp_status sp_frame_image_open(sp_h5_image *image, const sp_frame *frame, bool half,
                              const sp_host *host, sp_error *err);
/// Reads a frame from memory. The caller keeps the bytes.
sp_status sp_frame_file_parse(const char *name, unsigned char *bytes, size_t count,
                              const sp_host *host, sp_frame_file **out, sp_error *err);
const sp_seal *sp_frame_file_seal(const sp_frame_file *file);

/// Facts from the header of a frame file, read without the arrays and not checked against the
/// digest (peek.c).
typedef struct sp_frame_peek {
    double voxel, origin[3];
    size_t tiles;            ///< of the requested field
    int32_t low[3], high[3]; ///< in tiles; valid when tiles > 0
} sp_frame_peek;
sp_status sp_frame_peek_at(const char *path, const char *field, const sp_host *host,
                           sp_frame_peek *peek, sp_error *err);

/// ---- Checkpoints (checkpoint.c) ----------------------------------------------------------------

void sp_checkpoint_path(const char *dir, uint64_t frame, char *path, size_t size);
sp_status sp_checkpoint_write(const char *dir, const sp_seal *seal, const sp_blob *state, bool sync,
                              sp_error *err);
/// Reads a checkpoint; the solver's state begins at SP_SEAL. `scene_hash` must match.
sp_status sp_checkpoint_read(const char *dir, uint64_t frame, uint64_t scene_hash,
                             const sp_host *host, char **bytes, size_t *count, sp_seal *seal,
                             sp_error *err);
/// Keeps the newest `keep` checkpoints up to frame `newest` and removes older ones.
sp_status sp_checkpoint_prune(const char *dir, uint64_t newest, uint64_t keep, const sp_host *host,
                              sp_error *err);

/// ---- Lines of JSON (jsonl.c) -------------------------------------------------------------------

/// Formats the line of a frame in stats.jsonl. It ends with a seal: the digest of the line before it,
/// seeded by *seal, that of the previous line (0: none), which is replaced.
void sp_cache_stats_line(sp_text *text, const sp_frame *frame, double step_seconds,
                         double write_seconds, size_t bytes, uint64_t *seal);
/// Truncates stats.jsonl after the last complete line of a frame <= last (-1: empties it). *seal gets
/// that of the last line left.
sp_status sp_cache_stats_cut(const char *path, int64_t last, const sp_host *host, uint64_t *seal,
                             sp_error *err);
/// SP_DAMAGED when a complete line does not fit its seal or a frame has no line. The newest frame
/// may have none: it is written first.
sp_status sp_cache_stats_check(const char *path, const sp_cache_item *frames, size_t count,
                               const sp_host *host, sp_error *err);
double sp_cache_clock(void); ///< s since 1970

/// The values of run.json that the cache uses.
typedef struct sp_run_facts {
    uint64_t scene_hash;
    double fps;
    char solver[64];  ///< empty when unknown
    char origin[512]; ///< about.origin: one sentence on the source of imported frames
} sp_run_facts;
/// The text of run.json; check `failed`.
void sp_run_facts_text(const sp_run_facts *facts, const char *about, sp_text *text);
/// SP_BAD_INPUT when there is no run.json, SP_DAMAGED when it is not valid.
sp_status sp_run_facts_read(const char *dir, sp_run_facts *facts, const sp_host *host,
                            sp_error *err);

/// ---- ParaView (xdmf.c) -------------------------------------------------------------------------

/// The grid of plane fields. Frames with the same grid share its coordinates in static.h5.
typedef struct sp_plane {
    size_t nu, nv;
    double corner[3], du[3], dv[3];
} sp_plane;

typedef struct sp_xdmf {
    const sp_host *host;
    sp_text grids; ///< the head of the file and one <Grid> a frame
    sp_plane *planes;
    size_t plane_count, plane_capacity;
    uint64_t frames, frames_on_disk;
    bool planes_changed;
} sp_xdmf;
sp_status sp_xdmf_add(sp_xdmf *xdmf, const sp_frame *frame, sp_error *err);
/// Rewrites DIR/run.xmf, and DIR/static.h5 when a plane was added, and seals them.
sp_status sp_xdmf_write(sp_xdmf *xdmf, sp_seals *seals, const char *dir, bool sync, sp_error *err);
/// Whether enough frames were added since the last rewrite. Keeps the total cost of rewrites
/// linear.
bool sp_xdmf_is_due(const sp_xdmf *xdmf);
void sp_xdmf_close(sp_xdmf *xdmf);

/// ---- The run (open_run.c, run_loop.c) -------------------------------------------------------------------

struct sp_writer {
    const sp_host *host;
    sp_writer_options options; ///< its strings are NULL
    char *dir;
    int lock, log, stats;     ///< descriptors; -1 when not open
    bool made_dir, made_lock; ///< they were not there before
    int64_t resumes_at;       ///< -1: at the start
    int64_t checkpoint;       ///< frame of the newest checkpoint written or restored; -1: none
    pthread_mutex_t log_lock; ///< solvers may log from several threads
    sp_xdmf xdmf;
    sp_seals seals;
    uint64_t stats_seal; ///< of the last line of stats.jsonl; 0: none
};

/// Logs one line to the host and to log.jsonl.
void sp_writer_say(sp_writer *run, sp_log_level level, const char *format, ...) SP_PRINTF(3, 4);
/// Removes checkpoints and frames after `last` (-1: all) and truncates stats.jsonl, in an order
/// that leaves a resumable run after any interruption.
sp_status sp_writer_rewind(sp_writer *run, int64_t last, sp_error *err);

#endif
