// SPDX-License-Identifier: Apache-2.0
// links: exchange frame core
// wraps: write
#include "test_exchange_sample.h"
#include "testing.h"

#include <errno.h>
#include <math.h>

/// A disk that fills: after this many calls of write, no space is left. -1: never.
static int writes_left = -1;
ssize_t __real_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
    if (fd > 2 && writes_left == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (fd > 2 && writes_left > 0) --writes_left;
    return __real_write(fd, bytes, count);
}

/// ---- A reader of PLY: vertex properties by name as doubles, faces as triangles.

enum { MAX_PROPERTIES = 24 };
typedef struct ply {
    char *text;
    const char *body, *end;
    bool ascii;
    size_t vertices, faces;
    int properties;
    char name[MAX_PROPERTIES][32], type[MAX_PROPERTIES][16];
    double value[32][MAX_PROPERTIES];
    unsigned face[32][3];
} ply;

static double read_number(ply *p, const char *type)
{
    if (p->ascii) {
        char *next;
        const double x = strtod(p->body, &next);
        assert_true(next > p->body);
        p->body = next;
        return x;
    }
    double f64;
    float f32;
    int32_t i32;
    uint32_t u32;
    const bool wide = strcmp(type, "double") == 0, narrow = strcmp(type, "uchar") == 0;
    const size_t size = wide ? 8 : narrow ? 1 : 4;
    assert_true((size_t)(p->end - p->body) >= size);
    const char *at = p->body;
    p->body += size;
    if (narrow) return (double)(unsigned char)*at;
    if (wide) return memcpy(&f64, at, 8), f64;
    if (strcmp(type, "float") == 0) return memcpy(&f32, at, 4), (double)f32;
    if (strcmp(type, "int") == 0) return memcpy(&i32, at, 4), (double)i32;
    assert_string_equal(type, "uint");
    return memcpy(&u32, at, 4), (double)u32;
}

static void read_header(ply *p)
{
    bool in_vertex = false;
    assert_memory_equal(p->text, "ply\n", 4);
    for (char *line = p->text, *next; line < p->end; line = next) {
        next = strchr(line, '\n');
        assert_non_null(next);
        *next++ = '\0';
        char name[32], type[16];
        size_t n;
        if (strcmp(line, "format ascii 1.0") == 0) p->ascii = true;
        if (sscanf(line, "element %31s %zu", name, &n) == 2) {
            in_vertex = strcmp(name, "vertex") == 0;
            *(in_vertex ? &p->vertices : &p->faces) = n;
        }
        if (in_vertex && sscanf(line, "property %15s %31s", type, name) == 2) {
            assert_true(p->properties < MAX_PROPERTIES);
            strcpy(p->type[p->properties], type);
            strcpy(p->name[p->properties++], name);
        }
        p->body = next;
        if (strcmp(line, "end_header") == 0) return;
    }
    fail_msg("no end_header");
}

static ply *read_ply(const sample *s, const char *name)
{
    ply *p = calloc(1, sizeof *p);
    size_t size;
    p->text = read_file(path_in(s->dir, name), &size);
    p->end = p->text + size;
    read_header(p);
    assert_true(p->vertices <= 32 && p->faces <= 32);
    for (size_t i = 0; i < p->vertices; ++i)
        for (int k = 0; k < p->properties; ++k)
            p->value[i][k] = read_number(p, p->type[k]);
    for (size_t i = 0; i < p->faces; ++i) {
        assert_int_equal((int)read_number(p, "uchar"), 3);
        for (int k = 0; k < 3; ++k)
            p->face[i][k] = (unsigned)read_number(p, "int");
    }
    if (p->ascii) p->body += strspn(p->body, "\n");
    assert_ptr_equal(p->body, p->end); // nothing beyond what the header announces
    return p;
}

static void free_ply(ply *p)
{
    free(p->text);
    free(p);
}

static int find(const ply *p, const char *name)
{
    for (int k = 0; k < p->properties; ++k)
        if (strcmp(p->name[k], name) == 0) return k;
    return -1;
}

static double at(const ply *p, size_t i, const char *name)
{
    const int k = find(p, name);
    if (k < 0) fail_msg("no property %s", name);
    return p->value[i][k];
}

/// ---- Tests.

static void every_attribute_comes_back_exactly(void **state)
{
    (void)state;
    sample s;
    for (int ascii = 0; ascii < 2; ++ascii) {
        sample_open(&s);
        const sp_export_options o = {.struct_size = sizeof(sp_export_options), .ascii = ascii != 0};
        assert_ok(sp_export_ply(s.dir, &s.frame, &o, ERR));
        ply *p = read_ply(&s, "bubbles.000042.ply");
        assert_int_equal(p->vertices, SAMPLE_N);
        assert_int_equal(p->ascii, ascii);
        for (size_t i = 0; i < SAMPLE_N; ++i) {
            assert_true(at(p, i, "x") == 1e6 + (double)s.position[3 * i]);
            assert_true(at(p, i, "y") == 0.25 + (double)s.position[3 * i + 1]);
            assert_true(at(p, i, "z") == -1e6 + (double)s.position[3 * i + 2]);
            assert_true((float)at(p, i, "velocity_y") == s.velocity[3 * i + 1]);
            assert_true((float)at(p, i, "radius") == s.radius[i]);
            assert_true((float)at(p, i, "pscale") == s.radius[i]);
            assert_true((float)at(p, i, "age") == s.age[i]);
            assert_true(at(p, i, "parent") == -(double)i);
            const uint64_t id = (uint64_t)at(p, i, "id_high") << 32 | (uint64_t)at(p, i, "id");
            assert_true(id == s.id[i]);
        }
        free_ply(p);
        sample_close(&s);
    }
}

