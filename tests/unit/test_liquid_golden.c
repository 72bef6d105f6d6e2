// SPDX-License-Identifier: Apache-2.0
// links: validate liquid frame
// machines: validate liquid bulk solver flow poisson shapes mesh tiles particles frame core
/// One hash for every compiler, build, vector width and number of threads. It shows that all builds
/// agree, not that the result is right: a change of the physics or of the order of a sum changes it
/// for all builds. If the change is intended, put the new hash here and mention it in the
/// changelog.
#include "testing.h"
#include "this_machine.h"
#include "validate/cases.h"
#include "validate/liquid/proofs.h"

/// A ball falls into a pool with a jet, a flow, a sink and a box that turns; surface tension, volume
/// correction and aeration are on.
static void make_busy(liquid_case *c, int method)
{
    static const sp_spin_def spin = {
        .center = {0.11f, 0.06f, 0.11f}, .axis = {0.0f, 1.0f, 1.0f}, .rpm = 90.0f};
    liquid_case_domain(c, method, 0.24f, 0.24f, 0.2f, 0.01f);
    c->def.aeration = true;
    c->def.surface_tension = 0.072f;
    c->def.volume_correction = true;
    proof_fill(&c->scene, (sp_box_def){.max = {0.24f, 0.08f, 0.2f}});
    proof_fill_ball(&c->scene, (sp_sphere_def){{0.16f, 0.13f, 0.1f}, 0.04f})->velocity[1] = -1.0f;
    proof_flow(&c->scene, (sp_box_def){{0.0f, 0.1f, 0.06f}, {0.03f, 0.13f, 0.12f}},
               (const float[3]){1.0f, 0.0f, 0.0f});
    proof_jet(&c->scene, (const float[3]){0.08f, 0.2f, 0.1f}, (const float[3]){0, -1, 0}, 0.02f,
              1.5f);
    proof_sink(&c->scene, (sp_box_def){{0.2f, 0.0f, 0.0f}, {0.24f, 0.04f, 0.2f}});
    proof_box(&c->scene, (sp_box_def){{0.07f, 0.045f, 0.07f}, {0.15f, 0.075f, 0.15f}})
        ->motion.spin = &spin;
}

static void expect_hash(int method, uint64_t golden)
{
    static const int threads[] = {1, 3};
    for (size_t k = 0; k < 2; ++k) {
        const sp_host host = sp_host_default(threads[k]);
        liquid_case c;
        liquid *s;
        uint64_t hash;
        make_busy(&c, method);
        assert_ok(liquid_case_open(&c, &host, &s, ERR));
        assert_ok(liquid_case_run(s, 2.0 / 24.0, ERR));
        assert_ok(proof_hash(&sp_liquid_solver, s, &hash, ERR));
        if (hash != golden)
            fail_msg("%016llx is not %016llx", (unsigned long long)hash,
                     (unsigned long long)golden);
        liquid_close(s);
    }
}

static void hash_of_flip_is_the_golden_one(void **state)
{
    (void)state;
    expect_hash(SP_LIQUID_FLIP, 0x47579c33889b9ef1);
}

static void hash_of_apic_is_the_golden_one(void **state)
{
    (void)state;
    expect_hash(SP_LIQUID_APIC, 0xb2cf07b673ef120b);
}

static void hash_without_particles_is_the_golden_one(void **state)
{
    (void)state;
    expect_hash(SP_LIQUID_EULERIAN, 0xb9169801162ec75d);
}

int main(void)
{
    if (!this_machine_can_run()) return THIS_MACHINE_CANNOT;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_of_flip_is_the_golden_one),
        cmocka_unit_test(hash_of_apic_is_the_golden_one),
        cmocka_unit_test(hash_without_particles_is_the_golden_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
