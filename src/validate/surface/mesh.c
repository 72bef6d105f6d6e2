// SPDX-License-Identifier: Apache-2.0
/// Proofs about meshing: fields and sheets in, meshes out.
#include "validate/surface/proofs.h"

#include <string.h>

/// ---- Closed ------------------------------------------------------------------------------------

typedef struct closed_count {
    double bad, odd, triangles;
} closed_count;

static sp_status look_at_field(const sp_tiles *tiles, const float *phi, const sp_host *host,
                               closed_count *count, sp_error *err)
{
    sp_mesh mesh;
    sp_mesh_edges edges;
    SP_TRY(sp_surface_cubes(tiles, phi, 1.0f, host, &mesh, err));
    const sp_status status = sp_mesh_look(&mesh, &edges, err); // names an index out of range
    count->bad += surface_bad_edges(&edges);
    count->odd += edges.euler % 2 != 0;
    count->triangles += (double)mesh.triangle_count;
    sp_mesh_close(&mesh);
    return status;
}

static bool on_rim(int v)
{
    const int i = v & 7, j = v >> 3 & 7, k = v >> 6;
    return i == 0 || i == 7 || j == 0 || j == 7 || k == 0 || k == 7;
}

static sp_status look_at_fields(sp_check_report *report, int fields, bool whole, sp_error *err)
{
    static const int32_t at[1][3] = {{-1, 2, 0}};
    sp_tiles tiles;
    SP_TRY(sp_tiles_open(&tiles, report->host, 1.0f, at, 1, err));
    closed_count count = {0};
    sp_status status = SP_OK;
    for (int f = 0; f < fields && status == SP_OK; ++f) {
        float phi[SP_TILE_VOXELS];
        for (int v = 0; v < SP_TILE_VOXELS; ++v)
            phi[v] = on_rim(v) ? 1.0f
                     : whole
                         ? (float)((int)(5.0 * surface_proof_unit(1, (uint64_t)f, (uint32_t)v)) - 2)
                         : (float)surface_proof_normal(2, (uint64_t)f, (uint32_t)v);
        status = look_at_field(&tiles, phi, report->host, &count, err);
    }
    sp_tiles_close(&tiles);
    sp_exact(report, whole ? "bad edges, whole numbers -2 to 2" : "bad edges, normal deviates",
             count.bad, 0, "every edge has two triangles that run along it in opposite directions");
    sp_exact(report, "meshes with an odd Euler number", count.odd, 0,
             "closed surfaces with two sides have even ones");
    sp_at_least(report, "triangles a field", count.triangles / fields, 300,
                "so that there was something to look at");
    return status;
}

sp_status surface_prove_closed(sp_check_report *report, sp_error *err)
{
    SP_TRY(look_at_fields(report, 1500, false, err));
    return look_at_fields(report, 1500, true, err);
}

sp_status surface_prove_closed_long(sp_check_report *report, sp_error *err)
{
    SP_TRY(look_at_fields(report, 5000, false, err));
    return look_at_fields(report, 5000, true, err);
}

/// ---- Order -------------------------------------------------------------------------------------

static double ball(const double p[3])
{
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.97;
}
static double torus(const double p[3])
{
    const double ring = sqrt(p[0] * p[0] + p[1] * p[1]) - 0.8;
    return sqrt(ring * ring + p[2] * p[2]) - 0.35;
}
static double two_balls(const double p[3])
{
    const double a[3] = {p[0] - 0.5, p[1], p[2]}, b[3] = {p[0] + 0.5, p[1], p[2]};
    return fmin(sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]),
                sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2])) -
           0.5;
}

typedef struct sized {
    double volume, area;
    sp_mesh_edges edges;
} sized;

static sp_status measure(const sp_host *host, int cells, surface_proof_function *phi, sized *out,
                         sp_error *err)
{
    surface_proof_grid grid;
    sp_mesh mesh;
    SP_TRY(surface_proof_grid_open(&grid, host, 2.6 / cells, 1.3, phi, err));
    sp_status status = sp_surface_cubes(&grid.tiles, grid.phi, 1.0f, host, &mesh, err);
    if (status == SP_OK) {
        out->volume = sp_mesh_volume(&mesh);
        out->area = sp_mesh_area(&mesh);
        status = sp_mesh_look(&mesh, &out->edges, err);
        sp_mesh_close(&mesh);
    }
    surface_proof_grid_close(&grid);
    return status;
}

