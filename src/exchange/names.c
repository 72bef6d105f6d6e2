// SPDX-License-Identifier: Apache-2.0
/// What a frame holds, in the words of the program that will read it.
#include "exchange/internal.h"

#include <string.h>

bool sp_export_names_from(const char *word, sp_export_names *names)
{
    static const char *const words[] = {"plain", "houdini", "blender"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (strcmp(word, words[i]) != 0) continue;
        *names = (sp_export_names)i;
        return true;
    }
    return false;
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
        return sp_fail(err, SP_DAMAGED, "export: a set's name is not one plain word");
    const sp_column *p = sp_set_column(set, "position");
    if (!p || p->kind != SP_F32 || p->components != 3)
        return sp_fail(err, SP_DAMAGED, "export: set %s has no position of three floats",
                       set->name);
    for (size_t i = 0; i < set->column_count; ++i) {
        const sp_column *c = &set->columns[i];
        if (!export_word_ok(c->name))
            return sp_fail(err, SP_DAMAGED,
                           "export: set %s has a column whose name is not one plain word",
                           set->name);
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
