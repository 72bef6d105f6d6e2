// SPDX-License-Identifier: Apache-2.0
/// Coalescence (P12, T07 equation 12): two bubbles that touch become one of the same volume. T07
/// prints r = 3/4 m^(1/3), which makes the volume 1.77 times too large; the radius is (3V/4
/// pi)^(1/3).
///
/// Pairs are found in parallel, sorted by (smaller, larger) index and matched greedily in that
/// order, so that the result does not depend on threads. The order of bubbles in memory is part of
/// the state.
#include "pond/internal.h"

#include <string.h>

enum { PX, PY, PZ, RADIUS, INDEX, CONTACT_COLUMNS };

/// ---- Finding pairs -----------------------------------------------------------------------------
/// Only the smaller bubble of a pair searches (of equal bubbles, the one with the larger index).
/// The range is then twice the largest radius of the candidates' class.

static void pack_contacts(void *arg, size_t begin, size_t end)
{
    sp_pond *pond = arg;
    const pond_bubbles *b = &pond->bubbles;
    const pond_packing p = {.member = pond->contacts.member,
                            .from = {b->px, b->py, b->pz, b->r},
                            .sorted = pond->contact_sorted,
                            .columns = INDEX,
                            .index = pond->contact_sorted[INDEX]};
    pond_pack(&p, begin, end);
    memset(pond->partner_count + begin, 0, end - begin);
}

static void sort_contacts(sp_pond *pond)
{
    const pond_bubbles *b = &pond->bubbles;
    pond_classes_sort(&pond->contacts, pond, b->set.count, b->px, b->py, b->r, 8.0f, 2.0f);
    sp_parallel(pond->host, b->set.count, POND_GRAIN, pack_contacts, pond);
}

static void add_partners(sp_pond *pond, int32_t self, sp_flags index, sp_flags hit)
{
    for (int l = 0; l < SP_PART; ++l)
        if (hit[l] && pond->partner_count[self] < POND_PARTNERS)
            pond->partners[(size_t)self * POND_PARTNERS + pond->partner_count[self]++] =
                (uint32_t)index[l];
}

typedef struct finding {
    sp_pond *pond;
    size_t base; ///< of the class whose bubbles search for partners
} finding;

/// Tests the bubbles of a strip against a block of candidates.
static void test_block(void *arg, const pond_block *b, size_t begin, size_t end)
{
    const finding *f = arg;
    float *const *own = f->pond->contact_sorted;
    for (size_t k = f->base + begin; k < f->base + end; ++k) {
        int32_t self;
        memcpy(&self, &own[INDEX][k], sizeof self);
        for (size_t l = 0; l < b->count; l += SP_PART) {
            const sp_part x = own[PX][k] - sp_part_load(b->column[PX] + l);
            const sp_part y = own[PY][k] - sp_part_load(b->column[PY] + l);
            const sp_part z = own[PZ][k] - sp_part_load(b->column[PZ] + l);
            const sp_part r = sp_part_load(b->column[RADIUS] + l), reach = own[RADIUS][k] + r;
            const sp_flags index = sp_flags_load(b->column[INDEX] + l);
            const sp_flags touch = x * x + y * y + z * z < reach * reach;
            const sp_flags larger = (r > own[RADIUS][k]) | ((r == own[RADIUS][k]) & (index < self));
            if (sp_flags_any(touch & larger)) add_partners(f->pond, self, index, touch & larger);
        }
    }
}

/// Tests each class against itself and all larger classes.
static void find_partners(sp_pond *pond)
{
    const pond_classes *c = &pond->contacts;
    for (int l = 0; l < POND_CLASSES; ++l) {
        if (c->count[l] == 0) continue;
        finding f = {pond, c->base[l]};
        pond_gathering g = {.targets = &c->cells[l],
                            .sorted = pond->contact_sorted,
                            .columns = CONTACT_COLUMNS,
                            .sums = test_block,
                            .arg = &f};
        pond_reach_classes(&g, c, l);
        pond_gather(pond->host, &g);
    }
}

/// ---- Listing and matching ----------------------------------------------------------------------

/// Heapsort: in place, n log n at worst.
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
    const uint8_t *counts = pond->partner_count;
    const size_t bubbles = pond->bubbles.set.count;
    size_t n = 0;
    for (size_t j = sp_next_marked(counts, 0, bubbles); j < bubbles;
         j = sp_next_marked(counts, j + 1, bubbles))
        for (size_t k = 0; k < counts[j]; ++k) {
            const uint32_t i = pond->partners[j * POND_PARTNERS + k];
            const uint64_t low = i < j ? i : j, high = i < j ? j : i;
            pond->pairs[n++] = low << 32 | high;
        }
    sort_pairs(pond->pairs, n);
    return n;
}

/// P12: weighted by volume, which conserves volume, momentum and centre of mass.
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
    b->id[i] = b->id[i] < b->id[j] ? b->id[i] : b->id[j];
    b->vol[i] = total;
    b->r[i] = (float)pond_radius(total);
    pond_add_event(pond, SP_POND_MERGE, b->px[i], b->py[i], b->pz[i], b->r[i]);
}

/// Moves a pair that may not merge apart until the bubbles only touch. Each bubble moves by the
/// other's share of the volume.
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

/// Whether a pair may merge at all: a hash of its two ids decides, once.
static bool may_merge(const sp_pond *pond, size_t i, size_t j)
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

/// Greedy, in order: each bubble merges at most once a sub-step. Marks the merged bubbles in
/// `gone`; pond_break_bubbles() removes them.
static void match(sp_pond *pond, size_t pairs)
{
    enum { FREE, TAKEN, GONE };
    pond_bubbles *b = &pond->bubbles;
    uint8_t *state = pond->gone; // all FREE
    for (size_t k = 0; k < pairs; ++k) {
        const size_t i = (size_t)(pond->pairs[k] >> 32), j = (uint32_t)pond->pairs[k];
        if (state[i] != FREE || state[j] != FREE) continue;
        const float least = b->contact[i] < b->contact[j] ? b->contact[i] : b->contact[j];
        if (!may_merge(pond, i, j)) {
            push_apart(b, i, j);
        } else if (pond->def.merge_delay <= 0.0f || least > pond->def.merge_delay) {
            merge_into(pond, i, j);
            state[i] = TAKEN;
            state[j] = GONE;
        }
    }
    for (size_t i = 0; i < b->set.count; ++i)
        state[i] = state[i] == GONE;
}

void pond_merge(sp_pond *pond, float dt)
{
    memset(pond->gone, 0, pond->bubbles.set.count);
    if (!pond->def.coalescence || pond->bubbles.set.count < 2) return;
    sort_contacts(pond);
    find_partners(pond);
    const size_t pairs = list_pairs(pond);
    if (pond->def.merge_delay > 0.0f) note_contact(pond, pairs, dt);
    memset(pond->gone, 0, pond->bubbles.set.count);
    match(pond, pairs);
}
