// SPDX-License-Identifier: Apache-2.0
// links: bubbles
/// Contacts of grains. No other part of the solver runs: the test adds weight to velocities, lets contacts
/// change them, and moves the particles.
#include "bubbles/contacts/contacts.h"
#include "scarce_host.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { AIR, SAND };
static const float h = 0.01f;  // m
static const float rho = 1500; // kg/m3; of sand

typedef struct grain {
    double x[3]; // m; world
    float v[3];
    float radius, density;
    uint32_t material;
    uint64_t id;
} grain;

/// Particles, and the parts of a solver that contacts use.
typedef struct heap {
    bubbles s;
    sp_host host;
    size_t n, room;
    grain *grain;
    uint32_t *who;         ///< by particle of the solver: which grain
    uint64_t *blocks;      ///< memory of its arrays
    float water[3], share; ///< everywhere
    double gravity[3];
} heap;

/// ---- A heap ------------------------------------------------------------------------------------

/// Tiles low ... high - 1 along each axis.
static sp_status heap_open(heap *p, int threads, int low, int high, bool periodic, sp_error *err)
{
    if (!p->host.allocate) p->host = sp_host_default(threads);
    p->s.host = &p->host;
    p->s.seed = 11;
    p->s.materials = 2;
    p->s.material[AIR] = (sp_bubbles_material_def){.name = "air", .density = 1};
    p->s.material[SAND] = (sp_bubbles_material_def){.name = "sand", .density = rho, .grains = true};
    p->s.def = (sp_bubbles_def){.voxel = h,
                                .density = 1000,
                                .viscosity = 1e-3f,
                                .drag_scale = 1,
                                .friction = 0.5f,
                                .contact_iterations = 30};
    bubbles_grid *g = &p->s.grid;
    g->voxel = h;
    for (int a = 0; a < 3; ++a) {
        g->origin[a] = p->s.solids.origin[a] = 3.0 + a;
        g->period[a] = periodic ? high : 0;
    }
    const size_t along = (size_t)(high - low);
    int32_t(*at)[3] = malloc(along * along * along * sizeof *at);
    size_t count = 0;
    for (int k = low; k < high; ++k)
        for (int j = low; j < high; ++j)
            for (int i = low; i < high; ++i, ++count)
                at[count][0] = i, at[count][1] = j, at[count][2] = k;
    sp_status status = sp_tiles_open_periodic(&g->tiles, &p->host, h, g->period,
                                              (const int32_t(*)[3])at, count, err);
    free(at);
    p->s.particles.start = calloc(count + 1, sizeof *p->s.particles.start);
    if (status == SP_OK && !sp_scratch_open(&p->s.scratch, &p->host, 1 << 16))
        status = sp_fail(err, SP_NO_MEMORY, "no scratch");
    return status;
}

static void heap_close(heap *p)
{
    bubbles_contacts_close(&p->s);
    sp_flow_solids_clear(&p->s.solids, &p->host);
    sp_solids_close(p->s.solids.bodies);
    sp_tiles_close(&p->s.grid.tiles);
    sp_scratch_close(&p->s.scratch);
    free(p->s.particles.start);
    free(p->blocks);
    free(p->who);
    free(p->grain);
}

static heap *heap_new(int threads, int low, int high)
{
    heap *p = calloc(1, sizeof *p);
    assert_ok(heap_open(p, threads, low, high, false, ERR));
    return p;
}

static void heap_free(heap *p)
{
    heap_close(p);
    free(p);
}

/// A particle at a place in m from the grid's origin.
static grain *heap_add(heap *p, uint32_t material, float radius, double x, double y, double z)
{
    if (p->n == p->room) {
        p->room = 2 * p->room + 64;
        p->grain = realloc(p->grain, p->room * sizeof *p->grain);
    }
    const double *origin = p->s.grid.origin;
    p->grain[p->n] = (grain){.x = {origin[0] + x, origin[1] + y, origin[2] + z},
                             .radius = radius,
                             .density = p->s.material[material].density,
                             .material = material,
                             .id = p->n};
    return &p->grain[p->n++];
}

