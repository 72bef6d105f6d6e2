// SPDX-License-Identifier: Apache-2.0
/// Distributes the volume of particles over voxels. Each tile gathers the particles that reach it,
/// in their order, and sums in double.
///
/// The kernel is the cubic B-spline B(u), |u| < 2, along each axis, stretched to a whole number w of
/// voxels: voxel i gets B((i - c)/w)/w. With w = 1 it covers 64 voxels. A narrower kernel shows the
/// grid: a layer of bubbles 1.5 voxels apart gets ripples of 34 % with the trilinear kernel, 14 % with
/// the quadratic one and 6 % with this one (twice sinc^2, sinc^3, sinc^4 of 1/1.5), and in random
/// foam it averages over nine voxels, not three. For whole w the weights sum to exactly 1 wherever
/// the particle is, so nothing needs to be normalised.
///
/// w is the smallest number for which a lone ball fills no voxel more than whole: the kernel's
/// largest value is (2/3)^3/w^3, so w >= (2/3) cbrt(4 pi/3) r.
#include "tiles/density.h"

#include "tiles/internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 65536, AHEAD = 16 };

/// What a tile needs of a particle, side by side: particles lie in the order of their ids, so each
/// one that a tile reads is a cache miss.
typedef struct ball {
    float at[3], width; ///< m; voxels
    double volume;      ///< m3
} ball;

typedef struct splat {
    const sp_density_points *points;
    double voxel;
    const sp_tiles *tiles;
    const sp_tile_bins *bins;
    ball *balls;
    float *at[3]; ///< positions by axis
    float *half;  ///< m; half the kernel's support
    float *share, *velocity;
} splat;

/// ---- Particles ---------------------------------------------------------------------------------

static sp_status refuse(const splat *s, size_t i, sp_error *err)
{
    const sp_density_points *p = s->points;
    const float *x = p->position + 3 * i;
    if ((double)p->radius[i] > SP_DENSITY_LARGEST * s->voxel)
        return sp_fail(err, SP_UNSUPPORTED,
                       "density: particle %zu has a radius of %g m, larger than %d voxels", i,
                       (double)p->radius[i], (int)SP_DENSITY_LARGEST);
    return sp_fail(err, SP_DAMAGED,
                   "density: particle %zu at (%g, %g, %g) m with radius %g m and number %g; "
                   "expected finite ones, and none below 0",
                   i, (double)x[0], (double)x[1], (double)x[2], (double)p->radius[i],
                   p->number ? (double)p->number[i] : 1.0);
}

static sp_status check_points(const splat *s, sp_error *err)
{
    const sp_density_points *p = s->points;
    const double largest = SP_DENSITY_LARGEST * s->voxel;
    for (size_t i = 0; i < p->count; ++i) {
        const float *x = p->position + 3 * i;
        float sum = x[0] + x[1] + x[2];
        if (p->number) sum += p->number[i];
        if (p->velocity)
            sum += p->velocity[3 * i] + p->velocity[3 * i + 1] + p->velocity[3 * i + 2];
        const double r = (double)p->radius[i];
        if (!(r >= 0.0 && r <= largest) || !isfinite(sum) || (p->number && p->number[i] < 0.0f))
            return refuse(s, i, err);
    }
    return SP_OK;
}

/// Width of the kernel, voxels; `r` in voxels.
static double width_of(double r)
{
    const double whole = 2.0 / 3.0 * 1.6119919540164696; // cbrt(4 pi/3)
    return fmax(1.0, ceil(whole * r));
}

static void read_balls(void *arg, size_t begin, size_t end)
{
    const splat *s = arg;
    const sp_density_points *p = s->points;
    for (size_t i = begin; i < end; ++i) {
        const double r = (double)p->radius[i], number = p->number ? (double)p->number[i] : 1.0;
        ball *b = &s->balls[i];
        memcpy(b->at, p->position + 3 * i, sizeof b->at);
        b->width = (float)width_of(r / s->voxel);
        b->volume = number * (4.0 / 3.0 * SP_PI_D) * r * r * r;
        s->half[i] = (float)(2.0 * (double)b->width * s->voxel);
        for (int a = 0; a < 3; ++a)
            s->at[a][i] = b->at[a];
    }
}

/// ---- A tile ------------------------------------------------------------------------------------

/// Weights of the eight voxels of a tile along an axis, and the first and the last that may not be
/// 0. `local` is the particle's place in voxels, 0 at the centre of the first voxel.
static void find_weights(double local, double width, double weight[SP_TILE], int *first, int *last)
{
    const double per_width = 1.0 / width;
    *first = (int)fmax(ceil(local - 2.0 * width), 0.0);
    *last = (int)fmin(floor(local + 2.0 * width), SP_TILE - 1.0);
    for (int i = 0; i < SP_TILE; ++i) {
        const double u = fabs((double)i - local) * per_width;
        const double far = 2.0 - u > 0.0 ? 2.0 - u : 0.0, near = 1.0 - u > 0.0 ? 1.0 - u : 0.0;
        weight[i] = (far * far * far - 4.0 * (near * near * near)) * (per_width / 6.0);
    }
}

/// The sums of a tile: volume, and volume times velocity.
typedef struct tile_sums {
    _Alignas(64) double volume[SP_TILE_VOXELS];
    double flux[3][SP_TILE_VOXELS];
} tile_sums;

