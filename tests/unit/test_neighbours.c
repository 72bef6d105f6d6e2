// SPDX-License-Identifier: Apache-2.0
// links: particles core
#include "particles/candidates.h"
#include "particles/particles.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

/// Difficult distributions of n particles. The support is 1.
typedef enum layout {
    RANDOM,    ///< uniform
    LATTICE,   ///< spacing 1/2: many pairs exactly one support apart, which must not count
    BORDERS,   ///< coordinates that are whole numbers, where cells meet
    CLUSTERED, ///< a few dense clusters, far apart
    ONE_CELL,  ///< all within one support: more candidates than are gathered
    SAME,      ///< all at one place
    FAR_AWAY,  ///< uniform, with one particle at a million supports
    LAYOUTS
} layout;

static float unit(size_t i, int axis)
{
    return sp_unit(sp_random(7, 1, i, 0, 0).x[axis]);
}

static float place(layout how, size_t i, int axis)
{
    const size_t digit = axis == 0 ? i % 9 : axis == 1 ? i / 9 % 9 : i / 81;
    switch (how) {
    case RANDOM:
        return 6.0f * unit(i, axis) - 3.0f;
    case LATTICE:
        return 0.5f * (float)digit;
    case BORDERS:
        return floorf(7.0f * unit(i, axis));
    case CLUSTERED:
        return 100.0f * floorf(3.0f * unit(i % 5, axis)) + 1.5f * unit(i, axis);
    case ONE_CELL:
        return 0.9f * unit(i, axis);
    case SAME:
        return -0.3f;
    case FAR_AWAY:
        return i == 17 ? 1e6f : 5.0f * unit(i, axis);
    case LAYOUTS:
        break;
    }
    return 0.0f;
}

typedef struct cloud {
    size_t n;
    int dims;
    float *p[3];
} cloud;

/// Exactly n floats per axis, so that a read beyond the end is caught.
static cloud make_cloud(layout how, int dims, size_t n)
{
    cloud c = {.n = n, .dims = dims};
    for (int a = 0; a < dims; ++a) {
        c.p[a] = malloc(n ? n * sizeof(float) : 1);
        assert_non_null(c.p[a]);
        for (size_t i = 0; i < n; ++i)
            c.p[a][i] = place(how, i, a);
    }
    return c;
}

static void drop_cloud(cloud *c)
{
    for (int a = 0; a < c->dims; ++a)
        free(c->p[a]);
}

static bool near(const cloud *c, size_t i, size_t j)
{
    const float dx = c->p[0][j] - c->p[0][i], dy = c->p[1][j] - c->p[1][i];
    const float dz = c->dims == 3 ? c->p[2][j] - c->p[2][i] : 0.0f;
    return i != j && fmaf(dz, dz, fmaf(dy, dy, dx * dx)) < 1.0f;
}

static void build(sp_neighbours *nb, const cloud *c)
{
    assert_ok(sp_neighbours_build(nb, c->n, c->p[0], c->p[1], c->p[2], 1.0f, ERR));
}

/// Counts each pair in both directions; `listed` marks the neighbours of one particle.
static void same_as_brute_force(const sp_neighbours_view *v, const cloud *c, uint8_t *listed)
{
    uint64_t pairs = 0;
    assert_int_equal(v->count, c->n);
    for (size_t i = 0; i < c->n; ++i) {
        memset(listed, 0, c->n);
        for (size_t k = 0; k < v->list[i].count; ++k) {
            const uint32_t j = v->index[v->list[i].start + k];
            assert_true(j < c->n && !listed[j]);
            listed[j] = 1;
        }
        for (size_t k = 0; k < SP_LANES; ++k)
            assert_true(v->index[v->list[i].start + v->list[i].count + k] < c->n);
        for (size_t j = 0; j < c->n; ++j) {
            assert_int_equal(listed[j], near(c, i, j));
            pairs += listed[j];
        }
    }
    assert_int_equal(v->pairs, pairs);
}