/// A solid below y = 0 of the grid.
static void add_floor(heap *p)
{
    const double *o = p->s.grid.origin;
    const sp_plane_def plane = {{(float)o[0], (float)o[1], (float)o[2]}, {0, 1, 0}};
    const sp_collider_def floor = {.name = "floor", .shape.plane = &plane};
    sp_solids_def def = {.colliders = &floor, .count = 1, .voxel = h};
    const sp_tiles none = {0};
    for (int a = 0; a < 3; ++a) {
        def.origin[a] = o[a];
        def.low[a] = o[a] - 1;
        def.high[a] = o[a] + 1;
    }
    assert_ok(sp_solids_open(&def, &p->host, &p->s.solids.bodies, ERR));
    assert_ok(sp_solids_move(p->s.solids.bodies, 0.0, ERR));
    assert_ok(sp_flow_solids_retile(&p->s.solids, &none, &p->s.grid.tiles, &p->s.scratch, ERR));
    p->s.has_solids = true;
}

/// ---- Steps -------------------------------------------------------------------------------------

static void *carve(uint64_t **from, size_t n)
{
    void *block = *from;
    *from += n + SP_LANES;
    return block;
}

/// Arrays of n particles.
static void take_arrays(heap *p)
{
    bubbles *s = &p->s;
    const size_t n = p->n;
    free(p->blocks);
    p->blocks = calloc(20 * (n + SP_LANES), sizeof *p->blocks);
    p->who = realloc(p->who, (n + 1) * sizeof *p->who);
    uint64_t *at = p->blocks;
    for (int a = 0; a < 3; ++a) {
        s->particles.x[a] = carve(&at, n);
        s->particles.v[a] = carve(&at, n);
        s->at.water[a] = carve(&at, n);
        s->at.share[a] = carve(&at, n);
        s->at.v0[a] = carve(&at, n);
    }
    s->particles.radius = carve(&at, n);
    s->particles.density = carve(&at, n);
    s->particles.material = carve(&at, n);
    s->particles.id = carve(&at, n);
    s->particles.set.count = n;
}

static uint32_t tile_of(const heap *p, const grain *q, float place[3])
{
    const bubbles_grid *g = &p->s.grid;
    int32_t at[3];
    for (int a = 0; a < 3; ++a) {
        const double x = (q->x[a] - g->origin[a]) / (double)h, tile = floor(x / SP_TILE);
        at[a] = (int32_t)tile;
        place[a] = (float)(x - SP_TILE * tile);
    }
    const uint32_t tile = sp_tiles_find(&g->tiles, at);
    assert_true(tile != SP_NO_TILE);
    return tile;
}

/// Sorts particles into tiles, as the solver has them.
static void put_in_tiles(heap *p)
{
    bubbles_particles *to = &p->s.particles;
    const size_t tiles = p->s.grid.tiles.count;
    float place[3];
    take_arrays(p);
    memset(to->start, 0, (tiles + 1) * sizeof *to->start);
    for (size_t k = 0; k < p->n; ++k)
        ++to->start[tile_of(p, &p->grain[k], place) + 1];
    for (size_t t = 0; t < tiles; ++t)
        to->start[t + 1] += to->start[t];
    uint32_t *next = malloc(tiles * sizeof *next);
    memcpy(next, to->start, tiles * sizeof *next);
    for (size_t k = 0; k < p->n; ++k) {
        const grain *q = &p->grain[k];
        const uint32_t i = next[tile_of(p, q, place)]++;
        p->who[i] = (uint32_t)k;
        for (int a = 0; a < 3; ++a) {
            to->x[a][i] = place[a];
            to->v[a][i] = q->v[a];
            p->s.at.water[a][i] = p->water[a];
            p->s.at.share[a][i] = p->share;
            p->s.at.v0[a][i] = q->v[a];
        }
        to->radius[i] = q->radius;
        to->density[i] = q->density;
        to->material[i] = q->material;
        to->id[i] = q->id;
    }
    free(next);
}

/// Contacts alone change the velocities of grains.
static void touch(heap *p, double dt)
{
    put_in_tiles(p);
    assert_ok(bubbles_contacts(&p->s, dt, ERR));
    for (size_t i = 0; i < p->n; ++i)
        for (int a = 0; a < 3; ++a)
            p->grain[p->who[i]].v[a] = p->s.particles.v[a][i];
    ++p->s.substeps;
}

