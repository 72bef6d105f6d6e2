// SPDX-License-Identifier: Apache-2.0
/// Particle sets: columns of equal length that grow, shrink and are reordered together.
#include "particles/particles.h"

#include <string.h>

/// Only two sizes exist (4 and 8 bytes), so code that moves particles need not distinguish kinds.
/// Not taken from src/frame, because this file also builds without it.
static size_t kind_bytes(sp_kind kind)
{
    return kind == SP_F64 || kind == SP_U64 ? 8 : 4;
}

/// Entries of a column: sixteen more than the capacity, so that a whole vector may be read from any
/// particle on, including the last.
static size_t padded(size_t capacity)
{
    return sp_pad16(capacity) + SP_LANES;
}

static void release_columns(const sp_host *host, void **data, int count)
{
    for (int c = 0; c < count; ++c)
        sp_release(host, data[c]);
}

/// New arrays for every column, or none at all.
static bool allocate_columns(const sp_particles *set, size_t capacity, void **data)
{
    for (int c = 0; c < set->column_count; ++c) {
        data[c] = sp_allocate(set->host, padded(capacity), kind_bytes(set->def[c].kind));
        if (!data[c]) {
            release_columns(set->host, data, c);
            return false;
        }
    }
    return true;
}

/// Sorting and neighbour search use 32-bit indices; the rest is for padding.
static const size_t most_particles = (size_t)UINT32_MAX - 2 * SP_LANES;

sp_status sp_particles_open(sp_particles *set, const sp_host *host, const sp_column_def *columns,
                            int column_count, size_t capacity, sp_error *err)
{
    SP_ASSERT(column_count >= 0 && column_count <= SP_MAX_COLUMNS);
    *set = (sp_particles){0};
    sp_particles fresh = {.host = host, .column_count = column_count, .capacity = capacity};
    for (int c = 0; c < column_count; ++c)
        fresh.def[c] = columns[c];
    if (capacity > most_particles || !allocate_columns(&fresh, capacity, fresh.data))
        return sp_fail(err, SP_NO_MEMORY, "particles: no memory for %zu particles in %d columns",
                       capacity, column_count);
    *set = fresh;
    return SP_OK;
}

void sp_particles_close(sp_particles *set)
{
    if (set->host) release_columns(set->host, set->data, set->column_count);
    *set = (sp_particles){0};
}

sp_status sp_particles_reserve(sp_particles *set, size_t capacity, sp_error *err)
{
    if (capacity <= set->capacity) return SP_OK;
    size_t grown = set->capacity + set->capacity / 2; // 1.5: freed blocks can be reused later
    if (grown > most_particles) grown = most_particles;
    if (grown < capacity) grown = capacity;
    void *data[SP_MAX_COLUMNS];
    if (capacity > most_particles || !allocate_columns(set, grown, data))
        return sp_fail(err, SP_NO_MEMORY, "particles: no memory to grow from %zu to %zu particles",
                       set->capacity, grown);
    for (int c = 0; c < set->column_count; ++c) {
        memcpy(data[c], set->data[c], set->count * kind_bytes(set->def[c].kind));
        sp_release(set->host, set->data[c]);
        set->data[c] = data[c];
    }
    set->capacity = grown;
    return SP_OK;
}

size_t sp_particles_append(sp_particles *set, size_t n)
{
    SP_ASSERT(n <= set->capacity - set->count);
    const size_t first = set->count;
    for (int c = 0; c < set->column_count; ++c) {
        const size_t size = kind_bytes(set->def[c].kind);
        char *added = (char *)set->data[c] + first * size;
        if (n > 1)
            memset(added, 0, n * size);
        else if (n == 1) // two stores, because most callers add one and a call costs more
            memset(added, 0, 4), memset(added + size - 4, 0, 4);
    }
    set->count += n;
    return first;
}

/// ---- Removing ---------------------------------------------------------------------------------

typedef struct removing {
    sp_particles *set;
    const uint8_t *gone;
    size_t first; ///< the first particle that goes
    size_t kept;  ///< particles after removal
} removing;

size_t sp_next_marked(const uint8_t *marks, size_t from, size_t n)
{
    for (uint64_t eight; from + 8 <= n; from += 8) {
        memcpy(&eight, marks + from, sizeof eight);
        if (eight) break;
    }
    while (from < n && !marks[from])
        ++from;
    return from;
}

