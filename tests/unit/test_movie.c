// SPDX-License-Identifier: Apache-2.0
// links: render core
#include "png_here.h"
#include "render/movie.h"
#include "scarce_host.h"
#include "temporary.h"
#include "testing.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/// Odd sizes, which some video formats do not allow, and more bytes in all than a pipe holds (64
/// kB).
enum { COUNT = 6, W = 97, H = 61, BYTES = W * H * 3 };

static sp_host host;
static const char *work;
static char *usual_path;
static const uint64_t frames[COUNT] = {0, 2, 4, 6, 8, 10};
static const uint64_t states[COUNT] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66};
static const sp_png_text texts[] = {{"Software", "spume 0"},     {"spume:scene", "5ce4e"},
                                    {"spume:frame", NULL},       {"spume:state", NULL},
                                    {"spume:command", "render"}, {"spume:look", "{}"}};

/// Counts the callbacks of the movie under test.
typedef struct watch {
    size_t drawn, kept, asked;
    size_t stop_after; ///< `cancelled` returns true from this call on; 0: never
} watch;

static void paint(uint64_t state, unsigned char *pixels)
{
    for (size_t i = 0; i < BYTES; ++i)
        pixels[i] = (unsigned char)(state + i / 3 % W * 3 + i / (3 * W) * 2 * (i % 3));
}

static sp_status draw(void *user, size_t i, unsigned char *pixels, sp_error *err)
{
    (void)err;
    ++((watch *)user)->drawn;
    paint(states[i], pixels);
    return SP_OK;
}

static void done(void *user, size_t i, bool drawn)
{
    (void)i;
    if (!drawn) ++((watch *)user)->kept;
}

static bool cancelled(void *user)
{
    watch *w = user;
    ++w->asked;
    return w->stop_after && w->asked >= w->stop_after;
}

static sp_movie make_movie(const char *dir, watch *w)
{
    return (sp_movie){.dir = dir,
                      .width = W,
                      .height = H,
                      .fps = 12.5,
                      .count = COUNT,
                      .frames = frames,
                      .states = states,
                      .texts = texts,
                      .text_count = sizeof texts / sizeof *texts,
                      .draw = draw,
                      .done = done,
                      .cancelled = cancelled,
                      .user = w};
}

static const char *in(const char *name)
{
    return path_in(work, name);
}

static const char *new_dir(const char *name)
{
    static char paths[8][200];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, 200, "%s/%s", work, name);
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

static size_t files_in(const char *dir)
{
    return count_files(dir, "");
}

static int set_up(void **state)
{
    (void)state;
    host = sp_host_default(1);
    usual_path = strdup(getenv("PATH"));
    work = temporary_directory();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    setenv("PATH", usual_path, 1);
    free(usual_path);
    remove_directory(work);
    return 0;
}

static void assert_same_file(const char *a, const char *b)
{
    size_t left_size, right_size;
    char *left = read_file(a, &left_size), *right = read_file(b, &right_size);
    assert_int_equal(left_size, right_size);
    assert_memory_equal(left, right, left_size);
    free(left);
    free(right);
}

static bool has_ffmpeg(void)
{
    return built_with_png(&host) && system("ffmpeg -version > /dev/null 2>&1") == 0;
}

/// Puts a script in place of ffmpeg, alone on the path.
static void fake_ffmpeg(const char *script)
{
    char path[4200];
    snprintf(path, sizeof path, "%s", in("bin"));
    mkdir(path, 0777);
    FILE *file = fopen(in("bin/ffmpeg"), "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\nPATH='%s'\n%s\n", usual_path, script);
    fclose(file);
    assert_int_equal(chmod(in("bin/ffmpeg"), 0755), 0);
    setenv("PATH", path, 1);
}

/// `cancelled` is asked once before each picture and once for each of its rows.
static void interrupted_picture_leaves_no_file(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    watch w = {.stop_after = 1 + H + 1 + H / 2};
    size_t ready;
    const char *dir = new_dir("a");
    sp_movie movie = make_movie(dir, &w);
    movie.label = "wire";
    assert_int_equal(sp_movie_draw(&movie, &host, &ready, NULL), SP_CANCELLED);
    assert_int_equal(ready, 1);
    assert_int_equal(files_in(dir), 1);
    char path[300];
    sp_movie_picture_path(dir, "wire", frames[0], path, sizeof path);
    assert_non_null(strstr(path, ".wire.png"));
    assert_int_equal(access(path, R_OK), 0);
}

