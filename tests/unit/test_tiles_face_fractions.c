// SPDX-License-Identifier: Apache-2.0
// links: tiles core
#include "core/core.h"
#include "testing.h"
#include "tiles/mac.h"

#include <math.h>

/// cmocka compares only floats.
static void close_to(double a, double b, double tolerance)
{
    assert_true(fabs(a - b) <= tolerance);
}

static float unit(size_t i, int k)
{
    return sp_unit(sp_random(7, 21, i, 0, 0).x[k]);
}

/// ---- One square --------------------------------------------------------------------------------

/// A plane crosses a square: its distance is linear, so the cut is straight and marching squares
/// gives the exact area. Reference: the square clipped by the half plane (Sutherland and Hodgman)
/// in double. Floats hold distances of up to 1 to 6e-8, and a fraction is a ratio of such: 1e-5 leaves
/// room where both are small.
static double clipped(const double v[4])
{
    static const double at[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double out[8][2], area = 0.0;
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        const int j = (i + 1) % 4;
        if (v[i] > 0.0) {
            out[n][0] = at[i][0];
            out[n++][1] = at[i][1];
        }
        if ((v[i] > 0.0) == (v[j] > 0.0)) continue;
        const double t = v[i] / (v[i] - v[j]);
        for (int k = 0; k < 2; ++k)
            out[n][k] = at[i][k] + t * (at[j][k] - at[i][k]);
        ++n;
    }
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n;
        area += 0.5 * (out[i][0] * out[j][1] - out[j][0] * out[i][1]);
    }
    return area;
}

static void planes_leave_the_area_of_the_clipped_square(void **state)
{
    (void)state;
    for (size_t i = 0; i < 20000; ++i) {
        const double turn = 2.0 * SP_PI_D * (double)unit(i, 0), nx = cos(turn), ny = sin(turn);
        const double d = 2.0 * (double)unit(i, 1) - 1.0 - 0.5 * (nx + ny);
        const double exact[4] = {d, d + nx, d + nx + ny, d + ny};
        float v[4];
        double rounded[4];
        for (int k = 0; k < 4; ++k)
            rounded[k] = (double)(v[k] = (float)exact[k]);
        close_to((double)sp_face_open(v[0], v[1], v[2], v[3]), clipped(rounded), 1e-5);
    }
}

/// Any four distances, not only those of planes: edges are cut where the distance is linear, with
/// straight pieces between. Where opposite corners agree there are two polygons, or one with six
/// corners.
static double by_cases(const double v[4])
{
    const int pattern = (v[0] > 0.0) | (v[1] > 0.0) << 1 | (v[2] > 0.0) << 2 | (v[3] > 0.0) << 3;
    if (pattern != 5 && pattern != 10) return clipped(v);
    double alone = 0.0; // triangles at the corners that are cut off
    const bool joined = v[0] + v[1] + v[2] + v[3] > 0.0;
    for (int i = 0; i < 4; ++i) {
        if ((v[i] > 0.0) == joined) continue;
        const double next = v[(i + 1) % 4], last = v[(i + 3) % 4];
        alone += 0.5 * v[i] / (v[i] - next) * v[i] / (v[i] - last);
    }
    return joined ? 1.0 - alone : alone;
}

static void all_sixteen_cases_match_polygons(void **state)
{
    (void)state;
    int seen[16] = {0};
    for (size_t i = 0; i < 20000; ++i) {
        float v[4];
        double wide[4];
        for (int k = 0; k < 4; ++k)
            wide[k] = (double)(v[k] = 2.0f * unit(i, k) - 1.0f);
        ++seen[(v[0] > 0) | (v[1] > 0) << 1 | (v[2] > 0) << 2 | (v[3] > 0) << 3];
        close_to((double)sp_face_open(v[0], v[1], v[2], v[3]), by_cases(wide), 1e-5);
        // rotated or mirrored the result is the same; sums in another order round differently
        close_to((double)sp_face_open(v[1], v[2], v[3], v[0]),
                 (double)sp_face_open(v[0], v[1], v[2], v[3]), 1e-6);
        close_to((double)sp_face_open(v[3], v[2], v[1], v[0]),
                 (double)sp_face_open(v[0], v[1], v[2], v[3]), 1e-6);
        // the open and the solid fraction sum to 1
        close_to((double)sp_face_open(-v[0], -v[1], -v[2], -v[3]) +
                     (double)sp_face_open(v[0], v[1], v[2], v[3]),
                 1.0, 2e-6);
    }
    for (int k = 0; k < 16; ++k)
        assert_true(seen[k] > 100);
}

