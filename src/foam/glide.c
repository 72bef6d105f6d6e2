// SPDX-License-Identifier: Apache-2.0
/// Motion along the surface, with n the normal at the start and T(w) = w - (w.n) n:
///
///     1  v: its tangential part gets the speed of the last substep again
///     2  v^ = T(v + dt F), drawn towards T(u) by the surface's drag (W24, W25)
///     3  x(alpha) = x + dt v^ + alpha n, with alpha_0 = dt u.n
///     4  Newton: alpha -= phi(x(alpha))/(grad phi.n), at the end of the substep, until |phi| is small
///     5  Where that fails, or ends more than `max_correction` from alpha_0, the surface is not the same one:
///        the particle keeps alpha_0 and is lost
///     6  v = (x_new - x)/dt
///
/// As printed, 3 has no sign (surfaces that fall are looked for above), and 4 takes the slope at alpha^k of x(alpha)
/// along u (on a sphere it stays 16 cm off).
#include "foam/internal.h"

#define FLAT 1e-6  // m/s; slower motion along the surface has no direction
#define STEEP 0.2f // slope along the normal below which Newton's steps are not trusted
#define FASTER 2.0 // largest gain of step 1

enum { NEWTON = 4 };

typedef struct gliding {
    sp_foam *f;
    const sp_foam_world *world;
    sp_bulk_view water;
    double dt;
    double keep;       ///< share of the slip that drag leaves
    foam_count *count; ///< by block
} gliding;

/// ---- 1 to 3 ------------------------------------------------------------------------------------

static void take_normal(foam_sorted *s, size_t k)
{
    const float g[3] = {s->gradient[0][k], s->gradient[1][k], s->gradient[2][k]};
    const float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int a = 0; a < 3; ++a)
        s->normal[a][k] = length > 1e-6f ? g[a] / length : 0.0f;
}

static void keep_tangent(const foam_sorted *s, size_t k, double v[3])
{
    double along = 0.0;
    for (int a = 0; a < 3; ++a)
        along += v[a] * (double)s->normal[a][k];
    for (int a = 0; a < 3; ++a)
        v[a] -= along * (double)s->normal[a][k];
}

/// 1  Only the tangential part is of use from here on. In double: a speed that nothing changes then stays the
/// same float.
static void correct_speed(const gliding *g, size_t k, double v[3])
{
    const foam_sorted *s = &g->f->sorted;
    keep_tangent(s, k, v);
    const double speed = sqrt(sp_dot3(v, v)), wanted = (double)s->speed[k];
    if (g->f->def.speed_correction == SP_FOAM_CORRECT_OFF || !(wanted >= 0.0) || !(speed > FLAT))
        return;
    for (int a = 0; a < 3; ++a)
        v[a] *= fmin(wanted / speed, FASTER);
}

/// 2  The velocity along the surface. Returns the slip squared.
static double find_velocity(const gliding *g, size_t k, double v[3])
{
    foam_sorted *s = &g->f->sorted;
    double u[3], slip = 0.0;
    for (int a = 0; a < 3; ++a) {
        v[a] = (double)s->v[a][k];
        u[a] = (double)s->u[a][k];
    }
    correct_speed(g, k, v);
    for (int a = 0; a < 3; ++a)
        v[a] += g->dt * (double)s->force[a][k];
    keep_tangent(s, k, v);
    keep_tangent(s, k, u);
    for (int a = 0; a < 3; ++a) {
        const double off = (v[a] - u[a]) * g->keep;
        v[a] = u[a] + off;
        slip += off * off;
    }
    s->speed[k] = (float)sqrt(sp_dot3(v, v));
    return slip;
}

static void set_out(void *arg, size_t begin, size_t end)
{
    const gliding *g = arg;
    foam_sorted *s = &g->f->sorted;
    float most = 0.0f;
    const sp_bulk_query query = {.n = end,
                                 .x = s->at[0],
                                 .y = s->at[1],
                                 .z = s->at[2],
                                 .u = {s->u[0], s->u[1], s->u[2]},
                                 .gradient = {s->gradient[0], s->gradient[1], s->gradient[2]}};
    sp_bulk_look(&g->water, &query, begin, end);
    for (size_t k = begin; k < end; ++k) {
        double v[3], lift = 0.0;
        take_normal(s, k);
        most = fmaxf(most, (float)find_velocity(g, k, v));
        for (int a = 0; a < 3; ++a)
            lift += (double)s->u[a][k] * (double)s->normal[a][k];
        s->alpha[k] = g->dt * lift;
        for (int a = 0; a < 3; ++a) {
            s->v[a][k] = (float)v[a];
            s->to[a][k] = s->at[a][k] + g->dt * v[a] + s->alpha[k] * (double)s->normal[a][k];
        }
    }
    g->count[begin / FOAM_GRAIN].slip = most;
}

