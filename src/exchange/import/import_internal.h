// SPDX-License-Identifier: Apache-2.0
#ifndef SP_EXCHANGE_IMPORT_IMPORT_INTERNAL_H
#define SP_EXCHANGE_IMPORT_IMPORT_INTERNAL_H

#include "exchange/import.h"
#include "exchange/vdb/vdb_read.h"

#include <spume/mesh.h>

/// ---- Files in order (frame_numbers.c) ----------------------------------------------------------

typedef struct import_file {
    char *path;
    uint64_t frame;    ///< theirs
    uint32_t fraction; ///< of a frame, in ten thousandths
    uint64_t number;   ///< ours: frame and fraction in samples
} import_file;

typedef struct import_sequence {
    const sp_host *host;
    import_file *files; ///< by time
    size_t count;
    uint64_t per_frame; ///< samples a frame
} import_sequence;

bool import_name_parse(const char *path, uint64_t *frame, uint32_t *fraction);
/// Close it in either case.
sp_status import_sequence_open(import_sequence *q, const char *const *paths, size_t count,
                               const sp_import_options *o, const sp_host *host, sp_error *err);
void import_sequence_close(import_sequence *q);

/// ---- Which grids (choose_grids.c) --------------------------------------------------------------

enum { IMPORT_NONE = -1 };
/// Grids of one file, IMPORT_NONE where there is none.
typedef struct import_choice {
    int surface, points, velocity[3], pressure;
    int solids; ///< what Blender's water runs into
    int parts;  ///< grids of velocity: 0, 1 or 3
} import_choice;

/// Decides style and names by the grids of a file.
sp_status import_plan_make(sp_import_plan *plan, const sp_vdb_file *file, const char *path,
                           const sp_import_options *o, sp_error *err);
/// Finds the plan's grids in a file.
sp_status import_choose(const sp_import_plan *plan, const sp_vdb_file *file, const char *path,
                        import_choice *choice, sp_error *err);
/// The grids that are not, as "spray (points), density (fog)"; "" when there are none.
void import_list_ignored(const sp_vdb_file *file, const import_choice *chosen, char *text,
                         size_t size);

/// ---- Affine maps and grids as tiles (grid_to_tiles.c) ------------------------------------------

typedef struct import_map {
    double m[3][4];
} import_map;
void import_map_apply(const import_map *map, const double x[3], double y[3]);
import_map import_map_after(const import_map *second, const import_map *first);
bool import_map_invert(const import_map *map, import_map *back); ///< false: it is flat
/// Out of the file's world into ours: the scale, and up.
import_map import_map_ours(const sp_import_plan *plan);

/// A grid as tiles. Its index space has whole numbers where scalars sit.
typedef struct import_grid {
    const sp_host *host;
    sp_vdb_look look;
    sp_tiles tiles; ///< in index space: voxels of 1
    int components;
    float *values[3];
    sp_tile_mask *active;
    float background;
    import_map to_ours, from_ours;
} import_grid;
/// `shift` is added to indices before the grid's transform: one half for makers who put whole
/// numbers at the corners of cells.
sp_status import_grid_open(import_grid *grid, sp_vdb_file *file, int index, double shift,
                           const sp_import_plan *plan, const sp_host *host, sp_error *err);
void import_grid_close(import_grid *grid); ///< a zeroed one is welcome

/// The eight values around a place in index space. Weights below a millionth are 0, so that places
/// which are a grid's own up to rounding take its values unchanged.
#define IMPORT_NOWHERE SIZE_MAX
typedef struct import_stencil {
    size_t at[8]; ///< IMPORT_NOWHERE: no weight, or no tile
    double weight[8];
} import_stencil;
void import_grid_find(const import_grid *grid, const double at[3], uint32_t *hint,
                      import_stencil *stencil);
/// Whether a voxel holds data: compressed caches leave inactive zeros where they kept nothing.
bool import_grid_has(const import_grid *grid, size_t voxel);

/// Units of Blender's time in a second: one is 0.4 s.
#define SP_IMPORT_UNITS 2.5

/// ---- Lattices, surface and velocity (grid_to_surface.c, points_to_surface.c, grid_to_velocity.c) ---

/// Where our voxels lie.
typedef struct import_lattice {
    double voxel, origin[3];
    bool own; ///< they are the surface grid's own voxels
} import_lattice;
import_lattice import_lattice_of(const import_grid *surface);

