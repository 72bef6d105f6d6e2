// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_VDB_VDB_WRITE_H
#define SP_EXCHANGE_VDB_VDB_WRITE_H

/// OpenVDB behind a C face. OpenVDB speaks C++ and throws; nothing of that passes this header:
/// every function catches what comes, frees what it made, and returns a status with one sentence.
///
/// An sp_vdb is a list of grids on its way to a file. Functions that add a grid make one out of
/// what a frame holds; sp_vdb_write puts all of them into one file. vdb_read.h is the other way.

#include <spume/frame.h>
#include <spume/mesh.h>
#include <spume/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_vdb sp_vdb;

/// Where voxels lie: the centre of voxel (i, j, k) is at origin + (i+1/2, j+1/2, k+1/2)*voxel.
/// OpenVDB puts whole index coordinates at centres, so its transform carries the half voxel.
typedef struct sp_vdb_lattice {
    double voxel;     ///< m
    double origin[3]; ///< m
} sp_vdb_lattice;

/// What a grid of numbers means to the program that reads it.
typedef enum sp_vdb_class {
    SP_VDB_UNKNOWN,   ///< every voxel of every tile is active; 0 elsewhere
    SP_VDB_FOG,       ///< an amount that is 0 outside: voxels are active where it is not 0
    SP_VDB_LEVEL_SET, ///< signed distance, clamped to +-band: active where it is nearer than that
} sp_vdb_class;

/// An empty list. `threads` is the most that OpenVDB may use; 0: as many as it likes. On failure
/// *out is NULL.
sp_status sp_vdb_open(int threads, sp_vdb **out, sp_error *err);
void sp_vdb_close(sp_vdb *vdb); ///< NULL is welcome

/// Facts about the file: its metadata.
sp_status sp_vdb_note_text(sp_vdb *vdb, const char *key, const char *text, sp_error *err);
sp_status sp_vdb_note_number(sp_vdb *vdb, const char *key, double number, sp_error *err);

/// A tile field of one component (a grid of floats) or three (of vectors, at centres or on low
/// faces, turned and stretched with the grid like a velocity). Tiles become leaves: theirs are z fastest.
/// The background of a level set is its largest distance, so tiles that are missing are outside.
sp_status sp_vdb_add_field(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_field *field,
                           const char *name, sp_vdb_class what, sp_error *err);
/// A particle set as points, all columns with it; column `c` is called names[c]. Positions are kept
/// as floats within a voxel, so they lose nothing far from the world's zero.
sp_status sp_vdb_add_points(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_set *set,
                            const char *const *names, const char *name, sp_error *err);
/// A particle set as a fog: the share of each voxel that its spheres fill. Every sphere's volume is
/// spread over the voxels it covers (over the eight nearest when it is smaller than a voxel) with
/// weights that sum to one, in the set's order, so the whole holds the spheres' volume up to
/// rounding and never depends on threads. Where spheres overlap it is more than 1.
sp_status sp_vdb_add_fog(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_set *set,
                         const char *name, sp_error *err);
/// A closed mesh as a level set, `band` voxels wide on both sides.
sp_status sp_vdb_add_mesh(sp_vdb *vdb, const sp_vdb_lattice *lattice, const sp_mesh *mesh,
                          float band, const char *name, sp_error *err);

/// Writes the whole list to `path`. On failure what is there is not to be used.
sp_status sp_vdb_write(const sp_vdb *vdb, const char *path, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
