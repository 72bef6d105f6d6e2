// SPDX-License-Identifier: Apache-2.0
/// Moves bubbles and tracers (P3, P7 - P11): drag toward the surrounding water, buoyancy, and the
/// lagged strength of each bubble's vortex.
#include "pond/internal.h"

/// P9: the inertial branch u_M^2 = sigma/(rho r) + g r and the viscous one u_S = g r^2/(3 nu),
/// joined so that the slower one dominates. In water r = 2, 5, 10 mm rise at 0.236, 0.252, 0.324
/// m/s.
float pond_terminal_speed(const sp_pond_def *def, float r)
{
    const float inertial2 = def->surface_tension / (def->water_density * r) + def->gravity * r;
    const float viscous = def->gravity * r * r / (3.0f * def->viscosity);
    return sqrtf(1.0f / (1.0f / inertial2 + 1.0f / (viscous * viscous)));
}

/// P10: buoyant acceleration with added mass; the density ratio of air to water is 0.0012.
static float buoyant_acceleration(const sp_pond_def *def)
{
    const float ratio = 0.0012f;
    return def->buoyancy * def->gravity * (1.0f - ratio) / (def->added_mass + ratio);
}

/// Arguments of the loops below, which run over whole arrays without branches so that they
/// vectorise.
typedef struct moving {
    sp_pond *pond;
    float dt;
} moving;

/// Samples surface, ground and surface flow above each bubble, in the order of the vortex sums.
static void sample_flow(void *arg, size_t begin, size_t end)
{
    sp_pond *pond = arg;
    const pond_bubbles *b = &pond->bubbles;
    const pond_flows out = {b->level, b->bed, pond->vx, pond->vy, pond->vz};
    pond_flow_many(&pond->water, &pond->target_cells, begin, end, b->px, b->py, out);
}

/// P3 for many bubbles, as in pond_velocity_at(). Works on whole vectors, because columns are
/// padded.
static void sink_flow(sp_pond *pond, size_t begin, size_t end)
{
    const pond_bubbles *b = &pond->bubbles;
    const float rate = pond->def.depth_decay > 0.0f ? 1.0f / pond->def.depth_decay : 0.0f;
    for (size_t i = begin; i < end; i += SP_PART) {
        const sp_part z = sp_part_load(b->pz + i), level = sp_part_load(b->level + i),
                      bed = sp_part_load(b->bed + i);
        const sp_part e = sp_part_exp((z - level) * rate),
                      up = (z - bed) / sp_part_max(level - bed, sp_part_all(1e-6f));
        const sp_part share = sp_part_min(sp_part_max(up, sp_part_all(0.0f)), sp_part_all(1.0f));
        sp_part_store(pond->vx + i, sp_part_load(pond->vx + i) * e);
        sp_part_store(pond->vy + i, sp_part_load(pond->vy + i) * e);
        sp_part_store(pond->vz + i, sp_part_load(pond->vz + i) * (e * share));
    }
}

/// P7 and P11. The velocity from all vortices is clamped to four times the bubble's terminal speed.
/// Then ds/dt = B z - (B/u_T^2) |s| s by backward Euler in closed form: stable for any dt, and its
/// steady state is exactly the terminal speed. The velocity is changed by increments: the form w +
/// s' would accumulate the rounding of s' in every step, 2e-6 of u_T at dt = 1/2000. Leaves u_T in
/// wx, and in `gone` whether the vortices were clamped.
static void rise(const moving *m, size_t begin, size_t end)
{
    sp_pond *pond = m->pond;
    const sp_pond_def def = pond->def;
    const float dt = m->dt, buoyant = buoyant_acceleration(&def);
    const float *restrict r = pond->bubbles.r, *restrict vx = pond->vx, *restrict vy = pond->vy,
                          *restrict vz = pond->vz;
    float *restrict ux = pond->bubbles.ux, *restrict uy = pond->bubbles.uy,
                    *restrict uz = pond->bubbles.uz;
    float *restrict wx = pond->wx, *restrict wy = pond->wy, *restrict wz = pond->wz;
    uint8_t *restrict clamped = pond->gone;
    SP_VECTOR_LOOP
    for (size_t i = begin; i < end; ++i) {
        const float u_t = pond_terminal_speed(&def, r[i]), most = 4.0f * u_t;
        const float carried = sqrtf(wx[i] * wx[i] + wy[i] * wy[i] + wz[i] * wz[i]);
        const float keep = carried > most ? most / carried : 1.0f;
        const float x = vx[i] + keep * wx[i], y = vy[i] + keep * wy[i], z = vz[i] + keep * wz[i];
        const float sx = ux[i] - x, sy = uy[i] - y, sz = uz[i] - z + dt * buoyant;
        const float slip = sqrtf(sx * sx + sy * sy + sz * sz), kappa = dt * buoyant / (u_t * u_t);
        const float shrink = 2.0f / (1.0f + sqrtf(1.0f + 4.0f * kappa * slip));
        const float brake = kappa * slip * (shrink * shrink); // at s', the slip after the step
        ux[i] -= brake * sx;
        uy[i] -= brake * sy;
        uz[i] += dt * buoyant - brake * sz;
        wx[i] = u_t;
        clamped[i] = carried > most;
    }
}

