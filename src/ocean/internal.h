// SPDX-License-Identifier: Apache-2.0
#ifndef SP_OCEAN_INTERNAL_H
#define SP_OCEAN_INTERNAL_H

/// How an ocean is made, in order:
///
///     spectrum.c     how much energy travels where: dispersion, JONSWAP, TMA, spreading
///     waves.c        random waves of it on a lattice of wavevectors, once; advanced to a time
///     fields.c       planes of displacement and velocity at that time, by transforms (transform.c)
///     surface.c      the surface above a point: splines through the planes, inverse of the displacement
///     answer.c       distance, normal and velocity at points
///     fold.c         how choppy the surface may be
///     serve.c        opening, moments, warnings
///
/// docs/ocean.md has the equations. Lengths m, times s; horizontal axes are x and z, and a wave travels along its
/// wavevector.

#include "ocean/ocean.h"

#define OCEAN_GRAVITY 9.81   ///< m/s2
#define OCEAN_TENSION 7.4e-5 ///< m3/s2; surface tension over density, 0.074 N/m over 1000 kg/m3

enum {
    OCEAN_LEAST_GRID = 32,
    OCEAN_LEAST_WAVES = 8, ///< along the edge of a cascade, but the first
    OCEAN_LAYERS = 8,      ///< of velocity, the surface included
    OCEAN_GROUPS = 1 + OCEAN_LAYERS,
    OCEAN_PAD = 16, ///< floats that a row of a plane has more than samples; keeps rows aligned
    OCEAN_WRAP = 3, ///< rows and columns repeated at a plane's end, so that stencils need not wrap
    OCEAN_MOMENTS = 2,
    OCEAN_SIZES = 13, ///< powers of two up to the largest grid
};
enum { OCEAN_PURPOSE = 0x6f6365 }; ///< of its random numbers

/// ---- The spectrum (spectrum.c) -----------------------------------------------------------------

typedef struct ocean_sea {
    double wind, fetch, depth, swell;
    double along[2]; ///< unit vector of the wind
    int spreading;
    bool capillary;
    double peak;  ///< 1/s; angular frequency of the peak (omega_p)
    double alpha; ///< of JONSWAP
} ocean_sea;
ocean_sea ocean_sea_of(const sp_ocean_def *def);
/// Angular frequency of a wave of wave number k, 1/s; *slope: its derivative, the group velocity, m/s.
double ocean_rate(const ocean_sea *sea, double k, double *slope);
double ocean_wave_number(const ocean_sea *sea, double rate); ///< the inverse, 1/m
double ocean_tanh(double x);                                 ///< for x >= 0
/// Energy by angular frequency, m2 s: JONSWAP times the factor of shallow water (TMA).
double ocean_energy(const ocean_sea *sea, double rate);
/// The share of it by direction, 1/rad; cosine: of the angle to the wind.
double ocean_spread(const ocean_sea *sea, double rate, double cosine);
double ocean_spread_scale(double s); ///< Q(s) of |cos(theta/2)|^(2s)
/// Energy by wavevector, m4.
double ocean_density(const ocean_sea *sea, double kx, double kz);
/// Variance of the surface from waves between two wave numbers, m2.
double ocean_variance(const ocean_sea *sea, double low, double high);

/// ---- Waves -------------------------------------------------------------------------------------

/// Waves of one patch. A field is the sum over the lattice k = 2 pi (i, j)/length; as fields are real, half of it
/// suffices: i = 0 ... n/2 by columns, j = 0 ... n/2 - 1, -n/2 ... -1 by rows.
typedef struct ocean_cascade {
    double length; ///< m
    int32_t n;
    double low, high; ///< 1/m; wave numbers
    size_t columns;   ///< entries of a row of the arrays below, n/2 + 1 and padding
    /// Amplitudes at time 0 of the wave along k, and conjugate of that along -k, m, over the spline's response.
    float *ahead[2], *back[2];
    double *turns;   ///< 1/s; frequency
    float *rate;     ///< 1/s; angular frequency
    float *along[2]; ///< components of k/|k|
    /// At the time in work: height, m, and its rate of change, m/s.
    float *height[2], *speed[2];
    /// Fields come in groups of three components: displacement, and velocity at depths 0, 1/2, 1 ... m. Deep water
    /// moves in long waves only, so deeper layers have fewer samples; the deepest ones may have none at all.
    int groups;
    int32_t size[OCEAN_GROUPS]; ///< samples along an edge
    /// Of a group: motion along k and up, over that of the height; up NULL: 1. Rows of `columns` entries of the
    /// group's own lattice.
    float *level_part[OCEAN_GROUPS], *up_part[OCEAN_GROUPS];
} ocean_cascade;

