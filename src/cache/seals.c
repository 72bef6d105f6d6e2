// SPDX-License-Identifier: Apache-2.0
/// Seals of the files of a run that have no header of their own, because other programs read them as
/// they are: DIR/seals.json holds their digests, and a digest of itself in its last line.
///
/// A file is replaced in two steps: seals.json gets the digest of the new bytes beside that of the
/// present ones, then the file is written. So after a kill in between the file matches one of the two.
/// When a run ends, only the newest digest is kept.
#include "cache/internal.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[SP_SEALED_COUNT] = {
    [SP_SEALED_RUN] = "run.json",
    [SP_SEALED_SCENE] = "scene.json",
    [SP_SEALED_STATIC] = "static.h5",
    [SP_SEALED_INDEX] = "run.xmf",
};
static const char own_key[] = "  \"seal\": \"";
enum { NO_FILE = 1 }; // the digest of a file that was not there before

const char *sp_sealed_name(sp_sealed which)
{
    return names[which];
}

/// ---- Writing -----------------------------------------------------------------------------------

void sp_seals_set(sp_seals *seals, sp_sealed which, const void *bytes, size_t count)
{
    const uint64_t digest = sp_hash(0, bytes, count);
    uint64_t *kept = seals->digest[which];
    if (digest == kept[0]) return;
    kept[1] = kept[0] ? kept[0] : NO_FILE;
    kept[0] = digest;
    seals->changed = true;
}

void sp_seals_set_scene(sp_seals *seals, const char *text)
{
    sp_seals_set(seals, SP_SEALED_SCENE, text, strlen(text));
    sp_scene_parts parts = sp_scene_parts_of(text);
    seals->changed = seals->changed || memcmp(&parts, &seals->scene, sizeof parts) != 0;
    seals->scene = parts;
}

void sp_seals_settle(sp_seals *seals)
{
    for (int i = 0; i < SP_SEALED_COUNT; ++i) {
        seals->changed = seals->changed || seals->digest[i][1];
        seals->digest[i][1] = 0;
    }
}

static void write_tail(uint64_t own, char *tail, size_t size)
{
    snprintf(tail, size, "%s%016llx\"\n}\n", own_key, (unsigned long long)own);
}

static void write_text(const sp_seals *seals, sp_text *text)
{
    char tail[64];
    sp_text_add(text, "{\n  \"spume_seals\": 1,\n");
    for (int i = 0; i < SP_SEALED_COUNT; ++i) {
        const uint64_t *digest = seals->digest[i];
        if (!digest[0]) continue;
        sp_text_format(text, "  \"%s\": [\"%016llx\"", names[i], (unsigned long long)digest[0]);
        if (digest[1]) sp_text_format(text, ", \"%016llx\"", (unsigned long long)digest[1]);
        sp_text_add(text, "],\n");
    }
    sp_text_format(text, "  \"look\": \"%016llx\",\n  \"rest\": \"%016llx\",\n",
                   (unsigned long long)seals->scene.look, (unsigned long long)seals->scene.rest);
    if (text->failed) return;
    write_tail(sp_hash(0, text->bytes, text->size), tail, sizeof tail);
    sp_text_add(text, tail);
}

sp_status sp_seals_write(sp_seals *seals, const char *dir, bool sync, const sp_host *host,
                         sp_error *err)
{
    char path[SP_PATH];
    if (!seals->changed) return SP_OK;
    snprintf(path, sizeof path, "%s/" SP_SEALS_FILE, dir);
    sp_text text = {.host = host};
    write_text(seals, &text);
    const sp_status st = text.failed ? sp_fail(err, SP_NO_MEMORY, "%s: no memory to write it", path)
                                     : sp_cache_file_write_text(path, text.bytes, sync, err);
    sp_text_close(&text);
    if (st == SP_OK) seals->given = true;
    if (st == SP_OK) seals->changed = false;
    return st;
}

/// ---- Reading -----------------------------------------------------------------------------------

