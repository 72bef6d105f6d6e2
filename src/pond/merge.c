// SPDX-License-Identifier: Apache-2.0
/// Coalescence (P12, T07 equation 12): two bubbles that touch become one of the same volume. T07
/// prints r = 3/4 m^(1/3), which makes the volume 1.77 times too large; the radius is (3V/4
/// pi)^(1/3).
///
/// Pairs are found in parallel, listed by (smaller, larger) index and matched greedily in that
/// order, so that the outcome depends on nothing else. Storage is in ascending id, so index order
/// is id order.
#include "pond/internal.h"

#include <string.h>

/// Whether bubble i is listed by bubble j: each pair is looked for from its smaller member only,
/// because the search reaches twice the size of what it looks for.
static inline bool listed_by(const pond_bubbles *b, size_t i, size_t j)
{
    return i != j && (b->r[i] > b->r[j] || (b->r[i] == b->r[j] && i < j));
}

static inline bool touch(const pond_bubbles *b, size_t i, size_t j)
{
    const float dx = b->px[i] - b->px[j], dy = b->py[i] - b->py[j], dz = b->pz[i] - b->pz[j];
    const float reach = b->r[i] + b->r[j];
    return dx * dx + dy * dy + dz * dz < reach * reach;
}

static uint32_t find_partners(const sp_pond *pond, size_t j, uint32_t *partners)
{
    const pond_bubbles *b = &pond->bubbles;
    const pond_classes *c = &pond->contacts;
    uint32_t found = 0;
    for (int l = 0; l < POND_CLASSES; ++l) {
        if (c->count[l] == 0) continue;
        const sp_cells *cells = &c->cells[l];
        const float reach = c->range[l];
        const int32_t i0 = sp_cells_at(cells, 0, b->px[j] - reach),
                      i1 = sp_cells_at(cells, 0, b->px[j] + reach);
        const int32_t j0 = sp_cells_at(cells, 1, b->py[j] - reach),
                      j1 = sp_cells_at(cells, 1, b->py[j] + reach);
        for (int32_t row = j0; row <= j1; ++row) {
            const size_t at = (size_t)row * (size_t)cells->n[0];
            const size_t end = c->base[l] + cells->start[at + (size_t)i1 + 1];
            for (size_t k = c->base[l] + cells->start[at + (size_t)i0]; k < end; ++k) {
                const uint32_t i = c->member[k];
                if (listed_by(b, i, j) && touch(b, i, j) && found < POND_PARTNERS)
                    partners[found++] = i;
            }
        }
    }
    return found;
}

static void find_range(void *arg, size_t begin, size_t end)
{
    sp_pond *pond = arg;
    for (size_t j = begin; j < end; ++j) {
        uint32_t *partners = pond->partners + j * POND_PARTNERS;
        const uint32_t found = find_partners(pond, j, partners);
        if (found < POND_PARTNERS) partners[found] = UINT32_MAX;
    }
}

/// Heapsort: in place, without memory, n log n at worst.
static void sift_down(uint64_t *x, size_t root, size_t n)
{
    for (size_t child = 2 * root + 1; child < n; root = child, child = 2 * root + 1) {
        if (child + 1 < n && x[child] < x[child + 1]) ++child;
        if (x[root] >= x[child]) return;
        const uint64_t larger = x[child];
        x[child] = x[root];
        x[root] = larger;
    }
}

static void sort_pairs(uint64_t *x, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(x, i, n);
    for (size_t end = n; end-- > 1;) {
        const uint64_t largest = x[0];
        x[0] = x[end];
        x[end] = largest;
        sift_down(x, 0, end);
    }
}

static size_t list_pairs(sp_pond *pond)
{
    size_t n = 0;
    for (size_t j = 0; j < pond->bubbles.set.count; ++j)
        for (size_t k = 0; k < POND_PARTNERS; ++k) {
            const uint32_t i = pond->partners[j * POND_PARTNERS + k];
            if (i == UINT32_MAX) break;
            const uint64_t low = i < j ? i : j, high = i < j ? j : i;
            pond->pairs[n++] = low << 32 | high;
        }
    sort_pairs(pond->pairs, n);
    return n;
}

