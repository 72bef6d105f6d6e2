// SPDX-License-Identifier: Apache-2.0
/// Sizes of new particles. A size depends on the particle's id alone.
#include "bubbles/sources/sizes.h"

float bubbles_surfacing_radius(float voxel)
{
    return sqrtf(0.75f) * voxel;
}

bool bubbles_has_places(const sp_bubbles_emitter_def *def)
{
    const bool lattice =
        def->mode == SP_BUBBLES_FLOW || (def->mode == SP_BUBBLES_ONCE && def->fraction == 0.0f);
    return lattice || def->sizes == SP_BUBBLES_SURFACING;
}

float bubbles_place_volume(const sp_bubbles_emitter_def *def, float voxel, float radius)
{
    const float edge = def->spacing * voxel, place = edge * edge * edge;
    const bool smaller =
        place < 0.9999f * bubbles_volume(radius); // equal but for rounding: its own
    return bubbles_has_places(def) && smaller ? place : 0.0f;
}

float bubbles_shown_radius(float radius, float place)
{
    return place > 0.0f ? bubbles_radius(place) : radius;
}

/// Of a ball with the volume of a cube of the lattice.
static float fill_radius(const sp_bubbles_emitter_def *def, float voxel)
{
    return (float)((double)def->spacing * (double)voxel * sp_cbrt(3.0 / (4.0 * SP_PI_D)));
}

static float largest(const sp_bubbles_emitter_def *def)
{
    return def->radius_max > 0.0f ? def->radius_max : def->radius_min;
}

/// The radius below which a share u of all particles lies. With density ~ r^-p between a and b and
/// t = 1 - p, that is r^t = a^t + u (b^t - a^t); with t = 0, r = a (b/a)^u.
static float inverse(float a, float b, float power, float u)
{
    const float t = 1.0f - power, ratio = b / a;
    if (!(ratio > 1.0f)) return a;
    float scale;
    if (fabsf(t) < 1e-3f)
        scale = sp_powf(ratio, u); // 1/t would magnify rounding, and t = 0 is nearly the same
    else
        scale = sp_powf(1.0f + u * (sp_powf(ratio, t) - 1.0f), 1.0f / t);
    return fminf(fmaxf(a * scale, a), b);
}

float bubbles_draw_radius(const sp_bubbles_emitter_def *def, float voxel, uint64_t seed,
                          uint64_t id)
{
    if (def->sizes == SP_BUBBLES_SURFACING) return bubbles_surfacing_radius(voxel);
    if (def->sizes == SP_BUBBLES_FILL) return fill_radius(def, voxel);
    const sp_random4 random = sp_random(seed, BUBBLES_RANDOM_RADIUS, id, 0, 0);
    return inverse(def->radius_min, largest(def), def->radius_power, sp_unit(random.x[0]));
}

double bubbles_mean_volume(const sp_bubbles_emitter_def *def, float voxel)
{
    enum { STEPS = 1000 };
    if (def->sizes == SP_BUBBLES_SURFACING)
        return (double)bubbles_volume(bubbles_surfacing_radius(voxel));
    if (def->sizes == SP_BUBBLES_FILL) return (double)bubbles_volume(fill_radius(def, voxel));
    double sum = 0.0;
    for (int k = 0; k < STEPS; ++k) {
        const float u = ((float)k + 0.5f) / STEPS;
        sum += (double)bubbles_volume(inverse(def->radius_min, largest(def), def->radius_power, u));
    }
    return sum / STEPS;
}
