// SPDX-License-Identifier: Apache-2.0
// links: cache frame core
#include "test_cache_drift.h"
#include "testing.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { LAST = 20 };

static size_t count_lines(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t lines = 0;
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

static void a_run_leaves_frames_checkpoints_and_what_explains_them(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0);
    assert_ok(plain_run(dir, SP_RUN_NEW, LAST, ERR));
    sp_cache_list list;
    assert_ok(sp_cache_list_open(dir, &host, &list, ERR));
    assert_int_equal(list.frame_count, LAST + 1);
    assert_int_equal(list.damaged, 0);
    assert_int_equal(list.missing, 0);
    assert_int_equal(list.scene_hash, 0xabcdef);
    assert_string_equal(list.solver, "drift");
    assert_string_equal(list.scene_text, "{ \"solver\": \"drift\" }\n");
    assert_int_equal(list.checkpoint_count, 2); // every third, the newest two, and the end is one
    assert_int_equal(list.checkpoints[0].frame, 18);
    assert_int_equal(list.checkpoints[1].frame, LAST);
    drift d;
    const sp_frame frame = drift_frame(&d, 7);
    assert_int_equal(list.frames[7].hash, frame.hash);
    assert_true(list.frames[7].time == 7.0 / 24.0);
    sp_cache_list_close(&list);
    assert_int_equal(count_lines(dir, "stats.jsonl"), LAST + 1);
    assert_true(file_exists(dir, "run.json") && file_exists(dir, "run.xmf"));
    assert_true(file_exists(dir, "static.h5") && !file_exists(dir, "crash.h5"));
    remove_tree(dir);
}

static void a_finished_run_is_not_run_again_unasked(void **state)
{
    (void)state;
    const char *dir = test_dir(0), *fresh = test_dir(1);
    assert_ok(plain_run(dir, SP_RUN_NEW, 5, ERR));
    assert_fails(plain_run(dir, SP_RUN_NEW, 5, ERR), SP_BAD_SCENE, "--resume");
    assert_ok(plain_run(dir, SP_RUN_RESUME, 5, ERR)); // nothing to do
    assert_ok(plain_run(dir, SP_RUN_OVERWRITE, 3, ERR));
    assert_ok(plain_run(fresh, SP_RUN_NEW, 3, ERR));
    assert_same_frames(dir, fresh, 3);
    assert_int_equal(count_lines(dir, "stats.jsonl"), 4);
    remove_tree(dir);
    remove_tree(fresh);
}

static void another_scene_and_a_foreign_directory_are_refused(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0), *foreign = test_dir(1);
    char path[256];
    sp_run *run;
    assert_ok(plain_run(dir, SP_RUN_NEW, 5, ERR));
    sp_run_options options = drift_options(dir, SP_RUN_RESUME);
    options.scene_hash = 77;
    assert_fails(sp_run_open(&options, &host, &run, ERR), SP_BAD_SCENE, "another scene");
    options.mode = SP_RUN_OVERWRITE;
    assert_ok(sp_run_open(&options, &host, &run, ERR));
    assert_int_equal(sp_run_resumes_at(run), -1);
    sp_run_close(run);
    snprintf(path, sizeof path, "%s/letter.txt", foreign);
    FILE *file = fopen(path, "w");
    fclose(file);
    assert_fails(plain_run(foreign, SP_RUN_NEW, 5, ERR), SP_BAD_SCENE, "holds no run");
    assert_false(file_exists(foreign, "lock")); // nothing of ours was left among theirs
    remove_tree(dir);
    remove_tree(foreign);
}

static void a_second_writer_is_refused_with_the_first_ones_pid(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0);
    const sp_run_options options = drift_options(dir, SP_RUN_RESUME);
    sp_run *run, *second;
    char pid[32];
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    assert_ok(sp_run_open(&options, &host, &run, ERR));
    assert_fails(sp_run_open(&options, &host, &second, ERR), SP_BUSY, pid);
    const pid_t child = fork();
    if (child == 0) _exit(sp_run_open(&options, &host, &second, ERR) == SP_BUSY ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    sp_run_close(run);
    assert_ok(sp_run_open(&options, &host, &run, ERR));
    sp_run_close(run);
    remove_tree(dir);
}