static sp_status prove_shape(sp_check_report *report, const char *name, surface_proof_function *phi,
                             double volume, double area, double euler, bool known, sp_error *err)
{
    static const int cells[] = {12, 24, 48, 96};
    double off[4], short_of[4], bad = 0.0;
    for (int k = 0; k < 4; ++k) {
        sized s;
        SP_TRY(measure(report->host, cells[k], phi, &s, err));
        off[k] = s.volume / volume - 1.0;
        short_of[k] = s.area / area - 1.0;
        bad += surface_bad_edges(&s.edges) + fabs((double)s.edges.euler - euler);
    }
    sp_at_least(report, sp_label(report, "%s: order of the volume's error, 24 to 96 cells", name),
                0.5 * log2(off[1] / off[3]), 1.9,
                "chords: the error falls with the square of a cell");
    sp_at_least(report, sp_label(report, "%s: order of the area's error", name),
                0.5 * log2(short_of[1] / short_of[3]), 1.9, "likewise");
    sp_exact(report, sp_label(report, "%s: bad edges and wrong Euler numbers", name), bad, 0,
             "2 for a ball, 0 for a torus");
    if (known) {
        sp_relative(report, "ball: volume's error at 48 cells", off[2], -1.9e-3, 0.1,
                    "found by another program, which had its samples elsewhere");
        sp_relative(report, "ball: area's error at 48 cells", short_of[2], -9.8e-4, 0.1,
                    "likewise");
    }
    return SP_OK;
}

sp_status surface_prove_order(sp_check_report *report, sp_error *err)
{
    const double pi = SP_PI_D;
    SP_TRY(prove_shape(report, "ball", ball, 4.0 / 3.0 * pi * 0.97 * 0.97 * 0.97,
                       4.0 * pi * 0.97 * 0.97, 2.0, true, err));
    SP_TRY(prove_shape(report, "torus", torus, 2.0 * pi * pi * 0.8 * 0.35 * 0.35,
                       4.0 * pi * pi * 0.8 * 0.35, 0.0, false, err));
    for (int cells = 12; cells <= 96; cells *= 2) {
        sized s;
        SP_TRY(measure(report->host, cells, two_balls, &s, err));
        sp_exact(report, "two touching balls: bad edges", surface_bad_edges(&s.edges), 0,
                 "closed whether or not they join");
        sp_within(report, "two touching balls: Euler number", (double)s.edges.euler, 3, 1,
                  "2 joined or 4 apart");
    }
    return SP_OK;
}

/// ---- Negative ----------------------------------------------------------------------------------

/// A triangle as one number that does not depend on where it begins, but does on which way it runs.
static unsigned name_of(const uint8_t t[3], bool reversed)
{
    const unsigned c[3] = {t[0], reversed ? t[2] : t[1], reversed ? t[1] : t[2]};
    unsigned least = ~0u;
    for (int k = 0; k < 3; ++k) {
        const unsigned name = c[k] << 8 | c[(k + 1) % 3] << 4 | c[(k + 2) % 3];
        least = name < least ? name : least;
    }
    return least;
}

/// Triangles of one entry that are not, turned round, in the other.
static int unlike(const cubes_entry *a, const cubes_entry *b)
{
    int missing = a->triangles != b->triangles || a->centres != b->centres;
    for (int f = 0; f < a->triangles; ++f) {
        bool found = false;
        for (int g = 0; g < b->triangles; ++g)
            found = found || name_of(a->corner[f], false) == name_of(b->corner[g], true);
        missing += !found;
    }
    return missing;
}

