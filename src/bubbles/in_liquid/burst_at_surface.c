// SPDX-License-Identifier: Apache-2.0
/// What happens to particles outside the liquid: those that reach its surface burst, and new ones are dropped.
#include "bubbles/in_liquid/in_liquid.h"
#include "bubbles/sources/sizes.h"

typedef struct meeting {
    bubbles *s;
    sp_liquid_water water;
    float band;         ///< m; phi where there is no tile
    double (*burst)[2]; ///< by tile: how many burst, and their volume, m3
} meeting;

/// phi at a particle, m. Its place is relative to tile t and may be beyond it.
static float surface_at(const meeting *m, size_t t, size_t i)
{
    const bubbles_particles *p = &m->s->particles;
    float at[3];
    for (int a = 0; a < 3; ++a)
        at[a] = m->s->grid.voxel * ((float)(SP_TILE * m->water.tiles->at[t][a]) + p->x[a][i]);
    return sp_tiles_sample(m->water.tiles, m->water.phi, SP_AT_CELLS, m->band, at, NULL);
}

static void meet_tiles(void *arg, size_t begin, size_t end)
{
    meeting *m = arg;
    const bubbles_particles *p = &m->s->particles;
    for (size_t t = begin; t < end; ++t) {
        m->burst[t][0] = m->burst[t][1] = 0.0;
        for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            const float r = bubbles_shown_radius(p->radius[i], p->place[i]);
            if (p->id[i] == SP_POINT_GONE || m->s->material[p->material[i]].grains) continue;
            if (surface_at(m, t, i) < -r) continue;
            p->id[i] = SP_POINT_GONE;
            m->burst[t][0] += 1.0;
            m->burst[t][1] += (double)bubbles_volume(r);
        }
    }
}

sp_status bubbles_meet_surface(bubbles *s, sp_error *err)
{
    const size_t tiles = s->grid.tiles.count;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    meeting m = {.s = s, .water = sp_liquid_now(s->water), .band = 4.0f * s->grid.voxel};
    m.burst = sp_scratch_take(&s->scratch, tiles + 1, sizeof *m.burst);
    if (!m.burst) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu tiles", tiles);
    sp_tiles_parallel(&s->grid.tiles, meet_tiles, &m);
    s->figures.burst += (uint64_t)sp_exact_total(m.burst[0], tiles, 2);
    s->figures.burst_volume += sp_exact_total(m.burst[0] + 1, tiles, 2);
    sp_scratch_rewind(&s->scratch, mark);
    return SP_OK;
}

void bubbles_drop_dry(bubbles *s)
{
    const sp_liquid_water water = sp_liquid_now(s->water);
    bubbles_new *n = &s->fresh;
    size_t kept = 0;
    for (size_t i = 0; i < n->count; ++i) {
        float at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = (float)(n->x[i][a] - water.origin[a]);
        const float phi = sp_tiles_sample(water.tiles, water.phi, SP_AT_CELLS, 1.0f, at, NULL);
        if (!(phi < 0.0f)) continue;
        memmove(n->x[kept], n->x[i], sizeof *n->x);
        memmove(n->v[kept], n->v[i], sizeof *n->v);
        n->radius[kept] = n->radius[i];
        n->density[kept] = n->density[i];
        n->place[kept] = n->place[i];
        n->material[kept++] = n->material[i];
    }
    s->figures.dry += n->count - kept;
    n->count = kept;
}
