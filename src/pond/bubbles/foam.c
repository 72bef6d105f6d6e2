// SPDX-License-Identifier: Apache-2.0
/// Foam: each bubble on the surface is one SPH particle of a monolayer (P16 - P24, T07 section 5).
///
///     n_i = sum_j W6(h, d_ij)              number density; n_0 is that of a hexagonal layer
///                                          of spacing 0.9 s, s = h/2
///     P_i = c_s^2 max(0, n_i/n_0 - 1)      pressure, never negative
///     a_i = pressure + contact + tension + viscosity      forces between pairs
///
/// Contact keeps bubbles of different size from overlapping, which pressure alone does not. Tension
/// pulls pairs that are near but do not touch. It is antisymmetric, so clusters do not drift by
/// themselves; T07's colour field (`foam_tension_model: "color"`) jitters at equal clustering.
/// Along z each bubble follows the surface, critically damped.
#include "pond/internal.h"

#include <string.h>

enum { PX, PY, PZ, UX, UY, UZ, RADIUS, PRESSURE, INDEX };

/// Constants of one sub-step.
typedef struct foam_step {
    sp_pond *pond;
    float dt, h, h2; ///< s, support in m and its square
    float rest;      ///< n_0, 1/m^3
    float volume;    ///< v_0 = 1/n_0
    float density_k; ///< 315/(64 pi h^9)
    float spiky_k;   ///< 45/(pi h^6) v_0
    float stiffness, tension, viscosity;
} foam_step;

void pond_add_foam(sp_pond *pond, size_t bubble)
{
    const pond_bubbles *b = &pond->bubbles;
    pond_foam *f = &pond->foam;
    const float xi = sp_unit(sp_random(pond->seed, POND_DRAW_LIFE, b->id[bubble], 0, 0).x[0]);
    const size_t k = sp_particles_append(&f->set, 1);
    f->px[k] = b->px[bubble];
    f->py[k] = b->py[bubble];
    f->pz[k] = b->pz[bubble];
    f->ux[k] = b->ux[bubble];
    f->uy[k] = b->uy[bubble];
    f->uz[k] = b->uz[bubble];
    f->r[k] = b->r[bubble];
    f->vol[k] = b->vol[bubble];
    f->life[k] = f->left[k] = pond->def.foam_life * (0.5f + xi);
    f->id[k] = pond->next_id++;
}

/// ---- Constants of a step -----------------------------------------------------------------------

/// n_0 h^3 of a hexagonal layer with spacing 0.45 h (0.9 of half the support), self included.
static float rest_density(void)
{
    float sum = 0.0f;
    for (int row = -3; row <= 3; ++row)
        for (int column = -4; column <= 4; ++column) {
            const float x = 0.45f * ((float)column + 0.5f * (float)(row & 1)),
                        y = 0.45f * 0.8660254f * (float)row;
            const float left = 1.0f - x * x - y * y;
            sum += left > 0.0f ? left * left * left : 0.0f;
        }
    return 315.0f / (64.0f * SP_PI) * sum;
}

static foam_step begin_step(sp_pond *pond, float dt)
{
    const float size = pond->size_now, h = 2.0f * size, h3 = h * h * h;
    const float stable = 0.25f * size / (dt * dt); // contact springs are stable: k dt^2 <= s/4
    const float stiffness = pond->def.foam_stiffness;
    foam_step s = {.pond = pond, .dt = dt, .h = h, .h2 = h * h};
    s.rest = rest_density() / h3;
    s.volume = 1.0f / s.rest;
    s.density_k = 315.0f / (64.0f * SP_PI * h3 * h3 * h3);
    s.spiky_k = 45.0f / (SP_PI * h3 * h3) * s.volume;
    s.stiffness = stiffness < stable ? stiffness : stable;
    s.tension = pond->def.foam_tension;
    s.viscosity = 0.1f * pond->def.foam_sound * h;
    return s;
}

/// ---- Sorting -----------------------------------------------------------------------------------

