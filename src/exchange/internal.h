// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_INTERNAL_H
#define SP_EXCHANGE_INTERNAL_H

#include "exchange/exchange.h"
#include "exchange/vdb/vdb_write.h"

/// ---- A file in the making (output_file.c): buffered, checked, renamed when whole.

enum { EXPORT_PATH = 4096, EXPORT_BUFFER = 1 << 14 };

typedef struct export_file {
    char path[EXPORT_PATH], part[EXPORT_PATH + 8];
    int fd;
    int error; ///< errno of the first write that failed; later writes do nothing
    size_t used;
    unsigned char buffer[EXPORT_BUFFER];
} export_file;

/// DIR/<word>.<frame, six digits>.<extension>.
sp_status export_open(export_file *f, const char *dir, const char *word, uint64_t frame,
                      const char *extension, sp_error *err);
/// DIR/<word>.<extension>.
sp_status export_open_plain(export_file *f, const char *dir, const char *word,
                            const char *extension, sp_error *err);
/// For a file that another library writes: the first gives it its names, the library writes
/// f->part, the second opens that again, so that export_close syncs and renames it like any other.
sp_status export_name_file(export_file *f, const char *dir, const char *word, uint64_t frame,
                           const char *extension, sp_error *err);
sp_status export_open_written(export_file *f, sp_error *err);
void export_abandon(export_file *f); ///< closes and removes a file that came to nothing
void export_bytes(export_file *f, const void *bytes, size_t count);
void export_print(export_file *f, const char *format, ...) SP_PRINTF(2, 3);
void export_u32(export_file *f, uint32_t x); ///< these three little-endian, whatever the machine is
void export_u64(export_file *f, uint64_t x);
void export_f64(export_file *f, double x);
/// One value of a column, in binary or as text with a space before it.
void export_value(export_file *f, const sp_column *c, size_t at, bool ascii);
/// Writes out, syncs, renames. On any failure the file is gone and err says why in one sentence.
sp_status export_close(export_file *f, sp_error *err);

/// ---- What is in a frame, by the words of the other program (attribute_names.c).

/// A particle attribute's name in the user's program, and a field's.
const char *export_name(const char *name, sp_export_names names);
const char *export_field_name(const char *name, sp_export_names names);
/// What a tile field is for a reader of volumes: `surface` is a level set, fractions are fogs.
sp_vdb_class export_field_class(const char *name);
/// Letters, digits, _ and -: safe in a file's name, in XML and in a PLY header. Frames may come
/// from files that someone else wrote.
bool export_word_ok(const char *word);
/// Finds `position` and checks that the set's columns are what they should be.
sp_status export_check_set(const sp_set *set, const float **position, sp_error *err);

/// The water's surface: the plane field `height` and what else lies on the same samples.
typedef struct export_surface {
    const sp_field *height, *depth;
    const sp_field *fields[16]; ///< with `height` first; at most the first sixteen
    size_t field_count;
} export_surface;
/// False when the frame has none.
bool export_find_surface(const sp_frame *frame, export_surface *out);
/// Counts the water's triangles, and calls `visit` (may be NULL) for each with its three sample
/// numbers, anti-clockwise seen from above. A triangle whose corners are all dry is ground and left
/// out.
size_t export_surface_triangles(const export_surface *s,
                                void (*visit)(void *user, const uint32_t corner[3]), void *user);
/// SP_UNSUPPORTED when there are more samples than 32-bit vertex numbers.
sp_status export_check_surface(const export_surface *s, sp_error *err);
/// The world position of sample (i, j) of the surface.
void export_surface_point(const export_surface *s, size_t i, size_t j, double p[3]);

/// A plain name, and no more vertices than files can number.
sp_status export_check_mesh(const char *name, const sp_mesh *mesh, sp_error *err);
void export_mesh_point(const sp_mesh *mesh, size_t i, double p[3]); ///< in the world

#endif
