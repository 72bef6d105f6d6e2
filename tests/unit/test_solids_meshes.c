// SPDX-License-Identifier: Apache-2.0
// links: shapes tiles frame core
/// Mesh colliders: distances kept on tiles against the mesh itself, messages about thin and open
/// meshes, threads, and failing memory.
#include "logging_host.h"
#include "scarce_host.h"
#include "shapes/internal.h"
#include "shapes/solids.h"
#include "temporary.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MESHES SPUME_SOURCE_DIR "/tests/data/meshes/"
#define RING "test_solids_ring.obj"

/// A torus as a file, fine enough that facets do not matter: chords of 0.05 m on a tube of 0.2 m
/// are 1.6 mm inside it.
static int write_ring(void **state)
{
    (void)state;
    if (chdir(temporary_directory()) != 0) return 1;
    static const sp_torus_def torus = {{0.1f, 0.2f, 0.0f}, {0.2f, 1.0f, 0.3f}, 0.5f, 0.2f};
    const sp_collider_def def = {.shape.torus = &torus, .slip = 1.0f};
    sp_shape *shape;
    sp_mesh mesh;
    if (sp_shape_open(&def, NULL, HOST, &shape, NULL) != SP_OK) return 1;
    if (sp_shape_mesh(shape, 0.05f, NULL, 1.0, &mesh, NULL) != SP_OK) return 1;
    FILE *file = fopen(RING, "w");
    if (!file) return 1;
    for (size_t i = 0; i < mesh.vertex_count; ++i)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)mesh.x[i][0], (double)mesh.x[i][1],
                (double)mesh.x[i][2]);
    for (size_t t = 0; t < mesh.triangle_count; ++t)
        fprintf(file, "f %u %u %u\n", mesh.tri[t][0] + 1, mesh.tri[t][1] + 1, mesh.tri[t][2] + 1);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
    return fclose(file);
}

static const sp_mesh_def ring = {RING, 1.0f, {0, 0, 0}, NULL};
static const sp_spin_def spin = {{0.1f, 0.2f, 0.0f}, {0.5f, 1.0f, 0.0f}, 30.0f};
static const sp_collider_def still_ring = {.name = "ring", .shape.mesh = &ring, .slip = 1.0f};
static const sp_collider_def spinning_ring = {
    .name = "ring", .shape.mesh = &ring, .slip = 1.0f, .motion = {.spin = &spin}};

static sp_solids_def around(const sp_collider_def *colliders, size_t count)
{
    return (sp_solids_def){.colliders = colliders,
                           .count = count,
                           .voxel = 0.05f,
                           .origin = {-1.2, -1.2, -1.2},
                           .low = {-1, -1, -1},
                           .high = {1.2, 1.2, 1.2}};
}

static sp_solids *opened(const sp_solids_def *def, const sp_host *host)
{
    sp_solids *solids;
    assert_ok(sp_solids_open(def, host, &solids, ERR));
    return solids;
}

/// ---- Distances ---------------------------------------------------------------------------------

typedef struct misses {
    double near, far; ///< m; |psi - distance| within 3 voxels; 4 voxels - |psi| beyond 4 voxels
    int cut, wrong;   ///< tiles; corners of the wrong sign farther than `unsure` from the surface
} misses;

static misses compare(const sp_solids_def *def, const sp_solids *s, double t, double unsure)
{
    static sp_solid_tile tile;
    const sp_shape *shape = sp_solids_shape(s, 0);
    const double h = (double)def->voxel;
    misses m = {0};
    for (int32_t n = 0; n < 6 * 6 * 6; ++n) {
        const int32_t at[3] = {n % 6, n / 6 % 6, n / 36};
        const sp_solidity what = sp_solids_classify_tile(s, at, &tile);
        m.cut += what == SP_TILE_IS_CUT;
        for (int c = 0; c < SP_TILE_CORNERS; c += what == SP_TILE_IS_CUT ? 5 : 61) {
            const int place[3] = {c % 9, c / 9 % 9, c / 81};
            double p[3];
            for (int k = 0; k < 3; ++k)
                p[k] = def->origin[k] + h * (8 * at[k] + place[k]);
            const double d = sp_shape_distance(shape, t, p, NULL);
            const bool solid =
                what == SP_TILE_IS_CUT ? !(tile.psi[c] > 0.0f) : what != SP_TILE_IS_OPEN;
            m.wrong += fabs(d) > unsure && solid != (d < 0.0);
            if (what != SP_TILE_IS_CUT) continue;
            const double psi = (double)tile.psi[c];
            if (fabs(d) < 3.0 * h) m.near = fmax(m.near, fabs(psi - d));
            if (fabs(d) > 4.0 * h) m.far = fmax(m.far, 4.0 * h - fabs(psi));
        }
    }
    return m;
}

/// A resting mesh is sampled at the very corners that are queried: floats of the same distance.
static void resting_mesh_distances_are_exact_at_corners(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_solids_def def = around(&still_ring, 1);
    sp_solids *s = opened(&def, &host);
    const misses m = compare(&def, s, 0.0, 1.01e-4 * (double)def.voxel);
    assert_true(m.cut > 20);
    assert_int_equal(m.wrong, 0);
    assert_true(m.near <= 1.01e-4 * (double)def.voxel); // smaller distances are snapped to 0
    assert_true(m.far <= 1e-6);
    sp_solids_close(s);
}

