// SPDX-License-Identifier: Apache-2.0
// links: scene
/// Scenes by name and the public simulation, with a solver and built-in scenes of this test. The
/// test defines the library's lists, so that the linker uses these.
#include "scene/scene.h"
#include "temporary.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A solver that only advances the time and fails after `until`. It publishes one particle, whose
/// position is NaN after `lost`.
typedef struct clock_def {
    float until, lost, gigabytes;
} clock_def;

typedef struct clock_solver {
    clock_def def;
    uint64_t seed;
    double time;
    const sp_host *host;
    sp_stat stat;
    float hand[3];
    uint64_t id;
    sp_column columns[2];
    sp_set set;
} clock_solver;

static const sp_key clock_rows[] = {
    {.name = "until",
     .type = SP_KEY_F32,
     .offset = offsetof(clock_def, until),
     .unit = "s",
     .value = 100,
     .min = -1,
     .max = 1000,
     .doc = "When it breaks"},
    {.name = "lost",
     .type = SP_KEY_F32,
     .offset = offsetof(clock_def, lost),
     .unit = "s",
     .value = 1000,
     .min = 0,
     .max = 1000,
     .doc = "When its hand is lost"},
    {.name = "gigabytes",
     .type = SP_KEY_F32,
     .offset = offsetof(clock_def, gigabytes),
     .unit = "GB",
     .value = 0,
     .min = 0,
     .max = 1e9,
     .doc = "What it says it wants"},
};
static const sp_keys clock_keys = {"clock", clock_rows, 3, sizeof(clock_def)};

static double clock_estimate(const sp_setup *setup)
{
    return 1e9 * (double)((const clock_def *)setup->def)->gigabytes;
}

static sp_status clock_open(const sp_setup *setup, const sp_host *host, void **out, sp_error *err)
{
    const clock_def *def = setup->def;
    *out = NULL;
    if (def->until < 0.0f) return sp_fail(err, SP_BAD_INPUT, "clock.until: in the past");
    clock_solver *clock = sp_allocate(host, 1, sizeof *clock);
    if (!clock) return sp_fail(err, SP_NO_MEMORY, "clock: no memory");
    *clock = (clock_solver){.def = *def, .seed = setup->seed, .host = host};
    *out = clock;
    return SP_OK;
}

static sp_status clock_step(void *solver, double t_end, sp_error *err)
{
    clock_solver *clock = solver;
    if (t_end > (double)clock->def.until) return sp_fail(err, SP_DIVERGED, "clock: broken");
    clock->time = t_end;
    clock->hand[1] = t_end < (double)clock->def.lost ? (float)t_end : NAN;
    return SP_OK;
}

static sp_status clock_publish(void *solver, sp_frame *frame, sp_error *err)
{
    (void)err;
    clock_solver *clock = solver;
    clock->stat = (sp_stat){"seed", (double)clock->seed};
    clock->id = 12;
    clock->columns[0] = (sp_column){"position", SP_F32, 3, clock->hand};
    clock->columns[1] = (sp_column){"id", SP_U64, 1, &clock->id};
    clock->set = (sp_set){"hands", 1, clock->columns, 2};
    frame->sets = &clock->set;
    frame->set_count = 1;
    frame->time = clock->time;
    frame->stats = &clock->stat;
    frame->stat_count = 1;
    return SP_OK;
}

static void clock_close(void *solver)
{
    clock_solver *clock = solver;
    if (clock) sp_release(clock->host, clock);
}

static const sp_solver_type clock_type = {
    .name = "clock",
    .about = "Tells the time",
    .paper = "none",
    .keys = &clock_keys,
    .grain = "clock.gigabytes",
    .uses = SP_USES_COLLIDERS,
    .estimate = clock_estimate,
    .open = clock_open,
    .step = clock_step,
    .publish = clock_publish,
    .close = clock_close,
};
static const sp_solver_type *const solvers[] = {&clock_type};

const sp_solver_type *const *sp_scene_solvers(size_t *count)
{
    *count = 1;
    return solvers;
}

const sp_solver_type *sp_scene_solver(const char *name)
{
    return strcmp(name, "clock") == 0 ? &clock_type : NULL;
}

#define TEXT(fps)                                                                                  \
    "{ \"spume\": 1, \"solver\": \"clock\", \"fps\": " fps ", \"frames\": 7, \"seed\": 5 }"
static const sp_scene_builtin builtins[] = {
    {"clock/fast", TEXT("30"), sizeof TEXT("30") - 1},
    {"clock/noon", TEXT("10"), sizeof TEXT("10") - 1},
    {"watch/noon", TEXT("20"), sizeof TEXT("20") - 1},
};

const sp_scene_builtin *sp_scene_builtins(size_t *count)
{
    *count = sizeof builtins / sizeof *builtins;
    return builtins;
}

