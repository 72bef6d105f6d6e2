// SPDX-License-Identifier: Apache-2.0
/// Planes of displacement and velocity at a time. A plane is filled with half a lattice of complex numbers and
/// transformed in its place:
///
///     n rows of stride floats     before   re im re im ... (n/2 + 1 waves)
///                                 after    n real values, then the first OCEAN_WRAP of them again
///     OCEAN_WRAP rows more                 the first rows again
#include "ocean/internal.h"

#include <string.h>

typedef struct field {
    const ocean *o;
    const ocean_cascade *c;
    int group, component;
    float *plane;
} field;

/// One row: what * height for the vertical component, i k/|k| what * height for the others; velocity takes `speed`
/// for `height`.
static void fill_row(const field *f, int32_t j, float *out)
{
    const ocean_cascade *c = f->c;
    const int32_t n = c->size[f->group];
    const size_t from = (size_t)ocean_row(j, c->n) * c->columns,
                 own = (size_t)ocean_row(j, n) * ocean_columns(n);
    const float *const *wave = (const float *const *)(f->group ? c->speed : c->height);
    const float *re = wave[0] + from, *im = wave[1] + from;
    if (f->component == 1) {
        const float *part = c->up_part[f->group] ? c->up_part[f->group] + own : NULL;
        SP_VECTOR_LOOP
        for (int32_t i = 0; i < n / 2; ++i) {
            const float p = part ? part[i] : 1.0f;
            out[2 * i] = p * re[i];
            out[2 * i + 1] = p * im[i];
        }
        return;
    }
    const float *along = c->along[f->component / 2] + from, *part = c->level_part[f->group] + own,
                chop = f->group < 2 ? f->o->chop : 1.0f;
    SP_VECTOR_LOOP
    for (int32_t i = 0; i < n / 2; ++i) {
        const float p = chop * along[i] * part[i];
        out[2 * i] = -p * im[i];
        out[2 * i + 1] = p * re[i];
    }
}

static void wrap(float *plane, int32_t n)
{
    const size_t stride = ocean_stride(n);
    for (int32_t row = 0; row < n; ++row)
        for (int k = 0; k < OCEAN_WRAP; ++k)
            plane[(size_t)row * stride + (size_t)(n + k)] = plane[(size_t)row * stride + (size_t)k];
    memcpy(plane + (size_t)n * stride, plane, OCEAN_WRAP * stride * sizeof *plane);
}

static void compute_plane(const field *f)
{
    const int32_t n = f->c->size[f->group];
    const size_t stride = ocean_stride(n);
    for (int32_t j = 1 - n / 2; j < n / 2; ++j) {
        float *row = f->plane + (size_t)ocean_row(j, n) * stride;
        fill_row(f, j, row);
        memset(row + n, 0, (stride - (size_t)n) * sizeof *row);
    }
    memset(f->plane + (size_t)(n / 2) * stride, 0, stride * sizeof *f->plane);
    ocean_transform(f->o->plans, n, f->plane);
    wrap(f->plane, n);
}

typedef struct computing {
    const ocean *o;
    ocean_moment *m;
    field field[SP_OCEAN_CASCADES * OCEAN_GROUPS * 3];
    size_t count;
} computing;

static void compute_planes(void *arg, size_t begin, size_t end)
{
    const computing *g = arg;
    for (size_t i = begin; i < end; ++i)
        compute_plane(&g->field[i]);
}

/// The largest fields come first, so that threads end at the same time.
static void list_fields(computing *g, bool all)
{
    for (int group = 0; group < (all ? OCEAN_GROUPS : 1); ++group)
        for (int k = 0; k < g->o->cascades; ++k)
            for (int a = 0; a < 3 && group < g->o->cascade[k].groups; ++a)
                g->field[g->count++] =
                    (field){g->o, &g->o->cascade[k], group, a, g->m->plane[k][group][a]};
}

void ocean_compute(ocean *o, ocean_moment *m, double t, bool all)
{
    computing g = {.o = o, .m = m};
    ocean_advance(o, t);
    list_fields(&g, all);
    sp_parallel(o->host, g.count, 1, compute_planes, &g);
}
