// SPDX-License-Identifier: Apache-2.0
/// Particles sorted by size class, then by column. A search for partners of one class reaches only
/// as far as that class is large, so one big bubble does not make every search long.
#include "pond/internal.h"

sp_status pond_classes_open(pond_classes *c, const sp_host *host, size_t capacity, size_t cells,
                            sp_error *err)
{
    for (int l = 0; l < POND_CLASSES; ++l)
        SP_TRY(sp_cells_open(&c->cells[l], host, cells, capacity, err));
    const size_t padded = sp_pad16(capacity) + SP_LANES;
    c->member = sp_allocate(host, padded, sizeof *c->member);
    c->unsorted = sp_allocate(host, padded, sizeof *c->unsorted);
    c->x = sp_allocate(host, padded, sizeof *c->x);
    c->y = sp_allocate(host, padded, sizeof *c->y);
    if (c->member && c->unsorted && c->x && c->y) return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "pond: no memory to sort %zu particles", capacity);
}

void pond_classes_close(pond_classes *c, const sp_host *host)
{
    for (int l = 0; l < POND_CLASSES; ++l)
        sp_cells_close(&c->cells[l]);
    sp_release(host, c->member);
    sp_release(host, c->unsorted);
    sp_release(host, c->x);
    sp_release(host, c->y);
}

/// The class of a radius that is `ratio` times the smallest one: 0 up to twice, 1 up to four times
/// ...
static int class_of(float ratio)
{
    int l = 0;
    for (float top = 2.0f; l < POND_CLASSES - 1 && ratio > top; top *= 2.0f)
        ++l;
    return l;
}

/// Collects the members of class l, in index order, and returns their largest radius.
static float collect(pond_classes *c, int l, float smallest, size_t n, const float *x,
                     const float *y, const float *r)
{
    float largest = 0.0f;
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
        if (class_of(r[i] / smallest) != l) continue;
        c->unsorted[count] = (uint32_t)i;
        c->x[count] = x[i];
        c->y[count++] = y[i];
        largest = r[i] > largest ? r[i] : largest;
    }
    c->count[l] = count;
    return largest;
}

void pond_classes_sort(pond_classes *c, const sp_pond *pond, size_t n, const float *x,
                       const float *y, const float *r, float reach)
{
    const pond_water *w = &pond->water;
    const float low[3] = {0.0f, 0.0f, 0.0f};
    const float high[3] = {(float)w->nx * w->dx, (float)w->ny * w->dx, 0.0f};
    float smallest = INFINITY;
    for (size_t i = 0; i < n; ++i)
        smallest = r[i] < smallest ? r[i] : smallest;
    size_t base = 0;
    for (int l = 0; l < POND_CLASSES; ++l) {
        c->base[l] = base;
        c->count[l] = 0;
        if (base == n) continue;
        c->range[l] = reach * collect(c, l, smallest, n, x, y, r);
        if (c->count[l] == 0) continue;
        sp_cells_shape(&c->cells[l], 2, low, high, c->range[l]);
        sp_cells_fill(&c->cells[l], c->count[l], c->x, c->y, NULL);
        for (size_t k = 0; k < c->count[l]; ++k)
            c->member[base + k] = c->unsorted[c->cells[l].order[k]];
        base += c->count[l];
    }
}
