// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_POND_H
#define SPUME_POND_H

#include <spume/api.h>
#include <spume/heights.h>
#include <spume/host.h>
#include <spume/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A pond in real time: shallow water, bubbles that carry vortices, and floating foam (Thuerey, Sadlo,
/// Schirm, Mueller-Fischer and Gross 2007; docs/pond.md lists the equations and our corrections).
/// SI units; z is up; the pond covers [0, nx*dx] x [0, ny*dx].
///
/// A pond allocates only when it is opened. Input calls are queued and act at the start of the next step,
/// so repeating the same calls between the same steps replays a session exactly.
typedef struct sp_pond sp_pond;

/// A circle about the start position, one turn in `period` seconds.
typedef struct sp_pond_circle {
    float radius; ///< m
    float period; ///< s; negative turns clockwise seen from above
} sp_pond_circle;

/// Position (x, y) at time t. Linear between keyframes, constant before the first and after the last.
typedef struct sp_pond_keyframe {
    float t, x, y; ///< s, m, m
} sp_pond_keyframe;

/// How a heater or an obstacle moves by itself: a circle or keyframes, not both.
typedef struct sp_pond_path {
    const sp_pond_circle *circle;
    const sp_pond_keyframe *keyframes; ///< in ascending t
    size_t keyframe_count;
    bool repeat; ///< keyframes start again after the last one
} sp_pond_path;

/// A hole in the floor that lets air out.
typedef struct sp_pond_nozzle {
    float x, y, z; ///< m; z is height above the ground
    float rate;    ///< bubbles a second
    float radius;  ///< m; the median bubble
    float spread;  ///< log-normal standard deviation of the radius
    float jitter;  ///< m; bubbles start anywhere in a disc of this radius
    float speed;   ///< m/s, upward at the start
    bool on;
} sp_pond_nozzle;

/// Many nozzles at once: columns x rows of them spread evenly over the floor, or scattered at random.
typedef struct sp_pond_nozzle_field {
    int32_t columns, rows; ///< along x and y
    bool scattered;        ///< the same number, at random places instead of on the grid
    float rate, radius, spread, jitter, speed; ///< of each, as in sp_pond_nozzle
} sp_pond_nozzle_field;

/// A hot disc on the floor; bubbles start anywhere on it.
typedef struct sp_pond_heater {
    float x, y, radius;  ///< m
    float rate;          ///< bubbles a second
    float bubble_radius; ///< m; the median bubble
    float spread;        ///< log-normal standard deviation of the bubble's radius
    bool on;
    const sp_pond_path *path; ///< NULL: stays, unless moved by sp_pond_move
} sp_pond_heater;

typedef enum sp_pond_shape {
    SP_POND_CYLINDER,
    SP_POND_BOX,
    SP_POND_CAPSULE,
    SP_POND_NONE, ///< no obstacle yet: setting another shape while the pond runs makes it grow
} sp_pond_shape;

/// An upright solid that reaches from the floor to just above the still water. When its shape changes
/// while the pond runs, the old one sinks and the new one grows, 0.3 s each.
typedef struct sp_pond_obstacle {
    int shape;    ///< sp_pond_shape
    float x, y;   ///< m; its centre
    float size;   ///< m; radius of a cylinder or capsule, half width of a box
    float length; ///< m; half length of a box or capsule along its angle
    float angle;  ///< degrees, counter-clockwise
    const sp_pond_path *path;
} sp_pond_obstacle;

typedef enum sp_pond_act {
    SP_POND_SET,           ///< sp_pond_set(key, value)
    SP_POND_MOVE_HEATER,   ///< sp_pond_move(index, x, y)
    SP_POND_MOVE_OBSTACLE, ///< the same
    SP_POND_MOVE_NOZZLE,   ///< the same
    SP_POND_ADD_NOZZLE,    ///< sp_pond_add_nozzle(nozzle)
    SP_POND_REMOVE_NOZZLE, ///< sp_pond_remove_nozzle(index)
    SP_POND_TAP,           ///< sp_pond_tap(x, y, value)
    SP_POND_SPLASH,        ///< sp_pond_splash(x, y, value)
} sp_pond_act;