/// Packs bubbles in cell order, clears their sums and marks big ones: a bubble is big when contact
/// with an equal one reaches beyond the support h.
static void pack_foam(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = ((foam_step *)arg)->pond;
    const pond_foam *f = &pond->foam;
    const pond_packing p = {.member = pond->foam_cells.order,
                            .from = {f->px, f->py, f->pz, f->ux, f->uy, f->uz, f->r},
                            .sorted = pond->foam_sorted,
                            .columns = PRESSURE,
                            .index = pond->foam_sorted[INDEX]};
    pond_pack(&p, begin, end);
    float *const sums[] = {pond->density, pond->ax, pond->ay, pond->az};
    for (size_t c = 0; c < sizeof sums / sizeof *sums; ++c)
        memset(sums[c] + begin, 0, (end - begin) * sizeof(float));
    const float *restrict r = pond->foam_sorted[RADIUS], h = ((foam_step *)arg)->h;
    uint8_t *restrict big = pond->gone;
    for (size_t k = begin; k < end; ++k)
        big[k] = 1.8f * r[k] > h;
}

static void sort_foam(foam_step *s)
{
    sp_pond *pond = s->pond;
    const pond_foam *f = &pond->foam;
    pond_shape_cells(&pond->foam_cells, &pond->water, s->h, f->set.count);
    sp_cells_fill(&pond->foam_cells, f->set.count, f->px, f->py, NULL);
    sp_parallel(pond->host, f->set.count, POND_GRAIN, pack_foam, s);
}

/// ---- The pair sums -----------------------------------------------------------------------------

/// P16 for the bubbles at sorted places [begin, end).
static void density_block(void *arg, const pond_block *b, size_t begin, size_t end)
{
    const foam_step *s = arg;
    float *const *own = s->pond->foam_sorted;
    for (size_t k = begin; k < end; ++k) {
        sp_lanes sum = {0};
        for (size_t l = 0; l < b->count; l += SP_PART) {
            const sp_part x = own[PX][k] - sp_part_load(b->column[PX] + l);
            const sp_part y = own[PY][k] - sp_part_load(b->column[PY] + l);
            const sp_part z = own[PZ][k] - sp_part_load(b->column[PZ] + l);
            const sp_part left = sp_part_max(s->h2 - (x * x + y * y + z * z), sp_part_all(0.0f));
            sp_lanes_add(&sum, l, left * left * left);
        }
        s->pond->density[k] += s->density_k * sp_lanes_sum(sum);
    }
}

/// cos(pi x) for |x| <= 1/2: the Taylor series to x^8, off by 3e-5 at the ends.
SP_INLINE sp_part cosine_of_half_turns(sp_part x)
{
    const sp_part q = x * x;
    return 1.0f + q * (-4.9348022f + q * (4.0587121f + q * (-1.3352628f + q * 0.2353306f)));
}

