// SPDX-License-Identifier: Apache-2.0
/// OBJ: text, indices from 1, y up by convention. 17 digits restore doubles exactly.
#include "exchange/internal.h"

#include <math.h>

static void begin_text(sp_file *f, const char *what, uint64_t frame, double time)
{
    export_print(f, "# spume %s, frame %llu, time %.17g s, metres, y up\no %s\n", what,
                 (unsigned long long)frame, time, what);
}

static void put_vertex(sp_file *f, const double p[3])
{
    export_print(f, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
}

static void put_normal(sp_file *f, double x, double y, double z)
{
    export_print(f, "vn %.9g %.9g %.9g\n", x, y, z);
}

/// Vertex and normal numbers of a triangle; both lists have the same order.
static void put_face(void *file, const uint32_t corner[3])
{
    sp_file *f = file;
    const unsigned a = corner[0] + 1u, b = corner[1] + 1u, c = corner[2] + 1u;
    if (!f->error) export_print(f, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
}

static sp_status write_set(const char *dir, const sp_frame *frame, const sp_set *set, sp_error *err)
{
    const float *position;
    sp_file f;
    SP_TRY(export_check_set(set, &position, err));
    SP_TRY(export_open(&f, dir, set->name, frame->frame, "obj", err));
    begin_text(&f, set->name, frame->frame, frame->time);
    for (size_t i = 0; i < set->count && !f.error; ++i) {
        double p[3];
        for (size_t k = 0; k < 3; ++k)
            p[k] = frame->origin[k] + (double)position[3 * i + k];
        put_vertex(&f, p);
    }
    for (size_t i = 0; i < set->count && !f.error; ++i)
        export_print(&f, "p %zu\n", i + 1);
    return sp_file_close(&f, true, err);
}

/// Upward normal, by central differences of the heights; one-sided at the border.
static void surface_normal(const export_surface *s, size_t i, size_t j, double n[3])
{
    const size_t nu = s->height->nu, nv = s->height->nv;
    double a[3], b[3], c[3], d[3], length = 0.0;
    export_surface_point(s, i > 0 ? i - 1 : i, j, a);
    export_surface_point(s, i + 1 < nu ? i + 1 : i, j, b);
    export_surface_point(s, i, j > 0 ? j - 1 : j, c);
    export_surface_point(s, i, j + 1 < nv ? j + 1 : j, d);
    for (int k = 0; k < 3; ++k) {
        b[k] -= a[k];
        d[k] -= c[k];
    }
    for (int k = 0; k < 3; ++k) {
        n[k] = b[(k + 1) % 3] * d[(k + 2) % 3] - b[(k + 2) % 3] * d[(k + 1) % 3];
        length += n[k] * n[k];
    }
    length = n[1] < 0.0 ? -sqrt(length) : sqrt(length);
    for (int k = 0; k < 3; ++k)
        n[k] /= length;
}

static sp_status write_surface(const char *dir, const sp_frame *frame, const export_surface *s,
                               sp_error *err)
{
    const sp_field *h = s->height;
    sp_file f;
    SP_TRY(export_check_surface(s, err));
    SP_TRY(export_open(&f, dir, "height", frame->frame, "obj", err));
    begin_text(&f, "height", frame->frame, frame->time);
    for (size_t at = 0; at < h->nu * h->nv && !f.error; ++at) {
        double p[3], n[3];
        export_surface_point(s, at % h->nu, at / h->nu, p);
        surface_normal(s, at % h->nu, at / h->nu, n);
        put_vertex(&f, p);
        put_normal(&f, n[0], n[1], n[2]);
    }
    export_surface_triangles(s, put_face, &f);
    return sp_file_close(&f, true, err);
}

sp_status sp_export_obj(const char *dir, const sp_frame *frame, const sp_export_options *options,
                        sp_error *err)
{
    sp_export_options unused; // OBJ has no attributes to name
    SP_TRY(export_options(options, &unused, err));
    for (size_t i = 0; i < frame->set_count; ++i)
        SP_TRY(write_set(dir, frame, &frame->sets[i], err));
    export_surface surface;
    return export_find_surface(frame, &surface) ? write_surface(dir, frame, &surface, err) : SP_OK;
}

sp_status sp_export_mesh_obj(const char *dir, const char *name, const sp_export_moment *when,
                             const sp_mesh *mesh, sp_error *err)
{
    sp_file f;
    SP_TRY(export_check_mesh(name, mesh, err));
    SP_TRY(export_open(&f, dir, name, when->frame, "obj", err));
    begin_text(&f, name, when->frame, when->time);
    for (size_t i = 0; i < mesh->vertex_count && !f.error; ++i) {
        double p[3];
        export_mesh_point(mesh, i, p);
        put_vertex(&f, p);
        if (mesh->n)
            put_normal(&f, (double)mesh->n[i][0], (double)mesh->n[i][1], (double)mesh->n[i][2]);
    }
    for (size_t t = 0; t < mesh->triangle_count && !f.error; ++t) {
        const uint32_t *c = mesh->tri[t];
        if (mesh->n)
            put_face(&f, c);
        else
            export_print(&f, "f %u %u %u\n", c[0] + 1u, c[1] + 1u, c[2] + 1u);
    }
    return sp_file_close(&f, true, err);
}
