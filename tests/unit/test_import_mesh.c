// SPDX-License-Identifier: Apache-2.0
// links: exchange shapes bulk tiles frame core
// Import of surface meshes: a ball that flies and turns, as PLY and as FLIP Fluids writes it.
#include "exchange/exchange.h"
#include "exchange/import/import_internal.h"
#include "scarce_host.h"
#include "shapes/shapes.h"
#include "test_import_place.h"
#include "testing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int open_all(void **state)
{
    (void)state;
    return open_place(1);
}

/// ---- The ball ----------------------------------------------------------------------------------

static const double start[3] = {1.0, 2.0, -0.5}, travel[3] = {0.6, -1.2, 0.3}, radius = 0.5,
                    voxel = 0.05, turning = 1.6;
enum { FPS = 24 };

static void middle_at(double time, double p[3])
{
    for (int a = 0; a < 3; ++a)
        p[a] = start[a] + time * travel[a];
}

/// It turns about an upright axis through its middle.
static double velocity_at(const double p[3], double time, int axis)
{
    double middle[3];
    middle_at(time, middle);
    return travel[axis] + turning * (axis == 0   ? p[2] - middle[2]
                                     : axis == 2 ? middle[0] - p[0]
                                                 : 0.0);
}

/// Its mesh at a moment. Edges of 0.03 m lie 0.2 mm inside the sphere.
static void make_ball(double time, sp_mesh *mesh)
{
    double middle[3];
    middle_at(time, middle);
    const sp_sphere_def sphere = {{(float)middle[0], (float)middle[1], (float)middle[2]},
                                  (float)radius};
    const sp_collider_def def = {.shape.sphere = &sphere};
    sp_shape *shape;
    sp_mesh plain;
    assert_ok(sp_shape_open(&def, NULL, &base_host, &shape, ERR));
    assert_ok(sp_shape_mesh(shape, 0.03f, NULL, 10.0, &plain, ERR));
    assert_ok(sp_mesh_open(mesh, &base_host, plain.vertex_count, plain.triangle_count,
                           SP_MESH_VELOCITY, ERR));
    memcpy(mesh->x, plain.x, plain.vertex_count * sizeof *mesh->x);
    memcpy(mesh->tri, plain.tri, plain.triangle_count * sizeof *mesh->tri);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const double p[3] = {(double)mesh->x[i][0], (double)mesh->x[i][1], (double)mesh->x[i][2]};
        for (int a = 0; a < 3; ++a)
            mesh->v[i][a] = (float)velocity_at(p, time, a);
    }
    sp_mesh_close(&plain);
    sp_shape_close(shape);
}

static double time_of(uint64_t frame)
{
    return (double)frame / FPS;
}

static const char *in_dir(const char *name, uint64_t frame, const char *ending)
{
    char file[64];
    snprintf(file, sizeof file, "%s%06llu%s", name, (unsigned long long)frame, ending);
    return path_in(dir, file);
}

static const char *put_ply(uint64_t frame, const sp_mesh *mesh, bool ascii)
{
    const sp_export_moment when = {frame, time_of(frame)};
    const sp_export_options o = {.struct_size = sizeof(sp_export_options), .ascii = ascii};
    assert_ok(sp_export_mesh_ply(dir, "ball", &when, mesh, &o, ERR));
    return in_dir("ball.", frame, ".ply");
}

static const char *put_ball(uint64_t frame, bool ascii)
{
    sp_mesh mesh;
    make_ball(time_of(frame), &mesh);
    const char *path = put_ply(frame, &mesh, ascii);
    sp_mesh_close(&mesh);
    return path;
}

static void put_words(FILE *file, const void *words, size_t count)
{
    assert_int_equal(fwrite(words, 4, count, file),
                     count); // little-endian, like all supported machines
}

