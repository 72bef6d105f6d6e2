// SPDX-License-Identifier: Apache-2.0
// links: render core
#include "render/picture/font.h"
#include "testing.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { W = 40, H = 30, BYTES = W * H * 3 };
static const unsigned char white[3] = {255, 255, 255};

static bool is_lit(const unsigned char *pixels, int width, int x, int y)
{
    return pixels[3 * (y * width + x)] != 0;
}

/// The 48 dots of a character.
static void look_at(char c, bool dots[SP_FONT_HEIGHT][SP_FONT_WIDTH])
{
    unsigned char pixels[BYTES] = {0};
    const char text[2] = {c, '\0'};
    sp_picture_text(pixels, W, H, 0, 0, 1, white, text);
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            const bool inside = x < SP_FONT_WIDTH && y < SP_FONT_HEIGHT;
            if (inside) dots[y][x] = is_lit(pixels, W, x, y);
            assert_true(inside || !is_lit(pixels, W, x, y)); // nothing outside its cell
        }
}

static void every_character_is_distinct(void **state)
{
    (void)state;
    bool dots[128][SP_FONT_HEIGHT][SP_FONT_WIDTH];
    for (int c = 32; c < 128; ++c) { // 127 is the box that stands for all others
        int lit = 0;
        look_at((char)c, dots[c]);
        for (int y = 0; y < SP_FONT_HEIGHT; ++y) {
            assert_false(dots[c][y][SP_FONT_WIDTH - 1]); // the gap
            for (int x = 0; x < SP_FONT_WIDTH; ++x)
                lit += dots[c][y][x];
        }
        assert_true(c == ' ' ? lit == 0 : lit > 0);
        for (int other = 32; other < c; ++other)
            assert_memory_not_equal(dots[c], dots[other], sizeof dots[c]);
    }
    bool box[SP_FONT_HEIGHT][SP_FONT_WIDTH];
    look_at((char)0xe4, box);
    assert_memory_equal(box, dots[127], sizeof box);
}

static void a_larger_scale_repeats_every_dot(void **state)
{
    (void)state;
    static unsigned char one[60 * 10 * 3], three[180 * 30 * 3];
    sp_picture_text(one, 60, 10, 1, 1, 1, white, "Ag,0.5 s");
    sp_picture_text(three, 180, 30, 3, 3, 3, white, "Ag,0.5 s");
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 180; ++x)
            assert_int_equal(is_lit(three, 180, x, y), is_lit(one, 60, x / 3, y / 3));
    assert_int_equal(sp_picture_text_width("Ag,0.5 s", 3), (8 * SP_FONT_WIDTH - 1) * 3);
    assert_int_equal(sp_picture_text_width("", 3), 0);
}

/// Wherever the text is placed, the visible part equals that in a larger picture, and nothing
/// outside is written: the sanitizers check the ends of the array.
static void text_is_clipped_at_the_edges(void **state)
{
    (void)state;
    static unsigned char large[3 * W * 3 * H * 3];
    for (int y = -12; y <= H + 2; y += 7)
        for (int x = -60; x <= W + 2; x += 5) {
            unsigned char small[BYTES] = {0};
            memset(large, 0, sizeof large);
            sp_picture_text(small, W, H, x, y, 2, white, "speed");
            sp_picture_text(large, 3 * W, 3 * H, x + W, y + H, 2, white, "speed");
            for (int j = 0; j < H; ++j)
                for (int i = 0; i < W; ++i)
                    assert_int_equal(is_lit(small, W, i, j), is_lit(large, 3 * W, i + W, j + H));
        }
}

/// Rec. 709's weights, on the bytes as they are: the order is what matters.
static float brightness(const unsigned char rgb[3])
{
    return 0.2126f * (float)rgb[0] + 0.7152f * (float)rgb[1] + 0.0722f * (float)rgb[2];
}

static void larger_numbers_have_brighter_colours(void **state)
{
    (void)state;
    unsigned char rgb[3], first[3], last[3];
    float before = 0.0f;
    sp_picture_ramp(0.0f, first);
    sp_picture_ramp(1.0f, last);
    for (int k = 0; k <= 32; ++k) { // in steps of 4 brightness units and more, well above rounding
        sp_picture_ramp((float)k / 32.0f, rgb);
        assert_true(brightness(rgb) > before);
        before = brightness(rgb);
    }
    static const float beyond[] = {-1.0f, -INFINITY, NAN, 2.0f, INFINITY};
    for (int k = 0; k < 5; ++k) {
        sp_picture_ramp(beyond[k], rgb);
        assert_memory_equal(rgb, k < 3 ? first : last, 3);
    }
}

static void colour_bar_has_the_end_colours(void **state)
{
    (void)state;
    enum { BW = 320, BH = 180 };
    static unsigned char pixels[BW * BH * 3];
    unsigned char first[3], last[3];
    sp_picture_ramp(0.0f, first);
    sp_picture_ramp(1.0f, last);
    sp_picture_bar(pixels, BW, BH, "speed, m/s", 0.0, 1.5);
    int left = BW, right = -1;
    for (int i = 0; i < BW * BH; ++i) {
        if (memcmp(pixels + 3 * i, first, 3) == 0 && i % BW < left) left = i % BW;
        if (memcmp(pixels + 3 * i, last, 3) == 0 && i % BW > right) right = i % BW;
    }
    assert_true(right - left >= BW / 3);
    unsigned char tiny[64 * 36 * 3] = {0}, untouched[64 * 36 * 3] = {0};
    sp_picture_bar(tiny, 64, 36, "speed, m/s", 0.0, 1.5);
    assert_memory_equal(tiny, untouched, sizeof tiny);
}

/// Number of labels in the lowest line of a bar: pieces more than a character apart.
static int numbers_below_a_bar(double low, double high)
{
    enum { BW = 320, BH = 180, APART = SP_FONT_WIDTH + 4 };
    static unsigned char pixels[BW * BH * 3];
    memset(pixels, 0, sizeof pixels);
    sp_picture_bar(pixels, BW, BH, "", low, high);
    int pieces = 0, blank = APART;
    for (int x = 0; x < BW; ++x) {
        bool lit = false;
        for (int y = BH - 20; y < BH; ++y)
            lit |= memcmp(pixels + 3 * (y * BW + x), white, 3) == 0;
        if (lit && blank >= APART) ++pieces;
        blank = lit ? 0 : blank + 1;
    }
    return pieces;
}

/// Three labels where they fit; where they would overlap, the two at the ends.
static void bar_labels_do_not_overlap(void **state)
{
    (void)state;
    assert_int_equal(numbers_below_a_bar(0.0, 1.5), 3);
    assert_int_equal(numbers_below_a_bar(0.000238, 0.804), 3); // the first is nearly 0
    assert_int_equal(numbers_below_a_bar(-1.2345e-5, -1.2341e-5), 2);
    assert_int_equal(numbers_below_a_bar(0.0, 0.0), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_distinct),
        cmocka_unit_test(a_larger_scale_repeats_every_dot),
        cmocka_unit_test(text_is_clipped_at_the_edges),
        cmocka_unit_test(larger_numbers_have_brighter_colours),
        cmocka_unit_test(colour_bar_has_the_end_colours),
        cmocka_unit_test(bar_labels_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