/// P17 - P20 for the bubbles at sorted places [begin, end), within the support. The three quotients (1/d, d/d0 and the
/// position between contact and support) share one division.
static void force_block(void *arg, const pond_block *b, size_t begin, size_t end)
{
    const foam_step *s = arg;
    float *const *own = s->pond->foam_sorted;
    const sp_part zero = sp_part_all(0.0f), one = sp_part_all(1.0f);
    const float pull = s->pond->def.foam_tension_model == SP_POND_TENSION_PAIR ? s->tension : 0.0f;
    for (size_t k = begin; k < end; ++k) {
        sp_lanes ax = {0}, ay = {0}, az = {0};
        int32_t self;
        memcpy(&self, &own[INDEX][k], sizeof self);
        for (size_t l = 0; l < b->count; l += SP_PART) {
            const sp_part x = own[PX][k] - sp_part_load(b->column[PX] + l);
            const sp_part y = own[PY][k] - sp_part_load(b->column[PY] + l);
            const sp_part z = own[PZ][k] - sp_part_load(b->column[PZ] + l);
            const sp_part d2 = x * x + y * y + z * z,
                          touch = 0.9f * (own[RADIUS][k] + sp_part_load(b->column[RADIUS] + l));
            const sp_flags near = (d2 < s->h2) & (d2 > 0.0f); // 0 only for the bubble itself
            if (!sp_flags_any(near)) continue;
            const sp_part d = sp_part_sqrt(sp_part_max(d2, sp_part_all(1e-14f)));
            const sp_part gap = s->h - touch, room = sp_part_select(gap > 0.0f, gap, one);
            const sp_part quotient = 1.0f / (d * touch * room);
            const sp_part inv = quotient * touch * room, over_touch = quotient * d * room * d;
            const sp_part place = (d - touch) * (quotient * d * touch);
            const sp_part short_of = sp_part_max(s->h - d, zero);
            const sp_part pressure =
                0.5f * (own[PRESSURE][k] + sp_part_load(b->column[PRESSURE] + l));
            const sp_flags between = (place > 0.0f) & (place < 1.0f) & (gap > 0.0f);
            sp_part along = pressure * s->spiky_k * (short_of * short_of);
            along += s->stiffness * sp_part_max(1.0f - over_touch, zero);
            along -= sp_part_keep(between, pull * cosine_of_half_turns(place - 0.5f));
            along = sp_part_keep(near, along * inv);
            const sp_part rub = sp_part_keep(near, s->viscosity * s->spiky_k * short_of);
            sp_lanes_add(&ax, l, along * x + rub * (sp_part_load(b->column[UX] + l) - own[UX][k]));
            sp_lanes_add(&ay, l, along * y + rub * (sp_part_load(b->column[UY] + l) - own[UY][k]));
            sp_lanes_add(&az, l, along * z + rub * (sp_part_load(b->column[UZ] + l) - own[UZ][k]));
        }
        s->pond->ax[self] += sp_lanes_sum(ax);
        s->pond->ay[self] += sp_lanes_sum(ay);
        s->pond->az[self] += sp_lanes_sum(az);
    }
}

/// P21, T07's equation 14: normal and curvature of the colour field; a = -gamma h^2 L n/|n| at an
/// edge. The factor h^2 makes gamma an acceleration, as in the pair model.
typedef struct color_sums {
    sp_lanes nx, ny, nz, laplacian;
} color_sums;

static void color_block(void *arg, const pond_block *b, size_t begin, size_t end)
{
    const foam_step *s = arg;
    float *const *own = s->pond->foam_sorted;
    const float k6 = 945.0f / (32.0f * SP_PI * s->h2 * s->h2 * s->h2 * s->h2 * s->h) * s->volume;
    for (size_t k = begin; k < end; ++k) {
        color_sums c = {0};
        for (size_t l = 0; l < b->count; l += SP_PART) {
            const sp_part x = own[PX][k] - sp_part_load(b->column[PX] + l);
            const sp_part y = own[PY][k] - sp_part_load(b->column[PY] + l);
            const sp_part z = own[PZ][k] - sp_part_load(b->column[PZ] + l);
            const sp_part d2 = x * x + y * y + z * z,
                          left = sp_part_max(s->h2 - d2, sp_part_all(0.0f));
            const sp_part slope = -k6 * left * left;
            sp_lanes_add(&c.nx, l, slope * x);
            sp_lanes_add(&c.ny, l, slope * y);
            sp_lanes_add(&c.nz, l, slope * z);
            sp_lanes_add(&c.laplacian, l, -(k6 * left * (3.0f * s->h2 - 7.0f * d2)));
        }
        s->pond->color[0][k] += sp_lanes_sum(c.nx);
        s->pond->color[1][k] += sp_lanes_sum(c.ny);
        s->pond->color[2][k] += sp_lanes_sum(c.nz);
        s->pond->color[3][k] += sp_lanes_sum(c.laplacian);
    }
}

static void run_pass(foam_step *s, int columns, pond_sums *sums)
{
    const sp_pond *pond = s->pond;
    const pond_gathering g = {.targets = &pond->foam_cells,
                              .from = {{.cells = &pond->foam_cells, .distance = s->h}},
                              .from_count = 1,
                              .sorted = pond->foam_sorted,
                              .columns = columns,
                              .sums = sums,
                              .arg = s};
    pond_gather(pond->host, &g);
}

