// SPDX-License-Identifier: Apache-2.0
// links: mesh core
/// Mesh files: one cube in every form that the formats allow, and invalid files.
#include "mesh/internal.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Corner c of the unit cube: bit 0 is x, bit 1 is y, bit 2 is z. Faces counter-clockwise from
/// outside.
static const unsigned char quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {2, 6, 7, 3},
                                          {0, 1, 5, 4}, {0, 2, 3, 1}, {4, 5, 7, 6}};

typedef struct bytes {
    unsigned char at[8192];
    size_t count;
} bytes;

static void put_text(bytes *b, const char *format, ...) SP_PRINTF(2, 3);
static void put_text(bytes *b, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    b->count += (size_t)vsnprintf((char *)b->at + b->count, sizeof b->at - b->count, format, list);
    va_end(list);
}

static void put_number(bytes *b, const void *value, size_t size, bool big)
{
    const unsigned char *from = value; // little-endian, like all supported machines
    for (size_t i = 0; i < size; ++i)
        b->at[b->count++] = from[big ? size - 1 - i : i];
}

static void put_f32(bytes *b, float value, bool big)
{
    put_number(b, &value, sizeof value, big);
}

static sp_status parse(const char *name, const bytes *b, sp_mesh *mesh, sp_error *err)
{
    static sp_host host;
    host = sp_host_default(1);
    return sp_mesh_parse(name, b->at, b->count, false, &host, mesh, err);
}

/// A closed cube of one cubic metre, all of whose corners are shared.
static void expect_cube(const char *name, const bytes *b)
{
    sp_mesh mesh;
    sp_mesh_edges edges;
    assert_ok(parse(name, b, &mesh, ERR));
    assert_ok(sp_mesh_look(&mesh, &edges, ERR));
    assert_int_equal(mesh.vertex_count, 8);
    assert_int_equal(mesh.triangle_count, 12);
    assert_int_equal(edges.open + edges.crowded + edges.flipped, 0);
    assert_int_equal(edges.euler, 2);
    assert_true(sp_mesh_volume(&mesh) == 1.0); // 0 and 1 are exact
    assert_true(sp_mesh_area(&mesh) == 6.0);
    sp_mesh_close(&mesh);
}

static void expect_refusal(const char *name, const bytes *b, const char *sentence)
{
    sp_mesh mesh;
    assert_int_equal(parse(name, b, &mesh, ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text, sentence);
    assert_null(mesh.x);
}

static void refuse_text(const char *name, const char *text, const char *sentence)
{
    bytes b = {.count = 0};
    put_text(&b, "%s", text);
    expect_refusal(name, &b, sentence);
}

/// ---- OBJ ---------------------------------------------------------------------------------------

static void obj_polygons_become_triangle_fans(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    for (int c = 0; c < 8; ++c)
        put_text(&b, "v %d %d %d\n", c & 1, c >> 1 & 1, c >> 2);
    for (int f = 0; f < 6; ++f)
        put_text(&b, "f %d %d/7 %d//9 %d/1/2\r\n", quads[f][0] + 1, quads[f][1] + 1,
                 quads[f][2] - 8, quads[f][3] + 1);
    expect_cube("cube.OBJ", &b);
}

static void obj_file_of_a_modeller_is_read(void **state)
{
    (void)state;
    sp_mesh mesh;
    assert_ok(sp_mesh_read(SPUME_SOURCE_DIR "/tests/data/meshes/cube.obj", HOST, &mesh, ERR));
    assert_true(sp_mesh_volume(&mesh) == 1.0 && sp_mesh_area(&mesh) == 6.0);
    sp_mesh_close(&mesh);
}

static void bad_obj_is_refused_with_its_line(void **state)
{
    (void)state;
    refuse_text("a.obj", "", "a.obj has 0 triangles");
    refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "a.obj has 0 triangles");
    refuse_text("a.obj", "v 0 0\n", "a.obj, line 1: expected three numbers after v");
    refuse_text("a.obj", "\n\nv 0 nan 0\n", "a.obj, line 3: expected three numbers after v");
    refuse_text("a.obj", "v 1e30 0 0\n", "a.obj, line 1: expected three numbers after v");
    refuse_text("a.obj", "v 0 0 0\nf 1 1\n", "a.obj, line 2: a face with fewer than three corners");
    refuse_text("a.obj", "v 0 0 0\nf 1 2 3\n", "a.obj, line 2: vertex 2 of 1");
    refuse_text("a.obj", "v 0 0 0\nf 1 -2 1\n", "a.obj, line 2: vertex -2 of 1");
    refuse_text("a.obj", "f 0 1 2\n", "a.obj, line 1: expected vertex numbers from 1 after f");
    refuse_text("a.obj", "f 99999999999999999999 1 2\n",
                "a.obj, line 1: expected vertex numbers from 1 after f");
    refuse_text("a.obj", "v 0 0 0\nf 1 1 1\n", "a.obj has 0 triangles");
    refuse_text("a.3ds", "", "a.3ds: expected an .obj, .stl or .ply file");
}

