// SPDX-License-Identifier: Apache-2.0
/// PLY: a text header that lists properties, then one row for each vertex and each face.
#include "exchange/internal.h"

#include <string.h>

static const char *const axes[3] = {"x", "y", "z"};

/// 64 bits are written as two halves.
static const char *const types[] = {
    [SP_F32] = "float", [SP_F64] = "double", [SP_I32] = "int", [SP_U32] = "uint"};

static void begin_header(sp_file *f, uint64_t frame, double time, size_t vertices, bool ascii)
{
    export_print(f, "ply\nformat %s 1.0\n", ascii ? "ascii" : "binary_little_endian");
    export_print(f, "comment spume frame %llu time %.17g s, metres, y up\n",
                 (unsigned long long)frame, time);
    export_print(f, "element vertex %zu\n", vertices);
    for (int k = 0; k < 3; ++k)
        export_print(f, "property double %s\n", axes[k]);
}

static void describe(sp_file *f, const char *name, sp_kind kind, int components)
{
    if (kind == SP_U64) {
        export_print(f, "property uint %s\nproperty uint %s_high\n", name, name);
        return;
    }
    for (int k = 0; k < components; ++k)
        export_print(f, "property %s %s%s%s\n", types[kind], name, components > 1 ? "_" : "",
                     components > 1 ? axes[k] : "");
}

static void put_position(sp_file *f, const double p[3], bool ascii)
{
    for (int k = 0; k < 3; ++k) {
        if (ascii)
            export_print(f, k ? " %.17g" : "%.17g", p[k]);
        else
            export_f64(f, p[k]);
    }
}

static void put_column(sp_file *f, const sp_column *c, size_t i, bool ascii)
{
    if (c->kind == SP_U64) {
        const uint64_t id = ((const uint64_t *)c->data)[i];
        const uint32_t halves[2] = {(uint32_t)id, (uint32_t)(id >> 32)};
        const sp_column both = {c->name, SP_U32, 1, halves};
        export_value(f, &both, 0, ascii);
        export_value(f, &both, 1, ascii);
        return;
    }
    for (int k = 0; k < c->components; ++k)
        export_value(f, c, i * (size_t)c->components + (size_t)k, ascii);
}

/// Whether a column is written as a property; `position` becomes x, y, z, and PLY cannot hold a
/// vector of 64-bit numbers.
static bool is_written(const sp_column *c)
{
    return strcmp(c->name, "position") != 0 && !(c->kind == SP_U64 && c->components != 1);
}

static sp_status write_set(const char *dir, const sp_frame *frame, const sp_set *set,
                           const sp_export_options *o, sp_error *err)
{
    const float *position;
    SP_TRY(export_check_set(set, &position, err));
    const sp_column *radius = sp_set_column(set, "radius");
    const bool twice = radius && o->names == SP_NAMES_PLAIN; // radius and pscale
    sp_file f;
    SP_TRY(export_open(&f, dir, set->name, frame->frame, "ply", err));
    begin_header(&f, frame->frame, frame->time, set->count, o->ascii);
    for (size_t c = 0; c < set->column_count; ++c)
        if (is_written(&set->columns[c]))
            describe(&f, export_name(set->columns[c].name, o->names), set->columns[c].kind,
                     set->columns[c].components);
    if (twice) describe(&f, "pscale", radius->kind, radius->components);
    export_print(&f, "end_header\n");
    for (size_t i = 0; i < set->count && !f.error; ++i) {
        double p[3];
        for (size_t k = 0; k < 3; ++k)
            p[k] = frame->origin[k] + (double)position[3 * i + k];
        put_position(&f, p, o->ascii);
        for (size_t c = 0; c < set->column_count; ++c)
            if (is_written(&set->columns[c])) put_column(&f, &set->columns[c], i, o->ascii);
        if (twice) put_column(&f, radius, i, o->ascii);
        if (o->ascii) export_print(&f, "\n");
    }
    return sp_file_close(&f, true, err);
}

