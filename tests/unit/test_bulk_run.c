// SPDX-License-Identifier: Apache-2.0
// links: validate cache bulk tiles frame core
// The directory of a run as a bulk server.
#include "cache/cache.h"
#include "scarce_host.h"
#include "temporary.h"
#include "testing.h"
#include "validate/bulk/drop.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double h = 0.05;
static sp_host host;

static bulk_drop flying(void)
{
    return (bulk_drop){.voxel = (float)h,
                       .radius = (float)(3.0 * h),
                       .from = {0.31, 0.17, -0.42},
                       .velocity = {6.0 * h * 24.0, -2.0 * h * 24.0, 0},
                       .seconds = 1.0 / 24.0};
}

static sp_writer *open_run(const char *dir)
{
    sp_writer_options how = sp_writer_defaults();
    sp_writer *run;
    how.dir = dir;
    how.fps = 24;
    how.scene_text = "{}";
    how.sync = false;
    assert_ok(sp_writer_open(&how, &host, &run, ERR));
    return run;
}

/// A moment of the drop as a frame, and the memory that holds it.
typedef struct drop_frame {
    float *vectors;
    int32_t *at;
    sp_field fields[2];
    sp_frame frame;
} drop_frame;

/// Stores velocity only in tiles that `keeps` accepts (NULL: all).
static void drop_frame_open(drop_frame *f, const bulk_drop_moment *m, uint64_t number,
                            bool staggered, bool (*keeps)(const int32_t at[3]))
{
    const size_t n = m->tiles.count;
    f->vectors = malloc(n * SP_TILE_VOXELS * 3 * sizeof *f->vectors);
    f->at = malloc(3 * n * sizeof *f->at);
    assert_non_null(f->vectors);
    assert_non_null(f->at);
    size_t kept = 0;
    for (size_t t = 0; t < n; ++t) {
        if (keeps && !keeps(m->tiles.at[t])) continue;
        memcpy(f->at + 3 * kept, m->tiles.at[t], 3 * sizeof *f->at);
        for (size_t v = 0; v < SP_TILE_VOXELS; ++v)
            for (size_t a = 0; a < 3; ++a)
                f->vectors[3 * (kept * SP_TILE_VOXELS + v) + a] = m->u[a][t * SP_TILE_VOXELS + v];
        ++kept;
    }
    f->fields[0] = (sp_field){.name = "surface",
                              .layout = SP_FIELD_TILES,
                              .components = 1,
                              .values = m->phi,
                              .tiles = m->tiles.at[0],
                              .tile_count = n};
    f->fields[1] = (sp_field){.name = "velocity",
                              .layout = SP_FIELD_TILES,
                              .components = 3,
                              .values = f->vectors,
                              .tiles = f->at,
                              .tile_count = kept,
                              .staggered = staggered};
    f->frame = (sp_frame){.frame = number,
                          .time = (double)number / 24.0,
                          .fps = 24,
                          .voxel = (double)m->tiles.voxel,
                          .fields = f->fields,
                          .field_count = 2};
    memcpy(f->frame.origin, m->m.origin, sizeof f->frame.origin);
}

static void drop_frame_close(drop_frame *f)
{
    free(f->vectors);
    free(f->at);
}

static void put_moment(sp_writer *run, const bulk_drop_moment *m, uint64_t number, bool staggered,
                       bool (*keeps)(const int32_t at[3]))
{
    drop_frame f;
    drop_frame_open(&f, m, number, staggered, keeps);
    assert_ok(sp_writer_put(run, &f.frame, 0.0, ERR));
    drop_frame_close(&f);
}

static void put_drop(const char *dir, bool staggered, bool (*keeps)(const int32_t at[3]))
{
    bulk_drop d = flying();
    assert_ok(bulk_drop_open(&d, &host, ERR));
    sp_writer *run = open_run(dir);
    put_moment(run, &d.moment[0], 0, staggered, keeps);
    put_moment(run, &d.moment[1], 1, staggered, keeps);
    assert_ok(sp_writer_put_end(run, ERR));
    sp_writer_close(run);
    bulk_drop_close(&d);
}

enum { MANY = 3000 };
static double x[3][MANY];
static float got[4][MANY], wanted[4][MANY];
static uint8_t mask[MANY];

