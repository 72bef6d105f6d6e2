// SPDX-License-Identifier: Apache-2.0
/// Writes run.xmf, the index that ParaView opens: a time series of particle sets as vertices and
/// plane fields as curved surfaces. XDMF stores no data: it points into the frame files. The x and
/// z of a surface never change and are stored once in static.h5; its y is the frame's height field,
/// so ParaView shows the real surface.
#include "cache/internal.h"

#include <stdio.h>
#include <string.h>

static const char head[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"3.0\">\n"
                           "<Domain>\n<Grid Name=\"run\" GridType=\"Collection\" "
                           "CollectionType=\"Temporal\">\n";
static const char tail[] = "</Grid>\n</Domain>\n</Xdmf>\n";

/// Halves are announced as the floats that HDF5 makes of them when they are read.
static void add_item(sp_text *text, const char *dims, sp_kind kind, const char *file,
                     const char *group, const char *member, const char *leaf)
{
    static const char *const types[] = {[SP_F32] = "Float",
                                        [SP_F64] = "Float",
                                        [SP_I32] = "Int",
                                        [SP_U32] = "UInt",
                                        [SP_U64] = "UInt"};
    sp_text_format(text, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%zu\" ",
                   types[kind], sp_kind_size(kind));
    sp_text_format(text, "Dimensions=\"%s\">%s:/%s/", dims, file, group);
    sp_text_xml(text, member);
    sp_text_add(text, "/");
    sp_text_xml(text, leaf);
    sp_text_add(text, "</DataItem>\n");
}

static const char *attribute_type(int components)
{
    return components == 1 ? "Scalar" : components == 3 ? "Vector" : "Matrix";
}

static void add_attribute(sp_text *text, const char *name, int components)
{
    sp_text_add(text, "<Attribute Name=\"");
    sp_text_xml(text, name);
    sp_text_format(text, "\" AttributeType=\"%s\" Center=\"Node\">\n", attribute_type(components));
}

static void add_set(sp_text *text, const char *file, const sp_set *set)
{
    char dims[64];
    snprintf(dims, sizeof dims, "%zu 3", set->count);
    sp_text_add(text, "<Grid Name=\"");
    sp_text_xml(text, set->name);
    sp_text_format(text,
                   "\" GridType=\"Uniform\">\n<Topology TopologyType=\"Polyvertex\" "
                   "NumberOfElements=\"%zu\" NodesPerElement=\"1\"/>\n<Geometry "
                   "GeometryType=\"XYZ\">\n",
                   set->count);
    add_item(text, dims, SP_F32, file, "points", set->name, "position");
    sp_text_add(text, "</Geometry>\n");
    for (size_t c = 0; c < set->column_count; ++c) {
        const sp_column *column = &set->columns[c];
        if (strcmp(column->name, "position") == 0) continue;
        snprintf(dims, sizeof dims, column->components == 3 ? "%zu 3" : "%zu", set->count);
        add_attribute(text, column->name, column->components);
        add_item(text, dims, column->kind, file, "points", set->name, column->name);
        sp_text_add(text, "</Attribute>\n");
    }
    sp_text_add(text, "</Grid>\n");
}

/// Relative to the frame's origin, like particles.
static sp_plane plane_of(const sp_frame *frame, const sp_field *field)
{
    sp_plane plane = {.nu = field->nu, .nv = field->nv};
    for (int c = 0; c < 3; ++c) {
        plane.corner[c] = field->corner[c] - frame->origin[c];
        plane.du[c] = field->du[c];
        plane.dv[c] = field->dv[c];
    }
    return plane;
}

static bool same_plane(const sp_plane *a, const sp_plane *b)
{
    return a->nu == b->nu && a->nv == b->nv &&
           memcmp(a->corner, b->corner, sizeof a->corner) == 0 &&
           memcmp(a->du, b->du, sizeof a->du) == 0 && memcmp(a->dv, b->dv, sizeof a->dv) == 0;
}

/// Index of a plane in static.h5; adds the plane if it is new. SIZE_MAX: no memory.
static size_t find_plane(sp_xdmf *xdmf, const sp_plane *plane)
{
    for (size_t i = 0; i < xdmf->plane_count; ++i)
        if (same_plane(&xdmf->planes[i], plane)) return i;
    if (xdmf->plane_count == xdmf->plane_capacity) {
        const size_t capacity = xdmf->plane_capacity ? 2 * xdmf->plane_capacity : 4;
        if (!sp_regrow(xdmf->host, (void **)&xdmf->planes, xdmf->plane_count, capacity,
                       sizeof *plane))
            return SIZE_MAX;
        xdmf->plane_capacity = capacity;
    }
    xdmf->planes[xdmf->plane_count] = *plane;
    xdmf->planes_changed = true;
    return xdmf->plane_count++;
}

static bool is_on(const sp_frame *frame, const sp_field *field, const sp_plane *plane)
{
    if (field->layout != SP_FIELD_PLANE) return false;
    const sp_plane own = plane_of(frame, field);
    return same_plane(&own, plane);
}

static void add_sheet(sp_xdmf *xdmf, const char *file, const sp_frame *frame, size_t number)
{
    sp_text *text = &xdmf->grids;
    const sp_plane *plane = &xdmf->planes[number];
    const sp_field *height = sp_frame_field(frame, "height");
    const bool raised = height && height->components == 1 && is_on(frame, height, plane);
    char dims[96], index[32];
    snprintf(index, sizeof index, "%zu", number);
    snprintf(dims, sizeof dims, "1 %zu %zu", plane->nv, plane->nu);
    sp_text_format(text, "<Grid Name=\"sheet %zu\" GridType=\"Uniform\">\n", number);
    sp_text_format(text, "<Topology TopologyType=\"3DSMesh\" Dimensions=\"%s\"/>\n", dims);
    sp_text_add(text, "<Geometry GeometryType=\"X_Y_Z\">\n");
    add_item(text, dims, SP_F32, "static.h5", "planes", index, "x");
    if (raised) {
        snprintf(dims, sizeof dims, "%zu %zu 1", plane->nv, plane->nu);
        add_item(text, dims, SP_F32, file, "fields", "height", "values");
    } else {
        add_item(text, dims, SP_F32, "static.h5", "planes", index, "y");
    }
    snprintf(dims, sizeof dims, "1 %zu %zu", plane->nv, plane->nu);
    add_item(text, dims, SP_F32, "static.h5", "planes", index, "z");
    sp_text_add(text, "</Geometry>\n");
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        if (!is_on(frame, field, plane)) continue;
        snprintf(dims, sizeof dims, "%zu %zu %d", plane->nv, plane->nu, field->components);
        add_attribute(text, field->name, field->components);
        add_item(text, dims, SP_F32, file, "fields", field->name, "values");
        sp_text_add(text, "</Attribute>\n");
    }
    sp_text_add(text, "</Grid>\n");
}