static void a_lock_left_by_a_killed_process_does_not_block(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0);
    const sp_run_options options = drift_options(dir, SP_RUN_RESUME);
    sp_run *run;
    const pid_t child = fork();
    if (child == 0) {
        if (sp_run_open(&options, &host, &run, ERR) == SP_OK) raise(SIGKILL);
        _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_true(file_exists(dir, "lock"));
    assert_ok(sp_run_open(&options, &host, &run, ERR));
    sp_run_close(run);
    remove_tree(dir);
}

static void extending_and_going_back_end_like_one_long_run(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0), *whole = test_dir(1);
    drift d;
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    assert_ok(plain_run(dir, SP_RUN_NEW, 8, ERR));
    assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
    assert_same_frames(dir, whole, LAST);
    sp_run_options options = drift_options(dir, SP_RUN_FROM);
    options.from = 18;
    drift_start(&d);
    assert_ok(drift_run(&options, &host, &d, LAST + 5, ERR));
    assert_ok(plain_run(whole, SP_RUN_RESUME, LAST + 5, ERR));
    assert_same_frames(dir, whole, LAST + 5);
    assert_int_equal(count_lines(dir, "stats.jsonl"), LAST + 6);
    options.from = 7;
    assert_fails(drift_run(&options, &host, &d, LAST, ERR), SP_BAD_SCENE, "there are 24, 25");
    assert_same_frames(dir, whole, LAST + 5); // a refusal removes nothing
    remove_tree(dir);
    remove_tree(whole);
}

typedef struct patience {
    uint64_t left, seen;
} patience;

static bool run_out(void *user)
{
    patience *p = user;
    return p->left-- == 0;
}

static void count_frame(void *user, const sp_frame *frame, double seconds)
{
    patience *p = user;
    assert_true(frame->time == (double)frame->frame / 24.0); // to the bit: never accumulated
    assert_true(seconds >= 0.0);
    ++p->seen;
}

static void a_cancelled_run_goes_on_where_it_stopped(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0), *whole = test_dir(1);
    const sp_run_options options = drift_options(dir, SP_RUN_NEW);
    patience p = {.left = 11};
    const sp_run_hooks hooks = {&p, count_frame, run_out};
    sp_run *run;
    drift d;
    drift_start(&d);
    assert_ok(sp_run_open(&options, &host, &run, ERR));
    assert_int_equal(sp_run_go(run, &drift_type, &d, LAST, &hooks, ERR), SP_CANCELLED);
    sp_run_close(run);
    assert_int_equal(p.seen, 12); // frame 0 and eleven steps
    assert_true(file_exists(dir, "checkpoint/000011.ckpt"));
    assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    assert_same_frames(dir, whole, LAST);
    remove_tree(dir);
    remove_tree(whole);
}

/// Of damaged checkpoints each is skipped in turn; with none left the run begins again and says so.
static void damaged_checkpoints_are_skipped_and_named(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0), *whole = test_dir(1);
    char path[256], *log;
    size_t length;
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    assert_ok(plain_run(dir, SP_RUN_NEW, 17, ERR)); // checkpoints 15 and 17
    snprintf(path, sizeof path, "%s/checkpoint/000017.ckpt", dir);
    flip_bit(path, 700, 3);
    assert_ok(plain_run(dir, SP_RUN_RESUME, 17, ERR));
    assert_same_frames(dir, whole, 17);
    snprintf(path, sizeof path, "%s/checkpoint/000017.ckpt", dir);
    assert_int_equal(truncate(path, 100), 0);
    snprintf(path, sizeof path, "%s/checkpoint/000015.ckpt", dir);
    flip_bit(path, 30, 0);
    assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
    assert_same_frames(dir, whole, LAST);
    snprintf(path, sizeof path, "%s/log.jsonl", dir);
    assert_ok(sp_cache_read_file(path, &host, &log, &length, ERR));
    assert_non_null(strstr(log, "000015.ckpt: its header is damaged"));
    assert_non_null(strstr(log, "begins at the start"));
    sp_release(&host, log);
    remove_tree(dir);
    remove_tree(whole);
}