static void step(heap *p, double dt)
{
    for (size_t k = 0; k < p->n; ++k)
        for (int a = 0; a < 3; ++a)
            p->grain[k].v[a] += (float)(p->gravity[a] * dt);
    touch(p, dt);
    for (size_t k = 0; k < p->n; ++k)
        for (int a = 0; a < 3; ++a)
            p->grain[k].x[a] += (double)p->grain[k].v[a] * dt;
    assert_true(sp_scratch_settle(&p->s.scratch));
}

static contact_state *state_of(const heap *p)
{
    return p->s.contacts;
}

static size_t contacts_of(const heap *p)
{
    return state_of(p)->pairs + state_of(p)->walls;
}

/// ---- Laws --------------------------------------------------------------------------------------

static double mass_of(const grain *q)
{
    return (double)q->density * (double)bubbles_volume(q->radius);
}

static double gap_of(const grain *a, const grain *b)
{
    double d2 = 0.0;
    for (int k = 0; k < 3; ++k)
        d2 += pow(a->x[k] - b->x[k], 2);
    return sqrt(d2) - (double)a->radius - (double)b->radius;
}

/// Two grains on a line that meet, with all ratios of sizes: in the first step they come as near as the
/// gap lets them, then they stay together. Plastic impact: both have the velocity of their centre of
/// mass. Rounding is that of velocities of 1 m/s, 6e-8, and of places in a tile, 5e-7 voxels, over dt.
static void grains_that_meet_stay_together(void **state)
{
    (void)state;
    static const float other[] = {0.002f, 0.0005f, 0.02f, 0.0002f};
    for (size_t k = 0; k < sizeof other / sizeof *other; ++k) {
        heap *p = heap_new(1, -4, 4);
        const double dt = 1e-3, r = 0.002, R = (double)other[k], gap = 0.05 * fmin(r, R);
        grain *a = heap_add(p, SAND, (float)r, 0.01, 0.002, 0.003);
        a = heap_add(p, SAND, (float)R, 0.01 + r + R + gap, 0.002, 0.003) - 1;
        a->v[0] = 0.7f, a[1].v[0] = -0.3f;
        const double m = mass_of(a), M = mass_of(a + 1), centre = (0.7 * m - 0.3 * M) / (m + M);
        step(p, dt);
        assert_true(fabs((double)(a[0].v[0] - a[1].v[0]) * dt - gap) < 1e-8);
        assert_true(fabs(gap_of(a, a + 1)) < 1e-8);
        for (int n = 0; n < 3; ++n) {
            step(p, dt);
            assert_true(fabs((double)a[0].v[0] - centre) < 2e-5);
            assert_true(fabs((double)a[1].v[0] - centre) < 2e-5);
        }
        assert_int_equal(state_of(p)->pairs, 1);
        heap_free(p);
    }
}

static double unit_noise(uint64_t *seed)
{
    *seed = sp_mix64(*seed);
    return (double)(*seed >> 11) * 0x1p-53;
}

/// n particles in a cube of this side (m), at random, with radii from `small` to `large` as r^-1.
static void scatter(heap *p, size_t n, double side, double small, double large, double air)
{
    uint64_t seed = 5;
    for (size_t k = 0; k < n; ++k) {
        double x[3];
        const uint32_t material = unit_noise(&seed) < air ? AIR : SAND;
        const double r = small * pow(large / small, unit_noise(&seed));
        for (int a = 0; a < 3; ++a)
            x[a] = side * unit_noise(&seed);
        grain *q = heap_add(p, material, (float)r, x[0], x[1], x[2]);
        for (int a = 0; a < 3; ++a)
            q->v[a] = (float)(0.4 * unit_noise(&seed) - 0.2);
    }
}