/// Vectors as FLIP Fluids has them, z up: our (x, y, z) is (x, z, -y) of theirs.
static void put_bobj(const char *path, const float (*x)[3], size_t vertices,
                     const uint32_t (*tri)[3], size_t triangles)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    const uint32_t counts[2] = {(uint32_t)vertices, (uint32_t)triangles};
    put_words(file, &counts[0], 1);
    for (size_t i = 0; i < vertices; ++i) {
        const float theirs[3] = {x[i][0], -x[i][2], x[i][1]};
        put_words(file, theirs, 3);
    }
    put_words(file, &counts[1], 1);
    if (triangles) put_words(file, tri, 3 * triangles);
    fclose(file);
}

static const char *put_flip(uint64_t frame)
{
    sp_mesh mesh;
    make_ball(time_of(frame), &mesh);
    const char *path = in_dir("", frame, ".bobj");
    put_bobj(path, (const float(*)[3])mesh.x, mesh.vertex_count, (const uint32_t(*)[3])mesh.tri,
             mesh.triangle_count);
    put_bobj(in_dir("velocity", frame, ".bobj"), (const float(*)[3])mesh.v, mesh.vertex_count, NULL,
             0);
    FILE *bounds = fopen(in_dir("bounds", frame, ".bbox"), "w");
    assert_non_null(bounds);
    fprintf(bounds,
            "{\"x\": -1.0, \"y\": 0, \"z\": 0, \"width\": 4.0, \"height\": 4.0, "
            "\"depth\": 4.0, \"dx\": %g}\n",
            voxel);
    fclose(bounds);
    sp_mesh_close(&mesh);
    return path;
}

/// ---- Reading -----------------------------------------------------------------------------------

static sp_status read_one(const char *path, const sp_import_options *o, sp_import_water *water,
                          sp_error *err)
{
    sp_import *import;
    clear_log();
    SP_TRY(sp_import_open(&path, 1, o, &host, &import, err));
    const sp_status status = sp_import_water_read(import, 0, water, err);
    sp_import_close(import);
    return status;
}

static void must_read(const char *path, const sp_import_options *o, sp_import_water *water)
{
    assert_ok(read_one(path, o, water, ERR));
}

static sp_import_options with_voxel(double h)
{
    sp_import_options o = sp_import_defaults();
    o.voxel = h;
    return o;
}

static uint64_t hash_of(const sp_import_water *w)
{
    const size_t bytes = w->tiles.count * SP_TILE_VOXELS * sizeof(float);
    uint64_t hash = sp_hash(0, w->tiles.at, w->tiles.count * sizeof *w->tiles.at);
    hash = sp_hash(hash, w->phi, bytes);
    for (int a = 0; a < 3; ++a)
        hash = sp_hash(hash, w->u[a], bytes);
    return hash;
}

static void place_of(const sp_import_water *w, size_t v, double p[3])
{
    const size_t t = v / SP_TILE_VOXELS, place = v % SP_TILE_VOXELS;
    const double in[3] = {(double)(place & 7), (double)(place >> 3 & 7), (double)(place >> 6)};
    for (int a = 0; a < 3; ++a)
        p[a] = w->origin[a] + (8.0 * w->tiles.at[t][a] + in[a] + 0.5) * w->voxel;
}

/// Distances are those of a sphere at most 0.2 mm larger than the mesh: a hundredth of a voxel.
/// Near the surface the velocity is that of the nearest point. On flat triangles that point lies up
/// to half an edge beside the sphere's own: 0.015 m times a gradient of 1.6/s, which is 1.7 % of
/// the speed. The volume follows from the distance except for how cut cells are counted: 0.3 %.
static void expect_ball(const sp_import_water *w, double time)
{
    double middle[3], most = 0.0;
    size_t near = 0;
    middle_at(time, middle);
    assert_true(fabs(w->voxel - voxel) < 1e-9 && fabs((double)w->band - 4.0 * voxel) < 1e-6);
    for (size_t v = 0; v < w->tiles.count * SP_TILE_VOXELS; ++v) {
        double p[3], from[3];
        place_of(w, v, p);
        for (int a = 0; a < 3; ++a)
            from[a] = p[a] - middle[a];
        const double d = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]) - radius;
        const double cut = fmax(-4.0 * voxel, fmin(4.0 * voxel, d));
        assert_true(fabs((double)w->phi[v] - cut) < 0.01 * voxel);
        if (fabs(d) > 3.0 * voxel) continue;
        ++near;
        for (int a = 0; a < 3; ++a) {
            double face[3] = {from[0], from[1], from[2]}, at[3];
            face[a] -= 0.5 * voxel;
            const double away = sqrt(face[0] * face[0] + face[1] * face[1] + face[2] * face[2]);
            for (int k = 0; k < 3; ++k)
                at[k] = middle[k] + face[k] * radius / away;
            most = fmax(most, fabs((double)w->u[a][v] - velocity_at(at, time, a)));
        }
    }
    assert_true(near > 7000); // six voxels of 4 pi 10^2
    if (!(most < 0.024)) fail_msg("velocity is off by %g m/s", most);
    const double whole = 4.0 / 3.0 * SP_PI_D * radius * radius * radius;
    assert_true(fabs(sp_levelset_volume(&w->tiles, w->phi) / whole - 1.0) < 0.003);
}

