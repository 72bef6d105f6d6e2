// SPDX-License-Identifier: Apache-2.0
/// Drag between air and water (13'):
///
///     a_i = - sum_j C_ij (v_ij . x_ij) x_ij
///     C_ij = m_j k_i h^2 omega / (rho_i + rho_j) / (r^2 + eps h^2) * (-W'(r)/r)
///
/// Drag brakes air within a step or two, so it is implicit for the air, with the water's velocity of the
/// step's start. Solving for the acceleration loses no digits to v~ - v:
///
///     (I + dt M_i) a~_i = a_i - sum_j C_ij (v_ij . x_ij) x_ij,     M_i = sum_j C_ij x_ij x_ij^T
///
/// Water is a thousand times heavier and takes the reaction explicitly, with v~ = v + dt a~ of the air.
/// One-sided drag selects pairs by the velocities at the step's start, the same pairs for air and water.
#include "sph/kernel.h"

typedef struct dragging {
    sph *s;
    double dt;
    sph_lanes kernel;
    float limit, soft; ///< h^2 and eps h^2, m2
    float scale;       ///< of C without 1/(rho_i + rho_j)
    int pairs;
} dragging;

/// Drag by neighbours of this mass.
static dragging drag_by(sph *s, double dt, float mass, float k)
{
    const float h2 = s->h * s->h;
    return (dragging){.s = s,
                      .dt = dt,
                      .kernel = sph_lanes_for(s->h),
                      .limit = h2,
                      .soft = 0.01f * h2,
                      .scale = mass * k * h2 * s->def.air.drag_rate * sph_slope_scale(s->h),
                      .pairs = s->def.air.drag_pairs};
}

/// C_ij, from r^2 and rho_i + rho_j.
SP_INLINE sp_part pair_drag(const dragging *d, sp_part r2, sp_part rho)
{
    return -d->scale * sph_slope(r2, &d->kernel) / (rho * (r2 + d->soft));
}

/// Which pairs have drag (drag_pairs). `away` is v_ij . x_ij, negative for approaching pairs.
SP_INLINE sp_flags pairs_that_count(const dragging *d, sp_part away)
{
    if (d->pairs == SP_SPH_PAIRS_APPROACHING) return away < 0.0f;
    if (d->pairs == SP_SPH_PAIRS_SEPARATING) return away > 0.0f;
    return (sp_flags){0} == 0;
}

/// ---- On the air --------------------------------------------------------------------------------

/// M in the order xx xy xz yy yz zz, and the drag at the step's start, m/s2.
typedef struct braking {
    float m[6], a[3];
} braking;

static braking brake(const dragging *d, size_t k, const sp_row *row)
{
    const sph *s = d->s;
    const float *own = s->air.at + 4 * k, *v = s->air.vel + 4 * k;
    const uint32_t *index = s->air_data.liquid.index + row->start;
    sp_lanes m[6] = {{{0}}};
    sph_sum3 sum = {0};
    for (size_t e = 0; e < row->count; e += SP_PART) {
        const sp_quad other = sp_quad_take(s->liquid.at, index + e),
                      stream = sp_quad_take(s->liquid.vel, index + e);
        const sp_part x = own[0] - other.x, y = own[1] - other.y, z = own[2] - other.z;
        const sp_part away = (v[0] - stream.x) * x + (v[1] - stream.y) * y + (v[2] - stream.z) * z;
        const sp_part r2 = sph_square(x, y, z);
        const sp_flags used =
            sp_flags_below(e, row->count) & (r2 < d->limit) & pairs_that_count(d, away);
        const sp_part c = sp_part_keep(used, pair_drag(d, r2, own[3] + other.w));
        sp_lanes_add(&m[0], e, c * x * x);
        sp_lanes_add(&m[1], e, c * x * y);
        sp_lanes_add(&m[2], e, c * x * z);
        sp_lanes_add(&m[3], e, c * y * y);
        sp_lanes_add(&m[4], e, c * y * z);
        sp_lanes_add(&m[5], e, c * z * z);
        sph_sum3_add(&sum, e, sp_part_keep(used, c * -away), x, y, z);
    }
    braking b = {.a = {sp_lanes_sum(sum.x), sp_lanes_sum(sum.y), sp_lanes_sum(sum.z)}};
    for (int c = 0; c < 6; ++c)
        b.m[c] = sp_lanes_sum(m[c]);
    return b;
}

/// (I + dt M) a = b by the adjugate. The matrix is at least I, so the determinant is at least 1.
static void solve(const float m[6], double dt, const double b[3], double a[3])
{
    const double xx = 1.0 + dt * (double)m[0], xy = dt * (double)m[1], xz = dt * (double)m[2],
                 yy = 1.0 + dt * (double)m[3], yz = dt * (double)m[4], zz = 1.0 + dt * (double)m[5];
    const double cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy,
                 cyy = xx * zz - xz * xz, cyz = xy * xz - xx * yz, czz = xx * yy - xy * xy;
    const double det = xx * cxx + xy * cxy + xz * cxz;
    a[0] = (cxx * b[0] + cxy * b[1] + cxz * b[2]) / det;
    a[1] = (cxy * b[0] + cyy * b[1] + cyz * b[2]) / det;
    a[2] = (cxz * b[0] + cyz * b[1] + czz * b[2]) / det;
}

