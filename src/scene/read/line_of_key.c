// SPDX-License-Identifier: Apache-2.0
/// Finds the line of a key path, and the key path of a byte. The scanner only recognises brackets,
/// strings and commas in the blanked text, so that it also works on text that is not valid JSON.
#include "scene/internal.h"

#include <stdio.h>
#include <string.h>

typedef struct cursor {
    const char *text;
    size_t at, end;
} cursor;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(cursor *c)
{
    while (c->at < c->end && is_space(c->text[c->at]))
        ++c->at;
}

static bool take(cursor *c, char wanted)
{
    skip_space(c);
    if (c->at >= c->end || c->text[c->at] != wanted) return false;
    ++c->at;
    return true;
}

static void skip_string(cursor *c)
{
    for (++c->at; c->at < c->end && c->text[c->at] != '\n'; ++c->at) {
        if (c->text[c->at] == '\\') {
            ++c->at;
        } else if (c->text[c->at] == '"') {
            ++c->at;
            return;
        }
    }
    if (c->at > c->end) c->at = c->end;
}

/// Skips to the comma or bracket that ends the value, or to the end of the text.
static void skip_value(cursor *c)
{
    int depth = 0;
    while (c->at < c->end) {
        const char now = c->text[c->at];
        if (depth == 0 && (now == ',' || now == '}' || now == ']')) return;
        if (now == '{' || now == '[') ++depth;
        if (now == '}' || now == ']') --depth;
        if (now == '"')
            skip_string(c);
        else
            ++c->at;
    }
}

/// Reads a member's key (without quotes) and moves to its value. False when there is no member.
static bool take_key(cursor *c, size_t *key, size_t *length)
{
    skip_space(c);
    if (c->at >= c->end || c->text[c->at] != '"') return false;
    const size_t quote = c->at;
    skip_string(c);
    *key = quote + 1;
    *length = c->at > quote + 1 ? c->at - quote - 2 : 0;
    if (take(c, ':')) skip_space(c);
    return true;
}

/// Decodes one character of a string, with escapes; -1 for characters that no key contains.
static int take_letter(const char **at, const char *end)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    const char c = *(*at)++;
    if (c != '\\') return (unsigned char)c;
    if (*at == end) return -1;
    const char letter = *(*at)++;
    for (const char *e = escapes; *e; e += 2)
        if (*e == letter) return (unsigned char)e[1];
    if (letter != 'u' || end - *at < 4) return -1;
    const char digits[] = {(*at)[0], (*at)[1], (*at)[2], (*at)[3], '\0'};
    *at += 4;
    const long code = strtol(digits, NULL, 16);
    return code < 0x80 ? (int)code : -1;
}

static bool is_key(const char *written, size_t length, const sp_path_step *step)
{
    const char *end = written + length;
    size_t i = 0;
    for (; written < end; ++i)
        if (i >= step->length || take_letter(&written, end) != (unsigned char)step->key[i])
            return false;
    return i == step->length;
}

static bool find_key(cursor *c, const sp_path_step *step, size_t *found)
{
    if (!take(c, '{')) return false;
    size_t key, length;
    while (take_key(c, &key, &length)) {
        if (is_key(c->text + key, length, step)) {
            *found = key;
            return true;
        }
        skip_value(c);
        if (!take(c, ',')) return false;
    }
    return false;
}

static bool find_index(cursor *c, const sp_path_step *step, size_t *found)
{
    if (!take(c, '[')) return false;
    for (size_t i = 0;; ++i) {
        skip_space(c);
        if (i == step->index) {
            *found = c->at;
            return true;
        }
        skip_value(c);
        if (!take(c, ',')) return false;
    }
}

/// Offset of the last step of the path that exists in the text.
static size_t find(const sp_reading *r, const sp_path *path)
{
    cursor c = {r->text, 0, r->length};
    skip_space(&c);
    size_t found = c.at;
    for (size_t i = 0; i < path->count; ++i) {
        const sp_path_step *step = &path->steps[i];
        if (!(step->key ? find_key(&c, step, &found) : find_index(&c, step, &found))) break;
    }
    return found;
}

