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

void *poisson_reserve(const sp_host *host, poisson_store *store, size_t count, size_t size)
{
    const size_t bytes = count * size;
    if (store->data && store->bytes >= bytes) return store->data;
    const bool first = !store->data;
    sp_release(host, store->data);
    *store = (poisson_store){0};
    // After the first time, allocate a quarter more than needed: water spreads step by step.
    const size_t wanted = first ? bytes : bytes + bytes / 4;
    store->data = sp_allocate(host, wanted, 1);
    store->bytes = store->data ? wanted : 0;
    return store->data;
}

static void release_stores(const sp_host *host, poisson_store *stores, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        sp_release(host, stores[i].data);
}

void sp_poisson_close(sp_poisson *s)
{
    if (!s) return;
    for (int l = 0; l < POISSON_LEVELS; ++l)
        release_stores(s->host, s->level[l].store, POISSON_LEVEL_STORES);
    release_stores(s->host, s->pieces.store, POISSON_PIECE_STORES);
    release_stores(s->host, s->store, POISSON_STORES);
    sp_release(s->host, s);
}

static size_t bytes_of_stores(const poisson_store *stores, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; ++i)
        bytes += stores[i].bytes;
    return bytes;
}

size_t sp_poisson_bytes(const sp_poisson *s)
{
    size_t bytes = sizeof *s + bytes_of_stores(s->store, POISSON_STORES) +
                   bytes_of_stores(s->pieces.store, POISSON_PIECE_STORES);
    for (int l = 0; l < POISSON_LEVELS; ++l)
        bytes += bytes_of_stores(s->level[l].store, POISSON_LEVEL_STORES);
    return bytes;
}

static bool reserve_vectors(sp_poisson *s)
{
    const size_t n = s->level[0].count, values = (n + 1) * SP_TILE_VOXELS;
    s->p = poisson_reserve(s->host, &s->store[POISSON_P], values, s->real);
    s->hi = poisson_reserve(s->host, &s->store[POISSON_HI], values, sizeof(float));
    s->lo = poisson_reserve(s->host, &s->store[POISSON_LO], values, s->real);
    s->d = poisson_reserve(s->host, &s->store[POISSON_D], values, s->real);
    s->right = poisson_reserve(s->host, &s->store[POISSON_RIGHT], values, sizeof(float));
    s->sums = poisson_reserve(s->host, &s->store[POISSON_SUMS], n + 1, sizeof(double));
    s->peaks = poisson_reserve(s->host, &s->store[POISSON_PEAKS], n + 1, sizeof(double));
    if (!s->p || !s->hi || !s->lo || !s->d || !s->right || !s->sums || !s->peaks) return false;
    const size_t zeros = n * SP_TILE_VOXELS; // the tile of zeros
    memset((char *)s->p + zeros * s->real, 0, SP_TILE_VOXELS * s->real);
    memset((char *)s->lo + zeros * s->real, 0, SP_TILE_VOXELS * s->real);
    memset((char *)s->d + zeros * s->real, 0, SP_TILE_VOXELS * s->real);
    memset(s->hi + zeros, 0, SP_TILE_VOXELS * sizeof *s->hi);
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
