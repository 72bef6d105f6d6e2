// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VIEW_H
#define SP_VIEW_H

/// Serves the web page on this machine only.
///
/// A fixed list of files is read into memory once. While serving, no file is opened, so there is no
/// path to traverse. The server listens on 127.0.0.1, answers GET and HEAD only, and only if the Host header
/// is that address or localhost with the right port: this refuses a foreign page whose name was
/// made to point here (DNS rebinding). A connection carries one request.

#include "core/core.h"

/// ---- The files (page.c) ------------------------------------------------------------------------

enum { SP_VIEW_FILES = 7, SP_VIEW_MOST_BYTES = 8 << 20 };

/// One file of the page in memory.
typedef struct sp_view_file {
    const char *name; ///< "page.js"; static
    const char *type; ///< its Content-Type; static
    unsigned char *bytes;
    size_t size;
    char tag[20]; ///< the ETag, quotes included: equal for equal bytes
} sp_view_file;

/// All files of the page. A zeroed one may be released.
typedef struct sp_view_page {
    const sp_host *host;
    sp_view_file files[SP_VIEW_FILES];
} sp_view_page;

/// The directory of the page: `given` if it is not NULL, else "../page" from the directory of the
/// running program (build/release/spume finds build/page), else "../share/spume/page" from there.
/// It does not check that all files are there. On failure the error names the first directory
/// tried.
sp_status sp_view_page_dir(const char *given, char *dir, size_t size, sp_error *err);
/// Reads every file of the list: regular files only, no links, at most SP_VIEW_MOST_BYTES each. On
/// failure the page is empty, and the error names the directory, the file and what to do.
sp_status sp_view_page_read(const char *dir, const sp_host *host, sp_view_page *page,
                            sp_error *err);
void sp_view_page_release(sp_view_page *page);

/// ---- The server (server.c) ---------------------------------------------------------------------

typedef struct sp_view sp_view;

/// Start from sp_view_defaults().
typedef struct sp_view_def {
    int port;             ///< 0 to 65535; 0: any free port
    double head_seconds;  ///< deadline for a request's head, from the start of the connection
    double whole_seconds; ///< deadline for the whole response, likewise
} sp_view_def;
sp_view_def sp_view_defaults(void);

/// Starts to listen; requests queue from here on. The page must outlive the server. On failure *out
/// is NULL: SP_BUSY when the port is in use, SP_UNSUPPORTED without SPUME_WITH_PAGE.
sp_status sp_view_open(const sp_view_def *def, const sp_view_page *page, const sp_host *host,
                       sp_view **out, sp_error *err);
int sp_view_port(const sp_view *view); ///< the port it listens on, never 0
/// Answers requests until sp_view_stop(), which may also be called before.
sp_status sp_view_serve(sp_view *view, sp_error *err);
void sp_view_stop(sp_view *view);  ///< may be called from any thread and from a signal handler
void sp_view_close(sp_view *view); ///< NULL is allowed

/// ---- Requests (request.c) ----------------------------------------------------------------------

/// Whether a Host header is exactly 127.0.0.1:port or localhost:port (in any case). Port 80 may be
/// omitted, as browsers do.
bool sp_view_host_is_ours(const char *host, int port);
/// The file of a request's raw target, or -1. The names of the list after a slash are valid, and
/// "/" itself. A query is ignored. Nothing is decoded, so no encoding can name anything else.
int sp_view_file_of(const char *target);
/// Whether an If-None-Match header contains the tag (RFC 9110 13.1.2: a list of tags, or "*").
bool sp_view_tag_matches(const char *list, const char *tag);

#endif
