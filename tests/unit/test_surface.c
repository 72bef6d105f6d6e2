// SPDX-License-Identifier: Apache-2.0
// links: validate surface tiles particles frame core
#include "scarce_host.h"
#include "testing.h"
#include "validate/surface/proofs.h"

#include <string.h>

/// A ball of particles with velocities, as a frame.
typedef struct sample {
    sp_host host;
    surface_proof_cloud cloud;
    float (*velocity)[3];
    float *radius;
    sp_column columns[4];
} sample;

static void open_sample(sample *s, double radius, bool radii)
{
    static const double center[3] = {0.4, -0.2, 0.1};
    s->host = sp_host_default(2);
    const size_t room = (size_t)(40.0 * radius * radius * radius) + 64;
    assert_ok(surface_proof_cloud_open(&s->cloud, &s->host, room, 1.0, ERR));
    surface_proof_ball(&s->cloud, 0.5, radius, 0.2, center);
    s->velocity = sp_allocate(&s->host, room, sizeof *s->velocity);
    s->radius = sp_allocate(&s->host, room, sizeof *s->radius);
    for (size_t i = 0; i < s->cloud.n; ++i) {
        const float *x = s->cloud.x[i], v[3] = {-x[1], x[0], 2.0f};
        memcpy(s->velocity[i], v, sizeof v);
        s->radius[i] = i % 2 ? 0.2f : 0.3f;
    }
    s->columns[0] = s->cloud.columns[0];
    s->columns[1] = s->cloud.columns[1];
    s->columns[2] = (sp_column){"velocity", SP_F32, 3, s->velocity};
    s->columns[3] = (sp_column){"radius", SP_F32, 1, s->radius};
    s->cloud.set.columns = s->columns;
    s->cloud.set.column_count = radii ? 4 : 3;
}

static void close_sample(sample *s)
{
    sp_release(&s->host, s->velocity);
    sp_release(&s->host, s->radius);
    surface_proof_cloud_close(&s->cloud);
}

static void assert_closed(const sp_mesh *mesh, int64_t euler)
{
    sp_mesh_edges edges;
    assert_ok(sp_mesh_look(mesh, &edges, ERR));
    assert_int_equal(edges.open + edges.crowded + edges.flipped, 0);
    if (euler >= 0) assert_int_equal(edges.euler, euler);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const float *n = mesh->n[v];
        assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0f) < 1e-5f);
    }
}

/// Every field of the def has a range, and the message names the field.
static void a_def_out_of_range_is_refused(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 1.0, false);
    sp_surface_def defs[11];
    for (int k = 0; k < 11; ++k)
        defs[k] = sp_surface_defaults();
    defs[0].search = 1.2f;
    defs[1].refine = 5;
    defs[2].spacing = -1.0f;
    defs[3].smooth_centers = 1.1f;
    defs[4].stretch = 0.5f;
    defs[5].min_neighbours = 201;
    defs[6].isolated_scale = 0.0f;
    defs[7].offset = 2.0f;
    defs[8].level_passes = 11;
    defs[9].mesh_passes = 51;
    defs[10].struct_size = 0;
    static const char *const said[] = {"surface.search: 1.2 spacings; expected 1.5 to 6",
                                       "surface.refine: 5; expected 1 to 4",
                                       "surface.spacing: -1 m",
                                       "surface.smooth_centers: 1.1",
                                       "surface.stretch: 0.5",
                                       "surface.min_neighbours: 201",
                                       "surface.isolated_scale: 0;",
                                       "surface.offset: 2 voxels",
                                       "surface.level_passes: 11",
                                       "surface.mesh_passes: 51",
                                       "sp_surface_defaults"};
    for (int k = 0; k < 11; ++k) {
        sp_mesh mesh;
        assert_fails(
            sp_surface_points(&defs[k], &s.cloud.frame, "liquid", NULL, &s.host, &mesh, NULL, ERR),
            SP_BAD_INPUT, said[k]);
        assert_null(mesh.x);
    }
    close_sample(&s);
}

