// SPDX-License-Identifier: Apache-2.0
/// How bubbles rise (P7 - P11): drag toward the water around them, buoyancy, and a vortex that
/// follows.
#include "pond/internal.h"

/// P9: the inertial branch u_M^2 = sigma/(rho r) + g r and the viscous one u_S = g r^2/(3 nu),
/// joined so that the slower one wins. In water r = 2, 5, 10 mm rise at 0.236, 0.252, 0.324 m/s.
float pond_terminal_speed(const sp_pond_def *def, float r)
{
    const float inertial2 = def->surface_tension / (def->water_density * r) + def->gravity * r;
    const float viscous = def->gravity * r * r / (3.0f * def->viscosity);
    return sqrtf(1.0f / (1.0f / inertial2 + 1.0f / (viscous * viscous)));
}

static void flow_range(void *arg, size_t begin, size_t end)
{
    sp_pond *pond = arg;
    const pond_bubbles *b = &pond->bubbles;
    for (size_t i = begin; i < end; ++i) {
        const pond_flow flow = pond_flow_at(&pond->water, b->px[i], b->py[i]);
        const sp_vec3 v = pond_velocity_at(pond, &flow, b->pz[i]);
        pond->vx[i] = v.x;
        pond->vy[i] = v.y;
        pond->vz[i] = v.z;
        b->level[i] = flow.level;
        b->bed[i] = flow.bed;
    }
}

void pond_flow_at_bubbles(sp_pond *pond)
{
    sp_parallel(pond->host, pond->bubbles.set.count, 4096, flow_range, pond);
}

/// P10: buoyant acceleration with added mass; the density ratio of air to water is 0.0012.
static float buoyant_acceleration(const sp_pond_def *def)
{
    const float ratio = 0.0012f;
    return def->buoyancy * def->gravity * (1.0f - ratio) / (def->added_mass + ratio);
}

/// P7: the vortices together carry a bubble no faster than four times its own terminal speed.
static bool clamp_vortex(sp_vec3 *w, float most)
{
    const float length = sp_length(*w);
    if (!(length > most)) return false;
    *w = sp_scale(*w, most / length);
    return true;
}

/// P8: the strength follows the slip, at most u_T, with a lag of `vortex_lag` a/u_T. Taken raw from
/// the velocity as in T07 (`paper`) it feeds back: a bubble in a wake rides on 2.5 times its
/// neighbour.
static void follow_slip(const sp_pond *pond, size_t i, sp_vec3 v, float u_t, float dt)
{
    const pond_bubbles *b = &pond->bubbles;
    sp_vec3 target = {b->ux[i], b->uy[i], b->uz[i]};
    float share = 1.0f;
    if (pond->def.vortex_model == SP_POND_BOUNDED) {
        target = sp_sub(target, v);
        const float length = sp_length(target);
        if (length > u_t) target = sp_scale(target, u_t / length);
        share = dt / (dt + pond->def.vortex_lag * pond->def.vortex_ratio * b->r[i] / u_t);
    }
    b->sx[i] += (target.x - b->sx[i]) * share;
    b->sy[i] += (target.y - b->sy[i]) * share;
    b->sz[i] += (target.z - b->sz[i]) * share;
}

/// P11: ds/dt = B z - (B/u_T^2) |s| s by backward Euler in closed form: stable for any dt, and its
/// rest is the terminal speed exactly.
static sp_vec3 drag_toward(sp_vec3 u, sp_vec3 w, float buoyant, float u_t, float dt)
{
    sp_vec3 slip = sp_sub(u, w);
    slip.z += dt * buoyant;
    const float kappa = dt * buoyant / (u_t * u_t), length = sp_length(slip);
    const float shrink = 2.0f / (1.0f + sqrtf(1.0f + 4.0f * kappa * length));
    return sp_madd(w, slip, shrink);
}

