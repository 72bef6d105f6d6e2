// SPDX-License-Identifier: Apache-2.0
/// Sorts particles by class, for a search that takes as long for radii of all sizes as for one. Images
/// of particles near the low side of a periodic axis are added beyond its high side.
///
/// Blocks of tiles first count their particles of each class, so that they write in parallel.
#include "bubbles/contacts/contacts.h"

#include <math.h>

enum { TILES = 16 }; // a block

typedef struct placing {
    const bubbles *s;
    contact_places *to;
    size_t blocks;
    uint32_t (*count)[CONTACT_CLASSES]; ///< by block; then where its next place goes
    float (*largest)[CONTACT_CLASSES];  ///< by block; voxels
    float *smallest, *farthest;         ///< by block; radius of grains, m, and way, voxels
    float per_voxel;                    ///< s/m; dt over a voxel
    float unit;                         ///< m; the smallest radius of a grain
    float reach;                        ///< voxels; particles nearer to a low side have images
    int32_t low[3];                     ///< the lowest tile
} placing;

static bool is_grain(const bubbles *s, size_t i)
{
    return s->material[s->particles.material[i]].grains;
}

static size_t block_end(const placing *p, size_t block)
{
    const size_t end = (block + 1) * TILES, tiles = p->s->grid.tiles.count;
    return end < tiles ? end : tiles;
}

static float way_of(const placing *p, size_t i)
{
    float *const *v = p->s->particles.v;
    return p->per_voxel * sqrtf((v[0][i] * v[0][i] + v[1][i] * v[1][i]) + v[2][i] * v[2][i]);
}

/// ---- Sizes -------------------------------------------------------------------------------------

static void find_sizes(void *arg, size_t begin, size_t end)
{
    const placing *p = arg;
    const uint32_t *start = p->s->particles.start;
    const float *radius = p->s->particles.radius;
    for (size_t b = begin; b < end; ++b) {
        float smallest = INFINITY, largest = 0.0f, farthest = 0.0f;
        for (size_t i = start[b * TILES]; i < start[block_end(p, b)]; ++i) {
            largest = fmaxf(largest, radius[i]);
            farthest = fmaxf(farthest, way_of(p, i));
            if (is_grain(p->s, i)) smallest = fminf(smallest, radius[i]);
        }
        p->smallest[b] = smallest;
        p->farthest[b] = farthest;
        p->largest[b][0] = largest;
    }
}

/// False: there are no grains.
static bool measure(placing *p)
{
    const bubbles_grid *g = &p->s->grid;
    float largest = 0.0f;
    int32_t high[3];
    sp_parallel(p->s->host, p->blocks, 1, find_sizes, p);
    p->unit = INFINITY;
    for (size_t b = 0; b < p->blocks; ++b) {
        p->unit = fminf(p->unit, p->smallest[b]);
        largest = fmaxf(largest, p->largest[b][0]);
        p->to->farthest = fmaxf(p->to->farthest, p->farthest[b]);
    }
    sp_tiles_bounds((const int32_t(*)[3])g->tiles.at, g->tiles.count, p->low, high);
    float longest = 0.0f;                               // voxels
    for (int a = 0; a < 3 && g->tiles.count > 0; ++a) { // there are no bounds of none
        if (g->period[a] > 0) p->low[a] = 0, high[a] = 2 * g->period[a];
        longest = fmaxf(longest, (float)(SP_TILE * (high[a] + 2 - p->low[a])));
    }
    p->to->rounding = longest * 0x1p-21f;
    p->reach = (2.0f + CONTACT_FAR) * largest / g->voxel;
    return p->unit < INFINITY;
}

static int class_of(const placing *p, size_t i)
{
    const float size = p->s->particles.radius[i] / p->unit;
    const int exact = size < 2.0f ? 0 : ilogbf(size),
              level = exact < CONTACT_LEVELS ? exact : CONTACT_LEVELS - 1;
    return is_grain(p->s, i) ? contact_grains(level) : contact_air(level);
}

/// ---- Places ------------------------------------------------------------------------------------

/// Bit a: the particle is near the low side of periodic axis a.
static uint32_t sides_near(const placing *p, size_t tile, size_t i)
{
    const bubbles_grid *g = &p->s->grid;
    uint32_t sides = 0;
    for (int a = 0; a < 3; ++a) {
        const float x = (float)(SP_TILE * g->tiles.at[tile][a]) + p->s->particles.x[a][i];
        sides |= (uint32_t)(g->period[a] > 0 && x < p->reach) << a;
    }
    return sides;
}

