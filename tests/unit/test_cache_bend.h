// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_CACHE_BEND_H
#define SP_TEST_CACHE_BEND_H

/// Makes frames with a valid seal and an invalid structure: opens a valid frame in memory, changes
/// one object through HDF5, and seals the result again. Unit tests and the fuzzer use it.
#include "cache/internal.h"

#include <stdio.h>
#include <string.h>

typedef enum bend_op {
    BEND_DELETE,       ///< the object is deleted
    BEND_RENAME,       ///< it gets another name, selected by `arg`
    BEND_TYPE,         ///< an array of the same shape and another type
    BEND_RANK,         ///< an array of 0 (scalar) to 6 extents
    BEND_LONGER,       ///< `arg` + 1 rows more
    BEND_HUGE,         ///< 2^20 to 2^60 rows, never written
    BEND_CHUNKED,      ///< in chunks, with a filter when `arg` is odd
    BEND_EXTERNAL,     ///< its bytes are in another file
    BEND_SOFT,         ///< a soft link to another object
    BEND_OTHER_FILE,   ///< a link into another file
    BEND_GROUP,        ///< replaced by a group
    BEND_CYCLE,        ///< replaced by a hard link to the root
    BEND_CROWD,        ///< a group with 1500 members more
    BEND_ORDER,        ///< an array's values reversed, byte by byte
    BEND_NO_ATTRIBUTE, ///< its `arg`-th attribute is deleted
    BEND_ATTRIBUTE,    ///< its `arg`-th attribute has another type or length
    BEND_OPS
} bend_op;

static const char *const bend_paths[] = {"/points",
                                         "/points/foam",
                                         "/points/foam/position",
                                         "/points/foam/radius",
                                         "/points/foam/id",
                                         "/fields",
                                         "/fields/height",
                                         "/fields/height/values",
                                         "/fields/surface",
                                         "/fields/surface/values",
                                         "/fields/surface/coordinates",
                                         "/bodies",
                                         "/bodies/rock",
                                         "/bodies/rock/pose",
                                         "/stats",
                                         "/"};
enum { BEND_PATHS = sizeof bend_paths / sizeof *bend_paths };

static inline hid_t bend_type(unsigned arg)
{
    switch (arg % 8) {
    case 0:
        return H5Tcopy(H5T_IEEE_F64LE);
    case 1:
        return H5Tcopy(H5T_STD_I16LE);
    case 2:
        return H5Tcopy(H5T_IEEE_F32BE);
    case 3:
        return H5Tcopy(H5T_STD_U64LE);
    case 4:
        return H5Tcopy(H5T_C_S1);
    case 5:
        return H5Tvlen_create(H5T_IEEE_F32LE);
    case 6: {
        const hid_t compound = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(compound, "a", 0, H5T_IEEE_F32LE);
        H5Tinsert(compound, "b", 4, H5T_IEEE_F32LE);
        return compound;
    }
    default:
        return H5Tcopy(H5T_STD_I32LE);
    }
}

/// Shape and type of the array at a path; one f32 when there is no array.
static inline int bend_shape(hid_t file, const char *path, hsize_t dims[8], hid_t *type)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    dims[0] = 1;
    if (set < 0) {
        *type = H5Tcopy(H5T_IEEE_F32LE);
        return 1;
    }
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    *type = H5Dget_type(set);
    H5Sclose(space);
    H5Dclose(set);
    return rank;
}

/// Replaces an object by an array, either of zeros or never written.
static inline void bend_replace(hid_t file, const char *path, hid_t type, int rank,
                                const hsize_t *dims, hid_t props, bool written)
{
    H5Ldelete(file, path, H5P_DEFAULT);
    const hid_t space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, props, H5P_DEFAULT);
    hsize_t bytes = H5Tget_size(type);
    for (int i = 0; i < rank; ++i)
        bytes *= dims[i];
    void *zeros = written && bytes < 1 << 20 ? calloc(1, (size_t)bytes + 1) : NULL;
    if (set >= 0 && zeros && H5Tget_class(type) != H5T_VLEN)
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
    free(zeros);
    H5Dclose(set);
    H5Sclose(space);
}

static inline void bend_array(hid_t file, bend_op op, const char *path, unsigned arg)
{
    hsize_t dims[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    hid_t type;
    const hid_t props = H5Pcreate(H5P_DATASET_CREATE);
    int rank = bend_shape(file, path, dims, &type);
    bool written = true;
    if (op == BEND_TYPE) {
        H5Tclose(type);
        type = bend_type(arg);
    } else if (op == BEND_RANK) {
        rank = (int)(arg % 7);
    } else if (op == BEND_LONGER) {
        dims[0] += 1 + arg % 1000;
    } else if (op == BEND_HUGE) {
        dims[0] = (hsize_t)1 << (20 + arg % 41);
        written = false;
    } else if (op == BEND_CHUNKED) {
        H5Pset_chunk(props, rank, dims);
        if (arg % 2) H5Pset_fletcher32(props);
    } else if (op == BEND_EXTERNAL) {
        H5Pset_external(props, "/dev/zero", 0, H5F_UNLIMITED);
        written = false;
    }
    bend_replace(file, path, type, rank, dims, props, written);
    H5Tclose(type);
    H5Pclose(props);
}

static inline void bend_order(hid_t file, const char *path)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const size_t bytes = (size_t)H5Dget_storage_size(set);
    // Skip an array that an earlier change left without storage, or with that of a device.
    const bool plain = bytes < (size_t)1 << 26 &&
                       (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type) == bytes;
    unsigned char *values = plain ? malloc(bytes + 1) : NULL;
    if (values && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
        for (size_t i = 0; i < bytes / 2; ++i) {
            const unsigned char kept = values[i];
            values[i] = values[bytes - 1 - i];
            values[bytes - 1 - i] = kept;
        }
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    free(values);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

static inline void bend_attribute(hid_t file, bend_op op, const char *path, unsigned arg)
{
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    H5O_info_t info = {0};
    H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS);
    char name[128];
    if (info.num_attrs > 0 &&
        H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, arg % info.num_attrs, name,
                           sizeof name, H5P_DEFAULT) > 0) {
        H5Adelete(object, name);
        const hsize_t dims = 1 + arg % 5;
        const hid_t type = arg % 3 ? bend_type(arg / 3) : H5Tcopy(H5T_IEEE_F64LE);
        const hid_t space = H5Screate_simple(1, &dims, NULL);
        if (op == BEND_ATTRIBUTE)
            H5Aclose(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
        H5Sclose(space);
        H5Tclose(type);
    }
    H5Oclose(object);
}

static inline void bend_crowd(hid_t file, const char *path)
{
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    for (int i = 0; group >= 0 && i < 1500; ++i) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        H5Lcreate_hard(file, "/stats", group, name, H5P_DEFAULT, H5P_DEFAULT);
    }
    H5Gclose(group);
}

