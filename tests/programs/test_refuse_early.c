// SPDX-License-Identifier: Apache-2.0
// links: core
#include "testing.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOWER = SANITIZED ? 20 : 1, LARGER = SANITIZED ? 10 : 1 }; // its start-up and shadow memory

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Runs `spume check SCENE` with its words thrown away; returns the exit status.
static int check(const char *scene)
{
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(98);
        execl(SPUME_PROGRAM, "spume", "check", scene, (char *)NULL);
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A million million cells are refused from the numbers alone: within 100 ms and 50 MB. The best of
/// five is taken, because other work on the machine is not what is measured.
static void oversized_grid_is_refused_within_100_ms_and_50_mb(void **state)
{
    (void)state;
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        const double begun = seconds();
        assert_int_equal(
            check(SPUME_SOURCE_DIR "/tests/data/bad_scenes/05_million_million_cells.json"), 2);
        const double took = seconds() - begun;
        best = took < best ? took : best;
    }
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    print_message("refused in %.1f ms with %.1f MB\n", 1e3 * best,
                  (double)usage.ru_maxrss / 1024.0);
    assert_true(best < 0.1 * SLOWER);
    assert_true(usage.ru_maxrss < 50 * 1024 * LARGER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oversized_grid_is_refused_within_100_ms_and_50_mb)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
