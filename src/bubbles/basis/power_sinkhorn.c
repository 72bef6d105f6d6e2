// SPDX-License-Identifier: Apache-2.0
/// Sinkhorn's iteration for the scales s_q (Qu et al. 2022), on tiles with particles:
///
///     Z_j = sum over q of s_q K_qj,     t_j = 1/max(1, Z_j),
///     m_q = h_t^3 sum over j of K_qj t_j,     s_q = V_q/m_q,
///
/// until s_q m_q = V_q to the tolerance. Each iteration is one pass over tiles, and no pass writes to
/// another tile: a tile adds up the sums Z of itself and its neighbours in its own cube, in the order of
/// the table of neighbours, finds m and s of its particles, and sums their next Z in another cube.
/// The scales stay with the particles, so that the next substep begins near its solution.
#include "bubbles/basis/power_kernel.h"

/// Iterations where no particle has a scale yet.
enum { FIRST_ITERATIONS = 60 };

typedef struct sinkhorn {
    bubbles *s;
    power_state *p;
    power_cube *sums, *next; ///< by tile with particles: Z of its own particles
    power_closed *closed;    ///< by tile with particles; NULL: no solids
    float *error;            ///< by tile with particles
    bool relaxed;            ///< scales change by 1.5 times as much (in their logarithm)
    float per_voxel;         ///< 1/m3
} sinkhorn;

static void clear_box(power_cube *cube, const power_box *box)
{
    const size_t bytes = (size_t)(box->high[0] - box->low[0]) * sizeof(float);
    for (int k = box->low[2]; k < box->high[2]; ++k)
        for (int j = box->low[1]; j < box->high[1]; ++j)
            memset(&cube->cell[k][j][box->low[0]], 0, bytes);
}

/// ---- t from the sums of the tiles around -------------------------------------------------------

/// Adds the sums of a neighbour, whose cells are `shift` further, in the box of a tile.
static void add_cube(const power_cube *cube, const power_box *theirs, const int shift[3],
                     const power_box *mine, power_cube *sum)
{
    int low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        const int first = theirs->low[a] + shift[a], last = theirs->high[a] + shift[a];
        low[a] = first > mine->low[a] ? first : mine->low[a];
        high[a] = last < mine->high[a] ? last : mine->high[a];
    }
    for (int k = low[2]; k < high[2]; ++k)
        for (int j = low[1]; j < high[1]; ++j) {
            const float *from = cube->cell[k - shift[2]][j - shift[1]];
            float *to = sum->cell[k][j];
            for (int i = low[0]; i < high[0]; i += POWER_ROW)
                power_store(to + i, power_load(to + i) + power_load(from + i - shift[0]));
        }
}

/// 1/max(1, Z), and next to nothing in solids.
static void share_out(const power_box *box, const power_closed *closed, power_cube *t)
{
    for (int k = box->low[2]; k < box->high[2]; ++k)
        for (int j = box->low[1]; j < box->high[1]; ++j) {
            float *restrict row = t->cell[k][j];
            for (int i = box->low[0]; i < box->high[0]; ++i)
                row[i] = 1.0f / (row[i] > 1.0f ? row[i] : 1.0f);
            if (!closed || !closed->any) continue;
            const uint32_t bits = closed->row[k][j];
            for (int i = box->low[0]; i < box->high[0]; ++i)
                row[i] *= bits >> i & 1 ? POWER_CLOSED : 1.0f;
        }
}

static void find_t(const sinkhorn *w, size_t index)
{
    const power_state *p = w->p;
    const power_tile *tile = &p->tile[index];
    const uint32_t *around = w->s->grid.tiles.around[tile->tile];
    power_cube *t = &p->t[index];
    clear_box(t, &tile->box);
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = around[n] == SP_NO_TILE ? SP_NO_TILE : p->of[around[n]];
        if (there == SP_NO_TILE) continue;
        const int shift[3] = {2 * SP_TILE * (n % 3 - 1), 2 * SP_TILE * (n / 3 % 3 - 1),
                              2 * SP_TILE * (n / 9 - 1)};
        add_cube(&w->sums[there], &p->tile[there].box, shift, &tile->box, t);
    }
    share_out(&tile->box, w->closed ? &w->closed[index] : NULL, t);
}

/// ---- One iteration -----------------------------------------------------------------------------

/// Next scales of a batch from the sums over j of K_qj t_j; returns the largest error.
static float next_scales(const sinkhorn *w, size_t first, int n, const float sum[POWER_BATCH])
{
    const float *restrict radius = w->s->particles.radius + first;
    float *restrict scale = w->s->particles.scale + first;
    float worst = 0.0f;
    for (int q = 0; q < n; ++q) {
        const float volume = bubbles_volume(radius[q]) * w->per_voxel, m = 0.125f * sum[q];
        const float error = fabsf(scale[q] * m / volume - 1.0f);
        const float plain = m > 1e-12f * volume ? volume / m : 1.0f, ratio = plain / scale[q];
        const bool relaxed = w->relaxed && ratio > 0.5f && ratio < 2.0f;
        const float next = relaxed ? plain * sqrtf(ratio) : plain;
        scale[q] = next < POWER_MOST_SCALE ? next : POWER_MOST_SCALE;
        worst = error > worst ? error : worst;
    }
    return worst;
}

