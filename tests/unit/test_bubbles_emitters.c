// SPDX-License-Identifier: Apache-2.0
// links: bubbles
/// What emitters let in, when and where. No other part of the solver runs.
#include "bubbles/sources/sizes.h"
#include "scarce_host.h"

#include <math.h>
#include <stdlib.h>

#define VOXEL 0.02f

static const sp_domain_def domain = {{-1, -1, -1}, {1, 3, 1}};
static const sp_box_def box = {{-0.2f, 0.1f, -0.1f}, {0.2f, 0.3f, 0.5f}}; // 20 x 10 x 30 voxels
static const sp_sphere_def ball = {{0.1f, 0.5f, 0.2f}, 0.23f};
static const sp_cylinder_def rod = {{-0.2f, 0.2f, 0.1f}, {0.1f, 0.5f, 0}, 0.15f};
static const sp_torus_def ring = {{0, 0.4f, 0}, {0.3f, 1, 0.1f}, 0.3f, 0.08f};

static sp_bubbles_emitter_def emitter_of(sp_shape_def shape)
{
    sp_bubbles_emitter_def e;
    sp_keys_defaults(sp_keys_find(&sp_bubbles_keys, "emitters")->items, &e);
    e.shape = shape;
    return e;
}

/// The parts of a solver that emitters use.
static sp_status part_open(bubbles *s, const sp_host *host, const sp_bubbles_emitter_def *e,
                           size_t count, sp_error *err)
{
    const sp_world_def world = {.domain = &domain};
    *s = (bubbles){.host = host, .seed = 7, .materials = 1};
    sp_keys_defaults(&sp_bubbles_keys, &s->def);
    s->def.voxel = VOXEL;
    s->def.emitters = e;
    s->def.emitter_count = count;
    s->material[0] = (sp_bubbles_material_def){.name = "air", .density = 1.2f};
    bubbles_lay_grid(&s->grid, &s->def, &domain);
    if (!sp_scratch_open(&s->scratch, host, 1 << 12))
        return sp_fail(err, SP_NO_MEMORY, "no scratch");
    return bubbles_emitters_open(s, &world, err);
}

static void part_close(bubbles *s)
{
    bubbles_emitters_close(s);
    sp_solids_close(s->solids.bodies);
    sp_scratch_close(&s->scratch);
}

/// Every particle so far, where it would be now if it moved with its own velocity.
typedef struct crowd {
    size_t count, room;
    double (*x)[3];
    float *radius;
    double volume;
} crowd;

static void take(bubbles *s, crowd *c)
{
    const bubbles_new *n = &s->fresh;
    c->x = realloc(c->x, (c->count + n->count + 1) * sizeof *c->x);
    c->radius = realloc(c->radius, (c->count + n->count + 1) * sizeof *c->radius);
    for (size_t i = 0; i < n->count; ++i) {
        memcpy(c->x[c->count], n->x[i], sizeof *c->x);
        c->radius[c->count++] = n->radius[i];
        c->volume += (double)bubbles_volume(n->radius[i]);
    }
    s->particles.next_id += n->count; // as bubbles_insert does
    s->fresh.count = 0;
}

/// Steps to `end`. Particles drift with v.
static void emit_until(bubbles *s, crowd *c, double end, double dt, const float v[3])
{
    assert_ok(bubbles_emit(s, 0.0, ERR));
    take(s, c);
    const long steps = lround(end / dt);
    for (long k = 0; k < steps; ++k) {
        for (size_t i = 0; i < c->count; ++i)
            for (int a = 0; v && a < 3; ++a)
                c->x[i][a] += dt * (double)v[a];
        assert_ok(bubbles_emit(s, dt, ERR));
        take(s, c);
        s->time = (double)(k + 1) * dt;
    }
}

static void crowd_close(crowd *c)
{
    free(c->x);
    free(c->radius);
    *c = (crowd){0};
}

/// ---- Once --------------------------------------------------------------------------------------

