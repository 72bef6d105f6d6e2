// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_HOST_PROFILE_H
#define SP_CORE_HOST_PROFILE_H

#include <spume/host.h>

#include <stdint.h>

/// Time spent in the named stages of a step. A solver numbers its stages and calls sp_stage_end()
/// after each. Without a clock in the host this costs nothing and all times stay zero.

enum { SP_MAX_STAGES = 24 };

typedef struct sp_profile {
    const sp_host *host;
    const char *const *names; ///< one a stage
    int stages;
    double seconds[SP_MAX_STAGES];
    uint64_t calls[SP_MAX_STAGES];
} sp_profile;

static inline double sp_now(const sp_host *host)
{
    return host->clock ? host->clock(host->user) : 0.0;
}

/// Stages follow each other: `begun` is when the previous stage ended, and the return value is when
/// this one ended. So the clock is read once per stage.
static inline double sp_stage_end(sp_profile *profile, int stage, double begun)
{
    const double now = sp_now(profile->host);
    profile->seconds[stage] += now - begun;
    ++profile->calls[stage];
    return now;
}

#endif
