// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_KEYS_KEYS_BY_PATH_H
#define SP_CORE_KEYS_KEYS_BY_PATH_H

/// Fills a def by the paths of its keys, "nozzles[3].rate", for hosts that read their scenes themselves: a web
/// page has a JSON reader of its own and hands over what it found. Lists are made before their items. Paths
/// in messages begin with the keys' name: "pond.nozzles[3].rate: -1 1/s; expected 0 to 10000".

#include "core/keys/keys.h"

#include <spume/host.h>

typedef struct sp_fill {
    const sp_host *host;
    const sp_keys *keys;
    void *def;    ///< holds the defaults at first
    void *blocks; ///< lists and texts (arena.h); NULL at first
} sp_fill;

/// Numbers, and true or false as 1 or 0.
sp_status sp_fill_number(sp_fill *fill, const char *path, double value, sp_error *err);
/// One of a key's words, or a text. Of keys that take four words, "boundary[2]" is the third.
sp_status sp_fill_word(sp_fill *fill, const char *path, const char *word, sp_error *err);
/// Makes a list of `count` items with their defaults.
sp_status sp_fill_list(sp_fill *fill, const char *path, size_t count, sp_error *err);
/// Makes what may be absent, with its defaults.
sp_status sp_fill_option(sp_fill *fill, const char *path, sp_error *err);
/// Makes room for width x height heights, row after row from the south; NULL on failure.
float *sp_fill_heights(sp_fill *fill, const char *path, size_t width, size_t height, sp_error *err);
void sp_fill_close(sp_fill *fill); ///< the def's lists and texts are gone then

#endif
