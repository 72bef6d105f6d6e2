// SPDX-License-Identifier: Apache-2.0
/// The list of what is proven about surfaces.
#include "validate/surface/proofs.h"

static const sp_check checks[] = {
    {"cubes_closed", false, "random fields give closed meshes, exact zeros or not",
     surface_prove_closed},
    {"cubes_closed_long", true, "the same for 5,000 fields of each kind",
     surface_prove_closed_long},
    {"cubes_order", false, "volume and area of balls and tori converge with the square of a voxel",
     surface_prove_order},
    {"cubes_negative", false, "a cell and its negative give the same triangles turned round",
     surface_prove_negative},
    {"ellipsoids_known", false, "spread and axes in bulk, half-space, sheet and line",
     surface_prove_ellipsoids},
    {"half_space", false, "how high ellipsoids put a plane surface", surface_prove_half_space},
    {"ball_volume", false, "a ball of jittered particles keeps its volume", surface_prove_ball},
    {"line", false, "a line of particles is one thread of the right thickness", surface_prove_line},
    {"split", false, "pockets are connected; singles, pairs, lines and sheets are not",
     surface_prove_split},
    {"same", false, "one mesh for any number of threads and any order of particles",
     surface_prove_same},
    {"same_long", true, "the same for a larger splash", surface_prove_same_long},
    {"taubin", false, "smoothing keeps volume and removes noise", surface_prove_taubin},
    {"height", false, "sheets of heights are closed blocks of the right volume",
     surface_prove_height},
};
const sp_subject sp_validate_surface = {"surface", checks, sizeof checks / sizeof *checks};
