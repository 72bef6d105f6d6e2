// SPDX-License-Identifier: Apache-2.0
// links: scene pond
/// Error messages of wrong scenes: each names file, line, key path and the allowed values.
#include "test_scene.h"

#include <dirent.h>

/// Each file under tests/data/bad_scenes, the line at fault (0: the whole file), the key's path,
/// and words that must be in the message: the value or the allowed values.
static const struct bad_scene {
    const char *file;
    int line;
    const char *path, *words;
} bad_scenes[] = {
    {"01_out_of_range", 4, "pond.foam_life", "-1 s; expected 0.05 to 60"},
    {"02_unknown_key", 5, "pond.foam_lief", "unknown key; did you mean foam_life?"},
    {"03_text_for_number", 3, "pond.foam_life", "the text \"two\"; expected a number, 0.05 to 60"},
    {"04_fraction_for_whole", 3, "pond.nx", "50.5; expected a whole number, 8 to 4096"},
    {"05_million_million_cells", 3, "pond.nx", "1000000000000 cells; expected 8 to 4096"},
    {"06_too_large_to_read", 4, "pond.dx", "too large"},
    {"07_integer_too_large_to_read", 3, "pond.nx", "too large"},
    {"08_unknown_word", 3, "pond.foam_tension_model", "\"triple\"; expected pair or color"},
    {"09_three_of_four_words", 3, "pond.boundary", "3 words; expected one or four"},
    {"10_unknown_word_in_list", 3, "pond.boundary[3]", "\"periodic\"; expected reflect or open"},
    {"11_missing_in_list", 5, "pond.nozzles[1].y", "missing; expected 0 to 100000 m"},
    {"12_too_many_entries", 3, "pond.heaters", "9 entries; expected 0 to 8"},
    {"13_number_for_list", 3, "pond.nozzles", "3; expected a list"},
    {"14_number_in_list", 5, "pond.nozzles[1]", "7; expected an object"},
    {"15_number_for_bool", 3, "pond.coalescence", "1; expected true or false"},
    {"16_no_version", 1, "spume", "missing; expected \"spume\": 1"},
    {"17_newer_version", 2, "spume", "2; this Spume reads scenes up to 1"},
    {"18_version_is_text", 1, "spume", "the text \"1\"; expected 1"},
    {"19_no_solver", 1, "solver", "missing; expected pond"},
    {"20_unknown_solver", 2, "solver", "\"pnod\"; did you mean pond?"},
    {"21_given_twice", 5, "pond.nx", "given twice"},
    {"22_text_after_the_end", 7, "", "text after the end of the scene"},
    {"23_cut_short", 4, "pond.nozzles[1]", "the text ends too early"},
    {"24_missing_comma", 4, "pond.nx", "expected ',' or '}' near '\"ny\"'"},
    {"25_endless_comment", 2, "", "a comment that never ends; expected */"},
    {"26_zero_byte", 2, "about", "a zero byte; expected text"},
    {"27_not_utf8", 2, "about", "not UTF-8 text"},
    {"28_not_an_object", 1, "", "expected an object"},
    {"29_empty", 1, "", "the text ends too early"},
    {"30_nested_too_deep", 3, "pond.ground[0][0][0][0][0][0][0][0][0][0][0][0][0][0]",
     "nested more than 64 deep"},
    {"31_ragged_ground", 5, "pond.ground[1]", "expected a row of 3 numbers"},
    {"32_text_in_ground", 5, "pond.ground[1][1]", "the text \"deep\"; expected a number"},
    {"33_no_such_picture", 4, "pond.ground", "nowhere.pgm: No such file or directory"},
    {"34_picture_is_no_picture", 3, "pond.ground", "expected PGM (P2 or P5) or PNG"},
    {"35_picture_too_large", 3, "pond.ground", "9999999 x 9999999 samples"},
    {"36_picture_cut_short", 4, "pond.ground",
     "../scenes/short.pgm: a PGM cut short: 7 bytes of samples; expected 16"},
    {"37_unknown_outside", 2, "foam_life", "unknown key; did you mean pond.foam_life?"},
    {"38_unknown_in_option", 5, "pond.heaters[0].path.circel", "did you mean circle?"},
    {"39_list_for_object", 2, "pond", "a list; expected an object"},
    {"40_two_numbers_for_three", 3, "look.camera.from", "2 numbers; expected three"},
    {"41_unknown_key_in_a_size", 5, "pond.nxx", "unknown key; did you mean nx?"},
    {"42_bad_value_in_a_size", 4, "pond.nx", "4 cells; expected 8 to 4096"},
    {"43_negative_frames", 3, "frames", "-1 frames; expected 0 to 1000000000"},
    {"44_other_solvers_keys", 2, "liquid", "unknown key"},
    {"45_beyond_float", 3, "pond.nozzles[0].x", "1e+39 m; expected 0 to 100000"},
    {"46_keyframe_without_time", 6, "pond.obstacles[0].path.keyframes[1].t", "missing; expected"},
    {"47_newline_in_text", 2, "about", "not JSON"},
    {"48_odd_key", 2, "a?key: with ? odd letters", "unknown key"},
    {"49_seed_beyond_exact", 2, "seed", "9007199254740992; expected 0 to 9007199254740991"},
    {"50_path_in_size_is_no_path", 3, "sizes.laptop.pond..nx", "not a key path"},
    {"51_unknown_material", 2, "colliders[0].material", "\"cheese\"; expected glass"},
    {"52_material_twice", 2, "look.materials[1].name", "the same as materials[0]"},
    {"53_two_shapes", 2, "colliders[0].shape", "2 shapes; expected one of"},
    {"54_camera_on_its_target", 2, "look.camera", "the same point (1, 2, 3)"},
    {"55_box_corners_swapped", 2, "colliders[0].shape.box", "expected min below max"},
    {"56_domain_corners_swapped", 3, "domain", "y from 1 to 1 m; expected min below max"},
    {"57_jet_without_direction", 3, "emitters[0].direction", "(0, 0, 0); expected a direction"},
    {"58_jet_without_radius", 4, "emitters[1].radius", "0 m; a jet needs more than 0"},
    {"59_jet_with_a_shape", 2, "emitters[0].shape", "a jet leaves through a disc; expected none"},
    {"60_fill_without_shape", 2, "emitters[0].shape", "0 shapes; expected one of box"},
    {"61_fill_with_a_radius", 3, "emitters[0].radius", "only a jet has one; expected none"},
    {"62_fill_that_starts_late", 3, "emitters[0].start", "a fill acts once, at time 0"},
    {"63_jet_that_stops_before_it_starts", 3, "emitters[0].stop",
     "2 s; expected later than start, 2 s"},
    {"64_emitter_name_twice", 4, "emitters[1].name",
     "\"pool\" is also the name of emitters[0]; expected another"},
    {"65_emitter_with_an_odd_name", 2, "emitters[0].name", "without slashes"},
    {"66_jet_with_a_velocity", 3, "emitters[0].velocity",
     "a jet has a direction and a speed; expected none"},
    {"67_pond_with_emitters", 3, "emitters", "the pond solver has no emitters; expected none"},
    {"68_pond_on_the_moon", 2, "gravity",
     "the pond solver has no gravity but its own; expected [0, -9.81, 0]"},
    {"69_pond_with_a_domain", 2, "domain", "the pond solver has no domain; expected none"},
    {"70_pond_with_sinks", 2, "sinks", "the pond solver has no sinks; expected none"},
    {"71_unknown_shape", 2, "colliders[0].shape.ball",
     "unknown key; expected box, sphere, cylinder, capsule, torus, plane, mesh or heightfield"},
};
enum { BAD_SCENES = sizeof bad_scenes / sizeof *bad_scenes };