static uint64_t read_digest(const json_t *value)
{
    const char *text = json_string_value(value);
    return text ? strtoull(text, NULL, 16) : 0;
}

/// Whether the last line holds the digest of all bytes before it.
static bool is_whole(const char *text)
{
    char tail[64];
    const char *own = strstr(text, own_key);
    if (own) write_tail(sp_hash(0, text, (size_t)(own - text)), tail, sizeof tail);
    return own && strcmp(own, tail) == 0;
}

static bool parse(const char *text, sp_seals *seals)
{
    json_t *root = is_whole(text) ? json_loads(text, 0, NULL) : NULL;
    for (int i = 0; i < SP_SEALED_COUNT && root; ++i)
        for (size_t k = 0; k < 2; ++k)
            seals->digest[i][k] = read_digest(json_array_get(json_object_get(root, names[i]), k));
    seals->scene.look = read_digest(json_object_get(root, "look"));
    seals->scene.rest = read_digest(json_object_get(root, "rest"));
    seals->given = root != NULL;
    json_decref(root);
    return seals->given;
}

sp_status sp_seals_read(const char *dir, const sp_host *host, sp_seals *seals, sp_error *err)
{
    char path[SP_PATH], *text;
    size_t count;
    *seals = (sp_seals){0};
    snprintf(path, sizeof path, "%s/" SP_SEALS_FILE, dir);
    if (access(path, F_OK) != 0) return SP_OK; // a run of an older version
    SP_TRY(sp_file_read(path, 1 << 20, host, &text, &count, err));
    const bool good = parse(text, seals);
    sp_release(host, text);
    return good ? SP_OK
                : sp_fail(err, SP_DAMAGED, "%s: is damaged, so edits of other files do not show",
                          path);
}

bool sp_seals_fit(const sp_seals *seals, sp_sealed which, const void *bytes, size_t count)
{
    const uint64_t *digest = seals->digest[which], found = sp_hash(0, bytes, count);
    return !digest[0] || found == digest[0] || found == digest[1];
}

bool sp_seals_confirm(sp_seals *seals, sp_sealed which, const void *bytes, size_t count)
{
    if (!sp_seals_fit(seals, which, bytes, count)) return false;
    sp_seals_set(seals, which, bytes, count);
    seals->digest[which][1] = 0;
    return true;
}

sp_status sp_sealed_check(const sp_seals *seals, sp_sealed which, const char *dir,
                          const sp_host *host, sp_error *err)
{
    char path[SP_PATH], *bytes;
    size_t count;
    const uint64_t *digest = seals->digest[which];
    if (!digest[0]) return SP_OK;
    snprintf(path, sizeof path, "%s/%s", dir, names[which]);
    if (access(path, F_OK) != 0)
        return digest[1] == NO_FILE ? SP_OK : sp_fail(err, SP_DAMAGED, "%s: is missing", path);
    SP_TRY(sp_file_read(path, 0, host, &bytes, &count, err));
    const bool fits = sp_seals_fit(seals, which, bytes, count);
    sp_release(host, bytes);
    return fits ? SP_OK
                : sp_fail(err, SP_DAMAGED, "%s: was damaged or edited (digest differs)", path);
}

/// ---- Scenes ------------------------------------------------------------------------------------

sp_scene_parts sp_scene_parts_of(const char *text)
{
    size_t length;
    const char *look = sp_resolved_value(text, "look", &length), *end = look ? look + length : text;
    const uint64_t before = sp_hash(0, text, look ? (size_t)(look - text) : 0);
    return (sp_scene_parts){.look = look ? sp_hash(0, look, length) : 0,
                            .rest = sp_hash(before, end, strlen(end))};
}

sp_scene_change sp_cache_scene_change(const sp_cache_list *list, const char *text)
{
    const sp_scene_parts parts = sp_scene_parts_of(text);
    if (parts.rest != list->scene_parts.rest) return SP_SCENE_EDITED;
    return parts.look == list->scene_parts.look ? SP_SCENE_SAME : SP_SCENE_LOOK_EDITED;
}
