// SPDX-License-Identifier: Apache-2.0
// links: cache frame core
/// Seals of the files of a run that have no header: each damage and each edit is named, and a kill
/// at any moment is neither.
#include "test_cache_drift.h"
#include "testing.h"

enum { LAST = 8 };

static const char scene[] = "{\n"
                            "  \"solver\": \"drift\",\n"
                            "  \"look\": {\n"
                            "    \"light\": \"studio\"\n"
                            "  },\n"
                            "  \"drift\": {\n"
                            "    \"kick\": 1\n"
                            "  }\n"
                            "}\n";

static sp_status scene_run(const char *dir, sp_run_mode mode, uint64_t last, sp_error *err)
{
    sp_writer_options options = drift_options(dir, mode);
    options.scene_text = scene;
    drift d;
    drift_start(&d);
    return drift_run(&options, HOST, &d, last, err);
}

/// How many files are damaged; the sentence about the first one goes to `text`.
static size_t count_damaged(const char *dir, char *text, size_t size)
{
    sp_cache_list list;
    assert_ok(sp_cache_list_open(dir, HOST, &list, ERR));
    assert_ok(sp_cache_list_check(&list, ERR));
    const size_t damaged = list.damaged;
    text[0] = '\0';
    for (int i = SP_CACHE_FILES; i-- > 0;)
        if (list.files[i].trouble) snprintf(text, size, "%s", list.files[i].trouble);
    sp_cache_list_close(&list);
    return damaged;
}

static void assert_sound(const char *dir)
{
    char text[512];
    if (count_damaged(dir, text, sizeof text) != 0) fail_msg("%s", text);
}

static void assert_named(const char *dir, const char *name, const char *what)
{
    char text[512], path[256];
    snprintf(path, sizeof path, "%s/%s: ", dir, name);
    assert_int_equal(count_damaged(dir, text, sizeof text), 1);
    if (!strstr(text, path) || !strstr(text, what)) fail_msg("%s: %s: %s", name, what, text);
}

/// Puts a text in place of the first `before` in a file.
static void edit(const char *path, const char *before, const char *after)
{
    char *text = read_file(path, NULL), *at = strstr(text, before);
    assert_non_null(at);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, after, at + strlen(before));
    fclose(file);
    free(text);
}

static void each_damaged_edited_or_missing_file_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"static.h5", "run.xmf", "seals.json", "run.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const char *dir = temporary_directory(), *path = path_in(dir, names[i]);
        size_t count;
        assert_ok(scene_run(dir, SP_RUN_NEW, LAST, ERR));
        assert_sound(dir);
        unsigned char *good = read_file(path, &count);
        for (size_t at = i == 3 ? count : 0; at < count; at += 1 + count / 97) {
            flip_bit(path, (long)at, (int)(at % 8));
            assert_named(dir, names[i], "");
            write_file(path, good, count);
        }
        write_file(path, good, count - 1); // cut short
        if (i < 3) assert_named(dir, names[i], "");
        write_file(path, good, count);
        if (i == 3) edit(path, "\"fps\": 24", "\"fps\": 25");
        if (i == 3) assert_named(dir, "run.json", "edited");
        if (i < 2) assert_int_equal(remove(path), 0);
        if (i < 2) assert_named(dir, names[i], "is missing");
        free(good);
        remove_directory(dir);
    }
}

static void statistics_that_were_edited_or_lost_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after, *says;
    } rows[] = {
        {"\"water_m3\":0.25", "\"water_m3\":0.35", "line 1, of frame 0, was damaged"},
        {"{\"frame\":3,", "{\"frame\":4,", "line 4"},
        {"{\"frame\":3,", "[\"frame\":3,", "line 4 was damaged"},
        {"\"seal\":\"", "\"sael\":\"", "line 2, of frame 1, was damaged or edited, or the one"},
        {"\n{\"frame\":2,", "\n\n{\"frame\":2,", "line 3"},
    };
    const char *dir = temporary_directory(), *path = path_in(dir, "stats.jsonl");
    assert_ok(scene_run(dir, SP_RUN_NEW, LAST, ERR));
    char *good = read_file(path, NULL), *third = strstr(good, "{\"frame\":3,"),
         *fourth = strstr(good, "{\"frame\":4,"), *last = strstr(good, "{\"frame\":8,");
    assert_true(third && fourth && last);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        write_text(path, good);
        edit(path, rows[i].before, rows[i].after);
        assert_named(dir, "stats.jsonl", rows[i].says);
    }
    FILE *file = fopen(path, "wb"); // a line is gone
    fprintf(file, "%.*s%s", (int)(third - good), good, fourth);
    fclose(file);
    assert_named(dir, "stats.jsonl", "line 4, of frame 4");
    write_file(path, good, (size_t)(fourth - good));
    assert_named(dir, "stats.jsonl", "has no line of frame 4");
    write_file(path, good, (size_t)(last - good)); // as killed after frame 8
    assert_sound(dir);
    write_file(path, good, (size_t)(last - good) + 9); // as killed within its line
    assert_sound(dir);
    assert_int_equal(remove(path), 0);
    assert_named(dir, "stats.jsonl", "is missing");
    free(good);
}