static void color_tension(foam_step *s)
{
    sp_pond *pond = s->pond;
    const size_t n = pond->foam.set.count;
    for (int c = 0; c < 4; ++c)
        memset(pond->color[c], 0, n * sizeof(float));
    run_pass(s, 3, color_block);
    for (size_t k = 0; k < n; ++k) {
        const sp_vec3 normal = {pond->color[0][k], pond->color[1][k], pond->color[2][k]};
        const float length = sp_length(normal);
        if (length <= 0.01f / s->h) continue; // no edge
        const float pull = -s->tension * s->h * pond->color[3][k] * s->h / length;
        const uint32_t i = pond->foam_cells.order[k];
        pond->ax[i] += pull * normal.x;
        pond->ay[i] += pull * normal.y;
        pond->az[i] += pull * normal.z;
    }
}

/// ---- Big bubbles -------------------------------------------------------------------------------
/// P18 beyond the support: only big bubbles touch others there, and they are few. If all bubbles
/// searched as far, every one would have half as many candidates more.

/// Contact of the bubbles at sorted places k and l, unless the sums above have it.
static void add_contact(const foam_step *s, size_t k, size_t l)
{
    const sp_pond *pond = s->pond;
    float *const *own = pond->foam_sorted;
    const sp_vec3 apart = {own[PX][k] - own[PX][l], own[PY][k] - own[PY][l],
                           own[PZ][k] - own[PZ][l]};
    const float d2 = sp_dot(apart, apart), touch = 0.9f * (own[RADIUS][k] + own[RADIUS][l]);
    if (d2 < s->h2 || !(d2 < touch * touch)) return;
    const float d = sqrtf(d2), push = s->stiffness * (1.0f - d / touch) / d;
    const uint32_t i = pond->foam_cells.order[k], j = pond->foam_cells.order[l];
    pond->ax[i] += push * apart.x;
    pond->ay[i] += push * apart.y;
    pond->az[i] += push * apart.z;
    if (pond->gone[l]) return; // the other one is big, and does its own sums
    pond->ax[j] -= push * apart.x;
    pond->ay[j] -= push * apart.y;
    pond->az[j] -= push * apart.z;
}

static void add_wide_contacts(const foam_step *s)
{
    const sp_pond *pond = s->pond;
    const sp_cells *cells = &pond->foam_cells;
    const uint8_t *big = pond->gone;
    const size_t n = pond->foam.set.count;
    float largest = 0.0f;
    for (size_t k = sp_next_marked(big, 0, n); k < n; k = sp_next_marked(big, k + 1, n))
        largest = fmaxf(largest, pond->foam_sorted[RADIUS][k]);
    for (size_t k = sp_next_marked(big, 0, n); k < n; k = sp_next_marked(big, k + 1, n)) {
        const float x = pond->foam_sorted[PX][k], y = pond->foam_sorted[PY][k],
                    reach = 0.9001f * (pond->foam_sorted[RADIUS][k] + largest);
        const int32_t i0 = sp_lattice_at(&cells->lattice, 0, x - reach),
                      i1 = sp_lattice_at(&cells->lattice, 0, x + reach),
                      j1 = sp_lattice_at(&cells->lattice, 1, y + reach);
        for (int32_t j = sp_lattice_at(&cells->lattice, 1, y - reach); j <= j1; ++j) {
            const sp_cell_run run = sp_cells_run(cells, i0, i1, j, 0);
            for (size_t l = run.begin; l < run.end; ++l)
                if (l != k) add_contact(s, k, l);
        }
    }
}

static void find_pressure(void *arg, size_t begin, size_t end)
{
    const foam_step *s = arg;
    const float stiff = s->pond->def.foam_sound * s->pond->def.foam_sound, volume = s->volume;
    const float *restrict density = s->pond->density;
    float *restrict pressure = s->pond->foam_sorted[PRESSURE];
    for (size_t k = begin; k < end; ++k) {
        const float over = density[k] * volume - 1.0f;
        pressure[k] = stiff * (over > 0.0f ? over : 0.0f);
    }
}

