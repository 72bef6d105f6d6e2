// SPDX-License-Identifier: Apache-2.0
#include "validate/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static bool judge(const sp_check_row *row)
{
    switch (row->judge) {
    case SP_WITHIN:
        return fabs(row->measured - row->expected) <= row->tolerance;
    case SP_RELATIVE:
        return fabs(row->measured / row->expected - 1.0) <= row->tolerance;
    case SP_AT_MOST:
        return row->measured <= row->expected;
    case SP_AT_LEAST:
        return row->measured >= row->expected;
    case SP_EXACT:
        return row->measured == row->expected;
    case SP_REPORTED:
        return true;
    }
    return false;
}

void sp_check_put(sp_check_report *report, sp_judge rule, const char *what, double measured,
                  double expected, double tolerance, const char *why)
{
    const sp_check_row row = {what, measured, expected, tolerance, rule, why};
    const bool passed = judge(&row);
    ++*(rule == SP_REPORTED ? &report->reported : passed ? &report->passed : &report->missed);
    if (report->row) report->row(report->user, &row, passed);
}

void sp_within(sp_check_report *report, const char *what, double measured, double expected,
               double tolerance, const char *why)
{
    sp_check_put(report, SP_WITHIN, what, measured, expected, tolerance, why);
}

void sp_relative(sp_check_report *report, const char *what, double measured, double expected,
                 double tolerance, const char *why)
{
    sp_check_put(report, SP_RELATIVE, what, measured, expected, tolerance, why);
}

void sp_at_most(sp_check_report *report, const char *what, double measured, double most,
                const char *why)
{
    sp_check_put(report, SP_AT_MOST, what, measured, most, 0.0, why);
}

void sp_at_least(sp_check_report *report, const char *what, double measured, double least,
                 const char *why)
{
    sp_check_put(report, SP_AT_LEAST, what, measured, least, 0.0, why);
}

void sp_exact(sp_check_report *report, const char *what, double measured, double expected,
              const char *why)
{
    sp_check_put(report, SP_EXACT, what, measured, expected, 0.0, why);
}

void sp_reported(sp_check_report *report, const char *what, double measured, const char *why)
{
    sp_check_put(report, SP_REPORTED, what, measured, 0.0, 0.0, why);
}

const char *sp_label(sp_check_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->label, sizeof report->label, format, arguments);
    va_end(arguments);
    return report->label;
}

void sp_check_curve(sp_check_report *report, const char *name, const char *columns,
                    const double *values, size_t rows)
{
    if (report->curve) report->curve(report->user, name, columns, values, rows);
}
