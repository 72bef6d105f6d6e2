// SPDX-License-Identifier: Apache-2.0
/// Checks of solids on a grid: the areas that they leave open, and the volume that they displace
/// when they move.
#include "shapes/solids.h"

#include "validate/shapes/proofs.h"

#include <math.h>

/// ---- Planes ------------------------------------------------------------------------------------

/// Area of the part of a unit square where a linear function with these corner values is positive:
/// walks around the square and cuts it where the sign changes.
static double clipped_area(const double v[4])
{
    static const double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double at[8][2], area = 0.0;
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        const int j = (i + 1) % 4;
        const double share = v[i] / (v[i] - v[j]);
        for (int k = 0; k < 2 && v[i] > 0.0; ++k)
            at[n][k] = corner[i][k];
        n += v[i] > 0.0;
        if ((v[i] > 0.0) == (v[j] > 0.0)) continue;
        for (int k = 0; k < 2; ++k)
            at[n][k] = corner[i][k] + share * (corner[j][k] - corner[i][k]);
        ++n;
    }
    for (int i = 0; i < n; ++i)
        area += 0.5 * (at[i][0] * at[(i + 1) % n][1] - at[(i + 1) % n][0] * at[i][1]);
    return area;
}

sp_status shape_prove_shares(sp_check_report *report, sp_error *err)
{
    enum { PLANES = 100000 };
    double off = 0.0;
    (void)err;
    for (uint64_t i = 0; i < PLANES; ++i) {
        double n[3], exact[4];
        float v[4];
        shape_sample_point(i, n); // the plane cuts the face at any angle
        const double length = sqrt(sp_dot3(n, n));
        const double d = 1.5 * (shape_sample_unit(i, 8) - 0.5) - 0.5 * (n[0] + n[1]) / length;
        const double x = n[0] / length, y = n[1] / length,
                     corners[4] = {d, d + x, d + x + y, d + y};
        for (int k = 0; k < 4; ++k)
            exact[k] = (double)(v[k] = (float)corners[k]);
        const double share = (double)sp_face_open(v[0], v[1], v[2], v[3]);
        off = fmax(off, fabs(share - clipped_area(exact)));
    }
    sp_at_most(report, "planes at any angle: open fraction against the clipped square", off, 1e-6,
               "exact for linear distances; fractions are floats");
    return SP_OK;
}

/// ---- One body in a cube of tiles from -1 to 1 m ------------------------------------------------

enum { MOST_PLANES = 256 };
/// Sums over all faces across x.
typedef struct face_sums {
    double closed;             ///< m2
    double swept[MOST_PLANES]; ///< m3/s, closed area times velocity, plane by plane
} face_sums;

static void add_tile(const sp_solids *s, const int32_t at[3], double voxel, face_sums *sums)
{
    sp_solid_tile tile;
    const sp_solidity what = sp_solids_classify_tile(s, at, &tile);
    for (int i = 0; i < SP_TILE_VOXELS && what != SP_TILE_IS_OPEN; ++i) {
        const double p[3] = {voxel * (8 * at[0] + i % 8) - 1.0,
                             voxel * (8 * at[1] + i / 8 % 8 + 0.5) - 1.0,
                             voxel * (8 * at[2] + i / 64 + 0.5) - 1.0};
        double open = 0.0, v[3];
        sp_solids_velocity(s, 0, p, v); // the tile is not filled where it is fully solid
        if (what == SP_TILE_IS_CUT) {
            open = (double)tile.open[0][i];
            v[0] = (double)tile.velocity[0][i];
        }
        sums->closed += (1.0 - open) * voxel * voxel;
        sums->swept[8 * at[0] + i % 8] += (1.0 - open) * voxel * voxel * v[0];
    }
}

static sp_status sum_faces(const sp_collider_def *body, int tiles, const sp_host *host,
                           face_sums *sums, sp_error *err)
{
    const double voxel = 2.0 / (8.0 * tiles);
    const sp_solids_def def = {.colliders = body,
                               .count = 1,
                               .voxel = (float)voxel, // a power of two
                               .origin = {-1, -1, -1},
                               .low = {-1, -1, -1},
                               .high = {1, 1, 1}};
    sp_solids *s;
    SP_TRY(sp_solids_open(&def, host, &s, err));
    const sp_status status = sp_solids_move(s, 0.5, err);
    *sums = (face_sums){0};
    for (int32_t n = 0; n < tiles * tiles * tiles && status == SP_OK; ++n) {
        const int32_t at[3] = {n % tiles, n / tiles % tiles, n / tiles / tiles};
        add_tile(s, at, voxel, sums);
    }
    sp_solids_close(s);
    return status;
}

