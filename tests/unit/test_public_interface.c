// SPDX-License-Identifier: Apache-2.0
// links: scene surface exchange
/// The public interface, used as a program uses it: only headers of include/spume.
#include "testing.h"

#include <spume/spume.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Small scenes of each solver that moves.
static const char *const pond_scene[] = {"pond/tiny", NULL};
static const char *const sph_scene[] = {"sph/dam", "sph.spacing=0.05", NULL};
static const char *const liquid_scene[] = {"liquid/dam_break", "liquid.voxel=0.08", "fps=6", NULL};

static sp_sim *open_small(const char *const *scene)
{
    sp_scene_options options = sp_scene_options_defaults();
    sp_sim *sim;
    options.set = scene + 1;
    while (options.set[options.set_count])
        ++options.set_count;
    assert_ok(sp_sim_open(scene[0], &options, NULL, &sim, ERR));
    return sim;
}

static uint64_t hash_after(sp_sim *sim, int steps)
{
    for (int k = 0; k < steps; ++k)
        assert_ok(sp_sim_step(sim, ERR));
    const sp_frame *frame = sp_sim_frame(sim, ERR);
    assert_non_null(frame);
    return frame->hash;
}

/// ---- Scenes and solvers ------------------------------------------------------------------------

static void solvers_scenes_and_schema_are_listed(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    sp_solver_info solver;
    size_t scenes, ponds = 0;
    char *schema;
    assert_ok(sp_scene_schema(&host, &schema, ERR));
    for (size_t i = 0; sp_solver_at(i, &solver); ++i) {
        char key[64];
        snprintf(key, sizeof key, "\"%s\"", solver.name);
        assert_non_null(strstr(schema, key));
        assert_true(strlen(solver.about) > 10);
    }
    sp_text_free(&host, schema);
    const sp_scene_builtin *all = sp_scene_builtins(&scenes);
    for (size_t i = 0; i < scenes; ++i)
        ponds += strncmp(all[i].name, "pond/", 5) == 0;
    assert_true(ponds > 3 && scenes > ponds);
    assert_string_equal(sp_version(), SPUME_VERSION);
}

static void resolved_scene_opens_again_to_the_same_scene(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const char *const set[] = {"fps=48", "liquid.voxel=0.04"};
    sp_scene_options options = sp_scene_options_defaults();
    sp_scene *scene, *again;
    char *text;
    options.set = set;
    options.set_count = 2;
    assert_ok(sp_scene_open("liquid/drop", &options, &host, &scene, ERR));
    assert_ok(sp_scene_resolved(scene, &text, ERR));
    assert_ok(sp_scene_open_text("again", text, strlen(text), NULL, &host, &again, ERR));
    const sp_scene_info a = sp_scene_get_info(scene), b = sp_scene_get_info(again);
    assert_true(a.hash == b.hash && a.fps == 48.0 && b.fps == 48.0 && a.frames == b.frames);
    assert_string_equal(b.solver, "liquid");
    sp_text_free(&host, text);
    sp_scene_close(again);
    sp_scene_close(scene);
}

static void keys_are_read_by_their_paths(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const struct {
        const char *scene, *key;
        double value;
    } rows[] = {
        {"liquid/drop", "fps", 24},
        {"liquid/drop", "gravity[1]", -9.81},
        {"liquid/drop", "domain.max[0]", 1},
        {"liquid/drop", "emitters[1].shape.sphere.radius", 0.13},
        {"liquid/drop", "liquid.voxel", 0.015625},
        {"liquid/drop", "cache.sync", 1},
        {"pond/fig10", "pond.nx", 50},
    };
    const char *const wrong[][2] = {
        {"fpz", "did you mean fps"},      {"gravity", "needs an index"},
        {"gravity[3]", "needs an index"}, {"liquid.voxle", "did you mean voxel"},
        {"emitters[7].name", "no such"},  {"emitters", "not a number"},
        {"liquid", "unknown key"},        {"", "not the path of a key"},
    };
    sp_scene *scene;
    double value;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        assert_ok(sp_scene_open(rows[i].scene, NULL, &host, &scene, ERR));
        assert_ok(sp_scene_get(scene, rows[i].key, &value, ERR));
        assert_true(fabs(value - rows[i].value) <= 1e-6 * fabs(rows[i].value)); // floats inside
        sp_scene_close(scene);
    }
    assert_ok(sp_scene_open("liquid/drop", NULL, &host, &scene, ERR));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        assert_fails(sp_scene_get(scene, wrong[i][0], &value, ERR), SP_BAD_INPUT, wrong[i][1]);
    sp_scene_close(scene);
}