static sp_status open_bad(const char *file, const sp_host *host, sp_error *err)
{
    char name[200];
    size_t length;
    snprintf(name, sizeof name, "bad_scenes/%s.json", file);
    char *text = load_data(name, &length);
    sp_scene *scene = (sp_scene *)1;
    const sp_status st =
        sp_scene_read(name, text, length, NULL, scene_solvers, SCENE_SOLVERS, host, &scene, err);
    assert_null(scene);
    free(text);
    return st;
}

static void a_bad_scene_gets_one_sentence_with_file_line_and_path(void **state)
{
    (void)state;
    for (int i = 0; i < BAD_SCENES; ++i) {
        const struct bad_scene *bad = &bad_scenes[i];
        assert_int_equal(open_bad(bad->file, HOST, ERR), SP_BAD_INPUT);
        char begin[600];
        snprintf(begin, sizeof begin, "bad_scenes/%s.json:%d: %s%s", bad->file, bad->line,
                 bad->path, bad->path[0] ? ": " : "");
        if (strncmp(ERR->text, begin, strlen(begin)) != 0 || !strstr(ERR->text, bad->words))
            fail_msg("%s: \"%s\"", bad->file, ERR->text);
        assert_null(strpbrk(ERR->text, "\n\r\a"));
    }
}

