// SPDX-License-Identifier: Apache-2.0
/// Reads frame files from untrusted sources. Digests are checked first, so that random damage never
/// reaches HDF5. Then the kind, type, rank and extents of every object are checked, and no
/// allocation is larger than the file can fill, or twice that for halves.
#include "cache/internal.h"

#include <stdio.h>
#include <string.h>

enum { MOST_MEMBERS = 1024, MOST_RANK = 3 };

struct sp_frame_file {
    const sp_host *host;
    void *arrays; ///< all that it owns (arena.h)
    sp_seal seal;
    sp_frame frame;
};

typedef struct reader {
    sp_frame_file *file;
    const char *name; ///< of the file, for error messages
    size_t length;    ///< of the file, an upper bound for arrays
    hid_t h5;
    sp_error *err;
} reader;

/// A path in the file, for error messages: "/points/foam/id".
typedef struct place {
    char text[256];
} place;

static place place_of(const char *group, const char *member, const char *leaf)
{
    place at;
    snprintf(at.text, sizeof at.text, "/%s/%s%s%s", group, member, leaf[0] ? "/" : "", leaf);
    return at;
}

static sp_status fault(const reader *r, const char *at, const char *what)
{
    return sp_fail(r->err, SP_DAMAGED, "%s: %s: %s", r->name, at, what);
}

static void *own(const reader *r, size_t count, size_t size)
{
    return sp_arena_take(r->file->host, &r->file->arrays, count, size);
}

static sp_status no_memory(const reader *r)
{
    return sp_fail(r->err, SP_NO_MEMORY, "%s: no memory for its contents", r->name);
}

/// ---- Attributes --------------------------------------------------------------------------------

static bool has_kind(hid_t type, sp_kind kind)
{
    return H5Tequal(type, sp_h5_type(kind)) > 0;
}

static sp_status read_attribute(const reader *r, hid_t object, const char *at, const char *name,
                                sp_kind kind, size_t n, void *out)
{
    place where;
    snprintf(where.text, sizeof where.text, "%.120s@%s", at, name);
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return fault(r, where.text, "is missing");
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    sp_status st = SP_OK;
    if (!has_kind(type, kind))
        st = fault(r, where.text, "has the wrong type");
    else if (H5Sget_simple_extent_npoints(space) != (hssize_t)n)
        st = fault(r, where.text, "has the wrong length");
    else if (H5Aread(attribute, sp_h5_type(kind), out) < 0)
        st = fault(r, where.text, "cannot be read");
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return st;
}

/// ---- Arrays ------------------------------------------------------------------------------------

typedef struct array {
    sp_kind kind;
    bool half; ///< stored as halves; `data` is f32
    int rank;
    hsize_t dims[MOST_RANK];
    void *data; ///< owned by the file
} array;

/// Accepts only bytes stored plainly in this file: no filters, no external storage.
static bool is_plain(hid_t set)
{
    const hid_t props = H5Dget_create_plist(set);
    const H5D_layout_t layout = H5Pget_layout(props);
    const bool plain = (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
                       H5Pget_nfilters(props) == 0 && H5Pget_external_count(props) == 0;
    H5Pclose(props);
    return plain;
}

static const char *read_type(const reader *r, hid_t set, array *a)
{
    static const sp_kind kinds[] = {SP_F32, SP_F64, SP_I32, SP_U32, SP_U64};
    const hid_t type = H5Dget_type(set), half = sp_h5_half_type();
    a->half = r->file->seal.format >= SP_FRAME_FORMAT_HALF && H5Tequal(type, half) > 0;
    a->kind = SP_F32;
    H5Tclose(half);
    bool known = a->half;
    for (size_t i = 0; !known && i < sizeof kinds / sizeof *kinds; ++i) {
        known = has_kind(type, kinds[i]);
        a->kind = kinds[i];
    }
    H5Tclose(type);
    return known ? NULL : "has a type that frames do not use";
}

static const char *read_extents(hid_t set, array *a)
{
    const hid_t space = H5Dget_space(set);
    const char *trouble = NULL;
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE) {
        trouble = "has no extents";
    } else {
        a->rank = H5Sget_simple_extent_ndims(space);
        if (a->rank < 1 || a->rank > MOST_RANK)
            trouble = "has the wrong rank";
        else if (H5Sget_simple_extent_dims(space, a->dims, NULL) != a->rank)
            trouble = "has extents that cannot be read";
    }
    H5Sclose(space);
    return trouble;
}