/// Numbers equal those of strtod, to the last bit of a float.
static void numbers_are_read_like_strtod(void **state)
{
    (void)state;
    static const char *const words[] = {"1",
                                        "-0.5",
                                        "+.25",
                                        "3.",
                                        "1e3",
                                        "1.5E-3",
                                        "-2e+2",
                                        "0.1",
                                        "1e-300",
                                        "123456.789",
                                        "0.3333333333333333333333333333333333333333333",
                                        "31415926535897932384626433832795e-31",
                                        "0e999",
                                        "-0"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        const unsigned char *at = (const unsigned char *)words[i];
        mesh_text text = {at, at, at + strlen(words[i]), 1, "words"};
        double value;
        assert_true(mesh_text_number(&text, &value));
        assert_true((float)value == (float)strtod(words[i], NULL));
    }
    static const char *const bad[] = {"",     ".",   "-",    "1e",     "1e+", "e5", "1.2.3",
                                      "0x10", "inf", "-nan", "1e9999", "1,5", "1f", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const unsigned char *at = (const unsigned char *)bad[i];
        mesh_text text = {at, at, at + strlen(bad[i]), 1, "words"};
        double value;
        assert_false(mesh_text_number(&text, &value));
    }
}

/// ---- STL ---------------------------------------------------------------------------------------

static const int fan[6] = {0, 1, 2, 0, 2, 3};

static void stl_text_is_welded(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    put_text(&b, "solid made of corners\n");
    for (int f = 0; f < 6; ++f)
        for (int i = 0; i < 6; ++i) {
            const int c = quads[f][fan[i]];
            if (i % 3 == 0) put_text(&b, "facet normal 0 0 0\n outer loop\n");
            put_text(&b, "  vertex %s %d.0e0 %d\n", c & 1 ? "1" : "-0", c >> 1 & 1, c >> 2);
            if (i % 3 == 2) put_text(&b, " endloop\nendfacet\n");
        }
    put_text(&b, "endsolid\n");
    expect_cube("cube.stl", &b);
}

/// It begins with "solid", as many binary files do; its size shows that it is binary.
static void stl_binary_is_known_by_its_size(void **state)
{
    (void)state;
    bytes b = {.count = 80};
    const uint32_t triangles = 12;
    memcpy(b.at, "solid but binary", 16);
    put_number(&b, &triangles, 4, false);
    for (int f = 0; f < 6; ++f)
        for (int i = 0; i < 6; ++i) {
            const int c = quads[f][fan[i]];
            for (int k = 0; k < 3 && i % 3 == 0; ++k)
                put_f32(&b, 0.0f, false);
            for (int k = 0; k < 3; ++k)
                put_f32(&b, (float)(c >> k & 1), false);
            if (i % 3 == 2) b.count += 2;
        }
    expect_cube("cube.stl", &b);
    b.count -= 3;
    memcpy(b.at, "SOLID", 5);
    expect_refusal("cube.stl", &b, "cube.stl, byte 80: 12 triangles; 681 bytes hold 11");
    b.count += 3;
    const float wrong = NAN;
    memcpy(b.at + 84 + 50 + 16, &wrong, sizeof wrong);
    expect_refusal("cube.stl", &b, "cube.stl, byte 150: not a coordinate");
}

