// SPDX-License-Identifier: Apache-2.0
/// The keys of the scene's object "sph", explained in docs/sph.md.
#include "core/keys/key_rows.h"
#include "sph/sph.h"

static const char *const dt_modes[] = {"adaptive", "fixed", NULL};
static const char *const factors[] = {"lattice", "particle", NULL};
static const char *const corrections[] = {"none", "output", "solver", NULL};
static const char *const counts[] = {"max", "own", NULL};
static const char *const pairs[] = {"both", "approaching", "separating", NULL};
static const char *const couplings[] = {"paper", "symmetric", "archimedes", NULL};
static const char *const rules[] = {"saturate", "rate", NULL};
static const char *const shares[] = {"group", "paper", "off", NULL};

static const sp_key air_rows[] = {
    {BOOL(sp_sph_air_def, enabled), .value = 1, .doc = "Whether there is air at all"},
    {F32(sp_sph_air_def, buoyancy_min), .unit = "", .value = 14, RANGE(1, 200),
     .doc = "Buoyancy of a lone bubble, times gravity (k_b)"},
    {F32(sp_sph_air_def, buoyancy_max), .unit = "", .value = 6, RANGE(1, 20),
     .doc = "Buoyancy of the largest bubble over that of a lone one (k_max)"},
    {WORD(sp_sph_air_def, buoyancy_count, counts), .value = 0,
     .doc =
         "Buoyancy by the largest count of neighbours around, or by a particle's own (the paper)"},
    {F32(sp_sph_air_def, cohesion), .unit = "m3/(kg s2)", .value = 60, RANGE(0, 100),
     .doc = "How strongly air particles clump (k_c); 12 in the paper"},
    {F32(sp_sph_air_def, core), .unit = "m/s2", .value = 50, RANGE(0, 200),
     .doc = "Pushes air particles apart that are nearer than half a spacing; 0 in the paper"},
    {F32(sp_sph_air_def, drag_air), .unit = "", .value = 8, RANGE(0, 100),
     .doc = "Drag on air by water (k_d)"},
    {F32(sp_sph_air_def, drag_liquid), .unit = "", .value = 3, RANGE(0, 100),
     .doc = "Drag on water by air, with coupling paper"},
    {F32(sp_sph_air_def, drag_rate), .unit = "1/s", .value = 22.5, RANGE(0, 500),
     .doc = "How fast drag acts: a lone bubble is braked at 3.72 drag_air times this"},
    {WORD(sp_sph_air_def, drag_pairs, pairs), .value = 0,
     .doc = "Which pairs feel drag; one-sided drag wants twice the drag_rate for the same speed"},
    {WORD(sp_sph_air_def, coupling, couplings), .value = 0,
     .doc = "What water feels: drag_liquid, exactly the opposite, or the bubble's true buoyancy"},
};
static const sp_keys air_keys = TABLE("air", air_rows, sp_sph_air_def);

static const sp_key trapped_rows[] = {
    {BOOL(sp_sph_trapped_def, enabled), .value = 1, .doc = "Whether fast water traps air"},
    {BOOL(sp_sph_trapped_def, surface_only), .value = 1,
     .doc = "Only at the surface: right for pours, wrong for jets under water"},
    {F32(sp_sph_trapped_def, v_diff), .unit = "m/s", .value = 0.3, RANGE(1e-6, 1e3),
     .doc = "Velocity against the surroundings that makes air (v_t)"},
    {F32(sp_sph_trapped_def, v_min), .unit = "m/s", .value = 3, RANGE(0, 1e3),
     .doc = "Slower water makes no air"},
    {WORD(sp_sph_trapped_def, rule, rules), .value = 0,
     .doc = "Make air until there is enough (the paper), or at a rate"},
    {F32(sp_sph_trapped_def, rate), .unit = "1/s", .value = 200, RANGE(1e-6, 1e6),
     .doc = "Of the rule rate"},
    {U64(sp_sph_trapped_def, max_air), .unit = "", .value = 2000000, RANGE(0, 1e9),
     .doc = "No more air particles than this are made"},
};
static const sp_keys trapped_keys = TABLE("trapped", trapped_rows, sp_sph_trapped_def);

static const sp_key foam_rows[] = {
    {F32(sp_sph_foam_def, liquid_fraction), .unit = "", .value = 0.5, RANGE(0.1, 0.9),
     .doc = "Air with less water around it is foam (t_phi)"},
    {F32(sp_sph_foam_def, float_time), .unit = "s", .value = 0.7, RANGE(0, 600),
     .doc = "Mean time that foam lasts; uniform from 0 to twice this (t_f)"},
    {WORD(sp_sph_foam_def, share, shares), .value = 0,
     .doc =
         "What surfaces together bursts together; all neighbours for ever (the paper); or no one"},
};
static const sp_keys foam_keys = TABLE("foam", foam_rows, sp_sph_foam_def);

