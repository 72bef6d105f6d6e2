// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_INTERNAL_H
#define SP_EXCHANGE_INTERNAL_H

#include "exchange/exchange.h"
#include "exchange/vdb/vdb_write.h"

/// The options given, or the defaults for NULL (attribute_names.c).
sp_status export_options(const sp_export_options *given, sp_export_options *out, sp_error *err);

/// ---- Writing a file (output_file.c): buffered, checked, renamed when complete.

/// Opens DIR/<word>.<frame, six digits>.<extension>.
sp_status export_open(sp_file *f, const char *dir, const char *word, uint64_t frame,
                      const char *extension, sp_error *err);
/// Opens DIR/<word>.<extension>.
sp_status export_open_plain(sp_file *f, const char *dir, const char *word, const char *extension,
                            sp_error *err);
/// The name of the first kind, for a file that another library writes.
sp_status export_name_file(sp_file *f, const char *dir, const char *word, uint64_t frame,
                           const char *extension, sp_error *err);
void export_print(sp_file *f, const char *format, ...) SP_PRINTF(2, 3);
void export_u32(sp_file *f, uint32_t x); ///< these three little-endian, whatever the machine is
void export_u64(sp_file *f, uint64_t x);
void export_f64(sp_file *f, double x);
void export_number(sp_file *f, const sp_column *c, size_t at); ///< one value of a column, as text
/// One value of a column, in binary or as text with a space before it.
void export_value(sp_file *f, const sp_column *c, size_t at, bool ascii);

/// ---- A frame's contents and their names in the other program (attribute_names.c).

/// Name of a particle attribute in the other program, and of a field.
const char *export_name(const char *name, sp_export_names names);
const char *export_field_name(const char *name, sp_export_names names);
/// The class of a tile field in OpenVDB: `surface` is a level set, fractions are fog volumes.
sp_vdb_class export_field_class(const char *name);
/// Letters, digits, _ and - only: safe in file names, in XML and in PLY headers. Frames may come
/// from files of unknown origin.
bool export_word_ok(const char *word);
/// Finds `position` and checks the types of all columns.
sp_status export_check_set(const sp_set *set, const float **position, sp_error *err);

/// The water's surface: the plane field `height` and other fields with the same samples.
typedef struct export_surface {
    const sp_field *height, *depth;
    const sp_field *fields[16]; ///< `height` first; at most sixteen
    size_t field_count;
} export_surface;
/// False when the frame has none.
bool export_find_surface(const sp_frame *frame, export_surface *out);
/// Counts the water's triangles, and calls `visit` (may be NULL) for each with its three sample
/// numbers, anti-clockwise seen from above. Triangles with three dry corners are ground and are
/// skipped.
size_t export_surface_triangles(const export_surface *s,
                                void (*visit)(void *user, const uint32_t corner[3]), void *user);
/// SP_UNSUPPORTED when there are more samples than 32-bit vertex numbers.
sp_status export_check_surface(const export_surface *s, sp_error *err);
/// The world position of sample (i, j) of the surface.
void export_surface_point(const export_surface *s, size_t i, size_t j, double p[3]);

/// Adds the grid density_<set> and, if the options say so, that of its velocity
/// (vdb/density_grids.c).
sp_status export_density(sp_vdb *vdb, const sp_frame *frame, const sp_set *set,
                         const sp_export_options *o, sp_error *err);

/// Checks for a plain name and for no more vertices than files can number.
sp_status export_check_mesh(const char *name, const sp_mesh *mesh, sp_error *err);
void export_mesh_point(const sp_mesh *mesh, size_t i, double p[3]); ///< in the world

#endif
