// SPDX-License-Identifier: Apache-2.0
/// Integrates: v += dt (a + ap), x += dt v, and keeps particles out of solids. Reads places, writes the
/// particles.
#include "sph/internal.h"

/// Figures of a chunk of places. The first two are squares, so that roots are taken once.
enum { FASTEST, STRONGEST, CLAMPED, INVALID, FIGURES };

typedef struct job {
    sph *s;
    sph_phase *phase;
    float dt;
    double t_end;
} job;

/// Velocity of the solid nearest to a point.
static void find_wall_velocity(const job *j, const float x[3], double u[3])
{
    const sph *s = j->s;
    const double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
    double least = (double)INFINITY;
    u[0] = u[1] = u[2] = 0.0;
    for (size_t k = 0; k < s->solids && s->walls.moving; ++k) {
        const double distance = sp_shape_distance(s->solid[k], j->t_end, p, NULL);
        if (!(distance < least)) continue;
        least = distance;
        sp_shape_velocity(s->solid[k], j->t_end, p, u);
    }
}

/// A particle that was moved out of a solid loses the part of its velocity into the solid.
static bool catch_particle(const job *j, size_t k, float x[3], float v[3])
{
    float normal[3];
    double wall[3], inward = 0.0;
    if (!sph_keep_out(j->s, j->t_end, j->phase->at + 4 * k, x, SPH_MARGIN * j->s->d, normal))
        return false;
    find_wall_velocity(j, x, wall);
    for (int c = 0; c < 3; ++c)
        inward += ((double)v[c] - wall[c]) * (double)normal[c];
    for (int c = 0; c < 3 && inward < 0.0; ++c)
        v[c] -= (float)inward * normal[c];
    return true;
}

/// Compressed air would fly off, and a shorter step makes it faster: pressure grows with 1/dt^2. So air moves
/// at most 0.4 h in a step, the limit for water.
static void slow_down(float v[3], float most)
{
    const float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int c = 0; c < 3 && speed > most; ++c)
        v[c] *= most / speed;
}

static void move_one(const job *j, size_t k, const sp_row *wall, double figures[FIGURES])
{
    sph_phase *p = j->phase;
    const uint32_t tag = sph_tag(p, k);
    const size_t i = p->cells.order[k];
    float x[3], v[3];
    double speed2 = 0.0, a2 = 0.0;
    for (int c = 0; c < 3; ++c) {
        const float a = p->a[c][k] + p->ap[c][k];
        v[c] = p->vel[4 * k + (size_t)c] + j->dt * a;
        a2 += (double)a * (double)a;
    }
    if (p->spiky) slow_down(v, 0.4f * j->s->h / j->dt);
    for (size_t c = 0; c < 3; ++c)
        x[c] = p->at[4 * k + c] + j->dt * v[c];
    if ((wall || sph_over_rim(j->s, x)) && !(tag & SPH_PINNED))
        figures[CLAMPED] += catch_particle(j, k, x, v);
    for (int c = 0; c < 3; ++c) {
        p->x[c][i] = x[c];
        p->v[c][i] = v[c];
        speed2 += (double)v[c] * (double)v[c];
    }
    const uint32_t age = tag >> SPH_AGE_SHIFT & 0xff;
    p->tag[i] = age < 255 ? tag + (1u << SPH_AGE_SHIFT) : tag;
    if (speed2 > figures[FASTEST]) figures[FASTEST] = speed2;
    if (age >= 3 && !(tag & SPH_PINNED) && a2 > figures[STRONGEST]) figures[STRONGEST] = a2;
    // NaN fails every comparison, so it is tested apart.
    if (!isfinite(speed2 + a2) && figures[INVALID] == 0.0) figures[INVALID] = (double)(k + 1);
}

static void move_chunks(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    const sph_phase *p = j->phase;
    for (size_t chunk = begin; chunk < end; ++chunk) {
        const size_t first = chunk * SPH_CHUNK, count = p->cells.count,
                     last = first + SPH_CHUNK < count ? first + SPH_CHUNK : count;
        size_t next = sp_rows_from(&p->walls, first);
        double figures[FIGURES] = {0};
        for (size_t k = first; k < last; ++k)
            move_one(j, k, sph_row_at(&p->walls, &next, k), figures);
        memcpy(j->s->partial + FIGURES * chunk, figures, sizeof figures);
    }
}

static sp_status fail_invalid(const sph *s, const sph_phase *p, size_t place, sp_error *err)
{
    return sp_fail(err, SP_DIVERGED, "sph: particle %llu became invalid at step %llu (t = %.4g s)",
                   (unsigned long long)p->id[p->cells.order[place]], (unsigned long long)s->steps,
                   s->time);
}

static sp_status move_phase(sph *s, sph_phase *p, double dt, sp_error *err)
{
    job j = {s, p, (float)dt, s->time + dt};
    const size_t chunks = sph_chunks(p->cells.count);
    sp_parallel(s->host, chunks, 1, move_chunks, &j);
    double fastest = 0.0, strongest = 0.0;
    for (size_t c = 0; c < chunks; ++c) {
        const double *f = s->partial + FIGURES * c;
        if (f[INVALID] > 0.0) return fail_invalid(s, p, (size_t)f[INVALID] - 1, err);
        fastest = fmax(fastest, f[FASTEST]);
        strongest = fmax(strongest, f[STRONGEST]);
        s->figures.clamped += (uint64_t)f[CLAMPED];
    }
    if (p->spiky)
        return SP_OK; // air does not limit the step: its drag is implicit and its speed bounded
    s->figures.speed = sqrt(fastest);
    s->figures.acceleration = sqrt(strongest);
    return SP_OK;
}

sp_status sph_integrate(sph *s, double dt, sp_error *err)
{
    SP_TRY(move_phase(s, &s->liquid, dt, err));
    return move_phase(s, &s->air, dt, err);
}
