// SPDX-License-Identifier: Apache-2.0
// links: shapes tiles frame core
/// Deforming meshes: a cube that grows and then shears, file by file.
#include "scarce_host.h"
#include "shapes/internal.h"
#include "shapes/solids.h"
#include "temporary.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME "test_solids_frame_%02d.obj"
enum { FILES = 3 };

/// Half the edge, m, and the displacement of the top along x.
static const double half[FILES] = {0.3, 0.5, 0.5}, shear[FILES] = {0.0, 0.0, 0.4};

static void file_name(int i, char name[64])
{
    snprintf(name, 64, "test_solids_frame_%02d.obj", i + 7);
}

static void write_cube(const char *name, double a, double push, int faces)
{
    static const char *const quads = "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\n"
                                     "f 5 6 8 7\n";
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    for (int c = 0; c < 8; ++c)
        fprintf(file, "v %.9g %.9g %.9g\n", (c & 1 ? a : -a) + (c & 2 ? push : 0.0), c & 2 ? a : -a,
                c & 4 ? a : -a);
    fprintf(file, "%.*s", faces * 10, quads);
    fclose(file);
}

static int write_files(void **state)
{
    (void)state;
    if (chdir(temporary_directory()) != 0) return 1;
    for (int i = 0; i < FILES; ++i) {
        char name[64];
        file_name(i, name);
        write_cube(name, half[i], shear[i], 6);
    }
    return 0;
}

static const sp_frames_def frames = {.first = 7, .last = 9, .fps = 2.0f, .start = 1.0f};
static const sp_mesh_def mesh = {NAME, 1.0f, {0, 0, 0}, &frames};
static const sp_collider_def cube = {.name = "heart", .shape.mesh = &mesh, .slip = 1.0f};

static sp_solids_def around(const sp_collider_def *def)
{
    return (sp_solids_def){.colliders = def,
                           .count = 1,
                           .voxel = 0.1f,
                           .origin = {-1.6, -1.6, -1.6},
                           .low = {-1.2, -1.2, -1.2},
                           .high = {1.2, 1.2, 1.2}};
}

static sp_solids *opened(const sp_collider_def *def, const sp_host *host)
{
    const sp_solids_def solids = around(def);
    sp_solids *s;
    assert_ok(sp_solids_open(&solids, host, &s, ERR));
    return s;
}

/// ---- Shape and velocity ------------------------------------------------------------------------

/// From 1 s to 1.5 s the cube's sides move outward at 0.4 m/s, then its top slides at 0.8 m/s.
static void vertices_move_linearly_between_files(void **state)
{
    (void)state;
    static const struct {
        double time, half, speed, top, slide;
    } rows[] = {
        {0.0, 0.3, 0.0, 0.0, 0.0},  {0.999, 0.3, 0.0, 0.0, 0.0}, {1.0, 0.3, 0.4, 0.0, 0.0},
        {1.2, 0.38, 0.4, 0.0, 0.0}, {1.45, 0.48, 0.4, 0.0, 0.0}, {1.75, 0.5, 0.0, 0.2, 0.8},
        {2.0, 0.5, 0.0, 0.4, 0.0},  {99.0, 0.5, 0.0, 0.4, 0.0},  {1.1, 0.34, 0.4, 0.0, 0.0},
    };
    sp_solids *s = opened(&cube, HOST);
    assert_true(sp_solids_moving(s));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const double a = rows[i].half, top[3] = {rows[i].top, a + 0.05, 0.1};
        const double side[3] = {0.02, 0.1, a + 0.07};
        const double on_top[3] = {rows[i].top, a, 0.1}, on_side[3] = {0.02, 0.1, a};
        double v[3], n[3];
        int who;
        assert_ok(sp_solids_move(s, rows[i].time, ERR));
        // floats of half a metre: 6e-8, and a time of a few seconds between files
        assert_true(fabs(sp_solids_distance(s, top, n, &who) - 0.05) < 1e-6);
        assert_true(who == 0 && fabs(n[1] - 1.0) < 1e-6);
        sp_solids_velocity(s, who, on_top, v);
        assert_true(fabs(v[0] - rows[i].slide) < 1e-6 && fabs(v[1] - rows[i].speed) < 1e-6);
        assert_true(fabs(sp_solids_distance(s, side, n, NULL) - 0.07) < 1e-6);
        sp_solids_velocity(s, who, on_side, v);
        assert_true(fabs(v[2] - rows[i].speed) < 1e-6);
        // no vertex is faster than the cube's corners
        const double fastest = fmax(sqrt(3.0) * rows[i].speed, rows[i].slide);
        assert_true(fabs(sp_solids_speed(s) - fastest) < 1e-6);
    }
    sp_solids_close(s);
}

