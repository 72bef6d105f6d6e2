// SPDX-License-Identifier: Apache-2.0
// links: cache frame core
/// run.xmf is well-formed XML, and every array it refers to exists with the stated type and
/// extents.
#include "test_cache_drift.h"
#include "testing.h"

/// A minimal XML checker: the stack of open elements.
typedef struct xml {
    char open[32][32];
    int depth, elements;
} xml;

static const char *xml_tag(xml *x, const char *at)
{
    char name[32] = {0};
    const char *end = at;
    for (bool quoted = false; *end != '\0' && (quoted || *end != '>'); ++end) {
        if (*end == '"') quoted = !quoted;
        assert_true(*end != '<' || end == at);
    }
    assert_int_equal(*end, '>');
    const bool closes = at[1] == '/', empty = end[-1] == '/';
    assert_int_equal(sscanf(at + 1 + closes, "%31[A-Za-z]", name), 1);
    if (closes) {
        assert_true(x->depth > 0);
        assert_string_equal(x->open[--x->depth], name);
    } else {
        ++x->elements;
        assert_true(x->depth < 32);
        if (!empty) memcpy(x->open[x->depth++], name, sizeof name);
    }
    return end + 1;
}

static void assert_well_formed(const char *text)
{
    static const char head[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";
    xml x = {0};
    assert_memory_equal(text, head, sizeof head - 1);
    for (const char *at = text + sizeof head - 1; *at != '\0';) {
        if (*at == '<')
            at = xml_tag(&x, at);
        else
            assert_true(*at++ != '&' || *at == '#'); // special characters are written as numbers
    }
    assert_int_equal(x.depth, 0);
    assert_true(x.elements > 20);
}

/// Opens one <DataItem ...>file:/path</DataItem> as ParaView does.
static void assert_item_exists(const char *dir, const char *item)
{
    char kind[16], precision[16], dims[64], file[64], path[4096];
    assert_int_equal(sscanf(item,
                            "<DataItem Format=\"HDF\" NumberType=\"%15[A-Za-z]\" "
                            "Precision=\"%15[0-9]\" Dimensions=\"%63[0-9 ]\">%63[^:]:%4000[^<]",
                            kind, precision, dims, file, path),
                     5);
    const hid_t h5 = H5Fopen(path_in(dir, file), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t set = H5Dopen2(h5, path, H5P_DEFAULT);
    assert_true(h5 >= 0 && set >= 0);
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    hsize_t extents[8];
    const int rank = H5Sget_simple_extent_dims(space, extents, NULL);
    const char *at = dims;
    for (int i = 0; i < rank; ++i) {
        char *end;
        assert_int_equal(strtoull(at, &end, 10), extents[i]);
        assert_true(end != at);
        at = end;
    }
    assert_int_equal(*at, '\0');
    assert_int_equal(H5Tget_size(type), strtoul(precision, NULL, 10));
    assert_int_equal(H5Tget_class(type), strcmp(kind, "Float") == 0 ? H5T_FLOAT : H5T_INTEGER);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(h5);
}

static size_t assert_index_is_sound(const char *dir, uint64_t last)
{
    char *text = read_file(path_in(dir, "run.xmf"), NULL);
    size_t items = 0;
    uint64_t frames = 0;
    assert_well_formed(text);
    for (const char *at = text; (at = strstr(at, "<DataItem ")) != NULL; ++at, ++items)
        assert_item_exists(dir, at);
    for (const char *at = text; (at = strstr(at, "<Time Value=")) != NULL; ++at, ++frames)
        assert_true(strtod(at + 13, NULL) == (double)frames / 24.0);
    assert_int_equal(frames, last + 1);
    free(text);
    return items;
}

static void index_points_at_existing_arrays(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    assert_ok(plain_run(dir, SP_RUN_NEW, 12, ERR));
    // Each frame: four arrays of foam, three of coordinates and one of heights; from frame 4 on
    // also four of bubbles.
    assert_int_equal(assert_index_is_sound(dir, 12), 13 * 8 + 9 * 4);
    assert_ok(plain_run(dir, SP_RUN_RESUME, 16, ERR));
    assert_int_equal(assert_index_is_sound(dir, 16), 17 * 8 + 13 * 4);
    // As if killed after the last checkpoint and before the index: resuming writes only the index.
    assert_int_equal(unlink(path_in(dir, "run.xmf")), 0);
    assert_ok(plain_run(dir, SP_RUN_RESUME, 16, ERR));
    assert_int_equal(assert_index_is_sound(dir, 16), 17 * 8 + 13 * 4);
}

/// x and z in static.h5 equal the positions of the height field's samples.
static void plane_coordinates_match_the_field(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    float x[DRIFT_NV][DRIFT_NU], z[DRIFT_NV][DRIFT_NU];
    assert_ok(plain_run(dir, SP_RUN_NEW, 1, ERR));
    const hid_t h5 = H5Fopen(path_in(dir, "static.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t xs = H5Dopen2(h5, "/planes/0/x", H5P_DEFAULT);
    const hid_t zs = H5Dopen2(h5, "/planes/0/z", H5P_DEFAULT);
    assert_true(H5Dread(xs, H5T_IEEE_F32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    assert_true(H5Dread(zs, H5T_IEEE_F32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, z) >= 0);
    for (int j = 0; j < DRIFT_NV; ++j)
        for (int i = 0; i < DRIFT_NU; ++i) {
            assert_true(x[j][i] == (float)(0.5 + 0.1 * i)); // one rounding, from double
            assert_true(z[j][i] == (float)(-1.0 + 0.2 * j));
        }
    H5Dclose(xs);
    H5Dclose(zs);
    H5Fclose(h5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_points_at_existing_arrays),
        cmocka_unit_test(plane_coordinates_match_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