/// A box whose sides are whole numbers of spacings holds their product; each point has the spacing to itself, so the
/// outermost are half a spacing from the sides.
static void a_box_gets_a_whole_lattice(void **state)
{
    (void)state;
    static const struct {
        float spacing;
        size_t count;
    } rows[] = {{0.5f, 40 * 20 * 60}, {1, 20 * 10 * 30}, {2, 10 * 5 * 15}, {2.5f, 8 * 4 * 12}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_bubbles_emitter_def e = emitter_of((sp_shape_def){.box = &box});
        bubbles s;
        e.spacing = rows[i].spacing;
        assert_ok(part_open(&s, HOST, &e, 1, ERR));
        assert_ok(bubbles_emit(&s, 0.0, ERR));
        assert_int_equal(s.fresh.count, rows[i].count);
        assert_int_equal(s.figures.emitted, rows[i].count);
        const double half = 0.5 * (double)(rows[i].spacing * VOXEL);
        for (size_t n = 0; n < s.fresh.count; ++n)
            for (int a = 0; a < 3; ++a) {
                assert_true(s.fresh.x[n][a] > (double)box.min[a] + 0.999 * half);
                assert_true(s.fresh.x[n][a] < (double)box.max[a] - 0.999 * half);
            }
        assert_true(s.fresh.density[0] == 1.2f);
        part_close(&s);
    }
}

/// Sizes fill take exactly the shape's volume, of which a lattice in a ball finds a little more or less.
static void filling_takes_the_volume_of_the_shape(void **state)
{
    (void)state;
    const sp_shape_def shapes[] = {{.box = &box}, {.sphere = &ball}};
    const double r = (double)ball.radius,
                 expected[] = {0.4 * 0.2 * 0.6, 4.0 / 3.0 * SP_PI_D * r * r * r},
                 slack[] = {1e-5, 5e-3};
    for (int k = 0; k < 2; ++k) {
        sp_bubbles_emitter_def e = emitter_of(shapes[k]);
        crowd c = {0};
        bubbles s;
        e.sizes = SP_BUBBLES_FILL;
        assert_ok(part_open(&s, HOST, &e, 1, ERR));
        emit_until(&s, &c, 0.0, 1.0, NULL);
        assert_true(fabs(c.volume / expected[k] - 1.0) < slack[k]);
        crowd_close(&c);
        part_close(&s);
    }
}

/// Shapes without sides end at the domain's; a height field has water everywhere below it. A mesh is its inside.
static void shapes_end_at_the_domain(void **state)
{
    (void)state;
    static const sp_plane_def plane = {{0, 0.5f, 0}, {0, 1, 0}};
    const sp_heightfield_def ground = {
        .heights = {.constant = 0.5f}, .min = {-0.5f, 0, -0.5f}, .max = {0.5f, 1, 0.5f}};
    const sp_mesh_def cube = {.file = SPUME_SOURCE_DIR "/tests/data/meshes/cube.obj",
                              .scale = 0.4f};
    const sp_shape_def shapes[] = {{.plane = &plane}, {.heightfield = &ground}, {.mesh = &cube}};
    static const size_t counts[] = {20 * 15 * 20, 20 * 15 * 20, 4 * 4 * 4};
    for (int k = 0; k < 3; ++k) {
        sp_bubbles_emitter_def e = emitter_of(shapes[k]);
        bubbles s;
        e.spacing = 5.0f;
        assert_ok(part_open(&s, HOST, &e, 1, ERR));
        assert_ok(bubbles_emit(&s, 0.0, ERR));
        assert_int_equal(s.fresh.count, counts[k]);
        part_close(&s);
    }
}

/// Jitter of 1 moves a point by up to half a spacing along each axis, evenly.
static void jitter_shifts_points_by_up_to_half_a_spacing(void **state)
{
    (void)state;
    sp_bubbles_emitter_def e = emitter_of((sp_shape_def){.box = &box});
    crowd plain = {0}, shifted = {0};
    double sum = 0.0, squares = 0.0, most = 0.0;
    for (int k = 0; k < 2; ++k) {
        bubbles s;
        e.jitter = (float)k;
        assert_ok(part_open(&s, HOST, &e, 1, ERR));
        emit_until(&s, k ? &shifted : &plain, 0.0, 1.0, NULL);
        part_close(&s);
    }
    assert_int_equal(plain.count, shifted.count);
    for (size_t i = 0; i < plain.count; ++i)
        for (int a = 0; a < 3; ++a) {
            const double off = (shifted.x[i][a] - plain.x[i][a]) / (0.5 * (double)VOXEL);
            sum += off;
            squares += off * off;
            most = fmax(most, fabs(off));
        }
    const double n = 3.0 * (double)plain.count;
    assert_true(most <= 0.5 + 1e-6 && most > 0.499);
    assert_true(fabs(sum / n) < 5.0 * sqrt(1.0 / 12.0 / n)); // five standard deviations
    assert_true(fabs(squares / n - 1.0 / 12.0) < 5.0 * sqrt(1.0 / 180.0 / n));
    crowd_close(&plain);
    crowd_close(&shifted);
}

