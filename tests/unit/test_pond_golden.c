// SPDX-License-Identifier: Apache-2.0
// links: validate pond
/// One hash for every compiler, build, vector width and number of threads. It shows that all builds
/// agree, not that the result is right: a change of the physics or of the order of a sum changes it
/// for all builds. If the change is intended, put the new hash here and mention it in the
/// changelog.
#include "test_pond.h"

static void hash_of_sixty_frames_is_the_golden_one(void **state)
{
    (void)state;
    const uint64_t golden = 0xaff93e15d00abecb;
    static const int threads[] = {1, 3};
    for (size_t k = 0; k < 2; ++k) {
        sp_pond_def def = pond_proof_busy(50, 80);
        def.tracers = 100;
        def.rest_level = 0.08f; // shallow, so that there is foam within a second
        const sp_host host = sp_host_default(threads[k]);
        sp_pond *pond = open_pond(&def, &host);
        for (int frame = 1; frame <= 60; ++frame)
            assert_ok(sp_pond_step(pond, frame / 60.0, ERR));
        assert_true(pond->bubbles.set.count > 200 && pond->foam.set.count > 20);
        if (sp_pond_hash(pond) != golden)
            fail_msg("%016llx is not %016llx", (unsigned long long)sp_pond_hash(pond),
                     (unsigned long long)golden);
        sp_pond_close(pond);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_of_sixty_frames_is_the_golden_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
