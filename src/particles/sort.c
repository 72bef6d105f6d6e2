// SPDX-License-Identifier: Apache-2.0
/// A stable radix sort of (key, particle) in two levels, top bits first:
///
///   key[]   --scatter by the top bits into up to 2048 buckets-->  pair[0]
///   pair[0] --each bucket by its low bits, within the cache-->    pair[1]
///
/// The first level divides the particles into at most 64 blocks that depend on n alone. Each block
/// counts its keys; a scan over (bucket, block) gives each block its places to write, so blocks run
/// in parallel and equal keys stay in order. After that, buckets are independent.
#include "particles/internal.h"

#include <string.h>

enum {
    SORT_BLOCKS = 64,
    SORT_BLOCK = 1 << 14, // particles, at least
    SORT_TOP = 11,        // bits; 2048 cache lines, one per bucket, still fit the L2 cache
    SORT_LOW = 11,        // bits that a bucket sorts in one pass
    SORT_BUCKET = 256,    // least mean particles per bucket; with fewer, counting costs more
};

static void free_arrays(const sp_host *host, sp_sorter *s)
{
    sp_release(host, s->key);
    if (!s->borrowed) {
        sp_release(host, s->pair[0]);
        sp_release(host, s->pair[1]);
    }
    sp_release(host, s->count);
    sp_release(host, s->start);
}

static bool allocate_arrays(const sp_host *host, sp_sorter *s)
{
    return (s->key = sp_allocate(host, s->capacity + SP_LANES, sizeof *s->key)) &&
           (s->borrowed || ((s->pair[0] = sp_allocate(host, s->capacity, sizeof *s->pair[0])) &&
                            (s->pair[1] = sp_allocate(host, s->capacity, sizeof *s->pair[1])))) &&
           (s->count = sp_allocate(host, (size_t)SORT_BLOCKS << SORT_TOP, sizeof *s->count)) &&
           (s->start = sp_allocate(host, (1u << SORT_TOP) + 1, sizeof *s->start));
}

bool sp_sorter_reserve(sp_sorter *sorter, size_t n, void *lent)
{
    if (!(n <= sorter->capacity && sorter->start && sorter->borrowed == (lent != NULL))) {
        sp_sorter grown = {.host = sorter->host, .capacity = n + n / 16, .borrowed = lent != NULL};
        if (!allocate_arrays(sorter->host, &grown)) {
            free_arrays(sorter->host, &grown);
            return false;
        }
        free_arrays(sorter->host, sorter);
        *sorter = grown;
    }
    if (lent) {
        sorter->pair[0] = lent;
        sorter->pair[1] = sorter->pair[0] + n;
    }
    return true;
}

void sp_sorter_close(sp_sorter *sorter)
{
    if (sorter->host) free_arrays(sorter->host, sorter);
    *sorter = (sp_sorter){0};
}

size_t sp_sorter_bytes(const sp_sorter *sorter)
{
    const size_t pairs = sorter->borrowed ? 0 : 2 * sizeof *sorter->pair[0];
    return sorter->capacity * (sizeof *sorter->key + pairs) +
           ((size_t)SORT_BLOCKS << SORT_TOP) * sizeof *sorter->count;
}

typedef struct sorting {
    sp_sorter *sorter;
    size_t n, block;
    int top, low; ///< bits of the first and of the second level
} sorting;

static void count_keys(void *arg, size_t begin, size_t end)
{
    const sorting *s = arg;
    for (size_t b = begin; b < end; ++b) {
        const uint32_t *restrict key = s->sorter->key;
        uint32_t *restrict count = s->sorter->count + (b << s->top);
        memset(count, 0, sizeof *count << s->top);
        const size_t last = (b + 1) * s->block < s->n ? (b + 1) * s->block : s->n;
        for (size_t i = b * s->block; i < last; ++i)
            ++count[key[i] >> s->low];
    }
}

