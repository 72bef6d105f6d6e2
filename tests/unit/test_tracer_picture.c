// SPDX-License-Identifier: Apache-2.0
// links: render frame core
/// From light to a picture: tone mapping, the denoiser, and failing memory.
#include "render/trace.h"
#include "scarce_host.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { W = 48, H = 32, N = W * H };

/// The definition of sRGB at both ends and on both sides of its kink; linear output is unchanged;
/// brighter is never darker; NaN and negative light are black.
static void tone_follows_its_definition(void **state)
{
    (void)state;
    static const struct {
        float in;
        int srgb, linear;
    } rows[] = {{0.0f, 0, 0},         {1.0f, 255, 255}, {7.0f, 255, 255},  {0.0031308f, 10, 1},
                {0.214041f, 127, 55}, {-1.0f, 0, 0},    {(float)NAN, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const float in[1][3] = {{rows[i].in, rows[i].in, rows[i].in}};
        unsigned char out[1][3];
        sp_trace_tone8(in, 1, 0.0f, SP_TONE_SRGB, out);
        assert_in_range(out[0][1], rows[i].srgb ? rows[i].srgb - 1 : 0, rows[i].srgb + 1);
        sp_trace_tone8(in, 1, 0.0f, SP_TONE_LINEAR, out);
        assert_int_equal(out[0][1], rows[i].linear);
    }
    unsigned char last = 0;
    for (int i = 0; i < 4000; ++i) {
        const float x = 0.002f * (float)i, in[1][3] = {{x, x, x}};
        unsigned char out[1][3];
        sp_trace_tone8(in, 1, 0.0f, SP_TONE_FILMIC, out);
        assert_true(out[0][0] >= last);
        last = out[0][0];
    }
    assert_true(last > 252);
}

/// One stop more is twice the light.
static void a_stop_doubles_light(void **state)
{
    (void)state;
    const float dim[1][3] = {{0.1f, 0.2f, 0.3f}}, bright[1][3] = {{0.2f, 0.4f, 0.6f}};
    unsigned char a[1][3], b[1][3];
    sp_trace_tone8(dim, 1, 1.0f, SP_TONE_FILMIC, a);
    sp_trace_tone8(bright, 1, 0.0f, SP_TONE_FILMIC, b);
    assert_memory_equal(a, b, sizeof a);
}

/// A picture of two flat halves, both with noise of the same strength, as four samples would leave.
static void two_halves(sp_trace_film *film, bool edge_in_guides)
{
    for (int i = 0; i < N; ++i) {
        const bool right = i % W >= W / 2;
        const float level = right ? 0.8f : 0.2f, sigma = 0.03f;
        const sp_random4 r = sp_random(1, 1, (uint64_t)i, 0, 0);
        const float noise = sigma * 1.732f * (2.0f * sp_unit(r.x[0]) - 1.0f), y = level + noise;
        for (int c = 0; c < 3; ++c) {
            film->color[i][c] = y;
            film->albedo[i][c] = 1.0f;
            film->normal[i][c] = c == (edge_in_guides && right) ? 1.0f : 0.0f;
        }
        film->depth[i] = 1.0f;
        film->square[i] = y * y + 3.0f * sigma * sigma; // n - 1 = 3 times the variance of the mean
    }
}

static double spread(const sp_trace_film *film, int from, int to, double level)
{
    double sum = 0.0;
    int count = 0;
    for (int y = 0; y < H; ++y)
        for (int x = from; x < to; ++x, ++count) {
            const double d = (double)film->color[y * W + x][0] - level;
            sum += d * d;
        }
    return sqrt(sum / count);
}

/// Flat parts lose most of their noise (three levels average over some forty pixels, so a factor of
/// three is easy); an edge of twenty times the noise stays, with guides or without: pixels beside
/// it move by less than the noise.
static void the_denoiser_smooths_noise_and_keeps_edges(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int guides = 0; guides < 2; ++guides) {
        sp_trace_film film;
        assert_ok(sp_trace_film_open(&film, &host, W, H, ERR));
        two_halves(&film, guides);
        const double before = spread(&film, 4, W / 2 - 4, 0.2);
        assert_ok(sp_trace_denoise(&film, W, H, 4, NULL, NULL, &host, ERR));
        assert_true(spread(&film, 4, W / 2 - 4, 0.2) < before / 3.0);
        assert_true(spread(&film, W / 2 - 1, W / 2, 0.2) < 0.03);
        assert_true(spread(&film, W / 2, W / 2 + 1, 0.8) < 0.03);
        sp_trace_film_close(&film, &host);
    }
}

