// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_KEYS_KEYS_BY_PATH_H
#define SP_CORE_KEYS_KEYS_BY_PATH_H

/// Fills or reads a def by the paths of its keys, such as "nozzles[3].rate". This is for hosts that read
/// their scenes themselves: a web page parses JSON on its own and passes the values on. A list must
/// be made before its items. Paths in messages begin with the name of the key table:
/// "pond.nozzles[3].rate: -1 1/s; expected 0 to 10000".

#include "core/keys/keys.h"

#include <spume/host.h>

typedef struct sp_fill {
    const sp_host *host;
    const sp_keys *keys;
    void *def;    ///< filled with defaults by the caller
    void *blocks; ///< lists and texts (arena.h); starts as NULL
} sp_fill;

/// Sets a number; true and false are 1 and 0.
sp_status sp_fill_number(sp_fill *fill, const char *path, double value, sp_error *err);
/// Sets one of a key's words, or a text. For keys with four words, "boundary[2]" is the third.
sp_status sp_fill_word(sp_fill *fill, const char *path, const char *word, sp_error *err);
/// Makes a list of `count` items with their defaults.
sp_status sp_fill_list(sp_fill *fill, const char *path, size_t count, sp_error *err);
/// Makes an optional object, with its defaults.
sp_status sp_fill_option(sp_fill *fill, const char *path, sp_error *err);
/// Allocates width x height heights, row by row from the south; NULL on failure.
float *sp_fill_heights(sp_fill *fill, const char *path, size_t width, size_t height, sp_error *err);
/// Reads a number of a filled def: true and false are 1 and 0, a word is its index in the key's choices.
sp_status sp_key_read(const sp_keys *keys, const void *def, const char *path, double *value,
                      sp_error *err);
void sp_fill_close(sp_fill *fill); ///< frees the def's lists and texts

#endif
