// SPDX-License-Identifier: Apache-2.0
/// Fills in contacts: bodies, normals, targets, and the forces that they start from. Those of contacts of
/// the substep before are looked up by a key of the pair, in a table with open addressing: one pass,
/// where sorting by key takes several.
///
/// A force belongs to a pair of ids, so a is always the particle with the lower id.
#include "bubbles/contacts/contacts.h"

#include <math.h>

enum { CHUNK = 1024 };

typedef struct laying {
    bubbles *s;
    contact_state *c;
    const contact_places *places;
    const uint32_t *order; ///< by contact
    const uint32_t *body;  ///< by particle
    double dt;
} laying;

/// ---- Forces of before --------------------------------------------------------------------------

static bool pushes(const contact_state *c, size_t k)
{
    return c->key[k] != 0 && (c->p[0][k] != 0.0f || c->p[1][k] != 0.0f || c->p[2][k] != 0.0f);
}

sp_status contacts_make_table(contact_state *c, sp_error *err)
{
    size_t entries = 16, count = 0;
    for (size_t k = 0; k < c->count; ++k)
        count += pushes(c, k);
    while (entries < 2 * count)
        entries *= 2;
    if (!contacts_reserve(c->host, (void **)&c->table, &c->table_room, entries, sizeof *c->table))
        return contacts_no_memory(c->particles, err);
    memset(c->table, 0, entries * sizeof *c->table);
    c->table_mask = entries - 1;
    for (size_t k = 0; k < c->count; ++k) {
        if (!pushes(c, k)) continue;
        size_t at = c->key[k] >> 1 & c->table_mask;
        while (c->table[at].key)
            at = (at + 1) & c->table_mask;
        c->table[at] = (contact_force){c->key[k], {c->p[0][k], c->p[1][k], c->p[2][k]}};
    }
    return SP_OK;
}

/// Forces start from those of before, without what pulls now. Friction is left to the first sweep.
static void start_force(const laying *l, size_t at, uint64_t key)
{
    contact_state *c = l->c;
    const contact_force *f = NULL;
    float along = 0.0f;
    for (size_t k = key >> 1 & c->table_mask; c->table[k].key; k = (k + 1) & c->table_mask)
        if (c->table[k].key == key) {
            f = &c->table[k];
            break;
        }
    for (int a = 0; a < 3 && f; ++a)
        along += f->p[a] * c->n[a][at];
    c->key[at] = key;
    for (int a = 0; a < 3; ++a)
        c->p[a][at] = along > 0.0f ? f->p[a] : 0.0f;
}

/// ---- Contacts ----------------------------------------------------------------------------------

/// Gap and radius in m.
static void put_target(const laying *l, size_t at, float gap, float radius)
{
    const float per_dt = (float)(1.0 / l->dt);
    const float overlap = sp_clamp(-gap - CONTACT_SLOP * radius, 0.0f, radius);
    l->c->target[at] = (CONTACT_PUSH * overlap - fmaxf(gap, 0.0f)) * per_dt;
    l->c->rate[at] = (float)l->dt / radius;
}

/// A direction for particles at one point, which depends on their ids.
static void any_direction(uint64_t seed, uint64_t key, float d[3])
{
    const sp_random4 r = sp_random(seed, BUBBLES_RANDOM_CONTACT, key, 0, 0);
    for (int a = 0; a < 3; ++a)
        d[a] = sp_unit_open(r.x[a]) - 0.5f;
}

static void put_pair(const laying *l, size_t at, size_t contact)
{
    contact_state *c = l->c;
    const contact_pair *pair = &c->pair[contact];
    const contact_place *i = &l->places->place[pair->i], *j = &l->places->place[pair->j];
    const uint64_t *id = l->s->particles.id;
    const bool swap = id[i->particle] > id[j->particle];
    const contact_place *a = swap ? j : i, *b = swap ? i : j;
    const uint64_t key = sp_pair_id(id[a->particle], id[b->particle]) | 1;
    const float voxel = l->s->grid.voxel, radius = fminf(a->radius, b->radius);
    float d[3];
    const float both = contact_apart(a, b, d);
    const float distance = sqrtf(contact_square(d));
    if (!(distance > 1e-6f * both)) any_direction(l->s->seed, key, d);
    const float length = sqrtf(contact_square(d));
    for (int k = 0; k < 3; ++k)
        c->n[k][at] = d[k] / length;
    c->a[at] = l->body[a->particle];
    c->b[at] = l->body[b->particle];
    put_target(l, at, voxel * (distance - both), voxel * radius);
    start_force(l, at, key);
}

