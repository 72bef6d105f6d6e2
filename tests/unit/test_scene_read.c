// SPDX-License-Identifier: Apache-2.0
// links: scene pond
/// Reading scenes: comments, all kinds of keys, sizes, overrides, resolved text and hashes.
#include "test_scene.h"

#include <math.h>

static sp_scene *must_open(const char *text, const sp_scene_options *options)
{
    static sp_host host;
    host = sp_host_default(1);
    sp_scene *scene;
    assert_ok(open_text(text, options, &host, &scene, ERR));
    return scene;
}

static char *must_resolve(const sp_scene *scene)
{
    char *text;
    assert_ok(sp_scene_resolved(scene, &text, ERR));
    return text;
}

static void an_empty_scene_is_all_defaults(void **state)
{
    (void)state;
    sp_scene *scene = must_open("{ \"spume\": 1, \"solver\": \"pond\" }", NULL);
    sp_pond_def expected = sp_pond_defaults();
    expected.seed = 0; // the scene's own key, handed over when the solver is opened
    expected.struct_size = 0;
    assert_memory_equal(scene->def, &expected, sizeof expected);
    assert_true(scene->common.fps == 24.0 && scene->common.frames == 100);
    assert_true(scene->common.seed == 1 && !scene->common.about && !scene->common.look.camera);
    assert_true(scene->common.cache.checkpoint_every == 10 && scene->common.cache.keep == 2);
    assert_true(!scene->common.cache.half && scene->common.cache.sync);
    assert_string_equal(scene->title, "test");
    assert_string_equal(scene->name, "scenes/test.json");
    assert_string_equal(scene->size, "laptop");
    sp_scene_close(scene);
    sp_scene_close(NULL);
}

static const char rich[] =
    "\xef\xbb\xbf// a comment before anything\r\n"
    "{ \"spume\": 1, /* inside */ \"solver\": \"pond\", // to the end { [ \" \n"
    "  \"$schema\": \"https://example.org/scene.json\",\n"
    "  \"about\": \"not // a comment, \\\"nor\\\" /* this */ \\u00fc \\t\",\n"
    "  \"fps\": 29.97, \"frames\": 12, \"seed\": 9007199254740991,\n"
    "  \"cache\": { \"half\": true, \"keep\": 3 },\n"
    "  \"look\": { \"camera\": { \"from\": [1, 2.5, -0.0], \"to\": [0, 0.1, 0] }, \"light\": "
    "\"sky\" },\n"
    "  \"pond\": { \"nx\": 1e2, \"dx\": 0.1, \"gravity\": 1.6, \"boundary\": \"open\",\n"
    "    \"ground\": [[0, 0.1], [0.30000001, 1e-30]], \"coalescence\": false,\n"
    "    \"vortex_model\": \"paper\",\n"
    "    \"nozzles\": [ { \"x\": 0.1, \"y\": 0.2, \"on\": false }, { \"x\": 0.3, \"y\": 0.4, "
    "\"rate\": 3 } ],\n"
    "    \"heaters\": [ { \"x\": 1, \"y\": 1, \"path\": { \"circle\": { \"radius\": 0.15, "
    "\"period\": -4.2 } } },\n"
    "                 { \"x\": 1, \"y\": 1, \"path\": null } ],\n"
    "    \"obstacles\": [ { \"x\": 0.5, \"y\": 0.5, \"shape\": \"capsule\", \"angle\": -90,\n"
    "      \"path\": { \"repeat\": true, \"keyframes\": [ { \"t\": 0, \"x\": 0, \"y\": 0 },\n"
    "                { \"t\": 1.5, \"x\": 0.25, \"y\": 0 } ] } } ] },\n"
    "  \"sizes\": { \"full\": { \"pond.nx\": 400, \"pond.nozzles[1].rate\": 30,\n"
    "                          \"look.camera.fov\": 50, \"frames\": 900 } } } /* after */ // the "
    "end";