/// A hole in the frames before the newest checkpoint is filled, from an older one or from the start.
static void lost_frames_are_made_anew(void **state)
{
    (void)state;
    const char *whole = test_dir(0), *dir = test_dir(1);
    static const char *const lost[] = {"frames/000001.h5", "frames/000003.h5", "frames/000017.h5"};
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    assert_ok(plain_run(dir, SP_RUN_NEW, LAST, ERR));
    for (size_t k = 0; k < 3; ++k) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", dir, lost[k]);
        if (k == 1)
            flip_bit(path, 900, 3); // damaged counts as lost
        else
            assert_int_equal(remove(path), 0);
        assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
        assert_same_frames(dir, whole, LAST);
    }
    remove_tree(whole);
    remove_tree(dir);
}

/// A link in place of the lock could lead to any file of the user's.
static void a_lock_that_is_a_link_is_refused(void **state)
{
    (void)state;
    const char *dir = test_dir(0), *other = test_dir(1);
    char victim[256], lock[256];
    assert_ok(plain_run(dir, SP_RUN_NEW, 1, ERR));
    snprintf(victim, sizeof victim, "%s/victim", other);
    snprintf(lock, sizeof lock, "%s/lock", dir);
    FILE *file = fopen(victim, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
    assert_int_equal(remove(lock), 0);
    assert_int_equal(symlink(victim, lock), 0);
    assert_int_equal(plain_run(dir, SP_RUN_RESUME, 2, ERR), SP_IO);
    char text[16] = {0};
    file = fopen(victim, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "precious");
    remove_tree(dir);
    remove_tree(other);
}

static void lists_name_gaps_and_damage(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0);
    char path[256];
    sp_cache_list list;
    assert_ok(plain_run(dir, SP_RUN_NEW, 9, ERR));
    sp_cache_frame_path(dir, 4, path, sizeof path);
    unlink(path);
    sp_cache_frame_path(dir, 6, path, sizeof path);
    flip_bit(path, 900, 1);
    snprintf(path, sizeof path, "%s/checkpoint/000009.ckpt", dir);
    flip_bit(path, 0, 0);
    assert_ok(sp_cache_list_open(dir, &host, &list, ERR));
    assert_int_equal(list.frame_count, 9);
    assert_int_equal(list.missing, 1);
    assert_int_equal(list.first_missing, 4);
    assert_int_equal(list.damaged, 2);
    assert_int_equal(list.frames[5].status, SP_DAMAGED);
    assert_non_null(strstr(list.frames[5].trouble, "000006.h5"));
    sp_cache_list_close(&list);
    assert_int_equal(sp_cache_list_open("/nonexistent", &host, &list, ERR), SP_BAD_SCENE);
    sp_cache_list_close(&list);
    remove_tree(dir);
}

static void a_nan_and_a_failing_solver_stop_the_run_and_keep_the_last_good_frame(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    for (int row = 0; row < 2; ++row) {
        const char *dir = test_dir(0), *whole = test_dir(1);
        const sp_run_options options = drift_options(dir, SP_RUN_NEW);
        char path[256];
        sp_frame_file *file;
        drift d;
        drift_start(&d);
        d.nan_at = row == 0 ? 8 : 0;
        d.fail_at = row == 0 ? 0 : 8;
        assert_fails(drift_run(&options, &host, &d, LAST, ERR), SP_DIVERGED,
                     row == 0 ? "foam 11 has a position" : "told to fail");
        assert_true(file_exists(dir, "frames/000007.h5") && !file_exists(dir, "frames/000008.h5"));
        snprintf(path, sizeof path, "%s/crash.h5", dir);
        assert_ok(sp_frame_file_open(path, &host, &file, ERR));
        const float *x = sp_set_column(&sp_frame_file_frame(file)->sets[0], "position")->data;
        assert_int_equal(isnan(x[5]) != 0, row == 0);
        sp_frame_file_close(file);
        assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
        assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
        assert_same_frames(dir, whole, LAST);
        assert_false(file_exists(dir, "crash.h5"));
        remove_tree(dir);
        remove_tree(whole);
    }
}