/// The next particle would take the volume farther from the wanted one. The volume of a ball is measured by 64^3 points.
static void random_particles_reach_the_fraction(void **state)
{
    (void)state;
    const sp_shape_def shapes[] = {{.box = &box}, {.sphere = &ball}};
    const double r = (double)ball.radius,
                 volume[] = {0.4 * 0.2 * 0.6, 4.0 / 3.0 * SP_PI_D * r * r * r},
                 measured[] = {1e-6, 1e-3};
    static const float fractions[] = {0.01f, 0.2f, 0.7f};
    for (int k = 0; k < 2; ++k)
        for (int f = 0; f < 3; ++f) {
            sp_bubbles_emitter_def e = emitter_of(shapes[k]);
            crowd c = {0};
            bubbles s;
            e.fraction = fractions[f];
            e.sizes = SP_BUBBLES_GIVEN;
            e.radius_min = 0.002f;
            e.radius_max = 0.006f;
            assert_ok(part_open(&s, HOST, &e, 1, ERR));
            emit_until(&s, &c, 0.0, 1.0, NULL);
            const double wanted = (double)fractions[f] * volume[k],
                         one = (double)bubbles_volume(e.radius_max);
            assert_true(fabs(c.volume - wanted) < one + measured[k] * wanted);
            for (size_t i = 0; i < c.count; ++i)
                assert_true(sp_shape_distance(s.emitter[0].shape, 0.0, c.x[i], NULL) < 0.0);
            crowd_close(&c);
            part_close(&s);
        }
}

/// An emitter of mode once acts in the substep that ends at its start, and never again.
static void once_is_once(void **state)
{
    (void)state;
    sp_bubbles_emitter_def e = emitter_of((sp_shape_def){.box = &box});
    bubbles s;
    e.spacing = 2.0f;
    e.start = 0.5f;
    assert_ok(part_open(&s, HOST, &e, 1, ERR));
    for (int k = 0; k < 20; ++k) {
        s.time = 0.1 * k;
        assert_ok(bubbles_emit(&s, 0.1, ERR));
        assert_int_equal(s.fresh.count, k < 4 ? 0 : 10 * 5 * 15);
    }
    part_close(&s);
}

/// ---- Rate --------------------------------------------------------------------------------------

/// As many as rate times time, whatever the substep, and the same ones in the same places.
static void rate_is_exact(void **state)
{
    (void)state;
    static const double dts[] = {1.0 / 1000.0, 1.0 / 48.0, 0.25, 2.0};
    sp_bubbles_emitter_def e = emitter_of((sp_shape_def){.sphere = &ball});
    crowd first = {0};
    e.mode = SP_BUBBLES_RATE;
    e.rate = 1234.5f;
    e.start = 0.3f;
    e.stop = 1.7f;
    for (int k = 0; k < 4; ++k) {
        crowd c = {0};
        bubbles s;
        assert_ok(part_open(&s, HOST, &e, 1, ERR));
        emit_until(&s, &c, 2.0, dts[k], NULL);
        assert_true(fabs((double)c.count - 1234.5 * 1.4) <= 1.0);
        if (k == 0) {
            first = c;
        } else {
            const size_t both = c.count < first.count ? c.count : first.count;
            assert_memory_equal(c.x, first.x, both * sizeof *c.x);
            assert_memory_equal(c.radius, first.radius, both * sizeof *c.radius);
            crowd_close(&c);
        }
        part_close(&s);
    }
    crowd_close(&first);
}

/// ---- Sizes -------------------------------------------------------------------------------------

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// The share of radii below r, for a number that falls with r^-power.
static double expected_share(double r, double low, double high, double power)
{
    const double t = 1.0 - power;
    if (t == 0.0) return log(r / low) / log(high / low);
    return (pow(r, t) - pow(low, t)) / (pow(high, t) - pow(low, t));
}

