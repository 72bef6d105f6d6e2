// SPDX-License-Identifier: Apache-2.0
// links: render cache scene bubbles liquid sph pond still solver shapes look frame core
/// Every key of every solver does something. The argument is a group of scenes: liquid, sph, pond, bubbles or picture. The test walks the tables of keys over small scenes (tests/data/keys), gives
/// each key another value, and wants another byte in a frame, a picture or a file of the run, or a message that names
/// the key. Every word of a key counts. tests/data/keys/table.json lists values to try where the usual ones would be
/// refused or do too little, and keys that cannot act in a small scene, with reasons.
#include "cache/internal.h"
#include "liquid/liquid.h"
#include "logging_host.h"
#include "render/render.h"
#include "scene/scene.h"
#include "temporary.h"

#include <jansson.h>
#include <math.h>

enum { MOST_BASES = 32, MOST_ROWS = 1200, WIDE = 40, TALL = 24, MOST_VALUES = 16 };
static const char folder[] = SPUME_SOURCE_DIR "/tests/data/keys";

/// A scene whose keys are changed, one at a time.
typedef struct base {
    char path[512];
    const sp_solver_type *solver;
    json_t *json; ///< resolved
    bool picture; ///< its last frame is drawn
    sp_render_preset preset;
    uint64_t result; ///< of the scene as it is
    uint64_t run;    ///< of its run's directory; 0: not run so far
} base;

/// A key of a solver, wherever it stands in its scenes.
typedef struct row {
    const sp_solver_type *solver;
    char pattern[256]; ///< "colliders[].shape.box.min"
    const sp_key *key;
    uint64_t acted; ///< pair_bit() of words that differ; any bit for other types
    bool refused;   ///< it acts by a refusal, so that keys below it cannot be given
} row;

static const char *group; ///< the scenes whose names begin so
static base bases[MOST_BASES];
static row rows[MOST_ROWS];
static size_t base_count, row_count, trials;
static json_t *table;

/// ---- What a scene does -------------------------------------------------------------------------

static uint64_t hash_frame(uint64_t hash, const sp_frame *frame)
{
    sp_h5_image image;
    assert_ok(sp_frame_image_open(&image, frame, false, HOST, ERR));
    hash = sp_hash(hash, image.bytes + SP_SEAL, image.count - SP_SEAL);
    sp_h5_image_close(&image);
    return hash;
}

static sp_status hash_picture(const base *b, const sp_scene *scene, const sp_frame *frame,
                              const sp_host *host, uint64_t *hash, sp_error *err)
{
    static unsigned char pixels[3 * 256 * 256];
    const sp_world_def *world = &scene->common.world;
    sp_colliders colliders;
    int layers;
    sp_status st = sp_colliders_open(&colliders, world, host, NULL, NULL, err);
    sp_render_options options = {.preset = b->preset,
                                 .look = &scene->common.look,
                                 .colliders = colliders.shapes,
                                 .collider_count = colliders.count,
                                 .domain = world->domain};
    if (st == SP_OK) st = sp_render_size(&options, &options.width, &options.height, &layers, err);
    assert_true(options.width <= 256 && options.height <= 256);
    if (st == SP_OK) st = sp_render_pixels(frame, &options, pixels, host, err);
    *hash = sp_hash(*hash, pixels, 3 * (size_t)options.width * (size_t)options.height);
    sp_colliders_close(&colliders);
    return st;
}

static sp_status run_frames(const sp_scene *scene, const base *b, const sp_host *host,
                            uint64_t *hash, sp_error *err)
{
    sp_driver *driver;
    const sp_frame *frame;
    SP_TRY(sp_scene_drive(scene, 0.0, (sp_watch){0}, NULL, host, &driver, err));
    sp_status st = sp_driver_frame(driver, &frame, err);
    for (uint64_t k = 0; st == SP_OK; ++k) {
        *hash = hash_frame(*hash, frame);
        if (k == scene->common.frames) break;
        st = sp_driver_step(driver, err);
        if (st == SP_OK) st = sp_driver_frame(driver, &frame, err);
    }
    if (st == SP_OK && b->picture) st = hash_picture(b, scene, frame, host, hash, err);
    sp_driver_close(driver);
    return st;
}

