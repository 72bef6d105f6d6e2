// SPDX-License-Identifier: Apache-2.0
/// Names of attributes and fields in other programs, and checks of what can be written.
#include "exchange/internal.h"

#include <math.h>
#include <string.h>

sp_export_options sp_export_options_defaults(void)
{
    return (sp_export_options){.struct_size = sizeof(sp_export_options)};
}

sp_status export_options(const sp_export_options *given, sp_export_options *out, sp_error *err)
{
    *out = given ? *given : sp_export_options_defaults();
    return sp_struct_check(out->struct_size, sizeof *out, "sp_export_options_defaults()", err);
}

const char *export_name(const char *name, sp_export_names names)
{
    static const char *const words[][3] = {
        // plain, houdini, blender
        {"velocity", "v", "velocity"},
        {"radius", "pscale", "radius"},
        {"bubble_fraction", "bubble_fraction", "density"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcmp(name, words[i][0]) == 0) return words[i][names];
    return name;
}

const char *export_field_name(const char *name, sp_export_names names)
{
    return names == SP_NAMES_HOUDINI && strcmp(name, "velocity") == 0 ? "vel"
                                                                      : export_name(name, names);
}

sp_vdb_class export_field_class(const char *name)
{
    static const char *const fogs[] = {"fraction", "aeration", "density"};
    if (strcmp(name, "surface") == 0) return SP_VDB_LEVEL_SET;
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof fogs / sizeof *fogs; ++i) {
        const size_t n = strlen(fogs[i]);
        if (length >= n && strcmp(name + length - n, fogs[i]) == 0) return SP_VDB_FOG;
    }
    return SP_VDB_UNKNOWN;
}

bool export_word_ok(const char *word)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t n = word ? strlen(word) : 0;
    return n > 0 && n <= 64 && strspn(word, letters) == n;
}

sp_status export_check_set(const sp_set *set, const float **position, sp_error *err)
{
    if (!export_word_ok(set->name))
        return sp_fail(err, SP_DAMAGED, "export: a set's name is not a plain word");
    const sp_column *p = sp_set_column(set, "position");
    if (!p || p->kind != SP_F32 || p->components != 3)
        return sp_fail(err, SP_DAMAGED, "export: set %s has no position of three floats",
                       set->name);
    for (size_t i = 0; i < set->column_count; ++i) {
        const sp_column *c = &set->columns[i];
        if (!export_word_ok(c->name))
            return sp_fail(err, SP_DAMAGED,
                           "export: set %s has a column whose name is not a plain word", set->name);
        if (sp_kind_size(c->kind) == 0 || (c->components != 1 && c->components != 3) ||
            (set->count > 0 && !c->data))
            return sp_fail(err, SP_DAMAGED, "export: column %s of set %s is of an unknown kind",
                           c->name, set->name);
    }
    *position = p->data;
    return SP_OK;
}

static bool same_samples(const sp_field *a, const sp_field *b)
{
    return a->layout == b->layout && a->nu == b->nu && a->nv == b->nv &&
           memcmp(a->corner, b->corner, sizeof a->corner) == 0 &&
           memcmp(a->du, b->du, sizeof a->du) == 0 && memcmp(a->dv, b->dv, sizeof a->dv) == 0;
}

bool export_find_surface(const sp_frame *frame, export_surface *out)
{
    const size_t most = sizeof out->fields / sizeof *out->fields;
    *out = (export_surface){.height = sp_frame_field(frame, "height")};
    if (!out->height || out->height->layout != SP_FIELD_PLANE || out->height->components != 1 ||
        out->height->nu < 2 || out->height->nv < 2)
        return false;
    out->fields[out->field_count++] = out->height;
    for (size_t i = 0; i < frame->field_count && out->field_count < most; ++i) {
        const sp_field *f = &frame->fields[i];
        if (f == out->height || !same_samples(f, out->height) || !export_word_ok(f->name)) continue;
        if (f->components != 1 && f->components != 3) continue;
        if (strcmp(f->name, "depth") == 0 && f->components == 1) out->depth = f;
        out->fields[out->field_count++] = f;
    }
    return true;
}

void export_surface_point(const export_surface *s, size_t i, size_t j, double p[3])
{
    const sp_field *h = s->height;
    for (int k = 0; k < 3; ++k)
        p[k] = h->corner[k] + (double)i * h->du[k] + (double)j * h->dv[k];
    p[1] += (double)h->values[j * h->nu + i];
}

/// The two triangles of a cell as sample numbers, anti-clockwise seen from above in the world; this
/// depends on the orientation of du and dv.
static void cell_triangles(const sp_field *h, size_t i, size_t j, uint32_t out[2][3])
{
    const uint32_t a = (uint32_t)(j * h->nu + i), b = a + 1, c = a + (uint32_t)h->nu, d = c + 1;
    const bool turned = h->du[2] * h->dv[0] - h->du[0] * h->dv[2] < 0.0;
    const uint32_t two[2][3] = {{a, turned ? c : b, d}, {a, d, turned ? b : c}};
    memcpy(out, two, sizeof two);
}

static bool is_wet(const export_surface *s, const uint32_t corner[3])
{
    return !s->depth || s->depth->values[corner[0]] > 0.0f || s->depth->values[corner[1]] > 0.0f ||
           s->depth->values[corner[2]] > 0.0f;
}

size_t export_surface_triangles(const export_surface *s,
                                void (*visit)(void *user, const uint32_t corner[3]), void *user)
{
    size_t count = 0;
    for (size_t j = 0; j + 1 < s->height->nv; ++j)
        for (size_t i = 0; i + 1 < s->height->nu; ++i) {
            uint32_t two[2][3];
            cell_triangles(s->height, i, j, two);
            for (int k = 0; k < 2; ++k) {
                if (!is_wet(s, two[k])) continue;
                ++count;
                if (visit) visit(user, two[k]);
            }
        }
    return count;
}

sp_status export_check_surface(const export_surface *s, sp_error *err)
{
    const sp_field *h = s->height;
    if (h->nu <= INT32_MAX / h->nv) return SP_OK;
    return sp_fail(err, SP_UNSUPPORTED, "export: %zu x %zu heights are too many for a mesh", h->nu,
                   h->nv);
}

sp_status export_check_mesh(const char *name, const sp_mesh *mesh, sp_error *err)
{
    if (!export_word_ok(name))
        return sp_fail(err, SP_BAD_INPUT, "export: a mesh's name is not a plain word");
    if (mesh->vertex_count > INT32_MAX)
        return sp_fail(err, SP_UNSUPPORTED, "export: %zu vertices are too many for a mesh file",
                       mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        if (!isfinite(mesh->x[i][0] + mesh->x[i][1] + mesh->x[i][2]))
            return sp_fail(err, SP_BAD_INPUT, "export: vertex %zu of %s is not finite", i, name);
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            if (mesh->tri[t][k] >= mesh->vertex_count)
                return sp_fail(err, SP_BAD_INPUT, "export: triangle %zu of %s has vertex %u of %zu",
                               t, name, (unsigned)mesh->tri[t][k], mesh->vertex_count);
    return SP_OK;
}

void export_mesh_point(const sp_mesh *mesh, size_t i, double p[3])
{
    for (int k = 0; k < 3; ++k)
        p[k] = mesh->origin[k] + (double)mesh->x[i][k];
}
