// SPDX-License-Identifier: Apache-2.0
/// The main loop of a run: step, publish, check, write, add statistics, and periodic checkpoints.
///
/// The order of writes makes the run resumable after a kill at any time:
///     frame k  ->  line k of stats.jsonl  ->  checkpoint k  ->  older checkpoints removed
/// so all frames up to a checkpoint exist.
#include "cache/internal.h"

#include <stdio.h>
#include <unistd.h>

typedef struct loop {
    sp_writer *run;
    sp_driver *driver;
    sp_writer_hooks hooks;
    sp_frame frame; ///< the last one published
    sp_error *err;
} loop;

/// Publishes and checks the driver's current frame.
static sp_status publish(loop *l)
{
    const sp_frame *frame;
    SP_TRY(sp_driver_frame(l->driver, &frame, l->err));
    l->frame = *frame;
    return SP_OK;
}

static sp_status note(sp_writer *run, const sp_frame *frame, double step_seconds,
                      double write_seconds, size_t bytes, sp_error *err)
{
    char path[SP_PATH];
    sp_text line = {.host = run->host};
    uint64_t seal = run->stats_seal;
    sp_cache_stats_line(&line, frame, step_seconds, write_seconds, bytes, &seal);
    snprintf(path, sizeof path, "%s/stats.jsonl", run->dir);
    sp_status st = SP_OK;
    if (line.failed)
        st = sp_fail(err, SP_NO_MEMORY, "%s: no memory for a line", path);
    else if (!sp_write_all(run->stats, line.bytes, line.size))
        st = sp_file_failed(err, path, "written");
    if (st == SP_OK) run->stats_seal = seal;
    sp_text_close(&line);
    return st;
}

/// Writes the published frame and, if `noted`, its line in stats.jsonl.
static sp_status write_frame(loop *l, bool noted, double step_seconds)
{
    sp_writer *run = l->run;
    char path[SP_PATH];
    sp_stored stored;
    size_t bytes = 0;
    const double begun = sp_now(run->host);
    sp_cache_frame_path(run->dir, l->frame.frame, path, sizeof path);
    sp_status st = sp_stored_open(&stored, &l->frame, run->host, l->err);
    if (st != SP_OK) sp_error_prefix(l->err, "%s: ", path);
    stored.half = run->options.half;
    if (st == SP_OK) st = sp_stored_write(&stored, path, run->options.sync, &bytes, l->err);
    if (st == SP_OK && noted)
        st = note(run, &stored.frame, step_seconds, sp_now(run->host) - begun, bytes, l->err);
    sp_stored_close(&stored);
    return st;
}

/// Writes a checked frame, updates the index, and calls the hook.
static sp_status store(loop *l, double step_seconds)
{
    sp_writer *run = l->run;
    if (l->frame.frame >= run->options.first) {
        SP_TRY(write_frame(l, true, step_seconds));
        SP_TRY(sp_xdmf_add(&run->xdmf, &l->frame, l->err));
        if (sp_xdmf_is_due(&run->xdmf))
            SP_TRY(sp_xdmf_write(&run->xdmf, &run->seals, run->dir, run->options.sync, l->err));
    }
    if (l->hooks.after_frame) l->hooks.after_frame(l->hooks.user, &l->frame, step_seconds);
    return SP_OK;
}

static sp_status write_checkpoint(loop *l)
{
    sp_writer *run = l->run;
    const uint64_t k = l->frame.frame;
    if (run->checkpoint == (int64_t)k) return SP_OK;
    const sp_seal seal = {.frame = k,
                          .time = l->frame.time,
                          .fps = l->frame.fps,
                          .hash = l->frame.hash,
                          .scene_hash = run->options.scene_hash};
    if (run->options.sync && sp_sync(run->stats) != 0)
        return sp_file_failed(l->err, run->dir, "synced");
    sp_blob blob = {.host = run->host};
    sp_status st = sp_driver_save(l->driver, &blob, l->err);
    if (st != SP_OK) sp_error_prefix(l->err, "%s: ", run->dir);
    if (st == SP_OK) st = sp_checkpoint_write(run->dir, &seal, &blob, run->options.sync, l->err);
    sp_blob_close(&blob);
    if (st == SP_OK) run->checkpoint = (int64_t)k;
    if (st == SP_OK) st = sp_checkpoint_prune(run->dir, k, run->options.keep, run->host, l->err);
    return st;
}