static void scatter_pairs(void *arg, size_t begin, size_t end)
{
    const sorting *s = arg;
    for (size_t b = begin; b < end; ++b) {
        const uint32_t *restrict key = s->sorter->key;
        uint32_t *restrict place = s->sorter->count + (b << s->top);
        uint64_t *restrict out = s->sorter->pair[0];
        const size_t last = (b + 1) * s->block < s->n ? (b + 1) * s->block : s->n;
        for (size_t i = b * s->block; i < last; ++i)
            out[place[key[i] >> s->low]++] = (uint64_t)key[i] << 32 | i;
    }
}

/// Turns the counts into the places where each block writes to each bucket.
static void place_buckets(const sorting *s, size_t blocks)
{
    const size_t buckets = (size_t)1 << s->top;
    uint32_t *restrict start = s->sorter->start;
    memset(start, 0, (buckets + 1) * sizeof *start);
    for (size_t b = 0; b < blocks; ++b)
        for (size_t k = 0; k < buckets; ++k)
            start[k] += s->sorter->count[(b << s->top) + k];
    sp_scan(start, buckets + 1);
    uint32_t next[1 << SORT_TOP];
    memcpy(next, start, buckets * sizeof *next);
    for (size_t b = 0; b < blocks; ++b) {
        uint32_t *restrict count = s->sorter->count + (b << s->top);
        for (size_t k = 0; k < buckets; ++k) {
            const uint32_t n = count[k];
            count[k] = next[k];
            next[k] += n;
        }
    }
}

/// One stable pass over the key bits [shift, shift + bits).
static void sort_digit(const uint64_t *restrict from, uint64_t *restrict to, size_t n, int shift,
                       int bits)
{
    uint32_t place[1 << SORT_LOW];
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    memset(place, 0, sizeof *place << bits);
    for (size_t i = 0; i < n; ++i)
        ++place[from[i] >> (32 + shift) & mask];
    sp_scan(place, (size_t)1 << bits);
    for (size_t i = 0; i < n; ++i)
        to[place[from[i] >> (32 + shift) & mask]++] = from[i];
}

static void sort_bucket(const sorting *s, size_t begin, size_t end)
{
    uint64_t *from = s->sorter->pair[0] + begin, *to = s->sorter->pair[1] + begin;
    const size_t n = end - begin;
    if (s->low <= SORT_LOW) {
        sort_digit(from, to, n, 0, s->low);
        return;
    }
    const int third = (s->low + 2) / 3; // an odd number of passes ends in pair[1]
    sort_digit(from, to, n, 0, third);
    sort_digit(to, from, n, third, third);
    sort_digit(from, to, n, 2 * third, s->low - 2 * third);
}

static void sort_buckets(void *arg, size_t begin, size_t end)
{
    const sorting *s = arg;
    for (size_t k = begin; k < end; ++k)
        if (s->sorter->start[k] < s->sorter->start[k + 1])
            sort_bucket(s, s->sorter->start[k], s->sorter->start[k + 1]);
}

void sp_sorter_run(sp_sorter *sorter, size_t n, uint32_t largest_key)
{
    SP_ASSERT(n <= sorter->capacity);
    int bits = 0;
    while (bits < 32 && largest_key >> bits)
        ++bits;
    sorting s = {.sorter = sorter, .n = n, .block = SORT_BLOCK};
    if (s.block * SORT_BLOCKS < n) s.block = (n + SORT_BLOCKS - 1) / SORT_BLOCKS;
    while (s.top < SORT_TOP && s.top < bits && n >> s.top > SORT_BUCKET)
        ++s.top;
    s.low = bits - s.top;
    const size_t blocks = (n + s.block - 1) / s.block, buckets = (size_t)1 << s.top;
    sp_parallel(sorter->host, blocks, 1, count_keys, &s);
    place_buckets(&s, blocks);
    sp_parallel(sorter->host, blocks, 1, scatter_pairs, &s);
    sp_parallel(sorter->host, buckets, 32, sort_buckets, &s);
}

void sp_sorter_apply(sp_sorter *sorter, size_t n, uint32_t *order)
{
    for (size_t k = 0; k < n; ++k)
        sorter->key[k] = order[sp_pair_particle(sorter->pair[1][k])];
    memcpy(order, sorter->key, n * sizeof *order);
}