static void bad_stl_is_refused(void **state)
{
    (void)state;
    refuse_text("a.stl", "", "a.stl: neither a text nor a binary STL file");
    refuse_text("a.stl", "solid\nfacet normal\nouter loop\nvertex 0 0 0\nvertex 1 0\n",
                "a.stl, line 5: expected three numbers after vertex");
    refuse_text("a.stl", "solid\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
                "a.stl, line 4: a loop without three corners");
    refuse_text("a.stl", "solid\nvertex 0 0 0\nvertex 1 0 0\n",
                "a.stl, line 4: ends within a loop");
    refuse_text("a.stl", "solid\nfacette\n", "a.stl, line 2: not a word of an STL file");
    refuse_text("a.stl", "solid\nendsolid\n", "a.stl has 0 triangles");
}

/// ---- PLY ---------------------------------------------------------------------------------------

/// A cube with the additions of other programs: colours, a list before the vertices, another
/// element in between.
static void ply_header(bytes *b, const char *format)
{
    put_text(b,
             "ply\nformat %s 1.0\ncomment made by hand\nelement vertex 8\n"
             "property uchar red\nproperty double x\nproperty float y\nproperty short z\n"
             "element material 1\nproperty list uchar float weights\nproperty int id\n"
             "element face 6\nproperty list ushort uchar texture\n"
             "property list uchar uint vertex_index\nproperty char flag\nend_header\n",
             format);
}

static void ply_text_with_other_properties_is_read(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    ply_header(&b, "ascii");
    for (int c = 0; c < 8; ++c)
        put_text(&b, "255 %d %d.0\n%d\n", c & 1, c >> 1 & 1, c >> 2); // rows may span lines
    put_text(&b, "3 0.5 0.25 1e-3 77\n");
    for (int f = 0; f < 6; ++f)
        put_text(&b, "2 9 9 4 %d %d %d %d -1\n", quads[f][0], quads[f][1], quads[f][2],
                 quads[f][3]);
    expect_cube("cube.ply", &b);
}

static void ply_binary(bytes *b, bool big)
{
    ply_header(b, big ? "binary_big_endian" : "binary_little_endian");
    for (int c = 0; c < 8; ++c) {
        const double x = c & 1;
        const int16_t z = (int16_t)(c >> 2);
        b->at[b->count++] = 255;
        put_number(b, &x, sizeof x, big);
        put_f32(b, (float)(c >> 1 & 1), big);
        put_number(b, &z, sizeof z, big);
    }
    b->at[b->count++] = 1;
    put_f32(b, 0.5f, big);
    put_f32(b, 0.0f, big); // the id, any four bytes
    for (int f = 0; f < 6; ++f) {
        const uint16_t two = 2;
        put_number(b, &two, sizeof two, big);
        b->count += 2;
        b->at[b->count++] = 4;
        for (int k = 0; k < 4; ++k) {
            const uint32_t corner = quads[f][k];
            put_number(b, &corner, sizeof corner, big);
        }
        ++b->count;
    }
}

static void ply_binary_in_either_byte_order_is_read(void **state)
{
    (void)state;
    for (int big = 0; big < 2; ++big) {
        bytes b = {.count = 0};
        ply_binary(&b, big);
        expect_cube("cube.ply", &b);
        b.count -= 5;
        char sentence[96];
        snprintf(sentence, sizeof sentence, "cube.ply, byte %zu: expected a number in a list",
                 b.count);
        sp_mesh mesh;
        assert_int_equal(parse("cube.ply", &b, &mesh, ERR), SP_BAD_INPUT);
        assert_string_equal(ERR->text, sentence);
    }
}