static void a_wall_in_the_plane_of_a_face_closes_it(void **state)
{
    (void)state;
    assert_true(sp_face_open(0, 0, 0, 0) == 0.0f);
    assert_true(sp_face_open(0, 0, -1, -1) == 0.0f);
    assert_true(sp_face_open(0, 0, 1, 1) == 1.0f); // the wall only touches the edge of the face
    assert_true(sp_face_open(0, 1, 2, 1) == 1.0f); // or its corner
    assert_true(sp_face_open(0, 1e-30f, 1e-30f, 0) == 1.0f);
    assert_true(sp_face_open(-1e30f, 1e30f, 1e30f, -1e30f) == 0.5f);
}

/// ---- A tile ------------------------------------------------------------------------------------

/// Open fractions of a tile cut by a sphere, against areas of faces sampled 64 x 64 times. Between
/// corners the surface is a chord, off by 1/(8 R) = 0.018 voxel for R = 7 voxels, along at most a
/// voxel and a half; sampling adds a sixty-fourth of the cut's length.
static void shares_of_a_sphere_are_those_of_fine_samples(void **state)
{
    (void)state;
    enum { FINE = 64 };
    const double middle[3] = {3.3, 4.1, 4.6}, radius = 7.0;
    static float psi[SP_TILE_CORNERS], open[3][SP_TILE_VOXELS];
    for (int c = 0; c < SP_TILE_CORNERS; ++c)
        psi[c] =
            (float)(hypot(hypot(c % 9 - middle[0], c / 9 % 9 - middle[1]), c / 81 - middle[2]) -
                    radius);
    sp_tiles_open_faces(psi, open);
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            int free = 0;
            for (int s = 0; s < FINE * FINE; ++s) {
                double p[3] = {i % 8, i / 8 % 8, i / 64};
                p[(axis + 1) % 3] += (s % FINE + 0.5) / FINE;
                p[(axis + 2) % 3] += (s / FINE + 0.5) / FINE;
                free += hypot(hypot(p[0] - middle[0], p[1] - middle[1]), p[2] - middle[2]) > radius;
            }
            const double fraction = (double)free / (FINE * FINE);
            close_to((double)open[axis][i], fraction, 0.03 + 1.5 / FINE);
        }
}

/// On every face slivers are closed, and faces that are almost open are opened.
static void slivers_are_closed(void **state)
{
    (void)state;
    static float psi[SP_TILE_CORNERS], open[3][SP_TILE_VOXELS];
    for (int pass = 0; pass < 2; ++pass) {
        // a floor that leaves 0.009 of each voxel's height in layer 4, or takes 0.0009 of it
        const float floor = pass ? 4.0009f : 4.991f;
        for (int c = 0; c < SP_TILE_CORNERS; ++c)
            psi[c] = (float)(c / 9 % 9) - floor;
        sp_tiles_open_faces(psi, open);
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            const int j = i / 8 % 8;
            const float side = j > 4 ? 1.0f : j < 4 ? 0.0f : pass ? 1.0f : 0.0f;
            assert_true(open[0][i] == side && open[2][i] == side);
            assert_true(open[1][i] == (j > 4 ? 1.0f : 0.0f));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_leave_the_area_of_the_clipped_square),
        cmocka_unit_test(all_sixteen_cases_match_polygons),
        cmocka_unit_test(a_wall_in_the_plane_of_a_face_closes_it),
        cmocka_unit_test(shares_of_a_sphere_are_those_of_fine_samples),
        cmocka_unit_test(slivers_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