/// Forces are equal and opposite, so the sum of V_q a_q dv is 0: without water that of m dv. A contact
/// rounds velocities of 0.2 m/s, by 1e-8, thirty times a step.
static void forces_are_equal_and_opposite(void **state)
{
    (void)state;
    for (int wet = 0; wet < 2; ++wet) {
        heap *p = heap_new(2, 0, 2);
        const double dt = 2e-3;
        double sum[3] = {0}, all = 0.0;
        p->share = wet ? 0.8f : 0.0f;
        p->water[1] = 0.1f;
        scatter(p, 3000, 0.1, 0.001, 0.006, wet ? 0.3 : 0.0);
        grain *before = malloc(p->n * sizeof *before);
        memcpy(before, p->grain, p->n * sizeof *before);
        touch(p, dt);
        const contact_state *c = state_of(p);
        for (size_t k = 0; k < c->particles; ++k) {
            const uint32_t who = p->who[c->particle[k]];
            const double m = mass_of(&before[who]),
                         stiff = wet ? 1.0 / (double)c->body[4 * k + 3] : m / dt;
            assert_true(stiff > 0.999999 * m / dt);
            for (int a = 0; a < 3; ++a) {
                const double by = stiff * ((double)p->grain[who].v[a] - (double)before[who].v[a]);
                sum[a] += by;
                all += fabs(by);
            }
        }
        assert_true(contacts_of(p) > 4000 && all > 1.0);
        for (int a = 0; a < 3; ++a)
            assert_true(fabs(sum[a]) < 1e-6 * all);
        free(before);
        heap_free(p);
    }
}

/// Force on a particle by contacts, N: what its own equation lacks, with drag at both velocities.
static double force_on(const grain *q, const float before[3], double dt)
{
    const double r = (double)q->radius, c0 = 4.5e-3 / (r * r), c1 = 375.0 / r, v = (double)q->v[0],
                 u = (double)before[0];
    const double drag = (c0 + c1 * fabs(v)) * v - (c0 + c1 * fabs(u)) * u;
    return mass_of(q) * (v - u) / dt + (double)bubbles_volume(q->radius) * drag;
}

/// A grain of sand hits a bubble at rest in still water, which is light but hard to move: at the speed of
/// the grain its drag is eight hundred times its inertia. Both go on together, and the forces on them are
/// opposite, with all of the drag: within a few percent in the second Newton iteration, exactly in the
/// end. A third particle, a bubble that touches the first, does not move.
static void drag_makes_bubbles_stiff(void **state)
{
    (void)state;
    heap *p = heap_new(1, -2, 2);
    const double dt = 0.01, r = 0.002;
    p->share = 1.0f;
    heap_add(p, SAND, (float)r, 0.003, 0.0, 0.0)->v[0] = 0.5f;
    heap_add(p, AIR, (float)r, 0.003 + 2.0 * r, 0.0, 0.0);
    heap_add(p, AIR, (float)r, 0.003 + 3.9 * r, 0.0, 0.0);
    const float fast[3] = {0.5f}, still[3] = {0};
    for (int newton = 0; newton < 12; ++newton) {
        p->grain[0].v[0] = 0.5f;
        p->grain[1].v[0] = 0.0f;
        touch(p, dt);
        --p->s.substeps; // still the same substep
        const double sand = force_on(p->grain, fast, dt), air = force_on(p->grain + 1, still, dt);
        assert_true(fabs(sand + air) < (newton > 8 ? 1e-4 : newton > 0 ? 0.05 : 0.3) * air);
        assert_true(fabs((double)(p->grain[0].v[0] - p->grain[1].v[0])) < 1e-6);
    }
    assert_int_equal(contacts_of(p), 1);
    assert_true(p->grain[1].v[0] > 0.1f && p->grain[2].v[0] == 0.0f);
    heap_free(p);
}