/// ---- Live keys ---------------------------------------------------------------------------------

static void live_keys_change_the_simulation_and_others_are_refused(void **state)
{
    (void)state;
    sp_sim *still = open_small(pond_scene), *changed = open_small(pond_scene);
    sp_sim *liquid = open_small(liquid_scene);
    double value;
    assert_ok(sp_sim_set(changed, "pond.gravity", 3.0, ERR));
    assert_true(hash_after(still, 5) != hash_after(changed, 5));
    assert_ok(sp_sim_get(changed, "pond.gravity", &value, ERR));
    assert_true(value == 3.0);
    assert_ok(sp_sim_get(still, "pond.gravity", &value, ERR));
    assert_true(fabs(value - 9.81) < 1e-5);
    assert_ok(sp_sim_get(liquid, "liquid.voxel", &value, ERR));
    assert_true(fabs(value - 0.08) < 1e-6);
    assert_fails(sp_sim_set(changed, "pond.nx", 20, ERR), SP_BAD_INPUT, "nx");
    assert_fails(sp_sim_set(changed, "fps", 20, ERR), SP_BAD_INPUT, "does not change");
    assert_fails(sp_sim_set(changed, "fpz", 20, ERR), SP_BAD_INPUT, "did you mean");
    assert_fails(sp_sim_set(liquid, "liquid.voxel", 0.1, ERR), SP_BAD_INPUT, "does not change");
    sp_sim_close(still);
    sp_sim_close(changed);
    sp_sim_close(liquid);
}

/// ---- State -------------------------------------------------------------------------------------

static void restored_state_continues_bit_for_bit(void **state)
{
    (void)state;
    const char *const *const scenes[] = {pond_scene, sph_scene, liquid_scene};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        sp_sim *first = open_small(scenes[i]), *second = open_small(scenes[i]);
        const void *bytes;
        size_t count;
        hash_after(first, 2);
        assert_ok(sp_sim_save(first, &bytes, &count, ERR));
        assert_ok(sp_sim_restore(second, bytes, count, ERR));
        assert_int_equal(sp_sim_frame(second, ERR)->frame, 2);
        assert_true(hash_after(first, 2) == hash_after(second, 2));
        sp_sim_close(second);
        sp_sim_close(first);
    }
}

static void damaged_and_foreign_states_leave_the_simulation_as_it_was(void **state)
{
    (void)state;
    const char *const other_scene[] = {"pond/tiny", "seed=7", NULL};
    sp_sim *sim = open_small(pond_scene), *other = open_small(other_scene);
    const void *bytes;
    size_t count;
    const uint64_t hash = hash_after(sim, 3);
    assert_ok(sp_sim_save(sim, &bytes, &count, ERR));
    assert_fails(sp_sim_restore(other, bytes, count, ERR), SP_BAD_INPUT, "another scene");
    char *copy = malloc(count);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    const size_t places[] = {9, 17, 23, 30, count / 2, count - 1}; // scene, frame, digest, body
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        copy[places[i]] ^= 1;
        assert_fails(sp_sim_restore(sim, copy, count, ERR), SP_DAMAGED, "digest");
        copy[places[i]] ^= 1;
    }
    assert_fails(sp_sim_restore(sim, copy, count - 1, ERR), SP_DAMAGED, "digest");
    assert_fails(sp_sim_restore(sim, copy, 5, ERR), SP_DAMAGED, "not a saved state");
    assert_true(hash_after(sim, 0) == hash);
    assert_ok(sp_sim_restore(sim, copy, count, ERR));
    free(copy);
    sp_sim_close(other);
    sp_sim_close(sim);
}