static void nan_particle_is_named(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 1.0, false);
    s.cloud.x[7][1] = NAN;
    s.cloud.frame.frame = 12;
    for (size_t i = 0; i < s.cloud.n; ++i)
        s.cloud.id[i] += 805;
    sp_surface_def def = sp_surface_defaults();
    sp_mesh mesh;
    assert_int_equal(
        sp_surface_points(&def, &s.cloud.frame, "liquid", NULL, &s.host, &mesh, NULL, ERR),
        SP_DIVERGED);
    assert_string_equal(ERR->text, "particle 812 of \"liquid\" is not a number (frame 12)");
    assert_int_equal(
        sp_surface_points(&def, &s.cloud.frame, "foam", NULL, &s.host, &mesh, NULL, ERR),
        SP_BAD_INPUT);
    close_sample(&s);
}

static void no_particles_give_an_empty_mesh(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 1.0, false);
    const sp_surface_def def = sp_surface_defaults();
    sp_mesh mesh;
    static const uint32_t none[1];
    assert_ok(
        sp_surface_some(&def, &s.cloud.frame, "liquid", none, 0, NULL, &s.host, &mesh, NULL, ERR));
    assert_int_equal(mesh.vertex_count + mesh.triangle_count, 0);
    sp_mesh_close(&mesh);
    close_sample(&s);
}

/// Every method gives a closed mesh with about the volume of a ball of 4 voxels. Spheres stick out
/// by up to 0.43 voxels with air between them. The mean of Zhu and Bridson lies inside a convex
/// surface, here by a quarter of a voxel (0.82 of the volume). A factor of two in any radius misses
/// by half.
static void every_method_gives_a_closed_ball(void **state)
{
    (void)state;
    static const sp_surface_method methods[] = {SP_SURFACE_SPHERES, SP_SURFACE_ZHU_BRIDSON,
                                                SP_SURFACE_ELLIPSOIDS};
    static const double least[] = {0.9, 0.7, 0.95};
    sample s;
    open_sample(&s, 4.0, false);
    const double truth = 4.0 / 3.0 * SP_PI_D * 64.0;
    for (int k = 0; k < 3; ++k)
        for (int refine = 1; refine <= 3; ++refine) {
            sp_surface_def def = sp_surface_defaults();
            def.method = methods[k];
            def.refine = refine;
            sp_mesh mesh;
            sp_surface_stats stats;
            assert_ok(sp_surface_points(&def, &s.cloud.frame, "liquid", NULL, &s.host, &mesh,
                                        &stats, ERR));
            assert_closed(&mesh, -1);
            const double share = sp_mesh_volume(&mesh) / truth;
            assert_true(share > least[k] && share < 1.15);
            assert_true(stats.particles == s.cloud.n && stats.bytes > 0 && stats.voxels > 0);
            sp_mesh_close(&mesh);
        }
    close_sample(&s);
}

/// Radii that differ by half change the ellipsoids, but the mesh stays closed and round.
static void particles_of_two_sizes_give_a_closed_mesh(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 3.0, true);
    const sp_surface_def def = sp_surface_defaults();
    sp_mesh mesh;
    assert_ok(sp_surface_points(&def, &s.cloud.frame, "liquid", NULL, &s.host, &mesh, NULL, ERR));
    assert_closed(&mesh, -1);
    assert_true(fabs(sp_mesh_volume(&mesh) / (4.0 / 3.0 * SP_PI_D * 27.0) - 1.0) < 0.15);
    sp_mesh_close(&mesh);
    close_sample(&s);
}

