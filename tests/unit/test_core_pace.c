// SPDX-License-Identifier: Apache-2.0
// links: core
/// How long a run takes, told from how far it has come.
#include "core/text/pace.h"
#include "testing.h"

#include <math.h>

static void nothing_is_known_before_the_first_substep(void **state)
{
    (void)state;
    sp_pace pace;
    sp_pace_begin(&pace, 100.0, 0.0, 4.0, 0.04);
    assert_true(isinf(sp_pace_total(&pace, 103.0, 0.0)));
    assert_true(isinf(sp_pace_frame_left(&pace, 103.0, 0.0)));
}

/// 3 s for a thousandth of the time: 3000 s in all.
static void first_frame_gives_the_total_at_its_own_pace(void **state)
{
    (void)state;
    sp_pace pace;
    sp_pace_begin(&pace, 100.0, 0.0, 4.0, 0.04);
    assert_true(fabs(sp_pace_total(&pace, 103.0, 0.004) - 3000.0) < 1e-6);
    assert_true(fabs(sp_pace_total(&pace, 103.0, 4e-9) - 3e9) < 1e-3); // steps of nanoseconds
}

/// Ten frames of 2 s each, then one that has come a tenth of its way in 5 s: 20 s, 50 s for this one and 2 s for each
/// of the 89 others. One slow frame is no slow run.
static void slow_frame_counts_once(void **state)
{
    (void)state;
    sp_pace pace;
    sp_pace_begin(&pace, 0.0, 0.0, 100.0, 1.0);
    for (int k = 1; k <= 10; ++k)
        sp_pace_frame(&pace, 2.0 * k, k);
    assert_true(fabs(sp_pace_total(&pace, 20.0, 10.0) - 200.0) < 1e-9);
    assert_true(fabs(sp_pace_total(&pace, 25.0, 10.1) - (20.0 + 50.0 + 2.0 * 89.0)) < 1e-6);
    assert_true(fabs(sp_pace_frame_left(&pace, 25.0, 10.1) - 45.0) < 1e-6);
}

static void run_that_goes_on_counts_from_where_it_began(void **state)
{
    (void)state;
    sp_pace pace;
    sp_pace_begin(&pace, 7.0, 50.0, 100.0, 1.0);
    sp_pace_frame(&pace, 10.0, 51.0);
    assert_true(fabs(sp_pace_total(&pace, 10.0, 51.0) - 150.0) < 1e-9);
    for (int k = 52; k <= 100; ++k)
        sp_pace_frame(&pace, 10.0 + 3.0 * (k - 51), k);
    assert_true(fabs(sp_pace_total(&pace, 157.0, 100.0) - 150.0) <
                1e-9); // at the end, what it took
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_before_the_first_substep),
        cmocka_unit_test(first_frame_gives_the_total_at_its_own_pace),
        cmocka_unit_test(slow_frame_counts_once),
        cmocka_unit_test(run_that_goes_on_counts_from_where_it_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
