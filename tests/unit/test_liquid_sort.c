// SPDX-License-Identifier: Apache-2.0
// links: liquid
#include "test_liquid_moving.h"

#include <stdlib.h>

static void opened(liquid *s, const sp_host *host, const moving_def *d)
{
    assert_ok(moving_open(s, host, d, ERR));
}

static int uneven(const int32_t v[3])
{
    return abs(v[0] * 7 + v[1] * 13 + v[2] * 29) % 5;
}

static const moving_def cloud = {.method = SP_LIQUID_APIC,
                                 .voxel = 0.1f,
                                 .cfl = 6.0f,
                                 .low = {-2, -1, -1},
                                 .high = {2, 1, 2},
                                 .count = uneven};

/// Moves every particle by up to 7 voxels, removes one in eleven, and puts a few where rounding is
/// difficult: just below a tile and on its edges.
static void disturb(liquid *s)
{
    liquid_particles *p = &s->particles;
    static const float edges[] = {-1e-9f, 0.0f, 8.0f, 0x1.fffffep+2f, -0.0f, 7.5f, -1e-7f};
    for (size_t i = 0; i < p->set.count; ++i) {
        for (int a = 0; a < 3; ++a) {
            p->x[a][i] += i % 3 ? 14.0f * (water_unit(i, 7, a) - 0.5f) : 0.0f;
            if (i % 13 == 5) p->x[a][i] = edges[(i + (size_t)a) % 7];
        }
        if (i % 11 == 3) p->id[i] = SP_POINT_GONE;
    }
}

/// ---- Reference: a comparison sort --------------------------------------------------------------

typedef struct entry {
    uint32_t tile, voxel;
    size_t from;
    float x[3];
} entry;

static int by_tile_voxel_and_order(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->tile != b->tile) return a->tile < b->tile ? -1 : 1;
    if (a->voxel != b->voxel) return a->voxel < b->voxel ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static size_t tile_of(const liquid *s, size_t i)
{
    size_t t = 0;
    while (s->particles.start[t + 1] <= i)
        ++t;
    return t;
}

/// Where particle i of `from` is in `to`.
static entry locate(const liquid *s, const sp_tiles *from, const sp_tiles *to, size_t i)
{
    entry e = {.from = i};
    const int32_t *base = from->at[tile_of(s, i)];
    int32_t at[3], voxel[3];
    for (int a = 0; a < 3; ++a) {
        const double x = (double)s->particles.x[a][i];
        at[a] = base[a] + (int32_t)floor(x / 8.0);
        voxel[a] = (int32_t)floor(x - 8.0 * floor(x / 8.0));
        e.x[a] = fminf((float)(x - 8.0 * floor(x / 8.0)), SP_POINT_LAST);
    }
    e.tile = sp_tiles_find(to, at);
    e.voxel = sp_tile_place(voxel[0], voxel[1], voxel[2]);
    return e;
}

static size_t sort_by_hand(const liquid *s, const sp_tiles *from, const sp_tiles *to, entry *list)
{
    size_t n = 0;
    for (size_t i = 0; i < s->particles.set.count; ++i) {
        if (s->particles.id[i] == SP_POINT_GONE) continue;
        const entry e = locate(s, from, to, i);
        if (e.tile != SP_NO_TILE) list[n++] = e;
    }
    qsort(list, n, sizeof *list, by_tile_voxel_and_order);
    return n;
}

/// ---- Tests -------------------------------------------------------------------------------------

