// SPDX-License-Identifier: Apache-2.0
/// Opens a scene: from text to a checked def.
#include "scene/internal.h"

#include <stdio.h>
#include <string.h>

static sp_status read_version(sp_reading *r)
{
    json_t *version = json_object_get(r->root, "spume");
    sp_path_push_key(&r->path, "spume", 5);
    if (!version) return sp_reading_fail(r, "missing; expected \"spume\": %d", SP_SCENE_VERSION);
    const json_int_t number = json_integer_value(version);
    if (json_is_integer(version) && number > SP_SCENE_VERSION)
        return sp_reading_fail(r, "%lld; this Spume reads scenes up to %d", (long long)number,
                               SP_SCENE_VERSION);
    if (number != SP_SCENE_VERSION) {
        char expected[16];
        snprintf(expected, sizeof expected, "%d", SP_SCENE_VERSION);
        return sp_bind_fail(r, version, expected, NULL);
    }
    r->path.count = 0;
    return SP_OK;
}

static sp_status fail_solver(sp_reading *r, const char *word)
{
    char list[200] = "", said[64];
    const char *names[32] = {NULL};
    size_t used = 0;
    for (size_t i = 0; i < r->solver_count && i < 31; ++i) {
        names[i] = r->solvers[i]->name;
        const int n = snprintf(list + used, sizeof list - used, "%s%s", i ? " or " : "", names[i]);
        used = used + (size_t)n < sizeof list ? used + (size_t)n : sizeof list - 1;
    }
    if (!word) return sp_reading_fail(r, "missing; expected %s", list);
    sp_clean(word, strlen(word), said, sizeof said);
    const char *near = sp_word_nearest(names, word);
    if (near) return sp_reading_fail(r, "\"%s\"; did you mean %s?", said, near);
    return sp_reading_fail(r, "\"%s\"; expected %s", said, list);
}

static sp_status read_solver(sp_reading *r)
{
    json_t *solver = json_object_get(r->root, "solver");
    sp_path_push_key(&r->path, "solver", 6);
    if (solver && !json_is_string(solver)) return sp_bind_fail(r, solver, "a solver's name", NULL);
    const char *word = json_string_value(solver);
    for (size_t i = 0; word && i < r->solver_count; ++i)
        if (strcmp(r->solvers[i]->name, word) == 0) r->scene->solver = r->solvers[i];
    if (!r->scene->solver) return fail_solver(r, word);
    r->path.count = 0;
    return SP_OK;
}

static sp_status check_material(const sp_scene *scene, size_t i, sp_error *err)
{
    const char *name = scene->common.world.colliders[i].material;
    char said[64];
    if (!name || sp_look_find_material(&scene->common.look, name)) return SP_OK;
    sp_clean(name, strlen(name), said, sizeof said);
    return sp_fail(err, SP_BAD_INPUT,
                   "colliders[%zu].material: \"%s\"; expected " SP_LOOK_MATERIALS
                   " or one of look.materials",
                   i, said);
}

sp_setup sp_scene_setup(const sp_scene *scene)
{
    const sp_scene_common *c = &scene->common;
    return (sp_setup){.def = scene->def,
                      .world = &c->world,
                      .seed = c->seed,
                      .seconds = (double)c->frames / c->fps,
                      .frame_seconds = 1.0 / c->fps,
                      .files = scene->files};
}

/// Checks ranges again, for values that binding does not check, then the solver's own rules.
static sp_status check(sp_reading *r)
{
    const sp_scene *scene = r->scene;
    const sp_solver_type *solver = scene->solver;
    const sp_setup setup = sp_scene_setup(scene);
    sp_status st = sp_keys_check(&sp_scene_common_keys, &scene->common, "", &r->error);
    if (st == SP_OK) st = sp_look_check(&scene->common.look, "look", &r->error);
    if (st == SP_OK) st = sp_uses_check(setup.world, solver->uses, solver->name, &r->error);
    if (st == SP_OK) st = sp_world_check(setup.world, &r->error);
    for (size_t i = 0; st == SP_OK && i < setup.world->collider_count; ++i)
        st = check_material(scene, i, &r->error);
    if (st == SP_OK) st = sp_keys_check(solver->keys, scene->def, solver->name, &r->error);
    if (st == SP_OK && solver->check) st = solver->check(&setup, &r->error);
    return st == SP_OK ? SP_OK : sp_reading_place(r);
}

