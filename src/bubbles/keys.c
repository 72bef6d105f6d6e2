// SPDX-License-Identifier: Apache-2.0
/// The scene's object "bubbles"; docs/bubbles.md says where the numbers come from.
#include "bubbles/bubbles.h"
#include "core/keys/key_rows.h"

#define NEVER 1e9 // s; a number because JSON has no word for infinity

static const char *const couplings[] = {"stabilized",      "stabilized_paper",
                                        "inertia_aware",   "inertia_aware_restated",
                                        "inertia_unaware", NULL};
static const char *const bases[] = {"trilinear", "power", NULL};
static const char *const compliances[] = {"adaptive", "one", NULL};
static const char *const drag_solves[] = {"exact", "newton", NULL};
static const char *const drag_evals[] = {"updated", "lagged", NULL};
static const char *const pressure_inits[] = {"auto", "hydrostatic", "zero", "previous", NULL};
static const char *const precisions[] = {"float", "double", NULL};
static const char *const curvature_weights[] = {"gradient", "mean", NULL};
static const char *const modes[] = {"once", "rate", "flow", NULL};
static const char *const sizes[] = {"surfacing", "fill", "given", NULL};

static const sp_key material_rows[] = {
    {TEXT(sp_bubbles_material_def, name), .doc = "What emitters call it; required"},
    {F32(sp_bubbles_material_def, density), .unit = "kg/m3", .value = SP_REQUIRED, RANGE(1e-3, 2e4),
     .doc = "Mass of a particle over its volume (rho_q); 1 for air, 1500 for sand"},
    {BOOL(sp_bubbles_material_def, grains), .value = 0,
     .doc = "Particles touch, rub and pile up, and frames hold them as sand"},
};
static const sp_keys material_keys = TABLE("material", material_rows, sp_bubbles_material_def);

static const sp_key emitter_rows[] = {
    {TEXT(sp_bubbles_emitter_def, name), .doc = "Name in messages"},
    {TEXT(sp_bubbles_emitter_def, material), .doc = "One of materials; left out: the first"},
    {OBJECT(sp_bubbles_emitter_def, shape, sp_shape_keys),
     .doc = "Exactly one of box, sphere, cylinder, capsule, torus, plane, mesh and heightfield"},
    {WORD(sp_bubbles_emitter_def, mode, modes), .value = SP_BUBBLES_ONCE,
     .doc = "once: the shape is filled at start; rate: particles at random places; flow: the shape "
            "is kept full of a lattice that moves with velocity"},
    {WORD(sp_bubbles_emitter_def, sizes, sizes), .value = SP_BUBBLES_SURFACING,
     .doc = "Radius (r_q): sqrt(3/4) voxels, for bubbles of many particles; that of the volume "
            "spacing^3; or given by the keys below"},
    {F32(sp_bubbles_emitter_def, radius_min), .unit = "m", .value = 0, RANGE(0, 100),
     .doc = "Sizes given: the smallest radius; required, above 0"},
    {F32(sp_bubbles_emitter_def, radius_max), .unit = "m", .value = 0, RANGE(0, 100),
     .doc = "Sizes given: the largest radius; 0: all are radius_min"},
    {F32(sp_bubbles_emitter_def, radius_power), .unit = "", .value = 3, RANGE(0, 8),
     .doc = "Sizes given: the number of particles falls with this power of the radius"},
    {F32(sp_bubbles_emitter_def, spacing), .unit = "voxels", .value = 0.5, RANGE(0.05, 100),
     .doc = "Of the lattice, and of the volume that each particle of sizes fill takes"},
    {F32(sp_bubbles_emitter_def, jitter), .unit = "spacings", .value = 0, RANGE(0, 1),
     .doc = "Places of the lattice are shifted at random, by up to half of this along each axis"},
    {F32(sp_bubbles_emitter_def, fraction), .unit = "", .value = 0, RANGE(0, 1),
     .doc = "Once: particles at random places until they fill this share of the shape; 0: a "
            "lattice"},
    {F32(sp_bubbles_emitter_def, rate), .unit = "1/s", .value = 0, RANGE(0, 1e8),
     .doc = "Rate: particles a second; required, above 0"},
    {VEC3(sp_bubbles_emitter_def, velocity), .unit = "m/s", .value = 0, RANGE(-1e3, 1e3),
     .doc = "Of new particles; flow: also of the lattice, not 0"},
    {F32(sp_bubbles_emitter_def, start), .unit = "s", .value = 0, RANGE(0, NEVER),
     .doc = "Start time"},
    {F32(sp_bubbles_emitter_def, stop), .unit = "s", .value = NEVER, RANGE(0, NEVER),
     .doc = "Rate and flow: end time; 1e9 is never"},
};
const sp_keys sp_bubbles_emitter_keys = TABLE("emitter", emitter_rows, sp_bubbles_emitter_def);