/// The largest difference between the wanted and the found distribution exceeds 1.95/sqrt(n) once in a thousand
/// seeds (Kolmogorov), and there is one seed.
static void sizes_follow_their_power(void **state)
{
    (void)state;
    static const float powers[] = {0, 0.5f, 1, 1.0002f, 2, 3, 4.5f, 8};
    enum { COUNT = 20000 };
    for (size_t k = 0; k < sizeof powers / sizeof *powers; ++k) {
        sp_bubbles_emitter_def e = emitter_of((sp_shape_def){.box = &box});
        static float radius[COUNT];
        double most = 0.0, volume = 0.0;
        e.sizes = SP_BUBBLES_GIVEN;
        e.radius_min = 0.0005f;
        e.radius_max = 0.005f;
        e.radius_power = powers[k];
        for (uint64_t i = 0; i < COUNT; ++i) {
            radius[i] = bubbles_draw_radius(&e, VOXEL, 7, i);
            volume += (double)bubbles_volume(radius[i]) / COUNT;
        }
        qsort(radius, COUNT, sizeof *radius, ascending);
        assert_true(radius[0] >= e.radius_min && radius[COUNT - 1] <= e.radius_max);
        for (size_t i = 0; i < COUNT; ++i) {
            const double share = expected_share((double)radius[i], (double)e.radius_min,
                                                (double)e.radius_max, (double)powers[k]);
            most = fmax(most, fmax(share - (double)i / COUNT, (double)(i + 1) / COUNT - share));
        }
        assert_true(most < 1.95 / sqrt(COUNT));
        // few of the smallest powers' particles hold most of the volume: good to 10 %
        assert_true(fabs(bubbles_mean_volume(&e, VOXEL) / volume - 1.0) < 0.1);
    }
}

/// An isolated particle of surfacing radius is shown with an eighth of a voxel.
static void radii_that_are_not_given(void **state)
{
    (void)state;
    sp_bubbles_emitter_def e = emitter_of((sp_shape_def){.box = &box});
    const double h = (double)VOXEL;
    const float surfacing = bubbles_draw_radius(&e, VOXEL, 7, 0);
    assert_true(fabs((double)surfacing - sqrt(0.75) * h) < 1e-7 * h);
    const float place = bubbles_place_volume(&e, VOXEL, surfacing);
    const double shown = (double)bubbles_volume(bubbles_shown_radius(surfacing, place));
    assert_true(fabs(shown / (h * h * h / 8.0) - 1.0) < 1e-5);
    assert_true(bubbles_shown_radius(0.004f, 0.0f) == 0.004f);
    e.sizes = SP_BUBBLES_FILL; // they do not overlap
    assert_true(bubbles_place_volume(&e, VOXEL, bubbles_draw_radius(&e, VOXEL, 7, 0)) == 0.0f);
    const double fill = (double)bubbles_volume(bubbles_draw_radius(&e, VOXEL, 7, 0));
    assert_true(fabs(fill / (h * h * h / 8.0) - 1.0) < 1e-5);
}

/// ---- Flow --------------------------------------------------------------------------------------

/// Area times speed times time, within one layer, after the fill of the start.
static void flow_brings_area_times_speed_times_time(void **state)
{
    (void)state;
    static const float speeds[3][3] = {{0.7f, 0, 0}, {0, -0.3f, 0}, {0, 0, 2.5f}};
    static const double dts[] = {1.0 / 500.0, 1.0 / 40.0};
    for (int v = 0; v < 3; ++v)
        for (int k = 0; k < 2; ++k) {
            sp_bubbles_emitter_def e = emitter_of((sp_shape_def){.box = &box});
            crowd c = {0};
            bubbles s;
            const int a = v;
            e.mode = SP_BUBBLES_FLOW;
            e.sizes = SP_BUBBLES_FILL;
            e.spacing = 1.0f;
            e.start = 0.05f;
            e.stop = 0.3f;
            memcpy(e.velocity, speeds[v], sizeof e.velocity);
            assert_ok(part_open(&s, HOST, &e, 1, ERR));
            emit_until(&s, &c, 0.4, dts[k], NULL);
            double side[3];
            for (int b = 0; b < 3; ++b)
                side[b] = (double)(box.max[b] - box.min[b]);
            const double area = side[(a + 1) % 3] * side[(a + 2) % 3],
                         length = side[a] + 0.25 * fabs((double)speeds[v][a]),
                         layer = area * (double)VOXEL;
            assert_true(fabs(c.volume - area * length) < 1.001 * layer);
            crowd_close(&c);
            part_close(&s);
        }
}

static int by_place(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int k = 0; k < 3; ++k) {
        const double p = round(1e7 * x[k]), q = round(1e7 * y[k]);
        if (p != q) return p < q ? -1 : 1;
    }
    return 0;
}

