// SPDX-License-Identifier: Apache-2.0
/// Removes noise from a picture of few samples: an a-trous wavelet filter (Dammertz et al. 2010),
/// 5x5 taps at distances 1, 2 and 4, each weighted by the similarity of two pixels. It compares:
///  - normal, albedo and depth of the first hit;
///  - the normal of the first hit behind glass and water, which show other things;
///  - the light itself, patch against patch, in units of the noise of the pixel's samples: a
///    difference that noise explains is smoothed, a larger one (such as a bubble's rim) is kept.
///
/// Pixels are processed in strips of a row, one tap at a time: the squared differences between a
/// strip and its shifted copy are sums over columns that neighbouring patches share.
#include "render/trace/tracing.h"

#include <string.h>

enum { LEVELS = 3, REACH = 2, STRIP = 64 };
enum { PAD = REACH * (1 << (LEVELS - 1)) + 1 }; // the farthest tap and its patch

/// Planes with a border that repeats the edge, so that taps and patches may cross it.
enum { RED, GREEN, BLUE, SMOOTH, PLANES };

/// Guides: the first hits, scaled so that squared differences can be added.
enum { NORMAL = 0, INNER = 3, ALBEDO = 6, GUIDES = 9 };

typedef struct pass {
    const float (*guide)[GUIDES];
    const float *depth;
    float *plane[PLANES]; ///< padded
    float *noise;         ///< variance of each pixel's brightness, read
    float (*color)[3];    ///< written
    float *noise_after;   ///< variance after this level, written
    int width, height, stride, step;
    bool (*cancelled)(void *user); ///< may be NULL
    void *user;
} pass;

static bool is_cancelled(const pass *w)
{
    return w->cancelled && w->cancelled(w->user);
}

static inline size_t padded_index(const pass *w, int x, int y)
{
    return (size_t)(y + PAD) * (size_t)w->stride + (size_t)(x + PAD);
}

static inline int clamp_index(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/// Difference of two pixels' guides, as an exponent; 0: equal.
static inline float guide_difference(const pass *w, size_t p, size_t q, int distance)
{
    float sum = 0.0f;
    for (int k = 0; k < GUIDES; ++k) {
        const float d = w->guide[p][k] - w->guide[q][k];
        sum += d * d;
    }
    // Allow 2 % of depth a pixel: a floor at a low angle.
    const float z = w->depth[p], slope = 0.02f * z * (float)distance + 1e-6f;
    return sum + fabsf(z - w->depth[q]) / slope;
}

typedef struct strip {
    int x, y, count;
    float red[STRIP], green[STRIP], blue[STRIP], weight[STRIP], noise[STRIP];
    float difference[STRIP]; ///< of the current tap: squared difference over its expected noise
} strip;

/// Compares patches of 3x3 pixels, the middle counted twice, with those at offset (dx, dy).
static void compare_light(const pass *w, strip *s, int dx, int dy)
{
    float sum[STRIP + 2] = {0}, noise[STRIP + 2] = {0}, middle[STRIP + 2], expected[STRIP + 2];
    const float *r = w->plane[RED], *g = w->plane[GREEN], *b = w->plane[BLUE],
                *v = w->plane[SMOOTH];
    for (int row = -1; row <= 1; ++row) {
        const size_t p = padded_index(w, s->x - 1, s->y + row),
                     q = padded_index(w, s->x - 1 + dx, s->y + row + dy);
        for (size_t i = 0; i < STRIP + 2; ++i) {
            const float dr = r[p + i] - r[q + i], dg = g[p + i] - g[q + i],
                        db = b[p + i] - b[q + i];
            const float d = (dr * dr + dg * dg + db * db) * (1.0f / 3.0f);
            // The noise of p, but at most a little more than q's: else one bright dot would spread.
            const float there = 4.0f * v[q + i] + 1e-8f, n = v[p + i] < there ? v[p + i] : there;
            sum[i] += d;
            noise[i] += n;
            if (row == 0) middle[i] = d, expected[i] = n;
        }
    }
    for (size_t i = 0; i < STRIP; ++i)
        s->difference[i] = (sum[i] + sum[i + 1] + sum[i + 2] + middle[i + 1]) /
                           (noise[i] + noise[i + 1] + noise[i + 2] + expected[i + 1] + 1e-7f);
}

static void add_tap(const pass *w, strip *s, int i, int j)
{
    static const float taps[3] = {0.375f, 0.25f, 0.0625f}; // a cubic spline's
    const int ai = i < 0 ? -i : i, aj = j < 0 ? -j : j, dx = i * w->step, dy = j * w->step;
    if (s->y + dy < 0 || s->y + dy >= w->height) return;
    const bool self = i == 0 && j == 0;
    if (!self) compare_light(w, s, dx, dy);
    for (int k = 0; k < s->count; ++k) {
        const int x = s->x + k;
        if (x + dx < 0 || x + dx >= w->width) continue;
        const size_t p = (size_t)s->y * (size_t)w->width + (size_t)x;
        const size_t q = (size_t)(s->y + dy) * (size_t)w->width + (size_t)(x + dx);
        float weight = taps[ai] * taps[aj];
        if (!self) {
            const float difference =
                0.25f * s->difference[k] + guide_difference(w, p, q, (ai + aj) * w->step);
            if (!(difference < 10.0f)) continue; // a weight below 5e-5
            weight *= sp_expf(-difference);
        }
        const size_t at = padded_index(w, x + dx, s->y + dy);
        s->red[k] += weight * w->plane[RED][at];
        s->green[k] += weight * w->plane[GREEN][at];
        s->blue[k] += weight * w->plane[BLUE][at];
        s->noise[k] += weight * weight * w->noise[q];
        s->weight[k] += weight;
    }
}

static void filter_strip(const pass *w, int x, int y)
{
    strip s;
    memset(&s, 0, sizeof s);
    s.x = x;
    s.y = y;
    s.count = w->width - x < STRIP ? w->width - x : STRIP;
    for (int j = -REACH; j <= REACH; ++j)
        for (int i = -REACH; i <= REACH; ++i)
            add_tap(w, &s, i, j);
    for (int k = 0; k < s.count; ++k) {
        const size_t p = (size_t)y * (size_t)w->width + (size_t)(x + k);
        const float by = 1.0f / s.weight[k]; // not 0: the pixel itself always counts
        w->color[p][0] = s.red[k] * by;
        w->color[p][1] = s.green[k] * by;
        w->color[p][2] = s.blue[k] * by;
        w->noise_after[p] = s.noise[k] * by * by;
    }
}

static void filter_rows(void *arg, size_t begin, size_t end)
{
    const pass *w = arg;
    if (is_cancelled(w)) return;
    for (size_t y = begin; y < end; ++y)
        for (int x = 0; x < w->width; x += STRIP)
            filter_strip(w, x, (int)y);
}

/// Variance of a pixel's mean from the mean of squares: (E[y^2] - E[y]^2)/(n - 1).
static void estimate_noise(const sp_trace_film *f, size_t count, int samples, float *noise)
{
    const float by = 1.0f / (float)(samples > 1 ? samples - 1 : 1);
    for (size_t i = 0; i < count; ++i) {
        const float y = trace_luminance(trace_vec(f->color[i]));
        noise[i] = samples > 1 ? fmaxf(f->square[i] - y * y, 0.0f) * by : y * y;
    }
}

/// Copies light into padded planes and averages its noise over 3x3 pixels: an estimate from four
/// samples is too noisy alone.
static void fill_planes(void *arg, size_t begin, size_t end)
{
    const pass *w = arg;
    if (is_cancelled(w)) return;
    for (size_t row = begin; row < end; ++row)
        for (int x = -PAD; x < w->stride - PAD; ++x) {
            const int y = (int)row - PAD, cy = clamp_index(y, w->height),
                      cx = clamp_index(x, w->width);
            const size_t from = (size_t)cy * (size_t)w->width + (size_t)cx,
                         to = padded_index(w, x, y);
            float sum = 0.0f;
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i)
                    sum += w->noise[(size_t)clamp_index(cy + j, w->height) * (size_t)w->width +
                                    (size_t)clamp_index(cx + i, w->width)];
            w->plane[RED][to] = w->color[from][0];
            w->plane[GREEN][to] = w->color[from][1];
            w->plane[BLUE][to] = w->color[from][2];
            w->plane[SMOOTH][to] = sum * (1.0f / 9.0f);
        }
}