static sp_bulk_query query_into(float out[4][MANY])
{
    return (sp_bulk_query){.n = MANY,
                           .x = x[0],
                           .y = x[1],
                           .z = x[2],
                           .phi = out[0],
                           .u = {out[1], out[2], out[3]},
                           .mask = mask};
}

static void scatter(const double about[3], double half)
{
    for (uint32_t i = 0; i < MANY; ++i)
        for (int k = 0; k < 3; ++k)
            x[k][i] =
                about[k] + half * (2.0 * (double)sp_unit(sp_random(5, 1, i, 0, 0).x[k]) - 1.0);
}

/// Samples in and around the water equal the written values, at frames and between them. The
/// extrapolation methods may differ, but the drop's velocity is constant.
static void run_serves_the_values_written(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    put_drop(dir, true, NULL);
    bulk_drop d = flying();
    sp_bulk bulk;
    assert_ok(bulk_drop_open(&d, &host, ERR));
    assert_ok(sp_run_bulk_open(dir, &host, &bulk, ERR));
    assert_true(bulk.first == 0.0 && bulk.last == 1.0 / 24.0 && bulk.voxel == d.voxel);
    for (int n = 0; n <= 2; ++n) { // farther from both frames the drop's velocity is unknown
        const double t = bulk.last * n / 2.0;
        const double about[3] = {d.from[0] + t * d.velocity[0], d.from[1] + t * d.velocity[1],
                                 d.from[2]};
        scatter(about, 3.2 * h);
        const sp_bulk_query ours = query_into(got), theirs = query_into(wanted);
        assert_ok(sp_bulk_sample(&bulk, &host, t, &ours, ERR));
        assert_ok(sp_bulk_sample(&d.bulk, &host, t, &theirs, ERR));
        for (int i = 0; i < MANY; ++i) {
            if (wanted[0][i] > -(float)(0.5 * h)) continue;
            assert_true(fabsf(got[0][i] - wanted[0][i]) < 1e-5f);
            for (int a = 1; a < 4; ++a)
                assert_true(fabsf(got[a][i] - wanted[a][i]) < 1e-4f);
        }
        for (int a = 0; a < 3; ++a)
            assert_true(bulk.low[a] < about[a] - 3.0 * h && bulk.high[a] > about[a] + 3.0 * h);
    }
    sp_bulk_close(&bulk);
    bulk_drop_close(&d);
}

/// Older frames store velocity at cell centres. A face gets the mean of its two cells, which are
/// equal here.
static void velocity_at_centres_is_moved_to_faces(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    put_drop(dir, false, NULL);
    bulk_drop d = flying();
    sp_bulk bulk;
    assert_ok(sp_run_bulk_open(dir, &host, &bulk, ERR));
    scatter(d.from, 2.0 * h);
    const sp_bulk_query ours = query_into(got);
    assert_ok(sp_bulk_sample(&bulk, &host, 0.0, &ours, ERR));
    for (int i = 0; i < MANY; ++i)
        if (got[0][i] < 0.0f) assert_true(fabsf(got[1][i] - (float)d.velocity[0]) < 1e-4f);
    sp_bulk_close(&bulk);
}

static bool front_half(const int32_t at[3])
{
    return at[2] >= -1;
}

/// Water in tiles without velocity is flagged as no data, not as water at rest.
static void tiles_without_velocity_are_flagged_no_data(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    put_drop(dir, true, front_half);
    bulk_drop d = flying();
    sp_bulk bulk;
    assert_ok(sp_run_bulk_open(dir, &host, &bulk, ERR));
    scatter(d.from, 2.5 * h);
    const sp_bulk_query ours = query_into(got);
    assert_ok(sp_bulk_sample(&bulk, &host, 0.0, &ours, ERR));
    const double border = 0.75 * h - 8.0 * h; // between tiles -2 and -1, counted from the origin
    int known = 0, unknown = 0;
    for (int i = 0; i < MANY; ++i) {
        if (!(got[0][i] < -(float)(0.5 * h))) continue; // the point's whole voxel must be water
        assert_int_equal(mask[i], x[2][i] < border ? SP_BULK_NO_DATA : 0);
        known += mask[i] == 0;
        unknown += mask[i] != 0;
    }
    assert_true(known > 10 && unknown > 10);
    sp_bulk_close(&bulk);
}

