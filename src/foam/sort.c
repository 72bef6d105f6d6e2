// SPDX-License-Identifier: Apache-2.0
/// Particles by cell, and memory for them.
#include "foam/internal.h"

/// ---- Memory ------------------------------------------------------------------------------------

/// Lays arrays of n entries into a block; with `base` NULL it only counts.
typedef struct laying {
    char *base;
    size_t used, n;
} laying;

static void *lay(laying *l, size_t size)
{
    void *at = l->base ? l->base + l->used : NULL;
    l->used += (l->n * size + 63) & ~(size_t)63;
    return at;
}

static void lay_three(laying *l, void *array[3], size_t size)
{
    for (int a = 0; a < 3; ++a)
        array[a] = lay(l, size);
}

static size_t lay_all(sp_foam *f, char *base, size_t n)
{
    foam_sorted *s = &f->sorted;
    laying l = {base, 0, n + 2 * SP_LANES};
    double **const doubles[] = {s->at, s->to};
    float **const floats[] = {s->x, s->v, s->force, s->normal, s->u, s->gradient, f->place};
    float **const lone[] = {&s->radius, &s->volume, &s->support, &s->reach,
                            &s->sigma,  &s->push,   &s->speed};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; ++i)
        lay_three(&l, (void **)doubles[i], sizeof(double));
    for (size_t i = 0; i < sizeof floats / sizeof *floats; ++i)
        lay_three(&l, (void **)floats[i], sizeof(float));
    for (size_t i = 0; i < sizeof lone / sizeof *lone; ++i)
        *lone[i] = lay(&l, sizeof(float));
    s->alpha = lay(&l, sizeof *s->alpha);
    f->count = lay(&l, sizeof *f->count);
    s->lost = lay(&l, sizeof *s->lost);
    return l.used;
}

sp_status foam_reserve(sp_foam *f, size_t n, sp_error *err)
{
    if (n <= f->room && f->block) return SP_OK;
    const size_t room = n + n / 4 + 1024, bytes = lay_all(f, NULL, room);
    sp_release(f->host, f->block);
    f->block = sp_allocate(f->host, bytes, 1);
    f->room = f->bytes = 0;
    if (!f->block) return sp_fail(err, SP_NO_MEMORY, "foam: no memory for %zu particles", n);
    lay_all(f, f->block, room);
    f->room = room;
    f->bytes = bytes;
    return SP_OK;
}

/// ---- The small radius --------------------------------------------------------------------------

/// Radii by size, in steps of 1/128 of an octave or finer: the exponent and seven bits of the fraction.
enum { SIZES = 1 << 16 };

static uint32_t size_of(float radius)
{
    uint32_t bits;
    memcpy(&bits, &radius, sizeof bits);
    return bits >> 16;
}

float foam_small_radius(sp_foam *f, const sp_foam_particles *p)
{
    uint32_t *count = sp_allocate(f->host, SIZES, sizeof *count);
    size_t below = 0, size = 0;
    float small = 0.0f;
    if (!count) return 0.0f;
    for (size_t i = 0; i < p->count; ++i)
        ++count[size_of(p->radius[i])];
    while (size + 1 < SIZES && below + count[size] <= p->count / 20)
        below += count[size++];
    const uint32_t bits = (uint32_t)size << 16;
    memcpy(&small, &bits, sizeof small);
    sp_release(f->host, count);
    return small;
}

/// ---- Sorting -----------------------------------------------------------------------------------

typedef struct copying {
    sp_foam *f;
    const sp_foam_particles *p;
    double origin[3];
} copying;

static void find_places(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    for (int a = 0; a < 3; ++a)
        for (size_t i = begin; i < end; ++i)
            c->f->place[a][i] = (float)(c->p->x[a][i] - c->origin[a]);
}

static void copy_sizes(const copying *c, size_t k, size_t i)
{
    const sp_foam_def *def = &c->f->def;
    foam_sorted *s = &c->f->sorted;
    const float r = c->p->radius[i];
    s->radius[k] = r;
    s->volume[k] = 4.0f / 3.0f * SP_PI * r * r * r;
    s->support[k] = fmaxf(def->support * r, c->f->smallest_support);
    s->reach[k] = s->support[k] * (def->cohesion_radius / def->support);
    s->speed[k] = c->p->speed[i];
    s->lost[k] = 0;
}

static void copy_particles(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    foam_sorted *s = &c->f->sorted;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = c->f->cells.order[k];
        for (int a = 0; a < 3; ++a) {
            s->at[a][k] = c->p->x[a][i];
            s->x[a][k] = c->f->place[a][i];
            s->v[a][k] = c->p->v[a][i];
        }
        copy_sizes(c, k, i);
    }
}

/// The farthest that any two particles feel each other.
static float farthest(const sp_foam *f, const sp_foam_particles *p)
{
    float most = f->smallest_support / f->def.support;
    for (size_t i = 0; i < p->count; ++i)
        most = fmaxf(most, p->radius[i]);
    return most * fmaxf(f->def.support, f->def.cohesion > 0.0f ? f->def.cohesion_radius : 0.0f);
}

sp_status foam_sort(sp_foam *f, const sp_foam_particles *p, const double origin[3], sp_error *err)
{
    copying c = {f, p, {origin[0], origin[1], origin[2]}};
    const float *const place[3] = {f->place[0], f->place[1], f->place[2]};
    float low[3], high[3];
    sp_lattice lattice;
    sp_parallel(f->host, p->count, FOAM_GRAIN, find_places, &c);
    SP_TRY(sp_bounds(f->host, 3, p->count, place, low, high, err));
    sp_lattice_shape(&lattice, 3, low, high, farthest(f, p), SP_LATTICE_MOST);
    SP_TRY(sp_cells_sort(&f->cells, &lattice, p->count, place, p->id, NULL, err));
    sp_parallel(f->host, p->count, FOAM_GRAIN, copy_particles, &c);
    return SP_OK;
}

/// ---- Neighbours --------------------------------------------------------------------------------

typedef struct walking {
    sp_foam *f;
    foam_around_body *body;
    const void *arg;
} walking;

static void walk_cells(void *arg, size_t begin, size_t end)
{
    const walking *w = arg;
    const sp_cells *cells = &w->f->cells;
    sp_around around;
    sp_around_from(&around, cells, cells->key[begin]);
    for (size_t c = begin; c < end; ++c) {
        sp_around_to(&around, cells, cells->key[c]);
        for (size_t k = cells->start[c]; k < cells->start[c + 1]; ++k)
            w->body(w->f, w->arg, k, &around);
    }
}

void foam_around_all(sp_foam *f, foam_around_body *body, const void *arg)
{
    sp_parallel(f->host, f->cells.cells, FOAM_CELLS, walk_cells, &(walking){f, body, arg});
}