/// Moves the kept particles [from, end) of a column down to `to`.
static void move_run(void *column, size_t size, size_t to, size_t from, size_t end)
{
    char *data = column;
    memmove(data + to * size, data + from * size, (end - from) * size);
}

/// Closes the gaps of columns [begin, end). Moves whole runs, so that the marks are read once for
/// several columns.
static void close_gaps(void *arg, size_t begin, size_t end)
{
    removing *r = arg;
    sp_particles *set = r->set;
    const size_t n = set->count;
    size_t to = r->first;
    for (size_t from = to; from < n;) {
        while (from < n && r->gone[from])
            ++from;
        const size_t last = sp_next_marked(r->gone, from, n);
        for (size_t c = begin; c < end && last > from; ++c)
            move_run(set->data[c], kind_bytes(set->def[c].kind), to, from, last);
        to += last - from;
        from = last;
    }
    if (begin == 0) r->kept = to;
}

void sp_particles_remove(sp_particles *set, const uint8_t *gone)
{
    enum { MANY = 1 << 13, COLUMNS = 3 }; // columns a task
    const size_t columns = (size_t)set->column_count, n = set->count;
    removing r = {set, gone, sp_next_marked(gone, 0, n), 0};
    if (r.first == n) return;
    if (n < MANY)
        close_gaps(&r, 0, columns);
    else
        sp_parallel(set->host, columns, COLUMNS, close_gaps, &r);
    set->count = r.kept;
}

/// ---- Reordering -------------------------------------------------------------------------------

typedef struct reordering {
    void *column, *scratch;
    const uint32_t *order;
} reordering;

static void gather4(void *arg, size_t begin, size_t end)
{
    const reordering *r = arg;
    const uint32_t *restrict from = r->column, *restrict order = r->order;
    uint32_t *restrict to = r->scratch;
    for (size_t k = begin; k < end; ++k)
        to[k] = from[order[k]];
}

static void gather8(void *arg, size_t begin, size_t end)
{
    const reordering *r = arg;
    const uint64_t *restrict from = r->column;
    const uint32_t *restrict order = r->order;
    uint64_t *restrict to = r->scratch;
    for (size_t k = begin; k < end; ++k)
        to[k] = from[order[k]];
}

static void copy4(void *arg, size_t begin, size_t end)
{
    const reordering *r = arg;
    memcpy((uint32_t *)r->column + begin, (uint32_t *)r->scratch + begin,
           (end - begin) * sizeof(uint32_t));
}

static void copy8(void *arg, size_t begin, size_t end)
{
    const reordering *r = arg;
    memcpy((uint64_t *)r->column + begin, (uint64_t *)r->scratch + begin,
           (end - begin) * sizeof(uint64_t));
}

void sp_particles_reorder(sp_particles *set, const uint32_t *order, void *scratch)
{
    enum { GRAIN = 1 << 14 };
    for (int c = 0; c < set->column_count; ++c) {
        const bool wide = kind_bytes(set->def[c].kind) == 8;
        reordering r = {set->data[c], scratch, order};
        sp_parallel(set->host, set->count, GRAIN, wide ? gather8 : gather4, &r);
        sp_parallel(set->host, set->count, GRAIN, wide ? copy8 : copy4, &r);
    }
}

void *sp_particles_data(const sp_particles *set, const char *name)
{
    for (int c = 0; c < set->column_count; ++c)
        if (strcmp(set->def[c].name, name) == 0) return set->data[c];
    return NULL;
}

void sp_particles_walk(sp_particles *set, sp_walk *walk)
{
    for (int c = 0; c < set->column_count; ++c)
        sp_walk_piece(walk, set->data[c], set->count * kind_bytes(set->def[c].kind));
}

bool sp_particles_is_valid(const sp_particles *set)
{
    if (!set->host || set->count > set->capacity || set->column_count < 0 ||
        set->column_count > SP_MAX_COLUMNS)
        return false;
    for (int c = 0; c < set->column_count; ++c)
        if (!set->def[c].name || !set->data[c] || (uintptr_t)set->data[c] % 64 != 0) return false;
    return true;
}
