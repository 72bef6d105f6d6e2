// SPDX-License-Identifier: Apache-2.0
/// Look-up in frames: sets and fields by name, columns of a set, sizes of kinds.
#include "frame/frame.h"

#include <math.h>
#include <string.h>

size_t sp_kind_size(sp_kind kind)
{
    switch (kind) {
    case SP_F32:
    case SP_I32:
    case SP_U32:
        return 4;
    case SP_F64:
    case SP_U64:
        return 8;
    }
    return 0;
}

const sp_set *sp_frame_set(const sp_frame *frame, const char *name)
{
    for (size_t i = 0; i < frame->set_count; ++i)
        if (strcmp(frame->sets[i].name, name) == 0) return &frame->sets[i];
    return NULL;
}

const sp_field *sp_frame_field(const sp_frame *frame, const char *name)
{
    for (size_t i = 0; i < frame->field_count; ++i)
        if (strcmp(frame->fields[i].name, name) == 0) return &frame->fields[i];
    return NULL;
}

double sp_frame_stat(const sp_frame *frame, const char *name)
{
    for (size_t i = 0; i < frame->stat_count; ++i)
        if (strcmp(frame->stats[i].name, name) == 0) return frame->stats[i].value;
    return (double)NAN;
}

const sp_column *sp_set_column(const sp_set *set, const char *name)
{
    for (size_t i = 0; i < set->column_count; ++i)
        if (strcmp(set->columns[i].name, name) == 0) return &set->columns[i];
    return NULL;
}

const float *sp_set_floats(const sp_set *set, const char *name, int components)
{
    const sp_column *column = sp_set_column(set, name);
    return column && column->kind == SP_F32 && column->components == components ? column->data
                                                                                : NULL;
}

uint64_t sp_set_id(const sp_set *set, size_t index)
{
    const sp_column *id = sp_set_column(set, "id");
    return id && id->kind == SP_U64 ? ((const uint64_t *)id->data)[index] : index;
}
