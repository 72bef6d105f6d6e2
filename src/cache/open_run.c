// SPDX-License-Identifier: Apache-2.0
/// Opens the directory of a run: locks it, refuses unsuitable directories, and finds where to
/// resume.
#include "cache/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

sp_writer_options sp_writer_defaults(void)
{
    return (sp_writer_options){.checkpoint_every = 10, .keep = 2, .sync = true};
}

/// ---- The log -----------------------------------------------------------------------------------

/// Writes one line to DIR/log.jsonl only, not to the host.
static void write_log(sp_writer *run, sp_log_level level, const char *text)
{
    static const char *const names[] = {"debug", "info", "warning", "error"};
    sp_text line = {.host = run->host};
    sp_text_format(&line, "{\"clock\":%.3f,\"level\":\"%s\",\"text\":", sp_cache_clock(),
                   names[level]);
    sp_text_quote(&line, text);
    sp_text_add(&line, "}\n");
    pthread_mutex_lock(&run->log_lock);
    // A failure to write the log does not stop the run, and cannot be reported.
    if (run->log >= 0 && !line.failed) (void)sp_write_all(run->log, line.bytes, line.size);
    pthread_mutex_unlock(&run->log_lock);
    sp_text_close(&line);
}

void sp_writer_say(sp_writer *run, sp_log_level level, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sp_log(run->host, level, "%s", text);
    write_log(run, level, text);
}

static void *host_allocate(void *user, size_t bytes)
{
    const sp_host *host = ((sp_writer *)user)->host;
    return host->allocate(host->user, bytes);
}
static void host_release(void *user, void *memory, size_t bytes)
{
    const sp_host *host = ((sp_writer *)user)->host;
    host->release(host->user, memory, bytes);
}
static void host_parallel_for(void *user, size_t n, void (*body)(void *, size_t), void *arg)
{
    const sp_host *host = ((sp_writer *)user)->host;
    host->parallel_for(host->user, n, body, arg);
}
static void host_log(void *user, sp_log_level level, const char *text)
{
    sp_writer_say(user, level, "%s", text);
}
static double host_clock(void *user)
{
    return sp_now(((sp_writer *)user)->host);
}

sp_host sp_writer_host(sp_writer *run)
{
    return (sp_host){.struct_size = sizeof(sp_host),
                     .user = run,
                     .allocate = host_allocate,
                     .release = host_release,
                     .parallel_for = host_parallel_for,
                     .threads = run->host->threads,
                     .log = host_log,
                     .clock = host_clock};
}

/// ---- The lock ----------------------------------------------------------------------------------

/// Opens the lock's file; *made: it was not there.
static sp_status open_lock(sp_writer *run, const char *path, bool *made, sp_error *err)
{
    if (run->lock >= 0) close(run->lock);
    run->lock = sp_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW); // do not follow links
    *made = run->lock >= 0;
    if (run->lock < 0 && errno == EEXIST) run->lock = sp_open(path, O_RDWR | O_CREAT | O_NOFOLLOW);
    return run->lock >= 0 ? SP_OK : sp_file_failed(err, path, "opened");
}

static sp_status try_lock(const sp_writer *run, const char *path, sp_error *err)
{
    char pid[32] = {0};
    int rc;
    do
        rc = flock(run->lock, LOCK_EX | LOCK_NB);
    while (rc != 0 && errno == EINTR);
    if (rc != 0 && errno == EWOULDBLOCK) {
        const ssize_t n = read(run->lock, pid, sizeof pid - 1);
        if (n > 0) pid[strcspn(pid, "\n")] = '\0';
        return sp_fail(err, SP_BUSY, "%s: is being written by process %s", run->dir,
                       pid[0] ? pid : "(starting)");
    }
    return rc == 0 ? SP_OK : sp_file_failed(err, path, "locked");
}

/// Whether the file still has its name: a process that was refused may have removed it after we opened it and before
/// we locked it.
static bool is_named(int fd, const char *path)
{
    struct stat ours, named;
    return fstat(fd, &ours) == 0 && lstat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

/// The system releases the lock when the process ends in any way. The file with the pid stays, and
/// is no lock by itself. It is removed only by its maker while that holds the lock.
static sp_status take_lock(sp_writer *run, sp_error *err)
{
    char path[SP_PATH], pid[32] = {0};
    bool made;
    snprintf(path, sizeof path, "%s/lock", run->dir);
    do {
        SP_TRY(open_lock(run, path, &made, err));
        SP_TRY(try_lock(run, path, err));
    } while (!is_named(run->lock, path));
    run->made_lock = made;
    const int n = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
    if (ftruncate(run->lock, 0) != 0 || !sp_write_all(run->lock, pid, (size_t)n))
        return sp_file_failed(err, path, "written");
    return SP_OK;
}

static sp_status open_lines(const sp_writer *run, const char *name, int *fd, sp_error *err)
{
    char path[SP_PATH];
    snprintf(path, sizeof path, "%s/%s", run->dir, name);
    *fd = sp_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
    return *fd >= 0 ? SP_OK : sp_file_failed(err, path, "opened");
}

/// ---- Existing contents -------------------------------------------------------------------------

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        ++names;
    return *names != NULL;
}

