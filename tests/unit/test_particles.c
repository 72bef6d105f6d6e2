// SPDX-License-Identifier: Apache-2.0
// links: particles core
#include "particles/particles.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

static const sp_column_def columns[] = {{"px", SP_F32}, {"vol", SP_F64}, {"id", SP_U64}};

/// A set of n particles with id = 100 + i and px, vol made from it.
static sp_particles numbered(const sp_host *host, size_t n)
{
    sp_particles set;
    assert_ok(sp_particles_open(&set, host, columns, 3, n, ERR));
    assert_int_equal(sp_particles_append(&set, n), 0);
    for (size_t i = 0; i < n; ++i) {
        ((float *)set.data[0])[i] = (float)i;
        ((double *)set.data[1])[i] = 0.5 * (double)i;
        ((uint64_t *)set.data[2])[i] = 100 + i;
    }
    return set;
}

/// All three columns hold the values of particle i at a place.
static bool holds(const sp_particles *set, size_t place, size_t i)
{
    return ((float *)set->data[0])[place] == (float)i &&
           ((double *)set->data[1])[place] == 0.5 * (double)i &&
           ((uint64_t *)set->data[2])[place] == 100 + i;
}

static void columns_are_found_by_name_and_aligned(void **state)
{
    (void)state;
    sp_particles set = numbered(HOST, 5);
    assert_ptr_equal(sp_particles_data(&set, "vol"), set.data[1]);
    assert_null(sp_particles_data(&set, "volume"));
    assert_true(sp_particles_is_valid(&set));
    set.count = 6;
    assert_false(sp_particles_is_valid(&set));
    set.count = 5;
    sp_particles_close(&set);
    sp_particles_close(&set); // closing zeroes the set
    assert_false(sp_particles_is_valid(&set));
}

/// A vector load at the last particle must lie within the column; the address sanitizer checks it.
static void whole_vectors_can_be_read_from_the_last_particle(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 33; ++n) {
        sp_particles set = numbered(HOST, n);
        const sp_f16 v = sp_f16_load((float *)set.data[0] + n - 1);
        assert_true(v[0] == (float)(n - 1));
        sp_particles_close(&set);
    }
}

static void growth_keeps_particles_and_new_ones_are_zero(void **state)
{
    (void)state;
    sp_particles set = numbered(HOST, 100);
    assert_ok(sp_particles_reserve(&set, 101, ERR));
    assert_true(set.capacity >= 150); // geometric
    memset((char *)set.data[2] + 100 * 8, 0xff, 8);
    assert_int_equal(sp_particles_append(&set, 1), 100);
    assert_int_equal(((uint64_t *)set.data[2])[100], 0);
    for (size_t i = 0; i < 100; ++i)
        assert_true(holds(&set, i, i));
    sp_particles_close(&set);
}

static void absurd_capacities_are_refused(void **state)
{
    (void)state;
    sp_particles set;
    *ERR = (sp_error){0};
    assert_int_equal(sp_particles_open(&set, HOST, columns, 3, SIZE_MAX, ERR), SP_NO_MEMORY);
    assert_true(strlen(ERR->text) > 0);
    set = numbered(HOST, 3);
    assert_int_equal(sp_particles_reserve(&set, SIZE_MAX - 3, ERR), SP_NO_MEMORY);
    assert_true(set.count == 3 && holds(&set, 2, 2));
    sp_particles_close(&set);
}

/// None, first, last, all, every other, and long runs.
static void removal_keeps_the_order_of_the_rest(void **state)
{
    (void)state;
    uint8_t gone[100];
    for (int pattern = 0; pattern < 6; ++pattern) {
        sp_particles set = numbered(HOST, 100);
        for (size_t i = 0; i < 100; ++i) {
            const bool rows[] = {false, i == 0, i == 99, true, i % 2 != 0, i / 17 % 2 == 0};
            gone[i] = rows[pattern] ? (uint8_t)(1 + i) : 0;
        }
        sp_particles_remove(&set, gone);
        size_t place = 0;
        for (size_t i = 0; i < 100; ++i)
            if (!gone[i]) assert_true(holds(&set, place++, i));
        assert_int_equal(set.count, place);
        sp_particles_close(&set);
    }
}

