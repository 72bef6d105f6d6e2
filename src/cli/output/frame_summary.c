// SPDX-License-Identifier: Apache-2.0
/// Summary of a frame: counts, ranges and medians, as text and as JSON.
#include "cli/output/frame_summary.h"

#include "cli/cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Statistics of one component of an array.
typedef struct figures {
    double min, mean, median, max;
    size_t not_finite; ///< excluded from the others
} figures;

static double value_at(sp_kind kind, const void *data, size_t i)
{
    switch (kind) {
    case SP_F32:
        return (double)((const float *)data)[i];
    case SP_F64:
        return ((const double *)data)[i];
    case SP_I32:
        return ((const int32_t *)data)[i];
    case SP_U32:
        return ((const uint32_t *)data)[i];
    case SP_U64:
        return (double)((const uint64_t *)data)[i];
    }
    return (double)NAN;
}

/// The k-th smallest value; partitions x around it.
static double nth(double *x, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        while (true) {
            while (x[i] < pivot)
                ++i;
            while (x[j] > pivot)
                --j;
            if (i >= j) break;
            const double swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return x[k];
}

/// The mean of the two middle values if the count is even. NaN without memory or values.
static double median_of(sp_kind kind, const void *data, size_t count, int components, int component)
{
    double *x = malloc((count ? count : 1) * sizeof *x), median = (double)NAN;
    size_t n = 0;
    for (size_t i = 0; x && i < count; ++i) {
        x[n] = value_at(kind, data, i * (size_t)components + (size_t)component);
        n += isfinite(x[n]);
    }
    if (x && n > 0) {
        median = nth(x, n, n / 2);
        if (n % 2 == 0) median = 0.5 * (median + nth(x, n, n / 2 - 1));
    }
    free(x);
    return median;
}

/// Positions are stored relative to the frame's origin and are shown in world coordinates.
static const double *origin_of(const sp_frame *frame, const sp_column *column)
{
    return strcmp(column->name, "position") == 0 && column->components == 3 ? frame->origin : NULL;
}

/// `from` (may be NULL) is added to each component, for positions.
static figures measure(sp_kind kind, const void *data, size_t count, int components, int component,
                       const double *from)
{
    const double shift = from ? from[component] : 0.0;
    figures f = {.min = (double)INFINITY, .max = -(double)INFINITY};
    for (size_t i = 0; i < count; ++i) {
        const double x = value_at(kind, data, i * (size_t)components + (size_t)component);
        if (!isfinite(x)) {
            ++f.not_finite;
            continue;
        }
        f.min = x < f.min ? x : f.min;
        f.max = x > f.max ? x : f.max;
        f.mean += x;
    }
    f.mean = f.mean / (double)(count - f.not_finite) + shift;
    f.median = median_of(kind, data, count, components, component) + shift;
    f.min += shift;
    f.max += shift;
    return f;
}

static void array_text(FILE *out, const char *name, sp_kind kind, const void *data, size_t count,
                       int components, const double *from)
{
    for (int c = 0; c < components && count; ++c) {
        char full[64];
        const figures f = measure(kind, data, count, components, c, from);
        snprintf(full, sizeof full, components > 1 ? "%s.%c" : "%s", name, "xyzw"[c % 4]);
        fprintf(out, "    %-16s %14.6g %14.6g %14.6g %14.6g", full, f.min, f.mean, f.median, f.max);
        if (f.not_finite) fprintf(out, "  %zu not finite", f.not_finite);
        fputc('\n', out);
    }
}

static size_t field_samples(const sp_field *field)
{
    return field->layout == SP_FIELD_PLANE ? field->nu * field->nv : field->tile_count * 512;
}

void cli_frame_text(FILE *out, const sp_frame *frame)
{
    fprintf(out, "frame %" PRIu64 ", t = %.6g s, state hash %016" PRIx64 "\n", frame->frame,
            frame->time, frame->hash);
    fprintf(out, "    %-16s %14s %14s %14s %14s\n", "", "min", "mean", "median", "max");
    for (size_t i = 0; i < frame->set_count; ++i) {
        const sp_set *set = &frame->sets[i];
        fprintf(out, "  %s: %zu particles\n", set->name, set->count);
        for (size_t c = 0; c < set->column_count; ++c)
            array_text(out, set->columns[c].name, set->columns[c].kind, set->columns[c].data,
                       set->count, set->columns[c].components, origin_of(frame, &set->columns[c]));
    }
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        if (field->layout == SP_FIELD_PLANE)
            fprintf(out, "  %s: %zu x %zu samples\n", field->name, field->nu, field->nv);
        else
            fprintf(out, "  %s: %zu tiles%s\n", field->name, field->tile_count,
                    field->staggered ? ", on faces" : "");
        array_text(out, field->name, SP_F32, field->values, field_samples(field), field->components,
                   NULL);
    }
    for (size_t i = 0; i < frame->body_count; ++i)
        fprintf(out, "  body %s at %.6g %.6g %.6g\n", frame->bodies[i].name,
                frame->bodies[i].position[0], frame->bodies[i].position[1],
                frame->bodies[i].position[2]);
    for (size_t i = 0; i < frame->stat_count; ++i)
        fprintf(out, "  %-18s %.16g\n", frame->stats[i].name, frame->stats[i].value);
}

