// SPDX-License-Identifier: Apache-2.0
// links: cache frame core
// wraps: write fsync rename open close
/// Every disk call is made to fail in turn. After any failure there is one sentence, no incomplete
/// file under its final name, no temporary file once the run is opened again, and the resumed run
/// has the same bytes.
#include "scarce_host.h"
#include "test_cache_drift.h"
#include "testing.h"

#include <errno.h>
#include <fcntl.h>

enum { LAST = 3 }; // one checkpoint in between, and one write of every other file

typedef enum fault { FAULT_NONE, FAULT_ERROR, FAULT_SHORT, FAULT_INTERRUPT } fault;

/// Counts the calls of one function and makes the n-th fail, or all from the n-th on.
typedef struct spoiler {
    const char *function;
    fault fault;
    int error;
    long until; ///< calls left before the fault
    bool lasting;
    long calls;
} spoiler;
static spoiler plan;

static bool spoils(const char *function)
{
    if (!plan.function || strcmp(plan.function, function) != 0) return false;
    const long call = plan.calls++;
    if (call != plan.until && !(plan.lasting && call > plan.until)) return false;
    errno = plan.fault == FAULT_INTERRUPT ? EINTR : plan.error;
    return true;
}

ssize_t __real_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
    if (!spoils("write")) return __real_write(fd, bytes, count);
    if (plan.fault == FAULT_SHORT) return __real_write(fd, bytes, count > 1 ? count / 2 : count);
    return -1;
}

/// Does not call the real fsync: the test has no power cut, and hundreds of runs would wait for the
/// disk.
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    (void)fd;
    return spoils("fsync") ? -1 : 0;
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    return spoils("rename") ? -1 : __real_rename(from, to);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    return spoils("open") ? -1 : __real_open(path, flags, 0666);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    const int rc = __real_close(fd); // Linux closes the file even when close fails
    return spoils("close") ? -1 : rc;
}

/// A short run with cache.sync on. `planned` is active only during the run.
static sp_status spoiled_run(const char *dir, sp_run_mode mode, const spoiler *planned, long *calls,
                             sp_error *err)
{
    sp_writer_options options = drift_options(dir, mode);
    options.sync = true;
    drift d;
    drift_start(&d);
    plan = *planned;
    const sp_status st = drift_run(&options, HOST, &d, LAST, err);
    *calls = plan.calls;
    plan = (spoiler){0};
    return st;
}

/// Every frame and checkpoint that is visible is complete.
static void assert_nothing_damaged(const char *dir)
{
    sp_cache_list list;
    sp_status st = sp_cache_list_open(dir, HOST, &list, ERR);
    if (st == SP_OK) st = sp_cache_list_check(&list, ERR);
    assert_true(st == SP_OK || st == SP_BAD_INPUT); // after an early fault there is no run yet
    if (st == SP_OK) {
        assert_int_equal(list.damaged, 0);
        assert_int_equal(list.missing, 0);
    }
    sp_cache_list_close(&list);
}

static void spoil_each_call(spoiler row, const char *whole)
{
    for (row.until = 0;; ++row.until) {
        const char *dir = temporary_directory();
        long calls;
        *ERR = (sp_error){0};
        const sp_status st = spoiled_run(dir, SP_RUN_NEW, &row, &calls, ERR);
        const bool carried_through = row.fault == FAULT_SHORT || row.fault == FAULT_INTERRUPT;
        if (calls <= row.until) { // beyond the last call nothing fails
            assert_ok(st);
            assert_true(row.until > 3);
            remove_directory(dir);
            return;
        }
        if (carried_through) assert_ok(st);
        if (st != SP_OK) {
            assert_int_equal(st, SP_IO);
            assert_non_null(strstr(ERR->text, dir)); // the error names the file
            assert_true(ERR->text[strlen(ERR->text) - 1] != '\n');
            if (row.error == ENOSPC) assert_non_null(strstr(ERR->text, "no room left on the disk"));
        }
        assert_nothing_damaged(dir);
        assert_int_equal(count_files(path_in(dir, "frames"), ".tmp"), 0);
        if (!carried_through) assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
        assert_same_frames(dir, whole, LAST);
        remove_directory(dir);
    }
}

