// SPDX-License-Identifier: Apache-2.0
// links: scene pond shapes tiles frame core
/// Height fields: distance against brute force, meshes, points, solids, and invalid scenes.
#include "scarce_host.h"
#include "shapes/ground/ground.h"
#include "shapes/solids.h"
#include "test_scene.h"

#include <math.h>

enum { WIDE = 23, DEEP = 14 };
static float hills[WIDE * DEEP];

/// Slopes of up to one in one, and one spike.
static sp_heightfield_def hilly(void)
{
    for (size_t j = 0; j < DEEP; ++j)
        for (size_t i = 0; i < WIDE; ++i)
            hills[j * WIDE + i] = sp_unit(sp_random(4, 4, j * WIDE + i, 0, 0).x[0]);
    hills[5 * WIDE + 9] = 3.0f;
    return (sp_heightfield_def){.heights = {.values = hills, .width = WIDE, .height = DEEP},
                                .min = {-1.0f, -0.2f, 0.5f},
                                .max = {1.2f, -0.1f, 1.8f}};
}

static sp_shape *opened(const sp_heightfield_def *field, const sp_host *host)
{
    const sp_collider_def def = {.name = "ground", .shape.heightfield = field, .slip = 1.0f};
    sp_shape *shape;
    assert_ok(sp_shape_open(&def, NULL, host, &shape, ERR));
    return shape;
}

/// ---- Distance ----------------------------------------------------------------------------------

/// Samples are where the header says: the first row is at the front.
static void samples_span_the_field_from_side_to_side(void **state)
{
    (void)state;
    const sp_heightfield_def field = hilly();
    sp_shape *shape = opened(&field, HOST);
    for (size_t j = 0; j < DEEP; ++j)
        for (size_t i = 0; i < WIDE; ++i) {
            const double p[3] = {-1.0 + 2.2 * (double)i / (WIDE - 1),
                                 -0.2 + 0.1 * (double)hills[j * WIDE + i],
                                 1.8 - 1.3 * (double)j / (DEEP - 1)};
            // floats of about 1 m: 1e-7 each
            assert_true(fabs(sp_shape_distance(shape, 0.0, p, NULL)) < 3e-7);
        }
    sp_shape_close(shape);
}

/// The nearest of all triangles, the ring's included.
static double brute(const shape_ground *g, const double p[3])
{
    double best = HUGE_VAL;
    for (size_t j = 0; j <= g->rows; ++j)
        for (size_t i = 0; i <= g->columns; ++i)
            for (size_t half = 0; half < 2; ++half) {
                const size_t corners[2][3][2] = {{{i, j}, {i, j + 1}, {i + 1, j + 1}},
                                                 {{i, j}, {i + 1, j + 1}, {i + 1, j}}};
                double x[3][3], w[3];
                for (int c = 0; c < 3; ++c) {
                    const size_t *v = corners[half][c];
                    x[c][0] = ground_corner(g, 0, v[0]) - p[0];
                    x[c][1] = ground_height(g, v[0], v[1]) - p[1];
                    x[c][2] = ground_corner(g, 1, v[1]) - p[2];
                }
                best = fmin(best, sp_triangle_closest((const double(*)[3])x, w));
            }
    return sqrt(best);
}

static void distance_equals_brute_force(void **state)
{
    (void)state;
    const sp_heightfield_def field = hilly();
    sp_shape *shape = opened(&field, HOST);
    int below = 0;
    for (size_t i = 0; i < 600; ++i) {
        const sp_random4 r = sp_random(4, 5, i, 0, 0);
        const double p[3] = {-1.6 + 3.4 * (double)sp_unit(r.x[0]),
                             -0.6 + 1.2 * (double)sp_unit(r.x[1]),
                             -0.1 + 2.5 * (double)sp_unit(r.x[2])};
        double n[3], foot[3];
        const double d = sp_shape_distance(shape, 0.0, p, n);
        assert_true(fabs(fabs(d) - brute(shape->ground, p)) < 1e-12);
        assert_true((d > 0.0) == (p[1] > ground_height_at(shape->ground, p[0], p[2])));
        assert_true(fabs(sp_dot3(n, n) - 1.0) < 1e-9);
        for (int k = 0; k < 3; ++k)
            foot[k] = p[k] - d * n[k];
        assert_true(fabs(sp_shape_distance(shape, 0.0, foot, NULL)) < 1e-9);
        // a reach cuts the distance off and leaves the sign
        double within[3];
        const double near = shape_distance_within(shape, p, 0.05, NULL, within);
        assert_true(fabs(d) < 0.05 ? near == d : fabs(near) >= 0.05 && (near > 0.0) == (d > 0.0));
        below += d < 0.0;
    }
    assert_true(below > 100 && below < 500);
    sp_shape_close(shape);
}

