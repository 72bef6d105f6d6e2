// SPDX-License-Identifier: Apache-2.0
// links: render surface shapes mesh tiles look frame core
#include "render/internal.h"
#include "testing.h"

#include <math.h>
#include <string.h>

/// One particle of a set with a column `count`, as cluster on a stage without a surface, seen from
/// `far` metres along x.
typedef struct one {
    float position[3], radius, number;
    uint64_t id;
    sp_column columns[4];
    sp_set set;
    sp_frame frame;
    stage s;
    set_view view;
} one;

static void one_open(one *o, const char *name, float radius, float number)
{
    *o = (one){.position = {0.3f, -0.1f, 0.2f}, .radius = radius, .number = number, .id = 77};
    o->columns[0] = (sp_column){"position", SP_F32, 3, o->position};
    o->columns[1] = (sp_column){"radius", SP_F32, 1, &o->radius};
    o->columns[2] = (sp_column){"count", SP_F32, 1, &o->number};
    o->columns[3] = (sp_column){"id", SP_U64, 1, &o->id};
    o->set = (sp_set){name, 1, o->columns, 4};
    o->frame =
        (sp_frame){.voxel = 0.02, .origin = {5, 6, 7}, .sets = &o->set, .set_count = 1, .fps = 24};
    o->s = (stage){.host = HOST, .frame = &o->frame};
    assert_true(set_view_open(&o->frame, name, &o->view));
}

static stage_spheres split(one *o, sp_trace_class kind, float far)
{
    const double base[3] = {5, 6, 7};
    const render_eye eye = {.from = {o->position[0] + far, o->position[1], o->position[2]},
                            .pixels = 500.0f};
    stage_spheres from, out;
    assert_true(stage_spheres_open(&from, HOST, 1, kind, false, false));
    assert_ok(stage_add_clusters(&o->s, &from, &o->view, ERR));
    assert_true(stage_put_sphere(&from, &o->view, 0));
    if (kind == SP_TRACE_FOAM) assert_ok(stage_lay_rafts(&o->s, &from, ERR));
    assert_ok(stage_split_clusters(&o->s, &from, base, &eye, &out, ERR));
    stage_spheres_close(&from, HOST);
    return out;
}

/// The light that a cluster scatters follows its cross-section. Sums of at most 64 floats: 1e-5.
static void a_cluster_has_the_cross_section_of_its_bubbles(void **state)
{
    (void)state;
    static const float numbers[] = {1.0f, 1.7f, 2.0f, 9.0f, 40.0f, 1000.0f};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; ++n)
        for (float far = 0.05f; far < 100.0f; far *= 3.0f) {
            one o;
            one_open(&o, "foam", 0.002f, numbers[n]);
            stage_spheres out = split(&o, SP_TRACE_FOAM, far);
            float area = 0.0f;
            for (size_t k = 0; k < out.count; ++k)
                area += out.at[k][3] * out.at[k][3];
            assert_true(fabsf(area / (numbers[n] * 0.002f * 0.002f) - 1.0f) < 1e-5f);
            assert_true(out.count >= 1 && (float)out.count <= numbers[n] && out.count <= 64);
            stage_spheres_close(&out, HOST);
        }
}

static void from_far_away_it_is_one_sphere_and_near_by_it_is_all_of_them(void **state)
{
    (void)state;
    one o;
    one_open(&o, "bubbles", 0.002f, 8.0f);
    stage_spheres far = split(&o, SP_TRACE_BUBBLE, 50.0f), near = split(&o, SP_TRACE_BUBBLE, 0.2f);
    assert_int_equal(far.count, 1);
    assert_memory_equal(far.at[0], o.position, sizeof o.position);
    assert_int_equal(near.count, 8);
    for (size_t k = 0; k < near.count; ++k) // half a voxel
        assert_true(hypotf(near.at[k][0] - o.position[0],
                           hypotf(near.at[k][1] - o.position[1], near.at[k][2] - o.position[2])) <=
                    0.01001f);
    stage_spheres_close(&far, HOST);
    stage_spheres_close(&near, HOST);
}

/// Without a surface in the frame, rafts are level.
static void spheres_of_a_raft_lie_on_the_surface_and_stay_there(void **state)
{
    (void)state;
    one o;
    one_open(&o, "foam", 0.002f, 30.0f);
    stage_spheres near = split(&o, SP_TRACE_FOAM, 0.2f), mid = split(&o, SP_TRACE_FOAM, 3.0f);
    assert_int_equal(near.count, 30);
    assert_true(mid.count > 1 && mid.count < 30);
    for (size_t k = 0; k < near.count; ++k)
        assert_true(near.at[k][1] == o.position[1]);
    for (size_t k = 0; k < mid.count; ++k)
        assert_memory_equal(mid.at[k], near.at[k], 3 * sizeof(float));
    stage_spheres_close(&near, HOST);
    stage_spheres_close(&mid, HOST);
}

static void particles_without_a_count_are_no_clusters(void **state)
{
    (void)state;
    one o;
    one_open(&o, "foam", 0.002f, 30.0f);
    o.columns[2].name = "age";
    assert_true(set_view_open(&o.frame, "foam", &o.view));
    stage_spheres from;
    assert_true(stage_spheres_open(&from, HOST, 1, SP_TRACE_FOAM, false, false));
    assert_ok(stage_add_clusters(&o.s, &from, &o.view, ERR));
    assert_null(from.cluster);
    stage_spheres_close(&from, HOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_has_the_cross_section_of_its_bubbles),
        cmocka_unit_test(from_far_away_it_is_one_sphere_and_near_by_it_is_all_of_them),
        cmocka_unit_test(spheres_of_a_raft_lie_on_the_surface_and_stay_there),
        cmocka_unit_test(particles_without_a_count_are_no_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
