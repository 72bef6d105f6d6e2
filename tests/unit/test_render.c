// SPDX-License-Identifier: Apache-2.0
// links: render frame core
#include "render/internal.h"
#include "test_render_pond.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 96, HIGH = 54, BYTES = WIDE * HIGH * 3 };

static const sp_render_options small = {.width = WIDE, .height = HIGH, .samples = 2};

static void draw(const sp_frame *frame, unsigned char *pixels)
{
    sp_error err = {0};
    const sp_status st = sp_render_pixels(frame, &small, pixels, NULL, &err);
    if (st != SP_OK) fail_msg("%s", err.text);
}

static void the_picture_is_the_same_for_every_number_of_threads(void **state)
{
    (void)state;
    pond *p = make_pond(FOAM, 0.0032f);
    static unsigned char first[BYTES], again[BYTES];
    static const int threads[] = {1, 2, 3, 5};
    for (size_t k = 0; k < 4; ++k) {
        const sp_host host = sp_host_default(threads[k]);
        assert_int_equal(sp_render_pixels(&p->frame, &small, k ? again : first, &host, NULL),
                         SP_OK);
        if (k) assert_memory_equal(first, again, BYTES);
    }
    free_pond(p);
}

/// Nothing at all is still a picture: table and backdrop, without a black or a burnt-out pixel.
static void an_empty_frame_is_a_quiet_picture(void **state)
{
    (void)state;
    static unsigned char pixels[BYTES];
    const sp_frame empty = {0};
    draw(&empty, pixels);
    for (size_t i = 0; i < BYTES; ++i)
        assert_true(pixels[i] > 5 && pixels[i] < 250);
}

/// Particles without water are balls on the table: sand is warmer than all that is around it.
static void particles_without_fields_are_drawn_as_balls(void **state)
{
    (void)state;
    static unsigned char pixels[BYTES];
    const float position[6] = {0.0f, 0.5f, 0.0f, 1.0f, 0.5f, 0.0f}, radius[2] = {0.4f, 0.4f};
    const sp_column columns[] = {{"position", SP_F32, 3, position}, {"radius", SP_F32, 1, radius}};
    const sp_set set = {"sand", 2, columns, 2};
    const sp_render_options o = {
        .width = WIDE, .height = HIGH, .samples = 2, .from = {0.5, 0.5, 4}, .to = {0.5, 0.5, 0}};
    const sp_frame frame = {.voxel = 0.1, .sets = &set, .set_count = 1};
    assert_int_equal(sp_render_pixels(&frame, &o, pixels, NULL, NULL), SP_OK);
    // A metre is 25 pixels at the balls, so they lie 12 pixels left and right of the middle.
    for (int side = -1; side <= 1; ++side) {
        const unsigned char *at = pixels + 3 * ((HIGH / 2) * WIDE + WIDE / 2 + 12 * side);
        assert_true(side ? at[0] > at[2] : at[0] < at[2]);
    }
}

/// Foam is white: where adding it changes the picture, the picture gets brighter and less coloured.
static void foam_whitens_the_water(void **state)
{
    (void)state;
    pond *p = make_pond(FOAM, 0.0045f);
    static unsigned char with[BYTES], without[BYTES];
    draw(&p->frame, with);
    p->frame.set_count = 1;
    draw(&p->frame, without);
    double brighter = 0.0, paler = 0.0;
    size_t changed = 0;
    for (size_t i = 0; i < BYTES; i += 3) {
        const int before = without[i] + without[i + 1] + without[i + 2],
                  now = with[i] + with[i + 1] + with[i + 2];
        if (abs(now - before) < 60) continue; // shadows and caustics move a little everywhere
        ++changed;
        brighter += now - before;
        paler += (without[i + 2] - without[i]) - (with[i + 2] - with[i]);
    }
    assert_true(changed > 30);
    assert_true(brighter > 0.0 && paler > 0.0);
    free_pond(p);
}