sp_status surface_prove_negative(sp_check_report *report, sp_error *err)
{
    cubes_table *table = sp_allocate(report->host, 1, sizeof *table);
    if (!table) return sp_fail(err, SP_NO_MEMORY, "no memory for a table");
    const size_t entries = surface_cubes_table(table);
    int missing = 0, unsure = 0;
    for (uint64_t n = 0; n < 20000; ++n) {
        float phi[8], negative[8];
        unsigned signs = 0;
        for (uint32_t c = 0; c < 8; ++c) {
            phi[c] = (float)surface_proof_normal(3, n, c);
            negative[c] = -phi[c];
            signs |= (unsigned)(phi[c] < 0.0f) << c;
        }
        // a cell with more than one centre would have to number them the same way round
        const cubes_entry *a = surface_cubes_cell(table, signs, phi);
        const cubes_entry *b = surface_cubes_cell(table, ~signs & 255, negative);
        missing += unlike(a, b) + (table->cut[signs] != table->cut[~signs & 255]);
        unsure += table->unsure[signs] != 0;
    }
    sp_release(report->host, table);
    sp_exact(report, "entries of the table", (double)entries, CUBES_ENTRIES,
             "256 patterns, twice as many for each ambiguous face");
    sp_exact(report, "triangles that are not turned round, of 20,000 cells", missing, 0,
             "inside and outside are treated alike where nothing is zero");
    sp_at_least(report, "cells with an ambiguous face", unsure, 1000,
                "so that these were among them");
    return SP_OK;
}

/// ---- Taubin ------------------------------------------------------------------------------------

/// Of the difference between two meshes with the same triangles: rms distance from the mean of a
/// vertex's neighbours. This is large for waves of a few edges, which smoothing is to remove.
static sp_status roughness(const sp_mesh *m, const sp_mesh *clean, double *rough, sp_error *err)
{
    surface_rings rings;
    SP_TRY(surface_rings_open(&rings, m, err));
    double squares = 0.0;
    for (size_t v = 0; v < m->vertex_count; ++v) {
        const double n = (double)(rings.start[v + 1] - rings.start[v]);
        for (int c = 0; c < 3; ++c) {
            double sum = 0.0;
            for (uint32_t k = rings.start[v]; k < rings.start[v + 1]; ++k) {
                const uint32_t corner = rings.corner[k],
                               next = m->tri[corner / 3][(corner % 3 + 1) % 3];
                sum += (double)m->x[next][c] - (double)clean->x[next][c];
            }
            const double off = (double)m->x[v][c] - (double)clean->x[v][c] - sum / n;
            squares += off * off;
        }
    }
    *rough = sqrt(squares / (double)m->vertex_count);
    surface_rings_close(&rings, m->host);
    return SP_OK;
}

