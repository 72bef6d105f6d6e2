// SPDX-License-Identifier: Apache-2.0
// links: validate shapes tiles frame core
/// Shapes from mesh files: closest points and winding numbers against brute force, sheets and
/// shells, refusals, and failing memory.
#include "logging_host.h"
#include "scarce_host.h"
#include "shapes/internal.h"
#include "testing.h"
#include "validate/shapes/proofs.h"

#include <math.h>
#include <string.h>

#define MESHES SPUME_SOURCE_DIR "/tests/data/meshes"

static sp_shape *open_shape(const sp_collider_def *def, const sp_host *host)
{
    sp_shape *shape = NULL;
    assert_ok(sp_shape_open(def, MESHES, host, &shape, ERR));
    return shape;
}

/// ---- Trees -------------------------------------------------------------------------------------

/// Random triangles, some without area, many on top of each other.
static void soup(sp_mesh *mesh, const sp_host *host, size_t triangles)
{
    assert_ok(sp_mesh_open(mesh, host, 3 * triangles, triangles, 0, ERR));
    for (size_t i = 0; i < 3 * triangles; ++i) {
        const uint64_t t = i / 3;
        double p[3], q[3];
        shape_sample_point(t % 7 ? t : 0, p);
        shape_sample_point(10000 + i, q);
        for (int k = 0; k < 3; ++k)
            mesh->x[i][k] = (float)(p[k] + (t % 5 ? 0.1 * q[k] : 0.0));
        mesh->tri[t][i % 3] = (uint32_t)i;
    }
}

/// The nearest point of one triangle by search: a grid of points on it, then a finer one around the
/// best, until steps are below those of floats.
static double net_distance(const sp_mesh *mesh, size_t t, const float p[3])
{
    double u = 0.5, v = 0.5, step = 0.5, best = HUGE_VAL;
    for (int round = 0; round < 60; ++round, step *= 0.7) {
        const double u0 = u, v0 = v;
        for (int i = -2; i <= 2; ++i)
            for (int j = -2; j <= 2; ++j) { // (u, v) in the unit square, folded onto the triangle
                const double a = fmin(fmax(u0 + i * step, 0.0), 1.0);
                const double b = fmin(fmax(v0 + j * step, 0.0), 1.0);
                const double w[3] = {1.0 - a, a * (1.0 - b), a * b};
                double sum = 0.0;
                for (int k = 0; k < 3; ++k) {
                    double x = -(double)p[k];
                    for (int c = 0; c < 3; ++c)
                        x += w[c] * (double)mesh->x[mesh->tri[t][c]][k];
                    sum += x * x;
                }
                if (!(sum < best)) continue;
                best = sum;
                u = a;
                v = b;
            }
    }
    return sqrt(best);
}

static void closest_point_equals_brute_force(void **state)
{
    (void)state;
    sp_mesh mesh;
    sp_bvh *bvh;
    soup(&mesh, HOST, 150);
    assert_ok(sp_bvh_open(&mesh, HOST, &bvh, ERR));
    for (uint64_t i = 0; i < 20; ++i) {
        double q[3], least = HUGE_VAL, own = 0.0, from = 0.0;
        float at[3], weights[3];
        uint32_t triangle;
        shape_sample_point(50000 + i, q);
        const float p[3] = {(float)q[0], (float)q[1], (float)q[2]};
        for (size_t t = 0; t < mesh.triangle_count; ++t)
            least = fmin(least, net_distance(&mesh, t, p));
        assert_true(sp_bvh_closest(bvh, p, INFINITY, at, &triangle, weights));
        for (int k = 0; k < 3; ++k) {
            double x = 0.0;
            for (int c = 0; c < 3; ++c)
                x += (double)weights[c] * (double)mesh.x[mesh.tri[triangle][c]][k];
            own += (x - (double)at[k]) * (x - (double)at[k]);
            from += ((double)at[k] - (double)p[k]) * ((double)at[k] - (double)p[k]);
        }
        assert_true(fabs(sqrt(from) - least) < 1e-6); // points are rounded to floats of a metre
        assert_true(sqrt(own) < 1e-6);                // and weights too
        assert_false(sp_bvh_closest(bvh, p, (float)(0.999 * least), at, NULL, NULL));
        assert_true(sp_bvh_closest(bvh, p, (float)(1.001 * least), at, NULL, NULL));
    }
    sp_bvh_close(bvh);
    sp_mesh_close(&mesh);
}

