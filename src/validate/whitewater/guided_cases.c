// SPDX-License-Identifier: Apache-2.0
/// Water that is known exactly, and bubbles in it.
#include "validate/whitewater/guided.h"

/// ---- Water -------------------------------------------------------------------------------------

static void velocity_at(const guided_water *w, const double p[3], double u[3])
{
    u[0] = u[1] = u[2] = 0.0;
    if (w->kind == GUIDED_VORTEX) {
        const double k = 2.0 * SP_PI_D / w->width;
        u[0] = w->speed * sin(k * p[0]) * cos(k * p[1]);
        u[1] = -w->speed * cos(k * p[0]) * sin(k * p[1]);
    }
    for (int a = 0; w->kind == GUIDED_DRIVEN && a < 3; ++a)
        u[a] = w->driven[a] * w->t;
    if (w->broken) u[0] = (double)NAN;
}

static sp_status prepare(void *user, double t, sp_error *err)
{
    guided_water *w = user;
    (void)err;
    w->t = t;
    return SP_OK;
}

static void answer(const void *user, const sp_bulk_query *q, size_t begin, size_t end)
{
    const guided_water *w = user;
    for (size_t i = begin; i < end; ++i) {
        const double p[3] = {q->x[i], q->y[i], q->z[i]};
        double u[3];
        velocity_at(w, p, u);
        if (q->phi) q->phi[i] = (float)(p[1] - w->surface);
        for (int a = 0; a < 3; ++a) {
            if (q->gradient[a]) q->gradient[a][i] = a == 1 ? 1.0f : 0.0f;
            if (q->u[a]) q->u[a][i] = (float)u[a];
        }
    }
}

sp_bulk guided_water_bulk(guided_water *w)
{
    return (sp_bulk){.user = w,
                     .last = 1e9,
                     .voxel = 0.01f,
                     .low = {-1e3, -1e3, -1e3},
                     .high = {1e3, w->surface, 1e3},
                     .prepare = prepare,
                     .answer = answer};
}

/// ---- Bubbles -----------------------------------------------------------------------------------

static bool reserve(guided_case *c, size_t n)
{
    bool good = true;
    c->p.count = n;
    for (int a = 0; a < 3; ++a) {
        c->p.x[a] = sp_allocate(c->host, n, sizeof(double));
        c->p.v[a] = sp_allocate(c->host, n, sizeof(float));
        good = good && c->p.x[a] && c->p.v[a];
    }
    c->p.radius = c->radius = sp_allocate(c->host, n, sizeof(float));
    c->p.number = c->number = sp_allocate(c->host, n, sizeof(float));
    c->p.id = c->id = sp_allocate(c->host, n, sizeof(uint64_t));
    c->lost = sp_allocate(c->host, n, 1);
    return good && c->radius && c->number && c->id && c->lost;
}

sp_status guided_case_again(guided_case *c, sp_error *err)
{
    sp_guided_close(c->guided);
    return sp_guided_open(&c->def, c->host, &c->guided, err);
}

sp_status guided_case_open(guided_case *c, size_t n, float r, float voxel, const sp_host *host,
                           sp_error *err)
{
    *c = (guided_case){.host = host, .def = sp_guided_defaults()};
    c->def.voxel = voxel;
    c->water = (guided_water){.surface = 1e3, .speed = 1.0, .width = 1.0};
    c->bulk = guided_water_bulk(&c->water);
    c->world = (sp_guided_world){.bulk = &c->bulk, .gravity = {0.0f, -9.81f, 0.0f}};
    if (!reserve(c, n)) {
        guided_case_close(c);
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu bubbles", n);
    }
    for (size_t i = 0; i < n; ++i) {
        c->radius[i] = r;
        c->number[i] = 1.0f;
        c->id[i] = i;
    }
    return guided_case_again(c, err);
}

void guided_case_close(guided_case *c)
{
    sp_guided_close(c->guided);
    for (int a = 0; a < 3; ++a) {
        sp_release(c->host, c->p.x[a]);
        sp_release(c->host, c->p.v[a]);
    }
    sp_release(c->host, c->radius);
    sp_release(c->host, c->number);
    sp_release(c->host, c->id);
    sp_release(c->host, c->lost);
    *c = (guided_case){0};
}

sp_status guided_case_run(guided_case *c, double seconds, double dt, sp_error *err)
{
    const int steps = (int)ceil(seconds / dt - 1e-9);
    for (int n = 0; n < steps; ++n) {
        SP_TRY(sp_guided_step(c->guided, &c->world, &c->p, c->lost, c->t, dt, &c->figures, err));
        c->t += dt;
    }
    return SP_OK;
}

