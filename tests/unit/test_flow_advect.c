// SPDX-License-Identifier: Apache-2.0
// links: flow poisson shapes tiles frame core
/// MacCormack advection of fields on tiles.
#include "flow/flow.h"
#include "scarce_host.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

static float unit(size_t i, int axis)
{
    return sp_unit(sp_random(31, 6, i, 0, 0).x[axis]);
}

/// ---- Water without a solver --------------------------------------------------------------------

typedef float flow(const double p[3], int axis); ///< m/s; axis 3: phi, m

typedef struct water {
    const sp_host *host;
    sp_tiles tiles;
    float *u[3], *phi;
    float band; ///< m
    sp_tile_mask *known[3];
    sp_scratch scratch;
} water;

static void centre_of(const water *s, size_t i, int place, double p[3])
{
    const size_t v = i % SP_TILE_VOXELS;
    const int32_t *at = s->tiles.at[i / SP_TILE_VOXELS];
    const size_t in[3] = {v % 8, v / 8 % 8, v / 64};
    for (int a = 0; a < 3; ++a)
        p[a] = (double)s->tiles.voxel * (8.0 * at[a] + (double)in[a] + (a == place ? 0.0 : 0.5));
}

static void close_water(water *s)
{
    for (int a = 0; a < 3; ++a) {
        sp_release(s->host, s->u[a]);
        sp_release(s->host, s->known[a]);
    }
    sp_release(s->host, s->phi);
    sp_scratch_close(&s->scratch);
    sp_tiles_close(&s->tiles);
}

static sp_status open_water(water *s, const sp_host *host, float voxel, const int32_t period[3],
                            const int32_t (*at)[3], size_t n, flow *f, sp_error *err)
{
    *s = (water){.host = host, .band = 4.0f * voxel};
    bool enough = sp_scratch_open(&s->scratch, host, 0);
    sp_status status = sp_tiles_open_periodic(&s->tiles, host, voxel, period, at, n, err);
    if (status != SP_OK) return status;
    for (int a = 0; a < 3; ++a) {
        s->u[a] = sp_tiles_field(&s->tiles, 0.0f);
        s->known[a] = sp_allocate(host, s->tiles.count, sizeof *s->known[a]);
        enough &= s->u[a] && s->known[a];
    }
    s->phi = sp_tiles_field(&s->tiles, 0.0f);
    if (!enough || !s->phi) return sp_fail(err, SP_NO_MEMORY, "no memory for the test");
    for (size_t i = 0; i < s->tiles.count * SP_TILE_VOXELS; ++i) {
        double p[3];
        for (int a = 0; a < 3; ++a) {
            centre_of(s, i, a, p);
            s->u[a][i] = f(p, a);
        }
        centre_of(s, i, 3, p);
        s->phi[i] = fmaxf(-s->band, fminf(s->band, f(p, 3)));
    }
    for (int a = 0; a < 3; ++a)
        memset(s->known[a], 0xff, s->tiles.count * sizeof *s->known[a]);
    return SP_OK;
}

/// A block of tiles from (0, 0, 0) on; `lack` is the fraction of tiles left out at random.
static water block(const sp_host *host, float voxel, const int32_t period[3], const int32_t size[3],
                   float lack, flow *f)
{
    const size_t most = (size_t)(size[0] * size[1] * size[2]);
    int32_t(*at)[3] = malloc(most * sizeof *at);
    size_t n = 0;
    for (int32_t i = 0; i < (int32_t)most; ++i) {
        if (unit((size_t)i, 2) < lack) continue;
        at[n][0] = i % size[0];
        at[n][1] = i / size[0] % size[1];
        at[n++][2] = i / size[0] / size[1];
    }
    water s;
    assert_ok(open_water(&s, host, voxel, period, (const int32_t(*)[3])at, n, f, ERR));
    free(at);
    return s;
}

/// Marks about one face in `rare` of each component as unknown.
static void forget_some(water *s, uint32_t rare)
{
    for (int a = 0; a < 3; ++a)
        for (size_t i = 0; i < s->tiles.count * SP_TILE_VOXELS; ++i)
            if (sp_random(9, 9, i, 0, 0).x[a] % rare == 0)
                s->known[a][i / SP_TILE_VOXELS][i / 64 % 8] &= ~((uint64_t)1 << i % 64);
}

