// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_H
#define SP_EXCHANGE_H

/// Frames for other programs: PLY and VTK XML. Knows frames and no solver; allocates nothing.
///
/// A particle set becomes DIR/<set>.<frame, six digits>.ply or .vtp; the plane field `height`
/// becomes the water's surface, DIR/height.<frame>.ply (triangles) or .vts, and carries the other
/// plane fields that share its samples. Positions are in the world (origin added) and double,
/// because a float far from the world's zero would tear small bubbles apart. Each file is written
/// under a temporary name and renamed when whole; an older one of that name is replaced.

#include "frame/frame.h"

/// What attributes are called. Names not listed stay as they are in the frame.
typedef enum sp_export_names {
    SP_NAMES_PLAIN,   ///< velocity, and the radius twice: `radius` and `pscale`
    SP_NAMES_HOUDINI, ///< P, v, pscale; velocity of a field is vel
    SP_NAMES_BLENDER, ///< radius, velocity, density (for bubble_fraction)
} sp_export_names;

/// A zeroed struct is fine; so is NULL.
typedef struct sp_export_options {
    sp_export_names names;
    bool ascii; ///< text instead of little-endian binary (PLY and VTK): larger, slower, readable
} sp_export_options;

/// "plain", "houdini" or "blender"; false for any other word.
bool sp_export_names_from(const char *word, sp_export_names *names);

/// One .ply a particle set, and one for the surface. PLY has no vectors and no 64-bit integers: a
/// vector is three properties (velocity_x, velocity_y, velocity_z), and a 64-bit `id` is two 32-bit
/// ones, `id` (the low half, which alone is enough for the first four thousand million) and
/// `id_high`; a double would lose ids beyond 2^53. The directory must exist.
sp_status sp_export_ply(const char *dir, const sp_frame *frame, const sp_export_options *options,
                        sp_error *err);
/// One .vtp a particle set (each point a vertex cell), and a .vts for the surface; ids are UInt64.
sp_status sp_export_vtk(const char *dir, const sp_frame *frame, const sp_export_options *options,
                        sp_error *err);

typedef struct sp_export_moment {
    uint64_t frame;
    double time; ///< s
} sp_export_moment;
/// One DIR/<name>.pvd for each set of `frame` and for its surface: the list that ParaView opens as
/// a time series. `frame` is any frame of the run; the moments are those exported with
/// sp_export_vtk.
sp_status sp_export_vtk_series(const char *dir, const sp_frame *frame,
                               const sp_export_moment *moments, size_t count, sp_error *err);

#endif