/// A tree holds every triangle once: for triangles all in one place, and for triangles over thirty
/// orders of magnitude, where every cut separates only a few.
static void trees_of_degenerate_meshes_hold_every_triangle(void **state)
{
    (void)state;
    enum { N = 3000 };
    for (int kind = 0; kind < 2; ++kind) {
        sp_mesh mesh;
        sp_bvh *bvh;
        soup(&mesh, HOST, N);
        for (size_t i = 0; i < mesh.vertex_count; ++i)
            for (int k = 0; k < 3; ++k)
                mesh.x[i][k] = kind ? ldexpf(1.0f, (int)(i / 3 % 100) - 50) : (float)(i % 3 == 1);
        assert_ok(sp_bvh_open(&mesh, HOST, &bvh, ERR));
        for (size_t i = 0; i < 50; ++i) {
            float at[3];
            const float *p = mesh.x[17 * i];
            assert_true(sp_bvh_closest(bvh, p, INFINITY, at, NULL, NULL));
            assert_true(fabsf(at[0] - p[0]) <= 1e-6f * fabsf(p[0]));
            assert_true(isfinite(sp_bvh_winding(bvh, p)));
        }
        sp_bvh_close(bvh);
        sp_mesh_close(&mesh);
    }
}

/// Copies of one tetrahedron add up to their number, inside out to its negative. No cluster of theirs is
/// distant from a point inside, so only the roundings of 4 * COPIES products are left.
static void winding_number_counts_copies_of_a_solid(void **state)
{
    (void)state;
    enum { COPIES = 50 };
    static const float corner[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const uint32_t outward[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    for (int reversed = 0; reversed < 2; ++reversed) {
        sp_mesh mesh;
        sp_bvh *bvh;
        assert_ok(sp_mesh_open(&mesh, HOST, 4, 4 * COPIES, 0, ERR));
        memcpy(mesh.x, corner, sizeof corner);
        for (size_t t = 0; t < 4 * COPIES; ++t)
            for (int k = 0; k < 3; ++k)
                mesh.tri[t][k] = outward[t % 4][reversed ? 2 - k : k];
        assert_ok(sp_bvh_open(&mesh, HOST, &bvh, ERR));
        const float inside = sp_bvh_winding(bvh, (float[3]){0.1f, 0.15f, -0.2f}),
                    outside = sp_bvh_winding(bvh, (float[3]){0.9f, 0.9f, -0.9f});
        assert_true(fabsf(inside - (reversed ? -COPIES : COPIES)) < 1e-5f);
        assert_true(fabsf(outside) < 1e-5f);
        sp_bvh_close(bvh);
        sp_mesh_close(&mesh);
    }
}

/// A half sphere, open at the bottom: its winding number at the middle is the share of the sphere
/// that it covers, 1/2, and the number of a mesh and of the same mesh inside out cancel.
static void winding_number_is_the_covered_solid_angle(void **state)
{
    (void)state;
    sp_mesh mesh;
    sp_bvh *bvh;
    const sp_sphere_def ball = {{0, 0, 0}, 0.5f};
    const sp_collider_def def = {.shape.sphere = &ball};
    sp_shape *shape = open_shape(&def, HOST);
    assert_ok(sp_shape_mesh(shape, 0.02f, NULL, 1.0, &mesh, ERR));
    size_t kept = 0;
    for (size_t t = 0; t < mesh.triangle_count; ++t) {
        float y = 0.0f;
        for (int c = 0; c < 3; ++c)
            y += mesh.x[mesh.tri[t][c]][1];
        if (y > 0.0f) memmove(mesh.tri[kept++], mesh.tri[t], sizeof *mesh.tri);
    }
    mesh.triangle_count = kept;
    assert_ok(sp_bvh_open(&mesh, HOST, &bvh, ERR));
    assert_true(fabsf(sp_bvh_winding(bvh, (float[3]){0, 0, 0}) - 0.5f) < 0.02f);
    assert_true(fabsf(sp_bvh_winding(bvh, (float[3]){0, 5, 0})) < 0.02f);
    sp_bvh_close(bvh);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
}

/// ---- Things from files -------------------------------------------------------------------------

static void expect_closed(const sp_mesh *mesh, double volume, double tolerance)
{
    sp_mesh_edges edges;
    assert_ok(sp_mesh_look(mesh, &edges, ERR));
    assert_int_equal(edges.open + edges.crowded + edges.flipped, 0);
    assert_true(fabs(sp_mesh_volume(mesh) - volume) < tolerance);
}

/// A cube from a file equals the box of the same size, to rounding of floats: also moved, scaled,
/// hollow and on tiles.
static void a_cube_from_a_file_is_a_box(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_mesh_def file = {"cube.obj", 0.75f, {-0.5f, -0.25f, 0.125f}, NULL};
    const sp_box_def box = {{-0.5f, -0.25f, 0.125f}, {0.25f, 0.5f, 0.875f}};
    int32_t at[3][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 1, 1}};
    const sp_tiles tiles = {.host = &host, .voxel = 0.1f, .count = 3, .at = at};
    static float phi[3 * SP_TILE_VOXELS], expected[3 * SP_TILE_VOXELS];
    const double origin[3] = {-0.3, -0.5, 0.0};
    for (int hollow = 0; hollow < 2; ++hollow) {
        sp_collider_def def = {
            .shape.mesh = &file, .inside_out = hollow, .motion = shape_sample_motion};
        sp_shape *mesh = open_shape(&def, &host);
        def.shape = (sp_shape_def){.box = &box};
        sp_shape *exact = open_shape(&def, &host);
        assert_int_equal(sp_shape_open_edges(mesh), 0);
        for (uint64_t i = 0; i < 1000; ++i) {
            double p[3], n[3], m[3];
            shape_sample_point(i, p);
            const double d = sp_shape_distance(exact, 0.9, p, n);
            assert_true(fabs(sp_shape_distance(mesh, 0.9, p, m) - d) < 1e-6);
            // Inside, two faces may be equally near; at the surface the direction is uncertain.
            if (d > 1e-3 && !hollow) assert_true(sp_dot3(n, m) > 1.0 - 1e-5);
            assert_true(fabs(sp_dot3(m, m) - 1.0) < 1e-12);
        }
        const shape_moment now = shape_moment_at(mesh, 0.9);
        shape_fill_tiles(mesh, &now, &tiles, origin, 0.3f, phi);
        shape_fill_tiles(exact, &now, &tiles, origin, 0.3f, expected);
        for (size_t i = 0; i < 3 * SP_TILE_VOXELS; ++i)
            assert_true(fabsf(phi[i] - expected[i]) < 1e-6f);
        sp_shape_close(mesh);
        sp_shape_close(exact);
    }
}

/// Vertices that the file repeats for each face are merged: there are no open edges, and the mesh
/// has eight vertices.
static void duplicate_vertices_are_welded(void **state)
{
    (void)state;
    const sp_mesh_def file = {"seams.obj", 1.0f, {0, 0, 0}, NULL};
    const sp_collider_def def = {.shape.mesh = &file};
    sp_shape *shape = open_shape(&def, HOST);
    sp_mesh mesh;
    assert_int_equal(sp_shape_open_edges(shape), 0);
    assert_ok(sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, ERR));
    assert_int_equal(mesh.vertex_count, 8);
    assert_null(mesh.n); // all edges of a cube are creases
    expect_closed(&mesh, 1.0, 1e-12);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
}