static void lists_equal_brute_force(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 729, 2500};
    const sp_host host = sp_host_default(2);
    uint8_t listed[2500];
    for (int dims = 2; dims <= 3; ++dims) {
        sp_neighbours *nb;
        assert_ok(sp_neighbours_open(dims, &host, &nb, ERR));
        for (layout how = RANDOM; how < LAYOUTS; ++how)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
                cloud c = make_cloud(how, dims, sizes[s]);
                build(nb, &c);
                const sp_neighbours_view v = sp_neighbours_look(nb);
                same_as_brute_force(&v, &c, listed);
                drop_cloud(&c);
            }
        sp_neighbours_close(nb);
    }
}

/// A support far below the spacing of floats: only coincident particles are neighbours.
static void tiny_support_finds_only_coincident_particles(void **state)
{
    (void)state;
    cloud c = make_cloud(RANDOM, 3, 1000);
    for (int a = 0; a < 3; ++a)
        for (size_t i = 0; i < c.n; ++i)
            c.p[a][i] = i % 2 ? c.p[a][i - 1] : 1e6f + 1e3f * c.p[a][i];
    sp_neighbours *nb;
    assert_ok(sp_neighbours_open(3, HOST, &nb, ERR));
    assert_ok(sp_neighbours_build(nb, c.n, c.p[0], c.p[1], c.p[2], 1e-12f, ERR));
    const sp_neighbours_view v = sp_neighbours_look(nb);
    for (size_t i = 0; i < c.n; ++i) {
        assert_int_equal(v.list[i].count, 1);
        assert_int_equal(v.index[v.list[i].start], i ^ 1);
    }
    sp_neighbours_close(nb);
    drop_cloud(&c);
}

/// One particle a million supports away must not enlarge the cells until all others are in one.
static void cells_stay_small_when_one_particle_flies_off(void **state)
{
    (void)state;
    static const float far[] = {1e6f, -1e6f, 1e30f, -3e38f};
    sp_neighbours *nb;
    assert_ok(sp_neighbours_open(3, HOST, &nb, ERR));
    for (size_t k = 0; k < sizeof far / sizeof *far; ++k) {
        cloud c = make_cloud(RANDOM, 3, 2500);
        for (int a = 0; a < 3; ++a)
            c.p[a][3] = far[k];
        build(nb, &c);
        assert_true(sp_neighbours_look(nb).cells > 5 * 5 * 5);
        drop_cloud(&c);
    }
    sp_neighbours_close(nb);
}

static uint64_t hash_lists(const sp_neighbours_view *v)
{
    uint64_t hash = sp_hash(v->pairs, v->order, v->count * sizeof *v->order);
    for (size_t i = 0; i < v->count; ++i)
        hash = sp_hash(hash, v->index + v->list[i].start, v->list[i].count * sizeof *v->index);
    return hash;
}

/// 40,000 particles make several blocks in every stage, so that threads share work.
static void lists_and_their_order_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    for (int dims = 2; dims <= 3; ++dims) {
        cloud c = make_cloud(RANDOM, dims, 40000);
        for (int a = 0; a < dims; ++a)
            for (size_t i = 0; i < c.n; ++i)
                c.p[a][i] *= dims == 2 ? 10.0f : 2.5f;
        uint64_t hash[4];
        for (int t = 0; t < 4; ++t) {
            const sp_host host = sp_host_default(threads[t]);
            sp_neighbours *nb;
            assert_ok(sp_neighbours_open(dims, &host, &nb, ERR));
            build(nb, &c);
            const sp_neighbours_view v = sp_neighbours_look(nb);
            hash[t] = hash_lists(&v);
            sp_neighbours_close(nb);
            assert_int_equal(hash[t], hash[0]);
        }
        drop_cloud(&c);
    }
}

/// Cells are ordered by z, then y, then x, and particles of a cell by index: if all are in one
/// cell, a list is ascending.
static void lists_within_one_cell_ascend(void **state)
{
    (void)state;
    cloud c = make_cloud(ONE_CELL, 3, 500);
    sp_neighbours *nb;
    assert_ok(sp_neighbours_open(3, HOST, &nb, ERR));
    build(nb, &c);
    const sp_neighbours_view v = sp_neighbours_look(nb);
    for (size_t i = 0; i < c.n; ++i)
        for (size_t k = 1; k < v.list[i].count; ++k)
            assert_true(v.index[v.list[i].start + k - 1] < v.index[v.list[i].start + k]);
    sp_neighbours_close(nb);
    drop_cloud(&c);
}

