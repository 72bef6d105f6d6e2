// SPDX-License-Identifier: Apache-2.0
/// a, b, c  The velocity of particles. With w the water's velocity at a particle, phi its share of water
/// there, and gradient that of q, backward Euler reads (WSB25, 21)
///
///     rho_q (v - v0)/dt = (rho_q - rho_w) g + phi o D(w - v) - (rho_w/dt) gradient + f,
///     D(du) = chi (c0 + c1 |du|) du,   c0 = 9 mu/(2 r^2),   c1 = 3 rho_w/(8 r)            (36)
///
/// where o multiplies by component. Weight and the pressure of still water are one term.
///
/// Exact: with v = w + e and S = |e| each component is e_a = b_a/(rho_q/dt + chi phi_a (c0 + c1 S)). So
/// F(S) = |e(S)| - S = 0 remains; F falls strictly and F(|e(0)|) <= 0, so the root lies in 0 ...
/// |e(0)|. Newton's method from the root for equal phi_a, held in that bracket, needs six steps or less
/// in 99.9 % of cases.
///
/// Linearised: one Newton step from the present velocity, as the papers do. The matrix is a diagonal
/// and a product of two vectors (38), so the Sherman-Morrison formula inverts it.
#include "bubbles/internal.h"

/// What one register of particles needs.
typedef struct problem {
    sp_part w[3], phi[3], b[3], e[3];
    sp_part per_dt; ///< rho_q/dt
    sp_part c0, c1; ///< times chi
} problem;

typedef struct solving {
    bubbles *s;
    double dt;
    bool scaled;           ///< drag is scaled by the share of water (WSB25); else not (WFS22)
    bool diagonal;         ///< K is the diagonal of |dD/du| (WFS22), not its row sums
    const float *const *v; ///< of find_drag: the velocity that drag is computed from
    float *change;         ///< by block of particles: largest change of a component of v, m/s
} solving;

