// SPDX-License-Identifier: Apache-2.0
#ifndef SP_MESH_INTERNAL_H
#define SP_MESH_INTERNAL_H

/// Shared by the readers of mesh files.

#include "mesh/mesh.h"

/// ---- Readers (read_mesh.c and one file a format) -----------------------------------------------

/// A position in a text file; `line` counts from 1.
typedef struct mesh_text {
    const unsigned char *start, *at, *end;
    size_t line;
    const char *name;
} mesh_text;
void mesh_text_skip_blanks(mesh_text *text);
void mesh_text_next_line(mesh_text *text);
/// The next word of this line and its length; 0 at the end of the line.
size_t mesh_text_word(mesh_text *text, const unsigned char **word);
bool mesh_text_is(const unsigned char *word, size_t length, const char *what);
/// Reads the next word as a number; false, and *out is 0, when it is not one. Infinities are
/// refused.
bool mesh_text_number(mesh_text *text, double *out);
bool mesh_text_whole(const unsigned char *word, size_t length, int64_t *out);
sp_status mesh_text_fail(const mesh_text *text, sp_error *err, const char *what);

sp_status mesh_read_obj(const char *name, const unsigned char *bytes, size_t count,
                        const sp_host *host, sp_mesh *mesh, sp_error *err);
sp_status mesh_read_stl(const char *name, const unsigned char *bytes, size_t count,
                        const sp_host *host, sp_mesh *mesh, sp_error *err);
/// With `velocity` the mesh gets the velocity of its vertices, where the file has it.
sp_status mesh_read_ply(const char *name, const unsigned char *bytes, size_t count, bool velocity,
                        const sp_host *host, sp_mesh *mesh, sp_error *err);
sp_status mesh_read_bobj(const char *name, const unsigned char *bytes, size_t count,
                         const sp_host *host, sp_mesh *mesh, sp_error *err);
/// Whether a coordinate is in the range that a float can hold (with room for products).
bool mesh_coordinate_ok(double value);
/// Drops triangles that use a vertex twice: they have no area and no neighbours.
void mesh_drop_degenerate(sp_mesh *mesh);

#endif