static void a_scene_is_found_by_its_name(void **state)
{
    (void)state;
    static const struct row {
        const char *name;
        double fps;
    } rows[] = {{"clock/fast", 30}, {"fast", 30}, {"clock/noon", 10}, {"watch/noon", 20}};
    const sp_host host = sp_host_default(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_scene *scene;
        assert_ok(sp_scene_open(rows[i].name, NULL, &host, &scene, ERR));
        assert_true(scene->common.fps == rows[i].fps);
        assert_string_equal(scene->title, strrchr(scene->name, '/') + 1);
        sp_scene_close(scene);
    }
}

static void a_wrong_name_is_refused_with_a_hint(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"noon", "noon: more than one scene; expected clock/noon or watch/noon"},
        {"clock/fats",
         "clock/fats: no such file, and no scene of that name; did you mean clock/fast?"},
        {"clock/noonn",
         "clock/noonn: no such file, and no scene of that name; did you mean clock/noon?"},
        {"fsat", "fsat: no such file, and no scene of that name; did you mean clock/fast?"},
        {"nothing like it", "nothing like it: no such file, and no scene of that name"},
        {"nowhere.json", "nowhere.json: No such file or directory"},
        {".", ".: is a directory; expected a scene's file or the name of a built-in scene"},
        {"", ": no such file, and no scene of that name"},
    };
    const sp_host host = sp_host_default(1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_scene *scene;
        assert_int_equal(sp_scene_open(rows[i][0], NULL, &host, &scene, ERR), SP_BAD_INPUT);
        assert_null(scene);
        assert_string_equal(ERR->text, rows[i][1]);
    }
}

/// A file takes precedence over a built-in scene of the same name, with any extension.
static void file_takes_precedence_over_a_builtin_scene(void **state)
{
    (void)state;
    char here[1024];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(temporary_directory()), 0);
    write_text("fast", TEXT("48"));
    const sp_host host = sp_host_default(1);
    sp_scene *scene;
    assert_ok(sp_scene_open("fast", NULL, &host, &scene, ERR));
    assert_true(scene->common.fps == 48.0);
    sp_scene_close(scene);
    assert_int_equal(chdir(here), 0);
}

static void two_simulations_run_side_by_side(void **state)
{
    (void)state;
    sp_sim *slow, *fast;
    const char *const set[] = {"seed=11"};
    const sp_scene_options options = {
        .struct_size = sizeof(sp_scene_options), .set = set, .set_count = 1};
    assert_ok(sp_sim_open("clock/noon", NULL, NULL, &slow, ERR));
    assert_ok(sp_sim_open("fast", &options, NULL, &fast, ERR));
    assert_true(sp_sim_frames(slow) == 7);
    for (int i = 0; i < 3; ++i) {
        assert_ok(sp_sim_step(slow, ERR));
        assert_ok(sp_sim_step(fast, ERR));
        assert_ok(sp_sim_step(fast, ERR));
    }
    const sp_frame *a = sp_sim_frame(slow, ERR), *b = sp_sim_frame(fast, ERR);
    assert_true(a->frame == 3 && a->time == 3.0 / 10.0 && a->fps == 10.0); // k/fps, never summed
    assert_true(b->frame == 6 && b->time == 6.0 / 30.0 && b->fps == 30.0);
    assert_true(a->stats[0].value == 5.0 && b->stats[0].value == 11.0);
    sp_sim_close(slow);
    sp_sim_close(fast);
    sp_sim_close(NULL);
}

static void a_failed_step_stops_the_simulation_and_keeps_the_frame(void **state)
{
    (void)state;
    static const char text[] = "{ \"spume\": 1, \"solver\": \"clock\", \"fps\": 2,\n"
                               "  \"clock\": { \"until\": 1 } }";
    sp_sim *sim;
    assert_ok(sp_sim_open_text("t", text, sizeof text - 1, NULL, NULL, &sim, ERR));
    assert_ok(sp_sim_step(sim, ERR));
    assert_ok(sp_sim_step(sim, ERR));
    assert_int_equal(sp_sim_step(sim, ERR), SP_DIVERGED);
    assert_string_equal(ERR->text, "clock: broken");
    assert_fails(sp_sim_step(sim, ERR), SP_DIVERGED, "failed at frame 3");
    const sp_frame *frame = sp_sim_frame(sim, ERR);
    assert_true(frame->frame == 2 && frame->time == 1.0);
    sp_sim_close(sim);
}