/// A box of 5 x 5 x 5 tiles of water without the middle 3 x 3 x 3 tiles: the missing tiles count as
/// deep water, the air around the box does not.
static void missing_tiles_inside_the_surface_are_deep_water(void **state)
{
    (void)state;
    sp_tiles tiles, whole;
    int32_t at[125][3];
    size_t n = 0;
    for (int32_t k = 0; k < 125; ++k) {
        const int32_t c[3] = {k % 5, k / 5 % 5, k / 25};
        bool shell = false;
        for (int a = 0; a < 3; ++a)
            shell = shell || c[a] == 0 || c[a] == 4;
        if (shell) memcpy(at[n++], c, sizeof c);
    }
    assert_ok(sp_tiles_open(&tiles, &host, 0.1f, (const int32_t(*)[3])at, n, ERR));
    float *phi = sp_tiles_field(&tiles, -0.3f);
    assert_non_null(phi);
    assert_ok(sp_bulk_enclose(&tiles, phi, &whole, ERR));
    assert_int_equal(whole.count, 125);
    sp_tiles_close(&whole);
    for (size_t v = 0; v < tiles.count * SP_TILE_VOXELS; ++v)
        phi[v] = 0.3f; // all air: nothing is enclosed
    assert_ok(sp_bulk_enclose(&tiles, phi, &whole, ERR));
    assert_int_equal(whole.count, tiles.count);
    sp_tiles_close(&whole);
    sp_release(&host, phi);
    sp_tiles_close(&tiles);
}

static void damaged_frame_is_named_with_the_remedy(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *path = path_in(dir, "frames/000001.h5");
    put_drop(dir, true, NULL);
    sp_bulk bulk;
    assert_ok(sp_run_bulk_open(dir, &host, &bulk, ERR));
    struct stat what;
    assert_int_equal(stat(path, &what), 0);
    assert_int_equal(truncate(path, what.st_size / 2), 0);
    const sp_bulk_query none = {0};
    assert_ok(sp_bulk_sample(&bulk, &host, 0.0, &none, ERR));
    assert_fails(sp_bulk_sample(&bulk, &host, bulk.last, &none, ERR), SP_DAMAGED,
                 "frame 1 is incomplete (");
    assert_non_null(strstr(ERR->text, "000001.h5 and rerun with --resume"));
    assert_ok(sp_bulk_sample(&bulk, &host, 0.0, &none, ERR)); // the other frame can still be read
    sp_bulk_close(&bulk);
}

static void directory_without_a_usable_run_is_refused(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    sp_bulk bulk;
    assert_fails(sp_run_bulk_open("/nowhere/at/all", &host, &bulk, ERR), SP_BAD_INPUT,
                 "holds no run");
    sp_writer *run = open_run(dir);
    assert_fails(sp_run_bulk_open(dir, &host, &bulk, ERR), SP_BAD_INPUT, "holds no frames");
    const sp_frame bare = {.fps = 24, .voxel = h};
    assert_ok(sp_writer_put(run, &bare, 0.0, ERR));
    assert_fails(sp_run_bulk_open(dir, &host, &bulk, ERR), SP_BAD_INPUT, "has no tiles of surface");
    sp_writer_close(run);
}

/// ---- A running solver --------------------------------------------------------------------------

/// A solver with a single step, to the drop's second moment. The step overwrites its arrays, and a
/// flag makes it fail.
typedef struct flight {
    const bulk_drop *drop;
    drop_frame frames[2];
    size_t now;
    sp_tiles tiles;
    float *phi, *u[3];
    bool fails, spoils;
} flight;

static void flight_write(flight *f)
{
    const bulk_drop_moment *m = &f->drop->moment[f->now];
    const size_t bytes = m->tiles.count * SP_TILE_VOXELS * sizeof(float);
    f->tiles = m->tiles;
    memcpy(f->phi, m->phi, bytes);
    for (int a = 0; a < 3; ++a)
        memcpy(f->u[a], m->u[a], bytes);
}