/// Whether a file is the temporary run.json or seals.json of a start that was killed.
static bool is_begun_run(const char *entry)
{
    const char *name = sp_file_of_temporary(entry);
    return name && (strcmp(name, "run.json") == 0 || strcmp(name, SP_SEALS_FILE) == 0);
}

/// A directory without run.json may hold files of a start that was killed and, with
/// SP_RUN_OVERWRITE, files of a run whose run.json is lost. Any other file is refused.
static sp_status refuse_foreign(const sp_writer *run, sp_error *err)
{
    static const char *const started[] = {".", "..", "lock", SP_SEALS_FILE, NULL};
    static const char *const ours[] = {".",           "..",      "lock",       SP_SEALS_FILE,
                                       "scene.json",  "frames",  "checkpoint", "log.jsonl",
                                       "stats.jsonl", "run.xmf", "static.h5",  "crash.h5",
                                       "pictures",    NULL};
    const bool overwrite = run->options.mode == SP_RUN_OVERWRITE;
    char path[SP_PATH];
    snprintf(path, sizeof path, "%s/run.json", run->dir);
    if (access(path, F_OK) == 0) return SP_OK;
    DIR *dir = opendir(run->dir);
    if (!dir) return sp_file_failed(err, run->dir, "read");
    bool foreign = false;
    for (struct dirent *entry; !foreign && (entry = readdir(dir)) != NULL;)
        foreign =
            !is_one_of(entry->d_name, overwrite ? ours : started) && !is_begun_run(entry->d_name);
    closedir(dir);
    if (!foreign) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s: is not empty and holds no run; choose another directory",
                   run->dir);
}

/// Refuses a run of another scene, and an existing run in mode SP_RUN_NEW.
static sp_status refuse_other(const sp_writer *run, size_t frames, size_t checkpoints,
                              sp_error *err)
{
    sp_run_facts facts;
    sp_error trouble = {0};
    const sp_status st = sp_run_facts_read(run->dir, &facts, run->host, &trouble);
    if (run->options.mode == SP_RUN_OVERWRITE && st != SP_NO_MEMORY) return SP_OK;
    if (st == SP_BAD_INPUT || (st == SP_OK && frames + checkpoints == 0)) return SP_OK;
    if (st == SP_DAMAGED || st == SP_IO)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s; choose another directory or start over with --overwrite", trouble.text);
    if (st != SP_OK) return sp_fail(err, st, "%s", trouble.text);
    if (facts.scene_hash != run->options.scene_hash || facts.fps != run->options.fps)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s: holds a run of another scene; choose another directory or start over "
                       "with --overwrite",
                       run->dir);
    if (run->options.mode == SP_RUN_NEW)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s: already holds %zu frames of this scene; continue or extend them with "
                       "--resume, go back with --from, or start over with --overwrite",
                       run->dir, frames);
    return SP_OK;
}

/// ---- Where to resume ---------------------------------------------------------------------------

static sp_status try_checkpoint(const sp_writer *run, uint64_t frame, sp_error *err)
{
    char *bytes;
    size_t count;
    sp_seal seal;
    SP_TRY(sp_checkpoint_read(run->dir, frame, run->options.scene_hash, run->host, &bytes, &count,
                              &seal, err));
    sp_release(run->host, bytes);
    return SP_OK;
}

/// Finds the first missing or damaged frame. Resuming after it would leave a gap.
static sp_status find_lost(sp_writer *run, const uint64_t *frames, size_t count, uint64_t *lost,
                           sp_error *err)
{
    uint64_t next = run->options.first;
    if (count > 0 && frames[0] > next) next = frames[0]; // a run of --frames A-B starts at A
    sp_status st = SP_OK;
    for (size_t i = 0; i < count && st == SP_OK && frames[i] <= next; ++i) {
        if (frames[i] < next) continue;
        char path[SP_PATH];
        sp_frame_file *file;
        sp_error trouble = {0};
        sp_cache_frame_path(run->dir, next, path, sizeof path);
        st = sp_frame_file_open(path, run->host, &file, &trouble);
        if (st == SP_OK) {
            sp_frame_file_close(file);
            ++next;
        } else if (st == SP_NO_MEMORY) {
            return sp_fail(err, st, "%s", trouble.text);
        } else {
            sp_writer_say(run, SP_LOG_WARNING, "%s; it is made anew", trouble.text);
        }
    }
    *lost = next;
    return SP_OK;
}

