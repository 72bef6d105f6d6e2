// SPDX-License-Identifier: Apache-2.0
/// Neighbour search, first half: particles sorted by cell, and the table of cells that hold
/// something.
#include "particles/neighbours.h"

#include <string.h>

enum {
    BLOCK = 1 << 13
}; // particles a block: their share of the tables fits the second-level cache

sp_status sp_neighbours_open(int dims, const sp_host *host, sp_neighbours **out, sp_error *err)
{
    SP_ASSERT(dims == 2 || dims == 3);
    *out = sp_allocate(host, 1, sizeof **out);
    if (!*out) return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory to open");
    (*out)->host = host;
    (*out)->sorter.host = host;
    (*out)->dims = dims;
    return SP_OK;
}

static void free_particles(sp_neighbours *nb)
{
    sp_release(nb->host, nb->x);
    sp_release(nb->host, nb->y);
    sp_release(nb->host, nb->z);
    sp_release(nb->host, nb->order);
    sp_release(nb->host, nb->cell_key);
    sp_release(nb->host, nb->cell_start);
    sp_release(nb->host, nb->list);
}

void sp_neighbours_close(sp_neighbours *nb)
{
    if (!nb) return;
    const sp_host *host = nb->host;
    sp_sorter_close(&nb->sorter);
    free_particles(nb);
    sp_release(host, nb->index);
    sp_release(host, nb);
}

/// Room for n particles; what was there is lost.
static bool reserve_particles(sp_neighbours *nb, size_t n)
{
    if (!sp_sorter_reserve(&nb->sorter, n)) return false;
    if (n <= nb->capacity && nb->list) return true;
    const size_t room = n + n / 8 + 2 * SP_LANES;
    sp_neighbours grown = *nb;
    grown.x = grown.y = grown.z = NULL;
    grown.order = grown.cell_key = grown.cell_start = NULL;
    grown.list = NULL;
    if ((grown.x = sp_allocate(nb->host, room, sizeof *nb->x)) &&
        (grown.y = sp_allocate(nb->host, room, sizeof *nb->y)) &&
        (nb->dims == 2 || (grown.z = sp_allocate(nb->host, room, sizeof *nb->z))) &&
        (grown.order = sp_allocate(nb->host, room, sizeof *nb->order)) &&
        (grown.cell_key = sp_allocate(nb->host, room, sizeof *nb->cell_key)) &&
        (grown.cell_start = sp_allocate(nb->host, room, sizeof *nb->cell_start)) &&
        (grown.list = sp_allocate(nb->host, room, sizeof *nb->list))) {
        free_particles(nb);
        *nb = grown;
        nb->capacity = room - 2 * SP_LANES;
        return true;
    }
    free_particles(&grown);
    return false;
}

typedef struct sorting_in {
    sp_neighbours *nb;
    const float *x, *y, *z;
    sp_cells box;    ///< its shape only
    uint32_t *found; ///< cells a block found
} sorting_in;

/// Cuts the box into cells no smaller than the support and returns the largest key.
static uint32_t shape_box(sorting_in *s, const float low[3], const float high[3])
{
    sp_neighbours *nb = s->nb;
    s->box.cell_capacity = (size_t)1 << 31;
    sp_cells_shape(&s->box, nb->dims, low, high, nb->support);
    nb->row = (uint32_t)s->box.n[0] + 2;
    nb->layer = nb->row * ((uint32_t)s->box.n[1] + 2);
    return nb->layer * (nb->dims == 2 ? 1 : (uint32_t)s->box.n[2] + 2) - 1;
}

static uint32_t key_of(const sorting_in *s, size_t i)
{
    const sp_neighbours *nb = s->nb;
    const uint32_t x = (uint32_t)sp_cells_at(&s->box, 0, s->x[i]) + 1;
    const uint32_t y = (uint32_t)sp_cells_at(&s->box, 1, s->y[i]) + 1;
    if (nb->dims == 2) return y * nb->row + x;
    return ((uint32_t)sp_cells_at(&s->box, 2, s->z[i]) + 1) * nb->layer + y * nb->row + x;
}

static void find_keys(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    const sp_neighbours *nb = s->nb;
    const int32_t row = (int32_t)nb->row, layer = (int32_t)nb->layer;
    size_t i = begin;
    for (; i + SP_LANES <= end; i += SP_LANES) {
        sp_i16 key = sp_cells_at16(&s->box, 0, s->x + i) + 1;
        key += (sp_cells_at16(&s->box, 1, s->y + i) + 1) * row;
        if (nb->dims == 3) key += (sp_cells_at16(&s->box, 2, s->z + i) + 1) * layer;
        memcpy(nb->sorter.key + i, &key, sizeof key);
    }
    for (; i < end; ++i)
        nb->sorter.key[i] = key_of(s, i);
}

