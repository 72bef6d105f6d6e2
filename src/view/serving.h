// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VIEW_SERVING_H
#define SP_VIEW_SERVING_H

/// Shared by server.c and answers.c; only in builds with libmicrohttpd.

#include "view/internal.h"

#include <microhttpd.h>

/// Limits. A larger request head is refused with 431. The library gets twice that memory for each
/// connection, because parsed headers and the response's headers also use it. The library itself
/// refuses what needs more, also with 431.
enum { MOST_CONNECTIONS = 64, MOST_HEAD = 16 << 10, CONNECTION_MEMORY = 2 * MOST_HEAD };

/// A connection and the one request on it.
typedef struct connection_slot {
    bool here;     ///< the slot is in use
    bool asked;    ///< the request's head has arrived
    int socket;    ///< the library's, which closes it
    double began;  ///< s
    int file;      ///< index of the requested file, or -1
    size_t target; ///< length of its raw target, query included
} connection_slot;

/// Answers without a file.
typedef enum refusal {
    NO_HOST,      ///< 400
    NO_SUCH_FILE, ///< 404
    NOT_ALLOWED,  ///< 405
    NOT_OUR_HOST, ///< 421
    HEAD_TOO_BIG, ///< 431
    REFUSALS,
} refusal;

/// All responses, created once; libmicrohttpd counts their readers.
typedef struct answers {
    struct MHD_Response *whole[SP_VIEW_FILES], *unchanged[SP_VIEW_FILES], *refused[REFUSALS];
} answers;

bool answers_open(answers *a, const sp_view_page *page); ///< false: no memory; close it anyway
void answers_close(answers *a);
/// Sends the response to a request whose head is complete.
enum MHD_Result answer(const answers *a, const sp_view_page *page, int port,
                       const connection_slot *slot, struct MHD_Connection *connection,
                       const char *url, const char *method, const char *version);

#endif
