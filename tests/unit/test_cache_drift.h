// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_CACHE_DRIFT_H
#define SP_TEST_CACHE_DRIFT_H

/// A small solver for tests of the cache: particles that drift by a formula with random kicks, one
/// more each frame, over a height field with waves. It can fail on demand.
#include "cache/internal.h"
#include "temporary.h"
#include "testing.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DRIFT_MOST = 400, DRIFT_NU = 6, DRIFT_NV = 5 };

typedef struct drift_state {
    double time;
    uint64_t steps, count;
    float x[DRIFT_MOST][3], v[DRIFT_MOST][3];
} drift_state;

typedef struct drift {
    drift_state s;
    uint64_t nan_at, fail_at; ///< steps; 0 never
    uint64_t id[DRIFT_MOST];
    float radius[DRIFT_MOST], height[DRIFT_NU * DRIFT_NV], solid[512];
    int32_t tile[3];
    sp_column columns[4];
    sp_set sets[2];
    sp_field fields[2];
    sp_body body;
    sp_stat stats[3];
} drift;

static inline void drift_start(drift *d)
{
    *d = (drift){.s = {.count = 3}};
    for (uint64_t i = 0; i < DRIFT_MOST; ++i) {
        d->id[i] = 10 * i + 1;
        d->radius[i] = 0.001f * (float)(i + 1);
    }
}

static inline sp_status drift_step(void *solver, double t_end, sp_error *err)
{
    drift *d = solver;
    const float dt = (float)(t_end - d->s.time);
    if (d->fail_at && d->s.steps + 1 == d->fail_at)
        return sp_fail(err, SP_DIVERGED, "drift: told to fail");
    ++d->s.steps;
    if (d->s.count < DRIFT_MOST) ++d->s.count;
    for (uint64_t i = 0; i < d->s.count; ++i) {
        const sp_random4 kick = sp_random(7, 1, d->id[i], (uint32_t)d->s.steps, 0);
        for (int c = 0; c < 3; ++c) {
            d->s.v[i][c] += sp_unit(kick.x[c]) - 0.5f;
            d->s.x[i][c] += dt * d->s.v[i][c];
        }
    }
    d->s.time = t_end;
    if (d->nan_at && d->s.steps == d->nan_at) d->s.x[1][2] = NAN;
    return SP_OK;
}

static inline sp_status drift_publish(void *solver, sp_frame *frame, sp_error *err)
{
    (void)err;
    drift *d = solver;
    for (int i = 0; i < DRIFT_NU * DRIFT_NV; ++i)
        d->height[i] = 0.2f + 0.01f * sp_sinf((float)i + (float)d->s.time);
    d->columns[0] = (sp_column){"position", SP_F32, 3, d->s.x};
    d->columns[1] = (sp_column){"velocity", SP_F32, 3, d->s.v};
    d->columns[2] = (sp_column){"radius", SP_F32, 1, d->radius};
    d->columns[3] = (sp_column){"id", SP_U64, 1, d->id};
    d->sets[0] = (sp_set){"foam", (size_t)d->s.count, d->columns, 4};
    d->sets[1] = (sp_set){"bubbles", d->s.steps < 4 ? 0 : 2, d->columns, 4}; // empty at first
    d->fields[0] = (sp_field){.name = "height",
                              .layout = SP_FIELD_PLANE,
                              .components = 1,
                              .values = d->height,
                              .nu = DRIFT_NU,
                              .nv = DRIFT_NV,
                              .corner = {0.5, 0, -1},
                              .du = {0.1, 0, 0},
                              .dv = {0, 0, 0.2}};
    d->fields[1] = (sp_field){.name = "surface",
                              .layout = SP_FIELD_TILES,
                              .components = 1,
                              .values = d->solid,
                              .tiles = d->tile,
                              .tile_count = 1};
    d->body = (sp_body){"rock", {1, 2, 3}, {1, 0, 0, 0, 0, -1, 0, 1, 0}};
    d->stats[0] = (sp_stat){"water_m3", 0.25};
    d->stats[1] = (sp_stat){"steps", (double)d->s.steps};
    d->stats[2] = (sp_stat){"air", (double)NAN}; // a statistic may be unknown
    frame->time = d->s.time;
    frame->voxel = 0.1;
    frame->hash = sp_hash(0, &d->s, sizeof d->s);
    frame->sets = d->sets;
    frame->set_count = 2;
    frame->fields = d->fields;
    frame->field_count = 2;
    frame->bodies = &d->body;
    frame->body_count = 1;
    frame->stats = d->stats;
    frame->stat_count = 3;
    return SP_OK;
}