static void particles_that_are_not_finite_are_left_out(void **state)
{
    (void)state;
    pond *p = make_pond(FOAM, 0.0032f);
    static unsigned char bad[BYTES], gone[BYTES];
    p->bubble[0][1] = NAN;                // the first bubble has no place,
    p->bubble[1][BUBBLES - 1] = INFINITY; // the last no size,
    p->foam[1][0] = -1.0f;                // and the first foam a size that is none
    draw(&p->frame, bad);
    for (int k = 0; k < 4; ++k)
        p->bubble_columns[k].data = p->bubble[k] + p->bubble_columns[k].components;
    for (int k = 0; k < 2; ++k)
        p->foam_columns[k].data = p->foam[k] + p->foam_columns[k].components;
    p->sets[0].count = BUBBLES - 2;
    p->sets[1].count = FOAM - 1;
    draw(&p->frame, gone);
    assert_memory_equal(bad, gone, BYTES);
    free_pond(p);
}

/// Each row spoils one thing and names the word that the sentence must hold.
static void what_makes_no_sense_is_refused_by_name(void **state)
{
    (void)state;
    pond *p = make_pond(10, 0.003f);
    static unsigned char pixels[BYTES];
    sp_error err = {0};
    const sp_render_options bad[] = {{.width = -1, .height = 9},
                                     {.width = 99999, .height = 9},
                                     {.width = 9, .height = 9, .samples = -2},
                                     {.width = 9, .height = 9, .fov = 170.0f},
                                     {.width = 9, .height = 9, .from = {(double)NAN, 0, 0}}};
    static const char *const words[] = {"-1 x 9", "99999", "samples", "fov", "camera"};
    for (size_t k = 0; k < 5; ++k) {
        assert_int_equal(sp_render_pixels(&p->frame, &bad[k], pixels, NULL, &err), SP_BAD_SCENE);
        assert_non_null(strstr(err.text, words[k]));
    }
    p->fields[1].nu = NU - 1;
    assert_int_equal(sp_render_pixels(&p->frame, &small, pixels, NULL, &err), SP_BAD_SCENE);
    assert_non_null(strstr(err.text, "depth"));
    p->fields[1].nu = NU;
    p->fields[0].du[1] = 0.001;
    assert_int_equal(sp_render_pixels(&p->frame, &small, pixels, NULL, &err), SP_BAD_SCENE);
    assert_non_null(strstr(err.text, "level rectangle"));
    p->fields[0].du[1] = 0.0;
    p->level[77] = NAN;
    assert_int_equal(sp_render_pixels(&p->frame, &small, pixels, NULL, &err), SP_DIVERGED);
    assert_non_null(strstr(err.text, "value 77"));
    free_pond(p);
}

/// Numbers that a diverging run could publish: drawn or refused in a sentence, never a crash or a hang. Each
/// row puts one number everywhere into one array.
static void extreme_numbers_do_no_harm(void **state)
{
    (void)state;
    static const float numbers[] = {0.0f, -1.0f, 1e-38f, 1e-7f, 1e6f, 3e38f, -3e38f, INFINITY, NAN};
    static unsigned char pixels[BYTES];
    const sp_render_options tiny = {.width = 16, .height = 9, .samples = 1};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        for (int what = 0; what < 10; ++what) {
            pond *p = make_pond(100, 0.003f);
            float *arrays[] = {p->bubble[0], p->bubble[1], p->bubble[2], p->bubble[3],
                               p->foam[0],   p->foam[1],   p->level,     p->depth};
            if (what < 8)
                for (size_t i = 0; i < 100; ++i)
                    arrays[what][i] = numbers[k];
            if (what == 8) p->frame.origin[1] = (double)numbers[k];
            if (what == 9) p->fields[0].du[0] = (double)numbers[k];
            for (int dry = 0; dry < 2; ++dry) {
                sp_error err = {0};
                p->frame.field_count = dry ? 0 : 2;
                const sp_status st = sp_render_pixels(&p->frame, &tiny, pixels, NULL, &err);
                assert_true(st == SP_OK || err.text[0] != '\0');
            }
            free_pond(p);
        }
    }
}

