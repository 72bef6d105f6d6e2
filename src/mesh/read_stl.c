// SPDX-License-Identifier: Apache-2.0
/// STL, text or binary: each triangle has its own three corners; corners at exactly the same
/// position become one vertex.
///
///     binary   80 bytes of anything, a 32-bit count n, then n times 50 bytes:
///              normal and three corners (12 floats), 2 bytes of anything; little endian
///     text     one item per line: solid, facet normal x y z, outer loop,
///              vertex x y z (three times), endloop, endfacet, endsolid
#include "mesh/internal.h"

#include <string.h>

enum { HEADER = 84, RECORD = 50 };

static uint32_t little32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static sp_status read_binary(const char *name, const unsigned char *bytes, size_t triangles,
                             const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    if (triangles > UINT32_MAX / 3)
        return sp_fail(err, SP_BAD_INPUT, "%s: %zu triangles; expected at most %u", name, triangles,
                       UINT32_MAX / 3);
    SP_TRY(sp_mesh_open(mesh, host, 3 * triangles, triangles, 0, err));
    for (size_t i = 0; i < 3 * triangles; ++i) {
        const unsigned char *at = bytes + HEADER + i / 3 * RECORD + 12 * (1 + i % 3);
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t bits = little32(at + 4 * k);
            memcpy(&mesh->x[i][k], &bits, sizeof bits);
            if (!mesh_coordinate_ok((double)mesh->x[i][k]))
                return sp_fail(err, SP_BAD_INPUT, "%s, byte %zu: not a coordinate", name,
                               (size_t)(at + 4 * k - bytes));
        }
        mesh->tri[i / 3][i % 3] = (uint32_t)i;
    }
    return SP_OK;
}

/// One line of a text file; `corners` counts all corners so far. A NULL mesh only counts.
static sp_status read_line(mesh_text *text, sp_mesh *mesh, size_t *corners, size_t *loops,
                           sp_error *err)
{
    static const char *const others[] = {"solid", "facet", "outer", "endfacet", "endsolid", NULL};
    const unsigned char *word;
    const size_t length = mesh_text_word(text, &word);
    if (mesh_text_is(word, length, "vertex")) {
        for (int k = 0; k < 3; ++k) {
            double value;
            if (!mesh_text_number(text, &value) || !mesh_coordinate_ok(value))
                return mesh_text_fail(text, err, "expected three numbers after vertex");
            if (mesh) mesh->x[*corners][k] = (float)value;
        }
        ++*corners;
        return SP_OK;
    }
    if (mesh_text_is(word, length, "endloop")) {
        if (*corners != 3 * ++*loops)
            return mesh_text_fail(text, err, "a loop without three corners");
        return SP_OK;
    }
    for (const char *const *other = others; *other; ++other)
        if (mesh_text_is(word, length, *other)) return SP_OK;
    return length ? mesh_text_fail(text, err, "not a word of an STL file") : SP_OK;
}

static sp_status read_lines(const char *name, const unsigned char *bytes, size_t count,
                            sp_mesh *mesh, size_t *corners, sp_error *err)
{
    mesh_text text = {bytes, bytes, bytes + count, 1, name};
    size_t loops = 0;
    *corners = 0;
    for (; text.at < text.end; mesh_text_next_line(&text))
        SP_TRY(read_line(&text, mesh, corners, &loops, err));
    return *corners == 3 * loops ? SP_OK : mesh_text_fail(&text, err, "ends within a loop");
}

static sp_status read_text(const char *name, const unsigned char *bytes, size_t count,
                           const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    size_t corners;
    SP_TRY(read_lines(name, bytes, count, NULL, &corners, err));
    if (corners > UINT32_MAX)
        return sp_fail(err, SP_BAD_INPUT, "%s: %zu corners; expected at most %u", name, corners,
                       UINT32_MAX);
    SP_TRY(sp_mesh_open(mesh, host, corners, corners / 3, 0, err));
    SP_TRY(read_lines(name, bytes, count, mesh, &corners, err));
    for (size_t i = 0; i < corners; ++i)
        mesh->tri[i / 3][i % 3] = (uint32_t)i;
    return SP_OK;
}

sp_status mesh_read_stl(const char *name, const unsigned char *bytes, size_t count,
                        const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    // The size decides, not the first word: many binary files begin with "solid" as well.
    const size_t triangles = count >= HEADER ? little32(bytes + 80) : 0;
    if (count >= HEADER && (count - HEADER) / RECORD == triangles &&
        (count - HEADER) % RECORD == 0) {
        SP_TRY(read_binary(name, bytes, triangles, host, mesh, err));
    } else if (count >= 5 && memcmp(bytes, "solid", 5) == 0) {
        SP_TRY(read_text(name, bytes, count, host, mesh, err));
    } else if (count >= HEADER) {
        return sp_fail(err, SP_BAD_INPUT, "%s, byte 80: %zu triangles; %zu bytes hold %zu", name,
                       triangles, count, (count - HEADER) / RECORD);
    } else {
        return sp_fail(err, SP_BAD_INPUT, "%s: neither a text nor a binary STL file", name);
    }
    return sp_mesh_weld(mesh, err);
}
