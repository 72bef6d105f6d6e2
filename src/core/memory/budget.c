// SPDX-License-Identifier: Apache-2.0
/// A host that counts the memory in use and refuses requests beyond a limit.
#include "core/memory/memory.h"

static void raise_to(atomic_size_t *most, size_t value)
{
    size_t now = atomic_load(most);
    while (value > now && !atomic_compare_exchange_weak(most, &now, value)) {
    }
}

static void *budget_allocate(void *user, size_t bytes)
{
    sp_budget *budget = user;
    const size_t used = atomic_fetch_add(&budget->used, bytes) + bytes;
    if (budget->limit && used > budget->limit) {
        atomic_fetch_sub(&budget->used, bytes);
        raise_to(&budget->refused, used);
        return NULL;
    }
    void *memory = budget->inner->allocate(budget->inner->user, bytes);
    if (!memory) {
        atomic_fetch_sub(&budget->used, bytes);
        return NULL;
    }
    raise_to(&budget->peak, used);
    atomic_fetch_add(&budget->allocations, 1);
    return memory;
}

static void budget_release(void *user, void *memory, size_t bytes)
{
    sp_budget *budget = user;
    budget->inner->release(budget->inner->user, memory, bytes);
    atomic_fetch_sub(&budget->used, bytes);
}

static void budget_parallel_for(void *user, size_t n, void (*body)(void *, size_t), void *arg)
{
    const sp_host *inner = ((sp_budget *)user)->inner;
    inner->parallel_for(inner->user, n, body, arg);
}

static void budget_log(void *user, sp_log_level level, const char *text)
{
    const sp_host *inner = ((sp_budget *)user)->inner;
    if (inner->log) inner->log(inner->user, level, text);
}

static double budget_clock(void *user)
{
    const sp_host *inner = ((sp_budget *)user)->inner;
    return inner->clock ? inner->clock(inner->user) : 0.0;
}

sp_host sp_budget_host(sp_budget *budget, const sp_host *inner, size_t limit)
{
    budget->inner = inner;
    budget->limit = limit;
    atomic_init(&budget->used, 0);
    atomic_init(&budget->peak, 0);
    atomic_init(&budget->allocations, 0);
    atomic_init(&budget->refused, 0);
    return (sp_host){
        .struct_size = sizeof(sp_host),
        .user = budget,
        .allocate = budget_allocate,
        .release = budget_release,
        .parallel_for = budget_parallel_for,
        .threads = inner->threads,
        .log = budget_log,
        .clock = budget_clock,
    };
}
