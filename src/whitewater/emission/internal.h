// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_EMISSION_INTERNAL_H
#define SP_WHITEWATER_EMISSION_INTERNAL_H

/// What the files of emission share. A step:
///
///     hold.c      if a moment of the bulk has passed: its aeration, and from it the rate at which
///                 each voxel lets air in until the next moment (scan.c, air_in_voxels.c, masks.c)
///     sizes.c     how many bubbles a particle stands for
///     count.c     how many particles each voxel lets in
///     place.c     where they are, and which of them are in the water
///     let_in.c    those get ids and join a set
///     sources.c   the same for sources of the scene

#include "whitewater/emission/emission.h"

/// A voxel that lets air in until the next moment.
typedef struct emission_cell {
    int32_t at[3];
    float rate; ///< m3/s of air
    float u[3]; ///< m/s; of its water at the moment
} emission_cell;

/// What the aeration of a moment amounts to. It holds until the next moment.
typedef struct emission_held {
    double time;             ///< s; of the moment; -INFINITY before the first
    double origin[3], voxel; ///< m
    int32_t period[3];       ///< of space, in tiles
    double most;             ///< largest aeration
    uint64_t near;           ///< voxels near the surface
    uint64_t count;          ///< of cells, by tile in Morton order, then by place in the tile
    emission_cell *cell;
    size_t room;
} emission_held;

/// What is seen of aeration until it reaches the least that counts, for a warning.
typedef struct emission_seen {
    uint64_t moments;
    double most, when; ///< when: s
    bool enough;       ///< it was reached, or the warning was given
} emission_seen;

/// Radii of bubbles, m: their density falls with the cube (W15).
typedef struct emission_sizes {
    double min, max;
    double volume; ///< m3; mean
    double number; ///< bubbles that a particle stands for at least
} emission_sizes;

/// Particles that enter if their place is in the water.
typedef struct emission_fresh {
    size_t count, room;
    double *x[3];
    float *u[3], *phi, *radius;
    uint8_t *keep;
} emission_fresh;

/// A source of the scene.
typedef struct emission_source {
    sp_emission_source_def def;
    sp_shape *shape;
    double owed; ///< bubbles
    bool told;   ///< that it found no place
} emission_source;

typedef struct emission_mask {
    sp_emission_mask_def def;
    sp_shape *shape;
} emission_mask;

struct whitewater_emission {
    const sp_host *host;
    sp_emission_def def; ///< its lists are those below
    sp_aeration_def aeration;
    emission_mask *mask;
    emission_source *source;
    emission_sizes sizes; ///< of voxels of `held.voxel`; zeroed before the first step
    sp_bulk_pasts pasts;
    emission_held held;
    emission_seen seen;
    bool told_number, told_short; ///< logged once
    emission_fresh fresh;
    float *field; ///< aeration by cell of the moment's tiles
    size_t field_room;
    sp_profile profile;
};

/// What a step works with.
typedef struct emission_step {
    whitewater_emission *e;
    const whitewater_world *world;
    sp_bulk_view view; ///< at the end of the step
    double number;     ///< bubbles that a particle stands for; infinite: there is no room
    const whitewater_intake *in;
    whitewater_emission_figures *figures;
} emission_step;

enum {
    EMISSION_AERATE,
    EMISSION_SCAN,
    EMISSION_FILL,
    EMISSION_LET_IN,
    EMISSION_SOURCES,
    EMISSION_STAGES
};
enum { EMISSION_GRAIN = 1024 }; ///< particles a block

/// ---- Rates (hold.c, scan.c, air_in_voxels.c, masks.c) ------------------------------------------

/// Before the bulk is asked at the end of the first step: keeps its velocity at the start.
sp_status emission_begin(whitewater_emission *e, const whitewater_world *world, sp_error *err);
/// Takes over the newest moment of the step, if there is one that was not seen yet.
sp_status emission_hold(const emission_step *s, sp_error *err);
/// Fills e->held with voxels of a moment that want air, in which e->field is its aeration: `rate` is
/// the share of the voxel that air should fill.
sp_status emission_scan(whitewater_emission *e, const sp_bulk_moment *moment, sp_error *err);
/// share[i] gets the share of the voxel of cell i of `held` that bubbles fill; they are at their
/// places of `late` seconds after the moment.
sp_status emission_air_in_voxels(const emission_held *held, const sp_host *host,
                                 const whitewater_set *bubbles, double late, float *share,
                                 sp_error *err);
/// The product of all masks at a point.
float emission_mask_at(const whitewater_emission *e, const double p[3]);
/// Of the residual of a voxel, the share that water which crosses it takes up in a second, 1/s.
double emission_rate(double tau, double spacing, double crossing);

/// ---- Numbers and sizes (sizes.c, count.c) ------------------------------------------------------

/// Infers what the def leaves open.
emission_sizes emission_sizes_of(const sp_emission_def *def, double voxel);
/// Radius number `index` of voxel or source `id` in a step, m.
double emission_draw_radius(const emission_sizes *sizes, const whitewater_world *world, uint64_t id,
                            uint32_t index);
/// How many bubbles a particle stands for when `now` particles exist and `wanted` bubbles come.
double emission_number(double least, size_t now, double wanted, uint64_t budget);
/// A number of mean `mean`, distributed as Poisson's.
uint32_t emission_poisson(uint64_t seed, uint64_t id, uint32_t step, double mean);
uint64_t emission_voxel_id(const int32_t at[3]);
/// How many particles make `volume` of air in voxel `id` (W16).
uint32_t emission_count(const emission_step *s, uint64_t id, double volume);

/// ---- Particles (place.c, let_in.c, sources.c) --------------------------------------------------

sp_status emission_fresh_reserve(emission_fresh *fresh, const sp_host *host, size_t n,
                                 sp_error *err);
void emission_fresh_close(emission_fresh *fresh, const sp_host *host);
/// e->fresh gets the particles that aeration lets in.
sp_status emission_place(const emission_step *s, sp_error *err);
/// Whether a point is in the domain and in no solid.
bool emission_is_open(const whitewater_world *world, const double p[3]);
/// Water at one point at the end of the step; NULL where it is not asked for.
float emission_look(const sp_bulk_view *view, const double p[3], float u[3], float gradient[3]);
/// Appends those of e->fresh that `keep` marks to a set, with `u` plus `more` as velocity.
sp_status emission_let_in(const emission_step *s, int kind, const float more[3], sp_error *err);
/// Bubbles that sources let in within the step.
double emission_sources_want(const emission_step *s);
/// Particles that count towards the budget.
size_t emission_count_all(const whitewater_intake *in);
sp_status emission_run_sources(const emission_step *s, sp_error *err);

#endif