static void bad_ply_is_refused(void **state)
{
    (void)state;
    static const char vertices[] = "property float x\nproperty float y\nproperty float z\n";
    static const char faces[] = "property list uchar int vertex_indices\n";
    const struct {
        const char *format, *counts[2], *rows, *sentence;
    } rows[] = {
        {"ascii",
         {"99999999999", "1"},
         "0 0 0\n",
         "a.ply: 99999999999 rows of element 1; 6 bytes hold fewer"},
        {"binary_little_endian",
         {"0", "99999999999"},
         "0",
         "a.ply: 99999999999 rows of element 2; 1 bytes hold fewer"},
        {"ascii",
         {"1", "1"},
         "0 0 0\n3 0 0 1\n",
         "a.ply, line 11: a face names a vertex that is not there"},
        {"ascii",
         {"1", "1"},
         "0 0 0\n3 0 0 0.5\n",
         "a.ply, line 11: a face names a vertex that is not there"},
        {"ascii", {"1", "1"}, "0 0 0\n-3 0 0 0\n", "a.ply, line 11: expected the length of a list"},
        {"ascii",
         {"1", "1"},
         "0 0 0\n4000000000 0 0\n",
         "a.ply, line 12: expected a number in a list"},
        {"ascii", {"1", "1"}, "0 x 0\n3 0 0 0\n", "a.ply, line 10: expected a number"},
        {"ascii", {"1", "1"}, "0 1e25 0\n3 0 0 0\n", "a.ply, line 10: not a coordinate"},
        {"ascii",
         {"-1", "1"},
         "",
         "a.ply, line 3: expected the element's name and how many there are"},
        {"text",
         {"1", "1"},
         "",
         "a.ply, line 2: expected ascii, binary_little_endian or binary_big_endian"},
        {"ascii", {"1", "1"}, "0 0 0\n2 0 0\n", "a.ply has 0 triangles"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        bytes b = {.count = 0};
        put_text(&b, "ply\nformat %s 1.0\nelement vertex %s\n%selement face %s\n%send_header\n%s",
                 rows[i].format, rows[i].counts[0], vertices, rows[i].counts[1], faces,
                 rows[i].rows);
        expect_refusal("a.ply", &b, rows[i].sentence);
    }
    refuse_text("a.ply", "obj\n", "a.ply, line 1: expected ply");
    refuse_text("a.ply", "ply\n", "a.ply, line 2: the file ends within its header");
    refuse_text("a.ply", "ply\nformat ascii 1.0\nend_header\n", "a.ply: no element vertex");
    refuse_text("a.ply", "ply\nend_header\n", "a.ply, line 3: a header without format");
    refuse_text("a.ply", "ply\nproperty int x\n",
                "a.ply, line 2: a property before the first element");
    refuse_text("a.ply", "ply\nelement vertex 1\nproperty long x\n",
                "a.ply, line 3: expected a type such as float, int or uchar");
    refuse_text("a.ply", "ply\nelement vertex 1\nproperty list float int x\n",
                "a.ply, line 3: expected an integer type for the length of a list");
    refuse_text("a.ply", "ply\nformat ascii 1.0\nelement face 0\nelement vertex 0\nend_header\n",
                "a.ply: its faces have no list vertex_indices");
    refuse_text("a.ply",
                "ply\nformat ascii 1.0\nelement vertex 0\nproperty int x\nproperty int y\n"
                "property int z\nelement vertex 0\nend_header\n",
                "a.ply: element 2 appears twice");
}

/// ---- Reading from the disk ---------------------------------------------------------------------

static void files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    sp_mesh mesh;
    assert_int_equal(sp_mesh_read("no/such.obj", HOST, &mesh, ERR), SP_IO);
    assert_string_equal(ERR->text, "no/such.obj: No such file or directory");
    assert_int_equal(sp_mesh_read(SPUME_SOURCE_DIR "/tests", HOST, &mesh, ERR), SP_IO);
}

