// SPDX-License-Identifier: Apache-2.0
/// Which rows of the water are calm, and the extremes of depth and speed of each row that tell.
///
/// A row is calm in a sub-step when the limiter and the rules for thin water cannot change one bit
/// of it. With the extremes over the row, the two rows below and the one above (a flux of row r
/// depends on the limiter of rows r and r-1, and their limiters on the fluxes of rows r-1 to r+1):
///
///     lost     4 lambda fastest (high + step)     the most that a cell can lose through four faces
///     calm     0.999 low - lost > step + 2 mm     then no cell is overdrawn, every new depth is
///                                                 above all steps of the ground, and above the
///                                                 millimetre where friction saturates
///
/// It is flat as well when these rows have no step at all.
///
/// Rows that an obstacle reaches count as one high step. So an obstacle makes its own rows costly
/// and no others.
#include "pond/internal.h"

#include <string.h>

enum { ROW_ARRAYS = 6, OBSTRUCTED = INT32_MAX / 2 };

size_t pond_row_numbers(int32_t ny)
{
    return ROW_ARRAYS * ((size_t)ny + 2 * POND_ROW_MARGIN);
}

void pond_lay_out_rows(pond_water *w)
{
    const size_t length = (size_t)w->ny + 2 * POND_ROW_MARGIN;
    int32_t **const arrays[ROW_ARRAYS] = {&w->rows.low,  &w->rows.high,       &w->rows.fastest,
                                          &w->rows.step, &w->rows.step_still, &w->rows.wave};
    for (size_t k = 0; k < ROW_ARRAYS; ++k) {
        int32_t *array = w->row_numbers + k * length;
        for (size_t j = 0; j < length; ++j)
            array[j] = k == 0 ? INT32_MAX : 0;
        *arrays[k] = array + POND_ROW_MARGIN;
    }
    w->rows.calm = w->row_flags + POND_ROW_MARGIN;
}

void pond_water_survey(pond_water *w)
{
    for (int32_t j = 0; j < w->ny; ++j) {
        pond_survey f = {.low = INT32_MAX};
        for (int32_t i = 0; i <= w->nx; ++i) {
            const size_t c = pond_cell(w, i, j), north = c + w->stride;
            const int32_t u = pond_speed_bits(w->u[c]), v = pond_speed_bits(w->v[c]),
                          above = j + 1 == w->ny ? pond_speed_bits(w->v[north]) : 0;
            const int32_t larger = u > v ? u : v, largest = above > larger ? above : larger;
            if (i < w->nx && w->q[c] < f.low) f.low = w->q[c];
            if (i < w->nx && w->q[c] > f.high) f.high = w->q[c];
            if (largest > f.fastest) f.fastest = largest;
        }
        w->rows.low[j] = f.low;
        w->rows.high[j] = f.high;
        w->rows.fastest[j] = f.fastest;
    }
}

void pond_ground_survey(pond_water *w)
{
    const int32_t *b = w->b_still;
    w->level_still = true;
    for (int32_t j = 0; j < w->ny; ++j) {
        int32_t highest = 0;
        for (int32_t i = 0; i < w->nx; ++i) {
            const size_t c = pond_cell(w, i, j);
            const int32_t west = b[c] - b[c - 1], south = b[c] - b[c - w->stride];
            const int32_t x = west < 0 ? -west : west, y = south < 0 ? -south : south;
            highest = x > highest ? x : highest;
            highest = y > highest ? y : highest;
        }
        w->rows.step_still[j] = highest;
        w->level_still &= highest == 0;
    }
}

void pond_obstruct_rows(pond_water *w, int32_t first, int32_t end, bool obstructed)
{
    for (int32_t j = first; j < end + 1 && j < w->ny; ++j) // row `end` has steps to the row below
        w->rows.step[j] = obstructed ? OBSTRUCTED : w->rows.step_still[j];
}

pond_survey pond_water_found(const pond_water *w)
{
    pond_survey f = {.low = INT32_MAX};
    for (int32_t j = 0; j < w->ny; ++j) {
        f.low = w->rows.low[j] < f.low ? w->rows.low[j] : f.low;
        f.high = w->rows.high[j] > f.high ? w->rows.high[j] : f.high;
        f.fastest = w->rows.fastest[j] > f.fastest ? w->rows.fastest[j] : f.fastest;
    }
    return f;
}

bool pond_water_is_flat(const pond_water *w)
{
    return w->level_ground && (float)pond_water_found(w).low * w->quantum > 2e-3f;
}

/// The least or the greatest of x[-2] ... x[1].
static inline int32_t least(const int32_t *x)
{
    const int32_t a = x[-2] < x[-1] ? x[-2] : x[-1], b = x[0] < x[1] ? x[0] : x[1];
    return a < b ? a : b;
}
static inline int32_t most(const int32_t *x)
{
    const int32_t a = x[-2] > x[-1] ? x[-2] : x[-1], b = x[0] > x[1] ? x[0] : x[1];
    return a > b ? a : b;
}

void pond_mark_calm_rows(pond_water *w, float lambda, bool open)
{
    const pond_row_surveys rows = w->rows;
    const float faces = 4.0f * lambda, thin = 2e-3f / w->quantum;
    memset(w->row_flags, open ? POND_WILD : POND_CALM, (size_t)w->ny + 2 * POND_ROW_MARGIN);
    for (int32_t r = -2; r < w->ny + 2 && !open; ++r) { // a row outside has faces of the next one
        const float step = (float)most(rows.step + r), low = (float)least(rows.low + r);
        const float lost =
            faces * pond_from_bits(most(rows.fastest + r)) * ((float)most(rows.high + r) + step);
        const bool calm = 0.999f * low - lost > step + thin;
        rows.calm[r] = (uint8_t)(!calm ? POND_WILD : step == 0.0f ? POND_CALM_AND_FLAT : POND_CALM);
    }
}