static sp_flow_advection advection_of(const water *s)
{
    return (sp_flow_advection){
        .tiles = &s->tiles,
        .u = {s->u[0], s->u[1], s->u[2]},
        .known = {(const sp_tile_mask *)s->known[0], (const sp_tile_mask *)s->known[1],
                  (const sp_tile_mask *)s->known[2]},
        .faces = {s->u[0], s->u[1], s->u[2]},
        .cells = s->phi,
        .band = s->band,
    };
}

typedef struct carried {
    float *u[3], *phi;
} carried;

static carried carry(water *s, double dt, const uint64_t *rows)
{
    carried c = {{0}, sp_tiles_field(&s->tiles, 55.0f)};
    for (int a = 0; a < 3; ++a)
        c.u[a] = sp_tiles_field(&s->tiles, 55.0f);
    sp_flow_advection a = advection_of(s);
    a.rows = rows;
    assert_ok(sp_flow_advect(&a, dt, c.u, c.phi, &s->scratch, ERR));
    return c;
}

static void drop(const water *s, carried *c)
{
    for (int a = 0; a < 3; ++a)
        sp_release(s->host, c->u[a]);
    sp_release(s->host, c->phi);
}

/// ---- Reference: a value at a time, by look-up --------------------------------------------------

static float wavy(const double p[3], int axis)
{
    const double a = 0.9 * p[0] + 0.3 * axis, b = 1.1 * p[1] - 0.7 * axis, c = 0.7 * p[2];
    const double v = sin(a) * cos(b) + 0.5 * sin(b + c) + 0.3 * cos(c - a);
    return (float)(axis == 3 ? 1.2 * v : v);
}

static void velocity(const water *s, const float p[3], float v[3])
{
    for (int a = 0; a < 3; ++a)
        v[a] = sp_tiles_sample(&s->tiles, s->u[a], (sp_tile_place_kind)(SP_AT_FACES_X + a), 0.0f, p,
                               NULL);
}

static void follow(const water *s, const double from[3], float dt, float to[3])
{
    float p[3] = {(float)from[0], (float)from[1], (float)from[2]}, v[3], mid[3];
    velocity(s, p, v);
    for (int a = 0; a < 3; ++a)
        mid[a] = p[a] + 0.5f * dt * v[a];
    velocity(s, mid, v);
    for (int a = 0; a < 3; ++a)
        to[a] = p[a] + dt * v[a];
}

typedef struct around {
    float low, high;
    int lacking; ///< unknown values of the eight
} around;

static around corners(const water *s, const float *q, int place, const float p[3])
{
    around r = {INFINITY, -INFINITY, 0};
    int32_t base[3];
    for (int a = 0; a < 3; ++a)
        base[a] = (int32_t)floorf(p[a] / s->tiles.voxel - (a == place ? 0.0f : 0.5f));
    for (int n = 0; n < 8; ++n) {
        const int32_t v[3] = {base[0] + (n & 1), base[1] + (n >> 1 & 1), base[2] + (n >> 2)};
        const int32_t at[3] = {sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])};
        const uint32_t t = sp_tiles_find(&s->tiles, at);
        if (place < 3 && (t == SP_NO_TILE ||
                          !(s->known[place][t][v[2] & 7] >> ((v[0] & 7) + 8 * (v[1] & 7)) & 1))) {
            ++r.lacking;
            continue;
        }
        const float value = sp_tiles_value(&s->tiles, q, v, s->band);
        r.low = fminf(r.low, value);
        r.high = fmaxf(r.high, value);
    }
    return r;
}

static sp_tile_place_kind kind(int place)
{
    return place == 3 ? SP_AT_CELLS : (sp_tile_place_kind)(SP_AT_FACES_X + place);
}