/// An input call and when it acts. A list of them replays a session bit for bit.
typedef struct sp_pond_input {
    int32_t step;                 ///< steps taken before it acts
    int act;                      ///< sp_pond_act
    int32_t index;                ///< of the thing
    float x, y;                   ///< m
    double value;                 ///< of the key; m of a tap's radius; m^3 of a splash
    const char *key;              ///< as sp_pond_set takes it; NULL otherwise
    const sp_pond_nozzle *nozzle; ///< the new one; NULL otherwise
} sp_pond_input;

/// A bubble that is there from the start.
typedef struct sp_pond_start {
    float x, y, z, radius; ///< m
} sp_pond_start;

enum { SP_POND_REFLECT, SP_POND_OPEN };               ///< sides
enum { SP_POND_BOUNDED, SP_POND_PAPER };              ///< vortex_model
enum { SP_POND_SOLENOIDAL, SP_POND_LINEAR };          ///< vortex_falloff
enum { SP_POND_TENSION_PAIR, SP_POND_TENSION_COLOR }; ///< foam_tension_model
enum { SP_POND_MAX_HEATERS = 8, SP_POND_MAX_OBSTACLES = 8, SP_POND_MAX_NOZZLES = 32768 };

/// Start from sp_pond_defaults() and change what you need. Names, units and ranges are those of
/// the scene keys: `spume schema` and docs/scene.md list them all.
typedef struct sp_pond_def {
    size_t struct_size; ///< as in sp_host
    int32_t nx, ny;     ///< cells
    float dx;           ///< m; edge of a cell
    float rest_level;   ///< m; still-water level
    sp_heights ground;  ///< m
    float ground_scale; ///< multiplies ground values that come from a picture
    float gravity;      ///< m/s^2, positive; acts along -z
    int boundary[4];    ///< west, east, south, north: SP_POND_REFLECT or SP_POND_OPEN
    float cfl;          ///< share of a cell a wave may cross in one water sub-step
    int32_t sw_min_substeps, sw_max_substeps; ///< a frame
    float bed_friction;                       ///< quadratic, dimensionless
    float surface_damping;                    ///< m^2/s; how fast ripples fade
    float dt_frame;                           ///< s; longest step taken at once
    int32_t particle_substeps;                ///< a frame
    float depth_decay; ///< m; e-folding depth of the water's velocity; 0 is uniform
    float buoyancy, added_mass;
    float water_density, surface_tension, viscosity; ///< kg/m^3, N/m, m^2/s
    float vortex_ratio;                              ///< vortex radius over bubble radius
    float vortex_strength;                           ///< multiplies every vortex
    float vortex_lag;                                ///< in vortex radii over terminal speeds
    int vortex_model, vortex_falloff;
    float fade_time; ///< s; how long a vortex outlives its bubble
    bool coalescence;
    float merge_delay; ///< s of contact before two bubbles merge
    float merge_probability;
    float foam_probability;
    float foam_life;    ///< s, mean
    float foam_tension; ///< m/s^2
    int foam_tension_model;
    float foam_stiffness;  ///< m/s^2
    float foam_sound;      ///< m/s
    float foam_sink;       ///< in radii
    float foam_float_time; ///< s
    float foam_drag_time;  ///< s
    float wall_adhesion;   ///< m/s^2
    float wobble;          ///< drawing only
    int32_t max_bubbles, max_foam, max_ghosts;
    float obstacle_speed_max; ///< m/s
    int32_t render_scale;     ///< drawn vertices per cell edge: 1, 2 or 4
    int32_t tracers;          ///< passive markers that move with the water
    const sp_pond_nozzle *nozzles;
    size_t nozzle_count;
    const sp_pond_nozzle_field *nozzle_fields;
    size_t nozzle_field_count;
    const sp_pond_heater *heaters;
    size_t heater_count;
    const sp_pond_obstacle *obstacles;
    size_t obstacle_count;
    const sp_pond_start *bubbles; ///< bubbles that are there at the start
    size_t bubble_count;
    const sp_pond_input *input; ///< input calls to replay, in ascending step
    size_t input_count;
    float dam;       ///< m; 0, or where still water ends: x below it holds rest_level
    float dam_level; ///< m; the level beyond the dam
    uint64_t seed;   ///< in scenes this is the scene's own key
} sp_pond_def;

