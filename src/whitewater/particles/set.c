// SPDX-License-Identifier: Apache-2.0
#include "whitewater/particles/set.h"

#include <string.h>

enum { COLUMNS = 14 };

static const sp_column_def columns[COLUMNS] = {
    {"x", SP_F64},    {"y", SP_F64},      {"z", SP_F64},      {"vx", SP_F32},  {"vy", SP_F32},
    {"vz", SP_F32},   {"radius", SP_F32}, {"number", SP_F32}, {"age", SP_F32}, {"floated", SP_F32},
    {"life", SP_F32}, {"speed", SP_F32},  {"state", SP_U32},  {"id", SP_U64},
};

/// After the arrays have moved.
static void point(whitewater_set *s)
{
    void *const *data = s->set.data;
    for (int a = 0; a < 3; ++a) {
        s->x[a] = data[a];
        s->v[a] = data[3 + a];
    }
    float **const floats[] = {&s->radius, &s->number, &s->age, &s->floated, &s->life, &s->speed};
    for (int k = 0; k < 6; ++k)
        *floats[k] = data[6 + k];
    s->state = data[12];
    s->id = data[13];
}

sp_status whitewater_set_open(whitewater_set *s, const sp_host *host, sp_error *err)
{
    *s = (whitewater_set){0};
    SP_TRY(sp_particles_open(&s->set, host, columns, COLUMNS, 0, err));
    point(s);
    return SP_OK;
}

void whitewater_set_close(whitewater_set *s)
{
    sp_particles_close(&s->set);
    *s = (whitewater_set){0};
}

sp_status whitewater_set_reserve(whitewater_set *s, size_t n, sp_error *err)
{
    SP_TRY(sp_particles_reserve(&s->set, n, err));
    point(s);
    return SP_OK;
}

void whitewater_set_copy(whitewater_set *to, const whitewater_set *from, size_t i)
{
    const size_t k = sp_particles_append(&to->set, 1);
    for (int c = 0; c < COLUMNS; ++c) {
        const size_t bytes = sp_kind_size(columns[c].kind);
        memcpy((char *)to->set.data[c] + k * bytes, (const char *)from->set.data[c] + i * bytes,
               bytes);
    }
}

void whitewater_set_remove(whitewater_set *s, const uint8_t *gone)
{
    sp_particles_remove(&s->set, gone);
}

/// The order of ids, stable; a merge of the part in order with the rest would be shorter only where few are added.
sp_status whitewater_set_sort(whitewater_set *s, size_t sorted, sp_error *err)
{
    const sp_host *host = s->set.host;
    const size_t n = s->set.count;
    bool ordered = true;
    for (size_t i = sorted > 0 ? sorted : 1; ordered && i < n; ++i)
        ordered = s->id[i - 1] < s->id[i];
    if (ordered) return SP_OK;
    uint32_t *order = sp_allocate(host, n, sizeof *order);
    void *lent = sp_allocate(host, n, 16);
    sp_status status = order && lent ? sp_order_by_id(host, n, s->id, order, lent, err)
                                     : sp_fail(err, SP_NO_MEMORY,
                                               "whitewater: no memory to sort %zu particles", n);
    if (status == SP_OK) sp_particles_reorder(&s->set, order, lent);
    sp_release(host, order);
    sp_release(host, lent);
    return status;
}
