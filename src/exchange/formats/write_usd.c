// SPDX-License-Identifier: Apache-2.0
/// USD as text: one layer without references. An attribute that changes holds a dictionary from
/// time codes to values,
///
///     point3f[] points.timeSamples = {
///         0: [(0.1, 0.2, 0.3), (0.4, 0.5, 0.6)],
///         1: [(0.1, 0.2, 0.4)],
///     }
///
/// and time code k is frame k. USD stores points as floats; the frames' origin becomes the root's
/// translation (a double), so no precision is lost far from the world's origin.
#include "exchange/internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_SETS = 16, MAX_COLUMNS = 48, NAME = 80 };

/// One attribute of a set, as first found in any frame.
typedef struct usd_column {
    char name[NAME];
    sp_kind kind;
    int components;
} usd_column;

typedef struct usd_set {
    char name[NAME];
    usd_column columns[MAX_COLUMNS];
    size_t column_count;
} usd_set;

typedef struct usda {
    sp_file file;
    const sp_export_frames *frames;
    usd_set sets[MAX_SETS];
    size_t set_count;
    bool has_surface, moves; ///< the origin differs between frames
    double fps, origin[3];
    uint64_t first, last;
} usda;

/// ---- Sets and columns of all frames ------------------------------------------------------------

static sp_status keep_column(usd_set *to, const sp_column *c, sp_error *err)
{
    for (size_t i = 0; i < to->column_count; ++i) {
        const usd_column *k = &to->columns[i];
        if (strcmp(k->name, c->name) != 0) continue;
        if (k->kind == c->kind && k->components == c->components) return SP_OK;
        return sp_fail(err, SP_DAMAGED, "export: %s of set %s changes its kind between frames",
                       c->name, to->name);
    }
    if (to->column_count == MAX_COLUMNS)
        return sp_fail(err, SP_UNSUPPORTED, "export: set %s has more than %d columns", to->name,
                       MAX_COLUMNS);
    usd_column *k = &to->columns[to->column_count++];
    snprintf(k->name, sizeof k->name, "%s", c->name);
    k->kind = c->kind;
    k->components = c->components;
    return SP_OK;
}

static sp_status keep_set(usda *u, const sp_set *set, sp_error *err)
{
    const float *position;
    size_t at = 0;
    SP_TRY(export_check_set(set, &position, err));
    while (at < u->set_count && strcmp(u->sets[at].name, set->name) != 0)
        ++at;
    if (at == MAX_SETS) return sp_fail(err, SP_UNSUPPORTED, "export: more than %d sets", MAX_SETS);
    if (at == u->set_count) snprintf(u->sets[u->set_count++].name, NAME, "%s", set->name);
    for (size_t c = 0; c < set->column_count; ++c)
        SP_TRY(keep_column(&u->sets[at], &set->columns[c], err));
    return SP_OK;
}

static sp_status collect_sets(usda *u, sp_error *err)
{
    for (size_t k = 0; k < u->frames->count; ++k) {
        const sp_frame *frame;
        export_surface surface;
        SP_TRY(u->frames->get(u->frames->user, k, &frame, err));
        if (k == 0) {
            memcpy(u->origin, frame->origin, sizeof u->origin);
            u->first = frame->frame;
            u->fps = frame->fps;
        }
        u->moves = u->moves || memcmp(u->origin, frame->origin, sizeof u->origin) != 0;
        u->last = frame->frame;
        for (size_t i = 0; i < frame->set_count; ++i)
            SP_TRY(keep_set(u, &frame->sets[i], err));
        if (!export_find_surface(frame, &surface)) continue;
        SP_TRY(export_check_surface(&surface, err));
        u->has_surface = true;
    }
    return SP_OK;
}

/// ---- Attributes --------------------------------------------------------------------------------

/// Names of prims and attributes have letters, digits and _ only; set names may also have a -.
static const char *identifier(const char *word, char out[NAME])
{
    size_t n = 0;
    if (word[0] >= '0' && word[0] <= '9') out[n++] = '_';
    for (; *word && n + 1 < NAME; ++word)
        out[n++] = *word == '-' ? '_' : *word;
    out[n] = '\0';
    return out;
}

/// Writes the value of one sample (after "12: ") for a frame; `with` is the attribute's data.
typedef void put_sample(sp_file *f, const sp_frame *frame, const void *with);

/// `declared` is type and name. Only frames that have the attribute get a sample.
static sp_status put_attribute(usda *u, const char *declared,
                               bool (*has)(const sp_frame *frame, const void *with),
                               put_sample *sample, const void *with, sp_error *err)
{
    export_print(&u->file, "        %s.timeSamples = {\n", declared);
    for (size_t k = 0; k < u->frames->count && !u->file.error; ++k) {
        const sp_frame *frame;
        SP_TRY(u->frames->get(u->frames->user, k, &frame, err));
        if (!has(frame, with)) continue;
        export_print(&u->file, "            %" PRIu64 ": ", frame->frame);
        sample(&u->file, frame, with);
        export_print(&u->file, ",\n");
    }
    export_print(&u->file, "        }\n");
    return SP_OK;
}

