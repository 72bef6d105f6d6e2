// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POND_INTERNAL_H
#define SP_POND_INTERNAL_H

/// Structures and functions shared by the files of the pond. T07 is Thuerey et al. 2007; P1 ... P24
/// are the equations of docs/pond.md.

#include "particles/particles.h"
#include "pond/bubbles/gather_neighbours.h"
#include "pond/pond.h"

#include <string.h>

/// What random numbers are for; never renumber, or every scene changes.
enum {
    POND_DRAW_RADIUS = 1,
    POND_DRAW_PLACE,
    POND_DRAW_FOAM,
    POND_DRAW_LIFE,
    POND_DRAW_MERGE,
    POND_DRAW_PHASE,
    POND_DRAW_SCATTER,
    POND_DRAW_TRACER,
    POND_DRAW_APART,
};

/// ---- Water -------------------------------------------------------------------------------------
/// Depth and ground are whole numbers of quanta. A flux leaves one cell and enters the next
/// exactly, so the sum of depths never changes. A row begins with one vector of halo. It ends with
/// padding to whole vectors, at least one cell, so that loops run over whole vectors and most loads
/// are aligned. One row of halo lies below the grid and one above:
///
///     cell (i, j) is at (j+1)*stride + POND_HALO + i
///     u[c] is the velocity through the west face of cell c, v[c] through its south face
///
/// Depths and velocities in halo and padding are zero and stay so.
enum { POND_HALO = SP_LANES, POND_ROW_UNIT = SP_LANES / 2 };
/// Put before a loop over a row. Rows are short. By default clang interleaves up to four vectors, and
/// does the rest of a row one cell at a time: with AVX2 the rest was more than half of the row.
#if defined(__clang__) && SP_PART > 4
#define POND_ROW_LOOP _Pragma("clang loop interleave(disable)")
#else
#define POND_ROW_LOOP
#endif
/// What is known of a row of cells, or of several: least and greatest depth in quanta, and the bits
/// of the fastest speed through west and south faces.
typedef struct pond_survey {
    int32_t low, high, fastest;
} pond_survey;
/// The rows one by one, with neutral values in POND_ROW_MARGIN rows below and above the grid. See
/// calm_rows.c.
enum { POND_ROW_MARGIN = 4 };
typedef enum pond_calmness { POND_WILD, POND_CALM, POND_CALM_AND_FLAT } pond_calmness;
typedef struct pond_row_surveys {
    int32_t *low, *high, *fastest; ///< after the last sub-step and the ring waves since
    int32_t *step, *step_still;    ///< quanta: the highest step of the ground; without obstacles
    int32_t *wave;                 ///< scratch of pond_water_substeps()
    uint8_t *calm;                 ///< pond_calmness in the sub-step under way
} pond_row_surveys;
typedef struct pond_water {
    int32_t nx, ny;
    size_t span;          ///< cells of a row in loops: nx and one face, rounded up to half vectors
    size_t stride, cells; ///< POND_HALO + span, and stride * (ny + 2)
    float dx, per_dx, quantum; ///< m, 1/m, m
    float width, height;       ///< m; of all cells
    int32_t *q, *b, *b_still;  ///< quanta: depth, ground with obstacles, ground without
    int32_t *eta_before;       ///< quanta: surface at the end of the last step
    float *u, *v;              ///< m/s
    float *eta_dot;            ///< m/s
    int32_t *u_sill, *v_sill;  ///< quanta: depth that opens a face; INT32_MAX at walls
    float h_max, speed_max;    ///< m, m/s; of the last step
    float gravity_factor;      ///< factor on gravity; below 1 only when sub-steps run out
    bool broken;               ///< a velocity was not finite
    int32_t rest;              ///< quanta
    bool level_still;          ///< the ground is level without obstacles
    bool level_ground;         ///< and there are none
    int64_t entered;           ///< quanta that came in through open sides
    float *band_rows;          ///< scratch of the bands, see shallow_water.c
    size_t band_floats, bands; ///< floats a band, number of bands
    int64_t *band_entered;     ///< one a band
    int32_t *row_numbers;      ///< memory of the arrays in `rows`
    uint8_t *row_flags;        ///< the same
    pond_row_surveys rows;
} pond_water;

