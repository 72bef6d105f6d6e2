// SPDX-License-Identifier: Apache-2.0
/// Forces on air except pressure: gravity, buoyancy (10') (16), cohesion with its soft core (11'), and
/// last drag (13'), which is implicit and needs the sum of the others.
///
/// The cohesion of a pair has the same bits for both particles, with opposite signs.
#include "sph/kernel.h"

typedef struct cohesion {
    const sph *s;
    sph_lanes kernel;
    float pull;    ///< k_c h_ref/h / 2; times rho_i + rho_j
    float core;    ///< k_o, m/s2
    float per_gap; ///< 2/d, 1/m
} cohesion;

/// The core's push between two particles at the same point, along a random direction of the pair.
static void push_apart(const cohesion *c, size_t k, float a[3])
{
    const sph_phase *air = &c->s->air;
    const sp_neighbour_list list = air->lists.list[k];
    const uint64_t own = air->id[air->cells.order[k]];
    const float *at = air->at;
    for (size_t e = 0; e < list.count; ++e) {
        const size_t j = air->lists.index[list.start + e];
        if (!sph_near(at + 4 * k, at + 4 * j, c->kernel.tiny[0])) continue;
        const uint64_t other = air->id[air->cells.order[j]], pair = sp_pair_id(own, other);
        const sp_vec3 way = sph_direction((uint32_t)pair, (uint32_t)(pair >> 32));
        const float push = own < other ? c->core : -c->core;
        a[0] += push * way.x;
        a[1] += push * way.y;
        a[2] += push * way.z;
    }
}

/// (11'): attraction from half a spacing on, in full from one spacing on; repulsion within half a spacing.
static void cohere(const cohesion *c, size_t k, float a[3])
{
    const sph_phase *air = &c->s->air;
    const sp_neighbour_list list = air->lists.list[k];
    const float *own = air->at + 4 * k, limit = c->s->h * c->s->h;
    const sp_part zero = sp_part_all(0.0f), one = sp_part_all(1.0f), tiny = c->kernel.tiny;
    sph_sum3 sum = {0};
    sp_flags together = {0};
    for (size_t e = 0; e < list.count; e += SP_PART) {
        const sp_quad other = sp_quad_take(air->at, air->lists.index + list.start + e);
        const sp_part x = own[0] - other.x, y = own[1] - other.y, z = own[2] - other.z;
        const sp_part r2 = sph_square(x, y, z), r = sp_part_sqrt(r2), gaps = r * c->per_gap;
        const sp_flags near = sp_flags_below(e, list.count) & (r2 < limit),
                       same = near & (r2 < tiny * tiny);
        const sp_part pull =
            c->pull * (own[3] + other.w) * sp_part_min(sp_part_max(gaps - one, zero), one);
        const sp_part push = c->core * sp_part_max(one - gaps, zero) / sp_part_max(r, tiny);
        sph_sum3_add(&sum, e, sp_part_keep(near & ~same, push - pull), x, y, z);
        together |= same;
    }
    a[0] += sp_lanes_sum(sum.x);
    a[1] += sp_lanes_sum(sum.y);
    a[2] += sp_lanes_sum(sum.z);
    if (sp_flags_any(together)) push_apart(c, k, a);
}

/// Gravity and buoyancy, over gravity: (10'), and (16) for foam, which falls where it has no water neighbour.
static float gravity_share(const sph *s, size_t k)
{
    if (!(sph_tag(&s->air, k) & SPH_FOAM))
        return 1.0f - s->def.air.buoyancy_min * s->air_data.buoyancy[k];
    return s->air_data.phi[k] > 0.0f ? 0.0f : 1.0f;
}

static void lift_and_cohere(void *arg, size_t begin, size_t end)
{
    const cohesion *c = arg;
    const sph *s = c->s;
    for (size_t k = begin; k < end; ++k) {
        const float left = gravity_share(s, k);
        float a[3] = {left * s->gravity[0], left * s->gravity[1], left * s->gravity[2]};
        cohere(c, k, a);
        for (int axis = 0; axis < 3; ++axis)
            s->air.a[axis][k] = a[axis];
    }
}

void sph_air_forces(sph *s, double dt)
{
    const float h_ref =
        0.04f; // m: k_c was tuned at this h; the factor h_ref/h keeps accelerations the same at others
    cohesion c = {.s = s,
                  .kernel = sph_lanes_for(s->h),
                  .pull = 0.5f * s->def.air.cohesion * (h_ref / s->h),
                  .core = s->def.air.core,
                  .per_gap = 2.0f / s->d};
    sp_parallel(s->host, s->air.cells.count, SPH_CHUNK, lift_and_cohere, &c);
    sph_drag(s, dt);
}
