// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory.h"

#include "core/host/parallel.h"
#include "core/text/status.h"

#include <stdint.h>
#include <string.h>

// One cache line before each block stores its size, because sp_host.release() needs the size.
enum { LINE = 64 };

static size_t round_to_line(size_t bytes)
{
    return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

/// False when count*size, rounded up and with its header, does not fit a size_t.
static bool block_bytes(size_t count, size_t size, size_t *bytes)
{
    if (size && count > (SIZE_MAX - 2 * LINE) / size) return false;
    *bytes = LINE + round_to_line(count * size);
    return true;
}

/// sp_allocate() without zeroing: pages that are never used are then never touched.
static void *allocate_raw(const sp_host *host, size_t count, size_t size)
{
    size_t bytes;
    if (!block_bytes(count, size, &bytes)) return NULL;
    char *block = host->allocate(host->user, bytes);
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return block + LINE;
}

void *sp_allocate(const sp_host *host, size_t count, size_t size)
{
    void *memory = allocate_raw(host, count, size);
    if (memory) memset(memory, 0, round_to_line(count * size));
    return memory;
}

void sp_release(const sp_host *host, void *memory)
{
    if (!memory) return;
    char *block = (char *)memory - LINE;
    size_t bytes;
    memcpy(&bytes, block, sizeof bytes);
    host->release(host->user, block, bytes);
}

typedef struct growing {
    const char *from;
    char *to;
    size_t kept, bytes;
} growing;

static void fill_grown(void *arg, size_t begin, size_t end)
{
    const growing *g = arg;
    const size_t kept = end < g->kept ? end : begin < g->kept ? g->kept : begin;
    if (kept > begin) memcpy(g->to + begin, g->from + begin, kept - begin);
    memset(g->to + kept, 0, end - kept);
}

/// Large blocks are filled by all threads: most of the time goes into pages that are touched first.
bool sp_regrow(const sp_host *host, void **memory, size_t kept, size_t count, size_t size)
{
    enum { GRAIN = 1 << 18 };
    void *grown = allocate_raw(host, count, size);
    if (!grown) return false;
    growing g = {*memory, grown, *memory ? kept * size : 0, round_to_line(count * size)};
    sp_parallel(host, g.bytes, GRAIN, fill_grown, &g);
    sp_release(host, *memory);
    *memory = grown;
    return true;
}

bool sp_make_room(const sp_host *host, void **memory, size_t count, size_t *room, size_t size)
{
    if (count < *room) return true;
    const size_t larger = 2 * *room + 64;
    if (!sp_regrow(host, memory, count, larger, size)) return false;
    *room = larger;
    return true;
}

bool sp_memory_fits(const sp_host *host, size_t bytes)
{
    void *memory = host->allocate(host->user, round_to_line(bytes) + LINE);
    if (memory) host->release(host->user, memory, round_to_line(bytes) + LINE);
    return memory != NULL;
}

char *sp_copy_text(const sp_host *host, const char *text)
{
    const size_t length = strlen(text);
    char *copy = sp_allocate(host, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

/// Stands before each borrowed block and links to the block borrowed before it.
typedef struct borrowed_block {
    void *before;
} borrowed_block;

bool sp_scratch_open(sp_scratch *scratch, const sp_host *host, size_t size)
{
    *scratch = (sp_scratch){.host = host, .size = round_to_line(size)};
    scratch->base = allocate_raw(host, scratch->size, 1);
    return scratch->base != NULL;
}

void sp_scratch_close(sp_scratch *scratch)
{
    if (!scratch->host) return;
    sp_scratch_rewind(scratch, (sp_scratch_mark){0});
    sp_release(scratch->host, scratch->base);
    *scratch = (sp_scratch){0};
}

sp_scratch_mark sp_scratch_here(const sp_scratch *scratch)
{
    return (sp_scratch_mark){scratch->used, scratch->wanted, scratch->borrowed};
}

void *sp_scratch_take(sp_scratch *scratch, size_t count, size_t size)
{
    size_t bytes;
    if (!block_bytes(count, size, &bytes)) return NULL;
    bytes -= LINE;
    scratch->wanted += bytes;
    if (scratch->wanted > scratch->peak) scratch->peak = scratch->wanted;
    if (bytes <= scratch->size - scratch->used) {
        void *taken = scratch->base + scratch->used;
        scratch->used += bytes;
        return taken;
    }
    borrowed_block *block = allocate_raw(scratch->host, LINE + bytes, 1);
    if (!block) return NULL;
    block->before = scratch->borrowed;
    scratch->borrowed = block;
    return (char *)block + LINE;
}

void sp_scratch_rewind(sp_scratch *scratch, sp_scratch_mark mark)
{
    while (scratch->borrowed != mark.borrowed) {
        borrowed_block *block = scratch->borrowed;
        scratch->borrowed = block->before;
        sp_release(scratch->host, block);
    }
    scratch->used = mark.used;
    scratch->wanted = mark.wanted;
}

bool sp_scratch_settle(sp_scratch *scratch)
{
    SP_ASSERT(scratch->used == 0 && !scratch->borrowed);
    if (scratch->peak <= scratch->size) return true;
    // an eighth more: water spreads a little each step, and new memory costs a fault for each page
    const size_t size = round_to_line(scratch->peak + scratch->peak / 8);
    char *larger = allocate_raw(scratch->host, size, 1);
    if (!larger) return false; // still works: the next step borrows again
    sp_release(scratch->host, scratch->base);
    scratch->base = larger;
    scratch->size = size;
    return true;
}