/// ---- 4, 5  Back onto the surface ---------------------------------------------------------------

/// Points that are asked for at once, and which particles they are.
typedef struct asking {
    size_t n;
    double x[3][FOAM_GRAIN];
    float phi[FOAM_GRAIN], gradient[3][FOAM_GRAIN];
    uint32_t who[FOAM_GRAIN];
} asking;

static void ask(const gliding *g, asking *q)
{
    const foam_sorted *s = &g->f->sorted;
    for (size_t i = 0; i < q->n; ++i)
        for (int a = 0; a < 3; ++a)
            q->x[a][i] = s->to[a][q->who[i]];
    const sp_bulk_query query = {.n = q->n,
                                 .x = q->x[0],
                                 .y = q->x[1],
                                 .z = q->x[2],
                                 .phi = q->phi,
                                 .gradient = {q->gradient[0], q->gradient[1], q->gradient[2]}};
    sp_bulk_look(&g->water, &query, 0, q->n);
}

/// Moves a particle along its normal.
static void lift(foam_sorted *s, size_t k, double by)
{
    s->alpha[k] += by;
    for (int a = 0; a < 3; ++a)
        s->to[a][k] += by * (double)s->normal[a][k];
}

/// alpha_0
static double start_of(const gliding *g, size_t k)
{
    const foam_sorted *s = &g->f->sorted;
    double along = 0.0;
    for (int a = 0; a < 3; ++a)
        along += (double)s->u[a][k] * (double)s->normal[a][k];
    return g->dt * along;
}

static void give_up(const gliding *g, size_t k)
{
    foam_sorted *s = &g->f->sorted;
    lift(s, k, start_of(g, k) - s->alpha[k]);
    s->speed[k] = -1.0f;
    s->lost[k] = 1;
}

/// One answer. True if the particle is to ask again.
static bool correct(const gliding *g, const asking *q, size_t i, bool last)
{
    foam_sorted *s = &g->f->sorted;
    const sp_foam_def *def = &g->f->def;
    const size_t k = q->who[i];
    const float near = fminf(def->tolerance, 0.02f * s->radius[k]);
    float slope = 0.0f;
    for (int a = 0; a < 3; ++a)
        slope += q->gradient[a][i] * s->normal[a][k];
    if (fabsf(q->phi[i]) <= near) return false;
    const double step = -(double)q->phi[i] / (double)slope;
    const double off = s->alpha[k] + step - start_of(g, k);
    if (last || !(fabsf(slope) >= STEEP) || !(fabs(off) <= (double)def->max_correction)) {
        give_up(g, k);
        return false;
    }
    lift(s, k, step);
    return true;
}

/// Lets particles look for the surface. Returns how many steps they took in all.
static uint32_t find_surface(const gliding *g, asking *q)
{
    uint32_t steps = 0;
    for (int step = 0; q->n > 0; ++step) {
        size_t left = 0;
        ask(g, q);
        for (size_t i = 0; i < q->n; ++i)
            if (correct(g, q, i, step == NEWTON)) q->who[left++] = q->who[i];
        steps += (uint32_t)left;
        q->n = left;
    }
    return steps;
}

/// ---- 6, and solids -----------------------------------------------------------------------------