SP_API sp_pond_def sp_pond_defaults(void);

/// The host may be NULL for the default one. The def and its lists are copied. On failure *out is NULL,
/// nothing is left allocated, and err names the key and what is allowed.
SP_API sp_status sp_pond_open(const sp_pond_def *def, const sp_host *host, sp_pond **out,
                              sp_error *err);
/// Advances exactly to time t_end (s), which must not lie in the past. More than dt_frame ahead is cut
/// into equal steps. On failure the last good state stays readable.
SP_API sp_status sp_pond_step(sp_pond *pond, double t_end, sp_error *err);
/// Back to the start, with the parameters as they are now and the queue empty.
SP_API sp_status sp_pond_reset(sp_pond *pond, sp_error *err);
SP_API void sp_pond_close(sp_pond *pond); ///< NULL is allowed

/// ---- Input. Each call queues; SP_FULL when 1024 calls are waiting. Numbers that are not finite and
/// indices that do not exist are refused with SP_BAD_INPUT and change nothing. Kept together with the number
/// of steps taken, the calls are the `input` of a def that replays them.

/// Sets a live parameter by its scene key: "foam_life"; "nozzles.rate" for all nozzles and
/// "nozzles[3].rate" for one; likewise heaters and obstacles. A word is its index: "obstacles[0].shape"
/// takes an sp_pond_shape.
SP_API sp_status sp_pond_set(sp_pond *pond, const char *key, double value, sp_error *err);
/// Reads a number by the same keys, live or not, as it is now; of all nozzles, the first one's.
SP_API sp_status sp_pond_get(const sp_pond *pond, const char *key, double *value, sp_error *err);
typedef enum sp_pond_thing { SP_POND_HEATER, SP_POND_OBSTACLE, SP_POND_NOZZLE } sp_pond_thing;
/// Moves a heater, obstacle or nozzle; its path, if it has one, ends here. An obstacle follows at its own speed limit.
SP_API sp_status sp_pond_move(sp_pond *pond, sp_pond_thing thing, size_t index, float x, float y,
                              sp_error *err);
/// SP_FULL when there are already 256 more than at open.
SP_API sp_status sp_pond_add_nozzle(sp_pond *pond, const sp_pond_nozzle *nozzle, sp_error *err);
SP_API sp_status sp_pond_remove_nozzle(sp_pond *pond, size_t index, sp_error *err);
/// Pops the foam within `radius` of (x, y); 0 means one and a half foam bubbles. Without foam there, it makes
/// the wave of a 10 mm bubble.
SP_API sp_status sp_pond_tap(sp_pond *pond, float x, float y, float radius, sp_error *err);
/// A ring wave as from a breaking bubble of `volume` m^3.
SP_API sp_status sp_pond_splash(sp_pond *pond, float x, float y, float volume, sp_error *err);

/// ---- Output. All pointers stay valid until the next step, reset or close.

/// Surface level and water velocity at n points; floats a boat. Points outside are taken at the edge.
typedef struct sp_pond_flow {
    float level;      ///< m; of the water surface (of the ground where it is dry)
    float depth;      ///< m; 0 where it is dry
    float vx, vy, vz; ///< m/s at the surface
} sp_pond_flow;
SP_API void sp_pond_sample(const sp_pond *pond, size_t n, const float *xy, sp_pond_flow *out);

typedef enum sp_pond_event_kind { SP_POND_POP, SP_POND_MERGE, SP_POND_BREAK } sp_pond_event_kind;
/// For sound and effects: foam popped, two bubbles merged, a bubble broke through the surface.
typedef struct sp_pond_event {
    sp_pond_event_kind kind;
    float x, y, z, radius; ///< m
} sp_pond_event;
/// What happened during the last sp_pond_step; at most 1024 are kept.
SP_API const sp_pond_event *sp_pond_events(const sp_pond *pond, size_t *count);

