// SPDX-License-Identifier: Apache-2.0
// links: scene cache bulk tiles frame core
// A live liquid solver and the run that it writes serve the same bulk.
#include "cache/cache.h"
#include "scene/scene.h"
#include "temporary.h"
#include "testing.h"

#include <stdio.h>
#include <string.h>

enum { FRAMES = 3, MANY = 2000 };
static double x[3][MANY];
static float live[5][MANY], cached[5][MANY];
static uint8_t masks[2][MANY];

static sp_bulk_query query_into(float out[5][MANY], uint8_t *mask)
{
    return (sp_bulk_query){.n = MANY,
                           .x = x[0],
                           .y = x[1],
                           .z = x[2],
                           .phi = out[0],
                           .u = {out[1], out[2], out[3]},
                           .aeration = out[4],
                           .mask = mask};
}

static sp_scene *open_scene(const sp_host *host)
{
    static const char *const coarse[] = {"liquid.voxel=0.06"};
    const sp_scene_options options = {.set = coarse, .set_count = 1};
    sp_scene *scene;
    assert_ok(sp_scene_open("liquid/drop", &options, host, &scene, ERR));
    return scene;
}

static void write_run(const char *dir, const sp_scene *scene, const sp_host *host)
{
    sp_run_options how = sp_run_defaults();
    sp_run *run;
    sp_driver *driver;
    how.dir = dir;
    how.fps = scene->common.fps;
    how.scene_text = "{}";
    how.sync = false;
    assert_ok(sp_run_open(&how, host, &run, ERR));
    assert_ok(sp_scene_drive(scene, 0.0, NULL, host, &driver, ERR));
    assert_ok(sp_run_go(run, driver, FRAMES, NULL, ERR));
    sp_driver_close(driver);
    sp_run_close(run);
}

static void live_liquid_and_its_cached_run_serve_the_same_water(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    sp_scene *scene = open_scene(&host);
    sp_bulk of_run, of_solver;

    const char *dir = temporary_directory();
    sp_driver *driver;
    write_run(dir, scene, &host);
    assert_ok(sp_run_bulk_open(dir, &host, &of_run, ERR));
    assert_ok(sp_scene_drive(scene, 0.0, NULL, &host, &driver, ERR));
    const sp_bulk_live_def def = {.driver = driver, .last = of_run.last};
    assert_ok(sp_bulk_live(&def, &host, &of_solver, ERR));
    size_t wet = 0;
    for (int k = 0; k <= 2 * FRAMES; ++k) {
        const double t = of_run.last * k / (2 * FRAMES);
        for (uint32_t i = 0; i < MANY; ++i)
            for (int a = 0; a < 3; ++a)
                x[a][i] = of_run.low[a] + (of_run.high[a] - of_run.low[a]) *
                                              (double)sp_unit(sp_random(3, 1, i, 0, 0).x[a]);
        const sp_bulk_query p = query_into(live, masks[0]), q = query_into(cached, masks[1]);
        assert_ok(sp_bulk_sample(&of_solver, &host, t, &p, ERR));
        assert_ok(sp_bulk_sample(&of_run, &host, t, &q, ERR));
        assert_memory_equal(live, cached, sizeof live);
        assert_memory_equal(masks[0], masks[1], sizeof masks[0]);
        for (int i = 0; i < MANY; ++i)
            wet += live[0][i] < 0.0f;
    }
    assert_true(wet > 100);
    sp_bulk_close(&of_solver);
    sp_bulk_close(&of_run);
    sp_driver_close(driver);
    sp_scene_close(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_liquid_and_its_cached_run_serve_the_same_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
