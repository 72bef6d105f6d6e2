// SPDX-License-Identifier: Apache-2.0
#include "validate/cases.h"

#include "core/memory/blob.h"

#include <stdlib.h>

sp_status proof_hash(const sp_solver_type *type, void *solver, uint64_t *hash, sp_error *err)
{
    sp_frame frame = {0};
    SP_TRY(type->publish(solver, &frame, err));
    *hash = frame.hash;
    return SP_OK;
}

sp_status proof_reopen(const sp_solver_type *type, const sp_setup *setup, const sp_host *host,
                       void **solver, sp_error *err)
{
    sp_blob blob = {.host = host};
    sp_status status = type->save(*solver, &blob, err);
    type->close(*solver);
    *solver = NULL;
    if (status == SP_OK) status = type->open(setup, host, solver, err);
    if (status == SP_OK) status = type->restore(*solver, &blob, err);
    sp_blob_close(&blob);
    return status;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double proof_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}