static void interrupted_movie_resumes_to_the_same_bytes(void **state)
{
    (void)state;
    if (!has_ffmpeg()) skip();
    watch straight = {0}, first = {.stop_after = 3 * (1 + H) + 1}, second = {0};
    const char *a = new_dir("a"), *b = new_dir("b");
    size_t ready;
    sp_movie whole = make_movie(a, &straight);
    assert_ok(sp_movie_draw(&whole, &host, &ready, ERR));
    assert_int_equal(ready, COUNT);
    assert_ok(sp_movie_encode(&whole, in("a.mp4"), "from a test", &host, ERR));

    sp_movie part = make_movie(b, &first);
    assert_int_equal(sp_movie_draw(&part, &host, &ready, ERR), SP_CANCELLED);
    assert_int_equal(ready, 3);
    assert_int_equal(files_in(b), 3);
    assert_non_null(strstr(ERR->text, "3 of 6"));
    part.user = &second;
    assert_ok(sp_movie_draw(&part, &host, &ready, ERR));
    assert_int_equal(second.kept, 3);
    assert_int_equal(second.drawn, 3);
    assert_ok(sp_movie_encode(&part, in("b.mp4"), "from a test", &host, ERR));
    for (size_t i = 0; i < COUNT; ++i) {
        char x[300], y[300];
        sp_movie_picture_path(a, NULL, frames[i], x, sizeof x);
        sp_movie_picture_path(b, NULL, frames[i], y, sizeof y);
        assert_same_file(x, y);
    }
    assert_same_file(in("a.mp4"), in("b.mp4"));
    assert_int_equal(files_in(work), 4); // two directories, two movies, no temporary file
}

/// A file in the place of a picture is reused only if it is that picture.
static void only_matching_pictures_are_reused(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    watch w = {0};
    sp_movie movie = make_movie(new_dir("a"), &w);
    assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
    char two[300], four[300];
    sp_movie_picture_path(movie.dir, NULL, 2, two, sizeof two);
    sp_movie_picture_path(movie.dir, NULL, 4, four, sizeof four);
    unsigned char pixels[BYTES];
    paint(1, pixels);
    sp_png_text other[6];
    memcpy(other, texts, sizeof other);
    other[2].value = "4";
    other[3].value = "0000000000000033";
    const sp_picture rows[] = {
        {W - 1, H, 8, pixels, other, 6, NULL, NULL}, // another size
        {W, H, 8, pixels, NULL, 0, NULL, NULL},      // without texts
        {W, H, 8, pixels, texts, 2, NULL, NULL},     // with too few texts
    };
    for (int k = 0; k < 9; ++k) {
        other[5].value = k == 4 ? "{\"exposure\":1}" : "{}"; // another look
        other[3].value = k == 5 ? "0000000000000034" : "0000000000000033";
        if (k < 3)
            assert_ok(sp_picture_write(four, &rows[k], &host, ERR));
        else if (k < 6) // 3: only the pixels are wrong, so it is reused
            assert_ok(sp_picture_write(four, &(sp_picture){W, H, 8, pixels, other, 6, NULL, NULL},
                                       &host, ERR));
        else if (k == 6)
            write_file(four, "", 0);
        else if (k == 7)
            assert_int_equal(truncate(four, 200), 0);
        else
            assert_int_equal(rename(two, four), 0); // the picture of frame 2, which is missing then
        w = (watch){0};
        assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
        assert_int_equal(w.drawn, k == 3 ? 0 : k == 8 ? 2 : 1);
    }
    sp_png_text typed[6];
    memcpy(typed, texts, sizeof typed);
    typed[4].value = "typed otherwise";
    movie.texts = typed;
    w = (watch){0};
    assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
    assert_int_equal(w.drawn, 0);
}

static void picture_that_cannot_be_replaced_is_named(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    watch w = {0};
    const sp_movie movie = make_movie(new_dir("a"), &w);
    size_t ready;
    mkdir(in("a/000004.png"), 0777);
    assert_fails(sp_movie_draw(&movie, &host, &ready, ERR), SP_IO, "000004.png");
    assert_int_equal(ready, 2);
}