static void every_kind_of_key_is_read(void **state)
{
    (void)state;
    sp_scene *scene = must_open(rich, NULL);
    const sp_pond_def *pond = pond_of(scene);
    assert_string_equal(scene->common.about, "not // a comment, \"nor\" /* this */ \xc3\xbc \t");
    assert_true(scene->common.fps == 29.97 && scene->common.frames == 12);
    assert_true(scene->common.seed == 9007199254740991u);
    assert_true(scene->common.cache.half && scene->common.cache.keep == 3);
    assert_true(scene->common.look.camera->from[1] == 2.5f &&
                scene->common.look.camera->to[1] == 0.1f);
    assert_true(signbit(scene->common.look.camera->from[2]));
    assert_int_equal(scene->common.look.light, SP_LIGHT_SKY);
    assert_true(pond->nx == 100 && pond->dx == 0.1f && pond->gravity == 1.6f);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pond->boundary[i], SP_POND_OPEN);
    assert_true(pond->ground.width == 2 && pond->ground.height == 2);
    assert_true(pond->ground.values[1] == 0.1f && pond->ground.values[3] == 1e-30f);
    assert_true(!pond->coalescence && pond->vortex_model == SP_POND_PAPER);
    assert_true(pond->nozzle_count == 2 && !pond->nozzles[0].on && pond->nozzles[1].on);
    assert_true(pond->nozzles[0].rate == 8.0f && pond->nozzles[1].rate == 3.0f);
    assert_true(pond->heater_count == 2 && pond->heaters[0].path->circle->period == -4.2f);
    assert_null(pond->heaters[1].path);
    assert_int_equal(pond->obstacles[0].shape, SP_POND_CAPSULE);
    assert_true(pond->obstacles[0].path->keyframe_count == 2 && pond->obstacles[0].path->repeat);
    assert_true(pond->obstacles[0].path->keyframes[1].t == 1.5f);
    sp_scene_close(scene);
}

static void a_size_comes_first_and_overrides_after_it(void **state)
{
    (void)state;
    static const char *const sets[] = {"pond.nx=64",
                                       "pond.ny=64",
                                       "pond.boundary=[\"open\",\"open\",\"reflect\",\"open\"]",
                                       "about=a plain word",
                                       "pond.heaters[1].path.circle.radius=0.5",
                                       "pond.heaters[1].path.circle.period=2",
                                       "cache.sync=false",
                                       "pond.obstacles=[]",
                                       "pond.ground=0.05",
                                       "pond.nx=65"};
    const sp_scene_options options = {
        .struct_size = sizeof(sp_scene_options), .size = "full", .set = sets, .set_count = 10};
    sp_scene *scene = must_open(rich, &options);
    const sp_pond_def *pond = pond_of(scene);
    assert_string_equal(scene->size, "full");
    assert_true(pond->nx == 65 && pond->ny == 64); // the last of two wins
    assert_true(pond->nozzles[1].rate == 30.0f && scene->common.frames == 900);
    assert_true(scene->common.look.camera->fov == 50.0f && !scene->common.cache.sync);
    assert_true(pond->boundary[1] == SP_POND_OPEN && pond->boundary[2] == SP_POND_REFLECT);
    assert_string_equal(scene->common.about, "a plain word");
    assert_true(pond->heaters[1].path->circle->radius == 0.5f); // created: the scene had null
    assert_true(pond->obstacle_count == 0 && !pond->ground.values &&
                pond->ground.constant == 0.05f);
    sp_scene_close(scene);
}

