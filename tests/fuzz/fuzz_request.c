// SPDX-License-Identifier: Apache-2.0
/// Fuzzes the reader of the page's requests (libFuzzer). The first byte chooses:
///   even  the rest is a target, a Host header and an If-None-Match header, a line each
///   odd   the rest is a request, sent to a server in this process; a byte of value 1 stands for
///         the server's port, which a right Host header must have
#include "view/internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool truth)
{
    if (!truth) abort();
}

/// ---- The words ---------------------------------------------------------------------------------

static bool is_target(const char *target, const char *name)
{
    const size_t n = strlen(name);
    return target[0] == '/' && strncmp(target + 1, name, n) == 0 &&
           (target[n + 1] == '\0' || target[n + 1] == '?');
}

static void read_words(char *words)
{
    static const char tag[] = "\"0123456789abcdef\"";
    char *target = words, *rest = words + strcspn(words, "\n");
    if (*rest) *rest++ = '\0';
    char *host = rest, *list = rest + strcspn(rest, "\n");
    if (*list) *list++ = '\0';

    const int file = sp_view_file_of(target);
    expect(file >= -1 && file < SP_VIEW_FILES);
    if (file >= 0)
        expect(is_target(target, sp_view_files[file].name) || (file == 0 && is_target(target, "")));
    if (sp_view_host_is_ours(host, 8080))
        expect(strcasecmp(host, "localhost:8080") == 0 || strcmp(host, "127.0.0.1:8080") == 0);
    if (sp_view_tag_matches(list, tag)) expect(strchr(list, '*') || strstr(list, tag));
}

/// ---- The server --------------------------------------------------------------------------------

static sp_host host;
static sp_view *view;

static void *serve(void *unused)
{
    (void)unused;
    expect(sp_view_serve(view, NULL) == SP_OK);
    return NULL;
}

static void start_server(void)
{
    static sp_view_page page;
    static unsigned char bytes[SP_VIEW_FILES][8];
    pthread_t thread;
    host = sp_host_default(1);
    for (int i = 0; i < SP_VIEW_FILES; ++i) {
        page.files[i] = sp_view_files[i];
        page.files[i].bytes = bytes[i];
        page.files[i].size = (size_t)snprintf((char *)bytes[i], sizeof bytes[i], "file %d", i);
        snprintf(page.files[i].tag, sizeof page.files[i].tag, "\"%d\"", i);
    }
    const sp_view_def def = sp_view_defaults();
    expect(sp_view_open(&def, &page, &host, &view, NULL) == SP_OK);
    expect(pthread_create(&thread, NULL, serve, NULL) == 0);
    pthread_detach(thread);
}

/// A connection from one of many addresses of this machine: closed ones keep their ports for a
/// minute.
static int connect_to_server(void)
{
    static uint32_t from;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET};
    at.sin_addr.s_addr = htonl(0x7f000002u + from++ % 60000u);
    expect(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons((uint16_t)sp_view_port(view));
    expect(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
    // An unfinished head has no answer: the server waits for the rest.
    const struct timeval wait = {.tv_usec = 5000};
    const struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return fd;
}

/// Copies a request with its port put in.
static char *with_port(const uint8_t *data, size_t size, size_t *length)
{
    char *text = malloc(5 * size + 1);
    expect(text != NULL);
    *length = 0;
    for (size_t i = 0; i < size; ++i) {
        if (data[i] == 1)
            *length += (size_t)snprintf(text + *length, 6, "%d", sp_view_port(view));
        else
            text[(*length)++] = (char)data[i];
    }
    text[*length] = '\0';
    return text;
}

/// A file is sent only for GET or HEAD to this machine by its name.
static void judge_answer(const char *request, size_t length, const char *answer)
{
    if (!answer[0]) return; // the head never ended
    expect(strncmp(answer, "HTTP/1.", 7) == 0);
    if (strncmp(answer + 9, "200", 3) != 0 && strncmp(answer + 9, "304", 3) != 0) return;
    expect(strncmp(request + strspn(request, "\r\n"), "GET /", 5) == 0 ||
           strncmp(request + strspn(request, "\r\n"), "HEAD /", 6) == 0);
    bool ours = false;
    for (size_t i = 0; i + 9 <= length; ++i)
        ours |= strncasecmp(request + i, "localhost", 9) == 0 ||
                strncmp(request + i, "127.0.0.1", 9) == 0;
    expect(ours && strstr(answer, "X-Content-Type-Options: nosniff"));
}

static void ask_server(const uint8_t *data, size_t size)
{
    if (!view) start_server();
    size_t length, got = 0;
    char *request = with_port(data, size, &length), answer[4096];
    const int fd = connect_to_server();
    const ssize_t sent = send(fd, request, length, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    for (ssize_t n;
         got + 1 < sizeof answer && (n = recv(fd, answer + got, sizeof answer - 1 - got, 0)) > 0;)
        got += (size_t)n;
    answer[got] = '\0';
    close(fd);
    if (sent == (ssize_t)length) judge_answer(request, length, answer);
    free(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    if (data[0] & 1) {
        ask_server(data + 1, size - 1);
        return 0;
    }
    char *words = malloc(size);
    expect(words != NULL);
    memcpy(words, data + 1, size - 1);
    words[size - 1] = '\0';
    read_words(words);
    free(words);
    return 0;
}