/// On the surface itself the gradient is the face's normal.
static void on_the_surface_the_gradient_is_the_normal(void **state)
{
    (void)state;
    const sp_mesh_def file = {"cube.obj", 1.0f, {0, 0, 0}, NULL};
    const sp_collider_def def = {.shape.mesh = &file};
    sp_shape *shape = open_shape(&def, HOST);
    const double p[3] = {1.0, 0.3, 0.6};
    double n[3];
    assert_true(fabs(sp_shape_distance(shape, 0.0, p, n)) < 1e-7); // 0.3 is rounded
    assert_true(n[0] == 1.0 && n[1] == 0.0 && n[2] == 0.0);
    sp_shape_close(shape);
}

/// A square sheet with a thickness of 0.2 m is a slab: the distance to its middle plane minus 0.1
/// m, and a closed mesh of 0.2 m^3.
static void thickness_turns_a_sheet_into_a_solid(void **state)
{
    (void)state;
    const sp_mesh_def file = {"sheet.ply", 1.0f, {0, 0, 0}, NULL};
    const sp_collider_def def = {.shape.mesh = &file, .thickness = 0.2f};
    sp_shape *shape = open_shape(&def, HOST);
    sp_mesh mesh;
    assert_int_equal(sp_shape_open_edges(shape), 0); // the final shape has none
    const double above[3] = {0.4, 0.5, 0.3}, below[3] = {0.4, -0.5, 0.3}, in[3] = {0.4, 0.07, 0.3};
    assert_true(fabs(sp_shape_distance(shape, 0, above, NULL) - 0.4) < 1e-7);
    assert_true(fabs(sp_shape_distance(shape, 0, below, NULL) - 0.4) < 1e-7);
    assert_true(fabs(sp_shape_distance(shape, 0, in, NULL) + 0.03) < 1e-7);
    assert_ok(sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, ERR));
    expect_closed(&mesh, 0.2, 1e-6);
    assert_null(mesh.n); // its rim is sharp
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
}

