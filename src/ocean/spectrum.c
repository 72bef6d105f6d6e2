// SPDX-License-Identifier: Apache-2.0
/// How much energy travels where. Formulas and constants as in Horvath 2015 (docs/ocean.md says what was compared).
#include "ocean/internal.h"

/// ---- Functions of portable bits ----------------------------------------------------------------

static double power(double x, double y)
{
    return (double)sp_powf((float)x, (float)y);
}

static double exponential(double x)
{
    return (double)sp_expf((float)x);
}

/// Its series where 1 - exp(-2x) would lose digits; what that leaves out is below 2e-9 at 0.125.
double ocean_tanh(double x)
{
    if (x < 0.125) {
        const double q = x * x;
        return x * (1.0 - q * (1.0 / 3 - q * (2.0 / 15 - q * (17.0 / 315))));
    }
    const double e = exponential(-2.0 * x);
    return (1.0 - e) / (1.0 + e);
}

/// ---- Dispersion --------------------------------------------------------------------------------

/// omega^2 = (g k + s k^3) tanh(k H), s the surface tension over density.
double ocean_rate(const ocean_sea *sea, double k, double *slope)
{
    const double s = sea->capillary ? OCEAN_TENSION : 0.0, deep = k * sea->depth;
    const double t = ocean_tanh(deep), force = OCEAN_GRAVITY + s * k * k,
                 rate = sqrt(force * k * t);
    if (slope)
        *slope =
            ((OCEAN_GRAVITY + 3.0 * s * k * k) * t + deep * force * (1.0 - t * t)) / (2.0 * rate);
    return rate;
}

/// By bisection, in octaves of k.
double ocean_wave_number(const ocean_sea *sea, double rate)
{
    double low = 1e-9, high = 1e6;
    for (int n = 0; n < 100; ++n) {
        const double middle = sqrt(low * high);
        *(ocean_rate(sea, middle, NULL) < rate ? &low : &high) = middle;
    }
    return sqrt(low * high);
}

/// ---- JONSWAP and TMA ---------------------------------------------------------------------------

ocean_sea ocean_sea_of(const sp_ocean_def *def)
{
    ocean_sea sea = {.wind = def->wind,
                     .fetch = def->fetch,
                     .depth = def->depth,
                     .swell = def->swell,
                     .spreading = def->spreading,
                     .capillary = def->capillary};
    sp_sincos_turns(def->direction / 360.0, &sea.along[1], &sea.along[0]);
    sea.peak = 22.0 * sp_cbrt(OCEAN_GRAVITY * OCEAN_GRAVITY / (def->wind * def->fetch));
    sea.alpha = 0.076 * power(def->wind * def->wind / (def->fetch * OCEAN_GRAVITY), 0.22);
    return sea;
}

/// Phi of Kitaigorodskii, as Thompson and Vincent 1983 simplified it.
static double shallow(const ocean_sea *sea, double rate)
{
    const double x = rate * sqrt(sea->depth / OCEAN_GRAVITY);
    return x <= 1.0 ? 0.5 * x * x : x < 2.0 ? 1.0 - 0.5 * (2.0 - x) * (2.0 - x) : 1.0;
}

double ocean_energy(const ocean_sea *sea, double rate)
{
    const double x = sea->peak / rate, wide = rate <= sea->peak ? 0.07 : 0.09,
                 off = (rate - sea->peak) / (wide * sea->peak);
    const double cube = rate * rate * rate, peaked = power(3.3, exponential(-0.5 * off * off));
    return sea->alpha * OCEAN_GRAVITY * OCEAN_GRAVITY / (cube * rate * rate) *
           exponential(-1.25 * x * x * x * x) * peaked * shallow(sea, rate);
}

/// ---- Spreading ---------------------------------------------------------------------------------

/// Q(s) = 2^(2s-1) G(s+1)^2/(pi G(2s+1)) = G(s+1)/(2 sqrt(pi) G(s+1/2)), by doubling the argument. Their ratio r has
/// r(s) = r(s+1) (s+1/2)/(s+1), and r^2 = s + 1/4 + 1/(32 s + 8) to 1e-8 for s > 12.
double ocean_spread_scale(double s)
{
    double ratio = 1.0;
    for (; s < 12.0; s += 1.0)
        ratio *= (s + 0.5) / (s + 1.0);
    return ratio * sqrt(s + 0.25 + 1.0 / (32.0 * s + 8.0)) / (2.0 * sqrt(SP_PI_D));
}

