// SPDX-License-Identifier: Apache-2.0
// links: particles core
#include "particles/particles.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

enum { N = 40000 }; // several blocks of the sort

typedef struct cloud {
    float *p[3];
} cloud;

/// Whole coordinates in [0, side], with a particle in each far corner.
static cloud make_cloud(float side)
{
    cloud c;
    for (int a = 0; a < 3; ++a) {
        c.p[a] = malloc(N * sizeof(float));
        assert_non_null(c.p[a]);
        for (size_t i = 0; i < N; ++i)
            c.p[a][i] = floorf(side * sp_unit(sp_random(5, 1, i, 0, 0).x[a]));
        c.p[a][0] = 0.0f;
        c.p[a][1] = side;
    }
    return c;
}

static void drop_cloud(cloud *c)
{
    for (int a = 0; a < 3; ++a)
        free(c->p[a]);
}

/// The code by its definition: interleaved bits of the cell's x, y (and z).
static uint32_t code(const sp_lattice *box, const cloud *c, uint32_t i)
{
    uint32_t key = 0;
    for (int bit = 0; bit < 32 / box->dims; ++bit)
        for (int a = 0; a < box->dims; ++a)
            key |= ((uint32_t)sp_lattice_at(box, a, c->p[a][i]) >> bit & 1u)
                   << (bit * box->dims + a);
    return key;
}

static void find(sp_zorder *z, const cloud *c, size_t n, float edge)
{
    assert_ok(sp_zorder_find(z, n, c->p[0], c->p[1], c->p[2], edge, ERR));
}

/// 4 to 16 bits per axis give keys of every length that the sort treats differently.
static void order_follows_the_curve_and_is_stable(void **state)
{
    (void)state;
    static const float sides[] = {1.0f, 3.0f, 16.0f, 100.0f, 1000.0f, 60000.0f};
    const sp_host host = sp_host_default(2);
    for (int dims = 2; dims <= 3; ++dims) {
        sp_zorder *z;
        assert_ok(sp_zorder_open(dims, &host, &z, ERR));
        for (size_t s = 0; s < (dims == 2 ? 6 : 5); ++s) {
            cloud c = make_cloud(sides[s]);
            sp_lattice box;
            const float high[3] = {sides[s], sides[s], sides[s]};
            sp_lattice_shape(&box, dims, (const float[3]){0, 0, 0}, high, 1.0f, SIZE_MAX);
            find(z, &c, N, 1.0f);
            const uint32_t *order = sp_zorder_order(z);
            for (size_t k = 1; k < N; ++k) {
                const uint32_t before = code(&box, &c, order[k - 1]),
                               now = code(&box, &c, order[k]);
                assert_true(before < now || (before == now && order[k - 1] < order[k]));
            }
            drop_cloud(&c);
        }
        sp_zorder_close(z);
    }
}

static void order_does_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    cloud c = make_cloud(50.0f);
    uint32_t *first = malloc(N * sizeof *first);
    assert_non_null(first);
    for (int t = 0; t < 4; ++t) {
        const sp_host host = sp_host_default(threads[t]);
        sp_zorder *z;
        assert_ok(sp_zorder_open(3, &host, &z, ERR));
        find(z, &c, N, 0.7f);
        if (t == 0) memcpy(first, sp_zorder_order(z), N * sizeof *first);
        assert_memory_equal(first, sp_zorder_order(z), N * sizeof *first);
        sp_zorder_close(z);
    }
    free(first);
    drop_cloud(&c);
}

/// One particle far away does not coarsen the order of the others: the two corners stay apart.
static void one_outlier_does_not_spoil_the_order(void **state)
{
    (void)state;
    cloud c = make_cloud(64.0f);
    for (int a = 0; a < 3; ++a)
        c.p[a][9] = 1e7f;
    sp_zorder *z;
    assert_ok(sp_zorder_open(3, HOST, &z, ERR));
    find(z, &c, N, 1.0f);
    double jump = 0.0; // mean distance along x from one particle to the next
    for (size_t k = 1; k < N; ++k) {
        const uint32_t i = sp_zorder_order(z)[k - 1], j = sp_zorder_order(z)[k];
        if (i != 9 && j != 9) jump += fabs((double)c.p[0][i] - (double)c.p[0][j]) / N;
    }
    // A third of 64 without any order; a few cells when the order follows the curve.
    assert_true(jump < 4.0);
    sp_zorder_close(z);
    drop_cloud(&c);
}

static void odd_input_is_refused_or_harmless(void **state)
{
    (void)state;
    cloud c = make_cloud(10.0f);
    sp_zorder *z;
    assert_ok(sp_zorder_open(2, HOST, &z, ERR));
    find(z, &c, 0, 1.0f);
    find(z, &c, 1, 1.0f);
    assert_int_equal(sp_zorder_order(z)[0], 0);
    assert_int_equal(sp_zorder_find(z, 9, c.p[0], c.p[1], NULL, 0.0f, ERR), SP_BAD_INPUT);
    c.p[1][7] = NAN;
    assert_fails(sp_zorder_find(z, 9, c.p[0], c.p[1], NULL, 1.0f, ERR), SP_DIVERGED, "particle 7");
    sp_zorder_close(z);
    sp_zorder_close(NULL);
    drop_cloud(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_follows_the_curve_and_is_stable),
        cmocka_unit_test(order_does_not_depend_on_threads),
        cmocka_unit_test(one_outlier_does_not_spoil_the_order),
        cmocka_unit_test(odd_input_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
