// SPDX-License-Identifier: Apache-2.0
/// Random waves of the spectrum on a lattice of wavevectors, and their state at a time.
#include "ocean/internal.h"

enum { ROWS = 4 }; ///< of a lattice, a block
/// Layers below which motion is less than exp(-BELOW) of that at the surface have no samples for it.
static const double below = 9.2;

/// ---- Sizes -------------------------------------------------------------------------------------

double ocean_patch_of(const sp_ocean_def *def, int cascade)
{
    double length = def->patch;
    for (int n = 0; n < cascade; ++n)
        length /= (double)def->cascade_ratio;
    return length;
}

/// Samples along an edge that a layer needs, at most those of the surface; 0: nothing moves there.
static int32_t layer_size(const ocean_cascade *c, double depth)
{
    if (depth <= 0.0) return c->n;
    const double shortest = below / depth; // wave number
    int32_t n = OCEAN_LEAST_GRID;
    if (c->low > shortest) return 0;
    while (n < c->n && shortest > 0.75 * SP_PI_D * n / c->length)
        n *= 2;
    return n;
}

void ocean_plan_cascade(const ocean *o, int which, ocean_cascade *c)
{
    const double full = 2.0 * SP_PI_D;
    *c = (ocean_cascade){.length = ocean_patch_of(&o->def, which), .n = o->def.grid};
    c->columns = ocean_columns(c->n);
    c->low = which == 0 ? 0.0 : OCEAN_LEAST_WAVES * full / c->length;
    c->high = which + 1 < o->def.cascades
                  ? OCEAN_LEAST_WAVES * full / ocean_patch_of(&o->def, which + 1)
                  : SP_PI_D * c->n / c->length;
    c->size[0] = c->n;
    for (c->groups = 1; c->groups <= o->layers; ++c->groups) {
        c->size[c->groups] = layer_size(c, o->depth[c->groups - 1]);
        if (c->size[c->groups] == 0) break;
    }
}

/// ---- Amplitudes --------------------------------------------------------------------------------

/// The response of a cubic B-spline to wave j of n along one axis. Coefficients are values over it, so that the
/// spline passes through the values.
static double spline_response(int32_t j, int32_t n)
{
    double sine, cosine;
    sp_sincos_turns((double)j / n, &sine, &cosine);
    return (2.0 + cosine) / 3.0;
}

/// h0(k) = (xi_1 + i xi_2)/sqrt(2) sqrt(S(k)/2) dk, random numbers by wavevector.
static void amplitude(const ocean *o, const ocean_cascade *c, int32_t i, int32_t j, double h[2])
{
    const double step = 2.0 * SP_PI_D / c->length, kx = step * i, kz = step * j;
    const uint64_t id = (uint64_t)(uint32_t)i << 32 | (uint32_t)j;
    const sp_random4 r = sp_random(o->seed, OCEAN_PURPOSE, id, (uint32_t)(c - o->cascade), 0);
    const double size = 0.5 * step * sqrt(ocean_density(&o->sea, kx, kz)) *
                        sqrt(-2.0 * (double)sp_logf(sp_unit_open(r.x[0])));
    double sine, cosine;
    sp_sincos_turns((double)r.x[1] * 0x1p-32, &sine, &cosine);
    h[0] = size * cosine;
    h[1] = size * sine;
}

typedef struct making {
    ocean *o;
    ocean_cascade *c;
} making;

static void make_wave(const making *m, int32_t i, int32_t j)
{
    ocean_cascade *c = m->c;
    const size_t at = (size_t)ocean_row(j, c->n) * c->columns + (size_t)i;
    const double step = 2.0 * SP_PI_D / c->length, k = step * sqrt((double)i * i + (double)j * j);
    if (!(k > 0.0) || k < c->low || k >= c->high || i == c->n / 2 || j == -c->n / 2) return;
    const double scale = 1.0 / (spline_response(i, c->n) * spline_response(j, c->n)),
                 rate = ocean_rate(&m->o->sea, k, NULL);
    double ahead[2], back[2];
    amplitude(m->o, c, i, j, ahead);
    amplitude(m->o, c, -i, -j, back);
    c->ahead[0][at] = (float)(scale * ahead[0]);
    c->ahead[1][at] = (float)(scale * ahead[1]);
    c->back[0][at] = (float)(scale * back[0]);
    c->back[1][at] = (float)(-scale * back[1]);
    c->turns[at] = rate / (2.0 * SP_PI_D);
    c->rate[at] = (float)rate;
    c->along[0][at] = (float)(step * i / k);
    c->along[1][at] = (float)(step * j / k);
}

static void make_rows(void *arg, size_t begin, size_t end)
{
    const making *m = arg;
    const int32_t n = m->c->n;
    for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row)
        for (int32_t i = 0; i <= n / 2; ++i)
            make_wave(m, i, row < n / 2 ? row : row - n);
}

/// ---- Motion below the surface ------------------------------------------------------------------