/// With motion keys as well, both velocities add up, and both are rotated.
static void motion_adds_to_deformation(void **state)
{
    (void)state;
    static const sp_pose_def keys[2] = {{1.0f, {0, 0, 0}, {0, 0, 1}, 90.0f},
                                        {2.0f, {0, 0, 0.5f}, {0, 0, 1}, 90.0f}};
    sp_collider_def carried = cube;
    carried.motion = (sp_motion_def){.keys = keys, .key_count = 2};
    sp_solids *s = opened(&carried, HOST);
    assert_ok(sp_solids_move(s, 1.75, ERR));
    // a quarter turn about z takes up (y) to -x and x to y: the top is at the left, its slide is up
    const double p[3] = {-0.6, 0.2, 0.375 + 0.1};
    double v[3], n[3];
    int who;
    assert_true(fabs(sp_solids_distance(s, p, n, &who) - 0.1) < 1e-6);
    assert_true(fabs(n[0] + 1.0) < 1e-6);
    sp_solids_velocity(s, who, p, v);
    assert_true(fabs(v[0]) < 1e-6 && fabs(v[1] - 0.8) < 1e-6 && fabs(v[2] - 0.5) < 1e-6);
    sp_solids_close(s);
}

/// The lookup of a tile agrees with the mesh at its corners, and faces on the surface have its
/// velocity. Tiles reported as unchanged are identical.
static void tiles_follow_the_shape(void **state)
{
    (void)state;
    enum { SIDE = 4, TILES = SIDE * SIDE * SIDE };
    const sp_host host = sp_host_default(2);
    const sp_solids_def def = around(&cube);
    sp_solids *s = opened(&cube, &host);
    static sp_solid_tile before[TILES], tile;
    sp_solidity was[TILES] = {0};
    int moved = 0, same = 0;
    for (int step = 0; step < 4; ++step) {
        assert_ok(sp_solids_move(s, 0.8 + 0.25 * step, ERR));
        for (int32_t n = 0; n < TILES; ++n) {
            const int32_t at[3] = {n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE};
            const sp_solidity what = sp_solids_classify_tile(s, at, &tile);
            if (step > 0 && !sp_solids_changed(s, at)) {
                assert_int_equal(what, was[n]);
                if (what == SP_TILE_IS_CUT) assert_memory_equal(tile.psi, before[n].psi, 4 * 729);
                ++same;
            }
            was[n] = what;
            before[n] = tile;
            if (what != SP_TILE_IS_CUT) continue;
            moved += tile.moves;
            for (int c = 0; c < SP_TILE_CORNERS; c += 5) {
                const int place[3] = {c % 9, c / 9 % 9, c / 81};
                double p[3];
                for (int k = 0; k < 3; ++k)
                    p[k] = def.origin[k] + (double)def.voxel * (8 * at[k] + place[k]);
                double d = sp_solids_distance(s, p, NULL, NULL);
                const double band = 4.0 * (double)def.voxel;
                d = fmin(fmax(d, -band), band);
                assert_true(fabs((double)tile.psi[c] - d) < 1e-5 + 1e-4 * (double)def.voxel);
            }
        }
    }
    assert_true(moved > 0 && same > 0);
    sp_solids_close(s);
}