/// Counts the values of an array; returns a complaint when the file is too short for them.
static const char *count_bytes(const reader *r, hid_t set, const array *a, size_t *values)
{
    const size_t size = a->half ? sizeof(uint16_t) : sp_kind_size(a->kind);
    size_t n = 1;
    bool fits = true, empty = false;
    for (int i = 0; i < a->rank; ++i)
        empty = empty || a->dims[i] == 0;
    for (int i = 0; fits && !empty && i < a->rank; ++i) {
        fits = a->dims[i] <= r->length / size / n; // n >= 1 and n*size <= length so far
        n *= fits ? (size_t)a->dims[i] : 1;
    }
    for (int i = 0; i < a->rank; ++i)
        fits = fits && a->dims[i] <= r->length;
    if (!fits) return "claims more values than the file has bytes for";
    *values = empty ? 0 : n;
    // Unallocated space reads as fill values. A frame has no such arrays.
    if (*values > 0 && H5Dget_storage_size(set) != *values * size) return "has no bytes of its own";
    return NULL;
}

static sp_status read_halves(const reader *r, hid_t set, const char *at, size_t values,
                             float *floats)
{
    const sp_host *host = r->file->host;
    uint16_t *halves = sp_allocate(host, values, sizeof *halves);
    if (!halves) return no_memory(r);
    const hid_t type = sp_h5_half_type();
    const bool good = H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, halves) >= 0;
    if (good) sp_floats_of_halves(host, values, halves, floats);
    H5Tclose(type);
    sp_release(host, halves);
    return good ? SP_OK : fault(r, at, "cannot be read");
}

