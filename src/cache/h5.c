// SPDX-License-Identifier: Apache-2.0
/// A small layer over HDF5 for frames: a global lock, error printing switched off, and files built
/// in memory so that equal contents give equal bytes.
#include "cache/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

// HDF5 as Debian builds it is not thread-safe, and its error printer is global to the process. So
// this lock is the only global state.
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

sp_h5 sp_h5_begin(void)
{
    sp_h5 h5 = {0};
    pthread_mutex_lock(&one_at_a_time);
    H5Eget_auto2(H5E_DEFAULT, &h5.print, &h5.print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return h5;
}

void sp_h5_end(sp_h5 h5)
{
    H5Eset_auto2(H5E_DEFAULT, h5.print, h5.print_data);
    pthread_mutex_unlock(&one_at_a_time);
}

hid_t sp_h5_type(sp_kind kind)
{
    switch (kind) {
    case SP_F32:
        return H5T_IEEE_F32LE;
    case SP_F64:
        return H5T_IEEE_F64LE;
    case SP_I32:
        return H5T_STD_I32LE;
    case SP_U32:
        return H5T_STD_U32LE;
    case SP_U64:
        return H5T_STD_U64LE;
    }
    return H5I_INVALID_HID;
}

hid_t sp_h5_half_type(void)
{
    const hid_t type = H5Tcopy(H5T_IEEE_F32LE); // HDF5 names no 16-bit float before 1.14.4
    if (H5Tset_fields(type, 15, 10, 5, 0, 10) < 0 || H5Tset_size(type, 2) < 0 ||
        H5Tset_ebias(type, 15) < 0) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/// Records a failed call and returns the id.
static hid_t watch(sp_h5_image *image, hid_t id)
{
    if (id < 0) image->ok = false;
    return id;
}

/// ---- The memory of an image --------------------------------------------------------------------

/// Gives HDF5 our memory, which it grows in steps of 64 kB. With its own memory the file would have
/// to be copied.
static void *resize(void *memory, size_t size, H5FD_file_image_op_t op, void *user)
{
    (void)memory;
    (void)op;
    sp_h5_image *image = user;
    if (size <= image->room) return image->bytes;
    const size_t room = size + size / 2;
    void *grown = image->bytes;
    if (!sp_regrow(image->host, &grown, image->room, room, 1)) return NULL;
    image->bytes = grown;
    image->room = room;
    return image->bytes;
}
static void *provide(size_t size, H5FD_file_image_op_t op, void *user)
{
    return resize(NULL, size, op, user);
}
static herr_t keep(void *memory, H5FD_file_image_op_t op, void *user)
{
    (void)memory;
    (void)op;
    (void)user; // the memory has another owner
    return 0;
}
static void *same_user(void *user)
{
    return user;
}
static herr_t keep_user(void *user)
{
    (void)user;
    return 0;
}

/// Properties of a file in memory, at image->bytes.
static hid_t access_props(sp_h5_image *image)
{
    H5FD_file_image_callbacks_t ours = {.image_malloc = provide,
                                        .image_realloc = resize,
                                        .image_free = keep,
                                        .udata_copy = same_user,
                                        .udata_free = keep_user,
                                        .udata = image};
    const hid_t access = watch(image, H5Pcreate(H5P_FILE_ACCESS));
    watch(image, H5Pset_fapl_core(access, SP_H5_STEP, 0));
    watch(image, H5Pset_file_image_callbacks(access, &ours));
    watch(image, H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
    // The oldest superblock is required: for newer ones, HDF5 1.10 clears a flag in the image
    // without updating the checksum, and the result cannot be opened.
    watch(image, H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
    return access;
}

/// ---- Reading bytes -----------------------------------------------------------------------------

/// By default HDF5 copies an image twice. These callbacks give it our bytes, which it only reads.
static void *lend(size_t size, H5FD_file_image_op_t op, void *bytes)
{
    (void)size;
    (void)op;
    return bytes;
}
static void *lend_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t op,
                       void *bytes)
{
    (void)size;
    (void)op;
    (void)bytes;
    SP_ASSERT(to == from);
    return to;
}

hid_t sp_h5_open_bytes(unsigned char *bytes, size_t count)
{
    H5FD_file_image_callbacks_t lending = {.image_malloc = lend,
                                           .image_memcpy = lend_copy,
                                           .image_free = keep,
                                           .udata_copy = same_user,
                                           .udata_free = keep_user,
                                           .udata = bytes};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    if (H5Pset_fapl_core(access, SP_H5_STEP, 0) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_file_image_callbacks(access, &lending) >= 0 &&
        H5Pset_file_image(access, bytes, count) >= 0)
        file = H5Fopen("frame in memory", H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

/// ---- Building an image -------------------------------------------------------------------------

void sp_h5_image_open(sp_h5_image *image, const sp_host *host, size_t room)
{
    const unsigned ordered = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    *image = (sp_h5_image){.host = host, .room = room};
    image->bytes = sp_allocate(host, room, 1);
    image->ok = image->bytes != NULL;
    const hid_t create = watch(image, H5Pcreate(H5P_FILE_CREATE));
    const hid_t access = access_props(image);
    image->group_props = watch(image, H5Pcreate(H5P_GROUP_CREATE));
    image->data_props = watch(image, H5Pcreate(H5P_DATASET_CREATE));
    watch(image, H5Pset_userblock(create, SP_SEAL));
    watch(image, H5Pset_obj_track_times(create, 0));
    watch(image, H5Pset_link_creation_order(create, ordered));
    watch(image, H5Pset_obj_track_times(image->group_props, 0));
    watch(image, H5Pset_link_creation_order(image->group_props, ordered));
    watch(image, H5Pset_attr_creation_order(image->group_props, ordered));
    watch(image, H5Pset_obj_track_times(image->data_props, 0));
    watch(image, H5Pset_fill_time(image->data_props, H5D_FILL_TIME_NEVER));
    image->file = H5I_INVALID_HID;
    // HDF5 treats two files in memory with the same name as one file, so the name must be unique
    // while this one is open.
    char name[64];
    snprintf(name, sizeof name, "image at %p", (void *)image);
    if (image->ok) image->file = watch(image, H5Fcreate(name, H5F_ACC_TRUNC, create, access));
    H5Pclose(create);
    H5Pclose(access);
}

hid_t sp_h5_image_group(sp_h5_image *image, hid_t parent, const char *name)
{
    if (!image->ok) return H5I_INVALID_HID;
    return watch(image, H5Gcreate2(parent, name, H5P_DEFAULT, image->group_props, H5P_DEFAULT));
}

static size_t count_values(int rank, const hsize_t *dims)
{
    size_t values = 1;
    for (int i = 0; i < rank; ++i)
        values *= (size_t)dims[i];
    return values;
}

static void put_array(sp_h5_image *image, hid_t parent, const char *name, hid_t type, int rank,
                      const hsize_t *dims, const void *data)
{
    const hid_t space = watch(image, H5Screate_simple(rank, dims, NULL));
    const hid_t set = watch(
        image, H5Dcreate2(parent, name, type, space, H5P_DEFAULT, image->data_props, H5P_DEFAULT));
    if (image->ok && count_values(rank, dims) > 0)
        watch(image, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    H5Dclose(set);
    H5Sclose(space);
}

void sp_h5_image_array(sp_h5_image *image, hid_t parent, const char *name, sp_kind kind, int rank,
                       const hsize_t *dims, const void *data)
{
    if (image->ok) put_array(image, parent, name, sp_h5_type(kind), rank, dims, data);
}

void sp_h5_image_floats(sp_h5_image *image, hid_t parent, const char *name, int rank,
                        const hsize_t *dims, const float *data)
{
    const size_t values = count_values(rank, dims);
    if (!image->half || !sp_halves_fit(values, data)) {
        sp_h5_image_array(image, parent, name, SP_F32, rank, dims, data);
        return;
    }
    uint16_t *halves = sp_allocate(image->host, values, sizeof *halves);
    image->ok = image->ok && halves;
    if (!image->ok) {
        sp_release(image->host, halves);
        return;
    }
    sp_halves_of_floats(image->host, values, data, halves);
    const hid_t type = watch(image, sp_h5_half_type());
    put_array(image, parent, name, type, rank, dims, halves);
    H5Tclose(type);
    sp_release(image->host, halves);
}

void sp_h5_image_attribute(sp_h5_image *image, hid_t object, const char *name, sp_kind kind,
                           size_t n, const void *data)
{
    if (!image->ok) return;
    const hsize_t dims = n;
    const hid_t type = sp_h5_type(kind);
    const hid_t space =
        watch(image, n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dims, NULL));
    const hid_t attribute =
        watch(image, H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (image->ok) watch(image, H5Awrite(attribute, type, data));
    H5Aclose(attribute);
    H5Sclose(space);
}

sp_status sp_h5_image_flush(sp_h5_image *image, sp_error *err)
{
    if (!image->bytes)
        return sp_fail(err, SP_NO_MEMORY, "no memory for a file of %zu bytes", image->room);
    if (image->ok) watch(image, H5Fflush(image->file, H5F_SCOPE_GLOBAL));
    // The size excludes the user block, although addresses inside the file include it.
    const ssize_t size = image->ok ? H5Fget_file_image(image->file, NULL, 0) : -1;
    if (size <= 0) return sp_fail(err, SP_NO_MEMORY, "HDF5 could not build the file in memory");
    image->count = SP_SEAL + (size_t)size;
    SP_ASSERT(image->count <= image->room);
    // Clear "open for writing", four bytes in version 0 of the superblock: readers would believe
    // it.
    enum { CONSISTENCY_FLAGS = 20 };
    memset(image->bytes + SP_SEAL + CONSISTENCY_FLAGS, 0, 4);
    return SP_OK;
}

void sp_h5_image_close(sp_h5_image *image)
{
    const sp_h5 h5 = sp_h5_begin();
    if (image->file >= 0) H5Fclose(image->file);
    H5Pclose(image->group_props);
    H5Pclose(image->data_props);
    sp_h5_end(h5);
    sp_release(image->host, image->bytes);
    *image = (sp_h5_image){0};
}
