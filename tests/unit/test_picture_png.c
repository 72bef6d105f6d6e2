// SPDX-License-Identifier: Apache-2.0
// links: render core
// wraps: write fsync
#include "png_here.h"
#include "render/movie.h"
#include "scarce_host.h"
#include "temporary.h"
#include "testing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { W = 16, H = 9 };

/// A full disk (fwrite fails) and a broken disk (fsync fails).
static bool disk_full, disk_broken;
ssize_t __real_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);
ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
    if (!disk_full) return __real_write(fd, bytes, count);
    errno = ENOSPC;
    return -1;
}
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    if (!disk_broken) return __real_fsync(fd);
    errno = EIO;
    return -1;
}

static sp_host host;
static const char *dir, *path;

static int set_up(void **state)
{
    (void)state;
    host = sp_host_default(1);
    dir = temporary_directory();
    path = path_in(dir, "a.png");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    const size_t left = count_files(dir, "");
    remove_directory(dir);
    return left == 0 ? 0 : -1; // nothing half written was left
}

static const sp_png_text texts[] = {{"Software", "spume 0"},
                                    {"spume:look", "{\"name\":\"gr\xc3\xbcn \xe6\xb0\xb4\"}"},
                                    {"spume:command", ""},
                                    {"spume:frame", "12"}};
static unsigned char pixels[W * H * 3];

static sp_picture sample(void)
{
    for (size_t i = 0; i < sizeof pixels; ++i)
        pixels[i] = (unsigned char)(i * i / 7);
    return (sp_picture){.width = W, .height = H, .pixels = pixels, .texts = texts, .text_count = 4};
}

static void write_sample(void)
{
    const sp_picture picture = sample();
    assert_ok(sp_picture_write(path, &picture, &host, ERR));
}

/// Opens the file and reads all of it.
static sp_status read_all(unsigned char *found, sp_error *err)
{
    sp_picture_file *file;
    sp_status st = sp_picture_open(path, &host, &file, err);
    if (st != SP_OK) return st;
    const sp_picture *facts = sp_picture_facts(file);
    st = facts->width == W && facts->height == H ? sp_picture_pixels(file, found, err) : SP_DAMAGED;
    sp_picture_close(file);
    return st;
}

static void picture_round_trip_keeps_pixels_and_texts(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    write_sample();
    sp_picture_file *file;
    assert_ok(sp_picture_open(path, &host, &file, ERR));
    const sp_picture *facts = sp_picture_facts(file);
    assert_int_equal(facts->width, W);
    assert_int_equal(facts->height, H);
    assert_int_equal(facts->depth, 8);
    assert_int_equal(facts->text_count, 4);
    for (size_t k = 0; k < 4; ++k)
        assert_string_equal(sp_picture_find(file, texts[k].key), texts[k].value);
    assert_null(sp_picture_find(file, "spume:state"));
    unsigned char found[W * H * 3];
    assert_ok(sp_picture_pixels(file, found, ERR));
    assert_memory_equal(found, pixels, sizeof found);
    sp_picture_close(file);
}

/// 16 bits in, 8 out: v / 257 rounded, which is exact for multiples of 257.
static void sixteen_bits_are_kept(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    sp_picture picture = sample();
    uint16_t deep[W * H * 3];
    for (size_t i = 0; i < W * H * 3; ++i)
        deep[i] = (uint16_t)(257 * pixels[i]);
    picture.depth = 16;
    picture.pixels = deep;
    assert_ok(sp_picture_write(path, &picture, &host, ERR));
    sp_picture_file *file;
    assert_ok(sp_picture_open(path, &host, &file, ERR));
    assert_int_equal(sp_picture_facts(file)->depth, 16);
    unsigned char found[W * H * 3];
    assert_ok(sp_picture_pixels(file, found, ERR));
    assert_memory_equal(found, pixels, sizeof found);
    sp_picture_close(file);
}

/// Chunk by chunk: length (4 bytes, most significant first), name, data, checksum.
static void equal_pictures_give_equal_bytes_without_a_time(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    size_t count, again;
    write_sample();
    unsigned char *first = read_file(path, &count);
    write_sample();
    unsigned char *second = read_file(path, &again);
    assert_int_equal(count, again);
    assert_memory_equal(first, second, count);
    char names[200] = "";
    for (size_t at = 8; at + 12 <= count;) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%.4s ",
                 (const char *)first + at + 4);
        at += 12 + ((size_t)first[at] << 24 | (size_t)first[at + 1] << 16 |
                    (size_t)first[at + 2] << 8 | first[at + 3]);
    }
    assert_string_equal(names, "IHDR gAMA sRGB tEXt iTXt tEXt tEXt IDAT IEND ");
    free(first);
    free(second);
}