static sp_status read_opened(const reader *r, hid_t set, const char *at, array *a)
{
    const char *trouble = is_plain(set) ? NULL : "is not stored plainly";
    size_t values = 0;
    if (!trouble) trouble = read_type(r, set, a);
    if (!trouble) trouble = read_extents(set, a);
    if (!trouble) trouble = count_bytes(r, set, a, &values);
    if (trouble) return fault(r, at, trouble);
    a->data = own(r, values, sp_kind_size(a->kind));
    if (!a->data) return no_memory(r);
    if (a->half && values > 0) return read_halves(r, set, at, values, a->data);
    if (values > 0 && H5Dread(set, sp_h5_type(a->kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) < 0)
        return fault(r, at, "cannot be read");
    return SP_OK;
}

/// Accepts only hard links: no soft link, and no link into another file.
static bool is_hard_link(hid_t group, const char *name)
{
    H5L_info_t info;
    return H5Lexists(group, name, H5P_DEFAULT) > 0 &&
           H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

static bool is_object(hid_t group, const char *name, H5O_type_t type)
{
    H5O_info_t info;
    return is_hard_link(group, name) &&
           H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           info.type == type;
}

static sp_status read_array(const reader *r, hid_t group, const char *name, const char *at,
                            array *a)
{
    *a = (array){0};
    if (!is_object(group, name, H5O_TYPE_DATASET)) return fault(r, at, "is missing or no array");
    const hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    if (set < 0) return fault(r, at, "cannot be opened");
    const sp_status st = read_opened(r, set, at, a);
    H5Dclose(set);
    return st;
}

/// ---- Groups ------------------------------------------------------------------------------------

static sp_status open_group(const reader *r, hid_t parent, const char *name, const char *at,
                            hid_t *group)
{
    *group = H5I_INVALID_HID;
    if (!is_object(parent, name, H5O_TYPE_GROUP)) return fault(r, at, "is missing or no group");
    *group = H5Gopen2(parent, name, H5P_DEFAULT);
    return *group >= 0 ? SP_OK : fault(r, at, "cannot be opened");
}

/// Names of a group's members, in creation order where the file stores it.
static sp_status member_names(const reader *r, hid_t group, const char *at, const char ***names,
                              size_t *count)
{
    H5G_info_t info;
    if (H5Gget_info(group, &info) < 0) return fault(r, at, "cannot be listed");
    if (info.nlinks > MOST_MEMBERS) return fault(r, at, "has more members than a frame may have");
    const hid_t props = H5Gget_create_plist(group);
    unsigned order = 0;
    H5Pget_link_creation_order(props, &order);
    H5Pclose(props);
    const H5_index_t index = order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    *count = (size_t)info.nlinks;
    *names = own(r, *count, sizeof **names);
    if (!*names) return no_memory(r);
    for (size_t i = 0; i < *count; ++i) {
        char name[128];
        const ssize_t n =
            H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (n <= 0 || n >= (ssize_t)sizeof name || !sp_frame_name_ok(name))
            return fault(r, at, "has a member whose name cannot be used");
        char *copy = own(r, (size_t)n + 1, 1);
        if (!copy) return no_memory(r);
        memcpy(copy, name, (size_t)n + 1);
        (*names)[i] = copy;
    }
    return SP_OK;
}

/// Reads one member of /points, /fields or /bodies.
typedef sp_status read_member(const reader *r, hid_t group, const char *name, void *out);

/// Opens each member of a top group and calls `read`, which fills an item of `size` bytes.
static sp_status read_members(const reader *r, const char *top, size_t size, read_member *read,
                              void **items, size_t *item_count)
{
    hid_t group;
    const char **names;
    char at[32];
    snprintf(at, sizeof at, "/%s", top);
    SP_TRY(open_group(r, r->h5, top, at, &group));
    sp_status st = member_names(r, group, at, &names, item_count);
    char *filled = NULL;
    if (st == SP_OK && !(filled = own(r, *item_count, size))) st = no_memory(r);
    for (size_t i = 0; st == SP_OK && i < *item_count; ++i) {
        hid_t member;
        st = open_group(r, group, names[i], place_of(top, names[i], "").text, &member);
        if (st == SP_OK) st = read(r, member, names[i], filled + i * size);
        H5Gclose(member);
    }
    H5Gclose(group);
    *items = filled;
    return st;
}

/// ---- What frames are made of -------------------------------------------------------------------

static sp_status read_column(const reader *r, hid_t group, sp_set *set, const char *name,
                             bool first, sp_column *column)
{
    const place at = place_of("points", set->name, name);
    array a;
    SP_TRY(read_array(r, group, name, at.text, &a));
    if (a.rank > 2 || (a.rank == 2 && a.dims[1] != 3))
        return fault(r, at.text, "has neither one nor three values a particle");
    if (first) set->count = (size_t)a.dims[0];
    if (a.dims[0] != set->count) return fault(r, at.text, "has another length than its neighbours");
    *column = (sp_column){name, a.kind, a.rank == 2 ? 3 : 1, a.data};
    return SP_OK;
}

static sp_status read_set(const reader *r, hid_t group, const char *name, void *out)
{
    sp_set *set = out;
    set->name = name;
    const char **names;
    SP_TRY(member_names(r, group, place_of("points", name, "").text, &names, &set->column_count));
    sp_column *columns = own(r, set->column_count, sizeof *columns);
    if (!columns) return no_memory(r);
    set->columns = columns;
    for (size_t c = 0; c < set->column_count; ++c)
        SP_TRY(read_column(r, group, set, names[c], c == 0, &columns[c]));
    return SP_OK;
}

static sp_status read_plane(const reader *r, hid_t group, sp_field *field, const array *values)
{
    const place at = place_of("fields", field->name, "");
    field->layout = SP_FIELD_PLANE;
    field->nv = (size_t)values->dims[0];
    field->nu = (size_t)values->dims[1];
    SP_TRY(read_attribute(r, group, at.text, "corner", SP_F64, 3, field->corner));
    SP_TRY(read_attribute(r, group, at.text, "du", SP_F64, 3, field->du));
    return read_attribute(r, group, at.text, "dv", SP_F64, 3, field->dv);
}

/// Older frames do not say where in a voxel vectors are stored: then it is the centre.
static sp_status read_staggered(const reader *r, hid_t group, sp_field *field)
{
    const place at = place_of("fields", field->name, "");
    uint32_t staggered = 0;
    if (H5Aexists(group, "staggered") > 0)
        SP_TRY(read_attribute(r, group, at.text, "staggered", SP_U32, 1, &staggered));
    if (staggered > 1) return fault(r, at.text, "is staggered in a way this Spume does not know");
    field->staggered = staggered == 1;
    return SP_OK;
}

static sp_status read_tiles(const reader *r, hid_t group, sp_field *field, const array *values)
{
    const place at = place_of("fields", field->name, "coordinates");
    array coordinates;
    field->layout = SP_FIELD_TILES;
    SP_TRY(read_array(r, group, "coordinates", at.text, &coordinates));
    if (coordinates.kind != SP_I32 || coordinates.rank != 2 || coordinates.dims[1] != 3)
        return fault(r, at.text, "is not i32 x 3");
    if (values->dims[1] != 512 || values->dims[0] != coordinates.dims[0])
        return fault(r, at.text, "and values do not agree on 512 values a tile");
    field->tiles = coordinates.data;
    field->tile_count = (size_t)coordinates.dims[0];
    return read_staggered(r, group, field);
}

static sp_status read_field(const reader *r, hid_t group, const char *name, void *out)
{
    sp_field *field = out;
    field->name = name;
    const place at = place_of("fields", name, "values");
    array values;
    uint32_t layout;
    SP_TRY(
        read_attribute(r, group, place_of("fields", name, "").text, "layout", SP_U32, 1, &layout));
    SP_TRY(read_array(r, group, "values", at.text, &values));
    if (values.kind != SP_F32 || values.rank != 3 || values.dims[2] < 1 || values.dims[2] > 16)
        return fault(r, at.text, "is not f32 with 1 to 16 components");
    field->values = values.data;
    field->components = (int)values.dims[2];
    if (layout == SP_FIELD_PLANE) return read_plane(r, group, field, &values);
    if (layout == SP_FIELD_TILES) return read_tiles(r, group, field, &values);
    return fault(r, place_of("fields", name, "").text, "has a layout this Spume does not know");
}

static sp_status read_body(const reader *r, hid_t group, const char *name, void *out)
{
    sp_body *body = out;
    body->name = name;
    const place at = place_of("bodies", name, "pose");
    array a;
    SP_TRY(read_array(r, group, "pose", at.text, &a));
    if (a.kind != SP_F64 || a.rank != 2 || a.dims[0] != 3 || a.dims[1] != 4)
        return fault(r, at.text, "is not f64, 3 x 4");
    const double *pose = a.data;
    for (int row = 0; row < 3; ++row) {
        memcpy(&body->rotation[3 * row], &pose[4 * row], 3 * sizeof *pose);
        body->position[row] = pose[4 * row + 3];
    }
    return SP_OK;
}

static sp_status read_stat(const reader *r, hid_t group, H5_index_t index, size_t i, sp_stat *stat)
{
    char name[128];
    const ssize_t n =
        H5Aget_name_by_idx(group, ".", index, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    if (n <= 0 || n >= (ssize_t)sizeof name || !sp_frame_name_ok(name))
        return fault(r, "/stats", "has a statistic whose name cannot be used");
    char *copy = own(r, (size_t)n + 1, 1);
    if (!copy) return no_memory(r);
    memcpy(copy, name, (size_t)n + 1);
    stat->name = copy;
    return read_attribute(r, group, "/stats", name, SP_F64, 1, &stat->value);
}

static sp_status read_stats(const reader *r, sp_frame *frame)
{
    hid_t group;
    SP_TRY(open_group(r, r->h5, "stats", "/stats", &group));
    H5O_info_t info = {0};
    unsigned order = 0;
    const hid_t props = H5Gget_create_plist(group);
    H5Pget_attr_creation_order(props, &order);
    H5Pclose(props);
    const H5_index_t index = order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    sp_status st = SP_OK;
    if (H5Oget_info2(group, &info, H5O_INFO_NUM_ATTRS) < 0 || info.num_attrs > MOST_MEMBERS)
        st = fault(r, "/stats", "has more members than a frame may have");
    sp_stat *stats = st == SP_OK ? own(r, (size_t)info.num_attrs, sizeof *stats) : NULL;
    if (st == SP_OK && !stats) st = no_memory(r);
    for (size_t i = 0; st == SP_OK && i < info.num_attrs; ++i)
        st = read_stat(r, group, index, i, &stats[i]);
    H5Gclose(group);
    frame->stats = stats;
    frame->stat_count = (size_t)info.num_attrs;
    return st;
}

static sp_status read_facts(const reader *r, sp_frame *frame)
{
    uint32_t format = 0;
    const sp_seal *seal = &r->file->seal;
    SP_TRY(read_attribute(r, r->h5, "/", "format", SP_U32, 1, &format));
    SP_TRY(read_attribute(r, r->h5, "/", "frame", SP_U64, 1, &frame->frame));
    SP_TRY(read_attribute(r, r->h5, "/", "time", SP_F64, 1, &frame->time));
    SP_TRY(read_attribute(r, r->h5, "/", "fps", SP_F64, 1, &frame->fps));
    SP_TRY(read_attribute(r, r->h5, "/", "voxel", SP_F64, 1, &frame->voxel));
    SP_TRY(read_attribute(r, r->h5, "/", "origin", SP_F64, 3, frame->origin));
    SP_TRY(read_attribute(r, r->h5, "/", "hash", SP_U64, 1, &frame->hash));
    if (format != seal->format || frame->frame != seal->frame || frame->hash != seal->hash ||
        frame->time != seal->time || frame->fps != seal->fps)
        return fault(r, "/", "says other things than the header of the file");
    return SP_OK;
}

static sp_status read_all(const reader *r)
{
    sp_frame *frame = &r->file->frame;
    void *sets, *fields, *bodies;
    SP_TRY(read_facts(r, frame));
    SP_TRY(read_members(r, "points", sizeof(sp_set), read_set, &sets, &frame->set_count));
    SP_TRY(read_members(r, "fields", sizeof(sp_field), read_field, &fields, &frame->field_count));
    SP_TRY(read_members(r, "bodies", sizeof(sp_body), read_body, &bodies, &frame->body_count));
    frame->sets = sets;
    frame->fields = fields;
    frame->bodies = bodies;
    SP_TRY(read_stats(r, frame));
    if (sp_frame_check(frame, r->err) == SP_OK) return SP_OK;
    sp_error_prefix(r->err, "%s: ", r->name);
    if (r->err) r->err->status = SP_DAMAGED;
    return SP_DAMAGED;
}

/// ---- The file ----------------------------------------------------------------------------------

sp_status sp_frame_file_parse(const char *name, unsigned char *bytes, size_t count,
                              const sp_host *host, sp_frame_file **out, sp_error *err)
{
    *out = NULL;
    sp_seal seal;
    SP_TRY(sp_seal_check(name, SP_FRAME_MAGIC, SP_FRAME_FORMAT, bytes, count, &seal, err));
    sp_frame_file *file = sp_allocate(host, 1, sizeof *file);
    if (!file) return sp_fail(err, SP_NO_MEMORY, "%s: no memory to read it", name);
    file->host = host;
    file->seal = seal;
    const sp_h5 h5 = sp_h5_begin();
    reader r = {file, name, count, sp_h5_open_bytes(bytes, count), err};
    const sp_status st =
        r.h5 >= 0 ? read_all(&r) : sp_fail(err, SP_DAMAGED, "%s: is no HDF5 file inside", name);
    if (r.h5 >= 0) H5Fclose(r.h5);
    sp_h5_end(h5);
    if (st == SP_OK)
        *out = file;
    else
        sp_frame_file_close(file);
    return st;
}

sp_status sp_frame_file_open(const char *path, const sp_host *host, sp_frame_file **out,
                             sp_error *err)
{
    *out = NULL;
    char *bytes;
    size_t count;
    SP_TRY(sp_file_read(path, 0, host, &bytes, &count, err));
    const sp_status st = sp_frame_file_parse(path, (unsigned char *)bytes, count, host, out, err);
    sp_release(host, bytes);
    return st;
}

const sp_frame *sp_frame_file_frame(const sp_frame_file *file)
{
    return &file->frame;
}

bool sp_frame_file_is_half(const sp_frame_file *file)
{
    return file->seal.format >= SP_FRAME_FORMAT_HALF;
}

const sp_seal *sp_frame_file_seal(const sp_frame_file *file)
{
    return &file->seal;
}

void sp_frame_file_close(sp_frame_file *file)
{
    if (!file) return;
    sp_arena_close(file->host, &file->arrays);
    sp_release(file->host, file);
}
