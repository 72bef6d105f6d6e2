// SPDX-License-Identifier: Apache-2.0
/// Forces on water except pressure and drag: gravity, viscosity (6'), surface tension (7'). The
/// same loop over neighbours computes the speed of water relative to its neighbours (T1).
#include "sph/kernel.h"

typedef struct job {
    sph *s;
    float viscosity; ///< 2 mu c_s h m (6 s/h), clamped
    float nearest;   ///< W/s one spacing apart, the most that surface tension takes
    bool kernel;     ///< W is needed: surface tension or trapped air
} job;

typedef struct sums {
    sph_sum3 a;    ///< of viscosity
    sph_sum3 pull; ///< of x_ij min(W, W(d)): surface tension
    sph_sum3 diff; ///< of v_ij W m/rho_j: (T1)
} sums;

/// Surface tension takes W(d) within a spacing d. With W itself pairs attract each other the more the
/// closer they are, while the slope of W, and with it the pressure between them, vanishes: at
/// k_s = 25 d^2 particles ended in one point and the drop flew apart.
SP_INLINE void sum_list(const job *j, const sph_phase *p, size_t place, const sph_lanes *k,
                        sums *out, bool kernel)
{
    const sp_neighbour_list list = p->lists.list[place];
    const uint32_t *index = p->lists.index + list.start;
    const float *x = p->at + 4 * place, *v = p->vel + 4 * place;
    const sp_part soft = sp_part_all(0.01f) * k->h * k->h, rho = sp_part_all(x[3]),
                  zero = sp_part_all(0.0f);
    for (size_t n = 0; n < list.count; n += SP_PART) {
        const sp_flags there = sp_flags_below(n, list.count);
        const sp_quad at = sp_quad_take(p->at, index + n), vel = sp_quad_take(p->vel, index + n);
        const sp_part dx = x[0] - at.x, dy = x[1] - at.y, dz = x[2] - at.z;
        const sp_part ux = v[0] - vel.x, uy = v[1] - vel.y, uz = v[2] - vel.z;
        const sp_part r2 = sph_square(dx, dy, dz),
                      dot = sp_part_fma(uz, dz, sp_part_fma(uy, dy, ux * dx));
        sp_part w;
        const sp_part slope = sph_slope_and_w(r2, k, &w);
        // Approaching pairs only; one division for (rho_i + rho_j) (r^2 + eps h^2).
        const sp_part f = sp_part_min(dot, zero) * slope / ((rho + at.w) * (r2 + soft));
        sph_sum3_add(&out->a, n, sp_part_keep(there, f), dx, dy, dz);
        if (!kernel) continue;
        w = sp_part_keep(there, w);
        sph_sum3_add(&out->pull, n, sp_part_min(w, sp_part_all(j->nearest)), dx, dy, dz);
        sph_sum3_add(&out->diff, n, w / at.w, ux, uy, uz);
    }
}

SP_INLINE void one_place(const job *j, size_t place, const sph_lanes *k, bool kernel)
{
    const sph *s = j->s;
    const sph_phase *p = &s->liquid;
    sums sum = {0};
    sum_list(j, p, place, k, &sum, kernel);
    const sp_vec3 total = sph_sum3_total(&sum.a);
    const float a[3] = {total.x, total.y, total.z};
    const bool pinned = sph_tag(p, place) & SPH_PINNED;
    for (int c = 0; c < 3; ++c)
        p->a[c][place] = pinned ? 0.0f : s->gravity[c] + j->viscosity * a[c];
    if (!kernel) return;
    const float scale = sph_w_scale(s->h), pull = pinned ? 0.0f : s->def.surface_tension * scale;
    p->a[0][place] -= pull * sp_lanes_sum(sum.pull.x);
    p->a[1][place] -= pull * sp_lanes_sum(sum.pull.y);
    p->a[2][place] -= pull * sp_lanes_sum(sum.pull.z);
    p->ahead[4 * place + 3] = p->mass * scale * sp_length(sph_sum3_total(&sum.diff));
}

static void force_places(void *arg, size_t begin, size_t end)
{
    const job *j = arg;
    const sph_lanes k = sph_lanes_for(j->s->h);
    if (j->kernel)
        for (size_t i = begin; i < end; ++i)
            one_place(j, i, &k, true);
    else
        for (size_t i = begin; i < end; ++i)
            one_place(j, i, &k, false);
}

/// A particle among neighbours at rest is braked at the rate 92 mu c_s (0.04 m/h), 1/s. Explicit steps are
/// stable up to rate dt = 0.5.
static float stable_viscosity(sph *s, double dt)
{
    const double rate = 92.0 * (double)s->def.viscosity * 0.04 / (double)s->h;
    if (rate * dt <= 0.5) return s->def.viscosity;
    if (!s->warned_viscosity)
        sp_log(s->host, SP_LOG_WARNING,
               "sph: viscosity %g m/s is too strong for steps of %.3g s; %.3g m/s is used",
               (double)s->def.viscosity, dt, (double)s->def.viscosity * 0.5 / (rate * dt));
    s->warned_viscosity = true;
    return (float)((double)s->def.viscosity * 0.5 / (rate * dt));
}

void sph_liquid_forces(sph *s, double dt)
{
    const float mu = stable_viscosity(s, dt);
    const job j = {.s = s,
                   .viscosity = 2.0f * mu * s->h * s->liquid.mass * sph_slope_scale(s->h),
                   .nearest = sph_w_at(s->d / s->h),
                   .kernel = s->def.surface_tension > 0.0f ||
                             (s->def.air.enabled && s->def.trapped.enabled)};
    sp_parallel(s->host, s->liquid.cells.count, SPH_CHUNK, force_places, (void *)(uintptr_t)&j);
}
