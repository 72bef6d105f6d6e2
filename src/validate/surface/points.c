// SPDX-License-Identifier: Apache-2.0
/// Proofs about particles: shapes of known neighbourhoods, volumes, threads of liquid, pockets,
/// sameness. Lengths are in voxels h of the frame; particles are h/2 apart.
#include "validate/surface/proofs.h"

#include <string.h>

static const double spacing = 0.5;

/// ---- Known sets --------------------------------------------------------------------------------

typedef struct known {
    const char *name;
    int low[3], high[3]; ///< lattice points around the one that is looked at
    double count;        ///< neighbours within 2h
    double variance[3];  ///< h2, as found by another program, three digits
    double axis[3];      ///< of R0
    double moved;        ///< h; how far the mean lies from the particle
} known;

static const known sets[] = {
    {"bulk", {-5, -5, -5}, {5, 5, 5}, 251, {0.602, 0.602, 0.602}, {1, 1, 1}, 0.0},
    {"half-space", {-5, -5, -5}, {5, 5, 0}, 148, {0.621, 0.621, 0.230}, {0, 0, 0}, 0.513},
    {"sheet", {-5, -5, 0}, {5, 5, 0}, 45, {0.703, 0.703, 0.0}, {1.5, 1.5, 0.5}, 0.0},
    {"line", {-5, 0, 0}, {5, 0, 0}, 7, {0, 0, 0}, {0.5, 0.5, 0.5}, 0.0},
};

/// Turned about the axis (1, 2, 2)/3, by Rodrigues' formula.
static void turn(double degrees, const double p[3], double out[3])
{
    const double a = degrees * SP_PI_D / 180.0, c = cos(a), s = sin(a);
    const double k[3] = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
    const double along = (k[0] * p[0] + k[1] * p[1] + k[2] * p[2]) * (1.0 - c);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = p[i] * c + (k[j] * p[l] - k[l] * p[j]) * s + k[i] * along;
    }
}

/// The points of a set; the one to look at is the first.
static void fill_known(surface_proof_cloud *cloud, const known *set, double degrees)
{
    surface_proof_add(cloud, 0.0, 0.0, 0.0);
    for (int k = set->low[2]; k <= set->high[2]; ++k)
        for (int j = set->low[1]; j <= set->high[1]; ++j)
            for (int i = set->low[0]; i <= set->high[0]; ++i) {
                const double p[3] = {i * spacing, j * spacing, k * spacing};
                double q[3];
                turn(degrees, p, q);
                if (i || j || k) surface_proof_add(cloud, q[0], q[1], q[2]);
            }
}

static size_t cell_of(const sp_cells *cells, size_t point)
{
    size_t cell = 0;
    while (cells->start[cell + 1] <= point)
        ++cell;
    return cell;
}

/// Sums around the particle with index 0 of the set.
static sp_status moments_of_first(const surface_proof_cloud *cloud, const surface_shape *shape,
                                  surface_moments *m, sp_error *err)
{
    surface_points points;
    sp_cells cells;
    surface_candidates candidates;
    sp_around around;
    SP_TRY(surface_points_open(&points, &cloud->frame, &cloud->set, NULL, 0, shape->search,
                               cloud->host, err));
    const sp_status status = surface_points_sort(&points, shape->search, &cells, err);
    if (status == SP_OK) {
        size_t i = 0;
        while (points.from[i] != 0)
            ++i;
        const uint64_t key = cells.key[cell_of(&cells, i)];
        sp_around_from(&around, &cells, key);
        sp_around_to(&around, &cells, key);
        surface_candidates_gather(&candidates, &points, &around);
        surface_moments_of(&candidates, shape, &points, &around, i, m);
        sp_cells_close(&cells);
    }
    surface_points_close(&points);
    return status;
}