/// ---- Progress and cancel -----------------------------------------------------------------------

typedef struct observer {
    int calls, stop_at;
    double last;
    bool ascends;
} observer;

static bool observe(void *user, double time)
{
    observer *o = user;
    o->ascends = o->ascends && time >= o->last;
    o->last = time;
    return ++o->calls == o->stop_at;
}

static void watch_sees_every_substep_and_changes_nothing(void **state)
{
    (void)state;
    const char *const *const scenes[] = {sph_scene, liquid_scene};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        sp_sim *watched = open_small(scenes[i]), *alone = open_small(scenes[i]);
        observer o = {.ascends = true};
        sp_sim_watch(watched, (sp_watch){observe, &o});
        assert_true(hash_after(watched, 3) == hash_after(alone, 3));
        const sp_scene_info info = sp_scene_get_info(sp_sim_scene(watched));
        assert_true(o.ascends && o.calls > 3); // frames are longer than substeps
        assert_true(o.last < 3.0 / info.fps);  // the end of a frame is not within it
        sp_sim_watch(watched, (sp_watch){0});
        sp_sim_close(alone);
        sp_sim_close(watched);
    }
}

static void watch_stops_between_and_within_frames(void **state)
{
    (void)state;
    sp_sim *sim = open_small(sph_scene);
    observer o = {.stop_at = 1, .ascends = true};
    sp_sim_watch(sim, (sp_watch){observe, &o});
    assert_fails(sp_sim_step(sim, ERR), SP_CANCELLED, "after frame 0");
    assert_ok(sp_sim_step(sim, ERR)); // before a frame nothing has changed
    o.stop_at = o.calls + 3;
    assert_fails(sp_sim_step(sim, ERR), SP_CANCELLED, "within a frame");
    assert_fails(sp_sim_step(sim, ERR), SP_CANCELLED, "cannot go on");
    sp_sim_close(sim);
}

/// ---- Structs that a program fills --------------------------------------------------------------

static void structs_without_their_size_are_refused(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1), none = {0};
    const sp_scene_options no_options = {0};
    const sp_import_options no_import = {0};
    const sp_export_options no_export = {0};
    const sp_surface_def no_surface = {0}, surface = sp_surface_defaults();
    const sp_export_moment when = {0};
    const sp_frame frame = {0};
    const char *const path = "water.0001.vdb";
    sp_scene *scene;
    sp_sim *sim;
    sp_pond *pond;
    sp_import *import;
    sp_mesh mesh;
    sp_pond_def def = sp_pond_defaults();
    assert_fails(sp_sim_open("pond/tiny", NULL, &none, &sim, ERR), SP_BAD_INPUT,
                 "sp_host_default()");
    assert_fails(sp_scene_open("pond/tiny", NULL, &none, &scene, ERR), SP_BAD_INPUT,
                 "sp_host_default()");
    assert_fails(sp_scene_open("pond/tiny", &no_options, &host, &scene, ERR), SP_BAD_INPUT,
                 "sp_scene_options_defaults()");
    assert_fails(sp_pond_open(&def, &none, &pond, ERR), SP_BAD_INPUT, "sp_host_default()");
    def.struct_size = 8;
    assert_fails(sp_pond_open(&def, &host, &pond, ERR), SP_BAD_INPUT, "sp_pond_defaults()");
    assert_fails(sp_import_open(&path, 1, &no_import, &host, &import, ERR), SP_BAD_INPUT,
                 "sp_import_defaults()");
    assert_fails(sp_export_ply(".", &frame, &no_export, ERR), SP_BAD_INPUT,
                 "sp_export_options_defaults()");
    assert_fails(sp_export_mesh_ply(".", "x", &when, &(sp_mesh){0}, &no_export, ERR), SP_BAD_INPUT,
                 "sp_export_options_defaults()");
    assert_fails(
        sp_surface_frame(&surface, &frame, "liquid", SP_ISOLATED_MESH, NULL, &host, &mesh, ERR),
        SP_BAD_INPUT, "has no liquid");
    sp_sim *dam = open_small(sph_scene);
    assert_fails(sp_surface_frame(&no_surface, sp_sim_frame(dam, ERR), "liquid", SP_ISOLATED_MESH,
                                  NULL, &host, &mesh, ERR),
                 SP_BAD_INPUT, "sp_surface_defaults()");
    assert_null(mesh.x);
    sp_sim_close(dam);
}

