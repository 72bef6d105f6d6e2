// SPDX-License-Identifier: Apache-2.0
// links: scene pond
/// Every allocation of the host and of Jansson fails in turn: no crash, no leak, one sentence.
#include "test_scene.h"

#include <jansson.h>

static size_t allowed, made, alive; // allocations before the first failure; all later ones fail
static bool json_fails;             // whose allocations fail: Jansson's or the host's

static bool refuse(bool json)
{
    return json == json_fails && made++ >= allowed;
}

static void *host_take(void *user, size_t bytes)
{
    (void)user;
    if (refuse(false)) return NULL;
    ++alive;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static void host_give(void *user, void *memory, size_t bytes)
{
    (void)user, (void)bytes;
    --alive;
    free(memory);
}

static void *json_take(size_t bytes)
{
    if (refuse(true)) return NULL;
    ++alive;
    return malloc(bytes);
}

static void json_give(void *memory)
{
    alive -= memory != NULL;
    free(memory);
}

static sp_host failing_host(void)
{
    sp_host host = sp_host_default(1);
    host.user = NULL;
    host.allocate = host_take;
    host.release = host_give;
    return host;
}

static const char *const texts[] = {
    "{ \"spume\": 1, \"solver\": \"pond\", \"about\": \"all of it\",\n"
    "  \"look\": { \"camera\": { \"from\": [1, 2, 3], \"to\": [0, 0, 0] } },\n"
    "  \"pond\": { \"ground\": [[0, 0.1], [0.2, 0.3]], \"nozzles\": [ { \"x\": 0.1, \"y\": 0.2 } "
    "],\n"
    "    \"heaters\": [ { \"x\": 1, \"y\": 1, \"path\": { \"circle\": { \"radius\": 1, \"period\": "
    "4 } } } ] },\n"
    "  \"sizes\": { \"full\": { \"pond.nx\": 60 } } }",
    "{ \"spume\": 1, \"solver\": \"pond\", \"pond\": { \"ground\": \"ramp.pgm\" } }",
    "{ \"spume\": 1, \"solver\": \"pond\", \"pond\": { \"ground\": \"ramp16.png\" } }",
    "{ \"spume\": 1, \"solver\": \"pond\", \"pond\": { \"foam_lief\": 2 } }",
};

static sp_status open_all(const char *text, const sp_host *host, sp_error *err)
{
    static const char *const sets[] = {"pond.ny=61", "pond.nozzles[0]={\"x\": 1, \"y\": 2}",
                                       "cache.keep=3", "pond.boundary=open"};
    const bool whole = strstr(text, "nozzles") != NULL;
    const sp_scene_options options = {.struct_size = sizeof(sp_scene_options),
                                      .size = whole ? "full" : NULL,
                                      .set = sets,
                                      .set_count = whole ? 4 : 0};
    sp_scene *scene;
    sp_status st = open_text(text, &options, host, &scene, err);
    if (st != SP_OK) {
        assert_null(scene);
        return st;
    }
    char *resolved;
    st = sp_scene_resolved(scene, &resolved, err);
    sp_release(host, resolved);
    sp_scene_close(scene);
    return st;
}

/// Opens with one more allocation allowed each time, until none fails; returns the last status.
static sp_status fail_in_turn(const char *text, const sp_host *host)
{
    sp_status st;
    allowed = 0;
    do {
        *ERR = (sp_error){0};
        made = 0;
        st = open_all(text, host, ERR);
        assert_int_equal(alive, 0);
        if (st != SP_OK) assert_true(strlen(ERR->text) > 0 && !strchr(ERR->text, '\n'));
        // Jansson reports a failed string allocation as bad syntax, so the status is checked only
        // for the host.
        if (made > allowed && !json_fails && st != SP_NO_MEMORY)
            fail_msg("%zu: \"%s\"", allowed, ERR->text);
        if (made > allowed) assert_int_not_equal(st, SP_OK);
    } while (made > allowed++);
    assert_true(allowed > 5); // some allocations did fail
    return st;
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    json_set_alloc_funcs(json_take, json_give);
    const sp_host host = failing_host();
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
        for (int j = 0; j < 2; ++j) {
            json_fails = j == 1;
            const sp_status st = fail_in_turn(texts[t], &host);
            // When none fails, the last text is still refused for its key, and PNG may not be built
            // in.
            assert_true(st == SP_OK || st == SP_UNSUPPORTED || (t == 3 && st == SP_BAD_INPUT));
        }
    }
    json_set_alloc_funcs(malloc, free);
}

/// Jansson's memory is not the host's, but the host's limit holds for it too: here 3 MB of text would become 300 MB.
static void text_of_many_values_is_refused_before_it_is_parsed(void **state)
{
    (void)state;
    enum { LISTS = 1000000 };
    const sp_host inner = sp_host_default(1);
    sp_budget budget;
    const sp_host host = sp_budget_host(&budget, &inner, (size_t)100 << 20);
    char *text = malloc(3 * LISTS + 64), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{ \"spume\": 1, \"about\": [");
    for (int i = 0; i < LISTS; ++i)
        at += sprintf(at, "[],");
    strcpy(at, "0] }");
    sp_scene *scene;
    allowed = SIZE_MAX;
    made = 0;
    json_fails = true;
    json_set_alloc_funcs(json_take, json_give);
    assert_int_equal(open_text(text, NULL, &host, &scene, ERR), SP_NO_MEMORY);
    assert_int_equal(made, 0); // Jansson was not asked
    assert_non_null(strstr(ERR->text, "no memory to read the scene"));
    json_set_alloc_funcs(malloc, free);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_allocations_leak_nothing),
        cmocka_unit_test(text_of_many_values_is_refused_before_it_is_parsed),
    };
    return cmocka_run_group_tests(tests, enter_data, NULL);
}
