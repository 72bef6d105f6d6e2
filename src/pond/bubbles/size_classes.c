// SPDX-License-Identifier: Apache-2.0
/// Sorts particles by size class, then by cell. The range of a search depends on the class, so one
/// big bubble does not make every search long.
#include "pond/internal.h"

#include <string.h>

enum { BLOCK = 4096 }; ///< particles; blocks do not depend on the number of threads

sp_status pond_classes_open(pond_classes *c, const sp_host *host, size_t capacity, size_t cells,
                            sp_error *err)
{
    for (int l = 0; l < POND_CLASSES; ++l)
        SP_TRY(sp_cells_open(&c->cells[l], host, cells, capacity, err));
    const size_t padded = sp_pad16(capacity) + SP_LANES;
    c->member = sp_allocate(host, padded, sizeof *c->member);
    c->unsorted = sp_allocate(host, padded, sizeof *c->unsorted);
    c->class_of = sp_allocate(host, padded, sizeof *c->class_of);
    c->x = sp_allocate(host, padded, sizeof *c->x);
    c->y = sp_allocate(host, padded, sizeof *c->y);
    c->tally = sp_allocate(host, capacity / BLOCK + 1, sizeof *c->tally);
    if (c->member && c->unsorted && c->class_of && c->x && c->y && c->tally) return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "pond: no memory to sort %zu particles", capacity);
}

void pond_classes_close(pond_classes *c, const sp_host *host)
{
    for (int l = 0; l < POND_CLASSES; ++l)
        sp_cells_close(&c->cells[l]);
    sp_release(host, c->member);
    sp_release(host, c->unsorted);
    sp_release(host, c->class_of);
    sp_release(host, c->x);
    sp_release(host, c->y);
    sp_release(host, c->tally);
}

size_t pond_classes_bytes(size_t capacity)
{
    return (4 * sizeof(float) + 1) * (sp_pad16(capacity) + SP_LANES) +
           (capacity / BLOCK + 1) * sizeof(pond_tally) + 6 * 128;
}

typedef struct sorting {
    pond_classes *c;
    size_t n;
    const float *x, *y, *r;
    float top[POND_CLASSES - 1]; ///< the largest radius of each class but the last
    bool several;
} sorting;

/// Blocks of the particles [begin, end): calls work(s, block, first, last) for each.
typedef void block_work(const sorting *s, pond_tally *tally, size_t first, size_t last);
static void for_blocks(const sorting *s, size_t begin, size_t end, block_work *work)
{
    for (size_t first = begin; first < end; first += BLOCK)
        work(s, &s->c->tally[first / BLOCK], first, first + BLOCK < end ? first + BLOCK : end);
}

/// The smallest and the largest radius of a block. The bits of positive floats are ordered like
/// their values, and integer minimum and maximum vectorise.
static void find_extremes(const sorting *s, pond_tally *tally, size_t first, size_t last)
{
    int32_t low = INT32_MAX, high = 0;
    for (size_t i = first; i < last; ++i) {
        int32_t bits;
        memcpy(&bits, &s->r[i], sizeof bits);
        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
    }
    memcpy(&tally->smallest, &low, sizeof low);
    memcpy(&tally->largest[0], &high, sizeof high);
}

static void classify(const sorting *s, pond_tally *tally, size_t first, size_t last)
{
    const float *restrict r = s->r, t0 = s->top[0], t1 = s->top[1], t2 = s->top[2], t3 = s->top[3];
    uint8_t *restrict class_of = s->c->class_of;
    for (size_t i = first; i < last; ++i)
        class_of[i] = (uint8_t)((r[i] > t0) + (r[i] > t1) + (r[i] > t2) + (r[i] > t3));
    *tally = (pond_tally){0};
    for (size_t i = first; i < last; ++i) {
        const int l = class_of[i];
        ++tally->count[l];
        tally->largest[l] = r[i] > tally->largest[l] ? r[i] : tally->largest[l];
    }
}

static void divide(const sorting *s, pond_tally *tally, size_t first, size_t last)
{
    const pond_classes *c = s->c;
    for (size_t i = first; i < last; ++i) {
        const uint32_t place = tally->count[c->class_of[i]]++;
        c->unsorted[place] = (uint32_t)i;
        c->x[place] = s->x[i];
        c->y[place] = s->y[i];
    }
}

static void extremes_of_range(void *arg, size_t begin, size_t end)
{
    for_blocks(arg, begin, end, find_extremes);
}
static void classify_range(void *arg, size_t begin, size_t end)
{
    for_blocks(arg, begin, end, classify);
}
static void divide_range(void *arg, size_t begin, size_t end)
{
    for_blocks(arg, begin, end, divide);
}