/// ---- Points ------------------------------------------------------------------------------------

typedef struct column_of {
    const char *set, *column;
} column_of;

static const sp_column *find_column(const sp_frame *frame, const void *with, size_t *count)
{
    const column_of *which = with;
    const sp_set *set = sp_frame_set(frame, which->set);
    *count = set ? set->count : 0;
    return set ? sp_set_column(set, which->column) : NULL;
}

static bool has_column(const sp_frame *frame, const void *with)
{
    size_t count;
    return find_column(frame, with, &count) != NULL;
}

static void put_column(sp_file *f, const sp_frame *frame, const void *with)
{
    size_t count;
    const sp_column *c = find_column(frame, with, &count);
    export_print(f, "[");
    for (size_t i = 0; i < count && !f->error; ++i) {
        export_print(f, i ? ", " : "");
        if (c->components == 1) {
            export_number(f, c, i);
            continue;
        }
        for (size_t k = 0; k < 3; ++k) {
            export_print(f, k ? ", " : "(");
            export_number(f, c, 3 * i + k);
        }
        export_print(f, ")");
    }
    export_print(f, "]");
}

/// Diameters; doubling a float is exact.
static void put_widths(sp_file *f, const sp_frame *frame, const void *with)
{
    size_t count;
    const float *radius = find_column(frame, with, &count)->data;
    export_print(f, "[");
    for (size_t i = 0; i < count && !f->error; ++i)
        export_print(f, "%s%.9g", i ? ", " : "", (double)(2.0f * radius[i]));
    export_print(f, "]");
}

