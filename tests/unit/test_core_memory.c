// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/memory/memory.h"
#include "testing.h"

#include <stdint.h>
#include <string.h>

static sp_host inner; // the budget's inner host must outlive it
static sp_budget budget;

static sp_host counted(size_t limit)
{
    inner = sp_host_default(1);
    return sp_budget_host(&budget, &inner, limit);
}

static void assert_all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(bytes[i], 0);
}

static void blocks_are_zeroed_aligned_and_released(void **state)
{
    (void)state;
    const sp_host host = counted(0);
    static const size_t counts[] = {0, 1, 7, 64, 65, 10000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        unsigned char *block = sp_allocate(&host, counts[i], 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        assert_all_zero(block, counts[i] * 3);
        memset(block, 0xff, counts[i] * 3);
        sp_release(&host, block);
    }
    sp_release(&host, NULL);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void a_product_that_overflows_is_refused(void **state)
{
    (void)state;
    const sp_host host = counted(0);
    assert_null(sp_allocate(&host, SIZE_MAX, 1));
    assert_null(sp_allocate(&host, SIZE_MAX / 2, 3));
    assert_null(sp_allocate(&host, (size_t)1 << 33, (size_t)1 << 33));
    assert_int_equal(atomic_load(&budget.allocations), 0);
}

static void growing_keeps_the_start_and_zeroes_the_rest(void **state)
{
    (void)state;
    const sp_host host = counted(0);
    void *block = NULL;
    assert_true(sp_regrow(&host, &block, 0, 4, sizeof(int)));
    memcpy(block, (int[]){1, 2, 3, 4}, 4 * sizeof(int));
    assert_true(sp_regrow(&host, &block, 3, 1000, sizeof(int)));
    assert_memory_equal(block, ((int[]){1, 2, 3}), 3 * sizeof(int));
    assert_all_zero((unsigned char *)block + 3 * sizeof(int), 997 * sizeof(int));
    sp_release(&host, block);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void growing_beyond_the_limit_leaves_the_old_block(void **state)
{
    (void)state;
    const sp_host host = counted(1000);
    void *block = sp_allocate(&host, 4, sizeof(int));
    memcpy(block, (int[]){1, 2, 3, 4}, 4 * sizeof(int));
    void *before = block;
    assert_false(sp_regrow(&host, &block, 4, 5000, sizeof(int)));
    assert_ptr_equal(block, before);
    assert_memory_equal(block, ((int[]){1, 2, 3, 4}), 4 * sizeof(int));
    sp_release(&host, block);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void budget_records_its_peak_and_refuses_beyond_its_limit(void **state)
{
    (void)state;
    const sp_host host = counted(4096);
    void *a = sp_allocate(&host, 1000, 1), *b = sp_allocate(&host, 1000, 1);
    assert_true(a && b);
    const size_t peak = atomic_load(&budget.peak);
    assert_in_range(peak, 2000, 4096);
    assert_null(sp_allocate(&host, 3000, 1));
    assert_in_range(atomic_load(&budget.refused), 5000, 5000 + 3 * 128); // blocks have a headerer
    sp_release(&host, a);
    sp_release(&host, b);
    assert_int_equal(atomic_load(&budget.used), 0);
    assert_int_equal(atomic_load(&budget.peak), peak);
    a = sp_allocate(&host, 3000, 1); // what was refused fits once there is room
    assert_non_null(a);
    sp_release(&host, a);
}

/// The budget forwards parallel_for and the clock to the inner host unchanged.
static void double_up(void *arg, size_t i)
{
    ((int *)arg)[i] *= 2;
}

static void budget_forwards_parallel_for_and_clock(void **state)
{
    (void)state;
    const sp_host host = counted(0);
    int numbers[] = {1, 2, 3};
    host.parallel_for(host.user, 3, double_up, numbers);
    assert_memory_equal(numbers, ((int[]){2, 4, 6}), sizeof numbers);
    assert_true(host.clock(host.user) > 0.0);
    inner.clock = NULL;
    assert_true(host.clock(host.user) == 0.0);
}

static void scratch_is_a_stack_of_aligned_blocks(void **state)
{
    (void)state;
    const sp_host host = counted(0);
    sp_scratch scratch;
    assert_true(sp_scratch_open(&scratch, &host, 1024));
    const sp_scratch_mark start = sp_scratch_here(&scratch);
    char *a = sp_scratch_array(&scratch, char, 3);
    float *b = sp_scratch_array(&scratch, float, 5);
    assert_true(a && b);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_int_equal((uintptr_t)b % 64, 0);
    assert_true((char *)b >= a + 3);
    sp_scratch_rewind(&scratch, start);
    assert_ptr_equal(sp_scratch_array(&scratch, char, 3), a);
    sp_scratch_close(&scratch);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void take_twice_too_much(sp_scratch *scratch)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    unsigned char *a = sp_scratch_take(scratch, 200, 1), *b = sp_scratch_take(scratch, 3000, 1),
                  *c = sp_scratch_take(scratch, 500, 1);
    assert_true(a && b && c);
    memset(a, 1, 200);
    memset(b, 2, 3000);
    memset(c, 3, 500);
    assert_int_equal(a[199] + b[2999] + c[499], 6);
    sp_scratch_rewind(scratch, mark);
}

/// A steady run allocates nothing: after one step that borrowed from the heap, later steps do not.
static void scratch_grows_to_its_peak_after_a_step(void **state)
{
    (void)state;
    const sp_host host = counted(0);
    sp_scratch scratch;
    assert_true(sp_scratch_open(&scratch, &host, 256));
    take_twice_too_much(&scratch);
    assert_true(sp_scratch_settle(&scratch));
    const size_t allocations = atomic_load(&budget.allocations);
    for (int step = 0; step < 5; ++step) {
        take_twice_too_much(&scratch);
        assert_true(sp_scratch_settle(&scratch));
    }
    assert_int_equal(atomic_load(&budget.allocations), allocations);
    sp_scratch_close(&scratch);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void scratch_without_memory_fails_and_stays_usable(void **state)
{
    (void)state;
    const sp_host host = counted(1024);
    sp_scratch scratch;
    assert_true(sp_scratch_open(&scratch, &host, 256));
    const sp_scratch_mark mark = sp_scratch_here(&scratch);
    assert_null(sp_scratch_take(&scratch, 100000, 1));
    assert_null(sp_scratch_take(&scratch, SIZE_MAX, 8));
    assert_non_null(sp_scratch_take(&scratch, 100, 1));
    sp_scratch_rewind(&scratch, mark);
    assert_false(sp_scratch_settle(&scratch)); // its peak does not fit the budget
    assert_non_null(sp_scratch_take(&scratch, 100, 1));
    sp_scratch_close(&scratch);
    sp_scratch_close(&scratch); // a closed scratch is zeroed and may be closed again
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void text_is_copied_whole(void **state)
{
    (void)state;
    const sp_host host = counted(0);
    char *copy = sp_copy_text(&host, "Schaum");
    assert_string_equal(copy, "Schaum");
    sp_release(&host, copy);
    assert_int_equal(atomic_load(&budget.used), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_released),
        cmocka_unit_test(a_product_that_overflows_is_refused),
        cmocka_unit_test(growing_keeps_the_start_and_zeroes_the_rest),
        cmocka_unit_test(growing_beyond_the_limit_leaves_the_old_block),
        cmocka_unit_test(budget_records_its_peak_and_refuses_beyond_its_limit),
        cmocka_unit_test(budget_forwards_parallel_for_and_clock),
        cmocka_unit_test(scratch_is_a_stack_of_aligned_blocks),
        cmocka_unit_test(scratch_grows_to_its_peak_after_a_step),
        cmocka_unit_test(scratch_without_memory_fails_and_stays_usable),
        cmocka_unit_test(text_is_copied_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
