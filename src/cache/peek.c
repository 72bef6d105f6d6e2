// SPDX-License-Identifier: Apache-2.0
/// Reads the bounds of a field's tiles in a frame file, without the field.
#include "cache/internal.h"

#include <stdio.h>

static bool read_doubles(hid_t file, const char *name, size_t n, double *out)
{
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    const hid_t space = H5Aget_space(attribute);
    const bool good = H5Sget_simple_extent_npoints(space) == (hssize_t)n &&
                      H5Aread(attribute, H5T_NATIVE_DOUBLE, out) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return good;
}

/// SP_DAMAGED when it is not a list of tiles or is longer than the file.
static sp_status read_tiles(hid_t set, uint64_t file_bytes, const sp_host *host,
                            sp_frame_peek *peek)
{
    hsize_t dims[2];
    const hid_t space = H5Dget_space(set);
    const bool fits = H5Sget_simple_extent_ndims(space) == 2 &&
                      H5Sget_simple_extent_dims(space, dims, NULL) == 2 && dims[1] == 3 &&
                      dims[0] <= file_bytes / 12;
    H5Sclose(space);
    if (!fits) return SP_DAMAGED;
    int32_t(*at)[3] = sp_allocate(host, (size_t)dims[0], sizeof *at);
    if (!at) return SP_NO_MEMORY;
    const bool good =
        dims[0] == 0 || H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, at) >= 0;
    if (good) {
        peek->tiles = (size_t)dims[0];
        sp_tiles_bounds((const int32_t(*)[3])at, peek->tiles, peek->low, peek->high);
    }
    sp_release(host, at);
    return good ? SP_OK : SP_DAMAGED;
}

sp_status sp_frame_peek_at(const char *path, const char *field, const sp_host *host,
                           sp_frame_peek *peek, sp_error *err)
{
    char name[160];
    *peek = (sp_frame_peek){0};
    snprintf(name, sizeof name, "/fields/%.100s/coordinates", field);
    const sp_h5 h5 = sp_h5_begin();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool good = file >= 0 && read_doubles(file, "voxel", 1, &peek->voxel) &&
                      read_doubles(file, "origin", 3, peek->origin);
    const hid_t set = good ? H5Dopen2(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    const sp_status status =
        set >= 0 ? read_tiles(set, sp_cache_file_size(path), host, peek) : SP_DAMAGED;
    if (set >= 0) H5Dclose(set);
    if (file >= 0) H5Fclose(file);
    sp_h5_end(h5);
    if (status == SP_NO_MEMORY) return sp_fail(err, status, "%s: no memory for its tiles", path);
    return status == SP_OK ? SP_OK
                           : sp_fail(err, SP_DAMAGED, "%s: has no tiles of %s", path, field);
}
