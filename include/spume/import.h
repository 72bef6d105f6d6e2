// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_IMPORT_H
#define SPUME_IMPORT_H

#include <spume/api.h>
#include <spume/frame.h>
#include <spume/host.h>
#include <spume/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Imports water: a sequence of OpenVDB files with a surface and a velocity, or of meshes (.bobj,
/// .ply) with a velocity at their vertices, converted to our conventions (metres, seconds, y up,
/// velocity on low faces). docs/bulk.md lists the conventions that are understood; for others the
/// error lists what was found.

/// The conventions of the program that wrote the files.
typedef enum sp_import_style {
    SP_IMPORT_AUTO,    ///< found from the grids
    SP_IMPORT_HOUDINI, ///< surface, vel or vel.x vel.y vel.z; metres, m/s, y up
    SP_IMPORT_BLENDER, ///< phi or points, velocity; cells, cells per unit of 0.4 s, z up
    SP_IMPORT_PLAIN,   ///< common names; metres, m/s, y up
    SP_IMPORT_FLIP,    ///< meshes of the FLIP Fluids add-on (.bobj): metres, m/s, z up
} sp_import_style;

typedef enum sp_import_unit {
    SP_IMPORT_UNIT_AUTO,  ///< that of the style
    SP_IMPORT_UNIT_METER, ///< m/s (world units a second, times the scale)
    SP_IMPORT_UNIT_CELL,  ///< cells per unit of 0.4 s
} sp_import_unit;

typedef enum sp_import_up { SP_IMPORT_UP_AUTO, SP_IMPORT_UP_Y, SP_IMPORT_UP_Z } sp_import_up;

/// Start from sp_import_defaults(). Texts must live until sp_import_open() returns.
typedef struct sp_import_options {
    size_t struct_size; ///< as in sp_host
    sp_import_style style;
    const char *surface;  ///< a grid's name; NULL: found by style
    const char *velocity; ///< a grid's name, the stem of three (vel for vel.x, vel.y, vel.z), or
                          ///< "none"; NULL: found
    sp_import_unit unit;
    sp_import_up up;
    double scale;         ///< metres in one unit of the files; 1
    double voxel;         ///< m, for meshes; 0: from the files
    double fps;           ///< 0: from the files, else 24
    uint64_t max_gap;     ///< frames that may be missing in a row; 3
    uint64_t first, last; ///< frames outside are ignored; 0 and UINT64_MAX
    bool fog;             ///< a grid of densities may be the surface
    int threads;          ///< for OpenVDB; 0: no limit
} sp_import_options;
SP_API sp_import_options sp_import_defaults(void);

/// An opened sequence.
typedef struct sp_import sp_import;

/// Sorts the files by the frame in their names, checks for gaps, and decides how all files are
/// read. Decisions and warnings go to the host's log. On failure *out is NULL.
SP_API sp_status sp_import_open(const char *const *paths, size_t count,
                                const sp_import_options *options, const sp_host *host,
                                sp_import **out, sp_error *err);
SP_API void sp_import_close(sp_import *import); ///< NULL is allowed

/// How the files are read.
typedef struct sp_import_plan {
    sp_import_style style; ///< never SP_IMPORT_AUTO
    char surface[80];      ///< name of the grid; "" if the surface is built from points
    char points[80];       ///< name of the points; "" if there is a surface
    char velocity[3][80];  ///< a grid, or three; "" in the first: none
    bool staggered;        ///< one grid of vectors on low faces
    bool cells;            ///< velocity is in cells per unit
    bool mesh;             ///< the files are meshes: the names of grids are ""
    bool z_up, fog;
    double scale, fps;  ///< fps counts samples, sub-frames included
    uint64_t per_frame; ///< samples per frame of the files; 1 without sub-frames
    double voxel;       ///< m, of the first frame
    size_t count;       ///< samples
} sp_import_plan;
SP_API const sp_import_plan *sp_import_get_plan(const sp_import *import);
/// A one-line description of the plan for users.
SP_API void sp_import_describe(const sp_import *import, char *text, size_t size);
/// Number and file of sample k; its time is number / plan.fps seconds. UINT64_MAX and NULL past the last one.
SP_API uint64_t sp_import_number(const sp_import *import, size_t k);
SP_API const char *sp_import_path(const sp_import *import, size_t k);
/// Reads sample k and hands it out as a frame: `surface`, `velocity` (staggered; without tiles whose velocity is
/// not known) and, where the files have it, `pressure`. The frame belongs to the import (frame.h says how long it
/// lives). On failure err names the file.
SP_API sp_status sp_import_read(sp_import *import, size_t k, const sp_frame **frame, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