/// How a sequence is read beyond its plan: what was found out on the way.
typedef struct import_findings {
    bool judging;           ///< a first look: nothing is left out, and open questions are settled
    bool flip;              ///< the surface's sign is turned around
    bool open;              ///< a mesh with holes was told about
    double low[3], high[3]; ///< m; around the active voxels of all surfaces, or points
} import_findings;

/// Fills water->tiles, phi, band, voxel and origin. Tiles that are all air are kept when `all` is
/// true.
sp_status import_surface_read(sp_import_water *water, const import_grid *grid,
                              const sp_import_plan *plan, bool flip, bool all, sp_error *err);
/// Leaves out tiles that are air and farther than the band from water.
sp_status import_drop_air(sp_import_water *water, sp_error *err);
/// `velocity` tells deep water, which has no points, from air; NULL: nothing is filled in.
sp_status import_points_read(sp_import_water *water, sp_vdb_file *file, int index,
                             const sp_import_plan *plan, const import_grid *velocity,
                             sp_error *err);
/// Water that lies behind a shell of points (fill_deep_water.c). Not a distance afterwards.
sp_status import_deep_fill(sp_import_water *water, const import_grid *velocity, sp_error *err);
/// Fills water->u and known; one grid of vectors or three of numbers. Everything else of the water
/// must be there.
sp_status import_velocity_read(sp_import_water *water, const import_grid *grids, int count,
                               const sp_import_plan *plan, sp_error *err);
/// Numbers at our cells, times a factor; `outside` is taken where they have no tile.
sp_status import_numbers_read(const sp_import_water *water, const import_grid *grid, double factor,
                              double outside, float **out, sp_error *err);
sp_status import_no_memory(sp_error *err, size_t tiles);
/// Room for water->u and known, zeroed, and for masks of the faces that have data. What was taken
/// is given back by whoever asked, on failure too.
sp_status import_velocity_memory(sp_import_water *water, sp_tile_mask *known[3], sp_error *err);
void import_measure_speed(sp_import_water *water); ///< the largest in the water

/// ---- Meshes (mesh_to_water.c, mesh_files.c) ----------------------------------------------------

bool import_is_mesh(const import_sequence *files);
/// The plan of a sequence of meshes. All of them are read, so that whatever is wrong is told before
/// anything is written.
sp_status import_mesh_plan(sp_import *im, sp_error *err);
/// A file's mesh, ours by then: metres, y up, outward, around its origin; with velocity unless the
/// plan has none.
sp_status import_mesh_load(const sp_import *im, const import_file *file, sp_mesh *mesh,
                           sp_error *err);
/// Fills water->tiles, phi, band, voxel, u and known.
sp_status import_mesh_read(sp_import *im, const import_file *file, sp_import_water *water,
                           sp_error *err);

/// ---- What looks odd (infer_conventions.c) ------------------------------------------------------

/// Median of |divergence| * voxel / |u| deep inside, for vectors at centres and on low faces; 0 and
/// 0 when there is nothing to look at.
typedef struct import_divergence {
    double centers, faces;
    size_t count;
} import_divergence;
sp_status import_judge_divergence(const import_grid *velocity, const sp_import_water *water,
                                  import_divergence *out, sp_error *err);
/// Whether inside and outside are swapped, by where the water moves.
bool import_judge_sign(const sp_import_water *water, const import_grid *surface,
                       const import_grid *velocity);
/// Centre and mean velocity of the water.
typedef struct import_motion {
    double volume, center[3], velocity[3];
} import_motion;
import_motion import_measure_motion(const sp_import_water *water);
/// Refuses a unit that the water's own way from one sample to the next contradicts.
sp_status import_judge_unit(const sp_import_plan *plan, const sp_import_options *o,
                            const sp_import_water *a, const sp_import_water *b, sp_error *err);
/// Says so when the water goes twice as fast as its velocity tells, or half as fast: frames may be
/// fewer or more a second than was thought.
void import_judge_pace(const sp_import_plan *plan, const sp_import_water *a,
                       const sp_import_water *b, const sp_host *host);
void import_judge_band(const sp_import_water *water, const sp_host *host);

/// ---- The sequence (import_sequence.c) ----------------------------------------------------------

/// Frames a second and how many samples, into the plan.
sp_status import_plan_pace(sp_import *im, double fps, sp_error *err);

struct sp_import {
    const sp_host *host;
    sp_import_options options;
    import_sequence files;
    sp_import_plan plan;
    import_findings found;
};

#endif