/// Compares two defs by the key table, because lists are at different addresses.
static bool same(const sp_keys *keys, const void *a, const void *b);
static bool same_key(const sp_key *key, const char *a, const char *b)
{
    const void *at = a + key->offset, *bt = b + key->offset;
    if (key->type == SP_KEY_OBJECT) return same(key->items, at, bt);
    if (key->type == SP_KEY_VEC3) return memcmp(at, bt, 3 * sizeof(float)) == 0;
    if (key->type == SP_KEY_CHOICES) return memcmp(at, bt, 4 * sizeof(int)) == 0;
    if (key->type == SP_KEY_HEIGHTS) {
        const sp_heights *g = at, *h = bt;
        return g->constant == h->constant && g->width == h->width && g->height == h->height &&
               (!g->values ||
                memcmp(g->values, h->values, g->width * g->height * sizeof(float)) == 0);
    }
    if (sp_key_is_number(key)) {
        const double x = sp_key_get_number(key, a), y = sp_key_get_number(key, b);
        return memcmp(&x, &y, sizeof x) == 0;
    }
    const char *p = *(const char *const *)at, *q = *(const char *const *)bt;
    if (!p || !q) return !p && !q;
    if (key->type == SP_KEY_TEXT) return strcmp(p, q) == 0;
    size_t n = 1;
    if (key->type == SP_KEY_LIST) {
        n = *(const size_t *)(const void *)(a + key->count_offset);
        if (n != *(const size_t *)(const void *)(b + key->count_offset)) return false;
    }
    for (size_t i = 0; i < n; ++i)
        if (!same(key->items, p + i * key->items->size, q + i * key->items->size)) return false;
    return true;
}
static bool same(const sp_keys *keys, const void *a, const void *b)
{
    for (size_t i = 0; i < keys->count; ++i)
        if (!same_key(&keys->keys[i], a, b)) return false;
    return true;
}

/// The floats nearest to 0.6, 0.05, 0.1 and 1/240 differ from these numbers; both ends of a range
/// are allowed all the same.
static void both_ends_of_a_range_are_allowed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sp_pond_keys.count; ++i) {
        const sp_key *key = &sp_pond_keys.keys[i];
        if (key->type != SP_KEY_F32 && key->type != SP_KEY_I32) continue;
        const double ends[] = {key->min, key->max};
        for (int e = 0; e < 2; ++e) {
            sp_pond_def def = sp_pond_defaults();
            sp_key_set_number(key, &def, ends[e]);
            assert_ok(sp_keys_check(&sp_pond_keys, &def, "pond", ERR));
        }
    }
}

static const char worldly[] =
    "{ \"spume\": 1, \"solver\": \"sph\", \"gravity\": [0, 0, -1.62],\n"
    "  \"domain\": { \"min\": [-1, 0, -1], \"max\": [1, 2, 1] },\n"
    "  \"emitters\": [\n"
    "    { \"name\": \"pool\", \"shape\": { \"box\": { \"min\": [0, 0, 0], \"max\": [1, 0.5, 1] } "
    "} },\n"
    "    { \"shape\": { \"mesh\": { \"file\": \"drop.obj\" } }, \"velocity\": [0, -2, 0] },\n"
    "    { \"mode\": \"jet\", \"direction\": [0, -1, 0], \"radius\": 0.04, \"speed\": 3,\n"
    "      \"stop\": 2.5 } ] }";

static void resolved_text_reads_back_to_the_same_def_and_text(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{rich, "laptop"}, {rich, "full"}, {worldly, "laptop"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sp_scene *first =
            must_open(rows[i][0], &(sp_scene_options){.struct_size = sizeof(sp_scene_options),
                                                      .size = rows[i][1]});
        char *text = must_resolve(first);
        sp_scene *second = must_open(text, NULL);
        char *again = must_resolve(second);
        assert_string_equal(text, again);
        assert_true(first->hash == second->hash);
        assert_true(same(&sp_scene_common_keys, &first->common, &second->common));
        assert_true(same(&sp_pond_keys, first->def, second->def));
        sp_release(first->host, text);
        sp_release(first->host, again);
        sp_scene_close(first);
        sp_scene_close(second);
    }
}

static void keys_of_the_world_are_read(void **state)
{
    (void)state;
    sp_scene *scene = must_open(worldly, NULL);
    const sp_world_def *world = &scene->common.world;
    assert_true(world->gravity[1] == 0.0f && world->gravity[2] == -1.62f);
    assert_true(world->domain->max[1] == 2.0f && world->emitter_count == 3);
    const sp_emitter_def *pool = &world->emitters[0], *jet = &world->emitters[2];
    assert_true(pool->mode == SP_EMIT_FILL && pool->stop == 1e9f && pool->shape.box);
    assert_true(jet->mode == SP_EMIT_JET && jet->stop == 2.5f && !jet->name);
    assert_true(jet->ramp == 0.05f && jet->pipe_length == -1.0f && jet->speed == 3.0f);
    assert_int_equal(world->emitters[1].shape.mesh->file[0], '/'); // an absolute path
    const sp_setup setup = sp_scene_setup(scene);
    assert_true(setup.world == world && setup.def == scene->def && setup.seed == 1);
    sp_scene_close(scene);
}

