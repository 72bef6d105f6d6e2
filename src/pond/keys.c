// SPDX-License-Identifier: Apache-2.0
/// Every parameter of the pond, once: scenes, defaults, checks, the schema, the docs and the page's
/// sliders all read this table. T07 is Thuerey et al. 2007.
#include "pond/internal.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define AT(owner, field) .name = #field, .offset = offsetof(owner, field)
#define F32(owner, field) AT(owner, field), .type = SP_KEY_F32
#define I32(owner, field) AT(owner, field), .type = SP_KEY_I32
#define RANGE(low, high) .min = (low), .max = (high)

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
static const sp_keys circle_keys = {"circle", circle_rows, COUNT(circle_rows),
                                    sizeof(sp_pond_circle)};

static const sp_key keyframe_rows[] = {
    {F32(sp_pond_keyframe, t), .unit = "s", .value = SP_REQUIRED, RANGE(0, 1e6), .doc = "When"},
    {F32(sp_pond_keyframe, x), .unit = "m", .value = SP_REQUIRED, RANGE(-1e5, 1e5),
     .doc = "Where, along x"},
    {F32(sp_pond_keyframe, y), .unit = "m", .value = SP_REQUIRED, RANGE(-1e5, 1e5),
     .doc = "Where, along y"},
};
static const sp_keys keyframe_keys = {"keyframe", keyframe_rows, COUNT(keyframe_rows),
                                      sizeof(sp_pond_keyframe)};

static const sp_key path_rows[] = {
    {AT(sp_pond_path, circle), .type = SP_KEY_OPTION, .items = &circle_keys, .unit = "",
     .doc = "Round a circle about the start"},
    {AT(sp_pond_path, keyframes), .type = SP_KEY_LIST,
     .count_offset = offsetof(sp_pond_path, keyframe_count), .items = &keyframe_keys, .unit = "",
     RANGE(0, 10000), .doc = "Places at times, in ascending t"},
    {AT(sp_pond_path, repeat), .type = SP_KEY_BOOL, .unit = "", .value = 0, RANGE(0, 1),
     .doc = "Start the keyframes again after the last one"},
};
static const sp_keys path_keys = {"path", path_rows, COUNT(path_rows), sizeof(sp_pond_path)};

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
    {AT(sp_pond_nozzle, on), .type = SP_KEY_BOOL, .unit = "", .value = 1, RANGE(0, 1), .live = true,
     .doc = "Whether it lets air out"},
};
static const sp_keys nozzle_keys = {"nozzle", nozzle_rows, COUNT(nozzle_rows),
                                    sizeof(sp_pond_nozzle)};