/// Closed area times velocity of every face, for each axis, of a cube of 32 voxels from -1.6 m.
enum { GRID = 32 };
static double flux[3][GRID + 1][GRID + 1][GRID + 1], free_area[3][GRID + 1][GRID + 1][GRID + 1];

static void gather_fluxes(const sp_solids *s, double voxel)
{
    static sp_solid_tile tile;
    for (int32_t n = 0; n < 4 * 4 * 4; ++n) {
        const int32_t at[3] = {n % 4, n / 4 % 4, n / 16};
        const sp_solidity what = sp_solids_classify_tile(s, at, &tile);
        for (int f = 0; f < 3 * SP_TILE_VOXELS; ++f) {
            const int axis = f / SP_TILE_VOXELS, i = f % SP_TILE_VOXELS;
            const int x = 8 * at[0] + i % 8, y = 8 * at[1] + i / 8 % 8, z = 8 * at[2] + i / 64;
            const bool cut = what == SP_TILE_IS_CUT;
            const double open = cut ? (double)tile.open[axis][i] : what == SP_TILE_IS_OPEN;
            free_area[axis][x][y][z] = open;
            flux[axis][x][y][z] =
                cut ? (1.0 - open) * voxel * voxel * (double)tile.velocity[axis][i] : 0.0;
        }
    }
}

/// The flux of the solid into voxels with water, m3/s, equals its growth: 24 a^2 da/dt. The
/// velocity of the nearest point alone would be short by about voxel/a, a fifth here, because the
/// surface stretches. The remaining error is the cube's edges, one row of voxels each: some
/// hundredths.
static void flux_of_a_growing_body_equals_its_growth(void **state)
{
    (void)state;
    sp_solids *s = opened(&cube, HOST);
    double pushed = 0.0;
    const double a = 0.45, rate = 0.4;
    assert_ok(sp_solids_move(s, 1.375, ERR));
    gather_fluxes(s, 0.1);
    for (int x = 0; x < GRID - 1; ++x)
        for (int y = 0; y < GRID - 1; ++y)
            for (int z = 0; z < GRID - 1; ++z) {
                const double open = free_area[0][x][y][z] + free_area[0][x + 1][y][z] +
                                    free_area[1][x][y][z] + free_area[1][x][y + 1][z] +
                                    free_area[2][x][y][z] + free_area[2][x][y][z + 1];
                if (!(open > 0.0)) continue;
                pushed += flux[0][x][y][z] - flux[0][x + 1][y][z] + flux[1][x][y][z] -
                          flux[1][x][y + 1][z] + flux[2][x][y][z] - flux[2][x][y][z + 1];
            }
    assert_true(fabs(pushed / (24.0 * a * a * rate) - 1.0) < 0.05);
    sp_solids_close(s);
}

/// Level sets, meshes for pictures and bounds belong to the requested time.
static void level_set_mesh_and_bounds_are_of_the_requested_time(void **state)
{
    (void)state;
    sp_shape *shape;
    sp_mesh shown;
    double low[3], high[3];
    assert_ok(sp_shape_open(&cube, NULL, HOST, &shape, ERR));
    assert_true(sp_shape_moves(shape) && sp_shape_deforms(shape));
    assert_ok(sp_shape_deform(shape, 1.25, ERR));
    sp_shape_bounds(shape, 1.25, low, high);
    assert_true(fabs(high[0] - 0.4) < 1e-6 && fabs(low[2] + 0.4) < 1e-6);
    assert_ok(sp_shape_mesh(shape, 0.1f, NULL, 1.0, &shown, ERR));
    assert_true(fabs(sp_mesh_volume(&shown) - 0.512) < 1e-6);
    sp_mesh_close(&shown);
    sp_shape_points points;
    assert_int_equal(sp_shape_points_make(shape, 0.1f, low, high, &points, ERR), SP_BAD_INPUT);
    assert_string_equal(
        ERR->text, "collider \"heart\": walls of particles cannot deform; expected a mesh without "
                   "mesh.frames");
    sp_shape_close(shape);
}

