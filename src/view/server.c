// SPDX-License-Identifier: Apache-2.0
/// The server's sockets and its loop. libmicrohttpd runs inside our own poll(), for three reasons:
/// a signal can stop it at once, an idle server sleeps, and we set the deadlines. The library's own
/// timeout is for inactivity, which a client that sends a byte a second never reaches. We close
/// connections whose request head or whose reading of the response takes too long.
#include "view/internal.h"

sp_view_def sp_view_defaults(void)
{
    return (sp_view_def){
        .head_seconds = 5.0,   // on one machine a head takes milliseconds
        .whole_seconds = 60.0, // a browser paused in its debugger should not keep its slot
    };
}

#if !defined(SPUME_WITH_PAGE)

sp_status sp_view_open(const sp_view_def *def, const sp_view_page *page, const sp_host *host,
                       sp_view **out, sp_error *err)
{
    (void)def, (void)page, (void)host;
    *out = NULL;
    return sp_fail(err, SP_UNSUPPORTED,
                   "this build has no web server (configured with SPUME_WITH_PAGE=OFF)");
}

int sp_view_port(const sp_view *view)
{
    (void)view;
    return 0;
}

sp_status sp_view_serve(sp_view *view, sp_error *err)
{
    (void)view;
    return sp_fail(err, SP_UNSUPPORTED, "this build has no web server");
}

void sp_view_stop(sp_view *view)
{
    (void)view;
}

void sp_view_close(sp_view *view)
{
    (void)view;
}

#else

#include "view/serving.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct sp_view {
    const sp_host *host;
    const sp_view_page *page;
    sp_view_def def;
    int port;
    int wake[2]; ///< a pipe: a byte in it ends the loop; safe in a signal handler
    answers answers;
    struct MHD_Daemon *daemon;
    connection_slot connections[MOST_CONNECTIONS];
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// ---- Callbacks of libmicrohttpd ----------------------------------------------------------------

/// A connection opened or is about to close. Its slot is the context of its socket.
static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    sp_view *view = user;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*context) *(connection_slot *)*context = (connection_slot){0};
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    for (int i = 0; info && i < MOST_CONNECTIONS; ++i) {
        if (view->connections[i].here) continue;
        view->connections[i] = (connection_slot){
            .here = true, .socket = info->connect_fd, .began = seconds_now(), .file = -1};
        *context = &view->connections[i];
        return;
    }
}

/// Only here is the target still as the client sent it: on_request() gets a decoded one. The
/// returned pointer is passed to on_request().
static void *on_target(void *user, const char *target, struct MHD_Connection *connection)
{
    (void)user;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    connection_slot *slot = info ? info->socket_context : NULL;
    if (!slot) return NULL;
    slot->file = sp_view_file_of(target);
    slot->target = strlen(target);
    return slot;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **request)
{
    sp_view *view = user;
    connection_slot *slot = *request;
    (void)upload, (void)upload_size; // we respond before any body is read
    if (!slot) return MHD_NO;
    slot->asked = true;
    return answer(&view->answers, view->page, view->port, slot, connection, url, method, version);
}

/// ---- Opening -----------------------------------------------------------------------------------

/// Opens a socket that listens on 127.0.0.1 only. Done here because the library does not report why
/// it failed. *port becomes the real port.
static sp_status listen_on(int *port, int *out, sp_error *err)
{
    const int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // a port that was just closed can be used again at once; one in use cannot
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        listen(fd, MOST_CONNECTIONS) == 0 && getsockname(fd, (struct sockaddr *)&at, &size) == 0) {
        *port = ntohs(at.sin_port);
        *out = fd;
        return SP_OK;
    }
    const int why = errno;
    if (fd >= 0) close(fd);
    if (why == EADDRINUSE)
        return sp_fail(err, SP_BUSY,
                       "port %d of 127.0.0.1 is in use; choose another one or omit --port", *port);
    return sp_fail(err, SP_IO, "cannot listen on port %d of 127.0.0.1: %s", *port, strerror(why));
}

