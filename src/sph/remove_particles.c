// SPDX-License-Identifier: Apache-2.0
/// Removes foam that bursts, particles in sinks or outside the domain, and air without water neighbours.
#include "sph/internal.h"

enum { KEPT, BURST, DRAINED, LEFT, VENTED, REASONS };

typedef struct marking {
    const sph *s;
    const sph_phase *phase;
} marking;

static bool in_a_sink(const sph *s, const double x[3])
{
    for (size_t k = 0; k < s->sinks; ++k)
        if (sp_shape_distance(s->sink[k], 0.0, x, NULL) < 0.0) return true; // sinks do not move
    return false;
}

/// Outside the domain, or outside the 2^20 cells around the origin that neighbour search can index. NaN counts as
/// inside: integrate.c fails the step. Pipes may begin outside.
static bool has_left(const sph *s, const sph_phase *p, size_t i)
{
    const float most = 0x1p19f * s->h;
    if (p->tag[i] & SPH_PINNED) return false;
    for (int k = 0; k < 3; ++k) {
        const float x = p->x[k][i];
        if (fabsf(x) > most) return true;
        if (s->has_domain && (x < s->domain[0][k] || x > s->domain[1][k])) return true;
    }
    return false;
}

static uint8_t reason(const sph *s, const sph_phase *p, size_t i)
{
    static const float patience = 2.0f; // s that air may fall without water neighbours
    const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
    if (p->life && p->life[i] <= 0.0f) return BURST; // NaN: never was foam
    if (in_a_sink(s, x)) return DRAINED;
    if (has_left(s, p, i)) return LEFT;
    return p->alone && p->alone[i] > patience ? VENTED : KEPT;
}

static void mark(void *arg, size_t begin, size_t end)
{
    const marking *m = arg;
    for (size_t i = begin; i < end; ++i)
        m->s->gone[i] = reason(m->s, m->phase, i);
}

static sp_status remove_from(sph *s, sph_phase *phase, sp_error *err)
{
    const size_t n = phase->set.count;
    size_t counts[REASONS] = {0};
    if (!sph_grow(s, (void **)&s->gone, &s->gone_room, n, sizeof *s->gone))
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory to remove some of %zu particles", n);
    sp_parallel(s->host, n, 8 * SPH_CHUNK, mark, &(marking){s, phase});
    for (size_t i = 0; i < n; ++i)
        ++counts[s->gone[i]];
    s->figures.burst += counts[BURST];
    s->figures.drained += counts[DRAINED];
    s->figures.left += counts[LEFT];
    s->figures.vented += counts[VENTED];
    if (counts[KEPT] < n) sp_particles_remove(&phase->set, s->gone);
    return SP_OK;
}

/// Name of the collider that should hold the water: a container if there is one.
static const char *container_name(const sph *s)
{
    const char *name = NULL;
    for (size_t k = s->solids; k-- > 0;) {
        const sp_collider_def *def = sp_shape_def_of(s->solid[k]);
        if (def->inside_out || !name) name = sp_shape_pose(s->solid[k], 0.0).name;
    }
    return name;
}

/// Warns at most once per simulated second.
static void warn_of_leaks(sph *s, uint64_t before, double t)
{
    const uint64_t left = s->figures.left;
    if (before == s->left_reported && left > before) s->left_since = t;
    if (left == s->left_reported || t - s->left_since < 1.0) return;
    const char *name = container_name(s);
    const unsigned long long count = left - s->left_reported;
    if (name)
        sp_log(s->host, SP_LOG_WARNING,
               "sph: %llu particles left the domain in the last second; the collider \"%s\" may "
               "have holes wider than %g m",
               count, name, (double)s->d);
    else
        sp_log(s->host, SP_LOG_WARNING,
               "sph: %llu particles left the domain in the last second; no collider holds them",
               count);
    s->left_reported = left;
}

sp_status sph_remove(sph *s, double dt, sp_error *err)
{
    const uint64_t before = s->figures.left;
    SP_TRY(remove_from(s, &s->liquid, err));
    SP_TRY(remove_from(s, &s->air, err));
    warn_of_leaks(s, before, s->time + dt);
    return SP_OK;
}