/// A constant height is a plane, near and very far, inside the map and outside.
static void constant_height_is_a_plane(void **state)
{
    (void)state;
    const sp_heightfield_def field = {
        .heights.constant = 0.5f, .min = {-3, 1, -2}, .max = {3, 2, 2}};
    sp_shape *shape = opened(&field, HOST);
    for (size_t i = 0; i < 300; ++i) {
        const sp_random4 r = sp_random(4, 6, i, 0, 0);
        double p[3], n[3];
        for (int k = 0; k < 3; ++k)
            p[k] = (i % 2 ? 10.0 : 1000.0) * ((double)sp_unit(r.x[k]) - 0.5);
        assert_true(fabs(sp_shape_distance(shape, 0.0, p, n) - (p[1] - 1.5)) < 1e-9);
        assert_true(fabs(n[1] - 1.0) < 1e-9);
    }
    sp_shape_close(shape);
}

/// ---- Shown, and as points ----------------------------------------------------------------------

/// The mesh is closed, faces outward, and has the volume of its columns: the two triangles of a
/// cell have the mean height of their corners.
static void mesh_is_closed_with_the_volume_of_its_columns(void **state)
{
    (void)state;
    sp_heightfield_def field = hilly();
    field.depth = 0.25f;
    sp_shape *shape = opened(&field, HOST);
    const shape_ground *g = shape->ground;
    sp_mesh mesh;
    sp_mesh_edges edges;
    double low[3], high[3], volume = 0.0;
    assert_ok(sp_shape_mesh(shape, 0.01f, NULL, 1.0, &mesh, ERR));
    assert_ok(sp_mesh_look(&mesh, &edges, ERR));
    assert_true(edges.open == 0 && edges.crowded == 0 && edges.flipped == 0 && edges.euler == 2);
    for (size_t j = 1; j < DEEP; ++j)
        for (size_t i = 1; i < WIDE; ++i) {
            const double a = ground_height(g, i, j), c = ground_height(g, i + 1, j + 1);
            const double sides = ground_height(g, i + 1, j) + ground_height(g, i, j + 1);
            volume += g->step[0] * g->step[1] * ((2.0 * (a + c) + sides) / 6.0 + 0.45);
        }
    assert_true(fabs(sp_mesh_volume(&mesh) / volume - 1.0) < 1e-5); // floats of 0.1 in 1 m
    sp_shape_bounds(shape, 0.0, low, high);
    assert_true(fabs(low[1] + 0.45) < 1e-6 && fabs(high[1] - 0.1) < 1e-6);
    assert_true(fabs(low[0] + 1.0) < 1e-6 && fabs(high[2] - 1.8) < 1e-6);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
}

/// As on every shape: points are on the surface, none is nearer than 0.7 spacings to another, and
/// no place of the surface in the box is farther than a spacing from one.
static void points_cover_the_ground_within_a_box(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_heightfield_def field = hilly();
    sp_shape *shape = opened(&field, &host);
    const double low[3] = {-0.4, -9, 1.0}, high[3] = {2.0, 9, 2.1}, spacing = 0.04;
    sp_shape_points points;
    assert_ok(sp_shape_points_make(shape, (float)spacing, low, high, &points, ERR));
    assert_true(points.count > 1000 && points.count < 6000);
    for (size_t i = 0; i < points.count; ++i) {
        const double p[3] = {(double)points.x[i], (double)points.y[i], (double)points.z[i]};
        assert_true(fabs(sp_shape_distance(shape, 0.0, p, NULL)) < 1e-4 * spacing + 1e-6);
        assert_true(p[0] > low[0] - spacing && p[0] < high[0] + spacing);
        assert_true(p[2] > low[2] - spacing && p[2] < high[2] + spacing);
    }
    for (size_t n = 0; n < 300; ++n) {
        const sp_random4 r = sp_random(4, 7, n, 0, 0);
        const double x = low[0] + (high[0] - low[0]) * (double)sp_unit(r.x[0]);
        const double z = low[2] + (high[2] - low[2]) * (double)sp_unit(r.x[1]);
        const double p[3] = {x, ground_height_at(shape->ground, x, z), z};
        double nearest = HUGE_VAL;
        for (size_t i = 0; i < points.count; ++i) {
            const double off[3] = {(double)points.x[i] - p[0], (double)points.y[i] - p[1],
                                   (double)points.z[i] - p[2]};
            nearest = fmin(nearest, sp_dot3(off, off));
        }
        assert_true(nearest < spacing * spacing * 1.01);
    }
    sp_shape_points_close(&points);
    const double endless[3] = {HUGE_VAL, 9, 9};
    assert_int_equal(sp_shape_points_make(shape, 0.04f, low, endless, &points, NULL), SP_BAD_INPUT);
    sp_shape_close(shape);
}

