// SPDX-License-Identifier: Apache-2.0
// links: core
/// Text that grows: what is added comes out, quoted and numbered as JSON wants it.
#include "core/core.h"
#include "scarce_host.h"
#include "testing.h"

#include <math.h>

static void strings_and_numbers_are_json(void **state)
{
    (void)state;
    sp_text text = {.host = HOST};
    sp_text_quote(&text, "a\"b\\c\nd");
    sp_text_add(&text, " ");
    sp_text_number(&text, 1.0 / 3.0, 3);
    sp_text_add(&text, " ");
    sp_text_number(&text, (double)INFINITY, 9);
    sp_text_add(&text, " ");
    sp_text_float(&text, 0.1f);
    sp_text_add(&text, " ");
    sp_text_xml(&text, "<a'>");
    assert_string_equal(text.bytes, "\"a\\\"b\\\\c\\u000ad\" 0.333 null 0.1 &#60;a&#39;&#62;");
    assert_int_equal(text.size, strlen(text.bytes));
    sp_text_close(&text);
}

static void a_formatted_text_may_be_long(void **state)
{
    (void)state;
    enum { LONG = 5000 };
    sp_text text = {.host = HOST};
    for (int i = 0; i < 3; ++i)
        sp_text_format(&text, "%*d", LONG, i);
    assert_int_equal(text.size, 3 * LONG);
    assert_int_equal(text.bytes[2 * LONG - 1], '1');
    sp_text_close(&text);
}

static sp_status grow(const sp_host *host, sp_error *err)
{
    sp_text text = {.host = host};
    char *whole;
    for (int i = 0; i < 200; ++i)
        sp_text_format(&text, "%d and ", i);
    const sp_status status = sp_text_finish(&text, &whole, err);
    if (status == SP_OK) sp_release(host, whole);
    return status;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    scarce_fail_each(grow, 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_and_numbers_are_json),
        cmocka_unit_test(a_formatted_text_may_be_long),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
