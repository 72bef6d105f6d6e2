// SPDX-License-Identifier: Apache-2.0
// links: cache frame core
/// Runs: opening modes, refusals, resuming, damaged files and kills.
#include "test_cache_drift.h"
#include "testing.h"

#include <spume/run.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { LAST = 20 };

static size_t count_lines(const char *dir, const char *name)
{
    char *text = read_file(path_in(dir, name), NULL);
    size_t lines = 0;
    for (const char *c = text; *c != '\0'; ++c)
        lines += *c == '\n';
    free(text);
    return lines;
}

static void run_writes_frames_checkpoints_and_metadata(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    assert_ok(plain_run(dir, SP_RUN_NEW, LAST, ERR));
    sp_cache_list list;
    assert_ok(sp_cache_list_open(dir, HOST, &list, ERR));
    assert_ok(sp_cache_list_check(&list, ERR));
    assert_int_equal(list.frame_count, LAST + 1);
    assert_int_equal(list.damaged, 0);
    assert_int_equal(list.missing, 0);
    assert_int_equal(list.scene_hash, 0xabcdef);
    assert_string_equal(list.solver, "drift");
    assert_string_equal(list.scene_text, "{ \"solver\": \"drift\" }\n");
    assert_int_equal(list.checkpoint_count, 2); // of every third frame and the last, the newest two
    assert_int_equal(list.checkpoints[0].frame, 18);
    assert_int_equal(list.checkpoints[1].frame, LAST);
    drift d;
    const sp_frame frame = drift_frame(&d, 7);
    assert_int_equal(list.frames[7].hash, frame.hash);
    assert_true(list.frames[7].time == 7.0 / 24.0);
    sp_cache_list_close(&list);
    assert_int_equal(count_lines(dir, "stats.jsonl"), LAST + 1);
    assert_true(has_file(dir, "run.json") && has_file(dir, "run.xmf"));
    assert_true(has_file(dir, "static.h5") && !has_file(dir, "crash.h5"));
}

static void run_is_read_frame_by_frame_and_damage_is_named(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = temporary_directory();
    sp_run *run;
    const sp_frame *frame;
    assert_ok(plain_run(dir, SP_RUN_NEW, LAST, ERR));
    assert_ok(sp_run_open(dir, &host, &run, ERR));
    const sp_run_info info = sp_run_get_info(run);
    assert_int_equal(info.frame_count, LAST + 1);
    assert_string_equal(info.solver, "drift");
    assert_string_equal(info.scene, "{ \"solver\": \"drift\" }\n");
    assert_true(info.fps == 24.0 && !info.origin);
    for (size_t i = 0; i <= LAST; i += 7) {
        drift d;
        assert_int_equal(sp_run_number(run, i), i);
        assert_ok(sp_run_read(run, i, &frame, ERR));
        assert_int_equal(frame->hash, drift_frame(&d, i).hash);
        assert_true(sp_frame_stat(frame, "steps") == (double)i);
        assert_true(isnan(sp_frame_stat(frame, "absent")));
    }
    assert_fails(sp_run_read(run, LAST + 1, &frame, ERR), SP_BAD_INPUT, "it has 21");
    assert_true(sp_run_number(run, LAST + 1) == UINT64_MAX);
    flip_bit(path_in(dir, "frames/000003.h5"), 900, 3);
    assert_fails(sp_run_read(run, 3, &frame, ERR), SP_DAMAGED, "000003.h5");
    assert_null(frame);
    assert_ok(sp_run_read(run, 4, &frame, ERR));
    sp_run_close(run);
    assert_fails(sp_run_open(temporary_directory(), &host, &run, ERR), SP_BAD_INPUT, "");
    assert_null(run);
}

static void finished_run_is_repeated_only_with_overwrite(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *fresh = temporary_directory();
    assert_ok(plain_run(dir, SP_RUN_NEW, 5, ERR));
    assert_fails(plain_run(dir, SP_RUN_NEW, 5, ERR), SP_BAD_INPUT, "--resume");
    assert_ok(plain_run(dir, SP_RUN_RESUME, 5, ERR)); // nothing to do
    assert_ok(plain_run(dir, SP_RUN_OVERWRITE, 3, ERR));
    assert_ok(plain_run(fresh, SP_RUN_NEW, 3, ERR));
    assert_same_frames(dir, fresh, 3);
    assert_int_equal(count_lines(dir, "stats.jsonl"), 4);
}

