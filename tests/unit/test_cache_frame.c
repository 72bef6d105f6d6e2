// SPDX-License-Identifier: Apache-2.0
// links: cache frame core
/// Frame files: round trip, equal bytes for equal states, and refusal of damaged files.
#include "scarce_host.h"
#include "test_cache_drift.h"
#include "testing.h"

#include <sys/wait.h>

/// The bytes of a frame file.
static unsigned char *image_of(uint64_t steps, const sp_host *host, size_t *count)
{
    drift d;
    const sp_frame frame = drift_frame(&d, steps);
    sp_stored stored;
    sp_h5_image image;
    assert_ok(sp_stored_open(&stored, &frame, host, ERR));
    assert_ok(sp_frame_image_open(&image, &stored.frame, false, host, ERR));
    unsigned char *bytes = sp_allocate(host, image.count, 1);
    assert_non_null(bytes);
    memcpy(bytes, image.bytes, image.count);
    *count = image.count;
    sp_h5_image_close(&image);
    sp_stored_close(&stored);
    return bytes;
}

static void assert_same_sets(const sp_frame *a, const sp_frame *b)
{
    assert_int_equal(a->set_count, b->set_count);
    for (size_t i = 0; i < a->set_count; ++i) {
        const sp_set *x = &a->sets[i], *y = &b->sets[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->column_count, y->column_count);
        for (size_t c = 0; c < x->column_count; ++c) {
            assert_string_equal(x->columns[c].name, y->columns[c].name);
            assert_int_equal(x->columns[c].kind, y->columns[c].kind);
            assert_int_equal(x->columns[c].components, y->columns[c].components);
            assert_memory_equal(x->columns[c].data, y->columns[c].data,
                                x->count * (size_t)x->columns[c].components *
                                    sp_kind_size(x->columns[c].kind));
        }
    }
}

/// A frame file keeps names, order, types, counts and every bit of every value.
static void frame_file_round_trip_keeps_every_bit(void **state)
{
    (void)state;
    const char *path = path_in(temporary_directory(), "a.h5");
    drift d;
    const sp_frame frame = drift_frame(&d, 5);
    sp_frame_file *file;
    assert_ok(sp_frame_file_write(path, &frame, true, HOST, ERR));
    assert_ok(sp_frame_file_open(path, HOST, &file, ERR));
    const sp_frame *back = sp_frame_file_frame(file);
    assert_int_equal(back->frame, 5);
    assert_true(back->time == frame.time && back->fps == 24 && back->voxel == frame.voxel);
    assert_int_equal(back->hash, frame.hash);
    assert_same_sets(&frame, back);
    assert_int_equal(back->field_count, 2);
    const sp_field *height = sp_frame_field(back, "height"),
                   *tiles = sp_frame_field(back, "surface");
    assert_int_equal(height->nu, DRIFT_NU);
    assert_int_equal(height->nv, DRIFT_NV);
    assert_memory_equal(height->values, d.height, sizeof d.height);
    assert_memory_equal(height->corner, d.fields[0].corner, sizeof height->corner);
    assert_memory_equal(height->du, d.fields[0].du, sizeof height->du);
    assert_memory_equal(height->dv, d.fields[0].dv, sizeof height->dv);
    assert_int_equal(tiles->tile_count, 1);
    assert_memory_equal(tiles->tiles, d.tile, sizeof d.tile);
    assert_memory_equal(tiles->values, d.solid, sizeof d.solid);
    assert_string_equal(back->bodies[0].name, "rock");
    assert_memory_equal(back->bodies[0].position, d.body.position, sizeof d.body.position);
    assert_memory_equal(back->bodies[0].rotation, d.body.rotation, sizeof d.body.rotation);
    assert_int_equal(back->stat_count, 4);                // and the largest speed
    assert_string_equal(back->stats[0].name, "water_m3"); // in the order they were given
    assert_true(back->stats[1].value == 5.0 && isnan(back->stats[2].value));
    assert_string_equal(back->stats[3].name, "largest_speed_m_s");
    assert_true(back->stats[3].value == sp_frame_speed(&frame) && back->stats[3].value > 0.0);
    sp_frame_file_close(file);
}