/// ---- Resuming ----------------------------------------------------------------------------------

static sp_status restore_blob(loop *l, const char *path, sp_blob *blob, const sp_seal *seal)
{
    sp_status st = sp_driver_restore(l->driver, seal->frame, blob, l->err);
    if (st == SP_OK) st = publish(l);
    if (st == SP_OK && l->frame.hash != seal->hash)
        st = sp_fail(l->err, SP_DAMAGED, "restores another state than was saved");
    if (st != SP_OK) sp_error_prefix(l->err, "%s: ", path);
    return st;
}

static sp_status restore(loop *l, uint64_t k)
{
    sp_writer *run = l->run;
    char path[SP_PATH], *bytes;
    size_t count;
    sp_seal seal;
    SP_TRY(sp_checkpoint_read(run->dir, k, run->options.scene_hash, run->host, &bytes, &count,
                              &seal, l->err));
    sp_checkpoint_path(run->dir, k, path, sizeof path);
    sp_blob blob = {
        .host = run->host, .bytes = (unsigned char *)bytes + SP_SEAL, .size = count - SP_SEAL};
    const sp_status st = restore_blob(l, path, &blob, &seal);
    sp_release(run->host, bytes);
    if (st == SP_OK) run->checkpoint = (int64_t)k;
    return st;
}

/// Reads every frame before frame k completely. The index needs their shapes, and lost frames must
/// be reported when a damaged run resumes.
static sp_status index_old_frames(loop *l, uint64_t k)
{
    sp_writer *run = l->run;
    char path[SP_PATH];
    uint64_t *frames;
    size_t count;
    SP_TRY(sp_cache_dir_frames(run->dir, "frames", ".h5", run->host, &frames, &count, l->err));
    sp_status st = SP_OK;
    for (size_t i = 0; st == SP_OK && i < count && frames[i] < k; ++i) {
        sp_frame_file *file;
        sp_error trouble = {0};
        sp_cache_frame_path(run->dir, frames[i], path, sizeof path);
        st = sp_frame_file_open(path, run->host, &file, &trouble);
        if (st == SP_OK) {
            st = sp_xdmf_add(&run->xdmf, sp_frame_file_frame(file), l->err);
            sp_frame_file_close(file);
        } else if (st == SP_NO_MEMORY) {
            sp_fail(l->err, st, "%s", trouble.text);
        } else {
            sp_writer_say(run, SP_LOG_WARNING,
                          "%s; to make it anew, go back with --from or start over", trouble.text);
            st = SP_OK;
        }
        if (i > 0 && frames[i] != frames[i - 1] + 1)
            sp_writer_say(run, SP_LOG_WARNING, "%s: frames %llu to %llu are missing", run->dir,
                          (unsigned long long)frames[i - 1] + 1, (unsigned long long)frames[i] - 1);
    }
    sp_release(run->host, frames);
    return st;
}

static sp_status resume(loop *l, uint64_t k)
{
    sp_writer *run = l->run;
    SP_TRY(restore(l, k)); // first, so that a failure removes nothing
    SP_TRY(sp_writer_rewind(run, (int64_t)k, l->err));
    SP_TRY(index_old_frames(l, k));
    if (k >= run->options.first) {
        SP_TRY(write_frame(l, false, 0.0)); // stats.jsonl already has its line
        SP_TRY(sp_xdmf_add(&run->xdmf, &l->frame, l->err));
    }
    sp_writer_say(run, SP_LOG_INFO, "%s: goes on from frame %llu", run->dir, (unsigned long long)k);
    return sp_xdmf_write(&run->xdmf, &run->seals, run->dir, run->options.sync, l->err);
}

/// ---- The end -----------------------------------------------------------------------------------

