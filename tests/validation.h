// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATION_H
#define SP_VALIDATION_H

/// Checks of `spume validate` as tests, under sanitizers only: elsewhere tests of the program run all of them.

#include "testing.h"
#include "validate/validate.h"

static inline void print_missed_row(void *user, const sp_check_row *row, bool passed)
{
    (void)user;
    if (!passed) print_error("%s: %g, expected %g\n", row->what, row->measured, row->expected);
}

/// Every row of a subject passes, more than `least` in all; slow checks are left to the program. Skips the test
/// where a check is not possible in this build.
static inline void assert_checks_pass(const sp_subject *subject, int least)
{
    if (!SANITIZED) skip();
    const sp_host host = sp_host_default(2);
    sp_check_report report = {.host = &host, .row = print_missed_row};
    for (size_t i = 0; i < subject->count; ++i) {
        const sp_check *check = &subject->checks[i];
        const sp_status status = check->slow ? SP_OK : check->run(&report, ERR);
        if (status == SP_UNSUPPORTED) skip();
        assert_ok(status);
    }
    assert_int_equal(report.missed, 0);
    assert_true(report.passed > least);
}

#endif