static void pair_sums(foam_step *s)
{
    sp_pond *pond = s->pond;
    run_pass(s, 3, density_block);
    sp_parallel(pond->host, pond->foam.set.count, 16 * POND_GRAIN, find_pressure, s);
    run_pass(s, INDEX, force_block);
    add_wide_contacts(s);
    if (pond->def.foam_tension_model == SP_POND_TENSION_COLOR) color_tension(s);
}

/// ---- Moving ------------------------------------------------------------------------------------

/// Velocity downhill, where the water is too thin to float on.
static void leave_dry_land(const pond_water *w, float x, float y, float *ux, float *uy)
{
    const int32_t i = (int32_t)sp_clamp(x / w->dx, 0.0f, (float)(w->nx - 1));
    const int32_t j = (int32_t)sp_clamp(y / w->dx, 0.0f, (float)(w->ny - 1));
    const size_t c = pond_cell(w, i, j);
    const float gx = (float)(w->b[c + 1] - w->b[c - 1]),
                gy = (float)(w->b[c + w->stride] - w->b[c - w->stride]);
    const float length = sqrtf(gx * gx + gy * gy), away = 0.1f; // m/s
    if (length <= 0.0f) return;
    *ux = -away * gx / length;
    *uy = -away * gy / length;
}

/// Samples level, bed (into wy) and flow (into vx, vy, vz) at each bubble, and moves bubbles off
/// dry land.
static void sample_surface(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = ((foam_step *)arg)->pond;
    const pond_foam *f = &pond->foam;
    const pond_flows out = {f->level, pond->wy, pond->vx, pond->vy, pond->vz};
    pond_flow_many(&pond->water, &pond->foam_cells, begin, end, f->px, f->py, out);
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = pond->foam_cells.order[k];
        if (f->level[i] - pond->wy[i] < 1e-3f)
            leave_dry_land(&pond->water, f->px[i], f->py[i], &f->ux[i], &f->uy[i]);
    }
}

/// P23 and P24 along one axis: pair forces, drag of the water, and a pull toward walls nearer than
/// two sizes.
static void drift(const foam_step *s, size_t begin, size_t end, float length,
                  const float *restrict p, const float *restrict a, const float *restrict v,
                  float *restrict u)
{
    const float dt = s->dt, drag = dt / s->pond->def.foam_drag_time,
                pull = s->pond->def.wall_adhesion;
    const float near = 2.0f * s->pond->size_now, keep = 1.0f / (1.0f + drag);
    SP_VECTOR_LOOP
    for (size_t i = begin; i < end; ++i) {
        const float wall = p[i] < near ? -pull : length - p[i] < near ? pull : 0.0f;
        u[i] = (u[i] + dt * (a[i] + wall) + drag * v[i]) * keep;
    }
}

/// P22: z follows the surface, critically damped, by backward Euler in closed form. Then the
/// velocity is limited to 0.4 sizes a sub-step.
static void bob(const foam_step *s, size_t begin, size_t end)
{
    const sp_pond *pond = s->pond;
    const pond_foam *f = &pond->foam;
    const float dt = s->dt, time = pond->def.foam_float_time, sink = pond->def.foam_sink,
                ratio = dt / time;
    const float keep = 1.0f / (1.0f + 2.0f * ratio + ratio * ratio),
                most = 0.4f * pond->size_now / dt;
    const float *restrict level = f->level, *restrict eta_dot = pond->vz, *restrict az = pond->az,
                          *restrict r = f->r;
    float *restrict ux = f->ux, *restrict uy = f->uy, *restrict uz = f->uz, *restrict pz = f->pz;
    SP_VECTOR_LOOP
    for (size_t i = begin; i < end; ++i) {
        const float target = level[i] - sink * r[i], slip = uz[i] + dt * az[i] - eta_dot[i];
        const float up = (slip + ratio / time * (target - pz[i])) * keep + eta_dot[i];
        const float speed = sqrtf(ux[i] * ux[i] + uy[i] * uy[i] + up * up),
                    slow = speed > most ? most / speed : 1.0f;
        ux[i] *= slow;
        uy[i] *= slow;
        uz[i] = up * slow;
        pz[i] += dt * uz[i];
    }
}