/// Closed areas across x times the voxel give the volume: cross-sections summed at equal steps.
static sp_status volume_rows(sp_check_report *report, const char *name, const sp_collider_def *body,
                             double volume, sp_error *err)
{
    double off[2];
    for (int fine = 0; fine < 2; ++fine) {
        const int tiles = fine ? 16 : 8;
        face_sums sums;
        SP_TRY(sum_faces(body, tiles, report->host, &sums, err));
        off[fine] = fabs(sums.closed * 2.0 / (8.0 * tiles) / volume - 1.0);
    }
    sp_at_most(report,
               sp_label(report, "%s: relative error of the closed area times the voxel", name),
               off[1], 2e-3, "chords of one voxel at a radius of 19 voxels or more");
    sp_at_least(report, sp_label(report, "%s: order of convergence of it", name),
                log2(off[0] / off[1]), 1.7,
                "chords are second order; open fractions below 0.01 are closed");
    return SP_OK;
}

/// A body that moves along x at 1 m/s displaces its cross-section per second at every plane across
/// x.
static sp_status piston_rows(sp_check_report *report, sp_error *err)
{
    static const sp_box_def box = {{-0.3125f, -0.5f, -0.25f}, {0.40625f, 0.5f, 0.25f}};
    static const sp_sphere_def ball = {{0.0f, 0.01f, 0.02f}, 0.6f};
    static const sp_pose_def keys[2] = {{.time = 0}, {.time = 1, .position = {1, 0, 0}}};
    const sp_collider_def piston = {
        .shape.box = &box, .slip = 1, .motion = {.keys = keys, .key_count = 2}};
    const sp_collider_def shot = {
        .shape.sphere = &ball, .slip = 1, .motion = {.keys = keys, .key_count = 2}};
    const int tiles = 8, planes = 8 * tiles;
    const double voxel = 2.0 / planes;
    face_sums sums;
    double off = 0.0;
    SP_TRY(sum_faces(&piston, tiles, report->host, &sums, err));
    for (int i = 0; i < planes; ++i) { // half a metre on; its ends close the faces in their planes
        const double x = voxel * i - 1.0, inside = x >= 0.1875 && x <= 0.90625;
        off = fmax(off, fabs(sums.swept[i] - 0.5 * inside));
    }
    sp_at_most(report, "piston of 0.5 m2 at 1 m/s: error of the displaced volume, m3/s", off, 1e-6,
               "its sides lie on the grid: exact to rounding");
    SP_TRY(sum_faces(&shot, tiles, report->host, &sums, err));
    off = 0.0;
    for (int i = 0; i < planes; ++i) {
        const double x = voxel * i - 1.5;
        off = fmax(off, fabs(sums.swept[i] - SP_PI_D * fmax(0.0, 0.36 - x * x)));
    }
    sp_at_most(report, "ball of 0.6 m at 1 m/s: error of the displaced volume at any plane, m3/s",
               off, 5e-3,
               "a circle of chords of a voxel, 1/32 m: pi/6 of a voxel squared, and slivers");
    return SP_OK;
}

sp_status shape_prove_solids(sp_check_report *report, sp_error *err)
{
    static const sp_sphere_def ball = {{0.013f, 0.021f, -0.017f}, 0.6f};
    static const sp_torus_def ring = {{0.01f, 0.02f, 0.03f}, {0.3f, 1.0f, 0.2f}, 0.6f, 0.3f};
    const sp_collider_def sphere = {.shape.sphere = &ball, .slip = 1};
    const sp_collider_def torus = {.shape.torus = &ring, .slip = 1};
    SP_TRY(volume_rows(report, "sphere", &sphere, 4.0 / 3.0 * SP_PI_D * 0.216, err));
    SP_TRY(volume_rows(report, "torus", &torus, 2.0 * SP_PI_D * SP_PI_D * 0.6 * 0.09, err));
    return piston_rows(report, err);
}
