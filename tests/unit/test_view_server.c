// SPDX-License-Identifier: Apache-2.0
// links: view core
#include "scarce_host.h"
#include "temporary.h"
#include "testing.h"
#include "view/view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *const names[SP_VIEW_FILES] = {
    "index.html", "page.js", "page.css", "pond.wasm", "pond-plain.wasm", "scenes.json", "icon.svg"};
static const char *folder;

/// A page whose pond.wasm has the largest allowed size; the other files hold their names.
static int make_page(void **state)
{
    (void)state;
    folder = temporary_directory();
    for (int i = 0; i < SP_VIEW_FILES; ++i)
        write_text(path_in(folder, names[i]), names[i]);
    return truncate(path_in(folder, "pond.wasm"), SP_VIEW_MOST_BYTES);
}

/// ---- A server on a thread of its own -----------------------------------------------------------

typedef struct running {
    sp_host host;
    sp_view_page page;
    sp_view *view;
    pthread_t thread;
} running;

static void *serve(void *user)
{
    running *r = user;
    return sp_view_serve(r->view, NULL) == SP_OK ? r : NULL;
}

/// Skips the test when this build has no server.
static void start(running *r, double head_seconds, double whole_seconds)
{
    sp_view_def def = sp_view_defaults();
    def.head_seconds = head_seconds;
    def.whole_seconds = whole_seconds;
    r->host = sp_host_default(1);
    assert_ok(sp_view_page_read(folder, &r->host, &r->page, ERR));
    const sp_status status = sp_view_open(&def, &r->page, &r->host, &r->view, NULL);
    if (status == SP_UNSUPPORTED) {
        sp_view_page_release(&r->page);
        skip();
    }
    assert_ok(status);
    assert_int_equal(pthread_create(&r->thread, NULL, serve, r), 0);
}

static void stop(running *r)
{
    void *good;
    sp_view_stop(r->view);
    assert_int_equal(pthread_join(r->thread, &good), 0);
    assert_ptr_equal(good, r);
    sp_view_close(r->view);
    sp_view_page_release(&r->page);
}

static int call(const running *r)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0), small = 1 << 16;
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)sp_view_port(r->view))};
    const struct timeval patience = {.tv_sec = 20};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small,
               sizeof small); // a small buffer, so that most bytes stay with the server
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void ask(const running *r, int fd, const char *target)
{
    char request[200];
    const int length =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", target,
                 sp_view_port(r->view));
    assert_int_equal(send(fd, request, (size_t)length, MSG_NOSIGNAL), length);
}

/// Counts bytes until the server closes the connection; fails after 20 s.
static size_t drain(int fd)
{
    static char part[1 << 16];
    size_t all = 0;
    ssize_t got;
    while ((got = recv(fd, part, sizeof part, 0)) > 0)
        all += (size_t)got;
    assert_true(got == 0 || errno == ECONNRESET);
    close(fd);
    return all;
}

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/// ---- Tests -------------------------------------------------------------------------------------

static void files_are_served(void **state)
{
    (void)state;
    running r;
    start(&r, 5.0, 60.0);
    for (int i = 0; i < 3; ++i) {
        const int fd = call(&r);
        ask(&r, fd, "/pond.wasm");
        assert_true(drain(fd) > SP_VIEW_MOST_BYTES);
    }
    stop(&r);
}

/// The kernel buffers some megabytes of an answer, which arrive even after the server closed the
/// connection; the rest of the eight must not arrive.
static void slow_reader_is_disconnected(void **state)
{
    (void)state;
    running r;
    start(&r, 5.0, 0.3);
    const int fd = call(&r);
    ask(&r, fd, "/pond.wasm");
    wait_ms(1000);
    assert_true(drain(fd) < SP_VIEW_MOST_BYTES);
    stop(&r);
}

static void silent_client_is_disconnected(void **state)
{
    (void)state;
    running r;
    start(&r, 0.3, 60.0);
    const int silent = call(&r), slow = call(&r);
    assert_int_equal(send(slow, "GET /", 5, MSG_NOSIGNAL), 5);
    assert_int_equal(drain(silent), 0);
    assert_int_equal(drain(slow), 0);
    stop(&r);
}

static void stop_before_serve_is_not_lost(void **state)
{
    (void)state;
    const sp_view_def def = sp_view_defaults();
    sp_view_page page;
    sp_view *view;
    assert_ok(sp_view_page_read(folder, HOST, &page, ERR));
    const sp_status status = sp_view_open(&def, &page, HOST, &view, NULL);
    if (status == SP_OK) {
        for (int i = 0; i < 100000; ++i)
            sp_view_stop(view); // more than a pipe holds: it must not block
        assert_ok(sp_view_serve(view, ERR));
    }
    sp_view_close(view);
    sp_view_page_release(&page);
    if (status == SP_UNSUPPORTED) skip();
    assert_ok(status);
}

static void port_in_use_is_busy(void **state)
{
    (void)state;
    running r;
    start(&r, 5.0, 60.0);
    sp_view_def def = sp_view_defaults();
    def.port = sp_view_port(r.view);
    sp_view *second;
    assert_fails(sp_view_open(&def, &r.page, &r.host, &second, ERR), SP_BUSY, "in use");
    assert_null(second);
    assert_int_equal(sp_view_open(&def, &r.page, &r.host, &second, NULL), SP_BUSY);
    def.port = 65536;
    assert_int_equal(sp_view_open(&def, &r.page, &r.host, &second, ERR), SP_BAD_INPUT);
    stop(&r);
}

static sp_status read_and_open(const sp_host *host, sp_error *err)
{
    const sp_view_def def = sp_view_defaults();
    sp_view_page page;
    sp_view *view = NULL;
    sp_status status = sp_view_page_read(folder, host, &page, err);
    if (status == SP_OK) status = sp_view_open(&def, &page, host, &view, err);
    sp_view_close(view);
    sp_view_page_release(&page);
    return status == SP_UNSUPPORTED ? SP_OK : status; // this build has no server
}

static void page_is_searched_beside_the_program(void **state)
{
    (void)state;
    char dir[4096], small[8];
    assert_ok(sp_view_page_dir("some/where", dir, sizeof dir, ERR));
    assert_string_equal(dir, "some/where");
    assert_int_equal(sp_view_page_dir("some/where", small, sizeof small, ERR), SP_IO);
    // the page is found if it was built; otherwise the message says what to do
    if (sp_view_page_dir(NULL, dir, sizeof dir, ERR) == SP_OK) {
        assert_non_null(strstr(dir, "/page"));
    } else {
        assert_non_null(strstr(ERR->text, "/page: index.html"));
        assert_non_null(strstr(ERR->text, "make page"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_served),
        cmocka_unit_test(slow_reader_is_disconnected),
        cmocka_unit_test(silent_client_is_disconnected),
        cmocka_unit_test(stop_before_serve_is_not_lost),
        cmocka_unit_test(port_in_use_is_busy),
        test_failing_allocations(read_and_open, 1, 1),
        cmocka_unit_test(page_is_searched_beside_the_program),
    };
    return cmocka_run_group_tests(tests, make_page, NULL);
}
