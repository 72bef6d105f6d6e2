// SPDX-License-Identifier: Apache-2.0
// links: render surface shapes tiles frame core
/// Pictures of frames: independent of threads, robust against odd frames, with a default camera
/// that shows everything.
#include "render/render.h"
#include "scarce_host.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { WIDE = 48, TALL = 27, PIXELS = 3 * WIDE * TALL, SIDE = 21, BUBBLES = 40 };

/// A small pond with waves, bubbles and foam, as a solver would publish it.
typedef struct pond_frame {
    float height[SIDE * SIDE], depth[SIDE * SIDE];
    float position[BUBBLES][3], radius[BUBBLES];
    uint64_t id[BUBBLES];
    sp_column columns[3];
    sp_set sets[2];
    sp_field fields[2];
    sp_frame frame;
} pond_frame;

static void make_pond(pond_frame *p)
{
    memset(p, 0, sizeof *p);
    for (int k = 0; k < SIDE * SIDE; ++k) {
        p->height[k] =
            0.1f + 0.004f * sinf(0.7f * (float)(k % SIDE)) * cosf(0.5f * (float)(k / SIDE));
        p->depth[k] = p->height[k];
    }
    for (int i = 0; i < BUBBLES; ++i) {
        p->id[i] = (uint64_t)i;
        p->radius[i] = 0.004f + 0.0001f * (float)i;
        p->position[i][0] = 0.02f + 0.16f * (float)(i % 7) / 6.0f;
        p->position[i][1] = 0.02f + 0.07f * (float)(i % 5) / 4.0f;
        p->position[i][2] = -0.02f - 0.16f * (float)(i % 3) / 2.0f;
    }
    const sp_column columns[3] = {{"position", SP_F32, 3, p->position},
                                  {"radius", SP_F32, 1, p->radius},
                                  {"id", SP_U64, 1, p->id}};
    memcpy(p->columns, columns, sizeof columns);
    p->sets[0] = (sp_set){"bubbles", BUBBLES, p->columns, 3};
    p->sets[1] = (sp_set){"foam", BUBBLES, p->columns, 3};
    const sp_field plane = {.name = "height",
                            .layout = SP_FIELD_PLANE,
                            .components = 1,
                            .values = p->height,
                            .nu = SIDE,
                            .nv = SIDE,
                            .du = {0.01, 0.0, 0.0},
                            .dv = {0.0, 0.0, -0.01}};
    p->fields[0] = p->fields[1] = plane;
    p->fields[1].name = "depth";
    p->fields[1].values = p->depth;
    p->frame = (sp_frame){.fps = 24.0,
                          .voxel = 0.01,
                          .sets = p->sets,
                          .set_count = 2,
                          .fields = p->fields,
                          .field_count = 2};
}

static const sp_render_options quick = {.width = WIDE, .height = TALL, .samples = 1};

static void draw(const sp_frame *frame, const sp_render_options *options, int threads,
                 unsigned char *pixels)
{
    const sp_host host = sp_host_default(threads);
    assert_ok(sp_render_pixels(frame, options, pixels, &host, ERR));
}

static bool is_dull(const unsigned char *pixels)
{
    unsigned char low = 255, high = 0;
    for (int i = 0; i < PIXELS; ++i) {
        if (pixels[i] < low) low = pixels[i];
        if (pixels[i] > high) high = pixels[i];
    }
    return high - low < 60;
}

static void pixels_do_not_depend_on_threads(void **state)
{
    (void)state;
    static pond_frame p;
    make_pond(&p);
    static const sp_render_kind kinds[] = {SP_RENDER_PICTURE, SP_RENDER_PARTICLES, SP_RENDER_WIRE,
                                           SP_RENDER_NORMALS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        unsigned char first[PIXELS], again[PIXELS];
        sp_render_options options = quick;
        options.kind = kinds[k];
        options.color = SP_COLOR_SIZE;
        draw(&p.frame, &options, 1, first);
        assert_false(is_dull(first));
        for (int threads = 2; threads <= 5; ++threads) {
            draw(&p.frame, &options, threads, again);
            assert_memory_equal(first, again, PIXELS);
        }
    }
}

