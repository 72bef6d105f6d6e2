// SPDX-License-Identifier: Apache-2.0
/// Fuzzes the reader of frame files (libFuzzer). The first byte chooses:
///   even  the rest is a file as it is; digests must stop whatever is not sound
///   odd   the rest is a recipe, three bytes a step, that bends a good frame (at half precision if
///         the byte's second bit is set) through HDF5 itself; it is then sealed again, so that the
///         checks of structure are all that stands in the way
/// Raw bytes behind a forged seal are left out: they would fuzz HDF5, which is not ours to mend,
/// and the digest is there to keep chance damage away from it.
#include "../unit/test_cache_bend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char sink;

static void touch(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    unsigned char sum = 0;
    for (size_t i = 0; i < bytes; ++i)
        sum = (unsigned char)(sum + at[i]);
    sink = sum;
}

/// Reads every byte that a frame claims to have, so that the address sanitizer sees a lie.
static void touch_frame(const sp_frame *frame)
{
    for (size_t i = 0; i < frame->set_count; ++i)
        for (size_t c = 0; c < frame->sets[i].column_count; ++c) {
            const sp_column *column = &frame->sets[i].columns[c];
            touch(column->data,
                  frame->sets[i].count * (size_t)column->components * sp_kind_size(column->kind));
        }
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *field = &frame->fields[i];
        const size_t samples =
            field->layout == SP_FIELD_PLANE ? field->nu * field->nv : 512 * field->tile_count;
        touch(field->values, samples * (size_t)field->components * sizeof(float));
        if (field->layout == SP_FIELD_TILES) touch(field->tiles, field->tile_count * 12);
    }
    for (size_t i = 0; i < frame->stat_count; ++i)
        touch(frame->stats[i].name, strlen(frame->stats[i].name));
}

static void read_frame(unsigned char *bytes, size_t count, const sp_host *host)
{
    sp_frame_file *file;
    sp_error err = {0};
    const sp_status st = sp_frame_file_parse("fuzz", bytes, count, host, &file, &err);
    if ((st == SP_OK) != (file != NULL)) abort();
    if (st != SP_OK && (err.status != st || err.text[0] == '\0')) abort();
    if (file) touch_frame(sp_frame_file_frame(file));
    sp_frame_file_close(file);
}

static unsigned char *good_frame(const sp_host *host, bool half, size_t *count)
{
    static const float x[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 1, 1}};
    static const float radius[4] = {1, 2, 3, 4};
    static const uint64_t id[4] = {1, 5, 9, 12};
    static float solid[512], height[6];
    static const int32_t tile[3] = {1, -1, 0};
    static const sp_column columns[] = {
        {"position", SP_F32, 3, x}, {"radius", SP_F32, 1, radius}, {"id", SP_U64, 1, id}};
    static const sp_set set = {"foam", 4, columns, 3};
    static const sp_body body = {"rock", {0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    static const sp_stat stats[] = {{"water_m3", 1.0}, {"steps", 2.0}};
    const sp_field fields[] = {{.name = "height",
                                .layout = SP_FIELD_PLANE,
                                .components = 1,
                                .values = height,
                                .nu = 3,
                                .nv = 2},
                               {.name = "surface",
                                .layout = SP_FIELD_TILES,
                                .components = 1,
                                .values = solid,
                                .tiles = tile,
                                .tile_count = 1}};
    const sp_frame frame = {.frame = 3,
                            .time = 0.125,
                            .fps = 24,
                            .sets = &set,
                            .set_count = 1,
                            .fields = fields,
                            .field_count = 2,
                            .bodies = &body,
                            .body_count = 1,
                            .stats = stats,
                            .stat_count = 2};
    static sp_h5_image images[2]; // kept between inputs: building is slower than reading
    if (sp_frame_image_open(&images[half], &frame, half, host, NULL) != SP_OK) abort();
    *count = images[half].count;
    return images[half].bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sp_host host;
    static unsigned char *good[2];
    static size_t good_count[2];
    for (int half = 0; half < 2 && !good[half]; ++half) {
        host = sp_host_default(1);
        good[half] = good_frame(&host, half, &good_count[half]);
    }
    if (size < 1) return 0;
    const int half = data[0] / 2 % 2;
    size_t count = size - 1;
    unsigned char *bytes;
    if (data[0] % 2 == 0) {
        bytes = sp_allocate(&host, count, 1);
        if (bytes) memcpy(bytes, data + 1, count);
    } else {
        bytes = bend_frame(good[half], good_count[half], data + 1, count < 24 ? count : 24, &host,
                           &count);
    }
    if (bytes) read_frame(bytes, count, &host);
    sp_release(&host, bytes);
    return 0;
}
