// SPDX-License-Identifier: Apache-2.0
// links: view core
#include "testing.h"
#include "view/view.h"

#include <string.h>

static void host_must_be_this_machine_with_our_port(void **state)
{
    (void)state;
    static const char *const ours[] = {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080"};
    static const char *const others[] = {
        "",
        ":",
        ":8080",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:",
        "127.0.0.1:808",
        "127.0.0.1:80800",
        "127.0.0.1:08080",
        "127.0.0.1:8081",
        "127.0.0.1:8080 ",
        " 127.0.0.1:8080",
        "127.0.0.1:8080/",
        "127.0.0.1:8080.",
        "127.0.0.1.:8080",
        "localhost.:8080",
        "localhost:8080.evil.com",
        "localhost.evil.com:8080",
        "127.0.0.1.evil.com:8080",
        "evil.com:8080",
        "user@127.0.0.1:8080",
        "127.0.0.1:8080@evil.com",
        "127.0.0.1:8080,evil.com",
        "127.0.0.2:8080",
        "127.1:8080",
        "0x7f.1:8080",
        "[::1]:8080",
    };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i)
        assert_true(sp_view_host_is_ours(ours[i], 8080));
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        assert_false(sp_view_host_is_ours(others[i], 8080));
}

/// Browsers omit the default port of http.
static void port_80_may_be_left_out(void **state)
{
    (void)state;
    assert_true(sp_view_host_is_ours("127.0.0.1", 80));
    assert_true(sp_view_host_is_ours("Localhost", 80));
    assert_true(sp_view_host_is_ours("localhost:80", 80));
    assert_false(sp_view_host_is_ours("localhost.evil.com", 80));
    assert_false(sp_view_host_is_ours("localhost:8080", 80));
}

static void only_listed_files_are_targets(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        int file;
    } rows[] = {
        {"/", 0},
        {"/?", 0},
        {"/?scene=pond/fig10", 0},
        {"/index.html", 0},
        {"/index.html?a=../b", 0},
        {"/page.js", 1},
        {"/page.css", 2},
        {"/pond.wasm", 3},
        {"/pond-plain.wasm", 4},
        {"/scenes.json", 5},
        {"/icon.svg", 6},
        {"", -1},
        {"?", -1},
        {"index.html", -1},
        {"//", -1},
        {"//index.html", -1},
        {"/index.htm", -1},
        {"/index.html/", -1},
        {"/INDEX.html", -1},
        {"/index%2ehtml", -1},
        {"/%2e%2e/index.html", -1},
        {"/../index.html", -1},
        {"/..\\index.html", -1},
        {"/pond.wasm%00", -1},
        {"/index.html#top", -1},
        {"http://127.0.0.1/index.html", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        assert_int_equal(sp_view_file_of(rows[i].target), rows[i].file);
}

static void tags_match_alone_and_in_lists(void **state)
{
    (void)state;
    static const char *const tag = "\"0123456789abcdef\"";
    static const struct {
        const char *list;
        bool matches;
    } rows[] = {
        {"\"0123456789abcdef\"", true},
        {"W/\"0123456789abcdef\"", true},
        {"*", true},
        {" \t\"0123456789abcdef\" ", true},
        {"\"a\", \"0123456789abcdef\"", true},
        {"\"a,b\",\"0123456789abcdef\",\"c\"", true},
        {"", false},
        {",, ,", false},
        {"\"", false},
        {"\"\"", false},
        {"W/", false},
        {"0123456789abcdef", false},
        {"\"0123456789abcdef", false},
        {"\"0123456789abcde\"", false},
        {"\"x, \"0123456789abcdef", false},
        {"\"a*\"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        assert_int_equal(sp_view_tag_matches(rows[i].list, tag), rows[i].matches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_must_be_this_machine_with_our_port),
        cmocka_unit_test(port_80_may_be_left_out),
        cmocka_unit_test(only_listed_files_are_targets),
        cmocka_unit_test(tags_match_alone_and_in_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