/// Open edges count on the final shape: an open file leaks, the shell that a thickness makes of it
/// does not.
static void a_shell_has_no_open_edges(void **state)
{
    (void)state;
    static const char *const files[] = {"bowl.obj", "sheet.ply"};
    for (int i = 0; i < 2; ++i)
        for (int hollow = 0; hollow < 2; ++hollow) {
            const sp_mesh_def file = {files[i], 1.0f, {0, 0, 0}, NULL};
            sp_collider_def def = {.shape.mesh = &file};
            sp_mesh mesh;
            sp_mesh_edges edges;
            sp_shape *shape = open_shape(&def, HOST);
            assert_int_equal(sp_shape_open_edges(shape), 4);
            sp_shape_close(shape);
            def.thickness = 0.05f;
            def.inside_out = hollow;
            shape = open_shape(&def, HOST);
            assert_int_equal(sp_shape_open_edges(shape), 0);
            assert_ok(sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, ERR));
            assert_ok(sp_mesh_look(&mesh, &edges, ERR));
            assert_int_equal(edges.open + edges.crowded + edges.flipped, 0);
            assert_true(sp_mesh_volume(&mesh) > 0.0);
            sp_mesh_close(&mesh);
            sp_shape_close(shape);
        }
}

/// A cube with inward triangles is read as the same cube, for solvers and in pictures, and that is
/// logged once.
static void inward_mesh_is_inverted_and_reported(void **state)
{
    (void)state;
    const sp_host host = logging_host(1);
    const sp_mesh_def file = {"inward.obj", 1.0f, {0, 0, 0}, NULL},
                      fine = {"cube.obj", 1.0f, {0, 0, 0}, NULL};
    sp_collider_def def = {.name = "block", .shape.mesh = &fine};
    sp_shape *shape = open_shape(&def, &host);
    assert_int_equal(warnings, 0);
    sp_shape_close(shape);
    def.shape.mesh = &file;
    shape = open_shape(&def, &host);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_warning, "collider \"block\": "));
    assert_non_null(strstr(last_warning, "inward.obj"));
    const double in[3] = {0.5, 0.5, 0.25}, out[3] = {0.5, 0.5, 1.5};
    assert_true(fabs(sp_shape_distance(shape, 0, in, NULL) + 0.25) < 1e-6);
    assert_true(fabs(sp_shape_distance(shape, 0, out, NULL) - 0.5) < 1e-6);
    sp_mesh mesh;
    assert_ok(sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, ERR));
    expect_closed(&mesh, 1.0, 1e-6);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
}

