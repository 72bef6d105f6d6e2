// SPDX-License-Identifier: Apache-2.0
/// The centres of weights, c_q = sum over j of T_qj x_j/V_q, and the last scaling of the weights:
/// their sum becomes exactly 1, which Sinkhorn's iteration reaches to its tolerance only. Because N is
/// linear, c_q is also the sum over faces of w x_f: it is where a particle feels the grid. So particles
/// move there (WSB25 section 5.1.1), by half a voxel at most. The weights stay those of the old places.
#include "bubbles/basis/power_kernel.h"

/// The largest move, voxels.
#define LARGEST_MOVE 0.5f

typedef struct centring {
    bubbles *s;
    const power_state *p;
} centring;

/// Multiplies factors of K by the distance from the particle along their axis, t-cells.
SP_INLINE void times_distance(float k[POWER_ROW], float from)
{
    power_store(k, power_load(k) * (power_lanes() + from));
}

static void centre_particle(const centring *c, const power_cube *t, const power_batch *batch, int q,
                            size_t i)
{
    const float *cells = power_cells(t, batch->at[q]);
    power_taps kx = batch->taps[q], ky = kx, kz = kx;
    times_distance(kx.x, batch->from[q][0]);
    times_distance(ky.y, batch->from[q][1]);
    times_distance(kz.z, batch->from[q][2]);
    const float norm = 1.0f / power_gather(cells, &batch->taps[q]), half = 0.5f * norm;
    const float move[3] = {half * power_gather(cells, &kx), half * power_gather(cells, &ky),
                           half * power_gather(cells, &kz)};
    const float length = sqrtf(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
    const float part = length > LARGEST_MOVE ? LARGEST_MOVE / length : 1.0f;
    c->p->norm[i] = norm;
    for (int a = 0; a < 3; ++a)
        c->s->particles.x[a][i] = c->p->x[a][i] + part * move[a];
}

static void centre_tile(void *arg, size_t index, void *work)
{
    const centring *c = arg;
    const uint32_t *start = c->s->particles.start + c->p->tile[index].tile;
    (void)work;
    for (size_t first = start[0]; first < start[1]; first += POWER_BATCH) {
        const int n = power_batch_size(first, start[1]);
        power_batch batch;
        power_kernels(c->p, first, n, &batch);
        for (int q = 0; q < n; ++q)
            centre_particle(c, &c->p->t[index], &batch, q, first + (size_t)q);
    }
}

void bubbles_power_centre(bubbles *s, power_state *p)
{
    centring c = {s, p};
    bubbles_power_each_tile(s, p, centre_tile, &c, NULL, 0);
}
