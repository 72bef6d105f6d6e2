// SPDX-License-Identifier: Apache-2.0
/// How long foam lasts (W31): drawn once, by id, again until it is longer than a step. Every distribution has the
/// mean asked for; the normal one and Weibull's also the variance.
///
/// Weibull: life = scale (-ln U)^(1/k). With G = Gamma the mean is scale G(1 + 1/k), and variance over mean squared is
/// G(1 + 2/k)/G(1 + 1/k)^2 - 1, which falls with k.
#include "whitewater/surface/internal.h"

enum { DRAWS = 64 }; ///< at most

/// Gamma(1 + x), x >= 0: Abramowitz and Stegun 6.1.36 within 3e-7 up to 1, and Gamma(1 + x) = x Gamma(x) beyond.
static double gamma_above_one(double x)
{
    static const double b[] = {0.035868343, -0.193527818, 0.482199394, -0.756704078,
                               0.918206857, -0.897056937, 0.988205891, -0.577191652};
    double product = 1.0, sum = 0.0;
    for (; x > 1.0; x -= 1.0)
        product *= x;
    for (int k = 0; k < 8; ++k)
        sum = (sum + b[k]) * x;
    return product * (1.0 + sum);
}

/// Variance over mean squared, for the power 1/k.
static double spread_of(double power)
{
    const double mean = gamma_above_one(power);
    return gamma_above_one(2.0 * power) / (mean * mean) - 1.0;
}

void surface_shape_life(whitewater_surface *s)
{
    const double mean = (double)s->floating.life_mean,
                 wanted = (double)s->floating.life_var / (mean * mean);
    double low = 0.0, high = 20.0;
    for (int n = 0; n < 60; ++n) {
        const double middle = 0.5 * (low + high);
        *(spread_of(middle) < wanted ? &low : &high) = middle;
    }
    s->life_power = (float)low;
    s->life_scale = (float)(mean / gamma_above_one(low));
}

static float draw_normal(const sp_floating_def *def, const sp_random4 *random)
{
    const float size = sqrtf(-2.0f * sp_logf(sp_unit_open(random->x[0])));
    return def->life_mean +
           sqrtf(def->life_var) * size * sp_cosf(2.0f * SP_PI * sp_unit(random->x[1]));
}

float surface_draw_life(const whitewater_surface *s, uint64_t seed, uint64_t id, double dt)
{
    const sp_floating_def *def = &s->floating;
    float life = 0.0f;
    for (uint32_t k = 0; k < DRAWS && !(life > (float)dt); ++k) {
        const sp_random4 random = sp_random(seed, WHITEWATER_RANDOM_LIFE, id, 0, k);
        const float wait = -sp_logf(sp_unit_open(random.x[0]));
        if (def->life_shape == SP_LIFE_NORMAL)
            life = draw_normal(def, &random);
        else if (def->life_shape == SP_LIFE_EXPONENTIAL)
            life = def->life_mean * wait;
        else
            life = s->life_scale * sp_powf(wait, s->life_power);
    }
    return fmaxf(life, (float)dt);
}