/// A new world key must not change the hashes of solvers that ignore it, so that their runs resume.
static void resolved_scene_omits_keys_the_solver_ignores(void **state)
{
    (void)state;
    sp_scene *pond = must_open("{ \"spume\": 1, \"solver\": \"pond\" }", NULL);
    sp_scene *sph = must_open("{ \"spume\": 1, \"solver\": \"sph\" }", NULL);
    char *without = must_resolve(pond), *with = must_resolve(sph);
    assert_non_null(strstr(with, "\n  \"gravity\": [0, -9.81, 0],\n  \"domain\": null,\n"));
    assert_null(strstr(without, "\n  \"gravity\""));
    assert_null(strstr(without, "\n  \"emitters\""));
    assert_non_null(strstr(without, "\n  \"colliders\": [],\n  \"look\""));
    assert_null(strstr(with, "\n  \"sinks\""));
    sp_release(pond->host, without);
    sp_release(sph->host, with);
    sp_scene_close(pond);
    sp_scene_close(sph);
}

static void another_value_gives_another_hash(void **state)
{
    (void)state;
    static const char *const set[] = {"pond.dx=0.10000001"}; // the next float after 0.1
    sp_scene *a = must_open(rich, NULL);
    sp_scene *b = must_open(
        rich,
        &(sp_scene_options){.struct_size = sizeof(sp_scene_options), .set = set, .set_count = 1});
    assert_true(a->hash != b->hash);
    sp_scene_close(a);
    sp_scene_close(b);
}

/// Bit patterns over all exponents, read through a key with a wide range (the camera's position).
static void floats_read_back_bit_for_bit(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 300; ++i) {
        const uint64_t bits = sp_mix64(i);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value) || fabsf(value) > 1e6f) continue;
        char scene_text[256];
        snprintf(scene_text, sizeof scene_text,
                 "{ \"spume\": 1, \"solver\": \"pond\", \"look\": { \"camera\": { \"from\": "
                 "[%.17g, 0, 0], \"to\": [0, 0, 0] } } }",
                 (double)value);
        sp_scene *first = must_open(scene_text, NULL);
        char *text = must_resolve(first);
        sp_scene *second = must_open(text, NULL);
        assert_memory_equal(second->common.look.camera->from, &value, sizeof value);
        sp_release(first->host, text);
        sp_scene_close(first);
        sp_scene_close(second);
    }
}

static void errors_after_comments_keep_their_lines(void **state)
{
    (void)state;
    sp_scene *scene;
    open_text("/* one\n two */ { // three\n\"spume\": 1, \"solver\": \"pond\", /*\n\n*/\n"
              "\"pond\": { \"about\": \"//\", \"nx\": \"/*\" }}",
              NULL, HOST, &scene, ERR);
    assert_string_equal(ERR->text,
                        "scenes/test.json:6: pond.about: unknown key; did you mean about, "
                        "outside pond?");
}

static void failures_return_without_an_error_struct(void **state)
{
    (void)state;
    sp_scene *scene;
    assert_int_equal(open_text("{", NULL, HOST, &scene, NULL), SP_BAD_INPUT);
    assert_null(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_scene_is_all_defaults),
        cmocka_unit_test(every_kind_of_key_is_read),
        cmocka_unit_test(a_size_comes_first_and_overrides_after_it),
        cmocka_unit_test(both_ends_of_a_range_are_allowed),
        cmocka_unit_test(keys_of_the_world_are_read),
        cmocka_unit_test(resolved_scene_omits_keys_the_solver_ignores),
        cmocka_unit_test(resolved_text_reads_back_to_the_same_def_and_text),
        cmocka_unit_test(another_value_gives_another_hash),
        cmocka_unit_test(floats_read_back_bit_for_bit),
        cmocka_unit_test(errors_after_comments_keep_their_lines),
        cmocka_unit_test(failures_return_without_an_error_struct),
    };
    return cmocka_run_group_tests(tests, enter_data, NULL);
}
