// SPDX-License-Identifier: Apache-2.0
/// Opens and closes the solver and manages its memory.
#include "poisson/internal.h"

#include <string.h>

sp_poisson_def sp_poisson_defaults(void)
{
    return (sp_poisson_def){
        .tolerance = 1e-5,
        .cycle = SP_POISSON_W,
        .smooth = 2,
        .max_iterations = 60,
        .precision = SP_POISSON_FLOAT,
    };
}

static sp_status check(const sp_poisson_def *def, sp_error *err)
{
    if (!(def->tolerance >= 0.0 && def->tolerance < 1.0)) // refuses NaN as well
        return sp_fail(err, SP_BAD_INPUT, "pressure.tol: %g; expected 0 to 1", def->tolerance);
    if (def->cycle != SP_POISSON_W && def->cycle != SP_POISSON_V)
        return sp_fail(err, SP_BAD_INPUT, "pressure.cycle: %d; expected W or V", def->cycle);
    if (def->smooth < 1 || def->smooth > 16)
        return sp_fail(err, SP_BAD_INPUT, "pressure.smooth: %d; expected 1 to 16", def->smooth);
    if (def->max_iterations < 0)
        return sp_fail(err, SP_BAD_INPUT, "pressure.max_iter: %d; expected 0 or more",
                       def->max_iterations);
    if (def->precision != SP_POISSON_FLOAT && def->precision != SP_POISSON_DOUBLE)
        return sp_fail(err, SP_BAD_INPUT, "pressure.precision: %d; expected float or double",
                       def->precision);
    return SP_OK;
}

sp_status sp_poisson_open(const sp_poisson_def *def, const sp_host *host, sp_poisson **out,
                          sp_error *err)
{
    *out = NULL;
    SP_TRY(check(def, err));
    sp_poisson *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for the solver");
    s->host = host;
    s->def = *def;
    s->real = def->precision == SP_POISSON_DOUBLE ? sizeof(double) : sizeof(float);
    *out = s;
    return SP_OK;
}

bool poisson_reserve(sp_poisson *s, void *array, size_t count, size_t size)
{
    poisson_store *store = s->store;
    while (store->array && store->array != array)
        ++store;
    SP_ASSERT(store < s->store + POISSON_ARRAYS);
    store->array = array;
    const size_t bytes = count * size;
    if (!store->data || store->bytes < bytes) {
        // After the first time, allocate a quarter more than needed: water spreads step by step.
        store->bytes = store->data ? bytes + bytes / 4 : bytes;
        sp_release(s->host, store->data);
        store->data = sp_allocate(s->host, store->bytes, 1);
        if (!store->data) store->bytes = 0;
    }
    memcpy(array, &store->data, sizeof store->data);
    return store->data != NULL;
}

void sp_poisson_close(sp_poisson *s)
{
    if (!s) return;
    for (int i = 0; i < POISSON_ARRAYS; ++i)
        sp_release(s->host, s->store[i].data);
    sp_release(s->host, s);
}

size_t sp_poisson_bytes(const sp_poisson *s)
{
    size_t bytes = sizeof *s;
    for (int i = 0; i < POISSON_ARRAYS; ++i)
        bytes += s->store[i].bytes;
    return bytes;
}

static bool reserve_vectors(sp_poisson *s)
{
    const size_t n = s->level[0].count, tile = SP_TILE_VOXELS * s->real;
    if (!poisson_reserve(s, &s->p, n + 1, tile) || !poisson_reserve(s, &s->lo, n + 1, tile) ||
        !poisson_reserve(s, &s->d, n + 1, tile) ||
        !poisson_reserve(s, &s->hi, n + 1, SP_TILE_VOXELS * sizeof *s->hi) ||
        !poisson_reserve(s, &s->right, n + 1, SP_TILE_VOXELS * sizeof *s->right) ||
        !poisson_reserve(s, &s->sums, n + 1, sizeof *s->sums) ||
        !poisson_reserve(s, &s->peaks, n + 1, sizeof *s->peaks))
        return false;
    // the tile of zeros
    memset((char *)s->p + n * tile, 0, tile);
    memset((char *)s->lo + n * tile, 0, tile);
    memset((char *)s->d + n * tile, 0, tile);
    memset(s->hi + n * SP_TILE_VOXELS, 0, SP_TILE_VOXELS * sizeof *s->hi);
    return true;
}

sp_status sp_poisson_build(sp_poisson *s, const sp_poisson_system *system, sp_error *err)
{
    s->built = false;
    SP_TRY(poisson_build_levels(s, system, err));
    SP_TRY(poisson_find_pieces(s, err));
    if (!reserve_vectors(s))
        return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for the vectors of %zu tiles",
                       s->level[0].count);
    s->built = true;
    return SP_OK;
}
