// SPDX-License-Identifier: Apache-2.0
// links: render frame core
// wraps: fwrite
#include "scarce_host.h"
#include "test_render_pond.h"
#include "testing.h"

#include <errno.h>
#if __has_include(<png.h>)
#define HAS_PNG_HEADER 1
#include <png.h>
#endif
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Only the room itself knows whether it was built with libpng, so this program asks it, and links
/// the reader's functions weakly: a build without libpng must still link.
#if defined(HAS_PNG_HEADER)
#pragma weak png_create_read_struct
#pragma weak png_create_info_struct
#pragma weak png_init_io
#pragma weak png_read_png
#pragma weak png_get_image_width
#pragma weak png_get_image_height
#pragma weak png_get_rows
#pragma weak png_get_text
#pragma weak png_destroy_read_struct
#endif

static bool built_with_png(void)
{
    const sp_frame empty = {0};
    const sp_render_options o = {.width = 1, .height = 1, .samples = 1};
    return sp_render_png(&empty, &o, "/nowhere/at/all.png", NULL, NULL) != SP_UNSUPPORTED;
}

/// A disk that is full: fwrite takes nothing.
static bool disk_full;
size_t __real_fwrite(const void *bytes, size_t size, size_t count, FILE *file);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *file);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
    if (disk_full) {
        errno = ENOSPC;
        return 0;
    }
    return __real_fwrite(bytes, size, count, file);
}

static void picture_path(char *path, size_t size)
{
    char dir[] = "/tmp/spume-render-XXXXXX";
    assert_non_null(mkdtemp(dir));
    snprintf(path, size, "%s/look.png", dir);
}

static void remove_picture(char *path)
{
    unlink(path);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0); // and nothing else was left there
}

#if defined(HAS_PNG_HEADER)
static void a_picture_comes_back_with_its_pixels_and_texts(void **state)
{
    (void)state;
    if (!built_with_png()) skip();
    char path[64];
    picture_path(path, sizeof path);
    pond *p = make_pond(FOAM, 0.003f);
    const sp_render_text texts[] = {{"Title", "a made-up pond"}, {"Command", "spume render x"}};
    const sp_render_options o = {
        .width = 64, .height = 36, .samples = 1, .texts = texts, .text_count = 2};
    assert_int_equal(sp_render_png(&p->frame, &o, path, NULL, NULL), SP_OK);
    unsigned char expected[64 * 36 * 3];
    assert_int_equal(sp_render_pixels(&p->frame, &o, expected, NULL, NULL), SP_OK);

    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    assert_int_equal(png_get_image_width(png, info), 64);
    assert_int_equal(png_get_image_height(png, info), 36);
    png_bytepp rows = png_get_rows(png, info);
    for (size_t y = 0; y < 36; ++y)
        assert_memory_equal(rows[y], expected + y * 64 * 3, 64 * 3);
    png_textp found;
    assert_int_equal(png_get_text(png, info, &found, NULL), 2);
    for (int k = 0; k < 2; ++k) {
        assert_string_equal(found[k].key, texts[k].key);
        assert_string_equal(found[k].text, texts[k].value);
    }
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
    free_pond(p);
    remove_picture(path);
}
#endif

static void a_full_disk_is_one_sentence_and_leaves_no_file(void **state)
{
    (void)state;
    if (!built_with_png()) skip();
    char path[64];
    picture_path(path, sizeof path);
    const sp_frame empty = {0};
    const sp_render_options o = {.width = 16, .height = 9, .samples = 1};
    sp_error err = {0};
    disk_full = true;
    assert_int_equal(sp_render_png(&empty, &o, path, NULL, &err), SP_IO);
    disk_full = false;
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, strerror(ENOSPC)));
    assert_int_equal(sp_render_png(&empty, &o, "/nowhere/at/all.png", NULL, &err), SP_IO);
    assert_non_null(strstr(err.text, "/nowhere/at/all.png"));
    remove_picture(path);
}

static void each_allocation_may_fail_and_nothing_leaks(void **state)
{
    (void)state;
    if (!built_with_png()) skip();
    char path[64];
    picture_path(path, sizeof path);
    pond *p = make_pond(200, 0.003f);
    p->sets[0].name = "spray"; // so that all three kinds of balls are there
    const sp_render_options o = {.width = 8, .height = 5, .samples = 1};
    int n = 0;
    for (sp_status st = SP_NO_MEMORY; st != SP_OK; ++n) {
        scarce s;
        const sp_host host = scarce_host(&s, 1, (size_t)n + 1);
        sp_error err = {0};
        st = sp_render_png(&p->frame, &o, path, &host, &err);
        assert_int_equal(s.alive, 0);
        assert_true(st == SP_OK || (st == SP_NO_MEMORY && err.text[0] != '\0'));
        assert_true(n < 200);
    }
    assert_true(n > 10); // the scene alone takes more than ten
    free_pond(p);
    remove_picture(path);
}

static void without_libpng_the_answer_says_so(void **state)
{
    (void)state;
    if (built_with_png()) skip();
    const sp_frame empty = {0};
    sp_error err = {0};
    assert_int_equal(sp_render_png(&empty, NULL, "look.png", NULL, &err), SP_UNSUPPORTED);
    assert_non_null(strstr(err.text, "SPUME_WITH_PNG"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if defined(HAS_PNG_HEADER)
        cmocka_unit_test(a_picture_comes_back_with_its_pixels_and_texts),
#endif
        cmocka_unit_test(a_full_disk_is_one_sentence_and_leaves_no_file),
        cmocka_unit_test(each_allocation_may_fail_and_nothing_leaks),
        cmocka_unit_test(without_libpng_the_answer_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
