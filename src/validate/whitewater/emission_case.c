// SPDX-License-Identifier: Apache-2.0
#include "validate/whitewater/emission_case.h"

enum { BAND = 4 }; ///< voxels

/// ---- Water -------------------------------------------------------------------------------------

void emission_water_times(emission_water *w, double fps, size_t moments)
{
    w->moments = moments;
    for (size_t k = 0; k < moments; ++k)
        w->times[k] = (double)k / fps;
}

static double distance_at(const emission_water *w, const double p[3])
{
    if (w->kind == EMISSION_POOL) return p[1];
    if (w->kind == EMISSION_DENTS)
        return p[1] -
               0.25 * w->radius * cos(SP_PI_D * p[0] / w->radius) * cos(SP_PI_D * p[2] / w->radius);
    const double out = sqrt(sp_dot3(p, p)) - w->radius;
    return w->kind == EMISSION_CAVITY ? -out : out;
}

static void fill_voxel(const emission_water *w, double t, const double cell[3], sp_bulk_loaded *to,
                       size_t n)
{
    const double h = (double)w->voxel, band = BAND * h;
    to->phi[n] = (float)fmax(-band, fmin(band, distance_at(w, cell)));
    for (int a = 0; a < 3; ++a)
        to->u[a][n] = (float)(t * w->acceleration[a]);
}

static void fill(const emission_water *w, sp_bulk_loaded *to)
{
    for (size_t n = 0; n < to->tiles.count * SP_TILE_VOXELS; ++n) {
        const int32_t *at = to->tiles.at[n / SP_TILE_VOXELS];
        double cell[3];
        for (int a = 0; a < 3; ++a)
            cell[a] = (double)w->voxel * (SP_TILE * at[a] + (int32_t)(n >> 3 * a & 7) + 0.5);
        fill_voxel(w, to->time, cell, to, n);
    }
}

static sp_status open_tiles(const emission_water *w, sp_bulk_loaded *to, sp_error *err)
{
    const int32_t half[3] = {w->half, w->deep, w->half};
    const size_t side = 2 * (size_t)w->half, count = 2 * (size_t)w->deep * side * side;
    int32_t(*at)[3] = sp_allocate(to->host, count, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu tiles", count);
    for (size_t t = 0; t < count; ++t) {
        size_t n = t;
        for (int a = 0; a < 3; ++a) {
            at[t][a] = (int32_t)(n % (2 * (size_t)half[a])) - half[a];
            n /= 2 * (size_t)half[a];
        }
    }
    const sp_status status =
        sp_tiles_open(&to->tiles, to->host, w->voxel, (const int32_t(*)[3])at, count, err);
    sp_release(to->host, at);
    return status;
}

static sp_status load(void *user, size_t k, sp_bulk_loaded *to, sp_error *err)
{
    const emission_water *w = user;
    SP_TRY(open_tiles(w, to, err));
    bool enough = (to->phi = sp_tiles_field(&to->tiles, 0.0f)) != NULL;
    for (int a = 0; a < 3; ++a)
        enough &= (to->u[a] = sp_tiles_field(&to->tiles, 0.0f)) != NULL;
    if (!enough)
        return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu tiles", to->tiles.count);
    to->time = w->times[k];
    to->band = BAND * w->voxel;
    fill(w, to);
    return SP_OK;
}

sp_status emission_water_bulk(emission_water *w, const sp_host *host, sp_bulk *bulk, sp_error *err)
{
    const sp_bulk_source source = {
        .user = w, .count = w->moments, .times = w->times, .voxel = w->voxel, .load = load};
    return sp_bulk_serve(&source, host, bulk, err);
}

/// ---- A case ------------------------------------------------------------------------------------

void emission_case_clear(emission_case *c, const sp_bulk *bulk, const sp_host *host)
{
    *c = (emission_case){.quiet = *host, .host = &c->quiet, .next_id = 1};
    c->quiet.log = NULL; // it tells what it infers, for each case
    sp_keys_defaults(&sp_emission_keys, &c->def);
    sp_keys_defaults(&sp_aeration_keys, &c->aeration);
    c->world = (whitewater_world){.host = &c->quiet,
                                  .bulk = bulk,
                                  .gravity = {0.0f, -9.81f, 0.0f},
                                  .density = 1000.0f,
                                  .density_air = 1.2f,
                                  .viscosity = 1e-3f,
                                  .voxel = bulk->voxel,
                                  .seed = 1};
    for (int a = 0; a < 3; ++a) {
        c->world.domain[0][a] = -1e6;
        c->world.domain[1][a] = 1e6;
    }
}

sp_status emission_case_begin(emission_case *c, sp_error *err)
{
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        SP_TRY(whitewater_set_open(&c->set[k], c->host, err));
    return whitewater_emission_open(&c->def, &c->aeration, c->host, &c->emission, err);
}

void emission_case_close(emission_case *c)
{
    whitewater_emission_close(c->emission);
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        whitewater_set_close(&c->set[k]);
}

sp_status emission_case_step(emission_case *c, double dt, sp_error *err)
{
    c->world.dt = dt;
    const whitewater_intake in = {
        .to = {&c->set[0], &c->set[1], &c->set[2]}, .next_id = &c->next_id, .ledger = &c->ledger};
    SP_TRY(whitewater_emit(c->emission, &c->world, &in, &c->figures, err));
    c->lost += c->figures.lost_volume;
    c->wanted += c->figures.target_volume;
    c->world.t += dt;
    ++c->world.step;
    return SP_OK;
}

double emission_case_volume(const emission_case *c, int kind)
{
    double sum = 0.0;
    for (size_t i = 0; i < c->set[kind].set.count; ++i)
        sum += whitewater_volume(&c->set[kind], i);
    return sum;
}

sp_status emission_case_cells(emission_case *c, int32_t side, double voxel, double volume,
                              sp_error *err)
{
    emission_held *h = &c->emission->held;
    const size_t count = (size_t)side * (size_t)side * (size_t)side;
    if (!sp_regrow(c->host, (void **)&h->cell, 0, count, sizeof *h->cell))
        return sp_fail(err, SP_NO_MEMORY, "emission: no memory for %zu voxels", count);
    h->room = h->count = count;
    h->voxel = voxel;
    h->time = c->world.t;
    for (size_t i = 0; i < count; ++i) {
        size_t n = i;
        h->cell[i] = (emission_cell){.rate = (float)volume};
        for (int a = 0; a < 3; ++a, n /= (size_t)side)
            h->cell[i].at[a] = (int32_t)(n % (size_t)side) - side / 2;
    }
    return SP_OK;
}

uint64_t emission_case_hash(emission_case *c)
{
    sp_walk walk = {.way = SP_WALK_HASH};
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        sp_particles_walk(&c->set[k].set, &walk);
    return walk.hash;
}
