// SPDX-License-Identifier: Apache-2.0
/// Table of all parameters of the pond. Scenes, defaults, checks, the schema, the docs and the
/// page's sliders read it. T07 is Thuerey et al. 2007.
#include "core/keys/key_rows.h"
#include "pond/internal.h"

#include <math.h>

static const char *const sides[] = {"reflect", "open", NULL};
static const char *const models[] = {"bounded", "paper", NULL};
static const char *const falloffs[] = {"solenoidal", "paper", NULL};
static const char *const tensions[] = {"pair", "color", NULL};
static const char *const shapes[] = {"cylinder", "box", "capsule", "none", NULL};

static const char *const acts[] = {"set",         "move_heater", "move_obstacle",
                                   "move_nozzle", "add_nozzle",  "remove_nozzle",
                                   "tap",         "splash",      NULL};

static const sp_key circle_rows[] = {
    {F32(sp_pond_circle, radius), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e4),
     .doc = "Radius of the circle"},
    {F32(sp_pond_circle, period), .unit = "s", .value = SP_REQUIRED, RANGE(-1e4, 1e4),
     .doc = "Time once round; negative turns clockwise"},
};
static const sp_keys circle_keys = TABLE("circle", circle_rows, sp_pond_circle);

static const sp_key keyframe_rows[] = {
    {F32(sp_pond_keyframe, t), .unit = "s", .value = SP_REQUIRED, RANGE(0, 1e6), .doc = "When"},
    {F32(sp_pond_keyframe, x), .unit = "m", .value = SP_REQUIRED, RANGE(-1e5, 1e5),
     .doc = "Where, along x"},
    {F32(sp_pond_keyframe, y), .unit = "m", .value = SP_REQUIRED, RANGE(-1e5, 1e5),
     .doc = "Where, along y"},
};
static const sp_keys keyframe_keys = TABLE("keyframe", keyframe_rows, sp_pond_keyframe);

static const sp_key path_rows[] = {
    {OPTION(sp_pond_path, circle, circle_keys), .doc = "Round a circle about the start"},
    {LIST(sp_pond_path, keyframes, keyframe_count, keyframe_keys), RANGE(0, 10000),
     .doc = "Places at times, in ascending t"},
    {BOOL(sp_pond_path, repeat), .value = 0, .doc = "Start the keyframes again after the last one"},
};
static const sp_keys path_keys = TABLE("path", path_rows, sp_pond_path);