void guided_case_scatter(guided_case *c, double radius, uint64_t seed)
{
    for (size_t i = 0; i < c->p.count; ++i) {
        double p[3], away = 2.0;
        for (uint32_t k = 0; away > 1.0; ++k) {
            const sp_random4 random = sp_random(seed, 1, i, 0, k);
            away = 0.0;
            for (int a = 0; a < 3; ++a) {
                p[a] = 2.0 * (double)sp_unit(random.x[a]) - 1.0;
                away += p[a] * p[a];
            }
        }
        for (int a = 0; a < 3; ++a)
            c->p.x[a][i] = radius * p[a];
    }
}

double guided_case_mean(const guided_case *c, int axis)
{
    return sp_exact_total(c->p.x[axis], c->p.count, 1) / (double)c->p.count;
}

uint64_t guided_case_hash(const guided_case *c)
{
    const sp_guided_water w = sp_guided_now(c->guided);
    uint64_t hash = 0;
    for (int a = 0; a < 3; ++a) {
        hash = sp_hash(hash, c->p.x[a], c->p.count * sizeof(double));
        hash = sp_hash(hash, c->p.v[a], c->p.count * sizeof(float));
        hash = sp_hash(hash, w.u[a], w.tiles->count * SP_TILE_VOXELS * sizeof(float));
    }
    return sp_hash(hash, w.tiles->at, w.tiles->count * sizeof *w.tiles->at);
}

double guided_case_drift(const guided_case *c)
{
    const bubbles_guide *g = &c->guided->guide;
    const sp_guided_water w = sp_guided_now(c->guided);
    double off = 0.0, all = 0.0;
    for (size_t t = 0; t < w.tiles->count; ++t) {
        const size_t wide = sp_tiles_find(&g->bulk.tiles, w.tiles->at[t]) * (size_t)SP_TILE_VOXELS;
        for (int a = 0; a < 3; ++a)
            for (size_t n = 0; n < SP_TILE_VOXELS; ++n) {
                const double bulk = (double)g->bulk.end[a][wide + n],
                             d = (double)w.u[a][t * SP_TILE_VOXELS + n] - bulk;
                if (!(g->bulk.phi[wide + n] < 0.0f)) continue;
                off += d * d;
                all += bulk * bulk;
            }
    }
    return sqrt(off / all);
}

sp_status guided_case_force(guided_case *c, const int32_t low[3], const int32_t high[3],
                            sp_error *err)
{
    enum { MOST = 4096 };
    static int32_t at[MOST][3];
    size_t n = 0;
    for (int32_t k = low[2]; k <= high[2]; ++k)
        for (int32_t j = low[1]; j <= high[1]; ++j)
            for (int32_t i = low[0]; i <= high[0] && n < MOST; ++i, ++n)
                memcpy(at[n], (int32_t[3]){i, j, k}, sizeof *at);
    return sp_guided_force_tiles(c->guided, (const int32_t(*)[3])at, n, err);
}

/// ---- A swell -----------------------------------------------------------------------------------

sp_status guided_swell_open(guided_swell *s, size_t n, int32_t columns, const sp_host *host,
                            sp_error *err)
{
    const float h = 0.025f;
    const double tile = SP_TILE * (double)h, side = (columns - 2) * tile;
    s->bulk = (sp_bulk){0};
    s->water = (foam_gridded){.surface = {.kind = FOAM_WAVE, .amplitude = 0.05, .wavelength = 2.0},
                              .voxel = h,
                              .columns = columns,
                              .deep = 4,
                              .all = true,
                              .fps = 24.0,
                              .moments = 40};
    SP_TRY(guided_case_open(&s->c, n, 0.001f, h, host, err));
    for (size_t i = 0; i < n; ++i) {
        const sp_random4 random = sp_random(3, 1, i, 0, 0);
        double gradient[3], u[3],
            p[3] = {tile + side * (double)sp_unit(random.x[0]), 0.0,
                    tile + side * (double)sp_unit(random.x[1])};
        p[1] = -foam_surface_at(&s->water.surface, p, gradient, u) - 0.02 -
               0.28 * (double)sp_unit(random.x[2]);
        foam_surface_at(&s->water.surface, p, gradient, u);
        s->c.radius[i] = 0.001f + 0.002f * sp_unit(random.x[3]);
        for (int a = 0; a < 3; ++a) {
            s->c.p.x[a][i] = p[a];
            s->c.p.v[a][i] = (float)u[a];
        }
    }
    s->c.world.bulk = &s->bulk;
    const sp_status status = foam_gridded_bulk(&s->water, host, &s->bulk, err);
    if (status != SP_OK) guided_case_close(&s->c);
    return status;
}

void guided_swell_close(guided_swell *s)
{
    guided_case_close(&s->c);
    sp_bulk_close(&s->bulk);
}
