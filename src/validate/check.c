// SPDX-License-Identifier: Apache-2.0
#include "validate/check.h"

#include <math.h>

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
    }
    return false;
}

void sp_check_put(sp_check_report *report, sp_judge rule, const char *what, double measured,
                  double expected, double tolerance, const char *why)
{
    const sp_check_row row = {what, measured, expected, tolerance, rule, why};
    const bool passed = judge(&row);
    ++*(passed ? &report->passed : &report->missed);
    if (report->row) report->row(report->user, &row, passed);
}

void sp_check_curve(sp_check_report *report, const char *name, const char *columns,
                    const double *values, size_t rows)
{
    if (report->curve) report->curve(report->user, name, columns, values, rows);
}