static void frames_before_the_first_wanted_are_not_written(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0);
    sp_run_options options = drift_options(dir, SP_RUN_NEW);
    options.first = 5;
    sp_cache_list list;
    drift d;
    drift_start(&d);
    assert_ok(drift_run(&options, &host, &d, 9, ERR));
    assert_ok(sp_cache_list_open(dir, &host, &list, ERR));
    assert_int_equal(list.frame_count, 5);
    assert_int_equal(list.frames[0].frame, 5);
    assert_int_equal(list.missing, 0);
    sp_cache_list_close(&list);
    remove_tree(dir);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *dir = test_dir(0);
    for (int row = 0; row < 6; ++row) {
        sp_run_options options = drift_options(dir, SP_RUN_NEW);
        sp_run *run;
        *ERR = (sp_error){0};
        if (row == 0) options.fps = 0;
        if (row == 1) options.fps = (double)NAN;
        if (row == 2) options.keep = 0;
        if (row == 3) options.about = "[1, 2";
        if (row == 4) options.scene_text = NULL;
        if (row == 5) options.dir = "";
        assert_int_equal(sp_run_open(&options, &host, &run, ERR), SP_BAD_SCENE);
        assert_null(run);
        assert_true(ERR->text[0] != '\0');
    }
    remove_tree(dir);
}

/// ---- Killed at any moment ----------------------------------------------------------------------

/// Twenty kills, each somewhere within a part of the time that a whole run takes; a run that got to its end
/// first is begun anew, so that every kill finds work under way. Then nobody kills it.
static void a_run_killed_at_random_moments_ends_as_if_never_stopped(void **state)
{
    (void)state;
    enum { FRAMES = 60, KILLS = 20 };
    const char *dir = test_dir(0), *whole = test_dir(1);
    const sp_host host = sp_host_default(1);
    const double begun = sp_now(&host);
    assert_ok(plain_run(whole, SP_RUN_NEW, FRAMES, ERR));
    const double seconds = sp_now(&host) - begun;
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
    assert_true(killed > KILLS / 4); // else nothing was tested
    assert_ok(plain_run(dir, SP_RUN_RESUME, FRAMES, ERR));
    assert_same_frames(dir, whole, FRAMES);
    assert_int_equal(count_lines(dir, "stats.jsonl"), FRAMES + 1);
    remove_tree(dir);
    remove_tree(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_leaves_frames_checkpoints_and_what_explains_them),
        cmocka_unit_test(a_finished_run_is_not_run_again_unasked),
        cmocka_unit_test(another_scene_and_a_foreign_directory_are_refused),
        cmocka_unit_test(a_second_writer_is_refused_with_the_first_ones_pid),
        cmocka_unit_test(a_lock_left_by_a_killed_process_does_not_block),
        cmocka_unit_test(extending_and_going_back_end_like_one_long_run),
        cmocka_unit_test(a_cancelled_run_goes_on_where_it_stopped),
        cmocka_unit_test(damaged_checkpoints_are_skipped_and_named),
        cmocka_unit_test(lists_name_gaps_and_damage),
        cmocka_unit_test(lost_frames_are_made_anew),
        cmocka_unit_test(a_lock_that_is_a_link_is_refused),
        cmocka_unit_test(a_nan_and_a_failing_solver_stop_the_run_and_keep_the_last_good_frame),
        cmocka_unit_test(frames_before_the_first_wanted_are_not_written),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_run_killed_at_random_moments_ends_as_if_never_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
