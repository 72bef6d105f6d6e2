// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_IMPORT_IMPORT_INTERNAL_H
#define SP_EXCHANGE_IMPORT_IMPORT_INTERNAL_H

#include "exchange/import.h"
#include "exchange/vdb/vdb_read.h"

#include <spume/mesh.h>

/// ---- Voxels numbered through all tiles ---------------------------------------------------------

static inline void import_voxel_index(const sp_tiles *tiles, size_t voxel, int32_t index[3])
{
    const uint32_t place = (uint32_t)(voxel % SP_TILE_VOXELS);
    const uint32_t within[3] = {place & 7, place >> 3 & 7, place >> 6};
    for (int a = 0; a < 3; ++a)
        index[a] = SP_TILE * tiles->at[voxel / SP_TILE_VOXELS][a] + (int32_t)within[a];
}

static inline void import_voxel_at(const sp_tiles *tiles, size_t voxel, double at[3])
{
    int32_t index[3];
    import_voxel_index(tiles, voxel, index);
    for (int a = 0; a < 3; ++a)
        at[a] = index[a];
}

/// ---- Sequences of files (frame_numbers.c) ------------------------------------------------------

typedef struct import_file {
    char *path;
    uint64_t frame;    ///< number in the file name
    uint32_t fraction; ///< of a frame, in ten thousandths
    uint64_t number;   ///< our number: frame and fraction, in samples
    size_t series;     ///< of files whose names differ in digits only (skip_files.c)
} import_file;

typedef struct import_sequence {
    const sp_host *host;
    import_file *files; ///< by time
    size_t count;
    uint64_t per_frame; ///< samples a frame
} import_sequence;

bool import_name_parse(const char *path, uint64_t *frame, uint32_t *fraction);
/// Lists the files of the wanted frames by time. Call import_sequence_close() also after a failure.
sp_status import_sequence_list(import_sequence *q, const char *const *paths, size_t count,
                               const sp_import_options *o, const sp_host *host, sp_error *err);
/// Numbers the samples. Refuses two files of one frame and gaps of more than max_gap frames.
sp_status import_sequence_number(import_sequence *q, uint64_t max_gap, sp_error *err);
void import_sequence_close(import_sequence *q);

/// ---- Choice of grids (choose_grids.c) ----------------------------------------------------------

enum { IMPORT_NONE = -1 };
/// Grids of one file, IMPORT_NONE where there is none.
typedef struct import_choice {
    int surface, points, velocity[3], pressure;
    int solids; ///< Blender's obstacles
    int parts;  ///< grids of velocity: 0, 1 or 3
} import_choice;

/// Decides style and names from the grids of a file.
sp_status import_plan_make(sp_import_plan *plan, const sp_vdb_file *file, const char *path,
                           const sp_import_options *o, sp_error *err);
/// Finds the plan's grids in a file.
sp_status import_choose(const sp_import_plan *plan, const sp_vdb_file *file, const char *path,
                        import_choice *choice, sp_error *err);
/// Lists the unused grids, as "spray (points), density (fog)"; "" when there are none.
void import_list_ignored(const sp_vdb_file *file, const import_choice *chosen, char *text,
                         size_t size);

/// Leaves out the files without water beside others with water, and logs them (skip_files.c).
void import_skip_files(sp_import *im);

/// ---- Affine maps and grids as tiles (grid_to_tiles.c) ------------------------------------------

typedef struct import_map {
    double m[3][4];
} import_map;
void import_map_apply(const import_map *map, const double x[3], double y[3]);
import_map import_map_after(const import_map *second, const import_map *first);
/// From the file's world to ours: scale and up axis.
import_map import_map_ours(const sp_import_plan *plan);

/// A grid as tiles. Scalars are at whole numbers of its index space.
typedef struct import_grid {
    const sp_host *host;
    sp_vdb_grid_info info;
    sp_tiles tiles; ///< in index space: voxels of 1
    int components;
    float *values[3];
    sp_tile_mask *active;
    float background;
    import_map to_ours, from_ours;
} import_grid;
/// `shift` is added to indices before the grid's transform: 1/2 for programs that put whole numbers
/// at the corners of cells.
sp_status import_grid_open(import_grid *grid, sp_vdb_file *file, int index, double shift,
                           const sp_import_plan *plan, const sp_host *host, sp_error *err);
void import_grid_close(import_grid *grid); ///< may be zeroed

/// The eight values around a point in index space. Weights below 1e-6 are 0, so that points which
/// are grid points up to rounding take their values unchanged.
#define IMPORT_NOWHERE SIZE_MAX
typedef struct import_stencil {
    size_t at[8]; ///< IMPORT_NOWHERE: no weight, or no tile
    double weight[8];
} import_stencil;
void import_grid_find(const import_grid *grid, const double at[3], uint32_t *hint,
                      import_stencil *stencil);
/// The voxel nearest to a position of ours; IMPORT_NOWHERE: no tile.
size_t import_grid_nearest(const import_grid *grid, const double p[3], uint32_t *hint);
/// Whether a voxel holds data: compressed caches have inactive zeros where data was dropped.
bool import_grid_has(const import_grid *grid, size_t voxel);

/// Blender's time unit is 0.4 s; units per second.
#define SP_IMPORT_UNITS 2.5

/// ---- Lattices, surface and velocity (grid_to_surface.c, points_to_surface.c, grid_to_velocity.c) ---