static const sp_key nozzle_rows[] = {
    {F32(sp_pond_nozzle, x), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Place along x"},
    {F32(sp_pond_nozzle, y), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Place along y"},
    {F32(sp_pond_nozzle, z), .unit = "m", .value = 0, RANGE(0, 1e3), .live = true,
     .doc = "Height above the ground"},
    {F32(sp_pond_nozzle, rate), .unit = "1/s", .value = 8, RANGE(0, 1e4), .live = true,
     .doc = "Bubbles a second"},
    {F32(sp_pond_nozzle, radius), .unit = "m", .value = 0.004, RANGE(1e-4, 1), .live = true,
     .doc = "Median bubble radius"},
    {F32(sp_pond_nozzle, spread), .unit = "", .value = 0.25, RANGE(0, 1), .live = true,
     .doc = "Standard deviation of the radius' logarithm"},
    {F32(sp_pond_nozzle, jitter), .unit = "m", .value = 0, RANGE(0, 10), .live = true,
     .doc = "Bubbles start in a disc of this radius"},
    {F32(sp_pond_nozzle, speed), .unit = "m/s", .value = 0.1, RANGE(0, 10), .live = true,
     .doc = "Upward speed at the start"},
    {BOOL(sp_pond_nozzle, on), .value = 1, .live = true, .doc = "Whether it lets air out"},
};
static const sp_keys nozzle_keys = TABLE("nozzle", nozzle_rows, sp_pond_nozzle);

static const sp_key field_rows[] = {
    {I32(sp_pond_nozzle_field, columns), .unit = "", .value = 4, RANGE(1, 4096),
     .doc = "Nozzles along x"},
    {I32(sp_pond_nozzle_field, rows), .unit = "", .value = 4, RANGE(1, 4096),
     .doc = "Nozzles along y"},
    {BOOL(sp_pond_nozzle_field, scattered), .value = 0,
     .doc = "At random places instead of on a grid"},
    {F32(sp_pond_nozzle_field, rate), .unit = "1/s", .value = 8, RANGE(0, 1e4),
     .doc = "Bubbles a second from each"},
    {F32(sp_pond_nozzle_field, radius), .unit = "m", .value = 0.004, RANGE(1e-4, 1),
     .doc = "Median bubble radius"},
    {F32(sp_pond_nozzle_field, spread), .unit = "", .value = 0.25, RANGE(0, 1),
     .doc = "Standard deviation of the radius' logarithm"},
    {F32(sp_pond_nozzle_field, jitter), .unit = "m", .value = 0, RANGE(0, 10),
     .doc = "Bubbles start in a disc of this radius"},
    {F32(sp_pond_nozzle_field, speed), .unit = "m/s", .value = 0.1, RANGE(0, 10),
     .doc = "Upward speed at the start"},
};
static const sp_keys field_keys = TABLE("nozzle_field", field_rows, sp_pond_nozzle_field);

static const sp_key heater_rows[] = {
    {F32(sp_pond_heater, x), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Centre along x"},
    {F32(sp_pond_heater, y), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Centre along y"},
    {F32(sp_pond_heater, radius), .unit = "m", .value = 0.08, RANGE(1e-3, 1e3), .live = true,
     .doc = "Radius of the hot disc"},
    {F32(sp_pond_heater, rate), .unit = "1/s", .value = 200, RANGE(0, 1e6), .live = true,
     .doc = "Bubbles a second"},
    {F32(sp_pond_heater, bubble_radius), .unit = "m", .value = 0.003, RANGE(1e-4, 1), .live = true,
     .doc = "Median bubble radius"},
    {F32(sp_pond_heater, spread), .unit = "", .value = 0.25, RANGE(0, 1), .live = true,
     .doc = "Standard deviation of the radius' logarithm"},
    {BOOL(sp_pond_heater, on), .value = 1, .live = true, .doc = "Whether it is hot"},
    {OPTION(sp_pond_heater, path, path_keys), .doc = "How it moves"},
};
static const sp_keys heater_keys = TABLE("heater", heater_rows, sp_pond_heater);

static const sp_key obstacle_rows[] = {
    {WORD(sp_pond_obstacle, shape, shapes), .value = 0, .live = true,
     .doc = "Its outline from above; none waits for a shape to be set"},
    {F32(sp_pond_obstacle, x), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Centre along x"},
    {F32(sp_pond_obstacle, y), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Centre along y"},
    {F32(sp_pond_obstacle, size), .unit = "m", .value = 0.04, RANGE(1e-3, 1e3), .live = true,
     .doc = "Radius of a cylinder or capsule, half width of a box"},
    {F32(sp_pond_obstacle, length), .unit = "m", .value = 0.08, RANGE(1e-3, 1e3), .live = true,
     .doc = "Half length of a box or capsule along its angle"},
    {F32(sp_pond_obstacle, angle), .unit = "degrees", .value = 0, RANGE(-360, 360), .live = true,
     .doc = "Turned counter-clockwise"},
    {OPTION(sp_pond_obstacle, path, path_keys), .doc = "How it moves"},
};
static const sp_keys obstacle_keys = TABLE("obstacle", obstacle_rows, sp_pond_obstacle);

static const sp_key start_rows[] = {
    {F32(sp_pond_start, x), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Place along x"},
    {F32(sp_pond_start, y), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Place along y"},
    {F32(sp_pond_start, z), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e4),
     .doc = "Height above zero"},
    {F32(sp_pond_start, radius), .unit = "m", .value = 0.004, RANGE(1e-4, 1), .doc = "Radius"},
};
static const sp_keys start_keys = TABLE("bubble", start_rows, sp_pond_start);

static const sp_key input_rows[] = {
    {I32(sp_pond_input, step), .unit = "", .value = 0, RANGE(0, 1e9),
     .doc = "Steps taken before it acts; a frame is one step unless fps is below 1/dt_frame"},
    {WORD(sp_pond_input, act, acts), .value = 0, .doc = "What was done"},
    {I32(sp_pond_input, index), .unit = "", .value = 0, RANGE(0, SP_POND_MAX_NOZZLES),
     .doc = "Which heater, obstacle or nozzle"},
    {F32(sp_pond_input, x), .unit = "m", .value = 0, RANGE(-1e5, 1e5), .doc = "Where, along x"},
    {F32(sp_pond_input, y), .unit = "m", .value = 0, RANGE(-1e5, 1e5), .doc = "Where, along y"},
    {F64(sp_pond_input, value), .unit = "", .value = 0, RANGE(-1e9, 1e9),
     .doc = "The key's new value; a tap's radius, m; a splash's volume, m^3"},
    {TEXT(sp_pond_input, key), .doc = "What to set: foam_life, nozzles.rate, heaters[0].on"},
    {OPTION(sp_pond_input, nozzle, nozzle_keys), .doc = "The nozzle to add"},
};
static const sp_keys input_keys = TABLE("input", input_rows, sp_pond_input);

static const sp_key rows[] = {
    // the grid
    {I32(sp_pond_def, nx), .unit = "cells", .value = 50, RANGE(8, 4096), .doc = "Cells along x"},
    {I32(sp_pond_def, ny), .unit = "cells", .value = 80, RANGE(8, 4096), .doc = "Cells along y"},
    {F32(sp_pond_def, dx), .unit = "m", .value = 0.01, RANGE(1e-3, 10), .doc = "Edge of a cell"},
    {F32(sp_pond_def, rest_level), .unit = "m", .value = 0.2, RANGE(1e-3, 1e3),
     .doc = "Still-water level"},
    {AT(sp_pond_def, ground), .type = SP_KEY_HEIGHTS, .unit = "m", .value = 0, RANGE(0, 1e3),
     .doc = "Ground height: a number, rows of numbers, or a PGM or PNG height map"},
    {F32(sp_pond_def, ground_scale), .unit = "m", .value = 1, RANGE(0, 1e3),
     .doc = "Height of a white pixel of a height map"},
    {AT(sp_pond_def, boundary), .type = SP_KEY_CHOICES, .choices = sides, .unit = "", .value = 0,
     .doc = "What waves meet at the sides: one word, or four for west, east, south, north"},
    {F32(sp_pond_def, dam), .unit = "m", .value = 0, RANGE(0, 1e5),
     .doc = "Where still water ends at the start, along x; 0 for no dam"},
    {F32(sp_pond_def, dam_level), .unit = "m", .value = 0, RANGE(0, 1e3),
     .doc = "Water level beyond the dam"},
    // water
    {F32(sp_pond_def, gravity), .unit = "m/s^2", .value = 9.81, RANGE(0.1, 50), .live = true,
     .doc = "Acceleration downward"},
    {F32(sp_pond_def, cfl), .unit = "", .value = 0.45, RANGE(0.1, 0.6),
     .doc = "Share of a cell that a wave may cross in one water sub-step"},
    {I32(sp_pond_def, sw_min_substeps), .unit = "", .value = 1, RANGE(1, 128),
     .doc = "Water sub-steps a frame, at least"},
    {I32(sp_pond_def, sw_max_substeps), .unit = "", .value = 32, RANGE(1, 128),
     .doc = "Water sub-steps a frame, at most"},
    {F32(sp_pond_def, bed_friction), .unit = "", .value = 0.002, RANGE(0, 0.1), .live = true,
     .doc = "Quadratic friction of the bed"},
    {F32(sp_pond_def, surface_damping), .unit = "m^2/s", .value = 2e-4, RANGE(0, 0.05),
     .live = true, .doc = "How fast ripples fade"},
    {F32(sp_pond_def, dt_frame), .unit = "s", .value = 1.0 / 60, RANGE(1.0 / 240, 1.0 / 20),
     .doc = "Longest step taken at once"},
    {I32(sp_pond_def, particle_substeps), .unit = "", .value = 2, RANGE(1, 32),
     .doc = "Particle sub-steps a step"},
    {F32(sp_pond_def, depth_decay), .unit = "m", .value = 0.1, RANGE(0, 100), .live = true,
     .doc = "Depth over which the water's velocity falls to 1/e for a bubble; 0 is uniform"},
    // bubbles
    {F32(sp_pond_def, buoyancy), .unit = "", .value = 1, RANGE(0, 5), .live = true,
     .doc = "Multiplier on buoyancy"},
    {F32(sp_pond_def, added_mass), .unit = "", .value = 0.5, RANGE(0.1, 5),
     .doc = "Added-mass coefficient"},
    {F32(sp_pond_def, water_density), .unit = "kg/m^3", .value = 1000, RANGE(1, 1e5),
     .doc = "Density of the water"},
    {F32(sp_pond_def, surface_tension), .unit = "N/m", .value = 0.072, RANGE(0, 10), .live = true,
     .doc = "Surface tension of the water"},
    {F32(sp_pond_def, viscosity), .unit = "m^2/s", .value = 1e-6, RANGE(1e-7, 1), .live = true,
     .doc = "Kinematic viscosity; slows small bubbles"},
    {F32(sp_pond_def, vortex_ratio), .unit = "", .value = 3, RANGE(1, 6),
     .doc = "Vortex radius over bubble radius"},
    {F32(sp_pond_def, vortex_strength), .unit = "", .value = 1, RANGE(0, 2), .live = true,
     .doc = "Multiplier on every vortex"},
    {F32(sp_pond_def, vortex_lag), .unit = "a/u_T", .value = 1, RANGE(0, 4), .live = true,
     .doc = "How slowly a vortex follows its bubble"},
    {WORD(sp_pond_def, vortex_model, models), .value = 0,
     .doc = "Strength from the slip, bounded, or from the raw velocity as in T07"},
    {WORD(sp_pond_def, vortex_falloff, falloffs), .value = 0,
     .doc = "Blend to zero without divergence, or linearly as in T07"},
    {F32(sp_pond_def, fade_time), .unit = "s", .value = 0.6, RANGE(0, 5), .live = true,
     .doc = "How long a vortex outlives its bubble"},
    {BOOL(sp_pond_def, coalescence), .value = 1, .live = true, .doc = "Whether bubbles merge"},
    {F32(sp_pond_def, merge_delay), .unit = "s", .value = 0, RANGE(0, 1), .live = true,
     .doc = "Contact before two bubbles merge"},
    {F32(sp_pond_def, merge_probability), .unit = "", .value = 1, RANGE(0, 1), .live = true,
     .doc = "Share of touching pairs that merge"},
    // foam
    {F32(sp_pond_def, foam_probability), .unit = "", .value = 0.6, RANGE(0, 1), .live = true,
     .doc = "Share of arriving bubbles that stay as foam"},
    {F32(sp_pond_def, foam_life), .unit = "s", .value = 2, RANGE(0.05, 60), .live = true,
     .doc = "Mean life of foam"},
    {F32(sp_pond_def, foam_tension), .unit = "m/s^2", .value = 0.2, RANGE(0, 1), .live = true,
     .doc = "How strongly foam clusters"},
    {WORD(sp_pond_def, foam_tension_model, tensions), .value = 0,
     .doc = "Attraction by pairs, or the colour field of T07"},
    {F32(sp_pond_def, foam_stiffness), .unit = "m/s^2", .value = 30, RANGE(5, 60), .live = true,
     .doc = "Contact force between foam bubbles"},
    {F32(sp_pond_def, foam_sound), .unit = "m/s", .value = 0.3, RANGE(0.05, 1),
     .doc = "Speed of sound in foam"},
    {F32(sp_pond_def, foam_sink), .unit = "r", .value = 0.5, RANGE(-1, 1), .live = true,
     .doc = "How deep foam floats, in radii"},
    {F32(sp_pond_def, foam_float_time), .unit = "s", .value = 0.03, RANGE(1e-3, 10), .live = true,
     .doc = "Time foam takes to follow the surface up and down"},
    {F32(sp_pond_def, foam_drag_time), .unit = "s", .value = 0.5, RANGE(1e-3, 100), .live = true,
     .doc = "Time foam takes to follow the water sideways"},
    {F32(sp_pond_def, wall_adhesion), .unit = "m/s^2", .value = 0.05, RANGE(0, 1), .live = true,
     .doc = "Pull of a near wall on foam"},
    // drawing and capacities
    {F32(sp_pond_def, wobble), .unit = "", .value = 1, RANGE(0, 3), .live = true,
     .doc = "Shape oscillation of bubbles; drawing only"},
    {I32(sp_pond_def, max_bubbles), .unit = "", .value = 4096, RANGE(1, 1e6),
     .doc = "Room for bubbles"},
    {I32(sp_pond_def, max_foam), .unit = "", .value = 8192, RANGE(1, 1e6),
     .doc = "Room for foam bubbles"},
    {I32(sp_pond_def, max_ghosts), .unit = "", .value = 1024, RANGE(1, 1e6),
     .doc = "Room for fading vortices"},
    {F32(sp_pond_def, obstacle_speed_max), .unit = "m/s", .value = 1, RANGE(0.01, 100),
     .live = true, .doc = "Speed limit of obstacles"},
    {I32(sp_pond_def, render_scale), .unit = "", .value = 2, RANGE(1, 4),
     .doc = "Drawn vertices per cell edge: 1, 2 or 4"},
    {I32(sp_pond_def, tracers), .unit = "", .value = 0, RANGE(0, 1e5),
     .doc = "Passive markers that move with the water"},
    // objects
    {LIST(sp_pond_def, nozzles, nozzle_count, nozzle_keys), RANGE(0, SP_POND_MAX_NOZZLES),
     .doc = "Holes in the floor that let air out"},
    {LIST(sp_pond_def, nozzle_fields, nozzle_field_count, field_keys), RANGE(0, 64),
     .doc = "Many nozzles at once, spread over the floor"},
    {LIST(sp_pond_def, heaters, heater_count, heater_keys), RANGE(0, SP_POND_MAX_HEATERS),
     .doc = "Hot discs on the floor"},
    {LIST(sp_pond_def, obstacles, obstacle_count, obstacle_keys), RANGE(0, SP_POND_MAX_OBSTACLES),
     .doc = "Upright solids"},
    {LIST(sp_pond_def, bubbles, bubble_count, start_keys), RANGE(0, 1e6),
     .doc = "Bubbles that are there at the start"},
    {LIST(sp_pond_def, input, input_count, input_keys), RANGE(0, 1e6),
     .doc = "What was done to the pond while it ran, in ascending step"},
};
const sp_keys sp_pond_keys = TABLE("pond", rows, sp_pond_def);

sp_pond_def sp_pond_defaults(void)
{
    sp_pond_def def;
    sp_keys_defaults(&sp_pond_keys, &def);
    def.seed = 1;
    def.struct_size = sizeof def;
    return def;
}