/// Spread of the vertices' distances from the origin.
static double spread(const sp_mesh *m)
{
    double sum = 0.0, squares = 0.0;
    for (size_t v = 0; v < m->vertex_count; ++v) {
        const float *x = m->x[v];
        const double r2 = (double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        sum += sqrt(r2);
        squares += r2;
    }
    const double n = (double)m->vertex_count;
    return sqrt(fmax(squares / n - sum / n * sum / n, 0.0));
}

/// Adds noise to `mesh`, which equals `clean`, and smooths both: their difference is what is left of
/// the noise.
static sp_status prove_smoothing(sp_check_report *report, sp_mesh *mesh, sp_mesh *clean,
                                 double voxel, sp_error *err)
{
    double before, after;
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        for (int c = 0; c < 3; ++c)
            mesh->x[v][c] += (float)(0.1 * voxel * surface_proof_normal(4, v, 0)) * mesh->n[v][c];
    const double volume = sp_mesh_volume(mesh);
    SP_TRY(roughness(mesh, clean, &before, err));
    const double wide = spread(mesh);
    SP_TRY(sp_surface_taubin(mesh, 20, report->host, err));
    SP_TRY(sp_surface_taubin(clean, 20, report->host, err));
    SP_TRY(roughness(mesh, clean, &after, err));
    sp_within(report, "volume after / before", sp_mesh_volume(mesh) / volume, 1, 1e-4,
              "given back to first order, twice");
    sp_at_most(report, "short waves of the noise, after / before", after / before, 0.2,
               "20 pairs damp waves of a few edges by more than five");
    sp_at_most(report, "spread of all radii, after / before", spread(mesh) / wide, 0.4,
               "a tenth of white noise is in long waves, which pass: its root is left");
    double worst = 0.0;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const float *x = mesh->x[v], *n = mesh->n[v];
        const double r = sqrt((double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
        worst = fmax(worst, 1.0 - (double)(x[0] * n[0] + x[1] * n[1] + x[2] * n[2]) / r);
    }
    sp_at_most(report, "1 - cosine between normal and radius, at most", worst, 0.02,
               "11 degrees: what is left of the noise turns faces a little");
    return SP_OK;
}

sp_status surface_prove_taubin(sp_check_report *report, sp_error *err)
{
    surface_proof_grid grid;
    sp_mesh mesh = {0}, clean = {0};
    SP_TRY(surface_proof_grid_open(&grid, report->host, 2.6 / 48, 1.3, ball, err));
    sp_status status = sp_surface_cubes(&grid.tiles, grid.phi, 1.0f, report->host, &mesh, err);
    if (status == SP_OK)
        status = sp_surface_cubes(&grid.tiles, grid.phi, 1.0f, report->host, &clean, err);
    if (status == SP_OK) status = prove_smoothing(report, &mesh, &clean, 2.6 / 48, err);
    sp_mesh_close(&mesh);
    sp_mesh_close(&clean);
    surface_proof_grid_close(&grid);
    return status;
}

/// ---- Heights -----------------------------------------------------------------------------------

enum { SHEET = 33 };
static const double sheet_step = 0.03125; // m; a square of 1 m

static sp_status prove_sheet(sp_check_report *report, const char *name, const float *height,
                             const float *depth, double volume, double euler, bool flip,
                             sp_error *err)
{
    const sp_field sheet = {.name = "height",
                            .layout = SP_FIELD_PLANE,
                            .components = 1,
                            .values = height,
                            .nu = SHEET,
                            .nv = SHEET,
                            .corner = {3.0, 0.0, -2.0},
                            .du = {sheet_step, 0.0, 0.0},
                            .dv = {0.0, 0.0, flip ? sheet_step : -sheet_step}};
    sp_field below = sheet;
    below.values = depth;
    sp_mesh mesh;
    sp_mesh_edges edges;
    SP_TRY(sp_surface_height(&sheet, &below, report->host, &mesh, err));
    const sp_status status = sp_mesh_look(&mesh, &edges, err);
    sp_exact(report, sp_label(report, "%s: bad edges", name), surface_bad_edges(&edges), 0,
             "closed");
    sp_relative(report, sp_label(report, "%s: volume, m3", name), sp_mesh_volume(&mesh), volume,
                1e-5, "area times depth, the floor a millimetre lower; single precision");
    sp_exact(report, sp_label(report, "%s: Euler number", name), (double)edges.euler, euler,
             "2 for each piece, 2 less for each hole");
    sp_mesh_close(&mesh);
    return status;
}

sp_status surface_prove_height(sp_check_report *report, sp_error *err)
{
    float height[SHEET * SHEET], depth[SHEET * SHEET];
    for (int k = 0; k < SHEET * SHEET; ++k) {
        height[k] = 0.75f;
        depth[k] = 0.25f;
    }
    SP_TRY(prove_sheet(report, "level", height, depth, 0.251, 2, false, err));
    SP_TRY(prove_sheet(report, "level, mirrored", height, depth, 0.251, 2, true, err));
    // Samples 10 to 20 are dry both ways: 10 x 10 cells between them are left out.
    for (int j = 10; j <= 20; ++j)
        for (int i = 10; i <= 20; ++i)
            depth[j * SHEET + i] = 0.0f;
    const double cell = sheet_step * sheet_step;
    // the rim of the hole is a row of cells whose floor rises by 0.25 m: 10 along each side and 4
    // corners. Floors are two triangles: half the depth along a side; at a corner one or two of
    // four samples' worth, by the diagonal, which is the same for all here.
    double lost = 100.0 * cell * 0.251;
    lost += 40.0 * cell * 0.5 * 0.25;
    lost += cell * 0.25 * (2.0 / 6.0 + 1.0 / 6.0 + 2.0 / 6.0 + 1.0 / 6.0);
    SP_TRY(prove_sheet(report, "with a hole", height, depth, 0.251 - lost, 0, false, err));
    // Two wet samples, a diagonal of two cells apart: the four cells around each meet in one
    // corner.
    for (int k = 0; k < SHEET * SHEET; ++k)
        depth[k] = k == 10 * SHEET + 10 || k == 12 * SHEET + 12 ? 0.25f : 0.0f;
    return prove_sheet(report, "two puddles that touch", height, depth,
                       2.0 * cell * 0.25 + 8.0 * cell * 0.001, 4, false, err);
}
