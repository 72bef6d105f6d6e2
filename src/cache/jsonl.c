// SPDX-License-Identifier: Apache-2.0
/// Text files of a run: lines of stats.jsonl, and run.json. Only the lines hold clock times.
#include "cache/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double sp_cache_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// ---- stats.jsonl -------------------------------------------------------------------------------

static const char seal_key[] = ",\"seal\":\"";
enum { TAIL = sizeof seal_key - 1 + 16 + 3 }; // 16 digits, a quote, a bracket, the end of the line

static void write_tail(uint64_t seal, char tail[TAIL + 1])
{
    snprintf(tail, TAIL + 1, "%s%016llx\"}\n", seal_key, (unsigned long long)seal);
}

void sp_cache_stats_line(sp_text *text, const sp_frame *frame, double step_seconds,
                         double write_seconds, size_t bytes, uint64_t *seal)
{
    sp_text_format(text, "{\"frame\":%llu,\"time\":", (unsigned long long)frame->frame);
    sp_text_number(text, frame->time, 17);
    sp_text_format(text, ",\"hash\":\"%016llx\",\"seconds\":", (unsigned long long)frame->hash);
    sp_text_number(text, step_seconds, 17);
    sp_text_add(text, ",\"write_seconds\":");
    sp_text_number(text, write_seconds, 17);
    sp_text_format(text, ",\"bytes\":%zu,\"clock\":%.3f,\"counts\":{", bytes, sp_cache_clock());
    for (size_t i = 0; i < frame->set_count; ++i) {
        sp_text_add(text, i ? "," : "");
        sp_text_quote(text, frame->sets[i].name);
        sp_text_format(text, ":%zu", frame->sets[i].count);
    }
    sp_text_add(text, "},\"stats\":{");
    for (size_t i = 0; i < frame->stat_count; ++i) {
        sp_text_add(text, i ? "," : "");
        sp_text_quote(text, frame->stats[i].name);
        sp_text_add(text, ":");
        sp_text_number(text, frame->stats[i].value, 17);
    }
    sp_text_add(text, "}");
    if (text->failed) return;
    char tail[TAIL + 1];
    *seal = sp_hash(*seal, text->bytes, text->size);
    write_tail(*seal, tail);
    sp_text_add(text, tail);
}

/// One complete line.
typedef struct line {
    const char *text;
    size_t length; ///< with its end
    size_t sealed; ///< bytes before the seal; 0: a line of an older version has none
    unsigned long long frame;
    uint64_t seal; ///< 0: none
} line;

/// Reads the line at `bytes`. False at the end, at a line that a killed run left incomplete, and at
/// one that does not begin like a line of ours.
static bool read_line(const char *bytes, size_t count, line *out)
{
    const char *end = count > 0 ? memchr(bytes, '\n', count) : NULL;
    char part[48]; // sscanf would look for the end of all lines
    unsigned long long seal;
    *out = (line){.text = bytes};
    if (!end) return false;
    snprintf(part, sizeof part, "%.*s", end - bytes > 40 ? 40 : (int)(end - bytes), bytes);
    if (sscanf(part, "{\"frame\":%llu,", &out->frame) != 1) return false;
    out->length = (size_t)(end - bytes) + 1;
    if (out->length <= TAIL) return true;
    const char *tail = bytes + out->length - TAIL;
    snprintf(part, sizeof part, "%.16s", tail + sizeof seal_key - 1);
    if (memcmp(tail, seal_key, sizeof seal_key - 1) != 0 || sscanf(part, "%16llx", &seal) != 1)
        return true;
    out->sealed = out->length - TAIL;
    out->seal = seal;
    return true;
}

/// Number of leading bytes that are complete lines of frames up to `last`, and the last seal of them.
static size_t lines_up_to(const char *bytes, size_t count, int64_t last, uint64_t *seal)
{
    size_t kept = 0;
    line next;
    *seal = 0;
    while (last >= 0 && read_line(bytes + kept, count - kept, &next)) {
        if (next.frame > (unsigned long long)last) break;
        kept += next.length;
        *seal = next.seal;
    }
    return kept;
}