static const sp_key power_rows[] = {
    {F32(sp_bubbles_power_def, eps), .unit = "voxels^2", .value = 1.0 / 9.0, RANGE(1e-3, 4),
     .doc = "Width of the kernel, squared (epsilon)"},
    {F32(sp_bubbles_power_def, cut), .unit = "voxels", .value = 1.5, RANGE(0.5, 1.5),
     .doc = "The kernel is 0 beyond this distance"},
    {I32(sp_bubbles_power_def, iterations), .unit = "", .value = 20, RANGE(1, 1000),
     .doc =
         "Of Sinkhorn's method in a substep at most; the first substep takes three times as many"},
    {F32(sp_bubbles_power_def, tolerance), .unit = "", .value = 0.01, RANGE(1e-6, 0.5),
     .doc = "Largest error of a particle's volume, as a share of it, that ends them"},
};
static const sp_keys power_keys = TABLE("power", power_rows, sp_bubbles_power_def);

static const sp_key tension_rows[] = {
    {F32(sp_bubbles_tension_def, coefficient), .unit = "N/m", .value = 0, RANGE(0, 10),
     .doc = "Surface tension (sigma); water and air have 0.072; 0: none"},
    {BOOL(sp_bubbles_tension_def, filter), .value = 1,
     .doc = "Single cells of air feel no force (psi)"},
    {BOOL(sp_bubbles_tension_def, drift), .value = 1,
     .doc = "The forces on a pocket of air add up to 0 (chi)"},
    {BOOL(sp_bubbles_tension_def, reapply), .value = 1,
     .doc = "Faces get the force in place of the one that particles took from them"},
    {I32(sp_bubbles_tension_def, curvature_passes), .unit = "", .value = 1, RANGE(0, 3),
     .doc = "How often the share of air is smoothed before its curvature is taken; 0 in the paper"},
    {WORD(sp_bubbles_tension_def, curvature_weight, curvature_weights), .value = 0,
     .doc = "A face's curvature is the mean of its two cells', weighted by gradient, or plain as "
            "in the paper"},
    {BOOL(sp_bubbles_tension_def, clamp_on_particles), .value = 0,
     .doc = "The force on particles shrinks where they overfill faces, as the paper prints it"},
    {I32(sp_bubbles_tension_def, pocket_min_voxels), .unit = "voxels", .value = 24, RANGE(0, 1000),
     .doc = "Pockets with less air than this feel no force"},
};
static const sp_keys tension_keys = TABLE("tension", tension_rows, sp_bubbles_tension_def);

