// SPDX-License-Identifier: Apache-2.0
/// Sorts particles by size class, then by cell. The range of a search depends on the class, so one
/// big bubble does not make every search long.
#include "pond/internal.h"

#include <string.h>

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
    if (c->member && c->unsorted && c->class_of && c->x && c->y) return SP_OK;
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
}

/// The smallest and the largest radius. The bits of positive floats are ordered like their values,
/// and integer minimum and maximum vectorise.
static void find_extremes(size_t n, const float *r, float *smallest, float *largest)
{
    int32_t low = INT32_MAX, high = 0;
    for (size_t i = 0; i < n; ++i) {
        int32_t bits;
        memcpy(&bits, &r[i], sizeof bits);
        low = bits < low ? bits : low;
        high = bits > high ? bits : high;
    }
    memcpy(smallest, &low, sizeof low);
    memcpy(largest, &high, sizeof high);
}

/// Finds the class of each radius (0: up to `growth` times the smallest, 1: up to growth^2 ...),
/// the size of each class and its largest radius. False when all are in one class.
static bool classify(pond_classes *c, size_t n, const float *r, float growth,
                     float largest[POND_CLASSES])
{
    float smallest;
    memset(c->count, 0, sizeof c->count);
    memset(largest, 0, POND_CLASSES * sizeof *largest);
    find_extremes(n, r, &smallest, &largest[0]);
    c->count[0] = n;
    const float top0 = smallest * growth, top1 = top0 * growth, top2 = top1 * growth,
                top3 = top2 * growth;
    if (n == 0 || largest[0] <= top0) return false;
    for (size_t i = 0; i < n; ++i)
        c->class_of[i] = (uint8_t)((r[i] > top0) + (r[i] > top1) + (r[i] > top2) + (r[i] > top3));
    c->count[0] = 0;
    largest[0] = 0.0f;
    for (size_t i = 0; i < n; ++i) {
        const int l = c->class_of[i];
        ++c->count[l];
        largest[l] = r[i] > largest[l] ? r[i] : largest[l];
    }
    return true;
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
    float largest[POND_CLASSES];
    size_t next[POND_CLASSES], base = 0;
    const bool several = classify(c, n, r, growth, largest);
    for (int l = 0; l < POND_CLASSES; ++l) {
        c->base[l] = next[l] = base;
        c->range[l] = reach * largest[l];
        base += c->count[l];
    }
    for (size_t i = 0; i < n && several; ++i) {
        const size_t place = next[c->class_of[i]]++;
        c->unsorted[place] = (uint32_t)i;
        c->x[place] = x[i];
        c->y[place] = y[i];
    }
    for (int l = 0; l < POND_CLASSES; ++l) {
        if (c->count[l] == 0) continue;
        sp_cells *cells = &c->cells[l];
        pond_shape_cells(cells, &pond->water, c->range[l], c->count[l]);
        sp_cells_fill(cells, c->count[l], several ? c->x + c->base[l] : x,
                      several ? c->y + c->base[l] : y, NULL);
        for (size_t k = 0; k < c->count[l]; ++k)
            c->member[c->base[l] + k] =
                several ? c->unsorted[c->base[l] + cells->order[k]] : cells->order[k];
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
