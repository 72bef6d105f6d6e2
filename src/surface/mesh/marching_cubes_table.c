// SPDX-License-Identifier: Apache-2.0
/// Builds the table of marching cubes: the triangles inside a cell, for every way that the surface
/// can cross the cell's faces (Lorensen and Cline 1987; ambiguous faces as in Nielson and Hamann
/// 1991):
///
///   1  Each face is treated alone. Its cut edges are joined by segments that keep the inside on
///      the right, seen from outside the cell. Two inside corners o on a diagonal are either
///
///          o───x        o───x
///          │ ╲ │        │ ╱ │       joined (left) or separated (right): one bit,
///          │  ╲│        │╱  │       the same for both cells that share the face
///          x───o        x───o
///
///   2  Segments of the six faces follow each other and close into 1 to 4 loops of 3 to 12 edges.
///   3  A loop becomes a triangle fan from one of its vertices. No diagonal of the fan may join two
///      edges of one face of the cell: the cell on the other side of that face might have the same
///      diagonal, and an edge would have four triangles. Where every vertex has such a diagonal,
///      the loop gets a centre vertex.
///
/// A fan begins at the lowest edge that is allowed, in either direction of the loop, so that the
/// negative of a field gives the same triangles with opposite orientation.
#include "surface/internal.h"

#include <string.h>

enum { FACES = 6, NONE = 255 };

/// Corners of a face, counter-clockwise seen from outside the cell.
static void face_corners(unsigned face, unsigned corner[4])
{
    const unsigned axis = face >> 1, side = face & 1, u = (axis + 1) % 3, v = (axis + 2) % 3;
    const unsigned at = side << axis;
    corner[0] = at;
    corner[1] = at | 1u << (side ? u : v);
    corner[2] = at | 1u << u | 1u << v;
    corner[3] = at | 1u << (side ? v : u);
}

static unsigned edge_between(unsigned p, unsigned q)
{
    const unsigned low = p & q;
    switch (p ^ q) {
    case 1:
        return low >> 1;
    case 2:
        return 4 + ((low & 1) | (low >> 1 & 2));
    default:
        return 8 + low;
    }
}

static unsigned face_edges(unsigned face)
{
    unsigned corner[4], edges = 0;
    face_corners(face, corner);
    for (unsigned k = 0; k < 4; ++k)
        edges |= 1u << edge_between(corner[k], corner[(k + 1) % 4]);
    return edges;
}

static bool inside(unsigned signs, unsigned corner)
{
    return signs >> corner & 1;
}

static bool is_ambiguous(unsigned signs, unsigned face)
{
    unsigned c[4];
    face_corners(face, c);
    return inside(signs, c[0]) == inside(signs, c[2]) &&
           inside(signs, c[1]) == inside(signs, c[3]) && inside(signs, c[0]) != inside(signs, c[1]);
}

/// Segments of a face, going round counter-clockwise: from where the border enters the inside to
/// where it leaves it; if two inside corners are joined, to where the next inside part ends.
static void face_segments(unsigned signs, unsigned face, bool joined, uint8_t next[CUBES_EDGES])
{
    unsigned c[4], enters[2], leaves[2], n = 0;
    face_corners(face, c);
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned before = c[k], at = c[(k + 1) % 4];
        if (inside(signs, before) || !inside(signs, at)) continue;
        enters[n] = edge_between(before, at);
        unsigned m = (k + 1) % 4;
        while (inside(signs, c[(m + 1) % 4]))
            m = (m + 1) % 4;
        leaves[n] = edge_between(c[m], c[(m + 1) % 4]);
        ++n;
    }
    for (unsigned k = 0; k < n; ++k)
        next[enters[k]] = (uint8_t)leaves[joined ? (k + 1) % n : k];
}

/// For each edge, the edges that share a face with it, one bit each.
typedef struct edge_faces {
    unsigned shared[CUBES_EDGES];
} edge_faces;

static edge_faces find_shared(void)
{
    edge_faces faces = {{0}};
    for (unsigned face = 0; face < FACES; ++face) {
        const unsigned edges = face_edges(face);
        for (unsigned e = 0; e < CUBES_EDGES; ++e)
            if (edges >> e & 1) faces.shared[e] |= edges;
    }
    return faces;
}