static inline void bend_rename(hid_t file, const char *path, unsigned arg)
{
    char to[512];
    const size_t parent = (size_t)(strrchr(path, '/') - path) + 1;
    if (arg % 4 == 0)
        snprintf(to, sizeof to, "%.*sother", (int)parent, path);
    else if (arg % 4 == 1)
        snprintf(to, sizeof to, "%.*s\001", (int)parent, path);
    else // longer than the allowed maximum, by one or by many
        snprintf(to, sizeof to, "%.*s%0*d", (int)parent, path, arg % 4 == 2 ? 101 : 300, 1);
    H5Lmove(file, path, file, to, H5P_DEFAULT, H5P_DEFAULT);
}

static inline void bend_one(hid_t file, bend_op op, const char *path, unsigned arg)
{
    const bool root = strcmp(path, "/") == 0;
    if (root && op != BEND_CROWD && op != BEND_NO_ATTRIBUTE && op != BEND_ATTRIBUTE) return;
    switch (op) {
    case BEND_DELETE:
        H5Ldelete(file, path, H5P_DEFAULT);
        break;
    case BEND_RENAME:
        bend_rename(file, path, arg);
        break;
    case BEND_TYPE:
    case BEND_RANK:
    case BEND_LONGER:
    case BEND_HUGE:
    case BEND_CHUNKED:
    case BEND_EXTERNAL:
        bend_array(file, op, path, arg);
        break;
    case BEND_SOFT:
        H5Ldelete(file, path, H5P_DEFAULT);
        H5Lcreate_soft(arg % 2 ? path : "/points", file, path, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case BEND_OTHER_FILE:
        H5Ldelete(file, path, H5P_DEFAULT);
        H5Lcreate_external("other.h5", "/", file, path, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case BEND_GROUP:
        H5Ldelete(file, path, H5P_DEFAULT);
        H5Gclose(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        break;
    case BEND_CYCLE:
        H5Ldelete(file, path, H5P_DEFAULT);
        H5Lcreate_hard(file, "/", file, path, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case BEND_CROWD:
        bend_crowd(file, path);
        break;
    case BEND_ORDER:
        bend_order(file, path);
        break;
    case BEND_NO_ATTRIBUTE:
    case BEND_ATTRIBUTE:
        bend_attribute(file, op, path, arg);
        break;
    case BEND_OPS:
        break;
    }
}

/// A sealed frame with `count` changes: the recipe has three bytes for each (operation, path,
/// argument). NULL when HDF5 refuses a change. The caller releases it.
static inline unsigned char *bend_frame(const unsigned char *good, size_t good_count,
                                        const unsigned char *recipe, size_t count,
                                        const sp_host *host, size_t *bent_count)
{
    sp_seal seal;
    *bent_count = 0;
    if (sp_seal_check("good", SP_FRAME_MAGIC, SP_FRAME_FORMAT, good, good_count, &seal, NULL) !=
        SP_OK)
        return NULL;
    const sp_h5 h5 = sp_h5_begin();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    unsigned char *copy = malloc(good_count), *bent = NULL;
    if (copy) memcpy(copy, good, good_count);
    H5Pset_fapl_core(access, 1 << 16, 0);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    H5Pset_file_image(access, copy, good_count);
    const hid_t file = H5Fopen("bent frame", H5F_ACC_RDWR, access);
    for (size_t i = 0; i + 2 < count; i += 3)
        bend_one(file, (bend_op)(recipe[i] % BEND_OPS), bend_paths[recipe[i + 1] % BEND_PATHS],
                 recipe[i + 2]);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    const ssize_t size = H5Fget_file_image(file, NULL, 0);
    if (size > 0) bent = sp_allocate(host, SP_SEAL + (size_t)size, 1);
    if (bent && H5Fget_file_image(file, bent + SP_SEAL, (size_t)size) == size)
        sp_seal_stamp(bent, SP_FRAME_MAGIC, &seal, bent + SP_SEAL, (size_t)size);
    if (size > 0) *bent_count = SP_SEAL + (size_t)size;
    H5Fclose(file);
    H5Pclose(access);
    free(copy);
    sp_h5_end(h5);
    return bent;
}

#endif