/// Runs a scene with up to two changes (NULL: none). Messages stay in ERR and in the log.
static sp_status run_scene(const base *b, const char *first, const char *second, uint64_t *hash)
{
    const sp_host host = logging_host(1);
    sp_scene_options options = sp_scene_options_defaults();
    const char *set[2] = {first ? first : second, second};
    sp_scene *scene;
    options.set = set;
    options.set_count = (size_t)(first != NULL) + (second != NULL);
    *hash = 0;
    *ERR = (sp_error){0};
    ++trials;
    SP_TRY(sp_scene_open(b->path, &options, &host, &scene, ERR));
    const sp_status st = run_frames(scene, b, &host, hash, ERR);
    sp_scene_close(scene);
    return st;
}

/// The names and bytes of what the program writes for such a scene.
static uint64_t hash_run(const base *b, const char *set)
{
    static const char *const folders[] = {"frames", "checkpoint"};
    const char *dir = temporary_directory();
    char command[2048], path[700];
    uint64_t hash = 0;
    snprintf(command, sizeof command, "'%s' run '%s' -o '%s/run' --quiet --set '%s'", SPUME_PROGRAM,
             b->path, dir, set);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 100; ++k) {
            size_t count;
            snprintf(path, sizeof path, "%s/run/%s/%06d.%s", dir, folders[i], k, i ? "ckpt" : "h5");
            if (access(path, F_OK) != 0) continue;
            void *bytes = read_file(path, &count);
            hash = sp_hash(hash + (uint64_t)k, bytes, count);
            free(bytes);
        }
    remove_directory(dir);
    return hash;
}

/// ---- Values ------------------------------------------------------------------------------------

/// Values to try for a key that has `now`, as JSON texts in `out`; how many.
static size_t usual_values(const sp_key *key, const json_t *now, char out[][128])
{
    const double v = json_number_value(now);
    switch (key->type) {
    case SP_KEY_BOOL:
        snprintf(out[0], 128, "%s", json_is_true(now) ? "false" : "true");
        return 1;
    case SP_KEY_I32:
    case SP_KEY_U64:
        snprintf(out[0], 128, "%.0f", v + 1.0 <= key->max ? v + 1.0 : v - 1.0);
        return 1;
    case SP_KEY_F32:
    case SP_KEY_F64: {
        const double other = v == 0.0 ? fmin(0.1, key->max) : 1.5 * v;
        const bool allowed = other >= key->min && other <= key->max;
        snprintf(out[0], 128, "%.9g", allowed ? other : 0.5 * v);
        return 1;
    }
    case SP_KEY_VEC3: {
        double x[3];
        for (size_t c = 0; c < 3; ++c) {
            const double at = json_number_value(json_array_get(now, c)),
                         step = 0.07 + 0.02 * (double)c;
            x[c] = at + step <= key->max ? at + step : at - step;
        }
        snprintf(out[0], 128, "[%.9g, %.9g, %.9g]", x[0], x[1], x[2]);
        return 1;
    }
    case SP_KEY_TEXT:
        snprintf(out[0], 128, "\"another\"");
        return 1;
    case SP_KEY_LIST:
        snprintf(out[0], 128, "[]");
        return 1;
    case SP_KEY_OPTION:
        snprintf(out[0], 128, "null");
        return 1;
    case SP_KEY_HEIGHTS:
        snprintf(out[0], 128, "[[0.5, 0.2, 0.3], [0.1, 0.7, 0.4]]");
        return 1;
    case SP_KEY_CHOICE:
    case SP_KEY_CHOICES:
    case SP_KEY_OBJECT:
        break;
    }
    return 0;
}

/// What a part of the table says of a key: of this solver, or of all.
static json_t *entry_of(const char *part, const row *r)
{
    char own[320];
    json_t *entries = json_object_get(table, part);
    snprintf(own, sizeof own, "%s: %s", r->solver->name, r->pattern);
    json_t *entry = json_object_get(entries, own);
    return entry ? entry : json_object_get(entries, r->pattern);
}

