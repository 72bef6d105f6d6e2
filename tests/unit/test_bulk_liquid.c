// SPDX-License-Identifier: Apache-2.0
// links: scene cache bulk tiles frame core
// A liquid solver serves the same bulk in place, through its frames, and from the run it writes.
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

static sp_scene *open_scene(const char *name, const char *voxel, const char *change,
                            const sp_host *host)
{
    const char *const set[] = {voxel, change};
    const sp_scene_options options = {
        .struct_size = sizeof(sp_scene_options), .set = set, .set_count = change ? 2 : 1};
    sp_scene *scene;

    assert_ok(sp_scene_open(name, &options, host, &scene, ERR));
    return scene;
}

/// A running liquid and its server.
typedef struct served {
    sp_solver_type type;
    sp_driver *driver;
    sp_bulk bulk;
} served;

static void serve(served *v, const sp_scene *scene, bool by_frames, const sp_host *host)
{
    v->type = *scene->solver;
    assert_non_null(v->type.moment);
    if (by_frames) v->type.moment = NULL;
    const sp_driver_def def = {
        .type = &v->type, .setup = sp_scene_setup(scene), .fps = scene->common.fps};
    assert_ok(sp_driver_open(&def, host, &v->driver, ERR));
    const sp_bulk_live_def live_def = {.driver = v->driver,
                                       .last = (double)FRAMES / scene->common.fps};
    assert_ok(sp_bulk_live(&live_def, host, &v->bulk, ERR));
}

static void stop(served *v)
{
    sp_bulk_close(&v->bulk);
    sp_driver_close(v->driver);
}

static void write_run(const char *dir, const sp_scene *scene, const sp_host *host)
{
    sp_writer_options how = sp_writer_defaults();
    sp_writer *run;
    sp_driver *driver;
    how.dir = dir;
    how.fps = scene->common.fps;
    how.scene_text = "{}";
    how.sync = false;
    assert_ok(sp_writer_open(&how, host, &run, ERR));
    assert_ok(sp_scene_drive(scene, 0.0, (sp_watch){0}, NULL, host, &driver, ERR));
    assert_ok(sp_writer_go(run, driver, FRAMES, NULL, ERR));
    sp_driver_close(driver);
    sp_writer_close(run);
}

static void scatter(const double low[3], const double high[3])
{
    for (uint32_t i = 0; i < MANY; ++i)
        for (int a = 0; a < 3; ++a)
            x[a][i] = low[a] + (high[a] - low[a]) * (double)sp_unit(sp_random(3, 1, i, 0, 0).x[a]);
}

static void live_liquid_by_frames_and_its_run_serve_the_same_water(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    sp_scene *scene = open_scene("liquid/drop", "liquid.voxel=0.06", NULL, &host);
    sp_bulk of_run;
    served of_solver;
    const char *dir = temporary_directory();
    write_run(dir, scene, &host);
    assert_ok(sp_run_bulk_open(dir, &host, &of_run, ERR));
    serve(&of_solver, scene, true, &host);
    size_t wet = 0;
    for (int k = 0; k <= 2 * FRAMES; ++k) {
        const double t = of_run.last * k / (2 * FRAMES);
        scatter(of_run.low, of_run.high);
        const sp_bulk_query p = query_into(live, masks[0]), q = query_into(cached, masks[1]);
        assert_ok(sp_bulk_sample(&of_solver.bulk, &host, t, &p, ERR));
        assert_ok(sp_bulk_sample(&of_run, &host, t, &q, ERR));
        assert_memory_equal(live, cached, sizeof live);
        assert_memory_equal(masks[0], masks[1], sizeof masks[0]);
        for (int i = 0; i < MANY; ++i)
            wet += live[0][i] < 0.0f;
    }
    assert_true(wet > 100);
    stop(&of_solver);
    sp_bulk_close(&of_run);
    sp_scene_close(scene);
}

/// ---- Moments in place and from frames ----------------------------------------------------------

typedef struct agreement {
    size_t wet, guessed, beyond; ///< faces: wet, different; tiles: only in frames
} agreement;

static void assert_far(const sp_bulk_moment *m, size_t tile)
{
    for (size_t v = 0; v < SP_TILE_VOXELS; ++v)
        assert_true(m->phi[tile * SP_TILE_VOXELS + v] >= m->band);
}

