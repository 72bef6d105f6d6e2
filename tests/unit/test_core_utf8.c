// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/text/utf8.h"
#include "testing.h"

#include <string.h>

/// RFC 3629: no longer form than needed, no surrogates, nothing beyond U+10FFFF, nothing cut short.
static void invalid_utf8_is_detected(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {"", 0},
        {"a", 1},
        {"\x7f", 1},
        {"\xc2\x80", 2},
        {"\xdf\xbf", 2},
        {"\xe0\xa0\x80", 3},
        {"\xed\x9f\xbf", 3},
        {"\xf0\x90\x80\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\x80", 0},             // continuation byte without a start
        {"\xc3", 0},             // cut short
        {"\xe2\x82", 0},         // the same
        {"\xe2z\xac", 0},        // a letter between the bytes
        {"\xc0\xaf", 0},         // '/' in two bytes
        {"\xe0\x9f\xbf", 0},     // three bytes where two suffice
        {"\xf0\x8f\xbf\xbf", 0}, // four bytes where three suffice
        {"\xed\xa0\x80", 0},     // a surrogate
        {"\xf4\x90\x80\x80", 0}, // beyond the last
        {"\xff", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        assert_int_equal(sp_utf8_length(rows[i].text), rows[i].length);
}

static void any_text_becomes_a_json_string(void **state)
{
    (void)state;
    static const char text[] = "a\"\\\n\x01 \xc3\xbc\xfc\xe2\x82\xac\xf0\x9f\x92\xa7\xe2\x82";
    char all[200] = "", letter[8];
    for (size_t at = 0; text[at];) {
        at += sp_json_letter(text + at, letter);
        strcat(all, letter);
    }
    assert_string_equal(all, "a\\\"\\\\\\u000a\\u0001 \xc3\xbc\\u00fc\xe2\x82\xac\xf0\x9f\x92\xa7"
                             "\\u00e2\\u0082");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_utf8_is_detected),
        cmocka_unit_test(any_text_becomes_a_json_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
