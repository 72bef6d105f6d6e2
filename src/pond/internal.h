// SPDX-License-Identifier: Apache-2.0
#ifndef SP_POND_INTERNAL_H
#define SP_POND_INTERNAL_H

/// The pond's own structures. T07 is Thuerey et al. 2007; P1 ... P24 are the equations of
/// docs/pond.md.

#include "particles/particles.h"
#include "pond/bubbles/gather_neighbours.h"
#include "pond/pond.h"

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
/// Depth and ground are whole numbers of quanta, so what leaves one cell enters the next to the bit
/// and the sum of depths never changes. A row begins with a
/// vector of halo and ends with padding to whole vectors, one cell at least, so that loops run over
/// whole vectors and most loads are aligned; a row of halo lies below and above:
///
///     cell (i, j) is at (j+1)*stride + POND_HALO + i
///     u[c] is the velocity through the west face of cell c, v[c] through its south face
///
/// Depths and velocities in halo and padding are zero and stay so.
enum { POND_HALO = SP_LANES, POND_ROW_UNIT = SP_LANES / 2 };
/// What a sub-step found: the least and the greatest depth in quanta, and the bits of the fastest speed.
typedef struct pond_survey {
    int32_t low, high, fastest;
} pond_survey;
typedef struct pond_water {
    int32_t nx, ny;
    size_t span; ///< cells of a row that loops run over: nx and one face, in whole half vectors
    size_t stride, cells;      ///< POND_HALO + span, and stride * (ny + 2)
    float dx, per_dx, quantum; ///< m, 1/m, m
    int32_t *q, *b, *b_still;  ///< quanta: depth, ground with obstacles, ground without
    int32_t *eta_before;       ///< quanta: surface at the end of the last step
    float *u, *v;              ///< m/s
    float *eta_dot;            ///< m/s
    int32_t *u_sill, *v_sill;  ///< quanta: depth at which a face of a row opens; walls never do
    float h_max, speed_max;    ///< m, m/s; of the last step
    float pull;       ///< share of gravity that waves feel; below 1 only when sub-steps run out
    bool broken;      ///< a velocity was not finite
    int32_t rest;     ///< quanta
    int64_t entered;  ///< quanta that came in through open sides
    float *band_rows; ///< what a band of rows keeps while it sweeps; see shallow_water.c
    size_t band_floats, bands; ///< floats a band, number of bands
    int64_t *band_entered;     ///< one a band
    pond_survey *band_found;   ///< one a band
    pond_survey found;         ///< after the last sub-step; see pond_water_survey()
    int32_t roughness;         ///< quanta: the highest step of the ground between two cells
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
    float *level, *bed;        ///< m; surface and ground where it was last looked at
    uint64_t *id;
} pond_bubbles;

/// Vortices of bubbles that are gone, fading.
typedef struct pond_ghosts {
    sp_particles set;
    float *cx, *cy, *cz, *sx, *sy, *sz, *a, *left; ///< m, m/s, m, s
} pond_ghosts;

typedef struct pond_foam {
    sp_particles set;
    float *px, *py, *pz, *ux, *uy, *uz; ///< m, m/s
    float *r, *left, *life;             ///< m, s, s
    float *level;                       ///< m; surface where it was last looked at
    double *vol;                        ///< m^3
    uint64_t *id;
} pond_foam;

typedef struct pond_tracers {
    sp_particles set;
    float *px, *py, *pz;
} pond_tracers;

/// Particles sorted by size class and column, so that a search reaches no further than the size of what it
/// looks for. Class l holds radii up to `growth` times those of class l-1.
typedef struct pond_classes {
    sp_cells cells[POND_CLASSES];
    size_t count[POND_CLASSES], base[POND_CLASSES]; ///< members, and where they begin in `member`
    float range[POND_CLASSES];                      ///< m
    uint32_t *member;   ///< particle index, sorted by class, then cell, then index
    uint32_t *unsorted; ///< the same before cells
    uint8_t *kind;      ///< class of each particle
    float *x, *y;       ///< by class, while it is sorted
} pond_classes;

