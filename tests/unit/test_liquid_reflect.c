// SPDX-License-Identifier: Apache-2.0
// links: validate liquid
#include "scarce_host.h"
#include "testing.h"
#include "validate/cases.h"
#include "validate/liquid/proofs.h"

static const float voxel = 0.02f; // m; few enough for sanitizers

/// A column beside a pool, with particles everywhere: substeps come in pairs.
static void make_column(liquid_case *c)
{
    liquid_case_domain(c, SP_LIQUID_APIC, 0.24f, 0.24f, 0.08f, voxel);
    c->def.narrow_band = 0;
    proof_fill(&c->scene, (sp_box_def){.max = {0.24f, 0.06f, 0.08f}});
    proof_fill(&c->scene, (sp_box_def){.max = {0.08f, 0.14f, 0.08f}});
}

static void go(liquid *s, int substeps)
{
    for (int n = 0; n < substeps; ++n) {
        assert_ok(sp_liquid_step(s, 0.004 * (substeps - n), ERR));
        s->frame_steps = 0;
    }
}

static uint64_t hash_of(liquid *s)
{
    uint64_t hash = 0;
    assert_ok(proof_hash(&sp_liquid_solver, s, &hash, ERR));
    return hash;
}

static void pairs_of_substeps_do_not_depend_on_threads(void **state)
{
    (void)state;
    uint64_t reference = 0;
    static const int threads[] = {1, 3};
    for (int k = 0; k < 2; ++k) {
        const sp_host host = sp_host_default(threads[k]);
        liquid_case c;
        liquid *s;
        make_column(&c);
        assert_ok(liquid_case_open(&c, &host, &s, ERR));
        go(s, 5);
        if (k == 0) reference = hash_of(s);
        assert_true(hash_of(s) == reference);
        liquid_close(s);
    }
}

/// Saved after one substep, which is in the middle of a pair, and after two.
static void state_saved_inside_a_pair_resumes_bit_for_bit(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    int middles = 0;
    for (int before = 1; before <= 2; ++before) {
        liquid_case c;
        liquid *s, *other;
        sp_blob blob = {.host = &host};
        make_column(&c);
        assert_ok(liquid_case_open(&c, &host, &s, ERR));
        assert_ok(liquid_case_open(&c, &host, &other, ERR));
        go(s, before);
        middles += s->second_of_pair;
        assert_ok(liquid_save(s, &blob, ERR));
        assert_ok(liquid_restore(other, &blob, ERR));
        go(s, 3);
        go(other, 3);
        assert_true(hash_of(s) == hash_of(other));
        sp_blob_close(&blob);
        liquid_close(s);
        liquid_close(other);
    }
    assert_int_equal(middles, 1);
}

/// The pressure in frames of still water: hydrostatic within a voxel and a half of water (the
/// surface from particles is rough), although the second solve of a pair finds almost none.
static void pressure_of_still_water_is_hydrostatic(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid_case c;
    liquid *s;
    sp_frame frame = {0};
    const double level = 0.125;
    make_column(&c);
    c.scene.world.emitter_count = 0;
    c.def.cache.pressure = true;
    proof_fill(&c.scene, (sp_box_def){.max = {0.24f, (float)level, 0.08f}});
    assert_ok(liquid_case_open(&c, &host, &s, ERR));
    for (int n = 1; n <= 2; ++n) {
        assert_ok(liquid_case_run(s, n / 24.0, ERR));
        assert_false(s->second_of_pair); // frames end with pairs
        assert_ok(liquid_publish(s, &frame, ERR));
        const sp_field *field = &frame.fields[2];
        assert_string_equal(field->name, "pressure");
        for (size_t t = 0; t < field->tile_count; ++t)
            for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                const double y =
                    s->grid.origin[1] +
                    (double)voxel * (8.0 * field->tiles[3 * t + 1] + (v >> 3 & 7) + 0.5);
                const double x =
                    s->grid.origin[0] + (double)voxel * (8.0 * field->tiles[3 * t] + (v & 7) + 0.5);
                const double z = s->grid.origin[2] +
                                 (double)voxel * (8.0 * field->tiles[3 * t + 2] + (v >> 6) + 0.5);
                if (x < 0.0 || x > 0.24 || z < 0.0 || z > 0.08 || y < 0.0 ||
                    y > level - (double)voxel)
                    continue;
                const double p = (double)field->values[SP_TILE_VOXELS * t + (size_t)v];
                assert_true(fabs(p / (1000.0 * 9.81) - (level - y)) < 1.5 * (double)voxel);
            }
    }
    liquid_close(s);
}

static sp_status open_and_take_a_pair(const sp_host *host, sp_error *err)
{
    liquid_case c;
    liquid *s;
    make_column(&c);
    SP_TRY(liquid_case_open(&c, host, &s, err));
    sp_status status = sp_liquid_step(s, 0.008, err);
    if (status == SP_OK) status = sp_liquid_step(s, 0.004, err);
    liquid_close(s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_substeps_do_not_depend_on_threads),
        cmocka_unit_test(state_saved_inside_a_pair_resumes_bit_for_bit),
        cmocka_unit_test(pressure_of_still_water_is_hydrostatic),
        test_failing_allocations(open_and_take_a_pair, 1, 40),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
