// SPDX-License-Identifier: Apache-2.0
// links: validate render frame core
/// The path tracer: rows of `spume validate render`, refusals, and cancelling.
#include "render/trace.h"
#include "testing.h"
#include "validation.h"

#include <math.h>
#include <string.h>

/// The rows of `spume validate render` pass, except for the slow ones, or this build has no Embree.
static void validation_rows_pass(void **state)
{
    (void)state;
    assert_checks_pass(&sp_validate_render, 40);
}

static bool have_tracer(const sp_host *host, sp_tracer **t)
{
    const sp_status status = sp_tracer_open(host, t, ERR);
    if (status == SP_UNSUPPORTED)
        assert_string_equal(ERR->text,
                            "this build has no Embree: install libembree-dev and configure "
                            "with -DSPUME_WITH_EMBREE=ON");
    else
        assert_ok(status);
    return status == SP_OK;
}

/// Each refusal is one sentence that names what is wrong.
static void invalid_scenes_are_refused(void **state)
{
    (void)state;
    sp_tracer *t;
    if (!have_tracer(HOST, &t)) skip();
    const float sphere[1][4] = {{0, 0, 0, 1}};
    assert_fails(sp_tracer_spheres(t, 1, sphere, NULL, SP_TRACE_OPAQUE, 3, NULL, NULL, ERR),
                 SP_BAD_INPUT, "material 3");
    float x[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t tri[1][3] = {{0, 1, 7}};
    const sp_mesh mesh = {.vertex_count = 3, .triangle_count = 1, .x = x, .tri = tri};
    assert_fails(sp_tracer_mesh(t, &mesh, NULL, SP_TRACE_WATER, 0, ERR), SP_BAD_INPUT,
                 "vertex 7 of 3");
    const sp_trace_softbox flat = {.u = {1, 0, 0}, .v = {2, 0, 0}};
    assert_fails(sp_tracer_lights(t, &(sp_trace_lights){.boxes = &flat, .box_count = 1}, ERR),
                 SP_BAD_INPUT, "no area");
    assert_fails(sp_tracer_lights(t, &(sp_trace_lights){.dome_scale = (float)NAN}, ERR),
                 SP_BAD_INPUT, "dome");

    float pixel[1][3] = {{0}};
    sp_trace_film film = {.color = pixel};
    sp_trace_camera camera = {.from = {0, 0, 5}, .up = {0, 1, 0}, .fov = 30.0f};
    const sp_trace_settings good = {.width = 1, .height = 1, .samples = 1, .depth = 4};
    assert_fails(sp_tracer_render(t, &camera, &good, &film, NULL, ERR), SP_BAD_INPUT,
                 "not committed");
    assert_ok(sp_tracer_commit(t, ERR));
    sp_trace_settings bad = good;
    bad.split = 4;
    assert_fails(sp_tracer_render(t, &camera, &bad, &film, NULL, ERR), SP_BAD_INPUT,
                 "look.split: 4");
    bad = good;
    bad.depth = 0;
    assert_fails(sp_tracer_render(t, &camera, &bad, &film, NULL, ERR), SP_BAD_INPUT,
                 "look.depth: 0");
    bad = good;
    bad.width = 0;
    assert_fails(sp_tracer_render(t, &camera, &bad, &film, NULL, ERR), SP_BAD_INPUT, "look.size");
    camera.to[2] = 5.0f;
    assert_fails(sp_tracer_render(t, &camera, &good, &film, NULL, ERR), SP_BAD_INPUT, "same point");
    camera.to[2] = 0.0f;
    camera.fov = 0.0f;
    assert_fails(sp_tracer_render(t, &camera, &good, &film, NULL, ERR), SP_BAD_INPUT,
                 "look.camera.fov");
    sp_tracer_close(t);
}

static bool stop_after_three(void *user)
{
    return ++*(int *)user > 3;
}

/// A cancelled picture ends with SP_CANCELLED after the blocks in progress.
static void rendering_can_be_cancelled(void **state)
{
    (void)state;
    sp_tracer *t;
    if (!have_tracer(HOST, &t)) skip();
    assert_ok(sp_tracer_commit(t, ERR));
    int asked = 0;
    sp_trace_film film;
    assert_ok(sp_trace_film_open(&film, HOST, 256, 256, ERR));
    const sp_trace_camera camera = {.from = {0, 0, 5}, .up = {0, 1, 0}, .fov = 30.0f};
    const sp_trace_settings s = {.width = 256,
                                 .height = 256,
                                 .samples = 1,
                                 .depth = 4,
                                 .cancelled = stop_after_three,
                                 .user = &asked};
    sp_trace_stats stats = {0};
    assert_int_equal(sp_tracer_render(t, &camera, &s, &film, &stats, ERR), SP_CANCELLED);
    assert_true(stats.rays == 3 * 256); // three blocks of 16 x 16 pixels
    sp_trace_film_close(&film, HOST);
    sp_tracer_close(t);
}

/// Replayed rays hit exactly what they hit before: same filters, same tree.
static void replayed_rays_hit_what_the_picture_hit(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    sp_tracer *t;
    if (!have_tracer(&host, &t)) skip();
    const float sphere[1][4] = {{0, 0, 0, 1}};
    assert_ok(sp_tracer_spheres(t, 1, sphere, NULL, SP_TRACE_WATER, 0, NULL, NULL, ERR));
    assert_ok(sp_tracer_commit(t, ERR));
    sp_trace_record *record;
    sp_trace_film film;
    assert_ok(sp_trace_record_open(&host, &record, ERR));
    assert_ok(sp_trace_film_open(&film, &host, 40, 30, ERR));
    const sp_trace_camera camera = {.from = {0, 0, 5}, .up = {0, 1, 0}, .fov = 30.0f};
    const sp_trace_settings s = {
        .width = 40, .height = 30, .samples = 4, .depth = 16, .record = record};
    sp_trace_stats stats = {0};
    uint64_t rays;
    assert_ok(sp_tracer_render(t, &camera, &s, &film, &stats, ERR));
    const uint64_t met = sp_tracer_replay(t, record, &rays);
    assert_true(rays == stats.rays + stats.shadow_rays);
    assert_true(met == stats.bounces); // each hit of this ball is a bounce
    sp_trace_record_close(record);
    sp_trace_film_close(&film, &host);
    sp_tracer_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(validation_rows_pass),
        cmocka_unit_test(invalid_scenes_are_refused),
        cmocka_unit_test(rendering_can_be_cancelled),
        cmocka_unit_test(replayed_rays_hit_what_the_picture_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