/// A turning mesh is interpolated between voxels: off by h^2/8 times the sum of the second
/// derivatives, and a distance has 1/4 and 1/14 of a voxel on this tube. Three voxels away, one
/// from the middle of the tube, one radius is a single voxel: 1/8 (1 + 1/8). Four voxels away the
/// samples on the far side are clamped, which takes half a voxel from half of them.
static void turning_mesh_error_is_bounded_by_curvature(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_solids_def def = around(&spinning_ring, 1);
    sp_solids *s = opened(&def, &host);
    const double h = (double)def.voxel;
    for (int step = 0; step < 3; ++step) {
        const double t = 0.37 * step;
        assert_ok(sp_solids_move(s, t, ERR));
        const misses m = compare(&def, s, t, 0.05 * h);
        assert_true(m.cut > 20);
        assert_int_equal(m.wrong, 0);
        assert_true(m.near <= 0.15 * h);
        assert_true(m.far <= 0.25 * h);
    }
    sp_solids_close(s);
}

/// Point queries use the mesh itself far away, and its field near it.
static void point_distances_are_right_near_and_far(void **state)
{
    (void)state;
    const sp_solids_def def = around(&spinning_ring, 1);
    sp_solids *s = opened(&def, HOST);
    const double h = (double)def.voxel;
    assert_ok(sp_solids_move(s, 0.8, ERR));
    for (size_t i = 0; i < 400; ++i) {
        double p[3], n[3], expected[3];
        int who;
        for (int k = 0; k < 3; ++k)
            p[k] = 3.0 * (double)sp_unit(sp_random(3, 8, i, 0, 0).x[k]) - 1.5;
        const double d = sp_solids_distance(s, p, n, &who);
        const double exact = sp_shape_distance(sp_solids_shape(s, 0), 0.8, p, expected);
        assert_int_equal(who, 0);
        assert_true(fabs(d - exact) <= (fabs(exact) > 2.5 * h ? 1e-6 : 0.15 * h));
        // near the middle of the tube the gradient changes within a voxel
        if (exact > -2.0 * h)
            assert_true(n[0] * expected[0] + n[1] * expected[1] + n[2] * expected[2] > 0.98);
    }
    sp_solids_close(s);
}

/// A mesh with a constant pose rests; a container of a mesh is solid outside.
static void poses_and_containers_of_meshes_are_kept(void **state)
{
    (void)state;
    static const sp_pose_def pose = {0.0f, {0.1f, -0.1f, 0.2f}, {1, 1, 0}, 35.0f};
    static const sp_mesh_def cube = {MESHES "cube.obj", 0.8f, {-0.4f, -0.4f, -0.4f}, NULL};
    const sp_collider_def bodies[2] = {
        {.shape.mesh = &cube, .slip = 1.0f, .motion = {.keys = &pose, .key_count = 1}},
        {.shape.mesh = &cube, .slip = 1.0f, .inside_out = true},
    };
    for (int i = 0; i < 2; ++i) {
        const sp_solids_def def = around(&bodies[i], 1);
        sp_solids *s = opened(&def, HOST);
        assert_false(sp_solids_moving(s));
        const misses m = compare(&def, s, 0.0, 1.01e-4 * (double)def.voxel);
        assert_true(m.cut >= 8 && m.wrong == 0);
        assert_true(m.near <= 1.01e-4 * (double)def.voxel);
        sp_solids_close(s);
    }
}

/// ---- Log messages ------------------------------------------------------------------------------

static void log_of(const sp_collider_def *def, float voxel)
{
    const sp_host host = logging_host(1);
    sp_solids_def solids = around(def, 1);
    solids.voxel = voxel;
    sp_solids_close(opened(&solids, &host));
}