/// The bounding box of a set's spheres, so that a viewer need not compute it.
static void put_extent(sp_file *f, const sp_frame *frame, const void *with)
{
    size_t count, unused;
    const column_of *which = with;
    const sp_column *position = find_column(frame, with, &count);
    const sp_column *radius = find_column(frame, &(column_of){which->set, "radius"}, &unused);
    float low[3] = {0}, high[3] = {0};
    for (size_t i = 0; i < count; ++i) {
        const bool sized = radius && radius->kind == SP_F32 && radius->components == 1;
        const float r = sized ? ((const float *)radius->data)[i] : 0.0f;
        for (size_t k = 0; k < 3; ++k) {
            const float x = ((const float *)position->data)[3 * i + k];
            low[k] = i ? fminf(low[k], x - r) : x - r;
            high[k] = i ? fmaxf(high[k], x + r) : x + r;
        }
    }
    export_print(f, "[(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)]", (double)low[0], (double)low[1],
                 (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
}

/// USD's type of an array of such values; NULL: USD has none.
static const char *usd_type(const usd_column *c)
{
    static const char *const types[][2] = {[SP_F32] = {"float[]", "float3[]"},
                                           [SP_F64] = {"double[]", "double3[]"},
                                           [SP_I32] = {"int[]", "int3[]"},
                                           [SP_U32] = {"uint[]", NULL},
                                           [SP_U64] = {"uint64[]", NULL}};
    return types[c->kind][c->components != 1];
}

static bool is(const usd_column *c, const char *name, sp_kind kind, int components)
{
    return strcmp(c->name, name) == 0 && c->kind == kind && c->components == components;
}

static sp_status put_usd_column(usda *u, const usd_set *set, const usd_column *c, sp_error *err)
{
    const column_of which = {set->name, c->name};
    char word[NAME], declared[2 * NAME];
    if (is(c, "position", SP_F32, 3)) {
        SP_TRY(put_attribute(u, "point3f[] points", has_column, put_column, &which, err));
        return put_attribute(u, "float3[] extent", has_column, put_extent, &which, err);
    }
    if (is(c, "velocity", SP_F32, 3))
        return put_attribute(u, "vector3f[] velocities", has_column, put_column, &which, err);
    if (is(c, "radius", SP_F32, 1))
        return put_attribute(u, "float[] widths", has_column, put_widths, &which, err);
    if (is(c, "id", SP_U64, 1))
        return put_attribute(u, "int64[] ids", has_column, put_column, &which, err);
    if (!usd_type(c)) return SP_OK;
    snprintf(declared, sizeof declared, "%s primvars:%s", usd_type(c), identifier(c->name, word));
    export_print(&u->file, "        %s (\n            interpolation = \"vertex\"\n        )\n",
                 declared);
    return put_attribute(u, declared, has_column, put_column, &which, err);
}

static sp_status put_points(usda *u, const usd_set *set, sp_error *err)
{
    char word[NAME];
    export_print(&u->file, "\n    def Points \"%s\"\n    {\n", identifier(set->name, word));
    for (size_t c = 0; c < set->column_count; ++c)
        SP_TRY(put_usd_column(u, set, &set->columns[c], err));
    export_print(&u->file, "    }\n");
    return SP_OK;
}

/// ---- The surface -------------------------------------------------------------------------------

static bool has_surface(const sp_frame *frame, const void *with)
{
    (void)with;
    export_surface surface;
    return export_find_surface(frame, &surface);
}

static void put_corner_counts(sp_file *f, const sp_frame *frame, const void *with)
{
    (void)with;
    export_surface s;
    export_find_surface(frame, &s);
    const size_t count = export_surface_triangles(&s, NULL, NULL);
    export_print(f, "[");
    for (size_t t = 0; t < count && !f->error; ++t)
        export_print(f, t ? ", 3" : "3");
    export_print(f, "]");
}

typedef struct corner_list {
    sp_file *f;
    bool begun;
} corner_list;

static void put_corner(void *user, const uint32_t corner[3])
{
    corner_list *list = user;
    if (list->f->error) return;
    export_print(list->f, "%s%u, %u, %u", list->begun ? ", " : "", (unsigned)corner[0],
                 (unsigned)corner[1], (unsigned)corner[2]);
    list->begun = true;
}

static void put_corners(sp_file *f, const sp_frame *frame, const void *with)
{
    (void)with;
    export_surface s;
    export_find_surface(frame, &s);
    export_print(f, "[");
    export_surface_triangles(&s, put_corner, &(corner_list){f, false});
    export_print(f, "]");
}

static void put_surface_points(sp_file *f, const sp_frame *frame, const void *with)
{
    (void)with;
    export_surface s;
    export_find_surface(frame, &s);
    export_print(f, "[");
    for (size_t at = 0; at < s.height->nu * s.height->nv && !f->error; ++at) {
        double p[3];
        export_surface_point(&s, at % s.height->nu, at / s.height->nu, p);
        export_print(
            f, "%s(%.9g, %.9g, %.9g)", at ? ", " : "", (double)(float)(p[0] - frame->origin[0]),
            (double)(float)(p[1] - frame->origin[1]), (double)(float)(p[2] - frame->origin[2]));
    }
    export_print(f, "]");
}

static sp_status put_surface(usda *u, sp_error *err)
{
    export_print(&u->file, "\n    def Mesh \"height\"\n    {\n"
                           "        uniform token orientation = \"rightHanded\"\n"
                           "        uniform token subdivisionScheme = \"none\"\n"
                           "        uniform bool doubleSided = 1\n");
    SP_TRY(put_attribute(u, "int[] faceVertexCounts", has_surface, put_corner_counts, NULL, err));
    SP_TRY(put_attribute(u, "int[] faceVertexIndices", has_surface, put_corners, NULL, err));
    SP_TRY(put_attribute(u, "point3f[] points", has_surface, put_surface_points, NULL, err));
    export_print(&u->file, "    }\n");
    return SP_OK;
}

/// ---- The layer ---------------------------------------------------------------------------------

static void put_layer_facts(usda *u)
{
    export_print(&u->file, "#usda 1.0\n(\n    defaultPrim = \"spume\"\n"
                           "    doc = \"Written by Spume. Time code k is frame k.\"\n");
    export_print(&u->file, "    startTimeCode = %" PRIu64 "\n    endTimeCode = %" PRIu64 "\n",
                 u->first, u->last);
    if (u->fps > 0.0)
        export_print(&u->file, "    timeCodesPerSecond = %.17g\n    framesPerSecond = %.17g\n",
                     u->fps, u->fps);
    export_print(&u->file, "    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\n");
}

static bool always(const sp_frame *frame, const void *with)
{
    (void)with;
    return frame != NULL;
}

static void put_origin(sp_file *f, const sp_frame *frame, const void *with)
{
    (void)with;
    export_print(f, "(%.17g, %.17g, %.17g)", frame->origin[0], frame->origin[1], frame->origin[2]);
}

static sp_status put_layer(usda *u, sp_error *err)
{
    put_layer_facts(u);
    export_print(&u->file, "def Xform \"spume\"\n{\n");
    if (u->moves)
        SP_TRY(put_attribute(u, "double3 xformOp:translate", always, put_origin, NULL, err));
    else
        export_print(&u->file, "    double3 xformOp:translate = (%.17g, %.17g, %.17g)\n",
                     u->origin[0], u->origin[1], u->origin[2]);
    export_print(&u->file, "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n");
    for (size_t i = 0; i < u->set_count; ++i)
        SP_TRY(put_points(u, &u->sets[i], err));
    if (u->has_surface) SP_TRY(put_surface(u, err));
    export_print(&u->file, "}\n");
    return SP_OK;
}

sp_status sp_export_usda(const char *dir, const sp_export_frames *frames, sp_error *err)
{
    usda u = {.frames = frames}; // about 100 kB of stack: there is no host to allocate from
    SP_TRY(collect_sets(&u, err));
    SP_TRY(export_open_plain(&u.file, dir, "spume", "usda", err));
    const sp_status status = put_layer(&u, err);
    if (status == SP_OK) return sp_file_close(&u.file, true, err);
    sp_file_abandon(&u.file);
    return status;
}
