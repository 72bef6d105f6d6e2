// SPDX-License-Identifier: Apache-2.0
// links: exchange frame core
#include "test_exchange_sample.h"
#include "testing.h"

/// ---- A reader of just enough VTK XML: an array by name, as doubles and as raw 64-bit numbers.

typedef struct array {
    size_t count;
    char type[16];
    double value[64];
    uint64_t whole[64];
} array;

static const char *attribute(const char *tag, const char *name, char *out, size_t room)
{
    char key[40];
    snprintf(key, sizeof key, "%s=\"", name);
    const char *at = strstr(tag, key), *end = strchr(tag, '>');
    assert_true(at && end && at < end);
    at += strlen(key);
    const size_t n = strcspn(at, "\"");
    assert_true(n < room);
    memcpy(out, at, n);
    out[n] = '\0';
    return out;
}

static void read_raw(const char *at, array *a)
{
    uint64_t bytes;
    memcpy(&bytes, at, 8);
    at += 8;
    const size_t size = strstr(a->type, "64") ? 8 : 4;
    a->count = bytes / size;
    assert_true(bytes % size == 0 && a->count <= 64);
    for (size_t i = 0; i < a->count; ++i, at += size) {
        float f32;
        int32_t i32;
        memcpy(&a->whole[i], at, size == 8 ? 8 : 0);
        memcpy(&f32, at, 4);
        memcpy(&i32, at, 4);
        if (strcmp(a->type, "Float64") == 0)
            memcpy(&a->value[i], at, 8);
        else if (strcmp(a->type, "Float32") == 0)
            a->value[i] = (double)f32;
        else
            a->value[i] = size == 8 ? (double)a->whole[i] : (double)i32;
    }
}

static void read_text(const char *at, array *a)
{
    for (a->count = 0;;) {
        char *next;
        const double x = strtod(at, &next);
        if (next == at) return;
        assert_true(a->count < 64);
        a->whole[a->count] = strtoull(at, NULL, 10);
        a->value[a->count++] = x;
        at = next;
    }
}

static array read_array(const char *text, size_t size, const char *name)
{
    array a = {0};
    char key[48], word[32];
    snprintf(key, sizeof key, "Name=\"%s\"", name);
    const char *tag = strstr(text, key);
    if (!tag) fail_msg("no array %s", name);
    while (*tag != '<')
        --tag;
    attribute(tag, "type", a.type, sizeof a.type);
    attribute(tag, "format", word, sizeof word);
    if (strcmp(word, "ascii") == 0) {
        read_text(strchr(tag, '>') + 1, &a);
        return a;
    }
    const char *raw = strstr(text, "<AppendedData encoding=\"raw\">\n_");
    assert_non_null(raw);
    raw = strchr(raw, '_') + 1 + strtoul(attribute(tag, "offset", word, sizeof word), NULL, 10);
    assert_true(raw + 8 <= text + size);
    read_raw(raw, &a);
    return a;
}

/// ---- Tests.

static void particles_come_back_exactly(void **state)
{
    (void)state;
    for (int ascii = 0; ascii < 2; ++ascii) {
        sample s;
        sample_open(&s);
        const sp_export_options o = {.struct_size = sizeof(sp_export_options), .ascii = ascii != 0};
        assert_ok(sp_export_vtk(s.dir, &s.frame, &o, ERR));
        size_t size;
        char *text = read_file(path_in(s.dir, "bubbles.000042.vtp"), &size);
        const array points = read_array(text, size, "Points"),
                    v = read_array(text, size, "velocity");
        const array id = read_array(text, size, "id"), radius = read_array(text, size, "radius");
        const array pscale = read_array(text, size, "pscale"),
                    ends = read_array(text, size, "offsets");
        const array cells = read_array(text, size, "connectivity"),
                    parent = read_array(text, size, "parent");
        assert_int_equal(points.count, 3 * SAMPLE_N);
        assert_int_equal(ends.count, SAMPLE_N);
        assert_string_equal(id.type, "UInt64");
        for (size_t i = 0; i < 3 * SAMPLE_N; ++i) {
            assert_true(points.value[i] == s.frame.origin[i % 3] + (double)s.position[i]);
            assert_true((float)v.value[i] == s.velocity[i]);
        }
        for (size_t i = 0; i < SAMPLE_N; ++i) {
            assert_true(id.whole[i] == s.id[i]);
            assert_true((float)radius.value[i] == s.radius[i] &&
                        (float)pscale.value[i] == s.radius[i]);
            assert_true(parent.value[i] == (double)s.parent[i]);
            assert_true(cells.whole[i] == i && ends.whole[i] == i + 1);
        }
        free(text);
        sample_close(&s);
    }
}