/// Position of our voxels.
typedef struct import_lattice {
    double voxel, origin[3];
    bool own; ///< same voxels as the surface grid
} import_lattice;
import_lattice import_lattice_of(const import_grid *surface);

/// State of reading a sequence, beyond its plan.
typedef struct import_findings {
    bool judging;           ///< the first read: keeps air tiles and decides open questions
    bool flip;              ///< the surface's sign is inverted
    bool open;              ///< a mesh with holes was reported
    double low[3], high[3]; ///< m; box of the active voxels of all surfaces, or of points
} import_findings;

/// Fills water->tiles, phi, band, voxel and origin. Keeps tiles that are all air if `all` is true.
sp_status import_surface_read(sp_import_water *water, const import_grid *grid,
                              const sp_import_plan *plan, bool flip, bool all, sp_error *err);
/// Replaces the tiles and keeps the distances of those that stay; others get the band.
sp_status import_retile(sp_import_water *water, const int32_t (*at)[3], size_t count,
                        sp_error *err);
/// Removes tiles of air that are farther than the band from water.
sp_status import_drop_air(sp_import_water *water, sp_error *err);
/// `velocity` distinguishes deep water, which has no points, from air; NULL: nothing is filled in.
sp_status import_points_read(sp_import_water *water, sp_vdb_file *file, int index,
                             const sp_import_plan *plan, const import_grid *velocity,
                             sp_error *err);
/// Fills water behind a shell of points (fill_deep_water.c). phi is not a distance afterwards.
sp_status import_deep_fill(sp_import_water *water, const import_grid *velocity, sp_error *err);
/// Removes water from the outermost cells of Blender's domain, which are walls, if the file tells
/// the domain's size.
void import_cut_at_walls(sp_import_water *water, const import_grid *velocity);
/// Fills water->u and known from one grid of vectors or three of numbers. All other fields of the
/// water must be set.
sp_status import_velocity_read(sp_import_water *water, const import_grid *grids, int count,
                               const sp_import_plan *plan, sp_error *err);
/// Samples a grid at our cells, times a factor; `outside` is the value where it has no tile.
sp_status import_numbers_read(const sp_import_water *water, const import_grid *grid, double factor,
                              double outside, float **out, sp_error *err);
sp_status import_no_memory(sp_error *err, size_t tiles);
/// Allocates water->u and known, zeroed, and masks of the faces that have data. The caller frees
/// them, on failure too.
sp_status import_velocity_memory(sp_import_water *water, sp_tile_mask *known[3], sp_error *err);
void import_measure_speed(sp_import_water *water); ///< sets water->speed, the largest

/// ---- Meshes (mesh_to_water.c, mesh_files.c) ----------------------------------------------------

bool import_is_mesh(const import_sequence *files);
/// Makes the plan of a sequence of meshes. Reads all of them, so that errors are reported before
/// anything is written.
sp_status import_mesh_plan(sp_import *im, sp_error *err);
/// A file's mesh in our conventions: metres, y up, faces outward, relative to its origin; with
/// velocity unless the plan has none.
sp_status import_mesh_load(const sp_import *im, const import_file *file, sp_mesh *mesh,
                           sp_error *err);
/// Fills water->tiles, phi, band, voxel, u and known.
sp_status import_mesh_read(sp_import *im, const import_file *file, sp_import_water *water,
                           sp_error *err);

/// ---- Checks and inferences (infer_conventions.c) -----------------------------------------------

/// Median of |divergence| * voxel / |u| deep inside, for vectors at centres and on low faces; both
/// 0 when there is no data.
typedef struct import_divergence {
    double centers, faces;
    size_t count;
} import_divergence;
sp_status import_judge_divergence(const import_grid *velocity, const sp_import_water *water,
                                  import_divergence *out, sp_error *err);
/// Whether inside and outside are swapped, judged by where the velocity is not zero.
bool import_judge_sign(const sp_import_water *water, const import_grid *surface,
                       const import_grid *velocity);
/// Centre and mean velocity of the water.
typedef struct import_motion {
    double volume, center[3], velocity[3];
} import_motion;
import_motion import_measure_motion(const sp_import_water *water);
/// Refuses a velocity unit that contradicts the motion of the water between two samples.
sp_status import_judge_unit(const sp_import_plan *plan, const sp_import_options *o,
                            const sp_import_water *a, const sp_import_water *b, sp_error *err);
/// Warns when the water moves at least twice or at most half as fast as its velocity: the number of
/// frames per second may be wrong.
void import_judge_pace(const sp_import_plan *plan, const sp_import_water *a,
                       const sp_import_water *b, const sp_host *host);
void import_judge_band(const sp_import_water *water, const sp_host *host);

/// ---- The sequence (import_sequence.c) ----------------------------------------------------------

/// Sets frames per second and the number of samples in the plan.
sp_status import_plan_pace(sp_import *im, double fps, sp_error *err);

/// A sample as a frame. The fields of the frame point into the water it was made of.
typedef struct import_frame {
    sp_frame frame;
    sp_field fields[3];
    sp_stat stats[2];
    float *vectors;       ///< velocity with a voxel's components together
    int32_t (*moving)[3]; ///< tiles whose velocity is known
} import_frame;

struct sp_import {
    const sp_host *host;
    sp_import_options options;
    import_sequence files;
    sp_import_plan plan;
    import_findings found;
    sp_import_water water;  ///< the sample read last,
    import_frame published; ///< and its frame
};
/// Frees the sample read last and its frame.
void import_frame_forget(sp_import *import);

#endif
