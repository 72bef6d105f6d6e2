// SPDX-License-Identifier: Apache-2.0
/// PCISPH (Solenthaler and Pajarola 2009): pressures that keep the predicted density at rest.
///
///     p = 0, or a share of its mean value;  ap from it
///     repeat   v* = v + dt (a + ap),  x* = x + dt v*,  out of the walls      (predict)
///              rho* at x* with the lists of x;  e = rho* - rho0
///              done when max e/rho0 <= eta and its mean <= eta_mean
///              p <- max(0, p + relax delta e + beta (p - p_before))          (correct)
///              ap from p with gradients at x (P)                             (push)
///
/// Only compression counts as an error: density may be low at a free surface, hence p >= 0. Each half of an
/// iteration reads one array of neighbours: "correct" the predicted positions, "push" the positions and
/// pressures at the step's start.
///
/// The loop ends before it corrects, so that the step takes the positions that were tested. The original
/// corrects and pushes once more after its last test; the largest compression in a dam break was 1.56 %
/// that way and is 1.10 % this way, for the same time.
///
/// Pressure travels one support per iteration, so deep water needs long loops. While loops are long, they
/// start from 0.6 of a particle's mean pressure over about fifty steps: 16 iterations instead of 29 in 2.4 m
/// of water at 1.5 ms, and the water is as calm. Starting from the last step's pressures carries their noise
/// from step to step and keeps a tank moving; with 0.8 of the mean or more the water oscillates up and down.
#include "sph/kernel.h"

typedef struct job {
    sph *s;
    sph_phase *phase;
    double t_end; ///< s; for the positions of moving solids
    float dt;
    float start;  ///< share of mean pressures to start from; 0: start from p = 0
    float gain;   ///< relax delta, Pa m3/kg; times factor[] with pressure_factor "particle"
    float own;    ///< -(m/rho0^2) times the gradient's scale
    float wall;   ///< -(1/rho0) times the gradient's scale
    bool correct; ///< density_correction "solver"
} job;

/// ---- Predict -----------------------------------------------------------------------------------

static void predict(const job *j, size_t k, const sp_row *wall)
{
    sph_phase *p = j->phase;
    float *to = p->ahead + 4 * k;
    const float *x = p->at + 4 * k, *v = p->vel + 4 * k;
    for (int c = 0; c < 3; ++c)
        to[c] = x[c] + j->dt * (v[c] + j->dt * (p->a[c][k] + p->ap[c][k]));
    if (wall && !(sph_tag(p, k) & SPH_PINNED)) {
        float normal[3];
        sph_keep_out(j->s, j->t_end, x, to, SPH_MARGIN * j->s->d, normal);
    }
}

static void begin_places(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    sph_phase *p = j->phase;
    size_t next = sp_rows_from(&p->walls, begin);
    for (size_t k = begin; k < end; ++k) {
        p->at[4 * k + 3] = p->pp[k] =
            j->start > 0.0f ? j->start * p->mean_pressure[p->cells.order[k]] : 0.0f;
        p->ap[0][k] = p->ap[1][k] = p->ap[2][k] = 0.0f;
        predict(j, k, sph_row_at(&p->walls, &next, k));
    }
}

/// ---- Correct -----------------------------------------------------------------------------------

/// Partial sums of a chunk: the largest error and the sum of errors, over the rest density.
static void correct_chunks(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    sph_phase *p = j->phase;
    const float beta = j->s->def.pressure_momentum, w_scale = sph_w_scale(j->s->h);
    const sph_lanes lanes = sph_lanes_for(j->s->h);
    for (size_t chunk = begin; chunk < end; ++chunk) {
        const size_t first = chunk * SPH_CHUNK, count = p->cells.count,
                     last = first + SPH_CHUNK < count ? first + SPH_CHUNK : count;
        size_t next = sp_rows_from(&p->walls, first);
        float most = 0.0f, sum = 0.0f;
        for (size_t k = first; k < last; ++k) {
            const sp_row *wall = sph_row_at(&p->walls, &next, k);
            float rho = sph_density_at(p, j->s->walls.ahead, p->ahead, p->ahead + 4 * k, k, wall,
                                       &lanes, w_scale);
            if (j->correct && p->denominator[k] < 1.0f) rho /= p->denominator[k];
            const float error = rho - p->rest, before = p->at[4 * k + 3],
                        gain = p->factor ? j->gain * p->factor[k] : j->gain;
            const float now = before + gain * error + beta * (before - p->pp[k]);
            p->pp[k] = before;
            p->at[4 * k + 3] = now > 0.0f ? now : 0.0f;
            if (!(error > 0.0f) || sph_tag(p, k) & SPH_PINNED) continue;
            most = error > most ? error : most;
            sum += error;
        }
        j->s->partial[2 * chunk] = (double)(most / p->rest);
        j->s->partial[2 * chunk + 1] = (double)(sum / p->rest);
    }
}

/// ---- Push --------------------------------------------------------------------------------------

SP_INLINE sp_part gradient(sp_part r2, const sph_lanes *k, bool spiky)
{
    return spiky ? sph_spiky(r2, k) : sph_slope(r2, k);
}