static void count_places(void *arg, size_t begin, size_t end)
{
    const placing *p = arg;
    const uint32_t *start = p->s->particles.start;
    for (size_t b = begin; b < end; ++b) {
        memset(p->count[b], 0, sizeof p->count[b]);
        memset(p->largest[b], 0, sizeof p->largest[b]);
        for (size_t t = b * TILES; t < block_end(p, b); ++t)
            for (size_t i = start[t]; i < start[t + 1]; ++i) {
                const int class = class_of(p, i);
                p->count[b][class] += 1u << __builtin_popcount(sides_near(p, t, i));
                p->largest[b][class] = fmaxf(p->largest[b][class], p->s->particles.radius[i]);
            }
    }
}

static void put_place(const placing *p, size_t at, size_t tile, size_t i, uint32_t image)
{
    const bubbles_grid *g = &p->s->grid;
    contact_place *place = &p->to->place[at];
    *place = (contact_place){.radius = p->s->particles.radius[i] / g->voxel,
                             .way = way_of(p, i),
                             .particle = (uint32_t)i,
                             .image = image};
    for (int a = 0; a < 3; ++a) {
        place->at[a] = g->tiles.at[tile][a] + (image >> a & 1u ? g->period[a] : 0);
        place->x[a] = p->s->particles.x[a][i];
        p->to->x[a][at] = (float)(SP_TILE * (place->at[a] - p->low[a])) + place->x[a];
    }
}

static void put_places(void *arg, size_t begin, size_t end)
{
    const placing *p = arg;
    const uint32_t *start = p->s->particles.start;
    for (size_t b = begin; b < end; ++b)
        for (size_t t = b * TILES; t < block_end(p, b); ++t)
            for (size_t i = start[t]; i < start[t + 1]; ++i) {
                const uint32_t sides = sides_near(p, t, i);
                uint32_t *next = &p->count[b][class_of(p, i)];
                for (uint32_t image = 0; image <= sides; ++image)
                    if ((image & ~sides) == 0) put_place(p, (*next)++, t, i, image);
            }
}

/// Turns counts into places: class by class, and block by block in each.
static size_t number_places(placing *p)
{
    size_t total = 0;
    for (int class = 0; class < CONTACT_CLASSES; ++class) {
        p->to->first[class] = (uint32_t)total;
        p->to->largest[class] = 0.0f;
        for (size_t b = 0; b < p->blocks; ++b) {
            const uint32_t count = p->count[b][class];
            p->count[b][class] = (uint32_t)total;
            total += count;
            p->to->largest[class] =
                fmaxf(p->to->largest[class], p->largest[b][class] / p->s->grid.voxel);
        }
    }
    p->to->first[CONTACT_CLASSES] = (uint32_t)total;
    return total;
}

static bool take_arrays(sp_scratch *scratch, contact_places *to, size_t n)
{
    to->place = sp_scratch_array(scratch, contact_place, n + 1);
    for (int a = 0; a < 3; ++a)
        to->x[a] = sp_scratch_array(scratch, float, n + SP_LANES);
    return to->place && to->x[0] && to->x[1] && to->x[2];
}

sp_status contacts_sort_places(bubbles *s, contact_places *places, double dt, sp_error *err)
{
    const size_t blocks = (s->grid.tiles.count + TILES - 1) / TILES;
    placing p = {.s = s,
                 .to = places,
                 .blocks = blocks,
                 .count = sp_scratch_take(&s->scratch, blocks + 1, sizeof *p.count),
                 .largest = sp_scratch_take(&s->scratch, blocks + 1, sizeof *p.largest),
                 .smallest = sp_scratch_array(&s->scratch, float, blocks + 1),
                 .farthest = sp_scratch_array(&s->scratch, float, blocks + 1),
                 .per_voxel = (float)(dt / (double)s->grid.voxel)};
    *places = (contact_places){0};
    if (!p.count || !p.largest || !p.smallest || !p.farthest)
        return contacts_no_memory(s->particles.set.count, err);
    if (!measure(&p)) return SP_OK;
    sp_parallel(s->host, blocks, 1, count_places, &p);
    places->count = number_places(&p);
    if (!take_arrays(&s->scratch, places, places->count))
        return contacts_no_memory(places->count, err);
    sp_parallel(s->host, blocks, 1, put_places, &p);
    return SP_OK;
}
