// SPDX-License-Identifier: Apache-2.0
/// 7  Keeps thin air from swelling.
///
/// Particles of large bubbles are let in larger than their places in the lattice ("surfacing": 22 times),
/// so that together they fill the grid whatever noise moves them. Where a bubble is torn to sheets, threads
/// and drops, few particles then fill as much of the grid as many did: the air of a bubble that broke up
/// grew to 2.4 times its volume at 1:10, and to 8 times at 1:1000. So a particle's volume V follows what is
/// around it. In a neighbourhood of about two voxels let
///
///     A = mean of the share (what particles fill),   C = mean of the place (what they stand for).
///
/// A large bubble is fuller than C by a layer of 0.8 voxels along its surface. Sheets and drops are that layer
/// and little else, and a lone particle may fill just what it stands for. What tells them apart is whether
/// there is a full neighbourhood beside: with T the largest C within a voxel,
///
///     A/C is at most 1 + (max_swelling - 1) f,   f = 0 up to T = 1/4, 1 from T = 3/4 on, linear between.
///
/// After each substep V changes by a quarter of what is missing, within what the particle stands for and what it
/// was let in with. Radius, drag and mass follow V, so that a particle that leaves a large bubble becomes a
/// bubble of its own size.
#include "bubbles/grid/smooth_patch.h"
#include "bubbles/tension/pockets.h"

enum { PAD = 2, EDGE = SP_TILE + 2 * PAD, COUNT = EDGE * EDGE * EDGE };

typedef struct swelling {
    bubbles *s;
    bubbles_air air;
    float *share, *place; ///< by cell of the rows: means over six faces
} swelling;

/// ---- Cells -------------------------------------------------------------------------------------

static void mean_of_faces(const swelling *w, float *const field[3], size_t row, float *restrict out)
{
    if (bubbles_is_near(&w->air, row))
        bubbles_mean_of_faces(&w->s->grid.tiles, field, w->air.tile[row], out);
    else
        sp_tile_fill(out, 0.0f);
}

static void find_cells(void *arg, size_t begin, size_t end)
{
    const swelling *w = arg;
    for (size_t r = begin; r < end; ++r) {
        mean_of_faces(w, w->s->grid.share, r, w->share + r * SP_TILE_VOXELS);
        mean_of_faces(w, w->s->grid.place, r, w->place + r * SP_TILE_VOXELS);
    }
}

/// A smoothed field of a row, with a border of two voxels; the outer one is meaningless.
static void smooth_row(const swelling *w, const float *cells, size_t row, float patch[COUNT])
{
    float other[COUNT];
    sp_tiles_patch(&w->air.rows, cells, (uint32_t)row, PAD, 0.0f, patch);
    bubbles_smooth_patch(patch, other, EDGE);
}

/// The largest of three neighbours along each axis.
static void find_largest(const float from[COUNT], float to[COUNT])
{
    const int step[3] = {1, EDGE, EDGE * EDGE};
    float other[COUNT];
    memcpy(to, from, COUNT * sizeof *to);
    for (int a = 0; a < 3; ++a) {
        memcpy(other, to, sizeof other);
        for (int n = step[a]; n < COUNT - step[a]; ++n) {
            const float side = fmaxf(other[n - step[a]], other[n + step[a]]);
            to[n] = other[n] > side ? other[n] : side;
        }
    }
}

/// ---- Particles ---------------------------------------------------------------------------------

/// The volume after this substep, over that before.
static float change_of(float filled, float stood_for, float thickest, float most)
{
    const float swollen = 1.0f + (most - 1.0f) * sp_clamp(2.0f * thickest - 0.5f, 0.0f, 1.0f);
    return 1.0f + 0.25f * (sp_clamp(swollen * stood_for / filled, 0.2f, 2.0f) - 1.0f);
}

/// The basis may have shifted a particle beyond its tile (power).
static size_t place_in_patch(const bubbles_particles *p, size_t i)
{
    size_t place = 0;
    for (int a = 2; a >= 0; --a)
        place = EDGE * place + PAD + (size_t)sp_clamp(p->x[a][i], 0.0f, SP_TILE - 1.0f);
    return place;
}

static void change_row(const swelling *w, size_t row)
{
    bubbles_particles *p = &w->s->particles;
    const uint32_t tile = w->air.tile[row], begin = p->start[tile], end = p->start[tile + 1];
    const float most = w->s->def.max_swelling;
    float filled[COUNT], stood_for[COUNT], thickest[COUNT];
    if (begin == end) return;
    smooth_row(w, w->share, row, filled);
    smooth_row(w, w->place, row, stood_for);
    find_largest(stood_for, thickest);
    for (uint32_t i = begin; i < end; ++i) {
        if (!(p->place[i] > 0.0f)) continue;
        const size_t n = place_in_patch(p, i);
        const float volume =
            bubbles_volume(p->radius[i]) * change_of(filled[n], stood_for[n], thickest[n], most);
        const float least = bubbles_radius(p->place[i]);
        p->radius[i] = sp_clamp(bubbles_radius(volume), least, p->largest[i]);
    }
}

static void change_particles(void *arg, size_t begin, size_t end)
{
    const swelling *w = arg;
    for (size_t r = begin; r < end; ++r)
        change_row(w, r);
}

/// ---- All together ------------------------------------------------------------------------------

static sp_status limit(swelling *w, sp_error *err)
{
    bubbles *s = w->s;
    SP_TRY(bubbles_find_air(s, &w->air, err));
    const size_t values = w->air.rows.count * SP_TILE_VOXELS;
    w->share = sp_scratch_array(&s->scratch, float, values);
    w->place = sp_scratch_array(&s->scratch, float, values);
    if (!w->share || !w->place)
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the air in %zu tiles",
                       w->air.rows.count);
    sp_tiles_parallel(&w->air.rows, find_cells, w);
    sp_tiles_parallel(&w->air.rows, change_particles, w);
    return SP_OK;
}

sp_status bubbles_limit_swelling(bubbles *s, sp_error *err)
{
    if (!s->places || !(s->def.max_swelling > 0.0f)) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    swelling w = {.s = s};
    const sp_status status = limit(&w, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}