/// A ball that rotates and rises. The mean over neighbours on one side is off by a fraction of a
/// voxel, and so are velocities, which change by 1 per voxel; constants are kept to rounding.
static void vertex_velocity_follows_nearby_particles(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 3.0, false);
    const sp_surface_def def = sp_surface_defaults();
    sp_mesh mesh;
    assert_ok(sp_surface_points(&def, &s.cloud.frame, "liquid", NULL, &s.host, &mesh, NULL, ERR));
    assert_non_null(mesh.v);
    for (size_t v = 0; v < mesh.vertex_count; ++v) {
        const float *x = mesh.x[v], *u = mesh.v[v];
        assert_true(fabsf(u[0] + x[1]) < 0.6f && fabsf(u[1] - x[0]) < 0.6f);
        assert_true(fabsf(u[2] - 2.0f) < 1e-5f);
    }
    sp_mesh_close(&mesh);
    close_sample(&s);
}

/// A ball cut through its middle has half its volume. The vertices of the cut lie in the plane,
/// except for rounding and the margin that vertices keep from samples, a thousandth of half a
/// voxel.
static void a_box_cuts_a_ball_in_a_plane(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 4.0, false);
    const sp_surface_def def = sp_surface_defaults();
    const sp_clip clip = {.use_box = true, .low = {-9, -9, -9}, .high = {9, -0.2, 9}};
    sp_mesh whole, half;
    assert_ok(sp_surface_points(&def, &s.cloud.frame, "liquid", NULL, &s.host, &whole, NULL, ERR));
    assert_ok(sp_surface_points(&def, &s.cloud.frame, "liquid", &clip, &s.host, &half, NULL, ERR));
    assert_closed(&half, 2);
    assert_true(fabs(sp_mesh_volume(&half) / sp_mesh_volume(&whole) - 0.5) < 0.01);
    float top = -9.0f;
    for (size_t v = 0; v < half.vertex_count; ++v)
        top = fmaxf(top, half.x[v][1]);
    assert_true(fabsf(top + 0.2f) < 1e-3f);
    sp_mesh_close(&whole);
    sp_mesh_close(&half);
    close_sample(&s);
}

/// Three walls that meet at the origin.
static double corner_of_walls(const void *solids, const double x[3], double away[3])
{
    (void)solids;
    const int nearest = x[0] <= x[1] && x[0] <= x[2] ? 0 : x[1] <= x[2] ? 1 : 2;
    for (int c = 0; c < 3; ++c)
        away[c] = c == nearest ? 1.0 : 0.0;
    return x[nearest];
}

/// Particles a spacing away from three walls fill the corner when they wet it: the mesh ends `sink`
/// inside each wall, within the margin that vertices keep from samples. Its free sides are the same
/// as without walls: on average half a spacing outside the last layer, with bumps of a few percent
/// of the volume; the gap to the walls would be twelve percent.
static void liquid_near_walls_wets_them(void **state)
{
    (void)state;
    static const double first[3] = {0.5, 0.5, 0.5};
    surface_proof_cloud cloud;
    const sp_host host = sp_host_default(2);
    assert_ok(surface_proof_cloud_open(&cloud, &host, 12 * 12 * 12, 1.0, ERR));
    surface_proof_block(&cloud, 0.5, 12, 12, 12, first);
    const sp_surface_def def = sp_surface_defaults();
    const sp_clip clips[2] = {{0}, {.solid = corner_of_walls, .wet = 0.75f, .sink = 0.05f}};
    float low[2], high[2];
    double volume = 0.0;
    for (int k = 0; k < 2; ++k) {
        sp_mesh mesh;
        assert_ok(
            sp_surface_points(&def, &cloud.frame, "liquid", &clips[k], &host, &mesh, NULL, ERR));
        assert_closed(&mesh, 2);
        low[k] = high[k] = mesh.x[0][0];
        for (size_t i = 0; i < 3 * mesh.vertex_count; ++i) { // the same along all axes
            low[k] = fminf(low[k], mesh.x[i / 3][i % 3]);
            high[k] = fmaxf(high[k], mesh.x[i / 3][i % 3]);
        }
        volume = sp_mesh_volume(&mesh);
        sp_mesh_close(&mesh);
    }
    assert_true(fabsf(low[1] + 0.05f) < 1e-3f);
    assert_true(fabsf(high[1] - high[0]) < 1e-6f);
    const double edge = 12 * 0.5 + 0.25 + 0.05; // from `sink` to half a spacing past the last layer
    assert_true(fabs(volume / (edge * edge * edge) - 1.0) < 0.05);
    surface_proof_cloud_close(&cloud);
}