static inline size_t ocean_columns(int32_t n)
{
    return (size_t)n / 2 + OCEAN_PAD;
}
static inline size_t ocean_stride(int32_t n) ///< of a plane, in floats
{
    return (size_t)n + OCEAN_PAD;
}
static inline size_t ocean_plane_size(int32_t n) ///< floats
{
    return ocean_stride(n) * (size_t)(n + OCEAN_WRAP);
}
static inline int32_t ocean_row(int32_t j, int32_t n) ///< of wave j, which may be negative
{
    return j < 0 ? j + n : j;
}

/// Fields at one time.
typedef struct ocean_moment {
    bool known;
    double t;
    uint64_t used;
    float *plane[SP_OCEAN_CASCADES][OCEAN_GROUPS][3];
} ocean_moment;

typedef struct ocean_plans ocean_plans; ///< of FFTW

/// A row of samples of the surface: its most negative eigenvalue, how many fold with the choppiness asked for, and how
/// many have a Jacobian below a bound (fold.c).
typedef struct ocean_row_found {
    float least;
    uint32_t folded, low;
} ocean_row_found;

typedef struct ocean {
    const sp_host *host;
    sp_ocean_def def;
    uint64_t seed;
    ocean_sea sea;
    sp_ocean_figures figures;
    float chop;                 ///< lambda in use
    double depth[OCEAN_LAYERS]; ///< m; of the layers
    int layers;
    double fade; ///< 1/m; wave number of the peak
    ocean_cascade cascade[SP_OCEAN_CASCADES];
    int cascades;
    void *blocks; ///< arena of all arrays
    ocean_plans *plans;
    ocean_moment moment[OCEAN_MOMENTS];
    const ocean_moment *now; ///< the one that answers are from
    uint64_t calls;
    ocean_row_found *rows;
} ocean;

double ocean_patch_of(const sp_ocean_def *def, int cascade); ///< m
bool ocean_serves_patch(const sp_ocean_def *def);            ///< whether low and high are not given

/// Sizes of a cascade, all but its arrays.
void ocean_plan_cascade(const ocean *o, int which, ocean_cascade *c);
/// The arrays of all cascades, with their waves.
sp_status ocean_make_waves(ocean *o, sp_error *err);
/// Sets `height` and `speed` of all cascades.
void ocean_advance(ocean *o, double t);

/// ---- Fields (fields.c, transform.c) ------------------------------------------------------------

sp_status ocean_plans_open(ocean *o, sp_error *err);
void ocean_plans_close(ocean *o);
/// Transforms a plane of half a lattice, n rows of ocean_stride(n)/2 complex numbers, to real values in its place.
void ocean_transform(const ocean_plans *plans, int32_t n, float *plane);
/// Computes planes at time t: all of them, or only the displacement.
void ocean_compute(ocean *o, ocean_moment *m, double t, bool all);

/// ---- The surface (surface.c, fold.c) -----------------------------------------------------------

/// The surface where water whose place at rest is `rest` is now.
typedef struct ocean_point {
    double rest[2]; ///< m; x and z
    double x, y, z; ///< m
    double off[2];  ///< m; x and z that were asked for, over those found
    /// Derivatives of x, y and z by those of rest.
    float by_x[3], by_z[3];
} ocean_point;
void ocean_point_at(const ocean *o, double rest_x, double rest_z, ocean_point *p);
/// The point of the surface above (x, z): 4 fixed-point steps and at most 2 of Newton. It is found in the first patch, so
/// that the same comes out in all.
void ocean_point_above(const ocean *o, double x, double z, ocean_point *p);
float ocean_point_jacobian(const ocean_point *p);
/// Velocity of a group of layers at a place at rest, m/s.
void ocean_velocity(const ocean *o, int group, const double rest[2], float u[3]);
void ocean_answer(const void *user, const sp_bulk_query *query, size_t begin, size_t end);

/// Chooses `chop`, and fills in what figures say of it.
void ocean_choose_chop(ocean *o);

#endif
