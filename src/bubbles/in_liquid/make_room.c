// SPDX-License-Identifier: Apache-2.0
/// 4  Particles that are let in push water aside: the voxel of each gets a divergence of V/(h^3 dt).
#include "bubbles/in_liquid/in_liquid.h"

typedef struct adding {
    bubbles *s;
    float rate; ///< 1/(m2 s): from a volume to the divergence of its voxel, times voxel
} adding;

static void add_tiles(void *arg, size_t begin, size_t end)
{
    const adding *d = arg;
    const bubbles_particles *p = &d->s->particles;
    for (size_t t = begin; t < end; ++t) {
        float *source = d->s->grid.source + t * SP_TILE_VOXELS;
        if (!d->s->figures.deep) sp_tile_fill(source, 0.0f);
        for (size_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            const float volume = p->place[i] > 0.0f ? p->place[i] : bubbles_volume(p->radius[i]);
            if (p->id[i] < d->s->first_new) continue;
            source[sp_point_voxel(p->x[0][i], p->x[1][i], p->x[2][i])] += d->rate * volume;
        }
    }
}

void bubbles_make_room(bubbles *s, double dt)
{
    const double h = (double)s->grid.voxel;
    adding d = {s, (float)(1.0 / (h * h * dt))};
    if (s->particles.next_id == s->first_new) return;
    sp_tiles_parallel(&s->grid.tiles, add_tiles, &d);
    s->has_source = true;
}
