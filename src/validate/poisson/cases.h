// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_POISSON_CASES_H
#define SP_VALIDATE_POISSON_CASES_H

/// Test systems for the solver: water in a box of n voxels a side, defined by formulas. Lengths are
/// in voxels from the box's low corner. `spume bench poisson` uses them too; the library does not.

#include "poisson/poisson.h"

typedef enum sp_poisson_scene {
    SP_POISSON_FLAT,     ///< a tank, three fifths full
    SP_POISSON_WAVY,     ///< waves, and a sphere under them that cuts voxels
    SP_POISSON_COMPLEX,  ///< waves, a block, 24 drops and a sheet of two voxels over a sphere, a
                         ///< torus, a cylinder and a sloping floor
    SP_POISSON_CLUSTERS, ///< waves and a sphere; clusters of faces conduct up to 350 times as well
    SP_POISSON_CLOSED,   ///< a full box: singular
    SP_POISSON_GUIDED,   ///< scattered tiles; x is 0 above and below them, walls on the other sides
    SP_POISSON_ROUND,    ///< inside a sphere, around a torus: singular, with a known solution
} sp_poisson_scene;

typedef struct sp_poisson_case {
    const sp_host *host;
    sp_tiles tiles;
    sp_poisson_system system;
    uint32_t *row;
    float *face[3], *extra;
    float *b; ///< minus the divergence of a velocity: falling, rotating and noisy
} sp_poisson_case;

/// A zeroed case is safe to close. On failure it is zeroed.
sp_status sp_poisson_case_open(sp_poisson_case *c, const sp_host *host, sp_poisson_scene scene,
                               int32_t n, sp_error *err);
void sp_poisson_case_close(sp_poisson_case *c);

/// The solution of SP_POISSON_ROUND at a point, up to a constant; and the distance to solids.
double sp_poisson_round_answer(double n, const double p[3]);
double sp_poisson_round_depth(double n, const double p[3]);

#endif