/// ---- Particles ---------------------------------------------------------------------------------

typedef struct pond_bubbles {
    sp_particles set;          ///< owns the columns below, which never move
    float *px, *py, *pz;       ///< m
    float *ux, *uy, *uz;       ///< m/s
    float *sx, *sy, *sz;       ///< m/s; vortex strength
    float *r;                  ///< m; always derived from vol
    double *vol;               ///< m^3
    float *phase, *kick, *age; ///< rad, 1, s
    float *contact;            ///< s in touch with another bubble
    float *level, *bed;        ///< m; surface and ground at the last sample
    uint64_t *id;
} pond_bubbles;

/// Vortices that remain, fading, after their bubbles broke.
typedef struct pond_ghosts {
    sp_particles set;
    float *cx, *cy, *cz, *sx, *sy, *sz, *a, *left; ///< m, m/s, m, s
} pond_ghosts;

typedef struct pond_foam {
    sp_particles set;
    float *px, *py, *pz, *ux, *uy, *uz; ///< m, m/s
    float *r, *left, *life;             ///< m, s, s
    float *level;                       ///< m; surface at the last sample
    double *vol;                        ///< m^3
    uint64_t *id;
} pond_foam;

typedef struct pond_tracers {
    sp_particles set;
    float *px, *py, *pz;
} pond_tracers;

/// A block of particles: members and largest radius of each class; then where the block writes.
typedef struct pond_tally {
    uint32_t count[POND_CLASSES];
    float largest[POND_CLASSES], smallest; ///< m
} pond_tally;
/// Particles sorted by size class and cell, so that the search range depends on the class. Class l
/// holds radii up to `growth` times those of class l-1.
typedef struct pond_classes {
    sp_cells cells[POND_CLASSES];
    size_t count[POND_CLASSES], base[POND_CLASSES]; ///< members, and their first place in `member`
    float range[POND_CLASSES];                      ///< m
    uint32_t *member;   ///< particle index, sorted by class, then cell, then index
    uint32_t *unsorted; ///< particle index, sorted by class only
    uint8_t *class_of;  ///< class of each particle
    float *x, *y;       ///< positions by class, scratch of the sort
    pond_tally *tally;  ///< one a block of particles
} pond_classes;

/// Vortices in the order in which they are summed: bubbles first, then ghosts, sorted by `classes`.
typedef struct pond_sources {
    size_t count;
    float *cx, *cy, *cz, *sx, *sy, *sz, *a; ///< by source index
    float *sorted[8];                       ///< cx cy cz sx sy sz 1/a and index, in class order
    pond_classes classes;
} pond_sources;

/// ---- Things in the pond ------------------------------------------------------------------------

typedef struct pond_nozzle {
    sp_pond_nozzle def;
    float due; ///< bubbles due, below 1 after emission
} pond_nozzle;

typedef struct pond_heater {
    sp_pond_heater def;
    float x, y, due;
    bool moved_by_input; ///< its path is ignored
} pond_heater;

typedef struct pond_obstacle {
    sp_pond_obstacle def;
    float x, y, vx, vy;       ///< m, m/s
    float target_x, target_y; ///< m
    float cosine, sine;       ///< of its angle
    int shape;                ///< current shape; changes to def.shape when it has sunk
    float rise;               ///< current height, 0 to 1
    bool moved_by_input;
    int32_t box[4]; ///< cells whose ground it changes: i0, i1, j0, j1 (ends excluded)
} pond_obstacle;

/// A live number: of the def, of one object, or of all objects of a kind.
typedef struct pond_number {
    const sp_key *key;
    int32_t owner; ///< sp_pond_thing, or POND_WHOLE
    uint32_t index;
} pond_number;
enum { POND_WHOLE = -1 };
#define POND_ALL UINT32_MAX

