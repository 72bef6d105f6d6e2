// SPDX-License-Identifier: Apache-2.0
/// Density of a phase from its own particles and the walls (D), the surface flag, the denominator of
/// (C), and PCISPH's factor of each particle (delta).
#include "sph/kernel.h"

typedef struct job {
    sph *s;
    sph_phase *phase;
    float w_scale, reach2; ///< s, h^2
} job;

/// Number of neighbours within h; lists with a skin hold more.
static uint32_t count_within(const float *at, const float *x, const uint32_t *index, uint32_t count,
                             float reach2)
{
    uint32_t within = 0;
    for (uint32_t n = 0; n < count; ++n) {
        const float *y = at + 4 * (size_t)index[n];
        const float dx = y[0] - x[0], dy = y[1] - x[1], dz = y[2] - x[2];
        within += dx * dx + dy * dy + dz * dz < reach2;
    }
    return within;
}

/// Bulk water has about 32 neighbours, a flat surface 17. Wall particles count as neighbours.
static void flag_surface(const job *j, size_t place, const sp_row *wall)
{
    enum { BULK = 24 };
    sph_phase *p = j->phase;
    const sp_neighbour_list list = p->lists.list[place];
    uint32_t count = list.count + (wall ? wall->count : 0), tag = sph_tag(p, place);
    if (j->s->def.list_skin > 0.0f && count >= BULK) {
        const float *x = p->at + 4 * place;
        count = count_within(p->at, x, p->lists.index + list.start, list.count, j->reach2);
        if (wall)
            count += count_within(j->s->walls.at, x, p->walls.index + wall->start, wall->count,
                                  j->reach2);
    }
    tag = (tag & ~(uint32_t)SPH_SURFACE) | (count < BULK ? SPH_SURFACE : 0);
    memcpy(p->vel + 4 * place + 3, &tag, sizeof tag);
}

/// Partial sums of a chunk: the largest compression and the sum of compressions. Densities below rest
/// count as 0.
static void density_chunks(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    sph_phase *p = j->phase;
    const size_t count = p->cells.count;
    for (size_t chunk = begin; chunk < end; ++chunk) {
        const size_t first = chunk * SPH_CHUNK,
                     last = first + SPH_CHUNK < count ? first + SPH_CHUNK : count;
        size_t next = sp_rows_from(&p->walls, first);
        const sph_lanes lanes = sph_lanes_for(j->s->h);
        double most = 0.0, sum = 0.0;
        for (size_t k = first; k < last; ++k) {
            const sp_row *wall = sph_row_at(&p->walls, &next, k);
            const float rho = sph_density_at(p, j->s->walls.at, p->at, p->at + 4 * k, k, wall,
                                             &lanes, j->w_scale);
            const double over = (double)rho / (double)p->rest - 1.0;
            p->rho[k] = rho;
            if (!p->spiky) flag_surface(j, k, wall);
            if (!(over > 0.0) || sph_tag(p, k) & SPH_PINNED)
                continue; // water in pipes may be compressed
            most = over > most ? over : most;
            sum += over;
        }
        j->s->partial[2 * chunk] = most;
        j->s->partial[2 * chunk + 1] = sum;
    }
}

static void copy_density(void *arg, size_t begin, size_t end)
{
    sph_phase *p = arg;
    for (size_t k = begin; k < end; ++k)
        p->at[4 * k + 3] = p->rho[k];
}

/// (C), where neighbours are missing.
static void copy_corrected(void *arg, size_t begin, size_t end)
{
    sph_phase *p = arg;
    for (size_t k = begin; k < end; ++k)
        p->at[4 * k + 3] = p->denominator[k] < 1.0f ? p->rho[k] / p->denominator[k] : p->rho[k];
}

void sph_copy_density_to_places(sph *s, sph_phase *phase)
{
    const bool corrected = phase->denominator && phase == &s->liquid;
    sp_parallel(s->host, phase->cells.count, 4 * SPH_CHUNK,
                corrected ? copy_corrected : copy_density, phase);
}

/// (C) sum of (m/rho_j) W, walls included; (delta) S.S + Q of the particle's own neighbours.
static void extra_sums(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    sph_phase *p = j->phase;
    const float h = j->s->h, volume = p->mass / p->rest;
    for (size_t k = begin; k < end; ++k) {
        const float *x = p->at + 4 * k;
        const sp_neighbour_list list = p->lists.list[k];
        double denominator = (double)(p->mass / p->rho[k]) * sph_kernel(0.0, (double)h);
        double sum[3] = {0}, squares = 0.0;
        for (uint32_t n = 0; n < list.count; ++n) {
            const float *y = p->at + 4 * (size_t)p->lists.index[list.start + n];
            const double d[3] = {(double)(x[0] - y[0]), (double)(x[1] - y[1]),
                                 (double)(x[2] - y[2])};
            const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            denominator += (double)(p->mass / y[3]) * sph_kernel(r, (double)h);
            const double slope = r > 1e-6 * (double)h ? sph_kernel_slope(r, (double)h) / r : 0.0;
            for (int c = 0; c < 3; ++c)
                sum[c] += slope * d[c];
            squares += slope * slope * r * r;
        }
        if (p->denominator) {
            size_t next = sp_rows_from(&p->walls, k);
            const sp_row *wall = sph_row_at(&p->walls, &next, k);
            const sph_lanes lanes = sph_lanes_for(h);
            if (wall)
                denominator +=
                    (double)(j->w_scale * sph_sum_w(j->s->walls.at, x, p->walls.index + wall->start,
                                                    wall->count, true, &lanes));
            p->denominator[k] = (float)denominator;
        }
        const double s2 = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + squares;
        const double lattice =
            1.0 / (2.0 * (double)p->delta); // bounds the factor of a particle with few neighbours
        const double own = (double)(volume * volume) * s2;
        if (p->factor) p->factor[k] = (float)(1.0 / (2.0 * fmax(own, 0.25 * lattice)));
    }
}

void sph_join_errors(const sph *s, size_t n, double *most, double *mean)
{
    const size_t chunks = sph_chunks(n);
    *most = 0.0;
    for (size_t c = 0; c < chunks; ++c)
        *most = fmax(*most, s->partial[2 * c]);
    *mean = n > 0 ? sp_exact_total(s->partial + 1, chunks, 2) / (double)n : 0.0;
}

static void density_of(sph *s, sph_phase *phase, double *most, double *mean)
{
    job j = {s, phase, sph_w_scale(s->h), s->h * s->h};
    const size_t n = phase->cells.count;
    sp_parallel(s->host, sph_chunks(n), 1, density_chunks, &j);
    sp_parallel(s->host, n, 4 * SPH_CHUNK, copy_density, phase); // now: others have read `at`
    if (phase->denominator || phase->factor) sp_parallel(s->host, n, SPH_CHUNK, extra_sums, &j);
    if (phase->denominator) sph_copy_density_to_places(s, phase);
    sph_join_errors(s, n, most, mean);
}

void sph_density(sph *s)
{
    double most, mean;
    density_of(s, &s->liquid, &s->figures.compression, &s->figures.compression_mean);
    density_of(s, &s->air, &most, &mean);
}