static void put_known(sp_check_report *report, const known *set, double degrees,
                      const surface_moments *m, const surface_shape *shape)
{
    double normal[3];
    surface_axes axes;
    static const double up[3] = {0.0, 0.0, 1.0};
    surface_eigen_many(1, m, &axes);
    const double *variance = axes.value, (*v)[3] = (const double(*)[3])axes.vector;
    turn(degrees, up, normal);
    if (degrees ==
        0.0) { // turned points at exactly 2h may round to either side; their weight is zero
        sp_exact(report, sp_label(report, "%s: neighbours, itself included", set->name), m->count,
                 set->count, "lattice points nearer than 2h");
    }
    for (int k = 0; k < 3 && set->variance[0] > 0.0; ++k) {
        sp_within(
            report,
            sp_label(report, "%s turned by %g degrees: variance %d, h2", set->name, degrees, k + 1),
            variance[k], set->variance[k], 6e-4, "known to three digits");
    }
    const double moved =
        sqrt(m->mean[0] * m->mean[0] + m->mean[1] * m->mean[1] + m->mean[2] * m->mean[2]);
    sp_within(report,
              sp_label(report, "%s turned by %g degrees: centre of the neighbours, h", set->name,
                       degrees),
              moved, set->moved, 6e-4, "known to three digits");
    surface_ellipsoid e;
    const float x[3] = {0.0f, 0.0f, 0.0f};
    surface_ellipsoid_of(shape, x, m, &axes, &e);
    if (set->axis[0] == 0.0) return;
    sp_within(report,
              sp_label(report, "%s turned by %g degrees: smallest axis of R0", set->name, degrees),
              (double)(e.thin / shape->radius), set->axis[2], 1e-3,
              "from the variances, clamped to 0.5 and 1.5");
    if (set->variance[2] == 0.0 && set->variance[0] > 0.0) {
        const double c = fabs(v[0][2] * normal[0] + v[1][2] * normal[1] + v[2][2] * normal[2]);
        sp_at_most(
            report,
            sp_label(report, "%s turned by %g degrees: normal off by, degrees", set->name, degrees),
            acos(fmin(c, 1.0)) * 180.0 / SP_PI_D, 0.1, "single precision sums");
    }
}

sp_status surface_prove_ellipsoids(sp_check_report *report, sp_error *err)
{
    sp_surface_def def = sp_surface_defaults();
    def.search = 4.0f;
    const surface_shape shape = surface_shape_of(&def, (float)spacing);
    sp_exact(report, "neighbours that an ellipsoid takes, search 4", shape.min_neighbours, 27,
             "a tenth of those in the bulk");
    for (size_t s = 0; s < sizeof sets / sizeof *sets; ++s)
        for (int turned = 0; turned < 2; ++turned) {
            surface_proof_cloud cloud;
            surface_moments m;
            SP_TRY(surface_proof_cloud_open(&cloud, report->host, 1400, 1.0, err));
            fill_known(&cloud, &sets[s], turned ? 37.0 : 0.0);
            const sp_status status = moments_of_first(&cloud, &shape, &m, err);
            if (status == SP_OK) put_known(report, &sets[s], turned ? 37.0 : 0.0, &m, &shape);
            surface_proof_cloud_close(&cloud);
            SP_TRY(status);
        }
    return SP_OK;
}

sp_status surface_prove_half_space(sp_check_report *report, sp_error *err)
{
    static const struct {
        float search;
        double height;
    } rows[] = {{4.0f, -0.015}, {2.5f, 0.227}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        sp_surface_def def = sp_surface_defaults();
        def.search = rows[k].search;
        const surface_shape shape = surface_shape_of(&def, (float)spacing);
        float height = 0.0f;
        SP_TRY(surface_half_space(&shape, report->host, &height, err));
        sp_within(report,
                  sp_label(report, "search %g: surface over the last layer, h", (double)def.search),
                  (double)height, rows[k].height, 0.01,
                  "found by another program, on a grid; it should be 0.25");
    }
    return SP_OK;
}

/// ---- Volumes -----------------------------------------------------------------------------------

