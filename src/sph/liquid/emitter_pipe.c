// SPDX-License-Identifier: Apache-2.0
/// The pipe behind an emitter's mouth: positions of its layers of particles and of its shell.
///
///     inlet                     mouth
///     # # # # # # # # # # # # # #        #  shell: particles of the wall
///     o   o   o   o   o   o   o     ->   o  layers, d apart, pinned until they pass the mouth
///     # # # # # # # # # # # # # #
#include "sph/internal.h"

/// Squared radius of a disc in spacings, with a tolerance for rounding: a disc of radius two spacings
/// contains the point two spacings away.
static double reach2(const sph_emitter *e, float d)
{
    const double reach = (double)e->def.radius / (double)d;
    return reach * reach * (1.0 + 1e-5);
}

static bool in_disc(const sph_emitter *e, float d, int i, int j)
{
    return (double)i * i + (double)j * j <= reach2(e, d);
}

static int disc_half(const sph_emitter *e, float d)
{
    return (int)sqrt(reach2(e, d));
}

size_t sph_pipe_disc(const sph_emitter *e, float d, float (*at)[2])
{
    const int half = disc_half(e, d);
    size_t count = 0;
    for (int j = -half; j <= half; ++j)
        for (int i = -half; i <= half; ++i) {
            if (!in_disc(e, d, i, j)) continue;
            if (at) {
                at[count][0] = (float)i * d;
                at[count][1] = (float)j * d;
            }
            ++count;
        }
    return count;
}

static bool beside_disc(const sph_emitter *e, float d, int i, int j)
{
    if (in_disc(e, d, i, j)) return false;
    for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di)
            if (in_disc(e, d, i + di, j + dj)) return true;
    return false;
}

/// A point from the pipe's axes to the world.
static void place(const sph_emitter *e, double across, double over, double along, float x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] = (float)((double)e->def.center[k] + across * (double)e->across[0][k] +
                       over * (double)e->across[1][k] + along * (double)e->axis[k]);
}

void sph_pipe_point(const sph_emitter *e, size_t k, double from_inlet, float x[3])
{
    place(e, (double)e->disc[k][0], (double)e->disc[k][1], from_inlet - (double)e->pipe, x);
}

size_t sph_pipe_layers(const sph_emitter *e, float d)
{
    return (size_t)ceil((double)e->pipe / (double)d - 1e-3);
}

size_t sph_pipe_shell(const sph_emitter *e, float d, float (*x)[3])
{
    if (!(e->pipe > 0.0f)) return 0;
    const int half = disc_half(e, d) + 1;
    const size_t rings = (size_t)((double)e->pipe / (double)d + 1e-3) + 1;
    size_t count = 0;
    for (size_t ring = 0; ring < rings; ++ring)
        for (int j = -half; j <= half; ++j)
            for (int i = -half; i <= half; ++i) {
                if (!beside_disc(e, d, i, j)) continue;
                if (x)
                    place(e, (double)i * (double)d, (double)j * (double)d,
                          (double)ring * (double)d - (double)e->pipe, x[count]);
                ++count;
            }
    return count;
}

double sph_pipe_along(const sph_emitter *e, const float x[3])
{
    double along = 0.0;
    for (int k = 0; k < 3; ++k)
        along += ((double)x[k] - (double)e->def.center[k]) * (double)e->axis[k];
    return along;
}

bool sph_pipe_holds(const sph_emitter *e, const float x[3], float reach)
{
    const double along = sph_pipe_along(e, x), far = (double)e->def.radius + (double)reach;
    double beside2 = -along * along;
    for (int k = 0; k < 3; ++k) {
        const double from = (double)x[k] - (double)e->def.center[k];
        beside2 += from * from;
    }
    return e->pipe > 0.0f && along > -(double)(e->pipe + reach) && along < (double)reach &&
           beside2 < far * far;
}
