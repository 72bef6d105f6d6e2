// SPDX-License-Identifier: Apache-2.0
// links: surface cache tiles frame core
// Velocity on faces in a frame: it is written, read back, refused for other fields, and sampled at
// the faces.
#include "cache/cache.h"
#include "surface/surface.h"
#include "temporary.h"
#include "testing.h"
#include "tiles/tiles.h"

#include <string.h>
#include <unistd.h>

enum { TILES = 8, VOXELS = TILES * SP_TILE_VOXELS };
static const float voxel = 0.125f, radius = 0.4f;

/// A ball of water around the corner where eight tiles meet, in a velocity that is linear in space.
typedef struct drop {
    int32_t at[TILES][3];
    float phi[VOXELS], velocity[VOXELS][3];
    sp_field fields[2];
    sp_frame frame;
} drop;

static float linear(int c, const float x[3])
{
    return 0.5f + (float)(c + 1) * x[c] - 0.75f * x[(c + 1) % 3];
}

static void open_drop(drop *d, bool staggered)
{
    memset(d, 0, sizeof *d);
    for (size_t v = 0; v < VOXELS; ++v) {
        const size_t t = v / SP_TILE_VOXELS, place = v % SP_TILE_VOXELS;
        const int32_t in[3] = {place & 7, place >> 3 & 7, (int32_t)(place >> 6)};
        float x[3];
        for (size_t k = 0; k < 3; ++k) {
            d->at[t][k] = (int32_t)(t >> k & 1) - 1;
            x[k] = ((float)(8 * d->at[t][k] + in[k]) + 0.5f) * voxel;
        }
        d->phi[v] = sqrtf(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - radius;
        for (int c = 0; c < 3; ++c) {
            float p[3] = {x[0], x[1], x[2]};
            p[c] -= staggered ? 0.5f * voxel : 0.0f;
            d->velocity[v][c] = linear(c, p);
        }
    }
    const sp_field tiles = {.layout = SP_FIELD_TILES, .tiles = d->at[0], .tile_count = TILES};
    d->fields[0] = d->fields[1] = tiles;
    d->fields[0].name = "surface";
    d->fields[0].components = 1;
    d->fields[0].values = d->phi;
    d->fields[1].name = "velocity";
    d->fields[1].components = 3;
    d->fields[1].values = d->velocity[0];
    d->fields[1].staggered = staggered;
    d->frame = (sp_frame){.fps = 24, .voxel = (double)voxel, .fields = d->fields, .field_count = 2};
}

static drop one; // too large for a stack

static void frame_file_keeps_whether_velocity_is_on_faces(void **state)
{
    (void)state;
    const char *path = path_in(temporary_directory(), "a.h5");
    for (int staggered = 0; staggered < 2; ++staggered) {
        sp_frame_file *file;
        open_drop(&one, staggered);
        assert_ok(sp_frame_file_write(path, &one.frame, false, HOST, ERR));
        assert_ok(sp_frame_file_open(path, HOST, &file, ERR));
        const sp_frame *back = sp_frame_file_frame(file);
        assert_false(sp_frame_field(back, "surface")->staggered);
        assert_int_equal(sp_frame_field(back, "velocity")->staggered, staggered);
        assert_memory_equal(sp_frame_field(back, "velocity")->values, one.velocity,
                            sizeof one.velocity);
        sp_frame_file_close(file);
    }
}

static void only_vectors_on_tiles_may_be_on_faces(void **state)
{
    (void)state;
    open_drop(&one, true);
    assert_ok(sp_frame_check(&one.frame, ERR));
    one.fields[0].staggered = true;
    assert_fails(sp_frame_check(&one.frame, ERR), SP_BAD_INPUT, "/fields/surface");
    one.fields[0].staggered = false;
    one.fields[1].layout = SP_FIELD_PLANE;
    assert_fails(sp_frame_check(&one.frame, ERR), SP_BAD_INPUT, "/fields/velocity");
}

/// Trilinear interpolation reproduces a linear field, so a vertex gets the field's velocity half a
/// voxel inside, wherever the vertex is. Sampling at the wrong place gives an error of half a voxel
/// times the slope, 0.06.
static void mesh_velocity_is_sampled_where_the_field_is_stored(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_surface_def def = sp_surface_defaults();
    for (int staggered = 0; staggered < 2; ++staggered) {
        sp_mesh mesh;
        open_drop(&one, staggered);
        assert_ok(sp_surface_field(&def, &one.frame, "surface", NULL, &host, &mesh, NULL, ERR));
        assert_true(mesh.vertex_count > 100);
        for (size_t v = 0; v < mesh.vertex_count; ++v)
            for (int c = 0; c < 3; ++c) {
                float p[3];
                for (int k = 0; k < 3; ++k)
                    p[k] = mesh.x[v][k] - 0.5f * voxel * mesh.n[v][k];
                assert_true(fabsf(mesh.v[v][c] - linear(c, p)) < 1e-5f);
            }
        sp_mesh_close(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_file_keeps_whether_velocity_is_on_faces),
        cmocka_unit_test(only_vectors_on_tiles_may_be_on_faces),
        cmocka_unit_test(mesh_velocity_is_sampled_where_the_field_is_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