/// Particles that flow are one lattice, whatever the substep: those of many substeps are those of a single one, and no
/// two are in one place. The ring's lattice passes through it twice.
static void flow_is_one_lattice(void **state)
{
    (void)state;
    const sp_shape_def shapes[] = {
        {.box = &box}, {.cylinder = &rod}, {.torus = &ring}, {.sphere = &ball}};
    static const float v[3] = {0.3f, 0.8f, -0.2f};
    static const double dts[] = {0.5, 0.05, 0.01};
    for (int k = 0; k < 4; ++k) {
        sp_bubbles_emitter_def e = emitter_of(shapes[k]);
        size_t count = 0;
        double sum[3] = {0.0, 0.0, 0.0};
        e.mode = SP_BUBBLES_FLOW;
        e.spacing = 1.5f;
        memcpy(e.velocity, v, sizeof v);
        for (int n = 0; n < 3; ++n) {
            crowd c = {0};
            bubbles s;
            double total[3] = {0.0, 0.0, 0.0};
            assert_ok(part_open(&s, HOST, &e, 1, ERR));
            emit_until(&s, &c, 0.5, dts[n], v);
            part_close(&s);
            qsort(c.x, c.count, sizeof *c.x, by_place);
            for (size_t i = 0; i < c.count; ++i) {
                double off = i == 0 ? 1.0 : 0.0;
                for (int a = 0; a < 3; ++a) {
                    total[a] += c.x[i][a];
                    if (i > 0) off = fmax(off, fabs(c.x[i][a] - c.x[i - 1][a]));
                }
                assert_true(off > 1e-3 * (double)VOXEL);
            }
            if (n == 0) count = c.count;
            assert_true(c.count == count && count > 1000);
            for (int a = 0; a < 3; ++a) {
                if (n == 0) sum[a] = total[a];
                assert_true(fabs(total[a] - sum[a]) < 1e-9 * (double)count);
            }
            crowd_close(&c);
        }
    }
}

/// ---- All of them -------------------------------------------------------------------------------

/// One emitter of each kind.
static void make_each(sp_bubbles_emitter_def e[4])
{
    e[0] = emitter_of((sp_shape_def){.torus = &ring});
    e[0].jitter = 0.7f;
    e[1] = emitter_of((sp_shape_def){.cylinder = &rod});
    e[1].fraction = 0.1f;
    e[1].sizes = SP_BUBBLES_GIVEN;
    e[1].radius_min = 0.004f;
    e[2] = emitter_of((sp_shape_def){.sphere = &ball});
    e[2].mode = SP_BUBBLES_RATE;
    e[2].rate = 5000.0f;
    e[3] = emitter_of((sp_shape_def){.box = &box});
    e[3].mode = SP_BUBBLES_FLOW;
    e[3].velocity[1] = 1.5f;
    e[3].jitter = 0.2f;
}

static void the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    sp_bubbles_emitter_def e[4];
    crowd one = {0};
    make_each(e);
    for (int threads = 1; threads <= 3; ++threads) {
        const sp_host host = sp_host_default(threads);
        crowd c = {0};
        bubbles s;
        assert_ok(part_open(&s, &host, e, 4, ERR));
        emit_until(&s, &c, 0.2, 0.02, NULL);
        if (threads == 1) {
            one = c;
        } else {
            assert_int_equal(c.count, one.count);
            assert_memory_equal(c.x, one.x, c.count * sizeof *c.x);
            assert_memory_equal(c.radius, one.radius, c.count * sizeof *c.radius);
            crowd_close(&c);
        }
        part_close(&s);
    }
    assert_true(one.count > 50000);
    crowd_close(&one);
}