/// Particles that overlap part by a fifth of the overlap beyond the slop, in each substep: if they are
/// stopped after each, the overlap less the slop falls as 0.8^n. Where it is more than the radius, it
/// counts as the radius. Distances of some 0.01 m are rounded to 5e-7 voxels.
static void overlap_falls_by_a_fifth(void **state)
{
    (void)state;
    heap *p = heap_new(1, -2, 2);
    const double dt = 1e-3, r = 0.003;
    grain *a = heap_add(p, SAND, (float)r, 0.0, 0.001, 0.0);
    a = heap_add(p, SAND, (float)(2.0 * r), 0.0, 0.001, 2.5 * r) - 1;
    double rest = 0.5 * r - 0.01 * r;
    for (int n = 0; n < 20; ++n) {
        step(p, dt);
        rest *= 0.8;
        assert_true(fabs(-gap_of(a, a + 1) - 0.01 * r - rest) < 1e-7);
        for (int k = 0; k < 2; ++k)
            memset(a[k].v, 0, sizeof a->v);
    }
    for (int k = 0; k < 3; ++k)
        a[1].x[k] = a[0].x[k];
    touch(p, dt);
    double apart = 0.0;
    for (int k = 0; k < 3; ++k)
        apart += pow((double)(a[0].v[k] - a[1].v[k]), 2);
    assert_true(fabs(sqrt(apart) * dt - 0.2 * r) < 1e-8);
    heap_free(p);
}

/// Two particles at one point part in a direction that only their ids decide.
static void particles_at_one_point_part(void **state)
{
    (void)state;
    float first[3] = {0};
    for (int turn = 0; turn < 3; ++turn) {
        heap *p = heap_new(1, -2, 2);
        for (int k = 0; k < 4; ++k)
            heap_add(p, SAND, 0.002f, k < 2 ? 0.01 : -0.03, 0.004, 0.02);
        if (turn == 1) // the other way round
            for (int k = 0; k < 4; ++k)
                p->grain[k].id = (uint64_t)k ^ 1u;
        touch(p, 1e-3);
        const grain *a = &p->grain[turn == 1];
        double apart = 0.0, same = 0.0;
        for (int k = 0; k < 3; ++k) {
            assert_true(p->grain[0].v[k] == -p->grain[1].v[k]);
            if (turn == 0) first[k] = a->v[k];
            assert_true(a->v[k] == first[k]);
            apart += pow((double)p->grain[0].v[k], 2);
            same += fabs((double)(p->grain[0].v[k] - p->grain[2].v[k]));
        }
        assert_true(sqrt(apart) > 0.1);
        assert_true(same > 0.01); // another pair takes another direction
        heap_free(p);
    }
}

/// ---- On the ground -----------------------------------------------------------------------------

/// A grain at rest on the floor has no reason to move: its place is rounded, by 5e-7 voxels, and its
/// velocity so that it would end on the floor.
static void grain_on_a_floor_stays(void **state)
{
    (void)state;
    heap *p = heap_new(1, -2, 2);
    add_floor(p);
    const grain *a = heap_add(p, SAND, 0.003f, 0.011, 0.003, -0.004);
    const double y = a->x[1];
    p->gravity[1] = -9.81;
    for (int n = 0; n < 200; ++n)
        step(p, 1.0 / 96);
    assert_int_equal(state_of(p)->walls, 1);
    assert_true(fabs(a->x[1] - y) < 2e-8);
    for (int k = 0; k < 3; ++k)
        assert_true(fabs((double)a->v[k]) < 2e-6);
    heap_free(p);
}

/// A fall ends on the floor, not in it: even from a gap that the grain closes within one substep.
static void grain_falls_onto_the_floor(void **state)
{
    (void)state;
    heap *p = heap_new(1, -2, 4);
    add_floor(p);
    const grain *a = heap_add(p, SAND, 0.003f, 0.011, 0.0451, -0.004);
    p->gravity[1] = -2.0; // as in water
    for (int n = 0; n < 96; ++n) {
        step(p, 1.0 / 96);
        assert_true(a->x[1] - p->s.grid.origin[1] > 0.003 - 1e-8);
    }
    assert_true(fabs(a->x[1] - p->s.grid.origin[1] - 0.003) < 2e-8);
    heap_free(p);
}

static const double slide_time = 0.25; // s

/// How far a grain on a slope of this angle moves, and how fast it is after slide_time; gravity is tilted
/// instead of the floor.
static double slide(double degrees, double speed, double *moved)
{
    heap *p = heap_new(1, -2, 4);
    add_floor(p);
    grain *a = heap_add(p, SAND, 0.003f, 0.0, 0.003, 0.0);
    const double x = a->x[0], angle = degrees * SP_PI_D / 180.0, dt = slide_time / 240;
    a->v[0] = (float)speed;
    p->gravity[0] = 9.81 * sin(angle);
    p->gravity[1] = -9.81 * cos(angle);
    for (int n = 0; n < 240; ++n)
        step(p, dt);
    *moved = a->x[0] - x;
    const double v = (double)a->v[0];
    heap_free(p);
    return v;
}