static void ball_is_imported_from_ply(void **state)
{
    (void)state;
    const sp_import_options o = with_voxel(voxel);
    for (int ascii = 0; ascii < 2; ++ascii) {
        sp_import_water w;
        must_read(put_ball(3, ascii), &o, &w);
        expect_ball(&w, time_of(3));
        assert_non_null(strstr(logged, "velocity is known at the surface only and was continued"));
        assert_null(strstr(logged, "that are open"));
        sp_import_water_close(&w);
    }
}

static void flip_fluids_cache_needs_no_options(void **state)
{
    (void)state;
    const sp_import_options o = sp_import_defaults();
    sp_import_water w;
    must_read(put_flip(7), &o, &w);
    expect_ball(&w, time_of(7));
    assert_non_null(strstr(logged, "FLIP Fluids files: surface from meshes, velocity of their "
                                   "vertices in m/s, z up, voxel 0.05 m"));
    sp_import_water_close(&w);
}

/// Meshes in centimetres have velocities in centimetres per second.
static void scale_and_up_axis_are_applied(void **state)
{
    (void)state;
    sp_import_options o = sp_import_defaults();
    sp_import_water w;
    o.scale = 0.01;
    must_read(put_flip(7), &o, &w);
    assert_true(fabs(w.voxel - 0.01 * voxel) < 1e-12);
    assert_true(w.speed > 0.01 && w.speed < 0.03); // 1.4 m/s, and 0.8 m/s from turning
    sp_import_water_close(&w);
    o = with_voxel(voxel);
    o.up = SP_IMPORT_UP_Z;
    must_read(put_ball(3, false), &o, &w);
    const import_motion m = import_measure_motion(&w);
    double middle[3];
    middle_at(time_of(3), middle);
    assert_true(fabs(m.center[1] - middle[2]) < 0.01 && fabs(m.center[2] + middle[1]) < 0.01);
    assert_true(fabs(m.velocity[1] - travel[2]) < 0.02 && fabs(m.velocity[2] + travel[1]) < 0.02);
    sp_import_water_close(&w);
}

/// Averages stay within the range of the averaged values, and every face gets a value.
static void surface_velocity_is_extrapolated_to_the_middle(void **state)
{
    (void)state;
    const sp_import_options o = with_voxel(0.03); // the middle is 16 voxels deep
    sp_import_water w;
    must_read(put_ball(3, false), &o, &w);
    for (size_t t = 0; t < w.tiles.count; ++t)
        assert_true(w.known[t]);
    for (size_t v = 0; v < w.tiles.count * SP_TILE_VOXELS; ++v) {
        assert_true(fabs((double)w.u[0][v] - travel[0]) < turning * radius * 1.001);
        assert_true(fabs((double)w.u[1][v] - travel[1]) < 1e-4);
        assert_true(fabs((double)w.u[2][v] - travel[2]) < turning * radius * 1.001);
    }
    sp_import_water_close(&w);
}