static float *carry_slowly(const water *s, float dt, int place, const float *q)
{
    const size_t n = s->tiles.count * SP_TILE_VOXELS;
    float *ahead = sp_tiles_field(&s->tiles, 0.0f), *out = malloc(n * sizeof *out);
    const float outside = place == 3 ? s->band : 0.0f, lost = place == 3 ? s->band : 1e30f;
    for (size_t i = 0; i < n; ++i) {
        double p[3];
        float from[3];
        centre_of(s, i, place, p);
        follow(s, p, -dt, from);
        ahead[i] = corners(s, q, place, from).lacking == 8
                       ? q[i]
                       : sp_tiles_sample(&s->tiles, q, kind(place), outside, from, NULL);
    }
    for (size_t i = 0; i < n; ++i) {
        double p[3];
        float from[3], to[3];
        centre_of(s, i, place, p);
        follow(s, p, -dt, from);
        follow(s, p, dt, to);
        const around r = corners(s, q, place, from);
        const float back = sp_tiles_sample(&s->tiles, ahead, kind(place), lost, to, NULL);
        out[i] = r.lacking || back > 1e20f
                     ? ahead[i]
                     : fmaxf(r.low, fminf(r.high, ahead[i] + 0.5f * (q[i] - back)));
    }
    sp_release(s->host, ahead);
    return out;
}

/// In the reference, positions of about ten voxels round to 1e-6, and values change by less than 2
/// a voxel.
static void assert_close(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        assert_true(fabsf(a[i] - b[i]) < 4e-5f);
}

static void advection_equals_a_plain_reference(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const int32_t periods[][3] = {{0, 0, 0}, {3, 0, 2}};
    static const double steps[] = {0.1, 1.1}; // up to 0.4 and 4 voxels
    for (int n = 0; n < 4; ++n) {
        water s = block(&host, 0.5f, periods[n % 2], (int32_t[3]){3, 2, 2}, 0.15f, wavy);
        if (n / 2) forget_some(&s, 12);
        carried c = carry(&s, steps[n / 2], NULL);
        const size_t voxels = s.tiles.count * SP_TILE_VOXELS;
        for (int place = 0; place < 4; ++place) {
            float *slow =
                carry_slowly(&s, (float)steps[n / 2], place, place == 3 ? s.phi : s.u[place]);
            assert_close(place == 3 ? c.phi : c.u[place], slow, voxels);
            free(slow);
        }
        drop(&s, &c);
        close_water(&s);
    }
}

/// ---- Exactness and order -----------------------------------------------------------------------

static float steady(const double p[3], int axis)
{
    static const float wind[3] = {1.0f, -2.0f, 3.0f};
    return axis < 3 ? wind[axis] : wavy(p, 3);
}

/// A displacement by whole voxels copies values without rounding.
static void moving_by_whole_voxels_is_exact(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const int32_t size[3] = {2, 3, 2};
    water s = block(&host, 1.0f, size, size, 0.0f, steady); // periodic, so nothing is lost
    carried c = carry(&s, 1.0, NULL);
    for (size_t i = 0; i < s.tiles.count * SP_TILE_VOXELS; ++i) {
        double p[3];
        centre_of(&s, i, 3, p);
        int32_t from[3];
        for (int a = 0; a < 3; ++a)
            from[a] = (int32_t)floor(p[a]) - (int32_t)steady(p, a);
        assert_true(c.phi[i] == sp_tiles_value(&s.tiles, s.phi, from, 99.0f));
        assert_true(c.u[1][i] == -2.0f);
    }
    drop(&s, &c);
    close_water(&s);
}

/// A sine of wavelength 2 m along x in periodic space.
static float sine(const double p[3], int axis)
{
    return axis == 3 ? 0.1f * (float)sin(3.14159265358979 * p[0]) : axis == 0 ? 1.0f : 0.0f;
}

/// Mean error after the sine moved by half its length in steps of 0.4 voxel.
static double error_of_sine(const sp_host *host, int32_t tiles)
{
    const int32_t size[3] = {tiles, 1, 1};
    const float voxel = 2.0f / (float)(8 * tiles);
    water s = block(host, voxel, size, size, 0.0f, sine);
    s.band = 10.0f;
    const int steps = 20 * tiles / 2;
    const double dt = 1.0 / steps;
    float *next = sp_tiles_field(&s.tiles, 0.0f);
    for (int n = 0; n < steps; ++n) {
        const sp_flow_advection a = advection_of(&s);
        assert_ok(sp_flow_advect(&a, dt, NULL, next, &s.scratch, ERR));
        memcpy(s.phi, next, s.tiles.count * SP_TILE_VOXELS * sizeof *next);
    }
    double sum = 0.0;
    for (size_t i = 0; i < s.tiles.count * SP_TILE_VOXELS; ++i) {
        double p[3];
        centre_of(&s, i, 3, p);
        p[0] -= 1.0;
        sum += fabs((double)(s.phi[i] - sine(p, 3)));
    }
    const double mean = sum / (double)(s.tiles.count * SP_TILE_VOXELS);
    sp_release(host, next);
    close_water(&s);
    return mean;
}