/// ffv1 stores RGB without loss: the decoded pixels equal the drawn ones.
static void a_lossless_movie_gives_the_pixels_back(void **state)
{
    (void)state;
    if (!has_ffmpeg()) skip();
    watch w = {0};
    const sp_movie movie = make_movie(new_dir("a"), &w);
    assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
    assert_ok(sp_movie_encode(&movie, in("a.mkv"), "x", &host, ERR));
    char line[600];
    snprintf(line, sizeof line,
             "ffmpeg -loglevel error -i '%s' -f rawvideo -pix_fmt rgb24 '%s' > /dev/null 2>&1",
             in("a.mkv"), in("a.raw"));
    assert_int_equal(system(line), 0);
    FILE *file = fopen(in("a.raw"), "rb");
    unsigned char found[BYTES], expected[BYTES];
    for (size_t i = 0; i < COUNT; ++i) {
        assert_int_equal(fread(found, 1, BYTES, file), BYTES);
        paint(states[i], expected);
        assert_memory_equal(found, expected, BYTES);
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

/// Every format, and names that ffmpeg would take for an option, an address or a pattern.
static void every_format_and_unusual_name_is_written(void **state)
{
    (void)state;
    if (!has_ffmpeg()) skip();
    static const char *const names[] = {"a.mp4",  "a.webm",     "a.mkv",    "a.gif",
                                        "-y.mp4", "http:x.mp4", "%03d.mp4", "a 'b'.mp4"};
    watch w = {0};
    sp_movie movie = make_movie(new_dir("a"), &w);
    assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
    char before[4200];
    assert_non_null(getcwd(before, sizeof before));
    const char *out = new_dir("out");
    assert_int_equal(chdir(out), 0);
    for (size_t k = 0; k < 8; ++k) {
        assert_true(sp_movie_is_known(names[k]));
        assert_ok(sp_movie_encode(&movie, names[k], "x", &host, ERR));
        struct stat facts;
        assert_int_equal(stat(names[k], &facts), 0);
        assert_true(facts.st_size > 100);
    }
    assert_int_equal(chdir(before), 0);
    assert_int_equal(files_in(out), 8);
}

static void other_file_endings_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"a.avi", "mp4", ".mp4", "a.mp4.part", ""};
    watch w = {0};
    const sp_movie movie = make_movie(work, &w);
    for (size_t k = 0; k < 5; ++k) {
        assert_false(sp_movie_is_known(names[k]));
        assert_fails(sp_movie_encode(&movie, names[k], "x", &host, ERR), SP_BAD_INPUT,
                     ".mp4, .webm, .mkv or .gif");
    }
}

static void a_missing_ffmpeg_is_named_and_the_pictures_stay(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    watch w = {0};
    const sp_movie movie = make_movie(new_dir("a"), &w);
    char expected[300];
    assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
    setenv("PATH", in("nothing"), 1);
    assert_int_equal(sp_movie_encode(&movie, in("a.mp4"), "x", &host, ERR), SP_IO);
    snprintf(expected, sizeof expected,
             "ffmpeg not found: 6 frames are in %s; install ffmpeg and repeat with --movie",
             movie.dir);
    assert_string_equal(ERR->text, expected);
    assert_int_equal(files_in(movie.dir), COUNT);
    assert_int_equal(files_in(work), 1);
}

