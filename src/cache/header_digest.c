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

enum {
    AT_FORMAT = 8,
    AT_SIZE = 12,
    AT_LENGTH = 16,
    AT_DIGEST = 24,
    AT_FRAME = 32,
    AT_TIME = 40,
    AT_FPS = 48,
    AT_HASH = 56,
    AT_SCENE = 64,
    AT_OWN = 504
};

// Spume supports little-endian machines only, like its files.
static void put(unsigned char *block, size_t at, const void *value, size_t size)
{
    memcpy(block + at, value, size);
}

static void get(const unsigned char *block, size_t at, void *value, size_t size)
{
    memcpy(value, block + at, size);
}

void sp_seal_stamp(unsigned char block[SP_SEAL], const char *magic, sp_seal *seal, const void *body,
                   size_t body_count)
{
    const uint32_t size = SP_SEAL;
    seal->length = SP_SEAL + (uint64_t)body_count;
    seal->digest = sp_hash(0, body, body_count);
    memset(block, 0, SP_SEAL);
    put(block, 0, magic, 8);
    put(block, AT_FORMAT, &seal->format, 4);
    put(block, AT_SIZE, &size, 4);
    put(block, AT_LENGTH, &seal->length, 8);
    put(block, AT_DIGEST, &seal->digest, 8);
    put(block, AT_FRAME, &seal->frame, 8);
    put(block, AT_TIME, &seal->time, 8);
    put(block, AT_FPS, &seal->fps, 8);
    put(block, AT_HASH, &seal->hash, 8);
    put(block, AT_SCENE, &seal->scene_hash, 8);
    const uint64_t own = sp_hash(0, block, AT_OWN);
    put(block, AT_OWN, &own, 8);
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
    get(bytes, AT_OWN, &own, 8);
    if (own != sp_hash(0, bytes, AT_OWN))
        return sp_fail(err, SP_DAMAGED, "%s: its header is damaged (digest differs)", name);
    get(bytes, AT_FORMAT, &seal->format, 4);
    if (seal->format > newest || seal->format == 0)
        return sp_fail(err, SP_UNSUPPORTED, "%s: format %u; this Spume reads formats 1 to %u", name,
                       seal->format, newest);
    get(bytes, AT_LENGTH, &seal->length, 8);
    if (seal->length != count)
        return sp_fail(err, SP_DAMAGED, "%s: is %zu bytes long, but %llu were written", name, count,
                       (unsigned long long)seal->length);
    get(bytes, AT_DIGEST, &seal->digest, 8);
    if (seal->digest != sp_hash(0, bytes + SP_SEAL, count - SP_SEAL))
        return sp_fail(err, SP_DAMAGED, "%s: its contents are damaged (digest differs)", name);
    get(bytes, AT_FRAME, &seal->frame, 8);
    get(bytes, AT_TIME, &seal->time, 8);
    get(bytes, AT_FPS, &seal->fps, 8);
    get(bytes, AT_HASH, &seal->hash, 8);
    get(bytes, AT_SCENE, &seal->scene_hash, 8);
    return SP_OK;
}
