// SPDX-License-Identifier: Apache-2.0
/// The fraction filter psi (WSB25 section 5.4.1): single cells of air feel no surface tension.
///
///     1  mark cells whose six faces all have air
///     2  unmark those that share a face with another
///     3  mark cells beside exactly one marked cell that have air on two faces or more
///     4  mark cells beside exactly two marked cells that belong to the same cell of step 2, where
///        both faces to them have air
///     5  psi = 0 on all faces of marked cells
///
/// Each step reads only what the one before has written, so the order of cells does not matter.
///
/// Masks are enough, without identifiers. A cell d of step 4 does not touch a cell a of step 2
/// (with one, step 3 would have marked d; two have different identifiers). So its neighbours b and
/// c are of step 3, and a is beside both of them:
///
///     c  a     b has a on the side where d has c,
///     d  b     and c has a on the side where d has b
#include "bubbles/tension/tension.h"

enum { SIDES = 6 }; // of a cell: x-, x+, y-, y+, z-, z+

/// Masks by row.
typedef struct filter {
    const bubbles_air *air;
    sp_tile_mask *full;          ///< step 1
    sp_tile_mask *single;        ///< step 2
    sp_tile_mask *third;         ///< all that is marked after step 3
    sp_tile_mask *beside[SIDES]; ///< step 3: cells that have a cell of step 2 on this side
    sp_tile_mask *marked;        ///< all that is marked after step 4
} filter;

/// ---- Neighbours --------------------------------------------------------------------------------

/// Voxels that are in at least one, two and three of the masks that were added.
typedef struct tally {
    uint64_t one, two, three;
} tally;

SP_INLINE void add(tally *t, uint64_t bits)
{
    t->three |= t->two & bits;
    t->two |= t->one & bits;
    t->one |= bits;
}

static void look_across(const bubbles_air *a, sp_tile_mask *masks, size_t row, int side,
                        sp_tile_mask out)
{
    bubbles_mask_shift(&a->rows, masks, (uint32_t)row, side / 2, side % 2 ? 1 : -1, out);
}

static void look_around(const bubbles_air *a, sp_tile_mask *masks, size_t row,
                        sp_tile_mask around[SIDES])
{
    for (int side = 0; side < SIDES; ++side)
        look_across(a, masks, row, side, around[side]);
}

/// Which of the six faces of cells have air.
static void look_at_faces(const bubbles_air *a, size_t row, sp_tile_mask face[SIDES])
{
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(face[2 * axis], a->open[axis][row], sizeof *face);
        look_across(a, a->open[axis], row, 2 * axis + 1, face[2 * axis + 1]);
    }
}

/// Whether a row or a neighbour of it has any cell of the masks.
static bool any_near(const bubbles_air *a, sp_tile_mask *masks, size_t row)
{
    bool any = sp_tile_mask_any(masks[row]);
    for (int side = 0; side < SIDES && !any; ++side) {
        const uint32_t there = bubbles_row_beside(a, (uint32_t)row, side / 2, side % 2 ? 1 : -1);
        any = there != SP_NO_TILE && sp_tile_mask_any(masks[there]);
    }
    return any;
}

/// ---- Steps -------------------------------------------------------------------------------------

static void mark_full(void *arg, size_t begin, size_t end)
{
    const filter *f = arg;
    for (size_t r = begin; r < end; ++r) {
        sp_tile_mask face[SIDES];
        look_at_faces(f->air, r, face);
        memcpy(f->full[r], face[0], sizeof *f->full);
        for (int side = 1; side < SIDES; ++side)
            for (int k = 0; k < SP_TILE; ++k)
                f->full[r][k] &= face[side][k];
    }
}

static void unmark_joined(void *arg, size_t begin, size_t end)
{
    const filter *f = arg;
    for (size_t r = begin; r < end; ++r) {
        sp_tile_mask around[SIDES];
        memcpy(f->single[r], f->full[r], sizeof *f->single);
        if (!sp_tile_mask_any(f->full[r])) continue;
        look_around(f->air, f->full, r, around);
        for (int side = 0; side < SIDES; ++side)
            for (int k = 0; k < SP_TILE; ++k)
                f->single[r][k] &= ~around[side][k];
    }
}

