// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_CHECK_H
#define SP_VALIDATE_CHECK_H

/// What a check is and how a measured number is judged.

#include "core/core.h"

/// How a measured number is judged.
typedef enum sp_judge {
    SP_WITHIN,   ///< |measured - expected| <= tolerance
    SP_RELATIVE, ///< |measured/expected - 1| <= tolerance
    SP_AT_MOST,  ///< measured <= expected
    SP_AT_LEAST, ///< measured >= expected
    SP_EXACT,    ///< measured == expected
    SP_REPORTED, ///< nothing is expected: the row is printed and counted apart
} sp_judge;

typedef struct sp_check_row {
    const char *what; ///< the quantity, with its unit
    double measured, expected, tolerance;
    sp_judge judge;
    const char *why; ///< the reason for the expectation or the tolerance
} sp_check_row;

/// Where a check puts its rows; the program prints them.
typedef struct sp_check_report {
    const sp_host *host;
    void *user;
    void (*row)(void *user, const sp_check_row *row, bool passed); ///< passed: or only reported
    /// A curve measured together with the rows, for plots: `rows` lines with one number for each
    /// name in `columns` ("time_s,front_m"). NULL: curves are not wanted.
    void (*curve)(void *user, const char *name, const char *columns, const double *values,
                  size_t rows);
    int passed, missed, reported;
    char label[128]; ///< of sp_label()
} sp_check_report;

/// Measures and puts its rows. Fails only when it could not run (no memory, a scene refused): a
/// missed expectation is a row, not a failure.
typedef sp_status sp_proof(sp_check_report *report, sp_error *err);

typedef struct sp_check {
    const char *name;
    bool slow; ///< runs only with --long
    const char *about;
    sp_proof *run;
} sp_check;

/// Judges a measured number (NaN never passes unless it is only reported), counts the row and passes it to report->row. The
/// tolerance is used by SP_WITHIN and SP_RELATIVE only; see sp_check_row for the rest.
void sp_check_put(sp_check_report *report, sp_judge judge, const char *what, double measured,
                  double expected, double tolerance, const char *why);
/// The same for one kind of judgement each.
void sp_within(sp_check_report *report, const char *what, double measured, double expected,
               double tolerance, const char *why);
void sp_relative(sp_check_report *report, const char *what, double measured, double expected,
                 double tolerance, const char *why);
void sp_at_most(sp_check_report *report, const char *what, double measured, double most,
                const char *why);
void sp_at_least(sp_check_report *report, const char *what, double measured, double least,
                 const char *why);
void sp_exact(sp_check_report *report, const char *what, double measured, double expected,
              const char *why);
/// A measured number that nothing is expected of; neither passed nor missed.
void sp_reported(sp_check_report *report, const char *what, double measured, const char *why);
/// Formats the name of a row or of a curve. It is valid until the next call with this report.
const char *sp_label(sp_check_report *report, const char *format, ...) SP_PRINTF(2, 3);
/// Passes a curve to report->curve, if that is set.
void sp_check_curve(sp_check_report *report, const char *name, const char *columns,
                    const double *values, size_t rows);

#endif