/// ---- Among solids ------------------------------------------------------------------------------

/// Ground that ends at the border of the domain: the corners behind the walls are solid as well.
static void tiles_see_ground_behind_the_walls(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_heightfield_def field = hilly();
    const sp_collider_def def = {.name = "ground", .shape.heightfield = &field, .slip = 1.0f};
    const sp_solids_def solids = {.colliders = &def,
                                  .count = 1,
                                  .voxel = 0.05f,
                                  .walls = 0x33,
                                  .origin = {-1.2, -0.6, 0.3},
                                  .low = {-1.0, -0.4, 0.5},
                                  .high = {1.2, 1.0, 1.8}};
    sp_solids *s;
    static sp_solid_tile tile;
    assert_ok(sp_solids_open(&solids, &host, &s, ERR));
    int cut = 0;
    for (int32_t n = 0; n < 7 * 4 * 5; ++n) {
        const int32_t at[3] = {n % 7, n / 7 % 4, n / 28};
        const sp_solidity what = sp_solids_classify_tile(s, at, &tile);
        cut += what == SP_TILE_IS_CUT;
        for (int c = 0; c < SP_TILE_CORNERS; c += 7) {
            const int place[3] = {c % 9, c / 9 % 9, c / 81};
            double p[3];
            for (int k = 0; k < 3; ++k)
                p[k] = solids.origin[k] + (double)solids.voxel * (8 * at[k] + place[k]);
            const double d = sp_shape_distance(sp_solids_shape(s, 0), 0.0, p, NULL);
            double wall = HUGE_VAL;
            for (int k = 0; k < 3; k += 2)
                wall = fmin(wall, fmin(p[k] - solids.low[k], solids.high[k] - p[k]));
            const double both = fmin(d, wall);
            if (fabs(both) < 1e-5) continue;
            if (what == SP_TILE_IS_CUT && fabs(both) < 0.2)
                assert_true(fabs((double)tile.psi[c] - both) < 1e-5);
            if (what == SP_TILE_IS_OPEN) assert_true(both > 0.0);
            if (what == SP_TILE_IS_SOLID) assert_true(both < 0.0);
        }
    }
    assert_true(cut > 20);
    sp_solids_close(s);
}

/// ---- Memory and scenes -------------------------------------------------------------------------

static sp_status open_all(const sp_host *host, sp_error *err)
{
    const sp_heightfield_def field = hilly();
    const sp_collider_def def = {.name = "ground", .shape.heightfield = &field, .slip = 1.0f};
    sp_shape *shape;
    sp_mesh mesh;
    SP_TRY(sp_shape_open(&def, NULL, host, &shape, err));
    const sp_status status = sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, err);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
    return status;
}

static sp_status open_scene(const char *field, const char *more, sp_scene **scene, sp_error *err)
{
    static sp_host host;
    host = sp_host_default(1);
    char text[512];
    snprintf(text, sizeof text,
             "{ \"spume\": 1, \"solver\": \"pond\", \"colliders\": [ { \"name\": \"bed\", "
             "\"shape\": { \"heightfield\": { %s } }%s } ] }",
             field, more);
    return open_text(text, NULL, &host, scene, err);
}

#define BOX ", \"min\": [0, 1, 0], \"max\": [2, 3, 1]"

