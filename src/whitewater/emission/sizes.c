// SPDX-License-Identifier: Apache-2.0
/// Radii, and how many bubbles a particle stands for.
///
/// Radii have a density that falls with their cube between two bounds (W15). If the def leaves them
/// open they are a twentieth and a fifth of the bulk's voxel: then a voxel of fully aerated water
/// holds some 150 bubbles, whatever the scale of the scene, and none is too large for its voxel.
/// Bubbles of more than 2 cm break up in nature, so beyond voxels of 10 cm the radii stay, and a
/// particle stands for as many bubbles as have the volume of the larger one.
///
/// The budget. Up to half of it a particle is what it is; beyond, it stands for 1/(2 (1 - fill))
/// times as many bubbles, which keeps a steady inflow below the budget: the fill of ten times as
/// many bubbles as fit is 0.95. A step never takes more than half of the room that is left.
#include "whitewater/emission/internal.h"

static const double smallest = 1.0 / 20.0, largest = 1.0 / 5.0; // voxels
static const double breaking = 0.02;                            // m

static double mean_volume(double min, double max)
{
    return 4.0 / 3.0 * SP_PI_D * 2.0 * min * min * max * max / (min + max);
}

emission_sizes emission_sizes_of(const sp_emission_def *def, double voxel)
{
    emission_sizes s = {
        .min = (double)def->radius_min, .max = (double)def->radius_max, .number = 1.0};
    const double shown = fmin(voxel, breaking / largest), ratio = voxel / shown;
    if (!(s.max > 0.0)) {
        s.min = smallest * shown;
        s.max = largest * shown;
        s.number = ratio * ratio * ratio;
    }
    s.volume = mean_volume(s.min, s.max);
    return s;
}

double emission_draw_radius(const emission_sizes *s, const whitewater_world *world, uint64_t id,
                            uint32_t index)
{
    const sp_random4 random =
        sp_random(world->seed, WHITEWATER_RANDOM_RADIUS, id, (uint32_t)world->step, index);
    const double x = (double)random.x[0] * 0x1p-32, ratio = s->min / s->max;
    return s->min / sqrt(1.0 - x * (1.0 - ratio * ratio));
}

double emission_number(double least, size_t now, double wanted, uint64_t budget)
{
    if (now >= budget) return (double)INFINITY;
    const double room = (double)(budget - now), empty = room / (double)budget;
    return fmax(least * fmax(1.0, 0.5 / empty), wanted / (0.5 * room));
}