/// Saves the faulty state for debugging. A second failure here is only logged: the first error is
/// more important.
static void keep_crash(loop *l)
{
    sp_error second = {0};
    const sp_frame *frame;
    char path[SP_PATH];
    snprintf(path, sizeof path, "%s/crash.h5", l->run->dir);
    sp_status st = sp_driver_look(l->driver, &frame, &second);
    if (st == SP_OK)
        st = sp_frame_file_write(path, frame, l->run->options.sync, l->run->host, &second);
    if (st == SP_OK)
        sp_writer_say(l->run, SP_LOG_INFO, "%s: holds the state at fault", path);
    else
        sp_writer_say(l->run, SP_LOG_WARNING, "%s", second.text);
}

static sp_status advance(loop *l)
{
    const double begun = sp_now(l->run->host);
    sp_status st = sp_driver_step(l->driver, l->err);
    const double seconds = sp_now(l->run->host) - begun;
    if (st == SP_CANCELLED) return st;
    if (st == SP_OK) st = publish(l);
    if (st == SP_OK) return store(l, seconds);
    keep_crash(l);
    return st;
}

static sp_status begin(loop *l)
{
    if (l->run->resumes_at >= 0) return resume(l, (uint64_t)l->run->resumes_at);
    SP_TRY(sp_writer_rewind(l->run, -1, l->err));
    SP_TRY(publish(l));
    return store(l, 0.0);
}

/// A driver stops between frames. After a stop within a step there is no valid state to save.
static sp_status stop(loop *l)
{
    if (!sp_driver_failed(l->driver)) SP_TRY(write_checkpoint(l));
    return sp_fail(l->err, SP_CANCELLED, "%s: stopped after frame %llu; --resume goes on",
                   l->run->dir, (unsigned long long)l->frame.frame);
}

static sp_status run_to(loop *l, uint64_t last)
{
    SP_TRY(begin(l));
    const uint64_t every = l->run->options.checkpoint_every;
    while (l->frame.frame < last) {
        const sp_status st = advance(l);
        if (st == SP_CANCELLED) return stop(l);
        if (st != SP_OK) return st;
        if (every > 0 && l->frame.frame % every == 0) SP_TRY(write_checkpoint(l));
    }
    return write_checkpoint(l);
}

/// The run is already long enough. Its last process may have been killed before it wrote the index,
/// so the index is rewritten.
static sp_status already_done(loop *l)
{
    sp_writer_say(l->run, SP_LOG_INFO, "%s: already complete up to frame %lld", l->run->dir,
                  (long long)l->run->resumes_at);
    return index_old_frames(l, UINT64_MAX);
}

sp_status sp_writer_put_end(sp_writer *run, sp_error *err)
{
    const bool sync = run->options.sync;
    if (run->xdmf.frames != run->xdmf.frames_on_disk)
        SP_TRY(sp_xdmf_write(&run->xdmf, &run->seals, run->dir, sync, err));
    sp_seals_settle(&run->seals);
    return sp_seals_write(&run->seals, run->dir, sync, run->host, err);
}

sp_status sp_writer_put(sp_writer *run, const sp_frame *frame, double seconds, sp_error *err)
{
    loop l = {.run = run, .frame = *frame, .err = err};
    SP_TRY(sp_frame_check(frame, err));
    SP_TRY(sp_frame_check_finite(frame, err));
    return store(&l, seconds);
}

sp_status sp_writer_go(sp_writer *run, sp_driver *driver, uint64_t last_frame,
                       const sp_writer_hooks *hooks, sp_error *err)
{
    sp_error own = {0};
    loop l = {.run = run, .driver = driver, .err = err ? err : &own};
    if (hooks) l.hooks = *hooks;
    const bool there = run->resumes_at >= 0 && (uint64_t)run->resumes_at >= last_frame;
    const sp_status st = there ? already_done(&l) : run_to(&l, last_frame);
    if (st != SP_OK) sp_writer_say(run, SP_LOG_ERROR, "%s", l.err->text);
    sp_error second = {0};
    const sp_status index = sp_writer_put_end(run, &second);
    if (index == SP_OK || st != SP_OK) return st;
    return sp_fail(l.err, index, "%s", second.text);
}