/// Whether a fan from place `at` of a loop has no diagonal within a face.
static bool fan_is_safe(const edge_faces *faces, const uint8_t *loop, unsigned length, unsigned at)
{
    for (unsigned k = 2; k + 1 < length; ++k)
        if (faces->shared[loop[at]] >> loop[(at + k) % length] & 1) return false;
    return true;
}

static void add_triangle(cubes_entry *entry, unsigned a, unsigned b, unsigned c)
{
    uint8_t *corner = entry->corner[entry->triangles++];
    corner[0] = (uint8_t)a;
    corner[1] = (uint8_t)b;
    corner[2] = (uint8_t)c;
}

static void add_loop(cubes_entry *entry, const edge_faces *faces, const uint8_t *loop,
                     unsigned length)
{
    unsigned from = NONE;
    for (unsigned k = 0; k < length; ++k)
        if (fan_is_safe(faces, loop, length, k) && (from == NONE || loop[k] < loop[from])) from = k;
    if (from != NONE) {
        for (unsigned k = 1; k + 1 < length; ++k)
            add_triangle(entry, loop[from], loop[(from + k) % length],
                         loop[(from + k + 1) % length]);
        return;
    }
    const unsigned centre = entry->centres++;
    for (unsigned k = 0; k < length; ++k) {
        entry->loop[centre] |= (uint16_t)(1u << loop[k]);
        add_triangle(entry, CUBES_EDGES + centre, loop[k], loop[(k + 1) % length]);
    }
}

static void trace_loops(cubes_entry *entry, const edge_faces *faces,
                        const uint8_t next[CUBES_EDGES])
{
    bool seen[CUBES_EDGES] = {false};
    for (unsigned e = 0; e < CUBES_EDGES; ++e) {
        if (next[e] == NONE || seen[e]) continue;
        uint8_t loop[CUBES_EDGES];
        unsigned length = 0;
        for (unsigned at = e; !seen[at]; at = next[at]) {
            seen[at] = true;
            loop[length++] = (uint8_t)at;
        }
        add_loop(entry, faces, loop, length);
    }
}

static void make_entry(cubes_entry *entry, const edge_faces *faces, unsigned signs, unsigned unsure,
                       unsigned decisions)
{
    uint8_t next[CUBES_EDGES];
    memset(next, NONE, sizeof next);
    memset(entry, 0, sizeof *entry);
    for (unsigned face = 0, k = 0; face < FACES; ++face) {
        const bool decided = unsure >> face & 1;
        face_segments(signs, face, decided && (decisions >> k & 1), next);
        k += decided;
    }
    trace_loops(entry, faces, next);
}

size_t surface_cubes_table(cubes_table *table)
{
    const edge_faces faces = find_shared();
    size_t used = 0;
    for (unsigned signs = 0; signs < 256; ++signs) {
        unsigned unsure = 0, count = 0, cut = 0;
        for (unsigned face = 0; face < FACES; ++face)
            if (is_ambiguous(signs, face)) {
                unsure |= 1u << face;
                ++count;
            }
        for (unsigned e = 0; e < CUBES_EDGES; ++e) {
            const unsigned low = surface_edge_low(e);
            cut |= (unsigned)(inside(signs, low) != inside(signs, low | 1u << (e >> 2))) << e;
        }
        table->first[signs] = (uint16_t)used;
        table->unsure[signs] = (uint8_t)unsure;
        table->cut[signs] = (uint16_t)cut;
        for (unsigned decisions = 0; decisions < 1u << count; ++decisions) {
            SP_ASSERT(used < CUBES_ENTRIES);
            make_entry(&table->entry[used++], &faces, signs, unsure, decisions);
        }
    }
    return used;
}

/// The inside corners of a face are joined where the saddle of its bilinear interpolant is inside,
/// (ac - bd)/(a + c - b - d) < 0 with a and c inside. The denominator is always negative, so two
/// products and one comparison decide, without a division, and both cells that share the face get
/// the same result. Equality separates.
const cubes_entry *surface_cubes_cell(const cubes_table *table, unsigned signs, const float phi[8])
{
    unsigned decisions = 0, k = 0;
    for (unsigned left = table->unsure[signs]; left; left &= left - 1, ++k) {
        unsigned c[4];
        face_corners((unsigned)__builtin_ctz(left), c);
        const float even = phi[c[0]] * phi[c[2]], odd = phi[c[1]] * phi[c[3]];
        decisions |= (unsigned)(inside(signs, c[0]) ? even > odd : odd > even) << k;
    }
    return &table->entry[table->first[signs] + decisions];
}