/// However ffmpeg ends, the message says how and quotes its last line; there is no movie, the
/// pictures stay, and a broken pipe does not end the program.
static void a_failing_ffmpeg_is_quoted_and_the_pictures_stay(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    static const struct {
        const char *script, *says;
    } rows[] = {
        {"echo first >&2; echo \"Unknown encoder 'libx264'\" >&2; exit 1",
         "ffmpeg stopped (exit 1): Unknown encoder 'libx264'; frames are kept in "},
        {"exit 0", "ffmpeg stopped (exit 0): it gave no reason; frames"},
        {"cat > /dev/null; exit 3", "ffmpeg stopped (exit 3): it gave no reason; frames"},
        {"kill -9 $$", "ffmpeg stopped (signal 9): it gave no reason; frames"},
        {"cat > /dev/null; yes 'all is lost' | head -c 1000000 >&2; "
         "printf '\\nno \\033[1mroom\\033[0m\\n\\nConversion failed!\\n' >&2; exit 1",
         "ffmpeg stopped (exit 1): no  [1mroom [0m; frames"},
        {"for last; do :; done; cat > \"$last\"; echo late >&2; exit 69",
         "ffmpeg stopped (exit 69): late; frames"},
        {"for last; do :; done; cat > \"$last\"; echo begun >&2; "
         "echo 'Error closing file x: No space left on device' >&2",
         "ffmpeg stopped (exit 0): Error closing file x: No space left on device; frames"},
        // another process keeps its stderr open: the end of ffmpeg itself counts
        {"cat > /dev/null; (sleep 3) & echo gone >&2; exit 2",
         "ffmpeg stopped (exit 2): gone; frames"},
    };
    watch w = {0};
    const sp_movie movie = make_movie(new_dir("a"), &w);
    assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        fake_ffmpeg(rows[k].script);
        write_file(in("a.mp4"), "old", 3);
        assert_fails(sp_movie_encode(&movie, in("a.mp4"), "x", &host, ERR), SP_IO, rows[k].says);
        assert_non_null(strstr(ERR->text, movie.dir));
        assert_int_equal(files_in(movie.dir), COUNT);
        assert_int_equal(files_in(work), 3); // pictures, bin and the old movie
    }
    sigset_t waiting, blocked;
    sigpending(&waiting);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    assert_false(sigismember(&waiting, SIGPIPE));
    assert_false(sigismember(&blocked, SIGPIPE));
}

/// Cancelling does not wait for an ffmpeg that neither reads nor ends.
static void encoding_can_be_cancelled(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    static const char *const scripts[] = {"sleep 60", "cat > /dev/null; sleep 60"};
    watch w = {0};
    const sp_movie movie = make_movie(new_dir("a"), &w);
    assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
    for (size_t k = 0; k < 2; ++k) {
        struct timespec begun, ended;
        fake_ffmpeg(scripts[k]);
        w = (watch){.stop_after = 12};
        clock_gettime(CLOCK_MONOTONIC, &begun);
        assert_int_equal(sp_movie_encode(&movie, in("a.mp4"), "x", &host, ERR), SP_CANCELLED);
        clock_gettime(CLOCK_MONOTONIC, &ended);
        assert_true(ended.tv_sec - begun.tv_sec < 20);
        assert_int_equal(files_in(work), 2);
    }
}

static void picture_changed_before_encoding_is_named(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    watch w = {0};
    const sp_movie movie = make_movie(new_dir("a"), &w);
    assert_ok(sp_movie_draw(&movie, &host, NULL, ERR));
    fake_ffmpeg("for last; do :; done; cat > \"$last\"");
    write_file(in("a/000006.png"), "short", 5);
    assert_fails(sp_movie_encode(&movie, in("a.mp4"), "x", &host, ERR), SP_DAMAGED, "000006.png");
    assert_int_equal(files_in(work), 2);
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    watch w = {0};
    sp_movie movie = make_movie(new_dir("a"), &w);
    movie.count = 2;
    fake_ffmpeg("for last; do :; done; cat > \"$last\"");
    for (int encoding = 0; encoding < 2; ++encoding) {
        size_t n = 0;
        for (sp_status st = SP_NO_MEMORY; st != SP_OK; ++n) {
            scarce s;
            const sp_host poor = scarce_host(&s, 1, n + 1);
            *ERR = (sp_error){0};
            st = encoding ? sp_movie_encode(&movie, in("a.mp4"), "x", &poor, ERR)
                          : sp_movie_draw(&movie, &poor, NULL, ERR);
            assert_int_equal(s.alive, 0);
            assert_true(st == SP_OK || (st == SP_NO_MEMORY && ERR->text[0] != '\0'));
            assert_true(n < 300);
        }
        assert_true(n > 3);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(interrupted_movie_resumes_to_the_same_bytes),
        TEST(interrupted_picture_leaves_no_file),
        TEST(only_matching_pictures_are_reused),
        TEST(picture_that_cannot_be_replaced_is_named),
        TEST(a_lossless_movie_gives_the_pixels_back),
        TEST(every_format_and_unusual_name_is_written),
        TEST(other_file_endings_are_refused),
        TEST(a_missing_ffmpeg_is_named_and_the_pictures_stay),
        TEST(a_failing_ffmpeg_is_quoted_and_the_pictures_stay),
        TEST(encoding_can_be_cancelled),
        TEST(picture_changed_before_encoding_is_named),
        TEST(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
