// SPDX-License-Identifier: Apache-2.0
// links: validate shapes tiles frame core
/// Points on surfaces, for walls of particles: they are on the surface, apart from each other, and
/// leave no gap.
#include "scarce_host.h"
#include "testing.h"
#include "validate/shapes/proofs.h"

#include <math.h>
#include <string.h>

#define MESHES SPUME_SOURCE_DIR "/tests/data/meshes"

static const double low[3] = {-1.5, -1.5, -1.5}, high[3] = {1.5, 1.5, 1.5};

static sp_shape *open_shape(const sp_collider_def *def, const sp_host *host)
{
    sp_shape *shape = NULL;
    assert_ok(sp_shape_open(def, MESHES, host, &shape, ERR));
    return shape;
}

static sp_shape_points make_points(const sp_shape *shape, float spacing)
{
    sp_shape_points points;
    assert_ok(sp_shape_points_make(shape, spacing, low, high, &points, ERR));
    return points;
}

static void take(const sp_shape_points *points, size_t i, double p[3])
{
    p[0] = (double)points->x[i];
    p[1] = (double)points->y[i];
    p[2] = (double)points->z[i];
}

/// From p to the nearest of the first n points but `except`.
static double nearest(const sp_shape_points *points, size_t n, const double p[3], size_t except)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < n; ++i) {
        double q[3];
        take(points, i, q);
        sp_sub3(q, p, q);
        const double square = sp_dot3(q, q);
        if (i != except && square < least) least = square;
    }
    return sqrt(least);
}

/// ---- On the surface, apart, without gaps -------------------------------------------------------

/// Points are rounded to floats: 6e-8 of 1.5 m in each of three directions; distances of meshes are
/// in floats throughout.
static void check_on_surface(const sp_shape *shape, const sp_shape_points *points)
{
    for (size_t i = 0; i < points->count; ++i) {
        double p[3];
        take(points, i, p);
        assert_true(fabs(sp_shape_distance(shape, 0.0, p, NULL)) < 1e-6);
    }
}

static void check_apart(const sp_shape_points *points, float spacing)
{
    for (size_t i = 0; i < points->count; ++i) {
        double p[3];
        take(points, i, p);
        assert_true(nearest(points, i, p, i) >= 0.7 * (double)spacing);
    }
}

/// A random point on the surface, found along the gradient without its triangles.
static bool random_place(const sp_shape *shape, uint64_t number, double p[3])
{
    double n[3], d = 1.0;
    shape_sample_point(number, p);
    for (int step = 0; step < 8 && fabs(d) > 1e-9; ++step) {
        d = sp_shape_distance(shape, 0.0, p, n);
        for (int k = 0; k < 3; ++k)
            p[k] -= d * n[k];
    }
    return fabs(d) <= 1e-6;
}

/// `touched` is the surface that water touches: the shape, or the hollow of a container. Places on
/// a missing lid or outside a container do not count.
static void check_covered(const sp_shape *shape, const sp_shape *touched,
                          const sp_shape_points *points, float spacing)
{
    size_t looked = 0;
    for (uint64_t i = 0; i < 10000 && looked < 1000; ++i) {
        double p[3];
        if (!random_place(shape, i, p) || fabs(sp_shape_distance(touched, 0.0, p, NULL)) > 1e-5)
            continue;
        assert_true(nearest(points, points->count, p, SIZE_MAX) <= (double)spacing);
        ++looked;
    }
    assert_true(looked > 100);
}

static void check_promises(const sp_collider_def *def, float spacing, const sp_host *host)
{
    sp_collider_def solid = *def;
    if (def->inside_out) {
        solid.inside_out = false;
        solid.thickness = 0.0f;
        solid.open = SP_OPEN_NOWHERE;
    }
    sp_shape *shape = open_shape(def, host), *touched = open_shape(&solid, host);
    sp_shape_points points = make_points(shape, spacing);
    assert_true(points.count > 0);
    check_on_surface(shape, &points);
    check_on_surface(touched, &points);
    check_apart(&points, spacing);
    check_covered(shape, touched, &points, spacing);
    sp_shape_points_close(&points);
    sp_shape_close(touched);
    sp_shape_close(shape);
}

