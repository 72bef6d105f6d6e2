// SPDX-License-Identifier: Apache-2.0
/// Writes a frame: an HDF5 file built in memory, with a seal (header block) in front.
///
/// At half precision, fields on tiles and columns of particles are stored as halves. Positions stay
/// f32: a half has steps of a millimetre from 1 m on. So do sheets: they are small, and steps in the
/// height of a calm surface show in its reflections.
#include "cache/internal.h"

#include <stdio.h>
#include <string.h>

static void put_set(sp_h5_image *image, hid_t points, const sp_set *set)
{
    const hid_t group = sp_h5_image_group(image, points, set->name);
    for (size_t c = 0; c < set->column_count; ++c) {
        const sp_column *column = &set->columns[c];
        const hsize_t dims[2] = {set->count, (hsize_t)column->components};
        const int rank = column->components == 1 ? 1 : 2;
        if (column->kind == SP_F32 && strcmp(column->name, "position") != 0)
            sp_h5_image_floats(image, group, column->name, rank, dims, column->data);
        else
            sp_h5_image_array(image, group, column->name, column->kind, rank, dims, column->data);
    }
    H5Gclose(group);
}

static void put_field(sp_h5_image *image, hid_t fields, const sp_field *field)
{
    const hid_t group = sp_h5_image_group(image, fields, field->name);
    const uint32_t layout = (uint32_t)field->layout;
    const hsize_t components = (hsize_t)field->components;
    sp_h5_image_attribute(image, group, "layout", SP_U32, 1, &layout);
    if (field->layout == SP_FIELD_PLANE) {
        const hsize_t dims[3] = {field->nv, field->nu, components};
        sp_h5_image_attribute(image, group, "corner", SP_F64, 3, field->corner);
        sp_h5_image_attribute(image, group, "du", SP_F64, 3, field->du);
        sp_h5_image_attribute(image, group, "dv", SP_F64, 3, field->dv);
        sp_h5_image_array(image, group, "values", SP_F32, 3, dims, field->values);
    } else {
        const hsize_t at[2] = {field->tile_count, 3},
                      dims[3] = {field->tile_count, 512, components};
        const uint32_t staggered = 1;
        if (field->staggered)
            sp_h5_image_attribute(image, group, "staggered", SP_U32, 1, &staggered);
        sp_h5_image_array(image, group, "coordinates", SP_I32, 2, at, field->tiles);
        sp_h5_image_floats(image, group, "values", 3, dims, field->values);
    }
    H5Gclose(group);
}

/// The pose as a 3 x 4 matrix: rotation, with the position as last column.
static void put_body(sp_h5_image *image, hid_t bodies, const sp_body *body)
{
    const hid_t group = sp_h5_image_group(image, bodies, body->name);
    const hsize_t dims[2] = {3, 4};
    double pose[12];
    for (int row = 0; row < 3; ++row) {
        for (int c = 0; c < 3; ++c)
            pose[4 * row + c] = body->rotation[3 * row + c];
        pose[4 * row + 3] = body->position[row];
    }
    sp_h5_image_array(image, group, "pose", SP_F64, 2, dims, pose);
    H5Gclose(group);
}

static uint32_t format_of(bool half)
{
    return half ? SP_FRAME_FORMAT_HALF : SP_FRAME_FORMAT_FULL;
}

static void put_facts(sp_h5_image *image, const sp_frame *frame)
{
    const uint32_t format = format_of(image->half);
    sp_h5_image_attribute(image, image->file, "format", SP_U32, 1, &format);
    sp_h5_image_attribute(image, image->file, "frame", SP_U64, 1, &frame->frame);
    sp_h5_image_attribute(image, image->file, "time", SP_F64, 1, &frame->time);
    sp_h5_image_attribute(image, image->file, "fps", SP_F64, 1, &frame->fps);
    sp_h5_image_attribute(image, image->file, "voxel", SP_F64, 1, &frame->voxel);
    sp_h5_image_attribute(image, image->file, "origin", SP_F64, 3, frame->origin);
    sp_h5_image_attribute(image, image->file, "hash", SP_U64, 1, &frame->hash);
}

