// SPDX-License-Identifier: Apache-2.0
/// PLY: a text header lists elements and their properties, then come the rows, as text or binary in
/// either byte order. The reader uses x, y, z of "vertex" and the list "vertex_indices" (or
/// "vertex_index") of "face", and on request the velocity of vertices. All else is skipped.
///
///     ply
///     format binary_little_endian 1.0
///     element vertex 8
///     property float x                           a number
///     property list uchar int vertex_indices     a count, then as many numbers
///     end_header
///
/// Rows are read twice: to count triangles, then to fill. Before the first pass the number of rows
/// in the header is checked against the bytes in the file.
#include "mesh/internal.h"

#include <math.h>
#include <string.h>

enum { MOST_ELEMENTS = 16, MOST_PROPERTIES = 64 };

typedef enum ply_type {
    PLY_NONE,
    PLY_I8,
    PLY_U8,
    PLY_I16,
    PLY_U16,
    PLY_I32,
    PLY_U32,
    PLY_F32,
    PLY_F64
} ply_type;
static const unsigned char type_bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

typedef enum ply_role {
    ROLE_NONE,
    ROLE_X,
    ROLE_Y,
    ROLE_Z,
    ROLE_CORNERS,
    ROLE_VELOCITY ///< first of three for each row of velocity_names
} ply_role;

/// Names of velocity, the most specific first: u and v alone may be texture coordinates.
static const char *const velocity_names[][3] = {{"velocity_x", "velocity_y", "velocity_z"},
                                                {"v_x", "v_y", "v_z"},
                                                {"vx", "vy", "vz"},
                                                {"u", "v", "w"}};
enum { VELOCITY_NAMES = sizeof velocity_names / sizeof *velocity_names };

typedef struct ply_property {
    ply_type type, count_type; ///< count_type is PLY_NONE unless it is a list
    ply_role role;
} ply_property;

typedef struct ply_element {
    bool vertex, face;
    size_t count;
    size_t property_count;
    ply_property properties[MOST_PROPERTIES];
} ply_element;

typedef enum ply_format { FORMAT_NONE, FORMAT_TEXT, FORMAT_LITTLE, FORMAT_BIG } ply_format;

typedef struct ply {
    mesh_text text; ///< the whole file; binary rows move text.at as well
    ply_format format;
    size_t element_count;
    ply_element elements[MOST_ELEMENTS];
    size_t vertices, triangles;
    int velocity;  ///< role of its x; ROLE_NONE: none in the file, or not wanted
    sp_mesh *mesh; ///< NULL while counting
} ply;

/// ---- Header ------------------------------------------------------------------------------------

