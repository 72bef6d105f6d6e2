// SPDX-License-Identifier: Apache-2.0
#include "validate/cases.h"

#include "core/memory/blob.h"

#include <math.h>
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

/// ---- Rank correlation --------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    return by_value(&((const proof_sample *)a)->size, &((const proof_sample *)b)->size);
}

static int by_speed(const void *a, const void *b)
{
    return by_value(&((const proof_sample *)a)->speed, &((const proof_sample *)b)->speed);
}

/// Sorts samples and ranks them; equal samples get the mean of their ranks.
static void give_ranks(proof_sample *all, size_t n, int which,
                       int (*order)(const void *, const void *))
{
    qsort(all, n, sizeof *all, order);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && order(&all[i], &all[j]) == 0;)
            ++j;
        for (size_t k = i; k < j; ++k)
            all[k].rank[which] = 0.5 * (double)(i + j - 1);
    }
}

double proof_rank_correlation(proof_sample *all, size_t n)
{
    double xx = 0.0, xy = 0.0, yy = 0.0;
    const double mean = 0.5 * ((double)n - 1.0);
    give_ranks(all, n, 0, by_size);
    give_ranks(all, n, 1, by_speed);
    for (size_t i = 0; i < n; ++i) {
        const double x = all[i].rank[0] - mean, y = all[i].rank[1] - mean;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    return xy / sqrt(xx * yy);
}
