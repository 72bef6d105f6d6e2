// SPDX-License-Identifier: Apache-2.0
// links: mesh core
/// Measures and edges of meshes of solids with known answers.
#include "mesh/mesh.h"
#include "scarce_host.h"
#include "testing.h"

#include <spume/mesh.h>

#include <string.h>

static const float cube_corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const uint32_t cube_face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

/// A box with edges a, b, c, far from the origin.
static sp_mesh box(const sp_host *host, float a, float b, float c)
{
    sp_mesh mesh;
    assert_ok(sp_mesh_open(&mesh, host, 8, 12, SP_MESH_NORMALS, ERR));
    for (int i = 0; i < 8; ++i) {
        mesh.x[i][0] = a * cube_corner[i][0] + 3.0f;
        mesh.x[i][1] = b * cube_corner[i][1] - 2.0f;
        mesh.x[i][2] = c * cube_corner[i][2] + 1.0f;
    }
    memcpy(mesh.tri, cube_face, sizeof cube_face);
    return mesh;
}

static void a_box_has_its_area_and_volume(void **state)
{
    (void)state;
    sp_mesh mesh = box(HOST, 2.0f, 0.5f, 4.0f);
    assert_true(fabs(sp_mesh_volume(&mesh) - 4.0) < 1e-12); // coordinates are exact in binary
    assert_true(fabs(sp_mesh_area(&mesh) - 2.0 * (1.0 + 2.0 + 8.0)) < 1e-12);
    sp_mesh_close(&mesh);
    assert_null(mesh.x);
}

static void box_is_closed_with_the_topology_of_a_sphere(void **state)
{
    (void)state;
    sp_mesh mesh = box(HOST, 1.0f, 1.0f, 1.0f);
    sp_mesh_edges look;
    assert_ok(sp_mesh_look(&mesh, &look, ERR));
    assert_int_equal(look.edges, 18);
    assert_int_equal(look.open + look.crowded + look.flipped, 0);
    assert_int_equal(look.euler, 2);
    sp_mesh_close(&mesh);
}

static void mesh_faults_are_counted(void **state)
{
    (void)state;
    sp_mesh_edges look;
    sp_mesh mesh = box(HOST, 1.0f, 1.0f, 1.0f);
    mesh.triangle_count = 11; // a hole of one triangle has three edges
    assert_ok(sp_mesh_look(&mesh, &look, ERR));
    assert_int_equal(look.open, 3);
    mesh.triangle_count = 12;
    const uint32_t turned[3] = {mesh.tri[0][1], mesh.tri[0][0], mesh.tri[0][2]};
    memcpy(mesh.tri[0], turned, sizeof turned); // now directed like its three neighbours
    assert_ok(sp_mesh_look(&mesh, &look, ERR));
    assert_int_equal(look.flipped, 3);
    memcpy(mesh.tri[0], mesh.tri[1],
           sizeof turned); // a duplicate: its edges have three triangles, the old ones one
    assert_ok(sp_mesh_look(&mesh, &look, ERR));
    assert_true(look.crowded > 0 && look.open > 0);
    mesh.tri[5][1] = 8;
    assert_fails(sp_mesh_look(&mesh, &look, ERR), SP_BAD_INPUT, "triangle 5 names vertex 8 of 8");
    sp_mesh_close(&mesh);
}

static void empty_mesh_is_accepted_everywhere(void **state)
{
    (void)state;
    sp_mesh mesh = {0};
    sp_mesh_edges look;
    assert_ok(sp_mesh_look(&mesh, &look, ERR));
    assert_true(sp_mesh_area(&mesh) == 0.0 && sp_mesh_volume(&mesh) == 0.0);
    sp_mesh_close(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_its_area_and_volume),
        cmocka_unit_test(box_is_closed_with_the_topology_of_a_sphere),
        cmocka_unit_test(mesh_faults_are_counted),
        cmocka_unit_test(empty_mesh_is_accepted_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