/// Gray 51, 102 and 255 of 255 in the bottom row of the picture, black above: heights of 1.4, 1.8
/// and 3 m at the front and 1 m at the back.
static void height_map_is_oriented_as_seen_from_above(void **state)
{
    (void)state;
    static const char *const pictures[] = {"ramp.pgm", "ramp.png"};
    static const double expected[2][3] = {{1.0, 1.0, 1.0}, {1.4, 1.8, 3.0}};
    for (int f = 0; f < 2; ++f) {
        char field[128];
        sp_scene *scene;
        sp_shape *shape;
        snprintf(field, sizeof field, "\"heights\": \"%s\"" BOX, pictures[f]);
        const sp_status status = open_scene(field, "", &scene, ERR);
        if (status == SP_UNSUPPORTED) continue;
        assert_ok(status);
        assert_ok(sp_shape_open(&scene->common.world.colliders[0], NULL, HOST, &shape, ERR));
        sp_scene_close(scene); // the shape keeps its own copy
        for (int j = 0; j < 2; ++j)
            for (int i = 0; i < 3; ++i) {
                const double p[3] = {i, expected[j][i], j};
                assert_true(fabs(sp_shape_distance(shape, 0.0, p, NULL)) < 1e-6);
            }
        sp_shape_close(shape);
    }
}

static void wrong_fields_are_refused_in_one_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *field, *more, *says;
    } rows[] = {
        {"\"heights\": \"nowhere.png\"" BOX, "", "nowhere.png: No such file or directory"},
        {"\"heights\": \"short.pgm\"" BOX, "", "short.pgm: a PGM cut short"},
        {"\"heights\": \"short.png\"" BOX, "", "short.png: a broken PNG"},
        {"\"heights\": \"huge.pgm\"" BOX, "", "huge.pgm: 9999999 x 9999999 samples; expected"},
        {"\"heights\": \"test_scene.json\"" BOX, "", "test_scene.json: "},
        {"\"heights\": [[0, 1], [1]]" BOX, "", "heightfield.heights[1]: expected a row of 2"},
        {"\"heights\": [[0, 2000]]" BOX, "", "heights[0][1]: 2000; expected -1000 to 1000"},
        {"\"heights\": true" BOX, "", "expected a number, rows of numbers, or a picture's name"},
        {"\"min\": [0, 1, 0], \"max\": [2, 3, 1]", "", "heightfield.heights: missing"},
        {"\"heights\": 0, \"min\": [0, 1, 0]", "", "heightfield.max: missing"},
        {"\"heights\": 0, \"min\": [0, 1, 0], \"max\": [2, 1, 1]", "",
         "heightfield: y from 1 to 1 m; expected min below max in all three"},
        {"\"heights\": 0" BOX, ", \"inside_out\": true",
         "a height field cannot be a container; expected false"},
        {"\"heights\": 0" BOX, ", \"thickness\": 0.1", "only a container (inside_out) or a mesh"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_scene *scene;
        const sp_status status = open_scene(rows[i].field, rows[i].more, &scene, ERR);
        if (status == SP_UNSUPPORTED) continue;
        assert_int_not_equal(status, SP_OK);
        assert_null(scene);
        if (!strstr(ERR->text, rows[i].says) || strchr(ERR->text, '\n'))
            fail_msg("\"%s\"", ERR->text);
    }
}

static void nan_heights_are_refused(void **state)
{
    (void)state;
    sp_heightfield_def field = hilly();
    hills[17] = NAN;
    const sp_collider_def def = {.shape.heightfield = &field, .slip = 1.0f};
    sp_shape *shape;
    assert_int_equal(sp_shape_open(&def, NULL, HOST, &shape, ERR), SP_BAD_INPUT);
    assert_null(shape);
    field = hilly();
    field.max[0] = NAN;
    assert_int_equal(sp_shape_open(&def, NULL, HOST, &shape, ERR), SP_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_span_the_field_from_side_to_side),
        cmocka_unit_test(distance_equals_brute_force),
        cmocka_unit_test(constant_height_is_a_plane),
        cmocka_unit_test(mesh_is_closed_with_the_volume_of_its_columns),
        cmocka_unit_test(points_cover_the_ground_within_a_box),
        cmocka_unit_test(tiles_see_ground_behind_the_walls),
        test_failing_allocations(open_all, 1, 6),
        cmocka_unit_test(height_map_is_oriented_as_seen_from_above),
        cmocka_unit_test(wrong_fields_are_refused_in_one_sentence),
        cmocka_unit_test(nan_heights_are_refused),
    };
    return cmocka_run_group_tests(tests, enter_data, NULL);
}