/// Adds each plane of a frame once, with all fields on it.
static bool add_sheets(sp_xdmf *xdmf, const char *file, const sp_frame *frame)
{
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        if (field->layout != SP_FIELD_PLANE || field->nu == 0 || field->nv == 0) continue;
        const sp_plane plane = plane_of(frame, field);
        bool seen = false;
        for (size_t j = 0; !seen && j < i; ++j)
            seen = is_on(frame, &frame->fields[j], &plane);
        if (seen) continue;
        const size_t number = find_plane(xdmf, &plane);
        if (number == SIZE_MAX) return false;
        add_sheet(xdmf, file, frame, number);
    }
    return true;
}

static void begin_text(sp_xdmf *xdmf)
{
    xdmf->grids.host = xdmf->host;
    if (xdmf->grids.size == 0) sp_text_add(&xdmf->grids, head);
}

sp_status sp_xdmf_add(sp_xdmf *xdmf, const sp_frame *frame, sp_error *err)
{
    sp_text *text = &xdmf->grids;
    char file[64];
    begin_text(xdmf);
    snprintf(file, sizeof file, "frames/%06llu.h5", (unsigned long long)frame->frame);
    sp_text_format(text, "<Grid Name=\"frame %llu\" ", (unsigned long long)frame->frame);
    sp_text_add(text, "GridType=\"Collection\" CollectionType=\"Spatial\">\n");
    sp_text_format(text, "<Time Value=\"%.17g\"/>\n", frame->time);
    for (size_t i = 0; i < frame->set_count; ++i) // ParaView rejects a grid without points
        if (frame->sets[i].count > 0) add_set(text, file, &frame->sets[i]);
    const bool ok = add_sheets(xdmf, file, frame);
    sp_text_add(text, "</Grid>\n");
    if (!ok || text->failed)
        return sp_fail(err, SP_NO_MEMORY, "run.xmf: no memory for frame %llu",
                       (unsigned long long)frame->frame);
    ++xdmf->frames;
    return SP_OK;
}