/// Second order except at extremes, where values are clamped: the mean error falls by nearly 4 for
/// each halving of the voxel. Semi-Lagrangian advection gives 2.
static void advection_error_is_second_order(void **state)
{
    (void)state;
    const double coarse = error_of_sine(HOST, 2), middle = error_of_sine(HOST, 4),
                 fine = error_of_sine(HOST, 8);
    assert_true(coarse / middle > 3.0);
    assert_true(middle / fine > 3.0);
}

static void advection_creates_no_new_extremes(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    water s = block(&host, 0.5f, (int32_t[3]){0}, (int32_t[3]){3, 3, 3}, 0.1f, wavy);
    float most = 0.0f;
    const size_t n = s.tiles.count * SP_TILE_VOXELS;
    for (size_t i = 0; i < n; ++i)
        most = fmaxf(most, fabsf(s.u[0][i]));
    carried c = carry(&s, 2.0, NULL);
    for (size_t i = 0; i < n; ++i) {
        assert_true(fabsf(c.u[0][i]) <= most);
        assert_true(fabsf(c.phi[i]) <= s.band);
    }
    drop(&s, &c);
    close_water(&s);
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    uint64_t hash[4];
    for (int n = 0; n < 4; ++n) {
        const sp_host host = sp_host_default(threads[n]);
        water s = block(&host, 0.5f, (int32_t[3]){0, 3, 0}, (int32_t[3]){3, 3, 3}, 0.2f, wavy);
        forget_some(&s, 9);
        carried c = carry(&s, 1.5, NULL);
        const size_t bytes = s.tiles.count * SP_TILE_VOXELS * sizeof(float);
        hash[n] = sp_hash(0, c.phi, bytes);
        for (int a = 0; a < 3; ++a)
            hash[n] = sp_hash(hash[n], c.u[a], bytes);
        assert_true(hash[n] == hash[0]);
        drop(&s, &c);
        close_water(&s);
    }
}

static void only_requested_rows_are_advected(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    water s = block(&host, 0.5f, (int32_t[3]){0}, (int32_t[3]){4, 3, 2}, 0.1f, wavy);
    uint64_t *rows = calloc(s.tiles.count, sizeof *rows);
    for (size_t t = 0; t < s.tiles.count; ++t) // all, none, or some
        rows[t] = t % 4 == 0 ? ~(uint64_t)0 : t % 4 == 1 ? 0 : sp_mix64(t) & sp_mix64(t + 99);
    carried all = carry(&s, 1.0, NULL), some = carry(&s, 1.0, rows);
    for (size_t i = 0; i < s.tiles.count * SP_TILE_VOXELS; ++i)
        for (int place = 0; place < 4; ++place) {
            const float there = place == 3 ? some.phi[i] : some.u[place][i];
            const float whole = place == 3 ? all.phi[i] : all.u[place][i];
            const bool asked = rows[i / SP_TILE_VOXELS] >> (i % SP_TILE_VOXELS / 16 * 2) & 3;
            assert_true(there == (asked ? whole : 55.0f));
        }
    free(rows);
    drop(&s, &all);
    drop(&s, &some);
    close_water(&s);
}

/// Velocities beyond the width of a patch: values come from 7.49 voxels away and nothing is read
/// outside the patch. At the ends of the domain values mix with 0.
static void displacement_is_limited_to_the_patch(void **state)
{
    (void)state;
    water s = block(HOST, 1.0f, (int32_t[3]){0}, (int32_t[3]){4, 4, 4}, 0.0f, steady);
    carried c = carry(&s, 100.0, NULL);
    for (size_t i = 0; i < s.tiles.count * SP_TILE_VOXELS; ++i)
        assert_true(fabsf(c.phi[i]) <= s.band && c.u[0][i] >= 0.0f && c.u[0][i] <= 1.0f);
    drop(&s, &c);
    close_water(&s);
}

/// ---- Values outside the tiles ------------------------------------------------------------------

/// A linear field, which trilinear interpolation and values at whole voxels reproduce exactly.
static float ramp(const double p[3], int axis)
{
    (void)axis;
    return (float)(0.25 * p[0] - 0.5 * p[1] + 0.125 * p[2]);
}

