// SPDX-License-Identifier: Apache-2.0
/// The object "foam" of whitewater; docs/foam.md says where the numbers come from.
#include "core/keys/key_rows.h"
#include "foam/foam.h"

static const char *const summations[] = {"volume", "scale_free", NULL};
static const char *const corrections[] = {"printed", "off", NULL};

static const sp_key rows[] = {
    {F32(sp_foam_def, stiffness), .unit = "m2/s2", .value = 0.5, RANGE(0, 100),
     .doc = "Pressure of crowded foam (kappa); the paper: 0.5"},
    {F32(sp_foam_def, viscosity), .unit = "m/s", .value = 0.05, RANGE(0, 100),
     .doc = "Damps particles that approach each other (mu); the paper: 0.05 to 5"},
    {BOOL(sp_foam_def, viscosity_two_sided), .value = 0, .doc = "Also those that part"},
    {F32(sp_foam_def, cohesion), .unit = "m/s2", .value = 10, RANGE(0, 1000),
     .doc =
         "Draws particles together until they touch (C); more makes rafts and lace; the paper: 10 "
         "to 100"},
    {F32(sp_foam_def, cohesion_radius), .unit = "radii", .value = 5, RANGE(2.001, 20),
     .doc = "How far that reaches (beta_c); the paper: 5 to 12"},
    {F32(sp_foam_def, support), .unit = "radii", .value = 4, RANGE(2.2, 10),
     .doc = "How far pressure and viscosity reach (beta)"},
    {WORD(sp_foam_def, summation, summations), .value = SP_FOAM_VOLUME,
     .doc = "What a neighbour counts for in the density: its volume, or that of the pair's mean "
            "radius"},
    {F32(sp_foam_def, surface_drag), .unit = "1/s", .value = 0.1, RANGE(0, 1000),
     .doc = "How fast foam takes the water's speed (chi); the paper: 0.05 to 0.5"},
    {F32(sp_foam_def, cfl), .unit = "", .value = 0.4, RANGE(0.01, 2),
     .doc = "Length of a substep over the support of small particles and the speed of sound"},
    {I32(sp_foam_def, max_substeps), .unit = "", .value = 32, RANGE(1, 1000),
     .doc = "Of foam in a step at most; beyond it a warning says that foam may jitter"},
    {F32(sp_foam_def, tolerance), .unit = "m", .value = 1e-4, RANGE(1e-7, 0.1),
     .doc = "How near the surface foam is kept, or 0.02 radii if that is less"},
    {F32(sp_foam_def, max_correction), .unit = "m", .value = 0.1, RANGE(0, 100),
     .doc = "A surface that is farther from where the water carries foam is another one (epsilon)"},
    {WORD(sp_foam_def, speed_correction, corrections), .value = SP_FOAM_CORRECT_PRINTED,
     .doc = "Foam keeps its speed where the surface turns; off for surf, where that adds energy"},
};
const sp_keys sp_foam_keys = {"foam", rows, sizeof rows / sizeof *rows, sizeof(sp_foam_def)};

sp_status sp_foam_check(const sp_foam_def *def, const char *path, sp_error *err)
{
    if (def->max_correction <= 0.0f || def->tolerance < def->max_correction) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s.tolerance: %g m; expected less than max_correction, %g m",
                   path, (double)def->tolerance, (double)def->max_correction);
}