static void array_json(sp_text *out, sp_kind kind, const void *data, size_t count, int components,
                       const double *from)
{
    static const char *const names[] = {"min", "mean", "median", "max"};
    sp_text_add(out, "{");
    for (int what = 0; what < 4; ++what) {
        sp_text_format(out, "%s\"%s\":[", what ? "," : "", names[what]);
        for (int c = 0; c < components; ++c) {
            const figures f = measure(kind, data, count, components, c, from);
            const double values[] = {f.min, f.mean, f.median, f.max};
            if (c) sp_text_add(out, ",");
            sp_text_number(out, values[what], 9);
        }
        sp_text_add(out, "]");
    }
    sp_text_add(out, "}");
}

static void set_json(sp_text *out, const sp_frame *frame, const sp_set *set)
{
    sp_text_quote(out, set->name);
    sp_text_format(out, ":{\"count\":%zu,\"columns\":{", set->count);
    for (size_t c = 0; c < set->column_count; ++c) {
        const sp_column *column = &set->columns[c];
        if (c) sp_text_add(out, ",");
        sp_text_quote(out, column->name);
        sp_text_add(out, ":");
        array_json(out, column->kind, column->data, set->count, column->components,
                   origin_of(frame, column));
    }
    sp_text_add(out, "}}");
}

static void field_json(sp_text *out, const sp_field *field)
{
    sp_text_quote(out, field->name);
    sp_text_format(out, ":{\"samples\":%zu,%s\"values\":", field_samples(field),
                   field->staggered ? "\"staggered\":true," : "");
    array_json(out, SP_F32, field->values, field_samples(field), field->components, NULL);
    sp_text_add(out, "}");
}

void cli_frame_json(sp_text *out, const sp_frame *frame)
{
    sp_text_format(out,
                   "{\"frame\":%" PRIu64 ",\"time\":%.9g,\"hash\":\"%016" PRIx64 "\",\"sets\":{",
                   frame->frame, frame->time, frame->hash);
    for (size_t i = 0; i < frame->set_count; ++i) {
        if (i) sp_text_add(out, ",");
        set_json(out, frame, &frame->sets[i]);
    }
    sp_text_add(out, "},\"fields\":{");
    for (size_t i = 0; i < frame->field_count; ++i) {
        if (i) sp_text_add(out, ",");
        field_json(out, &frame->fields[i]);
    }
    sp_text_add(out, "},\"stats\":{");
    for (size_t i = 0; i < frame->stat_count; ++i) {
        if (i) sp_text_add(out, ",");
        sp_text_quote(out, frame->stats[i].name);
        sp_text_add(out, ":");
        sp_text_number(out, frame->stats[i].value, 9);
    }
    sp_text_add(out, "}}");
}
