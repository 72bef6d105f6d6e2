// SPDX-License-Identifier: Apache-2.0
// links: solver shapes
/// The world around the water, for a solver that uses all of it and for one that uses some.
#include "shapes/world.h"
#include "solver/solver.h"
#include "testing.h"

#include <string.h>

static const unsigned everything = SP_USES_GRAVITY | SP_USES_DOMAIN | SP_USES_COLLIDERS |
                                   SP_USES_FILL | SP_USES_FLOW | SP_USES_JET | SP_USES_SINKS |
                                   SP_USES_SLIP;
static const sp_box_def box = {.max = {1, 1, 1}};

/// An empty world with the default gravity.
static sp_world_def empty(void)
{
    sp_world_def world = {.gravity = {0}};
    memcpy(world.gravity, sp_world_gravity, sizeof world.gravity);
    return world;
}

static sp_emitter_def emitter(int mode)
{
    sp_emitter_def def;
    sp_keys_defaults(&sp_emitter_keys, &def);
    def.mode = mode;
    if (mode == SP_EMIT_JET) {
        def.direction[0] = -2.0f;
        def.radius = 0.1f;
        def.speed = 3.0f;
    } else {
        def.shape.box = &box;
    }
    return def;
}

static sp_status check(const sp_world_def *world, unsigned uses, sp_error *err)
{
    SP_TRY(sp_uses_check(world, uses, "test", err));
    return sp_world_check(world, err);
}

