// SPDX-License-Identifier: Apache-2.0
/// The limit for a solver's memory, and the check of a solver's estimate against it.
#include "solver/driver.h"

#include <math.h>
#include <unistd.h>

double sp_memory_limit(double asked)
{
    const double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGE_SIZE);
    if (asked > 0.0) return asked;
    const double machine = pages > 0.0 && page > 0.0 ? pages * page : (double)INFINITY,
                 least = fmin(machine, sp_memory_room());
    return isfinite(least) ? 0.8 * least : 0.0;
}

sp_status sp_memory_check(const sp_solver_type *type, double estimate, double limit, sp_error *err)
{
    if (!(limit > 0.0) || estimate <= limit) return SP_OK;
    char need[32], allowed[32];
    sp_bytes_text(estimate, need, sizeof need);
    sp_bytes_text(limit, allowed, sizeof allowed);
    return sp_fail(err, SP_BAD_INPUT,
                   "%s: about %s of memory; expected at most %s: change %s or --memory", type->name,
                   need, allowed, type->grain);
}