/// cosh k(H - d)/sinh kH and sinh k(H - d)/sinh kH for a layer at depth d, by exponentials that cannot overflow,
/// over the response of the layer's own spline in that of the surface's.
static void make_layer(const ocean *o, ocean_cascade *c, int group)
{
    const double depth = group == 0 ? 0.0 : o->depth[group - 1], step = 2.0 * SP_PI_D / c->length;
    const int32_t n = c->size[group];
    for (int32_t row = 0; row < n; ++row)
        for (int32_t i = 0; i < n / 2; ++i) {
            const int32_t j = row < n / 2 ? row : row - n;
            const size_t at = (size_t)row * ocean_columns(n) + (size_t)i;
            const double k = step * sqrt((double)i * i + (double)j * j);
            if (!(k > 0.0) || j == -n / 2) continue;
            const double down = (double)sp_expf((float)(-k * depth)),
                         up = (double)sp_expf((float)(-k * (2.0 * o->sea.depth - depth))),
                         t = ocean_tanh(k * o->sea.depth), whole = 2.0 * t / (1.0 + t);
            const double spline = spline_response(i, c->n) * spline_response(j, c->n) /
                                  (spline_response(i, n) * spline_response(j, n));
            c->level_part[group][at] = (float)(spline * (down + up) / whole);
            if (c->up_part[group]) c->up_part[group][at] = (float)(spline * (down - up) / whole);
        }
}

/// ---- Opening -----------------------------------------------------------------------------------

static bool take(ocean *o, size_t count, float **a)
{
    *a = sp_arena_take(o->host, &o->blocks, count, sizeof **a);
    return *a != NULL;
}

static bool reserve(ocean *o, ocean_cascade *c)
{
    const size_t all = (size_t)c->n * c->columns;
    bool good = take(o, all, &c->rate);
    c->turns = sp_arena_take(o->host, &o->blocks, all, sizeof *c->turns);
    for (int a = 0; a < 2; ++a)
        good = good && take(o, all, &c->ahead[a]) && take(o, all, &c->back[a]) &&
               take(o, all, &c->along[a]) && take(o, all, &c->height[a]) &&
               take(o, all, &c->speed[a]);
    for (int g = 0; g < c->groups && good; ++g) {
        const size_t some = (size_t)c->size[g] * ocean_columns(c->size[g]);
        if (g == 1) // the surface's velocity moves as its displacement
            c->level_part[g] = c->level_part[0];
        else
            good = take(o, some, &c->level_part[g]);
        if (g > 1) good = good && take(o, some, &c->up_part[g]);
    }
    return good && c->turns;
}

sp_status ocean_make_waves(ocean *o, sp_error *err)
{
    for (int k = 0; k < o->cascades; ++k) {
        ocean_cascade *c = &o->cascade[k];
        if (!reserve(o, c)) return sp_fail(err, SP_NO_MEMORY, "ocean: no memory for its waves");
        making m = {o, c};
        sp_parallel(o->host, (size_t)c->n, ROWS, make_rows, &m);
        for (int g = 0; g < c->groups; ++g)
            if (g != 1) make_layer(o, c, g);
    }
    return SP_OK;
}

/// ---- Advancing ---------------------------------------------------------------------------------

/// sin(2 pi x) for |x| <= 1/4, accurate to 1e-7.
static inline float sine(float x)
{
    const float y = 6.28318531f * x, q = y * y;
    return y *
           (1.0f + q * (-0.166666667f +
                        q * (8.33333333e-3f +
                             q * (-1.98412698e-4f + q * (2.75573192e-6f + q * -2.50521084e-8f)))));
}

/// h = h0(k) exp(-i w t) + h0*(-k) exp(i w t), and its derivative.
static void advance_row(const ocean_cascade *c, size_t row, double t)
{
    const size_t first = row * c->columns;
    const double *turns = c->turns + first;
    const float *ar = c->ahead[0] + first, *ai = c->ahead[1] + first, *br = c->back[0] + first,
                *bi = c->back[1] + first, *rate = c->rate + first;
    float *hr = c->height[0] + first, *hi = c->height[1] + first, *vr = c->speed[0] + first,
          *vi = c->speed[1] + first;
    SP_VECTOR_LOOP
    for (int32_t i = 0; i < c->n / 2; ++i) {
        const double turn = turns[i] * t;
        const float x = (float)(turn - floor(turn + 0.5)), a = fabsf(x);
        const float co = sine(0.25f - a), folded = a > 0.25f ? 0.5f - a : a,
                    si = copysignf(sine(folded), x);
        const float fr = co * ar[i] + si * ai[i], fi = co * ai[i] - si * ar[i];
        const float gr = co * br[i] - si * bi[i], gi = co * bi[i] + si * br[i];
        hr[i] = fr + gr;
        hi[i] = fi + gi;
        vr[i] = rate[i] * (fi - gi);
        vi[i] = rate[i] * (gr - fr);
    }
}

typedef struct advancing {
    const ocean *o;
    double t;
} advancing;

static void advance_rows(void *arg, size_t begin, size_t end)
{
    const advancing *g = arg;
    const size_t n = (size_t)g->o->def.grid;
    for (size_t row = begin; row < end; ++row)
        advance_row(&g->o->cascade[row / n], row % n, g->t);
}

void ocean_advance(ocean *o, double t)
{
    advancing g = {o, t};
    sp_parallel(o->host, (size_t)o->def.grid * (size_t)o->cascades, 4 * ROWS, advance_rows, &g);
}