static void points_lie_on_the_surface_apart_and_without_gaps(void **state)
{
    (void)state;
    static const float spacings[] = {0.07f, 0.1f, 0.23f};
    const sp_host host = sp_host_default(2);
    for (size_t i = 0; i < shape_sample_count; ++i)
        for (size_t k = 0; k < 3 && !shape_samples[i].def.shape.plane; ++k)
            check_promises(&shape_samples[i].def, spacings[k], &host);
}

/// Shapes as small as the spacing and far smaller: at least one point, and not too many.
static void small_shapes_have_few_points(void **state)
{
    (void)state;
    static const float spacings[] = {0.5f, 1.0f, 5.0f};
    for (size_t i = 0; i < shape_sample_count; ++i) {
        const sp_shape_def *def = &shape_samples[i].def.shape;
        for (size_t k = 0; k < 3 && !def->plane && !def->box; ++k)
            check_promises(&shape_samples[i].def, spacings[k], HOST);
    }
}

static const sp_mesh_def mesh_files[] = {{.file = "cube.obj", .scale = 1.0f},
                                         {.file = "bowl.obj", .scale = 1.0f},
                                         {.file = "sheet.ply", .scale = 1.0f},
                                         {.file = "corner.stl", .scale = 1.0f}};

/// Mesh files as they are, grown by little and by much, and as a container.
static void points_of_mesh_files_lie_apart_and_without_gaps(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (size_t i = 0; i < sizeof mesh_files / sizeof *mesh_files; ++i) {
        const sp_collider_def plain = {.shape.mesh = &mesh_files[i]};
        const sp_collider_def grown = {.shape.mesh = &mesh_files[i], .thickness = 0.1f};
        const sp_collider_def fat = {.shape.mesh = &mesh_files[i], .thickness = 0.5f};
        const sp_collider_def hollow = {
            .shape.mesh = &mesh_files[i], .inside_out = true, .thickness = 0.1f};
        check_promises(&plain, 0.15f, &host);
        check_promises(&grown, 0.15f, &host);
        check_promises(&fat, 0.15f, &host); // the radius of rims exceeds the spacing
        if (i == 0) check_promises(&hollow, 0.15f, &host);
    }
}

/// One point per square of the spacing, as on a lattice, within 5 %: more would cost a solver time,
/// and fewer would let water through.
static void point_count_matches_a_lattice(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_sphere_def ball = {{0, 0, 0}, 1.0f};
    const sp_collider_def def = {.shape.sphere = &ball};
    sp_shape *shape = open_shape(&def, &host);
    sp_shape_points points = make_points(shape, 0.03f);
    const double squares = 4.0 * SP_PI_D / (0.03 * 0.03);
    assert_true((double)points.count > 0.95 * squares && (double)points.count < 1.05 * squares);
    sp_shape_points_close(&points);
    sp_shape_close(shape);
}

/// ---- Lattices ----------------------------------------------------------------------------------

enum { MOST_STEPS = 16 };

/// Each lattice place on the sides of a box has exactly one point, and there are no others.
static void check_lattice(const sp_box_def *box, const size_t steps[3], bool open,
                          const sp_shape_points *points)
{
    static unsigned char taken[MOST_STEPS][MOST_STEPS][MOST_STEPS];
    memset(taken, 0, sizeof taken);
    for (size_t i = 0; i < points->count; ++i) {
        double p[3];
        size_t at[3];
        bool side = false;
        take(points, i, p);
        for (int k = 0; k < 3; ++k) {
            const double length = (double)box->max[k] - (double)box->min[k];
            const double step = (p[k] - (double)box->min[k]) / length * (double)steps[k];
            at[k] = (size_t)(step + 0.5);
            assert_true(fabs(step - (double)at[k]) < 1e-5 && at[k] <= steps[k]);
            side = side || at[k] == 0 || (at[k] == steps[k] && !(open && k == 1));
        }
        assert_true(side && !taken[at[2]][at[1]][at[0]]++);
    }
    const size_t a = steps[0], b = steps[1], c = steps[2];
    const size_t lid = open ? (a - 1) * (c - 1) : 0;
    assert_int_equal(points->count,
                     (a + 1) * (b + 1) * (c + 1) - (a - 1) * (b - 1) * (c - 1) - lid);
}