static void put_guide(float *out, const float v[3], float scale)
{
    for (int c = 0; c < 3; ++c)
        out[c] = scale * v[c];
}

/// The inner normal is a mean over only those samples that have one, so only its direction is used.
static void make_guides(const sp_trace_film *f, size_t count, float (*guide)[GUIDES])
{
    for (size_t i = 0; i < count; ++i) {
        const sp_vec3 none = {0}, n = f->inner ? sp_normalize(trace_vec(f->inner[i]), none) : none;
        const float inner[3] = {n.x, n.y, n.z};
        put_guide(guide[i] + NORMAL, f->normal[i], 2.83f); // squared: 8
        put_guide(guide[i] + INNER, inner, 2.0f);          // 4
        put_guide(guide[i] + ALBEDO, f->albedo[i], 7.07f); // 50
    }
}

static void denoise(pass *w, const sp_host *host)
{
    for (int level = 0; level < LEVELS; ++level) {
        w->step = 1 << level;
        sp_parallel(host, (size_t)(w->height + 2 * PAD), 16, fill_planes, w);
        sp_parallel(host, (size_t)w->height, 4, filter_rows, w);
        float *swap = w->noise;
        w->noise = w->noise_after;
        w->noise_after = swap;
    }
}

sp_status sp_trace_denoise(sp_trace_film *film, int width, int height, int samples,
                           bool (*cancelled)(void *user), void *user, const sp_host *host,
                           sp_error *err)
{
    const size_t count = (size_t)width * (size_t)height;
    SP_ASSERT(film->albedo && film->normal && film->depth && film->square);
    // A strip may run past the end of its row.
    const int stride = (width + STRIP - 1) / STRIP * STRIP + 2 * PAD;
    const size_t area = (size_t)stride * (size_t)(height + 2 * PAD);
    float(*guide)[GUIDES] = sp_allocate(host, count, sizeof *guide);
    float *planes = sp_allocate(host, PLANES * area, sizeof *planes);
    float *noise = sp_allocate(host, 2 * count, sizeof *noise);
    const bool ok = guide && planes && noise;
    if (ok) {
        pass w = {.guide = (const float(*)[GUIDES])guide,
                  .depth = film->depth,
                  .plane = {planes, planes + area, planes + 2 * area, planes + 3 * area},
                  .noise = noise,
                  .noise_after = noise + count,
                  .color = film->color,
                  .width = width,
                  .height = height,
                  .stride = stride,
                  .cancelled = cancelled,
                  .user = user};
        make_guides(film, count, guide);
        estimate_noise(film, count, samples, noise);
        denoise(&w, host);
    }
    sp_release(host, guide);
    sp_release(host, planes);
    sp_release(host, noise);
    if (cancelled && cancelled(user)) return sp_fail(err, SP_CANCELLED, "render: stopped");
    return ok ? SP_OK
              : sp_fail(err, SP_NO_MEMORY, "render: no memory to denoise %dx%d", width, height);
}