static void surface_is_a_structured_grid(void **state)
{
    (void)state;
    sample s;
    sample_open(&s);
    assert_ok(sp_export_vtk(s.dir, &s.frame, NULL, ERR));
    size_t size;
    char *text = read_file(path_in(s.dir, "height.000042.vts"), &size);
    assert_non_null(strstr(text, "WholeExtent=\"0 3 0 2 0 0\""));
    const array points = read_array(text, size, "Points"), depth = read_array(text, size, "depth");
    assert_int_equal(points.count, 3 * SAMPLE_NU * SAMPLE_NV);
    for (size_t k = 0; k < SAMPLE_NU * SAMPLE_NV; ++k) {
        assert_true(points.value[3 * k] == 1e6 + 0.5 * (double)(k % SAMPLE_NU));
        assert_true(points.value[3 * k + 1] == 2.0 + (double)s.height[k]);
        assert_true(points.value[3 * k + 2] == -1e6 - 0.25 * (double)(k / SAMPLE_NU));
        assert_true(depth.value[k] == (double)s.depth[k]);
    }
    free(text);
    sample_close(&s);
}

static void houdini_names_are_P_and_v(void **state)
{
    (void)state;
    sample s;
    sample_open(&s);
    const sp_export_options o = {.struct_size = sizeof(sp_export_options),
                                 .names = SP_NAMES_HOUDINI};
    assert_ok(sp_export_vtk(s.dir, &s.frame, &o, ERR));
    size_t size;
    char *text = read_file(path_in(s.dir, "bubbles.000042.vtp"), &size);
    assert_int_equal(read_array(text, size, "P").count, 3 * SAMPLE_N);
    assert_int_equal(read_array(text, size, "v").count, 3 * SAMPLE_N);
    assert_int_equal(read_array(text, size, "pscale").count, SAMPLE_N);
    assert_null(strstr(text, "Name=\"radius\""));
    free(text);
    sample_close(&s);
}

static void series_lists_existing_files_with_their_times(void **state)
{
    (void)state;
    sample s;
    sample_open(&s);
    sp_export_moment moments[2];
    for (size_t i = 0; i < 2; ++i) {
        s.frame.frame = 42 + i;
        s.frame.time = (double)s.frame.frame / 60.0;
        moments[i] = (sp_export_moment){s.frame.frame, s.frame.time};
        assert_ok(sp_export_vtk(s.dir, &s.frame, NULL, ERR));
    }
    assert_ok(sp_export_vtk_series(s.dir, &s.frame, moments, 2, ERR));
    static const char *const names[] = {"bubbles", "foam", "height"};
    for (size_t k = 0; k < 3; ++k) {
        char file[64], word[64];
        size_t size, found = 0;
        snprintf(file, sizeof file, "%s.pvd", names[k]);
        char *text = read_file(path_in(s.dir, file), &size);
        for (const char *tag = text; (tag = strstr(tag, "<DataSet")); ++tag, ++found) {
            assert_true(has_file(s.dir, attribute(tag, "file", word, sizeof word)));
            assert_true(strtod(attribute(tag, "timestep", word, sizeof word), NULL) ==
                        moments[found].time);
        }
        assert_int_equal(found, 2);
        free(text);
    }
    sample_close(&s);
}

/// With a directory as argument: writes the files there, to be opened with other programs.
int main(int argc, char **argv)
{
    if (argc > 1) {
        sample s;
        sample_open(&s);
        const sp_export_options ascii = {.struct_size = sizeof(sp_export_options),
                                         .ascii = argc > 2};
        const sp_status st = sp_export_vtk(argv[1], &s.frame, &ascii, NULL);
        const sp_status also = sp_export_ply(argv[1], &s.frame, &ascii, NULL);
        sample_close(&s);
        return st == SP_OK && also == SP_OK ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_come_back_exactly),
        cmocka_unit_test(surface_is_a_structured_grid),
        cmocka_unit_test(houdini_names_are_P_and_v),
        cmocka_unit_test(series_lists_existing_files_with_their_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