/// The values of the table for a key, or else the usual ones.
static size_t values_for(const row *r, const json_t *now, char out[][128])
{
    json_t *list = entry_of("try", r);
    if (!list && json_is_null(now) && r->key->type != SP_KEY_TEXT) return 0;
    if (!list) return usual_values(r->key, now, out);
    assert_true(json_array_size(list) <= MOST_VALUES);
    for (size_t i = 0; i < json_array_size(list); ++i) {
        char *text = json_dumps(json_array_get(list, i), JSON_ENCODE_ANY | JSON_COMPACT);
        snprintf(out[i], 128, "%s", text);
        free(text);
    }
    return json_array_size(list);
}

/// ---- Trials ------------------------------------------------------------------------------------

/// Whether a message holds the word that a key was set to.
static bool names_value(const char *message, const char *set)
{
    char word[64];
    const char *value = strchr(set, '=') + 1;
    if (*value != '"') return false;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(value + 1, "\""), value + 1);
    return strstr(message, word) != NULL;
}

static bool ends_with_null(const char *set)
{
    return strcmp(strchr(set, '='), "=null") == 0;
}

/// The same for a key that needs another one to be changed first.
static bool shows_with(const base *b, row *r, const char *with, const char *set)
{
    uint64_t before, after;
    run_scene(b, with, NULL, &before);
    const sp_error said = *ERR;
    run_scene(b, with, set, &after);
    r->refused = strstr(ERR->text, r->key->name) != NULL;
    return before != after || strcmp(said.text, ERR->text) != 0;
}

/// Whether a change shows: in the bytes, in a warning that names the key, or in a refusal that names the key or its
/// value.
static bool shows(base *b, row *r, const char *set)
{
    uint64_t hash;
    if (strncmp(r->pattern, "cache.", 6) == 0) {
        if (!b->run) b->run = hash_run(b, "seed=1");
        return hash_run(b, set) != b->run;
    }
    const char *with = json_string_value(entry_of("with", r));
    if (with) return shows_with(b, r, with, set);
    const sp_status st = run_scene(b, NULL, set, &hash);
    if (st == SP_OK && hash != b->result) return true;
    if (st == SP_OK) return strstr(logged, r->key->name) || names_value(logged, set);
    const bool message = st == SP_BAD_INPUT || st == SP_IO;
    r->refused = message && !ends_with_null(set) && strstr(ERR->text, r->key->name);
    if (r->refused || (message && names_value(ERR->text, set))) return true;
    if (message && strstr(ERR->text, r->key->name)) return true;
    print_message("%s --set '%s': %s\n", strrchr(b->path, '/') + 1, set, ERR->text);
    return false;
}

/// What a scene gives with a word: a number for its bytes, or for a message that names the key or the word. 0: neither.
static uint64_t result_of(const base *b, const row *r, const char *set)
{
    uint64_t hash;
    if (run_scene(b, NULL, set, &hash) == SP_OK) return hash;
    const bool named = strstr(ERR->text, r->key->name) || names_value(ERR->text, set);
    return named ? sp_hash(1, ERR->text, strlen(ERR->text)) : 0;
}

static uint64_t pair_bit(int a, int b)
{
    return (uint64_t)1 << (8 * a + b);
}

/// Whether a key did all it should.
static bool is_done(const row *r)
{
    uint64_t all = 0;
    if (r->key->type != SP_KEY_CHOICE && r->key->type != SP_KEY_CHOICES) return r->acted;
    for (int w = 0; r->key->choices[w]; ++w)
        for (int v = 0; v < w; ++v)
            all |= pair_bit(v, w);
    return (r->acted & all) == all;
}

/// Each word must differ from each other one, in some scene.
static void try_words(base *b, row *r, const char *path, const json_t *now)
{
    const char *const *words = r->key->choices;
    const char *word = json_string_value(json_is_array(now) ? json_array_get(now, 0) : now);
    uint64_t result[8] = {0};
    for (int w = 0; words[w] && !is_done(r); ++w) {
        char set[300];
        assert_true(w < 8);
        snprintf(set, sizeof set, "%s=\"%s\"", path, words[w]);
        result[w] = strcmp(words[w], word) == 0 ? b->result : result_of(b, r, set);
        for (int v = 0; v < w; ++v)
            if (result[v] && result[w] && result[v] != result[w]) r->acted |= pair_bit(v, w);
    }
}

