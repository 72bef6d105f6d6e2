// SPDX-License-Identifier: Apache-2.0
// links: exchange cache frame core
// tests/programs/export_vdb.sh checks the contents of the files with another reader.
#include "cache/cache.h"
#include "temporary.h"
#include "test_exchange_tiles.h"
#include "testing.h"

#include <sys/stat.h>
#include <unistd.h>

static bool there(const char *dir, const char *name)
{
    struct stat st;
    return stat(path_in(dir, name), &st) == 0 && st.st_size > 0;
}

static ball *new_ball(void)
{
    ball *b = malloc(sizeof *b);
    assert_non_null(b);
    ball_open(b);
    return b;
}

static void build_without_openvdb_says_how_to_get_it(void **state)
{
    (void)state;
    if (!sp_export_vdb_missing()) skip();
    ball *b = new_ball();
    assert_fails(sp_export_vdb("/tmp", &b->frame, NULL, ERR), SP_UNSUPPORTED, "libopenvdb-dev");
    assert_non_null(strstr(ERR->text, "-DSPUME_WITH_VDB=ON"));
    free(b);
}

static void one_file_per_frame_and_no_temporary_files(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    const char *dir = temporary_directory();
    ball *b = new_ball();
    sp_export_options o = sp_export_options_defaults();
    o.density = &b->set;
    o.density_count = 1;
    assert_ok(sp_export_vdb(dir, &b->frame, &o, ERR));
    assert_true(there(dir, "spume.000007.vdb"));
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".tmp.%ld.spume.000007.vdb", (long)getpid());
    assert_false(there(dir, temporary));
    sp_mesh cube;
    cube_open(&cube, HOST);
    const sp_export_moment when = {7, 7.0 / 24.0};
    assert_ok(sp_export_mesh_vdb(dir, "liquid", &when, &cube, 0.05, NULL, ERR));
    assert_true(there(dir, "liquid.000007.vdb"));
    sp_mesh_close(&cube);
    free(b);
}

/// Each refusal is a status and one sentence that names what is wrong, and leaves no file.
static void frames_that_cannot_be_written_are_refused_by_name(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    const char *dir = temporary_directory();
    ball *b = new_ball();
    sp_export_options density = sp_export_options_defaults();
    density.density = &b->set;
    density.density_count = 1;

    assert_fails(sp_export_vdb("/nowhere/at/all", &b->frame, NULL, ERR), SP_IO, "/nowhere/at/all");

    b->frame.voxel = 0.0;
    assert_fails(sp_export_vdb(dir, &b->frame, NULL, ERR), SP_DAMAGED, "voxels of 0");
    b->frame.voxel = 0.125;

    b->radius[2] = 1000.0f;
    assert_fails(sp_export_vdb(dir, &b->frame, &density, ERR), SP_UNSUPPORTED,
                 "set bubbles: density: particle 2 has a radius of 1000 m, larger than 128 voxels");
    b->radius[2] = NAN;
    assert_int_equal(sp_export_vdb(dir, &b->frame, &density, ERR), SP_DAMAGED);
    b->radius[2] = 0.1f;
    b->columns[4] = (sp_column){"count", SP_F32, 1, b->age};
    b->age[3] = -1.0f;
    assert_fails(sp_export_vdb(dir, &b->frame, &density, ERR), SP_DAMAGED, "number -1");
    b->columns[4] = (sp_column){"age", SP_F32, 1, b->age};
    b->columns[2].name = "size";
    assert_fails(sp_export_vdb(dir, &b->frame, &density, ERR), SP_UNSUPPORTED,
                 "set bubbles has no radius");
    b->columns[2].name = "radius";

    b->tiles[4] = INT32_MIN;
    assert_fails(sp_export_vdb(dir, &b->frame, NULL, ERR), SP_DAMAGED, "out of bounds");
    ball_tile(1, b->tiles + 3);

    b->fields[1].components = 2;
    assert_fails(sp_export_vdb(dir, &b->frame, NULL, ERR), SP_UNSUPPORTED, "velocity");
    b->fields[1].components = 3;

    b->set.name = "../bubbles";
    assert_int_equal(sp_export_vdb(dir, &b->frame, NULL, ERR), SP_DAMAGED);
    assert_null(strchr(ERR->text, '\n'));
    assert_int_equal(count_files(dir, ""), 0);
    free(b);
}

static void an_empty_frame_is_a_file_without_grids(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    const char *dir = temporary_directory();
    const sp_frame frame = {.frame = 3, .fps = 24, .voxel = 0.1};
    assert_ok(sp_export_vdb(dir, &frame, NULL, ERR));
    assert_true(there(dir, "spume.000003.vdb"));
}

/// With a directory as argument: writes the ball there as frame 7 of a run, and a cube as a level
/// set.
static int leave(const char *dir)
{
    ball *b = new_ball();
    sp_mesh cube;
    const sp_export_moment when = {7, 7.0 / 24.0};
    cube_open(&cube, HOST);
    sp_status st = sp_frame_file_write(path_in(dir, "000007.h5"), &b->frame, false, HOST, ERR);
    if (st == SP_OK && !sp_export_vdb_missing())
        st = sp_export_mesh_vdb(dir, "cube", &when, &cube, 0.05, NULL, ERR);
    if (st == SP_OK) st = sp_export_mesh_obj(dir, "cube", &when, &cube, ERR);
    if (st == SP_OK) st = sp_export_mesh_ply(dir, "cube", &when, &cube, NULL, ERR);
    if (st != SP_OK) fprintf(stderr, "%s\n", ERR->text);
    sp_mesh_close(&cube);
    free(b);
    return st == SP_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1) return leave(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_without_openvdb_says_how_to_get_it),
        cmocka_unit_test(one_file_per_frame_and_no_temporary_files),
        cmocka_unit_test(frames_that_cannot_be_written_are_refused_by_name),
        cmocka_unit_test(an_empty_frame_is_a_file_without_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
