// SPDX-License-Identifier: Apache-2.0
// links: scene pond
/// The library as shipped: its solvers and built-in scenes.
#include "scene/internal.h"
#include "test_scene.h"

#include <dirent.h>

static void assert_reads_back(const sp_scene *scene)
{
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    char *text;
    sp_scene *again;
    assert_ok(sp_scene_resolved(scene, &text, ERR));
    if (sp_scene_read("again.json", text, strlen(text), NULL, solvers, count, scene->host, &again,
                      ERR) != SP_OK)
        fail_msg("%s: %s", scene->name, ERR->text);
    assert_true(again->hash == scene->hash);
    sp_release(scene->host, text);
    sp_scene_close(again);
}

static void every_builtin_scene_opens_at_each_size(void **state)
{
    (void)state;
    static const char *const sizes[] = {"laptop", "full"};
    size_t count;
    const sp_scene_builtin *scenes = sp_scene_builtins(&count);
    for (size_t i = 0; i < 2 * count; ++i) {
        const sp_scene_options options = {.struct_size = sizeof(sp_scene_options),
                                          .size = sizes[i % 2]};
        const char *name = scenes[i / 2].name;
        sp_scene *scene;
        const sp_status st = sp_scene_open(name, &options, HOST, &scene, ERR);
        if (i % 2 == 1 && st != SP_OK && strstr(ERR->text, "no size \"full\"")) continue;
        assert_ok(st);
        assert_true(scene->estimate > 0.0);
        assert_true(scene->common.about && scene->common.about[0]); // shown by `spume scenes`
        assert_reads_back(scene);
        sp_scene_close(scene);
    }
}

static void every_file_under_scenes_is_built_in(void **state)
{
    (void)state;
    size_t count, solver_count, files = 0;
    sp_scene_builtins(&count);
    const sp_solver_type *const *solvers = sp_scene_solvers(&solver_count);
    for (size_t i = 0; i < solver_count; ++i) {
        char path[1024];
        snprintf(path, sizeof path, SPUME_SOURCE_DIR "/scenes/%s", solvers[i]->name);
        DIR *folder = opendir(path);
        for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
            files += strstr(entry->d_name, ".json") != NULL;
        if (folder) closedir(folder);
        assert_ptr_equal(sp_scene_solver(solvers[i]->name), solvers[i]);
    }
    assert_int_equal(files, count);
}

static void the_real_solvers_refuse_every_bad_scene(void **state)
{
    (void)state;
    DIR *folder = opendir("bad_scenes");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (!strstr(entry->d_name, ".json")) continue;
        char path[300];
        snprintf(path, sizeof path, "bad_scenes/%s", entry->d_name);
        sp_scene *scene;
        assert_int_equal(sp_scene_open(path, NULL, HOST, &scene, ERR), SP_BAD_INPUT);
        assert_null(scene);
        assert_memory_equal(ERR->text, path, strlen(path));
        assert_true(ERR->text[strlen(path)] == ':' && !strchr(ERR->text, '\n'));
    }
    closedir(folder);
}

static void refusal_of_the_pond_names_its_line(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"spume\": 1, \"solver\": \"pond\",\n  \"pond\": { \"nozzles\": [\n"
        "    { \"x\": 0.1, \"y\": 0.1 },\n    { \"x\": 9, \"y\": 0.1 } ] } }";
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    sp_scene *scene;
    assert_int_equal(
        sp_scene_read("far.json", text, strlen(text), NULL, solvers, count, HOST, &scene, ERR),
        SP_BAD_INPUT);
    assert_memory_equal(ERR->text, "far.json:4: pond.nozzles[1].x: 9 m; expected", 44);
}

/// Keys that a solver would ignore are refused by name; a solver that has them takes them.
static void keys_that_would_do_nothing_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *set, *refusal; ///< NULL: taken
    } rows[] = {
        {"sph/pour", "colliders[0].slip=0.5", "colliders[0].slip: 0.5; the sph solver"},
        {"still/tank", "colliders[0].slip=0", "colliders[0].slip: 0; the still solver"},
        {"liquid/dam_break", "colliders[0].slip=0.5", NULL},
        {"pond/fig10",
         "colliders=[{\"shape\": {\"sphere\": {\"center\": [9, 9, 9], \"radius\": 1}}}]",
         "colliders: the pond solver has no colliders"},
        {"pond/fig10", "colliders=[]", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_scene_options options = sp_scene_options_defaults();
        sp_scene *scene;
        options.set = &rows[i].set;
        options.set_count = 1;
        const sp_status st = sp_scene_open(rows[i].scene, &options, HOST, &scene, ERR);
        if (rows[i].refusal)
            assert_fails(st, SP_BAD_INPUT, rows[i].refusal);
        else
            assert_ok(st);
        sp_scene_close(scene);
    }
}

/// Ponds of earlier versions had an empty list of colliders, so it stays in the text that is hashed: their runs can be
/// continued.
static void hash_of_a_pond_covers_an_empty_list_of_colliders(void **state)
{
    (void)state;
    sp_scene *scene;
    assert_ok(sp_scene_open("pond/fig10", NULL, HOST, &scene, ERR));
    for (int digest = 0; digest < 2; ++digest) {
        sp_text text = {.host = HOST};
        sp_resolve(scene, digest, &text);
        assert_int_equal(strstr(text.bytes, "\"colliders\": []") != NULL, digest);
        sp_text_close(&text);
    }
    sp_scene_close(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_builtin_scene_opens_at_each_size),
        cmocka_unit_test(every_file_under_scenes_is_built_in),
        cmocka_unit_test(the_real_solvers_refuse_every_bad_scene),
        cmocka_unit_test(refusal_of_the_pond_names_its_line),
        cmocka_unit_test(keys_that_would_do_nothing_are_refused),
        cmocka_unit_test(hash_of_a_pond_covers_an_empty_list_of_colliders),
    };
    return cmocka_run_group_tests(tests, enter_data, NULL);
}
