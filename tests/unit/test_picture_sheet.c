// SPDX-License-Identifier: Apache-2.0
// links: render core
#include "render/movie.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void thumbs_are_spread_from_the_first_to_the_last_frame(void **state)
{
    (void)state;
    for (size_t total = 1; total < 60; ++total)
        for (size_t count = 1; count <= total; ++count)
            for (size_t i = 0; i < count; ++i) {
                const size_t k = sp_sheet_frame(i, count, total);
                if (count == 1) {
                    assert_int_equal(k, total - 1);
                    continue;
                }
                const double exact = (double)i * (double)(total - 1) / (double)(count - 1);
                assert_true(fabs((double)k - exact) <= 0.5); // rounded
                assert_true(i == 0 ? k == 0 : k > sp_sheet_frame(i - 1, count, total));
                if (i == count - 1) assert_int_equal(k, total - 1);
            }
    assert_int_equal(sp_sheet_frame(3, 12, 101), 27); // round(3 * 100 / 11)
}

/// How far a shape is from 16:9, as a ratio either way.
static double off(int columns, int rows, const sp_sheet *s, int row_height)
{
    const double w = (double)(columns * (s->thumb_width + SP_SHEET_GAP) + SP_SHEET_GAP);
    const double h = (double)(rows * row_height + SP_SHEET_GAP);
    return fabs(log(w / h / (16.0 / 9.0)));
}

static void column_count_gives_the_shape_nearest_to_16_to_9(void **state)
{
    (void)state;
    static const int shapes[][2] = {{320, 180}, {64, 36}, {100, 300}, {600, 50}, {33, 17}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k)
        for (int count = 1; count < 40; ++count) {
            sp_sheet s;
            assert_ok(sp_sheet_plan(count, shapes[k][0], shapes[k][1], &s, ERR));
            const int row = (s.height - SP_SHEET_GAP) / s.rows;
            assert_true(s.columns * s.rows >= count && s.columns * (s.rows - 1) < count);
            for (int c = 1; c <= count; ++c)
                assert_true(off(s.columns, s.rows, &s, row) <=
                            off(c, (count + c - 1) / c, &s, row));
        }
}

static void thumbs_leave_room_for_gaps_and_captions(void **state)
{
    (void)state;
    sp_sheet s;
    assert_ok(sp_sheet_plan(12, 320, 180, &s, ERR));
    assert_int_equal(s.columns, 4);
    for (int i = 0; i < s.count; ++i) {
        int x, y, x2, y2;
        sp_sheet_place(&s, i, &x, &y);
        assert_true(x >= SP_SHEET_GAP && x + s.thumb_width + SP_SHEET_GAP <= s.width);
        assert_true(y >= SP_SHEET_GAP && y + s.thumb_height + 8 + SP_SHEET_GAP <= s.height);
        if (i + 1 == s.count) break;
        sp_sheet_place(&s, i + 1, &x2, &y2);
        if (y2 == y)
            assert_int_equal(x2, x + s.thumb_width + SP_SHEET_GAP);
        else
            assert_true(y2 >= y + s.thumb_height + 8 + SP_SHEET_GAP);
    }
}

static void thumb_pixels_are_copied_unchanged(void **state)
{
    (void)state;
    sp_sheet s;
    enum { TW = 64, TH = 36 };
    assert_ok(sp_sheet_plan(5, TW, TH, &s, ERR));
    const size_t bytes = 3 * (size_t)s.width * (size_t)s.height;
    unsigned char *pixels = malloc(bytes), *blank = malloc(bytes);
    unsigned char thumb[TW * TH * 3];
    for (size_t i = 0; i < sizeof thumb; ++i)
        thumb[i] = (unsigned char)(i * 7 + 1);
    sp_sheet_clear(&s, pixels);
    sp_sheet_clear(&s, blank);
    sp_sheet_put(&s, 3, thumb, 12, 0.4, pixels);
    int x, y, words = 0;
    sp_sheet_place(&s, 3, &x, &y);
    for (int j = 0; j < s.height; ++j)
        for (int i = 0; i < s.width; ++i) {
            const size_t at = 3 * ((size_t)j * (size_t)s.width + (size_t)i);
            const bool in = i >= x && i < x + TW && j >= y && j < y + TH;
            const bool below = i >= x && i < x + TW && j >= y + TH && j < y + TH + 8 + SP_SHEET_GAP;
            if (in)
                assert_memory_equal(pixels + at, thumb + 3 * ((j - y) * TW + i - x), 3);
            else if (below)
                words += memcmp(pixels + at, blank + at, 3) != 0;
            else
                assert_memory_equal(pixels + at, blank + at, 3);
        }
    assert_true(words > 20);
    free(pixels);
    free(blank);
}

static void a_sheet_too_large_for_a_picture_is_refused(void **state)
{
    (void)state;
    sp_sheet s;
    assert_fails(sp_sheet_plan(200, 4000, 2000, &s, ERR), SP_BAD_INPUT,
                 "200 pictures of 4000x2000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thumbs_are_spread_from_the_first_to_the_last_frame),
        cmocka_unit_test(column_count_gives_the_shape_nearest_to_16_to_9),
        cmocka_unit_test(thumbs_leave_room_for_gaps_and_captions),
        cmocka_unit_test(thumb_pixels_are_copied_unchanged),
        cmocka_unit_test(a_sheet_too_large_for_a_picture_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