static void failed_open_leaks_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{ \"spume\": 1, \"solver\": \"clock\", \"clock\": { \"until\": -1 } }",
        "{ \"spume\": 1, \"solver\": \"clock\", \"clock\": { \"untli\": 1 } }",
    };
    const sp_host inner = sp_host_default(1);
    sp_budget budget;
    const sp_host host = sp_budget_host(&budget, &inner, 0);
    for (int i = 0; i < 2; ++i) {
        sp_sim *sim;
        assert_int_equal(sp_sim_open_text("t", texts[i], strlen(texts[i]), NULL, &host, &sim, ERR),
                         SP_BAD_INPUT);
        assert_null(sim);
        assert_int_equal(atomic_load(&budget.used), 0);
        assert_non_null(strstr(ERR->text, "clock.unt"));
    }
}

/// A frame with a non-finite number is never returned.
static void nan_in_a_frame_is_named_and_not_returned(void **state)
{
    (void)state;
    static const char text[] = "{ \"spume\": 1, \"solver\": \"clock\", \"fps\": 2,\n"
                               "  \"clock\": { \"lost\": 1.5 } }";
    sp_sim *sim;
    assert_ok(sp_sim_open_text("t", text, sizeof text - 1, NULL, NULL, &sim, ERR));
    assert_ok(sp_sim_step(sim, ERR));
    assert_ok(sp_sim_step(sim, ERR));
    assert_non_null(sp_sim_frame(sim, ERR));
    assert_int_equal(sp_sim_step(sim, ERR), SP_DIVERGED);
    assert_string_equal(ERR->text, "frame 3: hands 12 has a position that is not finite");
    assert_null(sp_sim_frame(sim, ERR));
    assert_int_equal(ERR->status, SP_DIVERGED);
    assert_fails(sp_sim_step(sim, ERR), SP_DIVERGED, "failed at frame 3");
    sp_sim_close(sim);
}

/// The library refuses the same scenes as the program, with the same message.
static void more_memory_than_allowed_is_refused(void **state)
{
    (void)state;
    static const char text[] = "{ \"spume\": 1, \"solver\": \"clock\",\n"
                               "  \"clock\": { \"gigabytes\": 3 } }";
    static const char *const set[] = {"clock.gigabytes=1e9"};
    sp_scene_options options = {.struct_size = sizeof(sp_scene_options), .memory_bytes = 2e9};
    sp_sim *sim;
    assert_int_equal(sp_sim_open_text("big.json", text, sizeof text - 1, &options, NULL, &sim, ERR),
                     SP_BAD_INPUT);
    assert_null(sim);
    assert_string_equal(ERR->text, "big.json: clock: about 3.0 GB of memory; expected at most "
                                   "2.0 GB: change clock.gigabytes or --memory");
    options.memory_bytes = 4e9;
    assert_ok(sp_sim_open_text("big.json", text, sizeof text - 1, &options, NULL, &sim, ERR));
    sp_sim_close(sim);
    options = (sp_scene_options){.struct_size = sizeof(sp_scene_options),
                                 .set = set,
                                 .set_count = 1}; // more than any machine has
    assert_fails(sp_sim_open("fast", &options, NULL, &sim, ERR), SP_BAD_INPUT,
                 "clock/fast: clock: about");
}

static void a_mesh_that_does_not_open_is_refused(void **state)
{
    (void)state;
    static const char text[] = "{ \"spume\": 1, \"solver\": \"clock\", \"colliders\": [\n"
                               "  { \"name\": \"rock\", \"shape\": { \"mesh\": { \"file\": "
                               "\"/nowhere/rock.obj\" } } } ] }";
    sp_sim *sim;
    assert_fails(sp_sim_open_text("t.json", text, sizeof text - 1, NULL, NULL, &sim, ERR), SP_IO,
                 "t.json: colliders[0].shape.mesh.file: collider \"rock\": "
                 "/nowhere/rock.obj");
    assert_null(sim);
}

static void schema_and_reference_follow_the_solver_list(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(1);
    char *schema, *reference;
    assert_ok(sp_scene_schema(&host, &schema, ERR));
    assert_ok(sp_scene_reference(&host, &reference, ERR));
    assert_non_null(strstr(schema, "\"until\": {\"type\": \"number\", \"minimum\": -1"));
    assert_non_null(
        strstr(reference, "| `until` | number | s | 100 | -1 to 1000 | When it breaks |"));
    sp_release(&host, schema);
    sp_release(&host, reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_is_found_by_its_name),
        cmocka_unit_test(a_wrong_name_is_refused_with_a_hint),
        cmocka_unit_test(file_takes_precedence_over_a_builtin_scene),
        cmocka_unit_test(two_simulations_run_side_by_side),
        cmocka_unit_test(a_failed_step_stops_the_simulation_and_keeps_the_frame),
        cmocka_unit_test(failed_open_leaks_nothing),
        cmocka_unit_test(nan_in_a_frame_is_named_and_not_returned),
        cmocka_unit_test(more_memory_than_allowed_is_refused),
        cmocka_unit_test(a_mesh_that_does_not_open_is_refused),
        cmocka_unit_test(schema_and_reference_follow_the_solver_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
