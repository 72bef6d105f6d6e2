// SPDX-License-Identifier: Apache-2.0
/// Fuzzes the readers of mesh files (libFuzzer). The first byte chooses OBJ, STL or PLY, or water
/// as BOBJ or PLY, the rest is the file. What is accepted must be sound: indices in range, numbers
/// finite, and a tree over it that answers.
#include "mesh/mesh.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool truth)
{
    if (!truth) abort();
}

static void expect_sound(const sp_mesh *mesh, bool may_be_empty)
{
    sp_mesh_edges edges;
    expect(mesh->triangle_count > 0 || may_be_empty);
    expect(sp_mesh_look(mesh, &edges, NULL) == SP_OK); // refuses indices out of range
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            expect(isfinite(mesh->x[i][k]) && (!mesh->v || isfinite(mesh->v[i][k])));
}

static void expect_answers(const sp_mesh *mesh, const sp_host *host)
{
    static const float points[][3] = {{0, 0, 0}, {0.3f, 0.2f, 0.1f}, {1e18f, -1e18f, 5}};
    sp_bvh *bvh;
    float at[3];
    expect(sp_bvh_open(mesh, host, &bvh, NULL) == SP_OK);
    for (size_t i = 0; i < sizeof points / sizeof *points; ++i) {
        expect(sp_bvh_closest(bvh, points[i], INFINITY, at, NULL, NULL));
        expect(isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]));
        expect(isfinite(sp_bvh_winding(bvh, points[i])));
    }
    sp_bvh_close(bvh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"fuzz.obj", "fuzz.stl", "fuzz.ply", "fuzz.bobj",
                                        "fuzz.ply"};
    if (size < 1) return 0;
    const sp_host host = sp_host_default(1);
    sp_mesh mesh;
    sp_error err = {0};
    const int form = data[0] % 5;
    const bool water = form >= 3;
    const sp_status st = sp_mesh_parse(names[form], data + 1, size - 1, water, &host, &mesh, &err);
    if (st == SP_OK) {
        expect_sound(&mesh, water);
        if (mesh.triangle_count > 0) expect_answers(&mesh, &host);
        if (!mesh.v) expect(sp_mesh_weld(&mesh, &err) == SP_OK);
    } else {
        expect(err.status == st && err.text[0] != '\0' && !mesh.x);
    }
    sp_mesh_close(&mesh);
    return 0;
}
