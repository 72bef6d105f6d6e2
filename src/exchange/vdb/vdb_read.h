// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_VDB_VDB_READ_H
#define SP_EXCHANGE_VDB_VDB_READ_H

/// Reads OpenVDB files of other programs through a C interface. A file is opened to list its grids;
/// grids are then loaded one by one, so that a grid of unknown type does not affect the others.
/// Nothing throws; a file that ends early or is damaged gives a status and a message.

#include "exchange/vdb/vdb_write.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(                                                                       \
    hidden) // no names for programs; C++ files are compiled with visible ones
#endif

/// Type of a grid's values.
typedef enum sp_vdb_kind {
    SP_VDB_OTHER,   ///< a type that is not supported
    SP_VDB_NUMBERS, ///< float or double
    SP_VDB_VECTORS, ///< three of them
    SP_VDB_POINTS,
} sp_vdb_kind;

/// A grid as its header describes it. Where whole indices lie depends on the program that wrote it:
/// at voxel centres by OpenVDB's convention, but not always.
typedef struct sp_vdb_grid_info {
    char name[80];
    char type[64]; ///< OpenVDB's type name, such as "Tree_float_5_4_3"
    sp_vdb_kind kind;
    sp_vdb_class what;
    bool staggered;          ///< component c lies half an index below the voxel's position along c
    bool local;              ///< vectors are in the grid's own space and rotate with its transform
    bool linear;             ///< false: the transform is not a matrix, as for camera frustums
    double to_world[3][4];   ///< index to world; valid when linear
    bool bounded;            ///< low and high are known
    int32_t low[3], high[3]; ///< first and last index
    int32_t base[3];         ///< cells of the whole domain, as Blender stores it; 0: unknown
} sp_vdb_grid_info;

typedef struct sp_vdb_file sp_vdb_file;
/// SP_IO: the file cannot be opened. SP_DAMAGED: it is not an OpenVDB file or ends early. On
/// failure *out is NULL. All sizes in the file are checked before OpenVDB reads it, and a grid is
/// loaded only if `host` would grant the memory for it (else SP_NO_MEMORY).
sp_status sp_vdb_file_open(const char *path, int threads, const sp_host *host, sp_vdb_file **out,
                           sp_error *err);
void sp_vdb_file_close(sp_vdb_file *file); ///< NULL is allowed
size_t sp_vdb_file_count(const sp_vdb_file *file);
const sp_vdb_grid_info *sp_vdb_file_look(const sp_vdb_file *file, size_t grid);
/// A number of the file's metadata; false if there is none of that name.
bool sp_vdb_file_number(const sp_vdb_file *file, const char *key, double *number);

/// ---- Volumes: tiles of 8 x 8 x 8, x fastest, as everywhere else here ---------------------------

/// A loaded grid of numbers or vectors. Constant regions are split into tiles when they are active
/// or differ from the background, such as the inside of a level set.
typedef struct sp_vdb_volume sp_vdb_volume;
sp_status sp_vdb_volume_open(sp_vdb_file *file, size_t grid, sp_vdb_volume **out, sp_error *err);
void sp_vdb_volume_close(sp_vdb_volume *volume); ///< NULL is allowed
size_t sp_vdb_volume_tiles(const sp_vdb_volume *volume);
float sp_vdb_volume_background(const sp_vdb_volume *volume); ///< of its first component
/// Tile coordinates in the file's order, 3 for each tile.
void sp_vdb_volume_at(const sp_vdb_volume *volume, int32_t (*at)[3]);
/// Copies tile k to slot[k] of the arrays: 512 values for each component, and a bit for each active
/// voxel (bit i + 8j of word k). `active` may be NULL.
void sp_vdb_volume_fill(const sp_vdb_volume *volume, const uint32_t *slot, float *const values[3],
                        uint64_t (*active)[8]);

/// ---- Points ------------------------------------------------------------------------------------

typedef struct sp_vdb_cloud sp_vdb_cloud;
sp_status sp_vdb_cloud_open(sp_vdb_file *file, size_t grid, sp_vdb_cloud **out, sp_error *err);
void sp_vdb_cloud_close(sp_vdb_cloud *cloud); ///< NULL is allowed
size_t sp_vdb_cloud_count(const sp_vdb_cloud *cloud);
/// Positions in index space.
sp_status sp_vdb_cloud_fill(const sp_vdb_cloud *cloud, double (*position)[3], sp_error *err);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
