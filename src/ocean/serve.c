// SPDX-License-Identifier: Apache-2.0
/// Opens an ocean, keeps its last two moments, and warns of what its def cannot hold.
#include "ocean/internal.h"

/// Times that may be asked for, s: phases are exact to 1e-6 turns that far.
static const double longest = 1e9;
/// A patch holds the waves of the peak when it is as wide as this many of them.
static const double least_waves = 4.0;

/// ---- Sizes -------------------------------------------------------------------------------------

static const double depths[OCEAN_LAYERS] = {0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0}; // m

/// The layers that are above the bottom; the first that is not lies on it.
static void choose_layers(ocean *o)
{
    while (o->layers < OCEAN_LAYERS && (o->layers == 0 || o->depth[o->layers - 1] < o->sea.depth)) {
        o->depth[o->layers] = fmin(depths[o->layers], o->sea.depth);
        ++o->layers;
    }
}

/// All but memory.
static void begin_ocean(ocean *o, const sp_ocean_def *def)
{
    o->def = *def;
    o->sea = ocean_sea_of(def);
    o->chop = (float)def->choppiness;
    choose_layers(o);
    o->fade = ocean_wave_number(&o->sea, o->sea.peak);
    o->cascades = def->cascades;
    for (int k = 0; k < o->cascades; ++k)
        ocean_plan_cascade(o, k, &o->cascade[k]);
    o->figures = (sp_ocean_figures){.period = 2.0 * SP_PI_D / o->sea.peak,
                                    .wavelength = 2.0 * SP_PI_D / o->fade,
                                    .choppiness = def->choppiness};
    const ocean_cascade *first = &o->cascade[0], *last = &o->cascade[o->cascades - 1];
    o->figures.height = 4.0 * sqrt(ocean_variance(&o->sea, 0.0, 1e6));
    o->figures.grid_height =
        4.0 * sqrt(ocean_variance(&o->sea, SP_PI_D / first->length, last->high));
}

size_t sp_ocean_bytes(const sp_ocean_def *def)
{
    ocean o = {0};
    size_t bytes = sizeof o;
    begin_ocean(&o, def);
    for (int k = 0; k < o.cascades; ++k) {
        const ocean_cascade *c = &o.cascade[k];
        bytes += (size_t)c->n * c->columns * (sizeof(double) + 11 * sizeof(float));
        for (int g = 0; g < c->groups; ++g) {
            const size_t n = (size_t)c->size[g];
            bytes += (g == 0   ? 1u
                      : g == 1 ? 0u
                               : 2u) *
                     n * ocean_columns(c->size[g]) * sizeof(float);
            bytes += 3 * OCEAN_MOMENTS * ocean_plane_size(c->size[g]) * sizeof(float);
        }
    }
    return bytes;
}

bool ocean_serves_patch(const sp_ocean_def *def)
{
    return def->low[0] == def->high[0] && def->low[1] == def->high[1] &&
           def->low[2] == def->high[2];
}

/// ---- Moments -----------------------------------------------------------------------------------

static bool reserve_moments(ocean *o)
{
    for (int m = 0; m < OCEAN_MOMENTS; ++m)
        for (int k = 0; k < o->cascades; ++k)
            for (int g = 0; g < o->cascade[k].groups; ++g)
                for (int a = 0; a < 3; ++a) {
                    float **plane = &o->moment[m].plane[k][g][a];
                    *plane = sp_arena_take(o->host, &o->blocks,
                                           ocean_plane_size(o->cascade[k].size[g]), sizeof **plane);
                    if (!*plane) return false;
                }
    o->rows = sp_arena_take(o->host, &o->blocks, (size_t)o->def.grid, sizeof *o->rows);
    return o->rows != NULL;
}

static sp_status prepare(void *user, double t, sp_error *err)
{
    ocean *o = user;
    ocean_moment *m = &o->moment[0];
    (void)err;
    for (int k = 0; k < OCEAN_MOMENTS; ++k) {
        ocean_moment *here = &o->moment[k];
        if (here->known && here->t == t) {
            m = here;
            break;
        }
        if (here->used < m->used) m = here;
    }
    if (!(m->known && m->t == t)) ocean_compute(o, m, t, true);
    m->known = true;
    m->t = t;
    m->used = ++o->calls;
    o->now = m;
    return SP_OK;
}

/// ---- Opening -----------------------------------------------------------------------------------

static void close_ocean(void *user)
{
    ocean *o = user;
    const sp_host *host = o->host;
    ocean_plans_close(o);
    sp_arena_close(host, &o->blocks);
    sp_release(host, o);
}

static void warn_of_short_patch(const ocean *o)
{
    const double wave = o->figures.wavelength, patch = o->def.patch;
    if (patch < least_waves * wave)
        sp_log(o->host, SP_LOG_WARNING,
               "ocean patch %.4g m holds only part of the %.3g m peak wave: wave height will vary "
               "between seeds; use "
               "patch >= %.3g m, with cascades for short waves",
               patch, wave, least_waves * wave);
}

/// The water of the patch, to the bottom or as deep as the patch is wide, and up to twice the wave height.
static void set_bounds(const ocean *o, sp_bulk *bulk)
{
    const sp_ocean_def *d = &o->def;
    const double low[3] = {0.0, d->level - fmin(d->depth, d->patch), 0.0},
                 high[3] = {d->patch, d->level + 2.0 * o->figures.height, d->patch};
    for (int a = 0; a < 3; ++a) {
        bulk->low[a] = ocean_serves_patch(d) ? low[a] : (double)d->low[a];
        bulk->high[a] = ocean_serves_patch(d) ? high[a] : (double)d->high[a];
    }
}

sp_status sp_ocean_bulk(const sp_ocean_def *def, uint64_t seed, const sp_host *host, sp_bulk *out,
                        sp_error *err)
{
    *out = (sp_bulk){0};
    if (sp_ocean_missing()) return sp_fail(err, SP_UNSUPPORTED, "%s", sp_ocean_missing());
    ocean *o = sp_allocate(host, 1, sizeof *o);
    if (!o) return sp_fail(err, SP_NO_MEMORY, "ocean: no memory");
    o->host = host;
    o->seed = seed;
    begin_ocean(o, def);
    sp_status status = reserve_moments(o)
                           ? SP_OK
                           : sp_fail(err, SP_NO_MEMORY, "ocean: no memory for its fields, %.3g MB",
                                     1e-6 * (double)sp_ocean_bytes(def));
    if (status == SP_OK) status = ocean_make_waves(o, err);
    if (status == SP_OK) status = ocean_plans_open(o, err);
    if (status != SP_OK) {
        close_ocean(o);
        return status;
    }
    warn_of_short_patch(o);
    ocean_choose_chop(o);
    const double spacing = o->cascade[o->cascades - 1].length / (double)def->grid;
    *out = (sp_bulk){.user = o,
                     .first = -longest,
                     .last = longest,
                     .voxel = (float)(def->voxel > 0.0 ? def->voxel : spacing),
                     .prepare = prepare,
                     .answer = ocean_answer,
                     .close = close_ocean};
    set_bounds(o, out);
    return SP_OK;
}

sp_ocean_figures sp_ocean_figures_of(const sp_bulk *bulk)
{
    const ocean *o = bulk->user;
    return o->figures;
}