typedef struct round_thing {
    double volume, mean, rough;
    sp_mesh_edges edges;
} round_thing;

static sp_status mesh_cloud(const sp_surface_def *def, const surface_proof_cloud *cloud,
                            sp_mesh *mesh, sp_error *err)
{
    return sp_surface_points(def, &cloud->frame, "liquid", NULL, cloud->host, mesh, NULL, err);
}

static sp_status measure_ball(const sp_surface_def *def, const surface_proof_cloud *cloud,
                              const double center[3], round_thing *out, sp_error *err)
{
    sp_mesh mesh;
    SP_TRY(mesh_cloud(def, cloud, &mesh, err));
    double sum = 0.0, squares = 0.0;
    for (size_t v = 0; v < mesh.vertex_count; ++v) {
        double r2 = 0.0;
        for (int c = 0; c < 3; ++c)
            r2 += ((double)mesh.x[v][c] - center[c]) * ((double)mesh.x[v][c] - center[c]);
        sum += sqrt(r2);
        squares += r2;
    }
    const double n = (double)mesh.vertex_count;
    out->volume = sp_mesh_volume(&mesh);
    out->mean = sum / n;
    out->rough = sqrt(fmax(squares / n - sum / n * sum / n, 0.0));
    const sp_status status = sp_mesh_look(&mesh, &out->edges, err);
    sp_mesh_close(&mesh);
    return status;
}

sp_status surface_prove_ball(sp_check_report *report, sp_error *err)
{
    static const double center[3] = {0.37, -0.21, 0.11}, radius = 6.0;
    surface_proof_cloud cloud;
    SP_TRY(surface_proof_cloud_open(&cloud, report->host, 8200, 1.0, err));
    surface_proof_ball(&cloud, spacing, radius, 0.2, center);
    const double truth = 4.0 / 3.0 * SP_PI_D * radius * radius * radius;
    sp_status status = SP_OK;
    for (int smooth = 0; smooth < 2 && status == SP_OK; ++smooth) {
        sp_surface_def def = sp_surface_defaults();
        if (smooth) def.search = 4.0f;
        round_thing ball;
        status = measure_ball(&def, &cloud, center, &ball, err);
        if (status != SP_OK) break;
        sp_within(report, sp_label(report, "search %g: volume / true", (double)def.search),
                  ball.volume / truth, 1, 0.02,
                  "the half-space error is taken off; what is left comes from curvature");
        sp_at_most(report, sp_label(report, "search %g: roughness, h", (double)def.search),
                   ball.rough, 0.07,
                   "particles are 0.5h apart and jittered; a union of spheres has 0.094");
        sp_exact(report, "bad edges", surface_bad_edges(&ball.edges), 0, "closed");
        sp_exact(report, "Euler number", (double)ball.edges.euler, 2, "one piece");
    }
    surface_proof_cloud_close(&cloud);
    return status;
}

/// ---- A line ------------------------------------------------------------------------------------

sp_status surface_prove_line(sp_check_report *report, sp_error *err)
{
    sp_surface_def def = sp_surface_defaults();
    def.refine = 4;
    def.offset = 0.0f;
    def.level_passes = 0; // curvature would thin a thread by more than is asked here
    def.components = true;
    const double grid = 0.25;
    surface_proof_cloud cloud;
    sp_mesh mesh = {0};
    SP_TRY(surface_proof_cloud_open(&cloud, report->host, 41, 1.0, err));
    for (int k = 0; k <= 40; ++k)
        surface_proof_add(&cloud, 0.5 * k, 0.13, 0.07);
    const sp_status status = mesh_cloud(&def, &cloud, &mesh, err);
    double least = 1e9, most = 0.0;
    uint32_t pieces = 0;
    for (size_t v = 0; v < mesh.vertex_count; ++v) {
        const double y = (double)mesh.x[v][1] - 0.13, z = (double)mesh.x[v][2] - 0.07;
        if (mesh.x[v][0] < 2.0f || mesh.x[v][0] > 18.0f) continue;
        least = fmin(least, sqrt(y * y + z * z));
        most = fmax(most, sqrt(y * y + z * z));
    }
    for (size_t t = 0; t < mesh.triangle_count; ++t)
        pieces = mesh.component[t] >= pieces ? mesh.component[t] + 1 : pieces;
    if (status == SP_OK) {
        sp_exact(report, "pieces", pieces, 1, "balls of 0.433h, 0.5h apart, overlap");
        sp_at_least(report, "least radius, h", least, sqrt(0.75 * 0.25 - 0.0625) - 0.05 * grid,
                    "where two balls meet");
        sp_at_most(report, "largest radius, h", most, sqrt(0.75 * 0.25) + 0.05 * grid,
                   "half of R0");
    }
    sp_mesh_close(&mesh);
    surface_proof_cloud_close(&cloud);
    return status;
}

