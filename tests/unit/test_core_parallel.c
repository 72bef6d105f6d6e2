// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/host/parallel.h"
#include "core/host/process_limits.h"
#include "testing.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const int thread_counts[] = {1, 2, 3, 5};
enum { THREAD_COUNTS = 4 };

static void mark(void *arg, size_t begin, size_t end)
{
    atomic_int *seen = arg;
    for (size_t i = begin; i < end; ++i)
        atomic_fetch_add(&seen[i], 1);
}

static void every_element_is_visited_exactly_once(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 9, 10, 11, 999};
    for (int t = 0; t < THREAD_COUNTS; ++t) {
        const sp_host host = sp_host_default(thread_counts[t]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            atomic_int *seen = calloc(sizes[s] + 1, sizeof *seen);
            sp_parallel(&host, sizes[s], 10, mark, seen);
            for (size_t i = 0; i < sizes[s]; ++i)
                assert_int_equal(atomic_load(&seen[i]), 1);
            assert_int_equal(atomic_load(&seen[sizes[s]]), 0);
            free(seen);
        }
    }
}

static void scan_gives_start_offsets(void **state)
{
    (void)state;
    uint32_t counts[] = {3, 0, 2, 5};
    assert_int_equal(sp_scan(counts, 4), 10);
    assert_memory_equal(counts, ((uint32_t[]){0, 3, 3, 5}), sizeof counts);
    assert_int_equal(sp_scan(counts, 0), 0);
}

/// In a child, because a limit that was lowered stays.
static void few_threads_start_where_memory_is_limited(void **state)
{
    (void)state;
    assert_int_equal(sp_threads_possible(1), 1);
    assert_int_equal(sp_threads_possible(3), 3);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {1 << 20, 1 << 20};
        const bool set = setrlimit(RLIMIT_AS, &limit) == 0;
        _exit(set && sp_memory_room() == 0.0 && sp_threads_possible(8) == 1 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_threads_start_where_memory_is_limited),
        cmocka_unit_test(every_element_is_visited_exactly_once),
        cmocka_unit_test(scan_gives_start_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