static void flight_begin(flight *f, const bulk_drop *drop)
{
    const size_t a = drop->moment[0].tiles.count, b = drop->moment[1].tiles.count,
                 bytes = (a > b ? a : b) * SP_TILE_VOXELS * sizeof(float);
    f->drop = drop;
    assert_non_null(f->phi = malloc(bytes));
    for (int k = 0; k < 3; ++k)
        assert_non_null(f->u[k] = malloc(bytes));
    for (int k = 0; k < 2; ++k)
        drop_frame_open(&f->frames[k], &drop->moment[k], (uint64_t)k, true, NULL);
    flight_write(f);
}

static void flight_end(flight *f)
{
    free(f->phi);
    for (int k = 0; k < 3; ++k)
        free(f->u[k]);
    for (int k = 0; k < 2; ++k)
        drop_frame_close(&f->frames[k]);
}

static sp_status flight_open(const sp_setup *setup, const sp_host *used, void **out, sp_error *err)
{
    (void)used;
    (void)err;
    *out = (void *)(uintptr_t)setup->def;
    return SP_OK;
}

static sp_status flight_step(void *solver, double t_end, sp_error *err)
{
    flight *f = solver;
    assert_true(fabs(t_end - 1.0 / 24.0) < 1e-12 && f->now == 0);
    ++f->now;
    flight_write(f);
    if (f->fails) return sp_fail(err, SP_DIVERGED, "told to fail");
    if (f->spoils) f->u[1][77] = INFINITY;
    return SP_OK;
}

static sp_status flight_publish(void *solver, sp_frame *frame, sp_error *err)
{
    const flight *f = solver;
    (void)err;
    *frame = f->frames[f->now].frame;
    return SP_OK;
}

static sp_status flight_moment(void *solver, sp_bulk_moment *moment, sp_error *err)
{
    const flight *f = solver;
    (void)err;
    *moment = f->drop->moment[f->now].m;
    moment->time = -1.0; // must be ignored: the caller sets the time
    moment->tiles = &f->tiles;
    moment->phi = f->phi;
    for (int a = 0; a < 3; ++a)
        moment->u[a] = f->u[a];
    return SP_OK;
}

/// Two solvers: one is read through its frames, the other serves its moments.
static const sp_solver_type flights[2] = {
    {.name = "flight", .open = flight_open, .step = flight_step, .publish = flight_publish},
    {.name = "flight", .open = flight_open, .step = flight_step, .moment = flight_moment},
};

static sp_driver *flight_driver(const sp_solver_type *type, const flight *f)
{
    const sp_driver_def def = {.type = type, .setup.def = f, .fps = 24};
    sp_driver *driver;
    assert_ok(sp_driver_open(&def, &host, &driver, ERR));
    return driver;
}

static void fly_half_way(const bulk_drop *d, const sp_solver_type *type, bool fails)
{
    flight f = {.fails = fails};
    sp_bulk bulk;
    flight_begin(&f, d);
    sp_driver *driver = flight_driver(type, &f);
    const sp_bulk_live_def def = {.driver = driver, .last = d->seconds};
    assert_ok(sp_bulk_live(&def, &host, &bulk, ERR));
    const double half_way[3] = {d->from[0] + 0.5 * d->seconds * d->velocity[0],
                                d->from[1] + 0.5 * d->seconds * d->velocity[1], d->from[2]};
    scatter(half_way, 3.2 * h);
    const sp_bulk_query ours = query_into(got), theirs = query_into(wanted);
    assert_ok(sp_bulk_sample(&bulk, &host, 0.0, &ours, ERR));
    assert_int_equal(f.now, 0); // the solver is stepped only when a sample needs it
    const sp_status status = sp_bulk_sample(&bulk, &host, 0.5 * d->seconds, &ours, ERR);
    assert_int_equal(status, fails ? SP_DIVERGED : SP_OK);
    assert_ok(sp_bulk_sample(&d->bulk, &host, 0.5 * d->seconds, &theirs, ERR));
    for (int i = 0; !fails && i < MANY; ++i)
        if (wanted[0][i] < -(float)(0.5 * h)) assert_true(fabsf(got[0][i] - wanted[0][i]) < 1e-5f);
    assert_ok(sp_bulk_sample(&bulk, &host, 0.0, &ours, ERR)); // still kept
    assert_ok(sp_bulk_sample(&d->bulk, &host, 0.0, &theirs, ERR));
    for (int i = 0; i < MANY; ++i)
        if (wanted[0][i] < -(float)(0.5 * h)) assert_true(fabsf(got[0][i] - wanted[0][i]) < 1e-5f);
    sp_bulk_close(&bulk);
    sp_driver_close(driver);
    flight_end(&f);
}

