// SPDX-License-Identifier: Apache-2.0
// links: scene cache
/// The memory estimate of a scene covers a whole run of it: the solver, the frame that is published, its file as HDF5
/// builds it, and checkpoints.
#include "cache/cache.h"
#include "scene/scene.h"
#include "temporary.h"
#include "testing.h"

#include <stdio.h>

typedef struct scene_row {
    const char *scene;
    uint64_t frames;
    const char *set; ///< may be NULL
} scene_row;

/// Runs the scene into a directory with a checkpoint at every frame; returns the peak of its memory in bytes.
static double run_peak(const scene_row *row, double *estimate)
{
    const sp_host machine = sp_host_default(2);
    sp_scene_options options = sp_scene_options_defaults();
    sp_writer_options how = sp_writer_defaults();
    sp_budget budget;
    sp_host host = sp_budget_host(&budget, &machine, 0);
    sp_scene *scene;
    sp_writer *run;
    sp_driver *driver;
    options.set = &row->set;
    options.set_count = row->set != NULL;
    assert_ok(sp_scene_open(row->scene, &options, &host, &scene, ERR));
    how.dir = temporary_directory();
    how.fps = scene->common.fps;
    how.checkpoint_every = 1;
    how.scene_text = "{}";
    how.sync = false;
    assert_ok(sp_writer_open(&how, &host, &run, ERR));
    assert_ok(sp_scene_drive(scene, 0.0, (sp_watch){0}, NULL, &host, &driver, ERR));
    assert_ok(sp_writer_go(run, driver, row->frames, NULL, ERR));
    *estimate = scene->estimate;
    sp_driver_close(driver);
    sp_writer_close(run);
    sp_scene_close(scene);
    return (double)atomic_load(&budget.peak);
}

/// Too low an estimate lets a run begin that the machine cannot finish; one of more than six times the need refuses
/// scenes that would fit. (Ponds are the loosest: most never reach their limits of bubbles and foam.)
static void estimate_covers_a_whole_run(void **state)
{
    (void)state;
    const scene_row rows[] = {
        {"pond/fig10", 60, NULL},
        {"pond/stress_512", 2, NULL},
        {"sph/dam", 2, NULL},
        {"sph/pour", 2, NULL},
        {"liquid/drop", 2, "liquid.voxel=0.03"},
        {"liquid/dam_break", 3, "liquid.method=\"apic\""},
        {"still/tank", 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        double estimate;
        const double peak = run_peak(&rows[i], &estimate);
        print_message("%-16s %6.1f MB taken, %6.1f MB said\n", rows[i].scene, 1e-6 * peak,
                      1e-6 * estimate);
        assert_true(peak <= estimate);
        assert_true(estimate <= 6.0 * peak + 4e6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(estimate_covers_a_whole_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