/// ---- Water: BOBJ, and PLY with velocities ------------------------------------------------------

static sp_status parse_water(const char *name, const bytes *b, sp_mesh *mesh, sp_error *err)
{
    static sp_host host;
    host = sp_host_default(1);
    return sp_mesh_parse(name, b->at, b->count, true, &host, mesh, err);
}

static void put_u32(bytes *b, uint32_t value)
{
    put_number(b, &value, sizeof value, false);
}

/// A tetrahedron: counts at bytes 0 and 52, the first index at byte 56.
static void bobj_tetrahedron(bytes *b)
{
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    put_u32(b, 4);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            put_f32(b, c == k + 1 ? 1.0f : 0.0f, false);
    put_u32(b, 4);
    for (int f = 0; f < 4; ++f)
        for (int k = 0; k < 3; ++k)
            put_u32(b, faces[f][k]);
}

static void bobj_is_read(void **state)
{
    (void)state;
    bytes b = {.count = 0}, none = {.count = 0};
    sp_mesh mesh;
    bobj_tetrahedron(&b);
    assert_ok(parse_water("000012.bobj", &b, &mesh, ERR));
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.triangle_count, 4);
    assert_true(fabs(sp_mesh_volume(&mesh) - 1.0 / 6.0) < 1e-7);
    assert_null(mesh.v);
    sp_mesh_close(&mesh);
    for (int way = 0; way < 2; ++way) { // a frame without water: no bytes, or counts of 0
        assert_ok(parse_water("000012.bobj", &none, &mesh, ERR));
        assert_int_equal(mesh.vertex_count + mesh.triangle_count, 0);
        sp_mesh_close(&mesh);
        put_u32(&none, 0);
        put_u32(&none, 0);
    }
}

static void refuse_water(const char *name, const bytes *b, const char *sentence)
{
    sp_mesh mesh;
    assert_int_equal(parse_water(name, b, &mesh, ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text, sentence);
    assert_null(mesh.x);
}

static void bad_bobj_is_refused_with_its_byte(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t word;
        const char *sentence;
    } rows[] = {
        {0, 9, "a.bobj, byte 0: 9 vertices; the file's 104 bytes hold fewer"},
        {0, 0xffffffff, "a.bobj, byte 0: 4294967295 vertices; the file's 104 bytes hold fewer"},
        {52, 5, "a.bobj, byte 52: 5 triangles; the file's 104 bytes hold fewer"},
        {52, 3, "a.bobj, byte 92: the file goes on after its triangles"},
        {60, 4, "a.bobj, byte 60: a triangle names a vertex that is not there"},
        {60, 0xffffffff, "a.bobj, byte 60: a triangle names a vertex that is not there"},
        {8, 0x7fc00000, "a.bobj, byte 8: not a coordinate"},   // NaN
        {8, 0x7f800000, "a.bobj, byte 8: not a coordinate"},   // infinity
        {48, 0xff7fffff, "a.bobj, byte 48: not a coordinate"}, // -3e38
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        bytes b = {.count = 0};
        bobj_tetrahedron(&b);
        memcpy(b.at + rows[r].at, &rows[r].word, sizeof rows[r].word);
        refuse_water("a.bobj", &b, rows[r].sentence);
    }
    for (size_t n = 1; n < 104; ++n) { // cut anywhere
        bytes b = {.count = 0};
        sp_mesh mesh;
        bobj_tetrahedron(&b);
        b.count = n;
        assert_fails(parse_water("a.bobj", &b, &mesh, ERR), SP_BAD_INPUT, "a.bobj, byte ");
    }
    const bytes nothing = {.count = 0};
    const bytes cut = {.count = 3};
    refuse_water("a.bobj", &cut, "a.bobj, byte 0: the file ends early");
    refuse_water("a.obj", &nothing, "a.obj: expected a .bobj or .ply file");
}

