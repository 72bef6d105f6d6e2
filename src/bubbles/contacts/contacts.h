// SPDX-License-Identifier: Apache-2.0
#ifndef SP_BUBBLES_CONTACTS_H
#define SP_BUBBLES_CONTACTS_H

/// Contacts of grains with grains, with air and with solids, as forces that change velocities. Air
/// does not touch air. A particle answers a force p (N) with
///
///     v += p/(V_q a_q),   a_q = rho_q/dt + chi mean(phi_w) (c0 + c1 (S + S'))
///
/// S and S' are its speeds in the water without contacts, and with them as far as they are known: that is
/// the change of its own implicit equation (bubble_velocity.c) between the two, exact for motion along a
/// line. With S' = S it is the derivative there, and a grain that hits a bubble at rest would find one
/// without drag. So 1/(V_q a_q) is small for a bubble, however light, because drag holds it.
///
/// For a pair with gap d (negative: overlap), n from b to a and u = v_a - v_b, the forces are such
/// that, with r the smaller radius,
///
///     n.u >= -max(d, 0)/dt + 0.2 min(max(-d - 0.01 r, 0), r)/dt       nothing pulls: p.n >= 0
///     |p - (p.n) n| <= friction p.n,  and where it is less, nothing slides
///
/// Particles do not spin. So both parts of p see the same mobility W = 1/(V_a a_a) + 1/(V_b a_b), and a
/// pair alone is solved by one projection: p := what stops u but for the target along n; then p.n is
/// clamped at 0, and the rest at friction p.n.
///
/// Projected Gauss-Seidel visits the pairs in turn. Each pair has a colour, and pairs of one colour share
/// no particle: they may be solved in any order, by any threads and in lanes, and the bits are the same. A
/// particle with more neighbours than there are colours has pairs without one; these come last, one
/// after the other. All is linear in the number of pairs.
///
///     find     once in a substep, as particles move only at its end:
///              places.c    grains and air by size; images of those near a periodic side
///              pairs.c     pairs within reach, by neighbour lists
///              walls.c     grains near solids
///              colours.c   colours, and the order of contacts
///              geometry.c  normals, targets, and the forces of the substep before (warm start)
///     solve    once in each Newton iteration (solve.c), from the forces of the one before

#include "bubbles/internal.h"

/// Pairs are contacts up to a gap that they could close in this substep; this is the least and the
/// largest, over the smaller radius.
#define CONTACT_NEAR 0.1f
#define CONTACT_FAR 1.0f
/// Overlap that stays, over the smaller radius, so that particles at rest keep in touch.
#define CONTACT_SLOP 0.01f
/// Share of the overlap that a substep removes (Baumgarte 1972).
#define CONTACT_PUSH 0.2f
/// Sweeps end when none changes how far a pair moves along n in a substep by more than this, over the
/// smaller radius. To ask only that no pair approaches is not enough: forces from before may be too large.
#define CONTACT_DONE 1e-3f

/// ---- Particles by size (places.c) --------------------------------------------------------------

/// Radii of level n are 2^n to 2^(n+1) times the smallest of a grain, and all smaller ones are level 0.
/// Classes are sorted so that all particles up to a level are neighbours, and so are the grains:
///
///     air level 15 ... air level 1, air level 0, grains level 0, grains level 1 ... grains level 15
enum { CONTACT_LEVELS = 16, CONTACT_CLASSES = 2 * CONTACT_LEVELS };
static inline int contact_air(int level)
{
    return CONTACT_LEVELS - 1 - level;
}
static inline int contact_grains(int level)
{
    return CONTACT_LEVELS + level;
}

/// A particle, or its image beyond a periodic side.
typedef struct contact_place {
    float x[3];    ///< voxels, in its tile
    float radius;  ///< voxels
    float way;     ///< voxels; how far it would move in this substep
    int32_t at[3]; ///< the tile's coordinates; an image's are a period higher
    uint32_t particle;
    uint32_t image; ///< bit a: it is beyond the high side of axis a
} contact_place;

/// Sorted by class; from the scratch.
typedef struct contact_places {
    size_t count;
    contact_place *place;
    float *x[3];                         ///< voxels, from the lowest tile
    uint32_t first[CONTACT_CLASSES + 1]; ///< places of class c are first[c] ... first[c + 1] - 1
    float largest[CONTACT_CLASSES];      ///< voxels; radius, 0 where there are none
    float farthest;                      ///< voxels; largest way
    float rounding;                      ///< voxels; largest error of a distance by x
} contact_places;

sp_status contacts_sort_places(bubbles *s, contact_places *places, double dt, sp_error *err);

