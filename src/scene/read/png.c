// SPDX-License-Identifier: Apache-2.0
/// Reads PNG height maps, 8 and 16 bit. Samples are used without gamma correction, because a height
/// is not a colour. For a colour picture the mean of the three channels is used.
#include "scene/internal.h"

static void to_gray(const sp_png_facts *facts, const unsigned char *at, float *values)
{
    const int channels = facts->channels;
    const bool wide = facts->depth == 16;
    const float most = (wide ? 65535.0f : 255.0f) * (float)channels;
    for (size_t i = 0; i < facts->width * facts->height; ++i) {
        unsigned sum = 0;
        for (int c = 0; c < channels; ++c, at += wide ? 2 : 1)
            sum += wide ? 256u * at[0] + at[1] : at[0];
        values[i] = (float)sum / most;
    }
}

static sp_status read_samples(sp_png *png, const sp_host *host, sp_gray *out, sp_error *err)
{
    const sp_png_facts *facts = sp_png_look(png);
    const size_t bytes = (size_t)facts->channels * (size_t)(facts->depth / 8);
    SP_TRY(sp_gray_check(facts->width, facts->height, err));
    *out = (sp_gray){.width = facts->width, .height = facts->height};
    out->values = sp_allocate(host, facts->width * facts->height, sizeof *out->values);
    unsigned char *samples = sp_allocate(host, facts->width * facts->height, bytes);
    const sp_status st = samples && out->values
                             ? sp_png_samples(png, false, samples, err)
                             : sp_fail(err, SP_NO_MEMORY, "no memory for a PNG of %zu x %zu",
                                       out->width, out->height);
    if (st == SP_OK) to_gray(facts, samples, out->values);
    sp_release(host, samples);
    if (st != SP_OK) sp_release(host, out->values);
    return st;
}

sp_status sp_png_read(const sp_host *host, const unsigned char *bytes, size_t count, sp_gray *out,
                      sp_error *err)
{
    const sp_png_limits limits = {.side = SP_HEIGHTS_SIDE};
    sp_png *png;
    sp_status st = sp_png_open(bytes, count, limits, host, &png, err);
    if (st == SP_OK) st = read_samples(png, host, out, err);
    sp_png_close(png);
    if (st == SP_UNSUPPORTED)
        return sp_fail(err, st, "this build reads no PNG; convert the picture to PGM");
    if (st != SP_DAMAGED) return st;
    if (err) err->status = SP_BAD_INPUT;
    return SP_BAD_INPUT;
}