/// P12: everything is volume-weighted, so volume, momentum and centre of mass are kept.
static void merge_into(sp_pond *pond, size_t i, size_t j)
{
    pond_bubbles *b = &pond->bubbles;
    const double total = b->vol[i] + b->vol[j],
                 smaller = b->vol[i] < b->vol[j] ? b->vol[i] : b->vol[j];
    const double wi = b->vol[i] / total, wj = b->vol[j] / total;
    float *const columns[] = {b->px, b->py, b->pz, b->ux, b->uy, b->uz, b->sx, b->sy, b->sz};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        columns[c][i] = (float)((double)columns[c][i] * wi + (double)columns[c][j] * wj);
    const float jolt = (float)(2.0 * smaller / total);
    float kick = b->kick[i] > b->kick[j] ? b->kick[i] : b->kick[j];
    kick = jolt > kick ? jolt : kick;
    b->kick[i] = kick < 1.0f ? kick : 1.0f;
    b->age[i] = b->age[i] > b->age[j] ? b->age[i] : b->age[j];
    b->contact[i] = 0.0f;
    b->vol[i] = total;
    b->r[i] = (float)pond_radius(total);
    pond_add_event(pond, SP_POND_MERGE, b->px[i], b->py[i], b->pz[i], b->r[i]);
}

/// A pair that may not merge is pushed apart until it only touches, each by the other's share of
/// volume.
static void push_apart(pond_bubbles *b, size_t i, size_t j)
{
    const sp_vec3 apart = {b->px[i] - b->px[j], b->py[i] - b->py[j], b->pz[i] - b->pz[j]};
    const float distance = sp_length(apart), overlap = b->r[i] + b->r[j] - distance;
    if (!(overlap > 0.0f)) return;
    const sp_vec3 e = sp_normalize(apart, (sp_vec3){0.0f, 0.0f, 1.0f});
    const float mine = (float)(b->vol[j] / (b->vol[i] + b->vol[j])) * overlap,
                yours = overlap - mine;
    b->px[i] += e.x * mine;
    b->py[i] += e.y * mine;
    b->pz[i] += e.z * mine;
    b->px[j] -= e.x * yours;
    b->py[j] -= e.y * yours;
    b->pz[j] -= e.z * yours;
}

/// A pair is rejected for good, by a hash of its two ids.
static bool willing(const sp_pond *pond, size_t i, size_t j)
{
    const float p = pond->def.merge_probability;
    if (p >= 1.0f) return true;
    const uint64_t pair = sp_pair_id(pond->bubbles.id[i], pond->bubbles.id[j]);
    return sp_unit(sp_random(pond->seed, POND_DRAW_MERGE, pair, 0, 0).x[0]) < p;
}

static void note_contact(sp_pond *pond, size_t pairs, float dt)
{
    pond_bubbles *b = &pond->bubbles;
    memset(pond->gone, 0, b->set.count);
    for (size_t k = 0; k < pairs; ++k)
        pond->gone[pond->pairs[k] >> 32] = pond->gone[(uint32_t)pond->pairs[k]] = 1;
    for (size_t i = 0; i < b->set.count; ++i)
        b->contact[i] = pond->gone[i] ? b->contact[i] + dt : 0.0f;
}

void pond_merge(sp_pond *pond, float dt)
{
    pond_bubbles *b = &pond->bubbles;
    const size_t n = b->set.count;
    if (!pond->def.coalescence || n < 2) return;
    pond_classes_sort(&pond->contacts, pond, n, b->px, b->py, b->r, 2.0f);
    sp_parallel(pond->host, n, 4096, find_range, pond);
    const size_t pairs = list_pairs(pond);
    note_contact(pond, pairs, dt);
    if (pairs == 0) return;
    memset(pond->gone, 0, n);
    enum { FREE, TAKEN, GONE };
    for (size_t k = 0; k < pairs; ++k) {
        const size_t i = (size_t)(pond->pairs[k] >> 32), j = (uint32_t)pond->pairs[k];
        if (pond->gone[i] != FREE || pond->gone[j] != FREE) continue;
        const float least = b->contact[i] < b->contact[j] ? b->contact[i] : b->contact[j];
        if (!willing(pond, i, j)) {
            push_apart(b, i, j);
            continue;
        }
        if (least <= pond->def.merge_delay && pond->def.merge_delay > 0.0f) continue;
        merge_into(pond, i, j);
        pond->gone[i] = TAKEN;
        pond->gone[j] = GONE;
    }
    for (size_t i = 0; i < n; ++i)
        pond->gone[i] = pond->gone[i] == GONE;
    sp_particles_remove(&b->set, pond->gone);
}