static void another_scene_and_a_foreign_directory_are_refused(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *foreign = temporary_directory();
    sp_writer *run;
    assert_ok(plain_run(dir, SP_RUN_NEW, 5, ERR));
    sp_writer_options options = drift_options(dir, SP_RUN_RESUME);
    options.scene_hash = 77;
    assert_fails(sp_writer_open(&options, HOST, &run, ERR), SP_BAD_INPUT, "another scene");
    options.mode = SP_RUN_OVERWRITE;
    assert_ok(sp_writer_open(&options, HOST, &run, ERR));
    assert_int_equal(run->resumes_at, -1);
    sp_writer_close(run);
    write_text(path_in(foreign, "letter.txt"), "");
    assert_fails(plain_run(foreign, SP_RUN_NEW, 5, ERR), SP_BAD_INPUT, "holds no run");
    assert_false(has_file(foreign, "lock")); // nothing was written into the foreign directory
}

static void second_writer_is_refused_with_the_pid_of_the_first(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    const sp_writer_options options = drift_options(dir, SP_RUN_RESUME);
    sp_writer *run, *second;
    char pid[32];
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    assert_ok(sp_writer_open(&options, HOST, &run, ERR));
    assert_fails(sp_writer_open(&options, HOST, &second, ERR), SP_BUSY, pid);
    const pid_t child = fork();
    if (child == 0) _exit(sp_writer_open(&options, HOST, &second, ERR) == SP_BUSY ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    sp_writer_close(run);
    assert_ok(sp_writer_open(&options, HOST, &run, ERR));
    sp_writer_close(run);
}

static void a_lock_left_by_a_killed_process_does_not_block(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    const sp_writer_options options = drift_options(dir, SP_RUN_RESUME);
    sp_writer *run;
    const pid_t child = fork();
    if (child == 0) {
        if (sp_writer_open(&options, HOST, &run, ERR) == SP_OK) raise(SIGKILL);
        _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_true(has_file(dir, "lock"));
    assert_ok(sp_writer_open(&options, HOST, &run, ERR));
    sp_writer_close(run);
}

static void extended_and_rewound_runs_equal_one_long_run(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *whole = temporary_directory();
    drift d;
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    assert_ok(plain_run(dir, SP_RUN_NEW, 8, ERR));
    assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
    assert_same_frames(dir, whole, LAST);
    sp_writer_options options = drift_options(dir, SP_RUN_FROM);
    options.from = 18;
    drift_start(&d);
    assert_ok(drift_run(&options, HOST, &d, LAST + 5, ERR));
    assert_ok(plain_run(whole, SP_RUN_RESUME, LAST + 5, ERR));
    assert_same_frames(dir, whole, LAST + 5);
    assert_int_equal(count_lines(dir, "stats.jsonl"), LAST + 6);
    options.from = 7;
    assert_fails(drift_run(&options, HOST, &d, LAST, ERR), SP_BAD_INPUT, "there are 24, 25");
    assert_same_frames(dir, whole, LAST + 5); // a refusal removes nothing
}

/// The lock's file is removed by a run that made it and was refused; a file that was there stays.
static void refused_start_leaves_no_lock_and_no_directory(void **state)
{
    (void)state;
    const char *parent = temporary_directory(), *dir = temporary_directory();
    char absent[TEMPORARY_PATH];
    snprintf(absent, sizeof absent, "%s", path_in(parent, "absent"));
    sp_writer_options options = drift_options(absent, SP_RUN_FROM);
    sp_writer *run;
    options.from = 5;
    assert_fails(sp_writer_open(&options, HOST, &run, ERR), SP_BAD_INPUT, "there are none");
    assert_false(has_file(parent, "absent"));
    assert_ok(plain_run(dir, SP_RUN_NEW, 5, ERR));
    for (int locked = 1; locked >= 0; --locked) {
        if (!locked) assert_int_equal(unlink(path_in(dir, "lock")), 0);
        for (int i = 0; i < 2; ++i) {
            options = drift_options(dir, i == 0 ? SP_RUN_NEW : SP_RUN_FROM);
            options.from = 4;
            assert_fails(sp_writer_open(&options, HOST, &run, ERR), SP_BAD_INPUT, "");
            assert_int_equal(has_file(dir, "lock"), locked);
        }
    }
    assert_ok(plain_run(dir, SP_RUN_RESUME, 8, ERR));
}

typedef struct patience {
    uint64_t left, seen;
} patience;

static bool run_out(void *user, double time)
{
    (void)time;
    patience *p = user;
    return p->left-- == 0;
}

static void count_frame(void *user, const sp_frame *frame, double seconds)
{
    patience *p = user;
    assert_true(frame->time == (double)frame->frame / 24.0); // exact: times are never summed
    assert_true(seconds >= 0.0);
    ++p->seen;
}

static void cancelled_run_resumes_where_it_stopped(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *whole = temporary_directory();
    const sp_writer_options options = drift_options(dir, SP_RUN_NEW);
    patience p = {.left = 11};
    const drift_wishes wishes = {.watch = {run_out, &p}, .hooks = {&p, count_frame}};
    sp_writer *run;
    drift d;
    drift_start(&d);
    assert_ok(sp_writer_open(&options, HOST, &run, ERR));
    assert_int_equal(drift_go(run, HOST, &d, LAST, wishes, ERR), SP_CANCELLED);
    sp_writer_close(run);
    assert_int_equal(p.seen, 12); // frame 0 and eleven steps
    assert_true(has_file(dir, "checkpoint/000011.ckpt"));
    assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    assert_same_frames(dir, whole, LAST);
}

/// Damaged checkpoints are skipped one by one; without any left the run starts from the beginning,
/// and says so.
static void damaged_checkpoints_are_skipped_and_named(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *whole = temporary_directory();
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    assert_ok(plain_run(dir, SP_RUN_NEW, 17, ERR)); // leaves checkpoints 15 and 17
    flip_bit(path_in(dir, "checkpoint/000017.ckpt"), 700, 3);
    assert_ok(plain_run(dir, SP_RUN_RESUME, 17, ERR));
    assert_same_frames(dir, whole, 17);
    assert_int_equal(truncate(path_in(dir, "checkpoint/000017.ckpt"), 100), 0);
    flip_bit(path_in(dir, "checkpoint/000015.ckpt"), 30, 0);
    assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
    assert_same_frames(dir, whole, LAST);
    char *log = read_file(path_in(dir, "log.jsonl"), NULL);
    assert_non_null(strstr(log, "000015.ckpt: its header is damaged"));
    assert_non_null(strstr(log, "begins at the start"));
    free(log);
}

/// Frames missing before the newest checkpoint are computed again, from an older checkpoint or from
/// the start.
static void lost_frames_are_computed_again(void **state)
{
    (void)state;
    const char *whole = temporary_directory(), *dir = temporary_directory();
    static const char *const lost[] = {"frames/000001.h5", "frames/000003.h5", "frames/000017.h5"};
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    assert_ok(plain_run(dir, SP_RUN_NEW, LAST, ERR));
    for (size_t k = 0; k < 3; ++k) {
        const char *path = path_in(dir, lost[k]);
        if (k == 1)
            flip_bit(path, 900, 3); // a damaged frame counts as lost
        else
            assert_int_equal(remove(path), 0);
        assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
        assert_same_frames(dir, whole, LAST);
    }
}

/// A symbolic link as the lock file could overwrite any file of the user.
static void lock_that_is_a_symbolic_link_is_refused(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *other = temporary_directory();
    const char *victim = path_in(other, "victim"), *lock = path_in(dir, "lock");
    assert_ok(plain_run(dir, SP_RUN_NEW, 1, ERR));
    write_text(victim, "precious");
    assert_int_equal(remove(lock), 0);
    assert_int_equal(symlink(victim, lock), 0);
    assert_int_equal(plain_run(dir, SP_RUN_RESUME, 2, ERR), SP_IO);
    char *text = read_file(victim, NULL);
    assert_string_equal(text, "precious");
    free(text);
}

static void frame_list_names_gaps_and_damage(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    char path[256];
    sp_cache_list list;
    assert_ok(plain_run(dir, SP_RUN_NEW, 9, ERR));
    sp_cache_frame_path(dir, 4, path, sizeof path);
    unlink(path);
    sp_cache_frame_path(dir, 6, path, sizeof path);
    flip_bit(path, 900, 1);
    flip_bit(path_in(dir, "checkpoint/000009.ckpt"), 0, 0);
    assert_ok(sp_cache_list_open(dir, HOST, &list, ERR));
    assert_int_equal(list.damaged, 0); // no frame has been read so far
    assert_false(list.frames[5].checked);
    assert_ok(sp_cache_list_check(&list, ERR));
    assert_int_equal(list.frame_count, 9);
    assert_int_equal(list.missing, 1);
    assert_int_equal(list.first_missing, 4);
    assert_int_equal(list.damaged, 2);
    assert_int_equal(list.frames[5].status, SP_DAMAGED);
    assert_non_null(strstr(list.frames[5].trouble, "000006.h5"));
    sp_cache_list_close(&list);
    assert_int_equal(sp_cache_list_open("/nonexistent", HOST, &list, ERR), SP_BAD_INPUT);
    sp_cache_list_close(&list);
}

static void nan_and_solver_failure_stop_the_run_and_keep_the_last_good_frame(void **state)
{
    (void)state;
    for (int row = 0; row < 2; ++row) {
        const char *dir = temporary_directory(), *whole = temporary_directory();
        const sp_writer_options options = drift_options(dir, SP_RUN_NEW);
        sp_frame_file *file;
        drift d;
        drift_start(&d);
        d.nan_at = row == 0 ? 8 : 0;
        d.fail_at = row == 0 ? 0 : 8;
        assert_fails(drift_run(&options, HOST, &d, LAST, ERR), SP_DIVERGED,
                     row == 0 ? "foam 11 has a position" : "told to fail");
        assert_true(has_file(dir, "frames/000007.h5") && !has_file(dir, "frames/000008.h5"));
        assert_ok(sp_frame_file_open(path_in(dir, "crash.h5"), HOST, &file, ERR));
        const float *x = sp_set_column(&sp_frame_file_frame(file)->sets[0], "position")->data;
        assert_int_equal(isnan(x[5]) != 0, row == 0);
        sp_frame_file_close(file);
        assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
        assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
        assert_same_frames(dir, whole, LAST);
        assert_false(has_file(dir, "crash.h5"));
    }
}

static void frames_before_the_first_wanted_are_not_written(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    sp_writer_options options = drift_options(dir, SP_RUN_NEW);
    options.first = 5;
    sp_cache_list list;
    drift d;
    drift_start(&d);
    assert_ok(drift_run(&options, HOST, &d, 9, ERR));
    assert_ok(sp_cache_list_open(dir, HOST, &list, ERR));
    assert_int_equal(list.frame_count, 5);
    assert_int_equal(list.frames[0].frame, 5);
    assert_int_equal(list.missing, 0);
    sp_cache_list_close(&list);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    for (int row = 0; row < 6; ++row) {
        sp_writer_options options = drift_options(dir, SP_RUN_NEW);
        sp_writer *run;
        *ERR = (sp_error){0};
        if (row == 0) options.fps = 0;
        if (row == 1) options.fps = (double)NAN;
        if (row == 2) options.keep = 0;
        if (row == 3) options.about = "[1, 2";
        if (row == 4) options.scene_text = NULL;
        if (row == 5) options.dir = "";
        assert_int_equal(sp_writer_open(&options, HOST, &run, ERR), SP_BAD_INPUT);
        assert_null(run);
        assert_true(ERR->text[0] != '\0');
    }
}

/// ---- Killed at any moment ----------------------------------------------------------------------

/// Twenty kills at random moments. A run that ends before its kill is started again, so that every
/// kill interrupts work. The last run is not killed.
static void run_killed_at_random_moments_resumes_to_the_same_bytes(void **state)
{
    (void)state;
    enum { FRAMES = 60, KILLS = 20 };
    const char *dir = temporary_directory(), *whole = temporary_directory();
    const double begun = sp_now(HOST);
    assert_ok(plain_run(whole, SP_RUN_NEW, FRAMES, ERR));
    const double seconds = sp_now(HOST) - begun;
    sp_run_mode mode = SP_RUN_RESUME;
    int killed = 0;
    for (uint32_t n = 0; n < KILLS; ++n) {
        const pid_t child = fork();
        if (child == 0) _exit(plain_run(dir, mode, FRAMES, NULL));
        const double wait = 0.35 * seconds * (double)sp_unit(sp_random(1, 2, n, 0, 0).x[0]);
        const struct timespec pause = {(time_t)wait, (long)(1e9 * (wait - (double)(time_t)wait))};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) || status == 0);
        killed += WIFSIGNALED(status);
        mode = WIFSIGNALED(status) ? SP_RUN_RESUME : SP_RUN_OVERWRITE;
    }
    assert_true(killed > KILLS / 4); // else the test is void
    assert_ok(plain_run(dir, SP_RUN_RESUME, FRAMES, ERR));
    assert_same_frames(dir, whole, FRAMES);
    assert_int_equal(count_lines(dir, "stats.jsonl"), FRAMES + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_writes_frames_checkpoints_and_metadata),
        cmocka_unit_test(run_is_read_frame_by_frame_and_damage_is_named),
        cmocka_unit_test(finished_run_is_repeated_only_with_overwrite),
        cmocka_unit_test(another_scene_and_a_foreign_directory_are_refused),
        cmocka_unit_test(second_writer_is_refused_with_the_pid_of_the_first),
        cmocka_unit_test(a_lock_left_by_a_killed_process_does_not_block),
        cmocka_unit_test(extended_and_rewound_runs_equal_one_long_run),
        cmocka_unit_test(refused_start_leaves_no_lock_and_no_directory),
        cmocka_unit_test(cancelled_run_resumes_where_it_stopped),
        cmocka_unit_test(damaged_checkpoints_are_skipped_and_named),
        cmocka_unit_test(frame_list_names_gaps_and_damage),
        cmocka_unit_test(lost_frames_are_computed_again),
        cmocka_unit_test(lock_that_is_a_symbolic_link_is_refused),
        cmocka_unit_test(nan_and_solver_failure_stop_the_run_and_keep_the_last_good_frame),
        cmocka_unit_test(frames_before_the_first_wanted_are_not_written),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(run_killed_at_random_moments_resumes_to_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
