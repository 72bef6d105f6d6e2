// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TESTING_H
#define SP_TESTING_H

/// cmocka with the headers it wants before it, and assertions about calls that return an sp_status.
/// Every test program includes this first.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on
#include <spume/host.h>
#include <spume/status.h>

#include <string.h>

/// Whether sanitizers slow this program down, some ten times. The build says so.
enum { SANITIZED = SPUME_SANITIZED };

/// Where calls under test put their error: assert_ok(sp_scene_open(name, NULL, &host, &scene, ERR)).
static sp_error test_error __attribute__((unused));
#define ERR (&test_error)

/// The default host with one thread, for calls under test where no other is needed.
static inline const sp_host *one_thread(void)
{
    static sp_host host;
    host = sp_host_default(1);
    return &host;
}
#define HOST one_thread()

/// Prints the call, its status and the sentence in ERR, then ends the test.
static inline void fail_call(const char *call, sp_status status, const char *file, int line)
{
    print_error("%s\nreturned %s: %s\n", call, sp_status_name(status),
                test_error.status == status ? test_error.text : "(no text in ERR)");
    _fail(file, line);
}

static inline void assert_ok_at(sp_status status, const char *call, const char *file, int line)
{
    if (status != SP_OK) fail_call(call, status, file, line);
}

static inline void assert_fails_at(sp_status status, sp_status expected, const char *part,
                                   const char *call, const char *file, int line)
{
    const char *text = test_error.text;
    if (status == expected && status == test_error.status && text[0] != '\0' &&
        !strchr(text, '\n') && strstr(text, part))
        return;
    print_error("expected %s and a sentence with \"%s\"\n", sp_status_name(expected), part);
    fail_call(call, status, file, line);
}

/// The call returns SP_OK.
#define assert_ok(call) assert_ok_at((call), #call, __FILE__, __LINE__)

/// The call, which is given ERR, returns `status` and leaves one sentence there that holds `part`.
#define assert_fails(call, status, part)                                                           \
    assert_fails_at((call), (status), (part), #call, __FILE__, __LINE__)

#endif
