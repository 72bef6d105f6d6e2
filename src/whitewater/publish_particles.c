// SPDX-License-Identifier: Apache-2.0
/// Particles of a frame.
#include "whitewater/publish.h"

#include <string.h>

void whitewater_close_set(const sp_host *host, shown_set *s)
{
    void *const all[] = {s->position, s->velocity, s->radius, s->count, s->age,   s->floated,
                         s->life,     s->state,    s->id,     s->place, s->speed, s->step};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        sp_release(host, all[i]);
    *s = (shown_set){0};
}

static bool grow(const sp_host *host, void *array, size_t room, size_t bytes)
{
    return sp_regrow(host, array, 0, room, bytes);
}

static sp_status reserve(const sp_host *host, shown_set *s, size_t n, bool arrivals, sp_error *err)
{
    if (n <= s->room && s->room > 0) return SP_OK;
    const size_t room = n + n / 4 + 1, f = sizeof(float);
    const bool good = grow(host, &s->position, room, 3 * f) &&
                      grow(host, &s->velocity, room, 3 * f) && grow(host, &s->radius, room, f) &&
                      grow(host, &s->count, room, f) && grow(host, &s->age, room, f) &&
                      grow(host, &s->floated, room, f) && grow(host, &s->life, room, f) &&
                      grow(host, &s->state, room, sizeof *s->state) &&
                      grow(host, &s->id, room, sizeof *s->id) &&
                      (!arrivals || (grow(host, &s->place, room, 3 * sizeof(double)) &&
                                     grow(host, &s->speed, room, f) &&
                                     grow(host, &s->step, room, sizeof *s->step)));
    if (!good) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory to show %zu particles", n);
    s->room = room;
    return SP_OK;
}

static void copy_particle(const whitewater *s, const whitewater_set *from, size_t i, shown_set *to,
                          size_t k)
{
    for (int a = 0; a < 3; ++a) {
        to->position[k][a] = (float)(from->x[a][i] - s->origin[a]);
        to->velocity[k][a] = from->v[a][i];
    }
    to->radius[k] = from->radius[i];
    to->count[k] = from->number[i];
    to->age[k] = from->age[i];
    to->floated[k] = from->floated[i];
    to->life[k] = from->life[i];
    to->state[k] = from->state[i];
    to->id[k] = from->id[i];
}

static sp_set describe(shown_set *s, const char *name, size_t n)
{
    const sp_column columns[] = {
        {"position", SP_F32, 3, s->position}, {"velocity", SP_F32, 3, s->velocity},
        {"radius", SP_F32, 1, s->radius},     {"id", SP_U64, 1, s->id},
        {"count", SP_F32, 1, s->count},       {"age", SP_F32, 1, s->age},
        {"floated", SP_F32, 1, s->floated},   {"life", SP_F32, 1, s->life},
        {"state", SP_U32, 1, s->state}};
    memcpy(s->columns, columns, sizeof columns);
    return (sp_set){name, n, s->columns, sizeof columns / sizeof *columns};
}

sp_status whitewater_show_set(const whitewater *s, const whitewater_set *const sets[2],
                              const char *name, shown_set *to, sp_set *out, sp_error *err)
{
    const size_t n[2] = {sets[0]->set.count, sets[1] ? sets[1]->set.count : 0};
    size_t at[2] = {0, 0};
    SP_TRY(reserve(s->host, to, n[0] + n[1], false, err));
    for (size_t k = 0; k < n[0] + n[1]; ++k) {
        const bool second =
            at[0] == n[0] || (at[1] < n[1] && sets[1]->id[at[1]] < sets[0]->id[at[0]]);
        copy_particle(s, sets[second], at[second]++, to, k);
    }
    *out = describe(to, name, n[0] + n[1]);
    return SP_OK;
}

/// Arrivals of a frame's steps follow each other; a frame holds them in the order of ids.
static sp_status order_arrivals(const whitewater *s, uint32_t **order, void **lent, sp_error *err)
{
    const whitewater_set *a = &s->arrivals.set;
    *order = sp_allocate(s->host, a->set.count + 1, sizeof **order);
    *lent = sp_allocate(s->host, a->set.count + 1, 16);
    if (!*order || !*lent)
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory to show %zu arrivals",
                       a->set.count);
    return sp_order_by_id(s->host, a->set.count, a->id, *order, *lent, err);
}

sp_status whitewater_show_arrivals(const whitewater *s, shown_set *to, sp_set *out, sp_error *err)
{
    const whitewater_set *a = &s->arrivals.set;
    uint32_t *order = NULL;
    void *lent = NULL;
    sp_status status = reserve(s->host, to, a->set.count, true, err);
    if (status == SP_OK) status = order_arrivals(s, &order, &lent, err);
    for (size_t k = 0; status == SP_OK && k < a->set.count; ++k) {
        const size_t i = order[k];
        copy_particle(s, a, i, to, k);
        for (int c = 0; c < 3; ++c)
            to->place[k][c] = a->x[c][i];
        to->speed[k] = a->speed[i];
        to->step[k] = s->arrivals.step[i];
    }
    sp_release(s->host, order);
    sp_release(s->host, lent);
    SP_TRY(status);
    *out = describe(to, "arrivals", a->set.count);
    const sp_column more[] = {{"place", SP_F64, 3, to->place},
                              {"speed", SP_F32, 1, to->speed},
                              {"step", SP_U32, 1, to->step}};
    memcpy(to->columns + out->column_count, more, sizeof more);
    out->column_count += sizeof more / sizeof *more;
    return SP_OK;
}
