// SPDX-License-Identifier: Apache-2.0
#include "core/memory/arena.h"

#include "core/memory/memory.h"

#include <stdint.h>

// Each block begins with a link to the block allocated before it. The link takes a whole cache
// line, which keeps the alignment.
typedef struct block {
    _Alignas(64) struct block *before;
} block;

void *sp_arena_take(const sp_host *host, void **blocks, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - sizeof(block)) / size) return NULL;
    block *taken = sp_allocate(host, 1, sizeof(block) + count * size);
    if (!taken) return NULL;
    taken->before = *blocks;
    *blocks = taken;
    return taken + 1;
}

void sp_arena_close(const sp_host *host, void **blocks)
{
    while (*blocks) {
        block *newest = *blocks;
        *blocks = newest->before;
        sp_release(host, newest);
    }
}