static void run_resumes_after_any_failed_disk_call(void **state)
{
    (void)state;
    static const spoiler rows[] = {
        {.function = "write", .fault = FAULT_ERROR, .error = ENOSPC, .lasting = true},
        {.function = "write", .fault = FAULT_ERROR, .error = EIO},
        {.function = "write", .fault = FAULT_SHORT},
        {.function = "write", .fault = FAULT_INTERRUPT},
        {.function = "fsync", .fault = FAULT_ERROR, .error = EIO},
        {.function = "fsync", .fault = FAULT_INTERRUPT},
        {.function = "rename", .fault = FAULT_ERROR, .error = ENOSPC, .lasting = true},
        {.function = "open", .fault = FAULT_ERROR, .error = EMFILE},
        {.function = "open", .fault = FAULT_INTERRUPT},
        {.function = "close", .fault = FAULT_ERROR, .error = EIO},
    };
    const char *whole = temporary_directory();
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        spoil_each_call(rows[i], whole);
}

/// A full disk is reported as such, and the frames written before stay.
static void full_disk_is_reported_in_one_sentence(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    const spoiler full = {.function = "write",
                          .fault = FAULT_ERROR,
                          .error = ENOSPC,
                          .until = 8, // lock, seals.json, run.json, scene.json, frames, their lines
                          .lasting = true};
    long calls;
    assert_fails(spoiled_run(dir, SP_RUN_NEW, &full, &calls, ERR), SP_IO,
                 "000002.h5: no room left on the disk");
    assert_true(has_file(dir, "frames/000001.h5"));
    assert_false(has_file(dir, "frames/000002.h5"));
}

/// One run with the n-th allocation failing; true when there were fewer than n.
static bool scarce_run(const char *dir, sp_run_mode mode, long n)
{
    scarce s;
    const sp_host host = scarce_host(&s, 1, (size_t)n + 1);
    sp_writer_options options = drift_options(dir, mode);
    options.from = 1;
    options.checkpoint_every = 1;
    options.keep = 100;
    drift d;
    drift_start(&d);
    *ERR = (sp_error){0};
    const sp_status st = drift_run(&options, &host, &d, LAST, ERR);
    const bool failed = s.made >= s.fatal;
    assert_int_equal(s.alive, 0);
    assert_true(st == SP_OK || (st == SP_NO_MEMORY && failed && ERR->text[0] != '\0'));
    return !failed;
}

/// Each allocation fails in turn, in a run from the start and in one from a checkpoint. No leak, no
/// damage, and the same frames at the end; only a line of the log may be lost. All attempts use one
/// directory, so each starts with the files of the previous one.
static void run_resumes_after_any_failed_allocation(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *whole = temporary_directory();
    assert_ok(plain_run(whole, SP_RUN_NEW, LAST, ERR));
    static const sp_run_mode modes[] = {SP_RUN_OVERWRITE, SP_RUN_FROM};
    for (size_t m = 0; m < 2; ++m) {
        long n = 0;
        for (; !scarce_run(dir, modes[m], n); ++n) {
            assert_nothing_damaged(dir);
            if (n % 16 != 5) continue;
            assert_ok(plain_run(dir, SP_RUN_RESUME, LAST, ERR));
            assert_same_frames(dir, whole, LAST);
            assert_true(scarce_run(dir, SP_RUN_OVERWRITE, 1000000)); // makes all checkpoints again
        }
        assert_true(n > 8 * LAST); // at least a few for each frame
        assert_same_frames(dir, whole, LAST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_resumes_after_any_failed_disk_call),
        cmocka_unit_test(full_disk_is_reported_in_one_sentence),
        cmocka_unit_test(run_resumes_after_any_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