static void reordering_applies_the_permutation(void **state)
{
    (void)state;
    enum { N = 40000 };
    const sp_host host = sp_host_default(3);
    sp_particles set = numbered(&host, N);
    uint32_t *order = malloc(N * sizeof *order);
    uint64_t *scratch = malloc(N * sizeof *scratch);
    assert_true(order && scratch);
    for (uint32_t k = 0; k < N; ++k)
        order[k] = (k * 7919u + 5u) % N; // 7919 and 40000 share no factor
    sp_particles_reorder(&set, order, scratch);
    for (size_t k = 0; k < N; ++k)
        assert_true(holds(&set, k, order[k]));
    free(order);
    free(scratch);
    sp_particles_close(&set);
}

typedef struct cloud {
    size_t n;
    float *p[3];
} cloud;

/// Uniform in and a little around the box [-1, 2]^3; some lie on borders between cells.
static cloud make_cloud(size_t n)
{
    cloud c = {.n = n};
    for (int a = 0; a < 3; ++a) {
        c.p[a] = malloc((n + 1) * sizeof(float));
        assert_non_null(c.p[a]);
        for (size_t i = 0; i < n; ++i) {
            const float u = sp_unit(sp_random(3, 1, i, 0, 0).x[a]);
            c.p[a][i] = i % 7 == 0 ? floorf(8.0f * u) * 0.5f - 1.5f : 3.4f * u - 1.2f;
        }
    }
    if (n > 20) c.p[0][20] = NAN, c.p[1][19] = INFINITY, c.p[2][18] = -INFINITY;
    return c;
}

static void drop_cloud(cloud *c)
{
    for (int a = 0; a < 3; ++a)
        free(c->p[a]);
}

static void open_cells(sp_cells *cells, const sp_host *host, int dims, float edge, size_t n)
{
    assert_ok(sp_cells_open(cells, host, 5000, n, ERR));
    sp_cells_shape(cells, dims, (const float[]){-1, -1, -1}, (const float[]){2, 2, 2}, edge);
}

/// Each particle is listed once, in the cell that its coordinates give, and cells list ascending
/// indices.
static void is_a_stable_sort(const sp_cells *cells, const cloud *c)
{
    const sp_lattice *l = &cells->lattice;
    const size_t count = (size_t)(l->n[0] * l->n[1] * l->n[2]);
    assert_int_equal(cells->cells, count);
    assert_int_equal(cells->start[0], 0);
    assert_int_equal(cells->start[count], c->n);
    for (size_t k = 0; k < count; ++k)
        for (uint32_t at = cells->start[k]; at < cells->start[k + 1]; ++at) {
            const uint32_t i = cells->order[at];
            int32_t cell = l->dims == 3 ? sp_lattice_at(l, 2, c->p[2][i]) : 0;
            cell = cell * l->n[1] + sp_lattice_at(l, 1, c->p[1][i]);
            cell = cell * l->n[0] + sp_lattice_at(l, 0, c->p[0][i]);
            assert_int_equal(cell, k);
            assert_int_equal(cells->cell[i], k);
            assert_true(at == cells->start[k] || cells->order[at - 1] < i);
        }
}

/// Small fills run serially, 40,000 particles run in blocks; one thread always runs serially.
static void filling_sorts_by_cell_for_every_number_of_threads(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 31, 1000, 40000};
    static const int threads[] = {1, 2, 3, 5};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        cloud c = make_cloud(sizes[s]);
        for (int t = 0; t < 4; ++t)
            for (int dims = 2; dims <= 3; ++dims) {
                const sp_host host = sp_host_default(threads[t]);
                sp_cells cells;
                open_cells(&cells, &host, dims, 0.25f, c.n);
                sp_cells_fill(&cells, c.n, c.p[0], c.p[1], dims == 3 ? c.p[2] : NULL);
                is_a_stable_sort(&cells, &c);
                sp_cells_close(&cells);
            }
        drop_cloud(&c);
    }
}