/// ---- Split -------------------------------------------------------------------------------------

typedef struct arrangement {
    const char *name;
    int n[3];
    bool isolated;
} arrangement;

static const arrangement arrangements[] = {
    {"single", {1, 1, 1}, true},        {"pair", {2, 1, 1}, true},
    {"line of 13", {13, 1, 1}, true},   {"one layer", {13, 13, 1}, true},
    {"two layers", {13, 13, 2}, false}, {"three layers", {13, 13, 3}, false},
    {"block of 2", {2, 2, 2}, false},   {"block of 3", {3, 3, 3}, false},
    {"block of 5", {5, 5, 5}, false},
};

static double count_isolated(const uint8_t *isolated, size_t begin, size_t end)
{
    double n = 0.0;
    for (size_t i = begin; i < end; ++i)
        n += isolated[i];
    return n;
}

/// A corner at a random place relative to the grid.
static void somewhere(uint64_t n, double corner[3])
{
    for (uint32_t a = 0; a < 3; ++a)
        corner[a] = 3.0 * surface_proof_unit(6, n, a) - 1.5;
}

static sp_status split_one(sp_check_report *report, const arrangement *a, uint64_t place,
                           sp_error *err)
{
    surface_proof_cloud cloud;
    uint8_t isolated[1024];
    double corner[3];
    somewhere(place, corner);
    SP_TRY(surface_proof_cloud_open(&cloud, report->host, 1024, 1.0, err));
    surface_proof_block(&cloud, spacing, a->n[0], a->n[1], a->n[2], corner);
    const sp_status status = sp_surface_split(&cloud.frame, "liquid", report->host, isolated, err);
    if (status == SP_OK)
        sp_exact(report, sp_label(report, "%s: isolated particles", a->name),
                 count_isolated(isolated, 0, cloud.n), a->isolated ? (double)cloud.n : 0.0,
                 a->isolated ? "no ball larger than one particle's fits" : "a larger ball fits");
    surface_proof_cloud_close(&cloud);
    return status;
}

static sp_status split_ball(sp_check_report *report, sp_error *err)
{
    static const double center[3] = {0.31, 0.77, -0.45};
    surface_proof_cloud cloud;
    uint8_t isolated[512];
    SP_TRY(surface_proof_cloud_open(&cloud, report->host, 512, 1.0, err));
    surface_proof_ball(&cloud, spacing, 2.0, 0.0, center);
    const size_t ball = cloud.n;
    for (uint64_t k = 0; k < 100; ++k) // strays on a wide lattice around the ball
        surface_proof_add(&cloud, 6.0 + 3.0 * (double)(k % 10) + surface_proof_unit(7, k, 0),
                          3.0 * (double)(k / 10) + surface_proof_unit(7, k, 1),
                          surface_proof_unit(7, k, 2));
    const sp_status status = sp_surface_split(&cloud.frame, "liquid", report->host, isolated, err);
    if (status == SP_OK) {
        sp_exact(report, "ball of 2h: isolated particles", count_isolated(isolated, 0, ball), 0,
                 "a pocket");
        sp_exact(report, "100 strays: isolated particles", count_isolated(isolated, ball, cloud.n),
                 100, "each alone");
    }
    surface_proof_cloud_close(&cloud);
    return status;
}

