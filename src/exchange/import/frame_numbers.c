// SPDX-License-Identifier: Apache-2.0
/// Finds a file's frame number in its name: water.0012.vdb, fluid_data_0012.vdb, water12.vdb;
/// water.0012.50.vdb is half a frame later.
#include "exchange/import/import_internal.h"

#include <ctype.h>
#include <string.h>

/// The start of the digits that end at `end` (exclusive).
static const char *digits_before(const char *begin, const char *end)
{
    while (end > begin && isdigit((unsigned char)end[-1]))
        --end;
    return end;
}

static bool read_number(const char *from, const char *to, uint64_t *number)
{
    *number = 0;
    for (; from < to; ++from) {
        if (*number > 99999999) return false;
        *number = 10 * *number + (uint64_t)(*from - '0');
    }
    return true;
}

/// A fraction of at most four digits, in units of 1/10000.
static bool read_fraction(const char *from, const char *to, uint32_t *fraction)
{
    uint32_t unit = 10000;
    *fraction = 0;
    if (to - from > 4) return false;
    for (; from < to; ++from)
        *fraction += (uint32_t)(*from - '0') * (unit /= 10);
    return true;
}

bool import_name_parse(const char *path, uint64_t *frame, uint32_t *fraction)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const char *end = dot && dot > name ? dot : name + strlen(name);
    *fraction = 0;
    const char *last = digits_before(name, end);
    while (last == end && end > name) // letters after the number: water_12_final
        last = digits_before(name, --end);
    if (last == end) return false;
    // .0012.50: a fraction is shorter than its frame, which has at least three digits
    if (last > name && last[-1] == '.') {
        const char *before = digits_before(name, last - 1);
        const ptrdiff_t length = last - 1 - before;
        if (length >= 3 && end - last < length && before > name &&
            !isalpha((unsigned char)before[-1]))
            return read_number(before, last - 1, frame) && read_fraction(last, end, fraction);
    }
    return read_number(last, end, frame);
}

static int by_time(const void *a, const void *b)
{
    const import_file *x = a, *y = b;
    if (x->frame != y->frame) return x->frame < y->frame ? -1 : 1;
    if (x->fraction != y->fraction) return x->fraction < y->fraction ? -1 : 1;
    return strcmp(x->path, y->path);
}

static sp_status add_file(import_sequence *q, const char *path, bool alone, uint64_t first,
                          uint64_t last, sp_error *err)
{
    import_file file = {0};
    if (!import_name_parse(path, &file.frame, &file.fraction) && !alone)
        return sp_fail(err, SP_BAD_INPUT, "%s has no frame number in its name", path);
    if (file.frame < first || file.frame > last) return SP_OK;
    file.path = sp_copy_text(q->host, path);
    if (!file.path) return sp_fail(err, SP_NO_MEMORY, "import: no memory for the list of files");
    q->files[q->count++] = file;
    return SP_OK;
}

/// Refuses gaps of more than max_gap frames and warns about smaller ones.
static sp_status check_gaps(const import_sequence *q, uint64_t max_gap, sp_error *err)
{
    for (size_t i = 1; i < q->count; ++i) {
        const uint64_t a = q->files[i - 1].frame, b = q->files[i].frame;
        if (b <= a + 1) continue;
        const uint64_t from = a + 1, to = b - 1, missing = to - from + 1;
        if (missing > max_gap && missing == 1)
            return sp_fail(
                err, SP_BAD_INPUT,
                "frame %llu is missing (1 > max_gap 0); give --max-gap 1 to bridge it or "
                "start at frame %llu",
                (unsigned long long)from, (unsigned long long)b);
        if (missing > max_gap)
            return sp_fail(err, SP_BAD_INPUT,
                           "frames %llu-%llu are missing (%llu > max_gap %llu); give --max-gap "
                           "%llu to bridge them or start at frame %llu",
                           (unsigned long long)from, (unsigned long long)to,
                           (unsigned long long)missing, (unsigned long long)max_gap,
                           (unsigned long long)missing, (unsigned long long)b);
        if (missing == 1)
            sp_log(q->host, SP_LOG_WARNING, "frame %llu is missing: bridged from %llu to %llu",
                   (unsigned long long)from, (unsigned long long)a, (unsigned long long)b);
        else
            sp_log(q->host, SP_LOG_WARNING,
                   "frames %llu-%llu are missing: bridged from %llu to %llu",
                   (unsigned long long)from, (unsigned long long)to, (unsigned long long)a,
                   (unsigned long long)b);
    }
    return SP_OK;
}

/// The smallest number of samples per frame that puts each sample on a whole number.
static uint64_t count_per_frame(const import_sequence *q)
{
    uint32_t step = 10000;
    for (size_t i = 0; i < q->count; ++i)
        for (uint32_t a = q->files[i].fraction; a;) { // greatest common divisor
            const uint32_t rest = step % a;
            step = a;
            a = rest;
        }
    return 10000 / step;
}

sp_status import_sequence_list(import_sequence *q, const char *const *paths, size_t count,
                               const sp_import_options *o, const sp_host *host, sp_error *err)
{
    *q = (import_sequence){.host = host};
    if (count == 0) return sp_fail(err, SP_BAD_INPUT, "import: no files were given");
    q->files = sp_allocate(host, count, sizeof *q->files);
    if (!q->files) return sp_fail(err, SP_NO_MEMORY, "import: no memory for %zu files", count);
    for (size_t i = 0; i < count; ++i)
        SP_TRY(add_file(q, paths[i], count == 1, o->first, o->last, err));
    if (q->count == 0)
        return sp_fail(err, SP_BAD_INPUT, "none of %zu files lies within frames %llu-%llu", count,
                       (unsigned long long)o->first, (unsigned long long)o->last);
    qsort(q->files, q->count, sizeof *q->files, by_time);
    return SP_OK;
}

sp_status import_sequence_number(import_sequence *q, uint64_t max_gap, sp_error *err)
{
    q->per_frame = count_per_frame(q);
    for (size_t i = 0; i < q->count; ++i) {
        const import_file *f = &q->files[i];
        q->files[i].number = f->frame * q->per_frame + f->fraction * q->per_frame / 10000;
        if (i > 0 && f->frame == f[-1].frame && f->fraction == f[-1].fraction)
            return sp_fail(err, SP_BAD_INPUT, "%s and %s both hold frame %llu", f[-1].path, f->path,
                           (unsigned long long)f->frame);
    }
    return check_gaps(q, max_gap, err);
}

void import_sequence_close(import_sequence *q)
{
    for (size_t i = 0; q->files && i < q->count; ++i)
        sp_release(q->host, q->files[i].path);
    if (q->host) sp_release(q->host, q->files);
    *q = (import_sequence){0};
}