typedef struct faces {
    sp_file *f;
    bool ascii;
} faces;

static void put_face(void *user, const uint32_t corner[3])
{
    const faces *to = user;
    if (to->f->error) return;
    if (to->ascii) {
        export_print(to->f, "3 %u %u %u\n", (unsigned)corner[0], (unsigned)corner[1],
                     (unsigned)corner[2]);
        return;
    }
    sp_file_put(to->f, "\3", 1);
    for (int v = 0; v < 3; ++v)
        export_u32(to->f, corner[v]);
}

static void describe_faces(sp_file *f, size_t count)
{
    export_print(f, "element face %zu\nproperty list uchar int vertex_indices\n", count);
}

static sp_status write_surface(const char *dir, const sp_frame *frame, const export_surface *s,
                               const sp_export_options *o, sp_error *err)
{
    const sp_field *h = s->height;
    sp_file f;
    SP_TRY(export_check_surface(s, err));
    SP_TRY(export_open(&f, dir, "height", frame->frame, "ply", err));
    begin_header(&f, frame->frame, frame->time, h->nu * h->nv, o->ascii);
    for (size_t k = 0; k < s->field_count; ++k)
        describe(&f, export_field_name(s->fields[k]->name, o->names), SP_F32,
                 s->fields[k]->components);
    describe_faces(&f, export_surface_triangles(s, NULL, NULL));
    export_print(&f, "end_header\n");
    for (size_t at = 0; at < h->nu * h->nv && !f.error; ++at) {
        double p[3];
        export_surface_point(s, at % h->nu, at / h->nu, p);
        put_position(&f, p, o->ascii);
        for (size_t k = 0; k < s->field_count; ++k) {
            const sp_field *g = s->fields[k];
            put_column(&f, &(sp_column){g->name, SP_F32, g->components, g->values}, at, o->ascii);
        }
        if (o->ascii) export_print(&f, "\n");
    }
    export_surface_triangles(s, put_face, &(faces){&f, o->ascii});
    return sp_file_close(&f, true, err);
}

sp_status sp_export_ply(const char *dir, const sp_frame *frame, const sp_export_options *options,
                        sp_error *err)
{
    sp_export_options o;
    SP_TRY(export_options(options, &o, err));
    for (size_t i = 0; i < frame->set_count; ++i)
        SP_TRY(write_set(dir, frame, &frame->sets[i], &o, err));
    export_surface surface;
    if (export_find_surface(frame, &surface)) SP_TRY(write_surface(dir, frame, &surface, &o, err));
    return SP_OK;
}

sp_status sp_export_mesh_ply(const char *dir, const char *name, const sp_export_moment *when,
                             const sp_mesh *mesh, const sp_export_options *options, sp_error *err)
{
    sp_export_options o;
    SP_TRY(export_options(options, &o, err));
    const sp_column n = {"normal", SP_F32, 3, mesh->n}, v = {"velocity", SP_F32, 3, mesh->v};
    sp_file f;
    SP_TRY(export_check_mesh(name, mesh, err));
    SP_TRY(export_open(&f, dir, name, when->frame, "ply", err));
    begin_header(&f, when->frame, when->time, mesh->vertex_count, o.ascii);
    if (mesh->n) export_print(&f, "property float nx\nproperty float ny\nproperty float nz\n");
    if (mesh->v) describe(&f, export_name(v.name, o.names), SP_F32, 3);
    describe_faces(&f, mesh->triangle_count);
    export_print(&f, "end_header\n");
    for (size_t i = 0; i < mesh->vertex_count && !f.error; ++i) {
        double p[3];
        export_mesh_point(mesh, i, p);
        put_position(&f, p, o.ascii);
        if (mesh->n) put_column(&f, &n, i, o.ascii);
        if (mesh->v) put_column(&f, &v, i, o.ascii);
        if (o.ascii) export_print(&f, "\n");
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        put_face(&(faces){&f, o.ascii}, mesh->tri[t]);
    return sp_file_close(&f, true, err);
}