/// 1.0, 0.6 and 0.45 m at 0.1 m are 10, 6 and 5 steps (the last of 0.09 m); at 0.35 m 3, 2 and 1.
static void boxes_have_lattices_with_each_edge_once(void **state)
{
    (void)state;
    static const sp_box_def box = {{-0.5f, 0.25f, 0.0f}, {0.5f, 0.85f, 0.45f}};
    static const struct {
        float spacing;
        size_t steps[3];
    } rows[] = {{0.1f, {10, 6, 5}}, {0.35f, {3, 2, 1}}, {0.45f, {2, 1, 1}}, {9.0f, {1, 1, 1}}};
    static const sp_collider_def defs[] = {
        {.shape.box = &box},
        {.shape.box = &box, .inside_out = true, .thickness = 0.1f},
        {.shape.box = &box, .inside_out = true, .thickness = 0.1f, .open = SP_OPEN_TOP},
        {.shape.box = &box, .inside_out = true, .open = SP_OPEN_TOP},
    };
    for (size_t d = 0; d < sizeof defs / sizeof *defs; ++d)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
            sp_shape *shape = open_shape(&defs[d], HOST);
            sp_shape_points points = make_points(shape, rows[i].spacing);
            check_on_surface(shape, &points);
            check_lattice(&box, rows[i].steps, defs[d].open == SP_OPEN_TOP, &points);
            sp_shape_points_close(&points);
            sp_shape_close(shape);
        }
}

/// A level plane within a box is one side of that box, edges included.
static void a_level_plane_fills_its_box(void **state)
{
    (void)state;
    static const sp_plane_def levels[] = {{{7, -1.5f, 7}, {0, 1, 0}}, {{0, 0.25f, 0}, {0, -3, 0}}};
    for (size_t i = 0; i < 2; ++i) {
        const sp_collider_def def = {.shape.plane = &levels[i]};
        sp_shape *shape = open_shape(&def, HOST);
        sp_shape_points points = make_points(shape, 0.1f);
        assert_int_equal(points.count, 31 * 31);
        check_on_surface(shape, &points);
        for (size_t k = 0; k < 4; ++k) {
            const double corner[3] = {k & 1 ? high[0] : low[0], (double)levels[i].point[1],
                                      k & 2 ? high[2] : low[2]};
            assert_true(nearest(&points, points.count, corner, SIZE_MAX) < 1e-6);
        }
        for (size_t k = 0; k < points.count; ++k) {
            double p[3];
            take(&points, k, p);
            assert_true(fabs(nearest(&points, points.count, p, k) - 0.1) < 1e-6);
        }
        sp_shape_points_close(&points);
        sp_shape_close(shape);
    }
}

/// A tilted plane stays within the box, and covers everything at least a spacing inside it.
static void a_tilted_plane_is_cut_by_its_box(void **state)
{
    (void)state;
    for (size_t i = 0; i < shape_sample_count; ++i) {
        if (!shape_samples[i].def.shape.plane) continue;
        const sp_collider_def plain = {.shape.plane = shape_samples[i].def.shape.plane};
        sp_shape *shape = open_shape(&shape_samples[i].def, HOST);
        sp_shape *plane = open_shape(&plain, HOST); // one side only; a slab has two
        sp_shape_points points = make_points(shape, 0.1f);
        check_on_surface(shape, &points);
        check_on_surface(plane, &points);
        check_apart(&points, 0.1f);
        for (size_t k = 0; k < points.count; ++k) {
            double p[3];
            take(&points, k, p);
            for (int a = 0; a < 3; ++a)
                assert_true(fabs(p[a]) < 1.5 + 1.1e-4); // a thousandth of the spacing
        }
        for (uint64_t k = 0; k < 1000; ++k) {
            double p[3];
            if (!random_place(plane, k, p)) continue;
            if (fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2])) < 1.4)
                assert_true(nearest(&points, points.count, p, SIZE_MAX) <= 0.1);
        }
        sp_shape_points_close(&points);
        sp_shape_close(plane);
        sp_shape_close(shape);
    }
}