/// phi must be equal everywhere, u on every face next to water.
static void compare_tile(const sp_bulk_moment *place, uint32_t p, const sp_bulk_moment *frame,
                         uint32_t f, agreement *seen)
{
    const size_t at = (size_t)p * SP_TILE_VOXELS, from = (size_t)f * SP_TILE_VOXELS;
    for (size_t v = 0; v < SP_TILE_VOXELS; ++v)
        assert_true(place->phi[at + v] == frame->phi[from + v]);
    for (int a = 0; a < 3; ++a) {
        float before[SP_TILE_VOXELS];
        sp_tiles_shift(frame->tiles, frame->phi, f, a, -1, frame->band, before);
        for (size_t v = 0; v < SP_TILE_VOXELS; ++v) {
            const bool same = place->u[a][at + v] == frame->u[a][from + v];
            const bool wet = frame->phi[from + v] < 0.0f || before[v] < 0.0f;
            assert_true(same || !wet);
            seen->wet += wet;
            seen->guessed += !same;
        }
    }
    if (!place->aeration) return;
    for (size_t v = 0; v < SP_TILE_VOXELS; ++v)
        assert_true(place->aeration[at + v] == frame->aeration[from + v]);
}

static void compare(const sp_bulk_moment *place, const sp_bulk_moment *frame, agreement *seen)
{
    assert_true(place->time == frame->time && place->band == frame->band);
    assert_memory_equal(place->origin, frame->origin, sizeof place->origin);
    assert_true(!place->aeration == !frame->aeration);
    assert_null(place->no_data);
    assert_null(frame->no_data);
    for (uint32_t f = 0; f < frame->tiles->count; ++f) {
        const uint32_t p = sp_tiles_find(place->tiles, frame->tiles->at[f]);
        if (p != SP_NO_TILE)
            compare_tile(place, p, frame, f, seen);
        else
            assert_far(frame, f);
    }
    for (uint32_t p = 0; p < place->tiles->count; ++p)
        if (sp_tiles_find(frame->tiles, place->tiles->at[p]) == SP_NO_TILE) assert_far(place, p);
}

static double spent; ///< s; time in the solver's step
static sp_status (*inner_step)(void *solver, double t_end, sp_error *err);
static sp_host clock_host;
static sp_status timed_step(void *solver, double t_end, sp_error *err)
{
    const double begun = sp_now(&clock_host);
    const sp_status status = inner_step(solver, t_end, err);
    spent += sp_now(&clock_host) - begun;
    return status;
}

/// Advances to time t; returns the seconds spent outside the step.
static double go_to(served *v, double t, const sp_bulk_moment *moments[2])
{
    const double begun = sp_now(&clock_host);
    spent = 0.0;
    assert_ok(v->bulk.bracket(v->bulk.user, t, &moments[0], &moments[1], ERR));
    return sp_now(&clock_host) - begun - spent;
}

static void live_moment_equals_that_of_its_frame(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"liquid/drop", "liquid.voxel=0.04", "liquid.aeration=true"},
        {"liquid/dam_break", "liquid.voxel=0.04", "liquid.method=apic"},
        {"liquid/flip_plume", "liquid.voxel=0.05", "liquid.method=eulerian"},
        {"liquid/propellers", "liquid.voxel=0.08", NULL},
    };
    clock_host = sp_host_default(2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_scene *scene = open_scene(rows[i][0], rows[i][1], rows[i][2], &clock_host);
        served place, frames;
        agreement seen = {0};
        double seconds[2] = {0};
        serve(&place, scene, false, &clock_host);
        serve(&frames, scene, true, &clock_host);
        inner_step = place.type.step;
        place.type.step = frames.type.step = timed_step;
        for (int k = 0; k <= FRAMES; ++k) {
            const double t = (double)k / scene->common.fps;
            const sp_bulk_moment *a[2], *b[2];
            seconds[0] += go_to(&place, t, a);
            seconds[1] += go_to(&frames, t, b);
            compare(a[0], b[0], &seen);
            if (k == 0) continue;
            go_to(&place, t - 0.5 / scene->common.fps, a); // the older moment is a copy
            go_to(&frames, t - 0.5 / scene->common.fps, b);
            compare(a[0], b[0], &seen);
            compare(a[1], b[1], &seen);
        }
        assert_true(seen.wet > 1000);
        print_message(
            "%s, %s: a moment took %.2f ms in place, %.2f ms by frames; %zu faces of water "
            "equal, %zu others differ\n",
            rows[i][0], rows[i][1], 1e3 * seconds[0] / FRAMES, 1e3 * seconds[1] / FRAMES, seen.wet,
            seen.guessed);
        stop(&place);
        stop(&frames);
        sp_scene_close(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_liquid_by_frames_and_its_run_serve_the_same_water),
        cmocka_unit_test(live_moment_equals_that_of_its_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