static sp_status keep_names(sp_reading *r)
{
    const char *slash = strrchr(r->name, '/');
    const char *last = slash ? slash + 1 : r->name;
    size_t length = strlen(last);
    if (length > 5 && strcmp(last + length - 5, ".json") == 0) length -= 5;
    r->scene->name = sp_keep(r, r->name, strlen(r->name));
    r->scene->title = sp_keep(r, last, length);
    r->scene->size = sp_keep(r, r->size, strlen(r->size));
    const bool kept = r->scene->name && r->scene->title && r->scene->size;
    return kept ? SP_OK : sp_reading_no_memory(r);
}

static sp_status finish(sp_reading *r)
{
    sp_scene *scene = r->scene;
    const sp_setup setup = sp_scene_setup(scene);
    if (scene->solver->estimate) scene->estimate = scene->solver->estimate(&setup);
    sp_text text = {.host = r->host};
    sp_resolve(scene, true, &text);
    scene->hash = text.failed ? 0 : sp_hash(0, text.bytes, text.size);
    sp_hash_meshes(scene);
    sp_release(r->host, text.bytes);
    return text.failed ? sp_reading_no_memory(r) : SP_OK;
}

static sp_status read_scene(sp_reading *r, const sp_scene_options *options)
{
    SP_TRY(keep_names(r));
    SP_TRY(sp_source_parse(r));
    SP_TRY(read_version(r));
    SP_TRY(read_solver(r));
    SP_TRY(sp_include(r));
    SP_TRY(sp_override_apply(r, options));
    SP_TRY(sp_bind(r));
    SP_TRY(check(r));
    SP_TRY(sp_name_meshes(r));
    return finish(r);
}

sp_status sp_scene_read(const char *name, const char *text, size_t length,
                        const sp_scene_options *options, const sp_solver_type *const *solvers,
                        size_t solver_count, const sp_host *host, sp_scene **out, sp_error *err)
{
    const sp_scene_options none = sp_scene_options_defaults();
    *out = NULL;
    if (!options) options = &none;
    SP_TRY(sp_struct_check(options->struct_size, sizeof none, "sp_scene_options_defaults()", err));
    SP_TRY(sp_struct_check(host->struct_size, sizeof *host, "sp_host_default()", err));
    sp_reading r = {.host = host,
                    .name = name,
                    .length = length,
                    .solvers = solvers,
                    .solver_count = solver_count,
                    .size = options->size ? options->size : "laptop"};
    r.text = sp_allocate(host, length + 1, 1);
    r.scene = sp_allocate(host, 1, sizeof *r.scene);
    if (r.scene) r.scene->host = host;
    sp_status st = SP_NO_MEMORY;
    if (r.text && r.scene) {
        memcpy(r.text, text, length);
        st = read_scene(&r, options);
    } else {
        sp_reading_no_memory(&r);
    }
    json_decref(r.root);
    sp_release(host, r.overrides);
    sp_release(host, r.text);
    if (st == SP_OK)
        *out = r.scene;
    else
        sp_scene_close(r.scene);
    if (st != SP_OK && err) *err = r.error;
    return st;
}

sp_scene_options sp_scene_options_defaults(void)
{
    return (sp_scene_options){.struct_size = sizeof(sp_scene_options)};
}

sp_status sp_scene_open_text(const char *name, const char *text, size_t length,
                             const sp_scene_options *options, const sp_host *host, sp_scene **out,
                             sp_error *err)
{
    size_t count;
    const sp_solver_type *const *solvers = sp_scene_solvers(&count);
    return sp_scene_read(name, text, length, options, solvers, count, host, out, err);
}

void sp_scene_close(sp_scene *scene)
{
    if (!scene) return;
    const sp_host *host = scene->host;
    sp_arena_close(host, &scene->blocks);
    sp_release(host, scene);
}
