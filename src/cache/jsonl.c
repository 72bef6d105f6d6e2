// SPDX-License-Identifier: Apache-2.0
/// Texts of a run: lines of stats.jsonl, and run.json. Clock times appear only in lines.
#include "cache/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void sp_cache_text_print(sp_cache_text *text, const char *format, ...)
{
    if (text->failed) return;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    const size_t needed = text->length + (size_t)(n > 0 ? n : 0) + 1;
    if (n < 0 || (needed > text->capacity &&
                  !sp_regrow(text->host, (void **)&text->chars, text->length, 2 * needed, 1))) {
        text->failed = true;
        return;
    }
    if (needed > text->capacity) text->capacity = 2 * needed;
    va_start(args, format);
    vsnprintf(text->chars + text->length, text->capacity - text->length, format, args);
    va_end(args);
    text->length = needed - 1;
}

void sp_cache_text_json(sp_cache_text *text, const char *chars)
{
    char letter[8];
    sp_cache_text_print(text, "\"");
    for (size_t n; *chars; chars += n) {
        n = sp_json_letter(chars, letter);
        sp_cache_text_print(text, "%s", letter);
    }
    sp_cache_text_print(text, "\"");
}

void sp_cache_text_xml(sp_cache_text *text, const char *chars)
{
    for (const char *c = chars; *c != '\0'; ++c) {
        if (*c == '<' || *c == '>' || *c == '&' || *c == '"' || *c == '\'')
            sp_cache_text_print(text, "&#%d;", *c);
        else
            sp_cache_text_print(text, "%c", *c);
    }
}

void sp_cache_text_close(sp_cache_text *text)
{
    if (text->host) sp_release(text->host, text->chars);
    *text = (sp_cache_text){0};
}

double sp_cache_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// JSON has no infinities and no NaN.
static void add_number(sp_cache_text *text, double x)
{
    if (isfinite(x))
        sp_cache_text_print(text, "%.17g", x);
    else
        sp_cache_text_print(text, "null");
}

void sp_cache_stats_line(sp_cache_text *text, const sp_frame *frame, double step_seconds,
                         double write_seconds, size_t bytes)
{
    sp_cache_text_print(text, "{\"frame\":%llu,\"time\":", (unsigned long long)frame->frame);
    add_number(text, frame->time);
    sp_cache_text_print(text,
                        ",\"hash\":\"%016llx\",\"seconds\":", (unsigned long long)frame->hash);
    add_number(text, step_seconds);
    sp_cache_text_print(text, ",\"write_seconds\":");
    add_number(text, write_seconds);
    sp_cache_text_print(text, ",\"bytes\":%zu,\"clock\":%.3f,\"counts\":{", bytes,
                        sp_cache_clock());
    for (size_t i = 0; i < frame->set_count; ++i) {
        sp_cache_text_print(text, i ? "," : "");
        sp_cache_text_json(text, frame->sets[i].name);
        sp_cache_text_print(text, ":%zu", frame->sets[i].count);
    }
    sp_cache_text_print(text, "},\"stats\":{");
    for (size_t i = 0; i < frame->stat_count; ++i) {
        sp_cache_text_print(text, i ? "," : "");
        sp_cache_text_json(text, frame->stats[i].name);
        sp_cache_text_print(text, ":");
        add_number(text, frame->stats[i].value);
    }
    sp_cache_text_print(text, "}}\n");
}

/// How many of a file's first bytes are whole lines of frames up to `last`.
static size_t lines_up_to(const char *bytes, size_t count, int64_t last)
{
    size_t kept = 0;
    while (kept < count) {
        const char *end = memchr(bytes + kept, '\n', count - kept);
        unsigned long long frame;
        if (!end || sscanf(bytes + kept, "{\"frame\":%llu,", &frame) != 1) break;
        if (last < 0 || frame > (unsigned long long)last) break;
        kept = (size_t)(end - bytes) + 1;
    }
    return kept;
}

sp_status sp_cache_stats_cut(const char *path, int64_t last, const sp_host *host, sp_error *err)
{
    char *bytes;
    size_t count;
    if (access(path, F_OK) != 0 && errno == ENOENT) return SP_OK;
    SP_TRY(sp_cache_read_file(path, host, &bytes, &count, err));
    const size_t kept = lines_up_to(bytes, count, last);
    sp_release(host, bytes);
    if (kept == count) return SP_OK;
    return truncate(path, (off_t)kept) == 0 ? SP_OK : sp_cache_io_fail(err, path, "cut");
}

sp_status sp_run_facts_write(const char *dir, const sp_run_facts *facts, const char *about,
                             bool sync, const sp_host *host, sp_error *err)
{
    char path[SP_PATH];
    snprintf(path, sizeof path, "%s/run.json", dir);
    sp_cache_text text = {.host = host};
    sp_cache_text_print(&text, "{\n  \"spume_run\": 1,\n  \"solver\": ");
    sp_cache_text_json(&text, facts->solver);
    sp_cache_text_print(&text,
                        ",\n  \"scene_hash\": \"%016llx\",\n  \"fps\": %.17g,\n  \"about\": ",
                        (unsigned long long)facts->scene_hash, facts->fps);
    sp_cache_text_print(&text, "%s\n}\n", about ? about : "{}");
    const sp_status st = text.failed ? sp_fail(err, SP_NO_MEMORY, "%s: no memory to write it", path)
                                     : sp_cache_file_write_text(path, text.chars, sync, err);
    sp_cache_text_close(&text);
    return st;
}

static sp_status facts_from_json(const char *path, const json_t *root, sp_run_facts *facts,
                                 sp_error *err)
{
    const json_t *version = json_object_get(root, "spume_run");
    const json_t *hash = json_object_get(root, "scene_hash");
    const json_t *fps = json_object_get(root, "fps");
    const char *solver = json_string_value(json_object_get(root, "solver"));
    if (!json_is_integer(version) || !json_is_string(hash) || !json_is_number(fps))
        return sp_fail(err, SP_DAMAGED, "%s: is not the run.json of a Spume run", path);
    if (json_integer_value(version) != 1)
        return sp_fail(err, SP_UNSUPPORTED, "%s: run format %lld; this Spume reads format 1", path,
                       (long long)json_integer_value(version));
    char *end;
    facts->scene_hash = strtoull(json_string_value(hash), &end, 16);
    if (*end != '\0') return sp_fail(err, SP_DAMAGED, "%s: scene_hash is no hash", path);
    facts->fps = json_number_value(fps);
    if (!(facts->fps > 0.0)) return sp_fail(err, SP_DAMAGED, "%s: fps is not positive", path);
    snprintf(facts->solver, sizeof facts->solver, "%s", solver ? solver : "");
    const char *origin =
        json_string_value(json_object_get(json_object_get(root, "about"), "origin"));
    snprintf(facts->origin, sizeof facts->origin, "%s", origin ? origin : "");
    return SP_OK;
}

sp_status sp_run_facts_read(const char *dir, sp_run_facts *facts, const sp_host *host,
                            sp_error *err)
{
    char path[SP_PATH], *bytes;
    size_t count;
    *facts = (sp_run_facts){0};
    snprintf(path, sizeof path, "%s/run.json", dir);
    if (access(path, F_OK) != 0)
        return sp_fail(err, SP_BAD_SCENE, "%s: holds no run (no run.json in it)", dir);
    SP_TRY(sp_cache_read_file(path, host, &bytes, &count, err));
    json_t *root = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, NULL);
    sp_release(host, bytes);
    const sp_status st = facts_from_json(path, root, facts, err);
    json_decref(root);
    return st;
}