sp_status surface_prove_split(sp_check_report *report, sp_error *err)
{
    for (uint64_t place = 0; place < 4; ++place)
        for (size_t k = 0; k < sizeof arrangements / sizeof *arrangements; ++k)
            SP_TRY(split_one(report, &arrangements[k], 16 * place + k, err));
    return split_ball(report, err);
}

/// ---- Same --------------------------------------------------------------------------------------

static uint64_t mesh_hash(const sp_mesh *m)
{
    uint64_t h = sp_hash(0, m->x, m->vertex_count * sizeof *m->x);
    h = sp_hash(h, m->n, m->vertex_count * sizeof *m->n);
    return sp_hash(h, m->tri, m->triangle_count * sizeof *m->tri);
}

/// Shuffles the particles together with their ids.
static void shuffle(surface_proof_cloud *cloud)
{
    for (size_t i = cloud->n; i-- > 1;) {
        const size_t j = (size_t)(surface_proof_unit(8, i, 0) * (double)(i + 1));
        float x[3];
        memcpy(x, cloud->x[i], sizeof x);
        memcpy(cloud->x[i], cloud->x[j], sizeof x);
        memcpy(cloud->x[j], x, sizeof x);
        const uint64_t id = cloud->id[i];
        cloud->id[i] = cloud->id[j];
        cloud->id[j] = id;
    }
}

static sp_status hash_with(const sp_surface_def *def, const surface_proof_cloud *cloud, int threads,
                           uint64_t *hash, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    sp_mesh mesh;
    SP_TRY(sp_surface_points(def, &cloud->frame, "liquid", NULL, &host, &mesh, NULL, err));
    *hash = mesh_hash(&mesh);
    sp_mesh_close(&mesh);
    return SP_OK;
}

static sp_status prove_same(sp_check_report *report, double radius, sp_error *err)
{
    static const double center[3] = {0.0, 0.0, 0.0};
    static const int threads[] = {2, 3, 5};
    surface_proof_cloud cloud;
    const double room = 40.0 * radius * radius * radius;
    SP_TRY(surface_proof_cloud_open(&cloud, report->host, (size_t)room + 1000, 1.0, err));
    surface_proof_ball(&cloud, spacing, radius, 0.3, center);
    for (uint64_t k = 0; k < 500; ++k) { // drops around it
        double p[3];
        for (uint32_t a = 0; a < 3; ++a)
            p[a] = 3.0 * radius * (surface_proof_unit(9, k, a) - 0.5);
        surface_proof_add(&cloud, p[0], p[1], p[2]);
    }
    sp_surface_def def = sp_surface_defaults();
    def.mesh_passes = 2;
    uint64_t first = 0, other = 0;
    double differ = 0.0;
    sp_status status = hash_with(&def, &cloud, 1, &first, err);
    for (size_t k = 0; k < 3 && status == SP_OK; ++k) {
        status = hash_with(&def, &cloud, threads[k], &other, err);
        differ += other != first;
    }
    if (status == SP_OK)
        sp_exact(report, "meshes of 2, 3 and 5 threads that differ from that of one", differ, 0,
                 "no sum depends on who comes first");
    shuffle(&cloud);
    if (status == SP_OK) status = hash_with(&def, &cloud, 2, &other, err);
    if (status == SP_OK)
        sp_exact(report, "meshes of shuffled particles that differ", other != first, 0,
                 "particles are told by their ids");
    surface_proof_cloud_close(&cloud);
    return status;
}

sp_status surface_prove_same(sp_check_report *report, sp_error *err)
{
    return prove_same(report, 6.0, err);
}
sp_status surface_prove_same_long(sp_check_report *report, sp_error *err)
{
    return prove_same(report, 20.0, err);
}
