// SPDX-License-Identifier: Apache-2.0
/// How many particles enter (W16). With numbers distributed as Poisson's, volume and radii are both
/// unbiased. Drawing bubbles until the volume is reached, as printed, lets in too much: the mean
/// excess is <V^2>/2<V> a voxel and step, 7.6 mean bubbles for radii of 0.5 to 5 mm. If the last
/// bubble is then kept with the probability of the volume that it had to fill, the volume is
/// unbiased, but small radii are too frequent.
#include "whitewater/emission/internal.h"

/// exp(-x) for x from 0 to 8, to 1e-15: the series of exp(-x/16), squared four times.
static double decay(double x)
{
    double term = 1.0, sum = 1.0;
    for (int n = 1; n <= 14; ++n) {
        term *= -x / (16.0 * n);
        sum += term;
    }
    for (int n = 0; n < 4; ++n)
        sum *= sum;
    return sum;
}

/// Poisson's numbers add up, so a large mean is drawn in parts. Each part adds up probabilities until
/// they exceed a number of 53 random bits.
uint32_t emission_poisson(uint64_t seed, uint64_t id, uint32_t step, double mean)
{
    enum { PART = 8, MOST = 100 }; // of a part; beyond 100 lies a share of 1e-70
    uint32_t sum = 0;
    sp_random4 random = {{0}};
    for (uint32_t part = 0; mean > 0.0; ++part, mean -= PART) {
        const double here = fmin(mean, PART);
        double p = decay(here), below = p;
        if (part % 2 == 0) random = sp_random(seed, WHITEWATER_RANDOM_COUNT, id, step, part / 2);
        const uint32_t *bits = random.x + 2 * (part % 2);
        const double x = ((double)(bits[0] >> 5) * 0x1p26 + (double)(bits[1] >> 6)) * 0x1p-53;
        for (uint32_t n = 1; n <= MOST && x >= below; ++n, ++sum) {
            p *= here / n;
            below += p;
        }
    }
    return sum;
}

uint64_t emission_voxel_id(const int32_t at[3])
{
    const int32_t tile[3] = {sp_tile_of(at[0]), sp_tile_of(at[1]), sp_tile_of(at[2])};
    return sp_mix64(sp_tiles_morton(tile)) + sp_tile_place(at[0], at[1], at[2]);
}

/// Draws bubbles until the volume is reached.
static uint32_t fill(const emission_step *s, uint64_t id, double volume)
{
    const whitewater_world *w = s->world;
    double filled = 0.0, last = 0.0;
    uint32_t n = 0;
    while (filled < volume) {
        const double r = emission_draw_radius(&s->e->sizes, w, id, n++);
        last = 4.0 / 3.0 * SP_PI_D * r * r * r * s->number;
        filled += last;
    }
    if (s->e->def.mode == SP_EMISSION_FILL) return n;
    const double x =
        (double)sp_unit(sp_random(w->seed, WHITEWATER_RANDOM_COUNT, id, (uint32_t)w->step, 0).x[0]);
    return x * last < volume - (filled - last) ? n : n - 1;
}

uint32_t emission_count(const emission_step *s, uint64_t id, double volume)
{
    if (!(volume > 0.0)) return 0;
    if (s->e->def.mode != SP_EMISSION_POISSON) return fill(s, id, volume);
    return emission_poisson(s->world->seed, id, (uint32_t)s->world->step,
                            volume / (s->e->sizes.volume * s->number));
}