SP_INLINE void add_row(double *restrict row, const double *restrict weight, double amount)
{
    for (int i = 0; i < SP_TILE; ++i)
        row[i] += amount * weight[i];
}

SP_INLINE void add_ball(const splat *s, size_t t, const ball *b, const float *velocity,
                        tile_sums *sums)
{
    double weight[3][SP_TILE];
    int first[3], last[3];
    for (int a = 0; a < 3; ++a) {
        const double local = (double)b->at[a] / s->voxel - 8.0 * s->tiles->at[t][a] - 0.5;
        find_weights(local, (double)b->width, weight[a], &first[a], &last[a]);
    }
    for (int k = first[2]; k <= last[2]; ++k)
        for (int j = first[1]; j <= last[1]; ++j) {
            const double amount = b->volume * weight[2][k] * weight[1][j];
            const int row = SP_TILE * (j + SP_TILE * k);
            add_row(sums->volume + row, weight[0], amount);
            for (int c = 0; velocity && c < 3; ++c)
                add_row(sums->flux[c] + row, weight[0], amount * (double)velocity[c]);
        }
}

SP_INLINE void add_balls(const splat *s, size_t t, const float *velocity, tile_sums *sums)
{
    const uint32_t *item = s->bins->item, begin = s->bins->start[t], end = s->bins->start[t + 1];
    for (uint32_t n = begin; n < end; ++n) {
        if (n + AHEAD < end) {
            __builtin_prefetch(s->balls + item[n + AHEAD]);
            if (velocity) __builtin_prefetch(velocity + 3 * (size_t)item[n + AHEAD]);
        }
        add_ball(s, t, s->balls + item[n], velocity ? velocity + 3 * (size_t)item[n] : NULL, sums);
    }
}

static void splat_tiles(void *arg, size_t begin, size_t end)
{
    const splat *s = arg;
    const double per_voxel = 1.0 / (s->voxel * s->voxel * s->voxel);
    tile_sums sums;
    for (size_t t = begin; t < end; ++t) {
        sums = (tile_sums){0};
        if (s->velocity)
            add_balls(s, t, s->points->velocity, &sums);
        else
            add_balls(s, t, NULL, &sums);
        for (size_t v = 0; v < SP_TILE_VOXELS; ++v) {
            const size_t at = t * SP_TILE_VOXELS + v;
            s->share[at] = (float)(sums.volume[v] * per_voxel);
            for (size_t c = 0; s->velocity && c < 3; ++c)
                s->velocity[3 * at + c] =
                    sums.volume[v] > 0.0 ? (float)(sums.flux[c][v] / sums.volume[v]) : 0.0f;
        }
    }
}

/// ---- All ---------------------------------------------------------------------------------------

/// Builds the topology and fills the fields; `s` has its memory.
static sp_status fill(splat *s, sp_density *out, const sp_host *host, sp_error *err)
{
    const size_t n = s->points->count;
    float *const *at = s->at;
    sp_tile_bins bins;
    sp_parallel(host, n, GRAIN, read_balls, s);
    SP_TRY(sp_tiles_cover(&out->tiles, host, (float)s->voxel, n, at[0], at[1], at[2], s->half, 0.0f,
                          err));
    s->tiles = &out->tiles;
    const size_t voxels = out->tiles.count * SP_TILE_VOXELS;
    out->share = s->share = sp_allocate(host, voxels, sizeof *out->share);
    if (s->points->velocity)
        out->velocity = s->velocity = sp_allocate(host, voxels, 3 * sizeof *out->velocity);
    if (!s->share || (s->points->velocity && !s->velocity))
        return sp_fail(err, SP_NO_MEMORY, "density: no memory for %zu voxels", voxels);
    SP_TRY(sp_tile_bins_open_cubes(&bins, &out->tiles, n, at[0], at[1], at[2], s->half, err));
    s->bins = &bins;
    sp_tiles_parallel(&out->tiles, splat_tiles, s);
    sp_tile_bins_close(&bins);
    return SP_OK;
}

sp_status sp_density_open(sp_density *out, const sp_host *host, double voxel,
                          const sp_density_points *points, sp_error *err)
{
    *out = (sp_density){.tiles = {.host = host}};
    splat s = {.points = points, .voxel = voxel};
    SP_TRY(sp_tiles_check_voxel((float)voxel, err));
    SP_TRY(check_points(&s, err));
    s.balls = sp_allocate(host, points->count, sizeof *s.balls);
    s.half = sp_allocate(host, points->count, sizeof *s.half);
    bool enough = s.balls && s.half;
    for (int a = 0; a < 3; ++a) {
        s.at[a] = sp_allocate(host, points->count, sizeof *s.at[a]);
        enough = enough && s.at[a];
    }
    sp_status status =
        enough ? fill(&s, out, host, err)
               : sp_fail(err, SP_NO_MEMORY, "density: no memory for %zu particles", points->count);
    for (int a = 0; a < 3; ++a)
        sp_release(host, s.at[a]);
    sp_release(host, s.half);
    sp_release(host, s.balls);
    if (status != SP_OK) sp_density_close(out);
    return status;
}

void sp_density_close(sp_density *density)
{
    if (density->tiles.host) {
        sp_release(density->tiles.host, density->share);
        sp_release(density->tiles.host, density->velocity);
    }
    sp_tiles_close(&density->tiles);
    *density = (sp_density){0};
}