/// Finds whether all radii are in one class, and the limits of the classes.
static void find_classes(sorting *s, const sp_host *host, float growth, float *largest)
{
    float smallest = INFINITY;
    *largest = 0.0f;
    sp_parallel(host, s->n, 16 * BLOCK, extremes_of_range, s);
    for (size_t k = 0; k * BLOCK < s->n; ++k) {
        const pond_tally *t = &s->c->tally[k];
        smallest = t->smallest < smallest ? t->smallest : smallest;
        *largest = t->largest[0] > *largest ? t->largest[0] : *largest;
    }
    for (int l = 0; l + 1 < POND_CLASSES; ++l)
        s->top[l] = (l ? s->top[l - 1] : smallest) * growth;
    s->several = s->n > 0 && *largest > s->top[0];
}

/// Adds up the blocks: the size of each class, its largest radius, and where each block writes.
static void add_up(const sorting *s, float largest[POND_CLASSES])
{
    pond_classes *c = s->c;
    uint32_t at = 0;
    for (int l = 0; l < POND_CLASSES; ++l) {
        c->base[l] = at;
        largest[l] = 0.0f;
        for (size_t k = 0; k * BLOCK < s->n; ++k) {
            pond_tally *t = &c->tally[k];
            const uint32_t count = t->count[l];
            t->count[l] = at;
            at += count;
            largest[l] = t->largest[l] > largest[l] ? t->largest[l] : largest[l];
        }
        c->count[l] = at - c->base[l];
    }
}

/// The particles of one class in the order of its cells.
typedef struct listing {
    const pond_classes *c;
    int l;
    bool several;
} listing;

static void list_members(void *arg, size_t begin, size_t end)
{
    const listing *a = arg;
    const uint32_t *restrict order = a->c->cells[a->l].order;
    uint32_t *restrict member = a->c->member + a->c->base[a->l];
    const uint32_t *restrict unsorted = a->c->unsorted + a->c->base[a->l];
    if (!a->several) memcpy(member + begin, order + begin, (end - begin) * sizeof *member);
    for (size_t k = begin; k < end && a->several; ++k)
        member[k] = unsorted[order[k]];
}

void pond_shape_cells(sp_cells *cells, const pond_water *w, float range, size_t n)
{
    const float low[3] = {0.0f, 0.0f, 0.0f}, high[3] = {w->width, w->height, 0.0f};
    const float four_each =
        0.5f * sqrtf(w->width * w->height / (float)(n > 0 ? n : 1)); // particles cluster
    const float wide = 1.001f * range; // margin for rounding: only neighbouring cells are in range
    sp_cells_shape(cells, 2, low, high, wide > four_each ? wide : four_each);
}

void pond_classes_sort(pond_classes *c, const sp_pond *pond, size_t n, const float *x,
                       const float *y, const float *r, float growth, float reach)
{
    float largest[POND_CLASSES] = {0};
    sorting s = {.c = c, .n = n, .x = x, .y = y, .r = r};
    memset(c->count, 0, sizeof c->count);
    memset(c->base, 0, sizeof c->base);
    c->count[0] = n;
    find_classes(&s, pond->host, growth, &largest[0]);
    if (s.several) {
        sp_parallel(pond->host, n, 2 * BLOCK, classify_range, &s);
        add_up(&s, largest);
        sp_parallel(pond->host, n, BLOCK, divide_range, &s);
    }
    for (int l = 0; l < POND_CLASSES; ++l) {
        c->range[l] = reach * largest[l];
        if (c->count[l] == 0) continue;
        sp_cells *cells = &c->cells[l];
        pond_shape_cells(cells, &pond->water, c->range[l], c->count[l]);
        sp_cells_fill(cells, c->count[l], s.several ? c->x + c->base[l] : x,
                      s.several ? c->y + c->base[l] : y, NULL);
        listing a = {c, l, s.several};
        sp_parallel(pond->host, c->count[l], 2 * BLOCK, list_members, &a);
    }
}

void pond_reach_classes(pond_gathering *g, const pond_classes *c, int smallest)
{
    g->from_count = 0;
    for (int l = smallest; l < POND_CLASSES; ++l)
        if (c->count[l] > 0)
            g->from[g->from_count++] =
                (pond_reach){.cells = &c->cells[l], .base = c->base[l], .distance = c->range[l]};
}