static void add_batch(const sinkhorn *w, const power_batch *batch, size_t first, int n,
                      power_cube *sums)
{
    for (int q = 0; q < n; ++q)
        power_splat(&sums, 1, batch->at[q], &batch->taps[q],
                    &w->s->particles.scale[first + (size_t)q]);
}

/// The sums Z of a tile's particles from their present scales.
static void start_tile(void *arg, size_t index, void *work)
{
    const sinkhorn *w = arg;
    const power_tile *tile = &w->p->tile[index];
    const uint32_t *start = w->s->particles.start + tile->tile;
    (void)work;
    clear_box(&w->next[index], &tile->box);
    for (size_t first = start[0]; first < start[1]; first += POWER_BATCH) {
        const int n = power_batch_size(first, start[1]);
        power_batch batch;
        power_kernels(w->p, first, n, &batch);
        add_batch(w, &batch, first, n, &w->next[index]);
    }
    if (w->closed) bubbles_power_close_cells(w->s, tile, &w->closed[index]);
}

static void iterate_tile(void *arg, size_t index, void *work)
{
    const sinkhorn *w = arg;
    const power_tile *tile = &w->p->tile[index];
    const uint32_t *start = w->s->particles.start + tile->tile;
    float worst = 0.0f;
    (void)work;
    find_t(w, index);
    clear_box(&w->next[index], &tile->box);
    for (size_t first = start[0]; first < start[1]; first += POWER_BATCH) {
        const int n = power_batch_size(first, start[1]);
        power_batch batch;
        float sum[POWER_BATCH];
        power_kernels(w->p, first, n, &batch);
        for (int q = 0; q < n; ++q)
            sum[q] = power_gather(power_cells(&w->p->t[index], batch.at[q]), &batch.taps[q]);
        const float error = next_scales(w, first, n, sum);
        worst = error > worst ? error : worst;
        add_batch(w, &batch, first, n, &w->next[index]);
    }
    w->error[index] = worst;
}

/// ---- All iterations ----------------------------------------------------------------------------

/// Gives particles without a scale 1, and says how many iterations there may be.
static int begin(bubbles *s)
{
    float *scale = s->particles.scale;
    bool any = false;
    for (size_t i = 0; i < s->particles.set.count; ++i) {
        any |= scale[i] > 0.0f;
        scale[i] = scale[i] > 0.0f ? scale[i] : 1.0f;
    }
    const int most = s->def.power.iterations;
    return any || most > FIRST_ITERATIONS ? most : FIRST_ITERATIONS;
}

static void iterate_once(sinkhorn *w)
{
    power_state *p = w->p;
    power_cube *before = w->sums;
    w->sums = w->next;
    w->next = before;
    bubbles_power_each_tile(w->s, p, iterate_tile, w, NULL, 0);
    p->error = 0.0f;
    for (size_t n = 0; n < p->count; ++n)
        p->error = w->error[n] > p->error ? w->error[n] : p->error;
    ++p->iterations;
}

/// From the fourth on, while the error is large, steps are half as long again: the error ends at a third of
/// that of plain steps. The last step is plain, so that every particle has its volume.
static void iterate(sinkhorn *w, int most)
{
    power_state *p = w->p;
    const float tolerance = w->s->def.power.tolerance;
    bubbles_power_each_tile(w->s, p, start_tile, w, NULL, 0);
    p->error = INFINITY;
    p->iterations = 0;
    do {
        w->relaxed = p->iterations >= 3 && p->error > 4.0f * tolerance && p->iterations + 1 < most;
        iterate_once(w);
    } while (p->iterations < most && (w->relaxed || p->error >= tolerance));
}

sp_status bubbles_power_balance(bubbles *s, power_state *p, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const float h = s->grid.voxel;
    sinkhorn w = {.s = s,
                  .p = p,
                  .sums = sp_scratch_array(&s->scratch, power_cube, p->count),
                  .next = sp_scratch_array(&s->scratch, power_cube, p->count),
                  .error = sp_scratch_array(&s->scratch, float, p->count),
                  .per_voxel = 1.0f / (h * h * h)};
    if (s->has_solids) w.closed = sp_scratch_array(&s->scratch, power_closed, p->count);
    const bool all = w.sums && w.next && w.error && (w.closed || !s->has_solids);
    if (all) iterate(&w, begin(s));
    sp_scratch_rewind(&s->scratch, mark);
    return all ? SP_OK
               : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the power basis on %zu tiles",
                         p->count);
}
