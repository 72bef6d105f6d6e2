// SPDX-License-Identifier: Apache-2.0
// links: validate surface tiles particles frame core
#include "testing.h"
#include "validation.h"

/// The rows of `spume validate surface` pass, except for the slow ones.
static void validation_rows_pass(void **state)
{
    (void)state;
    assert_checks_pass(&sp_validate_surface, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(validation_rows_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