static void cells_grow_until_they_fit(void **state)
{
    (void)state;
    sp_cells cells;
    open_cells(&cells, HOST, 3, 0.001f, 0);
    const int32_t *n = cells.lattice.n;
    assert_true(n[0] * n[1] * n[2] <= 5000);
    assert_true(n[0] * n[1] * n[2] > 2500); // but not larger than needed
    sp_cells_shape(&cells, 2, (const float[]){0, 0, 0}, (const float[]){0, 0, 0}, 1.0f);
    assert_true(n[0] == 1 && n[1] == 1 && n[2] == 1);
    sp_cells_close(&cells);
}

/// Positions one edge apart whose quotients round up to the next integer: without slack in the edge
/// such pairs would be two cells apart.
static void particles_one_edge_apart_are_in_cells_that_touch(void **state)
{
    (void)state;
    static const float edges[] = {0.1f, 0.3f, 1.0f / 3.0f, 0.7f};
    for (size_t e = 0; e < sizeof edges / sizeof *edges; ++e) {
        const float edge = edges[e];
        const float low[3] = {-1, 0, 0}, high[3] = {100, 0, 0};
        sp_lattice kinds[2];
        sp_lattice_shape(&kinds[0], 2, low, high, edge, 2000);
        sp_lattice_anchor(&kinds[1], 2, low, high, edge);
        for (int k = 0; k < 1000; ++k) {
            float x = -1.0f + (float)k * edge;
            for (int ulp = 0; ulp < 4; ++ulp, x = nextafterf(x, -2.0f)) {
                for (int kind = 0; kind < 2; ++kind)
                    assert_true(sp_lattice_at(&kinds[kind], 0, x + edge) -
                                    sp_lattice_at(&kinds[kind], 0, x) <=
                                1);
            }
        }
    }
}

static sp_cells sorted_cells(const sp_host *host, const sp_lattice *lattice, const cloud *c)
{
    sp_cells cells;
    const float *const position[3] = {c->p[0], c->p[1], c->p[2]};
    assert_ok(sp_cells_open_sparse(&cells, host, ERR));
    assert_ok(sp_cells_sort(&cells, lattice, c->n, position, NULL, NULL, ERR));
    return cells;
}

/// The table of all cells and the sparse table give the same runs.
static void sparse_cells_agree_with_a_table_of_all_cells(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    cloud c = make_cloud(3000);
    for (int dims = 2; dims <= 3; ++dims) {
        sp_cells all;
        open_cells(&all, &host, dims, 0.25f, c.n);
        sp_cells_fill(&all, c.n, c.p[0], c.p[1], c.p[2]);
        sp_cells sparse = sorted_cells(&host, &all.lattice, &c);
        assert_memory_equal(sparse.order, all.order, c.n * sizeof *all.order);
        const int32_t *n = all.lattice.n;
        for (int32_t j = -1; j <= n[1]; ++j)
            for (int32_t i = -1; i <= n[0]; ++i) {
                const int32_t k = dims == 3 ? (i + j) % n[2] : 0;
                const sp_cell_run a = sp_cells_run(&all, i - 1, i + 1, j, k),
                                  b = sp_cells_run(&sparse, i - 1, i + 1, j, k);
                assert_int_equal(a.end - a.begin, b.end - b.begin);
                assert_true(a.begin == b.begin || a.begin == a.end);
            }
        sp_cells_close(&all);
        sp_cells_close(&sparse);
    }
    drop_cloud(&c);
}

