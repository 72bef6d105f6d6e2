// SPDX-License-Identifier: Apache-2.0
/// Finds pairs that are near enough to be contacts. Particles of each level are searched by those of all
/// levels up to it, through cells as wide as the pair's reach: then a particle has few candidates of
/// any size, and a hundredfold radius costs no more than another level.
///
///     all particles up to level n  ->  grains of level n
///     grains below level n         ->  air of level n
///
/// So each pair with a grain is found once, but two grains of one level twice: the lower place counts.
/// An image stands for its particle beyond one periodic side or more. Both of a pair may be images, but
/// not beyond the same side, or the pair would be found again.
#include "bubbles/contacts/contacts.h"

enum {
    ROWS = 256,
    PLACES = 4096, // a task
    AHEAD = 16,    // prefetch distance, rows
};

typedef struct contact_range {
    uint32_t begin, end; ///< places
} contact_range;

typedef struct searching {
    bubbles *s;
    contact_state *c;
    const contact_places *places;
    contact_range of, among;
    bool same;        ///< `among` is part of `of`
    float (*size)[2]; ///< by place of a cell of `among`: radius and way, voxels
    uint32_t *found;  ///< by task: pairs; then where they go
} searching;

/// ---- Pairs of a search -------------------------------------------------------------------------

static bool is_pair(const searching *q, uint32_t at_i, uint32_t at_j)
{
    const contact_place *i = &q->places->place[at_i], *j = &q->places->place[at_j];
    if (i->particle == j->particle || (i->image & j->image)) return false;
    if (q->same && at_i >= q->among.begin && at_i >= at_j) return false;
    float d[3];
    const float both = contact_apart(i, j, d),
                most = both + contact_margin(fminf(i->radius, j->radius), i->way + j->way);
    return contact_square(d) < most * most;
}

static size_t rows_end(const searching *q, size_t task)
{
    const size_t end = (task + 1) * ROWS;
    return end < q->c->rows.count ? end : q->c->rows.count;
}

/// Whether the copies of positions in the order of cells, which are near in memory, allow a pair.
static bool is_near(const searching *q, const contact_place *i, size_t of, size_t among)
{
    const sp_cells *c = &q->c->of, *to = &q->c->among;
    const float d[3] = {c->x[of] - to->x[among], c->y[of] - to->y[among], c->z[of] - to->z[among]};
    const float *size = q->size[among];
    const float most = i->radius + size[0] + q->places->rounding +
                       contact_margin(fminf(i->radius, size[0]), i->way + size[1]);
    return contact_square(d) < most * most;
}

/// Shortens each row to its pairs, as places instead of places of cells.
static void keep_pairs(void *arg, size_t begin, size_t end)
{
    const searching *q = arg;
    contact_state *c = q->c;
    for (size_t task = begin; task < end; ++task) {
        q->found[task] = 0;
        const size_t last = rows_end(q, task);
        for (size_t k = task * ROWS; k < last; ++k) {
            sp_row *row = &c->rows.row[k];
            uint32_t *index = c->rows.index + row->start, kept = 0;
            const uint32_t who = q->of.begin + c->of.order[row->who];
            if (k + AHEAD < last)
                __builtin_prefetch(q->places->place + q->of.begin + c->of.order[row[AHEAD].who]);
            for (uint32_t e = 0; e < row->count; ++e) {
                if (!is_near(q, &q->places->place[who], row->who, index[e])) continue;
                const uint32_t other = q->among.begin + c->among.order[index[e]];
                if (is_pair(q, who, other)) index[kept++] = other;
            }
            row->who = who;
            row->count = kept;
            q->found[task] += kept;
        }
    }
}

static void put_pairs(void *arg, size_t begin, size_t end)
{
    const searching *q = arg;
    const sp_rows *rows = &q->c->rows;
    for (size_t task = begin; task < end; ++task) {
        contact_pair *to = q->c->pair + q->c->pairs + q->found[task];
        for (size_t k = task * ROWS; k < rows_end(q, task); ++k)
            for (uint32_t e = 0; e < rows->row[k].count; ++e)
                *to++ = (contact_pair){rows->row[k].who, rows->index[rows->row[k].start + e]};
    }
}

/// Makes room for more pairs and keeps those that there are.
static bool reserve_pairs(contact_state *c, size_t more)
{
    const size_t n = c->pairs + more;
    if (n <= c->pair_room) return true;
    if (n >= INT32_MAX) return false;
    const size_t room = n + n / 4;
    if (!sp_regrow(c->host, (void **)&c->pair, c->pairs, room, sizeof *c->pair)) return false;
    c->pair_room = room;
    return true;
}