/// The tiles that liquid_reach marks.
static sp_tiles reached(const liquid *s)
{
    uint32_t *reach = malloc(s->grid.tiles.count * sizeof *reach);
    int32_t(*at)[3] = malloc(27 * s->grid.tiles.count * sizeof *at);
    water_reach(s, reach);
    size_t n = 0;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (int k = 0; k < SP_TILES_AROUND; ++k) {
            if (!(reach[t] >> k & 1)) continue;
            const int off[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
            for (int a = 0; a < 3; ++a)
                at[n][a] = s->grid.tiles.at[t][a] + off[a];
            ++n;
        }
    sp_tiles tiles;
    assert_ok(sp_tiles_open_periodic(&tiles, s->host, s->grid.voxel, s->grid.tiles.period,
                                     (const int32_t(*)[3])at, n, ERR));
    free(reach);
    free(at);
    return tiles;
}

typedef struct copies {
    float *column[15];
    uint64_t *id;
} copies;

static copies copy_all(const liquid *s)
{
    copies c;
    const size_t n = s->particles.set.count;
    for (int k = 0; k < 15; ++k) {
        c.column[k] = malloc(n * sizeof(float));
        memcpy(c.column[k], s->particles.set.data[k], n * sizeof(float));
    }
    c.id = malloc(n * sizeof(uint64_t));
    memcpy(c.id, s->particles.id, n * sizeof(uint64_t));
    return c;
}

static void free_all(copies *c)
{
    for (int k = 0; k < 15; ++k)
        free(c->column[k]);
    free(c->id);
}

/// Sorts into the given tiles and compares every column of every particle with the reference sort.
static void check_sort(liquid *s, sp_tiles tiles)
{
    entry *list = malloc(s->particles.set.count * sizeof *list);
    copies old = copy_all(s);
    sp_tiles from = s->grid.tiles;
    const size_t n = sort_by_hand(s, &from, &tiles, list);
    s->grid.tiles = tiles;
    assert_ok(water_sort(s, &from, ERR));
    const liquid_particles *p = &s->particles;
    assert_int_equal(p->set.count, n);
    assert_int_equal(p->start[0], 0);
    assert_int_equal(p->start[tiles.count], n);
    for (size_t i = 0; i < n; ++i) {
        assert_true(i >= p->start[list[i].tile] && i < p->start[list[i].tile + 1]);
        assert_int_equal(p->id[i], old.id[list[i].from]);
        for (int a = 0; a < 3; ++a) {
            assert_true(p->x[a][i] == list[i].x[a]);
            assert_true(p->x[a][i] >= 0.0f && p->x[a][i] < 8.0f);
        }
        for (int c = 3; c < 15; ++c)
            assert_true(((float *)p->set.data[c])[i] == old.column[c][list[i].from]);
    }
    free(list);
    free_all(&old);
    sp_tiles_close(&from);
}

/// The requested tiles suffice, and none is superfluous: each has a particle.
static void sort_equals_a_comparison_sort(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s;
    opened(&s, &host, &cloud);
    disturb(&s);
    size_t gone = 0;
    const size_t n = s.particles.set.count;
    for (size_t i = 0; i < n; ++i)
        gone += s.particles.id[i] == SP_POINT_GONE;
    check_sort(&s, reached(&s));
    assert_int_equal(s.particles.set.count, n - gone);
    assert_int_equal(s.figures.left, 0);
    for (size_t t = 0; t < s.grid.tiles.count; ++t)
        assert_true(s.particles.start[t + 1] > s.particles.start[t]);
    disturb(&s); // and again, with more tiles and the other set of columns
    check_sort(&s, reached(&s));
    moving_close(&s);
}

static void particles_without_a_tile_are_removed(void **state)
{
    (void)state;
    liquid s;
    opened(&s, HOST, &cloud);
    disturb(&s);
    const int32_t one[1][3] = {{0, 0, 0}};
    size_t alive = 0;
    for (size_t i = 0; i < s.particles.set.count; ++i)
        alive += s.particles.id[i] != SP_POINT_GONE;
    sp_tiles few;
    assert_ok(sp_tiles_open(&few, HOST, 0.1f, one, 1, ERR));
    check_sort(&s, few);
    assert_true(s.particles.set.count > 100);
    assert_int_equal(s.figures.left, alive - s.particles.set.count);
    moving_close(&s);
}

/// With a period of one or two tiles a tile is its own neighbour, or twice the neighbour of
/// another.
static void periodic_tiles_receive_particles_across_the_seam(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const int32_t periods[][3] = {{1, 0, 2}, {2, 0, 3}, {4, 1, 1}};
    for (size_t k = 0; k < sizeof periods / sizeof *periods; ++k) {
        moving_def d = cloud;
        for (int a = 0; a < 3; ++a) {
            d.low[a] = 0;
            d.high[a] = periods[k][a] ? periods[k][a] : 2;
        }
        liquid s;
        opened(&s, &host, &d);
        sp_tiles open = s.grid.tiles;
        assert_ok(sp_tiles_open_periodic(&s.grid.tiles, &host, 0.1f, periods[k],
                                         (const int32_t(*)[3])open.at, open.count, ERR));
        sp_tiles_close(&open);
        disturb(&s);
        check_sort(&s, reached(&s));
        moving_close(&s);
    }
}

static void sorting_no_particles_works(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    liquid s = {.host = &host, .grid = {.voxel = 0.1f}, .scratch = {.host = &host}};
    assert_ok(liquid_particles_open(&s.particles, &s.def, s.grid.tiles.count, s.host, ERR));
    water_advect(&s, s.grid.u, 0.1);
    assert_ok(water_sort(&s, &s.grid.tiles, ERR));
    water_gather(&s, s.grid.u, 0.1);
    assert_int_equal(s.particles.set.count, 0);
    liquid_particles_close(&s.particles);
    liquid_particles_close(&s.particles); // may be closed twice
    sp_scratch_close(&s.scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sort_equals_a_comparison_sort),
        cmocka_unit_test(particles_without_a_tile_are_removed),
        cmocka_unit_test(periodic_tiles_receive_particles_across_the_seam),
        cmocka_unit_test(sorting_no_particles_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
