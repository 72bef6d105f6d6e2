// SPDX-License-Identifier: Apache-2.0
/// The scene's object "liquid"; docs/liquid.md says where the numbers come from.
#include "core/keys/key_rows.h"
#include "liquid/liquid.h"

static const char *const methods[] = {"flip", "apic", "eulerian", NULL};
static const char *const sides[] = {"wall", "open", "periodic", NULL};
static const char *const ends[] = {"wall", "open",
                                   NULL}; // same numbers as `sides`: y is never periodic
static const char *const cycles[] = {"W", "V", NULL};
static const char *const precisions[] = {"float", "double", NULL};

static const sp_key side_rows[] = {
    {WORD(sp_liquid_sides_def, left, sides), .value = 0,
     .doc = "Low x; periodic only with right, a multiple of 8 voxels away"},
    {WORD(sp_liquid_sides_def, right, sides), .value = 0, .doc = "High x; periodic only with left"},
    {WORD(sp_liquid_sides_def, bottom, ends), .value = 0, .doc = "Low y"},
    {WORD(sp_liquid_sides_def, top, ends), .value = 1, .doc = "High y"},
    {WORD(sp_liquid_sides_def, back, sides), .value = 0,
     .doc = "Low z; periodic only with front, a multiple of 8 voxels away"},
    {WORD(sp_liquid_sides_def, front, sides), .value = 0, .doc = "High z; periodic only with back"},
    {F32(sp_liquid_sides_def, level), .unit = "m", .value = -1e9, RANGE(-1e9, 1e6),
     .doc = "How high still water stands outside open sides; left out: there is only air"},
};
static const sp_keys side_keys = TABLE("sides", side_rows, sp_liquid_sides_def);

static const sp_key pressure_rows[] = {
    {F64(sp_poisson_def, tolerance), .unit = "", .value = 1e-5, RANGE(1e-12, 0.1),
     .doc = "Largest divergence left, as a share of the largest before"},
    {WORD(sp_poisson_def, cycle, cycles), .value = 0, .doc = "Of the multigrid preconditioner"},
    {I32(sp_poisson_def, smooth), .unit = "", .value = 2, RANGE(1, 8),
     .doc = "Sweeps over a tile each time it is visited"},
    {I32(sp_poisson_def, max_iterations), .unit = "", .value = 60, RANGE(1, 10000),
     .doc = "Conjugate gradients give up after so many"},
    {WORD(sp_poisson_def, precision, precisions), .value = 0,
     .doc = "Of the solver's vectors; sums are in double either way"},
};
static const sp_keys pressure_keys = TABLE("pressure", pressure_rows, sp_poisson_def);

static const sp_key cache_rows[] = {
    {BOOL(sp_liquid_cache_def, pressure), .value = 0, .doc = "Frames hold the pressure"},
    {BOOL(sp_liquid_cache_def, particles), .value = 0, .doc = "Frames hold the water's particles"},
};
static const sp_keys cache_keys = TABLE("cache", cache_rows, sp_liquid_cache_def);

static const sp_key rows[] = {
    {F32(sp_liquid_def, voxel), .unit = "m", .value = SP_REQUIRED, RANGE(1e-4, 100),
     .doc = "Edge of a voxel"},
    {WORD(sp_liquid_def, method, methods), .value = 0,
     .doc = "Lively particles, particles that keep spin, or no particles at all"},
    {F32(sp_liquid_def, cfl), .unit = "voxels", .value = 2, RANGE(0.5, 6),
     .doc = "How far water may travel in a substep"},
    {I32(sp_liquid_def, min_steps), .unit = "", .value = 1, RANGE(1, 1000),
     .doc = "Substeps a frame at least"},
    {I32(sp_liquid_def, max_steps), .unit = "", .value = 32, RANGE(1, 10000),
     .doc = "Substeps a frame at most; beyond it a warning says that cfl is exceeded"},
    {F32(sp_liquid_def, pic_rate), .unit = "1/s", .value = 0.6, RANGE(0, 24),
     .doc = "flip: how fast particles give up their own velocity for the grid's; damps noise"},
    {I32(sp_liquid_def, narrow_band), .unit = "", .value = 4, RANGE(0, 16),
     .doc = "Voxels below the surface that hold particles, at least 3; 0: all water does"},
    {I32(sp_liquid_def, particles_per_cell), .unit = "", .value = 8, RANGE(1, 27),
     .doc = "1, 8 or 27"},
    {F32(sp_liquid_def, density), .unit = "kg/m3", .value = 1000, RANGE(1, 2e4),
     .doc = "Of the water"},
    {F32(sp_liquid_def, surface_tension), .unit = "N/m", .value = 0, RANGE(0, 1),
     .doc = "Water has 0.072; 0 saves substeps"},
    {F32(sp_liquid_def, volume_correction), .unit = "", .value = 0, RANGE(0, 1),
     .doc = "How strongly lost or gained volume is put right"},
    {OBJECT(sp_liquid_def, pressure, pressure_keys), .doc = "The pressure solver"},
    {I32(sp_liquid_def, extrapolate_cells), .unit = "", .value = 0, RANGE(0, 12),
     .doc = "Voxels beyond the water that get its velocity; 0: cfl + 2, rounded up"},
    {OBJECT(sp_liquid_def, sides, side_keys), .doc = "What the domain's sides are"},
    {BOOL(sp_liquid_def, aeration), .value = 1,
     .doc = "Frames hold where water would take in air, for whitewater"},
    {F32(sp_liquid_def, aeration_length), .unit = "m", .value = 0.03125, RANGE(0, 100),
     .doc = "Size of dents that aeration counts, so that it does not depend on the voxel; 0: a "
            "voxel"},
    {OBJECT(sp_liquid_def, cache, cache_keys), .doc = "What frames hold besides"},
};
const sp_keys sp_liquid_keys = TABLE("liquid", rows, sp_liquid_def);