/// The same everywhere in the world: `steady` advects `ramp`; `end` gives the ramp after the step.
static void sample_ramp(const void *arg, int place, bool carrier, bool end, const int32_t first[3],
                        int n, float *values)
{
    (void)arg;
    for (int i = 0; i < n; ++i) {
        double p[3] = {first[0] + i + 0.5, first[1] + 0.5, first[2] + 0.5};
        if (place != SP_FLOW_CELLS) p[place] -= 0.5;
        for (int a = 0; a < 3 && end; ++a)
            p[a] -= (double)steady(p, a);
        values[i] = carrier ? steady(p, place) : ramp(p, place);
    }
}

/// With a sampler, values from outside the tiles are as exact as those inside: a ramp that moves by
/// whole voxels is exact up to the last voxel, at cells and on faces. Without one, cells that water
/// from outside reaches tend towards +band.
static void water_from_outside_is_sampled(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_flow_sampler outside = {.row = sample_ramp, .fastest = 3.0f};
    water s = block(&host, 1.0f, (int32_t[3]){0}, (int32_t[3]){2, 2, 1}, 0.0f, steady);
    float *ramps[3];
    carried c = {{0}, sp_tiles_field(&s.tiles, 55.0f)};
    s.band = 100.0f;
    for (int a = 0; a < 3; ++a) {
        ramps[a] = sp_tiles_field(&s.tiles, 0.0f);
        c.u[a] = sp_tiles_field(&s.tiles, 55.0f);
    }
    for (size_t i = 0; i < s.tiles.count * SP_TILE_VOXELS; ++i)
        for (int a = 0; a < 4; ++a) {
            double p[3];
            centre_of(&s, i, a, p);
            *(a == 3 ? &s.phi[i] : &ramps[a][i]) = ramp(p, a);
        }
    sp_flow_advection way = advection_of(&s);
    for (int b = 0; b < 3; ++b)
        way.faces[b] = ramps[b];
    assert_ok(sp_flow_advect(&way, 1.0, c.u, c.phi, &s.scratch, ERR));
    const double came_from[3] = {-0.5, 10.5, -2.5};
    const float first = sp_tiles_value(&s.tiles, c.phi, (int32_t[3]){0, 8, 0}, 0.0f);
    assert_true(first > ramp(came_from, 3) + 1.0f);
    way.outside = &outside;
    assert_ok(sp_flow_advect(&way, 1.0, c.u, c.phi, &s.scratch, ERR));
    for (size_t i = 0; i < s.tiles.count * SP_TILE_VOXELS; ++i)
        for (int b = 0; b < 4; ++b) {
            double p[3], from[3];
            centre_of(&s, i, b, p);
            for (int d = 0; d < 3; ++d)
                from[d] = p[d] - (double)steady(p, d);
            assert_true((b == 3 ? c.phi[i] : c.u[b][i]) == ramp(from, b));
        }
    for (int a = 0; a < 3; ++a)
        sp_release(&host, ramps[a]);
    drop(&s, &c);
    close_water(&s);
}

static sp_status open_and_carry(const sp_host *host, sp_error *err)
{
    const int32_t at[2][3] = {{0, 0, 0}, {1, 0, 0}};
    water s;
    float *phi = NULL;
    sp_status status = open_water(&s, host, 0.5f, (int32_t[3]){0}, at, 2, wavy, err);
    if (status == SP_OK) {
        phi = sp_tiles_field(&s.tiles, 0.0f);
        const sp_flow_advection a = advection_of(&s);
        status = phi ? sp_flow_advect(&a, 0.1, NULL, phi, &s.scratch, err)
                     : sp_fail(err, SP_NO_MEMORY, "no memory for the test");
    }
    sp_release(host, phi);
    close_water(&s);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advection_equals_a_plain_reference),
        cmocka_unit_test(moving_by_whole_voxels_is_exact),
        cmocka_unit_test(advection_error_is_second_order),
        cmocka_unit_test(advection_creates_no_new_extremes),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(only_requested_rows_are_advected),
        cmocka_unit_test(displacement_is_limited_to_the_patch),
        cmocka_unit_test(water_from_outside_is_sampled),
        test_failing_allocations(open_and_carry, 1, 12),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