static void a_plane_beside_its_box_has_no_points(void **state)
{
    (void)state;
    const sp_plane_def beside = {{0, 2, 0}, {0, 1, 0}};
    const sp_collider_def def = {.shape.plane = &beside};
    sp_shape *shape = open_shape(&def, HOST);
    sp_shape_points points = make_points(shape, 0.1f);
    assert_int_equal(points.count, 0);
    sp_shape_points_close(&points);
    sp_shape_close(shape);
}

/// Cubic spline with support h = 2d in units of 8/(pi h^3) = 1/(pi d^3).
static double spline(double q)
{
    if (q <= 0.5) return 6.0 * q * q * q - 6.0 * q * q + 1.0;
    return q < 1.0 ? 2.0 * (1.0 - q) * (1.0 - q) * (1.0 - q) : 0.0;
}

/// A layer of points replaces a layer of water: 0.7 over the sum of the kernel (Akinci et al. 2012,
/// scaled) is the volume of a cube of the spacing. By hand, the sum over a square lattice is (1 +
/// 4/4 + 4*0.05025)/pi = 0.70061 of 1/d^3, so the volume is 0.99913 d^3.
static void flat_layer_has_the_volume_of_a_water_layer(void **state)
{
    (void)state;
    const sp_plane_def level = {{0, 0, 0}, {0, 1, 0}};
    const sp_collider_def def = {.shape.plane = &level};
    sp_shape *shape = open_shape(&def, HOST);
    sp_shape_points points = make_points(shape, 0.1f);
    size_t looked = 0;
    for (size_t i = 0; i < points.count; ++i) {
        double p[3], q[3], sum = 0.0;
        take(&points, i, p);
        if (fmax(fabs(p[0]), fabs(p[2])) > 1.3) continue;
        for (size_t j = 0; j < points.count; ++j) {
            take(&points, j, q);
            sp_sub3(q, p, q);
            sum += spline(sqrt(sp_dot3(q, q)) / 0.2) / SP_PI_D;
        }
        assert_true(fabs(0.7 / sum - 0.999) < 0.002);
        ++looked;
    }
    assert_true(looked > 500);
    sp_shape_points_close(&points);
    sp_shape_close(shape);
}

/// ---- Threads and search ------------------------------------------------------------------------

static void check_same(const sp_shape_points *a, const sp_shape_points *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->x, b->x, a->count * sizeof *a->x);
    assert_memory_equal(a->y, b->y, a->count * sizeof *a->y);
    assert_memory_equal(a->z, b->z, a->count * sizeof *a->z);
}

/// The same bits on any number of threads, and a moving body has the points that it has at rest.
static void points_do_not_depend_on_threads_or_motion(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    const sp_host one = sp_host_default(1);
    for (size_t i = 0; i < shape_sample_count; ++i) {
        sp_collider_def def = shape_samples[i].def;
        sp_shape *shape = open_shape(&def, &one);
        sp_shape_points first = make_points(shape, 0.04f);
        sp_shape_close(shape);
        def.motion = shape_sample_motion;
        for (size_t k = 0; k < 4; ++k) {
            const sp_host host = sp_host_default(threads[k]);
            sp_shape *moving = open_shape(&def, &host);
            sp_shape_points points = make_points(moving, 0.04f);
            check_same(&first, &points);
            sp_shape_points_close(&points);
            sp_shape_close(moving);
        }
        sp_shape_points_close(&first);
    }
}