static sp_status pick_newest(sp_writer *run, const uint64_t *frames, size_t count, uint64_t lost,
                             sp_error *err)
{
    for (size_t i = count; i-- > 0;) {
        if (frames[i] > lost) {
            sp_writer_say(run, SP_LOG_WARNING,
                          "%s: frame %llu is missing or damaged, so checkpoint %llu comes too late",
                          run->dir, (unsigned long long)lost, (unsigned long long)frames[i]);
            continue;
        }
        sp_error trouble = {0};
        const sp_status st = try_checkpoint(run, frames[i], &trouble);
        if (st == SP_OK) {
            run->resumes_at = (int64_t)frames[i];
            return SP_OK;
        }
        if (st == SP_NO_MEMORY) return sp_fail(err, st, "%s", trouble.text);
        sp_writer_say(run, SP_LOG_WARNING, "%s; looking for an older checkpoint", trouble.text);
    }
    sp_writer_say(run, count ? SP_LOG_WARNING : SP_LOG_INFO,
                  "%s: no good checkpoint; begins at the start", run->dir);
    return SP_OK;
}

static sp_status pick_frame(sp_writer *run, const uint64_t *frames, size_t count, sp_error *err)
{
    const uint64_t wanted = run->options.from;
    if (wanted == 0) return SP_OK; // frame 0 needs no checkpoint
    char list[256] = "there are none";
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        if (frames[i] == wanted) {
            SP_TRY(try_checkpoint(run, wanted, err));
            run->resumes_at = (int64_t)wanted;
            return SP_OK;
        }
        if (used + 32 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s %llu",
                                     i ? "," : "there are", (unsigned long long)frames[i]);
    }
    return sp_fail(err, SP_BAD_INPUT, "%s: no checkpoint of frame %llu; %s", run->dir,
                   (unsigned long long)wanted, list);
}

static sp_status remove_later(const sp_writer *run, const char *name, const char *suffix,
                              int64_t last, sp_error *err)
{
    uint64_t *frames;
    size_t count;
    SP_TRY(sp_cache_dir_frames(run->dir, name, suffix, run->host, &frames, &count, err));
    sp_status st = SP_OK;
    for (size_t i = count; st == SP_OK && i-- > 0;) { // from the end, so that there is never a gap
        if (last >= 0 && frames[i] <= (uint64_t)last) break;
        char path[SP_PATH];
        snprintf(path, sizeof path, "%s/%s/%06llu%s", run->dir, name, (unsigned long long)frames[i],
                 suffix);
        st = sp_cache_file_remove(path, err);
    }
    sp_release(run->host, frames);
    return st;
}

sp_status sp_writer_rewind(sp_writer *run, int64_t last, sp_error *err)
{
    char path[SP_PATH];
    // Checkpoints first: a checkpoint without the frames before it would leave a gap.
    SP_TRY(remove_later(run, "checkpoint", ".ckpt", last, err));
    snprintf(path, sizeof path, "%s/checkpoint", run->dir);
    if (run->options.sync && access(path, F_OK) == 0) SP_TRY(sp_sync_directory(path, err));
    SP_TRY(remove_later(run, "frames", ".h5", last, err));
    snprintf(path, sizeof path, "%s/stats.jsonl", run->dir);
    SP_TRY(sp_cache_stats_cut(path, last, run->host, &run->stats_seal, err));
    snprintf(path, sizeof path, "%s/crash.h5", run->dir);
    return sp_cache_file_remove(path, err);
}

/// A refusal leaves nothing behind that was not there before.
static void remove_own_lock(const sp_writer *run)
{
    char path[SP_PATH];
    snprintf(path, sizeof path, "%s/lock", run->dir);
    if (run->made_lock) unlink(path);
    if (run->made_dir) rmdir(run->dir); // fails if there is something in it, which is intended
}

/// ---- Open and close ----------------------------------------------------------------------------