static void thin_bodies_are_named_once(void **state)
{
    (void)state;
    static const sp_box_def blade = {{-0.5f, 0.0f, -0.2f}, {0.5f, 0.008f, 0.2f}};
    static const sp_cylinder_def rod = {{0, 0, 0}, {0, 1, 0}, 0.01f};
    static const sp_torus_def hoop = {{0, 0, 0}, {0, 1, 0}, 0.5f, 0.005f};
    static const sp_mesh_def sheet = {MESHES "sheet.ply", 1.0f, {0, 0, 0}, NULL};
    static const sp_mesh_def plate = {MESHES "cube.obj", 0.03f, {0, 0, 0}, NULL};
    static const struct {
        sp_collider_def def;
        float voxel;
        const char *says;
    } rows[] = {
        {{.name = "blade", .shape.box = &blade, .slip = 1},
         0.02f,
         "collider 'blade' is 0.4 voxels thick: water may leak; make it thicker or voxel <= 0.008"},
        {{.shape.capsule = &rod, .slip = 1},
         0.04f,
         "collider 'capsule' is 0.5 voxels thick: water may leak; make it thicker or voxel <= "
         "0.02"},
        {{.name = "hoop", .shape.torus = &hoop, .slip = 1},
         0.04f,
         "collider 'hoop' is 0.25 voxels thick: water may leak; make it thicker or voxel <= 0.01"},
        {{.name = "pot", .shape.box = &blade, .inside_out = true, .thickness = 0.01f, .slip = 1},
         0.04f,
         "collider 'pot' is 0.25 voxels thick: water may leak; set thickness or voxel <= 0.01"},
        {{.name = "sail", .shape.mesh = &sheet, .thickness = 0.02f, .slip = 1},
         0.04f,
         "collider 'sail' is 0.5 voxels thick: water may leak; set thickness or voxel <= 0.02"},
        {{.name = "dice", .shape.mesh = &plate, .slip = 1},
         0.06f,
         "collider 'dice' is 0.5 voxels thick: water may leak; set thickness or voxel <= 0.03"},
        {{.name = "dice", .shape.mesh = &plate, .slip = 1}, 0.029f, NULL},
        {{.name = "sail", .shape.mesh = &sheet, .thickness = 0.05f, .slip = 1}, 0.04f, NULL},
        {{.name = "blade", .shape.box = &blade, .slip = 1}, 0.007f, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        log_of(&rows[i].def, rows[i].voxel);
        assert_int_equal(warnings, rows[i].says != NULL);
        if (rows[i].says) assert_string_equal(last_warning, rows[i].says);
    }
}

static void open_meshes_are_named_once(void **state)
{
    (void)state;
    static const sp_mesh_def bowl = {MESHES "bowl.obj", 0.5f, {0, 0, 0}, NULL};
    const sp_collider_def def = {.name = "rock", .shape.mesh = &bowl, .slip = 1};
    log_of(&def, 0.05f);
    assert_int_equal(warnings, 1);
    assert_string_equal(last_warning,
                        "mesh 'rock': 4 open edges; the winding number decides what is inside");
}

static void empty_meshes_are_refused_in_one_sentence(void **state)
{
    (void)state;
    static const sp_mesh_def none = {"test_solids_none.obj", 1.0f, {0, 0, 0}, NULL};
    write_text(none.file, "v 0 0 0\n");
    const sp_collider_def rock = {.name = "rock", .shape.mesh = &none, .slip = 1};
    const sp_solids_def def = around(&rock, 1);
    sp_solids *s;
    assert_int_equal(sp_solids_open(&def, HOST, &s, ERR), SP_BAD_INPUT);
    assert_null(s);
    assert_string_equal(ERR->text, "collider \"rock\": test_solids_none.obj has 0 triangles");
}

/// ---- Threads and memory ------------------------------------------------------------------------

static uint64_t hash_of(int threads)
{
    static sp_solid_tile tile;
    const sp_host host = sp_host_default(threads);
    const sp_solids_def def = around(&spinning_ring, 1);
    sp_solids *s = opened(&def, &host);
    uint64_t hash = 0;
    assert_ok(sp_solids_move(s, 0.3, ERR));
    for (int32_t n = 0; n < 6 * 6 * 6; ++n) {
        const int32_t at[3] = {n % 6, n / 6 % 6, n / 36};
        if (sp_solids_classify_tile(s, at, &tile) != SP_TILE_IS_CUT) continue;
        hash = sp_hash(hash, tile.psi, sizeof tile.psi);
        hash = sp_hash(hash, tile.open, sizeof tile.open);
        hash = sp_hash(hash, tile.velocity, sizeof tile.velocity);
    }
    sp_solids_close(s);
    return hash;
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    const uint64_t one = hash_of(1);
    assert_true(one == hash_of(2) && one == hash_of(3) && one == hash_of(5));
}

static sp_status open_cubes(const sp_host *host, sp_error *err)
{
    static const sp_mesh_def cube = {MESHES "cube.obj", 1.0f, {0, 0, 0}, NULL};
    const sp_collider_def bodies[2] = {
        {.shape.mesh = &cube, .slip = 1.0f},
        {.shape.mesh = &cube, .slip = 1.0f, .motion = {.spin = &spin}},
    };
    sp_solids_def def = around(bodies, 2);
    def.voxel = 0.2f;
    sp_solids *s;
    SP_TRY(sp_solids_open(&def, host, &s, err));
    const sp_status status = sp_solids_move(s, 0.5, err);
    sp_solids_close(s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resting_mesh_distances_are_exact_at_corners),
        cmocka_unit_test(turning_mesh_error_is_bounded_by_curvature),
        cmocka_unit_test(point_distances_are_right_near_and_far),
        cmocka_unit_test(poses_and_containers_of_meshes_are_kept),
        cmocka_unit_test(thin_bodies_are_named_once),
        cmocka_unit_test(open_meshes_are_named_once),
        cmocka_unit_test(empty_meshes_are_refused_in_one_sentence),
        cmocka_unit_test(results_do_not_depend_on_threads),
        test_failing_allocations(open_cubes, 1, 20),
    };
    return cmocka_run_group_tests(tests, write_ring, NULL);
}