static void full_disk_is_one_sentence_and_keeps_the_old_picture(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    const sp_picture picture = sample();
    write_sample();
    size_t count, after;
    unsigned char *before = read_file(path, &count);
    disk_full = true;
    const sp_status full = sp_picture_write(path, &picture, &host, ERR);
    disk_full = false;
    assert_int_equal(full, SP_IO);
    assert_non_null(strstr(ERR->text, path));
    assert_non_null(strstr(ERR->text, "no room left on the disk"));
    disk_broken = true;
    assert_int_equal(sp_picture_write(path, &picture, &host, ERR), SP_IO);
    disk_broken = false;
    assert_non_null(strstr(ERR->text, strerror(EIO)));
    unsigned char *still = read_file(path, &after);
    assert_int_equal(count, after);
    assert_memory_equal(before, still, count);
    free(before);
    free(still);
    assert_fails(sp_picture_write("/nowhere/at/all.png", &picture, &host, ERR), SP_IO,
                 "/nowhere/at/all.png");
}

static void a_device_or_a_directory_is_never_replaced(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    const sp_picture picture = sample();
    struct stat facts;
    assert_int_equal(sp_picture_write("/dev/null", &picture, &host, ERR), SP_IO);
    assert_int_equal(stat("/dev/null", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
    assert_fails(sp_picture_write(dir, &picture, &host, ERR), SP_IO, "ordinary file");
}

/// Every byte of a PNG is covered by a checksum, so any changed byte and any cut is detected.
static void any_damage_is_detected(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    write_sample();
    size_t count;
    unsigned char *bytes = read_file(path, &count), found[W * H * 3];
    for (size_t i = 0; i < count; ++i) {
        bytes[i] ^= (unsigned char)(1u << i % 8);
        write_file(path, bytes, count);
        assert_int_equal(read_all(found, ERR), SP_DAMAGED);
        bytes[i] ^= (unsigned char)(1u << i % 8);
        write_file(path, bytes, i);
        assert_int_equal(read_all(found, ERR), SP_DAMAGED);
    }
    free(bytes);
}

/// The checksum of PNG chunks (CRC-32, polynomial 0xedb88320), bit by bit.
static uint32_t checksum(const unsigned char *bytes, size_t count)
{
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < count; ++i) {
        c ^= bytes[i];
        for (int k = 0; k < 8; ++k)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

/// Rewrites the header with a valid checksum, so that it can claim anything.
static void claim(unsigned char *bytes, uint32_t width, uint32_t height, unsigned char depth,
                  unsigned char type, unsigned char interlaced)
{
    const uint32_t size[2] = {width, height};
    for (int k = 0; k < 8; ++k)
        bytes[16 + k] = (unsigned char)(size[k / 4] >> (24 - 8 * (k % 4)));
    bytes[24] = depth;
    bytes[25] = type;
    bytes[28] = interlaced;
    const uint32_t c = checksum(bytes + 12, 17);
    for (int k = 0; k < 4; ++k)
        bytes[29 + k] = (unsigned char)(c >> (24 - 8 * k));
}

static void false_header_allocates_nothing(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    static const struct {
        uint32_t width, height;
        unsigned char depth, type, interlaced;
        sp_status opens;
    } rows[] = {
        {16384, 2, 8, 2, 0, SP_OK}, // as wide as allowed: only the caller may allocate that
        {16384, 16384, 8, 2, 0, SP_DAMAGED}, // more than its bytes can hold
        {20000, 9, 8, 2, 0, SP_DAMAGED},
        {0, 9, 8, 2, 0, SP_DAMAGED},
        {0x80000000u, 9, 8, 2, 0, SP_DAMAGED},
        {W, H, 8, 0, 0, SP_DAMAGED}, // grey
        {W, H, 8, 6, 0, SP_DAMAGED}, // with alpha
        {W, H, 8, 2, 1, SP_DAMAGED}, // interlaced
        {W, H, 3, 2, 0, SP_DAMAGED},
    };
    write_sample();
    size_t count;
    unsigned char *bytes = read_file(path, &count);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        claim(bytes, rows[k].width, rows[k].height, rows[k].depth, rows[k].type,
              rows[k].interlaced);
        write_file(path, bytes, count);
        sp_budget budget;
        const sp_host frugal = sp_budget_host(&budget, &host, 4 << 20);
        sp_picture_file *file;
        assert_int_equal(sp_picture_open(path, &frugal, &file, NULL), rows[k].opens);
        sp_picture_close(file);
        assert_int_equal(budget.used, 0);
    }
    // more rows than data: the pixels run out
    claim(bytes, W, H + 1, 8, 2, 0);
    write_file(path, bytes, count);
    unsigned char taller[W * (H + 1) * 3];
    sp_picture_file *file;
    assert_ok(sp_picture_open(path, &host, &file, ERR));
    assert_int_equal(sp_picture_pixels(file, taller, NULL), SP_DAMAGED);
    sp_picture_close(file);
    free(bytes);
}

/// The chunk after the header claims to be 2 GB of compressed text.
static void false_length_of_a_chunk_allocates_nothing(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    write_sample();
    size_t count;
    unsigned char *bytes = read_file(path, &count);
    memcpy(bytes + 33, "\x78\0\0\x11zTXt", 8);
    write_file(path, bytes, count);
    free(bytes);
    sp_budget budget;
    const sp_host frugal = sp_budget_host(&budget, &host, 4 << 20);
    sp_picture_file *file;
    assert_int_equal(sp_picture_open(path, &frugal, &file, NULL), SP_DAMAGED);
    assert_int_equal(budget.used, 0);
}

static void missing_file_directory_and_pipe_are_refused(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    sp_picture_file *file;
    assert_fails(sp_picture_open(path, &host, &file, ERR), SP_IO, path); // absent
    assert_int_equal(sp_picture_open(dir, &host, &file, NULL), SP_DAMAGED);
    assert_int_equal(mkfifo(path, 0600), 0); // opening must not wait for a writer
    assert_int_equal(sp_picture_open(path, &host, &file, NULL), SP_DAMAGED);
    assert_null(file);
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    if (!built_with_png(&host)) skip();
    const sp_picture picture = sample();
    for (int reading = 0; reading < 2; ++reading) {
        size_t n = 0;
        for (sp_status st = SP_NO_MEMORY; st != SP_OK; ++n) {
            scarce s;
            const sp_host poor = scarce_host(&s, 1, n + 1);
            *ERR = (sp_error){0};
            if (reading) {
                unsigned char found[W * H * 3];
                sp_picture_file *file;
                st = sp_picture_open(path, &poor, &file, ERR);
                if (st == SP_OK) st = sp_picture_pixels(file, found, ERR);
                sp_picture_close(file);
            } else {
                st = sp_picture_write(path, &picture, &poor, ERR);
            }
            assert_int_equal(s.alive, 0);
            assert_true(st == SP_OK || (st == SP_NO_MEMORY && ERR->text[0] != '\0'));
            assert_true(n < 200);
        }
        assert_true(n > 3);
    }
}

/// 16384 x 16384 pixels of 12 floats are 12.9 GB.
static void picture_beyond_the_memory_limit_is_refused_with_sizes(void **state)
{
    (void)state;
    assert_int_equal(sp_picture_check_memory(16384, 16384, 12, 8e9, ERR), SP_NO_MEMORY);
    assert_string_equal(ERR->text,
                        "picture of 16384x16384 with 12 layers needs 12.9 GB (limit 8.0)");
    assert_ok(sp_picture_check_memory(16384, 16384, 12, 13e9, ERR));
    assert_ok(sp_picture_check_memory(16384, 16384, 12, 0.0, ERR));
}

/// A chunk that claims 1.8 GB, in a file of 41 bytes.
static void a_chunk_of_any_length_takes_no_memory(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
        0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x10, 0x02, 0x00, 0x00,
        0x00, 0x2b, 0xd0, 0x34, 0x9e, 0x6d, 0x00, 0x00, 0x11, 0x7a, 0x54, 0x58, 0x74};
    sp_picture_file *file;
    if (!built_with_png(&host)) skip();
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, out), sizeof bytes);
    assert_int_equal(fclose(out), 0);
    sp_budget budget;
    const sp_host counted = sp_budget_host(&budget, &host, 0);
    assert_fails(sp_picture_open(path, &counted, &file, ERR), SP_DAMAGED, "is damaged");
    assert_true((double)atomic_load(&budget.peak) < 2e7);
}

static void build_without_libpng_says_so(void **state)
{
    (void)state;
    if (built_with_png(&host)) skip();
    const sp_picture picture = sample();
    assert_fails(sp_picture_write(path, &picture, &host, ERR), SP_UNSUPPORTED, "SPUME_WITH_PNG");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(picture_round_trip_keeps_pixels_and_texts),
        TEST(sixteen_bits_are_kept),
        TEST(equal_pictures_give_equal_bytes_without_a_time),
        TEST(full_disk_is_one_sentence_and_keeps_the_old_picture),
        TEST(a_device_or_a_directory_is_never_replaced),
        TEST(any_damage_is_detected),
        TEST(false_header_allocates_nothing),
        TEST(false_length_of_a_chunk_allocates_nothing),
        TEST(missing_file_directory_and_pipe_are_refused),
        TEST(failed_allocations_leak_nothing),
        TEST(picture_beyond_the_memory_limit_is_refused_with_sizes),
        TEST(a_chunk_of_any_length_takes_no_memory),
        TEST(build_without_libpng_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