static void copy_sizes(void *arg, size_t begin, size_t end)
{
    const searching *q = arg;
    for (size_t k = begin; k < end; ++k) {
        const contact_place *place = &q->places->place[q->among.begin + q->c->among.order[k]];
        q->size[k][0] = place->radius;
        q->size[k][1] = place->way;
    }
}

/// False: no memory.
static bool take_pairs(searching *q)
{
    const size_t tasks = (q->c->rows.count + ROWS - 1) / ROWS, n = q->c->among.count;
    q->found = sp_scratch_array(&q->s->scratch, uint32_t, tasks + 1);
    q->size = sp_scratch_take(&q->s->scratch, n, sizeof *q->size);
    if (!q->found || !q->size) return false;
    sp_parallel(q->s->host, n, PLACES, copy_sizes, q);
    sp_parallel(q->s->host, tasks, 1, keep_pairs, q);
    const size_t found = sp_scan(q->found, tasks);
    if (!reserve_pairs(q->c, found)) return false;
    sp_parallel(q->s->host, tasks, 1, put_pairs, q);
    q->c->pairs += found;
    return true;
}

/// ---- Cells -------------------------------------------------------------------------------------

static sp_status sort_range(const searching *q, sp_cells *cells, const sp_lattice *lattice,
                            contact_range r, sp_error *err)
{
    const float *const x[3] = {q->places->x[0] + r.begin, q->places->x[1] + r.begin,
                               q->places->x[2] + r.begin};
    SP_TRY(sp_cells_sort(cells, lattice, r.end - r.begin, x, NULL, NULL, err));
    return sp_cells_copy_positions(cells, x, err);
}

/// Cells around `among`, and an empty one on each side, where all that is far away ends up.
static sp_status lay_cells(const searching *q, float reach, sp_lattice *lattice, sp_error *err)
{
    const contact_range r = q->among;
    const float *const x[3] = {q->places->x[0] + r.begin, q->places->x[1] + r.begin,
                               q->places->x[2] + r.begin};
    float low[3], high[3];
    SP_TRY(sp_bounds(q->s->host, 3, r.end - r.begin, x, low, high, err));
    for (int a = 0; a < 3; ++a) {
        low[a] -= 2.0f * reach;
        high[a] += 2.0f * reach;
    }
    sp_bounds_trim(3, r.end - r.begin, x, reach, 0x1p31, 0x1p20, low, high);
    sp_lattice_shape(lattice, 3, low, high, reach, SP_LATTICE_MOST);
    return SP_OK;
}

static float largest_of(const contact_places *p, int first, int last)
{
    float most = 0.0f;
    for (int class = first; class <= last; ++class)
        most = fmaxf(most, p->largest[class]);
    return most;
}

/// Pairs of classes first ... last with one class.
static sp_status search(searching *q, int first, int last, int with, sp_error *err)
{
    const contact_places *p = q->places;
    q->of = (contact_range){p->first[first], p->first[last + 1]};
    q->among = (contact_range){p->first[with], p->first[with + 1]};
    q->same = with >= first && with <= last;
    if (q->of.begin == q->of.end || q->among.begin == q->among.end) return SP_OK;
    const float both = largest_of(p, first, last) + p->largest[with],
                margin = contact_margin(0.5f * both, 2.0f * p->farthest),
                reach = (both + margin) * (1.0f + 1e-5f) + p->rounding;
    sp_lattice lattice;
    SP_TRY(lay_cells(q, reach, &lattice, err));
    SP_TRY(sort_range(q, &q->c->of, &lattice, q->of, err));
    SP_TRY(sort_range(q, &q->c->among, &lattice, q->among, err));
    SP_TRY(sp_rows_make(&q->c->rows, &q->c->of, &q->c->among, reach, err));
    const sp_scratch_mark mark = sp_scratch_here(&q->s->scratch);
    const bool room = take_pairs(q);
    sp_scratch_rewind(&q->s->scratch, mark);
    return room ? SP_OK : contacts_no_memory(p->count, err);
}

sp_status contacts_find_pairs(bubbles *s, contact_state *c, const contact_places *places,
                              sp_error *err)
{
    searching q = {.s = s, .c = c, .places = places};
    c->pairs = 0;
    for (int level = 0; level < CONTACT_LEVELS; ++level) {
        const int air = contact_air(level), grains = contact_grains(level);
        SP_TRY(search(&q, air, grains, grains, err));
        if (level > 0) SP_TRY(search(&q, contact_grains(0), grains - 1, air, err));
    }
    return SP_OK;
}