/// ---- Refusals ----------------------------------------------------------------------------------

static void refused(const sp_mesh_def *def, const char *says)
{
    const sp_collider_def body = {.name = "heart", .shape.mesh = def, .slip = 1.0f};
    sp_shape *shape;
    assert_int_not_equal(sp_shape_open(&body, NULL, HOST, &shape, ERR), SP_OK);
    assert_null(shape);
    if (!strstr(ERR->text, says)) fail_msg("\"%s\"", ERR->text);
}

static void wrong_sequences_are_refused_in_one_sentence(void **state)
{
    (void)state;
    static const sp_frames_def backward = {.first = 7, .last = 7, .fps = 24.0f};
    static const sp_frames_def long_one = {.first = 7, .last = 11, .fps = 24.0f};
    static const sp_frames_def no_speed = {.first = 7, .last = 9, .fps = NAN};
    static const struct {
        sp_mesh_def def;
        const char *says;
    } rows[] = {
        {{"heart.obj", 1, {0, 0, 0}, &frames}, "expected one %d or %04d in it"},
        {{"heart_%s.obj", 1, {0, 0, 0}, &frames}, "expected one %d or %04d in it"},
        {{"heart_%d_%d.obj", 1, {0, 0, 0}, &frames}, "expected one %d or %04d in it"},
        {{"heart_%99d.obj", 1, {0, 0, 0}, &frames}, "expected one %d or %04d in it"},
        {{NAME, 1, {0, 0, 0}, &backward}, "mesh.frames.last: 7; expected more than first, 7"},
        {{NAME, 1, {0, 0, 0}, &no_speed}, "frames.fps: nan"},
        {{NAME, 1, {0, 0, 0}, &long_one},
         "collider \"heart\": test_solids_frame_10.obj: missing, although frames.last is 11"},
        {{"gone_%d.obj", 1, {0, 0, 0}, &frames}, "gone_7.obj: No such file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        refused(&rows[i].def, rows[i].says);
}

/// A file with other triangles stops the run when it is reached, and is named.
static void changed_triangles_stop_the_run_by_name(void **state)
{
    (void)state;
    char name[64];
    file_name(2, name);
    write_cube(name, 0.5, 0.4, 5);
    sp_solids *s = opened(&cube, HOST);
    assert_ok(sp_solids_move(s, 1.4, ERR));
    assert_int_equal(sp_solids_move(s, 1.6, ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text,
                        "collider \"heart\": test_solids_frame_09.obj has 8 vertices and "
                        "10 triangles; expected 8 and 12 as in the first file, in the "
                        "same order");
    sp_solids_close(s);
    write_cube(name, 0.5, 0.4, 6);
}

static sp_status grow(const sp_host *host, sp_error *err)
{
    const sp_solids_def def = around(&cube);
    sp_solids *s;
    SP_TRY(sp_solids_open(&def, host, &s, err));
    sp_status status = sp_solids_move(s, 1.2, err);
    if (status == SP_OK) status = sp_solids_move(s, 1.7, err);
    sp_solids_close(s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_move_linearly_between_files),
        cmocka_unit_test(motion_adds_to_deformation),
        cmocka_unit_test(tiles_follow_the_shape),
        cmocka_unit_test(flux_of_a_growing_body_equals_its_growth),
        cmocka_unit_test(level_set_mesh_and_bounds_are_of_the_requested_time),
        cmocka_unit_test(wrong_sequences_are_refused_in_one_sentence),
        cmocka_unit_test(changed_triangles_stop_the_run_by_name),
        test_failing_allocations(grow, 1, 20),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