static const sp_key pressure_rows[] = {
    {F64(sp_bubbles_pressure_def, tolerance), .unit = "", .value = 1e-4, RANGE(1e-12, 0.1),
     .doc = "Largest divergence left, as a share of the largest before"},
    {I32(sp_bubbles_pressure_def, max_iterations), .unit = "", .value = 200, RANGE(1, 10000),
     .doc = "Conjugate gradients give up after so many"},
    {WORD(sp_bubbles_pressure_def, precision, precisions), .value = 0,
     .doc = "Of the solver's vectors; sums are in double either way"},
    {WORD(sp_bubbles_pressure_def, init, pressure_inits), .value = 0,
     .doc = "First guess of a substep (p_0): that of still water, none, or that of the substep "
            "before; auto: the last with `stabilized`, else that of still water"},
};
static const sp_keys pressure_keys = TABLE("pressure", pressure_rows, sp_bubbles_pressure_def);

static const sp_key cache_rows[] = {
    {BOOL(sp_bubbles_cache_def, tiles), .value = 0,
     .doc = "Frames hold the water's velocity and the share of air"},
    {BOOL(sp_bubbles_cache_def, pressure), .value = 0,
     .doc = "Frames hold the pressure, less that of still water"},
};
static const sp_keys cache_keys = TABLE("cache", cache_rows, sp_bubbles_cache_def);

