// SPDX-License-Identifier: Apache-2.0
/// Collects particles as a set of a frame: by ascending id, one array per attribute.
#include "particles/internal.h"

#include <string.h>

/// ---- Order of ids -----------------------------------------------------------------------------

static bool ascends(size_t n, const uint64_t *id)
{
    size_t k = 1;
    while (k < n && id[k - 1] <= id[k])
        ++k;
    return k >= n;
}

/// Sorts by the lower half of (id - first), then by the upper half unless all are equal.
static void sort_ids(sp_sorter *sorter, size_t n, const uint64_t *id, uint32_t *order)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < n; ++i) {
        first = id[i] < first ? id[i] : first;
        last = id[i] > last ? id[i] : last;
    }
    for (int shift = 0; shift < 64 && (last - first) >> shift; shift += 32) {
        const uint64_t largest = (last - first) >> shift;
        for (size_t k = 0; k < n; ++k)
            sorter->key[k] = (uint32_t)((id[order[k]] - first) >> shift);
        sp_sorter_run(sorter, n, largest < UINT32_MAX ? (uint32_t)largest : UINT32_MAX);
        sp_sorter_apply(sorter, n, order);
    }
}

sp_status sp_order_by_id(const sp_host *host, size_t n, const uint64_t *id, uint32_t *order,
                         void *lent, sp_error *err)
{
    for (size_t k = 0; k < n; ++k)
        order[k] = (uint32_t)k;
    if (ascends(n, id)) return SP_OK;
    sp_sorter sorter = {.host = host};
    if (n >= UINT32_MAX || !sp_sorter_reserve(&sorter, n, lent))
        return sp_fail(err, SP_NO_MEMORY, "particles: no memory to sort %zu ids", n);
    sort_ids(&sorter, n, id, order);
    sp_sorter_close(&sorter);
    return SP_OK;
}

/// ---- A set ------------------------------------------------------------------------------------

bool sp_published_reserve(sp_published *p, size_t capacity)
{
    if (capacity <= p->capacity && p->capacity > 0) return true; // an empty set needs arrays too
    const size_t room = capacity + capacity / 4 + 1;
    if (!sp_regrow(p->host, (void **)&p->position, p->count, room, sizeof *p->position) ||
        !sp_regrow(p->host, (void **)&p->velocity, p->count, room, sizeof *p->velocity) ||
        !sp_regrow(p->host, (void **)&p->radius, p->count, room, sizeof *p->radius) ||
        !sp_regrow(p->host, (void **)&p->id, p->count, room, sizeof *p->id))
        return false;
    p->capacity = room;
    return true;
}

void sp_published_close(sp_published *p)
{
    if (p->host) {
        sp_release(p->host, p->position);
        sp_release(p->host, p->velocity);
        sp_release(p->host, p->radius);
        sp_release(p->host, p->id);
    }
    *p = (sp_published){0};
}

void sp_published_add(sp_published *p, const float position[3], const float velocity[3],
                      float radius, uint64_t id)
{
    const size_t i = p->count++;
    memcpy(p->position[i], position, sizeof *p->position);
    memcpy(p->velocity[i], velocity, sizeof *p->velocity);
    p->radius[i] = radius;
    p->id[i] = id;
}

sp_set sp_published_set(const sp_published *p, const char *name, sp_column *columns,
                        const sp_column *more, size_t count)
{
    const sp_column usual[SP_PUBLISHED_COLUMNS] = {{"position", SP_F32, 3, p->position},
                                                   {"velocity", SP_F32, 3, p->velocity},
                                                   {"radius", SP_F32, 1, p->radius},
                                                   {"id", SP_U64, 1, p->id}};
    memcpy(columns, usual, sizeof usual);
    if (count > 0) memcpy(columns + SP_PUBLISHED_COLUMNS, more, count * sizeof *more);
    return (sp_set){name, p->count, columns, SP_PUBLISHED_COLUMNS + count};
}
