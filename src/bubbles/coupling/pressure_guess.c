// SPDX-License-Identifier: Apache-2.0
/// 3  The first guess of the pressure in a substep (WSB25, 49): that of still water, none, or the last one.
#include "bubbles/internal.h"

/// p_0 decides the gradient that particles and water feel in the first iteration. The solver begins with the
/// last solution whatever p_0 is: that only saves iterations.
///
/// With that of still water, the first velocities of air at 1:1000 are 999 g dt, and so is the drag that they put
/// on the water around. Two iterations then leave an error of -7 g dt in the mean velocity of a large bubble, in
/// every substep: it is torn apart. A third leaves 0.04, the last pressure with two iterations 0.2 (`validate
/// bubbles/first_guess`). So the last one is the default.
typedef struct guessing {
    bubbles *s;
    float by;          ///< dt over the last dt
    float gradient[3]; ///< m/s; of p_0
    bool previous;     ///< p_0 is the last q, and its gradient is found from that
} guessing;

static void guess_tiles(void *arg, size_t begin, size_t end)
{
    const guessing *g = arg;
    const bubbles_grid *grid = &g->s->grid;
    const size_t first = begin * SP_TILE_VOXELS, last = end * SP_TILE_VOXELS;
    for (size_t n = first; n < last; ++n)
        grid->q[n] *= g->by;
    for (int a = 0; a < 3 && !g->previous; ++a)
        for (size_t n = first; n < last; ++n)
            grid->gradient[a][n] = g->gradient[a];
}

void bubbles_guess_pressure(bubbles *s, double dt)
{
    const int init = s->def.pressure.init;
    guessing g = {.s = s,
                  .by = s->last_dt > 0.0 ? (float)(dt / s->last_dt) : 0.0f,
                  .previous = init == SP_BUBBLES_PRESSURE_PREVIOUS && !s->water};
    if (init == SP_BUBBLES_PRESSURE_ZERO) // no pressure is that of still water less itself
        for (int a = 0; a < 3; ++a)
            g.gradient[a] = (float)(-(double)s->gravity[a] * dt);
    sp_tiles_parallel(&s->grid.tiles, guess_tiles, &g);
    if (g.previous) bubbles_find_gradient(s);
}
