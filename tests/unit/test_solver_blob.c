// SPDX-License-Identifier: Apache-2.0
// links: solver core
#include "solver/solver.h"
#include "testing.h"

static void a_blob_gives_back_what_was_put(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    sp_blob blob = {.host = &host};
    for (uint32_t i = 0; i < 1000; ++i)
        sp_blob_put(&blob, &i, sizeof i);
    assert_false(blob.failed);
    assert_int_equal(blob.size, 4000);
    uint32_t got = 0;
    for (uint32_t i = 0; i < 1000; ++i) {
        sp_blob_get(&blob, &got, sizeof got);
        assert_int_equal(got, i);
    }
    assert_false(blob.failed);
    sp_blob_get(&blob, &got, sizeof got);
    assert_true(blob.failed);
    assert_int_equal(got, 0);
    sp_blob_close(&blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blob_gives_back_what_was_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
