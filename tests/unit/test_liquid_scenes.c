// SPDX-License-Identifier: Apache-2.0
// links: scene liquid poisson bulk shapes particles tiles frame core
/// What scenes with bodies publish, coarse and short.
#include "liquid/internal.h"
#include "scene/scene.h"
#include "testing.h"

/// Number of published particles inside a solid at the frame's time.
static size_t count_inside(const liquid *s, const sp_frame *frame)
{
    const sp_set *set = sp_frame_set(frame, "liquid");
    assert_non_null(set);
    assert_true(set->count > 100);
    const float *x = sp_set_column(set, "position")->data;
    size_t inside = 0;
    for (size_t i = 0; i < set->count; ++i) {
        double p[3];
        for (int a = 0; a < 3; ++a)
            p[a] = frame->origin[a] + (double)x[3 * i + (size_t)a];
        // Offsets from the domain's corner are floats, with an error of a millionth.
        inside +=
            sp_solids_distance(s->solids.bodies, p, NULL, NULL) < -1e-3 * (double)s->grid.voxel;
    }
    return inside;
}

static void no_particle_is_published_inside_of_a_solid(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *voxel;
        int frames;
    } rows[] = {{"liquid/propellers", "liquid.voxel=0.05", 3},
                {"liquid/toy", "liquid.voxel=0.06", 3},
                {"liquid/river", "liquid.voxel=0.6", 3},
                {"liquid/submarine", "liquid.voxel=4", 3},
                {"liquid/dam_break", "liquid.voxel=0.05", 6}};
    // Under sanitizers the other scenes are run by tests/programs/liquid_scenes.sh.
    const size_t count = SANITIZED ? 1 : sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count; ++i) {
        const char *set[] = {rows[i].voxel, "liquid.cache.particles=true"};
        const sp_scene_options options = {
            .struct_size = sizeof(sp_scene_options), .set = set, .set_count = 2};
        sp_scene *scene;
        liquid *s;
        assert_ok(sp_scene_open(rows[i].scene, &options, HOST, &scene, ERR));
        const sp_setup setup = sp_scene_setup(scene);
        assert_ok(liquid_open(&setup, HOST, &s, ERR));
        for (int k = 1; k <= rows[i].frames; ++k) {
            sp_frame frame = {0};
            assert_ok(sp_liquid_solver.step(s, k / scene->common.fps, ERR));
            assert_ok(sp_liquid_solver.publish(s, &frame, ERR));
            assert_int_equal(count_inside(s, &frame), 0);
        }
        liquid_close(s);
        sp_scene_close(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particle_is_published_inside_of_a_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
