// SPDX-License-Identifier: Apache-2.0
/// What the water does once a step: the number of sub-steps, and the rate of change of the surface.
#include "pond/internal.h"

/// ---- Sub-steps ---------------------------------------------------------------------------------
/// Stable while c tau/dx < 1/sqrt(2) (0.70 is stable, 0.75 is not); `cfl` keeps well below. A wave
/// on moving water crosses a face at |u| + sqrt(g h), h the depth above the face's sill on its
/// upwind side. The greatest depth and speed of the whole pond bound it. Only where this bound asks
/// for more sub-steps than still water does, all faces are looked at: a thin film that runs off an
/// obstacle is fast, but it carries no fast waves.

static int count_substeps(const sp_pond *pond, float dt, float speed)
{
    const float wanted = dt * speed / (pond->def.cfl * pond->water.dx), most = 1e6f;
    return (int)ceilf(wanted < most ? wanted : most);
}

/// Bits of the fastest wave through a face.
static inline int32_t wave_bits(float gravity, float u, int32_t q_low, int32_t q_high,
                                int32_t b_low, int32_t b_high)
{
    const int32_t sill = b_low > b_high ? b_low : b_high,
                  wet = (u > 0.0f ? b_low + q_low : b_high + q_high) - sill;
    return pond_speed_bits(fabsf(u) + sqrtf(gravity * (float)(wet > 0 ? wet : 0)));
}

/// Through the west and south faces of a row; n is a whole number of vectors.
static int32_t fastest_in_row(size_t n, float gravity, size_t stride, const int32_t *restrict q,
                              const int32_t *restrict b, const float *restrict u,
                              const float *restrict v)
{
    int32_t fastest = 0;
    for (size_t i = 0; i < n; ++i) {
        const int32_t qc = q[i], qw = (q - 1)[i], qs = (q - stride)[i];
        const int32_t bc = b[i], bw = (b - 1)[i], bs = (b - stride)[i];
        const int32_t x = wave_bits(gravity, u[i], qw, qc, bw, bc),
                      y = wave_bits(gravity, v[i], qs, qc, bs, bc), larger = x > y ? x : y;
        fastest = larger > fastest ? larger : fastest;
    }
    return fastest;
}

static void find_waves(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = arg;
    const pond_water *w = &pond->water;
    const float gravity = pond->def.gravity * w->quantum;
    for (size_t j = begin; j < end; ++j) {
        const size_t c = pond_cell(w, 0, (int32_t)j);
        w->rows.wave[j] =
            fastest_in_row(w->span, gravity, w->stride, w->q + c, w->b + c, w->u + c, w->v + c);
    }
}

static float fastest_wave(sp_pond *pond)
{
    const pond_water *w = &pond->water;
    int32_t fastest = 0;
    sp_parallel(pond->host, (size_t)w->ny + 1, 64, find_waves, pond); // row ny is the north side
    for (int32_t j = 0; j <= w->ny; ++j)
        fastest = w->rows.wave[j] > fastest ? w->rows.wave[j] : fastest;
    return pond_from_bits(fastest);
}

int pond_water_substeps(sp_pond *pond, float dt)
{
    const pond_water *w = &pond->water;
    const float still = sqrtf(pond->def.gravity * w->h_max);
    int n = count_substeps(pond, dt, still);
    if (count_substeps(pond, dt, still + w->speed_max) > n) {
        const int wanted = count_substeps(pond, dt, fastest_wave(pond));
        n = wanted > n ? wanted : n;
    }
    return n > pond->def.sw_min_substeps ? n : pond->def.sw_min_substeps;
}

void pond_water_slow(sp_pond *pond, float factor)
{
    for (size_t c = 0; c < pond->water.cells; ++c) { // halos are zero or overwritten later
        pond->water.u[c] *= factor;
        pond->water.v[c] *= factor;
    }
}

/// ---- The end of a step -------------------------------------------------------------------------

static void finish_row(size_t n, float rate, const int32_t *restrict q, const int32_t *restrict b,
                       int32_t *restrict before, float *restrict eta_dot)
{
    for (size_t i = 0; i < n; ++i) {
        const int32_t eta = q[i] + b[i];
        eta_dot[i] = rate * (float)(eta - before[i]);
        before[i] = eta;
    }
}

typedef struct finishing {
    pond_water *w;
    float rate; ///< m/s for a quantum
} finishing;

static void finish_rows(void *arg, size_t begin, size_t end)
{
    const finishing *f = arg;
    const pond_water *w = f->w;
    for (size_t j = begin; j < end; ++j) {
        const size_t c = pond_cell(w, 0, (int32_t)j);
        finish_row((size_t)w->nx, f->rate, w->q + c, w->b + c, w->eta_before + c, w->eta_dot + c);
    }
}

void pond_water_finish(sp_pond *pond, float dt)
{
    pond_water *w = &pond->water;
    finishing f = {w, dt > 0.0f ? w->quantum / dt : 0.0f};
    sp_parallel(pond->host, (size_t)w->ny, 64, finish_rows, &f);
    const pond_survey found = pond_water_found(w);
    w->h_max = (float)found.high * w->quantum;
    w->speed_max = pond_from_bits(found.fastest);
    w->broken = !(w->speed_max < 1e9f); // true for NaN: its bits are above all numbers
}