static sp_status check_options(const sp_writer_options *o, sp_error *err)
{
    if (!o->dir || o->dir[0] == '\0')
        return sp_fail(err, SP_BAD_INPUT, "the run's directory has no name");
    if (strlen(o->dir) > SP_DIR_LONGEST)
        return sp_fail(err, SP_BAD_INPUT, "%.100s...: the directory's name is too long", o->dir);
    if (!(o->fps > 0.0 && o->fps <= 1e9))
        return sp_fail(err, SP_BAD_INPUT, "fps: %g; expected above 0", o->fps);
    if (!o->scene_text) return sp_fail(err, SP_BAD_INPUT, "%s: no scene to run", o->dir);
    if (o->keep < 1) return sp_fail(err, SP_BAD_INPUT, "keep: 0 checkpoints; expected at least 1");
    json_t *about = json_loads(o->about ? o->about : "{}", 0, NULL);
    const bool fits = json_is_object(about);
    json_decref(about);
    return fits ? SP_OK : sp_fail(err, SP_BAD_INPUT, "run.json: `about` is not a JSON object");
}

/// Reads the seals of the run that is there. `remark` gets a sentence about what is replaced although it is
/// not as the run wrote it; it can be logged only after that.
static sp_status read_seals(sp_writer *run, sp_error *remark, sp_error *err)
{
    char path[SP_PATH], *text;
    size_t count;
    const sp_status st = sp_seals_read(run->dir, run->host, &run->seals, remark);
    if (st == SP_NO_MEMORY) return sp_fail(err, st, "%s", remark->text);
    for (int i = 0; i < SP_SEALED_COUNT && run->seals.given; ++i) {
        snprintf(path, sizeof path, "%s/%s", run->dir, sp_sealed_name((sp_sealed)i));
        if (sp_file_read(path, 0, run->host, &text, &count, NULL) != SP_OK) continue;
        const bool fits = sp_seals_confirm(&run->seals, (sp_sealed)i, text, count);
        sp_release(run->host, text);
        if (!fits && i == SP_SEALED_SCENE)
            sp_fail(remark, SP_DAMAGED,
                    "%s: was edited after the run; it is replaced by the scene that runs now",
                    path);
    }
    return SP_OK;
}

static sp_status write_run_json(sp_writer *run, const sp_writer_options *options, sp_error *err)
{
    char path[SP_PATH];
    sp_run_facts facts = {.scene_hash = options->scene_hash, .fps = options->fps};
    snprintf(facts.solver, sizeof facts.solver, "%s", options->solver ? options->solver : "");
    snprintf(path, sizeof path, "%s/run.json", run->dir);
    sp_text text = {.host = run->host};
    sp_run_facts_text(&facts, options->about, &text);
    sp_status st = SP_OK;
    if (text.failed) st = sp_fail(err, SP_NO_MEMORY, "%s: no memory to write it", path);
    if (st == SP_OK) sp_seals_set(&run->seals, SP_SEALED_RUN, text.bytes, text.size);
    if (st == SP_OK) st = sp_seals_write(&run->seals, run->dir, options->sync, run->host, err);
    if (st == SP_OK) st = sp_cache_file_write_text(path, text.bytes, options->sync, err);
    sp_text_close(&text);
    return st;
}

static sp_status write_texts(sp_writer *run, const sp_writer_options *options, sp_error *err)
{
    char path[SP_PATH];
    // run.json makes a directory a run, so it is written before everything but the lock and the seals.
    sp_seals_set_scene(&run->seals, options->scene_text);
    SP_TRY(write_run_json(run, options, err));
    snprintf(path, sizeof path, "%s/scene.json", run->dir);
    SP_TRY(sp_cache_file_write_text(path, options->scene_text, options->sync, err));
    snprintf(path, sizeof path, "%s/frames", run->dir);
    SP_TRY(sp_cache_dir_make(path, err));
    snprintf(path, sizeof path, "%s/checkpoint", run->dir);
    return sp_cache_dir_make(path, err);
}

static void tidy(const sp_writer *run)
{
    static const char *const places[] = {"", "/frames", "/checkpoint"};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        char path[SP_PATH];
        snprintf(path, sizeof path, "%s%s", run->dir, places[i]);
        sp_cache_dir_tidy(path);
    }
}

static sp_status clear(sp_writer *run, sp_error *err)
{
    static const char *const names[] = {"stats.jsonl", "log.jsonl", "run.xmf", "static.h5",
                                        SP_SEALS_FILE};
    SP_TRY(sp_writer_rewind(run, -1, err));
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char path[SP_PATH];
        snprintf(path, sizeof path, "%s/%s", run->dir, names[i]);
        SP_TRY(sp_cache_file_remove(path, err));
    }
    return SP_OK;
}