/// P8: the strength follows the slip, at most u_T, with a lag of `vortex_lag` a/u_T. T07 (`paper`)
/// takes the velocity itself, which feeds back: a wake carries a bubble at 2.5 times the speed of
/// the bubble ahead.
static void follow_slip(const moving *m, size_t begin, size_t end)
{
    const sp_pond *pond = m->pond;
    const bool bounded = pond->def.vortex_model == SP_POND_BOUNDED;
    const float dt = m->dt, lag = pond->def.vortex_lag * pond->def.vortex_ratio,
                v_share = bounded ? 1.0f : 0.0f;
    const float *restrict r = pond->bubbles.r, *restrict vx = pond->vx, *restrict vy = pond->vy,
                          *restrict vz = pond->vz;
    const float *restrict ux = pond->bubbles.ux, *restrict uy = pond->bubbles.uy,
                          *restrict uz = pond->bubbles.uz;
    const float *restrict u_t = pond->wx;
    float *restrict sx = pond->bubbles.sx, *restrict sy = pond->bubbles.sy,
                    *restrict sz = pond->bubbles.sz;
    SP_VECTOR_LOOP
    for (size_t i = begin; i < end; ++i) {
        const float x = ux[i] - v_share * vx[i], y = uy[i] - v_share * vy[i],
                    z = uz[i] - v_share * vz[i];
        const float length = sqrtf(x * x + y * y + z * z);
        const float keep = bounded && length > u_t[i] ? u_t[i] / length : 1.0f;
        const float share = bounded ? dt / (dt + lag * r[i] / u_t[i]) : 1.0f;
        sx[i] += (x * keep - sx[i]) * share;
        sy[i] += (y * keep - sy[i]) * share;
        sz[i] += (z * keep - sz[i]) * share;
    }
}

/// Moves bubbles along one axis. They stay r away from both ends and lose the velocity into an end.
static void advance(size_t begin, size_t end, float dt, const float *restrict r,
                    const float *restrict low, float high, float *restrict p, float *restrict u)
{
    for (size_t i = begin; i < end; ++i) {
        const float to = p[i] + dt * u[i], bottom = (low ? low[i] : 0.0f) + r[i], top = high - r[i];
        const float kept = to < bottom ? bottom : to > top ? top : to;
        const bool into = (to < bottom && u[i] < 0.0f) || (to > top && u[i] > 0.0f);
        p[i] = kept;
        u[i] = into ? 0.0f : u[i];
    }
}

/// Shape oscillation, for drawing only: larger and faster bubbles wobble more. A merge raises
/// frequency and amplitude for a quarter second.
static void wobble(const moving *m, size_t begin, size_t end)
{
    const pond_bubbles *b = &m->pond->bubbles;
    const float dt = m->dt, calm = 1.0f / (1.0f + dt / 0.25f), turn = 2.0f * SP_PI;
    const float *restrict r = b->r, *restrict ux = b->ux, *restrict uy = b->uy,
                          *restrict uz = b->uz;
    float *restrict phase = b->phase, *restrict kick = b->kick, *restrict age = b->age;
    SP_VECTOR_LOOP
    for (size_t i = begin; i < end; ++i) {
        const float speed = sqrtf(ux[i] * ux[i] + uy[i] * uy[i] + uz[i] * uz[i]);
        const float wanted = 0.15f * speed / r[i] * (1.0f + kick[i]),
                    hertz = wanted < 12.0f ? wanted : 12.0f;
        const float next = phase[i] + turn * hertz * dt;
        phase[i] = next < turn ? next : next - turn;
        kick[i] *= calm;
        age[i] += dt;
    }
}

static void move_range(void *arg, size_t begin, size_t end)
{
    const moving *m = arg;
    sp_pond *pond = m->pond;
    const pond_bubbles *b = &pond->bubbles;
    const float width = pond->water.width, height = pond->water.height;
    sink_flow(pond, begin, end);
    rise(m, begin, end);
    follow_slip(m, begin, end);
    pond_push_out(pond, begin, end, 1.0f, b->r, b->px, b->py, b->ux, b->uy);
    advance(begin, end, m->dt, b->r, NULL, width, b->px, b->ux);
    advance(begin, end, m->dt, b->r, NULL, height, b->py, b->uy);
    advance(begin, end, m->dt, b->r, b->bed, INFINITY, b->pz, b->uz);
    wobble(m, begin, end);
}

void pond_move_bubbles(sp_pond *pond, float dt)
{
    const size_t n = pond->bubbles.set.count;
    moving m = {pond, dt};
    sp_parallel(pond->host, n, POND_GRAIN, sample_flow, pond);
    sp_parallel(pond->host, n, POND_GRAIN, move_range, &m);
    for (size_t i = 0; i < n; ++i)
        pond->stats.vortex_clamps += pond->gone[i];
}

/// Advects passive markers with the water, vortices included.
void pond_move_tracers(sp_pond *pond, float dt)
{
    pond_tracers *t = &pond->tracers;
    const size_t n = t->set.count;
    if (n == 0) return;
    pond_vortex_sums(pond, n, t->px, t->py, t->pz, false, pond->wx, pond->wy, pond->wz);
    const float width = pond->water.width, height = pond->water.height;
    for (size_t i = 0; i < n; ++i) {
        const pond_flow flow = pond_flow_at(&pond->water, t->px[i], t->py[i]);
        const sp_vec3 v = pond_velocity_at(pond, &flow, t->pz[i]);
        t->px[i] = sp_clamp(t->px[i] + dt * (v.x + pond->wx[i]), 0.0f, width);
        t->py[i] = sp_clamp(t->py[i] + dt * (v.y + pond->wy[i]), 0.0f, height);
        const float top = flow.level > flow.bed ? flow.level : flow.bed;
        t->pz[i] = sp_clamp(t->pz[i] + dt * (v.z + pond->wz[i]), flow.bed, top);
    }
}