/// A triangle whose vertex i has the velocity (10 i + 1, 10 i + 2, 10 i + 3), under these names, in
/// this order.
static void ply_triangle(bytes *b, const char *const names[3], bool ascii)
{
    put_text(b, "ply\nformat %s 1.0\nelement vertex 3\nproperty float x\n",
             ascii ? "ascii" : "binary_little_endian");
    for (int k = 0; k < 3; ++k)
        put_text(b, "property float %s\n", names[k]);
    put_text(b, "property float y\nproperty float z\nelement face 1\n"
                "property list uchar int vertex_indices\nend_header\n");
    for (int i = 0; i < 3; ++i) {
        const float row[6] = {
            i == 1, 10.0f * (float)i + 1, 10.0f * (float)i + 2, 10.0f * (float)i + 3, i == 2, 0.0f};
        for (int k = 0; k < 6; ++k) {
            if (ascii) put_text(b, "%g ", (double)row[k]);
            if (!ascii) put_f32(b, row[k], false);
        }
    }
    if (ascii) put_text(b, "\n3 0 1 2\n");
    if (ascii) return;
    b->at[b->count++] = 3;
    for (uint32_t c = 0; c < 3; ++c)
        put_u32(b, c);
}

static void ply_velocities_are_read_by_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *names[3];
        int at[3]; ///< the component that each of them is; -1: they are no velocity
    } rows[] = {
        {{"vx", "vy", "vz"}, {0, 1, 2}},
        {{"vz", "vx", "vy"}, {2, 0, 1}},
        {{"velocity_x", "velocity_y", "velocity_z"}, {0, 1, 2}},
        {{"v_x", "v_y", "v_z"}, {0, 1, 2}},
        {{"u", "v", "w"}, {0, 1, 2}},
        {{"u", "v", "quality"}, {-1, -1, -1}}, // texture coordinates
        {{"vx", "vy", "w"}, {-1, -1, -1}},
        {{"nx", "ny", "nz"}, {-1, -1, -1}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r)
        for (int ascii = 0; ascii < 2; ++ascii) {
            bytes b = {.count = 0};
            sp_mesh mesh;
            ply_triangle(&b, rows[r].names, ascii);
            assert_ok(parse_water("a.ply", &b, &mesh, ERR));
            assert_int_equal(mesh.v != NULL, rows[r].at[0] >= 0);
            assert_true(mesh.x[1][0] == 1.0f && mesh.x[2][1] == 1.0f);
            for (int i = 0; i < 3 && mesh.v; ++i)
                for (int k = 0; k < 3; ++k)
                    assert_true(mesh.v[i][rows[r].at[k]] == 10.0f * (float)i + (float)k + 1.0f);
            sp_mesh_close(&mesh);
            assert_ok(parse("a.ply", &b, &mesh, ERR));
            assert_null(mesh.v); // colliders do not use it
            sp_mesh_close(&mesh);
        }
    bytes b = {.count = 0};
    put_text(&b, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                 "property float z\nproperty float vx\nproperty float vy\nproperty float vz\n"
                 "element face 0\nproperty list uchar int vertex_indices\nend_header\n"
                 "0 0 0 1 1e30 1\n");
    refuse_water("a.ply", &b, "a.ply, line 13: not a velocity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_polygons_become_triangle_fans),
        cmocka_unit_test(obj_file_of_a_modeller_is_read),
        cmocka_unit_test(bad_obj_is_refused_with_its_line),
        cmocka_unit_test(numbers_are_read_like_strtod),
        cmocka_unit_test(stl_text_is_welded),
        cmocka_unit_test(stl_binary_is_known_by_its_size),
        cmocka_unit_test(bad_stl_is_refused),
        cmocka_unit_test(ply_text_with_other_properties_is_read),
        cmocka_unit_test(ply_binary_in_either_byte_order_is_read),
        cmocka_unit_test(bad_ply_is_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
        cmocka_unit_test(bobj_is_read),
        cmocka_unit_test(bad_bobj_is_refused_with_its_byte),
        cmocka_unit_test(ply_velocities_are_read_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