static void pieces_are_numbered_from_zero(void **state)
{
    (void)state;
    static const double far_away[3] = {12.0, 0.0, 0.0};
    sample s;
    open_sample(&s, 2.0, false);
    s.cloud.set.column_count = 2;
    const size_t first = s.cloud.n;
    surface_proof_ball(&s.cloud, 0.5, 1.0, 0.0, far_away);
    assert_true(s.cloud.n > first);
    sp_surface_def def = sp_surface_defaults();
    def.components = true;
    sp_mesh mesh;
    assert_ok(sp_surface_points(&def, &s.cloud.frame, "liquid", NULL, &s.host, &mesh, NULL, ERR));
    assert_closed(&mesh, 4);
    const bool first_is_far = mesh.x[mesh.tri[0][0]][0] > 6.0f;
    for (size_t t = 0; t < mesh.triangle_count; ++t) {
        const bool is_far = mesh.x[mesh.tri[t][0]][0] > 6.0f;
        assert_int_equal(mesh.component[t], is_far == first_is_far ? 0 : 1);
    }
    sp_mesh_close(&mesh);
    close_sample(&s);
}

/// ---- Sums over neighbours ----------------------------------------------------------------------

/// Compared with sums in double. Sums of a few hundred floats are good to 1e-6 of r^2 or better;
/// the limit leaves ten times that. The second cloud has more points within reach than fit one
/// gather.
static void moments_equal_brute_force(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; ++dense) {
        sample s;
        open_sample(&s, 5.0, false);
        sp_surface_def def = sp_surface_defaults();
        surface_shape shape = surface_shape_of(&def, 0.5f);
        if (dense) shape.search = 4.5f;
        surface_points p;
        sp_cells cells;
        assert_ok(surface_points_open(&p, &s.cloud.frame, &s.cloud.set, NULL, 0, shape.search,
                                      &s.host, ERR));
        assert_ok(surface_points_sort(&p, shape.search, &cells, ERR));
        surface_candidates candidates;
        sp_around around;
        sp_around_from(&around, &cells, cells.key[0]);
        for (size_t cell = 0; cell < cells.cells; ++cell)
            for (size_t i = cells.start[cell]; i < cells.start[cell + 1]; i += 97) {
                double w = 0.0, m[3] = {0}, c[3] = {0};
                uint32_t n = 0;
                for (size_t j = 0; j < p.n; ++j) {
                    const float d[3] = {p.x[j] - p.x[i], p.y[j] - p.y[i], p.z[j] - p.z[i]};
                    const float d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    if (!(d2 < shape.search * shape.search)) continue;
                    const double q = sqrt((double)d2) / (double)shape.search, v = 1.0 - q * q * q;
                    w += v;
                    ++n;
                    for (int a = 0; a < 3; ++a) {
                        m[a] += v * (double)d[a];
                        c[a] += v * (double)d[a] * (double)d[(a + 1) % 3]; // xy, yz, zx
                    }
                }
                surface_moments got;
                sp_around_to(&around, &cells, cells.key[cell]);
                memset(&candidates, 0xff, sizeof candidates); // NaN past the end adds nothing
                surface_candidates_gather(&candidates, &p, &around);
                assert_true(candidates.whole == !dense || cells.cells > 1);
                surface_moments_of(&candidates, &shape, &p, &around, i, &got);
                assert_int_equal(got.count, n);
                static const int place[3] = {3, 5, 4};
                for (int a = 0; a < 3; ++a) {
                    const double r = (double)shape.search;
                    assert_true(fabs(got.mean[a] - m[a] / w) < 1e-5 * r);
                    const double cross = c[a] / w - m[a] / w * m[(a + 1) % 3] / w;
                    assert_true(fabs(got.c[place[a]] - cross) < 1e-5 * r * r);
                }
            }
        sp_cells_close(&cells);
        surface_points_close(&p);
        close_sample(&s);
    }
}

