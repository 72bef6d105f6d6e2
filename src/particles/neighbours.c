// SPDX-License-Identifier: Apache-2.0
/// Neighbour lists of a single set, with its own indices: sparse cells, a copy of the positions in
/// their order, and lists.
#include "particles/internal.h"

struct sp_neighbours {
    const sp_host *host;
    int dims;
    float support; ///< m
    sp_cells cells;
    sp_lists lists;
};

sp_status sp_neighbours_open(int dims, const sp_host *host, sp_neighbours **out, sp_error *err)
{
    SP_ASSERT(dims == 2 || dims == 3);
    *out = sp_allocate(host, 1, sizeof **out);
    if (!*out) return sp_fail(err, SP_NO_MEMORY, "neighbours: no memory to open");
    (*out)->host = host;
    (*out)->dims = dims;
    (*out)->lists.host = host;
    const sp_status status = sp_cells_open_sparse(&(*out)->cells, host, err);
    if (status == SP_OK) return SP_OK;
    sp_neighbours_close(*out);
    *out = NULL;
    return status;
}

void sp_neighbours_close(sp_neighbours *nb)
{
    if (!nb) return;
    const sp_host *host = nb->host;
    sp_cells_close(&nb->cells);
    sp_lists_close(&nb->lists);
    sp_release(host, nb);
}

sp_status sp_neighbours_cells(sp_neighbours *nb, size_t n, const float *x, const float *y,
                              const float *z, float support, sp_error *err)
{
    nb->cells.count = 0;
    nb->lists.pairs = nb->lists.index_used = 0;
    if (!(support > 0.0f && support < INFINITY))
        return sp_fail(err, SP_BAD_INPUT, "neighbours: support %g m; expected above 0",
                       (double)support);
    float low[3], high[3];
    const float *const position[3] = {x, y, z};
    SP_TRY(sp_bounds(nb->host, nb->dims, n, position, low, high, err));
    sp_bounds_trim(nb->dims, n, position, support, 0x1p31, 0x1p20, low, high);
    sp_lattice lattice;
    sp_lattice_shape(&lattice, nb->dims, low, high, support, SP_LATTICE_MOST);
    SP_TRY(sp_cells_sort(&nb->cells, &lattice, n, position, NULL, NULL, err));
    nb->support = support;
    const sp_status status = sp_cells_copy_positions(&nb->cells, position, err);
    if (status != SP_OK) nb->cells.count = 0;
    return status;
}

sp_status sp_neighbours_lists(sp_neighbours *nb, sp_error *err)
{
    const sp_status status =
        sp_lists_make(&nb->lists, &nb->cells, nb->support, nb->cells.order, err);
    if (status != SP_OK) nb->cells.count = 0;
    return status;
}

sp_status sp_neighbours_build(sp_neighbours *nb, size_t n, const float *x, const float *y,
                              const float *z, float support, sp_error *err)
{
    SP_TRY(sp_neighbours_cells(nb, n, x, y, z, support, err));
    return sp_neighbours_lists(nb, err);
}

sp_neighbours_view sp_neighbours_look(const sp_neighbours *nb)
{
    return (sp_neighbours_view){
        .count = nb->cells.count,
        .list = nb->lists.list,
        .index = nb->lists.index,
        .order = nb->cells.order,
        .pairs = nb->lists.pairs,
        .cells = nb->cells.cells,
        .bytes = sp_cells_bytes(&nb->cells) + sp_lists_bytes(&nb->lists),
    };
}