typedef struct sp_pond_stats {
    uint64_t frame; ///< steps taken
    double time;    ///< s
    uint32_t bubbles, foam, ghosts, nozzles;
    uint32_t substeps;      ///< of water in the last step
    uint32_t limited;       ///< times the water was too fast for sw_max_substeps
    uint32_t softened;      ///< ring waves that were weakened to keep half the depth
    uint32_t held;          ///< bubbles not emitted because the limit was reached
    uint32_t vortex_clamps; ///< bubbles whose vortex velocity was clamped in the last step
    int64_t water_quanta;   ///< sum of depths; water_quanta - water_in_quanta never changes
    int64_t water_in_quanta;
    double quantum;                                 ///< m; one quantum of depth
    double water_m3, gas_in_m3, gas_out_m3, gas_m3; ///< gas_in = gas + gas_out
} sp_pond_stats;
SP_API sp_pond_stats sp_pond_statistics(const sp_pond *pond);

/// Seconds spent in a stage since the pond was opened; NULL past the last stage.
SP_API const char *sp_pond_stage(const sp_pond *pond, int stage, double *seconds);

/// What there is to draw, without copies. Bump SP_POND_VIEW_VERSION when the layout changes.
enum { SP_POND_VIEW_VERSION = 2 };
typedef struct sp_pond_view {
    uint32_t version;
    uint32_t width, height; ///< vertices: nx*render_scale + 1, ny*render_scale + 1
    float spacing;          ///< m between vertices
    const float *level;     ///< m; surface with the domes of near bubbles
    const float *depth;     ///< m; 0 where dry (below 1 mm)
    const int8_t *normal;   ///< 4 a vertex: x, y, z times 127, and 127 where wet
    uint32_t bubble_count, foam_count, vortex_count, tracer_count;
    const float *bubbles;  ///< 8 each: x, y, z, radius, axis x, y, z, stretch
    const float *foam;     ///< 8 each: x, y, base z, radius, tilt x, y, alpha, age fraction
    const float *vortices; ///< 8 each: x, y, z, radius, strength x, y, z, fade
    const float *tracers;  ///< 3 each
    uint32_t heater_count, obstacle_count, nozzle_count;
    const float *ground;  ///< m; a vertex each: the floor without obstacles
    const float *heaters; ///< 8 each: x, y, floor z, radius, 1 when on, rate, bubble radius, 0
    const float
        *obstacles; ///< 8 each: x, y, top z, size, length, cosine and sine of its angle, shape
    const float *nozzles; ///< 4 each: x, y, z, and 1 on, 0 off, -1 on dry ground
} sp_pond_view;
/// Updates the view to the last step and returns it, without the parts that the next two functions add.
SP_API const sp_pond_view *sp_pond_draw(sp_pond *pond);
/// The same with ground, heaters, obstacles and nozzles, for pictures that show what makes the bubbles.
SP_API const sp_pond_view *sp_pond_draw_things(sp_pond *pond);
/// The same with vortices and tracers, for debug views.
SP_API const sp_pond_view *sp_pond_draw_vortices(sp_pond *pond);

/// ---- State.

/// Equal states have equal hashes, on every machine and for every number of threads.
SP_API uint64_t sp_pond_hash(const sp_pond *pond);
/// Bytes needed when `buffer` is NULL or too small; else bytes written.
SP_API size_t sp_pond_save(const sp_pond *pond, void *buffer, size_t capacity);
/// Restores a state saved by a pond opened from the same def; it continues bit for bit. On failure the pond is
/// unchanged.
SP_API sp_status sp_pond_load(sp_pond *pond, const void *bytes, size_t count, sp_error *err);
/// Bytes that sp_pond_open will ask of the host for this def; 0 for a def that it refuses.
SP_API uint64_t sp_pond_bytes(const sp_pond_def *def);

#ifdef __cplusplus
}
#endif
#endif
