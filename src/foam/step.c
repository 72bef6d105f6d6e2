// SPDX-License-Identifier: Apache-2.0
/// Opens and closes foam, and runs the substeps of a step.
#include "foam/internal.h"

static const char *const stages[SP_FOAM_STAGES] = {"sort", "density", "forces", "glide"};

sp_status sp_foam_open(const sp_foam_def *def, const sp_host *host, sp_foam **out, sp_error *err)
{
    *out = NULL;
    sp_foam *f = sp_allocate(host, 1, sizeof *f);
    if (!f) return sp_fail(err, SP_NO_MEMORY, "foam: no memory");
    f->host = host;
    f->def = *def;
    f->profile = (sp_profile){.host = host, .names = stages, .stages = SP_FOAM_STAGES};
    f->layer = sp_foam_layer_density((double)def->support);
    const sp_status status = sp_cells_open_sparse(&f->cells, host, err);
    if (status == SP_OK)
        *out = f;
    else
        sp_foam_close(f);
    return status;
}

void sp_foam_close(sp_foam *f)
{
    if (!f) return;
    const sp_host *host = f->host;
    sp_cells_close(&f->cells);
    sp_release(host, f->block);
    sp_release(host, f);
}

size_t sp_foam_bytes(const sp_foam *f)
{
    return f->bytes + sp_cells_bytes(&f->cells);
}

const sp_profile *sp_foam_profile(const sp_foam *f)
{
    return &f->profile;
}

static void end_stage(sp_foam *f, int stage)
{
    f->clock = sp_stage_end(&f->profile, stage, f->clock);
}

/// ---- The length of a substep -------------------------------------------------------------------

/// W26  The longest stable substep: sound and viscosity cross a share of the smallest support, and nothing moves
/// through the water by more than a quarter of it.
static double longest(const sp_foam *f, double small, double slip)
{
    const sp_foam_def *d = &f->def;
    const double support = (double)d->support * small,
                 speed = sqrt((double)d->stiffness) + 2.0 * (double)d->viscosity;
    return fmin((double)d->cfl * support / fmax(speed, 1e-9), 0.25 * support / fmax(slip, 1e-9));
}

typedef struct measuring {
    sp_foam *f;
    const sp_foam_particles *p;
} measuring;

/// The largest speed through the water, from that along the surface and what the water does there.
static void find_slip(void *arg, size_t begin, size_t end)
{
    const measuring *m = arg;
    const foam_sorted *s = &m->f->sorted;
    float most = 0.0f;
    for (size_t i = begin; i < end; ++i) {
        float sum = 0.0f;
        for (int a = 0; a < 3; ++a)
            sum += (m->p->v[a][i] - s->u[a][i]) * (m->p->v[a][i] - s->u[a][i]);
        most = fmaxf(most, sum);
    }
    m->f->count[begin / FOAM_GRAIN].slip = most;
}

static sp_status measure_slip(sp_foam *f, const sp_foam_world *w, const sp_foam_particles *p,
                              double t, double *slip, sp_error *err)
{
    const foam_sorted *s = &f->sorted;
    const sp_bulk_query query = {
        .n = p->count, .x = p->x[0], .y = p->x[1], .z = p->x[2], .u = {s->u[0], s->u[1], s->u[2]}};
    const measuring m = {f, p};
    float most = 0.0f;
    SP_TRY(sp_bulk_sample(w->bulk, f->host, t, &query, err));
    sp_parallel(f->host, p->count, FOAM_GRAIN, find_slip, (void *)(uintptr_t)&m);
    for (size_t b = 0; b * FOAM_GRAIN < p->count; ++b)
        most = fmaxf(most, f->count[b].slip);
    *slip = (double)sqrtf(most);
    return SP_OK;
}