static void second_build_allocates_nothing(void **state)
{
    (void)state;
    const sp_host inner = sp_host_default(2);
    sp_budget budget;
    const sp_host host = sp_budget_host(&budget, &inner, 0);
    cloud c = make_cloud(RANDOM, 3, 2500);
    sp_neighbours *nb;
    assert_ok(sp_neighbours_open(3, &host, &nb, ERR));
    build(nb, &c);
    const size_t allocations = atomic_load(&budget.allocations);
    for (size_t i = 0; i < c.n; ++i)
        c.p[0][i] += 0.01f * unit(i, 3);
    build(nb, &c);
    assert_int_equal(atomic_load(&budget.allocations), allocations);
    sp_neighbours_close(nb);
    assert_int_equal(atomic_load(&budget.used), 0);
    drop_cloud(&c);
}

static void refusals_name_what_is_wrong_and_leave_no_lists(void **state)
{
    (void)state;
    cloud c = make_cloud(RANDOM, 3, 100);
    sp_neighbours *nb;
    assert_ok(sp_neighbours_open(3, HOST, &nb, ERR));
    static const float wrong[] = {0.0f, -1.0f, INFINITY, NAN};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        build(nb, &c);
        assert_fails(sp_neighbours_build(nb, c.n, c.p[0], c.p[1], c.p[2], wrong[k], ERR),
                     SP_BAD_INPUT, "support");
        assert_int_equal(sp_neighbours_look(nb).count, 0);
    }
    for (int a = 0; a < 3; ++a)
        for (int k = 2; k < 4; ++k) {
            const float good = c.p[a][42];
            c.p[a][42] = wrong[k];
            assert_fails(sp_neighbours_build(nb, c.n, c.p[0], c.p[1], c.p[2], 1.0f, ERR),
                         SP_DIVERGED, "particle 42");
            assert_int_equal(sp_neighbours_look(nb).count, 0);
            c.p[a][42] = good;
        }
    sp_neighbours_close(nb);
    drop_cloud(&c);
}

/// Every mask of sixteen bits, and distances below, at and above the limit, and NaN.
static void vector_code_equals_scalar_code(void **state)
{
    (void)state;
    uint32_t index[SP_LANES], fast[2 * SP_LANES], plain[2 * SP_LANES];
    for (uint32_t l = 0; l < SP_LANES; ++l)
        index[l] = 1000 + l;
    for (uint32_t mask = 0; mask < 1u << SP_LANES; ++mask) {
        const uint32_t count = sp_compress(fast, mask, index);
        assert_int_equal(count, sp_compress_plain(plain, mask, index));
        assert_memory_equal(fast, plain, count * sizeof *fast);
    }
    static const float odd[] = {0.0f, -1.0f, 1.0f, 0.99999994f, 1e-30f, 1e30f, INFINITY, NAN};
    for (size_t k = 0; k < 4096; ++k) {
        sp_f16 d[3];
        for (int a = 0; a < 3; ++a)
            for (size_t l = 0; l < SP_LANES; ++l)
                d[a][l] = unit(k, 3) < 0.2f ? odd[((k >> a) + l) % 8] : 1.2f * unit(16 * k + l, a);
        assert_int_equal(sp_near(d[0], d[1], d[2], 1.0f), sp_near_plain(d[0], d[1], d[2], 1.0f));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_equal_brute_force),
        cmocka_unit_test(cells_stay_small_when_one_particle_flies_off),
        cmocka_unit_test(tiny_support_finds_only_coincident_particles),
        cmocka_unit_test(lists_and_their_order_do_not_depend_on_threads),
        cmocka_unit_test(lists_within_one_cell_ascend),
        cmocka_unit_test(second_build_allocates_nothing),
        cmocka_unit_test(refusals_name_what_is_wrong_and_leave_no_lists),
        cmocka_unit_test(vector_code_equals_scalar_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
