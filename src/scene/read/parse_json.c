// SPDX-License-Identifier: Apache-2.0
/// Parses bytes to a JSON tree. Comments are overwritten with spaces, so that byte offsets and line
/// numbers do not change.
#include "scene/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 64 }; // limits recursion; tables nest less than ten deep

/// Whether a read failed because of the user's file name rather than the disk.
static bool is_wrong_name(const char *path, size_t limit)
{
    struct stat about;
    if (stat(path, &about) != 0) return errno == ENOENT;
    return S_ISFIFO(about.st_mode) || (size_t)about.st_size > limit;
}

sp_status sp_source_read(const sp_host *host, const char *path, size_t limit, char **text,
                         size_t *length, sp_error *err)
{
    const sp_status st = sp_file_read_unnamed(path, limit, host, text, length, err);
    if (st != SP_IO || !is_wrong_name(path, limit)) return st;
    if (err) err->status = SP_BAD_INPUT;
    return SP_BAD_INPUT;
}

static sp_status fail_at(sp_reading *r, size_t offset, const char *sentence)
{
    sp_path path = {0};
    sp_path_at(r, offset, &path);
    char words[256], name[160];
    sp_path_write(&path, words, sizeof words);
    sp_clean_name(r->name, name, sizeof name);
    return sp_fail(&r->error, SP_BAD_INPUT, "%s:%zu: %s%s%s", name, sp_line_at(r, offset), words,
                   words[0] ? ": " : "", sentence);
}

/// The byte after a string that begins at `at`. A string ends at a line break, so a missing quote
/// affects only its own line.
static size_t after_string(const char *text, size_t length, size_t at)
{
    for (++at; at < length && text[at] != '\n'; ++at) {
        if (text[at] == '\\' && at + 1 < length && text[at + 1] != '\n')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return at;
}

/// Blanks the comment that begins at `at` and returns the byte after it; 0 when it is not closed.
static size_t blank_comment(char *text, size_t length, size_t at)
{
    const bool block = text[at + 1] == '*';
    const size_t begin = at;
    for (at += 2; at < length; ++at) {
        if (!block && text[at] == '\n') break;
        if (block && text[at] == '*' && at + 1 < length && text[at + 1] == '/') break;
    }
    if (block && at == length) return 0;
    const size_t end = block ? at + 2 : at;
    for (size_t i = begin; i < end; ++i)
        if (text[i] != '\n') text[i] = ' ';
    return end;
}

static sp_status blank_comments(sp_reading *r)
{
    char *text = r->text;
    const size_t length = r->length;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        memset(text, ' ', 3); // byte-order mark
    int depth = 0;
    for (size_t at = 0; at < length;) {
        const char c = text[at];
        if (c == '"') {
            at = after_string(text, length, at);
        } else if (c == '/' && at + 1 < length && (text[at + 1] == '/' || text[at + 1] == '*')) {
            const size_t end = blank_comment(text, length, at);
            if (end == 0) return fail_at(r, at, "a comment that never ends; expected */");
            at = end;
        } else {
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            if (depth > DEEPEST) return fail_at(r, at, "nested more than 64 deep");
            ++at;
        }
    }
    return SP_OK;
}

/// Jansson's error in our words; NULL to keep its own text.
static const char *reason_words(const json_error_t *reason)
{
    static const struct words {
        enum json_error_code code;
        const char *words;
    } table[] = {
        {json_error_duplicate_key, "given twice"},
        {json_error_premature_end_of_input, "the text ends too early"},
        {json_error_end_of_input_expected, "text after the end of the scene"},
        {json_error_invalid_utf8, "not UTF-8 text"},
        {json_error_numeric_overflow, "a number too large to read"},
        {json_error_null_character, "a zero character in a string"},
        {json_error_null_byte_in_key, "a zero character in a key"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (table[i].code == json_error_code(reason)) return table[i].words;
    if (strncmp(reason->text, "'}' expected", 12) == 0) return "expected ',' or '}'";
    if (strncmp(reason->text, "']' expected", 12) == 0) return "expected ',' or ']'";
    return NULL;
}

static sp_status fail_parse(sp_reading *r, const json_error_t *reason)
{
    const enum json_error_code code = json_error_code(reason);
    if (code == json_error_out_of_memory || code == json_error_unknown)
        return sp_reading_no_memory(r); // Jansson reports a failed malloc as unknown
    char said[sizeof reason->text], sentence[256];
    sp_clean(reason->text, strlen(reason->text), said, sizeof said);
    const char *words = reason_words(reason), *near = strstr(said, " near ");
    if (code == json_error_premature_end_of_input) near = NULL;
    if (words)
        snprintf(sentence, sizeof sentence, "%s%s", words, near ? near : "");
    else
        snprintf(sentence, sizeof sentence, "not JSON: %s", said);
    // The position is one past the last token, which may be on the next line.
    size_t at = reason->position > 0 ? (size_t)reason->position - 1 : 0;
    if (at >= r->length) at = r->length ? r->length - 1 : 0;
    while (at > 0 && strchr(" \t\r\n", r->text[at]))
        --at;
    return fail_at(r, at, sentence);
}

/// Whether the memory limit leaves room for the tree: Jansson's memory is not the host's. Measured: 64 bytes for a number
/// in a list, up to 320 for an empty list or object.
static sp_status check_tree_fits(sp_reading *r)
{
    size_t bytes = 0;
    for (size_t i = 0; i < r->length; ++i) {
        const char c = r->text[i];
        bytes += c == '[' || c == '{' ? 320 : c == ',' || c == ':' ? 64 : 0;
    }
    return sp_memory_fits(r->host, bytes) ? SP_OK : sp_reading_no_memory(r);
}

sp_status sp_source_parse(sp_reading *r)
{
    const char *zero = r->length ? memchr(r->text, '\0', r->length) : NULL;
    if (zero) return fail_at(r, (size_t)(zero - r->text), "a zero byte; expected text");
    SP_TRY(blank_comments(r));
    SP_TRY(check_tree_fits(r));
    json_error_t reason = {.position = 0};
    r->root = json_loadb(r->text, r->length, JSON_REJECT_DUPLICATES, &reason);
    if (!r->root) return fail_parse(r, &reason);
    if (!json_is_object(r->root))
        return sp_reading_fail(r, "a list; expected an object with \"spume\" and \"solver\"");
    return SP_OK;
}
