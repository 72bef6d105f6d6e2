// SPDX-License-Identifier: Apache-2.0
/// Fuzzes the readers of pictures (libFuzzer). The first byte chooses: a height map (PGM or PNG), or
/// a picture of a movie (PNG, every checksum right); with bit 1 set, the checksums of PNG chunks are
/// made right first, so that changed bytes get past them. The rest is the file.
#include "core/files/png.h"
#include "scene/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool truth)
{
    if (!truth) abort();
}

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/// The checksum of a chunk: of its name and data (CRC-32 of ISO 3309).
static uint32_t checksum(const uint8_t *at, size_t count)
{
    uint32_t sum = ~0u;
    for (size_t i = 0; i < count; ++i) {
        sum ^= at[i];
        for (int bit = 0; bit < 8; ++bit)
            sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
    }
    return ~sum;
}

/// Chunks follow 8 bytes of signature: length, name, data, checksum.
static void correct_checksums(uint8_t *png, size_t count)
{
    for (size_t at = 8; at + 12 <= count;) {
        const size_t length = big_endian(png + at);
        if (length > count - at - 12) return;
        const uint32_t sum = checksum(png + at + 4, length + 4);
        uint8_t *to = png + at + 8 + length;
        for (int i = 0; i < 4; ++i)
            to[i] = (uint8_t)(sum >> (24 - 8 * i));
        at += 12 + length;
    }
}

static void read_heights(const uint8_t *bytes, size_t count, const sp_host *host)
{
    sp_gray gray = {0};
    sp_error err = {0};
    const sp_status st = sp_gray_parse(host, bytes, count, &gray, &err);
    if (st != SP_OK) {
        expect(err.status == st && err.text[0] != '\0');
        return;
    }
    for (size_t i = 0; i < gray.width * gray.height; ++i)
        expect(gray.values[i] >= 0.0f && gray.values[i] <= 1.0f);
    sp_release(host, gray.values);
}

static void read_picture(const uint8_t *bytes, size_t count, const sp_host *host)
{
    const sp_png_limits limits = {.side = 256, .strict = true};
    sp_error err = {0};
    sp_png *png;
    sp_status st = sp_png_open(bytes, count, limits, host, &png, &err);
    if (st == SP_OK) {
        const sp_png_facts *facts = sp_png_look(png);
        const size_t all = facts->width * facts->height * (size_t)facts->channels;
        unsigned char *samples = sp_allocate(host, all, 1);
        expect(samples != NULL);
        for (size_t i = 0; i < facts->text_count; ++i)
            expect(strlen(facts->texts[i].key) < 80 &&
                   strlen(facts->texts[i].value) <= count * 2000);
        st = sp_png_samples(png, true, samples, &err);
        sp_release(host, samples);
    }
    expect(st == SP_OK || err.text[0] != '\0');
    sp_png_close(png);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const sp_host host = sp_host_default(1);
    uint8_t *bytes = malloc(size); // of its own, so that the address sanitizer sees both ends
    expect(bytes != NULL);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 2) correct_checksums(bytes, size - 1);
    if (data[0] & 1)
        read_picture(bytes, size - 1, &host);
    else
        read_heights(bytes, size - 1, &host);
    free(bytes);
    return 0;
}
