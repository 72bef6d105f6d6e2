// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_MEMORY_MEMORY_H
#define SP_CORE_MEMORY_MEMORY_H

#include <spume/host.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/// `count` elements of `size` bytes, zeroed and aligned to 64; NULL when the host has none or the
/// product overflows. A count of zero gives a block that must still be released.
void *sp_allocate(const sp_host *host, size_t count, size_t size);
void sp_release(const sp_host *host, void *memory); ///< NULL is allowed
/// Resizes *memory to `count` elements, keeping the first `kept`; the rest is zero. On failure it
/// returns false and the old block is unchanged. Not within sp_parallel().
bool sp_regrow(const sp_host *host, void **memory, size_t kept, size_t count, size_t size);
/// Makes room for one more element after `count`, at least by doubling; *room is how many fit. On
/// failure it returns false and nothing has changed.
bool sp_make_room(const sp_host *host, void **memory, size_t count, size_t *room, size_t size);
/// Whether the host would grant this many bytes now: for memory that a library takes by itself.
bool sp_memory_fits(const sp_host *host, size_t bytes);
char *sp_copy_text(const sp_host *host, const char *text);

/// A host that wraps another one, counts the memory in use and refuses requests beyond a limit.
typedef struct sp_budget {
    const sp_host *inner;
    size_t limit; ///< bytes; 0 is no limit
    atomic_size_t used, peak, allocations;
    atomic_size_t refused; ///< bytes in use if the largest refused request had been granted
} sp_budget;
/// Both the budget and the inner host must outlive the host that is returned.
sp_host sp_budget_host(sp_budget *budget, const sp_host *inner, size_t limit);

/// Scratch memory that is needed only within a step, used like a stack. When it is too small it
/// borrows from the host, and sp_scratch_settle() (called between steps) enlarges it to its peak,
/// so that a steady run allocates nothing.
typedef struct sp_scratch {
    const sp_host *host;
    char *base;
    size_t size, used, wanted, peak;
    void *borrowed; ///< newest of a chain of blocks beyond `size`
} sp_scratch;
typedef struct sp_scratch_mark {
    size_t used, wanted;
    void *borrowed;
} sp_scratch_mark;

bool sp_scratch_open(sp_scratch *scratch, const sp_host *host, size_t size);
void sp_scratch_close(sp_scratch *scratch);
sp_scratch_mark sp_scratch_here(const sp_scratch *scratch);
/// 64-byte aligned, contents undefined; NULL when the host has no more.
void *sp_scratch_take(sp_scratch *scratch, size_t count, size_t size);
#define sp_scratch_array(scratch, type, count)                                                     \
    ((type *)sp_scratch_take(scratch, count, sizeof(type)))
void sp_scratch_rewind(sp_scratch *scratch, sp_scratch_mark mark);
bool sp_scratch_settle(sp_scratch *scratch);

#endif