/// Eigenvectors are orthonormal to rounding, and reproduce the matrix except for the error of five
/// sweeps, below 1e-8.
static void eigenvectors_reproduce_the_matrix(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 1000; ++n) {
        surface_moments m = {0};
        surface_axes axes;
        double *c = m.c, *value = axes.value, (*v)[3] = axes.vector;
        for (uint32_t k = 0; k < 6; ++k)
            c[k] = surface_proof_normal(20, n, k) * (n % 3 == 0 && k > 2 ? 1e-6 : 1.0);
        surface_eigen_many(1, &m, &axes);
        assert_true(value[0] >= value[1] && value[1] >= value[2]);
        const double full[3][3] = {{c[0], c[3], c[4]}, {c[3], c[1], c[5]}, {c[4], c[5], c[2]}};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double again = 0.0, dot = 0.0;
                for (int k = 0; k < 3; ++k) {
                    again += v[i][k] * value[k] * v[j][k];
                    dot += v[k][i] * v[k][j];
                }
                assert_true(fabs(again - full[i][j]) < 1e-7);
                assert_true(fabs(dot - (i == j)) < 1e-12);
            }
    }
}

/// Leaving out particles far below the surface changes no value within a voxel and a half of it.
static void surface_ignores_particles_far_below_it(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 13.0, false);
    const sp_surface_def def = sp_surface_defaults();
    const surface_shape shape = surface_shape_of(&def, 0.5f);
    surface_points p;
    sp_cells cells;
    surface_deep deep;
    surface_ellipsoid *all = NULL, *some = NULL;
    size_t all_count, some_count;
    sp_tiles tiles = {0};
    assert_ok(
        surface_points_open(&p, &s.cloud.frame, &s.cloud.set, NULL, 0, shape.search, &s.host, ERR));
    assert_ok(surface_points_sort(&p, shape.search, &cells, ERR));
    assert_ok(surface_deep_open(&deep, &shape, &p, 0.5f, 3.0f, ERR));
    uint8_t *wanted = sp_allocate(&s.host, p.n, 1);
    surface_deep_wanted(&deep, &p, wanted);
    assert_ok(surface_ellipsoids(&shape, &p, &cells, NULL, &all, &all_count, ERR));
    assert_ok(surface_ellipsoids(&shape, &p, &cells, wanted, &some, &some_count, ERR));
    assert_true(some_count < all_count);
    assert_ok(surface_raster_tiles(&tiles, &s.host, 0.5f, some, some_count, &deep, 2.0f, ERR));
    float *a = sp_tiles_field(&tiles, 0.0f), *b = sp_tiles_field(&tiles, 0.0f);
    surface_deep none = {0};
    assert_ok(surface_raster(&tiles, all, all_count, &none, 0.0f, 1.5f, a, ERR));
    assert_ok(surface_raster(&tiles, some, some_count, &deep, 0.0f, 1.5f, b, ERR));
    for (size_t v = 0; v < tiles.count * SP_TILE_VOXELS; ++v) {
        assert_int_equal(a[v] < 0.0f, b[v] < 0.0f);
        if (fabsf(b[v]) < 0.75f) assert_true(a[v] == b[v]);
    }
    sp_release(&s.host, a);
    sp_release(&s.host, b);
    sp_release(&s.host, all);
    sp_release(&s.host, some);
    sp_release(&s.host, wanted);
    sp_tiles_close(&tiles);
    surface_deep_close(&deep, &s.host);
    sp_cells_close(&cells);
    surface_points_close(&p);
    close_sample(&s);
}