/// Moves bubbles along one axis. A bubble stops at distance r from a wall.
static void advance(const foam_step *s, size_t begin, size_t end, float length, float *restrict p,
                    float *restrict u)
{
    const float dt = s->dt;
    const float *restrict r = s->pond->foam.r;
    SP_VECTOR_LOOP
    for (size_t i = begin; i < end; ++i) {
        const float to = p[i] + dt * u[i], top = length - r[i];
        const float kept = to < r[i] ? r[i] : to > top ? top : to;
        u[i] = kept == to ? u[i] : 0.0f;
        p[i] = kept;
    }
}

/// Pushes bubbles out of obstacles. A bubble pushed off the pond pops.
static void leave_obstacles(const foam_step *s, size_t begin, size_t end)
{
    const sp_pond *pond = s->pond;
    const pond_foam *f = &pond->foam;
    const float width = pond->water.width, height = pond->water.height;
    pond_push_out(pond, begin, end, 0.9f, f->r, f->px, f->py, f->ux, f->uy);
    for (size_t i = begin; i < end && pond->def.obstacle_count > 0; ++i) {
        const float x = sp_clamp(f->px[i], 0.0f, width), y = sp_clamp(f->py[i], 0.0f, height);
        if (x != f->px[i] || y != f->py[i]) f->left[i] = 0.0f;
        f->px[i] = x;
        f->py[i] = y;
    }
}

static void move_range(void *arg, size_t begin, size_t end)
{
    const foam_step *s = arg;
    const sp_pond *pond = s->pond;
    const pond_foam *f = &pond->foam;
    const float width = pond->water.width, height = pond->water.height;
    drift(s, begin, end, width, f->px, pond->ax, pond->vx, f->ux);
    drift(s, begin, end, height, f->py, pond->ay, pond->vy, f->uy);
    bob(s, begin, end);
    advance(s, begin, end, width, f->px, f->ux);
    advance(s, begin, end, height, f->py, f->uy);
    leave_obstacles(s, begin, end);
}

/// Two bubbles at the same position have no direction between them, so a hash of the id gives one.
/// This happens where equal bubbles are pressed into a corner.
static void separate_cell(const sp_pond *pond, size_t first, size_t last)
{
    float *const *own = pond->foam_sorted;
    for (size_t k = first + 1; k < last; ++k)
        for (size_t other = first; other < k; ++other) {
            if (own[PX][k] != own[PX][other] || own[PY][k] != own[PY][other]) continue;
            const uint64_t id = pond->foam.id[pond->foam_cells.order[k]];
            const sp_random4 x = sp_random(pond->seed, POND_DRAW_APART, id, 0, 0);
            own[PX][k] += 1e-3f * pond->size_now * (sp_unit(x.x[0]) - 0.5f);
            own[PY][k] += 1e-3f * pond->size_now * (sp_unit(x.x[1]) - 0.5f);
        }
}

static void separate_coincident(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = ((foam_step *)arg)->pond;
    const uint32_t *start = pond->foam_cells.start;
    for (size_t cell = begin; cell < end; ++cell)
        separate_cell(pond, start[cell], start[cell + 1]);
}

void pond_step_foam(sp_pond *pond, float dt)
{
    const size_t n = pond->foam.set.count;
    if (n == 0) return;
    foam_step s = begin_step(pond, dt);
    sort_foam(&s);
    if (pond->frame % 8 == 0) // often enough
        sp_parallel(pond->host, pond->foam_cells.cells, 4 * POND_GRAIN, separate_coincident, &s);
    pair_sums(&s);
    sp_parallel(pond->host, n, POND_GRAIN, sample_surface, &s);
    sp_parallel(pond->host, n, POND_GRAIN, move_range, &s);
}
