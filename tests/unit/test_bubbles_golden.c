// SPDX-License-Identifier: Apache-2.0
// links: validate bubbles liquid frame
// machines: validate bubbles liquid bulk solver flow poisson shapes mesh tiles particles frame core
/// One hash for every compiler, build, vector width and number of threads. It shows that all builds
/// agree, not that the result is right: a change of the physics or of the order of a sum changes it
/// for all builds. If the change is intended, put the new hash here and mention it in the
/// changelog.
#include "testing.h"
#include "this_machine.h"
#include "validate/bubbles/proofs.h"

static void hashes_are_the_golden_ones(void **state)
{
    static const uint64_t golden[BUBBLES_BUSY_SCENES] = {0xbccddefa9ea16776, 0xbd92512d14001cf5,
                                                         0xbc51394f62cfa596, 0x0daafd27a67257bd};
    enum { STEPS = 3 };
    bool good = true;
    (void)state;
    for (size_t k = 0; k < BUBBLES_BUSY_SCENES; ++k)
        for (int threads = 1; threads <= 3; threads += 2) {
            uint64_t hash;
            assert_ok(bubbles_busy_hash(k, threads, STEPS, &hash, ERR));
            if (hash == golden[k]) continue;
            print_error("%s, %d threads: %016llx is not %016llx\n", bubbles_busy_name(k), threads,
                        (unsigned long long)hash, (unsigned long long)golden[k]);
            good = false;
        }
    assert_true(good);
}

int main(void)
{
    if (!this_machine_can_run()) return THIS_MACHINE_CANNOT;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_the_golden_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
