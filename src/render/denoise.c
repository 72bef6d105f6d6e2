// SPDX-License-Identifier: Apache-2.0
/// Takes the noise out of a picture of few samples: an a-trous wavelet filter (Dammertz et al. 2010), 5x5
/// taps at distances 1, 2 and 4, each weighed by how alike two pixels are. Alike in what was met first
/// (normal, albedo, depth) is not enough behind glass and water, where all that matters lies deeper; so
/// light itself is compared too, patch against patch, in units of the noise that the samples of a pixel
/// showed. A difference that noise explains is smoothed, one that it does not is kept: a bubble's rim
/// stays.
#include "render/tracing.h"

#include <string.h>

enum { LEVELS = 3, REACH = 2 };

typedef struct plane {
    float (*color)[3];
    float *noise; ///< variance of the brightness of `color`
} plane;

typedef struct pass {
    const sp_trace_film *film;
    plane in, out;
    const float
        *smooth; ///< `in.noise` averaged over 3x3 pixels: four samples know little of theirs
    int width, height, step;
} pass;

static inline int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static inline sp_vec3 at3(float (*layer)[3], size_t i)
{
    return (sp_vec3){layer[i][0], layer[i][1], layer[i][2]};
}

/// How much of what the camera met first is the same at two pixels, as an exponent: 0 alike.
static float guides_apart(const sp_trace_film *f, size_t p, size_t q, int distance)
{
    const sp_vec3 n = at3(f->normal, p), m = at3(f->normal, q);
    const sp_vec3 dn = sp_sub(n, m), da = sp_sub(at3(f->albedo, p), at3(f->albedo, q));
    const float z = f->depth[p], dz = fabsf(z - f->depth[q]);
    const float slope =
        0.02f * z * (float)distance + 1e-6f; // m; a floor seen at a low angle still passes
    return 8.0f * sp_dot(dn, dn) + 50.0f * sp_dot(da, da) + dz / slope;
}

/// Squared difference of two 3x3 patches of light over the noise expected of it.
static float light_apart(const pass *w, int px, int py, int qx, int qy)
{
    float sum = 0.0f, noise = 0.0f;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const size_t p = (size_t)within(py + dy, w->height) * (size_t)w->width +
                             (size_t)within(px + dx, w->width),
                         q = (size_t)within(qy + dy, w->height) * (size_t)w->width +
                             (size_t)within(qx + dx, w->width);
            const sp_vec3 d = sp_sub(at3(w->in.color, p), at3(w->in.color, q));
            const float k = dx == 0 && dy == 0 ? 2.0f : 1.0f;
            sum += k * sp_dot(d, d) * (1.0f / 3.0f);
            // The noise of p alone: were q's added, one bright dot would be welcome all around it.
            noise += k * fminf(w->smooth[p], 4.0f * w->smooth[q] + 1e-8f);
        }
    return sum / (noise + 1e-7f);
}

static void filter_pixel(const pass *w, int x, int y)
{
    static const float taps[3] = {0.375f, 0.25f, 0.0625f}; // a cubic spline's
    const size_t p = (size_t)y * (size_t)w->width + (size_t)x;
    sp_vec3 sum = {0};
    float weights = 0.0f, noise = 0.0f;
    for (int j = -REACH; j <= REACH; ++j)
        for (int i = -REACH; i <= REACH; ++i) {
            const int qx = x + i * w->step, qy = y + j * w->step;
            if (qx < 0 || qy < 0 || qx >= w->width || qy >= w->height) continue;
            const size_t q = (size_t)qy * (size_t)w->width + (size_t)qx;
            float k = taps[i < 0 ? -i : i] * taps[j < 0 ? -j : j];
            if (q != p) {
                const int distance = (i < 0 ? -i : i) + (j < 0 ? -j : j);
                const float apart = guides_apart(w->film, p, q, distance * w->step);
                if (apart > 8.0f) continue;
                k *= sp_expf(-apart - 0.5f * light_apart(w, x, y, qx, qy));
            }
            sum = sp_madd(sum, at3(w->in.color, q), k);
            weights += k;
            noise += k * k * w->in.noise[q];
        }
    const float by = 1.0f / weights; // the pixel itself always counts
    w->out.color[p][0] = sum.x * by;
    w->out.color[p][1] = sum.y * by;
    w->out.color[p][2] = sum.z * by;
    w->out.noise[p] = noise * by * by;
}

static void filter_rows(void *arg, size_t begin, size_t end)
{
    const pass *w = arg;
    for (size_t y = begin; y < end; ++y)
        for (int x = 0; x < w->width; ++x)
            filter_pixel(w, x, (int)y);
}

/// Variance of a pixel's mean from the mean of squares: (E[y^2] - E[y]^2)/(n - 1).
static void estimate_noise(const sp_trace_film *f, size_t count, int samples, float *noise)
{
    const float by = 1.0f / (float)(samples > 1 ? samples - 1 : 1);
    for (size_t i = 0; i < count; ++i) {
        const float y = trace_bright(at3(f->color, i));
        noise[i] = samples > 1 ? fmaxf(f->square[i] - y * y, 0.0f) * by : y * y;
    }
}

static void smooth_noise(const float *in, int width, int height, float *out)
{
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float sum = 0.0f;
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i)
                    sum += in[(size_t)within(y + j, height) * (size_t)width +
                              (size_t)within(x + i, width)];
            out[(size_t)y * (size_t)width + (size_t)x] = sum * (1.0f / 9.0f);
        }
}

static void denoise(sp_trace_film *film, plane a, plane b, float *smooth, int width, int height,
                    const sp_host *host)
{
    for (int level = 0; level < LEVELS; ++level) {
        smooth_noise(a.noise, width, height, smooth);
        pass w = {.film = film,
                  .in = a,
                  .out = b,
                  .smooth = smooth,
                  .width = width,
                  .height = height,
                  .step = 1 << level};
        sp_parallel(host, (size_t)height, 4, filter_rows, &w);
        const plane swap = a;
        a = b;
        b = swap;
    }
    if (a.color != film->color)
        memcpy(film->color, a.color, (size_t)width * (size_t)height * sizeof *a.color);
}

sp_status sp_trace_denoise(sp_trace_film *film, int width, int height, int samples,
                           const sp_host *host, sp_error *err)
{
    const size_t count = (size_t)width * (size_t)height;
    SP_ASSERT(film->albedo && film->normal && film->depth && film->square);
    plane a = {film->color, sp_allocate(host, count, sizeof(float))};
    plane b = {sp_allocate(host, count, sizeof *b.color), sp_allocate(host, count, sizeof(float))};
    float *smooth = sp_allocate(host, count, sizeof *smooth);
    const bool ok = a.noise && b.color && b.noise && smooth;
    if (ok) {
        estimate_noise(film, count, samples, a.noise);
        denoise(film, a, b, smooth, width, height, host);
    }
    sp_release(host, a.noise);
    sp_release(host, b.color);
    sp_release(host, b.noise);
    sp_release(host, smooth);
    return ok ? SP_OK
              : sp_fail(err, SP_NO_MEMORY, "render: no memory to denoise %dx%d", width, height);
}
