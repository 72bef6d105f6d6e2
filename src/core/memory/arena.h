// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_MEMORY_ARENA_H
#define SP_CORE_MEMORY_ARENA_H

/// Memory that is allocated piece by piece and freed all at once. An arena starts as a NULL
/// pointer.

#include <spume/host.h>

#include <stddef.h>

/// Zeroed memory, aligned to 64 bytes; NULL when the host has no more.
void *sp_arena_take(const sp_host *host, void **blocks, size_t count, size_t size);
void sp_arena_close(const sp_host *host, void **blocks);

#endif