static void every_bad_scene_is_in_the_table(void **state)
{
    (void)state;
    DIR *folder = opendir("bad_scenes");
    assert_non_null(folder);
    int files = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        files += strstr(entry->d_name, ".json") != NULL;
    closedir(folder);
    assert_int_equal(files, BAD_SCENES);
}

/// The documented limits are 100 ms and 50 MB. This test checks the memory of reading;
/// tests/programs/test_refuse_early.c measures the program.
static void oversized_grid_is_refused_before_allocating(void **state)
{
    (void)state;
    const sp_host inner = sp_host_default(1);
    sp_budget budget;
    const sp_host host = sp_budget_host(&budget, &inner, 0);
    const double begin = host.clock(host.user);
    assert_int_equal(open_bad("05_million_million_cells", &host, ERR), SP_BAD_INPUT);
    assert_true(host.clock(host.user) - begin < 0.1);
    assert_true(atomic_load(&budget.peak) < 50u << 20);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void a_bad_override_is_named_as_it_was_given(void **state)
{
    (void)state;
    static const char *const text =
        "{ \"spume\": 1, \"solver\": \"pond\",\n"
        "  \"look\": { \"camera\": { \"from\": [1, 2, 3], \"to\": [0, 0, 0] } },\n"
        "  \"pond\": { \"nozzles\": [ { \"x\": 0.1, \"y\": 0.1 } ] } }";
    static const char *const rows[][2] = {
        {"pond.foam_life=-1", "pond.foam_life: -1 s; expected 0.05 to 60"},
        {"pond.foam_lief=2", "pond.foam_lief: unknown key; did you mean foam_life?"},
        {"foam_life=2", "foam_life: unknown key; did you mean pond.foam_life?"},
        {"pond.fps=2", "pond.fps: unknown key; did you mean fps, outside pond?"},
        {"pond.foam_life=long", "pond.foam_life: the text \"long\"; expected a number, 0.05 to 60"},
        {"pond.boundary=wavy", "pond.boundary: \"wavy\"; expected reflect or open"},
        {"pond.nozzles[1].rate=3", "pond.nozzles[1]: no such entry; the scene lists 1"},
        {"pond.nozzles[0].rate=-3", "pond.nozzles[0].rate: -3 1/s; expected 0 to 10000"},
        {"pond.nozzles.rate=3", "pond.nozzles: a list; expected an index such as nozzles[0]"},
        {"pond.nozzles[0]={\"x\": 1}", "pond.nozzles[0].y: missing; expected 0 to 100000 m"},
        {"pond.nx[0]=3", "pond.nx: a single value; expected nothing after its name"},
        {"pond[0]=3", "pond: not a list; expected no index"},
        {"pond.nx", "expected path=value, such as fps=30"},
        {"=3", "expected path=value"},
        {"pond.nozzles[x].rate=1", "expected path=value"},
        {"pond.nx=1e999", "pond.nx: a number too large to read"},
        {"pond=3", "pond: 3; expected an object"},
        {"solver=liquid", "solver: cannot be changed"},
        {"pond.foam_life=\xff", "pond.foam_life: not UTF-8 text"},
        {"pond.dam=9", "pond.dam: 9 m; expected inside the pond"},
        {"look.camera.to=[1,2,3]", "look.camera: from and to are the same point (1, 2, 3)"},
        {"sph.nx=3", "sph: unknown key; the scene's solver is pond"},
        {"pond.quaternion=3", "pond.quaternion: unknown key; expected nx, "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const sp_scene_options options = {
            .struct_size = sizeof(sp_scene_options), .set = &rows[i][0], .set_count = 1};
        sp_scene *scene;
        assert_int_equal(open_text(text, &options, HOST, &scene, ERR), SP_BAD_INPUT);
        char begin[400];
        snprintf(begin, sizeof begin, "--set %s: %s", rows[i][0], rows[i][1]);
        if (strncmp(ERR->text, begin, strlen(begin)) != 0) fail_msg("\"%s\"", ERR->text);
    }
}

static void refusal_of_a_solver_names_the_line_of_its_key(void **state)
{
    (void)state;
    sp_scene *scene;
    assert_int_equal(open_text("{ \"spume\": 1, \"solver\": \"pond\", \"pond\": {\n\"nx\": 50,\n\n"
                               "\"dam\": 7 } }",
                               NULL, HOST, &scene, ERR),
                     SP_BAD_INPUT);
    assert_string_equal(ERR->text, "scenes/test.json:4: pond.dam: 7 m; expected inside the pond");
}

static void an_unknown_size_lists_the_sizes(void **state)
{
    (void)state;
    const sp_scene_options options = {.struct_size = sizeof(sp_scene_options), .size = "huge"};
    sp_scene *scene;
    assert_int_equal(
        open_text("{ \"spume\": 1, \"solver\": \"pond\",\n\"sizes\": { \"laptop\": {}, "
                  "\"full\": {} } }",
                  &options, HOST, &scene, ERR),
        SP_BAD_INPUT);
    assert_string_equal(ERR->text,
                        "scenes/test.json:2: sizes: no size \"huge\"; expected laptop or full");
    assert_fails(open_text("{ \"spume\": 1, \"solver\": \"pond\" }", &options, HOST, &scene, ERR),
                 SP_BAD_INPUT, "no size \"huge\"; expected laptop");
}

/// Long names are shortened, and the message still has file, line and path.
static void long_names_and_keys_leave_room_for_the_sentence(void **state)
{
    (void)state;
    char name[600], text[700], key[500];
    memset(name, 'n', sizeof name);
    strcpy(name + 500, "/last.json");
    memset(key, 'k', sizeof key);
    key[sizeof key - 1] = '\0';
    snprintf(text, sizeof text, "{ \"spume\": 1, \"solver\": \"pond\",\n \"%s\": 1 }", key);
    sp_scene *scene;
    assert_int_equal(
        sp_scene_read(name, text, strlen(text), NULL, scene_solvers, 1, HOST, &scene, ERR),
        SP_BAD_INPUT);
    assert_memory_equal(ERR->text, "...nnn", 6);
    assert_non_null(strstr(ERR->text, "/last.json:2: kkk"));
    assert_non_null(strstr(ERR->text, "kkk...: unknown key"));
}

static void a_scene_beyond_the_memory_limit_is_refused(void **state)
{
    (void)state;
    sp_scene *scene;
    assert_ok(open_text("{ \"spume\": 1, \"solver\": \"pond\", \"pond\": { \"nx\": 4000, "
                        "\"ny\": 4000 } }",
                        NULL, HOST, &scene, ERR));
    assert_true(scene->estimate == 16.0 * 4000.0 * 4000.0);
    assert_ok(sp_scene_check_start(scene, 0.0, ERR));
    assert_ok(sp_scene_check_start(scene, scene->estimate, ERR));
    assert_int_equal(sp_scene_check_start(scene, 0.2e9, ERR), SP_BAD_INPUT);
    assert_non_null(
        strstr(ERR->text, "pond: about 256 MB of memory; expected at most 200 MB: change pond.nx"));
    sp_scene_close(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_scene_gets_one_sentence_with_file_line_and_path),
        cmocka_unit_test(every_bad_scene_is_in_the_table),
        cmocka_unit_test(oversized_grid_is_refused_before_allocating),
        cmocka_unit_test(a_bad_override_is_named_as_it_was_given),
        cmocka_unit_test(refusal_of_a_solver_names_the_line_of_its_key),
        cmocka_unit_test(an_unknown_size_lists_the_sizes),
        cmocka_unit_test(long_names_and_keys_leave_room_for_the_sentence),
        cmocka_unit_test(a_scene_beyond_the_memory_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, enter_data, NULL);
}
