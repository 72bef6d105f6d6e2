// SPDX-License-Identifier: Apache-2.0
/// Bubbles that act on no water: those that were foam before, and all of them in the mode `one_way`. With u the
/// bulk's velocity and a its acceleration, followed along the water's own path from the bubble's place,
///
///     w = u(x + dt u(x, t), t + dt),      a = (w - u(x, t))/dt
///     rho_b (v' - v)/dt = (rho_b - rho_w) g + rho_w a - D(v' - w)
///     D(e) = chi (c0 + c1 |e|) e,   c0 = 9 mu/(2 r^2),   c1 = 3 rho_w/(8 r)
///
/// The pressure's gradient is rho_w (g - a): where water falls freely it is 0, and so is buoyancy. With e = v' - w,
/// backward Euler reads (A + chi c1 |e|) e = b, whose solution has a closed form:
///
///     |e| = 2 |b|/(A + sqrt(A^2 + 4 chi c1 |b|)),   A = rho_b/dt + chi c0,   b = rho_b (v - w)/dt + forces
///
/// The place changes by dt ((u + w)/2 + e), which follows the water to second order.
#include "whitewater/surface/internal.h"

typedef struct rising {
    const whitewater_world *world;
    whitewater_set *set;
    sp_bulk_view water;
    float drag_scale;
    double *x[3]; ///< m; where the water carries each bubble
    float *u[3];  ///< m/s; of the water at the start
    uint8_t *lost;
} rising;

static void carry(void *arg, size_t begin, size_t end)
{
    const rising *r = arg;
    double *const *x = r->set->x;
    const sp_bulk_query query = {
        .n = end, .x = x[0], .y = x[1], .z = x[2], .u = {r->u[0], r->u[1], r->u[2]}};
    sp_bulk_look(&r->water, &query, begin, end);
    for (int a = 0; a < 3; ++a)
        for (size_t i = begin; i < end; ++i)
            r->x[a][i] = x[a][i] + r->world->dt * (double)r->u[a][i];
}

/// The velocity through the water after the step, from that before it and the water's change.
static void brake(const rising *r, size_t i, const double v[3], const double u[3],
                  const double w[3], double e[3])
{
    const whitewater_world *world = r->world;
    const double radius = (double)r->set->radius[i], rho = (double)world->density,
                 rho_b = (double)world->density_air, chi = (double)r->drag_scale;
    const double c1 = chi * 0.375 * rho / radius,
                 stiff =
                     rho_b / world->dt + chi * 4.5 * (double)world->viscosity / (radius * radius);
    double size = 0.0;
    for (int a = 0; a < 3; ++a) {
        e[a] = rho_b * (v[a] - w[a]) / world->dt + (rho_b - rho) * (double)world->gravity[a] +
               rho * (w[a] - u[a]) / world->dt;
        size += e[a] * e[a];
    }
    size = sqrt(size);
    const double speed = 2.0 * size / (stiff + sqrt(stiff * stiff + 4.0 * c1 * size));
    for (int a = 0; a < 3; ++a)
        e[a] /= stiff + c1 * speed;
}

static void rise_one(const rising *r, size_t i, const double w[3])
{
    double x[3], v[3], u[3], e[3];
    for (int a = 0; a < 3; ++a) {
        x[a] = r->set->x[a][i];
        v[a] = (double)r->set->v[a][i];
        u[a] = (double)r->u[a][i];
    }
    brake(r, i, v, u, w, e);
    for (int a = 0; a < 3; ++a) {
        v[a] = w[a] + e[a];
        x[a] += r->world->dt * (0.5 * (u[a] + w[a]) + e[a]);
    }
    r->lost[i] = !surface_leave_solids(r->world, x, v, (double)r->set->radius[i]);
    for (int a = 0; a < 3; ++a) {
        r->set->x[a][i] = x[a];
        r->set->v[a][i] = (float)v[a];
    }
}

static void rise(void *arg, size_t begin, size_t end)
{
    const rising *r = arg;
    float u[3][SURFACE_GRAIN];
    for (size_t k = begin; k < end; k += SURFACE_GRAIN) { // one thread gets all of them at once
        const size_t n = end - k < SURFACE_GRAIN ? end - k : SURFACE_GRAIN;
        const sp_bulk_query query = {
            .n = n, .x = r->x[0] + k, .y = r->x[1] + k, .z = r->x[2] + k, .u = {u[0], u[1], u[2]}};
        sp_bulk_look(&r->water, &query, 0, n);
        for (size_t i = 0; i < n; ++i)
            rise_one(r, k + i,
                     (const double[3]){(double)u[0][i], (double)u[1][i], (double)u[2][i]});
    }
}

static sp_status rise_all(rising *r, size_t n, sp_error *err)
{
    const whitewater_world *w = r->world;
    SP_TRY(sp_bulk_view_at(w->bulk, w->t, &r->water, err));
    sp_parallel(w->host, n, SURFACE_GRAIN, carry, r);
    SP_TRY(sp_bulk_view_at(w->bulk, w->t + w->dt, &r->water, err));
    sp_parallel(w->host, n, SURFACE_GRAIN, rise, r);
    return SP_OK;
}

sp_status whitewater_move_one_way(const whitewater_world *world, whitewater_set *bubbles,
                                  float drag_scale, uint8_t *lost, sp_error *err)
{
    const size_t n = bubbles->set.count;
    rising r = {.world = world, .set = bubbles, .drag_scale = drag_scale, .lost = lost};
    bool enough = true;
    if (n == 0) return SP_OK;
    for (int a = 0; a < 3; ++a) {
        r.x[a] = sp_allocate(world->host, n, sizeof(double));
        r.u[a] = sp_allocate(world->host, n, sizeof(float));
        enough = enough && r.x[a] && r.u[a];
    }
    const sp_status status =
        enough ? rise_all(&r, n, err)
               : sp_fail(err, SP_NO_MEMORY, "whitewater: no memory to move %zu bubbles", n);
    for (int a = 0; a < 3; ++a) {
        sp_release(world->host, r.x[a]);
        sp_release(world->host, r.u[a]);
    }
    return status;
}