/// ---- Fields ------------------------------------------------------------------------------------

static double ball_of_two(const double p[3])
{
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 2.0;
}
static double everything(const double p[3])
{
    (void)p;
    return -1.0;
}

static sp_status mesh_field(const surface_proof_grid *grid, const sp_host *host, int passes,
                            sp_mesh *mesh, sp_error *err)
{
    sp_surface_def def = sp_surface_defaults();
    def.level_passes = passes;
    const sp_field field = {.name = "surface",
                            .layout = SP_FIELD_TILES,
                            .components = 1,
                            .values = grid->phi,
                            .tiles = grid->tiles.at[0],
                            .tile_count = grid->tiles.count};
    const sp_frame frame = {.voxel = 0.125, .fields = &field, .field_count = 1};
    return sp_surface_field(&def, &frame, "surface", NULL, host, mesh, NULL, err);
}

/// A field that is inside up to the border of its tiles closes half a voxel outside the last
/// samples: 2.5 m, minus a quarter of a voxel on each side, because phi is -1 inside and three
/// voxels outside.
static void field_inside_up_to_its_border_is_closed(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    surface_proof_grid grid;
    sp_mesh mesh;
    assert_ok(surface_proof_grid_open(&grid, &host, 0.125, 0.8, everything, ERR));
    assert_ok(mesh_field(&grid, &host, 0, &mesh, ERR));
    assert_closed(&mesh, 2);
    assert_true(sp_mesh_volume(&mesh) > 0.0);
    sp_mesh_close(&mesh);
    surface_proof_grid_close(&grid);
    assert_ok(surface_proof_grid_open(&grid, &host, 0.125, 2.2, ball_of_two, ERR));
    for (int passes = 0; passes < 2; ++passes) { // a pass moves it by 0.1 voxels times curvature
        assert_ok(mesh_field(&grid, &host, passes, &mesh, ERR));
        assert_closed(&mesh, 2);
        assert_true(fabs(sp_mesh_volume(&mesh) / (4.0 / 3.0 * SP_PI_D * 8.0) - 1.0) < 0.005);
        sp_mesh_close(&mesh);
    }
    surface_proof_grid_close(&grid);
}

/// ---- Balls -------------------------------------------------------------------------------------

enum { LONERS = 50 };
/// Particles without neighbours, in voxels of 6 mm.
typedef struct loners {
    float x[LONERS][3], v[LONERS][3], r[LONERS];
    sp_column columns[3];
    sp_set set;
    sp_frame frame;
} loners;

static void open_loners(loners *l)
{
    for (size_t i = 0; i < LONERS; ++i)
        for (size_t k = 0; k < 3; ++k) {
            l->x[i][k] = (float)surface_proof_unit(9, i, (uint32_t)k);
            l->v[i][k] = (float)(i + k);
        }
    l->columns[0] = (sp_column){"position", SP_F32, 3, l->x};
    l->columns[1] = (sp_column){"velocity", SP_F32, 3, l->v};
    l->columns[2] = (sp_column){"radius", SP_F32, 1, l->r};
    l->set = (sp_set){"bubbles", LONERS, l->columns, 3};
    l->frame = (sp_frame){.sets = &l->set, .set_count = 1, .voxel = 0.006};
    l->frame.origin[0] = 100.0;
}