static void put_wall(const laying *l, size_t at, size_t index)
{
    contact_state *c = l->c;
    const contact_wall *wall = &c->wall[index];
    const size_t body = c->particles + index;
    for (int a = 0; a < 3; ++a) {
        c->n[a][at] = wall->normal[a];
        c->body[4 * body + (size_t)a] = wall->v[a];
    }
    c->body[4 * body + 3] = 0.0f; // nothing moves it
    c->a[at] = l->body[wall->particle];
    c->b[at] = (uint32_t)body;
    put_target(l, at, wall->gap, l->s->particles.radius[wall->particle]);
    // No particle has an id as high as those of solids.
    start_force(l, at,
                sp_pair_id(l->s->particles.id[wall->particle],
                           UINT64_MAX - 2 - (uint64_t)(uint32_t)wall->who) |
                    1);
}

/// A contact of the last body with itself, which does nothing.
static void put_padding(contact_state *c, size_t at)
{
    c->a[at] = c->b[at] = (uint32_t)(c->particles + c->walls);
    c->target[at] = c->rate[at] = 0.0f;
    c->key[at] = 0;
    for (int a = 0; a < 3; ++a)
        c->n[a][at] = c->p[a][at] = 0.0f;
}

static void put_contacts(void *arg, size_t begin, size_t end)
{
    const laying *l = arg;
    for (size_t at = begin; at < end; ++at)
        if (l->order[at] == CONTACT_PADDING)
            put_padding(l->c, at);
        else if (l->order[at] < l->c->pairs)
            put_pair(l, at, l->order[at]);
        else
            put_wall(l, at, l->order[at] - l->c->pairs);
}

/// ---- Memory ------------------------------------------------------------------------------------

bool contacts_reserve_all(contact_state *c, size_t n)
{
    uint32_t **const bodies[] = {&c->a, &c->b};
    float **const floats[] = {&c->target,  &c->rate,    &c->n[0],    &c->n[1],    &c->n[2],
                              &c->p[0],    &c->p[1],    &c->p[2],    &c->from[0], &c->from[1],
                              &c->from[2], &c->step[0], &c->step[1], &c->step[2]};
    enum { FLOATS = sizeof floats / sizeof *floats };
    bool all = contacts_reserve(c->host, (void **)&c->key, &c->room[0], n, sizeof *c->key);
    for (size_t k = 0; all && k < 2; ++k)
        all = contacts_reserve(c->host, (void **)bodies[k], &c->room[1 + k], n, sizeof(uint32_t));
    for (size_t k = 0; all && k < FLOATS; ++k)
        all = contacts_reserve(c->host, (void **)floats[k], &c->room[3 + k], n, sizeof(float));
    return all;
}

static bool reserve_bodies(contact_state *c)
{
    float **const arrays[] = {&c->body, &c->body_from, &c->body_step};
    bool all = true;
    for (size_t k = 0; all && k < 3; ++k)
        all = contacts_reserve(c->host, (void **)arrays[k], &c->body_room[k],
                               4 * (c->particles + c->walls + 1), sizeof(float));
    return all;
}

/// Where each particle is among the bodies.
static uint32_t *index_bodies(bubbles *s, const contact_state *c)
{
    uint32_t *body = sp_scratch_array(&s->scratch, uint32_t, s->particles.set.count + 1);
    for (size_t k = 0; body && k < c->particles; ++k)
        body[c->particle[k]] = (uint32_t)k;
    return body;
}

sp_status contacts_lay(bubbles *s, contact_state *c, const contact_places *places,
                       const uint32_t *order, double dt, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    laying l = {s, c, places, order, index_bodies(s, c), dt};
    const bool room = l.body && reserve_bodies(c) && contacts_reserve_all(c, c->count);
    if (room) {
        memset(c->body + 4 * (c->particles + c->walls), 0, 4 * sizeof *c->body);
        sp_parallel(s->host, c->count, CHUNK, put_contacts, &l);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return room ? SP_OK : contacts_no_memory(s->particles.set.count, err);
}
