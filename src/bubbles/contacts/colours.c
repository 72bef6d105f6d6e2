// SPDX-License-Identifier: Apache-2.0
/// Numbers the bodies of contacts, and colours the contacts: each in turn gets the lowest colour that
/// neither of its particles has yet. That takes one pass, and the order of contacts, which decides the
/// colours, does not depend on threads. Equal grains need some fifteen colours.
#include "bubbles/contacts/contacts.h"

enum { UNCOLOURED = CONTACT_COLOURS };
#define NO_BODY UINT32_MAX

typedef struct colouring {
    contact_state *c;
    const contact_places *places;
    uint32_t *body;  ///< by particle; NO_BODY: it has no contact yet
    uint64_t *used;  ///< by body: its colours
    uint8_t *colour; ///< by contact
    uint32_t count[CONTACT_COLOURS + 1];
} colouring;

static uint32_t body_of(colouring *q, uint32_t particle)
{
    if (q->body[particle] == NO_BODY) {
        const uint32_t body = (uint32_t)q->c->particles++;
        q->body[particle] = body;
        q->c->particle[body] = particle;
        q->used[body] = 0;
    }
    return q->body[particle];
}

static void take_colour(colouring *q, size_t contact, uint64_t *a, uint64_t *b)
{
    const uint64_t free = ~(*a | *b);
    const int colour = free ? __builtin_ctzll(free) : UNCOLOURED;
    const uint64_t bit = free & -free;
    *a |= bit;
    *b |= bit;
    q->colour[contact] = (uint8_t)colour;
    ++q->count[colour];
}

static void colour_all(colouring *q)
{
    contact_state *c = q->c;
    for (size_t k = 0; k < c->pairs; ++k) {
        const uint32_t i = body_of(q, q->places->place[c->pair[k].i].particle),
                       j = body_of(q, q->places->place[c->pair[k].j].particle);
        take_colour(q, k, &q->used[i], &q->used[j]);
    }
    for (size_t k = 0; k < c->walls; ++k) {
        uint64_t none = 0;
        const uint32_t i = body_of(q, c->wall[k].particle);
        take_colour(q, c->pairs + k, &q->used[i], &none);
    }
}

/// Colour by colour, each padded, then those without a colour.
static void lay_colours(colouring *q)
{
    contact_state *c = q->c;
    size_t at = 0;
    c->colours = 0;
    for (int k = 0; k < CONTACT_COLOURS; ++k) {
        c->first[k] = (uint32_t)at;
        at += sp_pad16(q->count[k]);
        if (q->count[k] > 0) c->colours = k + 1;
    }
    c->first[UNCOLOURED] = (uint32_t)at;
    c->count = at + q->count[UNCOLOURED];
}

static void order_contacts(const colouring *q, uint32_t *order)
{
    uint32_t next[CONTACT_COLOURS + 1];
    const size_t n = q->c->pairs + q->c->walls;
    memcpy(next, q->c->first, sizeof next);
    for (size_t k = 0; k < n; ++k)
        order[next[q->colour[k]]++] = (uint32_t)k;
    for (int colour = 0; colour < CONTACT_COLOURS; ++colour)
        for (size_t at = next[colour]; at < q->c->first[colour + 1]; ++at)
            order[at] = CONTACT_PADDING;
}

static bool take_memory(bubbles *s, contact_state *c, colouring *q)
{
    const size_t n = s->particles.set.count, contacts = c->pairs + c->walls,
                 bodies = contacts + c->pairs < n ? contacts + c->pairs : n;
    if (!contacts_reserve(c->host, (void **)&c->particle, &c->particle_room, bodies + 1,
                          sizeof *c->particle))
        return false;
    q->body = sp_scratch_array(&s->scratch, uint32_t, n + 1);
    q->used = sp_scratch_array(&s->scratch, uint64_t, bodies + 1);
    q->colour = sp_scratch_array(&s->scratch, uint8_t, contacts + 1);
    if (!q->body || !q->used || !q->colour) return false;
    memset(q->body, 0xff, n * sizeof *q->body);
    return true;
}

sp_status contacts_colour(bubbles *s, contact_state *c, const contact_places *places,
                          uint32_t **order, sp_error *err)
{
    colouring q = {.c = c, .places = places};
    const size_t most = c->pairs + c->walls + CONTACT_COLOURS * SP_LANES;
    *order = sp_scratch_array(&s->scratch, uint32_t, most);
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const bool room = *order && take_memory(s, c, &q);
    c->particles = 0;
    if (room) {
        colour_all(&q);
        lay_colours(&q);
        order_contacts(&q, *order);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return room ? SP_OK : contacts_no_memory(s->particles.set.count, err);
}
