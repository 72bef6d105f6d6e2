// SPDX-License-Identifier: Apache-2.0
/// Contacts as a stage of a substep, and the memory of their state.
#include "bubbles/contacts/contacts.h"

/// ---- Memory ------------------------------------------------------------------------------------

bool contacts_reserve(const sp_host *host, void **memory, size_t *room, size_t n, size_t size)
{
    if (n <= *room) return true;
    const size_t more = n + n / 4;
    if (!sp_regrow(host, memory, 0, more, size)) return false;
    *room = more;
    return true;
}

static contact_state *open_state(bubbles *s, sp_error *err)
{
    if (s->contacts) return s->contacts;
    contact_state *c = sp_allocate(s->host, 1, sizeof *c);
    if (!c) return NULL;
    s->contacts = c;
    c->host = c->rows.host = s->host;
    if (sp_cells_open_sparse(&c->of, s->host, err) == SP_OK &&
        sp_cells_open_sparse(&c->among, s->host, err) == SP_OK)
        return c;
    bubbles_contacts_close(s);
    return NULL;
}

void bubbles_contacts_close(bubbles *s)
{
    contact_state *c = s->contacts;
    if (!c) return;
    void *const all[] = {c->pair, c->wall,  c->a,        c->b,    c->key,       c->target,
                         c->rate, c->table, c->particle, c->body, c->body_from, c->body_step};
    for (int a = 0; a < 3; ++a) {
        sp_release(c->host, c->n[a]);
        sp_release(c->host, c->p[a]);
        sp_release(c->host, c->from[a]);
        sp_release(c->host, c->step[a]);
    }
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        sp_release(c->host, all[k]);
    sp_cells_close(&c->of);
    sp_cells_close(&c->among);
    sp_rows_close(&c->rows);
    sp_release(c->host, c);
    s->contacts = NULL;
}

/// ---- Saving ------------------------------------------------------------------------------------

static void walk_forces(contact_state *c, sp_walk *walk)
{
    sp_walk_piece(walk, c->key, c->count * sizeof *c->key);
    for (int a = 0; a < 3; ++a)
        sp_walk_piece(walk, c->p[a], c->count * sizeof(float));
}

static sp_status restore(bubbles *s, uint64_t count, sp_walk *walk, sp_error *err)
{
    contact_state *c = s->contacts;
    if (c) c->found = c->count = 0;
    if (walk->failed || count > walk->left / (sizeof(uint64_t) + 3 * sizeof(float))) {
        walk->failed = true;
        return sp_fail(err, SP_DAMAGED, "bubbles: the saved state is too short");
    }
    if (count == 0) return SP_OK;
    c = open_state(s, err);
    if (!c || !contacts_reserve_all(c, (size_t)count))
        return contacts_no_memory(s->particles.set.count, err);
    c->count = (size_t)count;
    walk_forces(c, walk);
    return SP_OK;
}

sp_status bubbles_contacts_walk(bubbles *s, sp_walk *walk, sp_error *err)
{
    contact_state *c = s->contacts;
    uint64_t count = c ? c->count : 0;
    SP_PIECE(walk, count);
    if (walk->way == SP_WALK_RESTORE) return restore(s, count, walk, err);
    if (c) walk_forces(c, walk);
    return SP_OK;
}

/// ---- The stage ---------------------------------------------------------------------------------

static sp_status find_all(bubbles *s, contact_state *c, double dt, sp_error *err)
{
    contact_places places;
    uint32_t *order;
    SP_TRY(contacts_sort_places(s, &places, dt, err));
    SP_TRY(contacts_find_pairs(s, c, &places, err));
    SP_TRY(contacts_find_walls(s, c, dt, err));
    SP_TRY(contacts_make_table(c, err));
    SP_TRY(contacts_colour(s, c, &places, &order, err));
    return contacts_lay(s, c, &places, order, dt, err);
}

static sp_status find(bubbles *s, contact_state *c, double dt, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    c->found = 0;
    const sp_status status = find_all(s, c, dt, err);
    sp_scratch_rewind(&s->scratch, mark);
    if (status == SP_OK) c->found = s->substeps + 1;
    c->fresh = true;
    return status;
}

static bool has_grains(const bubbles *s)
{
    bool any = false;
    for (size_t i = 0; i < s->materials; ++i)
        any |= s->material[i].grains;
    return any;
}

sp_status bubbles_contacts(bubbles *s, double dt, sp_error *err)
{
    if (!has_grains(s)) return SP_OK;
    contact_state *c = open_state(s, err);
    if (!c) return contacts_no_memory(s->particles.set.count, err);
    if (c->found != s->substeps + 1) SP_TRY(find(s, c, dt, err));
    return contacts_solve(s, c, dt, err);
}
