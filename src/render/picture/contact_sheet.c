// SPDX-License-Identifier: Apache-2.0
/// Contact sheets: thumbnails of several frames in one picture.
///
///     +----+----+----+     every thumbnail has a gap around it and
///     |    |    |    |     a line of text below it
///     +----+----+----+
///     frame 0, 0.00 s ...
#include "render/movie.h"
#include "render/picture/font.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 16384, LEAST_SCALED = 480 }; ///< thumbnails of LEAST_SCALED get larger text

static const unsigned char paper[3] = {28, 28, 32}, ink[3] = {222, 222, 226};

size_t sp_sheet_frame(size_t i, size_t count, size_t total)
{
    if (total == 0) return 0;
    if (count < 2) return total - 1;
    // round(i (total - 1) / (count - 1)) in whole numbers, halves upwards
    return (2 * i * (total - 1) + (count - 1)) / (2 * (count - 1));
}

static int label_height(const sp_sheet *sheet)
{
    return SP_FONT_HEIGHT * sheet->scale + SP_SHEET_GAP;
}

static void lay_out(sp_sheet *sheet, int columns)
{
    sheet->columns = columns;
    sheet->rows = (sheet->count + columns - 1) / columns;
    sheet->width = columns * (sheet->thumb_width + SP_SHEET_GAP) + SP_SHEET_GAP;
    sheet->height =
        sheet->rows * (sheet->thumb_height + label_height(sheet) + SP_SHEET_GAP) + SP_SHEET_GAP;
}

sp_status sp_sheet_plan(int count, int thumb_width, int thumb_height, sp_sheet *sheet,
                        sp_error *err)
{
    *sheet = (sp_sheet){.count = count,
                        .thumb_width = thumb_width,
                        .thumb_height = thumb_height,
                        .scale = thumb_width / LEAST_SCALED + 1};
    sp_sheet best = *sheet;
    double nearest = HUGE_VAL;
    for (int columns = 1; columns <= count; ++columns) {
        lay_out(sheet, columns);
        if (sheet->width > LARGEST || sheet->height > LARGEST) continue;
        // twice as wide counts as much as twice as high
        const double off = fabs(log(9.0 * (double)sheet->width / (16.0 * (double)sheet->height)));
        if (off < nearest) best = *sheet;
        nearest = fmin(off, nearest);
    }
    *sheet = best;
    if (best.columns > 0) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "sheet of %d pictures of %dx%d; expected at most %dx%d in total", count,
                   thumb_width, thumb_height, LARGEST, LARGEST);
}

void sp_sheet_place(const sp_sheet *sheet, int i, int *x, int *y)
{
    *x = SP_SHEET_GAP + i % sheet->columns * (sheet->thumb_width + SP_SHEET_GAP);
    *y = SP_SHEET_GAP +
         i / sheet->columns * (sheet->thumb_height + label_height(sheet) + SP_SHEET_GAP);
}

void sp_sheet_clear(const sp_sheet *sheet, unsigned char *pixels)
{
    sp_picture_box(pixels, sheet->width, sheet->height, 0, 0, sheet->width, sheet->height, paper);
}

static void write_label(const sp_sheet *sheet, uint64_t frame, double time, char *label,
                        size_t size)
{
    for (int k = 0; k < 3; ++k) {
        if (k == 0) snprintf(label, size, "frame %" PRIu64 ", %.2f s", frame, time);
        if (k == 1) snprintf(label, size, "%" PRIu64 ", %.2f s", frame, time);
        if (k == 2) snprintf(label, size, "%" PRIu64, frame);
        if (sp_picture_text_width(label, sheet->scale) <= sheet->thumb_width) return;
    }
}

void sp_sheet_put(const sp_sheet *sheet, int i, const unsigned char *thumb, uint64_t frame,
                  double time, unsigned char *pixels)
{
    int x, y;
    char label[64];
    const size_t row = 3 * (size_t)sheet->thumb_width;
    sp_sheet_place(sheet, i, &x, &y);
    for (int j = 0; j < sheet->thumb_height; ++j)
        memcpy(pixels + 3 * ((size_t)(y + j) * (size_t)sheet->width + (size_t)x),
               thumb + (size_t)j * row, row);
    write_label(sheet, frame, time, label, sizeof label);
    sp_picture_text(pixels, sheet->width, sheet->height, x,
                    y + sheet->thumb_height + SP_SHEET_GAP / 2, sheet->scale, ink, label);
}