/// Vector from j to i, and the sum of their radii, voxels.
static inline float contact_apart(const contact_place *i, const contact_place *j, float d[3])
{
    for (int a = 0; a < 3; ++a)
        d[a] = (float)(SP_TILE * (i->at[a] - j->at[a])) + (i->x[a] - j->x[a]);
    return i->radius + j->radius;
}
static inline float contact_square(const float d[3])
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/// Gap up to which a pair is a contact, for its smaller radius and the ways of both.
static inline float contact_margin(float radius, float ways)
{
    return sp_clamp(ways, CONTACT_NEAR * radius, CONTACT_FAR * radius);
}

/// ---- What is kept ------------------------------------------------------------------------------

typedef struct contact_pair {
    uint32_t i, j; ///< places
} contact_pair;

typedef struct contact_wall {
    uint32_t particle;
    float gap;       ///< m
    float normal[3]; ///< out of the solid
    float v[3];      ///< m/s; of the solid
    int who;
} contact_wall;

/// A force of the substep before.
typedef struct contact_force {
    uint64_t key; ///< of the pair; 0: none
    float p[3];   ///< N
} contact_force;

enum { CONTACT_COLOURS = 64 };
#define CONTACT_PADDING UINT32_MAX

typedef struct contact_state {
    const sp_host *host;
    uint64_t found; ///< substep for which contacts were found, counted from 1; 0: none
    bool plain;     ///< solve contacts one by one, without lanes; for tests

    /// Work of finding; memory is kept.
    sp_cells of, among;
    sp_rows rows;
    contact_pair *pair;
    contact_wall *wall;
    size_t pairs, walls, pair_room, wall_room;

    /// Contacts by colour, each padded to whole vectors of 16; then those without a colour.
    uint32_t first[CONTACT_COLOURS + 1]; ///< of colour c; the last: those without one
    int colours;
    size_t count;    ///< contacts and padding
    uint32_t *a, *b; ///< bodies; a is the particle with the lower id
    float *n[3];     ///< from b to a
    float *target;   ///< m/s; least n.u
    float *rate;     ///< s/m; dt over the smaller radius
    float *p[3];     ///< N; force on a. With the keys it is what the next substep starts from
    uint64_t *key;   ///< of the pair; 0: padding
    float *from[3], *step[3]; ///< N; forces before the last sweep, less those before the one before
    size_t room[17];
    contact_force *table; ///< forces of the substep before, by key
    size_t table_room, table_mask;

    /// Bodies: particles in the order of their first contacts, then a solid for each wall, and one for
    /// padding.
    uint32_t *particle;           ///< of the particles among them
    float *body;                  ///< velocity, m/s, and 1/(V_q a_q), s/kg
    float *body_from, *body_step; ///< the same of bodies
    size_t particles, particle_room, body_room[3];

    bool fresh; ///< no velocity with contacts is known yet in this substep
    int sweeps; ///< of the last solve
} contact_state;

/// Room for n elements; an array that grows loses its contents.
bool contacts_reserve(const sp_host *host, void **memory, size_t *room, size_t n, size_t size);
/// Room for n contacts.
bool contacts_reserve_all(contact_state *c, size_t n);
static inline sp_status contacts_no_memory(size_t n, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for contacts of %zu particles", n);
}

/// ---- Stages ------------------------------------------------------------------------------------

sp_status contacts_find_pairs(bubbles *s, contact_state *c, const contact_places *places,
                              sp_error *err);
sp_status contacts_find_walls(bubbles *s, contact_state *c, double dt, sp_error *err);
/// Numbers the bodies and orders contacts by colour. *order, from the scratch, is by place in that order: a
/// pair, or a wall, which count from c->pairs on, or CONTACT_PADDING.
sp_status contacts_colour(bubbles *s, contact_state *c, const contact_places *places,
                          uint32_t **order, sp_error *err);
/// Keeps the forces that there are, for contacts_lay().
sp_status contacts_make_table(contact_state *c, sp_error *err);
/// Fills in all contacts. The forces of before start those that were there.
sp_status contacts_lay(bubbles *s, contact_state *c, const contact_places *places,
                       const uint32_t *order, double dt, sp_error *err);
/// Changes the velocities of particles.
sp_status contacts_solve(bubbles *s, contact_state *c, double dt, sp_error *err);

/// ---- For the solver ----------------------------------------------------------------------------

void bubbles_contacts_close(bubbles *s);
/// The forces that the next substep starts from. Restoring takes memory first, so that it may fail; a
/// walk that is too short leaves none.
sp_status bubbles_contacts_walk(bubbles *s, sp_walk *walk, sp_error *err);

#endif