static void noise_depends_on_seed_and_frame(void **state)
{
    (void)state;
    static pond_frame p;
    make_pond(&p);
    unsigned char one[PIXELS], other[PIXELS];
    sp_look_def look = sp_look_defaults();
    sp_render_options options = quick;
    options.look = &look;
    draw(&p.frame, &options, 2, one);
    look.seed = 2;
    draw(&p.frame, &options, 2, other);
    assert_memory_not_equal(one, other, PIXELS);
    look.seed = 1;
    p.frame.frame = 1;
    draw(&p.frame, &options, 2, other);
    assert_memory_not_equal(one, other, PIXELS);
    options.still_noise = true;
    draw(&p.frame, &options, 2, one);
    p.frame.frame = 2;
    draw(&p.frame, &options, 2, other);
    assert_memory_equal(one, other, PIXELS);
}

static void particles_with_nan_are_not_drawn(void **state)
{
    (void)state;
    static pond_frame p;
    make_pond(&p);
    p.position[3][1] = NAN;
    p.position[4][0] = INFINITY;
    p.radius[5] = -1.0f;
    p.radius[6] = NAN;
    unsigned char pixels[PIXELS];
    draw(&p.frame, &quick, 2, pixels);
    assert_false(is_dull(pixels));
}

/// Every corner of the basin is inside the picture, and the basin fills more than half of its width
/// or height.
static void default_camera_shows_everything(void **state)
{
    (void)state;
    static pond_frame p;
    make_pond(&p);
    sp_look_camera c;
    assert_ok(sp_render_camera(&p.frame, &quick, &c, ERR));
    const sp_vec3 from = {c.from[0], c.from[1], c.from[2]}, to = {c.to[0], c.to[1], c.to[2]};
    const sp_vec3 ahead = sp_normalize(sp_sub(to, from), to),
                  right = sp_normalize(sp_cross(ahead, (sp_vec3){0, 1, 0}), to);
    const sp_vec3 up = sp_cross(right, ahead);
    const float half = tanf(0.5f * c.fov * SP_PI / 180.0f);
    float widest = 0.0f;
    for (int k = 0; k < 8; ++k) {
        const sp_vec3 corner = {k & 1 ? 0.2f : 0.0f, k & 2 ? 0.104f : 0.0f, k & 4 ? -0.2f : 0.0f};
        const sp_vec3 d = sp_sub(corner, from);
        const float x = sp_dot(d, right) / sp_dot(d, ahead) / half * (float)TALL / (float)WIDE,
                    y = sp_dot(d, up) / sp_dot(d, ahead) / half;
        assert_true(fabsf(x) < 1.0f && fabsf(y) < 1.0f);
        widest = fmaxf(widest, fmaxf(fabsf(x), fabsf(y)));
    }
    assert_true(widest > 0.5f);
}

/// A scene that begins dry has empty frames; the domain says where the camera looks.
static void an_empty_domain_is_an_empty_picture(void **state)
{
    (void)state;
    static const sp_domain_def domain = {.max = {1.0f, 1.0f, 1.0f}};
    static const sp_render_kind kinds[] = {SP_RENDER_PICTURE, SP_RENDER_PARTICLES};
    const sp_frame empty = {.fps = 24.0};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        sp_render_options options = quick;
        unsigned char pixels[PIXELS];
        options.kind = kinds[k];
        options.domain = &domain;
        assert_ok(sp_render_pixels(&empty, &options, pixels, HOST, ERR));
    }
}

/// Before the first bubble comes, the water that it will rise in is there: a block as large as the domain.
static void water_of_bubbles_is_there_before_they_come(void **state)
{
    (void)state;
    static const sp_domain_def domain = {.max = {1.0f, 1.0f, 1.0f}};
    const sp_set none = {.name = "bubbles"};
    const sp_frame dry = {.fps = 24.0}, wet = {.fps = 24.0, .sets = &none, .set_count = 1};
    sp_render_options options = quick;
    unsigned char without[PIXELS], with[PIXELS];
    options.domain = &domain;
    draw(&dry, &options, 1, without);
    draw(&wet, &options, 1, with);
    size_t differ = 0;
    for (int i = 0; i < PIXELS; ++i)
        differ += abs(without[i] - with[i]) > 8;
    assert_true(differ > PIXELS / 20);
}