/// A checked input call, from the queue or from the def's input.
typedef struct pond_command {
    sp_pond_act act;
    int32_t step;       ///< of the def's input
    uint32_t index;     ///< of the object
    float x, y;         ///< m
    double value;       ///< value to set; radius of a tap, m; volume of a splash, m^3
    pond_number number; ///< to set
    sp_pond_nozzle nozzle;
} pond_command;
enum { POND_MAX_COMMANDS = 1024, POND_MAX_EVENTS = 1024 };

/// Stages in the order of a step; the profile and step.c share it.
enum {
    STAGE_INPUT,
    STAGE_SOLIDS,
    STAGE_WATER,
    STAGE_EMIT,
    STAGE_SORT,
    STAGE_VORTEX,
    STAGE_MOVE,
    STAGE_MERGE,
    STAGE_SURFACE,
    STAGE_FOAM,
    STAGE_RETIRE,
    STAGE_PUBLISH,
    STAGE_COUNT
};

struct sp_pond {
    sp_host own_host; ///< used when the caller gives no host
    const sp_host *host;
    sp_pond_def def;
    double time;
    uint64_t frame, seed, next_id;
    double gas_in, gas_out; ///< m^3
    pond_water water;
    pond_bubbles bubbles;
    pond_ghosts ghosts;
    pond_foam foam;
    pond_tracers tracers;
    pond_sources sources;
    pond_classes contacts; ///< bubbles sorted for merging
    sp_cells target_cells; ///< points at which vortices are summed
    sp_cells foam_cells;
    float *foam_sorted[9]; ///< px py pz ux uy uz r pressure index, in cell order
    float *wx, *wy, *wz;   ///< m/s; water velocity at each bubble, vortices included
    float *vx, *vy, *vz;   ///< m/s; the same without vortices
    float *ax, *ay, *az;   ///< m/s^2 of foam
    float *density;        ///< 1/m^3 of foam, in sorted order
    float *color[4];       ///< normal and Laplacian of the colour field
    uint8_t *gone;
    uint64_t *pairs;          ///< merge candidates, (smaller index << 32) + larger
    uint32_t *partners;       ///< up to POND_PARTNERS for each bubble
    uint8_t *partner_count;   ///< one a bubble
    float *contact_sorted[5]; ///< px py pz r index, in the order of `contacts`
    double arrived;           ///< bubbles that reached the surface, for the mean below
    float foam_size;          ///< m; running mean diameter of these bubbles
    float size_now;           ///< m; foam_size, clamped and fixed for this step
    pond_nozzle *nozzles;
    size_t nozzle_count, nozzle_capacity;
    pond_heater heaters[SP_POND_MAX_HEATERS];
    pond_obstacle obstacles[SP_POND_MAX_OBSTACLES];
    void *lists;            ///< copies of the def's lists and paths
    pond_command *commands; ///< POND_MAX_COMMANDS
    size_t command_count;
    pond_command *script;  ///< the def's input
    size_t script_next;    ///< the first command that has not acted yet
    bool solids_changed;   ///< size or angle of an obstacle changed: rebuild the ground
    sp_pond_event *events; ///< POND_MAX_EVENTS
    size_t event_count;
    sp_pond_stats stats;
    sp_profile profile;
    sp_pond_view view;
    uint64_t drawn; ///< frame + 1 of `view`
    float *level, *depth;
    int8_t *normal;
    float *bubble_instances, *foam_instances, *vortex_instances, *tracer_instances;
    float *ground, *nozzle_instances;
    float heater_instances[8 * SP_POND_MAX_HEATERS], obstacle_instances[8 * SP_POND_MAX_OBSTACLES];
    bool ground_drawn;   ///< `ground` is filled; the floor never changes
    float *surface_rows; ///< scratch of draw.c
};