static void live_solver_serves_its_water(void **state)
{
    (void)state;
    bulk_drop d = flying();
    assert_ok(bulk_drop_open(&d, &host, ERR));
    for (int direct = 0; direct < 2; ++direct)
        for (int fails = 0; fails < 2; ++fails)
            fly_half_way(&d, &flights[direct], fails);
    bulk_drop_close(&d);
}

static void moment_with_nan_is_refused(void **state)
{
    (void)state;
    bulk_drop d = flying();
    flight f = {.spoils = true};
    sp_bulk bulk;

    assert_ok(bulk_drop_open(&d, &host, ERR));
    flight_begin(&f, &d);
    sp_driver *driver = flight_driver(&flights[1], &f);
    const sp_bulk_live_def def = {.driver = driver, .last = d.seconds};
    assert_ok(sp_bulk_live(&def, &host, &bulk, ERR));
    const sp_bulk_query none = {0};
    for (int again = 0; again < 2; ++again) {
        assert_int_equal(sp_bulk_sample(&bulk, &host, d.seconds, &none, ERR), SP_DIVERGED);
        assert_string_equal(ERR->text, "frame 1: field velocity is not finite at sample 77");
    }
    assert_ok(sp_bulk_sample(&bulk, &host, 0.0, &none, ERR));
    sp_bulk_close(&bulk);
    sp_driver_close(driver);
    flight_end(&f);
    bulk_drop_close(&d);
}

static int scarce_way;
static sp_status serve_live_once(const sp_host *poor, sp_error *err)
{
    bulk_drop d = flying();
    flight f = {0};
    sp_bulk bulk;
    assert_ok(bulk_drop_open(&d, &host, ERR));
    flight_begin(&f, &d);
    sp_driver *driver = flight_driver(&flights[scarce_way], &f);
    const sp_bulk_live_def def = {.driver = driver, .last = d.seconds};
    sp_status status = sp_bulk_live(&def, poor, &bulk, err);
    const sp_bulk_query ours = query_into(got);
    if (status == SP_OK) {
        status = sp_bulk_sample(&bulk, poor, 0.5 * d.seconds, &ours, err);
        if (status != SP_OK) // a retry may find memory
            assert_ok(sp_bulk_sample(&bulk, poor, 0.5 * d.seconds, &ours, ERR));
        sp_bulk_close(&bulk);
    }
    sp_driver_close(driver);
    flight_end(&f);
    bulk_drop_close(&d);
    return status;
}

static const char *scarce_dir;
static sp_status serve_once(const sp_host *poor, sp_error *err)
{
    sp_bulk bulk;
    SP_TRY(sp_run_bulk_open(scarce_dir, poor, &bulk, err));
    const sp_bulk_query ours = query_into(got);
    const sp_status status = sp_bulk_sample(&bulk, poor, 0.5 * bulk.last, &ours, err);
    sp_bulk_close(&bulk);
    return status;
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    scarce_dir = temporary_directory();
    put_drop(scarce_dir, true, front_half);
    scarce_fail_each(serve_once, 1, 40);
    for (scarce_way = 0; scarce_way < 2; ++scarce_way)
        scarce_fail_each(serve_live_once, 1, scarce_way ? 4 : 40);
}

int main(void)
{
    host = sp_host_default(2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_serves_the_values_written),
        cmocka_unit_test(velocity_at_centres_is_moved_to_faces),
        cmocka_unit_test(tiles_without_velocity_are_flagged_no_data),
        cmocka_unit_test(missing_tiles_inside_the_surface_are_deep_water),
        cmocka_unit_test(damaged_frame_is_named_with_the_remedy),
        cmocka_unit_test(directory_without_a_usable_run_is_refused),
        cmocka_unit_test(live_solver_serves_its_water),
        cmocka_unit_test(moment_with_nan_is_refused),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