/// A size that cannot be meshed is refused with the name of the collider. The largest file that may
/// be opened can be meshed, a hundred times its diagonal of 3.5e6 m around.
static void sizes_that_cannot_be_meshed_name_the_collider(void **state)
{
    (void)state;
    const sp_mesh_def file = {"cube.obj", 1.0f, {0, 0, 0}, NULL};
    const sp_collider_def def = {.name = "block", .shape.mesh = &file};
    sp_shape *shape = open_shape(&def, HOST);
    sp_mesh mesh;
    assert_int_equal(sp_shape_mesh(shape, 1.0f, NULL, 2e9, &mesh, ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text,
                        "collider \"block\": cannot be shown with edges of 1 m as far as "
                        "2e+09 m; expected above 0 and at most 1e+09 m");
    assert_ok(sp_shape_mesh(shape, 1.0f, NULL, 3.5e8, &mesh, ERR));
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
}

/// Meshes of shapes from files: a solid as it is, a container as two skins, a grown one as one
/// skin.
static void files_become_closed_meshes(void **state)
{
    (void)state;
    const sp_mesh_def cube = {"cube.obj", 1.0f, {0, 0, 0}, NULL};
    const sp_mesh_def corner = {"corner.stl", 2.0f, {0, 0, 0}, NULL};
    sp_collider_def def = {.shape.mesh = &corner};
    sp_mesh mesh;
    sp_shape *shape = open_shape(&def, HOST);
    assert_ok(sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, ERR));
    expect_closed(&mesh, 8.0 / 6.0, 1e-6);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
    // Corners of a cube move along diagonals: its outside grows by 2 thickness/sqrt(3) a side.
    const double grown = pow(1.0 + 2.0 * 0.1 / sqrt(3.0), 3.0);
    def = (sp_collider_def){.shape.mesh = &cube, .inside_out = true, .thickness = 0.1f};
    shape = open_shape(&def, HOST);
    assert_ok(sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, ERR));
    expect_closed(&mesh, grown - 1.0, 1e-5);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
    def.inside_out = false;
    def.thickness = 0.2f;
    shape = open_shape(&def, HOST);
    assert_ok(sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, ERR));
    expect_closed(&mesh, grown, 1e-5);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
}

/// Without creases, normals are those of the smooth surface. They are means over faces that differ
/// by up to edge/radius, so they are off by its square: (0.05/0.7)^2 = 0.005.
static void smooth_meshes_get_normals(void **state)
{
    (void)state;
    sp_shape *shape = open_shape(&shape_samples[1].def, HOST);
    sp_mesh mesh;
    assert_ok(sp_shape_mesh(shape, 0.05f, NULL, 1.0, &mesh, ERR));
    sp_release(HOST, mesh.n);
    mesh.n = NULL;
    assert_true(shell_smooth_normals(&mesh));
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        const double p[3] = {(double)mesh.x[i][0], (double)mesh.x[i][1], (double)mesh.x[i][2]};
        double n[3], sum = 0.0;
        sp_shape_distance(shape, 0.0, p, n);
        for (int k = 0; k < 3; ++k)
            sum += (n[k] - (double)mesh.n[i][k]) * (n[k] - (double)mesh.n[i][k]);
        assert_true(sqrt(sum) < 0.005);
    }
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
}

/// ---- Refusals ----------------------------------------------------------------------------------

