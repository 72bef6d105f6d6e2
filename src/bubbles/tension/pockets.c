// SPDX-License-Identifier: Apache-2.0
/// Pockets of air (WSB25 section 5.4.1): cells that open faces join.
///
/// First the cells of each tile are joined to parts, then parts of neighbouring tiles are united.
/// Both use union-find, where the smallest member is the root, so the result does not depend on the
/// order. Cells of a row of 8 voxels that are joined along x ("runs") start as one group. Of
/// several faces between two runs only the first is needed: bit c of
///
///     links & ~(links << 1 & x & x')
///
/// leaves out face c if face c - 1 is open too and cells c - 1 and c are joined in both runs.
#include "bubbles/tension/pockets.h"

#define LOW_COLUMN 0x0101010101010101u
#define LOW_ROW 0xffu

/// ---- Parts of a tile ---------------------------------------------------------------------------

/// Cells that are joined to the one before along x, and the faces along y and z that join runs.
typedef struct links {
    sp_tile_mask x, y, z;
} links;

static void find_links(const bubbles_air *a, size_t row, links *l)
{
    for (int k = 0; k < SP_TILE; ++k) {
        const uint64_t x = a->open[0][row][k] & ~LOW_COLUMN;
        const uint64_t y = a->open[1][row][k] & ~(uint64_t)LOW_ROW;
        const uint64_t z = k > 0 ? a->open[2][row][k] : 0;
        l->x[k] = x;
        l->y[k] = y & ~(y << 1 & x & x << 8);
        l->z[k] = k > 0 ? z & ~(z << 1 & x & l->x[k - 1]) : 0;
    }
}

/// Joins runs across the faces of a mask; `stride` is from a cell to the one before.
static void join_runs(uint32_t *up, const sp_tile_mask faces, int stride)
{
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t bits = faces[k]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            sp_unite(up, (uint32_t)c, (uint32_t)(c - stride));
        }
}

/// Numbers the parts in the order of their first cells; returns how many there are.
static uint32_t label_cells(const links *l, const sp_tile_mask cells, uint16_t *part)
{
    uint32_t up[SP_TILE_VOXELS];
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t bits = cells[k]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            up[c] = sp_tile_mask_has(l->x, c) ? up[c - 1] : (uint32_t)c;
        }
    join_runs(up, l->y, SP_TILE);
    join_runs(up, l->z, SP_TILE * SP_TILE);
    uint32_t parts = 0;
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t bits = cells[k]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            if (sp_tile_mask_has(l->x, c)) {
                part[c] = part[c - 1];
                continue;
            }
            const uint32_t root = sp_root_of(up, (uint32_t)c);
            part[c] = root == (uint32_t)c ? (uint16_t)parts++ : part[root];
        }
    return parts;
}

static void find_parts(void *arg, size_t begin, size_t end)
{
    const bubbles_pockets *p = arg;
    for (size_t r = begin; r < end; ++r) {
        links l;
        p->first[r] = 0;
        if (!sp_tile_mask_any(p->air->cells[r])) continue;
        find_links(p->air, r, &l);
        p->first[r] = label_cells(&l, p->air->cells[r], p->part[r]);
    }
}

/// ---- Air of each part --------------------------------------------------------------------------

static double sum_of(const float v[SP_TILE_VOXELS])
{
    sp_d16 sum = {0};
    for (int n = 0; n < SP_TILE_VOXELS; n += SP_LANES)
        sum += __builtin_convertvector(sp_f16_load(v + n), sp_d16);
    return sp_d16_sum(sum);
}

/// Adds the values of a row's low faces to the parts that they belong to.
static void add_faces(const bubbles_pockets *p, size_t row, const sp_tile_mask faces,
                      const float v[SP_TILE_VOXELS], double *sum)
{
    const uint32_t first = p->first[row];
    if (bubbles_is_one_part(p, row)) {
        sum[first] += sum_of(v);
        return;
    }
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t bits = faces[k]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            sum[first + p->part[row][c]] += (double)v[c];
        }
}

typedef struct weighing {
    const bubbles_pockets *pockets;
    double *air; ///< by node: sum of the shares of its faces
} weighing;