/// A grain slides if tan(angle) is above friction, here 26.57 degrees, and then with the acceleration
/// g (sin - mu cos); below, one that slides is braked by as much. The step is exact for constant forces.
/// A hundredth of a degree on each side decides.
static void grain_slides_above_the_angle_of_friction(void **state)
{
    (void)state;
    const double limit = atan(0.5) * 180.0 / SP_PI_D;
    double moved;
    assert_true(fabs(slide(limit - 0.01, 0.0, &moved)) < 1e-6);
    assert_true(fabs(moved) < 1e-7);
    assert_true(slide(limit + 0.01, 0.0, &moved) > 1e-3 * slide_time);
    for (double degrees = 28.0; degrees < 60.0; degrees += 8.0) {
        const double a = degrees * SP_PI_D / 180.0, g = 9.81 * (sin(a) - 0.5 * cos(a));
        assert_true(fabs(slide(degrees, 0.0, &moved) / (g * slide_time) - 1.0) < 1e-4);
    }
    for (double degrees = 0.0; degrees < 20.0; degrees += 8.0) {
        const double a = degrees * SP_PI_D / 180.0, g = 9.81 * (0.5 * cos(a) - sin(a)), v = 0.2;
        assert_true(fabs(slide(degrees, v, &moved)) < 1e-6);
        // it stops within a step
        assert_true(fabs(moved - 0.5 * v * v / g) < 0.5 * v * slide_time / 240);
    }
}

/// A column at rest keeps its height within a tenth of a radius (the slop alone may take that: ten
/// hundredths), at steps so long that free fall would take grains half a radius, and nobody is thrown
/// up. After the first steps, the forces of the step before are enough.
static void column_of_grains_stays_upright(void **state)
{
    (void)state;
    static const double steps[] = {96.0, 240.0, 960.0}; // a second
    for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
        heap *p = heap_new(1, -2, 4);
        add_floor(p);
        const double r = 0.002;
        for (int n = 0; n < 10; ++n)
            heap_add(p, SAND, (float)r, 0.0, r * (2 * n + 1), 0.0);
        p->gravity[1] = -9.81;
        int sweeps = 0;
        for (int n = 0; n < 2 * (int)steps[k]; ++n) {
            step(p, 1.0 / steps[k]);
            sweeps += state_of(p)->sweeps;
            for (int i = 0; i < 10; ++i) {
                const double sunk = r * (2 * i + 1) - (p->grain[i].x[1] - p->s.grid.origin[1]);
                assert_true(sunk < 0.1 * r && sunk > -0.1 * r);
            }
        }
        assert_true(sweeps < 5 * (int)steps[k]);
        heap_free(p);
    }
}

/// ---- Finding -----------------------------------------------------------------------------------

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t key_of(uint64_t a, uint64_t b)
{
    return a < b ? a << 32 | b : b << 32 | a;
}

/// All pairs with a grain and a gap below the margin, by brute force, in world coordinates. `slack`, m, is
/// added to the gaps. Periodic space has the images.
static size_t brute_pairs(const heap *p, double dt, double slack, uint64_t *out)
{
    size_t count = 0;
    double length[3];
    for (int a = 0; a < 3; ++a)
        length[a] = 8.0 * (double)h * p->s.grid.period[a];
    for (size_t i = 0; i < p->n; ++i)
        for (size_t j = 0; j < i; ++j) {
            const grain *a = &p->grain[i], *b = &p->grain[j];
            if (a->material == AIR && b->material == AIR) continue;
            double d2 = 0.0, ways = 0.0;
            for (int k = 0; k < 3; ++k) {
                double d = a->x[k] - b->x[k];
                if (length[k] > 0.0) d -= length[k] * round(d / length[k]);
                d2 += d * d;
            }
            for (int q = 0; q < 2; ++q) {
                const float *v = q ? b->v : a->v;
                ways +=
                    dt * sqrt(pow((double)v[0], 2) + pow((double)v[1], 2) + pow((double)v[2], 2));
            }
            const double r = (double)fminf(a->radius, b->radius),
                         gap = sqrt(d2) - (double)a->radius - (double)b->radius;
            if (gap + slack < fmin(fmax(ways, 0.1 * r), r)) out[count++] = key_of(a->id, b->id);
        }
    qsort(out, count, sizeof *out, by_key);
    return count;
}