/// Estimated bytes of a frame's file at full precision: its arrays, and 2048 bytes of HDF5 metadata
/// an object, several times the observed size.
static size_t room_for(const sp_frame *frame)
{
    enum { OBJECT = 2048, FILE_ITSELF = 1 << 15 };
    size_t bytes = FILE_ITSELF, objects = frame->body_count + frame->stat_count / 8;
    for (size_t i = 0; i < frame->set_count; ++i) {
        const sp_set *set = &frame->sets[i];
        objects += 1 + set->column_count;
        for (size_t c = 0; c < set->column_count; ++c)
            bytes += set->count * (size_t)set->columns[c].components *
                     sp_kind_size(set->columns[c].kind);
    }
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        const bool plane = field->layout == SP_FIELD_PLANE;
        const size_t samples = plane ? field->nu * field->nv : 512 * field->tile_count;
        objects += 3;
        bytes += samples * (size_t)field->components * sizeof *field->values;
        if (!plane) bytes += 3 * field->tile_count * sizeof *field->tiles;
    }
    return bytes + objects * OBJECT + SP_H5_STEP;
}

static void build(sp_h5_image *image, const sp_frame *frame)
{
    put_facts(image, frame);
    const hid_t points = sp_h5_image_group(image, image->file, "points");
    for (size_t i = 0; i < frame->set_count; ++i)
        put_set(image, points, &frame->sets[i]);
    const hid_t fields = sp_h5_image_group(image, image->file, "fields");
    for (size_t i = 0; i < frame->field_count; ++i)
        put_field(image, fields, &frame->fields[i]);
    const hid_t bodies = sp_h5_image_group(image, image->file, "bodies");
    for (size_t i = 0; i < frame->body_count; ++i)
        put_body(image, bodies, &frame->bodies[i]);
    const hid_t stats = sp_h5_image_group(image, image->file, "stats");
    for (size_t i = 0; i < frame->stat_count; ++i)
        sp_h5_image_attribute(image, stats, frame->stats[i].name, SP_F64, 1,
                              &frame->stats[i].value);
    H5Gclose(points);
    H5Gclose(fields);
    H5Gclose(bodies);
    H5Gclose(stats);
}

sp_status sp_frame_image_open(sp_h5_image *image, const sp_frame *frame, bool half,
                              const sp_host *host, sp_error *err)
{
    const sp_h5 h5 = sp_h5_begin();
    sp_h5_image_open(image, host, room_for(frame));
    image->half = half;
    build(image, frame);
    const sp_status st = sp_h5_image_flush(image, err);
    sp_h5_end(h5);
    if (st != SP_OK) {
        sp_h5_image_close(image);
        return st;
    }
    sp_seal seal = {.format = format_of(half),
                    .frame = frame->frame,
                    .time = frame->time,
                    .fps = frame->fps,
                    .hash = frame->hash};
    sp_seal_stamp(image->bytes, SP_FRAME_MAGIC, &seal, image->bytes + SP_SEAL,
                  image->count - SP_SEAL);
    return SP_OK;
}

sp_status sp_stored_write(const sp_stored *stored, const char *path, bool sync, size_t *count,
                          sp_error *err)
{
    sp_h5_image image;
    sp_status st = sp_frame_image_open(&image, &stored->frame, stored->half, stored->host, err);
    if (st != SP_OK) {
        sp_error_prefix(err, "%s: ", path);
        return st;
    }
    *count = image.count;
    st = sp_cache_file_write(path, &(sp_file_part){image.bytes, image.count}, 1, sync, err);
    sp_h5_image_close(&image);
    return st;
}

sp_status sp_frame_file_write(const char *path, const sp_frame *frame, bool sync,
                              const sp_host *host, sp_error *err)
{
    sp_stored stored;
    size_t count;
    sp_status st = sp_stored_open(&stored, frame, host, err);
    if (st != SP_OK) sp_error_prefix(err, "%s: ", path);
    if (st == SP_OK) st = sp_stored_write(&stored, path, sync, &count, err);
    sp_stored_close(&stored);
    return st;
}

void sp_cache_frame_path(const char *dir, uint64_t frame, char *path, size_t size)
{
    snprintf(path, size, "%s/frames/%06llu.h5", dir, (unsigned long long)frame);
}