static const sp_key rows[] = {
    {F32(sp_bubbles_def, voxel), .unit = "m", .value = SP_REQUIRED, RANGE(1e-4, 1),
     .doc = "Edge of a voxel (h)"},
    {F32(sp_bubbles_def, density), .unit = "kg/m3", .value = 1000, RANGE(1e-3, 2e4),
     .doc = "Of the water (rho_w)"},
    {F32(sp_bubbles_def, density_air), .unit = "kg/m3", .value = 1, RANGE(1e-3, 2e4),
     .doc = "Of all particles, where materials is empty (rho_q)"},
    {F32(sp_bubbles_def, viscosity), .unit = "Pa s", .value = 1e-3, RANGE(0, 1e3),
     .doc = "Of the water, for drag (mu)"},
    {BOOL(sp_bubbles_def, periodic_x), .value = 0,
     .doc = "What leaves the domain along x comes in on the other side; it is a multiple of 8 "
            "voxels wide then"},
    {BOOL(sp_bubbles_def, periodic_y), .value = 0, .doc = "The same along y"},
    {BOOL(sp_bubbles_def, periodic_z), .value = 0, .doc = "The same along z"},
    {I32(sp_bubbles_def, padding), .unit = "tiles", .value = 2, RANGE(0, 8),
     .doc = "Water around bubbles that moves; beyond it the water is still"},
    {I32(sp_bubbles_def, tile_linger), .unit = "substeps", .value = 8, RANGE(0, 100),
     .doc = "How long a tile stays after bubbles have left"},
    {I32(sp_bubbles_def, max_tiles), .unit = "tiles", .value = 50000, RANGE(1, 4e6),
     .doc = "A run that needs more stops"},
    {I32(sp_bubbles_def, substeps), .unit = "", .value = 0, RANGE(0, 200),
     .doc =
         "Substeps a frame at least; 0: 2, or as many as surface tension and large bubbles need"},
    {I32(sp_bubbles_def, substeps_max), .unit = "", .value = 64, RANGE(1, 10000),
     .doc = "Substeps a frame at most; beyond it a warning says that cfl is exceeded"},
    {I32(sp_bubbles_def, newton), .unit = "", .value = 2, RANGE(1, 50),
     .doc = "Iterations between bubbles and water in a substep (n)"},
    {F32(sp_bubbles_def, newton_tolerance), .unit = "m/s", .value = 1e-3, RANGE(0, 100),
     .doc = "They end early when no velocity changes by more"},
    {F32(sp_bubbles_def, cfl), .unit = "voxels", .value = 4, RANGE(0.1, 7),
     .doc = "How far anything may move in a substep; faster motion makes substeps shorter"},
    {WORD(sp_bubbles_def, basis, bases), .value = SP_BUBBLES_TRILINEAR,
     .doc = "How particles spread over faces: to the nearest ones, or so that they never overfill "
            "one"},
    {WORD(sp_bubbles_def, coupling, couplings), .value = SP_BUBBLES_STABILIZED,
     .doc = "How bubbles and water exchange momentum: ours, or a scheme of one of the papers"},
    {WORD(sp_bubbles_def, compliance, compliances), .value = SP_BUBBLES_COMPLIANCE_ADAPTIVE,
     .doc = "Stabilized: how far pressure moves a bubble that drag holds back (s_q); one in the "
            "paper"},
    {WORD(sp_bubbles_def, drag_solve, drag_solves), .value = SP_BUBBLES_DRAG_EXACT,
     .doc = "Stabilized: velocity at which drag balances the other forces, or one linearised step "
            "towards it as in the papers"},
    {WORD(sp_bubbles_def, drag_eval, drag_evals), .value = SP_BUBBLES_DRAG_UPDATED,
     .doc = "Stabilized: water feels the drag of the new velocity, or of the one before as in the "
            "papers"},
    {F32(sp_bubbles_def, theta), .unit = "", .value = 0.5, RANGE(0, 1),
     .doc = "Inertia aware: compliance of bubbles (theta)"},
    {F32(sp_bubbles_def, drag_scale), .unit = "", .value = 1, RANGE(0, 10),
     .doc = "Multiplies drag (chi_b); 1 is physics"},
    {F32(sp_bubbles_def, max_fraction), .unit = "", .value = 0, RANGE(0, 1),
     .doc = "Largest share of a face that particles may fill (phi_max), at least 0.05; 0: 1, or "
            "0.7 for the inertia schemes, which need less than 1"},
    {BOOL(sp_bubbles_def, phantom_follow), .value = 1,
     .doc = "Where particles fill a face, its water moves as they do"},
    {F32(sp_bubbles_def, phantom_eps), .unit = "", .value = 1e-3, RANGE(0, 0.5),
     .doc = "A face with a smaller share of water is full"},
    {F32(sp_bubbles_def, pic), .unit = "", .value = 0.05, RANGE(0, 1),
     .doc = "Share of the grid's velocity that crowded particles take in a substep (alpha); damps "
            "noise; 0 in the papers"},
    {F32(sp_bubbles_def, max_swelling), .unit = "", .value = 3, RANGE(0, 30),
     .doc = "Particles of lattices fill at most so many times what they stand for; sheets and "
            "drops less, lone ones just that; 0: all keep their size, as in the paper"},
    {F32(sp_bubbles_def, volume_gain), .unit = "", .value = 0.5, RANGE(0, 1),
     .doc =
         "How fast thinned air inside a large bubble draws itself together (k); 0 in the papers"},
    {F32(sp_bubbles_def, friction), .unit = "", .value = 0.5, RANGE(0, 10),
     .doc = "Of grains, and of particles along solids"},
    {I32(sp_bubbles_def, contact_iterations), .unit = "", .value = 30, RANGE(1, 1000),
     .doc = "For the forces between grains that touch"},
    {LIST(sp_bubbles_def, materials, material_count, material_keys), RANGE(0, SP_BUBBLES_MATERIALS),
     .doc = "What particles are made of; none: all are air"},
    {LIST(sp_bubbles_def, emitters, emitter_count, sp_bubbles_emitter_keys), RANGE(0, 255),
     .doc = "What lets particles in; at least one"},
    {OPTION(sp_bubbles_def, liquid, sp_liquid_keys),
     .doc = "The water around the bubbles is this liquid, with a surface, poured by the scene's "
            "emitters; left out: still water without end"},
    {OBJECT(sp_bubbles_def, power, power_keys), .doc = "The basis power"},
    {OBJECT(sp_bubbles_def, tension, tension_keys), .doc = "Surface tension"},
    {OBJECT(sp_bubbles_def, pressure, pressure_keys), .doc = "The pressure solver"},
    {OBJECT(sp_bubbles_def, cache, cache_keys), .doc = "What frames hold besides"},
};
const sp_keys sp_bubbles_keys = TABLE("bubbles", rows, sp_bubbles_def);