static void drag_air(void *arg, size_t begin, size_t end)
{
    const dragging *d = arg;
    const sph_air *data = &d->s->air_data;
    float *const *a = d->s->air.a;
    size_t next = sp_rows_from(&data->liquid, begin);
    for (size_t k = begin; k < end; ++k) {
        const sp_row *row = sph_row_at(&data->liquid, &next, k);
        if (!row || row->count == 0) continue; // no water neighbours: no drag
        const braking by = brake(d, k, row);
        double sum[3], braked[3];
        for (int c = 0; c < 3; ++c)
            sum[c] = (double)a[c][k] + (double)by.a[c];
        solve(by.m, d->dt, sum, braked);
        for (int c = 0; c < 3; ++c)
            a[c][k] = (float)braked[c];
    }
}

void sph_drag(sph *s, double dt)
{
    dragging d = drag_by(s, dt, s->liquid.mass, s->def.air.drag_air);
    sp_parallel(s->host, s->air.cells.count, SPH_CHUNK, drag_air, &d);
}

/// ---- On the water ------------------------------------------------------------------------------

/// Drag coefficient k of air particle k on water. "archimedes" replaces the model's lift, k_b B - 1 times the
/// particle's weight, by the weight of displaced water. The lift counts as at least 1, or the factor would have
/// no bound.
static float drag_on_water(const sph *s, size_t k)
{
    const sp_sph_air_def *def = &s->def.air;
    if (def->coupling == SP_SPH_COUPLING_PAPER) return def->drag_liquid;
    if (def->coupling == SP_SPH_COUPLING_SYMMETRIC) return def->drag_air;
    const float lift = def->buoyancy_min * s->air_data.buoyancy[k] - 1.0f;
    return def->drag_air * (s->liquid.rest / s->air.rest) / (lift > 1.0f ? lift : 1.0f);
}

/// v~ and k of the air, for the sums of the water, in the array of predicted positions, which is unused yet.
static void predict_air(void *arg, size_t begin, size_t end)
{
    const dragging *d = arg;
    const sph_phase *air = &d->s->air;
    for (size_t k = begin; k < end; ++k) {
        float *out = air->ahead + 4 * k;
        for (int c = 0; c < 3; ++c)
            out[c] = air->vel[4 * k + (size_t)c] + (float)d->dt * air->a[c][k];
        out[3] = drag_on_water(d->s, k);
    }
}

/// The sum of (13') over a row of air, m/s2.
static sp_vec3 reaction(const dragging *d, const sp_row *row)
{
    const sph *s = d->s;
    const float *own = s->liquid.at + 4 * (size_t)row->who,
                *v = s->liquid.vel + 4 * (size_t)row->who;
    const uint32_t *index = s->air_data.reaction.index + row->start;
    sph_sum3 sum = {0};
    for (size_t e = 0; e < row->count; e += SP_PART) {
        const sp_quad other = sp_quad_take(s->air.at, index + e),
                      was = sp_quad_take(s->air.vel, index + e),
                      will = sp_quad_take(s->air.ahead, index + e);
        const sp_part x = own[0] - other.x, y = own[1] - other.y, z = own[2] - other.z;
        const sp_part away = (v[0] - was.x) * x + (v[1] - was.y) * y + (v[2] - was.z) * z;
        const sp_part leaves = (v[0] - will.x) * x + (v[1] - will.y) * y + (v[2] - will.z) * z;
        const sp_part r2 = sph_square(x, y, z);
        const sp_flags used =
            sp_flags_below(e, row->count) & (r2 < d->limit) & pairs_that_count(d, away);
        const sp_part c = will.w * pair_drag(d, r2, own[3] + other.w);
        sph_sum3_add(&sum, e, sp_part_keep(used, c * -leaves), x, y, z);
    }
    return sph_sum3_total(&sum);
}

static void drag_water(void *arg, size_t begin, size_t end)
{
    const dragging *d = arg;
    const sph_phase *water = &d->s->liquid;
    for (size_t r = begin; r < end; ++r) {
        const sp_row *row = &d->s->air_data.reaction.row[r];
        if (row->count == 0 || sph_tag(water, row->who) & SPH_PINNED) continue;
        const sp_vec3 a = reaction(d, row);
        water->a[0][row->who] += a.x;
        water->a[1][row->who] += a.y;
        water->a[2][row->who] += a.z;
    }
}

void sph_reaction(sph *s, double dt)
{
    dragging d = drag_by(s, dt, s->air.mass, 1.0f);
    sp_parallel(s->host, s->air.cells.count, SPH_CHUNK, predict_air, &d);
    sp_parallel(s->host, s->air_data.reaction.count, SPH_CHUNK, drag_water, &d);
}
