// SPDX-License-Identifier: Apache-2.0
/// The seal: a header of 512 bytes in front of every file of a run. For HDF5 it is a user block,
/// which HDF5 skips.
///
///       0        8      12       16       24       32      40     48    56     64           72
///      +--------+------+--------+--------+--------+-------+------+-----+------+------------+-------
///      | magic  |format| 512    | length | digest | frame | time | fps | hash | scene hash | zeros
///      | 8 char | u32  | u32    | u64    | u64    | u64   | f64  | f64 | u64  | u64        |
///      +--------+------+--------+--------+--------+-------+------+-----+------+------------+-------
///      504                                                                              to 504
///      +-----------------+
///      | digest of 0-503 |  u64
///      +-----------------+
///
/// All little-endian; digests are XXH64 with seed 0. Magic, format and the block's own digest keep
/// their offsets in every future format, so that an old reader can recognise a newer format.
#include "cache/internal.h"

#include <string.h>

enum { AT_SIZE = 12, AT_OWN = 504 };

/// Places of the other numbers in the block and in sp_seal. Spume supports little-endian machines
/// only, like its files.
static const struct number {
    size_t at, field, size;
} numbers[] = {
    {8, offsetof(sp_seal, format), 4},  {16, offsetof(sp_seal, length), 8},
    {24, offsetof(sp_seal, digest), 8}, {32, offsetof(sp_seal, frame), 8},
    {40, offsetof(sp_seal, time), 8},   {48, offsetof(sp_seal, fps), 8},
    {56, offsetof(sp_seal, hash), 8},   {64, offsetof(sp_seal, scene_hash), 8},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

void sp_seal_stamp(unsigned char block[SP_SEAL], const char *magic, sp_seal *seal, const void *body,
                   size_t body_count)
{
    const uint32_t size = SP_SEAL;
    seal->length = SP_SEAL + (uint64_t)body_count;
    seal->digest = sp_hash(0, body, body_count);
    memset(block, 0, SP_SEAL);
    memcpy(block, magic, 8);
    memcpy(block + AT_SIZE, &size, sizeof size);
    for (size_t i = 0; i < NUMBERS; ++i)
        memcpy(block + numbers[i].at, (const char *)seal + numbers[i].field, numbers[i].size);
    const uint64_t own = sp_hash(0, block, AT_OWN);
    memcpy(block + AT_OWN, &own, sizeof own);
}

/// The kind of file by its first eight bytes, or NULL.
static const char *kind_of(const void *magic)
{
    static const char *const kinds[][2] = {
        {SP_FRAME_MAGIC, "a frame"},
        {SP_CHECKPOINT_MAGIC, "a checkpoint, which only its solver reads"},
        {SP_STATIC_MAGIC, "what does not change from frame to frame, for run.xmf"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (memcmp(magic, kinds[i][0], 8) == 0) return kinds[i][1];
    return NULL;
}

sp_status sp_seal_check(const char *name, const char *magic, uint32_t newest,
                        const unsigned char *bytes, size_t count, sp_seal *seal, sp_error *err)
{
    *seal = (sp_seal){0};
    if (count < SP_SEAL)
        return sp_fail(err, SP_DAMAGED, "%s: ends within its header, after %zu of %d bytes", name,
                       count, SP_SEAL);
    const char *found = kind_of(bytes), *expected = kind_of(magic);
    if (!found)
        return sp_fail(err, SP_DAMAGED, "%s: does not begin like a Spume file of this kind", name);
    if (found != expected)
        return sp_fail(err, SP_UNSUPPORTED, "%s: holds %s; expected %s", name, found, expected);
    uint64_t own;
    memcpy(&own, bytes + AT_OWN, sizeof own);
    if (own != sp_hash(0, bytes, AT_OWN))
        return sp_fail(err, SP_DAMAGED, "%s: its header is damaged (digest differs)", name);
    for (size_t i = 0; i < NUMBERS; ++i)
        memcpy((char *)seal + numbers[i].field, bytes + numbers[i].at, numbers[i].size);
    if (seal->format > newest || seal->format == 0)
        return sp_fail(err, SP_UNSUPPORTED, "%s: format %u; this Spume reads formats 1 to %u", name,
                       seal->format, newest);
    if (seal->length != count)
        return sp_fail(err, SP_DAMAGED, "%s: is %zu bytes long, but %llu were written", name, count,
                       (unsigned long long)seal->length);
    if (seal->digest != sp_hash(0, bytes + SP_SEAL, count - SP_SEAL))
        return sp_fail(err, SP_DAMAGED, "%s: its contents are damaged (digest differs)", name);
    return SP_OK;
}