/// Balls of any size have the volume of their radius, except for rounding: floats within a metre of
/// the origin have steps of 6e-8 m. Relative to 0.3 mm these are 2e-4, and six times that in a
/// volume if all errors had the same sign, which fifty balls do not have.
static void balls_have_the_volume_of_their_radius(void **state)
{
    (void)state;
    static const float radii[] = {0.0003f, 0.001f, 0.002f, 0.006f, 0.02f, 0.1f};
    loners l;
    open_loners(&l);
    for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k) {
        sp_mesh mesh = {0};
        for (size_t i = 0; i < LONERS; ++i)
            l.r[i] = radii[k];
        assert_ok(sp_surface_balls(&l.frame, "bubbles", NULL, HOST, &mesh, ERR));
        assert_closed(&mesh, 2 * LONERS);
        const double r = (double)radii[k], sum = LONERS * 4.0 / 3.0 * SP_PI_D * r * r * r;
        assert_true(fabs(sp_mesh_volume(&mesh) / sum - 1.0) < 1e-3);
        assert_true(mesh.origin[0] == 100.0);
        const size_t each = mesh.vertex_count / LONERS;
        assert_memory_equal(mesh.v[7 * each + 3], l.v[7], sizeof l.v[7]);
        assert_true(radii[k] > 0.006f || each == 42); // few vertices for small ones
        sp_mesh_close(&mesh);
    }
}

/// Balls are added to a mesh: volumes add up, piece numbers continue, and unwanted balls are left
/// out.
static void balls_are_appended_to_a_mesh(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 2.0, true);
    sp_surface_def def = sp_surface_defaults();
    def.components = true;
    sp_mesh mesh;
    uint8_t wanted[4096] = {0};
    wanted[3] = wanted[4] = 1;
    assert_ok(sp_surface_points(&def, &s.cloud.frame, "liquid", NULL, &s.host, &mesh, NULL, ERR));
    const double before = sp_mesh_volume(&mesh);
    const size_t triangles = mesh.triangle_count;
    const uint32_t piece = mesh.component[0];
    assert_ok(sp_surface_balls(&s.cloud.frame, "liquid", wanted, &s.host, &mesh, ERR));
    assert_closed(&mesh, 6);
    const double two = 4.0 / 3.0 * SP_PI_D * (0.008 + 0.027);
    assert_true(fabs(sp_mesh_volume(&mesh) - before - two) < 1e-4 * two + 1e-6 * before);
    assert_int_equal(mesh.component[0], piece);
    assert_int_equal(mesh.component[triangles], 1);
    assert_int_equal(mesh.component[mesh.triangle_count - 1], 2);
    s.radius[4] = NAN;
    assert_int_equal(sp_surface_balls(&s.cloud.frame, "liquid", wanted, &s.host, &mesh, ERR),
                     SP_DIVERGED);
    assert_closed(&mesh, 6); // unchanged
    sp_mesh_close(&mesh);
    close_sample(&s);
}

/// ---- Memory ------------------------------------------------------------------------------------

static sample scarce_sample;

static sp_status mesh_everything(const sp_host *host, sp_error *err)
{
    sp_surface_def def = sp_surface_defaults();
    def.mesh_passes = 1;
    def.components = true;
    sp_mesh mesh;
    const sp_status status =
        sp_surface_points(&def, &scarce_sample.cloud.frame, "liquid", NULL, host, &mesh, NULL, err);
    if (status != SP_OK) assert_null(mesh.x);
    sp_mesh_close(&mesh);
    return status;
}
static sp_status mesh_wet(const sp_host *host, sp_error *err)
{
    const sp_surface_def def = sp_surface_defaults();
    const sp_clip clip = {.solid = corner_of_walls, .wet = 0.75f, .sink = 0.05f};
    sp_mesh mesh;
    const sp_status status = sp_surface_points(&def, &scarce_sample.cloud.frame, "liquid", &clip,
                                               host, &mesh, NULL, err);
    if (status != SP_OK) assert_null(mesh.x);
    sp_mesh_close(&mesh);
    return status;
}