SP_INLINE sp_part dot(const sp_part a[3], const sp_part b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

SP_INLINE void store(float *p, sp_part v, size_t n)
{
    if (n >= SP_PART)
        sp_part_store(p, v);
    else
        memcpy(p, &v, n * sizeof *p);
}

/// Coefficients of drag of particles i, ...
SP_INLINE void load_drag(const solving *o, size_t i, problem *m)
{
    const bubbles *s = o->s;
    const sp_bubbles_def *d = &s->def;
    const sp_part r = sp_part_load(s->particles.radius + i);
    m->c0 = sp_part_all(4.5f * d->viscosity * d->drag_scale) / (r * r);
    m->c1 = sp_part_all(0.375f * d->density * d->drag_scale) / r;
    m->per_dt = sp_part_load(s->particles.density + i) * (float)(1.0 / o->dt);
    for (int a = 0; a < 3; ++a) {
        m->w[a] = sp_part_load(s->at.water[a] + i);
        m->phi[a] = o->scaled ? sp_part_load(s->at.share[a] + i) : sp_part_all(1.0f);
    }
}

/// That of the pressure less that of still water: in water that moves by itself, `lift` is part of it.
SP_INLINE sp_part gradient_felt(const bubbles *s, size_t i, int axis)
{
    const sp_part gradient = sp_part_load(s->at.gradient[axis] + i);
    return s->at.lift[axis] ? gradient - sp_part_load(s->at.lift[axis] + i) : gradient;
}

/// Everything but drag, in the frame of the water: b = rho_q (v0 - w)/dt + ...
SP_INLINE void load_forces(const solving *o, size_t i, problem *m)
{
    const bubbles *s = o->s;
    const sp_part density = sp_part_load(s->particles.density + i);
    const float pressure = (float)((double)s->def.density / o->dt);
    for (int a = 0; a < 3; ++a) {
        const sp_part thin = s->at.thin[a] ? sp_part_load(s->at.thin[a] + i) : sp_part_all(1.0f);
        m->b[a] = m->per_dt * (sp_part_load(s->at.v0[a] + i) - m->w[a]) +
                  (density - thin * s->def.density) * s->gravity[a] -
                  thin * pressure * gradient_felt(s, i, a) + sp_part_load(s->at.force[a] + i);
    }
}

/// New velocities; `most` is raised to the largest change.
SP_INLINE void put_velocity(const solving *o, size_t i, size_t end, const sp_part v[3],
                            sp_part *most)
{
    float *const *old = o->s->particles.v;
    for (int a = 0; a < 3; ++a) {
        const sp_part change = v[a] - sp_part_load(old[a] + i);
        if (i + SP_PART <= end) *most = sp_part_max(sp_part_max(change, -change), *most);
        for (int l = 0; i + SP_PART > end && l < (int)(end - i); ++l)
            (*most)[l] = fmaxf((*most)[l], fabsf(change[l]));
        store(old[a] + i, v[a], end - i);
    }
}

static float largest_lane(sp_part v)
{
    float most = v[0];
    for (int l = 1; l < SP_PART; ++l)
        most = fmaxf(most, v[l]);
    return most;
}

/// ---- Exact -------------------------------------------------------------------------------------

/// e(S), its length, and the derivative of F.
SP_INLINE sp_part evaluate(problem *m, sp_part speed, sp_part *slope)
{
    const sp_part drag = m->c0 + m->c1 * speed;
    sp_part sum = {0};
    for (int a = 0; a < 3; ++a) {
        const sp_part stiff = m->per_dt + m->phi[a] * drag;
        m->e[a] = m->b[a] / stiff;
        sum += m->e[a] * m->e[a] * m->phi[a] * m->c1 / stiff;
    }
    const sp_part length = sp_part_sqrt(dot(m->e, m->e));
    *slope = -1.0f - sum / sp_part_max(length, sp_part_all(1e-30f));
    return length;
}

SP_INLINE void solve_part(problem *m)
{
    enum { MOST = 12 };
    sp_part slope, low = {0};
    const sp_part b = sp_part_sqrt(dot(m->b, m->b));
    const sp_part phi = (m->phi[0] + m->phi[1] + m->phi[2]) * (1.0f / 3.0f);
    const sp_part a = m->per_dt + phi * m->c0;
    sp_part high = evaluate(m, low, &slope);
    sp_part speed = 2.0f * b / (a + sp_part_sqrt(a * a + 4.0f * phi * m->c1 * b));
    for (int n = 0; n < MOST; ++n) {
        const sp_part excess = evaluate(m, speed, &slope) - speed;
        const sp_flags above = excess > 0.0f,
                       done = (excess <= 1e-6f * speed) & (excess >= -1e-6f * speed);
        if (!sp_flags_any(~done)) break;
        low = sp_part_select(above, speed, low);
        high = sp_part_select(above, high, speed);
        const sp_part next = speed - excess / slope;
        const sp_flags inside = (next > low) & (next < high);
        const sp_part better = sp_part_select(inside, next, 0.5f * (low + high));
        speed = sp_part_select(done, speed, better);
    }
    evaluate(m, speed, &slope);
}

static void solve_exact(void *arg, size_t begin, size_t end)
{
    const solving *o = arg;
    sp_part most = {0};
    for (size_t i = begin; i < end; i += SP_PART) {
        problem m;
        sp_part v[3];
        load_drag(o, i, &m);
        load_forces(o, i, &m);
        solve_part(&m);
        for (int a = 0; a < 3; ++a)
            v[a] = m.w[a] + m.e[a];
        put_velocity(o, i, end, v, &most);
    }
    o->change[begin / BUBBLES_GRAIN] = largest_lane(most);
}

/// ---- Linearised --------------------------------------------------------------------------------

static void solve_linearised(void *arg, size_t begin, size_t end)
{
    const solving *o = arg;
    sp_part most = {0};
    for (size_t i = begin; i < end; i += SP_PART) {
        problem m;
        load_drag(o, i, &m);
        load_forces(o, i, &m);
        sp_part v[3], du[3], rest[3], side[3];
        for (int a = 0; a < 3; ++a) {
            v[a] = sp_part_load(o->s->particles.v[a] + i);
            du[a] = m.w[a] - v[a];
        }
        const sp_part speed = sp_part_sqrt(dot(du, du)), drag = m.c0 + m.c1 * speed;
        const sp_part k = sp_part_select(speed > 1e-9f, m.c1 / speed, (sp_part){0});
        for (int a = 0; a < 3; ++a) {
            const sp_part stiff = m.per_dt + m.phi[a] * drag;
            // b holds rho_q (v0 - w)/dt; the step is from v
            rest[a] = (m.b[a] + m.per_dt * du[a] + m.phi[a] * drag * du[a]) / stiff;
            side[a] = k * m.phi[a] * du[a] / stiff;
        }
        const sp_part by = dot(du, rest) / (1.0f + dot(du, side));
        for (int a = 0; a < 3; ++a)
            v[a] += rest[a] - side[a] * by;
        put_velocity(o, i, end, v, &most);
    }
    o->change[begin / BUBBLES_GRAIN] = largest_lane(most);
}

/// ---- Drag as the water and the pressure see it -------------------------------------------------

/// D, the row sums K of |dD/du|, and the compliance s of a particle over that of a free one.
static void find_drag(void *arg, size_t begin, size_t end)
{
    const solving *o = arg;
    const bubbles *s = o->s;
    const bool adaptive = s->def.compliance == SP_BUBBLES_COMPLIANCE_ADAPTIVE;
    for (size_t i = begin; i < end; i += SP_PART) {
        problem m;
        sp_part du[3], size[3];
        load_drag(o, i, &m);
        for (int a = 0; a < 3; ++a) {
            du[a] = m.w[a] - sp_part_load(o->v[a] + i);
            size[a] = sp_part_max(du[a], -du[a]);
        }
        const sp_part speed = sp_part_sqrt(dot(du, du)), drag = m.c0 + m.c1 * speed;
        const sp_part k = sp_part_select(speed > 1e-9f, m.c1 / speed, (sp_part){0});
        const sp_part all = size[0] + size[1] + size[2];
        for (int a = 0; a < 3; ++a) {
            const sp_part whole = m.phi[a] * (drag + k * du[a] * du[a]);
            const sp_part soft = m.per_dt / (m.per_dt + whole);
            store(s->at.drag[a] + i, drag * du[a], end - i);
            store(s->at.slope[a] + i, drag + k * size[a] * (o->diagonal ? size[a] : all), end - i);
            store(s->at.soft[a] + i, adaptive ? soft : sp_part_all(1.0f), end - i);
        }
    }
}

/// ---- The stages --------------------------------------------------------------------------------

sp_status bubbles_look_around(bubbles *s, sp_error *err)
{
    SP_TRY(s->basis->interpolate(s, s->grid.u, s->at.water, err));
    return s->basis->interpolate(s, s->grid.gradient, s->at.gradient, err);
}

static sp_status solve_all(bubbles *s, bool scaled, double dt, sp_range_body *body, sp_error *err)
{
    const size_t n = s->particles.set.count, blocks = (n + BUBBLES_GRAIN - 1) / BUBBLES_GRAIN;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    solving o = {.s = s, .dt = dt, .scaled = scaled};
    o.change = sp_scratch_array(&s->scratch, float, blocks + 1);
    if (!o.change) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu particles", n);
    memset(o.change, 0, (blocks + 1) * sizeof *o.change); // one thread takes all blocks as one
    sp_parallel(s->host, n, BUBBLES_GRAIN, body, &o);
    s->bubble_change = 0.0;
    for (size_t b = 0; b < blocks; ++b)
        s->bubble_change = fmax(s->bubble_change, (double)o.change[b]);
    sp_scratch_rewind(&s->scratch, mark);
    return SP_OK;
}

sp_status bubbles_solve_exact(bubbles *s, bool scaled, double dt, sp_error *err)
{
    return solve_all(s, scaled, dt, solve_exact, err);
}

sp_status bubbles_solve_linearised(bubbles *s, bool scaled, double dt, sp_error *err)
{
    return solve_all(s, scaled, dt, solve_linearised, err);
}

void bubbles_drag_at(bubbles *s, const float *const v[3], bool scaled, double dt)
{
    solving o = {.s = s, .dt = dt, .scaled = scaled, .v = v};
    sp_parallel(s->host, s->particles.set.count, BUBBLES_GRAIN, find_drag, &o);
}

void bubbles_drag_diagonal_at(bubbles *s, const float *const v[3], double dt)
{
    solving o = {.s = s, .dt = dt, .diagonal = true, .v = v};
    sp_parallel(s->host, s->particles.set.count, BUBBLES_GRAIN, find_drag, &o);
}
