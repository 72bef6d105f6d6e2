// SPDX-License-Identifier: Apache-2.0
/// VTK XML. Binary files store all numbers raw after the XML ("appended"), each array after its
/// size in bytes (64 bits). The XML gives the offset of each array, so the list of arrays is
/// processed twice: once for the XML, once for the data.
#include "exchange/internal.h"

#include <inttypes.h>
#include <string.h>

/// One array of the file.
typedef struct array {
    const char *name;
    sp_kind kind; ///< SP_I32 means 64-bit cell numbers, see put_value()
    int components;
    size_t count; ///< of values, components included
    const void *data;
    enum { VALUES, POSITIONS, SURFACE, NUMBERS, ENDS } source;
} array;

enum { MAX_ARRAYS = 64 };

typedef struct vtk {
    sp_file file;
    const sp_frame *frame;
    const export_surface *surface;
    bool ascii;
    array arrays[MAX_ARRAYS];
    size_t array_count;
    uint64_t offset; ///< of the next array in the appended data
} vtk;

static const char *vtk_type(const array *a)
{
    static const char *const types[] = {[SP_F32] = "Float32",
                                        [SP_F64] = "Float64",
                                        [SP_I32] = "Int32",
                                        [SP_U32] = "UInt32",
                                        [SP_U64] = "UInt64"};
    return a->source == NUMBERS || a->source == ENDS ? "Int64" : types[a->kind];
}

static size_t value_bytes(const array *a)
{
    return a->source == NUMBERS || a->source == ENDS ? 8 : sp_kind_size(a->kind);
}

/// Writes the k-th value, in binary or as text.
static void put_value(vtk *v, const array *a, size_t k)
{
    if (a->source == VALUES) {
        const sp_column c = {a->name, a->kind, a->components, a->data};
        export_value(&v->file, &c, k, v->ascii);
        return;
    }
    double number = 0.0;
    if (a->source == POSITIONS)
        number = v->frame->origin[k % 3] + (double)((const float *)a->data)[k];
    if (a->source == SURFACE) {
        double p[3];
        const size_t at = k / 3, nu = v->surface->height->nu;
        export_surface_point(v->surface, at % nu, at / nu, p);
        number = p[k % 3];
    }
    if (a->source == NUMBERS || a->source == ENDS) {
        const uint64_t cell = (uint64_t)k + (a->source == ENDS ? 1 : 0);
        if (v->ascii)
            export_print(&v->file, " %" PRIu64, cell);
        else
            export_u64(&v->file, cell);
    } else if (v->ascii) {
        export_print(&v->file, " %.17g", number);
    } else {
        export_f64(&v->file, number);
    }
}

/// Declares an array; as text its values are written at once, else later.
static void put_array(vtk *v, array a)
{
    export_print(&v->file, "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" ",
                 vtk_type(&a), a.name, a.components);
    if (v->ascii) {
        export_print(&v->file, "format=\"ascii\">\n");
        for (size_t k = 0; k < a.count && !v->file.error; ++k) {
            put_value(v, &a, k);
            if ((k + 1) % (3 * (size_t)a.components) == 0) export_print(&v->file, "\n");
        }
        export_print(&v->file, "\n        </DataArray>\n");
        return;
    }
    export_print(&v->file, "format=\"appended\" offset=\"%" PRIu64 "\"/>\n", v->offset);
    v->offset += 8 + (uint64_t)a.count * value_bytes(&a);
    v->arrays[v->array_count++] = a;
}

static sp_status begin(vtk *v, const char *dir, const char *name, const char *extension,
                       const char *type, sp_error *err)
{
    SP_TRY(export_open(&v->file, dir, name, v->frame->frame, extension, err));
    v->array_count = 0;
    v->offset = 0;
    export_print(
        &v->file,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n  <%s",
        type, type);
    return SP_OK;
}

static sp_status finish(vtk *v, const char *type, sp_error *err)
{
    export_print(&v->file, "    </Piece>\n  </%s>\n", type);
    if (!v->ascii) {
        export_print(&v->file, "  <AppendedData encoding=\"raw\">\n_");
        for (size_t i = 0; i < v->array_count; ++i) {
            const array *a = &v->arrays[i];
            export_u64(&v->file, (uint64_t)a->count * value_bytes(a));
            for (size_t k = 0; k < a->count && !v->file.error; ++k)
                put_value(v, a, k);
        }
        export_print(&v->file, "\n  </AppendedData>\n");
    }
    export_print(&v->file, "</VTKFile>\n");
    return sp_file_close(&v->file, true, err);
}

/// The frame's time, where ParaView looks for it when a single file is opened.
static void put_time(vtk *v)
{
    export_print(&v->file,
                 "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                 "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n    </FieldData>\n",
                 v->frame->time);
}

