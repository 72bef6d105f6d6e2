// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VIEW_SERVING_H
#define SP_VIEW_SERVING_H

/// What the server's two files share; only for builds with libmicrohttpd.

#include "view/internal.h"

#include <microhttpd.h>

/// A request's head may be so large; beyond it is refused with 431. The library gets twice that a
/// connection, because parsed headers and the answer's own take room there too. What outgrows even
/// that, the library refuses by itself, with the same number.
enum { MOST_CALLERS = 64, MOST_HEAD = 16 << 10, CALLER_MEMORY = 2 * MOST_HEAD };

/// A connection and the one request on it.
typedef struct caller {
    bool here;     ///< the slot is taken
    bool asked;    ///< its request's head has arrived
    int socket;    ///< the library's, which closes it
    double began;  ///< s
    int file;      ///< what it asks for, or -1
    size_t target; ///< length of its raw target, query included
} caller;

/// Answers without a file.
typedef enum refusal {
    NO_HOST,      ///< 400
    NO_SUCH_FILE, ///< 404
    NOT_A_GET,    ///< 405
    NOT_OUR_HOST, ///< 421
    HEAD_TOO_BIG, ///< 431
    REFUSALS,
} refusal;

/// Every answer there can be, made once; the library counts who still reads one.
typedef struct answers {
    struct MHD_Response *whole[SP_VIEW_FILES], *unchanged[SP_VIEW_FILES], *refused[REFUSALS];
} answers;

bool answers_open(answers *a, const sp_view_page *page); ///< false: no memory; close all the same
void answers_close(answers *a);
/// Answers a request whose head is complete.
enum MHD_Result answer(const answers *a, const sp_view_page *page, int port, const caller *who,
                       struct MHD_Connection *connection, const char *url, const char *method,
                       const char *version);

#endif
