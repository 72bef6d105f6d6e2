// SPDX-License-Identifier: Apache-2.0
// links: validate surface tiles particles frame core
#include "testing.h"
#include "validate/validate.h"

#include <stdio.h>

static void say_miss(void *user, const sp_check_row *row, bool passed)
{
    const sp_check *check = user;
    if (!passed)
        printf("%s: %s is %.9g, expected %.9g (%s)\n", check->name, row->what, row->measured,
               row->expected, row->why);
}

/// The rows of `spume validate surface` pass, except for the slow ones.
static void validation_rows_pass(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    int missed = 0;
    for (size_t k = 0; k < sp_validate_surface.count; ++k) {
        sp_check check = sp_validate_surface.checks[k];
        if (check.slow) continue;
        sp_check_report report = {.host = &host, .user = &check, .row = say_miss};
        assert_ok(check.run(&report, ERR));
        assert_true(report.passed > 0);
        missed += report.missed;
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(validation_rows_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