static void assert_within_half(size_t n, const float *x, const float *y)
{
    for (size_t i = 0; i < n; ++i) { // half of the last of 11 bits; 2^-24 is the smallest step
        const double bound = fmax(0x1p-11 * fabs((double)x[i]), 0x1p-25);
        assert_true(fabs((double)y[i] - (double)x[i]) <= bound);
    }
}

static sp_frame_file *write_half(const sp_frame *frame, const char *path, size_t *bytes)
{
    sp_stored stored;
    sp_frame_file *file;
    assert_ok(sp_stored_open(&stored, frame, HOST, ERR));
    stored.half = true;
    assert_ok(sp_stored_write(&stored, path, false, bytes, ERR));
    sp_stored_close(&stored);
    assert_ok(sp_frame_file_open(path, HOST, &file, ERR));
    return file;
}

/// Positions, ids and sheets keep every bit; radii, velocities and tiles are rounded.
static void half_precision_rounds_all_but_positions_and_sheets(void **state)
{
    (void)state;
    const char *path = path_in(temporary_directory(), "a.h5");
    drift d;
    size_t bytes;
    const sp_frame frame = drift_frame(&d, 5);
    for (int i = 0; i < 512; ++i)
        d.solid[i] = 0.01f * (float)(i - 256) / 256.0f;
    sp_frame_file *file = write_half(&frame, path, &bytes);
    assert_true(sp_frame_file_is_half(file));
    const sp_frame *back = sp_frame_file_frame(file);
    const sp_set *was = &frame.sets[0], *is = &back->sets[0];
    assert_memory_equal(sp_set_column(is, "position")->data, d.s.x, 12 * was->count);
    assert_memory_equal(sp_set_column(is, "id")->data, d.id, 8 * was->count);
    assert_memory_equal(sp_frame_field(back, "height")->values, d.height, sizeof d.height);
    const float *speed = sp_set_column(is, "velocity")->data,
                *radius = sp_set_column(is, "radius")->data,
                *tiles = sp_frame_field(back, "surface")->values;
    assert_within_half(3 * was->count, d.s.v[0], speed);
    assert_within_half(was->count, d.radius, radius);
    assert_within_half(512, d.solid, tiles);
    assert_memory_not_equal(tiles, d.solid, sizeof d.solid);
    assert_int_equal(sp_set_column(is, "velocity")->kind, SP_F32);
    assert_true(back->hash == frame.hash && sp_frame_speed(back) == sp_frame_speed(&frame));
    sp_frame_file_close(file);
}

/// Pressures exceed what a half can hold in water deeper than 6.6 m.
static void array_with_a_number_too_large_for_a_half_keeps_every_bit(void **state)
{
    (void)state;
    const char *path = path_in(temporary_directory(), "a.h5");
    drift d;
    size_t bytes[2];
    sp_frame_file *file;
    const sp_frame frame = drift_frame(&d, 5);
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 512; ++i)
            d.solid[i] = 100.0f * (float)i + 0.3f;
        d.solid[77] = k == 0 ? 65504.0f : 65504.01f;
        file = write_half(&frame, path, &bytes[k]);
        const float *back = sp_frame_field(sp_frame_file_frame(file), "surface")->values;
        assert_int_equal(memcmp(back, d.solid, sizeof d.solid) == 0, k == 1);
        sp_frame_file_close(file);
    }
    assert_true(bytes[1] >= bytes[0] + 1024); // 512 numbers of four bytes instead of two
}

/// A reader of format 1 knows no halves, so none may be in a file that claims it.
static void half_in_a_file_of_the_first_format_is_refused(void **state)
{
    (void)state;
    drift d;
    const sp_frame frame = drift_frame(&d, 5);
    sp_h5_image image;
    sp_frame_file *file;
    assert_ok(sp_frame_image_open(&image, &frame, true, HOST, ERR));
    sp_seal seal = {.format = 1, .frame = 5, .time = frame.time, .fps = 24, .hash = frame.hash};
    sp_seal_stamp(image.bytes, SP_FRAME_MAGIC, &seal, image.bytes + SP_SEAL, image.count - SP_SEAL);
    assert_fails(sp_frame_file_parse("x.h5", image.bytes, image.count, HOST, &file, ERR),
                 SP_DAMAGED, "x.h5");
    sp_h5_image_close(&image);
}

