// SPDX-License-Identifier: Apache-2.0
/// Leaves out files without water. Blender stores spray, foam and bubbles as
/// fluid_particles_0012.vdb, with the frame numbers of the water's fluid_data_0012.vdb. Files whose
/// names differ in digits only are a series; its middle file decides for all of them.
#include "exchange/import/import_internal.h"

#include <ctype.h>
#include <string.h>

enum { MOST_SERIES = 16 }; // with more the names follow no rule, and no file is left out

static bool same_series(const char *a, const char *b)
{
    for (;; ++a, ++b) {
        while (isdigit((unsigned char)*a))
            ++a;
        while (isdigit((unsigned char)*b))
            ++b;
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

/// Sets the series of every file and counts the files of each. Returns the number of series, or 0
/// if there are too many.
static size_t find_series(import_sequence *q, size_t counts[MOST_SERIES])
{
    size_t n = 0, first[MOST_SERIES];
    for (size_t i = 0; i < q->count; ++i) {
        size_t s = 0;
        while (s < n && !same_series(q->files[i].path, q->files[first[s]].path))
            ++s;
        if (s == MOST_SERIES) return 0;
        if (s == n) {
            first[n++] = i;
            counts[s] = 0;
        }
        q->files[i].series = s;
        ++counts[s];
    }
    return n;
}

static const import_file *middle_file(const import_sequence *q, size_t series, size_t count)
{
    size_t before = (count - 1) / 2;
    for (const import_file *f = q->files;; ++f)
        if (f->series == series && before-- == 0) return f;
}

/// Whether a plan can be made from a file; `grids` lists what it has. A file that cannot be read
/// counts as water, so that reading it reports why.
static bool holds_water(const sp_import *im, const import_file *f, char *grids, size_t size)
{
    sp_vdb_file *file;
    sp_import_plan plan;
    sp_error why = {0};
    grids[0] = '\0';
    if (sp_vdb_file_open(f->path, im->options.threads, im->host, &file, &why) != SP_OK) return true;
    const sp_status status = import_plan_make(&plan, file, f->path, &im->options, &why);
    import_list_ignored(file, NULL, grids, size);
    sp_vdb_file_close(file);
    return status == SP_OK;
}

static void remove_series(import_sequence *q, size_t series)
{
    size_t n = 0;
    for (size_t i = 0; i < q->count; ++i) {
        if (q->files[i].series == series)
            sp_release(q->host, q->files[i].path);
        else
            q->files[n++] = q->files[i];
    }
    q->count = n;
}

void import_skip_files(sp_import *im)
{
    size_t counts[MOST_SERIES], wet = 0;
    const size_t n = find_series(&im->files, counts);
    bool water[MOST_SERIES];
    char grids[MOST_SERIES][200];
    if (n < 2) return;
    for (size_t s = 0; s < n; ++s)
        wet += water[s] =
            holds_water(im, middle_file(&im->files, s, counts[s]), grids[s], sizeof grids[s]);
    for (size_t s = 0; wet > 0 && s < n; ++s) {
        if (water[s]) continue;
        sp_log(im->host, SP_LOG_INFO,
               "skipped: %zu file%s without water, such as %s; grids found: %s", counts[s],
               counts[s] == 1 ? "" : "s", middle_file(&im->files, s, counts[s])->path, grids[s]);
        remove_series(&im->files, s);
    }
}