static void put_axis(sp_h5_image *image, hid_t group, const sp_plane *plane, int axis, float *at)
{
    static const char *const names[] = {"x", "y", "z"};
    for (size_t j = 0; j < plane->nv; ++j)
        for (size_t i = 0; i < plane->nu; ++i)
            at[j * plane->nu + i] = (float)(plane->corner[axis] + (double)i * plane->du[axis] +
                                            (double)j * plane->dv[axis]);
    const hsize_t dims[3] = {1, plane->nv, plane->nu};
    sp_h5_image_array(image, group, names[axis], SP_F32, 3, dims, at);
}

static void build_static(const sp_xdmf *xdmf, sp_h5_image *image)
{
    const hid_t planes = sp_h5_image_group(image, image->file, "planes");
    for (size_t p = 0; p < xdmf->plane_count; ++p) {
        const sp_plane *plane = &xdmf->planes[p];
        char name[32];
        snprintf(name, sizeof name, "%zu", p);
        const hid_t group = sp_h5_image_group(image, planes, name);
        // nu*nv values were published before, so the product does not overflow.
        float *at = sp_allocate(xdmf->host, plane->nu * plane->nv, sizeof *at);
        for (int axis = 0; at && axis < 3; ++axis)
            put_axis(image, group, plane, axis, at);
        image->ok = image->ok && at;
        sp_release(xdmf->host, at);
        H5Gclose(group);
    }
    H5Gclose(planes);
}

static size_t room_for_planes(const sp_xdmf *xdmf)
{
    size_t bytes = 2 * SP_H5_STEP;
    for (size_t p = 0; p < xdmf->plane_count; ++p)
        bytes += 3 * xdmf->planes[p].nu * xdmf->planes[p].nv * sizeof(float) + 4096;
    return bytes;
}

/// Seals the bytes of one of the two files, then writes it.
static sp_status write_sealed(const sp_xdmf *xdmf, sp_seals *seals, sp_sealed which,
                              const char *dir, const void *bytes, size_t count, bool sync,
                              sp_error *err)
{
    char path[SP_PATH];
    snprintf(path, sizeof path, "%s/%s", dir, sp_sealed_name(which));
    sp_seals_set(seals, which, bytes, count);
    SP_TRY(sp_seals_write(seals, dir, sync, xdmf->host, err));
    return sp_cache_file_write(path, &(sp_file_part){bytes, count}, 1, sync, err);
}

static sp_status write_static(const sp_xdmf *xdmf, sp_seals *seals, const char *dir, bool sync,
                              sp_error *err)
{
    sp_h5_image image;
    const sp_h5 h5 = sp_h5_begin();
    sp_h5_image_open(&image, xdmf->host, room_for_planes(xdmf));
    build_static(xdmf, &image);
    sp_status st = sp_h5_image_flush(&image, err);
    sp_h5_end(h5);
    if (st == SP_OK) {
        sp_seal seal = {.format = SP_STATIC_FORMAT};
        sp_seal_stamp(image.bytes, SP_STATIC_MAGIC, &seal, image.bytes + SP_SEAL,
                      image.count - SP_SEAL);
        st = write_sealed(xdmf, seals, SP_SEALED_STATIC, dir, image.bytes, image.count, sync, err);
    } else {
        sp_error_prefix(err, "%s/%s: ", dir, sp_sealed_name(SP_SEALED_STATIC));
    }
    sp_h5_image_close(&image);
    return st;
}

sp_status sp_xdmf_write(sp_xdmf *xdmf, sp_seals *seals, const char *dir, bool sync, sp_error *err)
{
    sp_text *text = &xdmf->grids;
    if (xdmf->planes_changed) { // before the index that refers to it
        SP_TRY(write_static(xdmf, seals, dir, sync, err));
        xdmf->planes_changed = false;
    }
    begin_text(xdmf);
    const size_t size = text->size;
    sp_text_add(text, tail);
    if (text->failed) return sp_fail(err, SP_NO_MEMORY, "%s/run.xmf: no memory to write it", dir);
    const sp_status st =
        write_sealed(xdmf, seals, SP_SEALED_INDEX, dir, text->bytes, text->size, sync, err);
    text->size = size; // more frames may follow
    text->bytes[size] = '\0';
    if (st == SP_OK) xdmf->frames_on_disk = xdmf->frames;
    return st;
}

bool sp_xdmf_is_due(const sp_xdmf *xdmf)
{
    const uint64_t waiting = xdmf->frames - xdmf->frames_on_disk;
    return waiting >= 10 && waiting >= xdmf->frames / 4;
}

void sp_xdmf_close(sp_xdmf *xdmf)
{
    if (!xdmf->host) return;
    sp_text_close(&xdmf->grids);
    sp_release(xdmf->host, xdmf->planes);
    *xdmf = (sp_xdmf){0};
}
