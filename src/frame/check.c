// SPDX-License-Identifier: Apache-2.0
/// Checks a frame once, before it leaves its solver, for all that its readers rely on.
#include "frame/frame.h"

#include <string.h>

bool sp_frame_name_ok(const char *name)
{
    if (!name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
    size_t n = 0;
    for (; name[n] != '\0'; ++n)
        if ((unsigned char)name[n] < 0x20 || name[n] == 0x7f || name[n] == '/' || n >= 100)
            return false;
    return n > 0;
}

/// `names` points to the first of `count` name pointers, `stride` bytes apart.
static sp_status check_names(const char *group, const void *names, size_t count, size_t stride,
                             sp_error *err)
{
    for (size_t i = 0; i < count; ++i) {
        const char *name, *other;
        memcpy(&name, (const char *)names + i * stride, sizeof name);
        if (!sp_frame_name_ok(name))
            return sp_fail(err, SP_BAD_INPUT,
                           "%s: a member is called \"%.120s\"; expected 1 to 100 characters "
                           "without slashes",
                           group, name ? name : "");
        for (size_t j = 0; j < i; ++j) { // names are few, so pairs are few
            memcpy(&other, (const char *)names + j * stride, sizeof other);
            if (strcmp(name, other) == 0)
                return sp_fail(err, SP_BAD_INPUT, "%s: two members are called \"%s\"", group, name);
        }
    }
    return SP_OK;
}

static sp_status check_set(const sp_set *set, sp_error *err)
{
    SP_TRY(check_names("/points", set->columns, set->column_count, sizeof *set->columns, err));
    for (size_t c = 0; c < set->column_count; ++c) {
        const sp_column *column = &set->columns[c];
        if (sp_kind_size(column->kind) == 0 || (column->components != 1 && column->components != 3))
            return sp_fail(err, SP_BAD_INPUT, "/points/%s/%s: has kind %d with %d components",
                           set->name, column->name, (int)column->kind, column->components);
    }
    const sp_column *position = sp_set_column(set, "position"), *id = sp_set_column(set, "id");
    if (!position || position->kind != SP_F32 || position->components != 3)
        return sp_fail(err, SP_BAD_INPUT, "/points/%s/position: is missing or no f32 x 3",
                       set->name);
    if (!id || id->kind != SP_U64 || id->components != 1)
        return sp_fail(err, SP_BAD_INPUT, "/points/%s/id: is missing or no u64", set->name);
    const uint64_t *ids = id->data;
    for (size_t i = 1; i < set->count; ++i)
        if (ids[i] <= ids[i - 1])
            return sp_fail(err, SP_BAD_INPUT, "/points/%s/id: is not ascending: %llu follows %llu",
                           set->name, (unsigned long long)ids[i], (unsigned long long)ids[i - 1]);
    return SP_OK;
}

sp_status sp_frame_check(const sp_frame *frame, sp_error *err)
{
    SP_TRY(check_names("/points", frame->sets, frame->set_count, sizeof *frame->sets, err));
    SP_TRY(check_names("/fields", frame->fields, frame->field_count, sizeof *frame->fields, err));
    SP_TRY(check_names("/bodies", frame->bodies, frame->body_count, sizeof *frame->bodies, err));
    SP_TRY(check_names("/stats", frame->stats, frame->stat_count, sizeof *frame->stats, err));
    for (size_t i = 0; i < frame->set_count; ++i)
        SP_TRY(check_set(&frame->sets[i], err));
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        if (field->layout != SP_FIELD_PLANE && field->layout != SP_FIELD_TILES)
            return sp_fail(err, SP_BAD_INPUT, "/fields/%s: has layout %d", field->name,
                           (int)field->layout);
        if (field->components < 1 || field->components > 16)
            return sp_fail(err, SP_BAD_INPUT, "/fields/%s: has %d components", field->name,
                           field->components);
        if (field->staggered && (field->layout != SP_FIELD_TILES || field->components != 3))
            return sp_fail(err, SP_BAD_INPUT,
                           "/fields/%s: is staggered; only tiles of 3 components can be",
                           field->name);
    }
    return SP_OK;
}

/// Index of the first value whose exponent is all ones (infinite or NaN), or n. Whole blocks are
/// tested without a branch inside, so that a valid array takes one vectorised pass.
static size_t first_bad_f32(const float *x, size_t n)
{
    enum { BLOCK = 4096 };
    for (size_t from = 0; from < n; from += BLOCK) {
        const size_t to = n - from < BLOCK ? n : from + BLOCK;
        uint32_t bad = 0;
        for (size_t i = from; i < to; ++i) {
            uint32_t bits;
            memcpy(&bits, &x[i], sizeof bits);
            bad |= (bits & 0x7f800000u) == 0x7f800000u;
        }
        for (size_t i = from; bad && i < to; ++i)
            if (!isfinite(x[i])) return i;
    }
    return n;
}

static size_t first_bad_f64(const double *x, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!isfinite(x[i])) return i;
    return n;
}

static sp_status check_column_finite(const sp_frame *frame, const sp_set *set,
                                     const sp_column *column, sp_error *err)
{
    const size_t n = set->count * (size_t)column->components;
    const size_t bad = column->kind == SP_F32   ? first_bad_f32(column->data, n)
                       : column->kind == SP_F64 ? first_bad_f64(column->data, n)
                                                : n;
    if (bad == n) return SP_OK;
    const uint64_t *ids = sp_set_column(set, "id")->data;
    return sp_fail(err, SP_DIVERGED, "frame %llu: %s %llu has a %s that is not finite",
                   (unsigned long long)frame->frame, set->name,
                   (unsigned long long)ids[bad / (size_t)column->components], column->name);
}

sp_status sp_frame_check_finite(const sp_frame *frame, sp_error *err)
{
    if (!isfinite(frame->time))
        return sp_fail(err, SP_DIVERGED, "frame %llu: its time is not finite",
                       (unsigned long long)frame->frame);
    for (size_t i = 0; i < frame->set_count; ++i)
        for (size_t c = 0; c < frame->sets[i].column_count; ++c)
            SP_TRY(check_column_finite(frame, &frame->sets[i], &frame->sets[i].columns[c], err));
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        const size_t samples =
            field->layout == SP_FIELD_PLANE ? field->nu * field->nv : field->tile_count * 512;
        const size_t n = samples * (size_t)field->components;
        const size_t bad = first_bad_f32(field->values, n);
        if (bad < n)
            return sp_fail(err, SP_DIVERGED, "frame %llu: field %s is not finite at sample %zu",
                           (unsigned long long)frame->frame, field->name,
                           bad / (size_t)field->components);
    }
    return SP_OK;
}
