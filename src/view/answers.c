// SPDX-License-Identifier: Apache-2.0
/// The responses: all are created when the server starts; a request only chooses one.
#include "view/internal.h"

#if defined(SPUME_WITH_PAGE)

#include "view/serving.h"

#include <string.h>
#include <strings.h>

/// Headers of every response. The page may load what is served beside it, run our WebAssembly and
/// show images and movies that it made itself. No other page may embed it in a frame.
static const struct {
    const char *name, *value;
} common_headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
     "img-src 'self' blob: data:; media-src blob:; connect-src 'self'; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-cache"}, // revalidate each time: a 304 is cheap here
    {"Connection", "close"},       // one request a connection, so that one deadline covers it
};

static const struct {
    unsigned status;
    const char *text;
} refusals[REFUSALS] = {
    [NO_HOST] = {MHD_HTTP_BAD_REQUEST, "One Host header is needed.\n"},
    [NO_SUCH_FILE] = {MHD_HTTP_NOT_FOUND, "There is no such file.\n"},
    [NOT_ALLOWED] = {MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are answered.\n"},
    [NOT_OUR_HOST] = {MHD_HTTP_MISDIRECTED_REQUEST, "Unknown host name.\n"},
    [HEAD_TOO_BIG] = {MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too large.\n"},
};

/// ---- Creating them -----------------------------------------------------------------------------

static bool add(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/// The bytes are not copied. NULL when there is no memory.
static struct MHD_Response *make(void *bytes, size_t size)
{
    struct MHD_Response *made =
        MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_PERSISTENT);
    for (size_t i = 0; made && i < sizeof common_headers / sizeof *common_headers; ++i) {
        if (add(made, common_headers[i].name, common_headers[i].value)) continue;
        MHD_destroy_response(made);
        made = NULL;
    }
    return made;
}

bool answers_open(answers *a, const sp_view_page *page)
{
    bool good = true;
    *a = (answers){0};
    for (int i = 0; i < SP_VIEW_FILES && good; ++i) {
        const sp_view_file *file = &page->files[i];
        a->whole[i] = make(file->bytes, file->size);
        a->unchanged[i] = make(file->bytes, 0);
        good = a->whole[i] && a->unchanged[i] && add(a->whole[i], "Content-Type", file->type) &&
               add(a->whole[i], "ETag", file->tag) && add(a->unchanged[i], "ETag", file->tag);
    }
    for (int i = 0; i < REFUSALS && good; ++i) {
        // the library's parameter is not const, but with PERSISTENT it only reads
        char *text = (char *)(uintptr_t)refusals[i].text;
        a->refused[i] = make(text, strlen(text));
        good = a->refused[i] && add(a->refused[i], "Content-Type", "text/plain; charset=utf-8");
    }
    return good && add(a->refused[NOT_ALLOWED], "Allow", "GET, HEAD");
}

void answers_close(answers *a)
{
    for (int i = 0; i < SP_VIEW_FILES; ++i) {
        if (a->whole[i]) MHD_destroy_response(a->whole[i]);
        if (a->unchanged[i]) MHD_destroy_response(a->unchanged[i]);
    }
    for (int i = 0; i < REFUSALS; ++i)
        if (a->refused[i]) MHD_destroy_response(a->refused[i]);
    *a = (answers){0};
}

/// ---- Choosing one ------------------------------------------------------------------------------

typedef struct host_header {
    const char *value;
    int count;
} host_header;

static enum MHD_Result note_host(void *user, enum MHD_ValueKind kind, const char *key,
                                 const char *value)
{
    host_header *host = user;
    (void)kind;
    if (strcasecmp(key, "Host") != 0) return MHD_YES;
    ++host->count;
    host->value = value;
    return MHD_YES;
}

/// Whether a word of the request line hides bytes behind a NUL. libmicrohttpd cuts the line into C
/// strings in place, so the next word should begin one byte after the end of this one. If the next
/// word is somewhere else entirely, the library is a newer one that copies it; those refuse NUL.
static bool hides_bytes(const char *word, size_t length, const char *next)
{
    const uintptr_t gap = (uintptr_t)next - (uintptr_t)word;
    return gap < CONNECTION_MEMORY && gap != length + 1;
}

/// HEAD is a GET whose answer has no body: libmicrohttpd leaves it out.
static bool is_allowed(const char *method, const char *url)
{
    const bool known = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    return known && !hides_bytes(method, strlen(method), url);
}

/// Why there is no file for this request, or REFUSALS when there is one.
static refusal refusal_of(int port, const connection_slot *slot, struct MHD_Connection *connection,
                          const char *url, const char *method, const char *version)
{
    host_header host = {0};
    const union MHD_ConnectionInfo *head =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (head && head->header_size > MOST_HEAD) return HEAD_TOO_BIG;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, note_host, &host);
    if (host.count != 1 || !host.value) return NO_HOST;
    if (!sp_view_host_is_ours(host.value, port)) return NOT_OUR_HOST;
    if (!is_allowed(method, url)) return NOT_ALLOWED;
    if (slot->file < 0 || hides_bytes(url, slot->target, version)) return NO_SUCH_FILE;
    return REFUSALS;
}

enum MHD_Result answer(const answers *a, const sp_view_page *page, int port,
                       const connection_slot *slot, struct MHD_Connection *connection,
                       const char *url, const char *method, const char *version)
{
    const refusal why = refusal_of(port, slot, connection, url, method, version);
    if (why != REFUSALS)
        return MHD_queue_response(connection, refusals[why].status, a->refused[why]);
    const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
    if (known && sp_view_tag_matches(known, page->files[slot->file].tag))
        return MHD_queue_response(connection, MHD_HTTP_NOT_MODIFIED, a->unchanged[slot->file]);
    return MHD_queue_response(connection, MHD_HTTP_OK, a->whole[slot->file]);
}

#endif