enum { POND_PARTNERS = 8 };
/// Particles a task in loops over particles; a whole number of vectors. Fewer use one thread.
enum { POND_GRAIN = 2048 };

/// initial_state.c
void pond_start(sp_pond *pond); ///< places water, objects and first bubbles

/// check_def.c, copy_def.c
sp_status pond_check_def(const sp_pond_def *def, sp_error *err);
float pond_highest(const sp_pond_def *def); ///< m; maximum of ground and water at the start
size_t pond_count_nozzles(const sp_pond_def *def);
bool pond_copy_lists(sp_pond *pond, const sp_pond_def *def);
void pond_copy_nozzles(sp_pond *pond, const sp_pond_def *def);

/// draw.c, domes.c
size_t pond_draw_floats(const sp_pond *pond); ///< scratch of draw.c, in floats
void pond_add_domes(sp_pond *pond);

/// ground.c: the bed, and obstacles, which are moving parts of the bed
void pond_lay_ground(sp_pond *pond);
void pond_rebuild_ground(sp_pond *pond);   ///< from b_still and the obstacles
void pond_turn_obstacle(pond_obstacle *o); ///< cosine and sine of its angle
void pond_move_solids(sp_pond *pond, double t, float dt);
/// Signed distance (m) to an obstacle's outline, and the outward normal there.
float pond_obstacle_distance(const pond_obstacle *o, float x, float y, float *nx, float *ny);
/// Pushes particles [begin, end) out of every obstacle, as if their radius were share*r; they then
/// slide along the outline.
void pond_push_out(const sp_pond *pond, size_t begin, size_t end, float share, const float *r,
                   float *x, float *y, float *ux, float *uy);

/// shallow_water.c: P1, P2
void pond_water_substep(sp_pond *pond, float tau);
size_t pond_water_band_floats(size_t stride);
size_t pond_water_bands(int32_t ny);

/// calm_rows.c
size_t pond_row_numbers(int32_t ny); ///< entries of pond_water.row_numbers and of row_flags
void pond_lay_out_rows(pond_water *w);
void pond_water_survey(pond_water *w);  ///< recomputes the survey of every row
void pond_ground_survey(pond_water *w); ///< finds the steps of the ground without obstacles
/// Obstacles reach rows first ... end - 1, or no longer do.
void pond_obstruct_rows(pond_water *w, int32_t first, int32_t end, bool obstructed);
pond_survey pond_water_found(const pond_water *w); ///< of all rows together
bool pond_water_is_flat(const pond_water *w);      ///< level ground, no obstacle, no shore
void pond_mark_calm_rows(pond_water *w, float lambda, bool open);

/// water_step.c: once a step
int pond_water_substeps(sp_pond *pond, float dt);  ///< by the CFL condition, not capped
void pond_water_finish(sp_pond *pond, float dt);   ///< eta_dot and the maxima of the step
void pond_water_slow(sp_pond *pond, float factor); ///< scales every velocity

/// water_at_points.h (the samples), water_at_points.c: P3
typedef struct pond_flow {
    float level, bed, vx, vy, eta_dot; ///< m, m, m/s: at the surface
} pond_flow;
/// The same for the particles at sorted places [begin, end) of `cells`; the arrays are indexed by
/// particle.
typedef struct pond_flows {
    float *level, *bed, *vx, *vy, *eta_dot;
} pond_flows;
void pond_flow_many(const pond_water *w, const sp_cells *cells, size_t begin, size_t end,
                    const float *x, const float *y, pond_flows out);
/// P3: the water's velocity at depth.
sp_vec3 pond_velocity_at(const sp_pond *pond, const pond_flow *flow, float z);

/// emitters.c
void pond_emit(sp_pond *pond, float dt);
size_t pond_add_bubble(sp_pond *pond, float x, float y, float z, float r,
                       float uz); ///< SIZE_MAX when full

/// size_classes.c
sp_status pond_classes_open(pond_classes *c, const sp_host *host, size_t capacity, size_t cells,
                            sp_error *err);