sp_status sp_cache_stats_cut(const char *path, int64_t last, const sp_host *host, uint64_t *seal,
                             sp_error *err)
{
    char *bytes;
    size_t count;
    *seal = 0;
    if (access(path, F_OK) != 0 && errno == ENOENT) return SP_OK;
    SP_TRY(sp_file_read(path, 0, host, &bytes, &count, err));
    const size_t kept = lines_up_to(bytes, count, last, seal);
    sp_release(host, bytes);
    if (kept == count) return SP_OK;
    return truncate(path, (off_t)kept) == 0 ? SP_OK : sp_file_failed(err, path, "cut");
}

static bool fits_seal(const line *l, uint64_t before)
{
    char tail[TAIL + 1];
    write_tail(sp_hash(before, l->text, l->sealed), tail);
    return memcmp(l->text + l->sealed, tail, TAIL) == 0;
}

/// Line by line: each must fit its seal, and each frame but the newest must have one.
static sp_status check_lines(const char *path, const char *bytes, size_t count,
                             const sp_cache_item *frames, size_t frame_count, sp_error *err)
{
    size_t at = 0, number = 0, met = 0; // met: frames of the directory that have a line
    uint64_t seal = 0;
    line next;
    for (; read_line(bytes + at, count - at, &next); at += next.length, seal = next.seal) {
        ++number;
        if (next.sealed && !fits_seal(&next, seal))
            return sp_fail(err, SP_DAMAGED,
                           "%s: line %zu, of frame %llu, was damaged or edited, or the one before "
                           "it is gone",
                           path, number, next.frame);
        if (seal && !next.sealed)
            return sp_fail(err, SP_DAMAGED, "%s: line %zu, of frame %llu, has lost its seal", path,
                           number, next.frame);
        if (met < frame_count && frames[met].frame < next.frame)
            return sp_fail(err, SP_DAMAGED, "%s: has no line of frame %llu", path,
                           (unsigned long long)frames[met].frame);
        if (met < frame_count && frames[met].frame == next.frame) ++met;
    }
    if (memchr(bytes + at, '\n', count - at))
        return sp_fail(err, SP_DAMAGED, "%s: line %zu was damaged or edited", path, number + 1);
    if (met + 1 < frame_count)
        return sp_fail(err, SP_DAMAGED, "%s: has no line of frame %llu", path,
                       (unsigned long long)frames[met].frame);
    return SP_OK;
}

sp_status sp_cache_stats_check(const char *path, const sp_cache_item *frames, size_t count,
                               const sp_host *host, sp_error *err)
{
    char *bytes;
    size_t length;
    if (access(path, F_OK) != 0)
        return count > 0 ? sp_fail(err, SP_DAMAGED, "%s: is missing", path) : SP_OK;
    SP_TRY(sp_file_read(path, 0, host, &bytes, &length, err));
    const sp_status st = check_lines(path, bytes, length, frames, count, err);
    sp_release(host, bytes);
    return st;
}

/// ---- run.json ----------------------------------------------------------------------------------

enum { LONGEST_FACTS = 1 << 20 }; // bytes; a tree of JSON takes a hundred times its text

void sp_run_facts_text(const sp_run_facts *facts, const char *about, sp_text *text)
{
    sp_text_add(text, "{\n  \"spume_run\": 1,\n  \"solver\": ");
    sp_text_quote(text, facts->solver);
    sp_text_format(text, ",\n  \"scene_hash\": \"%016llx\",\n  \"fps\": %.17g,\n  \"about\": ",
                   (unsigned long long)facts->scene_hash, facts->fps);
    sp_text_format(text, "%s\n}\n", about ? about : "{}");
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
        return sp_fail(err, SP_BAD_INPUT, "%s: holds no run (no run.json in it)", dir);
    SP_TRY(sp_file_read(path, LONGEST_FACTS, host, &bytes, &count, err));
    json_t *root = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, NULL);
    sp_release(host, bytes);
    const sp_status st = facts_from_json(path, root, facts, err);
    json_decref(root);
    return st;
}