static inline sp_status drift_save(const void *solver, sp_blob *blob, sp_error *err)
{
    (void)err;
    sp_blob_put(blob, &((const drift *)solver)->s, sizeof(drift_state));
    return SP_OK;
}

static inline sp_status drift_restore(void *solver, sp_blob *blob, sp_error *err)
{
    (void)err;
    sp_blob_get(blob, &((drift *)solver)->s, sizeof(drift_state));
    return SP_OK;
}

/// The setup's def is the drift itself; the caller owns it.
static inline sp_status drift_open(const sp_setup *setup, const sp_host *host, void **out,
                                   sp_error *err)
{
    (void)host;
    (void)err;
    *out = (void *)(uintptr_t)setup->def;
    return SP_OK;
}

static const sp_solver_type drift_type = {.name = "drift",
                                          .open = drift_open,
                                          .step = drift_step,
                                          .publish = drift_publish,
                                          .save = drift_save,
                                          .restore = drift_restore};

/// The frame a drift publishes after `steps` steps.
static inline sp_frame drift_frame(drift *d, uint64_t steps)
{
    sp_frame frame = {.frame = steps, .fps = 24};
    drift_start(d);
    for (uint64_t k = 1; k <= steps; ++k)
        drift_step(d, (double)k / 24.0, NULL);
    drift_publish(d, &frame, NULL);
    return frame;
}

/// ---- Runs --------------------------------------------------------------------------------------

static inline sp_writer_options drift_options(const char *dir, sp_run_mode mode)
{
    sp_writer_options options = sp_writer_defaults();
    options.dir = dir;
    options.mode = mode;
    options.fps = 24;
    options.checkpoint_every = 3;
    options.sync = false; // test_cache_faults.c tests with sync on
    options.scene_text = "{ \"solver\": \"drift\" }\n";
    options.scene_hash = 0xabcdef;
    options.solver = "drift";
    options.about = "{\"seed\": 7}";
    return options;
}

typedef struct drift_wishes {
    sp_watch watch;
    sp_writer_hooks hooks;
} drift_wishes;

static inline sp_status drift_go(sp_writer *run, const sp_host *host, drift *d, uint64_t last,
                                 drift_wishes wishes, sp_error *err)
{
    const sp_driver_def def = {
        .type = &drift_type, .setup.def = d, .fps = 24, .watch = wishes.watch};
    sp_driver *driver;
    SP_TRY(sp_driver_open(&def, host, &driver, err));
    const sp_status st = sp_writer_go(run, driver, last, &wishes.hooks, err);
    sp_driver_close(driver);
    return st;
}

/// One complete run of a new drift; `d` may be set to fail.
static inline sp_status drift_run(const sp_writer_options *options, const sp_host *host, drift *d,
                                  uint64_t last, sp_error *err)
{
    sp_writer *run;
    SP_TRY(sp_writer_open(options, host, &run, err));
    const sp_status st = drift_go(run, host, d, last, (drift_wishes){0}, err);
    sp_writer_close(run);
    return st;
}

static inline sp_status plain_run(const char *dir, sp_run_mode mode, uint64_t last, sp_error *err)
{
    const sp_writer_options options = drift_options(dir, mode);
    drift d;
    drift_start(&d);
    return drift_run(&options, HOST, &d, last, err);
}

/// Run `a` has the frames 0 to `last` and no others, and they equal those of `b` byte for byte.
static inline void assert_same_frames(const char *a, const char *b, uint64_t last)
{
    char path[4096], *bytes[2];
    size_t count[2];
    for (uint64_t k = 0; k <= last; ++k) {
        for (int i = 0; i < 2; ++i) {
            sp_cache_frame_path(i == 0 ? a : b, k, path, sizeof path);
            assert_ok(sp_file_read(path, 0, HOST, &bytes[i], &count[i], ERR));
        }
        assert_int_equal(count[0], count[1]);
        assert_memory_equal(bytes[0], bytes[1], count[0]);
        sp_release(HOST, bytes[0]);
        sp_release(HOST, bytes[1]);
    }
    sp_cache_frame_path(a, last + 1, path, sizeof path);
    assert_int_not_equal(access(path, F_OK), 0);
}

/// Flips one bit of a file.
static inline void flip_bit(const char *path, long at, int bit)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    const int byte = fgetc(file);
    assert_true(byte != EOF);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ (1 << bit), file);
    fclose(file);
}

#endif