static void triangle_orientation_does_not_matter(void **state)
{
    (void)state;
    const sp_import_options o = with_voxel(voxel);
    sp_import_water w;
    sp_mesh mesh;
    make_ball(time_of(3), &mesh);
    for (size_t t = 0; t < mesh.triangle_count; ++t) {
        const uint32_t second = mesh.tri[t][1];
        mesh.tri[t][1] = mesh.tri[t][2];
        mesh.tri[t][2] = second;
    }
    must_read(put_ply(3, &mesh, false), &o, &w);
    expect_ball(&w, time_of(3));
    sp_import_water_close(&w);
    sp_mesh_close(&mesh);
}

/// A quarter of the ball is inverted, as modellers do where water touches glass. The sign is
/// guessed there, and that is logged.
static void inverted_parts_are_reported(void **state)
{
    (void)state;
    const sp_import_options o = with_voxel(voxel);
    sp_import_water w;
    sp_mesh mesh;
    make_ball(time_of(3), &mesh);
    for (size_t t = 0; t < mesh.triangle_count / 4; ++t) {
        const uint32_t second = mesh.tri[t][1];
        mesh.tri[t][1] = mesh.tri[t][2];
        mesh.tri[t][2] = second;
    }
    must_read(put_ply(3, &mesh, false), &o, &w);
    assert_non_null(strstr(logged, "whose triangles face opposite ways"));
    sp_import_water_close(&w);
    sp_mesh_close(&mesh);
}

