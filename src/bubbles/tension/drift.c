// SPDX-License-Identifier: Apache-2.0
/// Drift compensation (WSB25 equations 43 to 45): surface tension must not push a pocket as a
/// whole.
///
///     chi = (sum of f)/(number of faces with air),   f -= chi on faces with air
///
/// for each pocket and axis. (The paper has one count for all axes; that would remove a third.) The
/// sum includes the skirt, the faces without air that feel a force. A face of the skirt between two
/// pockets belongs to the one with the smaller number.
///
/// Pockets with little air feel no force at all: the grid does not resolve their curvature, and the
/// error holds them in place (8 particles within 2x2x2 voxels rose by 0.6 mm instead of 4.5 mm).
///
/// Sums are by part of a tile (node), each computed by one thread. So a part needs all of its
/// skirt: its tile reads the first layer of the next one too, whose low faces are its high ones.
#include "bubbles/tension/tension.h"

static const int to_before[3] = {1, 8, 64}; // places, from a cell to the one before
static const int to_end[3] = {7, 56, 448};  // from the low side of a tile to its high side

/// Whether a cell is at the low side of its tile.
static bool is_low(int place, int axis)
{
    return (place >> (3 * axis) & 7) == 0;
}

/// ---- Sums --------------------------------------------------------------------------------------

static double sum_where(const sp_tile_mask mask, const float v[SP_TILE_VOXELS])
{
    float kept[SP_TILE_VOXELS];
    sp_d16 sum = {0};
    memcpy(kept, v, sizeof kept);
    bubbles_mask_keep(mask, kept);
    for (int n = 0; n < SP_TILE_VOXELS; n += SP_LANES)
        sum += __builtin_convertvector(sp_f16_load(kept + n), sp_d16);
    return sp_d16_sum(sum);
}

static double count(const sp_tile_mask mask)
{
    int n = 0;
    for (int k = 0; k < SP_TILE; ++k)
        n += __builtin_popcountll(mask[k]);
    return n;
}

static void sum_felt(const tension_work *w, uint32_t row, int axis, const float *force)
{
    const bubbles_pockets *p = &w->pockets;
    const uint64_t *felt = w->felt[axis][row];
    if (bubbles_is_one_part(p, row)) {
        tension_sum *sum = &w->sum[p->first[row]];
        sum->force[axis] += sum_where(felt, force);
        sum->faces[axis] += count(felt);
        return;
    }
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t bits = felt[k]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            tension_sum *sum = &w->sum[bubbles_node_of(p, row, c)];
            sum->force[axis] += (double)force[c];
            sum->faces[axis] += 1.0;
        }
}

/// The pocket of the cell before a low face of a row.
static uint32_t pocket_before(const tension_work *w, uint32_t row, int axis, int place)
{
    if (!is_low(place, axis)) return bubbles_pocket_of(&w->pockets, row, place - to_before[axis]);
    const uint32_t before = bubbles_row_beside(&w->air, row, axis, -1);
    if (before == SP_NO_TILE) return BUBBLES_NO_POCKET;
    return bubbles_pocket_of(&w->pockets, before, place + to_end[axis]);
}

/// Adds the skirt to those parts of a row that it belongs to.
static void sum_skirt(const tension_work *w, uint32_t row, int axis, const float *force)
{
    const bubbles_pockets *p = &w->pockets;
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t bits = w->skirt[axis][row][k]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            const uint32_t after = bubbles_pocket_of(p, row, c),
                           before = pocket_before(w, row, axis, c);
            SP_ASSERT(after != BUBBLES_NO_POCKET || before != BUBBLES_NO_POCKET);
            if (before < after && is_low(c, axis)) continue; // of the tile before
            const int cell = before < after ? c - to_before[axis] : c;
            w->sum[bubbles_node_of(p, row, cell)].force[axis] += (double)force[c];
        }
}

/// Adds the skirt at the high side of a row, which is stored in the tile after it.
static void sum_high_skirt(const tension_work *w, uint32_t row, int axis)
{
    static const uint64_t side[3] = {0x0101010101010101u, 0xffu, ~(uint64_t)0};
    const bubbles_pockets *p = &w->pockets;
    const uint32_t after = bubbles_row_beside(&w->air, row, axis, 1);
    if (after == SP_NO_TILE) return;
    const float *force = tension_force(w, after, axis);
    for (int k = 0; k < (axis == 2 ? 1 : SP_TILE); ++k)
        for (uint64_t bits = w->skirt[axis][after][k] & side[axis]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits), last = c + to_end[axis];
            if (bubbles_pocket_of(p, row, last) < bubbles_pocket_of(p, after, c))
                w->sum[bubbles_node_of(p, row, last)].force[axis] += (double)force[c];
        }
}

