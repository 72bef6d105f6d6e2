// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/text/progress.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

static double clock_now; // a clock that the tests set

static double hand_clock(void *user)
{
    (void)user;
    return clock_now;
}

/// What `frames` frames, `step` seconds apart, write in a style; to be freed.
static char *written(sp_progress_style style, bool color, double interval, int frames, double step)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sp_host host = sp_host_default(1);
    host.clock = hand_clock;
    clock_now = 100.0;
    sp_progress progress = {
        .out = out, .style = style, .color = color, .interval = interval, .host = &host};
    sp_progress_begin(&progress, (uint64_t)frames);
    for (int i = 1; i <= frames; ++i) {
        clock_now += step;
        sp_progress_frame(&progress, (uint64_t)i, 64000000, "3 bubbles");
    }
    sp_progress_end(&progress);
    fclose(out);
    return text;
}

static void progress_line_shows_frames_rate_time_left_and_memory(void **state)
{
    (void)state;
    char *text = written(SP_PROGRESS_PLAIN, false, 0.0, 4, 0.5);
    assert_string_equal(text, "frame 1/4   2.0/s   1.5 s left   64.0 MB   3 bubbles\n"
                              "frame 2/4   2.0/s   1.0 s left   64.0 MB   3 bubbles\n"
                              "frame 3/4   2.0/s   0.5 s left   64.0 MB   3 bubbles\n"
                              "frame 4/4   2.0/s   64.0 MB   3 bubbles\n");
    free(text);
}

static void plain_lines_come_at_their_interval(void **state)
{
    (void)state;
    char *text = written(SP_PROGRESS_PLAIN, false, 5.0, 100, 0.25); // 25 s
    int lines = 0;
    for (const char *c = text; *c; ++c)
        lines += *c == '\n';
    assert_int_equal(lines, 5);
    assert_null(strchr(text, '\033'));
    free(text);
}

static void terminal_line_is_overwritten_and_cleared(void **state)
{
    (void)state;
    char *text = written(SP_PROGRESS_LINE, false, 0.0, 2, 1.0);
    assert_null(strchr(text, '\n'));
    assert_null(strstr(text, "\033[36m")); // no colour when none is wanted
    assert_string_equal(text + strlen(text) - 4, "\r\033[K");
    free(text);
    text = written(SP_PROGRESS_LINE, true, 0.0, 2, 1.0);
    assert_non_null(strstr(text, "\033[36m"));
    free(text);
}

static void json_writes_one_object_per_frame(void **state)
{
    (void)state;
    char *text = written(SP_PROGRESS_JSON, true, 5.0, 1, 0.5);
    assert_string_equal(
        text, "{\"event\":\"frame\",\"frame\":1,\"last\":1,\"seconds\":0.500,"
              "\"frames_per_second\":2.000,\"seconds_left\":0.0,\"memory_bytes\":64000000}\n");
    free(text);
}

static void quiet_prints_nothing(void **state)
{
    (void)state;
    char *text = written(SP_PROGRESS_NONE, true, 0.0, 3, 1.0);
    assert_string_equal(text, "");
    free(text);
}

static void sizes_and_times_are_human_readable(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } sizes[] = {{0, "0 bytes"},    {512, "512 bytes"}, {1500, "1.5 kB"},  {999600, "1.0 MB"},
                 {64e6, "64.0 MB"}, {128e6, "128 MB"},  {2.5e12, "2.5 TB"}},
      times[] = {{0.25, "0.2 s"},     {9.94, "9.9 s"},      {14.2, "14 s"}, {59.7, "1 min 00 s"},
                 {200, "3 min 20 s"}, {7500, "2 h 05 min"}, {1e300, "long"}};
    char text[32];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        sp_bytes_text(sizes[i].value, text, sizeof text);
        assert_string_equal(text, sizes[i].text);
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
        sp_seconds_text(times[i].value, text, sizeof text);
        assert_string_equal(text, times[i].text);
    }
}

/// A run becomes three times slower. After ten seconds, three times the average's memory, the shown
/// rate is within a tenth of the new one.
static void rate_follows_a_run_that_slows_down(void **state)
{
    (void)state;
    sp_host host = sp_host_default(1);
    host.clock = hand_clock;
    clock_now = 0.0;
    sp_progress progress = {.style = SP_PROGRESS_LINE, .interval = 1e9, .host = &host};
    sp_progress_begin(&progress, 1000);
    for (uint64_t i = 1; i <= 300; ++i) {
        clock_now += i <= 200 ? 0.1 : 0.3;
        sp_progress_frame(&progress, i, 0, NULL);
    }
    assert_true(progress.period > 0.27 && progress.period <= 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_line_shows_frames_rate_time_left_and_memory),
        cmocka_unit_test(plain_lines_come_at_their_interval),
        cmocka_unit_test(terminal_line_is_overwritten_and_cleared),
        cmocka_unit_test(json_writes_one_object_per_frame),
        cmocka_unit_test(quiet_prints_nothing),
        cmocka_unit_test(sizes_and_times_are_human_readable),
        cmocka_unit_test(rate_follows_a_run_that_slows_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
