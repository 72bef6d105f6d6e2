// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEST_LIQUID_MOVING_H
#define SP_TEST_LIQUID_MOVING_H

/// Water made by hand, with moving particles: it has the memory that the solver would give it, and
/// velocities in closed form.

#include "test_liquid_water.h"

#include <math.h>

typedef struct moving_def {
    int method;
    float voxel, cfl, pic_rate;
    int32_t low[3], high[3]; ///< tiles
    water_count *count;
} moving_def;

static inline sp_status moving_open(liquid *s, const sp_host *host, const moving_def *d,
                                    sp_error *err)
{
    SP_TRY(water_open(s, host, d->voxel, d->low, d->high, err));
    s->def.method = d->method;
    s->def.cfl = d->cfl;
    s->def.pic_rate = d->pic_rate;
    for (int a = 0; a < 3; ++a)
        if (!(s->grid.u_unforced[a] = sp_tiles_field(&s->grid.tiles, 0.0f)))
            return sp_fail(err, SP_NO_MEMORY, "test: no memory");
    SP_TRY(liquid_particles_open(&s->particles, &s->def, s->grid.tiles.count, s->host, err));
    const size_t n = water_pour(s, d->count, false);
    SP_TRY(liquid_particles_reserve(&s->particles, n, err));
    (void)sp_particles_append(&s->particles.set, n);
    s->particles.start[s->grid.tiles.count] = (uint32_t)water_pour(s, d->count, true);
    return SP_OK;
}

static inline void moving_close(liquid *s)
{
    for (int a = 0; a < 3; ++a)
        sp_release(s->host, s->grid.u_unforced[a]);
    liquid_particles_close(&s->particles);
    water_close(s);
}

/// Component a of a velocity, m/s, at a place in voxels from the origin.
typedef double moving_velocity(int a, const double x[3]);

/// Puts a velocity on the faces.
static inline void moving_set(const liquid *s, float *const field[3], moving_velocity *velocity)
{
    for (int a = 0; a < 3; ++a)
        for (size_t t = 0; t < s->grid.tiles.count; ++t)
            for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                const int in[3] = {v % 8, v / 8 % 8, v / 64};
                double x[3];
                for (int b = 0; b < 3; ++b)
                    x[b] = 8.0 * s->grid.tiles.at[t][b] + in[b] + (a == b ? 0.0 : 0.5);
                field[a][t * SP_TILE_VOXELS + (size_t)v] = (float)velocity(a, x);
            }
}

static inline int moving_two(const int32_t voxel[3])
{
    return (voxel[0] ^ voxel[1] ^ voxel[2]) & 1 ? 2 : 1;
}

#endif