static void sum_rows(void *arg, size_t begin, size_t end)
{
    const tension_work *w = arg;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t row = (uint32_t)r, first = w->pockets.first[r],
                       parts = w->pockets.first[r + 1] - first;
        memset(w->sum + first, 0, parts * sizeof *w->sum);
        for (int axis = 0; axis < 3 && parts; ++axis) {
            const float *force = tension_force(w, row, axis);
            sum_felt(w, row, axis, force);
            sum_skirt(w, row, axis, force);
            sum_high_skirt(w, row, axis);
        }
    }
}

/// ---- Means -------------------------------------------------------------------------------------

static void find_drift(tension_work *w, const tension_sum *total)
{
    const bubbles_pockets *p = &w->pockets;
    const bool wanted = w->s->def.tension.drift;
    for (size_t i = 0; i < p->count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const double faces = total[i].faces[axis],
                         mean = total[i].force[axis] / fmax(faces, 1.0);
            w->drift[i].mean[axis] = wanted ? (float)mean : 0.0f;
            w->drift[i].none[axis] = !p->large[i] || (wanted && faces == 0.0);
            w->any_none |= w->drift[i].none[axis];
        }
}

/// Adds the nodes of each pocket, in their order.
static void add_nodes(const tension_work *w, tension_sum *total)
{
    const bubbles_pockets *p = &w->pockets;
    memset(total, 0, p->count * sizeof *total);
    for (size_t n = 0; n < p->nodes; ++n)
        for (int axis = 0; axis < 3; ++axis) {
            total[p->pocket[n]].force[axis] += w->sum[n].force[axis];
            total[p->pocket[n]].faces[axis] += w->sum[n].faces[axis];
        }
}

/// ---- Correction --------------------------------------------------------------------------------

/// Subtracts the mean from faces with air, where all air of a row is one part.
static void correct_part(const sp_tile_mask felt, const tension_drift *drift, int axis,
                         float *restrict force)
{
    sp_tile_mask others;
    float mean[SP_TILE_VOXELS];
    for (int k = 0; k < SP_TILE; ++k)
        others[k] = ~felt[k];
    if (drift->none[axis]) {
        bubbles_mask_keep(others, force);
        return;
    }
    sp_tile_fill(mean, drift->mean[axis]);
    bubbles_mask_keep(felt, mean);
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        force[n] -= mean[n];
}

static void correct_felt(const tension_work *w, uint32_t row, int axis, float *force)
{
    const bubbles_pockets *p = &w->pockets;
    const uint64_t *felt = w->felt[axis][row];
    if (bubbles_is_one_part(p, row)) {
        correct_part(felt, &w->drift[p->pocket[p->first[row]]], axis, force);
        return;
    }
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t bits = felt[k]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            const tension_drift *drift = &w->drift[p->pocket[bubbles_node_of(p, row, c)]];
            force[c] = drift->none[axis] ? 0.0f : force[c] - drift->mean[axis];
        }
}

static void correct_skirt(const tension_work *w, uint32_t row, int axis, float *force)
{
    for (int k = 0; k < SP_TILE; ++k)
        for (uint64_t bits = w->skirt[axis][row][k]; bits; bits &= bits - 1) {
            const int c = bubbles_first_place(k, bits);
            const uint32_t after = bubbles_pocket_of(&w->pockets, row, c),
                           before = pocket_before(w, row, axis, c);
            if (w->drift[before < after ? before : after].none[axis]) force[c] = 0.0f;
        }
}

static bool any_force(const float force[SP_TILE_VOXELS])
{
    int any = 0;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        any |= force[n] != 0.0f;
    return any;
}

static void correct_rows(void *arg, size_t begin, size_t end)
{
    const tension_work *w = arg;
    for (size_t r = begin; r < end; ++r)
        for (int axis = 0; axis < 3; ++axis) {
            const uint32_t row = (uint32_t)r;
            float *force = tension_force(w, row, axis);
            uint8_t *busy = &w->s->grid.busy[w->air.tile[row]];
            correct_felt(w, row, axis, force);
            if (w->any_none) correct_skirt(w, row, axis, force);
            if (!*busy && any_force(force)) *busy = 1;
        }
}

sp_status bubbles_remove_drift(tension_work *w, sp_error *err)
{
    const bubbles_pockets *p = &w->pockets;
    tension_sum *total = sp_scratch_array(&w->s->scratch, tension_sum, p->count);
    w->sum = sp_scratch_array(&w->s->scratch, tension_sum, p->nodes);
    w->drift = sp_scratch_array(&w->s->scratch, tension_drift, p->count);
    if (!total || !w->sum || !w->drift)
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the forces on %zu pockets",
                       p->count);
    sp_tiles_parallel(&w->air.rows, sum_rows, w);
    add_nodes(w, total);
    find_drift(w, total);
    sp_tiles_parallel(&w->air.rows, correct_rows, w);
    return SP_OK;
}
