// SPDX-License-Identifier: Apache-2.0
// links: exchange frame core
#include "test_exchange_sample.h"
#include "test_exchange_tiles.h"
#include "testing.h"

#include <math.h>

/// ---- A reader of OBJ: v, vn, f with or without normals, p.

enum { MOST = 64 };
typedef struct obj {
    double v[MOST][3], n[MOST][3];
    unsigned f[MOST][3];
    size_t vertices, normals, faces, points;
} obj;

static void read_line(obj *o, const char *line)
{
    unsigned a[6], point;
    double x[3];
    if (sscanf(line, "v %lf %lf %lf", &x[0], &x[1], &x[2]) == 3) {
        memcpy(o->v[o->vertices++], x, sizeof x);
    } else if (sscanf(line, "vn %lf %lf %lf", &x[0], &x[1], &x[2]) == 3) {
        memcpy(o->n[o->normals++], x, sizeof x);
    } else if (sscanf(line, "f %u//%u %u//%u %u//%u", a, a + 1, a + 2, a + 3, a + 4, a + 5) == 6) {
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(a[2 * k], a[2 * k + 1]);
            assert_in_range(a[2 * k], 1, o->vertices);
            o->f[o->faces][k] = a[2 * k] - 1;
        }
        ++o->faces;
    } else if (sscanf(line, "p %u", &point) == 1) {
        assert_int_equal(point, ++o->points); // each vertex once, in order
    } else {
        assert_true(line[0] == '#' || line[0] == 'o' || line[0] == '\0');
    }
    assert_true(o->vertices < MOST && o->faces < MOST);
}

static obj read_obj(const sample *s, const char *name)
{
    obj o = {0};
    size_t size;
    char *text = read_file(path_in(s->dir, name), &size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        read_line(&o, line);
    free(text);
    return o;
}

/// ---- Tests.

static void particles_are_written_as_points(void **state)
{
    (void)state;
    sample s;
    sample_open(&s);
    assert_ok(sp_export_obj(s.dir, &s.frame, NULL, ERR));
    const obj o = read_obj(&s, "bubbles.000042.obj"), none = read_obj(&s, "foam.000042.obj");
    assert_int_equal(o.vertices, SAMPLE_N);
    assert_int_equal(o.points, SAMPLE_N);
    for (size_t i = 0; i < 3 * SAMPLE_N; ++i)
        assert_true(o.v[i / 3][i % 3] == s.frame.origin[i % 3] + (double)s.position[i]);
    assert_int_equal(none.vertices, 0);
    sample_close(&s);
}

/// The heights of the sample grow by 0.01 m a column of 0.5 m and by 0.04 m a row of 0.25 m towards
/// -z: a plane, whose normal is the same everywhere. Normals are printed with nine digits of
/// floats: 1e-6.
static void surface_normals_match_the_slope(void **state)
{
    (void)state;
    sample s;
    sample_open(&s);
    assert_ok(sp_export_obj(s.dir, &s.frame, NULL, ERR));
    const obj o = read_obj(&s, "height.000042.obj");
    assert_int_equal(o.vertices, SAMPLE_NU * SAMPLE_NV);
    assert_int_equal(o.normals, o.vertices);
    assert_int_equal(o.faces, 10); // of 12, as the PLY's
    const double n[3] = {-0.02, 1.0, 0.16}, length = sqrt(1.0 + 0.02 * 0.02 + 0.16 * 0.16);
    for (size_t i = 0; i < o.normals; ++i)
        for (size_t k = 0; k < 3; ++k)
            assert_true(fabs(o.n[i][k] - n[k] / length) < 1e-6);
    sample_close(&s);
}

/// Signed volume by the divergence theorem; corners are multiples of a half about the centre, so
/// only the addition of the centre rounds.
static void mesh_keeps_volume_and_position(void **state)
{
    (void)state;
    sample s;
    sp_mesh cube;
    const sp_export_moment when = {42, 0.7};
    sample_open(&s);
    cube_open(&cube, HOST);
    assert_ok(sp_export_mesh_obj(s.dir, "liquid", &when, &cube, ERR));
    const obj o = read_obj(&s, "liquid.000042.obj");
    assert_int_equal(o.vertices, 8);
    assert_int_equal(o.faces, 12);
    double volume = 0.0, mean[3] = {0};
    for (size_t t = 0; t < o.faces; ++t) {
        const double *a = o.v[o.f[t][0]], *b = o.v[o.f[t][1]], *c = o.v[o.f[t][2]];
        volume += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    assert_true(fabs(volume / 6.0 - 1.0) < 1e-12);
    for (size_t i = 0; i < 24; ++i)
        mean[i % 3] += o.v[i / 3][i % 3] / 8.0;
    for (size_t k = 0; k < 3; ++k)
        assert_true(fabs(mean[k] - ball_center[k]) < 1e-12);
    for (size_t i = 0; i < 24; ++i)
        assert_true((float)o.n[i / 3][i % 3] == cube.n[i / 3][i % 3]);
    assert_int_equal(sp_export_mesh_obj(s.dir, "../up", &when, &cube, NULL), SP_BAD_INPUT);
    sp_mesh_close(&cube);
    sample_close(&s);
}

static void ply_mesh_carries_normals_and_velocity(void **state)
{
    (void)state;
    sample s;
    sp_mesh cube;
    const sp_export_moment when = {42, 0.7};
    const sp_export_options o = {
        .struct_size = sizeof(sp_export_options), .names = SP_NAMES_HOUDINI, .ascii = true};
    sample_open(&s);
    cube_open(&cube, HOST);
    assert_ok(sp_export_mesh_ply(s.dir, "liquid", &when, &cube, &o, ERR));
    size_t size, faces = 0;
    char *text = read_file(path_in(s.dir, "liquid.000042.ply"), &size);
    assert_non_null(strstr(text, "property float nx\n"));
    assert_non_null(strstr(text, "property float v_z\n"));
    char *row = strstr(text, "end_header\n");
    assert_non_null(row);
    row += strlen("end_header\n");
    for (size_t i = 0; i < 8; ++i) {
        double x[9];
        for (int k = 0; k < 9; ++k)
            x[k] = strtod(row, &row);
        for (int k = 0; k < 3; ++k) {
            assert_true(x[k] == ball_center[k] + (double)cube.x[i][k]);
            assert_true((float)x[3 + k] == cube.n[i][k]);
            assert_true((float)x[6 + k] == cube.v[i][k]);
        }
    }
    for (unsigned a[3]; sscanf(row, " 3 %u %u %u", a, a + 1, a + 2) == 3; ++faces) {
        for (size_t k = 0; k < 3; ++k)
            assert_int_equal(a[k], cube.tri[faces][k]);
        row = strchr(row + 1, '\n');
    }
    assert_int_equal(faces, 12);
    free(text);
    sp_mesh_close(&cube);
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_are_written_as_points),
        cmocka_unit_test(surface_normals_match_the_slope),
        cmocka_unit_test(mesh_keeps_volume_and_position),
        cmocka_unit_test(ply_mesh_carries_normals_and_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