/// Edits of the look are allowed and are told from others.
static void edits_of_the_scene_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
        bool edited;
        sp_scene_change change;
    } rows[] = {
        {"studio", "studio", false, SP_SCENE_SAME},
        {"studio", "sky", true, SP_SCENE_LOOK_EDITED},
        {"\"kick\": 1", "\"kick\": 2", true, SP_SCENE_EDITED},
        {"drift", "draft", true, SP_SCENE_EDITED},
    };
    const char *dir = temporary_directory(), *path = path_in(dir, "scene.json");
    assert_ok(scene_run(dir, SP_RUN_NEW, LAST, ERR));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_cache_list list;
        write_text(path, scene);
        edit(path, rows[i].before, rows[i].after);
        assert_ok(sp_cache_list_open(dir, HOST, &list, ERR));
        assert_int_equal(list.scene_edited, rows[i].edited);
        assert_true(list.scene_sealed);
        assert_int_equal(sp_cache_scene_change(&list, list.scene_text), rows[i].change);
        sp_cache_list_close(&list);
    }
    assert_sound(dir); // an edited scene is no damage
    assert_ok(scene_run(dir, SP_RUN_RESUME, LAST + 1, ERR));
    char *log = read_file(path_in(dir, "log.jsonl"), NULL), *text = read_file(path, NULL);
    assert_non_null(strstr(log, "scene.json: was edited after the run; it is replaced"));
    assert_string_equal(text, scene);
    free(log);
    free(text);
}

/// Seals are written before the file. After a kill in between, the file is still the one before, or
/// not there; after two such kills as well.
static void file_that_a_kill_kept_from_being_replaced_is_sound(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    assert_ok(scene_run(dir, SP_RUN_NEW, LAST, ERR));
    for (int kill = 0; kill < 2; ++kill) {
        sp_writer_options options = drift_options(dir, SP_RUN_RESUME);
        sp_writer *run;
        char text[64];
        options.scene_text = scene;
        assert_ok(sp_writer_open(&options, HOST, &run, ERR));
        snprintf(text, sizeof text, "bytes that never came %d", kill);
        sp_seals_set(&run->seals, SP_SEALED_INDEX, text, strlen(text));
        assert_ok(sp_seals_write(&run->seals, dir, false, HOST, ERR));
        sp_writer_close(run);
        assert_sound(dir);
    }
    const char *fresh = temporary_directory();
    sp_writer_options options = drift_options(fresh, SP_RUN_NEW);
    sp_writer *run;
    assert_ok(sp_writer_open(&options, HOST, &run, ERR));
    sp_seals_set(&run->seals, SP_SEALED_STATIC, "new", 3);
    assert_ok(sp_seals_write(&run->seals, fresh, false, HOST, ERR));
    sp_writer_close(run);
    assert_sound(fresh);
}

static void seals_of_a_resumed_run_equal_those_of_a_straight_one(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *whole = temporary_directory();
    assert_ok(scene_run(dir, SP_RUN_NEW, 4, ERR));
    assert_ok(scene_run(dir, SP_RUN_RESUME, LAST, ERR));
    assert_ok(scene_run(whole, SP_RUN_NEW, LAST, ERR));
    char *a = read_file(path_in(dir, "seals.json"), NULL),
         *b = read_file(path_in(whole, "seals.json"), NULL);
    assert_string_equal(a, b);
    assert_sound(dir);
    free(a);
    free(b);
}

static void run_of_an_older_version_has_no_seals_and_goes_on(void **state)
{
    (void)state;
    const char *dir = temporary_directory(), *stats = path_in(dir, "stats.jsonl");
    sp_cache_list list;
    assert_ok(scene_run(dir, SP_RUN_NEW, LAST, ERR));
    assert_int_equal(remove(path_in(dir, "seals.json")), 0);
    char *text = read_file(stats, NULL);
    FILE *file = fopen(stats, "wb");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        fprintf(file, "%.*s}\n", (int)(strstr(line, ",\"seal\"") - line), line);
    fclose(file);
    free(text);
    assert_sound(dir);
    assert_ok(sp_cache_list_open(dir, HOST, &list, ERR));
    assert_true(!list.scene_sealed && !list.scene_edited);
    sp_cache_list_close(&list);
    assert_ok(scene_run(dir, SP_RUN_RESUME, LAST + 3, ERR));
    assert_sound(dir);
    assert_true(has_file(dir, "seals.json"));
    edit(stats, "\"frame\":10,", "\"frame\":11,"); // a line that was added is sealed
    assert_named(dir, "stats.jsonl", "line 11");
}

/// A tree of JSON takes a hundred times its text, and the host does not see it.
static void run_json_of_megabytes_is_refused_before_it_is_parsed(void **state)
{
    (void)state;
    enum { LISTS = 1 << 20 };
    const char *dir = temporary_directory();
    sp_cache_list list;
    assert_ok(scene_run(dir, SP_RUN_NEW, 2, ERR));
    FILE *file = fopen(path_in(dir, "run.json"), "wb");
    for (int i = 0; i < LISTS; ++i)
        fputs(i ? ",[]" : "[[]", file);
    fputs("]", file);
    fclose(file);
    assert_fails(sp_cache_list_open(dir, HOST, &list, ERR), SP_IO, "run.json: more than 1 MB");
    sp_cache_list_close(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_damaged_edited_or_missing_file_is_named),
        cmocka_unit_test(statistics_that_were_edited_or_lost_are_named),
        cmocka_unit_test(edits_of_the_scene_are_told_apart),
        cmocka_unit_test(file_that_a_kill_kept_from_being_replaced_is_sound),
        cmocka_unit_test(seals_of_a_resumed_run_equal_those_of_a_straight_one),
        cmocka_unit_test(run_of_an_older_version_has_no_seals_and_goes_on),
        cmocka_unit_test(run_json_of_megabytes_is_refused_before_it_is_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