/// On its way to disk a frame exists twice: as the solver publishes it, and as its file.
static void writing_a_frame_takes_the_memory_of_its_file_once(void **state)
{
    (void)state;
    enum { COUNT = 1 << 20 };
    const sp_host machine = sp_host_default(1);
    sp_budget budget;
    const sp_host host = sp_budget_host(&budget, &machine, 0);
    float(*x)[3] = calloc(COUNT, sizeof *x);
    uint64_t *id = calloc(COUNT, sizeof *id);
    assert_true(x && id);
    for (size_t i = 0; i < COUNT; ++i)
        id[i] = i;
    const sp_column columns[] = {{"position", SP_F32, 3, x}, {"id", SP_U64, 1, id}};
    const sp_set set = {"bubbles", COUNT, columns, 2};
    const sp_frame frame = {.fps = 24, .voxel = 0.1, .sets = &set, .set_count = 1};
    const char *path = path_in(temporary_directory(), "frame.h5");
    assert_ok(sp_frame_file_write(path, &frame, false, &host, ERR));
    const double file = 20.0 * COUNT, taken = (double)atomic_load(&budget.peak);
    assert_true(taken > file && taken < 1.02 * file); // and a little for HDF5's metadata
    free(x);
    free(id);
}

/// Two processes, started at different seconds, write the same state as the same bytes.
static void two_processes_write_equal_states_as_equal_bytes(void **state)
{
    (void)state;
    const char *path = path_in(temporary_directory(), "a.h5");
    char *theirs;
    size_t count, their_count;
    const pid_t child = fork();
    if (child == 0) {
        drift d;
        image_of(2, HOST, &count); // earlier use of HDF5 must not change the bytes
        const sp_frame frame = drift_frame(&d, 9);
        _exit(sp_frame_file_write(path, &frame, false, HOST, NULL) == SP_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    sleep(2); // HDF5's object times have a resolution of one second
    unsigned char *ours = image_of(9, HOST, &count);
    assert_ok(sp_file_read(path, 0, HOST, &theirs, &their_count, ERR));
    assert_int_equal(count, their_count);
    assert_memory_equal(ours, theirs, count);
    sp_release(HOST, ours);
    sp_release(HOST, theirs);
}

static void assert_refused(unsigned char *bytes, size_t count, const sp_host *host)
{
    sp_frame_file *file;
    assert_fails(sp_frame_file_parse("x.h5", bytes, count, host, &file, ERR), SP_DAMAGED, "x.h5");
    assert_null(file);
}

static void truncated_file_is_named_and_refused(void **state)
{
    (void)state;
    size_t count;
    unsigned char *bytes = image_of(3, HOST, &count);
    for (size_t n = 0; n < count; n += n < 600 ? 1 : 97)
        assert_refused(bytes, n, HOST);
    assert_refused(bytes, count - 1, HOST);
    unsigned char *longer = sp_allocate(HOST, count + 1, 1);
    memcpy(longer, bytes, count);
    assert_refused(longer, count + 1, HOST);
    sp_release(HOST, longer);
    sp_release(HOST, bytes);
}

static void any_single_flipped_bit_is_detected(void **state)
{
    (void)state;
    size_t count;
    unsigned char *bytes = image_of(3, HOST, &count);
    for (size_t at = 0; at < count; at += at < SP_SEAL ? 1 : 13) {
        bytes[at] ^= (unsigned char)(1u << (at % 8));
        assert_refused(bytes, count, HOST);
        bytes[at] ^= (unsigned char)(1u << (at % 8));
    }
    sp_release(HOST, bytes);
}

static void newer_format_is_refused_with_its_number(void **state)
{
    (void)state;
    size_t count;
    unsigned char *bytes = image_of(1, HOST, &count);
    sp_seal seal = {.format = 42};
    sp_seal_stamp(bytes, SP_FRAME_MAGIC, &seal, bytes + SP_SEAL, count - SP_SEAL);
    sp_frame_file *file;
    assert_fails(sp_frame_file_parse("x.h5", bytes, count, HOST, &file, ERR), SP_UNSUPPORTED,
                 "format 42; this Spume reads formats 1 to 2");
    sp_release(HOST, bytes);
}

/// A checkpoint or any other file is not read as a frame.
static void file_of_another_kind_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[SP_SEAL + 8] = {0};
    sp_seal seal = {.format = 1};
    sp_frame_file *file;
    sp_seal_stamp(bytes, SP_CHECKPOINT_MAGIC, &seal, bytes + SP_SEAL, 8);
    assert_fails(sp_frame_file_parse("x.h5", bytes, sizeof bytes, HOST, &file, ERR), SP_UNSUPPORTED,
                 "x.h5: holds a checkpoint"); // complete, but not a frame
    seal.format = 1;
    sp_seal_stamp(bytes, SP_FRAME_MAGIC, &seal, bytes + SP_SEAL, 8);
    assert_refused(bytes, sizeof bytes, HOST); // a valid seal on bytes that are not HDF5
}

static void directory_pipe_and_missing_file_are_refused(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    const char *path = path_in(dir, "pipe");
    sp_frame_file *file;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(sp_frame_file_open(path, HOST, &file, ERR), SP_IO);
    assert_int_equal(sp_frame_file_open(dir, HOST, &file, ERR), SP_IO);
    assert_fails(sp_frame_file_open(path_in(dir, "absent.h5"), HOST, &file, ERR), SP_IO,
                 "absent.h5");
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    const char *path = path_in(temporary_directory(), "a.h5");
    drift d;
    const sp_frame frame = drift_frame(&d, 3);
    int failures = 0;
    for (long n = 0;; ++n) {
        scarce s;
        const sp_host host = scarce_host(&s, 1, (size_t)n + 1);
        sp_frame_file *file = NULL;
        sp_status st = sp_frame_file_write(path, &frame, false, &host, ERR);
        if (st == SP_OK) st = sp_frame_file_open(path, &host, &file, ERR);
        sp_frame_file_close(file);
        assert_int_equal(s.alive, 0);
        if (st == SP_OK) break;
        assert_int_equal(st, SP_NO_MEMORY);
        assert_non_null(strstr(ERR->text, "a.h5"));
        ++failures;
    }
    assert_true(failures > 10); // at least one for each array
}

/// An invalid set is never written.
static void invalid_frame_is_not_written(void **state)
{
    (void)state;
    const char *path = path_in(temporary_directory(), "a.h5");
    drift d;
    sp_frame frame = drift_frame(&d, 3);
    d.id[1] = d.id[2];
    assert_fails(sp_frame_file_write(path, &frame, false, HOST, ERR), SP_BAD_INPUT,
                 "/points/foam/id");
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_file_round_trip_keeps_every_bit),
        cmocka_unit_test(half_precision_rounds_all_but_positions_and_sheets),
        cmocka_unit_test(array_with_a_number_too_large_for_a_half_keeps_every_bit),
        cmocka_unit_test(half_in_a_file_of_the_first_format_is_refused),
        cmocka_unit_test(writing_a_frame_takes_the_memory_of_its_file_once),
        cmocka_unit_test(two_processes_write_equal_states_as_equal_bytes),
        cmocka_unit_test(truncated_file_is_named_and_refused),
        cmocka_unit_test(any_single_flipped_bit_is_detected),
        cmocka_unit_test(newer_format_is_refused_with_its_number),
        cmocka_unit_test(file_of_another_kind_is_refused),
        cmocka_unit_test(directory_pipe_and_missing_file_are_refused),
        cmocka_unit_test(failed_allocations_leak_nothing),
        cmocka_unit_test(invalid_frame_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
