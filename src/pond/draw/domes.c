// SPDX-License-Identifier: Apache-2.0
/// Adds the domes above near bubbles to the drawn surface (P13, P14): D = V/(1 + delta) W2(h, d) with
/// W2 = 4 (h^2 - d^2)^3/(pi h^8), h = 2r (1 + delta) and delta the submergence in radii. Its integral
/// is V/(1 + delta): all of the bubble when it is at the surface. T07's equation 9 adds metres to 1
/// and takes a 3D kernel over a 2D surface.
#include "pond/internal.h"

enum {
    DOME_WIDEST = 256, ///< vertices across, whole vectors; wider domes are done in parts
    DOME_BLOCK = 4096, ///< bubbles whose domes are listed together
    DOME_BLOCKS = 1000000 / DOME_BLOCK + 1,
};

typedef struct dome {
    float x, y, h2, scale;  ///< m, m, m^2, 1/m^5
    int32_t i0, i1, j0, j1; ///< vertices, ends excluded
} dome;

/// The domes of each block of bubbles, in order, from list[block * DOME_BLOCK] on. Rows of the
/// surface then add them in parallel: each vertex adds them in the order of the bubbles.
typedef struct domes {
    sp_pond *pond;
    dome *list;
    struct {
        uint32_t count;
        int32_t j0, j1; ///< rows that these domes reach
    } block[DOME_BLOCKS];
} domes;

/// False when the bubble is too deep to have one.
static bool make_dome(const sp_pond *pond, size_t i, dome *d)
{
    const pond_bubbles *b = &pond->bubbles;
    const float level = pond_level_at(&pond->water, b->px[i], b->py[i]), r = b->r[i];
    const float depth = (level - b->pz[i]) / r, delta = depth > 0.0f ? depth : 0.0f;
    if (delta > 6.0f) return false; // the dome is lower than 0.4 % of r
    const float h = 2.0f * r * (1.0f + delta), h2 = h * h, spacing = pond->view.spacing;
    const float width = (float)pond->view.width, height = (float)pond->view.height;
    *d = (dome){
        .x = b->px[i],
        .y = b->py[i],
        .h2 = h2,
        .scale = (float)(b->vol[i] / (double)(1.0f + delta)) * 4.0f / (SP_PI * h2 * h2 * h2 * h2),
        .i0 = (int32_t)sp_clamp(ceilf((b->px[i] - h) / spacing), 0.0f, width),
        .i1 = (int32_t)sp_clamp(floorf((b->px[i] + h) / spacing) + 1.0f, 0.0f, width),
        .j0 = (int32_t)sp_clamp(ceilf((b->py[i] - h) / spacing), 0.0f, height),
        .j1 = (int32_t)sp_clamp(floorf((b->py[i] + h) / spacing) + 1.0f, 0.0f, height),
    };
    return true;
}

static void list_domes(void *arg, size_t begin, size_t end)
{
    domes *all = arg;
    const pond_bubbles *b = &all->pond->bubbles;
    for (size_t i = begin; i < end;) {
        const size_t block = i / DOME_BLOCK, after = (block + 1) * DOME_BLOCK,
                     last = after < end ? after : end;
        dome *list = all->list + block * DOME_BLOCK;
        uint32_t count = 0;
        int32_t j0 = INT32_MAX, j1 = 0;
        for (; i < last; ++i) {
            if (!(b->level[i] - b->pz[i] < 8.0f * b->r[i])) continue;
            if (!make_dome(all->pond, i, &list[count])) continue;
            j0 = list[count].j0 < j0 ? list[count].j0 : j0;
            j1 = list[count].j1 > j1 ? list[count].j1 : j1;
            ++count;
        }
        all->block[block].count = count;
        all->block[block].j0 = j0;
        all->block[block].j1 = j1;
    }
}

/// A dome adds zero beyond its rim, so rows are done in whole vectors where the surface is wide
/// enough.
static void dome_row(size_t n, size_t room, float left, float scale, const float *restrict dx2,
                     float *restrict row)
{
    const size_t whole = (sp_pad16(n) < room ? sp_pad16(n) : room) / SP_LANES * SP_LANES;
    for (size_t i = 0; i < whole / SP_LANES * SP_LANES; ++i) {
        const float inside = left - dx2[i], kept = inside > 0.0f ? inside : 0.0f;
        row[i] += scale * (kept * kept * kept);
    }
    for (size_t i = whole; i < n; ++i) {
        const float inside = left - dx2[i], kept = inside > 0.0f ? inside : 0.0f;
        row[i] += scale * (kept * kept * kept);
    }
}

/// Adds a dome to rows [j0, j1).
static void add_dome(const sp_pond *pond, const dome *d, int32_t j0, int32_t j1)
{
    const float spacing = pond->view.spacing;
    const size_t width = pond->view.width;
    for (int32_t part = d->i0; part < d->i1; part += DOME_WIDEST) {
        const size_t n = (size_t)(d->i1 - part < DOME_WIDEST ? d->i1 - part : DOME_WIDEST);
        float dx2[DOME_WIDEST];
        for (size_t k = 0; k < sp_pad16(n); ++k) {
            const float dx = (float)(part + (int32_t)k) * spacing - d->x;
            dx2[k] = dx * dx;
        }
        for (int32_t j = j0; j < j1; ++j) {
            const float dy = (float)j * spacing - d->y;
            dome_row(n, width - (size_t)part, d->h2 - dy * dy, d->scale, dx2,
                     pond->level + (size_t)j * width + (size_t)part);
        }
    }
}

static void add_domes_to_rows(void *arg, size_t begin, size_t end)
{
    const domes *all = arg;
    const int32_t first = (int32_t)begin, last = (int32_t)end;
    for (size_t block = 0; block * DOME_BLOCK < all->pond->bubbles.set.count; ++block) {
        const dome *list = all->list + block * DOME_BLOCK;
        if (all->block[block].j0 >= last || all->block[block].j1 <= first) continue;
        for (uint32_t k = 0; k < all->block[block].count; ++k) {
            const int32_t j0 = list[k].j0 > first ? list[k].j0 : first,
                          j1 = list[k].j1 < last ? list[k].j1 : last;
            if (j0 < j1) add_dome(all->pond, &list[k], j0, j1);
        }
    }
}

void pond_add_domes(sp_pond *pond)
{
    domes all = {.pond = pond, .list = (dome *)(void *)pond->vortex_instances}; // drawn later
    const size_t n = pond->bubbles.set.count, rows = pond->view.height;
    sp_parallel(pond->host, n, DOME_BLOCK, list_domes, &all);
    sp_parallel(pond->host, rows, n < 2 * DOME_BLOCK ? rows : 32, add_domes_to_rows, &all);
}
