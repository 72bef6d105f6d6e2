// SPDX-License-Identifier: Apache-2.0
/// Wavefront OBJ: "v x y z" is a vertex, "f a b c ..." a polygon of vertices counted from 1, or
/// backwards from the newest when negative. "a/b/c" also names a texture coordinate and a normal;
/// both are ignored. Other lines are skipped. The file is read twice: to count, then to fill.
#include "mesh/internal.h"

typedef struct obj {
    mesh_text text;
    size_t vertices, triangles; ///< read so far
    sp_mesh *mesh;              ///< NULL while counting
    size_t total;               ///< vertices in the file, known after counting
} obj;

/// A word of this line; a backslash at the end of a line joins it to the next.
static size_t next_word(obj *o, const unsigned char **word)
{
    for (;;) {
        const size_t length = mesh_text_word(&o->text, word);
        if (!mesh_text_is(*word, length, "\\")) return length;
        mesh_text_next_line(&o->text);
    }
}

static sp_status read_vertex(obj *o, sp_error *err)
{
    for (int k = 0; k < 3; ++k) {
        double value;
        if (!mesh_text_number(&o->text, &value) || !mesh_coordinate_ok(value))
            return mesh_text_fail(&o->text, err, "expected three numbers after v");
        if (o->mesh) o->mesh->x[o->vertices][k] = (float)value;
    }
    ++o->vertices;
    return SP_OK;
}

/// One corner of a face, as a vertex number from 0.
static sp_status read_corner(const obj *o, const unsigned char *word, size_t length, uint32_t *out,
                             sp_error *err)
{
    size_t digits = 0;
    int64_t index;
    while (digits < length && word[digits] != '/')
        ++digits;
    if (!mesh_text_whole(word, digits, &index) || index == 0)
        return mesh_text_fail(&o->text, err, "expected vertex numbers from 1 after f");
    if (!o->mesh) return SP_OK; // the range is known only once all vertices are counted
    const int64_t from_zero = index > 0 ? index - 1 : (int64_t)o->vertices + index;
    if (from_zero < 0 || from_zero >= (int64_t)o->total)
        return sp_fail(err, SP_BAD_INPUT, "%s, line %zu: vertex %lld of %zu", o->text.name,
                       o->text.line, (long long)index, o->total);
    *out = (uint32_t)from_zero;
    return SP_OK;
}

static sp_status read_face(obj *o, sp_error *err)
{
    uint32_t first = 0, before = 0, corner = 0;
    size_t corners = 0, length;
    const unsigned char *word;
    while ((length = next_word(o, &word)) > 0 && word[0] != '#') {
        before = corner;
        SP_TRY(read_corner(o, word, length, &corner, err));
        if (corners == 0) first = corner;
        if (++corners < 3) continue;
        if (o->mesh) sp_mesh_put(o->mesh, o->triangles, first, before, corner);
        ++o->triangles;
    }
    if (corners >= 3) return SP_OK;
    return mesh_text_fail(&o->text, err, "a face with fewer than three corners");
}

static sp_status read_lines(obj *o, sp_error *err)
{
    while (o->text.at < o->text.end) {
        const unsigned char *word;
        const size_t length = mesh_text_word(&o->text, &word);
        if (mesh_text_is(word, length, "v")) SP_TRY(read_vertex(o, err));
        if (mesh_text_is(word, length, "f")) SP_TRY(read_face(o, err));
        mesh_text_next_line(&o->text);
    }
    return SP_OK;
}

sp_status mesh_read_obj(const char *name, const unsigned char *bytes, size_t count,
                        const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    obj counting = {.text = {bytes, bytes, bytes + count, 1, name}};
    SP_TRY(read_lines(&counting, err));
    if (counting.vertices > UINT32_MAX || counting.triangles > UINT32_MAX)
        return sp_fail(err, SP_BAD_INPUT, "%s: more than %u vertices or triangles", name,
                       UINT32_MAX);
    SP_TRY(sp_mesh_open(mesh, host, counting.vertices, counting.triangles, 0, err));
    obj filling = {
        .text = {bytes, bytes, bytes + count, 1, name}, .mesh = mesh, .total = counting.vertices};
    return read_lines(&filling, err);
}