/// Without noise nothing changes: weights shrink to the pixel itself. Results do not depend on
/// threads.
static void the_denoiser_leaves_clean_pictures_alone(void **state)
{
    (void)state;
    float first[N][3];
    for (int threads = 1; threads <= 5; threads += 2) {
        const sp_host host = sp_host_default(threads);
        sp_trace_film film;
        assert_ok(sp_trace_film_open(&film, &host, W, H, ERR));
        for (int i = 0; i < N; ++i) {
            const float y = i % 5 ? 0.3f : 0.6f;
            film.color[i][0] = film.color[i][1] = film.color[i][2] = y;
            film.square[i] = y * y;
        }
        assert_ok(sp_trace_denoise(&film, W, H, 64, NULL, NULL, &host, ERR));
        for (int i = 0; i < N; ++i)
            assert_true(fabsf(film.color[i][1] - (i % 5 ? 0.3f : 0.6f)) < 1e-3f);
        if (threads == 1) memcpy(first, film.color, sizeof first);
        assert_memory_equal(first, film.color, sizeof first);
        sp_trace_film_close(&film, &host);
    }
}

/// Everything the tracer allocates, in one go.
static sp_status draw_once(const sp_host *host, sp_error *err)
{
    float x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, n[4][3] = {{0, 1, 0}};
    uint32_t tri[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const sp_mesh mesh = {.vertex_count = 4, .triangle_count = 4, .x = x, .n = n, .tri = tri};
    const float sphere[2][4] = {{0, 0, 0, 0.3f}, {0.5f, 0, 0, 0.3f}}, milk[2][2] = {{1, 1}, {1, 0}},
                color[2][3] = {{1, 0, 0}, {0, 1, 0}};
    const sp_trace_softbox box = {{0, 3, 0}, {1, 0, 0}, {0, 0, 1}, {1, 1, 1}};
    const sp_trace_camera camera = {.from = {0, 0.5f, 5}, .up = {0, 1, 0}, .fov = 30.0f};
    sp_tracer *t = NULL;
    sp_trace_film film = {0};
    sp_trace_record *record = NULL;
    sp_status s = sp_tracer_open(host, &t, err);
    if (s == SP_OK && sp_tracer_material(t, &(sp_trace_material){.rough = 1.0f}) < 0)
        s = sp_fail(err, SP_NO_MEMORY, "no material");
    if (s == SP_OK) s = sp_tracer_mesh(t, &mesh, (const float(*)[3])x, SP_TRACE_WATER, 0, err);
    if (s == SP_OK) s = sp_tracer_spheres(t, 2, sphere, sphere, SP_TRACE_FOAM, 0, milk, NULL, err);
    if (s == SP_OK) s = sp_tracer_spheres(t, 2, sphere, NULL, SP_TRACE_OPAQUE, 0, NULL, color, err);
    if (s == SP_OK)
        s = sp_tracer_lights(t, &(sp_trace_lights){.dome_scale = 1, .boxes = &box, .box_count = 1},
                             err);
    if (s == SP_OK) s = sp_tracer_commit(t, err);
    if (s == SP_OK) s = sp_trace_film_open(&film, host, 16, 16, err);
    if (s == SP_OK) s = sp_trace_record_open(host, &record, err);
    const sp_trace_settings set = {
        .width = 16, .height = 16, .samples = 2, .depth = 8, .record = record};
    if (s == SP_OK) s = sp_tracer_render(t, &camera, &set, &film, NULL, err);
    if (s == SP_OK) s = sp_trace_denoise(&film, 16, 16, 2, NULL, NULL, host, err);
    sp_trace_record_close(record);
    sp_trace_film_close(&film, host);
    sp_tracer_close(t);
    return s;
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    if (draw_once(HOST, ERR) == SP_UNSUPPORTED) skip();
    scarce_fail_each(draw_once, 1, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tone_follows_its_definition),
        cmocka_unit_test(a_stop_doubles_light),
        cmocka_unit_test(the_denoiser_smooths_noise_and_keeps_edges),
        cmocka_unit_test(the_denoiser_leaves_clean_pictures_alone),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