/// Walls and the floor: a bubble keeps its radius away and loses what goes into them.
static void keep_inside(const sp_pond *pond, size_t i)
{
    const pond_bubbles *b = &pond->bubbles;
    const float r = b->r[i], width = (float)pond->water.nx * pond->water.dx,
                height = (float)pond->water.ny * pond->water.dx;
    pond_push_out(pond, r, &b->px[i], &b->py[i], &b->ux[i], &b->uy[i]);
    const float x = sp_clamp(b->px[i], r, width - r), y = sp_clamp(b->py[i], r, height - r);
    if (x != b->px[i] && (x - b->px[i]) * b->ux[i] < 0.0f) b->ux[i] = 0.0f;
    if (y != b->py[i] && (y - b->py[i]) * b->uy[i] < 0.0f) b->uy[i] = 0.0f;
    b->px[i] = x;
    b->py[i] = y;
    const float floor_z = b->bed[i] + r;
    if (b->pz[i] < floor_z) {
        b->pz[i] = floor_z;
        if (b->uz[i] < 0.0f) b->uz[i] = 0.0f;
    }
}

/// Shape oscillation, for drawing: larger and faster bubbles wobble more, and a merge raises
/// frequency and amplitude for a quarter second.
static void wobble(const sp_pond *pond, size_t i, float dt)
{
    const pond_bubbles *b = &pond->bubbles;
    const float speed = sqrtf(b->ux[i] * b->ux[i] + b->uy[i] * b->uy[i] + b->uz[i] * b->uz[i]);
    const float wanted = 0.3f * speed / (2.0f * b->r[i]) * (1.0f + b->kick[i]);
    const float frequency = wanted < 12.0f ? wanted : 12.0f;
    const float phase = b->phase[i] + 2.0f * SP_PI * frequency * dt;
    b->phase[i] = phase < 2.0f * SP_PI ? phase : phase - 2.0f * SP_PI;
    b->kick[i] /= 1.0f + dt / 0.25f;
    b->age[i] += dt;
}

typedef struct moving {
    sp_pond *pond;
    float dt;
} moving;

static void move_range(void *arg, size_t begin, size_t end)
{
    const moving *m = arg;
    sp_pond *pond = m->pond;
    const pond_bubbles *b = &pond->bubbles;
    const float buoyant = buoyant_acceleration(&pond->def), dt = m->dt;
    for (size_t i = begin; i < end; ++i) {
        const float u_t = pond_terminal_speed(&pond->def, b->r[i]);
        const sp_vec3 v = {pond->vx[i], pond->vy[i], pond->vz[i]};
        sp_vec3 vortices = {pond->wx[i], pond->wy[i], pond->wz[i]};
        pond->gone[i] = clamp_vortex(&vortices, 4.0f * u_t); // borrowed to count clamps in order
        const sp_vec3 u = drag_toward((sp_vec3){b->ux[i], b->uy[i], b->uz[i]}, sp_add(v, vortices),
                                      buoyant, u_t, dt);
        b->ux[i] = u.x;
        b->uy[i] = u.y;
        b->uz[i] = u.z;
        follow_slip(pond, i, v, u_t, dt);
        b->px[i] += dt * b->ux[i];
        b->py[i] += dt * b->uy[i];
        b->pz[i] += dt * b->uz[i];
        keep_inside(pond, i);
        wobble(pond, i, dt);
    }
}

void pond_move_bubbles(sp_pond *pond, float dt)
{
    const size_t n = pond->bubbles.set.count;
    moving m = {pond, dt};
    sp_parallel(pond->host, n, 4096, move_range, &m);
    for (size_t i = 0; i < n; ++i)
        pond->stats.vortex_clamps += pond->gone[i];
}

/// Passive markers go wherever the water goes, vortices included.
void pond_move_tracers(sp_pond *pond, float dt)
{
    pond_tracers *t = &pond->tracers;
    const size_t n = t->set.count;
    if (n == 0) return;
    pond_vortex_sums(pond, n, t->px, t->py, t->pz, false, pond->wx, pond->wy, pond->wz);
    const float width = (float)pond->water.nx * pond->water.dx,
                height = (float)pond->water.ny * pond->water.dx;
    for (size_t i = 0; i < n; ++i) {
        const pond_flow flow = pond_flow_at(&pond->water, t->px[i], t->py[i]);
        const sp_vec3 v = pond_velocity_at(pond, &flow, t->pz[i]);
        t->px[i] = sp_clamp(t->px[i] + dt * (v.x + pond->wx[i]), 0.0f, width);
        t->py[i] = sp_clamp(t->py[i] + dt * (v.y + pond->wy[i]), 0.0f, height);
        const float top = flow.level > flow.bed ? flow.level : flow.bed;
        t->pz[i] = sp_clamp(t->pz[i] + dt * (v.z + pond->wz[i]), flow.bed, top);
    }
}
