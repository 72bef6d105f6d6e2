// SPDX-License-Identifier: Apache-2.0
/// From faces to particles with the weights of the power basis: N is applied once to the faces
/// around a tile, and K to the cells around each particle (WSB25 eq. 34).
#include "bubbles/basis/power_kernel.h"

typedef struct interpolating {
    const bubbles *s;
    const power_state *p;
    float *const *field;
    float *const *out;
} interpolating;

/// t times the fields at cells, for one thread.
typedef struct interpolating_work {
    power_cube cells[3];
} interpolating_work;

static void interpolate_batch(const interpolating *n, const interpolating_work *work, size_t first,
                              int count)
{
    power_batch batch;
    power_kernels(n->p, first, count, &batch);
    for (int q = 0; q < count; ++q) {
        const size_t i = first + (size_t)q;
        for (int a = 0; a < 3; ++a)
            n->out[a][i] = n->p->norm[i] *
                           power_gather(power_cells(&work->cells[a], batch.at[q]), &batch.taps[q]);
    }
}

static void interpolate_tile(void *arg, size_t index, void *work)
{
    const interpolating *n = arg;
    const power_tile *tile = &n->p->tile[index];
    const uint32_t *start = n->s->particles.start + tile->tile;
    interpolating_work *w = work;
    for (int a = 0; a < 3; ++a) {
        power_patch faces;
        memset(faces.spare, 0, sizeof faces.spare);
        sp_tiles_patch(&n->s->grid.tiles, n->field[a], tile->tile, POWER_PATCH_PAD, 0.0f,
                       &faces.face[0][0][0]);
        bubbles_power_prolong(&faces, a, &n->p->t[index], &tile->box, &w->cells[a]);
    }
    for (size_t first = start[0]; first < start[1]; first += POWER_BATCH)
        interpolate_batch(n, w, first, power_batch_size(first, start[1]));
}

sp_status bubbles_power_interpolate(bubbles *s, float *const field[3], float *const out[3],
                                    sp_error *err)
{
    const power_state *p = s->power;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    interpolating n = {s, p, field, out};
    interpolating_work *work = sp_scratch_array(&s->scratch, interpolating_work, power_threads(s));
    if (work) bubbles_power_each_tile(s, p, interpolate_tile, &n, work, sizeof *work);
    sp_scratch_rewind(&s->scratch, mark);
    return work ? SP_OK
                : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to interpolate at %zu particles",
                          s->particles.set.count);
}