static const sp_key field_rows[] = {
    {I32(sp_pond_nozzle_field, columns), .unit = "", .value = 4, RANGE(1, 4096),
     .doc = "Nozzles along x"},
    {I32(sp_pond_nozzle_field, rows), .unit = "", .value = 4, RANGE(1, 4096),
     .doc = "Nozzles along y"},
    {AT(sp_pond_nozzle_field, scattered), .type = SP_KEY_BOOL, .unit = "", .value = 0, RANGE(0, 1),
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
static const sp_keys field_keys = {"nozzle_field", field_rows, COUNT(field_rows),
                                   sizeof(sp_pond_nozzle_field)};

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
    {AT(sp_pond_heater, on), .type = SP_KEY_BOOL, .unit = "", .value = 1, RANGE(0, 1), .live = true,
     .doc = "Whether it is hot"},
    {AT(sp_pond_heater, path), .type = SP_KEY_OPTION, .items = &path_keys, .unit = "",
     .doc = "How it moves"},
};
static const sp_keys heater_keys = {"heater", heater_rows, COUNT(heater_rows),
                                    sizeof(sp_pond_heater)};

static const sp_key obstacle_rows[] = {
    {AT(sp_pond_obstacle, shape), .type = SP_KEY_CHOICE, .choices = shapes, .unit = "", .value = 0,
     .live = true, .doc = "Its outline from above; none waits for a shape to be set"},
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
    {AT(sp_pond_obstacle, path), .type = SP_KEY_OPTION, .items = &path_keys, .unit = "",
     .doc = "How it moves"},
};
static const sp_keys obstacle_keys = {"obstacle", obstacle_rows, COUNT(obstacle_rows),
                                      sizeof(sp_pond_obstacle)};

static const sp_key start_rows[] = {
    {F32(sp_pond_start, x), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Place along x"},
    {F32(sp_pond_start, y), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e5),
     .doc = "Place along y"},
    {F32(sp_pond_start, z), .unit = "m", .value = SP_REQUIRED, RANGE(0, 1e4),
     .doc = "Height above zero"},
    {F32(sp_pond_start, radius), .unit = "m", .value = 0.004, RANGE(1e-4, 1), .doc = "Radius"},
};
static const sp_keys start_keys = {"bubble", start_rows, COUNT(start_rows), sizeof(sp_pond_start)};

static const sp_key input_rows[] = {
    {I32(sp_pond_input, step), .unit = "", .value = 0, RANGE(0, 1e9),
     .doc = "Steps taken before it acts; a frame is one step unless fps is below 1/dt_frame"},
    {AT(sp_pond_input, act), .type = SP_KEY_CHOICE, .choices = acts, .unit = "", .value = 0,
     .doc = "What was done"},
    {I32(sp_pond_input, index), .unit = "", .value = 0, RANGE(0, SP_POND_MAX_NOZZLES),
     .doc = "Which heater, obstacle or nozzle"},
    {F32(sp_pond_input, x), .unit = "m", .value = 0, RANGE(-1e5, 1e5), .doc = "Where, along x"},
    {F32(sp_pond_input, y), .unit = "m", .value = 0, RANGE(-1e5, 1e5), .doc = "Where, along y"},
    {AT(sp_pond_input, value), .type = SP_KEY_F64, .unit = "", .value = 0, RANGE(-1e9, 1e9),
     .doc = "The key's new value; a tap's radius, m; a splash's volume, m^3"},
    {AT(sp_pond_input, key), .type = SP_KEY_TEXT, .unit = "",
     .doc = "What to set: foam_life, nozzles.rate, heaters[0].on"},
    {AT(sp_pond_input, nozzle), .type = SP_KEY_OPTION, .items = &nozzle_keys, .unit = "",
     .doc = "The nozzle to add"},
};
static const sp_keys input_keys = {"input", input_rows, COUNT(input_rows), sizeof(sp_pond_input)};

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
    {AT(sp_pond_def, vortex_model), .type = SP_KEY_CHOICE, .choices = models, .unit = "",
     .value = 0, .doc = "Strength from the slip, bounded, or from the raw velocity as in T07"},
    {AT(sp_pond_def, vortex_falloff), .type = SP_KEY_CHOICE, .choices = falloffs, .unit = "",
     .value = 0, .doc = "Blend to zero without divergence, or linearly as in T07"},
    {F32(sp_pond_def, fade_time), .unit = "s", .value = 0.6, RANGE(0, 5), .live = true,
     .doc = "How long a vortex outlives its bubble"},
    {AT(sp_pond_def, coalescence), .type = SP_KEY_BOOL, .unit = "", .value = 1, RANGE(0, 1),
     .live = true, .doc = "Whether bubbles merge"},
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
    {AT(sp_pond_def, foam_tension_model), .type = SP_KEY_CHOICE, .choices = tensions, .unit = "",
     .value = 0, .doc = "Attraction by pairs, or the colour field of T07"},
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
    // looks and room
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
    // what is in it
    {AT(sp_pond_def, nozzles), .type = SP_KEY_LIST,
     .count_offset = offsetof(sp_pond_def, nozzle_count), .items = &nozzle_keys, .unit = "",
     RANGE(0, SP_POND_MAX_NOZZLES), .doc = "Holes in the floor that let air out"},
    {AT(sp_pond_def, nozzle_fields), .type = SP_KEY_LIST,
     .count_offset = offsetof(sp_pond_def, nozzle_field_count), .items = &field_keys, .unit = "",
     RANGE(0, 64), .doc = "Many nozzles at once, spread over the floor"},
    {AT(sp_pond_def, heaters), .type = SP_KEY_LIST,
     .count_offset = offsetof(sp_pond_def, heater_count), .items = &heater_keys, .unit = "",
     RANGE(0, SP_POND_MAX_HEATERS), .doc = "Hot discs on the floor"},
    {AT(sp_pond_def, obstacles), .type = SP_KEY_LIST,
     .count_offset = offsetof(sp_pond_def, obstacle_count), .items = &obstacle_keys, .unit = "",
     RANGE(0, SP_POND_MAX_OBSTACLES), .doc = "Upright solids"},
    {AT(sp_pond_def, bubbles), .type = SP_KEY_LIST,
     .count_offset = offsetof(sp_pond_def, bubble_count), .items = &start_keys, .unit = "",
     RANGE(0, 1e6), .doc = "Bubbles that are there at the start"},
    {AT(sp_pond_def, input), .type = SP_KEY_LIST,
     .count_offset = offsetof(sp_pond_def, input_count), .items = &input_keys, .unit = "",
     RANGE(0, 1e6), .doc = "What was done to the pond while it ran, in ascending step"},
};
const sp_keys sp_pond_keys = {"pond", rows, COUNT(rows), sizeof(sp_pond_def)};

sp_pond_def sp_pond_defaults(void)
{
    sp_pond_def def;
    sp_keys_defaults(&sp_pond_keys, &def);
    def.seed = 1;
    def.cookie = POND_COOKIE;
    return def;
}
