// SPDX-License-Identifier: Apache-2.0
// links: particles core
/// Every allocation of the module fails in turn: the call reports it, nothing leaks, and earlier
/// data still works.
#include "particles/particles.h"
#include "scarce_host.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

enum { N = 600, MORE = 40000 };

static float position[3][MORE];

static sp_status set_scenario(const sp_host *host, sp_error *err)
{
    static const sp_column_def columns[] = {{"px", SP_F32}, {"id", SP_U64}, {"age", SP_F64}};
    sp_particles set;
    sp_status status = sp_particles_open(&set, host, columns, 3, 10, err);
    if (status == SP_OK) {
        sp_particles_append(&set, 10);
        ((uint64_t *)set.data[1])[9] = 77;
        status = sp_particles_reserve(&set, 100, err);
        assert_int_equal(((uint64_t *)set.data[1])[9], 77);
        assert_true(sp_particles_is_valid(&set) && (set.capacity >= 100) == (status == SP_OK));
    }
    sp_particles_close(&set);
    return status;
}

static sp_status cells_scenario(const sp_host *host, sp_error *err)
{
    sp_cells cells;
    const sp_status status = sp_cells_open(&cells, host, 1000, MORE, err);
    if (status == SP_OK) {
        const size_t made = ((scarce *)host->user)->made;
        sp_cells_shape(&cells, 3, (const float[3]){0, 0, 0}, (const float[3]){9, 9, 9}, 1.0f);
        sp_cells_fill(&cells, MORE, position[0], position[1], position[2]);
        assert_int_equal(((scarce *)host->user)->made, made); // filling allocates nothing
    }
    sp_cells_close(&cells);
    return status;
}

static sp_status zorder_scenario(const sp_host *host, sp_error *err)
{
    sp_zorder *z;
    sp_status status = sp_zorder_open(3, host, &z, err);
    for (size_t n = N; n <= MORE && status == SP_OK; n += MORE - N)
        status = sp_zorder_find(z, n, position[0], position[1], position[2], 1.0f, err);
    // After a failure a smaller set is still sorted.
    if (z && status != SP_OK)
        sp_zorder_find(z, 1, position[0], position[1], position[2], 1.0f, NULL);
    sp_zorder_close(z);
    return status;
}

static sp_status neighbours_scenario(const sp_host *host, sp_error *err)
{
    sp_neighbours *nb;
    sp_status status = sp_neighbours_open(3, host, &nb, err);
    for (size_t n = N; n <= MORE && status == SP_OK; n += MORE - N) {
        status = sp_neighbours_build(nb, n, position[0], position[1], position[2], 0.5f, err);
        assert_int_equal(sp_neighbours_look(nb).count, status == SP_OK ? n : 0);
    }
    if (nb && status != SP_OK) { // after a failure the lists can be built again
        assert_ok(sp_neighbours_build(nb, N, position[0], position[1], position[2], 0.5f, ERR));
        assert_int_equal(sp_neighbours_look(nb).count, N);
    }
    sp_neighbours_close(nb);
    return status;
}

static void failed_allocations_of_sets_leak_nothing(void **state)
{
    (void)state;
    scarce_fail_each(set_scenario, 2, 2);
}

static void failed_allocations_of_cells_leak_nothing(void **state)
{
    (void)state;
    scarce_fail_each(cells_scenario, 2, 2);
}

static void failed_allocations_of_zorder_leak_nothing(void **state)
{
    (void)state;
    scarce_fail_each(zorder_scenario, 2, 2);
}

static void failed_allocations_of_neighbours_leak_nothing(void **state)
{
    (void)state;
    scarce_fail_each(neighbours_scenario, 2, 2);
}

int main(void)
{
    for (size_t i = 0; i < MORE; ++i)
        for (int a = 0; a < 3; ++a)
            position[a][i] = 9.0f * sp_unit(sp_random(11, 1, i, 0, 0).x[a]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_allocations_of_sets_leak_nothing),
        cmocka_unit_test(failed_allocations_of_cells_leak_nothing),
        cmocka_unit_test(failed_allocations_of_zorder_leak_nothing),
        cmocka_unit_test(failed_allocations_of_neighbours_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