/// Moves a particle out of solids, along the surface. True if it was in one.
static bool leave_solid(const gliding *g, size_t k, double out[3])
{
    const foam_sorted *s = &g->f->sorted;
    const double p[3] = {s->to[0][k], s->to[1][k], s->to[2][k]};
    const double psi = sp_solids_distance(g->world->solids, p, out, NULL);
    double along = 0.0, length = 0.0;
    if (!(psi < (double)s->radius[k])) return false;
    for (int a = 0; a < 3; ++a)
        along += out[a] * (double)s->normal[a][k];
    for (int a = 0; a < 3; ++a) {
        out[a] -= along * (double)s->normal[a][k];
        length += out[a] * out[a];
    }
    if (!(length > 1e-4)) return false; // the solid is flat below or above it
    for (int a = 0; a < 3; ++a) {
        out[a] /= sqrt(length);
        s->to[a][k] += ((double)s->radius[k] - psi) / sqrt(length) * out[a];
    }
    return true;
}

/// Removes what goes into the solid, whose way out is `out`.
static void slide(foam_sorted *s, size_t k, const double out[3])
{
    double inward = 0.0;
    for (int a = 0; a < 3; ++a)
        inward += (double)s->v[a][k] * out[a];
    for (int a = 0; a < 3 && inward < 0.0; ++a)
        s->v[a][k] -= (float)(inward * out[a]);
}

static void find_velocities(const gliding *g, size_t begin, size_t end)
{
    foam_sorted *s = &g->f->sorted;
    for (int a = 0; a < 3; ++a)
        for (size_t k = begin; k < end; ++k)
            s->v[a][k] = (float)((s->to[a][k] - s->at[a][k]) / g->dt);
}

static void collide(const gliding *g, asking *q, size_t begin, size_t end)
{
    double out[FOAM_GRAIN][3];
    q->n = 0;
    for (size_t k = begin; k < end; ++k)
        if (leave_solid(g, k, out[q->n])) q->who[q->n++] = (uint32_t)k;
    const size_t n = q->n;
    uint32_t who[FOAM_GRAIN];
    memcpy(who, q->who, n * sizeof *who);
    find_surface(g, q);
    find_velocities(g, begin, end);
    for (size_t i = 0; i < n; ++i)
        slide(&g->f->sorted, who[i], out[i]);
}

static void land_block(const gliding *g, size_t begin, size_t end)
{
    const foam_sorted *s = &g->f->sorted;
    foam_count *count = &g->count[begin / FOAM_GRAIN];
    asking q = {.n = end - begin};
    for (size_t i = 0; i < q.n; ++i)
        q.who[i] = (uint32_t)(begin + i);
    count->corrections = find_surface(g, &q);
    if (g->world->solids)
        collide(g, &q, begin, end);
    else
        find_velocities(g, begin, end);
    for (size_t k = begin; k < end; ++k)
        count->lost += s->lost[k];
}

static void land(void *arg, size_t begin, size_t end)
{
    const gliding *g = arg;
    for (size_t k = begin; k < end; k += FOAM_GRAIN) // one thread gets all of them at once
        land_block(g, k, end - k < FOAM_GRAIN ? end : k + FOAM_GRAIN);
}

/// ---- All of it ---------------------------------------------------------------------------------

static void sum_counts(const gliding *g, size_t blocks, sp_foam_figures *figures)
{
    float slip = 0.0f;
    for (size_t b = 0; b < blocks; ++b) {
        slip = fmaxf(slip, g->count[b].slip);
        figures->lost += g->count[b].lost;
        figures->corrections += g->count[b].corrections;
    }
    figures->fastest = fmax(figures->fastest, (double)sqrtf(slip));
}

sp_status foam_glide(sp_foam *f, const sp_foam_world *w, double t, double dt,
                     sp_foam_figures *figures, sp_error *err)
{
    const size_t n = f->cells.count, blocks = n / FOAM_GRAIN + 1;
    gliding g = {.f = f,
                 .world = w,
                 .dt = dt,
                 .keep = (double)sp_expf(-f->def.surface_drag * (float)dt),
                 .count = f->count};
    memset(f->count, 0, blocks * sizeof *f->count);
    SP_TRY(sp_bulk_view_at(w->bulk, t, &g.water, err));
    sp_parallel(f->host, n, FOAM_GRAIN, set_out, &g);
    SP_TRY(sp_bulk_view_at(w->bulk, t + dt, &g.water, err));
    if (w->solids) SP_TRY(sp_solids_move(w->solids, t + dt, err));
    sp_parallel(f->host, n, FOAM_GRAIN, land, &g);
    sum_counts(&g, blocks, figures);
    return SP_OK;
}