/// Enters the member or item that contains the byte; false when none does.
static bool enter(cursor *c, size_t offset, sp_path *path)
{
    skip_space(c);
    const bool object = c->at < c->end && c->text[c->at] == '{';
    if (!take(c, '{') && !take(c, '[')) return false;
    for (size_t index = 0;; ++index) {
        size_t key = 0, length = 0;
        if (object && !take_key(c, &key, &length)) return false;
        skip_space(c);
        cursor value = *c;
        skip_value(c);
        if (offset < c->at) {
            if (object)
                sp_path_push_key(path, c->text + key, length);
            else
                sp_path_push_index(path, index);
            *c = value;
            return offset >= value.at;
        }
        if (!take(c, ',')) return false;
    }
}

void sp_path_at(const sp_reading *r, size_t offset, sp_path *path)
{
    cursor c = {r->text, 0, r->length};
    while (path->count < SP_PATH_DEPTH && enter(&c, offset, path)) {
    }
}

size_t sp_line_at(const sp_reading *r, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset && i < r->length; ++i)
        line += r->text[i] == '\n';
    return line;
}

/// The last override of the value, or else of a part of it: a domain is refused as a whole even if
/// only its max was set.
static const sp_override *find_override(const sp_reading *r, const sp_path *path)
{
    const sp_override *whole = NULL, *part = NULL;
    if (r->applying) return r->applying;
    for (size_t i = 0; i < r->override_count; ++i) {
        const sp_path *given = &r->overrides[i].path;
        if (sp_path_begins(path, given)) whole = &r->overrides[i];
        if (path->count > 0 && sp_path_begins(given, path)) part = &r->overrides[i];
    }
    return whole ? whole : part;
}

/// Prefixes the message in r->error with its source: the --set of the value, or file and line.
static void put_place(sp_reading *r, const sp_path *path)
{
    char words[160];
    const sp_override *from = find_override(r, path);
    if (from && from->set) {
        sp_clean(from->set, strlen(from->set), words, sizeof words);
        sp_error_prefix(&r->error, "--set %s: ", words);
        return;
    }
    sp_path line = *path;
    if (from) {
        line = (sp_path){0};
        sp_path_push_key(&line, "sizes", 5);
        sp_path_push_key(&line, from->size, strlen(from->size));
        sp_path_push_key(&line, from->line, strlen(from->line));
    }
    sp_clean_name(r->name, words, sizeof words);
    sp_error_prefix(&r->error, "%s:%zu: ", words, sp_line_at(r, find(r, &line)));
}

sp_status sp_reading_fail(sp_reading *r, const char *format, ...)
{
    char path[192], sentence[320];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    sp_path_write(&r->path, path, sizeof path);
    sp_fail(&r->error, SP_BAD_INPUT, "%s%s%s", path, path[0] ? ": " : "", sentence);
    put_place(r, &r->path);
    return SP_BAD_INPUT;
}

sp_status sp_reading_place(sp_reading *r)
{
    sp_path path = {0};
    const char *colon = strstr(r->error.text, ": ");
    if (!colon || !sp_path_parse(&path, r->error.text, (size_t)(colon - r->error.text)))
        path = (sp_path){0};
    const sp_status status = r->error.status;
    char words[sizeof r->error.text]; // a copy, because put_place() rewrites the text
    memcpy(words, r->error.text, sizeof words);
    for (size_t i = 0; i < path.count; ++i)
        if (path.steps[i].key) path.steps[i].key = words + (path.steps[i].key - r->error.text);
    put_place(r, &path);
    return status;
}

sp_status sp_reading_no_memory(sp_reading *r)
{
    char name[160];
    sp_clean_name(r->name, name, sizeof name);
    return sp_fail(&r->error, SP_NO_MEMORY, "%s: no memory to read the scene", name);
}