static void weigh_parts(void *arg, size_t begin, size_t end)
{
    const weighing *w = arg;
    const bubbles_pockets *p = w->pockets;
    for (size_t r = begin; r < end; ++r) {
        const size_t first = p->first[r], parts = p->first[r + 1] - first;
        memset(w->air + first, 0, parts * sizeof *w->air);
        for (int axis = 0; axis < 3 && parts; ++axis)
            add_faces(p, r, p->air->open[axis][r],
                      p->air->grid->share[axis] + (size_t)p->air->tile[r] * SP_TILE_VOXELS, w->air);
    }
}

/// ---- Between tiles -----------------------------------------------------------------------------

/// The faces between a row and the one before it along an axis that join runs, as bits of plane k.
static uint64_t links_across(const bubbles_air *a, uint32_t row, uint32_t before, int axis, int k)
{
    const uint64_t open = a->open[axis][row][k], x = a->open[0][row][k] & ~LOW_COLUMN;
    if (axis == 0) { // runs along y here
        const uint64_t across = open & LOW_COLUMN;
        return across & ~(across << 8 & a->open[1][row][k] & a->open[1][before][k] >> 7);
    }
    if (axis == 1) {
        const uint64_t across = open & LOW_ROW;
        return across & ~(across << 1 & x & a->open[0][before][k] >> 56);
    }
    return k > 0 ? 0 : open & ~(open << 1 & x & a->open[0][before][SP_TILE - 1]);
}

static void unite_rows(const bubbles_pockets *p, uint32_t *up, uint32_t row, int axis)
{
    static const int to_end[3] = {7, 56, 448}; // from a cell at the low side to the high side
    const uint32_t before = bubbles_row_beside(p->air, row, axis, -1);
    for (int k = 0; k < SP_TILE && before != SP_NO_TILE; ++k)
        for (uint64_t bits = links_across(p->air, row, before, axis, k); bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            sp_unite(up, bubbles_node_of(p, row, c), bubbles_node_of(p, before, c + to_end[axis]));
        }
}

/// Numbers the pockets by their first nodes and collects their air.
static void number_pockets(bubbles_pockets *p, uint32_t *up, const double *air, double least)
{
    p->count = p->large_count = 0;
    for (size_t n = 0; n < p->nodes; ++n) {
        const uint32_t root = sp_root_of(up, (uint32_t)n);
        if (root == n) p->volume[p->count] = 0.0;
        p->pocket[n] = root == n ? (uint32_t)p->count++ : p->pocket[root];
        p->volume[p->pocket[n]] += air[n] / 3.0;
    }
    for (size_t i = 0; i < p->count; ++i) {
        p->large[i] = p->volume[i] >= least;
        p->large_count += p->large[i];
    }
}

/// ---- All together ------------------------------------------------------------------------------

static sp_status no_memory(size_t rows, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the pockets of %zu tiles", rows);
}

static sp_status join_parts(bubbles *s, bubbles_pockets *p, sp_error *err)
{
    const size_t rows = p->air->rows.count;
    uint32_t *up = sp_scratch_array(&s->scratch, uint32_t, p->nodes);
    weighing w = {p, sp_scratch_array(&s->scratch, double, p->nodes)};
    p->pocket = sp_scratch_array(&s->scratch, uint32_t, p->nodes);
    p->volume = sp_scratch_array(&s->scratch, double, p->nodes);
    p->large = sp_scratch_array(&s->scratch, bool, p->nodes);
    if (!up || !w.air || !p->pocket || !p->volume || !p->large) return no_memory(rows, err);
    sp_tiles_parallel(&p->air->rows, weigh_parts, &w);
    for (size_t n = 0; n < p->nodes; ++n)
        up[n] = (uint32_t)n;
    for (size_t r = 0; r < rows; ++r)
        for (int axis = 0; axis < 3; ++axis)
            unite_rows(p, up, (uint32_t)r, axis);
    number_pockets(p, up, w.air, (double)s->def.tension.pocket_min_voxels);
    return SP_OK;
}

sp_status bubbles_find_pockets(bubbles *s, const bubbles_air *air, bubbles_pockets *pockets,
                               sp_error *err)
{
    const size_t rows = air->rows.count;
    bubbles_pockets *p = pockets;
    *p = (bubbles_pockets){.air = air};
    p->part = sp_scratch_take(&s->scratch, rows, sizeof *p->part);
    p->first = sp_scratch_array(&s->scratch, uint32_t, rows + 1);
    if (!p->part || !p->first) return no_memory(rows, err);
    sp_tiles_parallel(&air->rows, find_parts, p);
    p->first[rows] = 0;
    p->nodes = sp_scan(p->first, rows + 1);
    return join_parts(s, p, err);
}
