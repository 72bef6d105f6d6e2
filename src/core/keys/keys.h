// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_KEYS_KEYS_H
#define SP_CORE_KEYS_KEYS_H

/// A solver describes its parameters once, in a table of keys. Parsing, defaults, range checks, the
/// JSON Schema, the docs page and sliders all use that table. This module knows nothing about JSON.

#include "core/text/status.h"

#include <spume/heights.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sp_key_type {
    SP_KEY_F32,     ///< float
    SP_KEY_F64,     ///< double
    SP_KEY_I32,     ///< int32_t
    SP_KEY_U64,     ///< uint64_t
    SP_KEY_BOOL,    ///< bool
    SP_KEY_CHOICE,  ///< int: index into `choices`, a word in the scene
    SP_KEY_TEXT,    ///< const char *, owned by the scene; NULL when absent
    SP_KEY_VEC3,    ///< float[3]
    SP_KEY_CHOICES, ///< int[4]: one word for all, or a list of four (pond.boundary)
    SP_KEY_HEIGHTS, ///< sp_heights: a number, rows of numbers, or the name of a height map
    SP_KEY_OBJECT,  ///< a struct in place, described by `items`; all its keys have defaults
    SP_KEY_OPTION,  ///< pointer to a struct described by `items`; NULL when absent
    SP_KEY_LIST, ///< pointer to structs described by `items`, and a size_t count at `count_offset`
} sp_key_type;

typedef struct sp_keys sp_keys;

/// The default value of a key that must be given.
#define SP_REQUIRED ((double)NAN)

typedef struct sp_key {
    const char *name; ///< the word in the scene and the field in the def: the same word everywhere
    sp_key_type type;
    size_t offset;       ///< of the field in its struct
    size_t count_offset; ///< SP_KEY_LIST: of its size_t count
    const char *unit;    ///< "m", "1/s", or "" for a pure number
    double value; ///< default, or SP_REQUIRED. For CHOICE the index. For VEC3 all components.
    const float *vector; ///< VEC3: a default whose components differ, instead of `value`; or NULL
    double min, max;     ///< allowed, both ends included; for LIST the allowed count
    const char *const *choices; ///< NULL-terminated words of CHOICE and CHOICES
    const sp_keys *items;       ///< of OBJECT, OPTION and LIST
    bool live;                  ///< may change while the simulation runs
    const char *doc;            ///< one line
} sp_key;

struct sp_keys {
    const char *name; ///< "pond", or "nozzle" for items
    const sp_key *keys;
    size_t count;
    size_t size; ///< of the struct that they describe
};

/// Zeroes the struct and fills in every default. Required numbers become NaN (0 for integers).
void sp_keys_defaults(const sp_keys *keys, void *def);
const sp_key *sp_keys_find(const sp_keys *keys, const char *name); ///< NULL when unknown
/// The known name closest to a mistyped one, or NULL when none is close.
const char *sp_keys_nearest(const sp_keys *keys, const char *name);
const char *sp_word_nearest(const char *const *words,
                            const char *word); ///< the same for a NULL-terminated list
/// Such a list as "a, b or c".
void sp_words_text(const char *const *words, char *text, size_t size);

/// Checks every value of a filled def against its range, lists and options included. `path`
/// ("pond") is put before the key's name, unless it is empty: "pond.nozzles[3].rate: -1 1/s;
/// expected 0 to 100000".
sp_status sp_keys_check(const sp_keys *keys, const void *def, const char *path, sp_error *err);
/// Checks one number against a key; used by the JSON walker and by live changes.
sp_status sp_key_check_number(const sp_key *key, double value, const char *path, sp_error *err);
/// "0.05 to 60", "at least 0", "reflect or open": what a key allows, for messages and docs.
void sp_key_allowed(const sp_key *key, char *text, size_t size);

/// Calls `visit` for each struct in a def that `items` describes (a shape, say), however deep, in the order of
/// the tables, with its path. Stops at the first failure and returns it.
typedef sp_status sp_keys_visit(void *arg, const char *path, const void *item, sp_error *err);
sp_status sp_keys_each(const sp_keys *keys, const void *def, const char *path, const sp_keys *items,
                       sp_keys_visit *visit, void *arg, sp_error *err);

/// Reads or writes a numeric field (F32, F64, I32, U64, BOOL, CHOICE) as a double.
double sp_key_get_number(const sp_key *key, const void *def);
void sp_key_set_number(const sp_key *key, void *def, double value);
bool sp_key_is_number(const sp_key *key);
void sp_key_default_vector(const sp_key *key, float out[3]); ///< of a VEC3

#endif