static ply_type type_named(const unsigned char *word, size_t length)
{
    static const struct {
        const char *name;
        ply_type type;
    } names[] = {
        {"char", PLY_I8},   {"int8", PLY_I8},     {"uchar", PLY_U8},   {"uint8", PLY_U8},
        {"short", PLY_I16}, {"int16", PLY_I16},   {"ushort", PLY_U16}, {"uint16", PLY_U16},
        {"int", PLY_I32},   {"int32", PLY_I32},   {"uint", PLY_U32},   {"uint32", PLY_U32},
        {"float", PLY_F32}, {"float32", PLY_F32}, {"double", PLY_F64}, {"float64", PLY_F64}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (mesh_text_is(word, length, names[i].name)) return names[i].type;
    return PLY_NONE;
}

static ply_type read_type(mesh_text *text)
{
    const unsigned char *word;
    const size_t length = mesh_text_word(text, &word);
    return type_named(word, length);
}

static sp_status read_format(ply *p, sp_error *err)
{
    const unsigned char *word;
    const size_t length = mesh_text_word(&p->text, &word);
    if (mesh_text_is(word, length, "ascii")) p->format = FORMAT_TEXT;
    if (mesh_text_is(word, length, "binary_little_endian")) p->format = FORMAT_LITTLE;
    if (mesh_text_is(word, length, "binary_big_endian")) p->format = FORMAT_BIG;
    if (p->format != FORMAT_NONE) return SP_OK;
    return mesh_text_fail(&p->text, err,
                          "expected ascii, binary_little_endian or binary_big_endian");
}

static sp_status read_element(ply *p, sp_error *err)
{
    const unsigned char *word, *number;
    const size_t length = mesh_text_word(&p->text, &word);
    const size_t digits = mesh_text_word(&p->text, &number);
    int64_t count;
    if (!length || !mesh_text_whole(number, digits, &count) || count < 0)
        return mesh_text_fail(&p->text, err, "expected the element's name and how many there are");
    if (p->element_count == MOST_ELEMENTS)
        return mesh_text_fail(&p->text, err, "more than 16 kinds of elements");
    ply_element *e = &p->elements[p->element_count++];
    e->count = (size_t)count;
    e->vertex = mesh_text_is(word, length, "vertex");
    e->face = mesh_text_is(word, length, "face");
    return SP_OK;
}

static ply_role role_named(const ply_element *e, bool list, const unsigned char *word,
                           size_t length)
{
    if (e->vertex && !list && length == 1 && word[0] >= 'x' && word[0] <= 'z')
        return (ply_role)(ROLE_X + (word[0] - 'x'));
    if (e->face && list &&
        (mesh_text_is(word, length, "vertex_indices") ||
         mesh_text_is(word, length, "vertex_index")))
        return ROLE_CORNERS;
    for (int n = 0; e->vertex && !list && n < 3 * VELOCITY_NAMES; ++n)
        if (mesh_text_is(word, length, velocity_names[n / 3][n % 3]))
            return (ply_role)(ROLE_VELOCITY + n);
    return ROLE_NONE;
}

static sp_status read_property(ply *p, sp_error *err)
{
    if (p->element_count == 0)
        return mesh_text_fail(&p->text, err, "a property before the first element");
    ply_element *e = &p->elements[p->element_count - 1];
    if (e->property_count == MOST_PROPERTIES)
        return mesh_text_fail(&p->text, err, "more than 64 properties of one element");
    ply_property property = {0};
    const unsigned char *word;
    size_t length = mesh_text_word(&p->text, &word);
    const bool list = mesh_text_is(word, length, "list");
    if (list) {
        property.count_type = read_type(&p->text);
        property.type = read_type(&p->text);
        if (property.count_type == PLY_NONE || property.count_type >= PLY_F32)
            return mesh_text_fail(&p->text, err,
                                  "expected an integer type for the length of a list");
    } else {
        property.type = type_named(word, length);
    }
    if (property.type == PLY_NONE)
        return mesh_text_fail(&p->text, err, "expected a type such as float, int or uchar");
    length = mesh_text_word(&p->text, &word);
    property.role = role_named(e, list, word, length);
    e->properties[e->property_count++] = property;
    return SP_OK;
}

static sp_status read_header(ply *p, sp_error *err)
{
    const unsigned char *word;
    size_t length = mesh_text_word(&p->text, &word);
    if (!mesh_text_is(word, length, "ply")) return mesh_text_fail(&p->text, err, "expected ply");
    for (;;) {
        mesh_text_next_line(&p->text);
        if (p->text.at >= p->text.end)
            return mesh_text_fail(&p->text, err, "the file ends within its header");
        length = mesh_text_word(&p->text, &word);
        if (mesh_text_is(word, length, "end_header")) break;
        if (mesh_text_is(word, length, "format"))
            SP_TRY(read_format(p, err));
        else if (mesh_text_is(word, length, "element"))
            SP_TRY(read_element(p, err));
        else if (mesh_text_is(word, length, "property"))
            SP_TRY(read_property(p, err));
        else if (length && !mesh_text_is(word, length, "comment") &&
                 !mesh_text_is(word, length, "obj_info"))
            return mesh_text_fail(&p->text, err, "not a word of a PLY header");
    }
    mesh_text_next_line(&p->text);
    return p->format != FORMAT_NONE ? SP_OK
                                    : mesh_text_fail(&p->text, err, "a header without format");
}

/// ---- Is it sound? ------------------------------------------------------------------------------

static size_t roles_of(const ply_element *e, unsigned *roles)
{
    size_t bytes = 0;
    *roles = 0;
    for (size_t i = 0; i < e->property_count; ++i) {
        const ply_property *q = &e->properties[i];
        bytes += type_bytes[q->count_type ? q->count_type : q->type];
        *roles |= 1u << q->role;
    }
    return bytes;
}

/// The velocity with all three components present, by its most specific name.
static int find_velocity(unsigned roles)
{
    for (int role = ROLE_VELOCITY; role < ROLE_VELOCITY + 3 * VELOCITY_NAMES; role += 3)
        if ((roles >> role & 7) == 7) return role;
    return ROLE_NONE;
}

/// Every row takes at least the bytes of its numbers (two each as text, except the last), so a
/// count that exceeds the file's size is wrong and is refused before anything is allocated.
static sp_status check_elements(ply *p, sp_error *err)
{
    const size_t left = (size_t)(p->text.end - p->text.at);
    const ply_element *vertex = NULL, *face = NULL;
    for (size_t i = 0; i < p->element_count; ++i) {
        const ply_element *e = &p->elements[i];
        unsigned roles;
        size_t row = roles_of(e, &roles);
        if (p->format == FORMAT_TEXT) row = 2 * e->property_count;
        if (e->count > 0 && (row == 0 || e->count > (left + 1) / row))
            return sp_fail(err, SP_BAD_INPUT, "%s: %zu rows of element %zu; %zu bytes hold fewer",
                           p->text.name, e->count, i + 1, left);
        if ((e->vertex && vertex) || (e->face && face)) // the second would write over the first
            return sp_fail(err, SP_BAD_INPUT, "%s: element %zu appears twice", p->text.name, i + 1);
        if (e->vertex) vertex = e;
        if (e->face) face = e;
        if (e->vertex && p->velocity) p->velocity = find_velocity(roles);
        if (e->vertex && (roles >> ROLE_X & 7) != 7)
            return sp_fail(err, SP_BAD_INPUT, "%s: its vertices have no x, y and z", p->text.name);
        if (e->face && !(roles >> ROLE_CORNERS & 1))
            return sp_fail(err, SP_BAD_INPUT, "%s: its faces have no list vertex_indices",
                           p->text.name);
    }
    if (!vertex || !face)
        return sp_fail(err, SP_BAD_INPUT, "%s: no element %s", p->text.name,
                       vertex ? "face" : "vertex");
    if (vertex->count > UINT32_MAX)
        return sp_fail(err, SP_BAD_INPUT, "%s: %zu vertices; expected at most %u", p->text.name,
                       vertex->count, UINT32_MAX);
    p->vertices = vertex->count;
    return SP_OK;
}

/// ---- Rows --------------------------------------------------------------------------------------

static sp_status fail_here(const ply *p, const char *what, sp_error *err)
{
    if (p->format == FORMAT_TEXT) return mesh_text_fail(&p->text, err, what);
    return sp_fail(err, SP_BAD_INPUT, "%s, byte %zu: %s", p->text.name,
                   (size_t)(p->text.at - p->text.start), what);
}

static double decode(const unsigned char *at, ply_type type, bool big)
{
    const unsigned n = type_bytes[type];
    uint64_t bits = 0;
    float f;
    double d;
    for (unsigned i = 0; i < n; ++i)
        bits |= (uint64_t)at[big ? n - 1 - i : i] << (8 * i);
    const uint32_t low = (uint32_t)bits;
    switch (type) {
    case PLY_I8:
        return (double)(int8_t)low;
    case PLY_I16:
        return (double)(int16_t)low;
    case PLY_I32:
        return (double)(int32_t)low;
    case PLY_F32:
        memcpy(&f, &low, sizeof f);
        return (double)f;
    case PLY_F64:
        memcpy(&d, &bits, sizeof d);
        return d;
    case PLY_U8:
    case PLY_U16:
    case PLY_U32:
    case PLY_NONE:
        break;
    }
    return (double)low;
}

/// Reads the next number in the file's format. Text rows may span several lines.
static bool read_value(ply *p, ply_type type, double *out)
{
    mesh_text *text = &p->text;
    if (p->format != FORMAT_TEXT) {
        if ((size_t)(text->end - text->at) < type_bytes[type]) return false;
        *out = decode(text->at, type, p->format == FORMAT_BIG);
        text->at += type_bytes[type];
        return true;
    }
    for (;;) {
        mesh_text_skip_blanks(text);
        if (text->at >= text->end) return false;
        if (*text->at != '\n') return mesh_text_number(text, out);
        mesh_text_next_line(text);
    }
}

static sp_status add_corner(ply *p, double value, size_t corner, uint32_t fan[2], sp_error *err)
{
    if (!(value >= 0.0 && value < (double)p->vertices) || value != floor(value))
        return fail_here(p, "a face names a vertex that is not there", err);
    const uint32_t v = (uint32_t)value;
    if (corner == 0) fan[0] = v;
    if (corner >= 2) {
        if (p->mesh) sp_mesh_put(p->mesh, p->triangles, fan[0], fan[1], v);
        ++p->triangles;
    }
    fan[1] = v;
    return SP_OK;
}

static sp_status read_list(ply *p, const ply_property *property, sp_error *err)
{
    double count, value;
    uint32_t fan[2] = {0, 0};
    if (!read_value(p, property->count_type, &count) || !(count >= 0.0) || count > 4294967295.0)
        return fail_here(p, "expected the length of a list", err);
    for (size_t i = 0; i < (size_t)count; ++i) { // ends at the end of the file at the latest
        if (!read_value(p, property->type, &value))
            return fail_here(p, "expected a number in a list", err);
        if (property->role == ROLE_CORNERS) SP_TRY(add_corner(p, value, i, fan, err));
    }
    return SP_OK;
}

static sp_status store_number(ply *p, int role, size_t row, double value, sp_error *err)
{
    const bool place = role >= ROLE_X && role <= ROLE_Z;
    const int axis = place ? role - ROLE_X : role - p->velocity;
    if (!place && (p->velocity == ROLE_NONE || axis < 0 || axis > 2)) return SP_OK;
    if (!mesh_coordinate_ok(value))
        return fail_here(p, place ? "not a coordinate" : "not a velocity", err);
    if (p->mesh) (place ? p->mesh->x : p->mesh->v)[row][axis] = (float)value;
    return SP_OK;
}

static sp_status read_row(ply *p, const ply_element *e, size_t row, sp_error *err)
{
    for (size_t i = 0; i < e->property_count; ++i) {
        const ply_property *property = &e->properties[i];
        double value;
        if (property->count_type != PLY_NONE) {
            SP_TRY(read_list(p, property, err));
            continue;
        }
        if (!read_value(p, property->type, &value)) return fail_here(p, "expected a number", err);
        SP_TRY(store_number(p, (int)property->role, row, value, err));
    }
    return SP_OK;
}

static sp_status read_all_rows(ply *p, sp_error *err)
{
    p->triangles = 0;
    for (size_t i = 0; i < p->element_count; ++i)
        for (size_t row = 0; row < p->elements[i].count; ++row)
            SP_TRY(read_row(p, &p->elements[i], row, err));
    return p->triangles <= UINT32_MAX ? SP_OK : fail_here(p, "too many triangles", err);
}

static sp_status count_and_read_rows(ply *p, const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    SP_TRY(read_header(p, err));
    SP_TRY(check_elements(p, err));
    const mesh_text rows = p->text;
    SP_TRY(read_all_rows(p, err));
    const unsigned carries = p->velocity ? SP_MESH_VELOCITY : 0;
    SP_TRY(sp_mesh_open(mesh, host, p->vertices, p->triangles, carries, err));
    p->text = rows;
    p->mesh = mesh;
    return read_all_rows(p, err);
}

sp_status mesh_read_ply(const char *name, const unsigned char *bytes, size_t count, bool velocity,
                        const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    ply *p = sp_allocate(host, 1, sizeof *p);
    if (!p) return sp_fail(err, SP_NO_MEMORY, "%s: no memory for its header", name);
    p->text = (mesh_text){bytes, bytes, bytes + count, 1, name};
    p->velocity = velocity ? ROLE_VELOCITY : ROLE_NONE; // refined by check_elements()
    const sp_status status = count_and_read_rows(p, host, mesh, err);
    sp_release(host, p);
    return status;
}