static sp_status write_set(vtk *v, const char *dir, const sp_set *set, const sp_export_options *o,
                           sp_error *err)
{
    const float *position;
    const size_t n = set->count;
    SP_TRY(export_check_set(set, &position, err));
    if (set->column_count + 4 > MAX_ARRAYS)
        return sp_fail(err, SP_UNSUPPORTED, "export: set %s has more than %d columns", set->name,
                       MAX_ARRAYS - 4);
    SP_TRY(begin(v, dir, set->name, "vtp", "PolyData", err));
    export_print(&v->file, ">\n");
    put_time(v);
    export_print(&v->file,
                 "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
                 "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n      <PointData>\n",
                 n, n);
    for (size_t i = 0; i < set->column_count; ++i) {
        const sp_column *c = &set->columns[i];
        if (strcmp(c->name, "position") == 0) continue;
        const array a = {export_name(c->name, o->names), c->kind, c->components,
                         n * (size_t)c->components,      c->data, VALUES};
        put_array(v, a);
        if (o->names != SP_NAMES_PLAIN || strcmp(c->name, "radius") != 0) continue;
        array again = a;
        again.name = "pscale";
        put_array(v, again);
    }
    export_print(&v->file, "      </PointData>\n      <Points>\n");
    put_array(v, (array){o->names == SP_NAMES_HOUDINI ? "P" : "Points", SP_F64, 3, 3 * n, position,
                         POSITIONS});
    export_print(&v->file, "      </Points>\n      <Verts>\n");
    put_array(v, (array){"connectivity", SP_I32, 1, n, NULL, NUMBERS});
    put_array(v, (array){"offsets", SP_I32, 1, n, NULL, ENDS});
    export_print(&v->file, "      </Verts>\n");
    return finish(v, "PolyData", err);
}

static sp_status write_surface(vtk *v, const char *dir, const sp_export_options *o, sp_error *err)
{
    const sp_field *h = v->surface->height;
    SP_TRY(begin(v, dir, "height", "vts", "StructuredGrid", err));
    export_print(&v->file, " WholeExtent=\"0 %zu 0 %zu 0 0\">\n", h->nu - 1, h->nv - 1);
    put_time(v);
    export_print(&v->file, "    <Piece Extent=\"0 %zu 0 %zu 0 0\">\n      <PointData>\n", h->nu - 1,
                 h->nv - 1);
    for (size_t k = 0; k < v->surface->field_count; ++k) {
        const sp_field *f = v->surface->fields[k];
        put_array(v, (array){export_field_name(f->name, o->names), SP_F32, f->components,
                             f->nu * f->nv * (size_t)f->components, f->values, VALUES});
    }
    export_print(&v->file, "      </PointData>\n      <Points>\n");
    put_array(v, (array){o->names == SP_NAMES_HOUDINI ? "P" : "Points", SP_F64, 3,
                         3 * h->nu * h->nv, NULL, SURFACE});
    export_print(&v->file, "      </Points>\n");
    return finish(v, "StructuredGrid", err);
}

sp_status sp_export_vtk(const char *dir, const sp_frame *frame, const sp_export_options *options,
                        sp_error *err)
{
    sp_export_options o;
    SP_TRY(export_options(options, &o, err));
    export_surface surface;
    vtk v = {.frame = frame, .surface = &surface, .ascii = o.ascii};
    for (size_t i = 0; i < frame->set_count; ++i)
        SP_TRY(write_set(&v, dir, &frame->sets[i], &o, err));
    return export_find_surface(frame, &surface) ? write_surface(&v, dir, &o, err) : SP_OK;
}

static sp_status write_series(sp_file *f, const char *dir, const char *name, const char *extension,
                              const sp_export_moment *moments, size_t count, sp_error *err)
{
    SP_TRY(export_open_plain(f, dir, name, "pvd", err));
    export_print(f, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                    "byte_order=\"LittleEndian\">\n  <Collection>\n");
    for (size_t i = 0; i < count; ++i)
        export_print(f,
                     "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"%s.%06" PRIu64 ".%s\"/>\n",
                     moments[i].time, name, moments[i].frame, extension);
    export_print(f, "  </Collection>\n</VTKFile>\n");
    return sp_file_close(f, true, err);
}

sp_status sp_export_vtk_series(const char *dir, const sp_frame *frame,
                               const sp_export_moment *moments, size_t count, sp_error *err)
{
    sp_file f;
    export_surface surface;
    for (size_t i = 0; i < frame->set_count; ++i) {
        const float *position;
        SP_TRY(export_check_set(&frame->sets[i], &position, err));
        SP_TRY(write_series(&f, dir, frame->sets[i].name, "vtp", moments, count, err));
    }
    return export_find_surface(frame, &surface)
               ? write_series(&f, dir, "height", "vts", moments, count, err)
               : SP_OK;
}