static void try_values(base *b, row *r, const char *path, const json_t *now)
{
    char values[MOST_VALUES][128], set[512];
    const size_t count = r->acted ? 0 : values_for(r, now, values);
    for (size_t i = 0; i < count && !r->acted; ++i) {
        snprintf(set, sizeof set, "%s=%s", path, values[i]);
        if (shows(b, r, set)) r->acted = 1;
    }
}

/// A look does not depend on the solver: its keys have one row for all.
static row *row_of(const base *b, const char *pattern, const sp_key *key)
{
    const bool look = strncmp(pattern, "look", 4) == 0;
    for (size_t i = 0; i < row_count; ++i)
        if ((look || rows[i].solver == b->solver) && strcmp(rows[i].pattern, pattern) == 0)
            return &rows[i];
    assert_true(row_count < MOST_ROWS);
    rows[row_count] = (row){.solver = b->solver, .key = key};
    snprintf(rows[row_count].pattern, sizeof rows[row_count].pattern, "%s", pattern);
    return &rows[row_count++];
}

/// Looks need pictures, and the keys of the cache are the same for all solvers: each is tried in one group.
static bool belongs(const base *b, const char *key)
{
    if (strcmp(key, "look") == 0) return b->picture;
    if (strcmp(key, "cache") == 0) return strcmp(group, "pond") == 0;
    return !b->picture || strcmp(b->solver->name, "still") == 0;
}

/// Keys of the water that bubbles may be in: they are the liquid's, and are tried in its group.
static bool is_of_water(const base *b, const sp_key *key, int depth)
{
    if (strcmp(b->solver->name, "bubbles") != 0) return false;
    return key->items == &sp_liquid_keys ||
           (depth == 0 && (strcmp(key->name, "emitters") == 0 || strcmp(key->name, "sinks") == 0));
}

/// Tries all keys of a table at one place of a scene, and those below them. A place that the scene does not have (null)
/// makes rows all the same, so that no key is forgotten.
static void walk(base *b, const sp_keys *keys, const json_t *node, const char *path,
                 const char *pattern, int depth)
{
    for (size_t i = 0; i < keys->count && depth < 8; ++i) {
        const sp_key *key = &keys->keys[i];
        const json_t *now = json_object_get(node, key->name);
        char at[256], at_pattern[256], below[300], below_pattern[300];
        snprintf(at, sizeof at, "%.200s%.50s", path, key->name);
        snprintf(at_pattern, sizeof at_pattern, "%.200s%.50s", pattern, key->name);
        if (depth == 0 && (!now || !belongs(b, key->name)))
            continue; // or one that the solver refuses
        if (is_of_water(b, key, depth)) continue;
        if (key->type != SP_KEY_OBJECT) {
            row *r = row_of(b, at_pattern, key);
            const bool words = key->type == SP_KEY_CHOICE || key->type == SP_KEY_CHOICES;
            if (words && now)
                try_words(b, r, at, now);
            else if (now)
                try_values(b, r, at, now);
        }
        if (!key->items) continue;
        const size_t count = key->type == SP_KEY_LIST && now ? json_array_size(now) : 0;
        for (size_t k = 0; k < (count ? count : 1); ++k) {
            const bool list = key->type == SP_KEY_LIST;
            snprintf(below, sizeof below, list ? "%.240s[%zu]." : "%.240s.", at, k);
            snprintf(below_pattern, sizeof below_pattern, list ? "%.240s[]." : "%.240s.",
                     at_pattern);
            walk(b, key->items, list ? json_array_get(now, k) : now, below, below_pattern,
                 depth + 1);
        }
    }
}

