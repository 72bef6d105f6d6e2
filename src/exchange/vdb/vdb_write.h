// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_VDB_VDB_WRITE_H
#define SP_EXCHANGE_VDB_VDB_WRITE_H

/// Writes OpenVDB files through a C interface. OpenVDB is C++ and throws: every function here
/// catches all exceptions, frees what it made, and returns a status with a message.
///
/// An sp_vdb is a list of grids. Functions add a grid made from a frame's data; sp_vdb_write()
/// writes them all into one file. vdb_read.h reads.

#include <spume/frame.h>
#include <spume/mesh.h>
#include <spume/status.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(                                                                       \
    hidden) // no names for programs; C++ files are compiled with visible ones
#endif

typedef struct sp_vdb sp_vdb;

/// Position of voxels: the centre of voxel (i, j, k) is at origin + (i+1/2, j+1/2, k+1/2)*voxel.
/// OpenVDB puts whole index coordinates at centres, so its transform contains the half voxel.
typedef struct sp_vdb_lattice {
    double voxel;     ///< m
    double origin[3]; ///< m
} sp_vdb_lattice;

/// The meaning of a grid for the program that reads it.
typedef enum sp_vdb_class {
    SP_VDB_UNKNOWN,   ///< every voxel of every tile is active; 0 elsewhere
    SP_VDB_FOG,       ///< an amount; voxels are active where it is not 0
    SP_VDB_LEVEL_SET, ///< signed distance, clamped to +-band; active where it is below the band
} sp_vdb_class;

/// An empty list. `threads` limits OpenVDB's threads; 0: no limit. On failure *out is NULL.
sp_status sp_vdb_open(int threads, sp_vdb **out, sp_error *err);
void sp_vdb_close(sp_vdb *vdb); ///< NULL is allowed

/// Metadata of the file.
sp_status sp_vdb_note_text(sp_vdb *vdb, const char *key, const char *text, sp_error *err);
sp_status sp_vdb_note_number(sp_vdb *vdb, const char *key, double number, sp_error *err);

/// A tile field of one component (a grid of floats) or three (of vectors, at centres or on low
/// faces, transformed with the grid like a velocity). Tiles become leaves. The background of a
/// level set is its largest distance, so missing tiles are outside.
sp_status sp_vdb_add_field(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_field *field,
                           const char *name, sp_vdb_class what, sp_error *err);
/// A particle set as points with all columns; column `c` is named names[c]. Positions are floats
/// within a voxel, so they lose no precision far from the world's origin.
sp_status sp_vdb_add_points(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_set *set,
                            const char *const *names, const char *name, sp_error *err);
/// A closed mesh as a level set, `band` voxels wide on both sides.
sp_status sp_vdb_add_mesh(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_mesh *mesh,
                          float band, const char *name, sp_error *err);

/// Writes the list to `path`. After a failure the file there is unusable.
sp_status sp_vdb_write(const sp_vdb *vdb, const char *path, sp_error *err);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