/// A pond a thousand kilometres from the world's zero looks the same to the last byte as one at
/// zero: positions meet the origin in double before anything is rounded. The offset is a whole
/// number of metres, so the sums are exact.
static void a_far_away_pond_looks_the_same(void **state)
{
    (void)state;
    pond *p = make_pond(FOAM, 0.0032f);
    static unsigned char near[BYTES], far[BYTES];
    draw(&p->frame, near);
    for (int k = 0; k < 2; ++k) {
        p->fields[k].corner[0] = p->frame.origin[0] = 1e6;
        p->fields[k].corner[2] = p->frame.origin[2] = -1e6;
    }
    draw(&p->frame, far);
    assert_memory_equal(near, far, BYTES);
    free_pond(p);
}

/// ---- Fast paths against brute force, and the laws of light.

static float chance_between(uint64_t id, uint32_t k, float low, float high)
{
    return sp_mix(low, high, chance(id, k));
}

static ray any_ray(uint64_t id)
{
    const sp_vec3 o = {chance_between(id, 50, -1, 2), chance_between(id, 51, -1, 2),
                       chance_between(id, 52, -1, 2)};
    const sp_vec3 to = {chance(id, 53), chance(id, 54), chance(id, 55)};
    return (ray){o, sp_normalize(sp_sub(to, o), (sp_vec3){1.0f, 0.0f, 0.0f})};
}

static void the_grid_finds_the_ball_that_a_full_search_finds(void **state)
{
    (void)state;
    enum { N = 400 };
    const sp_host host = sp_host_default(1);
    ball *balls = sp_allocate(&host, N, sizeof *balls);
    for (size_t i = 0; i < N; ++i) {
        const float k = chance_between(i, 64, 0.6f, 1.8f);
        balls[i] = (ball){
            .c = {chance(i, 60), chance(i, 61), chance(i, 62)},
            .r = i == 0 ? 0.3f : 0.002f + 0.03f * chance(i, 63), // one giant
            .axis = sp_normalize((sp_vec3){chance(i, 65), 0.5f, chance(i, 66)}, (sp_vec3){0}),
            .along = 1.0f / k,
            .across = sqrtf(k)};
    }
    ball_grid g;
    assert_true(ball_grid_open(&g, &host, balls, N));
    size_t hits = 0;
    for (uint64_t id = 0; id < 3000; ++id) {
        const ray r = any_ray(id);
        float t = INFINITY, best = INFINITY;
        const ball *found = ball_grid_hit(&g, &r, 0.0f, &t), *brute = NULL;
        for (size_t i = 0; i < N; ++i) {
            float a, b;
            if (!ball_cross(&balls[i], &r, &a, &b) || a <= 0.0f || a >= best) continue;
            best = a;
            brute = &balls[i];
        }
        assert_ptr_equal(found, brute);
        assert_true(t == best); // the same arithmetic: the same bits
        hits += brute != NULL;
    }
    assert_true(hits > 1000);
    ball_grid_close(&g, &host);
}

/// The march over the waves stops where a walk in steps a hundred times finer first goes under.
/// Both interpolate alike, so they may differ by one fine step.
static void the_march_stops_where_the_ray_goes_under(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    sheet s;
    assert_true(sheet_open(&s, &host, NU, NV, 0.005f, 0.005f));
    for (size_t i = 0; i < NU * NV; ++i)
        s.y[i] = level_at(0.005f * (float)(i % NU), 0.005f * (float)(i / NU));
    sheet_finish(&s);
    for (uint64_t id = 0; id < 300; ++id) {
        const sp_vec3 o = {chance_between(id, 70, 0.05f, 0.45f), 0.3f,
                           chance_between(id, 71, 0.05f, 0.75f)};
        const sp_vec3 to = {chance_between(id, 72, 0.05f, 0.45f), 0.1f,
                            chance_between(id, 73, 0.05f, 0.75f)};
        const ray r = {o, sp_normalize(sp_sub(to, o), (sp_vec3){0})};
        float t, walked = 0.0f;
        assert_true(sheet_hit(&s, &r, 1, 0.0f, INFINITY, &t));
        for (sp_vec3 q = o; q.y > sheet_at(&s, q.x, q.z); q = along(&r, walked))
            walked += 5e-5f;
        assert_true(fabsf(t - walked) < 6e-5f);
    }
    sheet_close(&s, &host);
}

