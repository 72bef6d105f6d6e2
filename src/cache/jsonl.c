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

void sp_cache_stats_line(sp_text *text, const sp_frame *frame, double step_seconds,
                         double write_seconds, size_t bytes)
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
    sp_text_add(text, "}}\n");
}

/// Number of leading bytes that are complete lines of frames up to `last`.
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
    SP_TRY(sp_file_read(path, 0, host, &bytes, &count, err));
    const size_t kept = lines_up_to(bytes, count, last);
    sp_release(host, bytes);
    if (kept == count) return SP_OK;
    return truncate(path, (off_t)kept) == 0 ? SP_OK : sp_file_failed(err, path, "cut");
}

sp_status sp_run_facts_write(const char *dir, const sp_run_facts *facts, const char *about,
                             bool sync, const sp_host *host, sp_error *err)
{
    char path[SP_PATH];
    snprintf(path, sizeof path, "%s/run.json", dir);
    sp_text text = {.host = host};
    sp_text_add(&text, "{\n  \"spume_run\": 1,\n  \"solver\": ");
    sp_text_quote(&text, facts->solver);
    sp_text_format(&text, ",\n  \"scene_hash\": \"%016llx\",\n  \"fps\": %.17g,\n  \"about\": ",
                   (unsigned long long)facts->scene_hash, facts->fps);
    sp_text_format(&text, "%s\n}\n", about ? about : "{}");
    const sp_status st = text.failed ? sp_fail(err, SP_NO_MEMORY, "%s: no memory to write it", path)
                                     : sp_cache_file_write_text(path, text.bytes, sync, err);
    sp_text_close(&text);
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
        return sp_fail(err, SP_BAD_INPUT, "%s: holds no run (no run.json in it)", dir);
    SP_TRY(sp_file_read(path, 0, host, &bytes, &count, err));
    json_t *root = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, NULL);
    sp_release(host, bytes);
    const sp_status st = facts_from_json(path, root, facts, err);
    json_decref(root);
    return st;
}