static sp_status choose_substeps(sp_foam *f, const sp_foam_world *w, const sp_foam_particles *p,
                                 double t, double dt, sp_foam_figures *figures, sp_error *err)
{
    double slip;
    SP_TRY(measure_slip(f, w, p, t, &slip, err));
    figures->radius = (double)foam_small_radius(f, p);
    f->smallest_support = f->def.support * (float)figures->radius;
    figures->wanted = (int)fmin(fmax(1.0, ceil(dt / longest(f, figures->radius, slip))), 1e6);
    figures->substeps =
        figures->wanted < f->def.max_substeps ? figures->wanted : f->def.max_substeps;
    return SP_OK;
}

/// ---- Substeps ----------------------------------------------------------------------------------

typedef struct returning {
    const sp_foam *f;
    const sp_foam_particles *p;
} returning;

static void return_particles(void *arg, size_t begin, size_t end)
{
    const returning *r = arg;
    const foam_sorted *s = &r->f->sorted;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = r->f->cells.order[k];
        for (int a = 0; a < 3; ++a) {
            r->p->x[a][i] = s->to[a][k];
            r->p->v[a][i] = s->v[a][k];
        }
        r->p->speed[i] = s->speed[k];
        r->p->lost[i] |= s->lost[k];
    }
}

static sp_status substep(sp_foam *f, const sp_foam_world *w, const sp_foam_particles *p, double t,
                         double dt, sp_foam_figures *figures, sp_error *err)
{
    f->clock = sp_now(f->host);
    SP_TRY(foam_sort(f, p, w->bulk->low, err));
    end_stage(f, FOAM_STAGE_SORT);
    foam_find_density(f);
    end_stage(f, FOAM_STAGE_DENSITY);
    foam_find_forces(f, p->id, w->gravity);
    end_stage(f, FOAM_STAGE_FORCES);
    SP_TRY(foam_glide(f, w, t, dt, figures, err));
    returning r = {f, p};
    sp_parallel(f->host, p->count, FOAM_GRAIN, return_particles, &r);
    end_stage(f, FOAM_STAGE_GLIDE);
    return SP_OK;
}

sp_status sp_foam_step(sp_foam *f, const sp_foam_world *w, const sp_foam_particles *p, double t,
                       double dt, sp_foam_figures *figures, sp_error *err)
{
    *figures = (sp_foam_figures){0};
    if (p->count == 0) return SP_OK;
    SP_TRY(foam_reserve(f, p->count, err));
    SP_TRY(choose_substeps(f, w, p, t, dt, figures, err));
    const int n = figures->substeps;
    for (int i = 0; i < n; ++i)
        SP_TRY(substep(f, w, p, t + dt * i / n, dt / n, figures, err));
    for (size_t k = 0; k < p->count; ++k)
        figures->sigma = fmax(figures->sigma, (double)f->sorted.sigma[k]);
    return SP_OK;
}

/// ---- Neighbours --------------------------------------------------------------------------------

static void count_neighbours(sp_foam *f, const void *arg, size_t p, const sp_around *around)
{
    const foam_sorted *s = &f->sorted;
    uint32_t n = 0, *count = (uint32_t *)(uintptr_t)arg;
    for (int r = 0; r < around->runs; ++r)
        for (size_t k = around->run[r].begin; k < around->run[r].end; ++k) {
            const float dx = s->x[0][p] - s->x[0][k], dy = s->x[1][p] - s->x[1][k],
                        dz = s->x[2][p] - s->x[2][k];
            n += dx * dx + dy * dy + dz * dz < s->support[p] * s->support[p];
        }
    count[f->cells.order[p]] = n;
}

sp_status sp_foam_neighbours(sp_foam *f, const sp_foam_particles *p, uint32_t *count, sp_error *err)
{
    if (p->count == 0) return SP_OK;
    const double origin[3] = {p->x[0][0], p->x[1][0], p->x[2][0]};
    SP_TRY(foam_reserve(f, p->count, err));
    f->smallest_support = f->def.support * foam_small_radius(f, p);
    SP_TRY(foam_sort(f, p, origin, err));
    foam_around_all(f, count_neighbours, count);
    return SP_OK;
}