/// World keys that a solver does not have are refused by name.
static void try_refused(base *b)
{
    static const struct {
        const char *key, *set;
    } given[] = {
        {"gravity", "gravity=[0, -1, 0]"},
        {"domain", "domain={\"min\": [0, 0, 0], \"max\": [1, 1, 1]}"},
        {"colliders",
         "colliders=[{\"shape\": {\"sphere\": {\"center\": [9, 9, 9], \"radius\": 1}}}]"},
        {"emitters",
         "emitters=[{\"shape\": {\"sphere\": {\"center\": [9, 9, 9], \"radius\": 1}}}]"},
        {"sinks", "sinks=[{\"shape\": {\"sphere\": {\"center\": [9, 9, 9], \"radius\": 1}}}]"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; ++i) {
        uint64_t hash;
        if (json_object_get(b->json, given[i].key)) continue;
        assert_int_equal(run_scene(b, NULL, given[i].set, &hash), SP_BAD_INPUT);
        if (!strstr(ERR->text, given[i].key)) fail_msg("%s: %s", given[i].key, ERR->text);
    }
}

/// ---- All of them -------------------------------------------------------------------------------

static void open_base(const char *name)
{
    base *b = &bases[base_count++];
    sp_scene *scene;
    char *text;
    assert_true(base_count <= MOST_BASES);
    snprintf(b->path, sizeof b->path, "%s/%s", folder, name);
    b->picture = strncmp(name, "picture", 7) == 0;
    b->preset = strstr(name, "final") ? SP_PRESET_FINAL : SP_PRESET_DRAFT;
    assert_ok(sp_scene_open(b->path, NULL, HOST, &scene, ERR));
    assert_ok(sp_scene_resolved(scene, &text, ERR));
    b->solver = scene->solver;
    b->json = json_loads(text, 0, NULL);
    assert_non_null(b->json);
    sp_release(scene->host, text);
    sp_scene_close(scene);
    const sp_status st = run_scene(b, NULL, NULL, &b->result);
    if (st != SP_OK) fail_msg("%s: %s", name, ERR->text);
    if (warnings) print_message("%s: %s\n", name, last_warning);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const base *)a)->path, ((const base *)b)->path);
}

static void open_bases(void)
{
    char path[600];
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strncmp(entry->d_name, group, strlen(group)) == 0) open_base(entry->d_name);
    closedir(dir);
    qsort(bases, base_count, sizeof *bases, by_path);
    snprintf(path, sizeof path, "%s/table.json", folder);
    table = json_load_file(path, 0, NULL);
    assert_non_null(table);
}

/// Whether a key cannot be given, because the solver refuses one above it.
static bool is_out_of_reach(const row *r)
{
    for (size_t i = 0; i < row_count; ++i) {
        const row *above = &rows[i];
        const size_t n = strlen(above->pattern);
        if (above->refused && above->solver == r->solver && above->key->type == SP_KEY_OPTION &&
            strncmp(above->pattern, r->pattern, n) == 0 && r->pattern[n] == '.')
            return true;
    }
    return false;
}

static void every_key_changes_a_byte_or_a_message(void **state)
{
    (void)state;
    size_t idle = 0, wrong = 0;
    open_bases();
    for (size_t i = 0; i < base_count; ++i) {
        base *b = &bases[i];
        try_refused(b);
        walk(b, &sp_scene_common_keys, b->json, "", "", 0);
        char path[64];
        snprintf(path, sizeof path, "%s.", b->solver->name);
        if (belongs(b, b->solver->name))
            walk(b, b->solver->keys, json_object_get(b->json, b->solver->name), path, path, 1);
    }
    for (size_t i = 0; i < row_count; ++i) {
        const row *r = &rows[i];
        const bool done = is_done(r) || is_out_of_reach(r), excused = entry_of("idle", r);
        idle += excused;
        if (done != excused) continue;
        ++wrong;
        print_error("%s: %s: %s (%llx)\n", r->solver->name, r->pattern,
                    done ? "acts, but table.json calls it idle" : "does nothing",
                    (unsigned long long)r->acted);
    }
    print_message("%zu keys, %zu of them idle for a reason, %zu trials\n", row_count, idle, trials);
    assert_int_equal(wrong, 0);
    for (size_t i = 0; i < base_count; ++i)
        json_decref(bases[i].json);
    json_decref(table);
}

int main(int argc, char **argv)
{
    group = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_changes_a_byte_or_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
