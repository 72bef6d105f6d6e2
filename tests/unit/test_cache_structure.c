// SPDX-License-Identifier: Apache-2.0
// links: cache frame core
/// Files with a valid seal and an invalid structure: each fault is found, and the error names its
/// path in the file.
#include "test_cache_bend.h"
#include "test_cache_drift.h"
#include "testing.h"

static unsigned char path_number(const char *path)
{
    for (unsigned char i = 0; i < BEND_PATHS; ++i)
        if (strcmp(bend_paths[i], path) == 0) return i;
    fail_msg("no such path: %s", path);
    return 0;
}

typedef struct row {
    bend_op op;
    const char *path;
    unsigned char arg;
    const char *named; ///< must be in the error text; NULL: the path itself
} row;

static sp_status read_bent_at(const row *r, bool half, sp_error *err)
{
    drift d;
    const sp_frame frame = drift_frame(&d, 5);
    sp_h5_image good;
    unsigned char *bent;
    size_t bent_count;
    const unsigned char recipe[3] = {(unsigned char)r->op, path_number(r->path), r->arg};
    assert_ok(sp_frame_image_open(&good, &frame, half, HOST, ERR));
    bent = bend_frame(good.bytes, good.count, recipe, r->op == BEND_OPS ? 0 : 3, HOST, &bent_count);
    assert_non_null(bent);
    sp_frame_file *file;
    const sp_status st = sp_frame_file_parse("x.h5", bent, bent_count, HOST, &file, err);
    assert_int_equal(file != NULL, st == SP_OK);
    sp_frame_file_close(file);
    sp_h5_image_close(&good);
    sp_release(HOST, bent);
    return st;
}

/// At both precisions, which must agree.
static sp_status read_bent(const row *r, sp_error *err)
{
    sp_error full = {0};
    const sp_status st = read_bent_at(r, false, &full);
    assert_int_equal(read_bent_at(r, true, err), st);
    if (st != SP_OK) assert_string_equal(err->text, full.text);
    return st;
}

/// A frame that is opened and sealed again stays valid, so the refusals below are caused by the
/// fault.
static void unmodified_frame_is_read(void **state)
{
    (void)state;
    assert_ok(read_bent(&(row){BEND_OPS, "/", 0, NULL}, ERR));
}

/// The number of open HDF5 objects of the kinds that closing a file does not close.
static hsize_t open_things(void)
{
    static const H5I_type_t kinds[] = {H5I_FILE,    H5I_GROUP, H5I_DATATYPE,   H5I_DATASPACE,
                                       H5I_DATASET, H5I_ATTR,  H5I_GENPROP_LST};
    hsize_t all = 0;
    const sp_h5 h5 = sp_h5_begin(); // suppresses the error for a kind never used
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        hsize_t n = 0;
        H5Inmembers(kinds[i], &n);
        all += n;
    }
    sp_h5_end(h5);
    return all;
}

