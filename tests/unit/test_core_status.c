// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/text/log.h"
#include "core/text/status.h"
#include "testing.h"

#include <stdio.h>
#include <string.h>

static void failing_writes_the_sentence_and_returns_the_status(void **state)
{
    (void)state;
    sp_error err = {0};
    assert_int_equal(sp_fail(&err, SP_IO, "%s: %d bytes", "a.h5", 7), SP_IO);
    assert_int_equal(err.status, SP_IO);
    assert_string_equal(err.text, "a.h5: 7 bytes");
    assert_int_equal(sp_fail(NULL, SP_DAMAGED, "nobody %s", "listens"), SP_DAMAGED);
}

static void prefixes_are_put_in_front(void **state)
{
    (void)state;
    sp_error err = {0};
    sp_fail(&err, SP_BAD_INPUT, "pond.dx: 0 m");
    sp_error_prefix(&err, "line %d: ", 4);
    sp_error_prefix(&err, "%s: ", "scene.json");
    assert_string_equal(err.text, "scene.json: line 4: pond.dx: 0 m");
    assert_int_equal(err.status, SP_BAD_INPUT);
    sp_error_prefix(NULL, "nothing");
}

/// A prefix or sentence longer than the buffer is cut, and nothing is written behind its end.
static void too_long_sentence_is_cut(void **state)
{
    (void)state;
    char words[2000];
    memset(words, 'w', sizeof words);
    words[sizeof words - 1] = '\0';
    sp_error err = {0};
    sp_fail(&err, SP_BAD_INPUT, "%s", words);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    sp_error_prefix(&err, "first: ");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "first: www", 10);
    sp_error_prefix(&err, "%s", words);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void every_status_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int a = SP_OK; a <= SP_FULL; ++a) {
        assert_string_not_equal(sp_status_name((sp_status)a), "unknown status");
        for (int b = SP_OK; b < a; ++b)
            assert_string_not_equal(sp_status_name((sp_status)a), sp_status_name((sp_status)b));
    }
    assert_string_equal(sp_status_name((sp_status)999), "unknown status");
}

static void keep_line(void *user, sp_log_level level, const char *text)
{
    snprintf(user, 600, "%d:%s", (int)level, text);
}

static void log_lines_reach_the_host_and_a_missing_log_is_ignored(void **state)
{
    (void)state;
    char kept[600] = "";
    sp_host host = sp_host_default(1);
    sp_log(&host, SP_LOG_ERROR, "silent");
    host.user = kept;
    host.log = keep_line;
    sp_log(&host, SP_LOG_WARNING, "%d substeps", 12);
    char expected[32];
    snprintf(expected, sizeof expected, "%d:12 substeps", (int)SP_LOG_WARNING);
    assert_string_equal(kept, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_writes_the_sentence_and_returns_the_status),
        cmocka_unit_test(prefixes_are_put_in_front),
        cmocka_unit_test(too_long_sentence_is_cut),
        cmocka_unit_test(every_status_has_a_name_of_its_own),
        cmocka_unit_test(log_lines_reach_the_host_and_a_missing_log_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
