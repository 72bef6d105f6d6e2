// SPDX-License-Identifier: Apache-2.0
// links: cache frame core
/// Every stored frame has its largest speed as a statistic.
#include "temporary.h"
#include "test_cache_drift.h"
#include "testing.h"

enum { VOXELS = 512 };

/// One tile: voxel 0 is wet with 5 m/s, voxel 1 is dry with 100 m/s.
typedef struct water {
    int32_t at[3];
    float phi[VOXELS], u[VOXELS][3];
    sp_field fields[2];
    sp_frame frame;
} water;

static const sp_frame *make_water(water *w)
{
    *w = (water){0};
    for (int v = 0; v < VOXELS; ++v)
        w->phi[v] = 0.1f;
    w->phi[0] = -0.1f;
    w->u[0][0] = 3.0f;
    w->u[0][2] = -4.0f;
    w->u[1][1] = 100.0f;
    const sp_field tile = {
        .layout = SP_FIELD_TILES, .components = 1, .tiles = w->at, .tile_count = 1};
    w->fields[0] = w->fields[1] = tile;
    w->fields[0].name = "surface";
    w->fields[0].values = w->phi;
    w->fields[1].name = "velocity";
    w->fields[1].values = &w->u[0][0];
    w->fields[1].components = 3;
    w->frame = (sp_frame){.fps = 24.0, .voxel = 0.1, .fields = w->fields, .field_count = 2};
    return &w->frame;
}

static void speed_counts_water_only(void **state)
{
    (void)state;
    water w;
    make_water(&w);
    assert_true(sp_frame_speed(&w.frame) == 5.0);
    w.fields[0].name = "something"; // without distances all voxels are water
    assert_true(sp_frame_speed(&w.frame) == 100.0);
}

static void speed_of_particles_counts_without_a_velocity_field(void **state)
{
    (void)state;
    static const float v[2][3] = {{0.0f, 0.0f, 0.5f}, {1.5f, 2.0f, 0.0f}};
    const sp_column column = {"velocity", SP_F32, 3, v};
    const sp_set sets[] = {{"bubbles", 2, &column, 1}, {"foam", 2, NULL, 0}};
    const sp_frame frame = {.sets = sets, .set_count = 2}, none = {0};
    assert_true(sp_frame_speed(&frame) == 2.5);
    assert_true(sp_frame_speed(&none) == -1.0);
}

/// The statistic is added once: writing a frame that was read does not add it again.
static void stored_frame_has_the_speed_once(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    char path[256];
    water w;
    sp_frame_file *file, *again;
    snprintf(path, sizeof path, "%s/a.h5", dir);
    assert_ok(sp_frame_file_write(path, make_water(&w), false, HOST, ERR));
    assert_ok(sp_frame_file_open(path, HOST, &file, ERR));
    const sp_frame *frame = sp_frame_file_frame(file);
    assert_int_equal(frame->stat_count, 1);
    assert_string_equal(frame->stats[0].name, "largest_speed_m_s");
    assert_true(frame->stats[0].value == 5.0);
    assert_ok(sp_frame_file_write(path, frame, false, HOST, ERR));
    assert_ok(sp_frame_file_open(path, HOST, &again, ERR));
    assert_int_equal(sp_frame_file_frame(again)->stat_count, 1);
    sp_frame_file_close(file);
    sp_frame_file_close(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_counts_water_only),
        cmocka_unit_test(speed_of_particles_counts_without_a_velocity_field),
        cmocka_unit_test(stored_frame_has_the_speed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