/// ---- Export ------------------------------------------------------------------------------------

static void meshes_and_directories_are_checked_before_a_file_is_written(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    const sp_export_moment when = {0};
    sp_mesh mesh;
    assert_ok(sp_mesh_open(&mesh, &host, 3, 1, 0, ERR));
    mesh.tri[0][1] = 1;
    mesh.tri[0][2] = 2;
    assert_fails(sp_export_mesh_ply("", "x", &when, &mesh, NULL, ERR), SP_BAD_INPUT, "empty");
    assert_fails(sp_export_mesh_ply(".", "../x", &when, &mesh, NULL, ERR), SP_BAD_INPUT, "name");
    mesh.tri[0][2] = 3;
    assert_fails(sp_export_mesh_obj(".", "x", &when, &mesh, ERR), SP_BAD_INPUT, "vertex 3 of 3");
    mesh.tri[0][2] = 2;
    mesh.x[1][1] = NAN;
    assert_fails(sp_export_mesh_ply(".", "x", &when, &mesh, NULL, ERR), SP_BAD_INPUT, "not finite");
    sp_mesh_close(&mesh);
    assert_int_equal(sp_pond_bytes(&(sp_pond_def){0}), 0);
}

/// ---- Surfaces ----------------------------------------------------------------------------------

/// The column of dam_break is 0.4 x 0.6 x 0.8 m of 192 litres, and its surface ends at the walls of the tank. A
/// level set on voxels of 0.08 m has rounded edges; it loses less than a tenth. Unclipped it reaches into the walls.
static void surface_of_a_simulation_is_closed_and_ends_at_the_domain(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const sp_surface_def def = sp_surface_defaults();
    sp_sim *sim = open_small(liquid_scene);
    const sp_frame *frame = sp_sim_frame(sim, ERR);
    sp_clip_solids *solids;
    sp_mesh clipped, whole;
    sp_mesh_edges edges;
    assert_string_equal(sp_surface_source(frame, NULL), "surface");
    assert_null(sp_surface_source(frame, "foam"));
    assert_ok(sp_clip_solids_open(sp_scene_world(sp_sim_scene(sim)), true, &host, &solids, ERR));
    assert_ok(sp_surface_frame(&def, frame, NULL, SP_ISOLATED_MESH, solids, &host, &clipped, ERR));
    assert_ok(sp_surface_frame(&def, frame, NULL, SP_ISOLATED_MESH, NULL, &host, &whole, ERR));
    assert_ok(sp_mesh_look(&clipped, &edges, ERR));
    assert_true(edges.open == 0 && edges.crowded == 0 && edges.flipped == 0);
    const double water = sp_mesh_volume(&clipped);
    assert_true(fabs(water / 0.192 - 1.0) < 0.1);
    assert_true(sp_mesh_volume(&whole) > 1.05 * water);
    sp_mesh_close(&whole);
    sp_mesh_close(&clipped);
    sp_clip_solids_close(solids);
    sp_sim_close(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_scenes_and_schema_are_listed),
        cmocka_unit_test(resolved_scene_opens_again_to_the_same_scene),
        cmocka_unit_test(keys_are_read_by_their_paths),
        cmocka_unit_test(live_keys_change_the_simulation_and_others_are_refused),
        cmocka_unit_test(restored_state_continues_bit_for_bit),
        cmocka_unit_test(damaged_and_foreign_states_leave_the_simulation_as_it_was),
        cmocka_unit_test(watch_sees_every_substep_and_changes_nothing),
        cmocka_unit_test(watch_stops_between_and_within_frames),
        cmocka_unit_test(structs_without_their_size_are_refused),
        cmocka_unit_test(meshes_and_directories_are_checked_before_a_file_is_written),
        cmocka_unit_test(surface_of_a_simulation_is_closed_and_ends_at_the_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