/// Vortices as the sums read them: bubbles first, then ghosts, in the order of `classes`.
typedef struct pond_sources {
    size_t count;
    float *cx, *cy, *cz, *sx, *sy, *sz, *a; ///< by source index
    float *sorted[8];                       ///< cx cy cz sx sy sz 1/a and index, in class order
    pond_classes classes;
} pond_sources;

/// ---- Things in the pond ------------------------------------------------------------------------

typedef struct pond_nozzle {
    sp_pond_nozzle def;
    float due; ///< bubbles owed, below 1 once emitted
} pond_nozzle;

typedef struct pond_heater {
    sp_pond_heater def;
    float x, y, due;
    bool led; ///< moved by hand: its path no longer counts
} pond_heater;

typedef struct pond_obstacle {
    sp_pond_obstacle def;
    float x, y, vx, vy;       ///< m, m/s
    float target_x, target_y; ///< m
    float cosine, sine;       ///< of its angle
    int shape;                ///< what stands there now, until it has sunk; def.shape is what shall
    float rise;               ///< 0 to 1: how far it has grown
    bool led;
    int32_t box[4]; ///< cells that its ground reaches: i0, i1, j0, j1 (ends excluded)
} pond_obstacle;

/// Where a live number lies: in the def, in one thing of a kind, or in all of them.
typedef struct pond_number {
    const sp_key *key;
    int32_t owner; ///< sp_pond_thing, or POND_WHOLE
    uint32_t index;
} pond_number;
enum { POND_WHOLE = -1 };
#define POND_ALL UINT32_MAX

/// An input call, checked: queued, or part of the def's input.
typedef struct pond_command {
    sp_pond_act act;
    int32_t step;       ///< of the def's input
    uint32_t index;     ///< of the thing
    float x, y;         ///< m
    double value;       ///< of the number; radius of a tap, m; volume of a splash, m^3
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
    sp_host own_host; ///< when none was given
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
    float *foam_sorted[9]; ///< px py pz ux uy uz pressure r index, in cell order
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
    float foam_size;          ///< m; running mean diameter of those
    float size_now;           ///< m; the same, clamped and frozen for this step
    pond_nozzle *nozzles;
    size_t nozzle_count, nozzle_capacity;
    pond_heater heaters[SP_POND_MAX_HEATERS];
    pond_obstacle obstacles[SP_POND_MAX_OBSTACLES];
    void *lists;            ///< copies of the def's lists and paths
    pond_command *commands; ///< POND_MAX_COMMANDS
    size_t command_count;
    pond_command *script;  ///< the def's input
    size_t script_next;    ///< the first that has not acted yet
    bool solids_changed;   ///< an obstacle was given another size or angle: the ground is old
    sp_pond_event *events; ///< POND_MAX_EVENTS
    size_t event_count;
    sp_pond_stats stats;
    sp_profile profile;
    sp_pond_view view;
    uint64_t drawn; ///< frame + 1 that `view` shows
    float *level, *depth;
    int8_t *normal;
    float *bubble_instances, *foam_instances, *vortex_instances, *tracer_instances;
    float *ground, *nozzle_instances;
    float heater_instances[8 * SP_POND_MAX_HEATERS], obstacle_instances[8 * SP_POND_MAX_OBSTACLES];
    bool ground_drawn;   ///< it never changes
    float *surface_rows; ///< scratch of draw.c
};

enum { POND_PARTNERS = 8 };

/// initial_state.c
void pond_start(sp_pond *pond); ///< puts water, things and first bubbles in place

/// check_def.c, copy_def.c
sp_status pond_check_def(const sp_pond_def *def, sp_error *err);
float pond_highest(const sp_pond_def *def); ///< m; of ground and water at the start
size_t pond_count_nozzles(const sp_pond_def *def);
bool pond_copy_lists(sp_pond *pond, const sp_pond_def *def);
void pond_copy_nozzles(sp_pond *pond, const sp_pond_def *def);

/// draw.c
size_t pond_draw_floats(const sp_pond *pond); ///< scratch that drawing wants