static void refused(const sp_world_def *world, unsigned uses, const char *words)
{
    assert_int_equal(check(world, uses, ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text, words);
}

static void empty_world_is_accepted_by_every_solver(void **state)
{
    (void)state;
    const sp_world_def world = empty();
    assert_ok(check(&world, 0, ERR));
}

static void full_world_needs_a_solver_that_uses_it(void **state)
{
    (void)state;
    const sp_domain_def domain = {.max = {2, 2, 2}};
    const sp_collider_def colliders[2] = {{.shape.box = &box}, {.shape.box = &box}};
    const sp_emitter_def emitters[] = {emitter(SP_EMIT_FILL), emitter(SP_EMIT_FLOW),
                                       emitter(SP_EMIT_JET)};
    const sp_sink_def sink = {.name = "drain", .shape.box = &box};
    const sp_world_def world = {.domain = &domain,
                                .colliders = colliders,
                                .collider_count = 2,
                                .emitters = emitters,
                                .emitter_count = 3,
                                .sinks = &sink,
                                .sink_count = 1};
    assert_ok(check(&world, everything, ERR));
    // and each is refused when the solver does not use it
    static const struct row {
        unsigned bits;
        const char *words;
    } rows[] = {
        {SP_USES_GRAVITY,
         "gravity: the test solver has no gravity but its own; expected [0, -9.81, 0]"},
        {SP_USES_DOMAIN, "domain: the test solver has no domain; expected none"},
        {SP_USES_COLLIDERS, "colliders: the test solver has no colliders; expected none"},
        {SP_USES_FILL | SP_USES_FLOW | SP_USES_JET,
         "emitters: the test solver has no emitters; expected none"},
        {SP_USES_FILL, "emitters[0].mode: the test solver has no fill; expected flow or jet"},
        {SP_USES_FLOW | SP_USES_JET,
         "emitters[1].mode: the test solver has no flow; expected fill"},
        {SP_USES_SINKS, "sinks: the test solver has no sinks; expected none"},
        {SP_USES_SLIP, "colliders[0].slip: 0; the test solver has walls along which water slides "
                       "freely; expected 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        refused(&world, everything & ~rows[i].bits, rows[i].words);
}

static void inconsistent_things_are_refused(void **state)
{
    (void)state;
    const sp_sink_def sinks[2] = {{.name = "drain", .shape.box = &box},
                                  {.name = "drain", .shape.box = &box}};
    sp_world_def world = empty();
    world.sinks = sinks;
    world.sink_count = 2;
    refused(&world, everything,
            "sinks[1].name: \"drain\" is also the name of sinks[0]; expected another");
    const sp_collider_def colliders[2] = {{.name = "rock", .shape.box = &box},
                                          {.name = "rock", .shape.box = &box}};
    world = empty();
    world.colliders = colliders;
    world.collider_count = 2;
    refused(&world, everything,
            "colliders[1].name: \"rock\" is also the name of colliders[0]; expected another");
    sp_emitter_def def = emitter(SP_EMIT_JET);
    world = empty();
    world.emitters = &def;
    world.emitter_count = 1;
    def.speed = 0.0f;
    refused(&world, everything, "emitters[0].speed: 0 m/s; a jet needs more than 0");
    def = emitter(SP_EMIT_FLOW);
    def.direction[1] = 1.0f;
    refused(&world, everything, "emitters[0].direction: only a jet has one; expected none");
    def = emitter(SP_EMIT_FILL);
    def.stop = 3.0f;
    refused(&world, everything, "emitters[0].stop: a fill acts once, at time 0; expected none");
}

/// Keys that would have no effect where they stand.
static void idle_keys_are_refused(void **state)
{
    (void)state;
    const sp_frames_def frames = {.first = 1, .last = 3, .fps = 24.0f};
    const sp_mesh_def bag = {.file = "bag_%d.obj", .scale = 1.0f, .frames = &frames};
    const sp_heightfield_def ground = {.max = {1, 1, 1}, .depth = 0.5f};
    sp_sink_def sink = {.shape.mesh = &bag};
    sp_emitter_def def = emitter(SP_EMIT_FILL);
    sp_world_def world = empty();
    world.sinks = &sink;
    world.sink_count = 1;
    refused(&world, everything, "sinks[0].shape.mesh.frames: only colliders deform; expected none");
    sink.shape = (sp_shape_def){.heightfield = &ground};
    refused(&world, everything,
            "sinks[0].shape.heightfield.depth: 0.5 m; only the ground of a collider is drawn; "
            "expected 0");
    world = empty();
    world.emitters = &def;
    world.emitter_count = 1;
    assert_ok(check(&world, everything, ERR));
    def.center[2] = 1.0f;
    refused(&world, everything, "emitters[0].center: only a jet has one; expected none");
    def = emitter(SP_EMIT_FLOW);
    def.ramp = 0.1f;
    refused(&world, everything, "emitters[0].ramp: only a jet has one; expected none");
    def = emitter(SP_EMIT_FLOW);
    def.pipe_length = 0.1f;
    refused(&world, everything, "emitters[0].pipe_length: only a jet has one; expected none");
}

static void keys_map_to_their_bits(void **state)
{
    (void)state;
    assert_int_equal(sp_uses_bits("gravity"), SP_USES_GRAVITY);
    assert_int_equal(sp_uses_bits("emitters"), SP_USES_FILL | SP_USES_FLOW | SP_USES_JET);
    assert_int_equal(sp_uses_bits("look"), 0);
}

static bool count_skipped(void *user, const sp_error *why)
{
    assert_non_null(strstr(why->text, "/nowhere.obj"));
    ++*(int *)user;
    return true;
}

static void colliders_open_in_order_and_bad_ones_may_be_skipped(void **state)
{
    (void)state;
    const sp_mesh_def missing = {.file = "/nowhere.obj", .scale = 1.0f};
    const sp_collider_def all[3] = {{.name = "a", .shape.box = &box},
                                    {.name = "b", .shape.mesh = &missing},
                                    {.name = "c", .shape.box = &box}};
    const sp_world_def world = {.colliders = all, .collider_count = 3};
    sp_colliders open;
    int skipped = 0;
    assert_ok(sp_colliders_open(&open, &world, HOST, count_skipped, &skipped, ERR));
    assert_int_equal(skipped, 1);
    assert_int_equal(open.count, 2);
    assert_string_equal(sp_shape_def_of(open.shapes[1])->name, "c");
    sp_colliders_close(&open);
    assert_int_equal(sp_colliders_open(&open, &world, HOST, NULL, NULL, ERR), SP_IO);
    assert_int_equal(open.count, 1); // those before the bad one
    sp_colliders_close(&open);
    sp_colliders_close(&open); // may be closed twice
    assert_ok(sp_colliders_open(&open, NULL, HOST, NULL, NULL, ERR));
    assert_int_equal(open.count, 0);
    sp_colliders_close(&open);
}

/// Frames need a name for each collider, and no two may be equal.
static void colliders_without_a_name_get_different_ones(void **state)
{
    (void)state;
    const sp_sphere_def ball = {.radius = 1.0f};
    const sp_collider_def all[] = {
        {.shape.box = &box},     {.name = "rock", .shape.box = &box},  {.shape.box = &box},
        {.shape.sphere = &ball}, {.name = "box_3", .shape.box = &box}, {.shape.box = &box}};
    static const char *const expected[] = {"box", "rock", "box_2", "sphere", "box_3", "box_4"};
    sp_collider_namer namer = {.colliders = all, .count = sizeof all / sizeof *all};
    for (size_t i = 0; i < namer.count; ++i) {
        const sp_collider_def named = sp_collider_named(&namer, i);
        assert_string_equal(named.name, expected[i]);
        assert_ptr_equal(named.shape.box, all[i].shape.box);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_world_is_accepted_by_every_solver),
        cmocka_unit_test(full_world_needs_a_solver_that_uses_it),
        cmocka_unit_test(inconsistent_things_are_refused),
        cmocka_unit_test(idle_keys_are_refused),
        cmocka_unit_test(keys_map_to_their_bits),
        cmocka_unit_test(colliders_open_in_order_and_bad_ones_may_be_skipped),
        cmocka_unit_test(colliders_without_a_name_get_different_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
