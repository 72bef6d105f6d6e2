// SPDX-License-Identifier: Apache-2.0
// links: core
/// Files are read whole, and written whole or not at all.
#include "core/core.h"
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64], path[96];

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/spume-files-XXXXXX");
    if (!mkdtemp(dir)) return -1;
    snprintf(path, sizeof path, "%s/file", dir);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(dir); // fails when something else was left behind
}

static size_t entries(void)
{
    DIR *open = opendir(dir);
    size_t count = 0;
    assert_non_null(open);
    while (readdir(open))
        ++count;
    closedir(open);
    return count - 2; // . and ..
}

static void assert_holds(const char *expected, size_t count)
{
    sp_error err = {0};
    char *bytes;
    size_t found;
    assert_int_equal(sp_file_read(path, 0, HOST, &bytes, &found, &err), SP_OK);
    assert_int_equal(found, count);
    assert_memory_equal(bytes, expected, count);
    assert_int_equal(bytes[count], 0);
    sp_release(HOST, bytes);
}

/// Parts below and above the size of the buffer, so that both ways are taken.
static void parts_follow_each_other(void **state)
{
    (void)state;
    static char expected[3 * SP_FILE_BUFFER];
    for (size_t i = 0; i < sizeof expected; ++i)
        expected[i] = (char)(i * 7);
    static const size_t sizes[] = {1, 0, 1000, SP_FILE_BUFFER + 5, SP_FILE_BUFFER - 1000, 3};
    enum { PARTS = sizeof sizes / sizeof *sizes };
    sp_file_part parts[PARTS];
    size_t total = 0;
    for (size_t i = 0; i < PARTS; total += sizes[i++])
        parts[i] = (sp_file_part){expected + total, sizes[i]};
    assert_int_equal(sp_file_write(path, parts, PARTS, true, NULL), SP_OK);
    assert_holds(expected, total);
    assert_int_equal(entries(), 1);
}

static void it_is_there_only_when_it_is_whole(void **state)
{
    (void)state;
    sp_file file;
    assert_int_equal(sp_file_open(&file, path, NULL), SP_OK);
    sp_file_put(&file, "new", 3);
    assert_int_equal(access(path, F_OK), -1);
    assert_string_equal(sp_file_of_temporary(strrchr(file.temporary, '/') + 1), "file");
    assert_int_equal(sp_file_close(&file, false, NULL), SP_OK);
    assert_holds("new", 3);
    assert_int_equal(sp_file_open(&file, path, NULL), SP_OK);
    sp_file_put(&file, "newer", 5);
    sp_file_abandon(&file);
    assert_holds("new", 3);
    assert_int_equal(entries(), 1);
}

/// What another program wrote under the temporary name is taken over; what it did not write is named.
static void another_may_write_it(void **state)
{
    (void)state;
    sp_file file;
    sp_error err = {0};
    assert_int_equal(sp_file_name(&file, path, &err), SP_OK);
    assert_int_equal(sp_file_close(&file, true, &err), SP_IO);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(sp_file_name(&file, path, &err), SP_OK);
    FILE *other = fopen(file.temporary, "w");
    assert_non_null(other);
    fputs("theirs", other);
    fclose(other);
    assert_int_equal(sp_file_close(&file, true, &err), SP_OK);
    assert_holds("theirs", 6);
}

static void a_limit_on_files_leaves_the_old_one(void **state)
{
    (void)state;
    static const char large[100000];
    struct rlimit before, small;
    sp_error err = {0};
    assert_int_equal(sp_file_write(path, &(sp_file_part){"old", 3}, 1, true, &err), SP_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const sp_status status =
        sp_file_write(path, &(sp_file_part){large, sizeof large}, 1, true, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, SP_IO);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, strerror(EFBIG)));
    assert_holds("old", 3);
    assert_int_equal(entries(), 1);
}

static void assert_refused(const char *what, size_t limit, const char *sentence)
{
    sp_error err = {0};
    char *bytes;
    size_t count;
    assert_int_equal(sp_file_read(what, limit, HOST, &bytes, &count, &err), SP_IO);
    assert_null(bytes);
    assert_true(strncmp(err.text, what, strlen(what)) == 0);
    assert_non_null(strstr(err.text, sentence));
}

static void only_ordinary_files_are_read(void **state)
{
    (void)state;
    assert_refused(path, 0, strerror(ENOENT));
    assert_refused(dir, 0, strerror(EISDIR));
    assert_refused("/dev/null", 0, "is not an ordinary file");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, 0, "is not an ordinary file"); // and does not wait for a writer
    sp_error err = {0};
    assert_int_equal(sp_file_write(path, &(sp_file_part){"x", 1}, 1, false, &err), SP_IO);
    assert_non_null(strstr(err.text, "is not an ordinary file"));
}

static void a_limit_and_the_head_alone(void **state)
{
    (void)state;
    static const char zeros[(1 << 20) + 1];
    char head[4] = "abc";
    size_t read;
    uint64_t size;
    const sp_file_part parts[] = {{"x", 1}, {zeros, sizeof zeros}};
    assert_int_equal(sp_file_write(path, parts, 2, false, NULL), SP_OK);
    assert_refused(path, 1 << 20, "more than 1 MB");
    assert_int_equal(sp_file_read_head(path, head, 2, &read, &size, NULL), SP_OK);
    assert_int_equal(read, 2);
    assert_int_equal(size, 1 + sizeof zeros);
    assert_memory_equal(head, "x\0c", 3);
    assert_int_equal(sp_file_write(path, parts, 1, false, NULL), SP_OK);
    assert_int_equal(sp_file_read_head(path, head, 2, &read, &size, NULL), SP_OK);
    assert_int_equal(read, 1);
    assert_int_equal(size, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_follow_each_other, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(it_is_there_only_when_it_is_whole, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(another_may_write_it, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_limit_on_files_leaves_the_old_one, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(only_ordinary_files_are_read, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(a_limit_and_the_head_alone, make_dir, remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