/// Decides by mode and contents. The caller releases the lists.
static sp_status decide_start(sp_writer *run, const sp_writer_options *options,
                              const uint64_t *frames, size_t frame_count,
                              const uint64_t *checkpoints, size_t checkpoint_count, sp_error *err)
{
    SP_TRY(refuse_other(run, frame_count, checkpoint_count, err));
    if (options->mode == SP_RUN_OVERWRITE) SP_TRY(clear(run, err));
    if (options->mode == SP_RUN_FROM) SP_TRY(pick_frame(run, checkpoints, checkpoint_count, err));
    sp_error remark = {0};
    tidy(run);
    SP_TRY(read_seals(run, &remark, err));
    SP_TRY(write_texts(run, options, err));
    SP_TRY(open_lines(run, "log.jsonl", &run->log, err));
    SP_TRY(open_lines(run, "stats.jsonl", &run->stats, err));
    if (remark.text[0]) sp_writer_say(run, SP_LOG_WARNING, "%s", remark.text);
    if (options->mode != SP_RUN_RESUME) return SP_OK;
    uint64_t lost = 0;
    SP_TRY(find_lost(run, frames, frame_count, &lost, err));
    return pick_newest(run, checkpoints, checkpoint_count, lost, err);
}

static sp_status enter(sp_writer *run, const sp_writer_options *options, sp_error *err)
{
    uint64_t *frames = NULL, *checkpoints = NULL;
    size_t frame_count = 0, checkpoint_count = 0;
    run->made_dir = !sp_is_directory(run->dir);
    SP_TRY(sp_cache_dir_make(run->dir, err));
    SP_TRY(refuse_foreign(run, err)); // before the lock, which would add a file
    SP_TRY(take_lock(run, err));
    sp_status st =
        sp_cache_dir_frames(run->dir, "frames", ".h5", run->host, &frames, &frame_count, err);
    if (st == SP_OK)
        st = sp_cache_dir_frames(run->dir, "checkpoint", ".ckpt", run->host, &checkpoints,
                                 &checkpoint_count, err);
    if (st == SP_OK)
        st = decide_start(run, options, frames, frame_count, checkpoints, checkpoint_count, err);
    sp_release(run->host, frames);
    sp_release(run->host, checkpoints);
    if (st != SP_OK) remove_own_lock(run);
    return st;
}

sp_status sp_writer_open(const sp_writer_options *options, const sp_host *host, sp_writer **out,
                         sp_error *err)
{
    *out = NULL;
    SP_TRY(check_options(options, err));
    sp_writer *run = sp_allocate(host, 1, sizeof *run);
    if (!run) return sp_fail(err, SP_NO_MEMORY, "%s: no memory for the run", options->dir);
    run->host = host;
    run->options = *options;
    run->options.dir = run->options.scene_text = run->options.solver = run->options.about = NULL;
    run->lock = run->log = run->stats = -1;
    run->resumes_at = run->checkpoint = -1;
    run->xdmf.host = host;
    pthread_mutex_init(&run->log_lock, NULL);
    run->dir = sp_copy_text(host, options->dir);
    const sp_status st =
        run->dir ? enter(run, options, err)
                 : sp_fail(err, SP_NO_MEMORY, "%s: no memory for the run", options->dir);
    if (st == SP_OK)
        *out = run;
    else
        sp_writer_close(run);
    return st;
}

int64_t sp_writer_resumes_at(const sp_writer *run)
{
    return run->resumes_at;
}

void sp_writer_withdraw(sp_writer *run)
{
    static const char *const files[] = {"scene.json", "run.json", "lock"};
    static const char *const dirs[] = {"/frames", "/checkpoint", ""};
    char path[SP_PATH];
    uint64_t *frames = NULL;
    size_t count = 0;
    const sp_status listed =
        sp_cache_dir_frames(run->dir, "frames", ".h5", run->host, &frames, &count, NULL);
    sp_release(run->host, frames);
    if (listed != SP_OK || count > 0 || clear(run, NULL) != SP_OK) return;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        snprintf(path, sizeof path, "%s/%s", run->dir, files[i]);
        sp_cache_file_remove(path, NULL);
    }
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; ++i) {
        snprintf(path, sizeof path, "%s%s", run->dir, dirs[i]);
        rmdir(path); // fails if other files are in it, which is intended
    }
}

void sp_writer_close(sp_writer *run)
{
    if (!run) return;
    sp_xdmf_close(&run->xdmf);
    if (run->log >= 0) close(run->log);
    if (run->stats >= 0) close(run->stats);
    if (run->lock >= 0) close(run->lock);
    pthread_mutex_destroy(&run->log_lock);
    sp_release(run->host, run->dir);
    sp_release(run->host, run);
}
