// SPDX-License-Identifier: Apache-2.0
// links: validate sph frame
// machines: validate sph shapes mesh tiles particles frame core
/// One hash for every compiler, build, vector width and number of threads. It shows that all builds
/// agree, not that the result is right: a change of the physics or of the order of a sum changes it
/// for all builds. If the change is intended, put the new hash here and mention it in the
/// changelog.
#include "testing.h"
#include "this_machine.h"
#include "validate/cases.h"
#include "validate/sph/proofs.h"

/// A jet under water and one from above, bubbles from the floor, foam that soon bursts, with the
/// defaults of all other keys.
static void make_busy(sph_case *c)
{
    sph_case_tank(c, 0.34f, 0.6f, 0.26f, 0.02f);
    proof_fill(&c->scene, (sp_box_def){.max = {0.34f, 0.18f, 0.26f}});
    proof_jet(&c->scene, (const float[3]){0.14f, 0.08f, 0.12f}, (const float[3]){1, 0, 0}, 0.04f,
              6.0f);
    proof_jet(&c->scene, (const float[3]){0.22f, 0.3f, 0.16f}, (const float[3]){0, -1, 0}, 0.04f,
              4.0f);
    sph_case_seed(c, (sp_box_def){{0.04f, 0.02f, 0.04f}, {0.3f, 0.14f, 0.22f}}, 5000.0f);
    c->scene.emitter[1].ramp = c->scene.emitter[2].ramp = 0.01f; // s: 0.06 s are a short run
    c->def.trapped.surface_only = false;
    c->def.foam.float_time = 0.01f;
}

/// What the first case leaves out: a mesh that turns, other kernels and lists, every variant that
/// has a code path of its own, a sink.
static void make_unusual(sph_case *c)
{
    static const sp_mesh_def cube = {.file = SPUME_SOURCE_DIR "/tests/data/meshes/cube.obj",
                                     .scale = 0.04f,
                                     .position = {0.15f, 0.1f, 0.13f}};
    static const sp_spin_def spin = {
        .center = {0.17f, 0.1f, 0.13f}, .axis = {1.0f, 2.0f, 0.0f}, .rpm = 200.0f};
    make_busy(c);
    sp_collider_def *solid = proof_box(&c->scene, (sp_box_def){0});
    solid->shape = (sp_shape_def){.mesh = &cube};
    solid->motion.spin = &spin;
    proof_sink(&c->scene, (sp_box_def){{0.28f, 0.0f, 0.0f}, {0.34f, 0.06f, 0.06f}});
    c->def.support_ratio = 2.3f;
    c->def.list_skin = 0.1f;
    c->def.pressure_factor = SP_SPH_PARTICLE;
    c->def.density_correction = SP_SPH_CORRECT_SOLVER;
    c->def.surface_tension = 0.002f;
    c->def.air.buoyancy_count = SP_SPH_COUNT_OWN;
    c->def.air.drag_pairs = SP_SPH_PAIRS_SEPARATING;
    c->def.air.coupling = SP_SPH_COUPLING_ARCHIMEDES;
    c->def.trapped.rule = SP_SPH_RATE;
    c->def.foam.share = SP_SPH_SHARE_PAPER;
}

static void expect_hash(sph_case *c, uint64_t golden)
{
    static const int threads[] = {1, 3};
    for (size_t k = 0; k < 2; ++k) {
        const sp_host host = sp_host_default(threads[k]);
        sph *s;
        uint64_t hash;
        assert_ok(sph_case_open(c, &host, &s, ERR));
        assert_ok(sph_case_run(s, 0.06, ERR));
        assert_ok(proof_hash(&sp_sph_solver, s, &hash, ERR));
        const sp_sph_figures f = sp_sph_look(s);
        assert_true(f.created > 20 && f.burst > 5 && f.emitted > 200 && f.seeded > 200);
        if (hash != golden)
            fail_msg("%016llx is not %016llx", (unsigned long long)hash,
                     (unsigned long long)golden);
        sph_close(s);
    }
}

static void hash_of_jets_bubbles_and_foam_is_the_golden_one(void **state)
{
    (void)state;
    sph_case c;
    make_busy(&c);
    expect_hash(&c, 0x82433caf5586edc1);
}

static void hash_of_unusual_options_is_the_golden_one(void **state)
{
    (void)state;
    sph_case c;
    make_unusual(&c);
    expect_hash(&c, 0x2db61e76e114aba4);
}

int main(void)
{
    if (!this_machine_can_run()) return THIS_MACHINE_CANNOT;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_of_jets_bubbles_and_foam_is_the_golden_one),
        cmocka_unit_test(hash_of_unusual_options_is_the_golden_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