static const sp_key seeder_rows[] = {
    {VEC3(sp_sph_seeder_def, min), .unit = "m", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "The box's corner with the smallest coordinates"},
    {VEC3(sp_sph_seeder_def, max), .unit = "m", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "The box's corner with the largest coordinates"},
    {F32(sp_sph_seeder_def, rate), .unit = "1/s", .value = SP_REQUIRED, RANGE(0, 1e7),
     .doc = "Air particles a second"},
    {F32(sp_sph_seeder_def, start), .unit = "s", .value = 0, RANGE(0, 1e9), .doc = "From when on"},
    {F32(sp_sph_seeder_def, stop), .unit = "s", .value = 1e9, RANGE(0, 1e9), .doc = "Until when"},
};
static const sp_keys seeder_keys = TABLE("seeder", seeder_rows, sp_sph_seeder_def);

static const sp_key rows[] = {
    {F32(sp_sph_def, spacing), .unit = "m", .value = 0.02, RANGE(1e-4, 1),
     .doc = "Distance of the particles (d)"},
    {F32(sp_sph_def, support_ratio), .unit = "", .value = 2, RANGE(2, 3),
     .doc = "Support radius of the kernel over the spacing (h/d)"},
    {F32(sp_sph_def, density_liquid), .unit = "kg/m3", .value = 1000, RANGE(1, 2e4),
     .doc = "Rest density of the water"},
    {F32(sp_sph_def, density_air), .unit = "kg/m3", .value = 1, RANGE(1e-3, 100),
     .doc = "Rest density of the air"},
    {WORD(sp_sph_def, dt_mode, dt_modes), .value = 0,
     .doc = "Steps as long as speed and convergence allow, or always dt"},
    {F64(sp_sph_def, dt), .unit = "s", .value = 0.0015, RANGE(1e-9, 1), .doc = "A fixed step"},
    {F64(sp_sph_def, dt_max), .unit = "s", .value = 0.002, RANGE(1e-9, 1),
     .doc = "Longest adaptive step"},
    {F64(sp_sph_def, dt_min), .unit = "s", .value = 1e-6, RANGE(1e-12, 1),
     .doc = "Shortest adaptive step"},
    {F32(sp_sph_def, pressure_momentum), .unit = "", .value = 0.5, RANGE(0, 0.6),
     .doc = "Share of the last correction that pressure repeats (beta); 0 is the paper's loop"},
    {F32(sp_sph_def, pressure_start), .unit = "", .value = 0.6, RANGE(0, 0.9),
     .doc = "Share of a particle's usual pressure that the loop starts from while loops are long, "
            "in deep water; 0 is the paper's loop"},
    {WORD(sp_sph_def, pressure_factor, factors), .value = 0,
     .doc = "PCISPH's factor of a perfect lattice, or of each particle's neighbours"},
    {I32(sp_sph_def, iteration_target), .unit = "", .value = 12, RANGE(4, 100),
     .doc = "More iterations than this shorten the next step"},
    {F32(sp_sph_def, list_skin), .unit = "", .value = 0, RANGE(0, 0.3),
     .doc = "Neighbour lists reach this share of the support beyond it"},
    {F32(sp_sph_def, eta), .unit = "", .value = 0.01, RANGE(1e-4, 0.1),
     .doc = "Compression that the pressure loop allows"},
    {F32(sp_sph_def, eta_mean), .unit = "", .value = 0.0009, RANGE(1e-5, 1),
     .doc = "Mean compression that the pressure loop allows; 1 leaves it to eta alone"},
    {I32(sp_sph_def, min_iterations), .unit = "", .value = 3, RANGE(1, 100),
     .doc = "Least iterations of the pressure loop"},
    {I32(sp_sph_def, max_iterations), .unit = "", .value = 30, RANGE(1, 100),
     .doc = "Most iterations of the pressure loop"},
    {F32(sp_sph_def, viscosity), .unit = "m/s", .value = 1, RANGE(0, 10),
     .doc = "Artificial viscosity: mu times c_s, of which only the product matters"},
    {F32(sp_sph_def, surface_tension), .unit = "m3/s2", .value = 0, RANGE(0, 1),
     .doc = "Cohesion of the water (k_s); at glass scale begin with 5 spacing^2"},
    {WORD(sp_sph_def, density_correction, corrections), .value = 0,
     .doc = "Corrects densities at the surface: not, where forces divide by them, or also in the "
            "pressure loop"},
    {F32(sp_sph_def, boundary_volume_scale), .unit = "", .value = 0.7, RANGE(0.5, 1),
     .doc = "Volume of wall particles; 0.7 replaces the missing layer of a lattice exactly"},
    {OBJECT(sp_sph_def, air, air_keys), .doc = "Bubbles: buoyancy, cohesion, drag"},
    {OBJECT(sp_sph_def, trapped, trapped_keys), .doc = "Air that fast water traps"},
    {OBJECT(sp_sph_def, foam, foam_keys), .doc = "Air that floats"},
    {I32(sp_sph_def, sort_every), .unit = "", .value = 16, RANGE(1, 1000),
     .doc = "Steps between sortings of the particles in memory: speed alone depends on it"},
    {LIST(sp_sph_def, seeders, seeder_count, seeder_keys), RANGE(0, 1000),
     .doc = "Boxes that let air in"},
};
const sp_keys sp_sph_keys = TABLE("sph", rows, sp_sph_def);