static double half_cosine_power(double cosine, double s)
{
    const double square = fmax(0.5 * (1.0 + cosine), 1e-30);
    return s > 0.0 ? power(square, s) : 1.0;
}

static double swell_exponent(const ocean_sea *sea, double rate)
{
    return 16.0 * ocean_tanh(sea->peak / rate) * sea->swell * sea->swell;
}

/// b sech^2(b theta)/(2 tanh(b pi)), theta in turns.
static double donelan_banner(double b, double turns)
{
    const double e = exponential(-2.0 * b * 2.0 * SP_PI_D * fabs(turns));
    return 2.0 * b * e / ((1.0 + e) * (1.0 + e) * ocean_tanh(b * SP_PI_D));
}

static double donelan_banner_width(double x)
{
    if (x < 0.95) return 2.61 * power(fmax(x, 0.56), 1.3);
    if (x < 1.6) return 2.28 * power(x, -1.3);
    return power(10.0, -0.4 + 0.8393 * power(x, -1.134)); // exp(-0.567 log x^2)
}

/// With swell the product of both shapes, over its integral (trapezia on the circle).
static double spread_donelan_banner(const ocean_sea *sea, double rate, double cosine)
{
    enum { STEPS = 96 };
    const double b = donelan_banner_width(rate / sea->peak), s = swell_exponent(sea, rate);
    const double turns = sp_atan2_turns(sqrt(fmax(1.0 - cosine * cosine, 0.0)), cosine);
    const double here = donelan_banner(b, turns) * half_cosine_power(cosine, s);
    if (!(s > 0.0)) return here;
    double sum = 0.0;
    for (int n = 0; n < STEPS; ++n) {
        double sine, c;
        sp_sincos_turns((double)n / STEPS, &sine, &c);
        sum += donelan_banner(b, fmin((double)n, (double)(STEPS - n)) / STEPS) *
               half_cosine_power(c, s);
    }
    return here / (sum * 2.0 * SP_PI_D / STEPS);
}

double ocean_spread(const ocean_sea *sea, double rate, double cosine)
{
    const double x = rate / sea->peak, age = sea->wind * sea->peak / OCEAN_GRAVITY;
    double s;
    if (sea->spreading == SP_OCEAN_DONELAN_BANNER) return spread_donelan_banner(sea, rate, cosine);
    if (sea->spreading == SP_OCEAN_MITSUYASU)
        s = 11.5 * power(age, -2.5) * power(x, x <= 1.0 ? 5.0 : -2.5);
    else
        s = x <= 1.0 ? 6.97 * power(x, 4.06) : 9.77 * power(x, -2.33 - 1.45 * (age - 1.17));
    s += swell_exponent(sea, rate);
    return ocean_spread_scale(s) * half_cosine_power(cosine, s);
}

/// ---- By wavevector -----------------------------------------------------------------------------

/// S(omega) D(omega, theta) d(omega)/dk / k.
double ocean_density(const ocean_sea *sea, double kx, double kz)
{
    const double k = sqrt(kx * kx + kz * kz);
    double slope;
    const double rate = ocean_rate(sea, k, &slope), energy = ocean_energy(sea, rate);
    if (!(energy > 0.0)) return 0.0;
    const double cosine = (kx * sea->along[0] + kz * sea->along[1]) / k;
    return energy * ocean_spread(sea, rate, cosine) * slope / k;
}

/// Simpson's rule in log omega.
double ocean_variance(const ocean_sea *sea, double low, double high)
{
    enum { STEPS = 2000 };
    const double least = fmax(low > 0.0 ? ocean_rate(sea, low, NULL) : 0.0, 0.2 * sea->peak),
                 most = fmin(ocean_rate(sea, high, NULL), 100.0 * sea->peak);
    double sum = 0.0;
    if (!(least < most)) return 0.0;
    const double octave = (double)sp_logf((float)(most / least)), step = octave / STEPS;
    for (int n = 0; n <= STEPS; ++n) {
        const double rate = least * exponential(step * n), weight = n == 0 || n == STEPS ? 1.0
                                                                    : n % 2              ? 4.0
                                                                                         : 2.0;
        sum += weight * rate * ocean_energy(sea, rate);
    }
    return sum * step / 3.0;
}
