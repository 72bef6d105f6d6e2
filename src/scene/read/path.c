// SPDX-License-Identifier: Apache-2.0
/// Key paths: the steps from the scene's root to a value, such as "pond.nozzles[3].rate".
#include "scene/internal.h"

#include <stdio.h>
#include <string.h>

// Tables nest three deep, so a longer path is unknown anyway and its tail can be dropped.
static void push(sp_path *path, sp_path_step step)
{
    if (path->count < SP_PATH_DEPTH) path->steps[path->count++] = step;
}

void sp_path_push_key(sp_path *path, const char *key, size_t length)
{
    push(path, (sp_path_step){.key = key, .length = length});
}

void sp_path_push_index(sp_path *path, size_t index)
{
    push(path, (sp_path_step){.index = index});
}

/// Parses "[123]" and returns the position after it, or NULL.
static const char *parse_index(sp_path *path, const char *at, const char *end)
{
    size_t index = 0;
    const char *first = ++at;
    for (; at < end && *at >= '0' && *at <= '9'; ++at) {
        if (at - first >= 9) return NULL;
        index = 10 * index + (size_t)(*at - '0');
    }
    if (at == first || at == end || *at != ']') return NULL;
    sp_path_push_index(path, index);
    return at + 1;
}

bool sp_path_parse(sp_path *path, const char *words, size_t length)
{
    const char *at = words, *const end = words + length;
    *path = (sp_path){0};
    for (;;) {
        const char *key = at;
        while (at < end && *at != '.' && *at != '[')
            ++at;
        if (at == key || path->count >= SP_PATH_DEPTH) return false;
        sp_path_push_key(path, key, (size_t)(at - key));
        while (at && at < end && *at == '[') {
            if (path->count >= SP_PATH_DEPTH) return false;
            at = parse_index(path, at, end);
        }
        if (!at) return false;
        if (at == end) return true;
        if (*at++ != '.') return false;
    }
}

void sp_path_write(const sp_path *path, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < path->count && used + 1 < size; ++i) {
        const sp_path_step *step = &path->steps[i];
        char word[64];
        if (step->key)
            sp_clean(step->key, step->length, word, sizeof word);
        else
            snprintf(word, sizeof word, "[%zu]", step->index);
        const char *dot = i > 0 && step->key ? "." : "";
        const int n = snprintf(out + used, size - used, "%s%s", dot, word);
        used += n > 0 ? (size_t)n : 0;
    }
}

bool sp_path_begins(const sp_path *path, const sp_path *with)
{
    if (with->count > path->count) return false;
    for (size_t i = 0; i < with->count; ++i) {
        const sp_path_step *a = &path->steps[i], *b = &with->steps[i];
        if (!a->key != !b->key || a->length != b->length || a->index != b->index) return false;
        if (a->key && memcmp(a->key, b->key, a->length) != 0) return false;
    }
    return true;
}