static void mark_beside(void *arg, size_t begin, size_t end)
{
    const filter *f = arg;
    for (size_t r = begin; r < end; ++r) {
        memcpy(f->third[r], f->single[r], sizeof *f->third);
        for (int side = 0; side < SIDES; ++side)
            memset(f->beside[side][r], 0, sizeof *f->beside[side]);
        if (!any_near(f->air, f->single, r)) continue;
        sp_tile_mask around[SIDES], face[SIDES];
        look_around(f->air, f->single, r, around);
        look_at_faces(f->air, r, face);
        for (int k = 0; k < SP_TILE; ++k) {
            tally marked = {0}, open = {0};
            for (int side = 0; side < SIDES; ++side) {
                add(&marked, around[side][k]);
                add(&open, face[side][k]);
            }
            const uint64_t fresh = ~f->single[r][k] & marked.one & ~marked.two & open.two;
            for (int side = 0; side < SIDES; ++side)
                f->beside[side][r][k] = fresh & around[side][k];
            f->third[r][k] |= fresh;
        }
    }
}

/// Adds the cells d with b on side p and c on side q.
static void add_corners(const filter *f, size_t row, int p, int q, sp_tile_mask face[SIDES],
                        sp_tile_mask corners)
{
    sp_tile_mask b, c;
    look_across(f->air, f->beside[q], row, p, b);
    look_across(f->air, f->beside[p], row, q, c);
    for (int k = 0; k < SP_TILE; ++k)
        corners[k] |= b[k] & c[k] & face[p][k] & face[q][k];
}

static void mark_corners(void *arg, size_t begin, size_t end)
{
    const filter *f = arg;
    for (size_t r = begin; r < end; ++r) {
        memcpy(f->marked[r], f->third[r], sizeof *f->marked);
        if (!any_near(f->air, f->third, r)) continue;
        sp_tile_mask around[SIDES], face[SIDES], corners = {0};
        look_around(f->air, f->third, r, around);
        look_at_faces(f->air, r, face);
        for (int p = 0; p < SIDES; ++p)
            for (int q = p - p % 2 + 2; q < SIDES; ++q) // sides of another axis
                add_corners(f, r, p, q, face, corners);
        for (int k = 0; k < SP_TILE; ++k) {
            tally marked = {0};
            for (int side = 0; side < SIDES; ++side)
                add(&marked, around[side][k]);
            f->marked[r][k] |= corners[k] & marked.two & ~marked.three;
        }
    }
}

/// ---- All together ------------------------------------------------------------------------------

static bool take_memory(filter *f, sp_scratch *scratch)
{
    const size_t rows = f->air->rows.count;
    f->full = sp_scratch_take(scratch, rows, sizeof *f->full);
    f->single = sp_scratch_take(scratch, rows, sizeof *f->single);
    f->third = sp_scratch_take(scratch, rows, sizeof *f->third);
    f->marked = sp_scratch_take(scratch, rows, sizeof *f->marked);
    bool enough = f->full && f->single && f->third && f->marked;
    for (int side = 0; side < SIDES; ++side) {
        f->beside[side] = sp_scratch_take(scratch, rows, sizeof *f->beside[side]);
        enough &= f->beside[side] != NULL;
    }
    return enough;
}

sp_status bubbles_filter_fractions(tension_work *w, sp_error *err)
{
    const sp_tiles *rows = &w->air.rows;
    filter f = {.air = &w->air};
    w->marked = NULL;
    if (!w->s->def.tension.filter) return SP_OK;
    if (!take_memory(&f, &w->s->scratch))
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to filter %zu tiles", rows->count);
    sp_tiles_parallel(rows, mark_full, &f);
    sp_tiles_parallel(rows, unmark_joined, &f);
    bool any = false;
    for (size_t r = 0; r < rows->count; ++r)
        any |= sp_tile_mask_any(f.single[r]);
    if (!any) return SP_OK; // most often: no bubble is as small
    sp_tiles_parallel(rows, mark_beside, &f);
    sp_tiles_parallel(rows, mark_corners, &f);
    w->marked = f.marked;
    return SP_OK;
}
