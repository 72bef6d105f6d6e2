// SPDX-License-Identifier: Apache-2.0
/// Sorts particles by the Morton code of their cell.
#include "particles/internal.h"

struct sp_zorder {
    sp_sorter sorter;
    int dims;
    uint32_t *order; ///< capacity entries
    size_t capacity;
};

sp_status sp_zorder_open(int dims, const sp_host *host, sp_zorder **out, sp_error *err)
{
    SP_ASSERT(dims == 2 || dims == 3);
    *out = sp_allocate(host, 1, sizeof **out);
    if (!*out) return sp_fail(err, SP_NO_MEMORY, "zorder: no memory to open");
    (*out)->sorter.host = host;
    (*out)->dims = dims;
    return SP_OK;
}

void sp_zorder_close(sp_zorder *zorder)
{
    if (!zorder) return;
    const sp_host *host = zorder->sorter.host;
    sp_sorter_close(&zorder->sorter);
    sp_release(host, zorder->order);
    sp_release(host, zorder);
}

/// Moves bit k of a 16-bit number to bit 2k.
static uint32_t spread2(uint32_t v)
{
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    return (v | v << 1) & 0x55555555u;
}

/// Moves bit k of a 10-bit number to bit 3k.
static uint32_t spread3(uint32_t v)
{
    v = (v | v << 16) & 0x030000ffu;
    v = (v | v << 8) & 0x0300f00fu;
    v = (v | v << 4) & 0x030c30c3u;
    return (v | v << 2) & 0x09249249u;
}

typedef struct coding {
    const float *x, *y, *z;
    sp_lattice box;
    uint32_t *key;
} coding;

static void code_flat(void *arg, size_t begin, size_t end)
{
    const coding *c = arg;
    for (size_t i = begin; i < end; ++i)
        c->key[i] = spread2((uint32_t)sp_lattice_at_shaped(&c->box, 0, c->x[i])) |
                    spread2((uint32_t)sp_lattice_at_shaped(&c->box, 1, c->y[i])) << 1;
}

static void code_deep(void *arg, size_t begin, size_t end)
{
    const coding *c = arg;
    for (size_t i = begin; i < end; ++i)
        c->key[i] = spread3((uint32_t)sp_lattice_at_shaped(&c->box, 0, c->x[i])) |
                    spread3((uint32_t)sp_lattice_at_shaped(&c->box, 1, c->y[i])) << 1 |
                    spread3((uint32_t)sp_lattice_at_shaped(&c->box, 2, c->z[i])) << 2;
}

/// Most cells along an axis: what a 32-bit code has bits for.
static int32_t most_along(int dims)
{
    return dims == 2 ? 1 << 16 : 1 << 10;
}

/// Divides the bounding box into cells, no more along an axis than the code has bits for, and
/// returns the largest code.
static uint32_t shape_box(sp_lattice *box, int dims, const float low[3], const float high[3],
                          float edge)
{
    const int32_t most = most_along(dims);
    int32_t longest;
    do {
        sp_lattice_shape(box, dims, low, high, edge, SIZE_MAX);
        longest = 0;
        for (int a = 0; a < dims; ++a)
            longest = box->n[a] > longest ? box->n[a] : longest;
        edge = box->edge * ((float)longest / (float)most) * 1.0001f;
    } while (longest > most);
    const uint32_t last = (uint32_t)longest - 1;
    return dims == 2 ? spread2(last) * 3 : spread3(last) * 7;
}

static void write_order(void *arg, size_t begin, size_t end)
{
    const sp_zorder *zorder = arg;
    for (size_t k = begin; k < end; ++k)
        zorder->order[k] = sp_pair_particle(zorder->sorter.pair[1][k]);
}

static bool reserve(sp_zorder *zorder, size_t n)
{
    if (!sp_sorter_reserve(&zorder->sorter, n, NULL)) return false;
    const size_t wanted = zorder->sorter.capacity;
    if (zorder->order && wanted <= zorder->capacity) return true;
    if (!sp_regrow(zorder->sorter.host, (void **)&zorder->order, 0, wanted, sizeof *zorder->order))
        return false;
    zorder->capacity = wanted;
    return true;
}

sp_status sp_zorder_find(sp_zorder *zorder, size_t n, const float *x, const float *y,
                         const float *z, float edge, sp_error *err)
{
    enum { GRAIN = 1 << 13 };
    const sp_host *host = zorder->sorter.host;
    if (!(edge > 0.0f && edge < INFINITY))
        return sp_fail(err, SP_BAD_INPUT, "zorder: edge %g m; expected above 0", (double)edge);
    if (n >= UINT32_MAX || !reserve(zorder, n))
        return sp_fail(err, SP_NO_MEMORY, "zorder: no memory for %zu particles", n);
    float low[3], high[3];
    const float *const position[3] = {x, y, z};
    SP_TRY(sp_bounds(host, zorder->dims, n, position, low, high, err));
    // Trims only boxes above four times the cells of a code: up to there larger cells lose less.
    sp_bounds_trim(zorder->dims, n, position, edge, 0x1p100, 4.0 * most_along(zorder->dims), low,
                   high);
    coding c = {.x = x, .y = y, .z = z, .key = zorder->sorter.key};
    const uint32_t largest = shape_box(&c.box, zorder->dims, low, high, edge);
    sp_parallel(host, n, GRAIN, zorder->dims == 2 ? code_flat : code_deep, &c);
    sp_sorter_run(&zorder->sorter, n, largest);
    sp_parallel(host, n, GRAIN, write_order, zorder);
    return SP_OK;
}

const uint32_t *sp_zorder_order(const sp_zorder *zorder)
{
    return zorder->order;
}