/// The winding number passes one half in the plane of a flat hole. The volume of the rest of the
/// ball is known; the rim of the hole is ragged by one edge, 0.03 m, about 1 % of the volume.
static void holes_are_closed_and_reported(void **state)
{
    (void)state;
    static const double below[] = {0.497, 0.3}; // m above the middle; triangles above are left out
    const sp_import_options o = with_voxel(voxel);
    for (size_t r = 0; r < sizeof below / sizeof *below; ++r) {
        sp_import_water w;
        sp_mesh mesh;
        double middle[3];
        size_t kept = 0;
        middle_at(time_of(3), middle);
        make_ball(time_of(3), &mesh);
        for (size_t t = 0; t < mesh.triangle_count; ++t)
            if ((double)mesh.x[mesh.tri[t][0]][1] - middle[1] < below[r])
                memmove(mesh.tri[kept++], mesh.tri[t], sizeof *mesh.tri);
        assert_true(kept < mesh.triangle_count);
        mesh.triangle_count = kept;
        must_read(put_ply(3, &mesh, false), &o, &w);
        assert_non_null(strstr(
            logged, " edges that are open or whose triangles face opposite ways: its water"));
        const double high = radius - below[r],
                     left = SP_PI_D * (4.0 / 3.0 * radius * radius * radius -
                                       high * high * (3.0 * radius - high) / 3.0);
        const double ratio = sp_levelset_volume(&w.tiles, w.phi) / left;
        if (!(fabs(ratio - 1.0) < 0.02)) fail_msg("hole above %g m: %g of it", below[r], ratio);
        sp_import_water_close(&w);
        sp_mesh_close(&mesh);
    }
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    const sp_import_options o = with_voxel(0.1);
    uint64_t hashes[3];
    for (int k = 0; k < 3; ++k) {
        sp_import_water w;
        host = sp_host_default(2 * k + 1);
        host.log = keep_line;
        must_read(put_ball(3, false), &o, &w);
        hashes[k] = hash_of(&w);
        sp_import_water_close(&w);
    }
    host = base_host;
    host.log = keep_line;
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

/// ---- Sequences ---------------------------------------------------------------------------------

/// Half way between two frames the ball is half way, with the velocity of both. A frame may be dry.
static void mesh_sequence_serves_as_bulk(void **state)
{
    (void)state;
    const sp_import_options o = with_voxel(voxel);
    const char *paths[3];
    static char kept[3][128];
    sp_import *import;
    sp_bulk bulk;
    sp_mesh none;
    assert_ok(sp_mesh_open(&none, &base_host, 0, 0, SP_MESH_VELOCITY, ERR));
    for (uint64_t k = 0; k < 3; ++k) {
        strcpy(kept[k], k < 2 ? put_ball(k + 4, false) : put_ply(6, &none, false));
        paths[k] = kept[k];
    }
    sp_mesh_close(&none);
    assert_ok(sp_import_open(paths, 3, &o, &host, &import, ERR));
    assert_ok(sp_import_bulk(import, &bulk, ERR));
    const double t = 4.5 / FPS;
    double middle[3], end[3];
    middle_at(t, middle);
    middle_at(time_of(6), end);
    const double x[2] = {middle[0], middle[0] + radius - 0.5 * voxel},
                 y[2] = {middle[1], middle[1]}, z[2] = {middle[2], middle[2]};
    float phi[2], u[3][2];
    uint8_t mask[2];
    const sp_bulk_query q = {
        .n = 2, .x = x, .y = y, .z = z, .phi = phi, .mask = mask, .u = {u[0], u[1], u[2]}};
    assert_ok(sp_bulk_sample(&bulk, &host, t, &q, ERR));
    assert_int_equal(mask[0] | mask[1], 0);
    assert_true(phi[0] < -3.0f * (float)voxel);
    assert_true(fabs((double)phi[1] + 0.5 * voxel) < 0.2 * voxel);
    assert_true(fabs((double)u[0][1] - travel[0]) < 0.05 &&
                fabs((double)u[1][1] - travel[1]) < 0.05);
    assert_true(bulk.low[0] < start[0] - 0.3 && bulk.high[1] < start[1] + 0.5);
    assert_ok(sp_bulk_sample(&bulk, &host, time_of(6), &q, ERR));
    assert_int_equal(mask[0], SP_BULK_OUTSIDE);
    sp_bulk_close(&bulk);
}

/// ---- What is refused ---------------------------------------------------------------------------

static void refuse(const char *path, const sp_import_options *o, const char *sentence)
{
    sp_import_water w;
    assert_fails(read_one(path, o, &w, ERR), SP_BAD_INPUT, sentence);
}

static void missing_files_and_attributes_are_named(void **state)
{
    (void)state;
    const sp_import_options plain = sp_import_defaults(), fine = with_voxel(voxel);
    sp_mesh mesh;
    refuse(put_ball(3, false), &plain,
           "a PLY does not tell how wide voxels are to be; give --voxel H, in m");
    make_ball(time_of(3), &mesh);
    float(*v)[3] = mesh.v;
    mesh.v = NULL;
    refuse(put_ply(3, &mesh, false), &fine, "its vertices have no velocity; expected vx vy vz");
    mesh.v = v;
    sp_mesh_close(&mesh);

    const char *path = put_flip(9);
    remove(in_dir("bounds", 9, ".bbox"));
    refuse(path, &plain,
           "bounds000009.bbox does not tell how wide voxels are (\"dx\"); give --voxel");
    put_bobj(in_dir("velocity", 9, ".bobj"), (const float[][3]){{0, 0, 0}}, 1, NULL, 0);
    refuse(path, &fine, "velocity000009.bobj holds 1 vectors for the ");
    remove(in_dir("velocity", 9, ".bobj"));
    refuse(path, &fine,
           "velocity000009.bobj, so its velocity is not known; tick Generate Velocity Attributes");
    sp_import_options still = fine;
    sp_import_water w;
    still.velocity = "none";
    must_read(path, &still, &w);
    assert_true(w.speed == 0.0 && w.known[0]);
    sp_import_water_close(&w);
    assert_int_equal(truncate(path, 0), 0); // as FLIP Fluids writes frames without water
    refuse(path, &fine, "holds no water");
}

/// The voxel size that the message suggests does fit.
static void voxels_that_are_too_small_or_too_large_are_refused(void **state)
{
    (void)state;
    const char *path = put_ball(3, false);
    sp_import_options o = with_voxel(1e-5);
    sp_import_water w;
    sp_budget budget;
    sp_import *import;
    host = sp_budget_host(&budget, &base_host, 10 << 20);
    assert_int_equal(sp_import_open(&path, 1, &o, &host, &import, ERR), SP_BAD_INPUT);
    const char *told = strstr(ERR->text, "expected --voxel ");
    assert_non_null(strstr(ERR->text, "voxels of 1e-05 m: the water would take about 1."));
    assert_true(told && sscanf(told, "expected --voxel %lf or more", &o.voxel) == 1);
    assert_true(o.voxel > 0.01 && o.voxel < voxel); // some 360 tiles, twice, fill 10 MiB
    must_read(path, &o, &w);
    sp_import_water_close(&w);
    host = base_host;
    host.log = keep_line;
    o.voxel = 0.3; // a metre is less than four of them
    refuse(path, &o,
           "the water is 1 m wide, less than four of them; expected --voxel 0.24 or less");
    o.voxel = 0.24;
    must_read(path, &o, &w);
    sp_import_water_close(&w);
}

static void grid_options_are_refused_for_meshes(void **state)
{
    (void)state;
    const char *path = put_ball(3, false);
    sp_import_options o = with_voxel(voxel);
    o.surface = "phi";
    refuse(path, &o, "--surface phi: meshes hold no grids");
    o = with_voxel(voxel);
    o.velocity = "vel";
    refuse(path, &o, "--velocity vel: meshes hold no grids");
    o = with_voxel(voxel);
    o.fog = true;
    refuse(path, &o, "--fog: meshes hold no grids");
    o = with_voxel(voxel);
    o.unit = SP_IMPORT_UNIT_CELL;
    refuse(path, &o, "--velocity-unit cells/unit: meshes have no cells");
    o = with_voxel(voxel);
    refuse("/nowhere/water.0001.vdb", &o, "--voxel 0.05: grids have voxels of their own");
    const char *both[2] = {path, "/nowhere/water.0004.vdb"};
    sp_import *import;
    assert_fails(sp_import_open(both, 2, &o, &host, &import, ERR), SP_BAD_INPUT,
                 "are not of one kind; import .ply files or .vdb files");
}

static sp_status read_scarcely(const sp_host *poor, sp_error *err)
{
    const sp_import_options o = with_voxel(0.4);
    const char *path = in_dir("", 11, ".bobj");
    sp_import *import;
    sp_import_water w;
    sp_status status = sp_import_open(&path, 1, &o, poor, &import, err);
    if (status == SP_OK) {
        status = sp_import_water_read(import, 0, &w, err);
        if (status == SP_OK) sp_import_water_close(&w);
        sp_import_close(import);
    }
    // memory is checked beforehand, and the message is about voxels
    return status == SP_BAD_INPUT && strstr(err->text, "or more --memory") ? SP_NO_MEMORY : status;
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    static const float x[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                  {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    uint32_t tri[8][3];
    for (uint32_t n = 0; n < 8; ++n) { // an octahedron, with a hole where one is left out
        tri[n][0] = n & 1;
        tri[n][1] = 2 + (n >> 1 & 1);
        tri[n][2] = 4 + (n >> 2);
        const bool turned = (n ^ n >> 1 ^ n >> 2) & 1;
        if (turned) {
            tri[n][1] = tri[n][2];
            tri[n][2] = 2 + (n >> 1 & 1);
        }
    }
    put_bobj(in_dir("velocity", 11, ".bobj"), x, 6, NULL, 0);
    put_bobj(in_dir("", 11, ".bobj"), x, 6, (const uint32_t(*)[3])tri, 8);
    scarce_fail_each(read_scarcely, 1, 30);
    put_bobj(in_dir("", 11, ".bobj"), x, 6, (const uint32_t(*)[3])tri, 7);
    scarce_fail_each(read_scarcely, 1, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_is_imported_from_ply),
        cmocka_unit_test(flip_fluids_cache_needs_no_options),
        cmocka_unit_test(scale_and_up_axis_are_applied),
        cmocka_unit_test(surface_velocity_is_extrapolated_to_the_middle),
        cmocka_unit_test(triangle_orientation_does_not_matter),
        cmocka_unit_test(inverted_parts_are_reported),
        cmocka_unit_test(holes_are_closed_and_reported),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(mesh_sequence_serves_as_bulk),
        cmocka_unit_test(missing_files_and_attributes_are_named),
        cmocka_unit_test(voxels_that_are_too_small_or_too_large_are_refused),
        cmocka_unit_test(grid_options_are_refused_for_meshes),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, open_all, NULL);
}