/// Markers of a large bubble are one surface, although the frame of a solver whose water is left out has no field on
/// tiles; those of a solver of particles, which has liquid beside them, are balls. The cloud's frame holds one set.
static void markers_of_a_bubble_are_one_surface(void **state)
{
    (void)state;
    sample s;
    open_sample(&s, 4.0, false);
    const sp_set liquid = {.name = "liquid"}, bubbles = s.cloud.set;
    for (int k = 0; k < 2; ++k) {
        sp_set sets[2] = {bubbles, liquid};
        sp_frame frame = s.cloud.frame;
        sp_mesh mesh = {0};
        const sp_surface_def def = sp_surface_defaults();
        uint8_t *flags = sp_allocate(&s.host, s.cloud.n, sizeof *flags);
        size_t isolated = 0;
        sets[0].name = "bubbles";
        frame.sets = sets;
        frame.set_count = 1 + (size_t)k;
        assert_ok(sp_surface_make(&def, &frame, "bubbles", SP_ISOLATED_DROP, NULL, &s.host, flags,
                                  &mesh, ERR));
        for (size_t i = 0; i < s.cloud.n; ++i)
            isolated += flags[i];
        if (k == 0) {
            assert_true(isolated < s.cloud.n / 50 && mesh.triangle_count > 500);
            assert_closed(&mesh, 2);
        } else {
            assert_true(isolated == s.cloud.n && mesh.triangle_count == 0);
        }
        sp_mesh_close(&mesh);
        sp_release(&s.host, flags);
    }
    close_sample(&s);
}

static sp_status split_everything(const sp_host *host, sp_error *err)
{
    uint8_t isolated[4096];
    assert_true(scarce_sample.cloud.n <= sizeof isolated);
    return sp_surface_split(&scarce_sample.cloud.frame, "liquid", host, isolated, err);
}
static sp_status mesh_balls(const sp_host *host, sp_error *err)
{
    sp_mesh mesh = {0};
    sp_status status =
        sp_surface_balls(&scarce_sample.cloud.frame, "liquid", NULL, host, &mesh, err);
    if (status == SP_OK)
        status = sp_surface_balls(&scarce_sample.cloud.frame, "liquid", NULL, host, &mesh, err);
    sp_mesh_close(&mesh);
    return status;
}
static sp_status mesh_a_sheet(const sp_host *host, sp_error *err)
{
    static const float height[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const sp_field sheet = {.name = "height",
                            .layout = SP_FIELD_PLANE,
                            .components = 1,
                            .values = height,
                            .nu = 3,
                            .nv = 3,
                            .du = {1, 0, 0},
                            .dv = {0, 0, -1}};
    sp_mesh mesh;
    const sp_status status = sp_surface_height(&sheet, NULL, host, &mesh, err);
    sp_mesh_close(&mesh);
    return status;
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    static scarce_scenario *const scenarios[] = {mesh_everything, mesh_wet, split_everything,
                                                 mesh_balls, mesh_a_sheet};
    open_sample(&scarce_sample, 1.2, false);
    for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; ++k)
        scarce_fail_each(scenarios[k], 1, 3);
    close_sample(&scarce_sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_def_out_of_range_is_refused),
        cmocka_unit_test(nan_particle_is_named),
        cmocka_unit_test(no_particles_give_an_empty_mesh),
        cmocka_unit_test(every_method_gives_a_closed_ball),
        cmocka_unit_test(particles_of_two_sizes_give_a_closed_mesh),
        cmocka_unit_test(vertex_velocity_follows_nearby_particles),
        cmocka_unit_test(a_box_cuts_a_ball_in_a_plane),
        cmocka_unit_test(liquid_near_walls_wets_them),
        cmocka_unit_test(pieces_are_numbered_from_zero),
        cmocka_unit_test(moments_equal_brute_force),
        cmocka_unit_test(eigenvectors_reproduce_the_matrix),
        cmocka_unit_test(surface_ignores_particles_far_below_it),
        cmocka_unit_test(field_inside_up_to_its_border_is_closed),
        cmocka_unit_test(balls_have_the_volume_of_their_radius),
        cmocka_unit_test(balls_are_appended_to_a_mesh),
        cmocka_unit_test(markers_of_a_bubble_are_one_surface),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
