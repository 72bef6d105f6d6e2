// SPDX-License-Identifier: Apache-2.0
/// A quadtree over the centres of discs. Each node stores the largest radius below it, and is searched only if a disc of
/// that radius could reach. Radii may differ by a factor of ten million: in cells as wide as the largest disc, one cell
/// could hold all others.
#include "still/discs.h"

enum { LEAF = 8, ROOT = 0, DEEPEST = 64 };

struct still_discs_node {
    uint32_t child; ///< the first of four; 0: a leaf
    uint32_t count; ///< discs of a leaf
    uint32_t disc[LEAF];
    float largest; ///< m
};

/// A node and its square.
typedef struct square {
    uint32_t node;
    double low[2], edge; ///< m
} square;

static square root_of(const still_discs *d)
{
    return (square){ROOT, {d->low[0], d->low[1]}, d->edge};
}

/// Which quarter of a square a centre lies in: 1 for the high half of x, 2 for that of z.
static uint32_t quarter_of(const square *s, const still_disc *disc)
{
    return ((double)disc->x >= s->low[0] + 0.5 * s->edge ? 1u : 0u) |
           ((double)disc->z >= s->low[1] + 0.5 * s->edge ? 2u : 0u);
}

static square quarter(const still_discs *d, const square *s, uint32_t which)
{
    const double half = 0.5 * s->edge;
    return (square){d->node[s->node].child + which,
                    {s->low[0] + (which & 1 ? half : 0.0), s->low[1] + (which & 2 ? half : 0.0)},
                    half};
}

bool still_discs_open(still_discs *d, const sp_host *host, const double low[2], double edge)
{
    *d = (still_discs){.host = host, .low = {low[0], low[1]}, .edge = edge, .nodes = 1};
    return sp_make_room(host, (void **)&d->node, 0, &d->node_room, sizeof *d->node);
}

void still_discs_close(still_discs *d)
{
    sp_release(d->host, d->disc);
    sp_release(d->host, d->node);
    *d = (still_discs){0};
}

/// ---- Search ------------------------------------------------------------------------------------

static bool meet(const still_disc *a, const still_disc *b)
{
    const float dx = a->x - b->x, dz = a->z - b->z, sum = 0.9f * (a->radius + b->radius);
    return dx * dx + dz * dz < sum * sum;
}

/// Whether a disc below this node could reach the given one.
static bool is_near(const still_discs *d, const square *s, const still_disc *disc)
{
    const double at[2] = {(double)disc->x, (double)disc->z},
                 reach = (double)disc->radius + (double)d->node[s->node].largest;
    double away = 0.0;
    for (int a = 0; a < 2; ++a) {
        const double out = fmax(0.0, fmax(s->low[a] - at[a], at[a] - s->low[a] - s->edge));
        away += out * out;
    }
    return away < reach * reach;
}

bool still_discs_meet(const still_discs *d, still_disc disc)
{
    square open[3 * DEEPEST + 1]; // each step down leaves three
    size_t n = 0;
    open[n++] = root_of(d);
    while (n > 0) {
        const square s = open[--n];
        const still_discs_node *node = &d->node[s.node];
        if (!is_near(d, &s, &disc)) continue;
        for (uint32_t i = 0; !node->child && i < node->count; ++i)
            if (meet(&disc, &d->disc[node->disc[i]])) return true;
        // The nearest quarter is searched first: a wide disc soon finds one that lies within it.
        for (uint32_t q = quarter_of(&s, &disc), i = 4; node->child && i-- > 0;)
            open[n++] = quarter(d, &s, q ^ i);
    }
    return false;
}

/// ---- Adding ------------------------------------------------------------------------------------

static bool split(still_discs *d, const square *s)
{
    if (d->nodes + 4 > d->node_room &&
        !sp_make_room(d->host, (void **)&d->node, d->node_room, &d->node_room, sizeof *d->node))
        return false;
    still_discs_node *node = &d->node[s->node];
    node->child = (uint32_t)d->nodes;
    d->nodes += 4;
    for (uint32_t i = 0; i < node->count; ++i) {
        const still_disc *disc = &d->disc[node->disc[i]];
        still_discs_node *child = &d->node[node->child + quarter_of(s, disc)];
        child->disc[child->count++] = node->disc[i];
        child->largest = fmaxf(child->largest, disc->radius);
    }
    return true;
}

/// A leaf is split while it is full. That ends: discs that do not meet are 1.8 of their radii apart.
bool still_discs_add(still_discs *d, still_disc disc)
{
    if (!sp_make_room(d->host, (void **)&d->disc, d->count, &d->room, sizeof *d->disc))
        return false;
    square s = root_of(d);
    for (int depth = 0; depth < DEEPEST; ++depth) {
        still_discs_node *node = &d->node[s.node];
        node->largest = fmaxf(node->largest, disc.radius);
        if (!node->child && node->count < LEAF) {
            node->disc[node->count++] = (uint32_t)d->count;
            d->disc[d->count++] = disc;
            return true;
        }
        if (!node->child && !split(d, &s)) return false;
        s = quarter(d, &s, quarter_of(&s, &disc));
    }
    return true; // not reached
}
