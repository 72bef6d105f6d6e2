// SPDX-License-Identifier: Apache-2.0
/// Chooses how many substeps a frame has, where the scene leaves it open.
#include "bubbles/internal.h"

double bubbles_tension_limit(const sp_bubbles_def *d)
{
    const double sigma = (double)d->tension.coefficient, h = (double)d->voxel;
    double lightest = d->material_count > 0 ? HUGE_VAL : (double)d->density_air;
    for (size_t i = 0; i < d->material_count; ++i)
        lightest = fmin(lightest, (double)d->materials[i].density);
    return sigma > 0.0
               ? 2.5 * sqrt((lightest + (double)d->density) * h * h * h / (4.0 * SP_PI_D * sigma))
               : HUGE_VAL;
}

/// s; a large bubble starts at twice gravity and pulls a jet behind it, which passes a voxel in about
/// sqrt(voxel/g). Balls of 3 voxels' radius moved at 19 times their terminal speed with substeps of a half of
/// that, at 4 to 15 times with a quarter, at 3 times with an eighth and with less.
static double limit_of_large(const sp_bubbles_def *d, const float gravity[3])
{
    double g = 0.0;
    bool large = false;
    for (int a = 0; a < 3; ++a)
        g += (double)gravity[a] * (double)gravity[a];
    for (size_t i = 0; i < d->emitter_count; ++i)
        large |= d->emitters[i].sizes == SP_BUBBLES_SURFACING;
    return large && g > 0.0 ? 0.125 * sqrt((double)d->voxel / sqrt(g)) : HUGE_VAL;
}

int bubbles_substeps(const sp_setup *setup)
{
    const sp_bubbles_def *d = setup->def;
    const double frame = setup->frame_seconds > 0.0 ? setup->frame_seconds : 1.0 / 24.0;
    const double most = fmin(bubbles_tension_limit(d), limit_of_large(d, setup->world->gravity));
    if (d->substeps > 0) return d->substeps;
    return (int)fmin(fmax(2.0, ceil(frame / most - 1e-9)), d->substeps_max);
}