static void frames_that_cannot_be_drawn_are_refused(void **state)
{
    (void)state;
    static pond_frame p;
    make_pond(&p);
    unsigned char pixels[PIXELS];
    const sp_frame empty = {.fps = 24.0, .frame = 3};
    assert_fails(sp_render_pixels(&empty, &quick, pixels, HOST, ERR), SP_BAD_INPUT,
                 "no set or field to draw in frame 3");
    sp_render_options options = quick;
    options.kind = SP_RENDER_TILES;
    assert_fails(sp_render_pixels(&p.frame, &options, pixels, HOST, ERR), SP_BAD_INPUT,
                 "no field on tiles");
    options.kind = SP_RENDER_SLICE;
    options.field = "velocity";
    assert_fails(sp_render_pixels(&p.frame, &options, pixels, HOST, ERR), SP_BAD_INPUT,
                 "no field \"velocity\" on tiles");
    options = quick;
    options.width = 20000;
    assert_fails(sp_render_pixels(&p.frame, &options, pixels, HOST, ERR), SP_BAD_INPUT,
                 "expected 16 to 16384");
    const sp_sphere_def ball = {.center = {0.1f, 0.05f, -0.1f}, .radius = 0.02f};
    const sp_collider_def def = {.name = "ball", .shape = {.sphere = &ball}, .material = "cheese"};
    sp_shape *shape;
    assert_ok(sp_shape_open(&def, NULL, HOST, &shape, ERR));
    options = quick;
    options.colliders = &shape;
    options.collider_count = 1;
    assert_fails(sp_render_pixels(&p.frame, &options, pixels, HOST, ERR), SP_BAD_INPUT,
                 "collider \"ball\": material \"cheese\" is unknown");
    sp_shape_close(shape);
}

static void camera_may_look_straight_down_but_not_along_its_up(void **state)
{
    (void)state;
    static pond_frame p;
    make_pond(&p);
    static unsigned char pixels[PIXELS];
    int width, height, layers;
    sp_render_options options = quick;
    sp_look_camera camera = {
        .from = {0.1f, 0.7f, -0.1f}, .to = {0.1f, 0.1f, -0.1f}, .fov = 30.0f, .shutter = -1.0f};
    options.camera = &camera;
    for (int side = 0; side < 2; ++side) { // from above and from below
        draw(&p.frame, &options, 1, pixels);
        assert_false(is_dull(pixels));
        camera.from[1] = -0.5f;
    }
    camera.up[1] = 1.0f;
    assert_fails(sp_render_size(&options, &width, &height, &layers, ERR), SP_BAD_INPUT,
                 "up must not lie along the line of sight");
    assert_int_equal(sp_render_pixels(&p.frame, &options, pixels, HOST, ERR), SP_BAD_INPUT);
}

/// Returns true from a given call on.
static bool stop_at(void *user)
{
    size_t *left = user;
    if (*left > 0) --*left;
    return *left == 0;
}

static void rendering_can_be_cancelled_at_any_point(void **state)
{
    (void)state;
    static pond_frame p;
    make_pond(&p);
    unsigned char pixels[PIXELS];
    size_t questions = 1;
    for (;; ++questions) {
        scarce s;
        size_t left = questions;
        const sp_host host = scarce_host(&s, 1, 0);
        sp_render_options options = quick;
        options.cancelled = stop_at;
        options.user = &left;
        const sp_status status = sp_render_pixels(&p.frame, &options, pixels, &host, ERR);
        assert_int_equal(s.alive, 0);
        if (status == SP_OK) break;
        assert_int_equal(status, SP_CANCELLED);
    }
    // between stages, for six blocks of 16 x 16 pixels, in the denoiser, for each row
    assert_true(questions > 3 + 6 + 3 + TALL);
}

/// Embree allocates by itself; all other memory comes from the host and is released.
static sp_status draw_scarcely(const sp_host *host, sp_error *err)
{
    static pond_frame p;
    static unsigned char pixels[PIXELS];
    make_pond(&p);
    return sp_render_pixels(&p.frame, &quick, pixels, host, err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_do_not_depend_on_threads),
        cmocka_unit_test(noise_depends_on_seed_and_frame),
        cmocka_unit_test(particles_with_nan_are_not_drawn),
        cmocka_unit_test(default_camera_shows_everything),
        cmocka_unit_test(an_empty_domain_is_an_empty_picture),
        cmocka_unit_test(water_of_bubbles_is_there_before_they_come),
        cmocka_unit_test(frames_that_cannot_be_drawn_are_refused),
        cmocka_unit_test(camera_may_look_straight_down_but_not_along_its_up),
        cmocka_unit_test(rendering_can_be_cancelled_at_any_point),
        test_failing_allocations(draw_scarcely, 1, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