/// Copies positions into cell order and notes each cell that begins within a block. A block has at
/// most as many cells as particles, so it writes them where its particles begin.
static void bring_blocks(void *arg, size_t begin, size_t end)
{
    const sorting_in *s = arg;
    sp_neighbours *nb = s->nb;
    const uint64_t *restrict pair = nb->sorter.pair[1];
    for (size_t b = begin; b < end; ++b) {
        const size_t first = b * BLOCK,
                     last = first + BLOCK < nb->count ? first + BLOCK : nb->count;
        size_t cell = first;
        uint32_t before = first ? sp_pair_key(pair[first - 1]) : 0; // key 0 is outside the box
        for (size_t k = first; k < last; ++k) {
            const uint32_t i = sp_pair_particle(pair[k]), key = sp_pair_key(pair[k]);
            nb->order[k] = i;
            nb->x[k] = s->x[i];
            nb->y[k] = s->y[i];
            if (nb->z) nb->z[k] = s->z[i];
            nb->cell_key[cell] = key;
            nb->cell_start[cell] = (uint32_t)k;
            cell += key != before;
            before = key;
        }
        s->found[b] = (uint32_t)(cell - first);
    }
}

/// Closes the gaps that blocks left in the table of cells.
static void join_cells(sorting_in *s, size_t blocks)
{
    sp_neighbours *nb = s->nb;
    nb->cells = 0;
    for (size_t b = 0; b < blocks; ++b) {
        const size_t bytes = s->found[b] * sizeof *nb->cell_key;
        memmove(nb->cell_key + nb->cells, nb->cell_key + b * BLOCK, bytes);
        memmove(nb->cell_start + nb->cells, nb->cell_start + b * BLOCK, bytes);
        nb->cells += s->found[b];
    }
    nb->cell_key[nb->cells] = UINT32_MAX;
    nb->cell_start[nb->cells] = (uint32_t)nb->count;
}

sp_status sp_neighbours_cells(sp_neighbours *nb, size_t n, const float *x, const float *y,
                              const float *z, float support, sp_error *err)
{
    nb->count = nb->cells = nb->index_used = 0;
    nb->pairs = 0;
    if (!(support > 0.0f && support < INFINITY))
        return sp_fail(err, SP_BAD_SCENE, "neighbours: support %g m; expected above 0",
                       (double)support);
    if (n >= INT32_MAX || !reserve_particles(nb, n))
        return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory for %zu particles", n);
    float low[3], high[3];
    const float *const position[3] = {x, y, z};
    SP_TRY(sp_bounds(nb->host, nb->dims, n, position, low, high, err));
    sp_bounds_trim(nb->dims, n, position, support, 0x1p31, 0x1p20, low, high);
    nb->count = n;
    nb->support = support;
    // The sorter's keys are free again by the time that blocks count their cells.
    sorting_in s = {.nb = nb, .x = x, .y = y, .z = z, .found = nb->sorter.key};
    const uint32_t largest = shape_box(&s, low, high);
    sp_parallel(nb->host, n, BLOCK, find_keys, &s);
    sp_sorter_run(&nb->sorter, n, largest);
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
    sp_parallel(nb->host, blocks, 1, bring_blocks, &s);
    join_cells(&s, blocks);
    return SP_OK;
}

sp_status sp_neighbours_build(sp_neighbours *nb, size_t n, const float *x, const float *y,
                              const float *z, float support, sp_error *err)
{
    SP_TRY(sp_neighbours_cells(nb, n, x, y, z, support, err));
    return sp_neighbours_lists(nb, err);
}

sp_neighbours_view sp_neighbours_look(const sp_neighbours *nb)
{
    const size_t floats = (size_t)nb->dims * sizeof *nb->x, tables = 3 * sizeof *nb->order;
    return (sp_neighbours_view){
        .count = nb->count,
        .list = nb->list,
        .index = nb->index,
        .order = nb->order,
        .pairs = nb->pairs,
        .cells = nb->cells,
        .bytes = sp_sorter_bytes(&nb->sorter) + nb->index_capacity * sizeof *nb->index +
                 nb->capacity * (floats + tables + sizeof *nb->list),
    };
}