/// Snell: sin/sin is the ratio of the indices. Fresnel: ((n-1)/(n+1))^2 straight on, everything
/// beyond the critical angle of 48.6 degrees from inside. Floats leave 1e-6.
static void light_bends_by_snell_and_splits_by_fresnel(void **state)
{
    (void)state;
    const sp_vec3 up = {0.0f, 1.0f, 0.0f};
    sp_vec3 bent = {0};
    const float straight = refract((sp_vec3){0.0f, -1.0f, 0.0f}, up, 1.0f / WATER_INDEX, &bent);
    assert_true(fabsf(straight - 0.333f * 0.333f / (2.333f * 2.333f)) < 1e-6f);
    for (int degrees = 5; degrees < 90; degrees += 10) {
        const float a = (float)degrees * SP_PI / 180.0f;
        refract((sp_vec3){sinf(a), -cosf(a), 0.0f}, up, 1.0f / WATER_INDEX, &bent);
        assert_true(fabsf(bent.x * WATER_INDEX - sinf(a)) < 2e-6f);
        assert_true(fabsf(sp_length(bent) - 1.0f) < 1e-6f);
        const float share = refract((sp_vec3){sinf(a), -cosf(a), 0.0f}, up, WATER_INDEX, &bent);
        assert_true(degrees > 49 ? share == 1.0f : share < 1.0f);
    }
}

static scene *open_scene(const sp_frame *frame, const sp_host *host)
{
    scene *s = calloc(1, sizeof *s);
    assert_int_equal(scene_open(s, frame, host, NULL), SP_OK);
    return s;
}

/// Waves move light about but make none: over the middle of the floor the mean stays 1 (a few
/// percent wander across the edge of what is summed), and flat water gives 1 everywhere.
static void waves_gather_light_but_make_none(void **state)
{
    (void)state;
    pond *p = make_pond(0, 0.003f);
    const sp_host host = sp_host_default(1);
    p->frame.set_count = 0;
    for (int flat = 0; flat < 2; ++flat) {
        if (flat)
            for (size_t i = 0; i < NU * NV; ++i)
                p->level[i] = p->depth[i] = 0.22f;
        scene *s = open_scene(&p->frame, &host);
        double sum = 0.0;
        float most = 0.0f;
        size_t n = 0;
        for (size_t j = s->map.nv / 3; j < s->map.nv * 3 / 5; ++j)
            for (size_t i = s->map.nu / 3; i < s->map.nu * 3 / 5; ++i, ++n) {
                const float x = s->map.sun[j * s->map.nu + i];
                sum += (double)x;
                most = fmaxf(most, x);
            }
        assert_true(fabs(sum / (double)n - 1.0) < (flat ? 1e-3 : 0.08));
        assert_true(flat ? most < 1.001f : most > 1.5f);
        scene_close(s);
        free(s);
    }
    free_pond(p);
}

/// A dome stands on the height and not in the depth: the floor below it stays flat, while an
/// island, which is wider than any dome, and its top above the water stay as they are.
static void domes_leave_no_hills_on_the_floor(void **state)
{
    (void)state;
    pond *p = make_pond(FOAM, 0.0032f);
    const sp_host host = sp_host_default(1);
    for (size_t i = 0; i < NU * NV; ++i) {
        const float x = 0.005f * (float)(i % NU), y = 0.005f * (float)(i / NU);
        const float dx = x - 0.3f, dy = y - 0.5f,
                    island = fmaxf(0.3f - 2.0f * sqrtf(dx * dx + dy * dy), 0.0f);
        p->level[i] = fmaxf(0.22f, island);
        p->depth[i] = p->level[i] - island;
    }
    p->level[20 * NU + 20] += 0.01f; // one sample wide; bubbles here have radii above 2 mm
    scene *s = open_scene(&p->frame, &host);
    assert_true(s->ground.y[20 * NU + 20] == 0.0f);
    const size_t top = 100 * NU + 60; // above the water: exact
    assert_true(s->ground.y[top] == p->level[top]);
    // Under water, 11 cm from the middle: a square of 3 samples each way cannot reach into the rim of a
    // disc of 11 cm, and stays 1 mm inside; the slope of 2 makes that 2 mm of height.
    assert_true(fabsf(s->ground.y[100 * NU + 82] - 0.08f) < 0.003f);
    scene_close(s);
    free(s);
    free_pond(p);
}