static void refuse(const sp_collider_def *def, const char *sentence)
{
    sp_shape *shape;
    assert_int_not_equal(sp_shape_open(def, MESHES, HOST, &shape, ERR), SP_OK);
    assert_null(shape);
    assert_string_equal(ERR->text, sentence);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    const sp_box_def box = {{0, 0, 0}, {1, 1, 1}}, flat = {{0, 0, 0}, {1, 0, 1}};
    const sp_sphere_def ball = {{0, 0, 0}, 1}, nothing = {{0, 0, 0}, 0};
    const sp_cylinder_def point = {{1, 2, 3}, {1, 2, 3}, 1}, lying = {{0, 0, 0}, {1, 0, 0}, 1};
    const sp_torus_def thick = {{0, 0, 0}, {0, 1, 0}, 1, 1.5f},
                       ring = {{0, 0, 0}, {0, 1, 0}, 1, 0.5f};
    const sp_torus_def aimless = {{0, 0, 0}, {0, 0, 0}, 1, 0.5f};
    const sp_plane_def plane = {{0, 0, 0}, {0, 0, 0}};
    const sp_mesh_def nameless = {NULL, 1, {0, 0, 0}, NULL},
                      gone = {"gone.obj", 1, {0, 0, 0}, NULL},
                      far = {"cube.obj", 2e6f, {0, 0, 0}, NULL};
    const sp_pose_def late[] = {{.time = 1}, {.time = 1}}, turned[] = {{.time = 0, .angle = 90}};
    const sp_spin_def spin = {{0, 0, 0}, {0, 0, 0}, 1};
    const struct {
        sp_collider_def def;
        const char *sentence;
    } rows[] = {
        {{0},
         "collider.shape: 0 shapes; expected one of box, sphere, cylinder, capsule, torus, plane, "
         "mesh and heightfield"},
        {{.shape = {.box = &box, .sphere = &ball}},
         "collider.shape: 2 shapes; expected one of box, sphere, cylinder, capsule, torus, plane, "
         "mesh and heightfield"},
        {{.shape.box = &flat},
         "collider.shape.box: y from 0 to 0 m; expected min below max in all three"},
        {{.shape.sphere = &nothing},
         "collider.shape.sphere.radius: 0 m; expected 1e-06 to 1000000"},
        {{.shape.capsule = &point},
         "collider.shape.capsule: from and to are the same point (1, 2, 3)"},
        {{.shape.torus = &thick},
         "collider.shape.torus.tube: 1.5 m; expected less than the circle's radius, 1 m"},
        {{.shape.torus = &aimless}, "collider.shape.torus.axis: (0, 0, 0); expected a direction"},
        {{.shape.plane = &plane}, "collider.shape.plane.normal: (0, 0, 0); expected a direction"},
        {{.shape.mesh = &nameless},
         "collider.shape.mesh.file: missing; expected an .obj, .stl or .ply file"},
        {{.name = "rock", .shape.mesh = &gone},
         "collider \"rock\": " MESHES "/gone.obj: No such file or directory"},
        {{.name = "rock", .shape.mesh = &far},
         "collider \"rock\": " MESHES "/cube.obj reaches to 2e+06 m with mesh.scale 2e+06; "
         "expected at most 1e+06 m: give it a smaller scale"},
        {{.name = "a/b", .shape.box = &box},
         "collider.name: expected 1 to 100 bytes without slashes and control characters"},
        {{.shape.box = &box, .thickness = 0.5f},
         "collider.thickness: 0.5 m; only a container (inside_out) or a mesh has one"},
        {{.shape.torus = &ring, .inside_out = true, .thickness = 0.5f},
         "collider.thickness: 0.5 m; with the tube's 0.5 m it fills the hole of the torus"},
        {{.shape.box = &box, .open = SP_OPEN_TOP},
         "collider.open: only a container (inside_out) can be open"},
        {{.shape.cylinder = &lying, .inside_out = true, .open = SP_OPEN_TOP},
         "collider.open: only a box or an upright cylinder can be open at the top"},
        {{.shape.box = &box, .motion = {.keys = late, .key_count = 2}},
         "collider.motion.keys[1].time: 1 s; expected later than the key before, 1 s"},
        {{.shape.box = &box, .motion = {.keys = turned, .key_count = 1}},
         "collider.motion.keys[0].axis: (0, 0, 0); expected a direction to turn 90 degrees about"},
        {{.shape.box = &box, .motion = {.spin = &spin}},
         "collider.motion.spin.axis: (0, 0, 0); expected a direction"},
        {{.shape.box = &box, .slip = 2}, "collider.slip: 2; expected 0 to 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        refuse(&rows[i].def, rows[i].sentence);
}

/// The copy outlives its source and has defaults for omitted keys.
static void defs_are_copied(void **state)
{
    (void)state;
    sp_box_def box = {{0, 0, 0}, {1, 1, 1}};
    char name[] = "tank";
    sp_collider_def def = {.name = name, .shape.box = &box};
    sp_shape *shape = open_shape(&def, HOST);
    memset(&box, 0, sizeof box);
    name[0] = 'b';
    const sp_collider_def *copy = sp_shape_def_of(shape);
    assert_string_equal(copy->name, "tank");
    assert_string_equal(copy->material, "stone");
    assert_true(copy->shape.box->max[1] == 1.0f);
    assert_string_equal(sp_shape_pose(shape, 0.0).name, "tank");
    sp_shape_close(shape);
    sp_shape_close(NULL);
}

/// Every key has a line of documentation, and a default within its range or none because it is
/// required.
static void key_tables_are_consistent(void **state)
{
    (void)state;
    sp_collider_def def;
    const sp_sphere_def ball = {{0, 0, 0}, 1};
    sp_keys_defaults(&sp_collider_keys, &def);
    def.shape.sphere = &ball;
    assert_ok(sp_keys_check(&sp_collider_keys, &def, "", ERR));
    assert_ok(sp_collider_check(&def, "colliders[0]", ERR));
    assert_true(def.slip == 1.0f && !def.inside_out && def.open == SP_OPEN_NOWHERE);
    for (size_t i = 0; i < sp_shape_keys.count; ++i) {
        const sp_keys *items = sp_shape_keys.keys[i].items;
        for (size_t k = 0; k < items->count; ++k)
            assert_true(items->keys[k].doc && items->keys[k].unit);
    }
}

/// ---- Memory ------------------------------------------------------------------------------------

static sp_collider_def scarce_def;
static sp_status open_and_mesh(const sp_host *host, sp_error *err)
{
    sp_shape *shape;
    sp_mesh mesh;
    SP_TRY(sp_shape_open(&scarce_def, MESHES, host, &shape, err));
    const sp_status status = sp_shape_mesh(shape, 0.1f, NULL, 1.0, &mesh, err);
    sp_mesh_close(&mesh);
    sp_shape_close(shape);
    return status;
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    static const sp_mesh_def files[] = {{"cube.obj", 1, {0, 0, 0}, NULL},
                                        {"sheet.ply", 1, {0, 0, 0}, NULL},
                                        {"corner.stl", 1, {0, 0, 0}, NULL}};
    sp_collider_def defs[4] = {shape_samples[9].def};
    for (int i = 0; i < 3; ++i)
        defs[i + 1] = (sp_collider_def){.name = "thing",
                                        .shape.mesh = &files[i],
                                        .inside_out = i == 0,
                                        .thickness = i < 2 ? 0.1f : 0.0f};
    for (size_t d = 0; d < 4; ++d) {
        scarce_def = defs[d];
        scarce_def.motion = shape_sample_motion;
        scarce_fail_most(open_and_mesh, 1, 2, 2); // a mesh without memory for normals has none
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_point_equals_brute_force),
        cmocka_unit_test(trees_of_degenerate_meshes_hold_every_triangle),
        cmocka_unit_test(winding_number_is_the_covered_solid_angle),
        cmocka_unit_test(winding_number_counts_copies_of_a_solid),
        cmocka_unit_test(a_cube_from_a_file_is_a_box),
        cmocka_unit_test(duplicate_vertices_are_welded),
        cmocka_unit_test(on_the_surface_the_gradient_is_the_normal),
        cmocka_unit_test(thickness_turns_a_sheet_into_a_solid),
        cmocka_unit_test(a_shell_has_no_open_edges),
        cmocka_unit_test(inward_mesh_is_inverted_and_reported),
        cmocka_unit_test(sizes_that_cannot_be_meshed_name_the_collider),
        cmocka_unit_test(files_become_closed_meshes),
        cmocka_unit_test(smooth_meshes_get_normals),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(defs_are_copied),
        cmocka_unit_test(key_tables_are_consistent),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
