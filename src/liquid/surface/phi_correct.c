// SPDX-License-Identifier: Apache-2.0
/// Corrects phi from particles, so that its slope is 1 near the surface.
///
/// At a height d above water that fills the half-space below, the distance to the mean of particles
/// with weights (1 - s^2/R^2)^3 is
///
///     v(d) = R/10 (1 - t^2)^5 / (I(1) - I(t)),   t = d/R,   I(t) = int (1 - t^2)^4 dt,
///
/// (a layer at height z as a whole weighs (1 - z^2/R^2)^4). Its slope is 0.2 a voxel below the
/// surface and 0.8 a voxel above it. If the surface is interpolated linearly between two voxel
/// centres, it is then found too low by up to 0.055 voxel, and exactly where it passes a centre:
/// when it rises by a tenth of a voxel, it seems to rise by 0.09 to 0.13. So ripples less than a
/// voxel high oscillate too slowly or too fast, by up to 15 %, depending on where in a voxel they
/// are. With d instead of v - r, the surface rises as the particles do.
#include "liquid/internal.h"

enum { STEPS = 128 };                          ///< entries of the table for each voxel
static const float deepest = 1.0f, top = 1.5f; ///< voxels; phi is clamped below, kept above
/// phi where no particle is near, voxels. With more, a voxel right above the surface would lie
/// between slopes of 1 and 3, and redistancing would find it nearer than it is.
static const float beyond = 1.6f;

/// Antiderivative of (1 - t^2)^4.
static double weight_to(double t)
{
    const double s = t * t;
    return t * (1.0 - s * (4.0 / 3.0 - s * (6.0 / 5.0 - s * (4.0 / 7.0 - s / 9.0))));
}

/// v as a function of d, both in units of the support R.
static double mean_distance(double t)
{
    const double left = (1.0 - t) * (1.0 + t);
    return 0.1 * left * left * left * left * left / (weight_to(1.0) - weight_to(t));
}

/// d as a function of v, by bisection: v is monotonic.
static double height_of(double v)
{
    double low = -0.9, high = 0.9;
    for (int n = 0; n < 30; ++n) {
        const double mid = 0.5 * (low + high);
        if (mean_distance(mid) < v)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

typedef struct correcting {
    liquid_grid *grid;
    float radius; ///< voxels
    float height[STEPS * 2 + 2];
} correcting;

static void correct_tiles(void *arg, size_t begin, size_t end)
{
    const correcting *g = arg;
    const float voxel = g->grid->voxel, per_voxel = 1.0f / voxel;
    float *restrict phi = g->grid->phi;
    for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i) {
        const float v = fmaxf(phi[i] * per_voxel + g->radius, 0.0f);
        if (v >= top) {
            phi[i] = fminf(phi[i], beyond * voxel);
            continue;
        }
        const float x = v * (float)STEPS;
        const int at = (int)x;
        phi[i] = voxel * sp_mix(g->height[at], g->height[at + 1], x - (float)at);
    }
}

float liquid_phi_far(const liquid_grid *g, bool particles)
{
    return particles ? beyond * g->voxel : g->band;
}

void liquid_phi_correct(liquid_grid *grid, const sp_liquid_def *def)
{
    const double support = 2.0; // voxels, as in phi_from_particles.c
    correcting g = {.grid = grid, .radius = liquid_particle_radius(def) / grid->voxel};
    const double zero = height_of((double)g.radius / support);
    for (int n = 0; n < STEPS * 2 + 2; ++n) {
        const double d = support * (height_of(n / (STEPS * support)) - zero);
        g.height[n] = fmaxf((float)d, -deepest);
    }
    sp_tiles_parallel(&grid->tiles, correct_tiles, &g);
}
