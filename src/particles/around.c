// SPDX-License-Identifier: Apache-2.0
/// Finds the cells around each cell in turn, without a hash and without a table of the whole box:
/// three successive cells along x are one run of the sorted particles, and because cells are
/// visited by ascending key, each of the nine runs only moves forward.
#include "particles/internal.h"

void sp_around_from(sp_around *around, const sp_cells *among, uint64_t key)
{
    const int layers = among->lattice.dims == 3 ? 1 : 0;
    around->runs = 0;
    for (int dz = -layers; dz <= layers; ++dz)
        for (int dy = -1; dy <= 1; ++dy) {
            const uint64_t shift = (uint64_t)dz * among->layer + (uint64_t)dy * among->row;
            around->shift[around->runs] = shift;
            around->cursor[around->runs] = sp_cells_find(among, key + shift - 1);
            ++around->runs;
        }
}

void sp_around_to(sp_around *around, const sp_cells *among, uint64_t key)
{
    around->total = 0;
    for (int r = 0; r < around->runs; ++r) {
        const uint64_t first = key + around->shift[r] - 1;
        size_t c = around->cursor[r];
        while (among->key[c] < first)
            ++c;
        around->cursor[r] = c;
        around->run[r].begin = among->start[c];
        while (among->key[c] <= first + 2)
            ++c;
        around->run[r].end = among->start[c];
        around->total += around->run[r].end - around->run[r].begin;
    }
}