/// The near search against all points one by one, from a capacity of one on, far out and around
/// zero, where cell coordinates change sign.
static void near_search_equals_brute_force(void **state)
{
    (void)state;
    static const double far[] = {0.0, 500.0};
    for (size_t f = 0; f < 2; ++f) {
        sp_shape_points points = {.host = HOST};
        points_near near;
        assert_ok(points_near_open(&near, &points, 0.2, 1, ERR));
        for (uint64_t i = 0; i < 1500; ++i) {
            double p[3];
            shape_sample_point(i, p);
            p[0] += far[f];
            const double within = 0.2 * shape_sample_unit(i, 3);
            assert_true(points_near_any(&near, p, within) ==
                        (nearest(&points, points.count, p, SIZE_MAX) < within));
            assert_ok(points_near_add(&near, p, ERR));
        }
        points_near_close(&near);
        sp_shape_points_close(&points);
    }
}

/// ---- Refusals and memory -----------------------------------------------------------------------

static void check_refused(const sp_shape *shape, float spacing, const double to[3],
                          const char *sentence)
{
    sp_shape_points points;
    assert_int_equal(sp_shape_points_make(shape, spacing, low, to, &points, ERR), SP_BAD_INPUT);
    assert_true(strstr(ERR->text, "collider \"thing\": ") == ERR->text);
    assert_non_null(strstr(ERR->text, sentence));
    assert_true(!points.x && !points.y && !points.z && points.count == 0);
    sp_shape_points_close(&points);
}

static void surfaces_that_cannot_be_covered_are_refused(void **state)
{
    (void)state;
    static const double endless[3] = {1, 1, HUGE_VAL};
    for (size_t i = 0; i < shape_sample_count; ++i) {
        sp_collider_def def = shape_samples[i].def;
        def.name = "thing";
        sp_shape *shape = open_shape(&def, HOST);
        check_refused(shape, 0.0f, high, "apart");
        check_refused(shape, -0.1f, high, "apart");
        check_refused(shape, NAN, high, "apart");
        check_refused(shape, INFINITY, high, "apart");
        check_refused(shape, 1e-5f, high, "expected at most 1073741824");
        check_refused(shape, 1e-30f, high, "expected at most 1073741824");
        if (def.shape.plane) check_refused(shape, 0.1f, endless, "z runs from -1.5 to inf m");
        sp_shape_close(shape);
    }
}

static sp_collider_def scarce_def;
static sp_status make_and_close(const sp_host *host, sp_error *err)
{
    sp_shape *shape;
    sp_shape_points points;
    SP_TRY(sp_shape_open(&scarce_def, MESHES, host, &shape, err));
    const sp_status status = sp_shape_points_make(shape, 0.2f, low, high, &points, err);
    sp_shape_points_close(&points);
    sp_shape_close(shape);
    return status;
}

/// Only the normals of a mesh are optional, and its points do not need them.
static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    sp_collider_def defs[40];
    size_t n = 0;
    for (size_t i = 0; i < shape_sample_count; ++i)
        defs[n++] = shape_samples[i].def;
    // The grown cube has more surface than its triangles, so its array grows.
    for (size_t i = 0; i < 3; ++i)
        defs[n++] = (sp_collider_def){.shape.mesh = &mesh_files[i], .thickness = i < 2 ? 0.9f : 0};
    for (size_t d = 0; d < n; ++d) {
        scarce_def = defs[d];
        scarce_fail_most(make_and_close, 1, 1, scarce_def.shape.mesh ? 2 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_lie_on_the_surface_apart_and_without_gaps),
        cmocka_unit_test(small_shapes_have_few_points),
        cmocka_unit_test(points_of_mesh_files_lie_apart_and_without_gaps),
        cmocka_unit_test(point_count_matches_a_lattice),
        cmocka_unit_test(boxes_have_lattices_with_each_edge_once),
        cmocka_unit_test(a_level_plane_fills_its_box),
        cmocka_unit_test(a_tilted_plane_is_cut_by_its_box),
        cmocka_unit_test(a_plane_beside_its_box_has_no_points),
        cmocka_unit_test(flat_layer_has_the_volume_of_a_water_layer),
        cmocka_unit_test(points_do_not_depend_on_threads_or_motion),
        cmocka_unit_test(near_search_equals_brute_force),
        cmocka_unit_test(surfaces_that_cannot_be_covered_are_refused),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