static size_t found_pairs(heap *p, double dt, uint64_t *out)
{
    contact_places places;
    grain *before = malloc(p->n * sizeof *before);
    memcpy(before, p->grain, p->n * sizeof *before);
    touch(p, dt); // opens the state, and changes velocities
    memcpy(p->grain, before, p->n * sizeof *before);
    free(before);
    const sp_scratch_mark mark = sp_scratch_here(&p->s.scratch);
    put_in_tiles(p);
    assert_ok(contacts_sort_places(&p->s, &places, dt, ERR));
    assert_ok(contacts_find_pairs(&p->s, state_of(p), &places, ERR));
    const contact_state *c = state_of(p);
    for (size_t k = 0; k < c->pairs; ++k)
        out[k] = key_of(p->s.particles.id[places.place[c->pair[k].i].particle],
                        p->s.particles.id[places.place[c->pair[k].j].particle]);
    qsort(out, c->pairs, sizeof *out, by_key);
    sp_scratch_rewind(&p->s.scratch, mark);
    return c->pairs;
}

static bool holds(const uint64_t *list, size_t n, uint64_t key)
{
    return bsearch(&key, list, n, sizeof *list, by_key) != NULL;
}

/// Radii over three decades, some air, two steps: a short one, where the least margin counts, and a long
/// one. Every pair that brute force finds is found, and no other; only gaps within rounding, 1e-7 m, may
/// differ.
static void pairs_equal_brute_force(void **state)
{
    (void)state;
    for (int test = 0; test < 4; ++test) {
        enum { N = 3000, MOST = 400000 };
        const bool periodic = test % 2;
        const double dt = test < 2 ? 1e-5 : 1e-2;
        heap *p = calloc(1, sizeof *p);
        assert_ok(heap_open(p, 2, periodic ? 0 : -1, 2, periodic, ERR));
        scatter(p, N, 0.1599, 2e-5, 2e-2, 0.3);
        for (size_t k = N / 2; k < N; ++k) // a dense part with radii over one decade
            for (int a = 0; a < 3; ++a) {
                const double side = a == 0 || !periodic ? 0.0 : 0.13;
                p->grain[k].x[a] =
                    p->s.grid.origin[a] +
                    fmod(0.3 * (p->grain[k].x[a] - p->s.grid.origin[a]) + side, 0.16);
                p->grain[k].radius = fmaxf(p->grain[k].radius, 3e-4f);
                p->grain[k].radius = fminf(p->grain[k].radius, 3e-3f);
            }
        uint64_t *sure = malloc(3 * MOST * sizeof *sure), *maybe = sure + MOST, *got = maybe + MOST;
        const size_t least = brute_pairs(p, dt, 1e-7, sure),
                     most = brute_pairs(p, dt, -1e-7, maybe);
        assert_true(most < MOST);
        const size_t n = found_pairs(p, dt, got);
        assert_true(least > 1000 && n >= least && n <= most);
        for (size_t k = 0; k < least; ++k)
            assert_true(holds(got, n, sure[k]));
        for (size_t k = 0; k < n; ++k) {
            assert_true(holds(maybe, most, got[k]));
            assert_true(k == 0 || got[k] != got[k - 1]);
        }
        free(sure);
        heap_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_that_meet_stay_together),
        cmocka_unit_test(forces_are_equal_and_opposite),
        cmocka_unit_test(drag_makes_bubbles_stiff),
        cmocka_unit_test(overlap_falls_by_a_fifth),
        cmocka_unit_test(particles_at_one_point_part),
        cmocka_unit_test(grain_on_a_floor_stays),
        cmocka_unit_test(grain_falls_onto_the_floor),
        cmocka_unit_test(grain_slides_above_the_angle_of_friction),
        cmocka_unit_test(column_of_grains_stays_upright),
        cmocka_unit_test(pairs_equal_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
