// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/parallel.h"
#include "core/random.h"
#include "testing.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

/// Values of both signs over eight decades, so that the order of adding matters.
static float *wild_numbers(size_t n)
{
    float *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; ++i) {
        const sp_random4 r = sp_random(7, 0, i, 0, 0);
        x[i] = (sp_unit(r.x[0]) - 0.5f) * powf(10.0f, 8.0f * sp_unit(r.x[1]) - 4.0f);
    }
    return x;
}

static const size_t lengths[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 70000, 300001};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/// Doubles carry 53 bits: n additions of numbers whose magnitudes sum to S err by at most
/// n*S*2^-53.
static void sums_agree_with_long_double(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (size_t s = 0; s < LENGTHS; ++s) {
        float *x = wild_numbers(lengths[s]);
        long double exact = 0.0L, magnitude = 0.0L;
        for (size_t i = 0; i < lengths[s]; ++i) {
            exact += (long double)x[i];
            magnitude += fabsl((long double)x[i]);
        }
        const long double error = fabsl((long double)sp_sum(&host, x, lengths[s]) - exact);
        assert_true(error <= (long double)lengths[s] * magnitude * 0x1p-53L);
        free(x);
    }
}

static void sums_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    for (size_t s = 0; s < LENGTHS; ++s) {
        float *x = wild_numbers(lengths[s]);
        const sp_host one = sp_host_default(1);
        const double expected = sp_sum(&one, x, lengths[s]);
        for (int t = 1; t < THREAD_COUNTS; ++t) {
            const sp_host host = sp_host_default(thread_counts[t]);
            const double sum = sp_sum(&host, x, lengths[s]);
            assert_memory_equal(&sum, &expected, sizeof sum);
        }
        free(x);
    }
}

static void the_maximum_is_found_wherever_it_is(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(3);
    assert_true(sp_max(&host, NULL, 0) == -INFINITY);
    for (size_t s = 1; s < LENGTHS; ++s) {
        const size_t n = lengths[s], places[] = {0, n / 2, n - 1};
        float *x = wild_numbers(n);
        for (int p = 0; p < 3; ++p) {
            const float before = x[places[p]];
            x[places[p]] = 1e30f;
            assert_true(sp_max(&host, x, n) == 1e30f);
            x[places[p]] = before;
        }
        free(x);
    }
}

static void one_nan_anywhere_makes_the_maximum_nan(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (size_t s = 1; s < LENGTHS; ++s) {
        const size_t n = lengths[s], places[] = {0, n / 3, n / 2, n - 1};
        float *x = wild_numbers(n);
        for (int p = 0; p < 4; ++p) {
            const float before = x[places[p]];
            x[places[p]] = NAN;
            assert_true(isnan(sp_max(&host, x, n)));
            x[places[p]] = before;
        }
        free(x);
    }
}

static void scanning_gives_where_each_begins(void **state)
{
    (void)state;
    uint32_t counts[] = {3, 0, 2, 5};
    assert_int_equal(sp_scan(counts, 4), 10);
    assert_memory_equal(counts, ((uint32_t[]){0, 3, 3, 5}), sizeof counts);
    assert_int_equal(sp_scan(counts, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_visited_exactly_once),
        cmocka_unit_test(sums_agree_with_long_double),
        cmocka_unit_test(sums_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(the_maximum_is_found_wherever_it_is),
        cmocka_unit_test(one_nan_anywhere_makes_the_maximum_nan),
        cmocka_unit_test(scanning_gives_where_each_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