/// The usual camera sees all eight corners of the tank, whatever the shape of picture and pond.
static void the_usual_camera_frames_the_tank(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1280, 720}, {200, 800}, {500, 500}};
    pond *p = make_pond(FOAM, 0.0032f);
    const sp_host host = sp_host_default(1);
    for (size_t k = 0; k < 6; ++k) {
        const double tall = k < 3 ? 0.005 : 0.0005; // a normal pond and a channel
        p->fields[0].dv[2] = p->fields[1].dv[2] = -tall;
        p->frame.set_count = k < 3 ? 2 : 0;
        scene *s = open_scene(&p->frame, &host);
        const sp_render_options o = {.width = shapes[k % 3][0], .height = shapes[k % 3][1]};
        assert_int_equal(camera_place(s, &o, NULL), SP_OK);
        float widest = 0.0f;
        for (int c = 0; c < 8; ++c) {
            const sp_vec3 q = {c & 1 ? s->high.x : s->low.x, c & 2 ? s->high.y : s->low.y,
                               c & 4 ? s->high.z : s->low.z};
            const sp_vec3 w = sp_sub(q, s->eye.o);
            const float z = sp_dot(w, s->eye.d);
            assert_true(z > 0.0f);
            const float x = fabsf(sp_dot(w, s->right)) / (z * s->tan_x),
                        y = fabsf(sp_dot(w, s->up)) / (z * s->tan_y);
            assert_true(x < 1.0f && y < 1.0f);
            widest = fmaxf(widest, fmaxf(x, y));
        }
        assert_true(widest > 0.7f); // and does not stand needlessly far away
        scene_close(s);
        free(s);
    }
    free_pond(p);
}

/// With a file and a width: draws the made-up pond into it, to be looked at, and prints the time.
static int look(const char *path, const char *width, bool many)
{
    pond *p = make_pond(many ? FOAM_MANY : FOAM, many ? 0.0008f : 0.0032f);
    const sp_host host = sp_host_default(1);
    const int w = atoi(width);
    const sp_render_options o = {.width = w, .height = w * 9 / 16};
    sp_error err = {0};
    const double begun = host.clock(host.user);
    const sp_status st = sp_render_png(&p->frame, &o, path, &host, &err);
    printf("%s: %.2f s %s\n", path, host.clock(host.user) - begun, err.text);
    free_pond(p);
    return st == SP_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 2) return look(argv[1], argv[2], argc > 3);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_picture_is_the_same_for_every_number_of_threads),
        cmocka_unit_test(an_empty_frame_is_a_quiet_picture),
        cmocka_unit_test(particles_without_fields_are_drawn_as_balls),
        cmocka_unit_test(foam_whitens_the_water),
        cmocka_unit_test(particles_that_are_not_finite_are_left_out),
        cmocka_unit_test(what_makes_no_sense_is_refused_by_name),
        cmocka_unit_test(extreme_numbers_do_no_harm),
        cmocka_unit_test(a_far_away_pond_looks_the_same),
        cmocka_unit_test(the_grid_finds_the_ball_that_a_full_search_finds),
        cmocka_unit_test(the_march_stops_where_the_ray_goes_under),
        cmocka_unit_test(light_bends_by_snell_and_splits_by_fresnel),
        cmocka_unit_test(waves_gather_light_but_make_none),
        cmocka_unit_test(domes_leave_no_hills_on_the_floor),
        cmocka_unit_test(the_usual_camera_frames_the_tank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