/// Sum of (p + w_j) grad W over a row; w_j is the neighbour's fourth number: its pressure, or V_b of a wall.
SP_INLINE void sum_push(const float *from, const float *x, sp_part p, const uint32_t *index,
                        size_t count, const sph_lanes *k, bool spiky, sph_sum3 *sum)
{
    const sp_part xi = sp_part_all(x[0]), yi = sp_part_all(x[1]), zi = sp_part_all(x[2]);
    for (size_t n = 0; n < count; n += SP_PART) {
        const sp_quad q = sp_quad_take(from, index + n);
        const sp_part dx = xi - q.x, dy = yi - q.y, dz = zi - q.z;
        const sp_part f = gradient(sph_square(dx, dy, dz), k, spiky) * (p + q.w);
        sph_sum3_add(sum, n, sp_part_keep(sp_flags_below(n, count), f), dx, dy, dz);
    }
}

SP_INLINE void push_one(const job *j, size_t k, const sp_row *wall, const sph_lanes *lanes,
                        bool spiky)
{
    sph_phase *p = j->phase;
    const float *x = p->at + 4 * k;
    const sp_neighbour_list list = p->lists.list[k];
    sph_sum3 own = {0};
    sum_push(p->at, x, sp_part_all(x[3]), p->lists.index + list.start, list.count, lanes, spiky,
             &own);
    float ap[3] = {j->own * sp_lanes_sum(own.x), j->own * sp_lanes_sum(own.y),
                   j->own * sp_lanes_sum(own.z)};
    if (wall && x[3] > 0.0f) { // the wall term of (P) has p_i once
        sph_sum3 sum = {0};
        sum_push(j->s->walls.at, x, sp_part_all(0.0f), p->walls.index + wall->start, wall->count,
                 lanes, spiky, &sum);
        ap[0] += j->wall * x[3] * sp_lanes_sum(sum.x);
        ap[1] += j->wall * x[3] * sp_lanes_sum(sum.y);
        ap[2] += j->wall * x[3] * sp_lanes_sum(sum.z);
    }
    const bool pinned = sph_tag(p, k) & SPH_PINNED;
    for (int c = 0; c < 3; ++c)
        p->ap[c][k] = pinned ? 0.0f : ap[c];
    predict(j, k, wall);
}

static void push_places(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    const sph_lanes lanes = sph_lanes_for(j->s->h);
    const sp_rows *walls = &j->phase->walls;
    size_t next = sp_rows_from(walls, begin);
    if (j->phase->spiky)
        for (size_t k = begin; k < end; ++k)
            push_one(j, k, sph_row_at(walls, &next, k), &lanes, true);
    else
        for (size_t k = begin; k < end; ++k)
            push_one(j, k, sph_row_at(walls, &next, k), &lanes, false);
}

/// Restores the pressures of the last push, whose positions were tested, and updates the running means.
static void keep_tested(void *arg, size_t begin, size_t end)
{
    sph_phase *p = arg;
    for (size_t k = begin; k < end; ++k) {
        float *mean_pressure = p->mean_pressure + p->cells.order[k];
        p->at[4 * k + 3] = p->pp[k];
        *mean_pressure += 0.02f * (p->pp[k] - *mean_pressure);
    }
}

/// Loops start from mean pressures after a loop longer than iteration_target, until one takes the minimum.
static void choose_start(sph *s, int iterations)
{
    if (iterations > s->def.iteration_target) s->start_from_mean = true;
    if (iterations <= s->def.min_iterations) s->start_from_mean = false;
}

/// ---- The loop ----------------------------------------------------------------------------------

float sph_pressure(sph *s, sph_phase *phase, double dt, int most, float eta, int *iterations)
{
    const float gradient_scale = phase->spiky ? sph_spiky_scale(s->h) : sph_slope_scale(s->h),
                square = (float)(dt * dt);
    job j = {.s = s,
             .phase = phase,
             .t_end = s->time + dt,
             .dt = (float)dt,
             .start = s->start_from_mean && phase == &s->liquid ? s->def.pressure_start : 0.0f,
             .gain = phase->relax * (phase->factor ? 1.0f : phase->delta) / square,
             .own = -phase->mass / (phase->rest * phase->rest) * gradient_scale,
             .wall = -gradient_scale / phase->rest,
             .correct = phase->denominator && s->def.density_correction == SP_SPH_CORRECT_SOLVER};
    const size_t n = phase->cells.count, chunks = sph_chunks(n);
    double error = 0.0, mean = 0.0;
    *iterations = 0;
    if (n == 0) return 0.0f;
    sp_parallel(s->host, n, 4 * SPH_CHUNK, begin_places, &j);
    if (j.start > 0.0f) sp_parallel(s->host, n, SPH_CHUNK, push_places, &j);
    for (;;) {
        sp_parallel(s->host, chunks, 1, correct_chunks, &j);
        sph_join_errors(s, n, &error, &mean);
        const bool good =
            (float)error <= eta && (phase != &s->liquid || (float)mean <= s->def.eta_mean);
        if (*iterations >= most || (*iterations >= s->def.min_iterations && good)) break;
        sp_parallel(s->host, n, SPH_CHUNK, push_places, &j);
        ++*iterations;
    }
    sp_parallel(s->host, n, 4 * SPH_CHUNK, keep_tested, phase);
    if (phase == &s->liquid) choose_start(s, *iterations);
    return (float)error;
}