static void every_structural_fault_is_named(void **state)
{
    (void)state;
    static const row rows[] = {
        {BEND_DELETE, "/points", 0, NULL},
        {BEND_DELETE, "/points/foam/position", 0, NULL},
        {BEND_DELETE, "/points/foam/id", 0, NULL},
        {BEND_DELETE, "/fields", 0, NULL},
        {BEND_DELETE, "/fields/height/values", 0, NULL},
        {BEND_DELETE, "/fields/surface/coordinates", 0, NULL},
        {BEND_DELETE, "/bodies/rock/pose", 0, NULL},
        {BEND_DELETE, "/stats", 0, NULL},
        {BEND_RENAME, "/points/foam/id", 0, "/points/foam/id"},
        {BEND_RENAME, "/points/foam/radius", 1, "/points/foam"},
        {BEND_RENAME, "/points/foam", 2, "/points"},
        {BEND_RENAME, "/points/foam", 3, "/points"},
        {BEND_TYPE, "/points/foam/position", 0, NULL}, // f64
        {BEND_TYPE, "/points/foam/radius", 1, NULL},   // i16
        {BEND_TYPE, "/points/foam/radius", 2, NULL},   // big-endian
        {BEND_TYPE, "/points/foam/radius", 4, NULL},   // text
        {BEND_TYPE, "/points/foam/radius", 5, NULL},   // variable length
        {BEND_TYPE, "/points/foam/radius", 6, NULL},   // compound
        {BEND_TYPE, "/points/foam/id", 7, NULL},
        {BEND_TYPE, "/fields/height/values", 0, NULL},
        {BEND_TYPE, "/fields/surface/coordinates", 3, NULL},
        {BEND_TYPE, "/bodies/rock/pose", 2, NULL},
        {BEND_RANK, "/points/foam/position", 0, NULL},
        {BEND_RANK, "/points/foam/position", 1, NULL},
        {BEND_RANK, "/points/foam/radius", 2, NULL},
        {BEND_RANK, "/points/foam/radius", 3, NULL},
        {BEND_RANK, "/points/foam/radius", 6, NULL},
        {BEND_RANK, "/fields/height/values", 2, NULL},
        {BEND_LONGER, "/points/foam/radius", 0, NULL},
        {BEND_LONGER, "/fields/surface/values", 0, "/fields/surface/coordinates"},
        {BEND_LONGER, "/bodies/rock/pose", 0, NULL},
        {BEND_HUGE, "/points/foam/position", 0, NULL},
        {BEND_HUGE, "/points/foam/position", 40, NULL},
        {BEND_HUGE, "/fields/height/values", 20, NULL},
        {BEND_CHUNKED, "/points/foam/radius", 0, NULL},
        {BEND_CHUNKED, "/points/foam/radius", 1, NULL},
        {BEND_EXTERNAL, "/points/foam/radius", 0, NULL},
        {BEND_SOFT, "/points/foam/radius", 0, NULL},
        {BEND_SOFT, "/points/foam", 1, NULL},
        {BEND_OTHER_FILE, "/points/foam/radius", 0, NULL},
        {BEND_OTHER_FILE, "/points", 0, NULL},
        {BEND_GROUP, "/points/foam/radius", 0, NULL},
        {BEND_GROUP, "/points/foam", 0, NULL},
        {BEND_CYCLE, "/points/foam", 0, NULL},
        {BEND_CYCLE, "/points", 0, NULL},
        {BEND_CROWD, "/points", 0, NULL},
        {BEND_CROWD, "/points/foam", 0, NULL},
        {BEND_ORDER, "/points/foam/id", 0, NULL},
        {BEND_NO_ATTRIBUTE, "/", 0, "/@format"},
        {BEND_NO_ATTRIBUTE, "/", 6, "/@voxel"},
        {BEND_NO_ATTRIBUTE, "/fields/height", 0, "/fields/height@corner"},
        {BEND_NO_ATTRIBUTE, "/fields/height", 3, "/fields/height@layout"},
        {BEND_ATTRIBUTE, "/", 2, "/@frame"},
        {BEND_ATTRIBUTE, "/fields/height", 0, "/fields/height@corner"},
        {BEND_ATTRIBUTE, "/stats", 1, "/stats@steps"},
    };
    const hsize_t before = open_things();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const char *named = rows[i].named ? rows[i].named : rows[i].path;
        const sp_status st = read_bent(&rows[i], ERR);
        if (st != SP_DAMAGED || !strstr(ERR->text, named) || strncmp(ERR->text, "x.h5: ", 6) != 0)
            fail_msg("row %zu (%s): status %d, \"%s\"", i, rows[i].path, (int)st, ERR->text);
    }
    assert_int_equal(open_things(), before); // every object was closed after the fault
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unmodified_frame_is_read),
        cmocka_unit_test(every_structural_fault_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