static void an_empty_set_is_a_file_without_points(void **state)
{
    (void)state;
    sample s;
    sample_open(&s);
    assert_ok(sp_export_ply(s.dir, &s.frame, NULL, ERR));
    ply *p = read_ply(&s, "foam.000042.ply");
    assert_int_equal(p->vertices, 0);
    assert_true(find(p, "x") >= 0);
    free_ply(p);
    sample_close(&s);
}

static void attribute_names_follow_the_chosen_program(void **state)
{
    (void)state;
    static const struct {
        sp_export_names names;
        const char *there[3], *absent[2];
    } rows[] = {
        {SP_NAMES_PLAIN, {"velocity_x", "radius", "pscale"}, {"v_x", "P"}},
        {SP_NAMES_HOUDINI, {"v_x", "v_z", "pscale"}, {"radius", "velocity_x"}},
        {SP_NAMES_BLENDER, {"velocity_x", "radius", "x"}, {"pscale", "v_x"}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        sample s;
        sample_open(&s);
        const sp_export_options o = {.struct_size = sizeof o, .names = rows[r].names};
        assert_ok(sp_export_ply(s.dir, &s.frame, &o, ERR));
        ply *p = read_ply(&s, "bubbles.000042.ply");
        for (int k = 0; k < 3; ++k)
            assert_true(find(p, rows[r].there[k]) >= 0);
        for (int k = 0; k < 2; ++k)
            assert_true(find(p, rows[r].absent[k]) < 0);
        free_ply(p);
        sample_close(&s);
    }
}

/// Twice the upward area of a triangle, as its corners lie in the file.
static double upward(const ply *p, const unsigned *f)
{
    double u[2], v[2];
    static const char *const axes[2] = {"x", "z"};
    for (int k = 0; k < 2; ++k) {
        u[k] = at(p, f[1], axes[k]) - at(p, f[0], axes[k]);
        v[k] = at(p, f[2], axes[k]) - at(p, f[0], axes[k]);
    }
    return u[1] * v[0] - u[0] * v[1]; // y of the cross product
}

/// Seen from above every triangle is counter-clockwise (normals point up). Together they cover the
/// 6 cells of 0.125 m^2 except the one whose four corners are dry.
static void surface_covers_the_water_and_faces_up(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; ++turn) {
        sample s;
        sample_open(&s);
        for (int k = 0; k < 2; ++k)
            s.fields[k].dv[2] = turn ? 0.25 : -0.25;
        assert_ok(sp_export_ply(s.dir, &s.frame, NULL, ERR));
        ply *p = read_ply(&s, "height.000042.ply");
        assert_int_equal(p->vertices, SAMPLE_NU * SAMPLE_NV);
        assert_int_equal(p->faces, 10);
        double area = 0.0;
        for (size_t i = 0; i < p->faces; ++i) {
            assert_true(upward(p, p->face[i]) > 0.0);
            area += 0.5 * upward(p, p->face[i]);
        }
        assert_true(fabs(area - 0.625) <
                    1e-12); // coordinates are multiples of 1/4: exact in double
        for (size_t i = 0; i < p->vertices; ++i) {
            assert_true(at(p, i, "y") == 2.0 + (double)s.height[i]);
            assert_true(at(p, i, "depth") == (double)s.depth[i]);
        }
        free_ply(p);
        sample_close(&s);
    }
}

static void full_disk_is_one_sentence_and_keeps_the_old_file(void **state)
{
    (void)state;
    sample s;
    sample_open(&s);
    assert_ok(sp_export_ply(s.dir, &s.frame, NULL, ERR));
    size_t before, after;
    char *old = read_file(path_in(s.dir, "bubbles.000042.ply"), &before);
    s.radius[0] = 9.0f;
    writes_left = 0;
    assert_int_equal(sp_export_ply(s.dir, &s.frame, NULL, ERR), SP_IO);
    writes_left = -1;
    assert_non_null(strstr(ERR->text, "bubbles.000042.ply"));
    assert_non_null(strstr(ERR->text, strerror(ENOSPC)));
    assert_null(strchr(ERR->text, '\n'));
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".tmp.%ld.bubbles.000042.ply", (long)getpid());
    assert_false(has_file(s.dir, temporary));
    char *now = read_file(path_in(s.dir, "bubbles.000042.ply"), &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old);
    free(now);
    sample_close(&s);
}

static void missing_directory_is_named(void **state)
{
    (void)state;
    sample s;
    sample_open(&s);
    assert_fails(sp_export_ply("/nowhere/at/all", &s.frame, NULL, ERR), SP_IO,
                 "/nowhere/at/all/bubbles.000042.ply");
    sample_close(&s);
}

static void names_that_would_escape_the_directory_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"../bubbles", "a\nb", "", "<x>", "a b"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        sample s;
        sample_open(&s);
        s.sets[0].name = bad[k];
        assert_int_equal(sp_export_ply(s.dir, &s.frame, NULL, NULL), SP_DAMAGED);
        assert_int_equal(sp_export_vtk(s.dir, &s.frame, NULL, NULL), SP_DAMAGED);
        s.sets[0].name = "bubbles";
        s.columns[4].name = bad[k];
        assert_int_equal(sp_export_ply(s.dir, &s.frame, NULL, NULL), SP_DAMAGED);
        sample_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_attribute_comes_back_exactly),
        cmocka_unit_test(an_empty_set_is_a_file_without_points),
        cmocka_unit_test(attribute_names_follow_the_chosen_program),
        cmocka_unit_test(surface_covers_the_water_and_faces_up),
        cmocka_unit_test(full_disk_is_one_sentence_and_keeps_the_old_file),
        cmocka_unit_test(missing_directory_is_named),
        cmocka_unit_test(names_that_would_escape_the_directory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
