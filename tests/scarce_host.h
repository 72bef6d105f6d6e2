// SPDX-License-Identifier: Apache-2.0
#ifndef SP_SCARCE_HOST_H
#define SP_SCARCE_HOST_H

/// A host whose allocation number `fatal` (from 1) fails, or none for 0, and that counts live allocations. The
/// tests of every module let each allocation fail in turn.

#include "testing.h"

#include <spume/host.h>
#include <spume/status.h>

typedef struct scarce {
    sp_host inner;
    size_t made, fatal, alive;
} scarce;

static inline void *scarce_allocate(void *user, size_t bytes)
{
    scarce *s = user;
    if (++s->made == s->fatal) return NULL;
    ++s->alive;
    return s->inner.allocate(s->inner.user, bytes);
}

static inline void scarce_release(void *user, void *memory, size_t bytes)
{
    scarce *s = user;
    --s->alive;
    s->inner.release(s->inner.user, memory, bytes);
}

static inline void scarce_parallel_for(void *user, size_t n, void (*body)(void *, size_t),
                                       void *arg)
{
    scarce *s = user;
    s->inner.parallel_for(s->inner.user, n, body, arg);
}

static inline sp_host scarce_host(scarce *s, int threads, size_t fatal)
{
    *s = (scarce){.inner = sp_host_default(threads), .fatal = fatal};
    return (sp_host){.struct_size = sizeof(sp_host),
                     .user = s,
                     .allocate = scarce_allocate,
                     .release = scarce_release,
                     .parallel_for = scarce_parallel_for,
                     .threads = threads};
}

typedef sp_status scarce_scenario(const sp_host *host, sp_error *err);

/// Runs a scenario with each allocation failing in turn, until one run needs no more allocations, which are
/// more than `least`. Each failure is reported in a sentence and leaks nothing. Of all failures, `optional`
/// may end well, because the scenario can do without that memory.
static inline void scarce_fail_most(scarce_scenario *scenario, int threads, size_t least,
                                    size_t optional)
{
    size_t survived = 0;
    for (size_t fatal = 1;; ++fatal) {
        scarce s;
        const sp_host host = scarce_host(&s, threads, fatal);
        *ERR = (sp_error){0};
        const sp_status status = scenario(&host, ERR);
        assert_int_equal(s.alive, 0);
        if (s.made < fatal) { // no allocation is left to fail
            assert_ok(status);
            assert_true(fatal > least && survived <= optional);
            return;
        }
        survived += status == SP_OK;
        if (status == SP_OK) continue;
        assert_int_equal(status, SP_NO_MEMORY);
        assert_true(ERR->text[0] != '\0');
    }
}

/// As scarce_fail_most(), where every failure must be reported.
static inline void scarce_fail_each(scarce_scenario *scenario, int threads, size_t least)
{
    scarce_fail_most(scenario, threads, least, 0);
}

/// What scarce_fail_each() is given.
typedef struct scarce_plan {
    scarce_scenario *scenario;
    int threads;
    size_t least;
} scarce_plan;

static inline void scarce_run_plan(void **state)
{
    const scarce_plan *plan = *state;
    scarce_fail_each(plan->scenario, plan->threads, plan->least);
}

/// An entry for the list of tests in main(), from the members of a scarce_plan.
#define test_failing_allocations(...)                                                              \
    {                                                                                              \
        "failed_allocations_leak_nothing", scarce_run_plan, NULL, NULL,                            \
            &(scarce_plan){__VA_ARGS__},                                                           \
    }

#endif
