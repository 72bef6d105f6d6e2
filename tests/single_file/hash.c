// SPDX-License-Identifier: Apache-2.0
/// Runs a pond that has one of everything for a hundred frames and prints its hash. Compiled against
/// the library (SINGLE_FILE 0) and against the pair of files, for several machines: all must print
/// the same line.
#if SINGLE_FILE
#include "spume_pond.h"
#else
#include <spume/pond.h>
#endif

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES = 100, SKIPPED = 77 };

/// Without AVX2 in this machine a build for it cannot be tried.
static int can_run(void)
{
#if defined(__AVX2__)
    return __builtin_cpu_supports("avx2");
#else
    return 1;
#endif
}

static sp_status run(sp_pond *pond, sp_error *err)
{
    sp_status status = SP_OK;
    for (int k = 1; k <= FRAMES && status == SP_OK; ++k) {
        if (k == 40) status = sp_pond_splash(pond, 0.1f, 0.1f, 4e-6f, err);
        if (k == 60) status = sp_pond_set(pond, "foam_tension", 0.5, err);
        if (k == 80 && status == SP_OK) status = sp_pond_tap(pond, 0.2f, 0.3f, 0.1f, err);
        if (status == SP_OK) status = sp_pond_step(pond, (double)k / 60.0, err);
        sp_pond_draw(pond);
    }
    return status;
}

int main(void)
{
    if (!can_run()) return SKIPPED;
    static const float ground[] = {0.0f, 0.05f, 0.0f, 0.02f, 0.3f, 0.01f, 0.0f, 0.1f, 0.03f};
    const sp_pond_nozzle_field field = {.columns = 8,
                                        .rows = 8,
                                        .rate = 12,
                                        .radius = 0.004f,
                                        .spread = 0.25f,
                                        .jitter = 0.02f,
                                        .speed = 0.1f};
    const sp_pond_circle circle = {.radius = 0.1f, .period = 1.0f};
    const sp_pond_path path = {.circle = &circle};
    const sp_pond_heater heater = {.x = 0.3f,
                                   .y = 0.2f,
                                   .radius = 0.08f,
                                   .rate = 300,
                                   .on = true,
                                   .bubble_radius = 0.003f,
                                   .spread = 0.25f,
                                   .path = &path};
    const sp_pond_obstacle obstacle = {.shape = SP_POND_CAPSULE,
                                       .x = 0.25f,
                                       .y = 0.5f,
                                       .size = 0.03f,
                                       .length = 0.05f,
                                       .angle = 30,
                                       .path = &path};
    sp_pond_def def = sp_pond_defaults();
    def.foam_life = 1.0f;
    def.tracers = 100;
    def.ground = (sp_heights){.values = ground, .width = 3, .height = 3};
    def.boundary[1] = SP_POND_OPEN;
    def.nozzle_fields = &field;
    def.heaters = &heater;
    def.obstacles = &obstacle;
    def.nozzle_field_count = def.heater_count = def.obstacle_count = 1;

    sp_error err = {0};
    sp_pond *pond;
    sp_status status = sp_pond_open(&def, NULL, &pond, &err);
    if (status == SP_OK) status = run(pond, &err);
    if (status != SP_OK) {
        fprintf(stderr, "%s: %s\n", sp_status_name(status), err.text);
        return 1;
    }
    const sp_pond_stats s = sp_pond_statistics(pond);
    printf("%016" PRIx64 " bubbles %" PRIu32 " foam %" PRIu32 "\n", sp_pond_hash(pond), s.bubbles,
           s.foam);
    sp_pond_close(pond);
    return 0;
}