void pond_classes_close(pond_classes *c, const sp_host *host);
size_t pond_classes_bytes(size_t capacity); ///< without the cells
/// Cells over the whole pond, no smaller than `range` and at most four a particle, because empty
/// cells cost time.
void pond_shape_cells(sp_cells *cells, const pond_water *w, float range, size_t n);
void pond_classes_sort(pond_classes *c, const sp_pond *pond, size_t n, const float *x,
                       const float *y, const float *r, float growth, float reach);

/// Candidates are the members of class `smallest` and all larger ones.
void pond_reach_classes(pond_gathering *g, const pond_classes *c, int smallest);

/// vortices.c: P4 - P7
void pond_gather_sources(sp_pond *pond);
void pond_vortex_sums(sp_pond *pond, size_t n, const float *x, const float *y, const float *z,
                      bool skip_self, float *wx, float *wy, float *wz);
/// Centre of the vortex of bubble i: behind the bubble, which sits at the vortex's front.
sp_vec3 pond_vortex_centre(const sp_pond *pond, size_t i);
/// One vortex at one point, in double: the reference for tests of the sums. y is (x - c)/a.
void pond_hill(const double y[3], const double s[3], bool solenoidal, double u[3]);

/// spatial_order.c
void pond_keep_spatial_order(sp_pond *pond);

/// rise.c: P3, P7 - P11
void pond_move_bubbles(sp_pond *pond, float dt);
void pond_move_tracers(sp_pond *pond, float dt);
float pond_terminal_speed(const sp_pond_def *def, float r);

/// merge.c: P12
void pond_merge(sp_pond *pond, float dt);

/// reach_surface.c: P13 - P15
void pond_break_bubbles(sp_pond *pond);
void pond_ring_wave(sp_pond *pond, float x, float y, float r, double volume);
void pond_add_event(sp_pond *pond, sp_pond_event_kind kind, float x, float y, float z, float r);

/// foam.c: P16 - P24
void pond_add_foam(sp_pond *pond, size_t bubble);
void pond_step_foam(sp_pond *pond, float dt);

/// pop_foam.c
void pond_retire(sp_pond *pond, float dt);
int pond_pop_foam(sp_pond *pond, float x, float y, float radius);

/// moving_path.c
void pond_path_at(const sp_pond_path *path, float x0, float y0, double t, float *x, float *y);

/// numbers_by_name.c: live numbers by their scene keys
sp_status pond_find_number(const sp_pond *pond, const char *words, pond_number *out, sp_error *err);
/// The struct that holds the number; `index` selects the object where the number belongs to one.
void *pond_number_owner(sp_pond *pond, const pond_number *number, size_t index);
size_t pond_thing_count(const sp_pond *pond, int32_t owner);

/// input_queue.c
void pond_apply_input(sp_pond *pond);
sp_status pond_read_script(sp_pond *pond, const sp_pond_def *def, sp_error *err);
void pond_find_script(sp_pond *pond); ///< the next command, after `frame` was set

/// step.c
double pond_radius(double volume); ///< m from m^3; every r is computed from vol with it

static inline double pond_volume(float r)
{
    return 4.0 / 3.0 * SP_PI_D * (double)r * (double)r * (double)r;
}
static inline float pond_smooth(float t) ///< t^2 (3 - 2t) with t clamped to [0, 1]
{
    t = sp_clamp(t, 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
/// The bits of |u|. They are ordered like the values, and an integer maximum vectorises.
static inline int32_t pond_speed_bits(float u)
{
    int32_t bits;
    memcpy(&bits, &u, sizeof bits);
    return bits & INT32_MAX;
}
static inline float pond_from_bits(int32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline size_t pond_cell(const pond_water *w, int32_t i, int32_t j)
{
    return (size_t)(j + 1) * w->stride + (size_t)(POND_HALO + i);
}

#include "pond/water/water_at_points.h"

#endif