static int compare_cells(const sp_lattice *l, const cloud *c, uint32_t a, uint32_t b)
{
    for (int axis = 2; axis >= 0; --axis) {
        const int32_t x = sp_lattice_at(l, axis, c->p[axis][a]),
                      y = sp_lattice_at(l, axis, c->p[axis][b]);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

/// Keys of 8, 4000 and 400,000 cells along each axis have 9, 36 and 56 bits.
static void lattices_of_any_width_are_sorted_alike(void **state)
{
    (void)state;
    static const float edges[] = {0.5f, 1e-3f, 1e-5f};
    const float low[3] = {-1.5f, -1.5f, -1.5f}, high[3] = {2.5f, 2.5f, 2.5f};
    const sp_host host = sp_host_default(3);
    cloud c = make_cloud(20000);
    for (size_t e = 0; e < sizeof edges / sizeof *edges; ++e) {
        sp_lattice lattice;
        sp_lattice_anchor(&lattice, 3, low, high, edges[e]);
        sp_cells cells = sorted_cells(&host, &lattice, &c);
        assert_int_equal(cells.start[0], 0);
        assert_int_equal(cells.start[cells.cells], c.n);
        for (size_t entry = 0; entry < cells.cells; ++entry) {
            assert_true(cells.key[entry] < cells.key[entry + 1]);
            for (uint32_t k = cells.start[entry]; k < cells.start[entry + 1]; ++k) {
                const uint32_t i = cells.order[k], before = k ? cells.order[k - 1] : 0;
                const int differ = k ? compare_cells(&lattice, &c, before, i) : -1;
                assert_int_equal(differ, k == cells.start[entry] ? -1 : 0);
                assert_true(differ < 0 || before < i);
                const int32_t at[3] = {sp_lattice_at(&lattice, 0, c.p[0][i]),
                                       sp_lattice_at(&lattice, 1, c.p[1][i]),
                                       sp_lattice_at(&lattice, 2, c.p[2][i])};
                const sp_cell_run run = sp_cells_run(&cells, at[0], at[0], at[1], at[2]);
                assert_int_equal(run.begin, cells.start[entry]);
                assert_int_equal(run.end, cells.start[entry + 1]);
            }
        }
        sp_cells_close(&cells);
    }
    drop_cloud(&c);
}

/// Ids that ascend already, that fit 32 bits, that need more, and that repeat.
static void order_by_id_ascends_and_is_stable(void **state)
{
    (void)state;
    enum { IDS = 20000, KINDS = 5 };
    const sp_host host = sp_host_default(2);
    uint64_t *id = malloc(IDS * sizeof *id);
    uint32_t *order = malloc(IDS * sizeof *order);
    uint64_t *lent = malloc(2 * IDS * sizeof *lent);
    assert_true(id && order && lent);
    for (int kind = 0; kind < KINDS; ++kind) {
        for (uint64_t i = 0; i < IDS; ++i) {
            const sp_random4 r = sp_random(5, 2, i, 0, 0);
            const uint64_t wide = (uint64_t)r.x[0] << 32 | r.x[1];
            const uint64_t ids[KINDS] = {i, 1000 + (i * 7919) % IDS, wide, wide << 32, r.x[0] % 7};
            id[i] = ids[kind];
        }
        void *memory = kind % 2 ? lent : NULL;
        assert_int_equal(sp_order_by_id(&host, IDS, id, order, memory, NULL), SP_OK);
        for (size_t k = 1; k < IDS; ++k)
            assert_true(id[order[k - 1]] < id[order[k]] ||
                        (id[order[k - 1]] == id[order[k]] && order[k - 1] < order[k]));
    }
    assert_int_equal(sp_order_by_id(&host, 0, id, order, NULL, NULL), SP_OK);
    free(id);
    free(order);
    free(lent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name_and_aligned),
        cmocka_unit_test(whole_vectors_can_be_read_from_the_last_particle),
        cmocka_unit_test(growth_keeps_particles_and_new_ones_are_zero),
        cmocka_unit_test(absurd_capacities_are_refused),
        cmocka_unit_test(removal_keeps_the_order_of_the_rest),
        cmocka_unit_test(reordering_applies_the_permutation),
        cmocka_unit_test(filling_sorts_by_cell_for_every_number_of_threads),
        cmocka_unit_test(cells_grow_until_they_fit),
        cmocka_unit_test(particles_one_edge_apart_are_in_cells_that_touch),
        cmocka_unit_test(sparse_cells_agree_with_a_table_of_all_cells),
        cmocka_unit_test(lattices_of_any_width_are_sorted_alike),
        cmocka_unit_test(order_by_id_ascends_and_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
