// SPDX-License-Identifier: Apache-2.0
// links: validate
#include "testing.h"
#include "validate/validate.h"

#include <math.h>

typedef struct judged {
    sp_check_row row;
    bool passed;
} judged;

/// NaN must miss under every rule; otherwise a broken measurement would pass.
static void check_rows_pass_or_miss_by_their_rule(void **state)
{
    (void)state;
    static const judged rows[] = {
        {{"", 1.05, 1.0, 0.1, SP_WITHIN, ""}, true},
        {{"", 1.2, 1.0, 0.1, SP_WITHIN, ""}, false},
        {{"", 0.9, 1.0, 0.2, SP_WITHIN, ""}, true},
        {{"", 102.0, 100.0, 0.03, SP_RELATIVE, ""}, true},
        {{"", 96.0, 100.0, 0.03, SP_RELATIVE, ""}, false},
        {{"", 3.0, 3.0, 0.0, SP_AT_MOST, ""}, true},
        {{"", 3.1, 3.0, 0.0, SP_AT_MOST, ""}, false},
        {{"", 3.0, 3.0, 0.0, SP_AT_LEAST, ""}, true},
        {{"", 2.9, 3.0, 0.0, SP_AT_LEAST, ""}, false},
        {{"", 0.0, 0.0, 1.0, SP_EXACT, ""}, true},
        {{"", 1e-9, 0.0, 1.0, SP_EXACT, ""}, false},
        {{"", (double)NAN, 1.0, 1e9, SP_WITHIN, ""}, false},
        {{"", (double)NAN, 1.0, 1e9, SP_RELATIVE, ""}, false},
        {{"", (double)NAN, 1.0, 1e9, SP_AT_MOST, ""}, false},
        {{"", (double)NAN, 1.0, 1e9, SP_AT_LEAST, ""}, false},
        {{"", (double)NAN, (double)NAN, 1e9, SP_EXACT, ""}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_check_report report = {0};
        const sp_check_row *row = &rows[i].row;
        sp_check_put(&report, row->judge, row->what, row->measured, row->expected, row->tolerance,
                     row->why);
        assert_int_equal(report.passed, rows[i].passed);
        assert_int_equal(report.missed, !rows[i].passed);
    }
}

/// Whatever was measured, a row that is only reported neither passes nor misses.
static void reported_rows_count_apart(void **state)
{
    (void)state;
    sp_check_report report = {0};
    sp_reported(&report, "", 1.0, "");
    sp_reported(&report, "", (double)NAN, "");
    assert_int_equal(report.reported, 2);
    assert_int_equal(report.passed + report.missed, 0);
}

/// `spume validate SUBJECT/CHECK` finds a check by its name.
static void every_check_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < SP_SUBJECTS; ++i) {
        const sp_subject *subject = sp_subjects[i];
        assert_true(subject->count > 0);
        for (size_t k = 0; k < i; ++k)
            assert_string_not_equal(subject->name, sp_subjects[k]->name);
        for (size_t k = 0; k < subject->count; ++k) {
            const sp_check *check = &subject->checks[k];
            assert_true(check->name && check->about && check->run);
            for (size_t l = 0; l < k; ++l)
                assert_string_not_equal(check->name, subject->checks[l].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_rows_pass_or_miss_by_their_rule),
        cmocka_unit_test(reported_rows_count_apart),
        cmocka_unit_test(every_check_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