static bool open_wake(int wake[2])
{
    if (pipe(wake) != 0) return false;
    for (int i = 0; i < 2; ++i) {
        fcntl(wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(wake[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

static sp_status open_parts(sp_view *view, sp_error *err)
{
    if (!open_wake(view->wake))
        return sp_fail(err, SP_IO, "cannot make a pipe: %s", strerror(errno));
    if (!answers_open(&view->answers, view->page))
        return sp_fail(err, SP_NO_MEMORY, "no memory for the web server");
    int fd = -1;
    SP_TRY(listen_on(&view->port, &fd, err));
    view->daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, on_request, view, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_NOTIFY_CONNECTION, on_connection, view,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, view, MHD_OPTION_END);
    if (view->daemon) return SP_OK; // it now owns the socket
    close(fd);
    return sp_fail(err, SP_IO, "the web server did not start");
}

sp_status sp_view_open(const sp_view_def *def, const sp_view_page *page, const sp_host *host,
                       sp_view **out, sp_error *err)
{
    *out = NULL;
    if (def->port < 0 || def->port > 65535)
        return sp_fail(err, SP_BAD_INPUT, "port %d; expected 0 to 65535", def->port);
    sp_view *view = sp_allocate(host, 1, sizeof *view);
    if (!view) return sp_fail(err, SP_NO_MEMORY, "no memory for the web server");
    view->host = host;
    view->page = page;
    view->def = *def;
    view->port = def->port;
    view->wake[0] = view->wake[1] = -1;
    const sp_status status = open_parts(view, err);
    if (status != SP_OK)
        sp_view_close(view); // a half-open one is allowed
    else
        *out = view;
    return status;
}

int sp_view_port(const sp_view *view)
{
    return view->port;
}

void sp_view_close(sp_view *view)
{
    if (!view) return;
    if (view->daemon) MHD_stop_daemon(view->daemon); // closes the listening socket too
    answers_close(&view->answers);
    for (int i = 0; i < 2; ++i)
        if (view->wake[i] >= 0) close(view->wake[i]);
    sp_release(view->host, view);
}

/// ---- Serving -----------------------------------------------------------------------------------

/// Closes connections past their deadline and returns the number of open ones. The library notices
/// and cleans up.
static int close_late_connections(sp_view *view)
{
    const double now = seconds_now();
    int here = 0;
    for (int i = 0; i < MOST_CONNECTIONS; ++i) {
        const connection_slot *slot = &view->connections[i];
        if (!slot->here) continue;
        ++here;
        const double age = now - slot->began;
        if (age > view->def.whole_seconds || (!slot->asked && age > view->def.head_seconds))
            shutdown(slot->socket, SHUT_RDWR);
    }
    return here;
}

/// Timeout of poll(), ms. Without connections: none. Otherwise short enough for deadlines, and for
/// the library to accept again after it had reached its limit of connections.
static int poll_timeout(sp_view *view, bool busy)
{
    MHD_UNSIGNED_LONG_LONG wanted;
    const int most = busy ? 100 : -1;
    if (MHD_get_timeout(view->daemon, &wanted) != MHD_YES) return most;
    return wanted < 100 ? (int)wanted : 100;
}

sp_status sp_view_serve(sp_view *view, sp_error *err)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(view->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info) return sp_fail(err, SP_IO, "the web server gave no descriptor to wait for");
    struct pollfd events[2] = {{.fd = info->epoll_fd, .events = POLLIN},
                               {.fd = view->wake[0], .events = POLLIN}};
    bool busy = false;
    for (;;) {
        if (poll(events, 2, poll_timeout(view, busy)) < 0 && errno != EINTR)
            return sp_fail(err, SP_IO, "the web server failed to wait for requests: %s",
                           strerror(errno));
        char byte;
        if (read(view->wake[0], &byte, 1) == 1) return SP_OK;
        const bool was_busy = close_late_connections(view) > 0;
        if (MHD_run(view->daemon) != MHD_YES)
            return sp_fail(err, SP_IO, "the web server stopped unexpectedly");
        busy = was_busy || close_late_connections(view) > 0; // once more after the last one closed
    }
}

void sp_view_stop(sp_view *view)
{
    const int kept = errno;                              // of the interrupted code
    const ssize_t ignored = write(view->wake[1], "", 1); // if the pipe is full, it was told already
    (void)ignored;
    errno = kept;
}

#endif