/// ground.c: the bed, and obstacles as bed that moves
void pond_lay_ground(sp_pond *pond);
void pond_rebuild_ground(sp_pond *pond);   ///< from the still ground and where the obstacles are
void pond_turn_obstacle(pond_obstacle *o); ///< after its angle was set
void pond_move_solids(sp_pond *pond, double t, float dt);
/// Signed distance (m) to an obstacle's outline, and the outward normal there.
float pond_obstacle_distance(const pond_obstacle *o, float x, float y, float *nx, float *ny);
/// Pushes a particle of radius r out of every obstacle and lets it slide along.
void pond_push_out(const sp_pond *pond, float r, float *x, float *y, float *ux, float *uy);

/// shallow_water.c: P1, P2
void pond_water_substep(sp_pond *pond, float tau);
int pond_water_substeps(const sp_pond *pond, float dt); ///< as the stability rule wants, uncapped
void pond_water_finish(sp_pond *pond, float dt);        ///< eta_dot and the maxima of the step
void pond_water_slow(sp_pond *pond, float factor);      ///< scales every velocity
void pond_water_survey(pond_water *w);                  ///< after depths were set from outside
size_t pond_water_band_floats(size_t stride);
size_t pond_water_bands(int32_t ny);

/// water_at_points.h (the samples), water_at_points.c: P3
typedef struct pond_flow {
    float level, bed, vx, vy, eta_dot; ///< m, m, m/s: at the surface
} pond_flow;
/// The same for particles at the sorted places [begin, end) of some cells, into arrays by particle.
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
/// Cells over the whole pond, no smaller than `range` and at most four a particle: empty ones cost
/// time too.
void pond_shape_cells(sp_cells *cells, const pond_water *w, float range, size_t n);
void pond_classes_sort(pond_classes *c, const sp_pond *pond, size_t n, const float *x,
                       const float *y, const float *r, float growth, float reach);

/// Candidates are the members of class `smallest` and all larger ones.
void pond_reach_classes(pond_gathering *g, const pond_classes *c, int smallest);

/// vortices.c: P4 - P7
void pond_gather_sources(sp_pond *pond);
void pond_vortex_sums(sp_pond *pond, size_t n, const float *x, const float *y, const float *z,
                      bool skip_self, float *wx, float *wy, float *wz);
/// Where the vortex of bubble i sits: behind it, with the bubble at its front.
sp_vec3 pond_vortex_centre(const sp_pond *pond, size_t i);
/// One vortex at one point, in double; what the sums are tested against. y is (x - c)/a.
void pond_hill(const double y[3], const double s[3], bool solenoidal, double u[3]);

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
void pond_retire(sp_pond *pond, float dt);
int pond_pop_foam(sp_pond *pond, float x, float y, float radius);

/// moving_path.c
void pond_path_at(const sp_pond_path *path, float x0, float y0, double t, float *x, float *y);

/// numbers_by_name.c: live numbers by their scene keys
sp_status pond_find_number(const sp_pond *pond, const char *words, pond_number *out, sp_error *err);
/// The struct that holds the number: of thing `index`, if it has an index.
void *pond_number_owner(sp_pond *pond, const pond_number *number, size_t index);
size_t pond_thing_count(const sp_pond *pond, int32_t owner);

/// input_queue.c
void pond_apply_input(sp_pond *pond);
sp_status pond_read_script(sp_pond *pond, const sp_pond_def *def, sp_error *err);
void pond_find_script(sp_pond *pond); ///< what comes next, after the number of steps was set

/// step.c
double pond_radius(double volume); ///< m from m^3, for each derivation of r from vol

static inline double pond_volume(float r)
{
    return 4.0 / 3.0 * SP_PI_D * (double)r * (double)r * (double)r;
}
static inline float pond_smooth(float t) ///< t^2 (3 - 2t) with t clamped to [0, 1]
{
    t = sp_clamp(t, 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
static inline size_t pond_cell(const pond_water *w, int32_t i, int32_t j)
{
    return (size_t)(j + 1) * w->stride + (size_t)(POND_HALO + i);
}

#include "pond/water/water_at_points.h"

#endif