/// Ids follow the order of emission, whatever tiles the particles are in.
static void ids_ascend(void **state)
{
    (void)state;
    sp_bubbles_emitter_def e[4];
    bubbles s;
    sp_tiles tiles;
    int32_t at[40 * 40 * 40][3], n = 0;
    make_each(e);
    assert_ok(part_open(&s, HOST, e, 4, ERR));
    for (int32_t k = 0; k < 13 * 25 * 13; ++k, ++n)
        memcpy(at[n], ((int32_t[3]){k % 13, k / 13 % 25, k / (13 * 25)}), sizeof *at);
    assert_ok(sp_tiles_open(&tiles, HOST, VOXEL, (const int32_t(*)[3])at, (size_t)n, ERR));
    assert_ok(bubbles_particles_open(&s.particles, HOST, ERR));
    assert_ok(bubbles_starts_reserve(&s.particles, tiles.count, ERR));
    for (int k = 0; k < 3; ++k) {
        assert_ok(bubbles_emit(&s, 0.02, ERR));
        assert_ok(bubbles_insert(&s.particles, &s.grid, &tiles, &s.fresh, &s.scratch, ERR));
        s.time += 0.02;
        const size_t count = s.particles.set.count;
        uint8_t *seen = calloc(count, 1);
        assert_int_equal(count, s.figures.emitted);
        assert_int_equal(s.particles.next_id, count);
        for (size_t i = 0; i < count; ++i) {
            assert_true(s.particles.id[i] < count && !seen[s.particles.id[i]]);
            seen[s.particles.id[i]] = 1;
        }
        free(seen);
    }
    bubbles_particles_close(&s.particles);
    sp_tiles_close(&tiles);
    part_close(&s);
}

/// Nothing is let in inside of solids or outside of the domain.
static void solids_and_the_outside_stay_empty(void **state)
{
    (void)state;
    static const sp_sphere_def rock = {{0, 0.2f, 0.2f}, 0.15f};
    static const sp_box_def wide = {{-0.3f, -1.5f, -0.1f}, {0.3f, -0.6f, 0.5f}};
    const sp_collider_def collider = {.shape = {.sphere = &rock}, .slip = 1.0f};
    sp_bubbles_emitter_def e[5];
    sp_solids_def def = {.colliders = &collider, .count = 1, .voxel = VOXEL};
    crowd c = {0};
    bubbles s;
    make_each(e);
    e[4] = emitter_of((sp_shape_def){.box = &wide});
    e[4].fraction = 0.05f;
    assert_ok(part_open(&s, HOST, e, 5, ERR));
    for (int a = 0; a < 3; ++a) {
        def.low[a] = (double)domain.min[a];
        def.high[a] = (double)domain.max[a];
        def.origin[a] = s.grid.origin[a];
    }
    assert_ok(sp_solids_open(&def, HOST, &s.solids.bodies, ERR));
    assert_ok(sp_solids_move(s.solids.bodies, 0.0, ERR));
    s.has_solids = true;
    emit_until(&s, &c, 0.1, 0.02, NULL);
    size_t near = 0, low = 0;
    for (size_t i = 0; i < c.count; ++i) {
        const double d = sp_solids_distance(s.solids.bodies, c.x[i], NULL, NULL);
        assert_true(d >= 0.0 && c.x[i][1] >= -1.0);
        near += d < 0.02;
        low += c.x[i][1] < -0.6;
    }
    assert_true(near > 100 && low > 10);
    // the share of the wide box that is in the domain
    const double volume = 0.6 * 0.4 * 0.6,
                 each = (double)bubbles_volume(bubbles_surfacing_radius(VOXEL));
    assert_true(fabs((double)low * each - 0.05 * volume) < each + 1e-6);
    crowd_close(&c);
    part_close(&s);
}

static sp_status emit_each(const sp_host *host, sp_error *err)
{
    sp_bubbles_emitter_def e[4];
    bubbles s;
    make_each(e);
    for (int k = 0; k < 4; ++k)
        e[k].spacing = 2.0f;
    sp_status status = part_open(&s, host, e, 4, err);
    for (int k = 0; k < 2 && status == SP_OK; ++k, s.time += 0.02)
        status = bubbles_emit(&s, 0.02, err);
    part_close(&s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_gets_a_whole_lattice),
        cmocka_unit_test(filling_takes_the_volume_of_the_shape),
        cmocka_unit_test(shapes_end_at_the_domain),
        cmocka_unit_test(jitter_shifts_points_by_up_to_half_a_spacing),
        cmocka_unit_test(random_particles_reach_the_fraction),
        cmocka_unit_test(once_is_once),
        cmocka_unit_test(rate_is_exact),
        cmocka_unit_test(sizes_follow_their_power),
        cmocka_unit_test(radii_that_are_not_given),
        cmocka_unit_test(flow_brings_area_times_speed_times_time),
        cmocka_unit_test(flow_is_one_lattice),
        cmocka_unit_test(the_same_for_any_number_of_threads),
        cmocka_unit_test(ids_ascend),
        cmocka_unit_test(solids_and_the_outside_stay_empty),
        test_failing_allocations(.scenario = emit_each, .threads = 1, .least = 10),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
