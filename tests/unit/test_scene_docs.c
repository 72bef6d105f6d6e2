// SPDX-License-Identifier: Apache-2.0
// links: scene pond
/// The schema and the reference describe every key.
#include "scene/internal.h"
#include "test_scene.h"

#include <math.h>

static json_t *schema_of(const char *path)
{
    static json_t *schema;
    if (!schema) {
        sp_text text = {.host = HOST};
        sp_schema_write(scene_solvers, SCENE_SOLVERS, &text);
        assert_false(text.failed);
        json_error_t reason;
        schema = json_loads(text.bytes, JSON_REJECT_DUPLICATES, &reason);
        if (!schema) fail_msg("line %d: %s", reason.line, reason.text);
        sp_release(HOST, text.bytes);
    }
    if (strcmp(path, "free") == 0) {
        json_decref(schema);
        return NULL;
    }
    return json_object_get(json_object_get(schema, "properties"), path);
}

/// Compares the table with the schema, key by key.
static void assert_described(const sp_keys *keys, json_t *object)
{
    json_t *properties = json_object_get(object, "properties");
    assert_int_equal(json_object_size(properties), keys->count);
    assert_true(json_is_false(json_object_get(object, "additionalProperties")));
    for (size_t i = 0; i < keys->count; ++i) {
        const sp_key *key = &keys->keys[i];
        json_t *described = json_object_get(properties, key->name);
        assert_non_null(described);
        assert_true(json_is_string(json_object_get(described, "description")));
        if (key->type == SP_KEY_F32) {
            assert_true(json_number_value(json_object_get(described, "minimum")) == key->min);
            assert_true(json_number_value(json_object_get(described, "maximum")) == key->max);
            assert_true(isnan(key->value) == !json_object_get(described, "default"));
        }
        if (key->type == SP_KEY_LIST)
            assert_described(key->items, json_object_get(described, "items"));
        if (key->type == SP_KEY_OPTION) assert_described(key->items, described);
    }
}

static void the_schema_describes_every_key(void **state)
{
    (void)state;
    assert_described(&sp_pond_keys, schema_of("pond"));
    for (size_t i = 0; i < sp_scene_common_keys.count; ++i)
        assert_non_null(schema_of(sp_scene_common_keys.keys[i].name));
    assert_true(json_integer_value(json_object_get(schema_of("spume"), "const")) == 1);
    const json_t *gravity = json_object_get(schema_of("gravity"), "default");
    assert_true(json_array_size(gravity) == 3);
    assert_true(json_real_value(json_array_get(gravity, 1)) == -9.81);
    schema_of("free");
}

static void the_reference_has_a_row_for_every_key(void **state)
{
    (void)state;
    sp_text text = {.host = HOST};
    sp_reference_write(scene_solvers, SCENE_SOLVERS, &text);
    assert_false(text.failed);
    const char *pond = strstr(text.bytes, "## pond");
    assert_non_null(pond);
    for (size_t i = 0; i < sp_pond_keys.count; ++i) {
        const sp_key *key = &sp_pond_keys.keys[i];
        char row[80];
        snprintf(row, sizeof row, "\n| `%.60s` | %s |", key->name, sp_key_type_words(key));
        const char *found = strstr(pond, row);
        if (!found || !strstr(found, key->doc)) fail_msg("no row for %s", key->name);
    }
    assert_non_null(strstr(text.bytes, "| pond.heaters[].path.circle |"));
    assert_non_null(strstr(text.bytes, "| `gravity` | three numbers | m/s^2 | [0, -9.81, 0] |"));
    assert_non_null(strstr(text.bytes, "`emitters[].shape` has the keys of `colliders[].shape`"));
    assert_non_null(strstr(pond, "World keys it uses: `colliders`.\n"));
    assert_non_null(
        strstr(pond, "World keys it uses: `gravity`, `domain`, `colliders`, `emitters`.\n"));
    sp_release(HOST, text.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_describes_every_key),
        cmocka_unit_test(the_reference_has_a_row_for_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
